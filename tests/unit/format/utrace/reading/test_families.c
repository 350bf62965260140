/*
 * Clock, stalls, threads and groups, channels, session, in new and old forms (events 1).
 */
#include "format/utrace/written.h"

/* ---- clock ---- */

START_TEST(clock_first_counts)
{
    struct written w;
    write_begin(&w);
    w.uw.start_cycle = 5;
    tk_uw_new_trace(&w.uw);
    check_written(&w, TK_FACT_MASK(CLOCK), "clock 1000 1000000\n");
}
END_TEST

/* 5.8: in the first packet, on an ordinary thread, declared afterwards, with the time of day. */
START_TEST(clock_on_a_thread)
{
    struct written w;
    struct opened o;
    write_with(&w, (struct tk_uw_options){TK_UW_DEFAULTS});
    static const struct tk_uw_field fields[] = {
        FIELD("StartCycle", TK_UW_U64), FIELD("CycleFrequency", TK_UW_U64), FIELD("Endian", TK_UW_U16),
        FIELD("PointerSize", TK_UW_U8), FIELD("StartDateTime", TK_UW_F64)};
    struct tk_uw_type type = {
        .logger = "$Trace", .event = "NewTrace", TK_UW_FIELDS(fields), .flags = NOSYNC, .uid = 16};
    struct tk_uw_bytes *p = begin_event(lane_of(&w, 2), &type);
    tk_uw_u64(p, 123456);
    tk_uw_u64(p, 24000000);
    tk_uw_u16(p, 0x524D);
    tk_uw_u8(p, 8);
    tk_uw_f64(p, 1700000000.5);
    tk_uw_end(lane_of(&w, 2), &type);
    send_lane(&w, 2);
    tk_uw_register(&w.uw, &type);
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(tell(&o, TK_FACT_MASK(CLOCK)), "clock 123456 24000000\n");
    ck_assert(ut(&o)->clock.epoch == 1700000000.5);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

START_TEST(clock_of_timing)
{
    struct written w;
    begin_old(&w);
    REGISTER(&w, trace, NOSYNC, "$Trace", "NewTrace", FIELD("Serial", TK_UW_U32), FIELD("Endian", TK_UW_U16));
    REGISTER(&w, timing, NOSYNC, "$Trace", "Timing", FIELD("StartCycle", TK_UW_U64),
             FIELD("CycleFrequency", TK_UW_U64));
    struct tk_uw_lane *lane = &w.uw.important;
    struct tk_uw_bytes *p = begin_event(lane, &trace);
    tk_uw_u32(p, 0);
    tk_uw_u16(p, 0x524D);
    tk_uw_end(lane, &trace);
    p = begin_event(lane, &timing);
    tk_uw_u64(p, 777);
    tk_uw_u64(p, 10);
    tk_uw_end(lane, &timing);
    check_written(&w, TK_FACT_MASK(CLOCK), "clock 777 10\n");
}
END_TEST

START_TEST(no_clock)
{
    struct written w;
    struct opened o;
    write_with(&w, (struct tk_uw_options){TK_UW_DEFAULTS});
    tk_uw_frame_begin(&w.uw, lane_of(&w, 2), 500, 0);
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(tell(&o, TK_FACT_MASK(CLOCK) | TK_FACT_MASK(FRAME)), "frame t2 begin 0 @500\n");
    ck_assert_uint_eq(ut(&o)->clock.frequency, 0);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

START_TEST(stalls)
{
    struct written w;
    struct opened o;
    write_begin(&w);
    REGISTER(&w, stall, 0, "$Trace", "TraceStall", FIELD("StartCycle", TK_UW_U64),
             FIELD("EndCycle", TK_UW_U64));
    struct tk_uw_bytes *p = begin_event(lane_of(&w, 2), &stall);
    tk_uw_u64(p, START + 10);
    tk_uw_u64(p, START + 90);
    tk_uw_end(lane_of(&w, 2), &stall);
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(tell(&o, TK_FACT_MASK(STALL)), "stall t2 @10 to 90\n");
    ck_assert_uint_eq(faults(&o, TK_HEALTH_TRACE_STALL), 1);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* ---- threads ---- */

/* Events 1.3: groups hold between begin and end; a thread keeps its first one; the last name wins;
 * names lose NULs. */
START_TEST(threads_and_groups)
{
    struct written w;
    write_begin(&w);
    tk_uw_thread_info(&w.uw, 2, 100, -1, "GameThread");
    tk_uw_group_begin(&w.uw, "Render");
    tk_uw_thread_info(&w.uw, 3, 101, 2, "RenderThread");
    tk_uw_thread_info(&w.uw, 2, 100, -1, "GameThread 2");
    tk_uw_group_begin(&w.uw, "Pool");
    tk_uw_thread_info(&w.uw, 4, 0, 0, "Worker #0");
    tk_uw_thread_info(&w.uw, 3, 101, 2, "RenderThread 0");
    tk_uw_group_end(&w.uw);
    tk_uw_thread_info(&w.uw, 5, 104, INT32_MAX, "Trace");
    tk_uw_thread_info(&w.uw, 0x12345678, 7, 0, "Far");
    tk_uw_thread_timing(&w.uw, lane_of(&w, 7), 5);
    check_written(&w, TK_FACT_MASK(THREAD),
                  "thread 2 \"GameThread\" group - system 100 hint -1\n"
                  "thread 3 \"RenderThread\" group \"Render\" system 101 hint 2\n"
                  "thread 2 \"GameThread 2\" group \"Render\" system 100 hint -1\n"
                  "thread 4 \"Worker #0\" group \"Pool\" system 0 hint 0\n"
                  "thread 3 \"RenderThread 0\" group \"Render\" system 101 hint 2\n"
                  "thread 5 \"Trace\" group - system 104 hint 2147483647\n"
                  "thread 305419896 \"Far\" group - system 7 hint 0\n"
                  "thread 7\n");
}
END_TEST

/* A thread named exactly RHIThread is in the group Render, whatever group is current. */
START_TEST(rhi_thread)
{
    struct written w;
    write_begin(&w);
    tk_uw_thread_info(&w.uw, 2, 1, 0, "RHIThread");
    tk_uw_thread_info(&w.uw, 3, 2, 0, "RHIThread2");
    tk_uw_group_begin(&w.uw, "Pool");
    tk_uw_thread_info(&w.uw, 4, 3, 0, "RHIThread");
    check_written(&w, TK_FACT_MASK(THREAD),
                  "thread 2 \"RHIThread\" group \"Render\" system 1 hint 0\n"
                  "thread 3 \"RHIThread2\" group - system 2 hint 0\n"
                  "thread 4 \"RHIThread\" group \"Render\" system 3 hint 0\n");
}
END_TEST

/* Without the field ThreadId the thread is the one that says it; a virtual thread has no system id. */
START_TEST(thread_forms)
{
    struct written w;
    write_begin(&w);
    REGISTER(&w, own, NOSYNC | AUX, "$Trace", "ThreadInfo", FIELD("SystemId", TK_UW_U32),
             FIELD("SortHint", TK_UW_I32), FIELD("Name", TK_UW_ANSI));
    struct tk_uw_lane *lane = lane_of(&w, 3);
    struct tk_uw_bytes *p = begin_event(lane, &own);
    tk_uw_u32(p, 44);
    tk_uw_u32(p, (uint32_t)-3);
    tk_uw_value(lane, &own, 2, "Own", 3);
    tk_uw_end(lane, &own);
    REGISTER(&w, virtual, IMPORTANT | AUX, "$Trace", "ThreadInfo", FIELD("ThreadId", TK_UW_U32),
             FIELD("SortHint", TK_UW_I32), FIELD("Name", TK_UW_ANSI));
    lane = &w.uw.important;
    p = begin_event(lane, &virtual);
    tk_uw_u32(p, 99);
    tk_uw_u32(p, 5);
    tk_uw_value(lane, &virtual, 2, "Lane", 5);
    tk_uw_end(lane, &virtual);
    check_written(
        &w, TK_FACT_MASK(THREAD) | TK_FACT_MASK(FRAME),
        "thread 99 \"Lane\" group - hint 5\nthread 3\nthread 3 \"Own\" group - system 44 hint -3\n");
}
END_TEST

/* Up to 4.25: numbers of the operating system, with the bias 0x70000000; groups nest by the creating thread.
 */
START_TEST(old_threads)
{
    struct written w;
    begin_old(&w);
    REGISTER(&w, game, NOSYNC, "Misc", "RegisterGameThread", FIELD("ThreadId", TK_UW_U32));
    REGISTER(&w, create, NOSYNC, "Misc", "CreateThread", FIELD("CurrentThreadId", TK_UW_U32),
             FIELD("CreatedThreadId", TK_UW_U32), FIELD("Priority", TK_UW_U32));
    REGISTER(&w, open, NOSYNC, "Misc", "BeginThreadGroupScope", FIELD("CurrentThreadId", TK_UW_U32));
    REGISTER(&w, shut, NOSYNC, "Misc", "EndThreadGroupScope", FIELD("CurrentThreadId", TK_UW_U32));
    struct tk_uw_lane *lane = lane_of(&w, 2);
    tk_uw_u32(begin_event(lane, &game), 10);
    tk_uw_end(lane, &game);
    static const struct {
        uint32_t creating, created;
        const char *group; /* opened before by `creating` */
        int closed;        /* afterwards */
    } steps[] = {
        {10, 20, "Outer", 0}, {10, 21, "Inner", 1}, {11, 22, NULL, 0}, {10, 23, NULL, 1}, {10, 24, NULL, 0}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].group) {
            tk_uw_u32(begin_event(lane, &open), steps[i].creating);
            tk_uw_text(&lane->pending, steps[i].group);
            tk_uw_end(lane, &open);
        }
        struct tk_uw_bytes *p = begin_event(lane, &create);
        tk_uw_u32(p, steps[i].creating);
        tk_uw_u32(p, steps[i].created);
        tk_uw_u32(p, 3);
        tk_uw_wide(p, "T");
        tk_uw_u16(p, (uint16_t)('0' + i));
        tk_uw_u16(p, 0);
        tk_uw_end(lane, &create);
        if (steps[i].closed) {
            tk_uw_u32(begin_event(lane, &shut), steps[i].creating);
            tk_uw_end(lane, &shut);
        }
    }
#define OS(id) (0x70000000 | (id))
    struct lines expected = {0};
    add_line(&expected, "thread %u \"GameThread\" group - system 10 hint -1\n", OS(10));
    add_line(&expected, "thread %u \"T0\" group \"Outer\" system 20 hint 3\n", OS(20));
    add_line(&expected, "thread %u \"T1\" group \"Inner\" system 21 hint 3\n", OS(21));
    add_line(&expected, "thread %u \"T2\" group - system 22 hint 3\n", OS(22));
    add_line(&expected, "thread %u \"T3\" group \"Outer\" system 23 hint 3\n", OS(23));
    add_line(&expected, "thread %u \"T4\" group - system 24 hint 3\nthread 2\n", OS(24));
    check_written(&w, TK_FACT_MASK(THREAD), expected.text);
    release_lines(&expected);
}
END_TEST

/* SetThreadGroup overrides the group (events 1.3). */
START_TEST(set_thread_group)
{
    struct written w;
    struct opened o;
    begin_old(&w);
    REGISTER(&w, game, NOSYNC, "Misc", "RegisterGameThread", FIELD("ThreadId", TK_UW_U32));
    REGISTER(&w, set, NOSYNC, "Misc", "SetThreadGroup", FIELD("ThreadId", TK_UW_U32));
    struct tk_uw_lane *lane = lane_of(&w, 2);
    tk_uw_u32(begin_event(lane, &game), 10);
    tk_uw_end(lane, &game);
    tk_uw_u32(begin_event(lane, &set), 10);
    tk_uw_text(&lane->pending, "Main");
    tk_uw_end(lane, &set);
    write_end(&w);
    open_written(&o, &w.bytes);
    const char *reported = tell(&o, TK_FACT_MASK(THREAD));
    ck_assert_ptr_nonnull(strstr(reported, "\"GameThread\" group \"Main\""));
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* ---- channels, session ---- */

START_TEST(channels)
{
    struct written w;
    write_begin(&w);
    tk_uw_channel_toggle(&w.uw, "cpu", true);
    tk_uw_channel_announce(&w.uw, "CpuChannel", true, false);
    tk_uw_channel_announce(&w.uw, "Log", false, true);
    tk_uw_channel_toggle(&w.uw, "cpu", false);
    check_written(&w, TK_FACT_MASK(CHANNEL),
                  "channel F94AF989 on -\n"
                  "channel F94AF989 on announced \"CpuChannel\"\n"
                  "channel 3F515151 off fixed announced \"Log\"\n"
                  "channel F94AF989 off -\n");
}
END_TEST

/* Before 4.26: another logger, the name attached. */
START_TEST(old_channels)
{
    struct written w;
    begin_old(&w);
    REGISTER(&w, announce, NOSYNC, "$Trace", "ChannelAnnounce", FIELD("Id", TK_UW_U32),
             FIELD("IsEnabled", TK_UW_U8));
    struct tk_uw_bytes *p = begin_event(lane_of(&w, 2), &announce);
    tk_uw_u32(p, 0xABC);
    tk_uw_u8(p, 1);
    tk_uw_raw(p, "Frame", 6);
    tk_uw_end(lane_of(&w, 2), &announce);
    check_written(&w, TK_FACT_MASK(CHANNEL), "channel 00000ABC on announced \"Frame\"\n");
}
END_TEST

START_TEST(session)
{
    struct written w;
    write_begin(&w);
    tk_uw_session2(&w.uw, &(struct tk_uw_session){.platform = "Linux",
                                                  .app = "Game",
                                                  .project = "P",
                                                  .command_line = "-x -y",
                                                  .branch = "main",
                                                  .build = "1.2",
                                                  .changelist = 77,
                                                  .configuration = 3,
                                                  .target = 1});
    struct opened o;
    write_end(&w);
    open_written(&o, &w.bytes);
    const char *reported = tell(&o, TK_FACT_MASK(SESSION));
    static const char *const lines[] = {
        "session Platform=\"Linux\"\n",    "session AppName=\"Game\"\n",    "session ProjectName=\"P\"\n",
        "session CommandLine=\"-x -y\"\n", "session Branch=\"main\"\n",     "session BuildVersion=\"1.2\"\n",
        "session Changelist=77\n",         "session ConfigurationType=3\n", "session TargetType=1\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(strstr(reported, lines[i]) != NULL, "%s is not in %s", lines[i], reported);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* Fields that are not known are carried too, arrays included. */
START_TEST(session_fields)
{
    struct written w;
    write_begin(&w);
    REGISTER(&w, type, IMPORTANT | AUX, "Diagnostics", "Session2", FIELD("InstanceId", TK_UW_U32S),
             FIELD("Novel", TK_UW_F64), FIELD("Name", TK_UW_WIDE));
    struct tk_uw_lane *lane = &w.uw.important;
    tk_uw_f64(begin_event(lane, &type), 2.5);
    tk_uw_value(lane, &type, 0, "\1\0\0\0\2\0\0\0", 8);
    tk_uw_value(lane, &type, 2, "h\0i\0", 4);
    tk_uw_end(lane, &type);
    check_written(&w, TK_FACT_MASK(SESSION),
                  "session InstanceId=[1,2]\nsession Novel=2.5\nsession Name=\"hi\"\n");
}
END_TEST

/* Up to 4.25: three texts in the attachment, at offsets; offsets beyond it give nothing. */
START_TEST(old_session)
{
    for (int far = 0; far < 2; far++) {
        struct written w;
        begin_old(&w);
        REGISTER(&w, type, NOSYNC, "Diagnostics", "Session", FIELD("AppNameOffset", TK_UW_U8),
                 FIELD("CommandLineOffset", TK_UW_U8), FIELD("ConfigurationType", TK_UW_U8),
                 FIELD("TargetType", TK_UW_U8));
        struct tk_uw_bytes *p = begin_event(lane_of(&w, 2), &type);
        tk_uw_raw(p, far ? "\x05\xFF\x03\x01" : "\x05\x09\x03\x01", 4);
        tk_uw_text(p, "LinuxGame-x");
        tk_uw_end(lane_of(&w, 2), &type);
        check_written(
            &w, TK_FACT_MASK(SESSION),
            far ? "session Platform=\"Linux\"\nsession AppName=\"Game-x\"\nsession CommandLine=\"\"\n"
                  "session ConfigurationType=3\nsession TargetType=1\n"
                : "session Platform=\"Linux\"\nsession AppName=\"Game\"\nsession CommandLine=\"-x\"\n"
                  "session ConfigurationType=3\nsession TargetType=1\n");
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        clock_first_counts, clock_on_a_thread, clock_of_timing, no_clock,       stalls,
        threads_and_groups, rhi_thread,        thread_forms,    old_threads,    set_thread_group,
        channels,           old_channels,      session,         session_fields, old_session};
    return RUN_TESTS("utrace families", tests);
}
