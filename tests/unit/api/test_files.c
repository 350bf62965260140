/* File I/O from events to tables: pairs on threads and by handles, reused handles, what lacks its begin or
 * end. Expectations are worked out by hand from events 8.3. */
#include "put.h"

#define T(time)  Q(1000 + (time))
#define FAILED   Q(UINT64_MAX)
#define ACTIVITY "op,path,start,end,dur,offset,requested_bytes,bytes,failed,in_flight,thread_id"
#define FILES                                                                                                \
    "path,opens,reopens,closes,reads,writes,failed,open,bytes_read,read_time,bytes_written,write_time,open_" \
    "time,min,max"

struct io {
    struct captured *c;
    struct put_type *begin_open, *end_open, *begin_reopen, *end_reopen, *begin_close, *end_close, *begin_read,
        *end_read, *begin_write, *end_write;
};

static struct io start(void)
{
    struct io f = {.c = captured_new(7)};
    f.begin_open = put_new(f.c, "PlatformFile.BeginOpen", "Cycle:q Path:w", 0);
    f.end_open = put_new(f.c, "PlatformFile.EndOpen", "Cycle:q FileHandle:q", 0);
    f.begin_reopen = put_new(f.c, "PlatformFile.BeginReOpen", "Cycle:q OldFileHandle:q", 0);
    f.end_reopen = put_new(f.c, "PlatformFile.EndReOpen", "Cycle:q NewFileHandle:q", 0);
    f.begin_close = put_new(f.c, "PlatformFile.BeginClose", "Cycle:q FileHandle:q", 0);
    f.end_close = put_new(f.c, "PlatformFile.EndClose", "Cycle:q", 0);
    f.begin_read =
        put_new(f.c, "PlatformFile.BeginRead", "Cycle:q ReadHandle:q FileHandle:q Offset:q Size:q", 0);
    f.end_read = put_new(f.c, "PlatformFile.EndRead", "Cycle:q ReadHandle:q SizeRead:q", 0);
    f.begin_write =
        put_new(f.c, "PlatformFile.BeginWrite", "Cycle:q WriteHandle:q FileHandle:q Offset:q Size:q", 0);
    f.end_write = put_new(f.c, "PlatformFile.EndWrite", "Cycle:q WriteHandle:q SizeWritten:q", 0);
    return f;
}

static void finish(struct io *f)
{
    struct put_type *types[] = {f->begin_open, f->end_open,   f->begin_reopen, f->end_reopen,  f->begin_close,
                                f->end_close,  f->begin_read, f->end_read,     f->begin_write, f->end_write};
    captured_free(f->c);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
}

/* Reads end on another thread than they began on; two of them overlap. */
START_TEST(reads_pair_by_their_handles)
{
    struct io f = start();
    put(f.c, 0, f.begin_open, T(10), "a.pak");
    put(f.c, 1, f.begin_open, T(11), "b.pak");
    put(f.c, 0, f.end_open, T(15), Q(7));
    put(f.c, 1, f.end_open, T(20), Q(8));
    put(f.c, 0, f.begin_read, T(30), Q(1), Q(7), Q(100), Q(50));
    put(f.c, 0, f.begin_read, T(32), Q(2), Q(8), Q(0), Q(10));
    put(f.c, 1, f.end_read, T(40), Q(1), Q(49));
    put(f.c, 1, f.end_read, T(45), Q(2), Q(10));
    put(f.c, 0, f.begin_write, T(50), Q(1), Q(7), Q(5), Q(6));
    put(f.c, 0, f.end_write, T(53), Q(1), Q(6));
    put(f.c, 0, f.begin_close, T(60), Q(7));
    put(f.c, 0, f.end_close, T(61));
    captured_close(f.c);
    ck_assert_str_eq(captured_table(f.c, "file_activity", ACTIVITY),
                     "open|a.pak|1010|1015|5||||0||2\n"
                     "open|b.pak|1011|1020|9||||0||3\n"
                     "read|a.pak|1030|1040|10|100|50|49|0|1|2\n"
                     "read|b.pak|1032|1045|13|0|10|10|0|2|2\n"
                     "write|a.pak|1050|1053|3|5|6|6|0|1|2\n"
                     "close|a.pak|1060|1061|1||||0||2\n");
    ck_assert_str_eq(captured_table(f.c, "files", FILES), "a.pak|1|0|1|1|1|0|0|49|10|6|3|5|3|10\n"
                                                          "b.pak|1|0|0|1|0|0|0|10|13|0|0|9|13|13\n");
    /* 49 bytes in 10 of 1000 cycles per second */
    ck_assert_str_eq(captured_table(f.c, "files", "read_bandwidth,mean,median,first,last"),
                     "4900r|6.5r|3|1010|1060\n769.230769r|13r|13|1011|1032\n");
    finish(&f);
}
END_TEST

/* A handle is of another file after its closing has begun; the same path twice is one file. */
START_TEST(handles_are_used_again)
{
    struct io f = start();
    put(f.c, 0, f.begin_open, T(1), "a");
    put(f.c, 0, f.end_open, T(2), Q(5));
    put(f.c, 0, f.begin_close, T(3), Q(5));
    put(f.c, 1, f.begin_open, T(3), "b");
    put(f.c, 1, f.end_open, T(4), Q(5));
    put(f.c, 0, f.end_close, T(4));
    put(f.c, 0, f.begin_read, T(5), Q(1), Q(5), Q(0), Q(1));
    put(f.c, 0, f.end_read, T(6), Q(1), Q(1));
    put(f.c, 0, f.begin_read, T(7), Q(1), Q(5), Q(1), Q(1));
    put(f.c, 0, f.end_read, T(9), Q(1), Q(1));
    put(f.c, 0, f.begin_open, T(10), "a");
    put(f.c, 0, f.end_open, T(11), Q(6));
    captured_close(f.c);
    ck_assert_str_eq(captured_table(f.c, "files", "path,opens,closes,reads,read_time"),
                     "a|2|1|0|0\nb|1|0|2|3\n");
    finish(&f);
}
END_TEST

/* A second handle of a file; one that does not open; one that is open since before the recording. */
START_TEST(other_ways_to_open)
{
    struct io f = start();
    put(f.c, 0, f.begin_open, T(1), "a");
    put(f.c, 0, f.end_open, T(2), Q(5));
    put(f.c, 0, f.begin_reopen, T(3), Q(5));
    put(f.c, 0, f.end_reopen, T(4), Q(6));
    put(f.c, 0, f.begin_close, T(5), Q(5));
    put(f.c, 0, f.end_close, T(5));
    put(f.c, 0, f.begin_read, T(6), Q(1), Q(6), Q(0), Q(1)); /* a, by the second handle */
    put(f.c, 0, f.end_read, T(7), Q(1), Q(1));
    put(f.c, 0, f.begin_open, T(8), "none");
    put(f.c, 0, f.end_open, T(9), FAILED);
    put(f.c, 0, f.begin_read, T(10), Q(1), FAILED, Q(0), Q(1)); /* no file has this handle */
    put(f.c, 0, f.end_read, T(12), Q(1), Q(0));
    put(f.c, 0, f.begin_write, T(13), Q(1), Q(99), Q(0), Q(1));
    put(f.c, 0, f.end_write, T(14), Q(1), Q(1));
    captured_close(f.c);
    ck_assert_str_eq(captured_table(f.c, "files", FILES), "a|1|1|1|1|0|0|0|1|1|0|0|2|1|1\n"
                                                          "none|0|0|0|0|0|1|0|0|0|0|0|1||\n"
                                                          "|0|0|0|1|1|0|0|0|2|1|1|0|1|2\n");
    finish(&f);
}
END_TEST

/* Ends without a begin are counted; begins without an end are reported as open; an end before its begin takes
 * no time. */
START_TEST(halves_of_pairs)
{
    struct io f = start();
    put(f.c, 0, f.end_read, T(1), Q(1), Q(1));
    put(f.c, 0, f.end_open, T(1), Q(1));
    put(f.c, 0, f.end_close, T(1));
    put(f.c, 0, f.end_reopen, T(1), Q(3));
    put(f.c, 1, f.end_write, T(1), Q(3), Q(1));
    put(f.c, 0, f.begin_open, T(2), "lost"); /* its end is lost */
    put(f.c, 0, f.begin_open, T(4), "a");
    put(f.c, 0, f.end_open, T(5), Q(5));
    put(f.c, 0, f.begin_read, T(6), Q(1), Q(5), Q(0), Q(1));
    put(f.c, 0, f.begin_read, T(7), Q(1), Q(5), Q(9), Q(1)); /* the handle again */
    put(f.c, 0, f.end_read, T(3), Q(1), Q(1));               /* before its begin */
    put(f.c, 0, f.begin_write, T(8), Q(1), Q(5), Q(0), Q(1));
    captured_close(f.c);
    ck_assert_str_eq(captured_table(f.c, "file_activity", "op,path,start,end,offset,bytes"),
                     "open|lost|1002|||\n"
                     "open|a|1004|1005||\n"
                     "read|a|1006||0|\n"
                     "read|a|1007|1003|9|1\n"
                     "write|a|1008||0|\n");
    ck_assert_str_eq(captured_table(f.c, "files", "path,opens,reads,writes,open,read_time"),
                     "lost|0|0|0|1|0\na|1|1|0|2|0\n");
    ck_assert_uint_eq(captured_faults(f.c, "files", "scope_end_unmatched"), 5);
    ck_assert_uint_eq(captured_faults(f.c, "files", "time_backwards"), 1);
    finish(&f);
}
END_TEST

/* What touches the selected time counts in full. */
START_TEST(selected_time)
{
    struct io f = start();
    put(f.c, 0, f.begin_open, T(0), "a");
    put(f.c, 0, f.end_open, T(10), Q(5));
    put(f.c, 0, f.begin_read, T(20), Q(1), Q(5), Q(0), Q(8));
    put(f.c, 0, f.end_read, T(40), Q(1), Q(8));
    captured_close(f.c);
    f.c->select = (struct tk_selection){.has_from = true, .from_ns = 30000000};
    ck_assert_str_eq(captured_table(f.c, "files", "path,opens,reads,read_time"), "a|0|1|20\n");
    ck_assert_str_eq(captured_table(f.c, "file_activity", "op"), "read\n");
    finish(&f);
}
END_TEST

/* Fields of other types, and none at all: a number that is not there is 0, so the read is of the open file.
 */
START_TEST(fields_are_missing)
{
    struct captured *c = captured_new(7);
    struct put_type *open = put_new(c, "PlatformFile.BeginOpen", "Path:I Cycle:w", 0);
    struct put_type *end = put_new(c, "PlatformFile.EndOpen", "Other:q", 0);
    struct put_type *read = put_new(c, "PlatformFile.BeginRead", "ReadHandle:f Size:w", 0);
    put(c, 0, open, "\1\2\3\4", (size_t)4, "no number");
    put(c, 0, end, Q(1));
    put(c, 0, read, 3.5, "x");
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "files", "opens,closes,reads,open"), "1|0|0|1\n");
    captured_free(c);
    free(open);
    free(end);
    free(read);
}
END_TEST

/* Two reads of 2^62 cycles each: their sum does not fit 63 bits, and wraps. */
START_TEST(times_far_apart)
{
    const uint64_t far = UINT64_C(1) << 62;
    struct io f = start();
    put(f.c, 0, f.begin_open, T(10), "a.pak");
    put(f.c, 0, f.end_open, T(15), Q(7));
    for (uint64_t i = 1; i < 3; i++) {
        put(f.c, 0, f.begin_read, T(20), i, Q(7), Q(0), Q(10));
        put(f.c, 0, f.end_read, T(20 + far), i, Q(10));
    }
    captured_send(f.c);
    captured_close(f.c);
    ck_assert_str_eq(captured_table(f.c, "files", "path,reads,bytes_read,read_time,min,max"),
                     "a.pak|2|20|-9223372036854775808|4611686018427387904|4611686018427387904\n");
    finish(&f);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {reads_pair_by_their_handles,
                            handles_are_used_again,
                            other_ways_to_open,
                            halves_of_pairs,
                            selected_time,
                            fields_are_missing,
                            times_far_apart};
    return RUN_TESTS("files", tests);
}
