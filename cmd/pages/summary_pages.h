/*
 * First pages: what is made of tables for people.
 */
#ifndef TK_PAGES_SUMMARY_PAGES_H
#define TK_PAGES_SUMMARY_PAGES_H

#include "tracekit/queries.h"
#include "tracekit/sinks.h"

/*
 * Answer: one table of a result, whose cells are requested by name. First pages are made from them.
 */

struct tk_answer {
    const struct tk_result *result; /* borrowed */
    const struct tk_table *table;   /* NULL: it is not there */
    size_t index, n_rows;
};

/* The table of that name, without rows where there is none. */
struct tk_answer tk_answer_find(const struct tk_result *result, const char *name);

/* A cell of a row, TK_NONE where there is no such column. row < n_rows. Lives as long as the result. */
const struct tk_cell *tk_answer_cell(const struct tk_answer *answer, size_t row, const char *column);

/* The same of any row. */
const struct tk_cell *tk_answer_cell_of(const struct tk_table *table, const struct tk_cell *row,
                                        const char *column);

/* Is a cell that text? */
bool tk_answer_is_text(const struct tk_cell *cell, const char *text);

/*
 * Can page: the questions that a capture answers, and the settings that would have recorded the rest.
 */

/* Sends the page, made from a result with the table `can`. TK_OK or what a hook returned. */
int tk_can_page_send(const struct tk_result *result, const struct tk_sink *sink, struct tk_err *err);

/*
 * Rules page: what is found in a capture, with its evidence, and the names of what is not.
 */

/* Sends the page, made from a result with the table `rules`. all: what is not found is said with its question
 * and what it lacks, not by its name alone. TK_OK or what a hook returned. */
int tk_rules_page_send(const struct tk_result *result, bool all, const struct tk_sink *sink,
                       struct tk_err *err);

/*
 * Info page: the first page of trace-info: program, length, recorded families, and whether the capture is
 * whole.
 */

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

/*
 * Main threads: which threads of a capture a first page speaks of.
 */

#define TK_MAIN_THREADS_MOST 3

struct tk_main_thread {
    size_t row; /* of the table `threads` */
    uint64_t id;
    int64_t busy, working, waiting;
    unsigned rank; /* less comes first; of threads of the same rank the one that works more */
};

struct tk_main_threads {
    struct tk_main_thread v[TK_MAIN_THREADS_MOST];
    size_t n;
    uint64_t used; /* threads with scopes */
};

/* The game, render and RHI threads, by their roles; where there are fewer than two of these, also those that
 * work most, or are busy most where it is not reported how long they waited. threads: the table of that name.
 */
void tk_main_threads_find(struct tk_main_threads *main, const struct tk_answer *threads);

/* Are they those that Unreal names so? */
bool tk_main_threads_named(const struct tk_main_threads *main);

/* Is it the id of one of them? */
bool tk_main_threads_has(const struct tk_main_threads *main, uint64_t id);

/*
 * Missing symbols: what to ask a symbol store or a server of build ids for, a line each. trace-info --missing
 * shows it.
 */

struct tk_missing_count {
    size_t requested; /* modules whose symbols are to be requested */
    size_t unnamed;   /* those without an id to ask by */
};

/* Sends the modules of the table `symbol_files` that have no symbols. */
int tk_missing_page_send(const struct tk_result *result, struct tk_missing_count *count,
                         const struct tk_sink *sink, struct tk_err *err);

/*
 * Page timers: the timers of a first page, per frame.
 */

#define TK_PAGE_QUEUES_MOST 4
#define TK_PAGE_NAMES_MOST  (TK_MAIN_THREADS_MOST + TK_PAGE_QUEUES_MOST)

/* Patterns for the names of main threads, and of queues of the GPU. */
struct tk_page_threads {
    char text[TK_PAGE_NAMES_MOST][64];
    const char *patterns[TK_PAGE_NAMES_MOST];
    size_t n;
};

/*
 * Queries the query for the timers of a page by thread, with the columns that it takes: of these threads, or
 * where main is NULL of those that the query selects. `threads` is the table that main was found in; `space`
 * is filled and has to live as long as the query. Timers of some more threads may come. Where there are
 * frames it also queries what bounded them, and for the first of the queues.
 */
void tk_page_timers_ask(struct tk_query *query, const struct tk_answer *threads,
                        const struct tk_answer *queues, const struct tk_main_threads *main, bool frames,
                        struct tk_page_threads *space);

/*
 * Sends the timers of a table `timers` by thread that work most: means a frame, or sums where frames is 0.
 * main: of these threads; NULL: of all. top: rows; 0: as many as fit below a summary. Sorts that table.
 * TK_OK, TK_ENOMEM, or what a hook returned.
 */
int tk_page_timers_send(struct tk_result *result, size_t table, const struct tk_main_threads *main,
                        uint64_t frames, uint64_t top, const struct tk_sink *sink, struct tk_err *err);

/*
 * Stats page: what trace-stats shows of a capture when nothing is requested: a summary, the timers that take
 * most of a frame, and what to ask next.
 */

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

/* Behind the reading for those tables: queries the query for what else the page needs, of the same part of
 * the capture; its rows go to the same sink. Only the threads that matter are read for it. `space` has to
 * live as long as the query. */
void tk_stats_page_ask(const struct tk_stats_page *page, const struct tk_stats_page_look *look,
                       struct tk_query *query, struct tk_page_threads *space);

/* Behind that one: queries what bounded frames, and which were late, where that is still to be queried of all
 * threads. false: it is not. */
bool tk_stats_page_ask_bound(const struct tk_stats_page *page, struct tk_query *query);

/* Fills in the query for samples, which a page without scopes mentions; false: it has scopes. */
bool tk_stats_page_ask_samples(const struct tk_stats_page *page, struct tk_query *query);

/* Once both are answered: where a thread works or may work outside of frames, what timers and threads have
 * inside of them, which is what the page says by frame. False: no question. */
bool tk_stats_page_ask_inside(const struct tk_stats_page *page, const struct tk_stats_page_look *look,
                              struct tk_query *query, struct tk_page_threads *space);

/* Sends the page. TK_OK, TK_ENOMEM, or what a hook returned. */
int tk_stats_page_send(struct tk_stats_page *page, const struct tk_stats_page_look *look,
                       const struct tk_sink *sink, struct tk_err *err);

/* NULL is allowed. */
void tk_stats_page_free(struct tk_stats_page *page);

#endif
