/*
 * The stage that replaces texts by their words, and leaves out what nobody knows to be none.
 * In front of the last stage of both walks of an edit.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_ANONYMISER_H
#define TK_EDIT_UTRACE_TEXTS_ANONYMISER_H

#include "edit/utrace/stages/stage.h"
#include "edit/utrace/texts/texts.h"

/* A word for the kind of work that a timer of this name does, as comparisons derive it from names; NULL: no
 * kind is known. */
typedef const char *tk_edit_kind_fn(void *ctx, const uint8_t *p, size_t n);

struct tk_edit_anonymiser {
    struct tk_edit_stage stage;
    struct tk_edit_texts *texts; /* borrowed */
    bool early;                  /* events that become too long are told of later */
    bool counts;                 /* in one of two walks: what is replaced, and what stays */
    tk_edit_kind_fn *kind;       /* may be NULL */
    void *kind_ctx;
    struct tk_edit_text_rule rule; /* of the field in hand */
    bool changed, failed;
    bool brief;                        /* each text becomes one word, as they had no room otherwise */
    uint64_t bytes;                    /* of the event in hand, as it is to be */
    const struct tk_ut_type *too_long; /* of an event that cannot be written; NULL: all can */
    TK_VEC(struct tk_ut_blob) blobs;
};

void tk_edit_anonymiser_init(struct tk_edit_anonymiser *s, struct tk_edit_texts *texts,
                             struct tk_edit_stage *next);
/* Does an event change? By what is learned so far. TK_OK, TK_ENOMEM or TK_EOUTPUT: it is too long. */
int tk_edit_anonymiser_see(struct tk_edit_anonymiser *s, const struct tk_ut_event *ev, bool *changes);

void tk_edit_anonymiser_release(struct tk_edit_anonymiser *s);

#endif
