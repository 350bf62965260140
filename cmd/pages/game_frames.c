/*
 * Game frames: the longest, and hitches. See game_frames.h.
 */
#include "pages/game_frames.h"

#include "pages/answer.h"

#include <inttypes.h>
#include <stdlib.h>

#define LISTED 5 /* hitches by number */

static int reserve_frame(struct tk_game_frames *frames)
{
    if (frames->n < frames->cap)
        return TK_OK;
    const size_t cap = frames->cap ? frames->cap * 2 : 1024;
    struct tk_game_frame *v = realloc(frames->v, cap * sizeof *v);
    if (!v)
        return TK_ENOMEM;
    frames->v = v;
    frames->cap = cap;
    return TK_OK;
}

int tk_game_frames_add(struct tk_game_frames *frames, const struct tk_table *table, const struct tk_cell *row)
{
    const struct tk_cell *duration = tk_answer_cell_of(table, row, "dur");
    if (tk_answer_cell_of(table, row, "type_id")->v.u != 0 || duration->kind != TK_DURATION)
        return TK_OK;
    if (reserve_frame(frames) < 0)
        return TK_ENOMEM;
    frames->v[frames->n++] =
        (struct tk_game_frame){tk_answer_cell_of(table, row, "frame")->v.u, duration->v.i};
    return TK_OK;
}

static int longest_first(const void *a, const void *b)
{
    const struct tk_game_frame *x = a, *y = b;
    if (x->duration != y->duration)
        return x->duration < y->duration ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

void tk_game_frames_sort(struct tk_game_frames *frames)
{
    if (frames->n)
        qsort(frames->v, frames->n, sizeof *frames->v, longest_first);
}

size_t tk_game_frames_over(const struct tk_game_frames *frames, double ns)
{
    size_t n = 0;
    while (n < frames->n && (double)frames->v[n].duration > ns)
        n++;
    return n;
}

void tk_game_frames_put_hitches(const struct tk_game_frames *frames, double median, struct tk_lines *lines)
{
    const size_t n = tk_game_frames_over(frames, 2 * median);
    tk_lines_begin(lines, "hitches");
    if (n)
        tk_lines_put(lines, "%zu over ", n);
    else
        tk_lines_put(lines, "none over ");
    tk_lines_span(lines, 2 * median, 4);
    tk_lines_put(lines, " (2 x median)");
    for (size_t i = 0; i < n && i < LISTED; i++)
        tk_lines_put(lines, "%s%" PRIu64, i ? ", " : n == 1 ? ": frame " : ": frames ", frames->v[i].index);
    if (n > LISTED)
        tk_lines_put(lines, ", ...");
}

void tk_game_frames_put_open(const struct tk_answer *stats, size_t row, struct tk_lines *lines)
{
    const struct tk_cell *open = tk_answer_cell(stats, row, "open");
    if (open->kind == TK_UINT && open->v.u)
        tk_lines_put(lines, " (%" PRIu64 " open)", open->v.u);
}

void tk_game_frames_release(struct tk_game_frames *frames)
{
    free(frames->v);
    *frames = (struct tk_game_frames){0};
}
