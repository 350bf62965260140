/*
 * Info page: the first page of trace-info: program, length, recorded families, and whether the capture is
 * whole.
 */
#ifndef TK_CMD_PAGES_INFO_PAGE_H
#define TK_CMD_PAGES_INFO_PAGE_H

#include <tracekit.h>

#define TK_INFO_PAGE_TABLES 8

/* Tables that the page is made from, as far as a capture has them; NULL-terminated. */
extern const char *const tk_info_page_tables[TK_INFO_PAGE_TABLES + 1];

/* Of a capture that is opened in part. */
extern const char *const tk_info_page_part_tables[];

/* Those of them that say something of a capture of which no event is read; NULL-terminated. */
extern const char *const tk_info_page_front_tables[];

struct tk_info_page {
    const struct tk_result *result; /* of those tables */
    const struct tk_result *ends;   /* of a capture that is opened in part, `capture` and `frames` of its
                                       end: figures are lower bounds; else NULL */
    const char *part;               /* what of that was read (tk_in_part) */
    bool lossy;                     /* there are signs that events were lost */
    bool only_late;                 /* lossy, but these signs are late or repeated serial numbers alone */
};

/* Sends the page. TK_OK or what a hook returned. */
int tk_info_page_send(const struct tk_info_page *page, const struct tk_sink *sink, struct tk_err *err);

#endif
