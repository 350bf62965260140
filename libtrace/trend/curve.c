/*
 * Values of stretches of a curve, and the arrays in which they are worked on. See curve.h.
 */
#include "trend/curve.h"

#include "base/arena.h"

#include <math.h>

static void *array(struct tk_arena *arena, size_t n, size_t size)
{
    return n && size > SIZE_MAX / n ? NULL : tk_arena_alloc(arena, n * size);
}

int tk_trend_room(struct tk_trend_room *room, struct tk_arena *arena, size_t n, size_t m)
{
    size_t pairs = n > m ? n : m;
    *room = (struct tk_trend_room){.n = n};
    room->left = array(arena, n, sizeof *room->left);
    room->right = array(arena, n, sizeof *room->right);
    room->sorted = array(arena, pairs, sizeof *room->sorted);
    room->values = array(arena, n, sizeof *room->values);
    room->calm = array(arena, n, sizeof *room->calm);
    room->pairs = array(arena, pairs, sizeof *room->pairs);
    room->nights = array(arena, n, sizeof *room->nights);
    room->marks = array(arena, n, TK_TREND_LEVELS);
    room->best = array(arena, n, 1);
    room->steps = array(arena, n, sizeof *room->steps);
    room->judged = array(arena, n, sizeof *room->judged);
    return arena->failed ? -1 : 0;
}

struct tk_trend_side tk_trend_side_of(const double *z, uint32_t a, uint32_t b, double *to)
{
    struct tk_trend_side side = {.v = to};
    for (uint32_t t = a; t < b; t++)
        if (!isnan(z[t]))
            to[side.n++] = z[t];
    return side;
}

size_t tk_trend_count(const struct tk_trend_curve *c)
{
    size_t n = 0;
    for (uint32_t t = c->span.from; t < c->span.to; t++)
        n += isnan(c->z[t]) ? 0 : 1;
    return n;
}

double tk_trend_middle(const struct tk_trend_curve *c, struct tk_trend_room *room)
{
    struct tk_trend_side all = tk_trend_side_of(c->z, c->span.from, c->span.to, room->left);
    return all.n ? tk_robust_median(all.v, all.n) : NAN;
}
