/*
 * See lane_cursor_far.h.
 */
#include "format/utrace/reading/lane_cursor_far.h"

#include "base/hash.h"

#include <stdlib.h>

int tk_ut_cursor_far_init(struct tk_ut_cursor_far *f, size_t n)
{
    size_t chains = 16;
    while (chains < 2 * n)
        chains *= 2;
    f->mask = chains - 1;
    f->chains = calloc(chains, sizeof(struct tk_ut_lane_cursor *));
    f->heap.v = calloc(n + 1, sizeof *f->heap.v);
    return f->chains && f->heap.v ? 0 : -1;
}

void tk_ut_cursor_far_release(struct tk_ut_cursor_far *f)
{
    free(f->chains);
    free(f->heap.v);
}

static struct tk_ut_lane_cursor **chain_of(const struct tk_ut_cursor_far *f, uint32_t serial)
{
    return &f->chains[tk_hash_u64(serial) & f->mask];
}

void tk_ut_cursor_far_push(struct tk_ut_cursor_far *f, struct tk_ut_lane_cursor *c)
{
    struct tk_ut_lane_cursor **chain = chain_of(f, tk_ut_cursor_head(c)->serial);
    c->far_next = *chain;
    *chain = c;
    tk_ut_cursor_heap_push(&f->heap, c, c->position);
}

void tk_ut_cursor_far_take(struct tk_ut_cursor_far *f, struct tk_ut_lane_cursor *c)
{
    struct tk_ut_lane_cursor **at = chain_of(f, tk_ut_cursor_head(c)->serial);
    while (*at != c)
        at = &(*at)->far_next;
    *at = c->far_next;
    tk_ut_cursor_heap_take(&f->heap, c->place);
}

struct tk_ut_lane_cursor *tk_ut_cursor_far_with(const struct tk_ut_cursor_far *f, uint32_t serial)
{
    struct tk_ut_lane_cursor *found = NULL;
    for (struct tk_ut_lane_cursor *c = *chain_of(f, serial); c; c = c->far_next)
        if (tk_ut_cursor_head(c)->serial == serial && (!found || c->position < found->position))
            found = c;
    return found;
}
