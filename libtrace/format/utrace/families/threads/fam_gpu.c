/*
 * GPU queues (events 5.2), and the binds of the older form (5.1; gpu_frame_events.c).
 *
 * Breadcrumbs are the scopes of one lane of a queue, work and waits those of another. Their timers go by the
 * whole static name of the spec: the viewer shortens names without arguments too, so that passes that share
 * their first word fall together there. A spec that comes late names the scopes that came before it; the
 * viewer renames another timer then.
 */
#include "base/wrap.h"
#include "format/utrace/families/threads/threads_in.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"
#include "format/utrace/schema/printf_args.h"
#include "format/utrace/scopes/timer_ids.h"

#include <string.h>

/* 0 stands for a time that could not be had. */
static struct tk_ut_gpu_time stamp(const struct tk_ut_feed *feed, const struct tk_ut_event *ev, unsigned i)
{
    uint64_t cycle = tk_ut_u64(ev, i);
    return (struct tk_ut_gpu_time){tk_ut_parts_since(feed, cycle), cycle != 0};
}

/* ---- definitions ---- */

static int on_queue(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_str *type = tk_ut_str(feed, ev, 1, 2);
    return type ? tk_ut_gpu_define(feed, state, (uint32_t)tk_ut_u64(ev, 0), type) : TK_ENOMEM;
}

static int keep_text(struct tk_ut_gpu *g, uint32_t spec, const struct tk_str *name,
                     const struct tk_str *format)
{
    struct tk_ut_gpu_text text = {name, tk_ut_label_format(name, format)};
    uint32_t at = tk_map_get(&g->text_index, spec);
    if (at != TK_MAP_NONE) {
        g->texts.v[at] = text;
        return TK_OK;
    }
    return tk_vec_push(&g->texts, text) || tk_map_put(&g->text_index, spec, (uint32_t)g->texts.n - 1)
               ? TK_ENOMEM
               : TK_OK;
}

enum { SPEC_ID, SPEC_NAME, SPEC_FORMAT };

static int on_spec_gpu(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_str *name = tk_ut_str(feed, ev, SPEC_NAME, 2);
    const struct tk_str *format = tk_ut_str(feed, ev, SPEC_FORMAT, 2);
    if (!name || !format)
        return TK_ENOMEM;
    if (!name->n || memchr(name->p, '%', name->n))
        name = tk_ut_timer_base_name(feed, name, format);
    if (!name || keep_text(state, (uint32_t)tk_ut_u64(ev, SPEC_ID), name, format) != TK_OK)
        return TK_ENOMEM;
    return tk_ut_gpu_spec(feed, state, (uint32_t)tk_ut_u64(ev, SPEC_ID), name);
}

/* ---- scopes ---- */

enum { L_QUEUE_ID, L_QUEUE, L_START, L_TIMER, L_LABEL, L_COLUMNS };

static const struct tk_column label_columns[L_COLUMNS] = {
    [L_QUEUE_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the GPU queue in the capture"},
    [L_QUEUE] = {"queue", TK_TEXT, 0, NULL, "name of the GPU queue"},
    [L_START] = {"start", TK_TIME, 0, NULL, "start of the scope, as recorded"},
    [L_TIMER] = {"timer", TK_TEXT, 0, NULL, "its timer; empty if it is defined later"},
    [L_LABEL] = {"label", TK_TEXT, 0, NULL, "the timer and the values of this scope"},
};

const struct tk_table tk_ut_table_gpu_labels = {
    .name = "gpu_labels",
    .help = "labels of GPU scopes with their values, in order of the events",
    .columns = label_columns,
    .n_columns = L_COLUMNS,
};

enum { CRUMB_SPEC, CRUMB_QUEUE, CRUMB_TIME, CRUMB_VALUES };

/* A scope whose spec comes later has its values only. */
static int say_label(struct tk_ut_feed *feed, const struct tk_ut_gpu *g, const struct tk_ut_gpu_queue *q,
                     const struct tk_ut_event *ev)
{
    static const struct tk_str nothing = {.p = ""};
    int64_t time = tk_ut_since(feed, tk_ut_u64(ev, CRUMB_TIME));
    uint32_t at = tk_map_get(&g->text_index, (uint32_t)tk_ut_u64(ev, CRUMB_SPEC));
    const struct tk_ut_gpu_text text =
        at == TK_MAP_NONE ? (struct tk_ut_gpu_text){&nothing, nothing} : g->texts.v[at];
    struct tk_bytes values = tk_ut_bytes(ev, CRUMB_VALUES), label;
    struct tk_ut_row_key key = tk_ut_row_of(ev, time, time);
    bool cut;
    key.thread = TK_NO_THREAD;
    if (tk_ut_label(&feed->out->arena, text.name, &text.format, values.p, values.n, &label, &cut) != TK_OK)
        return TK_ENOMEM;
    if (cut)
        tk_ut_bad_payload(feed, ev, "its values end early");
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_gpu_labels, key);
    if (!row)
        return TK_ENOMEM;
    row[L_QUEUE_ID] = tk_cell_of_uint((uint32_t)q->info.key);
    row[L_QUEUE] = tk_cell_of_nonempty(q->info.name);
    row[L_START] = tk_cell_of_time(time);
    row[L_TIMER] = tk_cell_of_nonempty(text.name);
    row[L_LABEL] =
        (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)label.n, .v.p = label.p};
    return TK_OK;
}

static int on_crumb_begin(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    uint32_t timer;
    struct tk_ut_gpu_queue *q = tk_ut_gpu_queue(feed, state, (uint32_t)tk_ut_u64(ev, CRUMB_QUEUE), &rc);
    if (q)
        rc = tk_ut_gpu_timer(feed, state, (uint32_t)tk_ut_u64(ev, CRUMB_SPEC), &timer);
    if (!q || rc != TK_OK)
        return rc;
    if (tk_ut_requested_row(feed, &tk_ut_table_gpu_labels) && stamp(feed, ev, CRUMB_TIME).there)
        rc = say_label(feed, state, q, ev);
    return rc == TK_OK ? tk_ut_gpu_begin(feed, q, TK_LANE_GPU, timer, stamp(feed, ev, CRUMB_TIME)) : rc;
}

enum { END_QUEUE, END_TIME };

static int on_crumb_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct tk_ut_gpu_queue *q = tk_ut_gpu_queue(feed, state, (uint32_t)tk_ut_u64(ev, END_QUEUE), &rc);
    return q ? tk_ut_gpu_end(feed, q, TK_LANE_GPU, stamp(feed, ev, END_TIME)) : rc;
}

/* ---- work ---- */

static int timer_of_gpu(struct tk_ut_feed *feed, uint32_t *known, const char *name, uint8_t kind,
                        uint32_t *out)
{
    if (!*known) {
        const struct tk_str *text = tk_intern_c(&feed->capture->strings, name);
        int rc = text ? tk_ut_timer_named(feed, text, kind, out) : TK_ENOMEM;
        if (rc != TK_OK)
            return rc;
        *known = *out + 1;
    }
    *out = *known - 1;
    return TK_OK;
}

static struct tk_fact fact_of(const struct tk_ut_event *ev, const struct tk_ut_gpu_queue *q, uint8_t what,
                              int64_t time)
{
    struct tk_fact fact = {
        .kind = TK_FACT_GPU, .size = sizeof fact, .thread = TK_NO_THREAD, .time = time, .seq = ev->seq};
    fact.u.gpu = (struct tk_fact_gpu){.queue = q->info.id, .what = what};
    return fact;
}

enum { WORK_QUEUE, WORK_TIME, WORK_SUBMITTED };

static int say_submit(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_ut_gpu_queue *q,
                      int64_t time)
{
    struct tk_fact fact = fact_of(ev, q, TK_GPU_SUBMIT, time);
    fact.u.gpu.stamp = tk_ut_parts_since(feed, tk_ut_u64(ev, WORK_SUBMITTED));
    fact.u.gpu.has_before = q->last_end != INT64_MIN;
    fact.u.gpu.before = fact.u.gpu.has_before ? q->last_end : 0;
    return tk_ut_requested(feed, TK_FACT_MASK(GPU)) ? tk_ut_emit(feed, &fact) : TK_OK;
}

static int on_work_begin(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_gpu *g = state;
    struct tk_ut_gpu_time time = stamp(feed, ev, WORK_TIME);
    uint32_t timer;
    int rc;
    struct tk_ut_gpu_queue *q = tk_ut_gpu_queue(feed, g, (uint32_t)tk_ut_u64(ev, WORK_QUEUE), &rc);
    if (q)
        rc = timer_of_gpu(feed, &g->work, "GpuWork", TK_TIMER_GPU_WORK, &timer);
    if (!q || rc != TK_OK)
        return rc;
    q->work_begin = time.there ? time.t : INT64_MIN;
    rc = tk_ut_gpu_begin(feed, q, TK_LANE_GPU_WORK, timer, time);
    return rc == TK_OK && time.there ? say_submit(feed, ev, q, time.t) : rc;
}

/* Adds what ended to the frame; a time that goes backwards adds nothing. */
static void add_time(int64_t *sum, int64_t begin, int64_t end)
{
    if (end > begin)
        *sum = tk_wrap_add(*sum, tk_wrap_sub(end, begin));
}

static void worked(struct tk_ut_gpu_queue *q, struct tk_ut_gpu_time time)
{
    if (q->worked < 0)
        q->worked = 0;
    if (q->work_begin != INT64_MIN && time.there)
        add_time(&q->worked, q->work_begin, time.t);
    q->work_begin = INT64_MIN;
}

static void ended(struct tk_ut_gpu_queue *q, struct tk_ut_gpu_time time)
{
    if (time.there && time.t > q->last_end)
        q->last_end = time.t;
}

static int on_work_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct tk_ut_gpu_time time = stamp(feed, ev, END_TIME);
    struct tk_ut_gpu_queue *q = tk_ut_gpu_queue(feed, state, (uint32_t)tk_ut_u64(ev, END_QUEUE), &rc);
    if (!q)
        return rc;
    worked(q, time);
    ended(q, time);
    return tk_ut_gpu_end(feed, q, TK_LANE_GPU_WORK, time);
}

enum { WAIT_QUEUE, WAIT_BEGIN, WAIT_END };

static int on_wait(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_gpu *g = state;
    struct tk_ut_gpu_time begin = stamp(feed, ev, WAIT_BEGIN), end = stamp(feed, ev, WAIT_END);
    uint32_t timer;
    int rc;
    struct tk_ut_gpu_queue *q = tk_ut_gpu_queue(feed, g, (uint32_t)tk_ut_u64(ev, WAIT_QUEUE), &rc);
    if (q)
        rc = timer_of_gpu(feed, &g->wait, "GpuWait", TK_TIMER_GPU_WAIT, &timer);
    if (!q || rc != TK_OK)
        return rc;
    if (!begin.there || !end.there) {
        tk_ut_gpu_drop(feed, q, "a wait has no time");
        return TK_OK;
    }
    add_time(&q->waited, begin.t, end.t);
    rc = tk_ut_gpu_begin(feed, q, TK_LANE_GPU_WORK, timer, begin);
    ended(q, end);
    return rc == TK_OK ? tk_ut_gpu_end(feed, q, TK_LANE_GPU_WORK, end) : rc;
}

/* ---- frames and fences ---- */

enum { STATS_QUEUE, STATS_DRAWS, STATS_PRIMITIVES };

static int on_stats(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct tk_ut_gpu_queue *q = tk_ut_gpu_queue(feed, state, (uint32_t)tk_ut_u64(ev, STATS_QUEUE), &rc);
    if (!q)
        return rc;
    q->draws += tk_ut_u64(ev, STATS_DRAWS);
    q->primitives += tk_ut_u64(ev, STATS_PRIMITIVES);
    q->drawn = true;
    return TK_OK;
}

enum { FRAME_QUEUE, FRAME_NUMBER };

static int on_frame(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct tk_ut_gpu_queue *q = tk_ut_gpu_queue(feed, state, (uint32_t)tk_ut_u64(ev, FRAME_QUEUE), &rc);
    return q ? tk_ut_gpu_frame(feed, q, tk_ut_u64(ev, FRAME_NUMBER), false) : rc;
}

/* When the queue got to a fence: not before it was done with what it had, nor before it was instructed to. */
static int64_t fence_time(const struct tk_ut_feed *feed, const struct tk_ut_gpu_queue *q, uint64_t cycle)
{
    int64_t reported = tk_ut_parts_since(feed, cycle);
    return q->last_end > reported ? q->last_end : reported;
}

enum { FENCE_QUEUE, FENCE_TIME, FENCE_VALUE, FENCE_OTHER };

static int say_fence(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev, uint8_t what)
{
    int rc;
    uint32_t other = 0;
    struct tk_ut_gpu_queue *q = NULL;
    if (what == TK_GPU_FENCE) {
        q = tk_ut_gpu_queue(feed, state, (uint32_t)tk_ut_u64(ev, FENCE_OTHER), &rc);
        if (!q)
            return rc;
        other = q->info.id;
    }
    q = tk_ut_gpu_queue(feed, state, (uint32_t)tk_ut_u64(ev, FENCE_QUEUE), &rc);
    if (!q || !tk_ut_requested(feed, TK_FACT_MASK(GPU)))
        return rc;
    struct tk_fact fact = fact_of(ev, q, what, fence_time(feed, q, tk_ut_u64(ev, FENCE_TIME)));
    fact.u.gpu.number = tk_ut_u64(ev, FENCE_VALUE);
    fact.u.gpu.other = other;
    return tk_ut_emit(feed, &fact);
}

static int on_signal(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return say_fence(feed, state, ev, TK_GPU_SIGNAL);
}

static int on_fence(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return say_fence(feed, state, ev, TK_GPU_FENCE);
}

/* ---- the family ---- */

static int cut_gpu(struct tk_ut_feed *feed, void *state, uint32_t tid)
{
    return tk_ut_gpu_cut(feed, state, tid);
}

static int gap_gpu(struct tk_ut_feed *feed, void *state)
{
    return tk_ut_gpu_cut(feed, state, TK_NO_THREAD);
}

static void begin_gpu(void *state)
{
    tk_ut_gpu_start(state);
}

/* What was done after the last boundary counts as well: some writers say the boundary before the work. */
static int finish_gpu(struct tk_ut_feed *feed, void *state)
{
    struct tk_ut_gpu *g = state;
    int rc = TK_OK;
    if (tk_ut_requested(feed, TK_FACT_MASK(GPU_SCOPES)))
        tk_ut_gpu_settle(feed, g);
    for (size_t i = 0; i < g->queues.n && rc == TK_OK; i++)
        if (g->queues.v[i].drawn || g->queues.v[i].dropped || g->queues.v[i].worked > 0)
            rc = tk_ut_gpu_frame(feed, &g->queues.v[i], 0, true);
    return rc;
}

static void release_gpu(void *state)
{
    struct tk_ut_gpu *g = state;
    for (size_t i = 0; i < g->queues.n; i++) {
        tk_vec_release(&g->queues.v[i].marks.open);
        tk_vec_release(&g->queues.v[i].work.open);
    }
    tk_vec_release(&g->queues);
    tk_vec_release(&g->late);
    tk_map_release(&g->index);
    tk_map_release(&g->specs);
    tk_map_release(&g->late_index);
    tk_map_release(&g->text_index);
    tk_vec_release(&g->texts);
}

static const struct tk_ut_bind binds[] = {
    {"GpuProfiler.QueueSpec", on_queue, true, {"QueueId", "TypeString"}},
    {"GpuProfiler.EventBreadcrumbSpec", on_spec_gpu, true, {"SpecId", "StaticName", "NameFormat"}},
    {"GpuProfiler.EventBeginBreadcrumb",
     on_crumb_begin,
     false,
     {"SpecId", "QueueId", "GPUTimestampTOP", "Metadata"}},
    {"GpuProfiler.EventEndBreadcrumb", on_crumb_end, false, {"QueueId", "GPUTimestampBOP"}},
    {"GpuProfiler.EventBeginWork", on_work_begin, false, {"QueueId", "GPUTimestampTOP", "CPUTimestamp"}},
    {"GpuProfiler.EventEndWork", on_work_end, false, {"QueueId", "GPUTimestampBOP"}},
    {"GpuProfiler.EventWait", on_wait, false, {"QueueId", "StartTime", "EndTime"}},
    {"GpuProfiler.EventStats", on_stats, false, {"QueueId", "NumDraws", "NumPrimitives"}},
    {"GpuProfiler.EventFrameBoundary", on_frame, false, {"QueueId", "FrameNumber"}},
    {"GpuProfiler.SignalFence", on_signal, false, {"QueueId", "CPUTimestamp", "Value"}},
    {"GpuProfiler.WaitFence", on_fence, false, {"QueueId", "CPUTimestamp", "Value", "QueueToWaitForId"}},
    {"GpuProfiler.EventSpec", tk_ut_gpu_old_spec, true, {"EventType", "Name"}},
    {"GpuProfiler.Frame",
     tk_ut_gpu_old_frame1,
     false,
     {"CalibrationBias", "TimestampBase", "RenderingFrameNumber", "Data"}},
    {"GpuProfiler.Frame2",
     tk_ut_gpu_old_frame2,
     false,
     {"CalibrationBias", "TimestampBase", "RenderingFrameNumber", "Data"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_gpu_labels, NULL};

const struct tk_ut_family tk_ut_fam_gpu = {.name = "gpu",
                                           .rows = tables,
                                           .facts = TK_FACT_MASK(GPU_SCOPES) | TK_FACT_MASK(GPU),
                                           .binds = binds,
                                           .state = sizeof(struct tk_ut_gpu),
                                           .cut = cut_gpu,
                                           .gap = gap_gpu,
                                           .begin = begin_gpu,
                                           .finish = finish_gpu,
                                           .release = release_gpu};
