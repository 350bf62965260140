/*
 * Callstacks (events 6.4). They are defined on ordinary threads, often after their first use, so
 * whoever refers to them looks them up at the end.
 */
#include "format/utrace/feed/family_list.h"

enum { ID, FRAMES, OLD_ID };

/* Addresses as 64-bit numbers, living as long as the batch. */
static uint64_t *frames_of(struct tk_ut_feed *feed, struct tk_span bytes, size_t width)
{
    size_t n = bytes.n / width;
    uint64_t *frames = tk_arena_alloc(&feed->out->arena, n * sizeof *frames);
    for (size_t i = 0; frames && i < n; i++)
        frames[i] = tk_load_le(bytes.p + i * width, width);
    return frames;
}

static int on_callstack(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_CALLSTACK, 0);
    (void)state;
    if (!tk_ut_has(ev, FRAMES) || (!tk_ut_has(ev, ID) && !tk_ut_has(ev, OLD_ID))) {
        tk_ut_bad_payload(feed, ev, "it has no id or frames");
        return TK_OK;
    }
    size_t width = (size_t)1 << (ev->bound[FRAMES]->info & TK_UT_INFO_WIDTH);
    struct tk_span bytes = tk_ut_bytes(ev, FRAMES);
    fact.u.callstack = (struct tk_fact_callstack){.id = tk_ut_u64(ev, tk_ut_has(ev, ID) ? ID : OLD_ID),
                                                  .frames = frames_of(feed, bytes, width),
                                                  .n = (uint32_t)(bytes.n / width)};
    return fact.u.callstack.frames ? tk_ut_emit(feed, &fact) : TK_ENOMEM;
}

static const struct tk_ut_bind binds[] = {
    {"Memory.CallstackSpec", on_callstack, false, {"CallstackId", "Frames", "Id"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_callstack = {
    .name = "callstack", .facts = TK_FACT_MASK(CALLSTACK), .binds = binds};
