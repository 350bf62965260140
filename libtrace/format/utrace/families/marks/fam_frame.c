/*
 * Frames (events 3.1).
 */
#include "format/utrace/feed/family_list.h"

#include <string.h>

enum { TYPES = 4 }; /* that are checked: the engine has two */

struct state {
    uint64_t old_clock[2]; /* up to 4.25: cycles so far, by frame type; counted anew in every reading */
    struct last {
        int64_t time;
        uint32_t tid;
        bool known;
    } last[TYPES];
};

enum { CYCLE, TYPE };

/* Frames of a type follow each other. Which of two times is wrong is not known: an end before the begin is
 * left out, so that the frame has none. */
static bool is_in_order(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, uint32_t type,
                        int64_t time)
{
    struct last *last = type < TYPES ? &s->last[type] : NULL;
    const bool early = last && last->known && last->tid == ev->tid && time < last->time;
    if (last)
        *last = (struct last){time, ev->tid, true};
    if (early)
        tk_health_note(&feed->out->health, TK_HEALTH_TIME_UNRELIABLE, ev->offset, 1,
                       "a frame of thread %u begins or ends before what is in front of it", ev->tid);
    return !early;
}

static int say_frame(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, bool begin,
                     uint32_t type, uint64_t cycle)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_FRAME, tk_ut_since(feed, cycle));
    if (!is_in_order(feed, s, ev, type, fact.time) && !begin)
        return TK_OK;
    fact.u.frame.type = type;
    fact.u.frame.begin = begin;
    return tk_ut_emit(feed, &fact);
}

static int on_begin_frame(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return say_frame(feed, state, ev, true, (uint32_t)tk_ut_u64(ev, TYPE), tk_ut_u64(ev, CYCLE));
}

static int on_end_frame(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return say_frame(feed, state, ev, false, (uint32_t)tk_ut_u64(ev, TYPE), tk_ut_u64(ev, CYCLE));
}

/* Misc.{Begin,End}{Game,Render}Frame: one varint, added to the clock of the type. */
static int on_old(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct tk_cur c = tk_cur_of(ev->attachment, ev->n_attachment);
    uint32_t type = memchr(ev->type->event->p, 'G', ev->type->event->n) ? 0 : 1;
    uint64_t cycles = tk_varint(&c, "cycles");
    if (!tk_cur_ok(&c)) {
        tk_ut_bad_payload(feed, ev, "its time is cut off");
        return TK_OK;
    }
    s->old_clock[type] += cycles;
    return say_frame(feed, s, ev, ev->type->event->p[0] == 'B', type, s->old_clock[type]);
}

static int finish_frame(struct tk_ut_feed *feed, void *state)
{
    (void)feed;
    memset(state, 0, sizeof(struct state));
    return TK_OK;
}

static const struct tk_ut_bind binds[] = {
    {"Misc.BeginFrame", on_begin_frame, false, {"Cycle", "FrameType"}},
    {"Misc.EndFrame", on_end_frame, false, {"Cycle", "FrameType"}},
    {"Misc.BeginGameFrame", on_old, false, {0}},
    {"Misc.EndGameFrame", on_old, false, {0}},
    {"Misc.BeginRenderFrame", on_old, false, {0}},
    {"Misc.EndRenderFrame", on_old, false, {0}},
    {0},
};

const struct tk_ut_family tk_ut_fam_frame = {.name = "frame",
                                             .facts = TK_FACT_MASK(FRAME),
                                             .binds = binds,
                                             .state = sizeof(struct state),
                                             .finish = finish_frame};
