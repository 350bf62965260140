/*
 * A chapter of tracekit.h: questions about a capture.
 */
#ifndef TRACEKIT_QUERIES_H
#define TRACEKIT_QUERIES_H

#include "tables.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_trace;

/* ---- 6 queries ----
 *
 * A query names tables and selects a part of the capture. Its rows are sent to a struct tk_sink: your own, a
 * result (8) or a writer (9). Several tables of one query are answered in one reading of the capture if
 * possible, so request them together. Most tables stream, in memory that does not grow with the capture;
 * those whose rows must be sorted or paired first say so in their help.
 *
 *     static int count(void *self, const struct tk_table *table, const struct tk_rows *rows,
 *                      struct tk_err *err)
 *     {
 *         *(size_t *)self += rows->n;
 *         return TK_OK;                a negative status would end the query
 *     }
 *
 *     static const char *const tables[] = {"scopes"}, *const threads[] = {"GameThread"};
 *     struct tk_query query = TK_INIT(struct tk_query);
 *     query.tables = tables;
 *     query.n_tables = 1;
 *     query.select.threads = threads;
 *     query.select.n_threads = 1;
 *     rc = tk_query_run(trace, &query, &(struct tk_sink){.self = &n, .rows = count}, &err);
 *
 * A pattern is a name with the wildcards * and ?, or several with | between them. A pattern without capital
 * letters ignores case.
 */

/* The selected part of the capture. Lists contain patterns; an exact name is tried before the pattern.
 */
struct tk_selection {
    bool has_from, has_to;
    int64_t from_ns, to_ns; /* since the start of the capture; [from, to) */
    bool has_frames;
    uint64_t first_frame, last_frame; /* game frames, both included; not the time between frames */
    const char *frame_list; /* of these frames only those listed, such as "100,233,350-360"; NULL: all */
    const char *from_bookmark, *to_bookmark; /* patterns: from the first matching bookmark until the next
                                                matching one; NULL: no bound */
    const char *const *regions, *const *threads, *const *timers, *const *events;
    size_t n_regions, n_threads, n_timers, n_events;
    bool unmatched; /* threads and timers that match nothing are not an error: they select nothing */
    const uint32_t *thread_ids; /* n_thread_ids: of the threads that match `threads` only these, where several
                                   share a name (needs `threads`); 0: all. GPU queues need none */
    size_t n_thread_ids;
};

/* How rows are grouped; tables without that grouping ignore it. The table `memory` is grouped by all that it
 * knows unless at least one of them is requested. */
#define TK_BY_THREAD    1u
#define TK_BY_TAG       2u
#define TK_BY_HEAP      4u
#define TK_BY_CALLSTACK 8u
#define TK_BY_SIZE      16u
#define TK_BY_ASSET     32u
/* Table `groups`: by one of these. */
#define TK_BY_CLASS      64u
#define TK_BY_FILE       128u
#define TK_BY_REGION     256u
#define TK_BY_FRAME_TYPE 512u
#define TK_BY_LABEL      1024u /* text of the metadata of scopes */
#define TK_BY_FUNCTION   2048u /* memory: of the first frame that is not an allocator; also TK_BY_FILE */
#define TK_BY_MODULE     4096u /* memory: likewise */
#define TK_BY_SOURCE     8192u /* timers: a name is apart by its file and line */
#define TK_BY_HUMAN      0x40000000u /* no grouping: without named columns, also those for people */
#define TK_BY_EXTRA      0x80000000u /* no grouping: without named columns, also TK_COL_EXTRA */

/* Which allocations the memory tables count as alive. */
struct tk_memory_query {
    bool has_at;            /* alive at a moment; else at the end */
    bool has_window;        /* only those allocated in [from, to) */
    int64_t at_ns;          /* since the start of the capture */
    int64_t from_ns, to_ns; /* likewise */
};

/* Call trees: tables `tree`, `callers`, `callees`, and by samples `sample_tree`, `sample_callers`,
 * `sample_callees`. */
struct tk_tree_query {
    const char *callers,
        *callees;   /* pattern of the timers or functions whose callers or callees are requested */
    unsigned depth; /* maximum steps from the root; 0: all */
    double
        min_share; /* share of the time or samples of all roots; less is combined as (other); 0: nothing is */
};

/* Which game frames are hitches: those that are late against the frames around them, unless something else is
 * said. Tables `hitches`, `hitch_events`, `smoothness`. */
struct tk_hitch_query {
    int64_t budget_ns; /* those longer than this; 0: no such limit */
    double times;      /* else those longer than so many medians of all; 0: no such limit */
    unsigned reasons;  /* maximum rows per frame; 0: 5 */
    bool engine;       /* else those by the rule of Unreal Engine */
    double target;     /* frames a second that are wanted, for missed and late frames; 0: none */
};

struct tk_query {
    size_t size;
    const char *const *tables; /* names; several are answered in one reading if possible */
    size_t n_tables;
    /* Of a single table; of several as "timers.count", with the usual columns of those of which none is
     * named. NULL: the usual columns. */
    const char *const *columns;
    size_t n_columns;
    enum tk_unit unit;
    unsigned by;         /* TK_BY_... */
    enum tk_order order; /* of events */
    struct tk_selection select;
    struct tk_memory_query memory;
    bool clip;  /* table `scopes` and timelines: clip scopes to the selection */
    bool mixed; /* rows of several tables may be interleaved, and tables reordered: fewer readings */
    struct tk_tree_query tree;
    struct tk_hitch_query hitches;
    const char *histogram;        /* pattern of the timers of the table `histogram` */
    const char *const *per_frame; /* patterns of the timers of the table `per_frame` */
    size_t n_per_frame;
    uint64_t slowest; /* rows of the table `slowest`; 0: 20 */
    const char *work; /* kinds of work, in the form of schemas/work.txt; NULL: that file */
    bool in_passing;  /* health, ledger: of what other tables read; otherwise everything is read for them */
    /* Conditions on rows: only rows that meet all of them are sent. "dur>5ms", "text~stream",
       "verbosity<=warning", "logs.category=LogNet*": a column, prefixed by its table if several have it; one
       of = != < <= > >= ~ (contains) !~; a value. Texts are matched as patterns, times need a unit, and an
       empty value matches empty cells. Tables without the column are sent whole, if another one has it. */
    const char *const *where;
    size_t n_where;
    /* Called at the end of each table to which conditions applied: how many of its rows met them. May be
     * NULL. */
    void (*filtered)(void *ctx, const char *table, uint64_t kept, uint64_t rows);
    void *filtered_ctx;
    uint64_t top_hitches; /* table `hitches`: only this many, the longest; 0: all */
    bool worst_first;     /* likewise: longest first, implied by top_hitches; otherwise in frame order */
    /* Memory: patterns of the names of allocator functions, one per line, instead of the built-in ones; lines
     * that begin with # are comments. NULL: the built-in ones. */
    const char *allocators;
    const char *source_of; /* pattern of the functions of the table `source_lines` */
    bool startup_hitches;  /* table `hitches`: those of the start-up, too */
};

/*
 * A query for languages that cannot use the layout of structs, like tk_options_new. All functions that take a
 * query accept it.
 *
 * Fields are named after the members of struct tk_query and of its structs. tk_query_add: "tables",
 * "columns", "regions", "threads", "timers", "events", "per_frame", "where". tk_query_text: "from_bookmark",
 * "frame_list", "to_bookmark", "histogram", "callers", "callees", "work", "allocators", "source_of".
 * tk_query_real: "min_share", "times", "target". tk_query_set: "unit", "by", "order", "clip", "mixed",
 * "in_passing", "unmatched", "slowest", "depth", "budget_ns", "reasons", "engine", "top_hitches",
 * "startup_hitches", "worst_first", "from_ns", "to_ns", "first_frame", "last_frame", "memory_at_ns",
 * "memory_from_ns", "memory_to_ns". Setting a bound enables it, as has_from does; for frames and the memory
 * window setting the upper bound does.
 */
TK_API int tk_query_new(struct tk_query **out, struct tk_err *err);
TK_API int tk_query_set(struct tk_query *query, const char *field, int64_t value, struct tk_err *err);
TK_API int tk_query_real(struct tk_query *query, const char *field, double value, struct tk_err *err);
TK_API int tk_query_text(struct tk_query *query, const char *field, const char *text, struct tk_err *err);
TK_API int tk_query_add(struct tk_query *query, const char *field, const char *text, struct tk_err *err);
TK_API void tk_query_free(struct tk_query *query);

/* Which frames are hitches, as text: "local", "unreal" (the rule of Unreal Engine), "median" (2x), "33.3" or
 * "33.3ms" (longer than that), "2.5x" (longer than so many medians of all). TK_OK; TK_EUSAGE with a sentence.
 */
TK_API int tk_query_hitches(struct tk_query *query, const char *rule, struct tk_err *err);

/*
 * Answers a query: calls begin, rows..., end of the sink for each table, one after another in the requested
 * order. The struct tk_table given to the sink has only the requested columns and is valid until this
 * function returns. TK_OK; TK_EMATCH (unknown table or column, filter that matches nothing: the causes name
 * the nearest names); TK_EUSAGE, TK_EIO, TK_ENOMEM, TK_ELIMIT, TK_EDAMAGE (strict), or what a hook returned.
 */
TK_API int tk_query_run(struct tk_trace *trace, const struct tk_query *query, const struct tk_sink *sink,
                        struct tk_err *err);

/*
 * Sends the table `health` as far as the capture was read, and reads nothing itself. Until a query has read
 * the events it has a row of the kind not_read, which is not a fault. TK_OK, TK_ENOMEM or what a hook
 * returned.
 */
TK_API int tk_health(struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err);

#ifdef __cplusplus
}
#endif

#endif
