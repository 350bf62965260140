/*
 * Callstacks (events 6.4, changes-since 2). They are defined on ordinary threads, often after their first
 * use, so whoever refers to them looks them up at the end.
 */
#include "format/utrace/families/marks/packed_frames.h"
#include "format/utrace/feed/family_list.h"

#include <string.h>

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
