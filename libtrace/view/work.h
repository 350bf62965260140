/*
 * Work: two threads that answer requests, one from indexes and one from tables. view.c hands requests to
 * them, and takes answers from them; neither waits for the other.
 */
#ifndef TK_VIEW_WORK_H
#define TK_VIEW_WORK_H

#include "os/socket.h"
#include "view/http/server.h"
#include "view/paths.h"

enum { TK_VIEW_JOBS = 256 }; /* that wait; more are refused */

struct tk_view_job {
    uint64_t connection;
    const struct tk_view_path *path;
    struct tk_view_capture *capture, *other; /* it is about; where what is asked for comes from */
    int64_t page, number;                    /* of the request among those of its page; 0: it has none */
    char query[TK_HTTP_TARGET + 1];
};

struct tk_view_work;

/* Starts the threads, which begin with the indexes of n captures. All is borrowed; waker is woken when there
 * is an answer. The caller frees it before the captures. TK_OK or TK_ENOMEM. */
int tk_view_work_start(struct tk_view_work **out, struct tk_view_capture *captures, size_t n,
                       const struct tk_options *options, struct tk_os_waker *waker, struct tk_err *err);

/* Hands on a job, which is copied. A job of the same page and path with a smaller number is given up. false:
 * there are too many, or no memory for it and its answer. */
bool tk_view_work_put(struct tk_view_work *w, const struct tk_view_job *job);

/* Nobody waits for the answers of a connection any more. */
void tk_view_work_forget(struct tk_view_work *w, uint64_t connection);

/* The next answer there is; false: none. */
bool tk_view_work_take(struct tk_view_work *w, uint64_t *connection, struct tk_http_answer *answer);

/* Does nobody want what this worker is doing? Asked by the progress of captures, in its thread. */
bool tk_view_work_unwanted(const struct tk_view_work *w, enum tk_view_worker worker);

/* Ends what is being done. NULL is allowed. */
void tk_view_work_free(struct tk_view_work *w);

#endif
