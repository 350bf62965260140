/*
 * Page timers: the timers of a first page, per frame.
 */
#ifndef TK_CMD_PAGES_PAGE_TIMERS_H
#define TK_CMD_PAGES_PAGE_TIMERS_H

#include "pages/main_threads.h"

#define TK_PAGE_QUEUES_MOST 4
#define TK_PAGE_NAMES_MOST  (TK_MAIN_THREADS_MOST + TK_PAGE_QUEUES_MOST)

/* Patterns for the names of main threads, and of queues of the GPU. */
struct tk_page_threads {
    char text[TK_PAGE_NAMES_MOST][64];
    const char *patterns[TK_PAGE_NAMES_MOST];
    size_t n;
};

/*
 * Asks the query for the timers of a page by thread, with the columns that it takes: of these threads, or
 * where main is NULL of those that the query selects. `threads` is the table that main was found in; `room`
 * is filled and has to live as long as the query. Timers of some more threads may come. Where there are
 * frames it also asks what bounded them, and for the first of the queues.
 */
void tk_page_timers_ask(struct tk_query *query, const struct tk_answer *threads,
                        const struct tk_answer *queues, const struct tk_main_threads *main, bool frames,
                        struct tk_page_threads *room);

/*
 * Sends the timers of a table `timers` by thread that work most: means a frame, or sums where frames is 0.
 * main: of these threads; NULL: of all. top: rows; 0: as many as fit below a summary. Sorts that table.
 * TK_OK, TK_ENOMEM, or what a hook returned.
 */
int tk_page_timers_send(struct tk_result *result, size_t table, const struct tk_main_threads *main,
                        uint64_t frames, uint64_t top, const struct tk_sink *sink, struct tk_err *err);

#endif
