/*
 * What an edit that replaces texts does besides its two walks: one before them that learns the texts where
 * the first does not, one between them over what was not sure then, one over the result, and the header.
 * Between edit_utrace.c and the stages of texts/.
 */
#ifndef TK_EDIT_UTRACE_REPLACE_H
#define TK_EDIT_UTRACE_REPLACE_H

#include "edit/utrace/account.h"
#include "edit/utrace/texts/anonymiser.h"
#include "format/utrace/write/bytes.h"

/* Learns all texts of a capture. TK_OK or as tk_edit_run. */
int tk_edit_replace_learn(struct tk_edit_texts *texts, struct tk_anon *anon, struct tk_ut_capture *c,
                          struct tk_err *err);

/* Looks at the chains of an account that are unsure, with an anonymiser like `as`: are they dirty? All is
 * learned. `sound`: no other packet has to be read for that. TK_OK or as tk_edit_run. */
int tk_edit_replace_settle(struct tk_edit_account *account, const struct tk_edit_anonymiser *as, bool sound,
                           struct tk_err *err);

/* Writes what stands for the id of a session to `out`, which may be NULL. Is it another? */
bool tk_edit_replace_session(const struct tk_anon *anon, const uint8_t guid[16], uint8_t *out);

/* Replaces the session of a header. */
void tk_edit_replace_header(const struct tk_anon *anon, struct tk_uw_bytes *header);

#endif
