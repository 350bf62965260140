/*
 * Stacks of scopes that never ended, worked out by hand.
 */
#include "api/open_scopes.h"

#include <zlib.h>

/* Of the 100 of Outer that are there, 30 are of Inner and 20 of the call in itself: 50 are its own. */
START_TEST(open_scopes_are_folded)
{
    struct captured *c = make_open();
    ck_assert_str_eq(captured_export(c, "folded"), "Thread 2;Outer;(open) 50000000\n"
                                                   "Thread 2;Outer;Outer 20000000\n"
                                                   "Thread 2;Outer;Inner 30000000\n"
                                                   "Thread 3;Other 100000000\n");
    captured_free(c);
}
END_TEST

static const char same_names[] =
    "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"Worker\"}},"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"Worker\"}},"
    "{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1},"
    "{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":5,\"pid\":1,\"tid\":2},"
    "{\"name\":\"b\",\"ph\":\"X\",\"ts\":2,\"dur\":1,\"pid\":1,\"tid\":2}]";

/* Threads of one name add up, unless each is requested. */
START_TEST(threads_of_one_name)
{
    struct captured *c = captured_new(7);
    captured_close(c);
    FILE *file = fopen(c->path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(same_names, file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_str_eq(captured_export(c, "folded"), "Worker;a 6000\nWorker;a;b 1000\n");
    captured_free(c);
}
END_TEST

/* In speedscope they are open until the last time, 2100, and their own time is apart: from 2000 to 2010, from
 * 2040 to 2070 and from 2090 on. The clock starts at 1000 and makes 1000 a second. */
START_TEST(open_scopes_in_speedscope)
{
    struct captured *c = make_open();
    const char *text = captured_export(c, "speedscope");
    ck_assert_ptr_nonnull(strstr(text, "{\"events\":[\n"
                                       "{\"type\":\"O\",\"frame\":0,\"at\":1000000000},\n"
                                       "{\"type\":\"O\",\"frame\":3,\"at\":1000000000},\n"
                                       "{\"type\":\"C\",\"frame\":3,\"at\":1010000000},\n"
                                       "{\"type\":\"O\",\"frame\":1,\"at\":1010000000},\n"
                                       "{\"type\":\"C\",\"frame\":1,\"at\":1040000000},\n"
                                       "{\"type\":\"O\",\"frame\":3,\"at\":1040000000},\n"
                                       "{\"type\":\"C\",\"frame\":3,\"at\":1070000000},\n"
                                       "{\"type\":\"O\",\"frame\":0,\"at\":1070000000},\n"
                                       "{\"type\":\"C\",\"frame\":0,\"at\":1090000000},\n"
                                       "{\"type\":\"O\",\"frame\":3,\"at\":1090000000},\n"
                                       "{\"type\":\"C\",\"frame\":3,\"at\":1100000000},\n"
                                       "{\"type\":\"C\",\"frame\":0,\"at\":1100000000}\n"
                                       "],"));
    ck_assert_ptr_nonnull(strstr(text, "{\"events\":[\n"
                                       "{\"type\":\"O\",\"frame\":2,\"at\":1000000000},\n"
                                       "{\"type\":\"C\",\"frame\":2,\"at\":1100000000}\n"
                                       "],"));
    ck_assert_ptr_nonnull(strstr(text, ",\n{\"name\":\"(open)\"}\n]}}\n"));
    captured_free(c);
}
END_TEST

/* Unpacks a gzip file in memory. */
static size_t unpacked(const char *p, size_t n, unsigned char *out, size_t capacity)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)p, .avail_in = (unsigned)n};
    z.next_out = out;
    z.avail_out = (unsigned)capacity;
    ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
    ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    return z.total_out;
}

static bool holds(const unsigned char *p, size_t n, const char *bytes, size_t length)
{
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(p + i, bytes, length) == 0)
            return true;
    return false;
}
#define HOLDS(p, n, bytes) holds(p, n, bytes, sizeof(bytes) - 1)

/* Samples of profile.proto, encoded by hand: functions from the leaf on; calls, own time, bytes, open time.
 */
START_TEST(open_scopes_in_pprof)
{
    struct captured *c = make_open();
    const char *packed = captured_export(c, "pprof");
    unsigned char p[4096];
    const size_t n = unpacked(packed, c->n, p, sizeof p);
    ck_assert(HOLDS(p, n, "\x12\x0c\x0a\x01\x01\x12\x07\x00\x00\x00\x80\xe1\xeb\x17")); /* 50 ms open */
    ck_assert(
        HOLDS(p, n, "\x12\x0d\x0a\x02\x01\x01\x12\x07\x01\x80\xda\xc4\x09\x00\x00")); /* one call, 20 ms */
    ck_assert(HOLDS(p, n, "\x12\x0d\x0a\x02\x02\x01\x12\x07\x01\x80\x87\xa7\x0e\x00\x00")); /* one, 30 ms */
    ck_assert(HOLDS(p, n, "\x12\x0c\x0a\x01\x03\x12\x07\x01\x80\xc2\xd7\x2f\x00\x00"));     /* one, 100 ms */
    ck_assert(HOLDS(p, n, "\x32\x09open_time"));
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {open_scopes_are_folded, threads_of_one_name, open_scopes_in_speedscope,
                                  open_scopes_in_pprof};
    return RUN_TESTS("open stacks", tests);
}
