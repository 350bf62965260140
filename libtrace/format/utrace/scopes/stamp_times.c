/*
 * Stamps of scopes that cannot be (scope_internal.h). In protocols 4 to 6 a stamp counts from the one before
 * it, so one that was changed on its way moves all that follow in its thread, to wherever it leads. Records
 * with a time of their own show which times are wrong: the thread's batches (batch_times.h), and the end of
 * all other threads.
 *
 * Stamps of protocol 7 are times of their own, and may stand in any order among the batches.
 */
#include "format/utrace/scopes/batch_times.h"

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
