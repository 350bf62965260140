/*
 * Generators: one thread, one monitor. api/trace.c turns the callbacks of a reading into
 * rows that are pulled.
 */
#include "io/scratch/readahead.h"
#include "os/thread.h"

#include <stddef.h>
#include <stdlib.h>

enum turn { TAKER, GIVER };

struct tk_generator {
    struct tk_os_monitor lock;
    struct tk_os_thread thread;
    tk_generator_fn *fn;
    void *ctx;
    const void *thing;
    enum turn turn;
    bool closing, over; /* nobody takes; fn has returned */
    int result;
};

static void pass(struct tk_generator *r, enum turn to)
{
    r->turn = to;
    tk_os_monitor_tell_one(&r->lock);
}

static void wait_for(struct tk_generator *r, enum turn turn)
{
    while (r->turn != turn)
        tk_os_monitor_wait(&r->lock);
}

static void run_generator(void *self)
{
    struct tk_generator *r = self;
    tk_os_monitor_lock(&r->lock);
    wait_for(r, GIVER);
    const bool wanted = !r->closing;
    tk_os_monitor_unlock(&r->lock);
    const int result = wanted ? r->fn(r, r->ctx) : 0;
    tk_os_monitor_lock(&r->lock);
    r->result = result;
    r->over = true;
    r->thing = NULL;
    pass(r, TAKER);
    tk_os_monitor_unlock(&r->lock);
}

static void destroy(struct tk_generator *r)
{
    tk_os_monitor_destroy(&r->lock);
    free(r);
}

struct tk_generator *tk_generator_open(tk_generator_fn *fn, void *ctx)
{
    struct tk_generator *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->fn = fn;
    r->ctx = ctx;
    if (!tk_os_monitor_init(&r->lock)) {
        free(r);
        return NULL;
    }
    if (tk_os_thread_start(&r->thread, run_generator, r))
        return r;
    destroy(r);
    return NULL;
}

bool tk_generator_give(struct tk_generator *r, const void *thing)
{
    tk_os_monitor_lock(&r->lock);
    if (!r->closing) {
        r->thing = thing;
        pass(r, TAKER);
        wait_for(r, GIVER);
    }
    const bool wanted = !r->closing;
    tk_os_monitor_unlock(&r->lock);
    return wanted;
}

const void *tk_generator_take(struct tk_generator *r)
{
    tk_os_monitor_lock(&r->lock);
    if (!r->over) {
        pass(r, GIVER);
        wait_for(r, TAKER);
    }
    const void *thing = r->thing;
    tk_os_monitor_unlock(&r->lock);
    return thing;
}

int tk_generator_close(struct tk_generator *r)
{
    if (!r)
        return 0;
    tk_os_monitor_lock(&r->lock);
    r->closing = true;
    pass(r, GIVER);
    tk_os_monitor_unlock(&r->lock);
    tk_os_thread_join(&r->thread);
    const int result = r->result;
    destroy(r);
    return result;
}
