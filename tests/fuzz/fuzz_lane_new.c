/*
 * Lanes of protocols 5 to 7, events with and without array data: u8 protocol and what else is done, then the
 * bytes of the lane. In pieces the same must come as whole, unless there is damage or a limit: what waits for
 * the end of array data counts for one, and in pieces more has to wait.
 */
#include "fed.h"

#include <stdlib.h>

enum { PIECES = 8, BREAK = 16, CUT_OFF = 32 };

static void feed(struct fed *f, const uint8_t *p, size_t n, unsigned flags, size_t piece)
{
    struct tk_ut_lane lane = {.tid = 2};
    int rc = TK_OK;
    for (size_t at = 0; at < n && rc == TK_OK; at += piece) {
        size_t left = n - at < piece ? n - at : piece;
        uint8_t *copy = fuzz_copy(p + at, left);
        const struct tk_ut_payload payload = {copy, left, 100 + at, false, false, (uint32_t)left};
        if (at && (flags & BREAK))
            rc = tk_ut_lane_break(&f->decoder, &lane, 100 + at, "lost");
        if (rc == TK_OK)
            rc = tk_ut_lane_feed(&f->decoder, &lane, &payload);
        free(copy);
    }
    fuzz_promise(rc == TK_OK, "damage is no failure");
    fuzz_promise(tk_ut_lane_finish(&f->decoder, &lane, flags & CUT_OFF) == TK_OK, "the end");
    tk_ut_lane_release(&lane);
}

static bool is_sound(const struct fed *f)
{
    return !tk_health_damaged(&f->health) && !f->health.named;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct fed whole, pieces;
    unsigned first = fuzz_u8(&in), flags = first / 4 * 8;
    uint8_t protocol = (uint8_t)(5 + first % 4 % 3);
    if (in.n == 0)
        return 0;
    fed_open(&whole, protocol, true);
    feed(&whole, in.p, in.n, 0, in.n);
    fed_open(&pieces, protocol, true);
    feed(&pieces, in.p, in.n, flags, flags & PIECES ? 1 + in.n / 3 : 7);
    if (!(flags & (BREAK | CUT_OFF)) && is_sound(&whole) && is_sound(&pieces))
        fuzz_promise(whole.reported == pieces.reported && whole.calls == pieces.calls, "the same in pieces");
    fed_close(&whole);
    fed_close(&pieces);
    return 0;
}
