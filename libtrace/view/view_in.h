/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_VIEW_VIEW_IN_H
#define TK_VIEW_VIEW_IN_H

#include "base/hash.h"
#include "os/path.h"
#include "os/socket.h"
#include "os/thread.h"
#include "page/markup.h"
#include "report/gather.h"
#include "view/index/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Timers of an index found by what tables call them: name, file and line. A page that shows a row of a table
 * goes to the scopes of its timer with it; answers use it in both threads of work.c.
 */

/* Zero-initialise to begin. It is only read once it is made. */
struct tk_view_timers {
    struct tk_map by_place; /* name, file and line -> the first timer of the index that has them */
    struct tk_map by_name;  /* name -> of those that have it the one with most scopes */
};

/* TK_OK or TK_ENOMEM. */
int tk_view_timers_make(struct tk_view_timers *timers, const struct tk_index *index);

void tk_view_timers_release(struct tk_view_timers *timers);

/* The timer of a name, file and line; UINT32_MAX: there is none. */
uint32_t tk_view_timers_at(const struct tk_view_timers *timers, const struct tk_index *index,
                           struct tk_str name, struct tk_str file, uint32_t line);

/* The timer of a name, whatever its file; UINT32_MAX: there is none. */
uint32_t tk_view_timers_named(const struct tk_view_timers *timers, const struct tk_index *index,
                              struct tk_str name);

/*
 * What is read of a capture that is viewed: opened once for tables and once for its index, each used by one
 * thread of work.c at a time. A file that grows is read anew, source.h; answers are made from one reading.
 */

struct tk_view_capture {
    uint64_t number; /* of the reading of its file, from 1 */
    unsigned users;  /* guarded by the monitor of work.c */

    struct tk_trace *tables;          /* owned, for the worker of tables */
    const struct tk_options *options; /* of `tables`, borrowed */
    struct tk_os_info info;           /* of the file, as it was when it was opened */
    bool gathered;                    /* the overview was read */
    struct tk_gather gather;
    uint64_t hitches_beyond; /* that are not among them */

    struct tk_trace *drawn; /* owned, as all that follows for the worker that draws */
    struct tk_index *index; /* owned; NULL: not yet */
    struct tk_index_window window;
    struct tk_index_search found;

    struct tk_atomic done, total; /* bytes that the index was made of, for the loop */
    struct tk_atomic state;       /* TK_VIEW_... */
    struct tk_err failure;        /* why there is no index; from TK_VIEW_FAILED on */
    /* From TK_VIEW_READY on these, and names and timers of the index, stay as they are, and both threads read
     * them: */
    struct tk_names lanes; /* names of threads and queues, as selections have them */
    uint32_t *lane_names;  /* owned: of each lane its number in `lanes` */
    bool *queues;          /* owned: is a lane one of a GPU? */
    uint32_t n_lanes;
    struct tk_view_timers timers;
};

enum tk_view_state { TK_VIEW_INDEXING, TK_VIEW_READY, TK_VIEW_FAILED };

/* Opens it twice: for tables and for drawing, each with its options, borrowed until it is closed. As tk_open;
 * then *out is to be closed, too. */
int tk_view_capture_open(struct tk_view_capture **out, const char *path, const struct tk_options *tables,
                         const struct tk_options *drawn, struct tk_err *err);

/* NULL is allowed. */
void tk_view_capture_close(struct tk_view_capture *c);

/* Makes the index, for the worker that draws. Its failure is noted in *c. */
void tk_view_capture_index(struct tk_view_capture *c, const struct tk_options *options);

/* Hitches that the last query of tables left out, as it explains only the longest: a page reports them, and
 * they are taken back from what is incomplete, unless somebody requested fewer than usual. For the worker of
 * tables. */
uint64_t tk_view_capture_take_hitches(struct tk_view_capture *c);

/* What the first whole reading of tables found out is what they read parts of the file by: opens them anew
 * with it. Nothing changes where there is none of it, the file is compressed or another one by now, or it
 * cannot be opened. For the worker of tables. */
void tk_view_capture_learn(struct tk_view_capture *c, const char *path);

/* The name of a lane's thread or queue, when the state is TK_VIEW_READY. */
struct tk_str tk_view_capture_lane(const struct tk_view_capture *c, uint32_t lane);

/*
 * Requests of HTTP/1.1, as a browser sends them to a server that only answers GET. server.c cuts them from
 * what connections bring; who may ask is in gate.h.
 */

enum {
    TK_HTTP_HEAD = 8192,   /* bytes of a request, its empty line included */
    TK_HTTP_TARGET = 2048, /* bytes of its target */
    TK_HTTP_METHOD = 16
};

/* Bytes of the request; p is NULL where it has none. */
struct tk_http_text {
    const char *p;
    size_t n;
};

struct tk_http_request {
    struct tk_http_text path, query; /* the target up to and behind the first "?", as they stand */
    struct tk_http_text host, origin, token;
    struct tk_http_text site, mode, destination; /* Sec-Fetch-... */
    bool close;                                  /* the connection ends with the answer */
};

/* The status of an answer: those that this server gives. */
enum tk_http_status {
    TK_HTTP_OK = 200,
    TK_HTTP_NO_CONTENT = 204, /* a newer request of the same page came */
    TK_HTTP_BAD_REQUEST = 400,
    TK_HTTP_FORBIDDEN = 403,
    TK_HTTP_NOT_FOUND = 404,
    TK_HTTP_METHOD_NOT_ALLOWED = 405,
    TK_HTTP_CONFLICT = 409, /* the capture was changed */
    TK_HTTP_GONE = 410,     /* it was read anew since */
    TK_HTTP_URI_TOO_LONG = 414,
    TK_HTTP_MISDIRECTED = 421,
    TK_HTTP_FIELDS_TOO_LARGE = 431,
    TK_HTTP_FAILED = 500,
    TK_HTTP_UNAVAILABLE = 503,
    TK_HTTP_VERSION = 505
};

/* What stands behind a status in the first line of an answer. Static. */
const char *tk_http_reason(int status);

/*
 * Reads the request that n bytes at p begin with. 0: it is not whole yet; TK_HTTP_OK: *out points into the
 * bytes, and *used are its own; else the status that refuses it, behind which the connection makes no sense.
 */
int tk_http_parse(struct tk_http_request *out, const char *p, size_t n, size_t *used);

/* Is a text of a request this one? */
bool tk_http_is(struct tk_http_text text, const char *wanted);

/*
 * The value of a parameter of a query ("a=1&b=2"): %XX and + decoded into n bytes at `out`, ended by NUL. The
 * length; -1 where there is none of the name; -2 where it is too long, has a NUL, or ends inside an escape.
 */
long tk_http_parameter(struct tk_http_text query, const char *name, char *out, size_t n);

/* The same as a whole number from `least` to `most`. 1; 0: there is none, *out is as before; -1: it is none
 * such. */
int tk_http_number(struct tk_http_text query, const char *name, int64_t least, int64_t most, int64_t *out);

/*
 * Answers: the answer to a request, a function for each path. paths.c lists them; work.c calls them in its
 * threads.
 */

struct tk_view_ask {
    struct tk_view_capture *capture, *other; /* "c", "of" */
    const char *path;                        /* of the capture */
    struct tk_http_text query;
    struct tk_markup *m; /* the answer goes to its `out` */
    struct tk_err *err;
};

/* TK_OK; TK_EUSAGE: a parameter makes no sense; TK_EMATCH: there is nothing of the name; or what failed. The
 * cause in ask->err goes to the page. */
typedef int tk_view_answer(const struct tk_view_ask *ask);

/* For the worker that draws, when there is an index. */

/* Lanes: names, rows, figures. */
tk_view_answer tk_view_answer_lanes;

/* "from", "n": so many names of timers with their files, from a number on. */
tk_view_answer tk_view_answer_names;

/* "a", "b": nanoseconds; "w": pixels; "l": lanes, "3.4.7"; "d": rows, 0 for all; "quick": cells alone;
 * "each": also what is narrower than a pixel, where windows are exact. Columns of boxes, as
 * view/page/boxes.js reads them. */
tk_view_answer tk_view_answer_window;

/* "timer" of capture "of", of its reading "og" where that is given: the timer of the same name, file and
 * line, or else of the same name; null: none.
 */
tk_view_answer tk_view_answer_timer;

/* "l", "t", "d": the scopes around a time of a lane. */
tk_view_answer tk_view_answer_stack;

/* "timer", "t", "back", "l": the next scope of a timer, of these lanes, or of all. */
tk_view_answer tk_view_answer_next;

/* "q": timers of such names, and where they are. */
tk_view_answer tk_view_answer_search;

/* For the worker of tables. */

/* What the capture is, and what it has: frames, marks, hitches, values over time. All of it is read for the
 * first answer. */
tk_view_answer tk_view_answer_overview;

/* "t": a table; "a", "b", "l": of a selection; "q": of messages, bookmarks and regions those of such a text;
 * "sort", "top"; "enough": not more rows are read than are wanted, and one that says that there are more;
 * "extra": all columns; all optional. */
tk_view_answer tk_view_answer_rows;

/* "t": any table; "a", "b", "l": of a selection. A page of it that needs no server, as of trace-report;
 * "anonymous": of the capture as `trace-edit --anonymise` writes it. */
tk_view_answer tk_view_answer_page;

/* "i": the bytes of a row of the table of screenshots, or of images of frames. */
tk_view_answer tk_view_answer_picture;

enum { TK_VIEW_LANES = 512 }; /* most lanes of a request */

/* What is selected, with the texts that it points to. */
struct tk_view_chosen {
    struct tk_query query;
    const char *table, *threads[TK_VIEW_LANES]; /* threads first, then queues of GPUs */
    size_t n_threads, n_queues;                 /* of the lanes that were requested */
    uint32_t ids[TK_VIEW_LANES];                /* of the threads */
    char (*names)[TK_HTTP_TARGET];              /* owned */
    char find[TK_HTTP_TARGET];                  /* a condition on rows */
    const char *where;                          /* that, where there is one */
};

/* What "t", "a", "b", "l", "extra" and "q" select. TK_OK; TK_EUSAGE; TK_ENOMEM. The caller frees *out,
 * whatever is returned. */
int tk_view_choose(const struct tk_view_ask *ask, struct tk_view_chosen **out);

/* NULL is allowed. */
void tk_view_chosen_free(struct tk_view_chosen *chosen);

/* Are all columns wanted? */
bool tk_view_wants_extra(const struct tk_view_ask *ask);

/* A parameter that has to be there; TK_OK or TK_EUSAGE. */
int tk_view_number(const struct tk_view_ask *ask, const char *name, int64_t least, int64_t most,
                   int64_t *out);

/* Lanes of "l", at most `most` of them, each below `lanes`: how many, or TK_EUSAGE. */
int tk_view_lanes(const struct tk_view_ask *ask, uint32_t lanes, uint32_t out[TK_VIEW_LANES]);

/*
 * The gate: who may ask. A page of another site must not read a capture, and no other user of the machine.
 * server.c queries it before a request is answered.
 */

enum { TK_HTTP_TOKEN = 32 }; /* hexadecimal digits: 128 bits */

struct tk_http_gate {
    uint16_t port;
    char token[TK_HTTP_TOKEN + 1];
    const char *const *hosts; /* n_hosts more names with ports, "name:80", borrowed */
    size_t n_hosts;
};

/* Gives it a token that nobody can foresee. false where the system has none. */
bool tk_http_gate_init(struct tk_http_gate *gate);

/*
 * TK_HTTP_OK; TK_HTTP_MISDIRECTED: the host is not ours, as of a name that was bound anew to this machine;
 * TK_HTTP_FORBIDDEN: a page of another site, or, where `secret`, without the token. A link in another site
 * may open the page "/" as a document of its own, as that says nothing of a capture. How long it takes is the
 * same however much of a token is right.
 */
int tk_http_gate_check(const struct tk_http_gate *gate, const struct tk_http_request *request, bool secret);

/*
 * Paths: everything that can be requested, as one static table. No part of a request is ever the name of a
 * file.
 */

/* Who answers: nobody is waited for, or a thread of its own. */
enum tk_view_worker { TK_VIEW_DRAWING, TK_VIEW_TABLES, TK_VIEW_WORKERS, TK_VIEW_AT_ONCE };

struct tk_view_path {
    const char *path, *type;
    enum tk_view_worker worker;
    bool open;        /* anybody may have it: it says nothing of a capture */
    bool newest;      /* of one page only the newest request counts */
    const char *text; /* what is answered; NULL: by the function, or by view.c */
    tk_view_answer *answer;
};

/*
 * The server: connections of this machine, their requests, and the answers to them. view.c owns one, and
 * answers at once or later; all is done in the thread that calls tk_http_server_step.
 */

enum { TK_HTTP_CONNECTIONS = 64 };

#define TK_HTTP_HEAD_SECONDS   10.0 /* for a request to be whole */
#define TK_HTTP_IDLE_SECONDS   30.0 /* without a request */
#define TK_HTTP_ANSWER_SECONDS 30.0 /* in which no byte of an answer was taken */

struct tk_http_server;

/* An answer. Its bytes are static, or `owned`: they are freed by free() once they are sent. */
struct tk_http_answer {
    int status;
    const char *type; /* of the content; NULL: text */
    const char *body;
    size_t n;
    char *owned;
};

struct tk_http_server_options {
    uint16_t port; /* 0: any that is free */
    const char *const *hosts;
    size_t n_hosts;
    /* May anybody get this path, who comes through the gate, or only who has the token? */
    bool (*is_open)(void *ctx, struct tk_http_text path);
    /* Takes a request, which lives until it returns, and calls tk_http_server_answer once, now or later, in
     * the same thread. */
    void (*take)(void *ctx, uint64_t connection, const struct tk_http_request *request);
    /* A connection is gone whose request was taken and not answered. */
    void (*gone)(void *ctx, uint64_t connection);
    void *ctx;
};

/* Listens at 127.0.0.1. TK_OS_OK, TK_OS_IN_USE, ... The caller closes it. */
struct tk_os_result tk_http_server_open(struct tk_http_server **out,
                                        const struct tk_http_server_options *options);

/* Its port and its token. */
const struct tk_http_gate *tk_http_server_gate(const struct tk_http_server *s);

/* When something was queried last by somebody with the token, by tk_os_seconds(). */
double tk_http_server_requested(const struct tk_http_server *s);

/* Waits for at most `seconds`, or until the waker wakes it, and does what can be done. */
struct tk_os_result tk_http_server_step(struct tk_http_server *s, struct tk_os_waker *waker, double seconds);

/* Answers a request that was taken. One whose connection is gone is forgotten. */
void tk_http_server_answer(struct tk_http_server *s, uint64_t connection,
                           const struct tk_http_answer *answer);

/* NULL is allowed. */
void tk_http_server_close(struct tk_http_server *s);

/*
 * A file that is viewed: what was read of it last, what became of it since, and whether more is being
 * written. view.c has a list of them; work.c reads them.
 *
 * Of what grows the reading before the last one stays, as pages ask about it until they know of the last one.
 * So what grows takes the memory of two readings, and of three while it is read anew.
 */

/* What became of the file since it was opened. */
enum tk_view_change { TK_VIEW_SAME, TK_VIEW_REPLACED, TK_VIEW_REWRITTEN };

/* Is more of it being written? */
enum tk_view_growth { TK_VIEW_FIXED, TK_VIEW_GROWING, TK_VIEW_ENDED };

struct tk_view_source {
    char *path;                      /* owned */
    struct tk_options tables, drawn; /* how it is opened for each; borrowed what they point to */
    struct tk_os_info info;          /* of the file when it was opened first */
    bool follows;                    /* more may be written to it */
    /* Guarded by the monitor of work.c once that runs: */
    struct tk_view_capture *now;    /* owned: what was read last */
    struct tk_view_capture *before; /* owned: before that, of what grows; NULL: nothing */
    bool wanted, renewing,
        renewed; /* it is to be read anew, is being, has been and nobody was reported yet */
    double took; /* seconds of the last such reading */
    /* Of the loop alone: */
    enum tk_view_change change;
    enum tk_view_growth growth;
    uint64_t bytes, tried; /* that there are; that there were when it was read last, or should have been */
    uint64_t number;       /* of the reading that there was then */
    double next;           /* when it may be read anew */
};

/* Opens it; `follow`: it may grow from here on. As tk_open; then it is to be released, too. */
int tk_view_source_open(struct tk_view_source *s, const char *path, const struct tk_options *tables,
                        const struct tk_options *drawn, bool follow, struct tk_err *err);

void tk_view_source_release(struct tk_view_source *s);

/* Opens what the file is now: *out is owned. As tk_open. */
int tk_view_source_read(const struct tk_view_source *s, uint64_t number, struct tk_view_capture **out,
                        struct tk_err *err);

/* Looks whether the file is still the one that was opened: true where that has changed since it was queried
 * last. What was replaced stays open as it was; what was written to is none any more. */
bool tk_view_source_look(struct tk_view_source *s);

/* It has so many bytes, and `ended`: no more will come. true where it is to be read anew, at a time `now`;
 * never where it may not be. */
bool tk_view_source_grow(struct tk_view_source *s, uint64_t bytes, bool ended, bool may, double now);

/* It cannot be followed any more. What was cut is none any more; what is gone, or another file, stays as it
 * was read. */
void tk_view_source_lose(struct tk_view_source *s);

/* It was read anew, which took this many seconds, and is reading `number` now: the next one comes after a
 * pause, so that a part of the processors alone is spent on it however large it is. Where the number is as
 * before it failed, and is tried again. */
void tk_view_source_pause(struct tk_view_source *s, uint64_t number, double now, double took);

/*
 * Work: two threads that answer requests, one from indexes and one from tables, and one that reads anew what
 * grows. view.c hands requests to them, and takes answers from them; none waits for the others.
 */

enum { TK_VIEW_JOBS = 256 }; /* that wait; more are refused */

struct tk_view_job {
    uint64_t connection;
    const struct tk_view_path *path;
    struct tk_view_source *source, *other; /* it is about; where what is requested comes from */
    int64_t reading, other_reading;        /* of both, that it is about; 0: the last one */
    int64_t page, number;                  /* of the request among those of its page; 0: it has none */
    char query[TK_HTTP_TARGET + 1];
};

struct tk_view_work;

/* Starts the threads, which begin with the indexes of n sources. All is borrowed; waker is woken when there
 * is an answer. The caller frees it before the sources. TK_OK or TK_ENOMEM. */
int tk_view_work_start(struct tk_view_work **out, struct tk_view_source *sources, size_t n,
                       const struct tk_options *options, struct tk_os_waker *waker, struct tk_err *err);

/* Hands on a job, which is copied. A job of the same page and path with a smaller number is given up. false:
 * there are too many, or no memory for it and its answer. */
bool tk_view_work_put(struct tk_view_work *w, const struct tk_view_job *job);

/* Nobody waits for the answers of a connection any more. */
void tk_view_work_forget(struct tk_view_work *w, uint64_t connection);

/* The next answer there is; false: none. */
bool tk_view_work_take(struct tk_view_work *w, uint64_t *connection, struct tk_http_answer *answer);

/* A reading of a source, which stays until it is dropped: the one before the last where that is `reading`,
 * else the last one. */
struct tk_view_capture *tk_view_work_hold(struct tk_view_work *w, const struct tk_view_source *source,
                                          uint64_t reading);
void tk_view_work_drop(struct tk_view_work *w, struct tk_view_capture *capture);

/* Reads a source anew: answers come from the reading before until that is done. */
void tk_view_work_renew(struct tk_view_work *w, struct tk_view_source *source);

enum tk_view_renewal { TK_VIEW_IDLE, TK_VIEW_RENEWING, TK_VIEW_RENEWED };

/* How far that is; TK_VIEW_RENEWED once, with the seconds that it took. */
enum tk_view_renewal tk_view_work_renewal(struct tk_view_work *w, struct tk_view_source *source,
                                          double *took);

/* Does nobody want what this worker is doing? Requested by the progress of captures, in its thread. */
bool tk_view_work_unwanted(const struct tk_view_work *w, enum tk_view_worker worker);

/* Ends what is being done. NULL is allowed. */
void tk_view_work_free(struct tk_view_work *w);

/*
 * The threads of work.c from the inside: jobs, answers, and the one that reads anew (renewal.c).
 */

/* Behind the workers that answer. */
enum { TK_VIEW_RENEWING_THREAD = TK_VIEW_WORKERS, TK_VIEW_THREADS };

struct tk_view_answered {
    uint64_t connection;
    struct tk_http_answer answer;
};

struct tk_view_thread {
    struct tk_view_work *work;
    struct tk_os_thread thread;
    struct tk_options options;         /* as captures are opened, with our progress */
    TK_VEC(struct tk_view_job *) jobs; /* owned; the first one is done next */
    struct tk_view_job *running;
    struct tk_atomic given_up; /* what runs is not wanted any more */
    bool started;
};

struct tk_view_work {
    struct tk_os_monitor monitor; /* guards all that follows */
    struct tk_view_source *sources;
    size_t n_sources;
    struct tk_os_waker *waker;
    struct tk_view_thread threads[TK_VIEW_THREADS];
    TK_VEC(struct tk_view_answered) done; /* has space for the answers of all jobs */
    size_t unanswered;                    /* jobs without an answer in `done`, running ones as well */
    struct tk_atomic over;
    bool has_monitor;
    int (*progress)(void *ctx, uint64_t done, uint64_t total); /* of the caller */
    void *progress_ctx;
};

/* What the thread that reads anew does. */
void tk_view_renew_run(void *thread);

#endif
