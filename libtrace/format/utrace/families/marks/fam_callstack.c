/*
 * Callstacks (events 6.4, changes-since 2). They are defined on ordinary threads, often after their first
 * use, so whoever refers to them looks them up at the end.
 */
#include "format/utrace/families/marks/marks_in.h"
#include "format/utrace/feed/family_list.h"

#include <string.h>

/*
 * Byte codes of callstacks.
 */

/* u8 leading zero bits of the XOR with the one before, then its other bytes, the least significant first. */
bool tk_ut_frame_xor(struct tk_bytes bytes, size_t *at, uint64_t previous, uint64_t *address)
{
    unsigned zeros = bytes.p[(*at)++];
    if (zeros > 64)
        return false;
    size_t n = (64 - zeros + 7) / 8;
    if (bytes.n - *at < n)
        return false;
    *address = previous ^ tk_load_le(bytes.p + *at, n);
    *at += n;
    return true;
}

static uint64_t undo_zigzag(uint64_t z)
{
    return (z >> 1) ^ (0 - (z & 1));
}

/* The difference, zigzag, seven bits a byte, the lowest first. */
bool tk_ut_frame_7bit(struct tk_bytes bytes, size_t *at, uint64_t previous, uint64_t *address)
{
    uint64_t z = 0;
    for (unsigned shift = 0; shift < 70 && *at < bytes.n; shift += 7) {
        uint8_t byte = bytes.p[(*at)++];
        if (shift == 63 && byte > 1)
            return false;
        z |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *address = previous + undo_zigzag(z);
            return true;
        }
    }
    return false;
}

/* The difference, zigzag; as many leading ones in the first byte as bytes follow it, the highest first. */
bool tk_ut_frame_varint(struct tk_bytes bytes, size_t *at, uint64_t previous, uint64_t *address)
{
    uint8_t first = bytes.p[(*at)++];
    unsigned more = 0;
    while (more < 8 && first & 0x80 >> more)
        more++;
    if (bytes.n - *at < more)
        return false;
    uint64_t z = more < 7 ? first & 0x7fu >> more : 0;
    for (unsigned i = 0; i < more; i++)
        z = z << 8 | bytes.p[(*at)++];
    *address = previous + undo_zigzag(z);
    return true;
}

void tk_ut_frames_unpack(struct tk_ut_frames *out, struct tk_bytes bytes, tk_ut_frame_code *code)
{
    uint64_t address = 0;
    out->n = 0;
    out->damaged = out->cut = false;
    for (size_t at = 0; at < bytes.n;) {
        if (out->n == TK_UT_MOST_FRAMES) {
            out->cut = true;
            return;
        }
        if (!code(bytes, &at, address, &address)) {
            out->damaged = true;
            return;
        }
        out->v[out->n++] = address;
    }
}

enum { ID, FRAMES, OLD_ID };

/* Addresses as 64-bit numbers, living as long as the batch. */
static uint64_t *frames_of(struct tk_ut_feed *feed, struct tk_bytes bytes, size_t width)
{
    size_t n = bytes.n / width;
    uint64_t *frames = tk_arena_alloc(&feed->out->arena, n * sizeof *frames);
    for (size_t i = 0; frames && i < n; i++)
        frames[i] = tk_load_le(bytes.p + i * width, width);
    return frames;
}

static int say_callstack(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const uint64_t *frames,
                         uint32_t n)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_CALLSTACK, 0);
    fact.u.callstack = (struct tk_fact_callstack){
        .id = tk_ut_u64(ev, tk_ut_has(ev, ID) ? ID : OLD_ID), .frames = frames, .n = n};
    return frames ? tk_ut_emit(feed, &fact) : TK_ENOMEM;
}

static bool is_whole(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    if (tk_ut_has(ev, FRAMES) && (tk_ut_has(ev, ID) || tk_ut_has(ev, OLD_ID)))
        return true;
    tk_ut_bad_payload(feed, ev, "it has no id or frames");
    return false;
}

static int on_callstack(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    if (!is_whole(feed, ev))
        return TK_OK;
    size_t width = (size_t)1 << (ev->bound[FRAMES]->info & TK_UT_INFO_WIDTH);
    struct tk_bytes bytes = tk_ut_bytes(ev, FRAMES);
    if (bytes.n % width)
        tk_ut_bad_payload(feed, ev, "its frames end inside an address");
    return say_callstack(feed, ev, frames_of(feed, bytes, width), (uint32_t)(bytes.n / width));
}

static int on_packed(struct tk_ut_feed *feed, const struct tk_ut_event *ev, tk_ut_frame_code *code)
{
    struct tk_ut_frames unpacked;
    if (!is_whole(feed, ev))
        return TK_OK;
    tk_ut_frames_unpack(&unpacked, tk_ut_bytes(ev, FRAMES), code);
    if (unpacked.damaged)
        tk_ut_bad_payload(feed, ev, "its frames end inside an address, or one has no such form");
    if (unpacked.cut)
        tk_ut_bad_payload(feed, ev, "it has more than 255 frames; the outer ones were left out");
    uint64_t *frames = tk_arena_alloc(&feed->out->arena, unpacked.n * sizeof *frames);
    if (frames)
        memcpy(frames, unpacked.v, unpacked.n * sizeof *frames);
    return say_callstack(feed, ev, frames, unpacked.n);
}

static int on_xor(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return on_packed(feed, ev, tk_ut_frame_xor);
}

static int on_7bit(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return on_packed(feed, ev, tk_ut_frame_7bit);
}

static int on_varint(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return on_packed(feed, ev, tk_ut_frame_varint);
}

static const struct tk_ut_bind binds[] = {
    {"Memory.CallstackSpec", on_callstack, false, {"CallstackId", "Frames", "Id"}},
    {"Memory.CallstackSpecXORAndRLE", on_xor, false, {"CallstackId", "CompressedFrames"}},
    {"Memory.CallstackSpecDelta7bit", on_7bit, false, {"CallstackId", "CompressedFrames"}},
    {"Memory.CallstackSpecDeltaVarInt", on_varint, false, {"CallstackId", "CompressedFrames"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_callstack = {
    .name = "callstack", .facts = TK_FACT_MASK(CALLSTACK), .binds = binds};
