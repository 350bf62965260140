/*
 * Blocks of copied events. See text_queue.h.
 */
#include "edit/utrace/texts/text_queue.h"

#include <string.h>

enum { BLOCK_BYTES = 256 << 10, BLOCK_EVENTS = 2048 };

static int look_at(struct tk_edit_text_queue *q, struct tk_ut_event *ev, uint32_t number)
{
    ev->scratch = &q->scratch;
    const int rc = q->look(q->ctx, ev, number);
    tk_arena_clear(&q->scratch);
    return rc;
}

static int use_block(void *ctx, size_t number, unsigned worker)
{
    struct tk_edit_text_queue *q = ctx;
    struct tk_edit_text_block *block = &q->blocks[number % TK_EDIT_TEXT_BLOCKS];
    int rc = TK_OK;
    (void)worker;
    for (size_t i = 0; i < block->events.n && rc == TK_OK; i++)
        rc = look_at(q, &block->events.v[i].ev, block->events.v[i].number);
    block->events.n = 0;
    tk_arena_clear(&block->bytes);
    return rc;
}

void tk_edit_text_queue_open(struct tk_edit_text_queue *q, struct tk_pool *pool, tk_edit_text_look *look,
                             void *ctx)
{
    *q = (struct tk_edit_text_queue){.pool = pool, .look = look, .ctx = ctx};
    tk_writebehind_open(&q->behind, pool, use_block, q, TK_EDIT_TEXT_BLOCKS);
}

static struct tk_edit_text_block *filling(struct tk_edit_text_queue *q)
{
    return &q->blocks[q->behind.made % TK_EDIT_TEXT_BLOCKS];
}

static int copy_blobs(struct tk_arena *bytes, struct tk_ut_event *ev)
{
    struct tk_ut_blob *blobs = tk_arena_alloc(bytes, ev->n_blobs * sizeof *blobs);
    for (uint32_t i = 0; blobs && i < ev->n_blobs; i++) {
        blobs[i] = ev->blobs[i];
        if (!(blobs[i].p = tk_arena_copy(bytes, ev->blobs[i].p, ev->blobs[i].n)))
            return TK_ENOMEM;
    }
    ev->blobs = blobs;
    return blobs ? TK_OK : TK_ENOMEM;
}

static int copy_event(struct tk_edit_text_block *block, const struct tk_ut_event *ev, uint32_t number)
{
    struct tk_edit_queued_text copy = {*ev, number};
    copy.ev.fixed = tk_arena_copy(&block->bytes, ev->fixed, ev->n_fixed);
    copy.ev.attachment = tk_arena_copy(&block->bytes, ev->attachment, ev->n_attachment);
    if (!copy.ev.fixed || !copy.ev.attachment || copy_blobs(&block->bytes, &copy.ev) != TK_OK ||
        tk_vec_push(&block->events, copy))
        return TK_ENOMEM;
    return TK_OK;
}

int tk_edit_text_queue_put(struct tk_edit_text_queue *q, const struct tk_ut_event *ev, uint32_t number)
{
    struct tk_ut_event now = *ev;
    if (tk_pool_jobs(q->pool) == 1)
        return look_at(q, &now, number);
    struct tk_edit_text_block *block = filling(q);
    const int rc = copy_event(block, ev, number);
    if (rc != TK_OK || (block->bytes.total < BLOCK_BYTES && block->events.n < BLOCK_EVENTS))
        return rc;
    return tk_writebehind_give(&q->behind);
}

int tk_edit_text_queue_drain(struct tk_edit_text_queue *q)
{
    int rc = TK_OK;
    if (filling(q)->events.n)
        rc = tk_writebehind_give(&q->behind);
    const int last = tk_writebehind_drain(&q->behind);
    return rc == TK_OK ? last : rc;
}

void tk_edit_text_queue_release(struct tk_edit_text_queue *q)
{
    (void)tk_writebehind_drain(&q->behind);
    for (size_t i = 0; i < TK_EDIT_TEXT_BLOCKS; i++) {
        tk_arena_release(&q->blocks[i].bytes);
        tk_vec_release(&q->blocks[i].events);
    }
    tk_arena_release(&q->scratch);
    *q = (struct tk_edit_text_queue){0};
}
