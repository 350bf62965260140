/*
 * Teams.
 */
#include "os/thread.h"
#include "terminal/progress.h"

#include <stdint.h>
#include <stdlib.h>

static void await(struct tk_team *team, size_t i)
{
    team->await(team->ctx, i);
    tk_atomic_set(&team->awaited, i);
}

static bool deal_with(struct tk_team *team, size_t i)
{
    tk_atomic_set(&team->awaited, SIZE_MAX);
    const bool more = team->done(team->ctx, i);
    tk_atomic_set(&team->over, !more);
    return more;
}

struct work {
    struct tk_team *team;
    struct tk_os_monitor lock;
    size_t begun, ended; /* pieces; ended: by done() */
    size_t end;          /* of the pieces that are wanted */
    bool *worked;        /* owned; by piece */
};

static void work(void *ctx)
{
    struct work *r = ctx;
    tk_os_monitor_lock(&r->lock);
    while (r->begun < r->end) {
        if (r->begun >= r->ended + r->team->threads) {
            tk_os_monitor_wait(&r->lock);
            continue;
        }
        size_t i = r->begun++;
        tk_os_monitor_unlock(&r->lock);
        r->team->work(r->team->ctx, i);
        tk_os_monitor_lock(&r->lock);
        r->worked[i] = true;
        tk_os_monitor_tell(&r->lock);
    }
    tk_os_monitor_unlock(&r->lock);
}

/* Waits for all pieces in order. */
static void wait_for_all(struct work *r)
{
    for (size_t i = 0; i < r->end; i++) {
        await(r->team, i);
        tk_os_monitor_lock(&r->lock);
        while (!r->worked[i])
            tk_os_monitor_wait(&r->lock);
        tk_os_monitor_unlock(&r->lock);
        bool more = deal_with(r->team, i);
        tk_os_monitor_lock(&r->lock);
        r->ended++;
        r->end = more ? r->end : i + 1;
        tk_os_monitor_tell(&r->lock);
        tk_os_monitor_unlock(&r->lock);
    }
}

static unsigned start_team(struct work *r, struct tk_os_thread *threads, unsigned n)
{
    unsigned started = 0;
    while (started < n && tk_os_thread_start(&threads[started], work, r))
        started++;
    return started;
}

static void run_alone(struct tk_team *team)
{
    for (size_t i = 0; i < team->n; i++) {
        await(team, i);
        team->work(team->ctx, i);
        if (!deal_with(team, i))
            return;
    }
}

/* false: there are no threads, and nothing has begun. */
static bool run_on_threads(struct tk_team *team, unsigned n)
{
    struct work r = {.team = team, .end = team->n};
    struct tk_os_thread *threads = malloc(n * sizeof *threads);
    unsigned started = 0;
    r.worked = calloc(team->n, sizeof *r.worked);
    if (threads && r.worked && tk_os_monitor_init(&r.lock)) {
        started = start_team(&r, threads, n);
        if (started)
            wait_for_all(&r);
        for (unsigned i = 0; i < started; i++)
            tk_os_thread_join(&threads[i]);
        tk_os_monitor_destroy(&r.lock);
    }
    free(threads);
    free(r.worked);
    return started > 0;
}

void tk_team_work(struct tk_team *team)
{
    const unsigned n = team->threads < team->n ? team->threads : (unsigned)team->n;
    tk_atomic_set(&team->awaited, SIZE_MAX);
    if (n < 2 || !run_on_threads(team, n))
        run_alone(team);
}
