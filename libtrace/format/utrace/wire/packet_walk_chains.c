/*
 * Chains: guessing where they begin and following them by turns.
 */
#include "base/bits.h"
#include "base/cursor.h"
#include "format/utrace/wire/wire_in.h"

#include <stdlib.h>

#define SEARCH_BYTES 8192u /* how far the beginning of a chain is searched for */
#define FETCH_BYTES  512u
#define LINE         64u
#define SEARCH_STEP  512u
#define MOST_GUESSES 16u /* of a step */
#define ENOUGH       3   /* headers in a row that look like packets */

int tk_ut_chains_open(struct tk_ut_chains *c, const struct tk_ut_packet_walk *walk)
{
    *c = (struct tk_ut_chains){.walk = walk};
    int rc = tk_window_open(&c->window, walk->ctx->file, true, walk->err);
    for (size_t i = 0; i < TK_UT_CHAINS && rc == TK_OK; i++)
        if (!(c->v[i].heads = malloc(TK_UT_CHAIN_HEADS * sizeof *c->v[i].heads)))
            rc = tk_err_nomem(walk->err, "the packet index");
    return rc;
}

void tk_ut_chains_close(struct tk_ut_chains *c)
{
    tk_window_close(c->window);
    for (size_t i = 0; i < TK_UT_CHAINS; i++)
        free(c->v[i].heads);
}

/* A header at a place of the piece: good in itself and inside the file. Returns the bytes to the next one, or
 * 0. */
static inline uint32_t head_at(const struct tk_ut_chains *c, uint32_t at, struct tk_ut_seen *seen)
{
    const struct tk_ut_packet_walk *w = c->walk;
    if (at + 6 > c->have)
        return 0;
    uint16_t size = tk_load16(c->bytes + at), word = tk_load16(c->bytes + at + 2);
    uint32_t skip = size + (w->ix->counted && word & TK_UT_PARTIAL ? 8u : 0u);
    if (size < (word & TK_UT_ENCODED ? 6 : 4) || skip > w->size - (c->offset + at))
        return 0;
    *seen = (struct tk_ut_seen){at, size, word};
    return skip;
}

/* Has the bytes at a place brought near, so that they are there when their turn comes. */
static inline void fetch(const struct tk_ut_chains *c, uint32_t at)
{
    if (at < c->have)
        tk_prefetch(c->bytes + at);
}

/* Could a recorder have written this? Sizes that LZ4 does not make betray bytes that only look like a header.
 */
static inline bool likely(const struct tk_ut_chains *c, const struct tk_ut_seen *seen)
{
    uint16_t tid = seen->word & TK_UT_TID_SYNC;
    if (tid > c->highest && tid < TK_UT_TID_CONNECT)
        return false;
    if (!(seen->word & TK_UT_ENCODED))
        return seen->size <= TK_UT_RAW_LIMIT;
    uint32_t packed = seen->size - 6u, unpacked = tk_load16(c->bytes + seen->at + 4);
    return packed <= unpacked + unpacked / 255 + 16 && unpacked <= 255 * packed;
}

/* Do headers in a row from here on look like packets? A guess: the walk finds out. */
static bool looks_good(const struct tk_ut_chains *c, uint32_t at)
{
    struct tk_ut_seen seen;
    for (int i = 0; i < ENOUGH; i++) {
        uint32_t skip = head_at(c, at, &seen);
        if (!skip || !likely(c, &seen))
            return false;
        at += skip;
    }
    return true;
}

/*
 * Of the eight places from p on, does any have a tid below 256 * (limit + 1)? A word at a time: the upper
 * byte of each is below a limit where taking limit + 1 away borrows.
 */
static inline bool any_small_tid(const uint8_t *p, uint64_t limit)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t upper = tk_load64(p + 3) & ones * 0x3f;
    return (upper - ones * (limit + 1)) & ~upper & ones * 0x80;
}

/* Collects the places from `from` on that may be headers, and has what would follow them fetched. */
static unsigned guess(const struct tk_ut_chains *c, uint32_t from, uint32_t to, uint32_t *places)
{
    struct tk_ut_seen seen;
    unsigned n = 0;
    for (uint32_t at = from; at < to && n < MOST_GUESSES; at++) {
        while (at + 16 < to && !any_small_tid(c->bytes + at, c->highest >> 8))
            at += 8;
        if ((tk_load16(c->bytes + at + 2) & TK_UT_TID_SYNC) > c->highest)
            continue;
        uint32_t skip = head_at(c, at, &seen);
        if (!skip || !likely(c, &seen))
            continue;
        fetch(c, at + skip);
        places[n++] = at;
    }
    return n;
}

static bool find_begin(const struct tk_ut_chains *c, uint32_t from, uint32_t *begin)
{
    uint32_t places[MOST_GUESSES];
    uint32_t last = c->have > 6 ? c->have - 6 : 0;
    uint32_t end = from + SEARCH_BYTES < last ? from + SEARCH_BYTES : last;
    for (; from < end; from += SEARCH_STEP) {
        uint32_t to = from + SEARCH_STEP < end ? from + SEARCH_STEP : end;
        unsigned n = guess(c, from, to, places);
        for (unsigned i = 0; i < n; i++) {
            *begin = places[i];
            if (looks_good(c, places[i]))
                return true;
        }
    }
    return false;
}

/* Has the beginnings of all chains brought near: what is not mapped yet must be touched for that. */
static void fetch_begins(const struct tk_ut_chains *c, uint32_t first)
{
    for (size_t from = first; from < c->have; from += TK_UT_CHAIN_BYTES)
        (void)*(const volatile uint8_t *)(c->bytes + from);
    for (uint32_t at = 0; at < FETCH_BYTES; at += LINE)
        for (size_t from = first; from < c->have; from += TK_UT_CHAIN_BYTES)
            fetch(c, (uint32_t)from + at);
}

static void add_packet_walk_chains(struct tk_ut_chains *c, uint32_t begin)
{
    struct tk_ut_chain *chain = &c->v[c->n];
    if (c->n)
        chain[-1].end = begin;
    chain->begin = chain->at = begin;
    chain->end = c->have;
    chain->n = 0;
    c->n++;
}

/* Chains about evenly over the piece from a place on. */
static void lay_out_packet_walk_chains(struct tk_ut_chains *c, uint32_t first, bool known)
{
    uint32_t begin;
    c->n = 0;
    fetch_begins(c, first);
    if (known)
        add_packet_walk_chains(c, first);
    for (size_t from = first + (known ? TK_UT_CHAIN_BYTES : 0); from < c->have; from += TK_UT_CHAIN_BYTES)
        if (find_begin(c, (uint32_t)from, &begin))
            add_packet_walk_chains(c, begin);
}

static inline bool step_packet_walk_chains(const struct tk_ut_chains *c, struct tk_ut_chain *chain)
{
    if (chain->at >= chain->end || chain->n == TK_UT_CHAIN_HEADS)
        return false;
    uint32_t skip = head_at(c, chain->at, &chain->heads[chain->n]);
    chain->at += skip;
    chain->n += skip > 0;
    fetch(c, chain->at);
    return skip > 0;
}

static void follow(struct tk_ut_chains *c)
{
    struct tk_ut_chain *live[TK_UT_CHAINS];
    unsigned n = 0;
    for (unsigned i = 0; i < c->n; i++)
        live[n++] = &c->v[i];
    while (n) {
        unsigned left = 0;
        for (unsigned i = 0; i < n; i++)
            if (step_packet_walk_chains(c, live[i]))
                live[left++] = live[i];
        n = left;
    }
}

uint64_t tk_ut_chains_look(struct tk_ut_chains *c, uint64_t from, uint64_t to, bool *known)
{
    size_t got = 0;
    struct tk_err ignored = {0};
    uint64_t start = from - from % TK_WINDOW_VIEW;
    c->n = 0;
    const uint8_t *p = tk_window_at(c->window, start, TK_WINDOW_MOST, &got, &ignored);
    if (!p || !got || c->window->start != start)
        return to;
    c->offset = start;
    c->bytes = p;
    c->have = (uint32_t)(to - start < c->window->have ? to - start : c->window->have);
    lay_out_packet_walk_chains(c, (uint32_t)(from - start), *known);
    follow(c);
    const struct tk_ut_chain *last = c->n ? &c->v[c->n - 1] : NULL;
    *known = last && last->n && last->at >= c->have;
    return start + (*known ? last->at : c->have);
}
