/*
 * What an Unreal program sends to a recorder: the header, packets, and what they hold. It is fed in pieces,
 * whose sizes are the first byte of the input.
 */
#include "live/live_in.h"
#include "live/session.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

struct fed {
    struct tk_live_summary *summary; /* NULL: packets are only counted */
    uint64_t at;
};

static int take(void *ctx, const uint8_t *packet, size_t n, uint64_t offset)
{
    struct fed *fed = ctx;
    fuzz_promise(offset == fed->at && n >= 4, "packets follow each other");
    fed->at += n;
    uint8_t *copy = fuzz_copy(packet, n);
    if (fed->summary)
        tk_live_summary_feed(fed->summary, copy, n, offset);
    free(copy);
    return TK_OK;
}

static void on_channel(void *ctx, const char *name, uint32_t id, bool enabled)
{
    (void)ctx, (void)id, (void)enabled;
    for (; *name; name++)
        fuzz_promise(*name >= ' ' && *name <= '~', "names can be shown");
}

static uint64_t feed(struct fed *fed, const struct tk_hello *hello, const uint8_t *p, size_t n, size_t piece)
{
    struct tk_live_packets packets = {.whole = hello->size};
    fed->at = hello->size;
    for (size_t at = 0; at < n; at += piece) {
        const size_t k = piece < n - at ? piece : n - at;
        uint8_t *copy = fuzz_copy(p + at, k);
        tk_live_packets_feed(&packets, copy, k, take, fed);
        free(copy);
    }
    fuzz_promise(packets.whole == fed->at && packets.whole <= hello->size + n,
                 "whole packets lie in the stream");
    const uint64_t whole = packets.whole;
    tk_live_packets_release(&packets);
    return whole;
}

static void check_figures(const struct tk_live_summary *s)
{
    struct tk_live_figures f;
    tk_live_summary_tell(s, &f);
    for (const char *p = f.program; *p; p++)
        fuzz_promise(*p >= ' ' && *p <= '~', "texts can be shown");
    fuzz_promise(f.threads <= 0x3FFE, "threads that there can be");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_hello hello;
    if (size == 0)
        return 0;
    const size_t piece = (data[0] % 16u) * 37u + 1;
    const uint8_t *p = data + 1;
    size--;
    fuzz_promise(tk_live_foreign(p, size) != NULL, "everything looks like something");
    enum tk_hello_state before = TK_HELLO_MORE, state = TK_HELLO_MORE;
    for (size_t n = 0; n <= size && n <= 300; n++) {
        uint8_t *copy = fuzz_copy(p, n);
        state = tk_hello_judge(copy, n, &hello);
        free(copy);
        fuzz_promise(before == TK_HELLO_MORE || state == before, "more bytes change no verdict");
        before = state;
    }
    if (tk_hello_judge(p, size, &hello) != TK_HELLO_WHOLE)
        return 0;
    fuzz_promise(hello.size <= size, "the header lies in the stream");
    struct fed plain = {0}, fed = {.summary = tk_live_summary_new(&hello)};
    if (fed.summary)
        tk_live_summary_watch(fed.summary, on_channel, NULL);
    const uint64_t whole = feed(&fed, &hello, p + hello.size, size - hello.size, piece);
    fuzz_promise(feed(&plain, &hello, p + hello.size, size - hello.size, SIZE_MAX) == whole,
                 "in pieces as at once");
    if (fed.summary) {
        check_figures(fed.summary);
        tk_live_summary_finish(fed.summary);
        check_figures(fed.summary);
    }
    tk_live_summary_free(fed.summary);
    return 0;
}
