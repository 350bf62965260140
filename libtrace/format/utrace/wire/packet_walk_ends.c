/*
 * Both ends of a large capture. See packet_walk_ends.h.
 *
 * The beginning is what a recording would be that was killed there. Of the end only times are of use, as long
 * as nothing is known of what comes before it.
 */
#include "format/utrace/wire/packet_walk_ends.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SHARE = 256,   /* of the limit `whole_bytes` is read at each end, */
    LEAST = 65536, /* and at least so much: the largest packet */
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

/* What else is wrong with these packets shows only to who knows all threads. */
static int walk_rest(struct tk_ut_packet_walk *w, struct tk_ut_index *rest, uint64_t from)
{
    struct tk_ut_packet_walk last = *w;
    struct tk_context quiet = *w->ctx;
    quiet.health = (struct tk_health){.muted = ~BIT(FILE_TRUNCATED), .max_items = w->ctx->health.max_items};
    last.ix = rest;
    last.ctx = &quiet;
    last.sure = 0;
    const uint64_t at = tk_ut_packet_walk_search(&last, from);
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

int tk_ut_packet_walk_ends(struct tk_ut_packet_walk *w)
{
    const uint64_t n = part_of(w), begin = w->ix->header->size;
    if (!(w->census = calloc(TK_UT_TIDS, sizeof *w->census))) /* a real one goes through all of it */
        return tk_err_nomem(w->err, "the packet index");
    w->ix->end = tk_ut_packet_walk_to(w, NULL, begin, begin + n);
    if (w->rc != TK_OK || w->ix->end >= w->size)
        return w->rc;
    snprintf(w->ctx->part, sizeof w->ctx->part, "the first and last %" PRIu64 " KiB", n >> 10);
    const int rc = add_rest(w, w->size - n);
    w->ctx->health.muted = NOT_KNOWN;
    return rc;
}
