/*
 * What an edit keeps and drops, by types of events: words of options compiled for a capture, and the stage
 * that obeys them.
 */
#ifndef TK_EDIT_UTRACE_STAGES_CHOICE_H
#define TK_EDIT_UTRACE_STAGES_CHOICE_H

#include "edit/utrace/stages/stage.h"
#include "format/utrace/feed/capture_state.h"

/* Words: topics, families and patterns "Logger.Event". */
struct tk_edit_words {
    const char *const *keep, *const *drop; /* n_keep 0: all */
    size_t n_keep, n_drop;
    const bool *threads; /* by tid, those that stay; NULL: all */
};

struct tk_edit_choice {
    bool *drops;      /* owned: by type id */
    bool *of_threads; /* owned: by type id, scopes and logs, which go with their thread */
    size_t n;
    const bool *threads; /* those that stay, by tid; NULL: all; borrowed */
    bool any;            /* is anything dropped? */
};

/* TK_OK, TK_ENOMEM, or TK_EMATCH with a word that names nothing. */
int tk_edit_choice_make(struct tk_edit_choice *c, const struct tk_ut_capture *capture,
                        const struct tk_edit_words *words, struct tk_err *err);

void tk_edit_choice_release(struct tk_edit_choice *c);

/* Leaves out events of the types that are dropped, and the scopes around them. */
struct tk_edit_chooser {
    struct tk_edit_stage stage;
    const struct tk_edit_choice *choice;
    struct tk_edit_scopes **scopes; /* by tid; owned */
};

int tk_edit_chooser_init(struct tk_edit_chooser *s, const struct tk_edit_choice *choice,
                         struct tk_edit_stage *next);
void tk_edit_chooser_release(struct tk_edit_chooser *s);

#endif
