/*
 * Gathers the locks of a .tracy. See tracy_locks.h.
 */
#include "export/tracy/tracy_locks.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

enum { SORT_BYTES = 2 << 20 };
enum kind { WAIT, OBTAIN, RELEASE, SHARED }; /* SHARED: added to the others */

struct step {
    int64_t time;
    uint64_t order;
    uint32_t lock, thread; /* lock: place */
    uint8_t what;
    bool write;
};

static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

int tk_ts_locks_open(struct tk_ts_locks *l, const char *scratch, struct tk_err *err)
{
    return tk_external_sort_open(&l->steps, scratch, sizeof(struct step), compare_steps, SORT_BYTES, err);
}

void tk_ts_locks_release(struct tk_ts_locks *l)
{
    for (size_t i = 0; i < l->v.n; i++) {
        tk_spill_column_release(&l->v.v[i]->events);
        free(l->v.v[i]);
    }
    tk_vec_release(&l->v);
    tk_map_release(&l->place_of);
    tk_external_sort_close(l->steps);
}

/* ---- taking ---- */

static bool is_lock(const struct tk_ts_lock *lock, const struct tk_fact_lock *info, const struct tk_str *name)
{
    return lock->id == info->id && lock->name == name;
}

static int add_lock(struct tk_ts_locks *l, const struct tk_fact_lock *info, const struct tk_str *name,
                    struct tk_spill_columns *columns)
{
    struct tk_ts_lock *lock = calloc(1, sizeof *lock);
    if (!lock || tk_vec_push(&l->v, lock)) {
        free(lock);
        return -1;
    }
    lock->id = info->id;
    lock->name = name;
    tk_spill_column_begin(&lock->events, columns, sizeof(struct tk_ts_lock_event));
    return 0;
}

/* TK_MAP_NONE: there are too many. */
static int place_of(struct tk_ts_locks *l, const struct tk_fact_lock *info, const struct tk_str *name,
                    struct tk_spill_columns *columns, uint32_t *place, struct tk_err *err)
{
    uint64_t hash = tk_hash_pair(info->id, name ? tk_hash_bytes(name->p, name->n, 0) : 0);
    for (; (*place = tk_map_get(&l->place_of, hash)) != TK_MAP_NONE; hash++)
        if (is_lock(l->v.v[*place], info, name))
            return TK_OK;
    if (l->v.n == TK_TS_LOCKS)
        return TK_OK;
    const uint32_t at = (uint32_t)l->v.n;
    if (add_lock(l, info, name, columns) || tk_map_put(&l->place_of, hash, at))
        return tk_err_nomem(err, "locks");
    *place = at;
    return TK_OK;
}

int tk_ts_locks_take(struct tk_ts_locks *l, const struct tk_fact *fact, int64_t time, struct tk_intern *texts,
                     struct tk_spill_columns *columns, struct tk_err *err)
{
    const struct tk_fact_lock *info = &fact->u.lock;
    const struct tk_str *name = NULL;
    struct step step = {.time = time, .thread = fact->thread, .what = info->what, .write = info->write};
    if (info->name &&
        !(name = tk_intern(texts, info->name->p, info->name->n, (enum tk_encoding)info->name->enc)))
        return tk_err_nomem(err, "locks");
    const int rc = place_of(l, info, name, columns, &step.lock, err);
    if (rc != TK_OK)
        return rc;
    if (step.lock == TK_MAP_NONE) {
        l->left_out++;
        return TK_OK;
    }
    step.order = l->order++;
    return tk_external_sort_add(l->steps, &step, err);
}

/* ---- settling ---- */

/* What a thread does with the lock under way. */
struct holder {
    uint32_t waits, holds;
    bool wants_shared, has_shared;
};

struct settling {
    struct tk_ts_lock *lock;
    struct holder holders[TK_TS_LOCK_THREADS];
};

static uint32_t slot_of(struct tk_ts_lock *lock, uint32_t thread)
{
    uint32_t i = 0;
    while (i < lock->n_threads && lock->threads[i] != thread)
        i++;
    if (i == lock->n_threads && i < TK_TS_LOCK_THREADS)
        lock->threads[lock->n_threads++] = thread;
    return i;
}

static bool put_event(struct tk_ts_lock *lock, int64_t time, uint32_t slot, enum kind kind, bool shared)
{
    struct tk_ts_lock_event *ev = tk_spill_column_add(&lock->events);
    if (ev)
        *ev = (struct tk_ts_lock_event){time, (uint8_t)slot, (uint8_t)(kind + (shared ? SHARED : 0))};
    lock->shared |= shared;
    return ev != NULL;
}

/* Who obtains a lock has waited for it, and who gives it back has it: Tracy counts. Where the selection
 * begins in between, that is made so. */
static bool settle_step(struct settling *s, const struct step *step, uint32_t slot)
{
    struct holder *h = &s->holders[slot];
    bool good = true;
    switch (step->what) {
    case TK_LOCK_REQUESTED:
        h->waits++;
        h->wants_shared = !step->write;
        return put_event(s->lock, step->time, slot, WAIT, h->wants_shared);
    case TK_LOCK_OBTAINED:
        if (!h->waits) {
            h->wants_shared = false;
            good = put_event(s->lock, step->time, slot, WAIT, false);
        }
        h->waits -= h->waits > 0;
        h->holds++;
        h->has_shared = h->wants_shared;
        return good && put_event(s->lock, step->time, slot, OBTAIN, h->has_shared);
    default:
        if (!h->holds)
            return true;
        h->holds--;
        return put_event(s->lock, step->time, slot, RELEASE, h->has_shared);
    }
}

int tk_ts_locks_settle(struct tk_ts_locks *l, struct tk_spill_columns *columns, struct tk_err *err)
{
    struct settling s = {0};
    const void *record;
    int rc = tk_external_sort_start(l->steps, err);
    while (rc == TK_OK && (rc = tk_external_sort_next(l->steps, &record, err)) == TK_ITEM) {
        struct step step;
        memcpy(&step, record, sizeof step);
        struct tk_ts_lock *lock = l->v.v[step.lock];
        if (!s.lock || s.lock != lock)
            s = (struct settling){.lock = lock};
        const uint32_t slot = slot_of(lock, step.thread);
        l->left_out += slot == TK_TS_LOCK_THREADS;
        if (slot < TK_TS_LOCK_THREADS && !settle_step(&s, &step, slot))
            return tk_spill_columns_error(columns, err);
        rc = TK_OK;
    }
    return rc;
}
