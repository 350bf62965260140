/*
 * GPU queues from events to tables: late and missing definitions, times of no use, missing begins and ends,
 * times that go backwards, what is left at the end. Expectations are worked out by hand.
 *
 * The clock starts at cycle 1000 and makes 1000 cycles per second, unless a test says otherwise.
 */
#include "api/captured.h"

#define FIELD(field_name, field_type)                                                                        \
    {                                                                                                        \
        .name = field_name, .type = field_type                                                               \
    }
#define TYPE(name, type_flags, event_name, ...)                                                              \
    static const struct tk_uw_field name##_fields[] = {__VA_ARGS__};                                         \
    static const struct tk_uw_type name##_type = {"GpuProfiler", event_name, TK_UW_FIELDS(name##_fields),    \
                                                  type_flags, 0}

enum { SPEC = TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX };

TYPE(queue, SPEC, "QueueSpec", FIELD("QueueId", TK_UW_U32), FIELD("TypeString", TK_UW_WIDE));
TYPE(crumb, SPEC, "EventBreadcrumbSpec", FIELD("SpecId", TK_UW_U32), FIELD("StaticName", TK_UW_WIDE),
     FIELD("NameFormat", TK_UW_WIDE), FIELD("FieldNames", TK_UW_U8S));
TYPE(begin, TK_UW_AUX, "EventBeginBreadcrumb", FIELD("SpecId", TK_UW_U32), FIELD("QueueId", TK_UW_U32),
     FIELD("GPUTimestampTOP", TK_UW_U64), FIELD("Metadata", TK_UW_U8S));
TYPE(end, 0, "EventEndBreadcrumb", FIELD("QueueId", TK_UW_U32), FIELD("GPUTimestampBOP", TK_UW_U64));
TYPE(work, 0, "EventBeginWork", FIELD("QueueId", TK_UW_U32), FIELD("GPUTimestampTOP", TK_UW_U64),
     FIELD("CPUTimestamp", TK_UW_U64));
TYPE(done, 0, "EventEndWork", FIELD("QueueId", TK_UW_U32), FIELD("GPUTimestampBOP", TK_UW_U64));
TYPE(wait, 0, "EventWait", FIELD("QueueId", TK_UW_U32), FIELD("StartTime", TK_UW_U64),
     FIELD("EndTime", TK_UW_U64));
TYPE(stats, 0, "EventStats", FIELD("QueueId", TK_UW_U32), FIELD("NumDraws", TK_UW_U32),
     FIELD("NumPrimitives", TK_UW_U32));
TYPE(boundary, 0, "EventFrameBoundary", FIELD("QueueId", TK_UW_U32), FIELD("FrameNumber", TK_UW_U32));
TYPE(signal, 0, "SignalFence", FIELD("QueueId", TK_UW_U32), FIELD("CPUTimestamp", TK_UW_U64),
     FIELD("Value", TK_UW_U64));
TYPE(fence, 0, "WaitFence", FIELD("QueueId", TK_UW_U32), FIELD("CPUTimestamp", TK_UW_U64),
     FIELD("QueueToWaitForId", TK_UW_U32), FIELD("Value", TK_UW_U64));

/* The types as declared in a capture. */
struct gpu {
    struct captured *c;
    struct tk_uw_lane *lane;
    struct tk_uw_type queue, crumb, begin, end, work, done, wait, stats, boundary, signal, fence;
};

static void gpu_open(struct gpu *g, uint8_t protocol)
{
    g->c = captured_new(protocol);
    g->lane = &g->c->lanes[0];
#define DECLARE(name)                                                                                        \
    g->name = name##_type;                                                                                   \
    captured_type(g->c, &g->name)
    DECLARE(queue);
    DECLARE(crumb);
    DECLARE(begin);
    DECLARE(end);
    DECLARE(work);
    DECLARE(done);
    DECLARE(wait);
    DECLARE(stats);
    DECLARE(boundary);
    DECLARE(signal);
    DECLARE(fence);
#undef DECLARE
}

static void put_wide(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned index, const char *text)
{
    struct tk_uw_bytes wide = {0};
    tk_uw_wide(&wide, text);
    tk_uw_value(lane, type, index, wide.data, wide.size);
    tk_uw_bytes_release(&wide);
}

static void put_queue(struct gpu *g, uint32_t id, const char *name)
{
    struct tk_uw_lane *lane = &g->c->uw.important;
    tk_uw_begin(lane, &g->queue);
    tk_uw_u32(&lane->pending, id);
    put_wide(lane, &g->queue, 1, name);
    tk_uw_end(lane, &g->queue);
}

/* A breadcrumb spec, on any lane. */
static void put_spec(struct tk_uw_lane *lane, const struct tk_uw_type *type, uint32_t id, const char *name,
                     const char *format)
{
    tk_uw_begin(lane, type);
    tk_uw_u32(&lane->pending, id);
    put_wide(lane, type, 1, name);
    put_wide(lane, type, 2, format);
    tk_uw_end(lane, type);
}

static void put_crumb(struct gpu *g, uint32_t id, const char *name, const char *format)
{
    put_spec(&g->c->uw.important, &g->crumb, id, name, format);
}

static void put_begin(struct gpu *g, uint32_t queue, uint32_t spec, uint64_t time)
{
    tk_uw_begin(g->lane, &g->begin);
    tk_uw_u32(&g->lane->pending, spec);
    tk_uw_u32(&g->lane->pending, queue);
    tk_uw_u64(&g->lane->pending, time);
    tk_uw_end(g->lane, &g->begin);
}

/* An event of a queue number and up to three 64-bit values, as wide as their fields are. */
static void put(struct gpu *g, const struct tk_uw_type *type, uint32_t queue, uint64_t a, uint64_t b,
                uint64_t c)
{
    const uint64_t values[] = {queue, a, b, c};
    tk_uw_begin(g->lane, type);
    for (unsigned i = 0; i < type->field_count; i++)
        tk_uw_uint(&g->lane->pending, values[i], type->fields[i].type == TK_UW_U32 ? 4 : 8);
    tk_uw_end(g->lane, type);
}

static void put_end(struct gpu *g, uint32_t queue, uint64_t time)
{
    put(g, &g->end, queue, time, 0, 0);
}

static void gpu_close(struct gpu *g)
{
    captured_send(g->c);
    captured_close(g->c);
}

#define TIMERS "queue_id,queue,timer,kind,count,open,incl,total,excl,min,max"
#define QUEUE  0x00030201u /* compute queue 3 of GPU 2 */

/* Nesting, recursion, specs of one name, formats; names of queues. */
START_TEST(breadcrumbs)
{
    struct gpu g;
    gpu_open(&g, 7);
    put_queue(&g, QUEUE, "Async");
    put_crumb(&g, 1, "PrePass DDM_All", "PrePass DDM_All");
    put_crumb(&g, 2, "PrePass Other", "PrePass Other %d");
    put_crumb(&g, 3, "", "Draw %s");
    put_crumb(&g, 4, "Full%d", "Full%d");
    put_crumb(&g, 9, "PrePass Other", "");
    put_begin(&g, QUEUE, 1, 2000);
    put_begin(&g, QUEUE, 2, 2010);
    put_begin(&g, QUEUE, 9, 2020); /* the same timer as 2 */
    put_end(&g, QUEUE, 2025);
    put_end(&g, QUEUE, 2040);
    put_begin(&g, QUEUE, 3, 2050);
    put_end(&g, QUEUE, 2051);
    put_end(&g, QUEUE, 2100);
    put_begin(&g, 3, 4, 2000); /* a queue that is not defined */
    put_end(&g, 3, 2007);
    put_begin(&g, 0x09, 1, 2000); /* never ends */
    gpu_close(&g);
    ck_assert_str_eq(captured_table(g.c, "gpu", TIMERS),
                     "197121|GPU2-Async3|PrePass DDM_All|gpu|1|0|100|100|69|100|100\n"
                     "9|GPU0-Type0|PrePass DDM_All|gpu|0|1|||||\n"
                     "197121|GPU2-Async3|PrePass Other|gpu|2|0|30|35|30|5|30\n"
                     "197121|GPU2-Async3|Draw|gpu|1|0|1|1|1|1|1\n"
                     "3|GPU0-SwapChain0|Full|gpu|1|0|7|7|7|7|7\n");
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "scope_open"), 1);
    ck_assert_str_eq(captured_table(g.c, "gpu_scopes", "queue_id,queue,timer,start,dur,depth,kind"),
                     "197121|GPU2-Async3|PrePass Other|2020|5|2|gpu\n"
                     "197121|GPU2-Async3|PrePass Other|2010|30|1|gpu\n"
                     "197121|GPU2-Async3|Draw|2050|1|1|gpu\n"
                     "197121|GPU2-Async3|PrePass DDM_All|2000|100|0|gpu\n"
                     "3|GPU0-SwapChain0|Full|2000|7|0|gpu\n"
                     "9|GPU0-Type0|PrePass DDM_All|2000||0|gpu\n");
    ck_assert_str_eq(captured_table(g.c, "scopes", "timer"), "");
    /* the passes of queues are in a table of their own */
    ck_assert_str_eq(captured_table(g.c, "timers", "timer"), "");
    ck_assert_uint_eq(captured_faults(g.c, "timers", "scope_open"), 0);
    captured_free(g.c);
}
END_TEST

static const char *requested(struct gpu *g, const char *table, const char *columns, const char *threads,
                             const char *timers)
{
    g->c->select.threads = &threads;
    g->c->select.n_threads = threads != NULL;
    g->c->select.timers = &timers;
    g->c->select.n_timers = timers != NULL;
    const char *text = captured_table(g->c, table, columns);
    g->c->select = (struct tk_selection){0};
    return text;
}

/* Questions about threads are answered for queues, too; work where it is named. */
START_TEST(queues_are_threads)
{
    struct gpu g;
    gpu_open(&g, 7);
    put_queue(&g, 0, "Graphics");
    put_queue(&g, 1, "Compute");
    put_crumb(&g, 1, "Frame", "Frame");
    put_crumb(&g, 2, "Base", "Base");
    put(&g, &g.work, 0, 2000, 1900, 0);
    put_begin(&g, 0, 1, 2000);
    put_begin(&g, 0, 2, 2010);
    put_end(&g, 0, 2050);
    put_end(&g, 0, 2100);
    put(&g, &g.done, 0, 2100, 0, 0);
    put_begin(&g, 1, 2, 2020);
    put_end(&g, 1, 2025);
    gpu_close(&g);
    ck_assert_str_eq(captured_table(g.c, "tree", "depth,timer,count,incl,excl"), "0|Frame|1|100|60\n"
                                                                                 "1|Base|1|40|40\n"
                                                                                 "0|Base|1|5|5\n");
    g.c->by = TK_BY_THREAD;
    ck_assert_str_eq(captured_table(g.c, "tree", "depth,timer,kind,incl"), "0|GPU0-Graphics0|queue|100\n"
                                                                           "1|Frame|gpu|100\n"
                                                                           "2|Base|gpu|40\n"
                                                                           "0|GPU0-Compute0|queue|5\n"
                                                                           "1|Base|gpu|5\n");
    g.c->by = TK_BY_CLASS;
    ck_assert_str_eq(captured_table(g.c, "groups", "group,timer,count,excl"), "GPU0-Graphics0|Frame|1|60\n"
                                                                              "GPU0-Graphics0|Base|1|40\n"
                                                                              "GPU0-Compute0|Base|1|5\n");
    g.c->by = 0;
    ck_assert_str_eq(captured_table(g.c, "slowest", "timer,thread_id,thread,dur,stack"),
                     "Frame||GPU0-Graphics0|100|\n"
                     "Base||GPU0-Graphics0|40|Frame\n"
                     "Base||GPU0-Compute0|5|\n");
    ck_assert_str_eq(requested(&g, "slowest", "timer,thread,dur", "GPU0-C*", NULL), "Base|GPU0-Compute0|5\n");
    ck_assert_str_eq(requested(&g, "slowest", "timer,thread,dur", NULL, "GpuWork"),
                     "GpuWork|GPU0-Graphics0 work|100\n");
    ck_assert_str_eq(requested(&g, "timers", "timer,count,total", NULL, "Base"), "Base|2|45\n");
    ck_assert_str_eq(requested(&g, "timers", "timer,count,total", "*Graphics0", NULL),
                     "Frame|1|100\nBase|1|40\n");
    ck_assert_str_eq(requested(&g, "gpu", "queue,timer", "*Compute0", NULL), "GPU0-Compute0|Base\n");
    ck_assert_str_eq(requested(&g, "gpu_queues", "queue,work_items,work", "*Compute0", NULL),
                     "GPU0-Compute0|1|5\n");
    captured_free(g.c);
}
END_TEST

/* Specs behind their use: on the important stream, and as an event like others; and one that never comes. */
START_TEST(late_specs)
{
    struct gpu g;
    gpu_open(&g, 7);
    struct tk_uw_type plain = crumb_type;
    plain.flags = TK_UW_AUX | TK_UW_NOSYNC;
    g.crumb = crumb_type;
    put_begin(&g, 0, 1, 2000);
    put_begin(&g, 0, 2, 2010);
    put_end(&g, 0, 2020);
    put_begin(&g, 0, 5, 2020);
    put_end(&g, 0, 2021);
    put_begin(&g, 0, 3, 2030);
    put_end(&g, 0, 2050);
    put_end(&g, 0, 2100);
    captured_send(g.c);
    captured_type(g.c, &plain);
    put_spec(g.lane, &plain, 2, "Shadows", "Shadows");
    put_spec(g.lane, &plain, 3, "Shadows", "Shadows %d");
    captured_send(g.c);
    captured_type(g.c, &g.crumb);
    put_crumb(&g, 1, "Frame", "Frame %u");
    put_queue(&g, 0, "Graphics"); /* late too */
    gpu_close(&g);
    ck_assert_str_eq(captured_table(g.c, "gpu", TIMERS), "0|GPU0-Graphics0|Frame|gpu|1|0|100|100|69|100|100\n"
                                                         "0|GPU0-Graphics0|<unknown 5>|gpu|1|0|1|1|1|1|1\n"
                                                         "0|GPU0-Graphics0|Shadows|gpu|2|0|30|30|30|10|20\n");
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "definition_missing"), 1); /* 5 */
    captured_free(g.c);
}
END_TEST

/*
 * A time of 0 is none: both ends of the scope are left out, whichever it is. Times that go backwards are
 * raised; ends without a begin count nothing; all of that is reported.
 */
START_TEST(times_of_no_use)
{
    struct gpu g;
    gpu_open(&g, 7);
    put_queue(&g, 0, "Graphics");
    put_crumb(&g, 1, "A", "A");
    put_crumb(&g, 2, "B", "B");
    put_end(&g, 0, 1500); /* its begin was before the recording */
    put_begin(&g, 0, 1, 2000);
    put_begin(&g, 0, 2, 0); /* left out with its end */
    put_end(&g, 0, 2050);
    put_begin(&g, 0, 2, 2060);
    put_end(&g, 0, 0);         /* lost */
    put_begin(&g, 0, 2, 2055); /* 2060 already: the queue did not go back */
    put_end(&g, 0, 2070);
    put(&g, &g.boundary, 0, 1, 0, 0);
    put_end(&g, 0, 2100);
    put_end(&g, 0, 0); /* an end of nothing */
    put(&g, &g.work, 0, 0, 1990, 0);
    put(&g, &g.done, 0, 2500, 0, 0);
    put(&g, &g.wait, 0, 0, 2600, 0);
    put(&g, &g.boundary, 0, 2, 0, 0);
    gpu_close(&g);
    ck_assert_str_eq(captured_table(g.c, "gpu", TIMERS), "0|GPU0-Graphics0|A|gpu|1|0|100|100|90|100|100\n"
                                                         "0|GPU0-Graphics0|B|gpu|1|1|10|10|10|10|10\n");
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "gpu_time_dropped"), 5);
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "time_backwards"), 1);
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "scope_end_unmatched"), 1);
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "scope_open"), 1);
    ck_assert_str_eq(captured_table(g.c, "gpu_frames", "frame,time,draws,dropped"), "1|2070|0|2\n"
                                                                                    "2|2100|0|3\n");
    ck_assert_str_eq(
        captured_table(g.c, "gpu_queues", "queue,work_items,work,waits,frames,invalid_frames,dropped"),
        "GPU0-Graphics0|0|0|0|2|2|5\n");
    captured_free(g.c);
}
END_TEST

/* Work, waits inside and between, idling, draws with and without a boundary behind them, fences. */
/* One open scope is remembered: those inside of it count all the same, and are forgotten when they end. */
START_TEST(more_open_than_the_limit)
{
    struct gpu g;
    gpu_open(&g, 7);
    put_queue(&g, 0, "Graphics");
    put_crumb(&g, 1, "A", "A");
    put_crumb(&g, 2, "B", "B");
    put_begin(&g, 0, 1, 2000);
    put_begin(&g, 0, 2, 2010);
    put_begin(&g, 0, 2, 2012);
    put_end(&g, 0, 2015);
    put_end(&g, 0, 2020);
    put_end(&g, 0, 2030);
    put_begin(&g, 0, 1, 0); /* left out with its end */
    put_end(&g, 0, 2050);
    put_begin(&g, 0, 1, 2060);
    put_end(&g, 0, 2070);
    gpu_close(&g);
    g.c->limit = "pending_scopes=1";
    ck_assert_str_eq(captured_table(g.c, "gpu", TIMERS), "0|GPU0-Graphics0|A|gpu|2|0|40|40|30|10|30\n"
                                                         "0|GPU0-Graphics0|B|gpu|2|0|10|13|10|3|10\n");
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "gpu_time_dropped"), 1);
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "scope_end_unmatched"), 0);
    captured_free(g.c);
}
END_TEST

/* Times that go back are raised, so the last event of a queue is at its greatest time. */
START_TEST(the_last_time_is_the_greatest)
{
    struct gpu g;
    gpu_open(&g, 7);
    put_queue(&g, 0, "Graphics");
    put_crumb(&g, 1, "A", "A");
    put_begin(&g, 0, 1, 2000);
    put_begin(&g, 0, 1, 2100);
    put_end(&g, 0, 2050);
    put(&g, &g.boundary, 0, 1, 0, 0);
    put_end(&g, 0, 2090);
    put(&g, &g.boundary, 0, 2, 0, 0);
    gpu_close(&g);
    ck_assert_str_eq(captured_table(g.c, "gpu_frames", "frame,time"), "1|2100\n2|2100\n");
    captured_free(g.c);
}
END_TEST

START_TEST(queues)
{
    struct gpu g;
    gpu_open(&g, 7);
    put_queue(&g, 0, "Graphics");
    put_queue(&g, 1, "Compute");
    put(&g, &g.fence, 1, 1800, 0, 7); /* before its signal */
    put(&g, &g.work, 0, 2000, 1900, 0);
    put(&g, &g.wait, 0, 2010, 2030, 0); /* inside the work */
    put(&g, &g.done, 0, 2100, 0, 0);
    put(&g, &g.stats, 0, 3, 100, 0);
    put(&g, &g.stats, 0, 4, 200, 0);
    put(&g, &g.signal, 0, 1950, 5, 0); /* 2100: the queue is not done before */
    put(&g, &g.signal, 0, 2200, 8, 0);
    put(&g, &g.signal, 0, 2201, 6, 0); /* less than before */
    put(&g, &g.boundary, 0, 41, 0, 0);
    put(&g, &g.wait, 0, 2150, 2160, 0); /* between the works */
    put(&g, &g.work, 0, 2300, 2250, 0); /* idle from 2160 to 2250 */
    put(&g, &g.done, 0, 2400, 0, 0);
    put(&g, &g.work, 0, 2400, 2310, 0); /* handed over in time */
    put(&g, &g.done, 0, 2405, 0, 0);
    put(&g, &g.stats, 0, 1, 10, 0); /* no boundary follows */
    put(&g, &g.fence, 1, 2500, 0, 9);
    put(&g, &g.fence, 1, 2600, 0, 5);
    gpu_close(&g);
    ck_assert_str_eq(
        captured_table(
            g.c, "gpu_queues",
            "queue_id,type,gpu,index,work_items,work,busy,waits,waiting,idle,frames,draws,primitives,"
            "signals,fences"),
        "0|Graphics|0|0|3|205|185|2|30|90|1|8|310|3|0\n"
        "1|Compute|0|0|0|0|0|0|0|0|0|0|0|0|3\n");
    ck_assert_str_eq(captured_table(g.c, "gpu_frames", "queue,frame,time,work,waiting,draws,primitives"),
                     "GPU0-Graphics0|41|2100|100|20|7|300\n"
                     "GPU0-Graphics0||2405|105|10|1|10\n");
    ck_assert_str_eq(captured_table(g.c, "gpu_fences", "queue,time,value,other,signal_time,signal_value"),
                     "GPU0-Compute0|1800|7|GPU0-Graphics0|2200|8\n"
                     "GPU0-Compute0|2500|9|GPU0-Graphics0||\n"
                     "GPU0-Compute0|2600|5|GPU0-Graphics0|2100|5\n");
    ck_assert_str_eq(captured_table(g.c, "gpu", "queue,timer,kind,count,total,excl"),
                     "GPU0-Graphics0|GpuWork|gpu_work|3|205|185\n"
                     "GPU0-Graphics0|GpuWait|gpu_wait|2|30|30\n");
    /* cycles 2040 to 2170 and the first of them: 1040 ms on */
    g.c->select =
        (struct tk_selection){.has_from = true, .has_to = true, .from_ns = 1040000000, .to_ns = 1200000000};
    ck_assert_str_eq(captured_table(g.c, "gpu_queues", "queue,work_items,work,waiting,idle,frames,draws"),
                     "GPU0-Graphics0|1|60|10|40|1|7\n"
                     "GPU0-Compute0|0|0|0|0|0|0\n");
    captured_free(g.c);
}
END_TEST

/* One queue known by two threads: the order of serial numbers counts, not that of the file. */
START_TEST(order_across_threads)
{
    struct gpu g;
    gpu_open(&g, 7);
    put_queue(&g, 0, "Graphics");
    put_crumb(&g, 1, "A", "A");
    put_crumb(&g, 2, "B", "B");
    captured_send(g.c);
    put_begin(&g, 0, 1, 2000);
    g.lane = &g.c->lanes[1];
    put_begin(&g, 0, 2, 2010);
    g.lane = &g.c->lanes[0];
    put_end(&g, 0, 2020);
    g.lane = &g.c->lanes[1];
    put_end(&g, 0, 2100);
    tk_uw_lane_flush(&g.c->lanes[1]); /* thread 3 stands before thread 2 in the file */
    gpu_close(&g);
    ck_assert_str_eq(captured_table(g.c, "gpu", "timer,count,total,excl"), "A|1|100|90\nB|1|10|10\n");
    ck_assert_str_eq(captured_export(g.c, "folded"),
                     "GPU0-Graphics0;A 90000000\nGPU0-Graphics0;A;B 10000000\n");
    captured_free(g.c);
}
END_TEST

/* Fields that are missing or of another type are 0; nothing breaks. */
START_TEST(wrong_types)
{
    static const struct tk_uw_field odd_begin[] = {FIELD("SpecId", TK_UW_ANSI), FIELD("QueueId", TK_UW_F64)};
    static const struct tk_uw_field odd_stats[] = {FIELD("NumDraws", TK_UW_I64)};
    static const struct tk_uw_field odd_queue[] = {FIELD("TypeString", TK_UW_U32)};
    struct tk_uw_type begin_odd = {"GpuProfiler", "EventBeginBreadcrumb", TK_UW_FIELDS(odd_begin), TK_UW_AUX,
                                   0};
    struct tk_uw_type stats_odd = {"GpuProfiler", "EventStats", TK_UW_FIELDS(odd_stats), 0, 0};
    struct tk_uw_type queue_odd = {"GpuProfiler", "QueueSpec", TK_UW_FIELDS(odd_queue),
                                   TK_UW_NOSYNC | TK_UW_IMPORTANT, 0};
    struct captured *c = captured_new(7);
    captured_type(c, &begin_odd);
    captured_type(c, &stats_odd);
    captured_type(c, &queue_odd);
    tk_uw_begin(&c->uw.important, &queue_odd);
    tk_uw_u32(&c->uw.important.pending, 12);
    tk_uw_end(&c->uw.important, &queue_odd);
    tk_uw_begin(&c->lanes[0], &begin_odd);
    tk_uw_f64(&c->lanes[0].pending, 1e300);
    tk_uw_value(&c->lanes[0], &begin_odd, 0, "text", 4);
    tk_uw_end(&c->lanes[0], &begin_odd);
    tk_uw_begin(&c->lanes[0], &stats_odd);
    tk_uw_u64(&c->lanes[0].pending, 2);
    tk_uw_end(&c->lanes[0], &stats_odd);
    captured_send(c);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "gpu", "timer,count,open"), "");
    ck_assert_str_eq(captured_table(c, "gpu_queues", "queue,draws,dropped"), "GPU0-Graphics0|2|1\n");
    ck_assert_uint_eq(captured_faults(c, "gpu", "gpu_time_dropped"), 1);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {breadcrumbs,     queues_are_threads,       late_specs,
                                  times_of_no_use, more_open_than_the_limit, the_last_time_is_the_greatest,
                                  queues,          order_across_threads,     wrong_types};
    return RUN_TESTS("gpu", tests);
}
