/*
 * Pages as texts, for those who send them on and write no file.
 */
#ifndef TK_REPORT_PAGE_H
#define TK_REPORT_PAGE_H

#include "page/markup.h"
#include "tracekit/pages.h"

/* Appends the file of a page. Without memory the status of m->out says so. */
void tk_page_put(const struct tk_page *page, struct tk_markup *m);

#endif
