/*
 * Collects bytes until the next item is whole, and unpacks blocks, each of which may refer to 64 KiB of those
 * before it (tracy-live 3, 4).
 */
#include "live/tracy/state/stream.h"

#include "base/cursor.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

enum { UNPACKED_ROOM = 4 * TK_TL_BLOCK_MOST };

int tk_tl_stream_begin(struct tk_tl_stream *s, const struct tk_tl_protocol *protocol, struct tk_err *err)
{
    memset(s, 0, sizeof *s);
    s->protocol = protocol;
    s->want = 1;
    s->room = malloc(TK_TL_PACKED_MOST);
    s->unpacked = malloc(UNPACKED_ROOM);
    return s->room && s->unpacked ? TK_OK : tk_err_nomem(err, "a connection");
}

void tk_tl_stream_release(struct tk_tl_stream *s)
{
    free(s->room);
    free(s->unpacked);
    memset(s, 0, sizeof *s);
}

static void expect(struct tk_tl_stream *s, enum tk_tl_stream_state state, size_t want)
{
    s->state = state;
    s->want = want;
    s->got = 0;
}

static int unpack(struct tk_tl_stream *s, const uint8_t *p, const struct tk_tl_stream_taker *taker,
                  struct tk_err *err)
{
    if (s->at + TK_TL_BLOCK_MOST > UNPACKED_ROOM) {
        memmove(s->unpacked, s->unpacked + s->at - TK_TL_HISTORY, TK_TL_HISTORY);
        s->at = TK_TL_HISTORY;
    }
    const size_t history = s->at < TK_TL_HISTORY ? s->at : TK_TL_HISTORY;
    uint8_t *block = s->unpacked + s->at;
    const int n =
        LZ4_decompress_safe_usingDict((const char *)p, (char *)block, (int)s->want, TK_TL_BLOCK_MOST,
                                      (const char *)block - history, (int)history);
    if (n <= 0)
        return tk_err_set(err, TK_EFORMAT, "block %llu of the program cannot be decompressed",
                          (unsigned long long)s->blocks);
    s->at += (size_t)n;
    s->blocks++;
    expect(s, TK_TL_AT_SIZE, 4);
    return taker->block(taker->ctx, block, (size_t)n, err);
}

static int take_answer(struct tk_tl_stream *s, uint8_t answer, struct tk_err *err)
{
    s->answer = answer;
    expect(s, TK_TL_AT_WELCOME, tk_tl_welcome_bytes(s->protocol));
    if (answer == TK_TL_WELCOME)
        return TK_OK;
    s->state = TK_TL_REFUSED;
    if (answer == TK_TL_OTHER_PROTOCOL)
        return tk_err_set(err, TK_ECANCELED, "the program speaks another protocol than %u",
                          s->protocol->number);
    if (answer == TK_TL_NOT_AVAILABLE)
        return tk_err_set(err, TK_ECANCELED,
                          "the program is being recorded, or was; it accepts only one recording");
    return tk_err_set(err, TK_EFORMAT, "what answers is not a Tracy program");
}

static int take_welcome(struct tk_tl_stream *s, const uint8_t *p, const struct tk_tl_stream_taker *taker,
                        struct tk_err *err)
{
    if (s->state == TK_TL_AT_ON_DEMAND) {
        tk_tl_on_demand_read(&s->welcome, p);
    } else {
        tk_tl_welcome_read(&s->welcome, s->protocol, p);
        if (s->welcome.flags & TK_TL_ON_DEMAND) {
            expect(s, TK_TL_AT_ON_DEMAND, TK_TL_ON_DEMAND_BYTES);
            return TK_OK;
        }
    }
    expect(s, TK_TL_AT_SIZE, 4);
    return taker->welcome(taker->ctx, &s->welcome, err);
}

static int take_item(struct tk_tl_stream *s, const uint8_t *p, const struct tk_tl_stream_taker *taker,
                     struct tk_err *err)
{
    switch (s->state) {
    case TK_TL_AT_ANSWER:
        return take_answer(s, *p, err);
    case TK_TL_AT_WELCOME:
    case TK_TL_AT_ON_DEMAND:
        return take_welcome(s, p, taker, err);
    case TK_TL_AT_SIZE:
        expect(s, TK_TL_AT_BLOCK, tk_load32(p));
        if (s->want == 0 || s->want > TK_TL_PACKED_MOST)
            return tk_err_set(err, TK_EFORMAT, "block %llu of the program has an impossible size",
                              (unsigned long long)s->blocks);
        return TK_OK;
    case TK_TL_AT_BLOCK:
        return unpack(s, p, taker, err);
    case TK_TL_REFUSED:
        break;
    }
    return tk_err_set(err, TK_ECANCELED, "the program has refused");
}

int tk_tl_stream_feed(struct tk_tl_stream *s, const uint8_t *p, size_t n,
                      const struct tk_tl_stream_taker *taker, struct tk_err *err)
{
    s->bytes += n;
    while (n) {
        const size_t now = n < s->want - s->got ? n : s->want - s->got;
        const uint8_t *item = p;
        if (s->got || now < s->want) {
            memcpy(s->room + s->got, p, now);
            item = s->room;
        }
        s->got += now;
        p += now;
        n -= now;
        if (s->got < s->want)
            return TK_OK;
        int rc = take_item(s, item, taker, err);
        if (rc != TK_OK)
            return rc;
    }
    return TK_OK;
}
