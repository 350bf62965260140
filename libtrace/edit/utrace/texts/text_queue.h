/*
 * Events that hold texts, looked at in their order beside the walk that meets them: they are copied, many at
 * a time, for a task of the pool. With one job each is looked at as it comes. Used by the stages that only
 * look at texts.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_TEXT_QUEUE_H
#define TK_EDIT_UTRACE_TEXTS_TEXT_QUEUE_H

#include "base/arena.h"
#include "base/vec.h"
#include "format/utrace/schema/event.h"
#include "io/scratch/writebehind.h"

enum { TK_EDIT_TEXT_BLOCKS = 4 };

/* Looks at an event, borrowed, that was given with this number. TK_OK or negative: it gets no other one. */
typedef int tk_edit_text_look(void *ctx, struct tk_ut_event *ev, uint32_t number);

struct tk_edit_queued_text {
    struct tk_ut_event ev;
    uint32_t number;
};

struct tk_edit_text_block {
    struct tk_arena bytes;
    TK_VEC(struct tk_edit_queued_text) events;
};

/* Zero-initialised it has nothing to wait for. It must not move while it is open. */
struct tk_edit_text_queue {
    struct tk_pool *pool; /* borrowed */
    tk_edit_text_look *look;
    void *ctx;
    struct tk_edit_text_block blocks[TK_EDIT_TEXT_BLOCKS]; /* one is filled, the others wait */
    struct tk_writebehind behind;
    struct tk_arena scratch; /* of the event that is looked at */
};

void tk_edit_text_queue_open(struct tk_edit_text_queue *q, struct tk_pool *pool, tk_edit_text_look *look,
                             void *ctx);

/* Gives an event, borrowed during the call. TK_OK, TK_ENOMEM or what was said of one before. */
int tk_edit_text_queue_put(struct tk_edit_text_queue *q, const struct tk_ut_event *ev, uint32_t number);

/* Waits until all were looked at. TK_OK or what was said of the first that failed. */
int tk_edit_text_queue_drain(struct tk_edit_text_queue *q);

/* Waits for what was given already, and frees. */
void tk_edit_text_queue_release(struct tk_edit_text_queue *q);

#endif
