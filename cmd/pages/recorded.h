/*
 * Recorded: the lines of an info page about recorded and missing families.
 */
#ifndef TK_CMD_PAGES_RECORDED_H
#define TK_CMD_PAGES_RECORDED_H

#include "pages/answer.h"
#include "pages/lines.h"

/* Events by topic, the most first. coverage: the table of that name. in_part: there may be more of them. */
void tk_recorded_put(struct tk_lines *lines, const struct tk_answer *coverage, bool in_part);

/* What the file names and nothing is made of, with its bytes. */
void tk_recorded_put_unread(struct tk_lines *lines, const struct tk_answer *coverage);

/* Channels that were off. channels: the table of that name; captures without channels have no such line. */
void tk_recorded_put_off(struct tk_lines *lines, const struct tk_answer *channels);

#endif
