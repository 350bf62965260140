/*
 * Both ends of a large capture.
 *
 * The beginning is what a recording would be that was killed there. Of the end only times are of use, as long
 * as nothing is known of what comes before it.
 */
#include "format/utrace/wire/wire_in.h"
#include "tracekit/captures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
