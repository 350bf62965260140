/*
 * Threads and their zones: the bulk of a capture.
 *
 *   u64 zones, u64 zones with children, u64 n, threads: u64 tid, u64 zones [, u64 kernel samples] [, u8
 * fiber] [, i32 group], u32 n, zones; u64 n, keys of messages; [u64 n, samples of switches;] u64 n, samples
 * tracy-file 5.10 sample: dt time, u24 callstack
 *
 * Zones of threads that nobody wants are skipped by arithmetic: a thread with n zones has 4 + 26 n bytes of
 * them.
 */
#include "format/tracy/sections/sections_in.h"
#include "format/tracy/walk/section.h"

#define SAMPLE_BYTES 11

enum phase { HEAD, ZONES, MESSAGES, SWITCH_SAMPLES, SAMPLES, TAIL, DONE };

struct state {
    struct tk_tracy_list threads, list;
    struct tk_tracy_thread_zones zones;
    enum phase phase;
    bool begun;
    uint64_t stated, found; /* zones of all threads */
    int64_t time;           /* of samples */
};

static int next_list(struct state *s, enum phase phase)
{
    s->phase = phase;
    s->list = (struct tk_tracy_list){0};
    s->time = 0;
    return TK_OK;
}

/* ---- threads ---- */

/* The number of a thread; one that has none gets the next. */
static int number_thread(struct tk_tracy_walk *w, struct tk_tracy_thread *t)
{
    struct tk_tracy_threads *threads = &w->c->threads;
    t->number = tk_tracy_thread_number(threads, t->tid);
    if (t->number != TK_MAP_NONE && (!t->fiber || !w->request || w->c->threads_known))
        return TK_OK;
    if (t->number == TK_MAP_NONE) {
        if (!w->request)
            return TK_OK;
        if (threads->local.n >= w->c->ctx->limits.threads) {
            tk_tracy_limit(w, TK_LIMIT_threads, t->at, 1, "a thread was left out");
            return TK_OK;
        }
        t->number = (uint32_t)threads->local.n;
        if (tk_tracy_threads_add(threads, t->tid))
            return TK_ENOMEM;
    }
    struct tk_fact fact = tk_tracy_thread_fact(w->c, t->number, t->fiber);
    return tk_tracy_walk_define(w, &fact);
}

static bool wants_thread(const struct tk_tracy_walk *w, uint32_t number)
{
    const struct tk_request *r = w->request;
    return r && number != TK_MAP_NONE && (!r->want_thread || r->want_thread(r->want_ctx, number));
}

static int begin_thread(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_thread *t = &s->zones.thread;
    const struct tk_tracy_layout *layout = &w->c->layout;
    *t = (struct tk_tracy_thread){.at = tk_tracy_at(&w->in), .tid = tk_tracy_u64(&w->in, "thread")};
    t->zones = tk_tracy_read_count(w, "zones of a thread");
    tk_tracy_skip(&w->in, layout->kernel_samples ? 8 : 0, "kernel samples of a thread");
    t->fiber = layout->fiber && tk_tracy_u8(&w->in, "fiber");
    tk_tracy_skip(&w->in, layout->group_hint ? 4 : 0, "group of a thread");
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    if (number_thread(w, t) != TK_OK)
        return TK_ENOMEM;
    t->wanted = wants_thread(w, t->number);
    s->found += t->zones;
    s->zones.inside = false;
    s->phase = ZONES;
    return TK_OK;
}

static int end_thread(struct tk_tracy_walk *w, struct state *s)
{
    const struct tk_tracy_thread *t = &s->zones.thread;
    s->phase = HEAD;
    if (!tk_tracy_wants_fact(w, TK_FACT_STREAM) || t->number == TK_MAP_NONE)
        return TK_OK;
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_STREAM, t->number, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.stream.unpacked = tk_tracy_at(&w->in) - t->at;
    fact->u.stream.events = t->events;
    return TK_OK;
}

/* ---- zones, messages and samples ---- */

static int step_zones(struct tk_tracy_walk *w, struct state *s)
{
    bool done;
    int rc = tk_tracy_thread_zones_step(w, &s->zones, &done);
    return rc == TK_OK && done ? next_list(s, MESSAGES) : rc;
}

static int step_messages(struct tk_tracy_walk *w, struct state *s)
{
    if (!tk_tracy_list_next(w, &s->list, "messages of a thread")) {
        s->zones.thread.events += s->list.n;
        return next_list(s, w->c->layout.switch_samples ? SWITCH_SAMPLES : SAMPLES);
    }
    uint64_t key = tk_tracy_u64(&w->in, "message of a thread");
    if (tk_tracy_ok(&w->in) && s->zones.thread.number != TK_MAP_NONE)
        tk_tracy_messages_claim(&w->messages, key, s->zones.thread.number);
    return TK_OK;
}

/* The addresses of its callstack come behind all threads. */
static int say_sample(struct tk_tracy_walk *w, const struct state *s, uint32_t callstack)
{
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_SAMPLE, s->zones.thread.number, s->time);
    if (!fact)
        return TK_ENOMEM;
    fact->u.sample = (struct tk_fact_sample){.system_id = s->zones.thread.tid, .callstack = callstack};
    return TK_OK;
}

static int read_sample(struct tk_tracy_walk *w, struct state *s, enum tk_tracy_record record)
{
    uint64_t at = tk_tracy_at(&w->in);
    const uint8_t *p = tk_tracy_take(&w->in, SAMPLE_BYTES, "sample");
    if (!p)
        return TK_OK;
    tk_tracy_after(&s->time, p);
    uint32_t id = (uint32_t)tk_load_le(p + 8, 3);
    struct tk_cell callstack = tk_tracy_id_cell(id);
    if (!s->zones.thread.wanted)
        return TK_OK;
    if (record == TK_TRACY_SAMPLE && tk_tracy_wants_fact(w, TK_FACT_SAMPLE) && say_sample(w, s, id) != TK_OK)
        return TK_ENOMEM;
    return tk_tracy_wants(w, record)
               ? tk_tracy_say(w, record, at, s->zones.thread.number, s->time, &callstack)
               : TK_OK;
}

static int step_samples(struct tk_tracy_walk *w, struct state *s, enum tk_tracy_record record,
                        enum phase after)
{
    bool fact = record == TK_TRACY_SAMPLE && tk_tracy_wants_fact(w, TK_FACT_SAMPLE);
    if (!s->list.begun && !fact && !tk_tracy_wants(w, record)) {
        s->list.n = tk_tracy_read_count(w, "samples");
        tk_tracy_skip_items(w, s->list.n, SAMPLE_BYTES, "samples");
    } else if (tk_tracy_list_next(w, &s->list, "samples")) {
        return read_sample(w, s, record);
    }
    if (tk_tracy_ok(&w->in))
        tk_tracy_tally(w, record, s->list.n, s->list.n * SAMPLE_BYTES);
    s->zones.thread.events += s->list.n;
    return next_list(s, after);
}

static int step_switch_samples(struct tk_tracy_walk *w, struct state *s)
{
    return step_samples(w, s, TK_TRACY_SWITCH_SAMPLE, SAMPLES);
}

static int step_plain_samples(struct tk_tracy_walk *w, struct state *s)
{
    return step_samples(w, s, TK_TRACY_SAMPLE, TAIL);
}

/* ---- the section ---- */

static int next_thread(struct tk_tracy_walk *w, struct state *s)
{
    if (tk_tracy_list_next(w, &s->threads, "threads"))
        return begin_thread(w, s);
    tk_tracy_check_total(w, s->stated, s->found, "zones");
    s->phase = DONE;
    return TK_OK;
}

static int (*const phases[DONE])(struct tk_tracy_walk *w, struct state *s) = {
    [HEAD] = next_thread,           [ZONES] = step_zones,
    [MESSAGES] = step_messages,     [SWITCH_SAMPLES] = step_switch_samples,
    [SAMPLES] = step_plain_samples, [TAIL] = end_thread,
};

static int step_of_zones(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    if (!s->begun) {
        s->stated = tk_tracy_u64(&w->in, "numbers of zones");
        tk_tracy_skip(&w->in, 8, "numbers of zones");
    }
    s->begun = true;
    while (rc == TK_OK && tk_tracy_ok(&w->in) && s->phase != DONE) {
        if (tk_tracy_batch_full(w->out))
            return TK_ITEM;
        rc = phases[s->phase](w, s);
    }
    return rc;
}

const struct tk_tracy_section tk_tracy_sec_zones = {
    .name = "zones",
    .step = step_of_zones,
    .size = sizeof(struct state),
    .facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(LOG) | TK_FACT_MASK(STREAM) | TK_FACT_MASK(SAMPLE),
    .records = TK_TRACY_RECORD_MASK(MESSAGE) | TK_TRACY_RECORD_MASK(ZONE_BEGIN) |
               TK_TRACY_RECORD_MASK(ZONE_END) | TK_TRACY_RECORD_MASK(SWITCH_SAMPLE) |
               TK_TRACY_RECORD_MASK(SAMPLE)};
