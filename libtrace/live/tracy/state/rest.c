/*
 * Sections of time, the CPU's topology, crashes, and what needs nothing but to be passed over (tracy-live
 * 7.17).
 */
#include "live/tracy/state/state.h"

/*
 * Messages and application information (tracy-live 7.7).
 */

enum { SORT_BYTES = 2 << 20, NO_META = 0x20 };

/* By time; of the same time the later one comes first. */
static int compare_messages(const void *a, const void *b)
{
    const struct tk_tl_message *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order > y->order ? -1 : x->order < y->order;
}

static int add_message(struct tk_tl_state *s, struct tk_tl_message *m, const uint8_t *time, uint8_t meta,
                       bool stacked)
{
    struct tk_tl_thread *t;
    uint16_t number;
    TK_TL_TRY(tk_tl_thread_current(s, &t));
    m->time = tk_tl_time_at(s, time);
    m->source = meta & 15;
    m->severity = meta >> 4;
    TK_TL_TRY(tk_tl_thread_number(s, t->tid, &number));
    m->thread = t->number;
    m->order = s->n_messages++;
    m->callstack = stacked ? tk_tl_take_stack(t) : 0;
    if (!s->messages)
        TK_TL_TRY(tk_external_sort_open(&s->messages, s->options.scratch, sizeof *m, compare_messages,
                                        SORT_BYTES, s->err));
    return tk_external_sort_add(s->messages, m, s->err);
}

/* p: time, then the colour where there is one, then metadata. */
static int text_message(struct tk_tl_state *s, const uint8_t *p, bool coloured, bool stacked)
{
    const uint8_t meta = s->protocol.message_meta ? p[coloured ? 11 : 8] : NO_META;
    struct tk_tl_message m = {.colour = coloured ? 0xff000000 | tk_tl_colour(p + 8) : UINT32_MAX};
    m.text = tk_tl_take_text(s);
    return add_message(s, &m, p, meta, stacked);
}

static int literal_message(struct tk_tl_state *s, const uint8_t *p, bool coloured, bool stacked)
{
    const uint64_t v = tk_load64(p + (coloured ? 11 : 8));
    struct tk_tl_message m = {.colour = coloured ? 0xff000000 | tk_tl_colour(p + 8) : UINT32_MAX,
                              .is_pointer = 1};
    bool known;
    m.text = s->protocol.message_meta ? v >> 8 : v;
    TK_TL_TRY(tk_tl_want_text(s, m.text, &known));
    return add_message(s, &m, p, s->protocol.message_meta ? (uint8_t)v : NO_META, stacked);
}

int tk_tl_on_message(struct tk_tl_state *s, const uint8_t *p)
{
    return text_message(s, p, false, false);
}

int tk_tl_on_message_color(struct tk_tl_state *s, const uint8_t *p)
{
    return text_message(s, p, true, false);
}

int tk_tl_on_message_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return text_message(s, p, false, true);
}

int tk_tl_on_message_color_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return text_message(s, p, true, true);
}

int tk_tl_on_message_literal(struct tk_tl_state *s, const uint8_t *p)
{
    return literal_message(s, p, false, false);
}

int tk_tl_on_message_literal_color(struct tk_tl_state *s, const uint8_t *p)
{
    return literal_message(s, p, true, false);
}

int tk_tl_on_message_literal_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return literal_message(s, p, false, true);
}

int tk_tl_on_message_literal_color_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return literal_message(s, p, true, true);
}

int tk_tl_on_message_app_info(struct tk_tl_state *s, const uint8_t *p)
{
    TK_TL_TRY(tk_tl_push(s, &s->app_info, tk_tl_take_text(s)));
    tk_tl_time_at(s, p);
    return TK_OK;
}

static int category_of(struct tk_tl_state *s, uint16_t id, struct tk_tl_category **out)
{
    const uint32_t i = tk_map_get(&s->category_of, id);
    int rc;
    if (i != TK_MAP_NONE) {
        *out = s->categories.v[i];
        return TK_OK;
    }
    if (!(*out = tk_tl_alloc(s, sizeof **out, &rc)))
        return rc;
    (*out)->id = id;
    tk_spill_column_begin(&(*out)->items, s->lasting, sizeof(struct tk_tl_section));
    TK_TL_TRY(tk_tl_map_put(s, &s->category_of, id, (uint32_t)s->categories.n));
    return tk_tl_push(s, &s->categories, *out);
}

int tk_tl_on_section_enter(struct tk_tl_state *s, const uint8_t *p)
{
    const int64_t time = tk_tl_move(s, &s->thread_time, (int64_t)tk_load64(p));
    const uint32_t id = tk_load32(p + 8);
    const int64_t *early = tk_record_map_get(&s->sections_early, id);
    struct tk_tl_category *c;
    TK_TL_TRY(category_of(s, tk_load16(p + 12), &c));
    c->entered = true;
    const struct tk_tl_section item = {tk_tl_s48(time), early ? *early : -(int64_t)id,
                                       tk_tl_take_text(s) + 1};
    struct tk_tl_section *record = tk_spill_column_add(&c->items);
    if (!record)
        return tk_tl_column_error(s);
    *record = item;
    if (early) {
        tk_record_map_remove(&s->sections_early, id);
        return TK_OK;
    }
    TK_TL_TRY(tk_tl_charge(s, 2 * sizeof(struct tk_tl_section_open)));
    struct tk_tl_section_open *open = tk_record_map_put(&s->sections_open, id);
    if (!open)
        return tk_tl_nomem(s);
    *open = (struct tk_tl_section_open){tk_map_get(&s->category_of, c->id),
                                        tk_spill_column_count(&c->items) - 1, item};
    return TK_OK;
}

int tk_tl_on_section_leave(struct tk_tl_state *s, const uint8_t *p)
{
    const int64_t time = tk_tl_s48(tk_tl_move(s, &s->thread_time, (int64_t)tk_load64(p)));
    const uint32_t id = tk_load32(p + 8);
    struct tk_tl_section_open *open = tk_record_map_get(&s->sections_open, id);
    if (open) {
        open->item.end = time;
        const bool ok =
            tk_spill_column_change(&s->categories.v[open->category]->items, open->index, &open->item);
        tk_record_map_remove(&s->sections_open, id);
        return ok ? TK_OK : tk_tl_column_error(s);
    }
    TK_TL_TRY(tk_tl_charge(s, 2 * sizeof time));
    int64_t *early = tk_record_map_put(&s->sections_early, id);
    if (!early)
        return tk_tl_nomem(s);
    *early = time;
    return TK_OK;
}

int tk_tl_on_section_setup(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_category *c;
    TK_TL_TRY(category_of(s, tk_load16(p), &c));
    c->described = true;
    c->text = tk_tl_take_text(s) + 1;
    return TK_OK;
}

enum { TOPOLOGY_MOST = 4096 };

int tk_tl_on_cpu_topology(struct tk_tl_state *s, const uint8_t *p)
{
    const bool die = s->protocol.number >= 69;
    const struct tk_tl_topology t = {tk_load32(p), die ? tk_load32(p + 4) : 0, tk_load32(p + (die ? 8 : 4)),
                                     tk_load32(p + (die ? 12 : 8))};
    if (s->topology.n >= TOPOLOGY_MOST) {
        s->odd.payloads++;
        return TK_OK;
    }
    return tk_tl_push(s, &s->topology, t);
}

int tk_tl_on_param_setup(struct tk_tl_state *s, const uint8_t *p)
{
    bool known;
    return tk_tl_want_text(s, tk_load64(p + 4), &known);
}

int tk_tl_on_crash_report(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_thread *t;
    bool known;
    TK_TL_TRY(tk_tl_want_text(s, tk_load64(p + 8), &known));
    TK_TL_TRY(tk_tl_thread_current(s, &t));
    s->crash = (struct tk_tl_crash){t->tid, tk_load64(p + 8), tk_tl_ns(s, (int64_t)tk_load64(p)),
                                    tk_tl_take_stack(t)};
    return TK_OK;
}

int tk_tl_on_crash(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    s->crashed = true;
    return TK_OK;
}

int tk_tl_on_terminate(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    s->terminated = true;
    return TK_OK;
}

int tk_tl_on_keep_alive(struct tk_tl_state *s, const uint8_t *p)
{
    (void)s;
    (void)p;
    return TK_OK;
}
