/*
 * Lanes of protocols 0 to 4, which hold declarations too: u8 protocol and what else is done, then payloads of
 * u16 bytes each.
 */
#include "fed.h"

#include <stdlib.h>

enum { WHOLE_RECORDS = 1, BREAK = 2, CUT_OFF = 4, DECLARED = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct fed f;
    struct tk_ut_lane lane = {.tid = 2};
    unsigned first = fuzz_u8(&in), flags = first / 5;
    int rc = TK_OK;
    fed_open(&f, (uint8_t)(first % 5), flags & DECLARED);
    for (uint64_t offset = 100; in.n && rc == TK_OK; offset += 70000) {
        struct fuzz_in piece = fuzz_take(&in, (size_t)fuzz_uint(&in, 2));
        uint8_t *copy = fuzz_copy(piece.p, piece.n);
        const struct tk_ut_payload payload = {
            copy, piece.n, offset, false, flags & WHOLE_RECORDS, (uint32_t)piece.n};
        if (offset > 100 && (flags & BREAK))
            rc = tk_ut_lane_break(&f.decoder, &lane, offset, "lost");
        if (rc == TK_OK && piece.n)
            rc = tk_ut_lane_feed(&f.decoder, &lane, &payload);
        if (rc == TK_OK && lane.waiting)
            rc = tk_ut_lane_retry(&f.decoder, &lane);
        free(copy);
    }
    fuzz_promise(rc == TK_OK, "damage is no failure");
    fuzz_promise(tk_ut_lane_finish(&f.decoder, &lane, flags & CUT_OFF) == TK_OK, "the end");
    tk_ut_lane_release(&lane);
    fed_close(&f);
    return 0;
}
