/*
 * Can page: the questions that a capture answers, and the settings that would have recorded the rest.
 */
#ifndef TK_CMD_PAGES_CAN_PAGE_H
#define TK_CMD_PAGES_CAN_PAGE_H

#include <tracekit.h>

/* Sends the page, made from a result with the table `can`. TK_OK or what a hook returned. */
int tk_can_page_send(const struct tk_result *result, const struct tk_sink *sink, struct tk_err *err);

#endif
