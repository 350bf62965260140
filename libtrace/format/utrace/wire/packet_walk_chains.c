/*
 * Chains: guessing where they begin and following them by turns.
 */
#include "base/bits.h"
#include "base/cursor.h"
#include "format/utrace/wire/wire_in.h"
#include "tracekit/captures.h"

#include <inttypes.h>
#include <stdio.h>
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

/*
 * Both ends of a large capture.
 *
 * The beginning is what a recording would be that was killed there. Of the end only times are of use, as long
 * as nothing is known of what comes before it.
 */

enum {
    SHARE = 256,   /* of the limit `whole_bytes` is read at each end, */
    LEAST = 65536, /* and at least so much: the largest packet */
    DECLARED = 16, /* declarations are looked for in so many times that at the beginning, */
    TRIES = 16,    /* and the first packet of the end at so many places */
    FIRST_PROTOCOL = 6
};

#define BIT(kind) (UINT64_C(1) << TK_HEALTH_##kind)

/* What may be missing only because the rest is not read. */
#define NOT_KNOWN (BIT(FILE_TRUNCATED) | BIT(TYPE_UNDECLARED) | BIT(DEFINITION_MISSING))

static uint64_t part_of(const struct tk_ut_packet_walk *w)
{
    const uint64_t part = w->ctx->limits.whole_bytes / SHARE;
    return part > LEAST ? part : LEAST;
}

bool tk_ut_packet_walk_in_part(const struct tk_ut_packet_walk *w)
{
    const struct tk_options *options = w->ctx->options;
    return options && options->in_part && w->ix->header->protocol >= FIRST_PROTOCOL &&
           (w->size - w->ix->header->size) / 4 > part_of(w);
}

/* That the file ends inside of a packet is so whatever stands before that. */
static void tell_end(struct tk_health *to, const struct tk_health *found)
{
    for (size_t i = 0; i < found->n_items; i++)
        tk_health_repeat(to, &found->items[i]);
}

/* Do packets follow each other from here to the end of the file, which may cut the last one off? */
static bool leads_to_end(struct tk_ut_packet_walk *w, uint64_t at)
{
    struct tk_ut_head head;
    enum tk_ut_state state = TK_UT_BAD;
    while (at < w->size && (state = tk_ut_packet_walk_head(w, at, &head)) == TK_UT_GOOD &&
           tk_ut_packet_walk_unpacks(w, &head))
        at = tk_ut_packet_walk_after(w, &head);
    return at >= w->size || state == TK_UT_CUT;
}

/* The first packet from an offset on, or UINT64_MAX: what looks like packets is inside others, too. */
static uint64_t first_of_rest(struct tk_ut_packet_walk *w, uint64_t from)
{
    const uint64_t first = tk_ut_packet_walk_search(w, from);
    uint64_t at = first;
    for (int i = 0; i < TRIES && at != UINT64_MAX; i++, at = tk_ut_packet_walk_search(w, at + 1))
        if (leads_to_end(w, at))
            return at;
    return first;
}

/* What else is wrong with these packets shows only to who knows all threads; which there are is not known. */
static int walk_rest(struct tk_ut_packet_walk *w, struct tk_ut_index *rest, uint64_t from)
{
    struct tk_ut_packet_walk last = *w;
    last.highest = TK_UT_TIDS;
    struct tk_context quiet = *w->ctx;
    quiet.health = (struct tk_health){.muted = ~BIT(FILE_TRUNCATED), .max_items = w->ctx->health.max_items};
    last.ix = rest;
    last.ctx = &quiet;
    last.sure = 0;
    const uint64_t at = first_of_rest(&last, from);
    if (at != UINT64_MAX)
        tk_ut_packet_walk_to(&last, NULL, at, w->size);
    tell_end(&w->ctx->health, &quiet.health);
    tk_health_release(&quiet.health);
    w->census = last.census;
    w->scratch = last.scratch;
    w->rc = last.rc;
    return w->rc;
}

static int add_rest(struct tk_ut_packet_walk *w, uint64_t from)
{
    struct tk_ut_index *rest = w->ix->rest = calloc(1, sizeof *rest);
    if (!rest)
        return tk_err_nomem(w->err, "the packet index");
    *rest = (struct tk_ut_index){.header = w->ix->header, .end = w->size, .counted = w->ix->counted};
    rest->lanes = calloc(TK_UT_TIDS, sizeof *rest->lanes);
    if (!rest->lanes)
        return tk_err_nomem(w->err, "the packet index");
    const int rc = walk_rest(w, rest, from > w->ix->end ? from : w->ix->end);
    w->ix->truncated = rest->truncated;
    return rc;
}

/* A program goes on to declare types. Without theirs, events of the end cannot be read, nor what follows them
 * in their packets. */
static int add_declarations(struct tk_ut_packet_walk *w, uint64_t until)
{
    struct tk_ut_head head;
    int rc = TK_OK;
    for (uint64_t at = w->ix->end; rc == TK_OK && at < until; at = tk_ut_packet_walk_after(w, &head)) {
        if (tk_ut_packet_walk_head(w, at, &head) != TK_UT_GOOD)
            break;
        if (head.tid != TK_UT_TID_DECLARATIONS)
            continue;
        rc = tk_ut_index_add(w->ix, head.offset, head.word, false, false);
        tk_ut_index_count(w->ix, head.tid)->packets++;
    }
    return rc == TK_OK ? TK_OK : tk_err_nomem(w->err, "the packet index");
}

int tk_ut_packet_walk_ends(struct tk_ut_packet_walk *w)
{
    const uint64_t n = part_of(w), begin = w->ix->header->size;
    if (!(w->census = calloc(TK_UT_TIDS, sizeof *w->census))) /* a real one goes through all of it */
        return tk_err_nomem(w->err, "the packet index");
    w->ix->end = tk_ut_packet_walk_to(w, NULL, begin, begin + n);
    if (w->rc != TK_OK || w->ix->end >= w->size)
        return w->rc;
    snprintf(w->ctx->part, sizeof w->ctx->part, "the first and last %" PRIu64 " KiB", n >> 10);
    int rc = add_rest(w, w->size - n);
    if (rc == TK_OK)
        rc = add_declarations(w, begin + DECLARED * n < w->size - n ? begin + DECLARED * n : w->size - n);
    w->ctx->health.muted = NOT_KNOWN;
    return rc;
}
