/*
 * Hardware samples. Records.
 *
 *   u64 n, addresses, each with 6 lists: u64 n, samples                                       tracy-file 5.21
 */
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"

#define LISTS TK_HARDWARE_EVENTS

struct state {
    struct tk_tracy_list addresses, samples;
    uint64_t address;
    int64_t time;  /* of the last sample */
    unsigned list; /* the next one of the address; LISTS: none */
    bool begun, inside;
};

static const struct tk_str events[LISTS] = {
    {"cycles", 6, TK_ENC_UTF8},
    {"retired instructions", 20, TK_ENC_UTF8},
    {"cache references", 16, TK_ENC_UTF8},
    {"cache misses", 12, TK_ENC_UTF8},
    {"retired branches", 16, TK_ENC_UTF8},
    {"branch misses", 13, TK_ENC_UTF8},
};

static int say_row_hw_samples(struct tk_tracy_walk *w, const struct state *s)
{
    struct tk_cell *row = tk_tracy_timed_row(w, &tk_tracy_table_hardware_samples, TK_NO_THREAD, s->time);
    if (!row)
        return TK_ENOMEM;
    row[0] = (struct tk_cell){.kind = TK_TIME, .v.i = s->time};
    row[1] = tk_cell_of_hex(s->address);
    row[2] = tk_cell_of_text(&events[s->list - 1]);
    return TK_OK;
}

static bool wanted(const struct tk_tracy_walk *w)
{
    return tk_tracy_wants(w, TK_TRACY_HW_SAMPLE) || tk_tracy_wants_fact(w, TK_FACT_HARDWARE) ||
           tk_tracy_wants_rows(w, &tk_tracy_table_hardware_samples);
}

/* The lists are in the order of the events. */
static int say_fact(struct tk_tracy_walk *w, const struct state *s)
{
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_HARDWARE, TK_NO_THREAD, s->time);
    if (!fact)
        return TK_ENOMEM;
    fact->u.hardware = (struct tk_fact_hardware){s->address, (uint8_t)(s->list - 1)};
    return TK_OK;
}

static int read_sample(struct tk_tracy_walk *w, struct state *s)
{
    uint64_t at = tk_tracy_at(&w->in);
    struct tk_cell cells[] = {tk_cell_of_hex(s->address), tk_cell_of_text(&events[s->list - 1])};
    struct tk_tracy_hardware_sample v;
    if (!tk_tracy_read_hardware_sample(&w->in, &v))
        return TK_OK;
    s->time = v.time;
    tk_tracy_count(w, TK_TRACY_HW_SAMPLE, 1, tk_tracy_hardware_sample_size(&w->c->layout));
    if (tk_tracy_wants_rows(w, &tk_tracy_table_hardware_samples) && say_row_hw_samples(w, s) != TK_OK)
        return TK_ENOMEM;
    if (tk_tracy_wants_fact(w, TK_FACT_HARDWARE) && say_fact(w, s) != TK_OK)
        return TK_ENOMEM;
    return tk_tracy_wants(w, TK_TRACY_HW_SAMPLE)
               ? tk_tracy_say(w, TK_TRACY_HW_SAMPLE, at, TK_NO_THREAD, s->time, cells)
               : TK_OK;
}

static void begin_list(struct tk_tracy_walk *w, struct state *s)
{
    s->list++;
    s->samples = (struct tk_tracy_list){0};
    w->in.time = 0;
    s->inside = wanted(w);
    if (!s->inside)
        tk_tracy_skip_list(w, tk_tracy_hardware_sample_size(&w->c->layout), TK_TRACY_HW_SAMPLE,
                           "hardware samples");
}

static int step_hw_samples(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    if (!w->c->layout.code_symbols)
        return TK_OK;
    if (!s->begun)
        s->list = LISTS;
    s->begun = true;
    while (rc == TK_OK && tk_tracy_ok(&w->in)) {
        if (tk_tracy_batch_full(w->out))
            return TK_ITEM;
        if (s->inside && tk_tracy_list_next(w, &s->samples, "hardware samples")) {
            rc = read_sample(w, s);
        } else if (s->list < LISTS) {
            begin_list(w, s);
        } else if (tk_tracy_list_next(w, &s->addresses, "addresses of hardware samples")) {
            struct tk_tracy_hardware v;
            (void)tk_tracy_read_hardware(&w->in, &v);
            s->address = v.address;
            s->list = 0;
            s->inside = false;
        } else {
            break;
        }
    }
    return rc;
}

static const struct tk_table *const rows[] = {&tk_tracy_table_hardware_samples, NULL};

const struct tk_tracy_section tk_tracy_sec_hw_samples = {.name = "hardware_samples",
                                                         .step = step_hw_samples,
                                                         .size = sizeof(struct state),
                                                         .rows = rows,
                                                         .facts = TK_FACT_MASK(HARDWARE),
                                                         .records = TK_TRACY_RECORD_MASK(HW_SAMPLE)};
