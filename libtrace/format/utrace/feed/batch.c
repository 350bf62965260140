/*
 * A batch in the making: see batch.h.
 */
#include "format/utrace/feed/batch.h"

void tk_ut_batch_clear(struct tk_ut_batch *out)
{
    out->facts.n = out->runs.n = 0;
    out->n_chunks = 0;
    tk_arena_clear(&out->arena);
    tk_arena_clear(&out->columns);
}

void tk_ut_batch_release(struct tk_ut_batch *out)
{
    for (size_t i = 0; i < out->chunks.n; i++)
        out->free_chunk(out->chunks.v[i]);
    tk_vec_release(&out->chunks);
    tk_vec_release(&out->facts);
    tk_vec_release(&out->runs);
    tk_arena_release(&out->arena);
    tk_arena_release(&out->columns);
    tk_health_release(&out->health);
}
