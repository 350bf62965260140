/*
 * Threads and their zones: the bulk of a capture.
 *
 *   u64 zones, u64 zones with children, u64 n, threads, each with u32 n, zones; u64 n, keys of messages;
 *   [u64 n, samples of switches;] u64 n, samples                                              tracy-file 5.10
 *
 * Zones of threads that nobody wants are skipped by arithmetic: a thread with n zones has 4 + 26 n bytes of
 * them.
 */
#include "format/tracy/walk/section.h"

/*
 * The zones of a thread: read as they stand in its section (sec_zones.c), sent as runs of scopes and as
 * records.
 */

/* The thread under way. */
struct thread_under_way {
    uint64_t at, tid, zones, events;
    uint64_t unknown; /* zones whose location does not exist */
    uint32_t number, lane;
    bool fiber, wanted, has_lane;
};

/* Kept from thread to thread; zero to begin. */
struct tk_tracy_thread_zones {
    struct thread_under_way thread;
    bool inside;                          /* its zones */
    uint64_t zones_at;                    /* offset of the number of zones of the first level */
    bool reported_none, reported_unknown; /* the timers of zones without location */
};

/*
 *
 *   u32 n, zones (zone_tree.h): a thread with n zones has 4 + 26 n bytes of them tracy-file 5.10
 */

/*
 * Zones as records, with what their extras say: text, own name, colour, callstack (tracy-file 5.9, 5.10).
 */

/* What is not there is as if nothing was said. */
static const struct tk_tracy_extra *extra_of(const struct tk_tracy_walk *w, uint32_t extra)
{
    static const struct tk_tracy_extra none;
    return extra < w->extras.n ? &w->extras.v[extra] : &none;
}

static int say_begin(struct tk_tracy_walk *w, uint32_t thread, const struct tk_tracy_zone_event *ev)
{
    const struct tk_tracy_strings *strings = &w->c->strings;
    struct tk_tracy_place place = tk_tracy_location_of(&w->c->locations, strings, ev->location);
    const struct tk_tracy_extra *extra = extra_of(w, ev->extra);
    struct tk_cell cells[] = {
        tk_cell_of_text(place.name),
        tk_cell_of_text(place.file),
        tk_cell_of_uint(place.line),
        tk_cell_of_text(place.function),
        tk_cell_of_text(tk_tracy_string_of_index(strings, extra->text)),
        tk_cell_of_text(tk_tracy_string_of_index(strings, extra->name)),
        tk_cell_of_hex(extra->colour ? extra->colour : place.colour),
        tk_tracy_id_cell(extra->callstack),
        tk_cell_of_uint(ev->children),
    };
    return tk_tracy_say(w, TK_TRACY_ZONE_BEGIN, ev->at, thread, ev->time, cells);
}

/* Says the begin or end of a zone of a thread where it is wanted; an end that is not there is not reported.
 * TK_OK or TK_ENOMEM. */
static int tk_tracy_say_zone(struct tk_tracy_walk *w, uint32_t thread, const struct tk_tracy_zone_event *ev)
{
    struct tk_cell depth = tk_cell_of_uint(ev->depth);
    if (ev->begin)
        return tk_tracy_wants(w, TK_TRACY_ZONE_BEGIN) ? say_begin(w, thread, ev) : TK_OK;
    if (!tk_tracy_wants(w, TK_TRACY_ZONE_END) || ev->time < 0)
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_ZONE_END, ev->at, thread, ev->time, &depth);
}

static int tell_timer(struct tk_tracy_walk *w, uint32_t timer, bool *reported)
{
    if (*reported)
        return TK_OK;
    *reported = true;
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_TIMER, TK_NO_THREAD, 0);
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

/* Zones without a location, or with one that does not exist, are rare: their timers are reported when they
 * are used. */
static int tell_odd(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s, uint64_t none, uint64_t unknown)
{
    const struct tk_tracy_locations *l = &w->c->locations;
    int rc = none ? tell_timer(w, l->none, &s->reported_none) : TK_OK;
    s->thread.unknown += unknown;
    if (unknown && rc == TK_OK)
        rc = tell_timer(w, l->unknown, &s->reported_unknown);
    return rc;
}

/* Numbers that are no timers are ends. */
static void count_begun(struct tk_tracy_walk *w, const uint32_t *op, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (op[i] <= w->c->locations.unknown)
            w->zones_begun[op[i]]++;
}

static int look_for_odd(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s, const uint32_t *op,
                        size_t n)
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
    struct tk_tracy_batch *out = w->out;
    for (size_t i = from; i < out->n_ops; i++) {
        const size_t at = out->extra[i];
        out->text[i] = NULL;
        if (at && at < w->extras.n)
            out->text[i] = tk_tracy_string_of_index(&w->c->strings, w->extras.v[at].text);
    }
}

/* Their callstacks. */
static void look_up_stacks(struct tk_tracy_walk *w, size_t from)
{
    struct tk_tracy_batch *out = w->out;
    for (size_t i = from; i < out->n_ops; i++) {
        const size_t at = out->extra[i];
        out->stack[i] = at && at < w->extras.n ? w->extras.v[at].callstack : 0;
    }
}

/* The thread's lane, which it gets with the first run. */
static uint32_t lane_of_thread_zones(struct tk_tracy_walk *w, struct thread_under_way *t)
{
    if (!t->has_lane)
        t->lane = w->lanes++;
    t->has_lane = true;
    return t->lane;
}

/* Entries of the batch from `from` on belong to this thread. */
static int add_run_thread_zones(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s, size_t from)
{
    struct tk_tracy_batch *out = w->out;
    struct thread_under_way *t = &s->thread;
    if (from == out->n_ops)
        return TK_OK;
    struct tk_scope_run run = {
        .thread = t->number, .n = out->n_ops - from, .time = out->time + from, .op = out->op + from};
    run.lane = lane_of_thread_zones(w, t);
    if (out->text) {
        look_up_texts(w, from);
        run.text = out->text + from;
    }
    if (out->stack) {
        look_up_stacks(w, from);
        run.stack = out->stack + from;
    }
    if (tk_vec_push(&out->runs, run))
        return TK_ENOMEM;
    count_begun(w, run.op, run.n);
    return look_for_odd(w, s, run.op, run.n);
}

/* Behind what the batch has. */
static struct tk_tracy_zone_out zones_out(const struct tk_tracy_walk *w)
{
    const struct tk_tracy_batch *out = w->out;
    return (struct tk_tracy_zone_out){.timers = w->c->locations.timers,
                                      .time = out->time + out->n_ops,
                                      .op = out->op + out->n_ops,
                                      .extra = out->extra ? out->extra + out->n_ops : NULL};
}

/* Zones as records, and as scopes where these are wanted too. */
static int read_events(struct tk_tracy_walk *w, const struct thread_under_way *t)
{
    struct tk_tracy_zone_event ev;
    struct tk_tracy_batch *out = w->out;
    bool scopes = tk_tracy_wants_fact(w, TK_FACT_SCOPES);
    int rc = TK_OK;
    while (rc == TK_OK && !tk_tracy_batch_full(out)) {
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
    struct tk_tracy_batch *out = w->out;
    out->n_ops += tk_tracy_zones_run(&w->zones, &w->in, zones_out(w), TK_TRACY_OPS - out->n_ops);
    return TK_OK;
}

/* Makes known that a lane's zones come closed, or that these were all. */
static int add_closed_run(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s,
                          const struct tk_closed_lane *end)
{
    struct tk_scope_run run = {
        .thread = s->thread.number, .lane = lane_of_thread_zones(w, &s->thread), .closed = true, .end = end};
    return tk_vec_push(&w->out->runs, run) ? TK_ENOMEM : TK_OK;
}

static int end_closed(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s)
{
    const struct tk_closed_lane *end;
    if (!w->closed.closing.any)
        return TK_OK;
    end = tk_tracy_closing_end(&w->closed.closing);
    return end ? add_closed_run(w, s, end) : TK_ENOMEM;
}

static void count_zones(struct tk_tracy_walk *w, struct thread_under_way *t)
{
    if (!tk_tracy_ok(&w->in))
        return;
    tk_tracy_count(w, TK_TRACY_ZONE_BEGIN, t->zones, t->zones * 18);
    tk_tracy_tally(w, TK_TRACY_ZONE_END, t->zones, t->zones * 8);
    t->events += t->zones;
}

/* What is left of the zones from `from` on, by arithmetic. */
static void skip_zones(struct tk_tracy_walk *w, const struct tk_tracy_thread_zones *s)
{
    uint64_t end = s->zones_at + 4 + s->thread.zones * TK_TRACY_ZONE_BYTES, at = tk_tracy_at(&w->in);
    if (end < at)
        tk_tracy_fail(&w->in, at, "zones of a thread");
    else
        tk_tracy_skip(&w->in, end - at, "zones of a thread");
}

static bool wants_records(const struct tk_tracy_walk *w)
{
    return w->records & (TK_TRACY_RECORD_MASK(ZONE_BEGIN) | TK_TRACY_RECORD_MASK(ZONE_END));
}

static bool wants_zones(const struct tk_tracy_walk *w)
{
    return tk_tracy_wants_fact(w, TK_FACT_SCOPES) || wants_records(w);
}

/* The bytes of the zones must be those that their number says, or the next reading that skips them goes
 * astray. */
static void check_zones(struct tk_tracy_walk *w, const struct tk_tracy_thread_zones *s)
{
    uint64_t bytes = tk_tracy_at(&w->in) - s->zones_at, stated = 4 + s->thread.zones * TK_TRACY_ZONE_BYTES;
    if (tk_tracy_ok(&w->in) && bytes != stated)
        tk_tracy_note(w, TK_HEALTH_PAYLOAD_DAMAGED, s->zones_at, 1,
                      "a thread claims a different number of zones than it has");
}

static bool too_deep(const struct tk_tracy_walk *w)
{
    return w->closing ? w->closed.closing.too_deep : w->zones.too_deep;
}

/* What is wrong with the last time that was read? Where? */
static enum tk_tracy_zone_fault fault_of(const struct tk_tracy_walk *w, uint64_t *at)
{
    *at = w->closing ? w->closed.closing.fault_at : w->zones.fault_at;
    return w->closing ? w->closed.closing.fault : w->zones.fault;
}

/* Is there nothing left of the zones of a thread that can be read? */
static bool zones_done(const struct tk_tracy_walk *w)
{
    uint64_t at;
    return too_deep(w) || fault_of(w, &at) != TK_TRACY_ZONE_SOUND ||
           (w->closing ? tk_tracy_closing_done(&w->closed.closing) : tk_tracy_zones_done(&w->zones));
}

static void note_unknown(struct tk_tracy_walk *w, const struct tk_tracy_thread_zones *s)
{
    if (s->thread.unknown)
        tk_tracy_note(w, TK_HEALTH_PAYLOAD_DAMAGED, s->zones_at, s->thread.unknown,
                      "zones of source locations that do not exist");
}

static void end_zones(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s)
{
    static const char *const faults[] = {
        [TK_TRACY_ZONE_BEYOND] = "a zone begins or ends after the last time of the capture; it and the later "
                                 "zones of its thread were left out",
        [TK_TRACY_ZONE_BACK] = "a zone begins or ends before the preceding one; it and the later zones of "
                               "its thread were left out"};
    uint64_t at;
    enum tk_tracy_zone_fault fault = fault_of(w, &at);
    if (fault != TK_TRACY_ZONE_SOUND) {
        tk_tracy_note(w, TK_HEALTH_TIME_DAMAGED, at, 1, faults[fault]);
        skip_zones(w, s);
    } else if (too_deep(w)) {
        tk_tracy_limit(w, TK_LIMIT_nesting, tk_tracy_at(&w->in), 1,
                       "zones are nested too deeply; the thread's remaining zones were left out");
        skip_zones(w, s);
    } else {
        check_zones(w, s);
    }
    s->inside = false;
    count_zones(w, &s->thread);
}

static int begin_zones(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s, bool *done)
{
    s->zones_at = tk_tracy_at(&w->in);
    if (!s->thread.wanted || !wants_zones(w)) {
        skip_zones(w, s);
        count_zones(w, &s->thread);
        *done = true;
        return TK_OK;
    }
    uint32_t roots = tk_tracy_u32(&w->in, "zones of a thread");
    s->inside = true;
    if (!w->closing) {
        tk_tracy_zones_begin(&w->zones, roots);
        return TK_OK;
    }
    w->away = true;
    tk_tracy_zone_pipeline_begin(&w->closed, s->thread.number,
                                 roots ? lane_of_thread_zones(w, &s->thread) : 0, w->blocks, &w->in, roots);
    return roots ? add_closed_run(w, s, NULL) : TK_OK;
}

static int step_closed(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s, bool *ended)
{
    const struct tk_tracy_zones_reported reported = tk_tracy_zone_pipeline_next(&w->closed, &w->in);
    int rc = reported.status;
    *ended = reported.last;
    if (reported.last)
        w->away = false;
    if (w->in.rc == TK_OK)
        w->in.rc = tk_tracy_walk_tell(w, reported.at, &w->in.err);
    if (rc == TK_OK)
        rc = tell_odd(w, s, reported.none, reported.unknown);
    return rc == TK_OK && reported.last ? end_closed(w, s) : rc;
}

static int step_open(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s, bool *ended)
{
    size_t from = w->out->n_ops;
    int rc = wants_records(w) ? read_events(w, &s->thread) : read_scopes(w);
    *ended = zones_done(w) || !tk_tracy_ok(&w->in);
    return rc == TK_OK && tk_tracy_wants_fact(w, TK_FACT_SCOPES) ? add_run_thread_zones(w, s, from) : rc;
}

/*
 * Goes on with the zones of the thread; *done: they are behind. Zones that nobody wants are skipped by
 * arithmetic. TK_OK, TK_ITEM (the batch is full) or TK_ENOMEM.
 */
static int tk_tracy_thread_zones_step(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s, bool *done)
{
    bool ended;
    *done = false;
    if (w->closing && (w->out->runs.n || w->in.rc != TK_OK))
        return TK_ITEM;
    if (!s->inside)
        return begin_zones(w, s, done);
    int rc = (w->closing ? step_closed : step_open)(w, s, &ended);
    if (rc != TK_OK || !ended)
        return rc;
    note_unknown(w, s);
    *done = zones_done(w);
    if (*done)
        end_zones(w, s);
    return TK_OK;
}

enum phase { HEAD, ZONES, MESSAGES, SWITCH_SAMPLES, SAMPLES, TAIL, DONE };

struct state {
    struct tk_tracy_list threads, list;
    struct tk_tracy_thread_zones zones;
    enum phase phase;
    bool begun;
    uint64_t stated, found; /* zones of all threads */
};

static int next_list(struct tk_tracy_walk *w, struct state *s, enum phase phase)
{
    s->phase = phase;
    s->list = (struct tk_tracy_list){0};
    w->in.time = 0;
    return TK_OK;
}

/* ---- threads ---- */

/* The number of a thread; one that has none gets the next. */
static int number_thread(struct tk_tracy_walk *w, struct thread_under_way *t)
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
    struct thread_under_way *t = &s->zones.thread;
    struct tk_tracy_thread v;
    *t = (struct thread_under_way){.at = tk_tracy_at(&w->in)};
    if (!tk_tracy_read_thread(&w->in, &v))
        return TK_OK;
    t->tid = v.tid;
    t->zones = v.zones;
    t->fiber = v.fiber;
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
    const struct thread_under_way *t = &s->zones.thread;
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
    return rc == TK_OK && done ? next_list(w, s, MESSAGES) : rc;
}

static int step_messages(struct tk_tracy_walk *w, struct state *s)
{
    if (!tk_tracy_list_next(w, &s->list, "messages of a thread")) {
        s->zones.thread.events += s->list.n;
        return next_list(w, s, w->c->layout.switch_samples ? SWITCH_SAMPLES : SAMPLES);
    }
    struct tk_tracy_thread_message v;
    if (tk_tracy_read_thread_message(&w->in, &v))
        tk_tracy_messages_claim(&w->messages, v.key, s->zones.thread.number);
    return TK_OK;
}

/* The addresses of its callstack come behind all threads. */
static int say_sample(struct tk_tracy_walk *w, const struct state *s, const struct tk_tracy_sample *v)
{
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_SAMPLE, s->zones.thread.number, v->time);
    if (!fact)
        return TK_ENOMEM;
    fact->u.sample = (struct tk_fact_sample){.system_id = s->zones.thread.tid, .callstack = v->callstack};
    return TK_OK;
}

static int read_sample(struct tk_tracy_walk *w, struct state *s, enum tk_tracy_record record)
{
    uint64_t at = tk_tracy_at(&w->in);
    struct tk_tracy_sample v;
    if (!tk_tracy_read_sample(&w->in, &v))
        return TK_OK;
    tk_tracy_use_stack(w, v.callstack);
    struct tk_cell callstack = tk_tracy_id_cell(v.callstack);
    if (!s->zones.thread.wanted)
        return TK_OK;
    if (record == TK_TRACY_SAMPLE && tk_tracy_wants_fact(w, TK_FACT_SAMPLE) && say_sample(w, s, &v) != TK_OK)
        return TK_ENOMEM;
    return tk_tracy_wants(w, record) ? tk_tracy_say(w, record, at, s->zones.thread.number, v.time, &callstack)
                                     : TK_OK;
}

static int step_samples(struct tk_tracy_walk *w, struct state *s, enum tk_tracy_record record,
                        enum phase after)
{
    bool fact = record == TK_TRACY_SAMPLE && tk_tracy_wants_fact(w, TK_FACT_SAMPLE);
    if (!s->list.begun && !fact && !tk_tracy_wants(w, record)) {
        s->list.n = tk_tracy_read_count(w, "samples");
        tk_tracy_skip_items(w, s->list.n, tk_tracy_sample_size(&w->c->layout), "samples");
    } else if (tk_tracy_list_next(w, &s->list, "samples")) {
        return read_sample(w, s, record);
    }
    if (tk_tracy_ok(&w->in))
        tk_tracy_tally(w, record, s->list.n, s->list.n * tk_tracy_sample_size(&w->c->layout));
    s->zones.thread.events += s->list.n;
    return next_list(w, s, after);
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

/* Locations for which the capture states another number of zones than those that were read. */
static uint64_t other_counts(struct tk_tracy_walk *w)
{
    const struct tk_tracy_locations *l = &w->c->locations;
    uint64_t other = 0;
    for (size_t i = 0; i < l->counts.n; i++)
        w->zones_begun[l->timers[(uint16_t)l->counts.v[i].location]] -= l->counts.v[i].zones;
    for (uint32_t timer = 0; timer <= l->unknown; timer++)
        other += w->zones_begun[timer] != 0;
    return other;
}

/* 0 is none, which need not exist. */
static void check_extras(struct tk_tracy_walk *w)
{
    const uint32_t most = w->closing ? w->closed.closing.most_extra : w->zones.most_extra;
    if (most && most >= w->n_extras && tk_tracy_ok(&w->in))
        tk_tracy_note(w, TK_HEALTH_DEFINITION_MISSING, w->start, 1,
                      "zones refer to extras that do not exist");
}

/* Where all zones were read. Captures that state no numbers are left alone. */
static void check_counts(struct tk_tracy_walk *w, const struct state *s)
{
    uint64_t read = 0;
    for (uint32_t timer = 0; w->zones_begun && timer <= w->c->locations.unknown; timer++)
        read += w->zones_begun[timer];
    if (!read || read != s->found || !w->c->locations.counts.n || !tk_tracy_ok(&w->in))
        return;
    const uint64_t other = other_counts(w);
    if (other)
        tk_tracy_note(w, TK_HEALTH_SUM_DIFFERS, w->start, other,
                      "source locations of other numbers of zones than the capture states");
}

static int next_thread(struct tk_tracy_walk *w, struct state *s)
{
    if (tk_tracy_list_next(w, &s->threads, "threads"))
        return begin_thread(w, s);
    tk_tracy_check_total(w, s->stated, s->found, "zones");
    check_counts(w, s);
    check_extras(w);
    w->odd[TK_TRACY_ODD_MESSAGE] += tk_tracy_messages_unmatched(&w->messages);
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
