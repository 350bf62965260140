/*
 * A capture that declares no types of events: the second connection to a program of 4.27 (wire 4.7).
 */
#include "captured.h"

/* Transport 3, protocol 4: a packet of NewTrace, and three of an event each, 12 bytes behind uid, size and
 * serial. */
static const char bytes[] =
    "ECRT\x03\x04"
    "\x25\0\0\0\x13\0\x09\0\x1a\0\0\0\x05\0MR\x08\x15\0\x10\0\xaa\x5f\x58\x02\x01\0\0\0"
    "\x40\x42\x0f\0\0\0\0\0"
    "\x17\0\x01\0\x19\0\x0c\0\x20\x01\0\0\x23\x6d\x0b\x18\x0a\0\0\0\x20\x01\0"
    "\x17\0\x01\0\x19\0\x0c\0\x21\x01\0\0\x24\x6d\x0b\x18\x0a\0\0\0\x20\x01\0"
    "\x17\0\x01\0\x19\0\x0c\0\x22\x01\0\0\x25\x6d\x0b\x18\x0a\0\0\0\x20\x01\0";

START_TEST(one_sentence_says_it)
{
    struct captured *c = calloc(1, sizeof *c);
    strcpy(c->path, "/tmp/tracekit-unit-XXXXXX");
    int fd = mkstemp(c->path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, sizeof bytes - 1), sizeof bytes - 1);
    close(fd);
    ck_assert_str_eq(captured_table(c, "health", "kind,damage,count,offset"), "type_undeclared|1|1|6\n");
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {one_sentence_says_it};
    return RUN_TESTS("undeclared", tests);
}
