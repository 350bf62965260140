/*
 * Topics of event types: the words by which edits keep and drop what a .utrace holds.
 */
#ifndef TK_EDIT_UTRACE_STAGES_TOPICS_H
#define TK_EDIT_UTRACE_STAGES_TOPICS_H

#include "format/utrace/schema/schema.h"

/* The topic of a type; "other" for those that no family understands. Static. */
const char *tk_edit_topic(const struct tk_ut_type *t);

/* Is the type of what a word names: a topic, a family, or one of their other names? */
bool tk_edit_topic_has(const char *word, const struct tk_ut_type *t);

/* Is there a topic or family of this name, in whatever capture? */
bool tk_edit_topic_known(const char *word);

/* The i-th word that is known, or NULL: for suggestions. */
const char *tk_edit_topic_word(size_t i);

/* Is it of those without which no capture can be read: the clock, threads, channels? These are always kept.
 */
bool tk_edit_type_vital(const struct tk_ut_type *t);

#endif
