/*
 * Frames, regions, bookmarks and logs, in new and old forms, with definitions that come late or never;
 * records and counts of all events (events 3).
 */
#include "format/utrace/written.h"

/* ---- frames, regions ---- */

START_TEST(frames)
{
    struct written w;
    write_begin(&w);
    tk_uw_frame_begin(&w.uw, lane_of(&w, 2), START + 10, 0);
    tk_uw_frame_begin(&w.uw, lane_of(&w, 3), START + 15, 1);
    tk_uw_frame_end(&w.uw, lane_of(&w, 2), START + 20, 0);
    tk_uw_frame_begin(&w.uw, lane_of(&w, 2), START - 5, 0);
    check_written(&w, TK_FACT_MASK(FRAME),
                  "frame t2 begin 0 @10\nframe t2 end 0 @20\nframe t2 begin 0 @-5\nframe t3 begin 1 @15\n");
}
END_TEST

/* Up to 4.25: differences in varints, begin and end sharing a clock for each type; anew in each reading. */
START_TEST(old_frames)
{
    struct written w;
    struct opened o;
    begin_old(&w);
    struct tk_uw_lane *lane = lane_of(&w, 2);
    static const struct {
        const char *event;
        uint32_t cycles;
    } steps[] = {{"BeginGameFrame", 1000},
                 {"BeginRenderFrame", 500},
                 {"EndGameFrame", 300},
                 {"EndRenderFrame", 16384},
                 {"BeginGameFrame", 1}};
    struct tk_uw_type types[5];
    for (size_t i = 0; i < 5; i++) {
        types[i] = (struct tk_uw_type){.logger = "Misc", .event = steps[i].event};
        if (i < 4)
            tk_uw_register(&w.uw, &types[i]);
        else
            types[i] = types[0];
        tk_uw_varint(begin_event(lane, &types[i]), steps[i].cycles);
        tk_uw_end(lane, &types[i]);
    }
    tk_uw_u8(begin_event(lane, &types[0]), 0x80); /* half a varint */
    tk_uw_end(lane, &types[0]);
    write_end(&w);
    open_written(&o, &w.bytes);
    for (int reading = 0; reading < 2; reading++)
        check_text(tell(&o, TK_FACT_MASK(FRAME)),
                   "frame t2 begin 0 @1000\nframe t2 begin 1 @500\nframe t2 end 0 @1300\n"
                   "frame t2 end 1 @16884\nframe t2 begin 0 @1301\n");
    ck_assert_uint_gt(faults(&o, TK_HEALTH_PAYLOAD_DAMAGED), 0);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

START_TEST(regions)
{
    struct written w;
    write_begin(&w);
    struct tk_uw_lane *lane = lane_of(&w, 2);
    tk_uw_region_begin(&w.uw, lane, START + 1, "Load", "Cat");
    tk_uw_region_begin(&w.uw, lane, START + 2, "Empty", "");
    tk_uw_region_end(&w.uw, lane, START + 3, "Load");
    tk_uw_region_begin_id(&w.uw, lane, START + 4, "Id", "Cat");
    tk_uw_region_end_id(&w.uw, lane, START + 5, START + 4);
    check_written(&w, TK_FACT_MASK(REGION),
                  "region t2 begin @1 \"Load\" \"Cat\"\nregion t2 begin @2 \"Empty\" \"\"\nregion t2 end @3 "
                  "\"Load\" -\n"
                  "region t2 begin @4 id 1004 \"Id\" \"Cat\"\nregion t2 end @5 id 1004 - -\n");
}
END_TEST

/* ---- bookmarks, logs ---- */

static struct tk_uw_bytes arguments(const char *text, uint32_t number)
{
    struct tk_uw_args args = {0};
    struct tk_uw_bytes out = {0};
    tk_uw_arg_wide(&args, text);
    tk_uw_arg_int(&args, 4, number);
    tk_uw_args_put(&args, &out);
    tk_uw_args_release(&args);
    return out;
}

START_TEST(bookmarks)
{
    struct written w;
    struct tk_uw_bytes args = arguments("map", 5), none = {0};
    write_begin(&w);
    tk_uw_bookmark_spec(&w.uw, 0x7FFF00001000, 12, "Load %s %d", "a.cpp");
    tk_uw_bookmark_spec(&w.uw, 8, 13, "Plain %s", "b.cpp");
    tk_uw_bookmark(&w.uw, lane_of(&w, 2), START + 1, 0x7FFF00001000, &args);
    tk_uw_bookmark(&w.uw, lane_of(&w, 2), START + 2, 8, &none);
    check_written(&w, TK_FACT_MASK(BOOKMARK),
                  "bookmark t2 @1 \"a.cpp\":12 \"Load map 5\"\nbookmark t2 @2 \"b.cpp\":13 \"Plain %s\"\n");
    tk_uw_bytes_release(&args);
}
END_TEST

/* A spec on a thread, after its bookmark: the bookmark waits. Never: its arguments' first text. */
START_TEST(late_bookmark_spec)
{
    struct written w;
    struct opened o;
    struct tk_uw_bytes args = arguments("map", 5);
    write_begin(&w);
    REGISTER(&w, spec, NOSYNC | AUX, "Misc", "BookmarkSpec", FIELD("BookmarkPoint", TK_UW_U64),
             FIELD("Line", TK_UW_I32), FIELD("FormatString", TK_UW_WIDE), FIELD("FileName", TK_UW_ANSI));
    tk_uw_bookmark(&w.uw, lane_of(&w, 2), START + 1, 8, &args);
    tk_uw_bookmark(&w.uw, lane_of(&w, 2), START + 2, 9, &args);
    send_lane(&w, 2);
    struct tk_uw_lane *lane = lane_of(&w, 3);
    struct tk_uw_bytes *p = begin_event(lane, &spec);
    tk_uw_u64(p, 8);
    tk_uw_u32(p, 3);
    tk_uw_value(lane, &spec, 2, "L\0 \0%\0s\0", 8);
    tk_uw_value(lane, &spec, 3, "f", 1);
    tk_uw_end(lane, &spec);
    tk_uw_bookmark(&w.uw, lane, START + 3, 8, &args);
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(tell(&o, TK_FACT_MASK(BOOKMARK)),
               "bookmark t3 @3 \"f\":3 \"L map\"\nbookmark t2 @1 \"f\":3 \"L map\"\n"
               "bookmark t2 @2 -:0 \"map\"\n");
    ck_assert_uint_eq(faults(&o, TK_HEALTH_DEFINITION_MISSING), 1);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
    tk_uw_bytes_release(&args);
}
END_TEST

/* Old specs: a narrow file name, NUL, a wide format attached; old arguments attached. */
START_TEST(old_bookmarks)
{
    struct written w;
    struct tk_uw_bytes args = arguments("map", 5);
    begin_old(&w);
    REGISTER(&w, spec, NOSYNC, "Misc", "BookmarkSpec", FIELD("BookmarkPoint", TK_UW_U64),
             FIELD("Line", TK_UW_U32));
    REGISTER(&w, mark, 0, "Misc", "Bookmark", FIELD("Cycle", TK_UW_U64), FIELD("BookmarkPoint", TK_UW_U64));
    struct tk_uw_lane *lane = lane_of(&w, 2);
    struct tk_uw_bytes *p = begin_event(lane, &spec);
    tk_uw_u64(p, 8);
    tk_uw_u32(p, 3);
    tk_uw_raw(p, "file.cpp", 9);
    tk_uw_wide(p, "L %s %d");
    tk_uw_u16(p, 0);
    tk_uw_end(lane, &spec);
    p = begin_event(lane, &mark);
    tk_uw_u64(p, 70);
    tk_uw_u64(p, 8);
    tk_uw_raw(p, args.data, args.size);
    tk_uw_end(lane, &mark);
    check_written(&w, TK_FACT_MASK(BOOKMARK), "bookmark t2 @70 \"file.cpp\":3 \"L map 5\"\n");
    tk_uw_bytes_release(&args);
}
END_TEST

/* Low four bits are the level; 0x40 is a pseudo message, 0x80 is passed over. */
START_TEST(logs)
{
    static const uint8_t verbosities[] = {1, 5, 7, 0x45, 0x82};
    struct written w;
    struct tk_uw_bytes args = arguments("map", 5);
    write_begin(&w);
    tk_uw_log_category(&w.uw, 100, 5, "LogTemp");
    for (uint32_t i = 0; i < 5; i++)
        tk_uw_log_spec(&w.uw, 200 + i, 100, 10 + (int32_t)i, verbosities[i], "l.cpp", "%s=%d");
    for (uint32_t i = 0; i < 5; i++)
        tk_uw_log(&w.uw, lane_of(&w, 2), START + i, 200 + i, &args);
    check_written(
        &w, TK_FACT_MASK(LOG),
        "log \"LogTemp\" 1 t2 @0 \"l.cpp\":10 \"map=5\"\nlog \"LogTemp\" 5 t2 @1 \"l.cpp\":11 \"map=5\"\n"
        "log \"LogTemp\" 7 t2 @2 \"l.cpp\":12 \"map=5\"\nlog \"LogTemp\" 2 t2 @4 \"l.cpp\":14 \"map=5\"\n");
    tk_uw_bytes_release(&args);
}
END_TEST

/* A category that comes after its points, one that never comes, a point that never comes. */
START_TEST(late_categories)
{
    struct written w;
    struct opened o;
    struct tk_uw_bytes args = arguments("map", 5);
    write_begin(&w);
    tk_uw_log_spec(&w.uw, 200, 100, 10, 5, "l.cpp", "%s=%d");
    tk_uw_log_spec(&w.uw, 201, 101, 11, 5, "l.cpp", "%d");
    tk_uw_log_category(&w.uw, 100, 5, "Late");
    tk_uw_log(&w.uw, lane_of(&w, 2), START + 1, 200, &args);
    tk_uw_log(&w.uw, lane_of(&w, 2), START + 2, 201, &args);
    tk_uw_log(&w.uw, lane_of(&w, 2), START + 3, 999, &args);
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(tell(&o, TK_FACT_MASK(LOG)), "log \"Late\" 5 t2 @1 \"l.cpp\":10 \"map=5\"\n"
                                            "log - 5 t2 @2 \"l.cpp\":11 \"0\"\nlog - 0 t2 @3 -:0 \"map\"\n");
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
    tk_uw_bytes_release(&args);
}
END_TEST

START_TEST(pending_limit)
{
    struct written w;
    struct opened o;
    struct tk_uw_bytes args = arguments("map", 5);
    write_begin(&w);
    for (uint32_t i = 0; i < 10; i++)
        tk_uw_log(&w.uw, lane_of(&w, 2), START + i, 999, &args);
    write_end(&w);
    prepare(&o, w.bytes.data, w.bytes.size, 1);
    o.ctx.limits.pending_logs = 4;
    open_prepared(&o);
    size_t lines = 0;
    for (const char *p = tell(&o, TK_FACT_MASK(LOG)); *p; p++)
        lines += *p == '\n';
    ck_assert_uint_eq(lines, 4);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_LIMIT_REACHED), 6);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
    tk_uw_bytes_release(&args);
}
END_TEST

/* ---- records ---- */

/* Patterns choose; all events are counted whoever is requested; a time where a field says one. */
START_TEST(patterns)
{
    static const char *const names[] = {"Misc.*Frame", "$Trace.NewTrace"};
    struct tk_request request = {
        .facts = TK_FACT_MASK(RECORD) | TK_FACT_MASK(RECORD_COUNT), .events = names, .n_events = 2};
    struct written w;
    struct opened o;
    write_begin(&w);
    tk_uw_frame_begin(&w.uw, lane_of(&w, 2), START + 10, 0);
    tk_uw_frame_end(&w.uw, lane_of(&w, 2), START + 20, 0);
    tk_uw_region_end(&w.uw, lane_of(&w, 2), START + 3, "Load");
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(
        say_requested(&o, &request),
        "t1 $Trace.NewTrace StartCycle=1000 CycleFrequency=1000000 Endian=21069 PointerSize=8 @0\n"
        "t2 #0 Misc.BeginFrame Cycle=1010 FrameType=0 @10\nt2 #1 Misc.EndFrame Cycle=1020 FrameType=0 @20\n"
        "count $Trace.NewTrace 1, 23 bytes\ncount Misc.BeginFrame 1, 14 bytes\ncount Misc.EndFrame 1, 14 "
        "bytes\n"
        "count Misc.RegionEnd 1, 26 bytes\n");
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* Important events behind a lost packet are reported as records just as they are taken as definitions, few as
 * they are. */
START_TEST(records_after_a_break)
{
    for (unsigned order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        struct written w;
        struct opened o;
        write_begin(&w);
        tk_uw_lane_flush(&w.uw.important);
        size_t at = w.bytes.size;
        for (uint32_t i = 0; i < 60; i++)
            tk_uw_channel_toggle(&w.uw, "lost", i % 2);
        tk_uw_lane_flush(&w.uw.important);
        size_t end = w.bytes.size;
        tk_uw_channel_toggle(&w.uw, "cpu", true);
        write_end(&w);
        while (w.bytes.data[at + 3] != 0x80) /* behind the declaration of the toggle */
            at += (size_t)(w.bytes.data[at] | w.bytes.data[at + 1] << 8);
        memset(w.bytes.data + at + 6, 0xFF, end - at - 6);
        open_written(&o, &w.bytes);
        check_text(tell_in_order(&o, TK_FACT_MASK(RECORD) | TK_FACT_MASK(CHANNEL), order),
                   "channel F94AF989 on -\n"
                   "t1 $Trace.NewTrace StartCycle=1000 CycleFrequency=1000000 Endian=21069 PointerSize=8 @0\n"
                   "t1 Trace.ChannelToggle Id=4182440329 IsEnabled=1\n");
        close_opened(&o);
        tk_uw_bytes_release(&w.bytes);
    }
}
END_TEST

START_TEST(streams)
{
    struct written w;
    struct opened o;
    write_begin(&w);
    tk_uw_frame_begin(&w.uw, lane_of(&w, 2), START + 10, 0);
    send_lane(&w, 2);
    tk_uw_frame_end(&w.uw, lane_of(&w, 2), START + 20, 0);
    write_end(&w);
    open_written(&o, &w.bytes);
    const char *reported = tell(&o, TK_FACT_MASK(STREAM) | TK_FACT_MASK(RECORD_COUNT));
    ck_assert_ptr_nonnull(strstr(reported, "stream 2: 2 packets, 36 bytes, 28 unpacked, 2 events\n"));
    ck_assert_ptr_nonnull(strstr(reported, "stream 1: 1 packets, 27 bytes, 23 unpacked, 1 events\n"));
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* A second reading says the same. */
START_TEST(two_readings)
{
    const uint64_t facts =
        TK_FACT_DEFINITIONS | TK_FACT_MASK(LOG) | TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(RECORD);
    struct written w;
    struct opened o;
    struct tk_uw_bytes args = arguments("map", 5);
    write_begin(&w);
    tk_uw_thread_info(&w.uw, 2, 1, 0, "T");
    tk_uw_log_spec(&w.uw, 200, 100, 10, 5, "l.cpp", "%s=%d");
    tk_uw_log(&w.uw, lane_of(&w, 2), START + 1, 200, &args);
    tk_uw_log(&w.uw, lane_of(&w, 2), START + 1, 300, &args);
    tk_uw_bookmark(&w.uw, lane_of(&w, 2), START + 2, 9, &args);
    write_end(&w);
    open_written(&o, &w.bytes);
    char *first = strdup(tell(&o, facts));
    check_text(tell(&o, facts), first);
    free(first);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
    tk_uw_bytes_release(&args);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        frames,      old_frames,      regions,       bookmarks, late_bookmark_spec,    old_bookmarks,
        logs,        late_categories, pending_limit, patterns,  records_after_a_break, streams,
        two_readings};
    return RUN_TESTS("utrace messages", tests);
}
