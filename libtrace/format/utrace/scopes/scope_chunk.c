/*
 * Chunks: the batches of a lane that are decoded as one piece of work (scope_internal.h).
 */
#include "format/utrace/scopes/scope_internal.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (8u << 10)

static void free_chunk(struct tk_ut_chunk *c)
{
    tk_cpu_chunk_release(&c->cpu);
    free(c->bytes);
    free(c->text);
    tk_vec_release(&c->sizes);
    tk_vec_release(&c->offsets);
    free(c);
}

static struct tk_ut_chunk *new_chunk(struct tk_ut_batch *s)
{
    if (s->n_chunks == s->chunks.n) {
        struct tk_ut_chunk *c = calloc(1, sizeof *c);
        s->free_chunk = free_chunk;
        if (!c || tk_vec_push(&s->chunks, c)) {
            free(c);
            return NULL;
        }
    }
    struct tk_ut_chunk *c = s->chunks.v[s->n_chunks++];
    c->n_bytes = 0;
    c->sizes.n = c->offsets.n = 0;
    return c;
}

/* The chunk that takes a batch of this form and size. */
static struct tk_ut_chunk *chunk_for(struct tk_ut_batch *s, struct tk_ut_scope_lane *lane, int form, size_t n)
{
    struct tk_ut_chunk *c = lane->open_chunk == TK_UT_CUT ? NULL : s->chunks.v[lane->open_chunk];
    if (c && c->cpu.form == form && c->n_bytes + n <= CHUNK_BYTES)
        return c;
    if (!(c = new_chunk(s)))
        return NULL;
    lane->open_chunk = (uint32_t)s->n_chunks - 1;
    struct tk_ut_scope_part part = {lane->open_chunk, 0};
    c->cpu.form = form;
    c->thread = lane->thread;
    return tk_vec_push(&lane->parts, part) ? NULL : c;
}

static int add_batch(struct tk_ut_chunk *c, const struct tk_bytes *bytes, uint64_t offset)
{
    if (tk_vec_grow((void **)&c->bytes, &c->cap_bytes, c->n_bytes + bytes->n + TK_CPU_PADDING, 1) ||
        tk_vec_push(&c->sizes, (uint32_t)bytes->n) || tk_vec_push(&c->offsets, offset))
        return TK_ENOMEM;
    memcpy(c->bytes + c->n_bytes, bytes->p, bytes->n);
    c->n_bytes += bytes->n;
    return TK_OK;
}

int tk_ut_scopes_add(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, int form,
                     const struct tk_bytes *bytes, uint64_t offset)
{
    if (tk_ut_scopes_touch(feed->scopes, lane) != TK_OK)
        return TK_ENOMEM;
    struct tk_ut_chunk *c = chunk_for(feed->out, lane, form, bytes->n);
    return c ? add_batch(c, bytes, offset) : TK_ENOMEM;
}
