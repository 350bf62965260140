/*
 * Info page: the first page of trace-info: program, length, recorded families, and whether the capture is
 * whole.
 */
#ifndef TK_CMD_PAGES_INFO_PAGE_H
#define TK_CMD_PAGES_INFO_PAGE_H

#include <tracekit.h>

/* Tables that the page is made from, as far as a capture has them; NULL-terminated. */
extern const char *const tk_info_page_tables[];

#define TK_INFO_PAGE_TABLES 8

/* Sends the page, made from a result with those tables. lossy: there are signs that events were lost.
 * TK_OK or what a hook returned. */
int tk_info_page_send(const struct tk_result *result, bool lossy, const struct tk_sink *sink,
                      struct tk_err *err);

#endif
