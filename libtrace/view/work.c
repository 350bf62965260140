/*
 * Work.
 */
#include "base/err.h"
#include "view/view_in.h"

#include <stdlib.h>
#include <string.h>

/* ---- answering, in a worker ---- */

bool tk_view_work_unwanted(const struct tk_view_work *w, enum tk_view_worker worker)
{
    return tk_atomic_get(&w->over) || tk_atomic_get(&w->threads[worker].given_up);
}

/* Reads are left when nobody wants them. */
static int note_progress(void *ctx, uint64_t done, uint64_t total)
{
    const struct tk_view_thread *worker = ctx;
    const struct tk_view_work *w = worker->work;
    if (tk_view_work_unwanted(w, (enum tk_view_worker)(worker - w->threads)))
        return 1;
    return w->progress ? w->progress(w->progress_ctx, done, total) : 0;
}

static int status_of(int rc)
{
    switch (rc) {
    case TK_OK:
        return TK_HTTP_OK;
    case TK_EUSAGE:
        return TK_HTTP_BAD_REQUEST;
    case TK_EMATCH:
        return TK_HTTP_NOT_FOUND;
    case TK_ECANCELED:
        return TK_HTTP_NO_CONTENT;
    case TK_ENOMEM:
    case TK_ELIMIT:
        return TK_HTTP_UNAVAILABLE;
    default:
        return TK_HTTP_FAILED;
    }
}

static struct tk_http_answer text_answer(int status, const char *text)
{
    const size_t n = strlen(text);
    char *copy = malloc(n + 1);
    if (copy)
        memcpy(copy, text, n + 1);
    return (struct tk_http_answer){.status = status, .owned = copy, .body = copy, .n = copy ? n : 0};
}

static struct tk_http_answer failed(int rc, const struct tk_err *err)
{
    const int status = status_of(rc);
    return status == TK_HTTP_NO_CONTENT ? (struct tk_http_answer){.status = status}
                                        : text_answer(status, tk_err_text(err, rc));
}

static struct tk_http_answer make_answer(const struct tk_view_job *job, struct tk_view_capture *capture,
                                         struct tk_view_capture *other)
{
    struct tk_err err = {0};
    struct tk_markup m;
    const struct tk_view_ask ask = {.capture = capture,
                                    .other = other,
                                    .path = job->source->path,
                                    .query = {job->query, strlen(job->query)},
                                    .m = &m,
                                    .err = &err};
    const struct tk_view_capture *of[] = {capture, other};
    if ((job->reading && (uint64_t)job->reading != capture->number) ||
        (job->other_reading && (uint64_t)job->other_reading != other->number))
        return text_answer(TK_HTTP_GONE, "the capture was read again");
    for (size_t i = 0; i < 2 && job->path->worker == TK_VIEW_DRAWING; i++)
        if (tk_atomic_get(&of[i]->state) == TK_VIEW_FAILED)
            return failed(of[i]->failure.code, &of[i]->failure);
    int rc = tk_markup_init(&m, &err);
    if (rc == TK_OK)
        rc = job->path->answer(&ask);
    if (rc == TK_OK && m.out.status < 0)
        rc = m.out.status;
    struct tk_http_answer answer;
    if (rc == TK_OK) {
        answer = (struct tk_http_answer){
            .status = TK_HTTP_OK, .type = job->path->type, .owned = m.out.p, .body = m.out.p, .n = m.out.n};
        m.out.p = NULL;
    } else
        answer = failed(rc, &err);
    tk_markup_release(&m);
    return answer;
}

/* ---- jobs ---- */

/* With the lock; the space is there since the job was put. */
static void put_done(struct tk_view_work *w, uint64_t connection, struct tk_http_answer answer)
{
    w->unanswered--;
    w->done.v[w->done.n++] = (struct tk_view_answered){connection, answer};
}

/* With the lock, but for the answering. */
static void run_job(struct tk_view_thread *worker)
{
    struct tk_view_work *w = worker->work;
    struct tk_view_job *job = worker->running = worker->jobs.v[0];
    memmove(worker->jobs.v, worker->jobs.v + 1, --worker->jobs.n * sizeof *worker->jobs.v);
    tk_atomic_set(&worker->given_up, 0);
    tk_os_monitor_unlock(&w->monitor);
    struct tk_view_capture *capture = tk_view_work_hold(w, job->source, (uint64_t)job->reading),
                           *other = tk_view_work_hold(w, job->other, (uint64_t)job->other_reading);
    const struct tk_http_answer answer = make_answer(job, capture, other);
    tk_view_work_drop(w, capture);
    tk_view_work_drop(w, other);
    tk_os_monitor_lock(&w->monitor);
    worker->running = NULL;
    put_done(w, job->connection, answer);
    tk_os_waker_wake(w->waker);
    free(job);
}

static void run_worker(void *ctx)
{
    struct tk_view_thread *worker = ctx;
    struct tk_view_work *w = worker->work;
    for (size_t i = 0; i < w->n_sources && worker == &w->threads[TK_VIEW_DRAWING]; i++)
        tk_view_capture_index(w->sources[i].now, &worker->options);
    tk_os_monitor_lock(&w->monitor);
    while (!tk_atomic_get(&w->over))
        if (worker->jobs.n)
            run_job(worker);
        else
            tk_os_monitor_wait(&w->monitor);
    tk_os_monitor_unlock(&w->monitor);
}

/* ---- handing on ---- */

static bool follows(const struct tk_view_source *sources, size_t n)
{
    bool one = false;
    for (size_t i = 0; i < n; i++)
        one |= sources[i].follows;
    return one;
}

int tk_view_work_start(struct tk_view_work **out, struct tk_view_source *sources, size_t n,
                       const struct tk_options *options, struct tk_os_waker *waker, struct tk_err *err)
{
    struct tk_view_work *w = *out = calloc(1, sizeof *w);
    if (!w)
        return tk_err_nomem(err, "the viewer");
    *w = (struct tk_view_work){.sources = sources, .n_sources = n, .waker = waker};
    w->progress = options->progress;
    w->progress_ctx = options->progress_ctx;
    w->has_monitor = tk_os_monitor_init(&w->monitor);
    bool good = w->has_monitor;
    const size_t threads = follows(sources, n) ? TK_VIEW_THREADS : TK_VIEW_WORKERS;
    for (size_t i = 0; i < n; i++)
        sources[i].now->users = 1;
    for (size_t i = 0; i < threads && good; i++) {
        struct tk_view_thread *worker = &w->threads[i];
        worker->work = w;
        worker->options = *options;
        worker->options.progress = note_progress;
        worker->options.progress_ctx = worker;
        good = worker->started = tk_os_thread_start(
            &worker->thread, i == TK_VIEW_RENEWING_THREAD ? tk_view_renew_run : run_worker, worker);
    }
    if (good)
        return TK_OK;
    tk_view_work_free(w);
    *out = NULL;
    return tk_err_nomem(err, "the threads of the viewer");
}

/* Gives up older jobs of the same page, with the lock. */
static void give_up(struct tk_view_work *w, struct tk_view_thread *worker, const struct tk_view_job *newer)
{
    size_t kept = 0;
    for (size_t i = 0; i < worker->jobs.n; i++) {
        struct tk_view_job *job = worker->jobs.v[i];
        if (job->path == newer->path && job->page == newer->page && job->number < newer->number) {
            put_done(w, job->connection, (struct tk_http_answer){.status = TK_HTTP_NO_CONTENT});
            free(job);
        } else
            worker->jobs.v[kept++] = job;
    }
    worker->jobs.n = kept;
    const struct tk_view_job *running = worker->running;
    if (running && running->path == newer->path && running->page == newer->page &&
        running->number < newer->number)
        tk_atomic_set(&worker->given_up, 1);
}

bool tk_view_work_put(struct tk_view_work *w, const struct tk_view_job *job)
{
    struct tk_view_thread *worker = &w->threads[job->path->worker];
    struct tk_view_job *copy = malloc(sizeof *copy);
    if (!copy)
        return false;
    *copy = *job;
    tk_os_monitor_lock(&w->monitor);
    if (job->path->newest && job->page)
        give_up(w, worker, job);
    const bool put = worker->jobs.n < TK_VIEW_JOBS &&
                     tk_vec_reserve(&w->done, w->done.n + w->unanswered + 1) == 0 &&
                     tk_vec_push(&worker->jobs, copy) == 0;
    w->unanswered += put;
    tk_os_monitor_tell(&w->monitor);
    tk_os_monitor_unlock(&w->monitor);
    if (!put)
        free(copy);
    tk_os_waker_wake(w->waker);
    return put;
}

void tk_view_work_forget(struct tk_view_work *w, uint64_t connection)
{
    tk_os_monitor_lock(&w->monitor);
    for (size_t i = 0; i < TK_VIEW_WORKERS; i++) {
        struct tk_view_thread *worker = &w->threads[i];
        if (worker->running && worker->running->connection == connection && worker->running->path->newest)
            tk_atomic_set(&worker->given_up, 1);
        size_t kept = 0;
        for (size_t k = 0; k < worker->jobs.n; k++)
            if (worker->jobs.v[k]->connection == connection) {
                free(worker->jobs.v[k]);
                w->unanswered--;
            } else
                worker->jobs.v[kept++] = worker->jobs.v[k];
        worker->jobs.n = kept;
    }
    tk_os_monitor_unlock(&w->monitor);
}

bool tk_view_work_take(struct tk_view_work *w, uint64_t *connection, struct tk_http_answer *answer)
{
    tk_os_monitor_lock(&w->monitor);
    const bool there = w->done.n > 0;
    if (there) {
        *connection = w->done.v[0].connection;
        *answer = w->done.v[0].answer;
        memmove(w->done.v, w->done.v + 1, --w->done.n * sizeof *w->done.v);
    }
    tk_os_monitor_unlock(&w->monitor);
    return there;
}

static void end_worker(struct tk_view_thread *worker)
{
    if (worker->started)
        tk_os_thread_join(&worker->thread);
    for (size_t k = 0; k < worker->jobs.n; k++)
        free(worker->jobs.v[k]);
    tk_vec_release(&worker->jobs);
}

void tk_view_work_free(struct tk_view_work *w)
{
    if (!w)
        return;
    tk_atomic_set(&w->over, 1);
    if (w->has_monitor) {
        tk_os_monitor_lock(&w->monitor);
        tk_os_monitor_tell(&w->monitor);
        tk_os_monitor_unlock(&w->monitor);
    }
    for (size_t i = 0; i < TK_VIEW_THREADS; i++)
        end_worker(&w->threads[i]);
    for (size_t i = 0; i < w->done.n; i++)
        free(w->done.v[i].answer.owned);
    tk_vec_release(&w->done);
    if (w->has_monitor)
        tk_os_monitor_destroy(&w->monitor);
    free(w);
}
