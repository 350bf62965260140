/*
 * The older form of GPU scopes (events 5.1): a frame of a GPU as one event.
 *
 * Data   u64 time := TimestampBase, then until its end
 *          varint  v: time += v >> 1; v & 1: a begin
 *          u32     of a begin: the type
 *
 * Times are microseconds of the GPU's clock; CalibrationBias makes them those of the program's clock, modulo
 * 2^64, whose 0 is cycle 0.
 */
#include "format/utrace/families/threads/gpu_clock.h"
#include "format/utrace/families/threads/threads_in.h"
#include "format/utrace/scopes/timer_ids.h"

#include <string.h>

#define HOUR_US UINT64_C(3600000000)

enum { TYPE, NAME };

static bool is_declared(const struct tk_ut_feed *feed, const char *event)
{
    for (size_t i = 0; i < feed->capture->schema.types.n; i++)
        if (strcmp(feed->capture->schema.types.v[i]->name->p, event) == 0)
            return true;
    return false;
}

/* The queue has no spec: it is there where its frames are declared, so that its name is known before them. */
static int define_queue(struct tk_ut_feed *feed, struct tk_ut_gpu *g)
{
    if (tk_map_get(&g->index, TK_UT_GPU_OLD) != TK_MAP_NONE || !is_declared(feed, "GpuProfiler.Frame"))
        return TK_OK;
    return tk_ut_gpu_define(feed, g, TK_UT_GPU_OLD, NULL);
}

int tk_ut_gpu_old_spec(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_bytes bytes = tk_ut_bytes(ev, NAME);
    const struct tk_str *name = tk_ut_text(&feed->capture->strings, bytes.p, bytes.n, 2);
    if (name && !name->n)
        name = tk_intern_c(&feed->capture->strings, "Unknown");
    const int rc = name ? define_queue(feed, state) : TK_ENOMEM;
    return rc == TK_OK ? tk_ut_gpu_spec(feed, state, TK_UT_GPU_OLD | (uint32_t)tk_ut_u64(ev, TYPE), name)
                       : rc;
}

struct frame {
    struct tk_ut_feed *feed;
    struct tk_ut_gpu *gpu;
    struct tk_ut_gpu_queue *q;
    size_t depth; /* scopes that it began and that are open */
};

/* The time of a record; not there when it is before the recording. */
static struct tk_ut_gpu_time accept(struct frame *f, uint64_t us)
{
    struct tk_ut_gpu_queue *q = f->q;
    struct tk_ut_gpu_time time = {.there = true};
    if (q->has_us && us > q->last_us && us - q->last_us > HOUR_US) {
        tk_ut_gpu_drop(f->feed, q,
                       "a time is more than an hour after the previous one; it was set to that one");
        us = q->last_us;
    }
    if (!tk_ut_gpu_clock_time(f->feed->capture, us, &time.t)) {
        tk_ut_gpu_drop(f->feed, q, "a time is before the recording, or impossible");
        return (struct tk_ut_gpu_time){0};
    }
    if (!q->has_us || us > q->last_us)
        q->last_us = us;
    q->has_us = true;
    return time;
}

static int record(struct frame *f, uint64_t us, bool begin, uint32_t type)
{
    struct tk_ut_gpu_time time = accept(f, us);
    uint32_t timer;
    if (!time.there)
        return TK_OK;
    if (begin) {
        int rc = tk_ut_gpu_timer(f->feed, f->gpu, TK_UT_GPU_OLD | type, &timer);
        f->depth++;
        return rc == TK_OK ? tk_ut_gpu_begin(f->feed, f->q, TK_LANE_GPU, timer, time) : rc;
    }
    f->depth -= f->depth ? 1 : 0;
    return tk_ut_gpu_end(f->feed, f->q, TK_LANE_GPU, time);
}

static int records(struct frame *f, struct tk_cur *c, uint64_t us)
{
    int rc = TK_OK;
    while (rc == TK_OK && tk_cur_left(c)) {
        uint64_t v = tk_varint(c, "its data is cut off");
        uint32_t type = v & 1 ? tk_u32(c, "its data is cut off") : 0;
        us += v >> 1;
        if (tk_cur_ok(c))
            rc = record(f, us, v & 1, type);
    }
    return rc;
}

/* A frame is whole: what it leaves open ends with it. */
static int close_frame(struct frame *f)
{
    int rc = TK_OK;
    for (; f->depth && rc == TK_OK; f->depth--)
        rc = tk_ut_gpu_end(f->feed, f->q, TK_LANE_GPU, (struct tk_ut_gpu_time){f->q->marks.last, true});
    return rc;
}

enum { BIAS, BASE, NUMBER, DATA };

static int frame(struct tk_ut_feed *feed, struct tk_ut_gpu *g, const struct tk_ut_event *ev, uint32_t gpu)
{
    int rc;
    struct tk_bytes bytes = tk_ut_bytes(ev, DATA);
    struct tk_cur c = tk_cur_of(bytes.p, bytes.n);
    struct frame f = {feed, g, tk_ut_gpu_queue(feed, g, TK_UT_GPU_OLD | gpu, &rc), 0};
    if (!f.q)
        return rc;
    rc = records(&f, &c, tk_ut_u64(ev, BASE) + tk_ut_u64(ev, BIAS));
    if (!tk_cur_ok(&c))
        tk_ut_bad_payload(feed, ev, c.fault);
    else if (f.depth)
        tk_ut_bad_payload(feed, ev, "some of its scopes do not end");
    if (rc == TK_OK)
        rc = close_frame(&f);
    return rc == TK_OK ? tk_ut_gpu_frame(feed, f.q, tk_ut_u64(ev, NUMBER), false) : rc;
}

int tk_ut_gpu_old_frame1(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return frame(feed, state, ev, 0);
}

int tk_ut_gpu_old_frame2(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return frame(feed, state, ev, 1);
}
