/*
 * Readings that take the place of others, each kept as long as somebody answers from it. See work.h.
 */
#include "os/clock.h"
#include "view/work_internal.h"

/* With the lock. Gives back whom to close, without the lock: NULL where others use it. */
static struct tk_view_capture *drop(struct tk_view_capture *c)
{
    return --c->users ? NULL : c;
}

struct tk_view_capture *tk_view_work_hold(struct tk_view_work *w, const struct tk_view_source *source,
                                          uint64_t reading)
{
    tk_os_monitor_lock(&w->monitor);
    const bool earlier = source->before && source->before->number == reading;
    struct tk_view_capture *c = earlier ? source->before : source->now;
    c->users++;
    tk_os_monitor_unlock(&w->monitor);
    return c;
}

void tk_view_work_drop(struct tk_view_work *w, struct tk_view_capture *capture)
{
    tk_os_monitor_lock(&w->monitor);
    struct tk_view_capture *over = drop(capture);
    tk_os_monitor_unlock(&w->monitor);
    tk_view_capture_close(over);
}

static void renew(struct tk_view_thread *thread, struct tk_view_source *source)
{
    struct tk_view_work *w = thread->work;
    const double begin = tk_os_seconds();
    struct tk_view_capture *fresh;
    struct tk_err err = {0};
    /* nobody else puts another reading there */
    int rc = tk_view_source_read(source, source->now->number + 1, &fresh, &err);
    if (rc == TK_OK)
        tk_view_capture_index(fresh, &thread->options);
    tk_os_monitor_lock(&w->monitor);
    struct tk_view_capture *over = fresh;
    if (rc == TK_OK && tk_atomic_get(&fresh->state) == TK_VIEW_READY) {
        fresh->users = 1;
        over = source->before ? drop(source->before) : NULL;
        source->before = source->now;
        source->now = fresh;
    }
    source->renewing = false;
    source->renewed = true;
    source->took = tk_os_seconds() - begin;
    tk_os_monitor_unlock(&w->monitor);
    tk_os_waker_wake(w->waker);
    tk_view_capture_close(over);
}

static struct tk_view_source *find_wanted(const struct tk_view_work *w)
{
    for (size_t i = 0; i < w->n_sources; i++)
        if (w->sources[i].wanted)
            return &w->sources[i];
    return NULL;
}

void tk_view_renew_run(void *ctx)
{
    struct tk_view_thread *thread = ctx;
    struct tk_view_work *w = thread->work;
    tk_os_monitor_lock(&w->monitor);
    while (!tk_atomic_get(&w->over)) {
        struct tk_view_source *source = find_wanted(w);
        if (!source) {
            tk_os_monitor_wait(&w->monitor);
            continue;
        }
        source->wanted = false;
        source->renewing = true;
        tk_os_monitor_unlock(&w->monitor);
        renew(thread, source);
        tk_os_monitor_lock(&w->monitor);
    }
    tk_os_monitor_unlock(&w->monitor);
}

void tk_view_work_renew(struct tk_view_work *w, struct tk_view_source *source)
{
    tk_os_monitor_lock(&w->monitor);
    source->wanted = true;
    tk_os_monitor_tell(&w->monitor);
    tk_os_monitor_unlock(&w->monitor);
}

enum tk_view_renewal tk_view_work_renewal(struct tk_view_work *w, struct tk_view_source *source, double *took)
{
    tk_os_monitor_lock(&w->monitor);
    const enum tk_view_renewal state = source->wanted || source->renewing ? TK_VIEW_RENEWING
                                       : source->renewed                  ? TK_VIEW_RENEWED
                                                                          : TK_VIEW_IDLE;
    if (state == TK_VIEW_RENEWED)
        source->renewed = false;
    *took = source->took;
    tk_os_monitor_unlock(&w->monitor);
    return state;
}
