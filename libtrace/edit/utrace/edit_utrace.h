/*
 * Edits of a .utrace: two walks over the capture, the first of which finds out what stays as it is, and the
 * second of which writes.
 */
#ifndef TK_EDIT_UTRACE_EDIT_UTRACE_H
#define TK_EDIT_UTRACE_EDIT_UTRACE_H

#include "edit/utrace/account.h"
#include "edit/utrace/cut/survey.h"
#include "edit/utrace/record.h"
#include "edit/utrace/stages/choice.h"
#include "edit/utrace/stages/mender.h"
#include "edit/utrace/texts/anonymiser.h"

/* What is asked. Borrowed. */
struct tk_edit_request {
    struct tk_edit_words words;
    struct tk_edit_window window; /* what stays, where `cut` */
    bool cut;
    bool close; /* scopes without an end get one: at `last`, cycles since the start */
    int64_t last;
    bool repack;           /* packets are compressed anew, */
    bool plain;            /* or not at all, */
    int level;             /* 1 to 12: LZ4 HC; 0: LZ4 */
    struct tk_anon *anon;  /* what is replaced, with its first four members set; NULL: nothing */
    tk_edit_kind_fn *kind; /* as tk_edit_anonymiser has it */
    void *kind_ctx;
};

/* Writes bytes of the result. False: failed. */
typedef bool tk_edit_write(void *ctx, const void *p, size_t n);

/* An edit under way. Zero-initialise. */
struct tk_edit_utrace {
    struct tk_ut_capture *c;
    const struct tk_edit_request *request;
    struct tk_edit_choice choice;
    struct tk_edit_survey survey; /* where something is cut */
    struct tk_edit_texts texts;   /* where texts are replaced */
    bool learns;                  /* the first walk learns them, too */
    struct tk_edit_broken broken;
    struct tk_edit_account account;
    uint64_t written, copied; /* bytes of the result, and those of packets that were copied */
    bool damaged;             /* the capture is */
};

/* The first walk. TK_OK or as tk_edit_run. The capture and the request are borrowed until it is released. */
int tk_edit_utrace_plan(struct tk_edit_utrace *e, struct tk_ut_capture *c,
                        const struct tk_edit_request *request, struct tk_err *err);

/* The second one. TK_EOUTPUT without a text where writing failed. */
int tk_edit_utrace_write(struct tk_edit_utrace *e, tk_edit_write *write, void *ctx, struct tk_err *err);

/* Looks for texts that were replaced in a result. TK_OK, TK_EOUTPUT: one stands there, or as tk_edit_run. */
int tk_edit_utrace_inspect(struct tk_anon *anon, struct tk_ut_capture *result, struct tk_err *err);

void tk_edit_utrace_release(struct tk_edit_utrace *e);

#endif
