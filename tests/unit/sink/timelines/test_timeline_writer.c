/* Tests of timeline formats: a small timeline by hand, and the bytes that each format has to make of it. */
#include "run.h"
#include "sink/timelines/played.h"

#include <stdlib.h>

static const char *written(const struct tk_timeline_writer_format *format,
                           struct tk_timeline_writer_options opt)
{
    write_out(format, opt, play);
    take(path);
    return output;
}

static const struct tk_timeline_writer_options plain = {0};

START_TEST(chrome_pairs_by_name)
{
    ck_assert_str_eq(
        written(&tk_chrome_format, plain),
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":\"tracekit " TK_VERSION "\"},\"traceEvents\":[\n"
        "\n{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"Threads\"}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":1}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"Main\"}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":0}},\n"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1.000,\"name\":\"a\"},\n"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":2.000,\"name\":\"b;\\\"q\\\"\"},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":9,\"name\":\"thread_name\",\"args\":{\"name\":\"Worker\"}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":9,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":0}},\n"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":9,\"ts\":3.000,\"name\":\"a\"},\n"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":9,\"ts\":4.000,\"name\":\"a\"},\n"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":5.000,\"name\":\"b;\\\"q\\\"\"},\n"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":5.000,\"name\":\"b;\\\"q\\\"\"},\n"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":5.000,\"name\":\"b;\\\"q\\\"\"},\n"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":9,\"ts\":6.001,\"name\":\"b;\\\"q\\\"\"},\n"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":11.000,\"name\":\"a\"}\n]}\n");
}
END_TEST

START_TEST(speedscope_groups_by_thread)
{
    ck_assert_str_eq(written(&tk_speedscope_format, plain),
                     "{\"$schema\":\"https://www.speedscope.app/"
                     "file-format-schema.json\",\"exporter\":\"tracekit " TK_VERSION
                     "\",\"profiles\":[\n{\"events\":[\n"
                     "{\"type\":\"O\",\"frame\":0,\"at\":1000},\n{\"type\":\"O\",\"frame\":1,\"at\":2000},\n"
                     "{\"type\":\"C\",\"frame\":1,\"at\":5000},\n{\"type\":\"O\",\"frame\":1,\"at\":5000},\n"
                     "{\"type\":\"C\",\"frame\":1,\"at\":5000},\n{\"type\":\"C\",\"frame\":0,\"at\":11000}\n"
                     "],\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":\"Main\",\"startValue\":1000,"
                     "\"endValue\":11000},\n"
                     "{\"events\":[\n{\"type\":\"O\",\"frame\":0,\"at\":3000},\n{\"type\":\"C\",\"frame\":0,"
                     "\"at\":4000},\n"
                     "{\"type\":\"O\",\"frame\":1,\"at\":6001},\n{\"type\":\"C\",\"frame\":1,\"at\":6001}\n"
                     "],\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":\"Worker\",\"startValue\":"
                     "3000,\"endValue\":6001}\n"
                     "],\"shared\":{\"frames\":[\n{\"name\":\"a\",\"file\":\"a.cpp\",\"line\":7},\n"
                     "{\"name\":\"b;\\\"q\\\"\",\"file\":\"a.cpp\",\"line\":7}\n]}}\n");
}
END_TEST

/* How often bytes are in the first n of the output. */
static size_t times_in(size_t n, const char *bytes, size_t length)
{
    size_t found = 0;
    for (size_t i = 0; i + length <= n; i++)
        found += memcmp(output + i, bytes, length) == 0;
    return found;
}

START_TEST(perfetto_packets)
{
    /* begin of scope a on track 2 at 1000 ns, by the field numbers of interop 4: packet(1) of 15
       bytes: time(8) 1000, sequence(10) 1, flags(13) 2, event(11) {type(9) 1, track(11) 2, name_iid(10) 1} */
    static const char begin_a[] = {0x0a, 0x0f, 0x40, (char)0xe8, 0x07, 0x50, 0x01, 0x68, 0x02,
                                   0x5a, 0x06, 0x48, 0x01,       0x58, 0x02, 0x50, 0x01};
    static const char end_a[] = {0x0a, 0x0d, 0x40, (char)0xf8, 0x55, 0x50, 0x01, 0x68,
                                 0x02, 0x5a, 0x04, 0x48,       0x02, 0x58, 0x02};
    write_out(&tk_perfetto_format, plain, play);
    const size_t n = take(path);
    ck_assert_uint_eq(times_in(n, begin_a, sizeof begin_a), 1);
    ck_assert_uint_gt(n, sizeof end_a);
    ck_assert_mem_eq(output + n - sizeof end_a, end_a, sizeof end_a);
    /* the first packet clears what went before: sequence 1, flags 3 */
    ck_assert_mem_eq(output + 2, "\x50\x01\x68\x03", 4);
}
END_TEST

static void span(const struct tk_timeline_sink *sink, int64_t from, int64_t to)
{
    const struct tk_str name = STR("r");
    struct tk_item item = {.kind = TK_ITEM_SPAN_BEGIN, .track = PROCESS, .ns = from, .name = &name};
    ck_assert_int_eq(sink->items(sink->self, &item, 1, NULL), TK_OK);
    item.kind = TK_ITEM_SPAN_END;
    item.ns = to;
    ck_assert_int_eq(sink->items(sink->self, &item, 1, NULL), TK_OK);
}

/* The second begins where the first ends, and with it the third. */
static void play_spans(const struct tk_timeline_sink *sink)
{
    tell(sink, PROCESS, TK_TRACK_PROCESS, 0, STR("Capture"));
    span(sink, 1000, 2000);
    span(sink, 2000, 3000);
    span(sink, 2000, 4000);
}

START_TEST(perfetto_region_tracks)
{
    /* type(9) begin, track(11): the regions are 2^32 and on */
    static const char first[] = {0x48, 0x01, 0x58, (char)0x80, (char)0x80, (char)0x80, (char)0x80, 0x10};
    static const char second[] = {0x48, 0x01, 0x58, (char)0x81, (char)0x80, (char)0x80, (char)0x80, 0x10};
    write_out(&tk_perfetto_format, plain, play_spans);
    const size_t n = take(path);
    ck_assert_uint_eq(times_in(n, first, sizeof first), 2);
    ck_assert_uint_eq(times_in(n, second, sizeof second), 1);
    ck_assert_uint_eq(times_in(n, "Regions", 7), 2);
}
END_TEST

static void play_nested(const struct tk_timeline_sink *sink)
{
    tell(sink, MAIN, TK_TRACK_THREAD, 2, STR("Main"));
    begin(sink, MAIN, 1000, 0, STR("a"));
    begin(sink, MAIN, 2000, 1, STR("b"));
    end(sink, MAIN, 5000);
    begin(sink, MAIN, 6000, 2, STR("c"));
}

/* Every item is beyond the size of a file: the next one begins with what is open, as it began. */
START_TEST(chrome_parts_begin_with_what_is_open)
{
    static const char *const events[] = {"1.000 a", "1.000 a;2.000 b", "1.000 a;2.000 b;5.000 b",
                                         "1.000 a;6.000 c", "1.000 a;6.000 c"};
    write_out(&tk_chrome_format, (struct tk_timeline_writer_options){.split = 1, .most_parts = 99},
              play_nested);
    for (unsigned i = 0; i < sizeof events / sizeof *events; i++) {
        char have[256] = "", *part = tk_timeline_writer_part_path(path, i + 1);
        take(part);
        for (const char *at = output; (at = strstr(at, "\"ts\":")); at++) {
            double time;
            char name;
            ck_assert_int_eq(sscanf(at, "\"ts\":%lf,\"name\":\"%c", &time, &name), 2);
            snprintf(have + strlen(have), sizeof have - strlen(have), "%s%.3f %c", *have ? ";" : "", time,
                     name);
        }
        ck_assert_str_eq(have, events[i]);
        free(part);
    }
}
END_TEST

/* The place in the code is reported in each file, of what is open, too. */
START_TEST(chrome_parts_keep_arguments)
{
    static const char place[] = ",\"args\":{\"file\":\"a.cpp\",\"line\":7}}";
    write_out(&tk_chrome_format,
              (struct tk_timeline_writer_options){.split = 1, .most_parts = 99, .args = true}, play_nested);
    for (unsigned i = 0; i < 5; i++) {
        char *part = tk_timeline_writer_part_path(path, i + 1);
        take(part);
        for (const char *at = output; (at = strstr(at, "\"ph\":\"B\"")); at++) {
            const char *args = strstr(at, ",\"args\"");
            ck_assert_msg(args && strncmp(args, place, sizeof place - 1) == 0 && args < strchr(at, '\n'),
                          "%s", at);
        }
        free(part);
    }
}
END_TEST

START_TEST(discarded_leaves_nothing)
{
    struct tk_timeline_writer *v;
    struct tk_timeline_writer_options opt = plain;
    snprintf(path, sizeof path, "/tmp/tk-viewer-%ld", (long)getpid());
    opt.path = path;
    ck_assert_int_eq(tk_timeline_writer_open(&v, &tk_chrome_format, &opt, NULL), TK_OK);
    const struct tk_timeline_sink sink = tk_timeline_writer_sink(v);
    play(&sink);
    tk_timeline_writer_discard(v);
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

/* A profile without profiles is nothing that the viewer could open. */
START_TEST(speedscope_needs_scopes)
{
    struct tk_timeline_writer *v;
    struct tk_err err = {0};
    struct tk_timeline_writer_options opt = plain;
    snprintf(path, sizeof path, "/tmp/tk-viewer-%ld", (long)getpid());
    opt.path = path;
    ck_assert_int_eq(tk_timeline_writer_open(&v, &tk_speedscope_format, &opt, &err), TK_OK);
    const struct tk_timeline_sink sink = tk_timeline_writer_sink(v);
    ck_assert_int_eq(sink.finish(sink.self, &err), TK_EMATCH);
    ck_assert_ptr_nonnull(strstr(err.text[0], "no scopes"));
    tk_timeline_writer_discard(v);
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {chrome_pairs_by_name,
                                  speedscope_groups_by_thread,
                                  perfetto_packets,
                                  perfetto_region_tracks,
                                  chrome_parts_begin_with_what_is_open,
                                  chrome_parts_keep_arguments,
                                  discarded_leaves_nothing,
                                  speedscope_needs_scopes};
    return RUN_TESTS("viewer", tests);
}
