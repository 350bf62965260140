/*
 * Words that say what kind of work a timer does when its name is replaced, by the patterns that all tables
 * use. Beside edit.c, which hands them to the stage that replaces names.
 */
#ifndef TK_EDIT_TIMER_KINDS_H
#define TK_EDIT_TIMER_KINDS_H

#include "model/threads/work_kind.h"

struct tk_edit_timer_kinds {
    struct tk_work_rules rules;
};

int tk_edit_timer_kinds_init(struct tk_edit_timer_kinds *k, struct tk_err *err);

/* As tk_edit_kind_fn; ctx is the kinds. */
const char *tk_edit_timer_kind(void *ctx, const uint8_t *p, size_t n);

void tk_edit_timer_kinds_release(struct tk_edit_timer_kinds *k);

#endif
