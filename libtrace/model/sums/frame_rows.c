/*
 * Sums of a timer by frame.
 */
#include "model/sums/frame_sums.h"

#include <stdlib.h>

struct tk_frame_row *tk_frame_row_of(struct tk_timer_sum_side *side, uint32_t window_size)
{
    if (side->frames)
        return side->frames;
    side->frames = calloc(1, sizeof *side->frames + window_size * sizeof *side->frames->open);
    if (side->frames)
        tk_sketch_init(&side->frames->sums, TK_SKETCH_FRAMES);
    return side->frames;
}

void tk_frame_row_free(struct tk_frame_row *row)
{
    if (row)
        tk_sketch_release(&row->sums);
    free(row);
}

int tk_frame_pend(struct tk_timer_sum_set *set, uint32_t timer, struct tk_timer_sum_side *side)
{
    return tk_frame_row_of(side, set->window->size) ? tk_vec_push(&set->pending, timer) : -1;
}

int tk_frame_row_merge(struct tk_frame_row *into, const struct tk_frame_row *from)
{
    into->total += from->total;
    into->busy += from->busy;
    into->most = from->most > into->most ? from->most : into->most;
    return tk_sketch_merge(&into->sums, &from->sums);
}
