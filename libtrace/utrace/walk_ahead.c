/*
 * Headers ahead: see walk_ahead.h. The views are a ring: while the walk goes through one, the pool fills the
 * others.
 */
#include "utrace/walk_ahead.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "base/pool.h"

#define VIEW_BYTES   TK_WINDOW_VIEW
#define CHAINS       16
#define CHAIN_BYTES  (VIEW_BYTES / CHAINS)
#define HEADS        4096u /* most headers of a chain */
#define SEARCH_BYTES 8192u /* how far the beginning of a chain is searched for */
#define FETCH_BYTES  512u
#define LINE         64u
#define SEARCH_STEP  512u
#define MOST_GUESSES 16u /* of a step */
#define ENOUGH       3   /* headers in a row that look like packets */
#define MOST_VIEWS   6u  /* with fewer, who fills them waits for who walks */

struct chain {
    uint32_t begin, at, end; /* inside the view; a chain ends where the next one begins */
    uint32_t n;
    struct tk_ut_seen *heads; /* owned, HEADS of them */
};

struct view {
    const struct tk_ut_walk *walk; /* only what does not change while it walks */
    uint16_t highest;              /* tid that a guess may have */
    struct tk_window *window;      /* owned */
    uint64_t offset;               /* in the file */
    const uint8_t *bytes;          /* NULL: cannot be seen */
    uint32_t have;
    struct chain chains[CHAINS];
    unsigned n_chains;
    struct tk_task task;
    bool started; /* the task may still run */
    bool used;    /* holds a stretch of the file */
};

struct tk_ut_ahead {
    struct tk_ut_walk *walk;
    struct view views[MOST_VIEWS];
    unsigned n;    /* of them in use */
    uint64_t next; /* offset of the first stretch that no view has yet */
    /* where the walk is */
    unsigned view, chain;
    uint32_t head;
};

static int view_open(struct view *v, struct tk_ut_ahead *a)
{
    v->walk = a->walk;
    int rc = tk_window_open(&v->window, a->walk->ctx->file, true, a->walk->err);
    for (size_t i = 0; i < CHAINS && rc == TK_OK; i++)
        if (!(v->chains[i].heads = malloc(HEADS * sizeof *v->chains[i].heads)))
            rc = tk_err_nomem(a->walk->err, "the packet index");
    return rc;
}

static void view_close(struct view *v)
{
    tk_window_close(v->window);
    for (size_t i = 0; i < CHAINS; i++)
        free(v->chains[i].heads);
}

int tk_ut_ahead_open(struct tk_ut_ahead **out, struct tk_ut_walk *w)
{
    *out = NULL;
    if (!w->ctx->options || !w->ctx->options->map || w->size < 2 * VIEW_BYTES)
        return TK_OK;
    struct tk_ut_ahead *a = calloc(1, sizeof *a);
    if (!a)
        return tk_err_nomem(w->err, "the packet index");
    unsigned jobs = w->ctx->pool ? tk_pool_jobs(w->ctx->pool) : 1;
    a->walk = w;
    a->n = jobs > 1 ? MOST_VIEWS : 1;
    for (unsigned i = 0; i < a->n; i++) {
        int rc = view_open(&a->views[i], a);
        if (rc != TK_OK) {
            tk_ut_ahead_close(a);
            return rc;
        }
    }
    *out = a;
    return TK_OK;
}

/* A header at a place of the view: good in itself and inside the file. Returns the bytes to the next one, or
 * 0. */
static inline uint32_t head_at(const struct view *v, uint32_t at, struct tk_ut_seen *seen)
{
    const struct tk_ut_walk *w = v->walk;
    if (at + 6 > v->have)
        return 0;
    uint16_t size = tk_load16(v->bytes + at), word = tk_load16(v->bytes + at + 2);
    uint32_t skip = size + (w->ix->counted && word & TK_UT_PARTIAL ? 8u : 0u);
    if (size < (word & TK_UT_ENCODED ? 6 : 4) || skip > w->size - (v->offset + at))
        return 0;
    *seen = (struct tk_ut_seen){at, size, word};
    return skip;
}

/* Has the bytes at a place brought near, so that they are there when their turn comes. */
static inline void fetch(const struct view *v, uint32_t at)
{
#if defined(__GNUC__)
    if (at < v->have)
        __builtin_prefetch(v->bytes + at);
#else
    (void)v, (void)at;
#endif
}

/* Could a recorder have written this? Sizes that LZ4 does not make betray bytes that only look like a header.
 */
static inline bool likely(const struct view *v, const struct tk_ut_seen *seen)
{
    uint16_t tid = seen->word & TK_UT_TID_SYNC;
    if (tid > v->highest && tid < TK_UT_TID_CONNECT)
        return false;
    if (!(seen->word & TK_UT_ENCODED))
        return seen->size <= TK_UT_RAW_LIMIT;
    uint32_t packed = seen->size - 6u, unpacked = tk_load16(v->bytes + seen->at + 4);
    return packed <= unpacked + unpacked / 255 + 16 && unpacked <= 255 * packed;
}

/* Do headers in a row from here on look like packets? A guess: the walk finds out. */
static bool looks_good(const struct view *v, uint32_t at)
{
    struct tk_ut_seen seen;
    for (int i = 0; i < ENOUGH; i++) {
        uint32_t skip = head_at(v, at, &seen);
        if (!skip || !likely(v, &seen))
            return false;
        at += skip;
    }
    return true;
}

/*
 * Of the eight places from p on, does any have a tid below 256 * (limit + 1)? A word at a time: the upper
 * byte of each is below a limit where taking limit + 1 away borrows.
 */
static inline bool any_small_tid(const uint8_t *p, uint64_t limit)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t upper = tk_load64(p + 3) & ones * 0x3f;
    return (upper - ones * (limit + 1)) & ~upper & ones * 0x80;
}

/* Collects the places from `from` on that may be headers, and has what would follow them fetched. */
static unsigned guess(const struct view *v, uint32_t from, uint32_t to, uint32_t *places)
{
    struct tk_ut_seen seen;
    unsigned n = 0;
    for (uint32_t at = from; at < to && n < MOST_GUESSES; at++) {
        while (at + 16 < to && !any_small_tid(v->bytes + at, v->highest >> 8))
            at += 8;
        if ((tk_load16(v->bytes + at + 2) & TK_UT_TID_SYNC) > v->highest)
            continue;
        uint32_t skip = head_at(v, at, &seen);
        if (!skip || !likely(v, &seen))
            continue;
        fetch(v, at + skip);
        places[n++] = at;
    }
    return n;
}

static bool find_begin(struct view *v, struct chain *c, uint32_t from)
{
    uint32_t places[MOST_GUESSES];
    uint32_t last = v->have > 6 ? v->have - 6 : 0;
    uint32_t end = from + SEARCH_BYTES < last ? from + SEARCH_BYTES : last;
    for (; from < end; from += SEARCH_STEP) {
        uint32_t to = from + SEARCH_STEP < end ? from + SEARCH_STEP : end;
        unsigned n = guess(v, from, to, places);
        for (unsigned i = 0; i < n; i++) {
            if (!looks_good(v, places[i]))
                continue;
            c->begin = c->at = places[i];
            c->n = 0;
            return true;
        }
    }
    return false;
}

/* Has the beginnings of all chains brought near: what is not mapped yet must be touched for that. */
static void fetch_begins(const struct view *v)
{
    for (uint32_t from = 0; from < v->have; from += CHAIN_BYTES)
        (void)*(const volatile uint8_t *)(v->bytes + from);
    for (uint32_t at = 0; at < FETCH_BYTES; at += LINE)
        for (uint32_t from = 0; from < v->have; from += CHAIN_BYTES)
            fetch(v, from + at);
}

/* Chains about evenly over the view; each one ends where the next one begins. */
static void lay_out(struct view *v)
{
    v->n_chains = 0;
    fetch_begins(v);
    for (uint32_t from = 0; from < v->have; from += CHAIN_BYTES) {
        struct chain *c = &v->chains[v->n_chains];
        if (!find_begin(v, c, from))
            continue;
        if (v->n_chains)
            c[-1].end = c->begin;
        c->end = v->have;
        v->n_chains++;
    }
}

static inline bool step(const struct view *v, struct chain *c)
{
    if (c->at >= c->end || c->n == HEADS)
        return false;
    uint32_t skip = head_at(v, c->at, &c->heads[c->n]);
    c->at += skip;
    c->n += skip > 0;
    fetch(v, c->at);
    return skip > 0;
}

static void fill_view(struct view *v)
{
    struct chain *live[CHAINS];
    unsigned n = 0;
    lay_out(v);
    for (unsigned i = 0; i < v->n_chains; i++)
        live[n++] = &v->chains[i];
    while (n) {
        unsigned left = 0;
        for (unsigned i = 0; i < n; i++)
            if (step(v, live[i]))
                live[left++] = live[i];
        n = left;
    }
}

static void fill_task(void *ctx, size_t index, unsigned worker)
{
    struct view *v = ctx;
    size_t got = 0;
    struct tk_err ignored = {0};
    (void)index;
    (void)worker;
    v->n_chains = 0;
    v->bytes = tk_window_at(v->window, v->offset, TK_WINDOW_MOST, &got, &ignored);
    if (!v->bytes || !got || v->window->start != v->offset)
        return;
    v->have = (uint32_t)v->window->have;
    fill_view(v);
}

static uint16_t highest_guess(const struct tk_ut_walk *w)
{
    uint32_t tid = w->highest + TK_UT_FAR;
    return (uint16_t)(tid < TK_UT_TID_CONNECT ? tid : TK_UT_TID_CONNECT - 1);
}

/* Gives the next stretch of the file to a view. */
static void start(struct tk_ut_ahead *a, struct view *v)
{
    v->used = a->next < a->walk->size;
    if (!v->used)
        return;
    v->offset = a->next;
    v->highest = highest_guess(a->walk);
    a->next += VIEW_BYTES;
    v->started = a->walk->ctx->pool != NULL;
    if (v->started)
        tk_pool_start(a->walk->ctx->pool, &v->task, fill_task, v, 1);
    else
        fill_task(v, 0, 0);
}

static void wait(struct tk_ut_ahead *a, struct view *v)
{
    if (v->started)
        tk_pool_wait(a->walk->ctx->pool, &v->task);
    v->started = false;
}

/* Goes on to the next view, and has the one before filled again: before it waits, so that nobody who works
 * has to go to sleep. */
static void turn(struct tk_ut_ahead *a)
{
    start(a, &a->views[a->view]);
    a->view = (a->view + 1) % a->n;
    a->chain = a->head = 0;
    wait(a, &a->views[a->view]);
}

static void begin(struct tk_ut_ahead *a)
{
    for (unsigned i = 0; i < a->n; i++)
        start(a, &a->views[i]);
    wait(a, &a->views[0]);
}

static bool behind(const struct view *v, uint64_t offset)
{
    return offset >= v->offset + VIEW_BYTES;
}

/* The first chain that reaches beyond an offset, in this view. */
static const struct chain *chain_at(struct tk_ut_ahead *a, const struct view *v, uint64_t offset)
{
    for (; a->chain < v->n_chains; a->chain++, a->head = 0)
        if (v->offset + v->chains[a->chain].end > offset)
            return &v->chains[a->chain];
    return NULL;
}

struct tk_ut_seen_run tk_ut_ahead_run(struct tk_ut_ahead *a, uint64_t offset)
{
    struct tk_ut_seen_run run = {0};
    if (!a)
        return run;
    if (!a->next)
        begin(a);
    while (a->views[a->view].used && behind(&a->views[a->view], offset))
        turn(a);
    if (!a->views[a->view].used)
        return run;
    const struct view *v = &a->views[a->view];
    const struct chain *c = chain_at(a, v, offset);
    while (c && a->head < c->n && v->offset + c->heads[a->head].at < offset)
        a->head++;
    if (c)
        run = (struct tk_ut_seen_run){c->heads + a->head, c->n - a->head, v->offset};
    return run;
}

void tk_ut_ahead_close(struct tk_ut_ahead *a)
{
    if (!a)
        return;
    for (unsigned i = 0; i < a->n; i++)
        wait(a, &a->views[i]);
    for (unsigned i = 0; i < a->n; i++)
        view_close(&a->views[i]);
    free(a);
}
