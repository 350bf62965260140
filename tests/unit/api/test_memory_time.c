/* Memory and time: markers, moments, windows, selections, frames; and damage and limits. Expectations are
 * worked out by hand. */
#include "memory_put.h"

/* ---- time ---- */

static void write_times(void)
{
    alloc(0, 16, 8); /* before the first marker: has its time */
    marker(0, 100);
    alloc(0, 32, 8);
    marker(1, 50); /* goes backwards: ignored */
    alloc(0, 48, 8);
    marker(0, 200);
    alloc(0, 64, 8);
    marker(0, 200 + 300000); /* 5 minutes: ignored */
    alloc(0, 80, 8);
    release(0, 16);
    marker(0, 300);
    release(0, 32);
    captured_close(capture);
}

START_TEST(time_is_that_of_the_latest_marker)
{
    write_times();
    ck_assert_str_eq(captured_table(capture, "allocations", "address,time"), "48|1100\n64|1200\n80|1200\n");
    ck_assert_uint_eq(captured_faults(capture, "allocations", "time_backwards"), 1);
    ck_assert_uint_eq(captured_faults(capture, "allocations", "time_unreliable"), 1);
}
END_TEST

START_TEST(alive_at_a_moment)
{
    static const struct {
        int64_t ms;
        const char *alive;
    } moments[] = {{99, ""},
                   {100, "16|1100\n32|1100\n48|1100\n"},
                   {199, "16|1100\n32|1100\n48|1100\n"},
                   {200, "32|1100\n48|1100\n64|1200\n80|1200\n"},
                   {300, "48|1100\n64|1200\n80|1200\n"},
                   {9000, "48|1100\n64|1200\n80|1200\n"}};
    write_times();
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        capture->memory = (struct tk_memory_query){.has_at = true, .at_ns = moments[i].ms * 1000000};
        ck_assert_str_eq(captured_table(capture, "allocations", "address,time"), moments[i].alive);
    }
    capture->memory = (struct tk_memory_query){.has_at = true, .at_ns = 100000000};
    capture->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(capture, "memory", "by,alive_bytes,alive_count,peak_bytes,allocs,frees"),
                     "total|24|3|40|5|2\nheap|24|3|40|5|2\n");
}
END_TEST

static void between(int64_t from_ms, int64_t to_ms)
{
    capture->memory = (struct tk_memory_query){.has_at = false};
    capture->select = (struct tk_selection){
        .has_from = true, .from_ns = from_ms * 1000000, .has_to = true, .to_ns = to_ms * 1000000};
}

#define GROWTH                                                                                               \
    "by,growth_bytes,growth_count,from_bytes,from_count,to_bytes,to_count,kept_bytes,kept_count,churn_"      \
    "bytes,churn_count,"                                                                                     \
    "peak_bytes,peak_time,grain"

/* Steps have the time of the mark before them. Alive before 150: 16 and 32; before 350: 32, 64 and 80. */
START_TEST(between_two_moments)
{
    alloc(0, 16, 8);
    marker(0, 100);
    alloc(0, 32, 8);
    marker(0, 200);
    alloc(0, 48, 100);
    alloc(0, 64, 8); /* 124 bytes: the most */
    release(0, 16);
    marker(0, 300);
    release(0, 48);
    alloc(0, 80, 50);
    marker(0, 400);
    release(0, 80);
    captured_close(capture);
    capture->by = TK_BY_HEAP;
    between(150, 350);
    ck_assert_str_eq(captured_table(capture, "memory_growth", GROWTH),
                     "total|50|1|16|2|66|3|58|2|100|1|124|1200|100\n"
                     "heap|50|1|16|2|66|3|58|2|100|1|124|1200|100\n");
    /* the other tables speak of the second moment, too */
    ck_assert_str_eq(captured_table(capture, "memory", "by,alive_bytes,alive_count,peak_bytes"),
                     "total|66|3|124\nheap|66|3|124\n");
    between(210, 290); /* nothing happens */
    ck_assert_str_eq(captured_table(capture, "memory_growth", GROWTH),
                     "total|0|0|116|3|116|3|0|0|0|0|116|1210|100\n"
                     "heap|0|0|116|3|116|3|0|0|0|0|116|1210|100\n");
    between(500, 600); /* behind all of it */
    ck_assert_str_eq(captured_table(capture, "memory_growth", "by,growth_bytes,from_bytes,to_bytes"),
                     "total|0|16|16\nheap|0|16|16\n");
    capture->select = (struct tk_selection){.has_from = false};
    ck_assert_str_eq(captured_table(capture, "memory_growth", GROWTH),
                     "total|16|2|0|0|16|2|16|2|158|3|124|1200|0\n"
                     "heap|16|2|0|0|16|2|16|2|158|3|124|1200|0\n");
}
END_TEST

/* Allocated in [A, B) and alive at C. */
START_TEST(allocated_in_a_window)
{
    write_times();
    capture->memory = (struct tk_memory_query){.has_window = true, .from_ns = 100000000, .to_ns = 200000000};
    ck_assert_str_eq(captured_table(capture, "allocations", "address,time"), "48|1100\n");
    capture->memory.has_at = true;
    capture->memory.at_ns = 200000000;
    ck_assert_str_eq(captured_table(capture, "allocations", "address,time"), "32|1100\n48|1100\n");
    capture->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(capture, "memory", "by,alive_bytes,allocs"), "total|16|5\nheap|16|5\n");
}
END_TEST

/* Lane 0 has the callstack 70, lane 1 the callstack 71. */
START_TEST(leaks_of_windows_and_selections)
{
    marker(0, 50);
    alloc(0, 16, 8);
    marker(0, 100);
    alloc(1, 32, 16);
    alloc(0, 48, 24);
    alloc(0, 64, 40);
    alloc(0, 80, 80);
    release(0, 80);
    marker(0, 200);
    alloc(1, 96, 160);
    marker(0, 300);
    release(0, 48);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "leaks", "bytes,count,callstack_id"), "176|2|71\n48|2|70\n");
    capture->memory = (struct tk_memory_query){.has_window = true, .from_ns = 100000000, .to_ns = 200000000};
    ck_assert_str_eq(captured_table(capture, "leaks", "bytes,count,callstack_id"), "40|1|70\n16|1|71\n");
    capture->memory.has_at = true;
    capture->memory.at_ns = 200000000; /* 48 is alive then */
    ck_assert_str_eq(captured_table(capture, "leaks", "bytes,count,share,callstack_id"),
                     "64|2|0.8r|70\n16|1|0.2r|71\n");
    between(100, 250); /* the selected time is the window, and its end the moment */
    ck_assert_str_eq(captured_table(capture, "leaks", "bytes,count,callstack_id"), "176|2|71\n64|2|70\n");
    between(400, 500);
    ck_assert_str_eq(captured_table(capture, "leaks", "bytes"), "");
}
END_TEST

START_TEST(without_a_marker)
{
    alloc(0, 16, 8);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,time"), "16|1000\n");
    capture->limit = "held_events=0";
    ck_assert_str_eq(captured_table(capture, "allocations", "address,time"), "16|1000\n");
    ck_assert_uint_eq(captured_faults(capture, "allocations", "time_unreliable"), 1);
}
END_TEST

/* The selection cuts what comes and goes; what is alive is that of the end. */
START_TEST(selected_time_and_threads)
{
    static const char *const worker[] = {"Thread 3"};
    marker(0, 100);
    alloc(0, 16, 80);
    alloc(1, 32, 40);
    marker(0, 200);
    release(0, 16);
    alloc(1, 48, 8);
    captured_close(capture);
    capture->by = TK_BY_HEAP;
    capture->select = (struct tk_selection){.has_from = true, .from_ns = 150000000};
    ck_assert_str_eq(captured_table(capture, "memory", "by,alive_bytes,peak_bytes,allocs,frees,free_bytes"),
                     "total|48|120|1|1|80\nheap|48|120|1|1|80\n");
    capture->select = (struct tk_selection){.threads = worker, .n_threads = 1};
    ck_assert_str_eq(captured_table(capture, "memory", "by,alive_bytes,peak_bytes,allocs,frees"),
                     "total|48|48|2|0\nheap|48|48|2|0\n");
    ck_assert_str_eq(captured_table(capture, "allocations", "address"), "32\n48\n");
}
END_TEST

/* Frames by order, not by the coarse clock of memory: 48 bytes in the first, 8 and 16 in the second, none in
 * the third. */
START_TEST(churn_by_frame)
{
    marker(0, 1);
    alloc(0, 16, 800); /* outside of frames */
    tk_uw_frame_begin(&capture->uw, &capture->lanes[0], START + 10, 0);
    alloc(1, 32, 48);
    tk_uw_frame_begin(&capture->uw, &capture->lanes[0], START + 15, 1); /* rendering: does not matter */
    tk_uw_frame_end(&capture->uw, &capture->lanes[0], START + 20, 0);
    alloc(0, 48, 800);
    tk_uw_frame_begin(&capture->uw, &capture->lanes[0], START + 30, 0);
    alloc(0, 64, 8);
    release(0, 64);
    put(capture, 0, ev.realloc_free, Q(32), Q(0));
    put(capture, 0, ev.realloc_alloc, Q(32), Q(0), Q(2), Q(0));
    tk_uw_frame_end(&capture->uw, &capture->lanes[0], START + 40, 0);
    tk_uw_frame_begin(&capture->uw, &capture->lanes[0], START + 50, 0);
    tk_uw_frame_end(&capture->uw, &capture->lanes[0], START + 60, 0);
    captured_close(capture);
    capture->by = TK_BY_HEAP;
    ck_assert_str_eq(captured_table(capture, "memory", "by,frame_allocs,frame_bytes,frame_max"),
                     "total|1r|24r|48\nheap|1r|24r|48\n");
}
END_TEST

/* ---- damage and limits ---- */

START_TEST(the_old_form_is_refused)
{
    struct captured *c = captured_new(7);
    struct put_type *init = put_new(c, "Memory.Init", "Version:b SizeShift:b", TK_UW_NOSYNC);
    struct put_type *alloc_old =
        put_new(c, "Memory.Alloc", "Owner:q Address:q Size:i Alignment_SizeLower:b", 0);
    struct put_type *free_old = put_new(c, "Memory.Free", "Address:q", 0);
    put(c, 0, init, Q(0), Q(3));
    put(c, 0, alloc_old, Q(1), Q(16), Q(1), Q(0));
    put(c, 0, free_old, Q(16));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address"), "");
    ck_assert_uint_eq(captured_faults(c, "allocations", "version_unsupported"), 2);
    free(init);
    free(alloc_old);
    free(free_old);
    captured_free(c);
}
END_TEST

START_TEST(fields_are_missing)
{
    struct captured *c = captured_new(7);
    struct put_type *no_size = put_new(c, "Memory.AllocSystem", "Address:q", 0);
    struct put_type *no_address = put_new(c, "Memory.FreeSystem", "Adress:q", 0);
    struct put_type *text = put_new(c, "Memory.Marker", "Cycle:s", 0);
    struct put_type *frames = put_new(c, "Memory.CallstackSpec", "CallstackId:i", TK_UW_NOSYNC);
    put(c, 0, no_size, Q(16));
    put(c, 0, no_address, Q(16));
    put(c, 0, text, "soon");
    put(c, 0, frames, Q(1));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "allocations", "address"), "");
    ck_assert_uint_eq(captured_faults(c, "allocations", "payload_damaged"), 3);
    ck_assert_str_eq(captured_table(c, "callstacks", "callstack_id"), "");
    ck_assert_uint_eq(captured_faults(c, "callstacks", "payload_damaged"), 1);
    free(no_size);
    free(no_address);
    free(text);
    free(frames);
    captured_free(c);
}
END_TEST

/* Where bytes of a thread are missing its tags and contexts are forgotten, in their place, those of others
 * are not. */
START_TEST(bytes_are_missing)
{
    enter(0, 5);
    enter(1, 6);
    alloc(0, 16, 8);
    captured_send(capture);
    tk_uw_raw(&capture->lanes[0].pending, "\x1c", 1); /* a code that is reserved */
    tk_uw_lane_mark(&capture->lanes[0]);
    captured_send(capture);
    alloc(0, 32, 8);
    alloc(1, 48, 8);
    captured_close(capture);
    ck_assert_str_eq(captured_table(capture, "allocations", "address,tag_id"), "16|5\n32|0\n48|6\n");
    ck_assert_uint_eq(captured_faults(capture, "allocations", "stream_break"), 1);
}
END_TEST

START_TEST(limits_are_reported)
{
    for (unsigned i = 1; i <= 5; i++)
        alloc(i % 2, 16 * i, 8);
    captured_close(capture);
    capture->limit = "alive_allocations=3";
    ck_assert_str_eq(captured_table(capture, "allocations", "address"), "16\n32\n48\n");
    ck_assert_uint_eq(captured_faults(capture, "allocations", "limit_reached"), 2);
    capture->limit = "memory_groups=1";
    ck_assert_str_eq(captured_table(capture, "allocations", "address"), "16\n32\n48\n64\n80\n");
    ck_assert_uint_ge(captured_faults(capture, "allocations", "limit_reached"), 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        time_is_that_of_the_latest_marker,
        alive_at_a_moment,
        between_two_moments,
        allocated_in_a_window,
        leaks_of_windows_and_selections,
        without_a_marker,
        selected_time_and_threads,
        churn_by_frame,
        bytes_are_missing,
        limits_are_reported,
    };
    const TTest *const other_types[] = {the_old_form_is_refused, fields_are_missing};
    int failed = RUN_TESTS_AROUND("memory_time", tests, memory_begin, memory_end);
    return failed | RUN_TESTS("memory of other types", other_types);
}
