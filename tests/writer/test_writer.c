/*
 * The writer against its papers: their worked dumps and samples (wire 2 to 3, B) must come out byte for byte.
 */
#include "test_fixture.h"

#include <stdlib.h>
#include <string.h>

void open_stream(struct fixture *fix, uint8_t transport, uint8_t protocol)
{
    memset(fix, 0, sizeof(*fix));
    tk_uw_sink_memory(&fix->sink, &fix->file);
    fix->stream.protocol = protocol;
    fix->stream.packets.sink = &fix->sink;
    fix->stream.packets.transport = transport;
    fix->stream.packets.packing = TK_UW_PLAIN;
}

void expect(struct fixture *fix, const void *bytes, size_t size)
{
    ck_assert_uint_eq(fix->file.size, size);
    ck_assert_mem_eq(fix->file.data, bytes, size);
    ck_assert_int_eq(tk_uw_sink_close(&fix->sink), 0);
    tk_uw_bytes_release(&fix->file);
}

void send_lane(struct tk_uw_lane *lane)
{
    tk_uw_lane_flush(lane);
    tk_uw_lane_release(lane);
}

int main(void)
{
    Suite *suite = suite_create("writer");

    suite_add_tcase(suite, dump_tests());
    suite_add_tcase(suite, record_tests());
    suite_add_tcase(suite, value_tests());

    SRunner *runner = srunner_create(suite);

    srunner_run_all(runner, CK_ENV);

    int failed = srunner_ntests_failed(runner);

    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
