/*
 * A stream that writes to memory, for tests of single layers of the writer, and what the test files offer to
 * main.
 */
#ifndef TK_WRITER_TEST_FIXTURE_H
#define TK_WRITER_TEST_FIXTURE_H

#include "utrace_writer.h"

#include <check.h>

struct fixture {
    struct tk_uw_bytes file;
    struct tk_uw_sink sink;
    struct tk_uw_stream stream;
};

/* Opens a stream whose packets stay plain. The fixture must not move afterwards. */
void open_stream(struct fixture *fix, uint8_t transport, uint8_t protocol);

/* The stream must have written these bytes and nothing else. Ends the fixture. */
void expect(struct fixture *fix, const void *bytes, size_t size);

/* Flushes and releases the lane. */
void send_lane(struct tk_uw_lane *lane);

/* The tests of each file. */
TCase *dump_tests(void);
TCase *record_tests(void);
TCase *value_tests(void);

#endif
