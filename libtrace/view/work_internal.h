/*
 * The threads of work.c from the inside: jobs, answers, and the one that reads anew (renewal.c).
 */
#ifndef TK_VIEW_WORK_INTERNAL_H
#define TK_VIEW_WORK_INTERNAL_H

#include "os/thread.h"
#include "view/work.h"

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
    TK_VEC(struct tk_view_answered) done; /* has room for the answers of all jobs */
    size_t unanswered;                    /* jobs without an answer in `done`, running ones as well */
    struct tk_atomic over;
    bool has_monitor;
    int (*progress)(void *ctx, uint64_t done, uint64_t total); /* of the caller */
    void *progress_ctx;
};

/* What the thread that reads anew does. */
void tk_view_renew_run(void *thread);

#endif
