/*
 * Generators: one thread, one mutex, one condition variable. api/walk.c turns the callbacks of a reading into
 * rows that are pulled.
 */
#include "parallel/generator.h"

#include "os/thread.h"

#include <stddef.h>
#include <stdlib.h>

enum turn { TAKER, GIVER };

struct tk_generator {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
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
    pthread_cond_signal(&r->changed);
}

static void wait_for(struct tk_generator *r, enum turn turn)
{
    while (r->turn != turn)
        pthread_cond_wait(&r->changed, &r->lock);
}

static void *run_generator(void *self)
{
    struct tk_generator *r = self;
    pthread_mutex_lock(&r->lock);
    wait_for(r, GIVER);
    const bool wanted = !r->closing;
    pthread_mutex_unlock(&r->lock);
    const int result = wanted ? r->fn(r, r->ctx) : 0;
    pthread_mutex_lock(&r->lock);
    r->result = result;
    r->over = true;
    r->thing = NULL;
    pass(r, TAKER);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void destroy(struct tk_generator *r)
{
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

struct tk_generator *tk_generator_open(tk_generator_fn *fn, void *ctx)
{
    struct tk_generator *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->fn = fn;
    r->ctx = ctx;
    if (pthread_mutex_init(&r->lock, NULL) != 0) {
        free(r);
        return NULL;
    }
    if (pthread_cond_init(&r->changed, NULL) != 0) {
        pthread_mutex_destroy(&r->lock);
        free(r);
        return NULL;
    }
    if (tk_thread_start(&r->thread, run_generator, r))
        return r;
    destroy(r);
    return NULL;
}

bool tk_generator_give(struct tk_generator *r, const void *thing)
{
    pthread_mutex_lock(&r->lock);
    if (!r->closing) {
        r->thing = thing;
        pass(r, TAKER);
        wait_for(r, GIVER);
    }
    const bool wanted = !r->closing;
    pthread_mutex_unlock(&r->lock);
    return wanted;
}

const void *tk_generator_take(struct tk_generator *r)
{
    pthread_mutex_lock(&r->lock);
    if (!r->over) {
        pass(r, GIVER);
        wait_for(r, TAKER);
    }
    const void *thing = r->thing;
    pthread_mutex_unlock(&r->lock);
    return thing;
}

int tk_generator_close(struct tk_generator *r)
{
    if (!r)
        return 0;
    pthread_mutex_lock(&r->lock);
    r->closing = true;
    pass(r, GIVER);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    const int result = r->result;
    destroy(r);
    return result;
}
