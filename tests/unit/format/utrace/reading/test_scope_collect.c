/*
 * Scopes of whole captures: batches of all forms, stamped scopes merged with them, cuts, ends of threads,
 * virtual threads (events 2.3 to 2.6). Times count from the clock's start at 1000.
 */
#include "format/utrace/scopes_written.h"

/* ---- batches ---- */

/* All three forms in one capture; timers 1, 2, 3 have the ids 0, 1, 2. */
START_TEST(forms)
{
    struct written w;
    begin(&w);
    for (unsigned version = 1; version <= 3; version++) {
        struct tk_uw_cpu cpu;
        tk_uw_cpu_init(&cpu, &w.uw, lane_of(&w, 1 + version), version);
        tk_uw_cpu_begin(&cpu, START + 10, 1);
        tk_uw_cpu_begin(&cpu, START + 20, 2);
        tk_uw_cpu_end(&cpu, START + 25);
        tk_uw_cpu_end(&cpu, START + 40);
        tk_uw_cpu_begin(&cpu, START + 1000000, 3);
        tk_uw_cpu_end(&cpu, START + 1000000);
    }
    check_written(&w, SCOPES,
                  "scopes t2: +0@10 +1@20 -@25 -@40 +2@1000000 -@1000000\n"
                  "scopes t3: +0@10 +1@20 -@25 -@40 +2@1000000 -@1000000\n"
                  "scopes t4: +0@10 +1@20 -@25 -@40 +2@1000000 -@1000000\n");
}
END_TEST

/* The forms in turn on one thread, as after an update of the engine. */
START_TEST(forms_of_one_thread)
{
    struct written w;
    begin(&w);
    for (unsigned version = 1; version <= 3; version++) {
        struct tk_uw_cpu cpu;
        tk_uw_cpu_init(&cpu, &w.uw, lane_of(&w, 2), version);
        tk_uw_cpu_begin(&cpu, START + version * 100, version);
        tk_uw_cpu_end(&cpu, START + version * 100 + 5);
    }
    check_written(&w, SCOPES, "scopes t2: +0@100 -@105 +1@200 -@205 +2@300 -@305\n");
}
END_TEST

/* Batches of 240 bytes: the first entry of each has the time itself. */
START_TEST(many_batches)
{
    struct written w;
    struct tk_uw_cpu cpu;
    struct lines expected = {0};
    begin(&w);
    tk_uw_cpu_init(&cpu, &w.uw, lane_of(&w, 2), 3);
    add_line(&expected, "scopes t2:");
    for (unsigned i = 0; i < 500; i++) {
        tk_uw_cpu_begin(&cpu, START + i * 7, 1 + i % 3);
        add_line(&expected, " +%u@%u", i % 3, i * 7);
    }
    for (unsigned i = 500; i < 1000; i++) {
        tk_uw_cpu_end(&cpu, START + i * 7);
        add_line(&expected, " -@%u", i * 7);
    }
    add_line(&expected, "\n");
    check_written(&w, SCOPES, expected.text);
    release_lines(&expected);
}
END_TEST

/* A first entry below the start of the clock counts from it (rule 2 of 2.3). By hand: 10 << 2 | 1, 1 << 1; 5
 * << 2. */
START_TEST(relative_batch)
{
    struct written w;
    begin(&w);
    BATCH(&w, 2, "\x29\x02\x14");
    check_written(&w, SCOPES, "scopes t2: +0@10 -@15\n");
}
END_TEST

START_TEST(coroutines)
{
    struct written w;
    struct tk_uw_cpu cpu;
    begin(&w);
    tk_uw_cpu_init(&cpu, &w.uw, lane_of(&w, 2), 2);
    tk_uw_cpu_begin(&cpu, START + 10, 1);
    tk_uw_cpu_resume(&cpu, START + 20, 99, 2);
    tk_uw_cpu_begin(&cpu, START + 25, 2);
    tk_uw_cpu_suspend(&cpu, START + 30, 3);
    tk_uw_cpu_end(&cpu, START + 40);
    check_written(&w, SCOPES | TIMERS,
                  "timer 0 spec \"a\" \"f\":1\ntimer 1 spec \"b\" \"f\":2\ntimer 2 spec \"c\" \"f\":3\n"
                  "timer 3 coroutine \"Coroutine\"\ntimer 4 coroutine \"<unknown>\"\n"
                  "scopes t2: +0@10 +3@20 +4@20 +4@20 +1@25 -@30 -@30 -@30 -@30 -@40\n");
}
END_TEST

/* A damaged batch: what stands before the fault is reported, the next batch too. */
START_TEST(damaged_batch)
{
    struct written w;
    struct opened o;
    begin(&w);
    BATCH(&w, 2, "\x29\x02\x14\x21\x80");
    BATCH(&w, 2, "\x79\x04\x14");
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(tell(&o, SCOPES), "scopes t2: +0@10 -@15 +1@30 -@35\n");
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PAYLOAD_DAMAGED), 1);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* ---- threads ---- */

/* A batch of a lane names the thread whose scopes it holds. */
START_TEST(virtual_threads)
{
    struct written w;
    begin(&w);
    tk_uw_register(&w.uw, &lane_batch);
    put_batch(&w, 2, &lane_batch, "\x29\x01\x14", 3);
    BATCH(&w, 2, "\x2D\x04\x14");
    put_batch(&w, 3, &lane_batch, "\x79\x02\x14", 3);
    check_written(&w, SCOPES, "scopes t77: +0@10 -@15 +1@30 -@35\nscopes t2: +1@11 -@16\n");
}
END_TEST

/* Up to 4.24 a number of the operating system; in protocol 0, which has no threads, the number itself. */
START_TEST(old_threads)
{
    static const struct tk_uw_field fields[] = {{.name = "ThreadId", .type = TK_UW_U32}};
    for (uint8_t protocol = 0; protocol <= 3; protocol += 3) {
        struct tk_uw_type old = {
            .logger = "CpuProfiler", .event = "EventBatch", TK_UW_FIELDS(fields), .flags = TK_UW_NOSYNC};
        struct written w;
        write_with(&w, (struct tk_uw_options){
                           .form = TK_UW_ECRT, .transport = protocol ? 3 : 1, .protocol = protocol});
        tk_uw_register(&w.uw, &old);
        for (uint32_t thread = 0; thread <= 5; thread += 5) {
            struct tk_uw_lane *lane = lane_of(&w, 3);
            tk_uw_begin(lane, &old);
            tk_uw_u32(&lane->pending, thread);
            tk_uw_raw(&lane->pending, "\x15\x09\x0A", 3); /* 10 << 1 | 1, 9; 5 << 1 */
            tk_uw_end(lane, &old);
        }
        check_written(&w, SCOPES,
                      protocol ? "scopes t3: +0@10 -@15\nscopes t1879048197: +0@10 -@15\n"
                               : "scopes t0: +0@10 -@15\nscopes t5: +0@10 -@15\n");
    }
}
END_TEST

/* What a thread writes after its end is dropped and reported. */
START_TEST(end_of_thread)
{
    struct written w;
    struct opened o;
    begin(&w);
    BATCH(&w, 2, "\x29\x02\x14");
    tk_uw_cpu_end_thread(&w.uw, lane_of(&w, 2), START + 50);
    BATCH(&w, 2, "\x79\x04\x14");
    BATCH(&w, 3, "\x79\x04\x14");
    write_end(&w);
    open_written(&o, &w.bytes);
    const char *reported = tell(&o, SCOPES);
    ck_assert_ptr_nonnull(strstr(reported, "scopes t2: +0@10 -@15"));
    ck_assert_ptr_null(strstr(reported, "-@15 +1@30"));
    ck_assert_ptr_nonnull(strstr(reported, "scopes t3: +1@30 -@35\n"));
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SCOPE_AFTER_END), 1);
    ck_assert(!tk_health_damaged(&o.ctx.health));
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* Up to 5.0 the last batch of a thread says that it is the last. */
START_TEST(end_of_capture)
{
    struct written w;
    struct opened o;
    struct tk_uw_type end;
    begin(&w);
    end = batch;
    end.event = "EndCapture";
    tk_uw_register(&w.uw, &end);
    put_batch(&w, 2, &end, "\x15\x01\x0A", 3); /* form 1 */
    BATCH(&w, 2, "\x79\x04\x14");
    write_end(&w);
    open_written(&o, &w.bytes);
    const char *reported = tell(&o, SCOPES);
    ck_assert_ptr_nonnull(strstr(reported, "scopes t2: +0@10 -@15"));
    ck_assert_ptr_null(strstr(reported, "+1@30"));
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SCOPE_AFTER_END), 1);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

static bool only_three(void *ctx, uint32_t thread)
{
    (void)ctx;
    return thread == 3;
}

START_TEST(wanted_threads)
{
    struct tk_request request = {.facts = SCOPES, .want_thread = only_three};
    struct written w;
    struct opened o;
    begin(&w);
    BATCH(&w, 2, "\x29\x02\x14");
    BATCH(&w, 3, "\x79\x04\x14");
    enter(&w, 2, 100);
    enter(&w, 3, 200);
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(say_requested(&o, &request), "scopes t3: +1@30 -@35 +s3@200\n");
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* ---- stamped scopes among batches ---- */

/* events 2.5: of equal times a stamped record goes before a begin and after an end. */
START_TEST(ties)
{
    struct written w;
    begin(&w);
    enter(&w, 2, 10);
    leave(&w, 2, 15);
    enter(&w, 2, 15);
    leave(&w, 2, 20);
    BATCH(&w, 2, "\x29\x02\x14\x15\x04\x00"); /* +0@10 -@15 +1@20 -@20 */
    check_written(&w, SCOPES, "scopes t2: +s3@10 +0@10 -@15 -s@15 +s3@15 -s@20 +1@20 -@20\n");
}
END_TEST

/* Between, before and behind; a batch comes in the stream after its contents in time. */
START_TEST(merged)
{
    struct written w;
    begin(&w);
    enter(&w, 2, 1);
    leave(&w, 2, 2);
    enter(&w, 2, 12);
    leave(&w, 2, 13);
    enter(&w, 2, 18);
    BATCH(&w, 2, "\x29\x02\x28"); /* +0@10 -@20 */
    leave(&w, 2, 25);
    enter(&w, 2, 31);
    BATCH(&w, 2, "\x79\x04\x28"); /* +1@30 -@40 */
    leave(&w, 2, 50);
    check_written(&w, SCOPES,
                  "scopes t2: +s3@1 -s@2 +0@10 +s3@12 -s@13 +s3@18 -@20 -s@25 +1@30 +s3@31 -@40 -s@50\n");
}
END_TEST

/* Stamped scopes alone, in several packets. */
START_TEST(only_stamped)
{
    struct written w;
    begin(&w);
    enter(&w, 2, 1);
    send_lane(&w, 2);
    enter(&w, 3, 2);
    send_lane(&w, 3);
    leave(&w, 2, 3);
    check_written(&w, SCOPES | TIMERS,
                  "timer 0 spec \"a\" \"f\":1\ntimer 1 spec \"b\" \"f\":2\ntimer 2 spec \"c\" \"f\":3\n"
                  "timer 3 scoped \"Cpu.Work\"\nscopes t2: +s3@1 -s@3\nscopes t3: +s3@2\n");
}
END_TEST

/* The batch of a stamped record may come many packets later; across the stretches that a reading makes. */
START_TEST(far_batch)
{
    struct written w;
    struct lines expected = {0};
    begin(&w);
    enter(&w, 2, 12);
    send_lane(&w, 2);
    for (unsigned i = 0; i < 9000; i++) {
        BATCH(&w, 3, "\x29\x02\x14");
        send_lane(&w, 3);
    }
    leave(&w, 2, 13);
    BATCH(&w, 2, "\x29\x02\x28");
    add_line(&expected, "scopes t2: +0@10 +s3@12 -s@13 -@20\nscopes t3:");
    for (unsigned i = 0; i < 9000; i++)
        add_line(&expected, " +0@10 -@15");
    add_line(&expected, "\n");
    check_written(&w, SCOPES, expected.text);
    release_lines(&expected);
}
END_TEST

/* No more wait than the limit allows. */
START_TEST(too_many_waiting)
{
    struct written w;
    struct opened o;
    begin(&w);
    for (unsigned i = 0; i < 100; i++) {
        enter(&w, 2, 2 * i);
        leave(&w, 2, 2 * i + 1);
    }
    send_lane(&w, 2);
    for (unsigned i = 0; i < 9000; i++) { /* more than one stretch */
        BATCH(&w, 3, "\x29\x02\x14");
        send_lane(&w, 3);
    }
    BATCH(&w, 2, "\x29\x02\x28");
    write_end(&w);
    prepare(&o, w.bytes.data, w.bytes.size, 1);
    o.ctx.limits.pending_scopes = 50;
    open_prepared(&o);
    const char *reported = tell(&o, SCOPES);
    size_t begins = 0;
    for (const char *p = reported; (p = strstr(p, "+s3@")) != NULL; p++)
        begins++;
    ck_assert_uint_eq(begins, 100);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* ---- cuts ---- */

/* A packet that cannot be unpacked: a cut at its place, among batches and stamped records. */
START_TEST(cut_lane)
{
    for (unsigned order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        struct written w;
        struct opened o;
        begin(&w);
        enter(&w, 2, 12);
        BATCH(&w, 2, "\x29\x02\x28");
        enter(&w, 2, 22);
        tk_uw_lane_flush(&w.uw.news);
        tk_uw_lane_flush(&w.uw.important);
        send_lane(&w, 2);
        size_t at = w.bytes.size;
        for (unsigned i = 0; i < 80; i++)
            put_work(&w, 2);
        send_lane(&w, 2);
        BATCH(&w, 2, "\x79\x04\x28");
        leave(&w, 2, 23); /* of nothing: its begin was before the cut */
        enter(&w, 2, 50);
        BATCH(&w, 3, "\x79\x04\x28");
        write_end(&w);
        ck_assert(w.bytes.data[at + 3] & 0x80);
        memset(w.bytes.data + at + 6, 0xFF, 30);
        open_written(&o, &w.bytes);
        check_text(tell_in_order(&o, SCOPES, order),
                   "scopes t2: +0@10 +s3@12 -@20 +s3@22 cut +1@30 -@40 +s3@50\nscopes t3: +1@30 -@40\n");
        close_opened(&o);
        tk_uw_bytes_release(&w.bytes);
    }
}
END_TEST

/* Bytes that are no packets cut all threads that came before. */
START_TEST(cut_all)
{
    struct written w;
    struct opened o;
    begin(&w);
    BATCH(&w, 2, "\x29\x02\x28");
    BATCH(&w, 3, "\x29\x02\x28");
    write_end(&w);
    size_t at = w.bytes.size;
    tk_uw_raw(&w.bytes, "\xFF\xFF\xFF\xFF\xFF", 5);
    struct tk_uw_sink sink;
    struct tk_uw_packets packets = {.sink = &sink, .transport = 4, .packing = TK_UW_PLAIN};
    tk_uw_sink_memory(&sink, &w.bytes);
    for (uint16_t tid = 2; tid < 6; tid++) {
        uint8_t event[] = {(uint8_t)(batch.uid * 2 + 1), 0, 0x02, 0x60, 0, 0, 0x79, 0x04, 0x28, 0x06};
        tk_uw_packet(&packets, tid, event, sizeof event);
    }
    for (unsigned order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        open_written(&o, &w.bytes);
        check_text(tell_in_order(&o, SCOPES, order),
                   "scopes t2: +0@10 -@20 cut +1@30 -@40\nscopes t3: +0@10 -@20 cut +1@30 -@40\n"
                   "scopes t4: +1@30 -@40\nscopes t5: +1@30 -@40\n");
        ck_assert_uint_eq(o.ctx.health.items[0].offset, at);
        close_opened(&o);
    }
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        forms,           forms_of_one_thread, many_batches,  relative_batch,   coroutines,     damaged_batch,
        virtual_threads, old_threads,         end_of_thread, end_of_capture,   wanted_threads, ties,
        merged,          only_stamped,        far_batch,     too_many_waiting, cut_lane,       cut_all};
    return RUN_TESTS("utrace scopes", tests);
}
