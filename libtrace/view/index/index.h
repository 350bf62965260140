/*
 * The index of a capture for drawing: all scopes of all lanes, so arranged that a window of any zoom is
 * answered in time that depends on what is drawn alone. Above api, below who draws.
 *
 *   capture --> one reading --> long scopes, each exactly     -+
 *                               cells of levels, for the rest  +--> tk_index_window: boxes
 *                               where the short ones are      -+
 *
 * Times are cycles since the start of the capture, as everywhere below the tables: tk_index_ns shows them. A
 * lane is a thread, a fiber, a queue of a GPU or the work in one; or what tables have of times with an end:
 * cores, locks, files and others. Texts live as long as the index.
 *
 * An index is used by one thread at a time, and its capture by nobody else meanwhile: windows of the deepest
 * zoom may be read from it. It takes bounded memory; what is large is in a temporary file without a name.
 */
#ifndef TK_INDEX_INDEX_H
#define TK_INDEX_INDEX_H

#include "tracekit/captures.h"
#include "tracekit/values.h"

struct tk_index;

struct tk_index_options {
    const char *folder; /* for the temporary file; NULL: TMPDIR, else /tmp */
    /* Called now and then with the bytes of the capture that were read, and all of them; other than 0
     * cancels. May be NULL. */
    int (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *progress_ctx;
};

/*
 * Reads the capture once and makes its index. The capture is borrowed until tk_index_close. options may be
 * NULL. A capture without scopes has an index without lanes. TK_OK, TK_EIO, TK_ENOMEM, TK_ELIMIT, TK_EOUTPUT
 * (the temporary file cannot be written), TK_EDAMAGE (strict), TK_ECANCELED; *out is NULL where it failed.
 */
int tk_index_build(struct tk_index **out, struct tk_trace *trace, const struct tk_index_options *options,
                   struct tk_err *err);

/* NULL is allowed. */
void tk_index_close(struct tk_index *index);

/* ---- what there is ---- */

enum tk_index_kind {
    TK_INDEX_THREAD,
    TK_INDEX_GPU,      /* what the program calls the work of a queue */
    TK_INDEX_GPU_WORK, /* when a queue works and waits */
    /* Made of rows of tables: */
    TK_INDEX_CORE,    /* which thread runs on it */
    TK_INDEX_RUNNING, /* of a thread: on which core it runs, and off core which thread ran instead */
    TK_INDEX_FENCE,   /* of a queue of a GPU: for which other one it waits */
    TK_INDEX_LOCK,    /* which threads hold it and wait for it */
    TK_INDEX_TASK,    /* tasks that were launched and did not run yet */
    TK_INDEX_FILE,    /* accesses to files */
    TK_INDEX_PACKAGE, /* from the first to the last step of the loading of each */
    TK_INDEX_REQUEST, /* requests to load packages */
    TK_INDEX_KINDS
};

/* The name of a kind in answers, and the table its rows come from; the latter is NULL for scopes. Static;
 * NULL: there is no such kind. */
const char *tk_index_kind_name(unsigned kind, const char **table);

static inline bool tk_index_has_scopes(enum tk_index_kind kind)
{
    return kind <= TK_INDEX_GPU_WORK;
}

struct tk_index_lane {
    enum tk_index_kind kind;
    uint32_t thread; /* id of the thread as in tables (thread_id), number of the queue or core; else 0 */
    uint32_t part; /* scopes of a thread that lie across others have lanes of their own: 1, 2, ...; else 0 */
    int32_t sort_hint;         /* of the capture; 0: none */
    struct tk_str name, group; /* group: n is 0 where there is none */
    struct tk_str process;     /* name of the thread's; n is 0 where it is not known */
    uint64_t process_id;       /* where has_process */
    bool has_process;
    uint32_t rows;             /* depths that hold something: 0 to rows - 1 */
    uint64_t scopes;           /* all that have an end */
    uint64_t unended;          /* those that have none */
    uint64_t deeper;     /* scopes below the last row that is kept (TK_INDEX_ROWS): in none of the answers */
    uint64_t covered;    /* cycles inside scopes */
    int64_t first, last; /* least and greatest time */
};

/* Rows that are kept of a lane. */
#define TK_INDEX_ROWS 1024u

struct tk_index_timer {
    struct tk_str name;
    struct tk_str file; /* n is 0: not known */
    uint32_t line;
    uint64_t scopes;         /* with an end, of all lanes */
    enum tk_index_kind kind; /* TK_INDEX_THREAD: it is a timer; else the name of something in such lanes */
};

struct tk_index_about {
    int64_t first, last; /* least and greatest time of any scope, where there are none of any row; both 0
                            without lanes */
    uint64_t frequency;  /* units of first and last a second; 0: no clock, they are ns */
    uint64_t start;      /* cycles of the clock of the program at time 0 */
    uint32_t lanes, timers;
    int64_t finest;  /* cycles a pixel: windows below are answered exactly, scope by scope */
    uint64_t scopes; /* of all lanes, with an end; those made of rows do not count */
    uint64_t bytes;  /* of the temporary file */
    uint64_t drawn;  /* of them what windows down to `finest` are drawn from */
};

void tk_index_tell(const struct tk_index *index, struct tk_index_about *out);

/* Lanes in order of their first scope, from 0; timers by id. false: there is none. */
bool tk_index_lane_get(const struct tk_index *index, uint32_t lane, struct tk_index_lane *out);
bool tk_index_timer_get(const struct tk_index *index, uint32_t timer, struct tk_index_timer *out);

/* A time as the tables show it, in nanoseconds since the start; and the first cycle that is displayed as
 * these or later ones. */
int64_t tk_index_ns(const struct tk_index *index, int64_t cycles);
int64_t tk_index_cycles(const struct tk_index *index, int64_t ns);

/* ---- windows ---- */

/* A box of a lane's row. */
struct tk_index_box {
    int64_t begin, end; /* cycles, not cut to the window; of an unended scope, until when it was open for all
                           that is known, INT64_MAX where nothing more is */
    uint32_t timer;     /* of the scope; of a cell, of the longest one in it */
    uint32_t count;     /* 1; of a cell, how many scopes end in it (0: one only reaches into it) */
    uint16_t depth;     /* row */
    uint8_t cover; /* 255: one scope, exactly; else a cell: 1 to 254 of 254 parts of its time are covered */
    uint8_t flags; /* TK_INDEX_... */
};

#define TK_INDEX_UNENDED 1u /* it never ended, for all that is known */

struct tk_index_question {
    int64_t from, to;      /* cycles, [from, to); from < to */
    uint32_t pixels;       /* that it is as wide, 1 to 65,536 */
    const uint32_t *lanes; /* n_lanes of them */
    size_t n_lanes;
    uint32_t rows; /* of each lane so many, from the outermost; 0: all */
    bool quick;    /* cells, also where exact boxes would have to be read: to have something at once */
    bool each;     /* exact windows: also scopes narrower than a pixel are boxes of their own */
};

/* The answer to a window; zero-initialise, use it again and again, release it. */
struct tk_index_window {
    struct tk_index_box *boxes; /* lane after lane in the order of the question; in a lane by row, in a row by
                                   begin */
    size_t n;
    size_t *ends;  /* of each lane of the question, the place behind its last box */
    bool exact;    /* made of the scopes themselves: cells are whole pixels, counted from `from` */
    int64_t width; /* scopes of this length or longer are boxes of their own, shorter ones are in cells; 0:
                      all are boxes of their own */
    size_t cap, cap_ends; /* the library's */
};

/*
 * What is to be drawn in a window. A scope touches it that begins before its end and ends at its begin or
 * later; one that begins and ends at one time inside it does. Cells are at most a pixel wide, but for
 * `quick`. TK_OK; TK_EUSAGE (a lane that there is not, a window without width, too many pixels); TK_EIO,
 * TK_EOUTPUT, TK_ENOMEM; TK_ELIMIT: more than a million boxes.
 */
int tk_index_window(struct tk_index *index, const struct tk_index_question *question,
                    struct tk_index_window *out, struct tk_err *err);

void tk_index_window_release(struct tk_index_window *out);

/* ---- single scopes ---- */

/*
 * The scopes of a lane that are open at a time (begin <= time < end, or begin == time == end), the outermost
 * first, down to row `depth`: one at each row, in out->boxes. Statuses as tk_index_window.
 */
int tk_index_scope_at(struct tk_index *index, uint32_t lane, int64_t time, uint32_t depth,
                      struct tk_index_window *out, struct tk_err *err);

/*
 * The next scope of a timer of a lane that begins after `time`, or with `back` the last one that begins
 * before it. TK_ITEM with *out; TK_OK: there is none; or as tk_index_window.
 */
int tk_index_next(struct tk_index *index, uint32_t lane, uint32_t timer, int64_t time, bool back,
                  struct tk_index_box *out, struct tk_err *err);

/* ---- search ---- */

/* Most parts that a presence has; the time from about.first to about.last in equal ones. */
#define TK_INDEX_PARTS 1024u

/* A timer that was found. */
struct tk_index_found {
    uint32_t timer;
    uint64_t scopes;
};

struct tk_index_search {
    struct tk_index_found *found; /* the most frequent first */
    size_t n, cap;
    uint64_t matches; /* how many there are in all */
};

/*
 * Timers whose name fits a pattern (as patterns of queries; a text without * ? | is found anywhere in a name,
 * with capitals or without); `most` of them. Zero-initialise `out`, use it again and again, release it. TK_OK
 * or TK_ENOMEM.
 */
int tk_index_search(const struct tk_index *index, const char *pattern, size_t most,
                    struct tk_index_search *out, struct tk_err *err);

void tk_index_search_release(struct tk_index_search *out);

/*
 * Where a timer is: for each of `parts` equal parts of the time from about.first to about.last, 1 to
 * TK_INDEX_PARTS, how many of its scopes end there, of all lanes: 0, or 1 + the logarithm to base 2, rounded
 * down. With many timers neighbouring parts are one, and have its value. TK_OK, TK_EUSAGE.
 */
int tk_index_presence(const struct tk_index *index, uint32_t timer, uint8_t *out, uint32_t parts,
                      struct tk_err *err);

#endif
