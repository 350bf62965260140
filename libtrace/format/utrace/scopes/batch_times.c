/*
 * Batches whose times cannot be.
 */
#include "format/utrace/scopes/scopes_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Stamps of scopes that cannot be (scope_internal.h). In protocols 4 to 6 a stamp counts from the one before
 * it, so one that was changed on its way moves all that follow in its thread, to wherever it leads. Records
 * with a time of their own show which times are wrong: the thread's batches, and the end of
 * all other threads.
 *
 * Stamps of protocol 7 are times of their own, and may stand in any order among the batches.
 */

/* The time of a waiting record cannot be: it is left out, and where stamps are differences all that follow.
 * The lane is cut there. */
static void leave_out_stamp(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, size_t i, const char *why)
{
    struct tk_ut_stamped *w = &lane->waiting.v[i];
    bool differences = feed->capture->header.protocol < 7;
    size_t n = differences ? lane->waiting.n - i : 1;
    tk_health_note(&feed->out->health, TK_HEALTH_TIME_DAMAGED, w->offset, n,
                   "a stamp of a scope of thread %u is %s; it %s left out", lane->thread, why,
                   differences ? "and all later stamps were" : "was");
    lane->adrift = differences;
    lane->waiting.n -= n - 1;
    /* it keeps its place among the others */
    w->time = i > lane->done ? w[-1].time : INT64_MIN;
    w->op = TK_OP_CUT;
    w->text = NULL;
}

/*
 * A batch begins, and the one in front of it began before: what stands in front of both was written before
 * this one began, and what stands between them after the other one did.
 */
static void check_stamps(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, int64_t begin)
{
    const struct tk_ut_lane_times *t = &lane->times;
    int64_t step = (int64_t)feed->scopes->small_step;
    if (t->newest == INT64_MIN || t->previous > t->newest || t->newest > begin || begin > INT64_MAX - step)
        return;
    for (size_t i = lane->before > lane->done ? lane->before : lane->done; i < lane->waiting.n; i++) {
        const struct tk_ut_stamped *w = &lane->waiting.v[i];
        if (w->op == TK_OP_CUT)
            continue;
        if (i < lane->since && w->time > begin + step)
            leave_out_stamp(feed, lane, i, "beyond the batch after the next one");
        else if (i >= lane->since && w->time < t->newest - step)
            leave_out_stamp(feed, lane, i, "before the previous batch");
    }
}

void tk_ut_stamps_anchor(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, bool own, int64_t begin)
{
    lane->unanchored |= !own;
    if (!lane->unanchored && feed->capture->header.protocol < 7)
        check_stamps(feed, lane, begin);
    lane->before = lane->since < lane->waiting.n ? lane->since : lane->waiting.n;
    lane->since = lane->waiting.n;
}

/* ---- the end of the capture ---- */

/* The thread that ends last, and where all others have ended. */
static struct tk_ut_scope_lane *last_thread(const struct tk_ut_scopes *s, int64_t *others)
{
    struct tk_ut_scope_lane *top = NULL;
    int64_t end = INT64_MIN;
    *others = INT64_MIN;
    for (size_t i = 0; i < s->lanes.n; i++) {
        int64_t mine = tk_ut_batch_times_end(s->lanes.v[i]);
        if (s->lanes.v[i]->kind != TK_LANE_THREAD || mine <= *others)
            continue;
        *others = mine > end ? end : mine;
        top = mine > end ? s->lanes.v[i] : top;
        end = mine > end ? mine : end;
    }
    return top;
}

/* A stamp is far beyond the end of all other threads. Was it left out? */
static bool doubt_stamp(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, size_t i)
{
    const uint64_t offset = lane->waiting.v[i].offset;
    const bool refuted = tk_ut_batch_times_refuted(feed->scopes, lane, offset);
    if (refuted)
        leave_out_stamp(feed, lane, i, "far beyond the end of all other threads");
    else
        tk_ut_batch_times_lives_on(feed, lane, offset);
    return refuted;
}

void tk_ut_stamps_end(struct tk_ut_feed *feed)
{
    int64_t others;
    struct tk_ut_scope_lane *lane = last_thread(feed->scopes, &others);
    uint64_t far = tk_ut_batch_times_far(feed->scopes, others);
    if (!lane || far == UINT64_MAX)
        return;
    int64_t before = lane->times.last_end > others ? lane->times.last_end : others;
    for (size_t i = lane->done; i < lane->waiting.n; i++) {
        const struct tk_ut_stamped *w = &lane->waiting.v[i];
        if (w->op != TK_OP_CUT && w->time > before && (uint64_t)w->time - (uint64_t)before > far &&
            doubt_stamp(feed, lane, i))
            continue;
        before = w->time > before ? w->time : before;
    }
}

/* A thread that ends behind all others by more than this is doubted: seconds, and times what the others last.
 */
enum { FAR_SECONDS = 60, FAR_SPANS = 4 };

/* Is a behind b by more than a clock's small step? */
static bool behind(const struct tk_ut_scopes *s, int64_t a, int64_t b)
{
    return a > b && (uint64_t)a - (uint64_t)b > s->small_step;
}

/* ---- what batches begin and end with ---- */

static unsigned flag_bits_batch_times(int form)
{
    return form > 1 ? 2 : 1;
}

/* The first time of a batch is absolute, or counts from the start of the clock (events 2.3). */
static uint64_t since_start(const struct tk_ut_scopes *s, uint64_t cycle)
{
    uint64_t start = s->capture->clock.start;
    return cycle < start ? cycle : cycle - start;
}

/* The time of the last entry, as the decoder finds it; INT64_MAX where it is beyond all that can be reported.
 */
static int64_t end_of_batch(const struct tk_ut_scopes *s, int form, const struct tk_bytes *bytes)
{
    struct tk_cur c = tk_cur_of(bytes->p, bytes->n);
    unsigned bits = flag_bits_batch_times(form);
    uint64_t time = 0;
    for (bool first = true; tk_cur_left(&c); first = false) {
        uint64_t v = tk_varint(&c, "time"), cycles = v >> bits;
        bool coroutine = form > 1 && (v & 2);
        if (v & 1)
            tk_varint(&c, "timer");
        if (coroutine)
            tk_varint(&c, "depth");
        if (!tk_cur_ok(&c))
            break;
        uint64_t then = first ? since_start(s, cycles) : time + cycles;
        if (then > INT64_MAX || then < time)
            return INT64_MAX;
        time = then;
    }
    return (int64_t)time;
}

int64_t tk_ut_batch_times_begin(const struct tk_ut_scopes *s, int form, const struct tk_bytes *bytes)
{
    struct tk_cur c = tk_cur_of(bytes->p, bytes->n);
    return (int64_t)since_start(s, tk_varint(&c, "time") >> flag_bits_batch_times(form));
}

/* A lane was here at that time, and went on. */
static void confirm(struct tk_ut_scopes *s, uint32_t lane, int64_t time)
{
    if (time < s->begin)
        s->begin = time;
    if (lane != s->top_lane && time > s->top) {
        s->second = s->top;
        s->top = time;
        s->top_lane = lane;
    } else if (lane == s->top_lane && time > s->top) {
        s->top = time;
    } else if (lane != s->top_lane && time > s->second) {
        s->second = time;
    }
}

void tk_ut_batch_times_came(struct tk_ut_scopes *s, struct tk_ut_scope_lane *lane, int64_t begin)
{
    struct tk_ut_lane_times *t = &lane->times;
    if (t->newest != INT64_MIN && begin >= t->newest)
        confirm(s, lane->number, t->newest);
    t->previous = t->newest;
    t->newest = begin;
}

/* ---- batches that wait ---- */

/* Does nothing vouch yet for a batch that is the last one of its lane so far? */
static bool is_doubtful(const struct tk_ut_scopes *s, const struct tk_ut_scope_lane *lane, int64_t begin,
                        int64_t end)
{
    int64_t others = s->top_lane == lane->number ? s->second : s->top;
    return end > others || behind(s, lane->times.previous, begin) || behind(s, lane->times.last_end, begin);
}

static int keep_back(struct tk_ut_scopes *s, struct tk_ut_scope_lane *lane, struct tk_ut_chunk *c)
{
    uint32_t size = c->sizes.v[c->sizes.n - 1];
    struct tk_bytes bytes = {c->bytes + (c->n_bytes - size), size};
    struct tk_ut_held_batch *h = &lane->held;
    int64_t begin = tk_ut_batch_times_begin(s, c->cpu.form, &bytes),
            end = end_of_batch(s, c->cpu.form, &bytes);
    if (!is_doubtful(s, lane, begin, end))
        return TK_OK;
    if (tk_vec_grow((void **)&h->bytes, &h->cap, size, 1) || tk_vec_push(&s->holding, lane->number))
        return TK_ENOMEM;
    memcpy(h->bytes, bytes.p, size);
    h->n = size;
    h->form = c->cpu.form;
    h->begin = begin;
    h->end = end;
    h->offset = c->offsets.v[--c->offsets.n];
    c->sizes.n--;
    c->n_bytes -= size;
    return TK_OK;
}

int tk_ut_batch_times_release(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane)
{
    struct tk_bytes bytes = {lane->held.bytes, lane->held.n};
    if (!bytes.n)
        return TK_OK;
    lane->held.n = 0;
    return tk_ut_scopes_add(feed, lane, lane->held.form, &bytes, lane->held.offset);
}

/* Those that waited and need not any more. */
static int let_go(struct tk_ut_feed *feed, bool last)
{
    struct tk_ut_scopes *s = feed->scopes;
    size_t kept = 0;
    int rc = TK_OK;
    for (size_t i = 0; i < s->holding.n && rc == TK_OK; i++) {
        struct tk_ut_scope_lane *lane = s->lanes.v[s->holding.v[i]];
        if (!last && lane->held.n && is_doubtful(s, lane, lane->held.begin, lane->held.end))
            s->holding.v[kept++] = lane->number;
        else
            rc = tk_ut_batch_times_release(feed, lane);
    }
    s->holding.n = kept;
    return rc;
}

int tk_ut_batch_times_hold(struct tk_ut_feed *feed, bool last)
{
    struct tk_ut_scopes *s = feed->scopes;
    int rc = let_go(feed, last);
    for (size_t i = 0; i < s->touched.n && !last && rc == TK_OK; i++) {
        struct tk_ut_scope_lane *lane = s->lanes.v[s->touched.v[i]];
        if (lane->open_chunk != TK_UT_CUT && !lane->held.n)
            rc = keep_back(s, lane, feed->out->chunks.v[lane->open_chunk]);
    }
    return rc;
}

/* ---- what is left out ---- */

/* Numbers that are to be set (fixups) move with their entries. */
static void drop_fixups(struct tk_cpu_chunk *c, uint32_t from, uint32_t until, uint32_t less)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->n_fixups; i++) {
        struct tk_cpu_fixup f = c->fixups[i];
        if (f.at >= from && f.at < until)
            continue;
        f.at -= f.at >= until ? less : 0;
        c->fixups[kept++] = f;
    }
    c->n_fixups = kept;
}

/* In the place of the entries of a batch from `from` on stands that bytes are missing. */
static void leave_out(struct tk_cpu_chunk *c, uint32_t batch, uint32_t from)
{
    uint32_t until = c->first[batch + 1], less = until - from - 1;
    c->time[from] = INT64_MIN;
    c->op[from] = TK_OP_CUT;
    memmove(c->time + from + 1, c->time + until, (c->n - until) * sizeof *c->time);
    memmove(c->op + from + 1, c->op + until, (c->n - until) * sizeof *c->op);
    drop_fixups(c, from, until, less);
    for (uint32_t i = batch + 1; i <= c->n_batches; i++)
        c->first[i] -= less;
    c->n -= less;
}

static void leave_out_reported(struct tk_ut_feed *feed, struct tk_ut_chunk *c, uint32_t batch, uint32_t from,
                               const char *why)
{
    uint32_t n = c->cpu.first[batch + 1] - from;
    tk_health_note(&feed->out->health, TK_HEALTH_TIME_DAMAGED, c->offsets.v[batch], n,
                   "a batch of scopes of thread %u: %s; %u begins and ends were left out, from number %u on",
                   c->thread, why, n, from - c->cpu.first[batch] + 1);
    leave_out(&c->cpu, batch, from);
}

/* The first entry that goes back, or is beyond the limit; the end of the batch when there is none. */
static uint32_t first_wrong(const struct tk_cpu_chunk *c, uint32_t batch, int64_t limit)
{
    uint32_t i = c->first[batch], end = c->first[batch + 1];
    for (int64_t before = c->time[i] < 0 ? INT64_MAX : 0; i < end; before = c->time[i++])
        if (c->time[i] < before || c->time[i] > limit)
            break;
    return i;
}

/* What the judgement of a batch needs of its neighbours; INT64_MAX: there is none. */
struct neighbours {
    int64_t before, next, after;
};

/* Entries beyond this time are wrong; INT64_MAX: none is, INT64_MIN: all. */
static int64_t limit_of(const struct tk_ut_scopes *s, const struct tk_ut_timed_batch *b,
                        const struct neighbours *n)
{
    if (behind(s, n->before, b->begin))
        return behind(s, n->before, n->next) ? INT64_MAX : INT64_MIN;
    bool next_is_wrong = behind(s, n->before, n->next) ||
                         (n->after != INT64_MAX && !behind(s, b->end, n->after) && n->next < b->begin);
    return behind(s, b->end, n->next) && !next_is_wrong ? n->next : INT64_MAX;
}

static bool holds(const struct tk_ut_scopes *s, const struct tk_ut_timed_batch *b, const struct neighbours *n)
{
    return !behind(s, n->before, b->begin) && b->end >= b->begin && b->begin >= 0 &&
           !behind(s, b->end, n->next);
}

static void check_batch(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane,
                        const struct tk_ut_timed_batch *b, const struct neighbours *n)
{
    struct tk_ut_lane_times *t = &lane->times;
    bool wrong = !holds(feed->scopes, b, n);
    int64_t limit = wrong ? limit_of(feed->scopes, b, n) : INT64_MAX;
    uint32_t from = wrong ? first_wrong(&b->chunk->cpu, b->batch, limit) : UINT32_MAX;
    int64_t end = b->end;
    t->last = b->chunk;
    t->last_batch = b->batch;
    if (wrong && from < b->chunk->cpu.first[b->batch + 1]) {
        bool first = from == b->chunk->cpu.first[b->batch];
        end = first ? t->last_end : b->chunk->cpu.time[from - 1];
        t->last = NULL;
        leave_out_reported(feed, b->chunk, b->batch, from,
                           limit == INT64_MIN ? "it begins before the previous one ended"
                                              : "its times extend beyond those of the next one");
    } else if (wrong && behind(feed->scopes, n->before, b->begin)) {
        tk_health_note(&feed->out->health, TK_HEALTH_TIME_DAMAGED, b->chunk->offsets.v[b->batch], 1,
                       "thread %u: the previous batch of scopes extends beyond this one", lane->thread);
    }
    t->end_before = t->last_end;
    t->last_end = end;
    t->offset = b->chunk->offsets.v[b->batch];
}

/* The batches of a lane in this stretch, and the one that waits. */
static int collect_timed(struct tk_ut_feed *feed, const struct tk_ut_scope_lane *lane)
{
    struct tk_ut_scopes *s = feed->scopes;
    s->timed.n = 0;
    for (size_t i = 0; i < lane->parts.n; i++) {
        if (lane->parts.v[i].chunk == TK_UT_CUT)
            continue;
        struct tk_ut_chunk *c = feed->out->chunks.v[lane->parts.v[i].chunk];
        if (tk_vec_reserve(&s->timed, s->timed.n + c->cpu.n_batches + 1))
            return TK_ENOMEM;
        for (uint32_t b = 0; b < c->cpu.n_batches; b++) {
            uint32_t first = c->cpu.first[b], end = c->cpu.first[b + 1];
            if (first < end)
                s->timed.v[s->timed.n++] =
                    (struct tk_ut_timed_batch){c, b, c->cpu.time[first], c->cpu.time[end - 1]};
        }
    }
    struct tk_ut_timed_batch waiting = {NULL, 0, lane->held.begin, lane->held.end};
    return lane->held.n && tk_vec_push(&s->timed, waiting) ? TK_ENOMEM : TK_OK;
}

static int check_lane(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane)
{
    struct tk_ut_scopes *s = feed->scopes;
    lane->times.last = NULL;
    if (collect_timed(feed, lane) != TK_OK)
        return TK_ENOMEM;
    for (size_t i = 0; i < s->timed.n && s->timed.v[i].chunk; i++) {
        const struct neighbours n = {lane->times.last_end,
                                     i + 1 < s->timed.n ? s->timed.v[i + 1].begin : INT64_MAX,
                                     i + 2 < s->timed.n ? s->timed.v[i + 2].begin : INT64_MAX};
        check_batch(feed, lane, &s->timed.v[i], &n);
    }
    return TK_OK;
}

/* ---- the end of the capture ---- */

int64_t tk_ut_batch_times_end(const struct tk_ut_scope_lane *lane)
{
    int64_t end = lane->times.last_end;
    if (lane->waiting.n && lane->waiting.v[lane->waiting.n - 1].time > end)
        end = lane->waiting.v[lane->waiting.n - 1].time;
    return end;
}

/* The thread whose batches end last, and where all others have ended. */
static struct tk_ut_scope_lane *furthest(const struct tk_ut_scopes *s, int64_t *others)
{
    struct tk_ut_scope_lane *top = NULL;
    *others = INT64_MIN;
    for (size_t i = 0; i < s->lanes.n; i++)
        if (s->lanes.v[i]->kind == TK_LANE_THREAD &&
            (!top || s->lanes.v[i]->times.last_end > top->times.last_end))
            top = s->lanes.v[i];
    for (size_t i = 0; i < s->lanes.n; i++)
        if (s->lanes.v[i] != top && s->lanes.v[i]->kind == TK_LANE_THREAD &&
            tk_ut_batch_times_end(s->lanes.v[i]) > *others)
            *others = tk_ut_batch_times_end(s->lanes.v[i]);
    return top;
}

uint64_t tk_ut_batch_times_far(const struct tk_ut_scopes *s, int64_t others)
{
    uint64_t frequency = s->capture->clock.frequency, far = FAR_SECONDS * frequency;
    if (others < 0 || !frequency || frequency > INT64_MAX / FAR_SECONDS)
        return UINT64_MAX;
    uint64_t span = (uint64_t)(others - (s->begin < others ? s->begin : 0));
    if (span > UINT64_MAX / FAR_SPANS)
        return UINT64_MAX;
    return span > far / FAR_SPANS ? FAR_SPANS * span : far;
}

/* Of the last scopes of a thread. */
static uint64_t last_offset(const struct tk_ut_scope_lane *lane)
{
    const size_t n = lane->waiting.n;
    const uint64_t stamped = n ? lane->waiting.v[n - 1].offset : 0;
    return stamped > lane->times.offset ? stamped : lane->times.offset;
}

bool tk_ut_batch_times_refuted(const struct tk_ut_scopes *s, const struct tk_ut_scope_lane *lane,
                               uint64_t offset)
{
    for (size_t i = 0; i < s->lanes.n; i++)
        if (s->lanes.v[i] != lane && s->lanes.v[i]->kind == TK_LANE_THREAD &&
            last_offset(s->lanes.v[i]) > offset)
            return true;
    return false;
}

void tk_ut_batch_times_lives_on(struct tk_ut_feed *feed, const struct tk_ut_scope_lane *lane, uint64_t offset)
{
    tk_health_note(
        &feed->out->health, TK_HEALTH_TIME_UNRELIABLE, offset, 1,
        "scopes of thread %u are far beyond the end of all other threads; nothing refutes their times",
        lane->thread);
}

static void check_end(struct tk_ut_feed *feed)
{
    int64_t others;
    struct tk_ut_scope_lane *lane = furthest(feed->scopes, &others);
    uint64_t far = tk_ut_batch_times_far(feed->scopes, others);
    if (!lane || !lane->times.last || far == UINT64_MAX)
        return;
    struct tk_cpu_chunk *c = &lane->times.last->cpu;
    int64_t before = lane->times.end_before > others ? lane->times.end_before : others;
    for (uint32_t i = c->first[lane->times.last_batch]; i < c->first[lane->times.last_batch + 1]; i++) {
        if (c->time[i] > before && (uint64_t)(c->time[i] - before) > far) {
            if (tk_ut_batch_times_refuted(feed->scopes, lane, lane->times.offset))
                leave_out_reported(feed, lane->times.last, lane->times.last_batch, i,
                                   "its times are far beyond the end of all other threads");
            else
                tk_ut_batch_times_lives_on(feed, lane, lane->times.offset);
            return;
        }
        before = c->time[i] > before ? c->time[i] : before;
    }
}

int tk_ut_batch_times_check(struct tk_ut_feed *feed, bool last)
{
    const struct tk_ut_scopes *s = feed->scopes;
    int rc = TK_OK;
    for (size_t i = 0; i < s->touched.n && rc == TK_OK; i++)
        rc = check_lane(feed, s->lanes.v[s->touched.v[i]]);
    if (last && rc == TK_OK)
        check_end(feed);
    /* their chunks are used again for a batch in which these lanes may have nothing */
    for (size_t i = 0; i < s->touched.n; i++)
        s->lanes.v[s->touched.v[i]]->times.last = NULL;
    return rc;
}
