/*
 * Page timers: the timers of a first page, per frame.
 */
#ifndef TK_CMD_PAGES_PAGE_TIMERS_H
#define TK_CMD_PAGES_PAGE_TIMERS_H

#include "pages/main_threads.h"

/*
 * Sends the timers of a table `timers` by thread that work most: means a frame, or sums where frames is 0.
 * main: of these threads; NULL: of all. top: rows; 0: as many as fit below a summary. Sorts that table.
 * TK_OK, TK_ENOMEM, or what a hook returned.
 */
int tk_page_timers_send(struct tk_result *result, size_t table, const struct tk_main_threads *main,
                        uint64_t frames, uint64_t top, const struct tk_sink *sink, struct tk_err *err);

#endif
