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
#include "tracy/cells.h"
#include "tracy/section_list.h"
#include "tracy/walk.h"
#include "tracy/zone_record.h"

#define SAMPLE_BYTES 11

enum phase { HEAD, ZONES, MESSAGES, SWITCH_SAMPLES, SAMPLES, TAIL, DONE };

struct thread {
    uint64_t at, tid, zones, events;
    uint64_t unknown; /* zones whose location does not exist */
    uint32_t number, lane;
    bool fiber, wanted, has_lane;
};

struct state {
    struct tk_tracy_list threads, list;
    struct thread thread;
    enum phase phase;
    bool begun, inside;           /* the section; the zones of the thread */
    uint64_t zones_at;            /* offset of the number of zones of the first level */
    int64_t time;                 /* of samples */
    bool told_none, told_unknown; /* the timers of zones without location */
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
static int number_thread(struct tk_tracy_walk *w, struct thread *t)
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
    struct thread *t = &s->thread;
    const struct tk_tracy_layout *layout = &w->c->layout;
    *t = (struct thread){.at = tk_tracy_at(&w->in), .tid = tk_tracy_u64(&w->in, "thread")};
    t->zones = tk_tracy_read_count(w, "zones of a thread");
    tk_tracy_skip(&w->in, layout->kernel_samples ? 8 : 0, "kernel samples of a thread");
    t->fiber = layout->fiber && tk_tracy_u8(&w->in, "fiber");
    tk_tracy_skip(&w->in, layout->group_hint ? 4 : 0, "group of a thread");
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    if (number_thread(w, t) != TK_OK)
        return TK_ENOMEM;
    t->wanted = wants_thread(w, t->number);
    s->inside = false;
    s->phase = ZONES;
    return TK_OK;
}

static int end_thread(struct tk_tracy_walk *w, struct state *s)
{
    const struct thread *t = &s->thread;
    s->phase = HEAD;
    if (!tk_tracy_wants_fact(w, TK_FACT_STREAM) || t->number == TK_MAP_NONE)
        return TK_OK;
    struct tk_fact *fact = tk_tracy_out_fact(w->out, TK_FACT_STREAM, t->number, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.stream.unpacked = tk_tracy_at(&w->in) - t->at;
    fact->u.stream.events = t->events;
    return TK_OK;
}

/* ---- zones ---- */

static int tell_timer(struct tk_tracy_walk *w, uint32_t timer, bool *told)
{
    if (*told)
        return TK_OK;
    *told = true;
    struct tk_fact *fact = tk_tracy_out_fact(w->out, TK_FACT_TIMER, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    *fact = tk_tracy_timer_fact(w->c, timer);
    return TK_OK;
}

static bool any_odd(const struct tk_tracy_locations *l, const uint32_t *op, size_t n)
{
    const uint32_t none = l->none;
    uint32_t any = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        any |= (uint32_t)(op[i] - none < 2) | (uint32_t)(op[i + 1] - none < 2) |
               (uint32_t)(op[i + 2] - none < 2) | (uint32_t)(op[i + 3] - none < 2);
    for (; i < n; i++)
        any |= (uint32_t)(op[i] - none < 2);
    return any;
}

/* Zones without a location, or with one that does not exist, are rare: their timers are told when they are
 * used. */
static int tell_odd(struct tk_tracy_walk *w, struct state *s, uint64_t none, uint64_t unknown)
{
    const struct tk_tracy_locations *l = &w->c->locations;
    int rc = none ? tell_timer(w, l->none, &s->told_none) : TK_OK;
    s->thread.unknown += unknown;
    if (unknown && rc == TK_OK)
        rc = tell_timer(w, l->unknown, &s->told_unknown);
    return rc;
}

static int look_for_odd(struct tk_tracy_walk *w, struct state *s, const uint32_t *op, size_t n)
{
    const struct tk_tracy_locations *l = &w->c->locations;
    uint64_t none = 0, unknown = 0;
    if (!any_odd(l, op, n))
        return TK_OK;
    for (size_t i = 0; i < n; i++) {
        none += op[i] == l->none;
        unknown += op[i] == l->unknown;
    }
    return tell_odd(w, s, none, unknown);
}

/* The texts of entries of the batch from `from` on. */
static void look_up_texts(struct tk_tracy_walk *w, size_t from)
{
    struct tk_tracy_out *out = w->out;
    for (size_t i = from; i < out->n_ops; i++) {
        size_t at = (size_t)out->extra[i] * TK_TRACY_EXTRA;
        out->text[i] = NULL;
        if (at && at < w->extras.n)
            out->text[i] =
                tk_tracy_string_of_index(&w->c->strings, (uint32_t)tk_load_le(w->extras.v + at + 3, 3));
    }
}

/* The thread's lane, which it gets with the first run. */
static uint32_t lane_of(struct tk_tracy_walk *w, struct thread *t)
{
    if (!t->has_lane)
        t->lane = w->lanes++;
    t->has_lane = true;
    return t->lane;
}

/* Entries of the batch from `from` on belong to this thread. */
static int add_run(struct tk_tracy_walk *w, struct state *s, size_t from)
{
    struct tk_tracy_out *out = w->out;
    struct thread *t = &s->thread;
    if (from == out->n_ops)
        return TK_OK;
    struct tk_scope_run run = {
        .thread = t->number, .n = out->n_ops - from, .time = out->time + from, .op = out->op + from};
    run.lane = lane_of(w, t);
    if (out->text) {
        look_up_texts(w, from);
        run.text = out->text + from;
    }
    if (tk_vec_push(&out->runs, run))
        return TK_ENOMEM;
    return look_for_odd(w, s, run.op, run.n);
}

/* Behind what the batch has. */
static struct tk_tracy_zone_out zones_out(const struct tk_tracy_walk *w)
{
    const struct tk_tracy_out *out = w->out;
    return (struct tk_tracy_zone_out){.timers = w->c->locations.timers,
                                      .time = out->time + out->n_ops,
                                      .op = out->op + out->n_ops,
                                      .extra = out->extra ? out->extra + out->n_ops : NULL};
}

/* Zones as records, and as scopes where these are wanted too. */
static int read_events(struct tk_tracy_walk *w, const struct thread *t)
{
    struct tk_tracy_zone_event ev;
    struct tk_tracy_out *out = w->out;
    bool scopes = tk_tracy_wants_fact(w, TK_FACT_SCOPES);
    int rc = TK_OK;
    while (rc == TK_OK && !tk_tracy_out_full(out)) {
        bool held = w->zones.held;
        if (!held && !tk_tracy_zones_event(&w->zones, &w->in, &ev))
            break;
        if (scopes)
            out->n_ops +=
                tk_tracy_zones_write(&w->zones, held ? NULL : &ev, zones_out(w), TK_TRACY_OPS - out->n_ops);
        if (!held)
            rc = tk_tracy_say_zone(w, t->number, &ev);
    }
    return rc;
}

static int read_scopes(struct tk_tracy_walk *w)
{
    struct tk_tracy_out *out = w->out;
    out->n_ops += tk_tracy_zones_run(&w->zones, &w->in, zones_out(w), TK_TRACY_OPS - out->n_ops);
    return TK_OK;
}

/* Makes known that a lane's zones come closed, or that these were all. */
static int add_closed_run(struct tk_tracy_walk *w, struct state *s, const struct tk_closed_lane *end)
{
    struct tk_scope_run run = {
        .thread = s->thread.number, .lane = lane_of(w, &s->thread), .closed = true, .end = end};
    return tk_vec_push(&w->out->runs, run) ? TK_ENOMEM : TK_OK;
}

static int end_closed(struct tk_tracy_walk *w, struct state *s)
{
    const struct tk_closed_lane *end;
    if (!w->closed.closing.any)
        return TK_OK;
    end = tk_tracy_closing_end(&w->closed.closing);
    return end ? add_closed_run(w, s, end) : TK_ENOMEM;
}

static int begin_messages(struct tk_tracy_walk *w, struct state *s)
{
    struct thread *t = &s->thread;
    if (tk_tracy_ok(&w->in)) {
        tk_tracy_count(w, TK_TRACY_ZONE_BEGIN, t->zones, t->zones * 18);
        tk_tracy_tally(w, TK_TRACY_ZONE_END, t->zones, t->zones * 8);
        t->events += t->zones;
    }
    return next_list(s, MESSAGES);
}

/* What is left of the zones from `from` on, by arithmetic. */
static void skip_zones(struct tk_tracy_walk *w, const struct state *s)
{
    uint64_t end = s->zones_at + 4 + s->thread.zones * TK_TRACY_ZONE_BYTES, at = tk_tracy_at(&w->in);
    if (end < at)
        tk_tracy_fail(&w->in, at, "zones of a thread");
    else
        tk_tracy_skip(&w->in, end - at, "zones of a thread");
}

static bool wants_zones(const struct tk_tracy_walk *w)
{
    const uint64_t records = TK_TRACY_RECORD_MASK(ZONE_BEGIN) | TK_TRACY_RECORD_MASK(ZONE_END);
    return tk_tracy_wants_fact(w, TK_FACT_SCOPES) || w->records & records;
}

/* The bytes of the zones must be those that their number says, or the next reading that skips them goes
 * astray. */
static void check_zones(struct tk_tracy_walk *w, const struct state *s)
{
    uint64_t bytes = tk_tracy_at(&w->in) - s->zones_at, stated = 4 + s->thread.zones * TK_TRACY_ZONE_BYTES;
    if (tk_tracy_ok(&w->in) && bytes != stated)
        tk_tracy_note(w, TK_HEALTH_PAYLOAD_DAMAGED, s->zones_at, 1,
                      "a thread states another number of zones than it has");
}

static bool too_deep(const struct tk_tracy_walk *w)
{
    return w->closing ? w->closed.closing.too_deep : w->zones.too_deep;
}

/* Is there nothing left of the zones of a thread that can be read? */
static bool zones_done(const struct tk_tracy_walk *w)
{
    return too_deep(w) ||
           (w->closing ? tk_tracy_closing_done(&w->closed.closing) : tk_tracy_zones_done(&w->zones));
}

static void note_unknown(struct tk_tracy_walk *w, const struct state *s)
{
    if (s->thread.unknown)
        tk_tracy_note(w, TK_HEALTH_PAYLOAD_DAMAGED, s->zones_at, s->thread.unknown,
                      "zones of source locations that do not exist");
}

static int end_zones(struct tk_tracy_walk *w, struct state *s)
{
    if (too_deep(w)) {
        tk_tracy_limit(w, TK_LIMIT_nesting, tk_tracy_at(&w->in), 1,
                       "zones lie too deep; the rest of the thread's zones was left out");
        skip_zones(w, s);
    } else {
        check_zones(w, s);
    }
    s->inside = false;
    return begin_messages(w, s);
}

static int begin_zones(struct tk_tracy_walk *w, struct state *s)
{
    s->zones_at = tk_tracy_at(&w->in);
    if (!s->thread.wanted || !wants_zones(w)) {
        skip_zones(w, s);
        return begin_messages(w, s);
    }
    uint32_t roots = tk_tracy_u32(&w->in, "zones of a thread");
    s->inside = true;
    if (!w->closing) {
        tk_tracy_zones_begin(&w->zones, roots);
        return TK_OK;
    }
    w->away = true;
    tk_tracy_zones_ahead_begin(&w->closed, s->thread.number, roots ? lane_of(w, &s->thread) : 0, w->blocks,
                               &w->in, roots);
    return roots ? add_closed_run(w, s, NULL) : TK_OK;
}

static int step_closed(struct tk_tracy_walk *w, struct state *s, bool *ended)
{
    const struct tk_tracy_zones_told told = tk_tracy_zones_ahead_next(&w->closed, &w->in);
    int rc = told.status;
    *ended = told.last;
    if (told.last)
        w->away = false;
    if (w->in.rc == TK_OK)
        w->in.rc = tk_tracy_walk_tell(w, told.at, &w->in.err);
    if (rc == TK_OK)
        rc = tell_odd(w, s, told.none, told.unknown);
    return rc == TK_OK && told.last ? end_closed(w, s) : rc;
}

static int step_open(struct tk_tracy_walk *w, struct state *s, bool *ended)
{
    const uint64_t records = TK_TRACY_RECORD_MASK(ZONE_BEGIN) | TK_TRACY_RECORD_MASK(ZONE_END);
    size_t from = w->out->n_ops;
    int rc = w->records & records ? read_events(w, &s->thread) : read_scopes(w);
    *ended = zones_done(w) || !tk_tracy_ok(&w->in);
    return rc == TK_OK && tk_tracy_wants_fact(w, TK_FACT_SCOPES) ? add_run(w, s, from) : rc;
}

static int step_zones(struct tk_tracy_walk *w, struct state *s)
{
    bool ended;
    if (w->closing && (w->out->runs.n || w->in.rc != TK_OK))
        return TK_ITEM;
    if (!s->inside)
        return begin_zones(w, s);
    int rc = (w->closing ? step_closed : step_open)(w, s, &ended);
    if (rc != TK_OK || !ended)
        return rc;
    note_unknown(w, s);
    return zones_done(w) ? end_zones(w, s) : TK_OK;
}

/* ---- messages and samples ---- */

static int step_messages(struct tk_tracy_walk *w, struct state *s)
{
    if (!tk_tracy_list_next(w, &s->list, "messages of a thread")) {
        s->thread.events += s->list.n;
        return next_list(s, w->c->layout.switch_samples ? SWITCH_SAMPLES : SAMPLES);
    }
    uint64_t key = tk_tracy_u64(&w->in, "message of a thread");
    if (tk_tracy_ok(&w->in) && s->thread.number != TK_MAP_NONE)
        tk_tracy_messages_claim(&w->messages, key, s->thread.number);
    return TK_OK;
}

/* The addresses of its callstack come behind all threads. */
static int say_sample(struct tk_tracy_walk *w, const struct state *s, uint32_t callstack)
{
    struct tk_fact *fact = tk_tracy_out_fact(w->out, TK_FACT_SAMPLE, s->thread.number, s->time);
    if (!fact)
        return TK_ENOMEM;
    fact->u.sample = (struct tk_fact_sample){.system_id = s->thread.tid, .callstack = callstack};
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
    if (!s->thread.wanted)
        return TK_OK;
    if (record == TK_TRACY_SAMPLE && tk_tracy_wants_fact(w, TK_FACT_SAMPLE) && say_sample(w, s, id) != TK_OK)
        return TK_ENOMEM;
    return tk_tracy_wants(w, record) ? tk_tracy_say(w, record, at, s->thread.number, s->time, &callstack)
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
    s->thread.events += s->list.n;
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
    s->phase = DONE;
    return TK_OK;
}

static int (*const phases[DONE])(struct tk_tracy_walk *w, struct state *s) = {
    [HEAD] = next_thread,           [ZONES] = step_zones,
    [MESSAGES] = step_messages,     [SWITCH_SAMPLES] = step_switch_samples,
    [SAMPLES] = step_plain_samples, [TAIL] = end_thread,
};

static int step(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    if (!s->begun)
        tk_tracy_skip(&w->in, 16, "numbers of zones");
    s->begun = true;
    while (rc == TK_OK && tk_tracy_ok(&w->in) && s->phase != DONE) {
        if (tk_tracy_out_full(w->out))
            return TK_ITEM;
        rc = phases[s->phase](w, s);
    }
    return rc;
}

const struct tk_tracy_section tk_tracy_sec_zones = {
    .name = "zones",
    .step = step,
    .size = sizeof(struct state),
    .facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(LOG) | TK_FACT_MASK(STREAM) | TK_FACT_MASK(SAMPLE),
    .records = TK_TRACY_RECORD_MASK(MESSAGE) | TK_TRACY_RECORD_MASK(ZONE_BEGIN) |
               TK_TRACY_RECORD_MASK(ZONE_END) | TK_TRACY_RECORD_MASK(SWITCH_SAMPLE) |
               TK_TRACY_RECORD_MASK(SAMPLE)};
