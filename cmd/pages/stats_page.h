/*
 * Stats page: what trace-stats shows of a capture when nothing is asked: a summary, the timers that take most
 * of a frame, and what to ask next.
 */
#ifndef TK_CMD_PAGES_STATS_PAGE_H
#define TK_CMD_PAGES_STATS_PAGE_H

#include "pages/page_timers.h"

/* The tables that the page is made from first; NULL-terminated. The query has to ask for them with all
 * columns (TK_BY_EXTRA). */
extern const char *const tk_stats_page_tables[];

#define TK_STATS_PAGE_TABLES 6

struct tk_stats_page; /* what was heard so far */

/* TK_OK or TK_ENOMEM. Free with tk_stats_page_free. */
int tk_stats_page_new(struct tk_stats_page **out, struct tk_err *err);

/* The sink for the rows of those tables, for as long as the page lives. */
struct tk_sink tk_stats_page_sink(struct tk_stats_page *page);

struct tk_stats_page_look {
    const char *file; /* how the capture is called in what to ask next */
    uint64_t top;     /* rows of timers; 0: as many as fit */
    bool all_threads; /* timers of all threads, not only of the main ones */
    bool selected;    /* the figures are of a part of the capture */
};

/* Behind the reading for those tables: asks the query for what else the page needs, of the same part of the
 * capture; its rows go to the same sink. Only the threads that matter are read for it. `room` has to live as
 * long as the query. */
void tk_stats_page_ask(const struct tk_stats_page *page, const struct tk_stats_page_look *look,
                       struct tk_query *query, struct tk_page_threads *room);

/* Where times are selected: asks for what is usual in all of the capture, for its rows to go to
 * tk_stats_page_usual. */
void tk_stats_page_ask_usual(struct tk_query *query);

/* The sink that hears what is usual, for as long as the page lives. */
struct tk_sink tk_stats_page_usual(struct tk_stats_page *page);

/* Behind that one: asks what bounded frames, where that is still to be asked of all threads. false: it is
 * not. */
bool tk_stats_page_ask_bound(const struct tk_stats_page *page, struct tk_query *query);

/* Sends the page. TK_OK, TK_ENOMEM, or what a hook returned. */
int tk_stats_page_send(struct tk_stats_page *page, const struct tk_stats_page_look *look,
                       const struct tk_sink *sink, struct tk_err *err);

/* NULL is allowed. */
void tk_stats_page_free(struct tk_stats_page *page);

#endif
