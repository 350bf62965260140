/*
 * Makes the tables of a protocol, numbers questions, reads the greeting (tracy-live 1, 3, 5, 8). The session
 * and the recorder use it.
 */
#include "live/tracy/state/protocol.h"

#include "base/cursor.h"
#include "format/tracy/file/version.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

/*
 * Collects bytes until the next item is whole, and unpacks blocks, each of which may refer to 64 KiB of those
 * before it (tracy-live 3, 4).
 */

enum { UNPACKED_SPACE = 4 * TK_TL_BLOCK_MOST };

int tk_tl_stream_begin(struct tk_tl_stream *s, const struct tk_tl_protocol *protocol, struct tk_err *err)
{
    memset(s, 0, sizeof *s);
    s->protocol = protocol;
    s->want = 1;
    s->capacity = malloc(TK_TL_PACKED_MOST);
    s->unpacked = malloc(UNPACKED_SPACE);
    return s->capacity && s->unpacked ? TK_OK : tk_err_nomem(err, "a connection");
}

void tk_tl_stream_release(struct tk_tl_stream *s)
{
    free(s->capacity);
    free(s->unpacked);
    memset(s, 0, sizeof *s);
}

static void expect(struct tk_tl_stream *s, enum tk_tl_stream_state state, size_t want)
{
    s->state = state;
    s->want = want;
    s->got = 0;
}

void tk_tl_stream_resume(struct tk_tl_stream *s)
{
    expect(s, TK_TL_AT_SIZE, 4);
}

static int unpack(struct tk_tl_stream *s, const uint8_t *p, const struct tk_tl_stream_taker *taker,
                  struct tk_err *err)
{
    if (s->at + TK_TL_BLOCK_MOST > UNPACKED_SPACE) {
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
    s->taken += 4 + s->want;
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
            memcpy(s->capacity + s->got, p, now);
            item = s->capacity;
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

enum { NA = -1 };

const unsigned tk_tl_protocols[TK_TL_PROTOCOLS] = {82, 76, 74, 69, 66, 64, 63};

static const struct {
    unsigned number;
    uint32_t file_version;
    const char *releases;
} releases[] = {{63, TK_TRACY_V(0, 9, 0), "0.9.0 and 0.9.1"},
                {64, TK_TRACY_V(0, 10, 0), "0.10.0"},
                {66, TK_TRACY_V(0, 11, 0), "0.11.0"},
                {69, TK_TRACY_V(0, 11, 1), "0.11.1"},
                {74, TK_TRACY_V(0, 12, 0), "0.12.0 to 0.12.2"},
                {76, TK_TRACY_V(0, 13, 0), "0.13.0 and 0.13.1"},
                {82, TK_TRACY_V(0, 14, 0), "0.14.0"}};

static const struct {
    int16_t numbers[TK_TL_PROTOCOLS];
    uint8_t form, size, since, more;
} events[] = {
#define TK_TL_EVENT_ROW(name, a, b, c, d, e, f, g, form, size, since, more)                                  \
    {{a, b, c, d, e, f, g}, TK_TL_##form, size, since, more},
    TK_TL_EVENTS(TK_TL_EVENT_ROW)
#undef TK_TL_EVENT_ROW
};

const char *tk_tl_releases(unsigned number)
{
    for (size_t i = 0; i < TK_TL_PROTOCOLS; i++)
        if (releases[i].number == number)
            return releases[i].releases;
    return NULL;
}

static void set_types(struct tk_tl_protocol *p, size_t column)
{
    for (size_t i = 0; i < TK_TL_EVENT_COUNT; i++) {
        const int number = events[i].numbers[column];
        if (number == NA)
            continue;
        p->types[number].form = events[i].form;
        p->types[number].event = (uint8_t)i;
        p->types[number].size =
            (uint8_t)(events[i].size + (events[i].more && p->number >= events[i].since ? events[i].more : 0));
    }
}

bool tk_tl_protocol_set(struct tk_tl_protocol *p, unsigned number)
{
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i < TK_TL_PROTOCOLS; i++) {
        if (releases[i].number != number)
            continue;
        p->number = number;
        p->file_version = releases[i].file_version;
        p->has_delay = number < 75;
        p->external_name_first = number >= 66;
        p->wide_switch = number >= 73;
        p->message_meta = number >= 77;
        p->short_times = number >= 78;
        p->short_strings = number >= 80;
        p->old_frame_ends = p->old_sample_times = number < 66;
        p->hex_values = number >= 74;
        p->code_for_sources = p->implicit_frees = number >= 82;
        set_types(p, i);
        return true;
    }
    return false;
}

/* ---- questions ---- */

/* Before protocol 66 the names of external threads stood behind the frames of code. */
static uint8_t number_of(const struct tk_tl_protocol *p, enum tk_tl_question q)
{
    if (p->external_name_first || q < TK_TL_ASK_EXTERNAL || q > TK_TL_ASK_CODE_FRAME)
        return (uint8_t)q;
    return q == TK_TL_ASK_EXTERNAL ? 10 : (uint8_t)(q - 1);
}

static void put_le(uint8_t *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

void tk_tl_question_put(const struct tk_tl_protocol *p, uint8_t out[TK_TL_QUESTION_BYTES],
                        enum tk_tl_question question, uint64_t pointer, uint32_t extra)
{
    out[0] = number_of(p, question);
    put_le(out + 1, pointer, 8);
    put_le(out + 9, extra, 4);
}

/* ---- the greeting ---- */

void tk_tl_hello_put(uint8_t out[TK_TL_HELLO_BYTES], unsigned protocol)
{
    memcpy(out, "TracyPrf", 8);
    put_le(out + 8, protocol, 4);
}

size_t tk_tl_welcome_bytes(const struct tk_tl_protocol *p)
{
    return p->has_delay ? TK_TL_WELCOME_MOST : TK_TL_WELCOME_MOST - 8;
}

static void read_text(char *out, struct tk_cur *c, size_t n)
{
    memcpy(out, tk_take(c, n, "welcome"), n);
    out[n] = 0;
}

void tk_tl_welcome_read(struct tk_tl_welcome *w, const struct tk_tl_protocol *p, const uint8_t *bytes)
{
    struct tk_cur c = tk_cur_of(bytes, tk_tl_welcome_bytes(p));
    const uint64_t period = tk_u64(&c, "welcome");
    memset(w, 0, sizeof *w);
    memcpy(&w->period, &period, sizeof w->period);
    w->base = (int64_t)tk_u64(&c, "welcome");
    w->init_end = (int64_t)tk_u64(&c, "welcome");
    w->delay = p->has_delay ? tk_u64(&c, "welcome") : 0;
    w->resolution = tk_u64(&c, "welcome");
    w->epoch = tk_u64(&c, "welcome");
    w->exec_time = tk_u64(&c, "welcome");
    w->pid = tk_u64(&c, "welcome");
    w->sampling = (int64_t)tk_u64(&c, "welcome");
    w->flags = tk_u8(&c, "welcome");
    w->arch = tk_u8(&c, "welcome");
    memcpy(w->manufacturer, tk_take(&c, sizeof w->manufacturer, "welcome"), sizeof w->manufacturer);
    w->cpu_id = tk_u32(&c, "welcome");
    read_text(w->program, &c, sizeof w->program - 1);
    read_text(w->host, &c, sizeof w->host - 1);
}

void tk_tl_on_demand_read(struct tk_tl_welcome *w, const uint8_t bytes[TK_TL_ON_DEMAND_BYTES])
{
    w->frame_offset = tk_load64(bytes);
    w->now = (int64_t)tk_load64(bytes + 8);
}
