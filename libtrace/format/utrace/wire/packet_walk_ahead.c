/*
 * Headers ahead. The stretches are a ring: while the walk goes through one, the pool
 * fills the others. They are long, since waking another thread takes as long as hundreds of packets.
 */
#include "format/utrace/wire/wire_in.h"
#include "io/scratch/pool.h"
#include "tracekit/captures.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES ((uint64_t)TK_WINDOW_VIEW)
#define MOST_PIECES 8u
#define STRETCHES_A_JOB                                                                                      \
    8u /* of a file, at least, where pieces allow it: so that no job waits long at the end */
#define STRETCHES_FLYING 2u /* for each job */

struct stretch {
    struct tk_ut_packet_walk_ahead *ahead;
    uint64_t offset, end;     /* in the file */
    uint16_t highest;         /* tid that a guess may have */
    struct tk_ut_seen *heads; /* owned */
    size_t n, capacity;
    struct tk_task task;
    bool started; /* the task may still run */
};

struct tk_ut_packet_walk_ahead {
    struct tk_ut_packet_walk *walk;
    struct tk_ut_chains *chains; /* one for each job, owned */
    unsigned jobs, n_chains;
    struct stretch *stretches; /* n of them, owned */
    unsigned n;
    uint64_t bytes; /* of a stretch */
    uint64_t next;  /* offset of the first stretch that nobody has yet */
    /* where the walk is */
    unsigned at;
    size_t head;
};

static uint64_t bytes_of_stretch(uint64_t size, unsigned jobs)
{
    uint64_t pieces = size / PIECE_BYTES / jobs / STRETCHES_A_JOB;
    return PIECE_BYTES * (pieces < 1 ? 1 : pieces < MOST_PIECES ? pieces : MOST_PIECES);
}

static int open_parts(struct tk_ut_packet_walk_ahead *a)
{
    a->chains = calloc(a->jobs, sizeof *a->chains);
    a->stretches = calloc(a->n, sizeof *a->stretches);
    if (!a->chains || !a->stretches)
        return tk_err_nomem(a->walk->err, "the packet index");
    int rc = TK_OK;
    while (a->n_chains < a->jobs && rc == TK_OK)
        rc = tk_ut_chains_open(&a->chains[a->n_chains++], a->walk);
    return rc;
}

int tk_ut_packet_walk_ahead_open(struct tk_ut_packet_walk_ahead **out, struct tk_ut_packet_walk *w)
{
    *out = NULL;
    if (!w->ctx->options || !w->ctx->options->map || w->size < 2 * PIECE_BYTES)
        return TK_OK;
    struct tk_ut_packet_walk_ahead *a = calloc(1, sizeof *a);
    if (!a)
        return tk_err_nomem(w->err, "the packet index");
    a->walk = w;
    a->jobs = w->ctx->pool ? tk_pool_jobs(w->ctx->pool) : 1;
    a->n = a->jobs > 1 ? a->jobs * STRETCHES_FLYING : 1;
    a->bytes = bytes_of_stretch(w->size, a->jobs);
    int rc = open_parts(a);
    if (rc != TK_OK) {
        tk_ut_packet_walk_ahead_close(a);
        return rc;
    }
    *out = a;
    return TK_OK;
}

/* False when there is no memory: what was not seen ahead the walk sees by itself. */
static bool reserve(struct stretch *s, size_t more)
{
    if (more <= s->capacity - s->n)
        return true;
    size_t capacity = 2 * (s->n + more);
    struct tk_ut_seen *heads = realloc(s->heads, capacity * sizeof *heads);
    if (!heads)
        return false;
    s->heads = heads;
    s->capacity = capacity;
    return true;
}

static void append(struct stretch *s, const struct tk_ut_chains *c)
{
    uint32_t base = (uint32_t)(c->offset - s->offset);
    for (unsigned i = 0; i < c->n; i++) {
        const struct tk_ut_chain *chain = &c->v[i];
        if (!reserve(s, chain->n))
            return;
        for (uint32_t k = 0; k < chain->n; k++) {
            s->heads[s->n] = chain->heads[k];
            s->heads[s->n++].at += base;
        }
    }
}

static void fill_packet_walk_ahead(void *ctx, size_t index, unsigned worker)
{
    struct stretch *s = ctx;
    struct tk_ut_chains *c = &s->ahead->chains[worker];
    bool known = false;
    (void)index;
    s->n = 0;
    c->highest = s->highest;
    for (uint64_t at = s->offset; at < s->end;) {
        at = tk_ut_chains_look(c, at, s->end, &known);
        append(s, c);
    }
}

static uint16_t highest_guess(const struct tk_ut_packet_walk *w)
{
    uint32_t tid = w->highest + TK_UT_FAR;
    return (uint16_t)(tid < TK_UT_TID_CONNECT ? tid : TK_UT_TID_CONNECT - 1);
}

/* Gives the next stretch of the file to be filled; an empty one when there is none. */
static void start_packet_walk_ahead(struct tk_ut_packet_walk_ahead *a, struct stretch *s)
{
    uint64_t size = a->walk->size;
    s->ahead = a;
    s->offset = a->next;
    s->end = size - a->next < a->bytes ? size : a->next + a->bytes;
    s->highest = highest_guess(a->walk);
    a->next = s->end;
    s->started = a->walk->ctx->pool && s->offset < s->end;
    if (s->started)
        tk_pool_start(a->walk->ctx->pool, &s->task, fill_packet_walk_ahead, s, 1);
    else
        fill_packet_walk_ahead(s, 0, 0);
}

static void wait_until_read(struct tk_ut_packet_walk_ahead *a, struct stretch *s)
{
    if (s->started)
        tk_pool_wait(a->walk->ctx->pool, &s->task);
    s->started = false;
}

/* Goes on to the next stretch, and has the one before filled again: before it waits, so that nobody who works
 * has to go to sleep. */
static void turn(struct tk_ut_packet_walk_ahead *a)
{
    start_packet_walk_ahead(a, &a->stretches[a->at]);
    a->at = (a->at + 1) % a->n;
    a->head = 0;
    wait_until_read(a, &a->stretches[a->at]);
}

static void begin_packet_walk_ahead(struct tk_ut_packet_walk_ahead *a)
{
    for (unsigned i = 0; i < a->n; i++)
        start_packet_walk_ahead(a, &a->stretches[i]);
    wait_until_read(a, &a->stretches[0]);
}

struct tk_ut_seen_run tk_ut_packet_walk_ahead_run(struct tk_ut_packet_walk_ahead *a, uint64_t offset)
{
    if (!a || offset >= a->walk->size)
        return (struct tk_ut_seen_run){0};
    if (!a->next)
        begin_packet_walk_ahead(a);
    while (offset >= a->stretches[a->at].end)
        turn(a);
    const struct stretch *s = &a->stretches[a->at];
    while (a->head < s->n && s->offset + s->heads[a->head].at < offset)
        a->head++;
    return (struct tk_ut_seen_run){s->heads ? s->heads + a->head : NULL, s->n - a->head, s->offset};
}

void tk_ut_packet_walk_ahead_close(struct tk_ut_packet_walk_ahead *a)
{
    if (!a)
        return;
    for (unsigned i = 0; a->stretches && i < a->n; i++) {
        wait_until_read(a, &a->stretches[i]);
        free(a->stretches[i].heads);
    }
    for (unsigned i = 0; i < a->n_chains; i++)
        tk_ut_chains_close(&a->chains[i]);
    free(a->chains);
    free(a->stretches);
    free(a);
}
