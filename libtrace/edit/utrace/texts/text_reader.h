/*
 * The stage of a first walk that learns texts and finds out which events change, as far as is known then:
 * what is replaced by what was learned so far is replaced in the end, the rest may be. It does so beside the
 * walk, and hands everything on as it stands.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_TEXT_READER_H
#define TK_EDIT_UTRACE_TEXTS_TEXT_READER_H

#include "edit/utrace/texts/anonymiser.h"
#include "edit/utrace/texts/learner.h"
#include "edit/utrace/texts/text_queue.h"

/* Events of a place, as bits. */
enum { TK_EDIT_TEXT_CHANGES = 1, TK_EDIT_TEXT_UNSURE = 2 };

/* Where an event of a lane stands that comes now, below the number of places; TK_EDIT_NOWHERE: it has none.
 */
typedef uint32_t tk_edit_place_fn(void *ctx, uint32_t tid);
#define TK_EDIT_NOWHERE UINT32_MAX

struct tk_edit_text_reader {
    struct tk_edit_stage stage;
    struct tk_edit_learner learner;
    struct tk_edit_anonymiser anonymiser;
    struct tk_edit_text_queue queue;
    tk_edit_place_fn *place;
    void *place_ctx;
    uint8_t *found; /* by place: TK_EDIT_TEXT_...; owned; good when all were looked at */
};

/* In front of `next`; kind as the anonymiser has it. It must not move. TK_OK or TK_ENOMEM. */
int tk_edit_text_reader_init(struct tk_edit_text_reader *s, struct tk_edit_texts *texts, struct tk_pool *pool,
                             size_t places, struct tk_edit_stage *next);

/* Waits until all events were looked at. TK_OK or TK_ENOMEM. */
int tk_edit_text_reader_finish(struct tk_edit_text_reader *s);

void tk_edit_text_reader_release(struct tk_edit_text_reader *s);

#endif
