/*
 * Threads 0 and 1 from protocol 5 on: u8 protocol and what else is done, u16 bytes of declarations, the
 * declarations, and the important events. In pieces the same must come as whole.
 */
#include "fed.h"

#include <stdlib.h>

enum { BREAK = 1, CUT_OFF = 2, LOST = 4 };

typedef int feed_fn(struct tk_ut_decoder *d, struct tk_ut_important *s, const struct tk_ut_payload *payload);

static void feed(struct fed *f, feed_fn *fn, uint16_t tid, struct fuzz_in in, size_t piece, unsigned flags)
{
    struct tk_ut_important s = {.lane = {.tid = tid}};
    int rc = TK_OK;
    if (flags & LOST)
        rc = tk_ut_important_break(&f->decoder, &s);
    for (uint64_t at = 0; in.n && rc == TK_OK; at++) {
        struct fuzz_in part = fuzz_take(&in, piece);
        uint8_t *copy = fuzz_copy(part.p, part.n);
        const struct tk_ut_payload payload = {copy, part.n, 100 + tid, false, false, (uint32_t)part.n};
        if (at && (flags & BREAK))
            fuzz_promise(tk_ut_important_break(&f->decoder, &s) == TK_OK, "a break");
        rc = fn(&f->decoder, &s, &payload);
        free(copy);
    }
    fuzz_promise(rc == TK_OK, "damage is no failure");
    fuzz_promise(tk_ut_important_finish(&f->decoder, &s, flags & CUT_OFF) == TK_OK, "the end");
    tk_ut_lane_release(&s.lane);
}

static void run(struct fed *f, uint8_t protocol, struct fuzz_in news, struct fuzz_in events, size_t piece,
                unsigned flags)
{
    fed_open(f, protocol, true);
    feed(f, tk_ut_declarations_feed, 0, news, piece, flags);
    feed(f, tk_ut_important_feed, 1, events, piece, flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct fed whole, pieces;
    unsigned first = fuzz_u8(&in), flags = first / 4 % 8;
    uint8_t protocol = (uint8_t)(5 + first % 4 % 3);
    size_t n = (size_t)fuzz_uint(&in, 2);
    struct fuzz_in news = fuzz_take(&in, n);
    run(&whole, protocol, news, in, SIZE_MAX, flags & ~(unsigned)BREAK);
    run(&pieces, protocol, news, in, first / 32 + 1, flags);
    if (!(flags & BREAK))
        fuzz_promise(whole.reported == pieces.reported && whole.calls == pieces.calls, "the same in pieces");
    fed_close(&whole);
    fed_close(&pieces);
    return 0;
}
