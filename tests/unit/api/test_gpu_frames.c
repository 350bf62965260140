/*
 * GPU frames of the older form from events to tables: times from before the recording or too far ahead,
 * frames that are cut off or not balanced. Expectations are worked out by hand.
 *
 * The clock starts at cycle 1000 and makes 1000 cycles per second.
 */
#include "captured.h"
#include "cpu.h"

static const struct tk_uw_field spec_fields[] = {{.name = "EventType", .type = TK_UW_U32},
                                                 {.name = "Name", .type = TK_UW_U16S}};
static const struct tk_uw_field frame_fields[] = {{.name = "CalibrationBias", .type = TK_UW_U64},
                                                  {.name = "TimestampBase", .type = TK_UW_U64},
                                                  {.name = "RenderingFrameNumber", .type = TK_UW_U32},
                                                  {.name = "Data", .type = TK_UW_U8S}};

/* The types as declared in a capture. */
struct gpu {
    struct captured *c;
    struct tk_uw_lane *lane;
    struct tk_uw_type spec, frame, frame2;
};

static void gpu_open_as(struct gpu *g, uint64_t start, uint64_t frequency, uint8_t spec_flags)
{
    g->c = captured_clock(7, start, frequency);
    g->lane = &g->c->lanes[0];
    g->spec = (struct tk_uw_type){"GpuProfiler", "EventSpec", TK_UW_FIELDS(spec_fields),
                                  spec_flags | TK_UW_NOSYNC | TK_UW_AUX, 0};
    g->frame = (struct tk_uw_type){"GpuProfiler", "Frame", TK_UW_FIELDS(frame_fields), TK_UW_AUX, 0};
    g->frame2 = (struct tk_uw_type){"GpuProfiler", "Frame2", TK_UW_FIELDS(frame_fields), TK_UW_AUX, 0};
    captured_type(g->c, &g->spec);
    captured_type(g->c, &g->frame);
    captured_type(g->c, &g->frame2);
}

static void gpu_open_clock(struct gpu *g, uint64_t start, uint64_t frequency)
{
    gpu_open_as(g, start, frequency, TK_UW_IMPORTANT);
}

static void gpu_open(struct gpu *g)
{
    gpu_open_clock(g, 1000, 1000);
}

static void gpu_close(struct gpu *g)
{
    captured_send(g->c);
    captured_close(g->c);
}

static void put_spec(struct gpu *g, uint32_t id, const char *name)
{
    struct tk_uw_lane *lane = g->spec.flags & TK_UW_IMPORTANT ? &g->c->uw.important : g->lane;
    struct tk_uw_bytes wide = {0};
    tk_uw_wide(&wide, name);
    tk_uw_u16(&wide, 0); /* with its NUL */
    tk_uw_begin(lane, &g->spec);
    tk_uw_u32(&lane->pending, id);
    tk_uw_value(lane, &g->spec, 1, wide.data, wide.size);
    tk_uw_end(lane, &g->spec);
    tk_uw_bytes_release(&wide);
}

/* Data of a frame: `after` microseconds after the record before it. */
static void add_begin(struct tk_uw_bytes *data, uint64_t after, uint32_t type)
{
    tk_uw_varint(data, after << 1 | 1);
    tk_uw_u32(data, type);
}

static void add_end(struct tk_uw_bytes *data, uint64_t after)
{
    tk_uw_varint(data, after << 1);
}

static void put_frame(struct gpu *g, const struct tk_uw_type *type, uint64_t bias, uint64_t base,
                      uint32_t number, struct tk_uw_bytes *data)
{
    tk_uw_begin(g->lane, type);
    tk_uw_u64(&g->lane->pending, bias);
    tk_uw_u64(&g->lane->pending, base);
    tk_uw_u32(&g->lane->pending, number);
    tk_uw_value(g->lane, type, 3, data->data, data->size);
    tk_uw_end(g->lane, type);
    tk_uw_bytes_release(data);
    *data = (struct tk_uw_bytes){0};
}

/*
 * 1000 cycles per second from cycle 1000 on: cycle = microseconds / 1000. The GPU's clock is ahead of the
 * program's, so the bias is negative: it wraps. Ids are large and sparse.
 */
START_TEST(frames)
{
    struct gpu g;
    struct tk_uw_bytes data = {0};
    gpu_open(&g);
    put_spec(&g, 1000000, "FRAME");
    put_spec(&g, 77, "Base");
    add_begin(&data, 0, 1000000); /* 9000000 - 7000000 us: cycle 2000 */
    add_begin(&data, 10000, 77);
    add_end(&data, 5000);
    add_begin(&data, 0, 5); /* not defined */
    add_end(&data, 1000);
    add_end(&data, 84000);
    put_frame(&g, &g.frame, (uint64_t)-7000000, 9000000, 41, &data);
    /* the next frame begins before the end of the last: its first record is raised to 2100 */
    add_begin(&data, 0, 1000000); /* 2090 */
    add_end(&data, 60000);        /* 2150 */
    put_frame(&g, &g.frame, (uint64_t)-7000000, 9090000, 42, &data);
    add_begin(&data, 0, 77); /* of another GPU, with a time of its own */
    add_end(&data, 4000);
    put_frame(&g, &g.frame2, 0, 3000000, 42, &data);
    gpu_close(&g);
    ck_assert_str_eq(
        captured_table(g.c, "gpu", "queue_id,queue,timer,kind,count,open,incl,total,excl,min,max"),
        "0|GPU1|FRAME|gpu|2|0|150|150|144|50|100\n"
        "0|GPU1|Base|gpu|1|0|5|5|5|5|5\n"
        "1|GPU2|Base|gpu|1|0|4|4|4|4|4\n"
        "0|GPU1|<unknown 5>|gpu|1|0|1|1|1|1|1\n");
    /* rows are sent while the capture is read: the definition that never comes cannot be waited for */
    ck_assert_str_eq(captured_table(g.c, "gpu_scopes", "queue,timer,kind,dur"), "GPU1|Base|gpu|5\n"
                                                                                "GPU1|<unknown 5>|gpu|1\n"
                                                                                "GPU1|FRAME|gpu|100\n"
                                                                                "GPU1|FRAME|gpu|50\n"
                                                                                "GPU2|Base|gpu|4\n");
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "time_backwards"), 1);
    ck_assert_str_eq(captured_table(g.c, "gpu_frames", "queue,frame,time,dropped"), "GPU1|41|2100|0\n"
                                                                                    "GPU1|42|2150|0\n"
                                                                                    "GPU2|42|3004|0\n");
    captured_free(g.c);
}
END_TEST

/* Before the recording, an hour ahead, frames that are cut off or not balanced. */
START_TEST(frames_of_no_use)
{
    struct gpu g;
    struct tk_uw_bytes data = {0};
    gpu_open(&g);
    put_spec(&g, 1, "A");
    put_spec(&g, 2, "B");
    add_begin(&data, 0, 1); /* cycle 999: before the recording; with its four bytes */
    add_begin(&data, 1000, 2);
    add_end(&data, 3000);
    add_end(&data, 0); /* an end of nothing */
    put_frame(&g, &g.frame, 0, 999000, 1, &data);
    add_begin(&data, 0, 1);           /* 1010 */
    add_begin(&data, 3600000001u, 2); /* more than an hour ahead: 1010 */
    tk_uw_varint(&data, 0);           /* end, still as far ahead: 1010 */
    add_begin(&data, 0, 2);           /* never ends: ends with the frame, as A does */
    put_frame(&g, &g.frame, 0, 1010000, 2, &data);
    add_begin(&data, 0, 1); /* 1020 */
    tk_uw_u8(&data, 0x81);  /* a number that is cut off */
    put_frame(&g, &g.frame, 0, 1020000, 3, &data);
    add_begin(&data, 0, 1); /* 1030: the stack is empty again */
    add_end(&data, 2000);
    put_frame(&g, &g.frame, 0, 1030000, 4, &data);
    gpu_close(&g);
    ck_assert_str_eq(captured_table(g.c, "gpu", "timer,count,open,total,min,max"), "A|3|0|2|0|2\n"
                                                                                   "B|3|0|3|0|3\n");
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "scope_end_unmatched"), 1);
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "payload_damaged"), 2);
    ck_assert_str_eq(captured_table(g.c, "gpu_frames", "frame,time,dropped"), "1|1003|1\n"
                                                                              "2|1010|3\n"
                                                                              "3|1020|0\n"
                                                                              "4|1032|0\n");
    ck_assert_str_eq(captured_table(g.c, "gpu_queues", "queue,frames,invalid_frames,dropped"),
                     "GPU1|4|2|4\n");
    captured_free(g.c);
}
END_TEST

/* A scope of a CPU batch from one cycle to another. */
static void put_cpu_scope(struct gpu *g, uint64_t begin, uint64_t end)
{
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&g->c->uw, 1, "Work", "f", 1);
    tk_uw_cpu_init(&cpu, &g->c->uw, &g->c->lanes[1], 3);
    tk_uw_cpu_begin(&cpu, begin, 1);
    tk_uw_cpu_end(&cpu, end);
}

/* The clock begins second 3 of its own count, less 5 cycles, and the frame is at 3 s. */
struct micro_clock {
    uint64_t frequency;
    const char *cpu;    /* three cycles in nanoseconds, rounded */
    const char *cycles; /* 1 us and 7 us in cycles, rounded down */
    const char *lasts;  /* 3 s and 2000 us in cycles since cycle 0: when the frame ends */
};

/* Scopes of the GPU last whole microseconds at every clock, each and all together; what the CPU did is
 * reported in the cycles that stand in the capture. */
static void check_microseconds(const struct micro_clock *m)
{
    struct gpu g;
    struct tk_uw_bytes data = {0};
    const uint64_t start = 3 * m->frequency - 5;
    char text[200];
    gpu_open_clock(&g, start, m->frequency);
    put_spec(&g, 1, "FRAME");
    put_spec(&g, 2, "One");
    put_spec(&g, 3, "Seven");
    put_cpu_scope(&g, start + 2, start + 5);
    add_begin(&data, 0, 1);
    for (unsigned i = 0; i < 1000; i++) {
        add_begin(&data, 1, 2);
        add_end(&data, 1);
    }
    add_begin(&data, 0, 3);
    add_end(&data, 7);
    add_end(&data, 0);
    put_frame(&g, &g.frame, 0, 3000000, 1, &data);
    gpu_close(&g);
    g.c->ns = true;
    ck_assert_str_eq(captured_table(g.c, "gpu", "timer,count,total,excl,min,max"),
                     "FRAME|1|2007000|1000000|2007000|2007000\n"
                     "One|1000|1000000|1000000|1000|1000\n"
                     "Seven|1|7000|7000|7000|7000\n");
    snprintf(text, sizeof text, "Work|1|%s|%s\n", m->cpu, m->cpu);
    ck_assert_str_eq(captured_table(g.c, "timers", "timer,count,total,max"), text);
    g.c->ns = false;
    ck_assert_str_eq(captured_table(g.c, "timers", "timer,count,total,max"), "Work|1|3|3\n");
    snprintf(text, sizeof text, "%llu|3|Work\n", (unsigned long long)start + 2);
    ck_assert_str_eq(captured_table(g.c, "scopes", "start,dur,timer"), text);
    snprintf(text, sizeof text, "%llu|%llu\n", (unsigned long long)start, (unsigned long long)m->frequency);
    ck_assert_str_eq(captured_table(g.c, "capture", "start_cycle,frequency"), text);
    ck_assert_str_eq(captured_table(g.c, "gpu_frames", "time"), m->lasts);
    ck_assert_str_eq(captured_table(g.c, "gpu", "timer,min"), m->cycles);
    captured_free(g.c);
}

/*
 * 19.2 MHz: 1 us is 19.2 cycles; a cycle is 52.083 ns. 3579545 Hz: 3.579545 cycles, 279.365 ns. 32768 Hz:
 * 0.032768 cycles, 30517.578 ns. 1593844360 Hz: 1593.84436 cycles, 0.6274 ns. 2893298123 Hz, whose
 * microseconds would need a million parts of a cycle: 2893.298123 cycles, 0.3456 ns.
 */
START_TEST(microseconds)
{
    static const struct micro_clock clocks[] = {
        {10000000, "300", "FRAME|20070\nOne|10\nSeven|70\n", "30020070\n"},
        {19200000, "156", "FRAME|38534\nOne|19\nSeven|134\n", "57638534\n"},
        {3579545, "838", "FRAME|7184\nOne|3\nSeven|25\n", "10745819\n"},
        {32768, "91553", "FRAME|65\nOne|0\nSeven|0\n", "98369\n"},
        {1593844360, "2", "FRAME|3198845\nOne|1593\nSeven|11156\n", "4784731925\n"},
        {2893298123, "1", "FRAME|5806849\nOne|2893\nSeven|20253\n", "8685701218\n"},
    };
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        check_microseconds(&clocks[i]);
}
END_TEST

/* The name of a queue is known before its frames: a word that is this name stands for no part of another. */
START_TEST(a_word_that_is_a_queue)
{
    static const char *const word[] = {"gpu1"};
    struct gpu g;
    struct tk_uw_bytes data = {0};
    gpu_open(&g);
    tk_uw_thread_info(&g.c->uw, 2, 12, 0, "WaitsForGPU1");
    put_spec(&g, 1, "FRAME");
    put_cpu_scope(&g, 2000, 2005);
    add_begin(&data, 0, 1);
    add_end(&data, 4000);
    put_frame(&g, &g.frame, 0, 3000000, 1, &data);
    gpu_close(&g);
    g.c->select = (struct tk_selection){.threads = word, .n_threads = 1};
    ck_assert_str_eq(captured_table(g.c, "gpu", "queue,timer,count"), "GPU1|FRAME|1\n");
    ck_assert_str_eq(captured_table(g.c, "threads", "thread,scopes"), "");
    captured_free(g.c);
}
END_TEST

/* A spec that stands behind its scopes is none that is lost; one that never comes is. */
START_TEST(late_spec)
{
    struct gpu g;
    struct tk_uw_bytes data = {0};
    gpu_open_as(&g, 1000, 1000, 0);
    add_begin(&data, 0, 77); /* 2000 */
    add_end(&data, 5000);
    put_frame(&g, &g.frame, 0, 2000000, 1, &data);
    put_spec(&g, 77, "Late");
    gpu_close(&g);
    ck_assert_str_eq(captured_table(g.c, "gpu", "timer,count"), "Late|1\n");
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "definition_missing"), 0);
    captured_free(g.c);
    gpu_open_as(&g, 1000, 1000, 0);
    add_begin(&data, 0, 77);
    add_end(&data, 5000);
    put_frame(&g, &g.frame, 0, 2000000, 1, &data);
    gpu_close(&g);
    ck_assert_uint_eq(captured_faults(g.c, "gpu", "definition_missing"), 1);
    captured_free(g.c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {frames, frames_of_no_use, microseconds, a_word_that_is_a_queue, late_spec};
    return RUN_TESTS("gpu_frames", tests);
}
