/*
 * Work: two threads that answer requests, one from indexes and one from tables, and one that reads anew what
 * grows. view.c hands requests to them, and takes answers from them; none waits for the others.
 */
#ifndef TK_VIEW_WORK_H
#define TK_VIEW_WORK_H

#include "os/socket.h"
#include "view/server.h"
#include "view/paths.h"
#include "view/source.h"

enum { TK_VIEW_JOBS = 256 }; /* that wait; more are refused */

struct tk_view_job {
    uint64_t connection;
    const struct tk_view_path *path;
    struct tk_view_source *source, *other; /* it is about; where what is asked for comes from */
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

/* Does nobody want what this worker is doing? Asked by the progress of captures, in its thread. */
bool tk_view_work_unwanted(const struct tk_view_work *w, enum tk_view_worker worker);

/* Ends what is being done. NULL is allowed. */
void tk_view_work_free(struct tk_view_work *w);

#endif
