/*
 * Gathers the locks of a .tracy.
 */
#include "base/err.h"
#include "export/tracy/tracy_events.h"
#include "export/tracy/tracy_in.h"
#include "format/tracy/file/sections_out.h"

#include <stdlib.h>
#include <string.h>

/*
 * Writes the locks of a .tracy (tracy-file 5.7), which tracy_locks.c gathered.
 */

/* Ids of the capture where they are numbers of 32 bits that no other lock has. */
static int number_of(struct tk_map *taken, uint64_t id, uint32_t *next, uint32_t *number, struct tk_err *err)
{
    *number = (uint32_t)id;
    while (id > UINT32_MAX || tk_map_get(taken, *number) != TK_MAP_NONE)
        id = *number = (*next)++;
    return tk_map_put(taken, *number, 0) ? tk_err_nomem(err, "an export") : TK_OK;
}

static int put_events(struct tk_tracy_writer *w, const struct tk_ts_lock *lock, struct tk_err *err)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_spill_column_reading_open(&r, &lock->events, err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_ts_lock_event ev;
        memcpy(&ev, record, sizeof ev);
        tk_tracy_put_lock_event(w, &(struct tk_tracy_lock_event){ev.time, 0, ev.slot, ev.kind});
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

/* When it was made is not known: when it is heard of first. */
static int put_lock(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_ts_lock *lock, uint32_t id,
                    struct tk_err *err)
{
    uint64_t tids[TK_TS_LOCK_THREADS];
    struct tk_ts_lock_event first = {0, 0, 0};
    uint32_t name = 0;
    const uint64_t n = tk_spill_column_count(&lock->events);
    for (uint32_t i = 0; i < lock->n_threads; i++)
        tids[i] = tk_ts_tid_of(t, lock->threads[i]);
    if (n && !tk_spill_column_get(&lock->events, 0, &first))
        return tk_spill_columns_error(t->events->columns, err);
    const int rc = lock->name ? tk_ts_string(t, lock->name, &name, err) : TK_OK;
    if (rc != TK_OK)
        return rc;
    tk_tracy_put_lock(w, &(struct tk_tracy_lock){.id = id,
                                                 .name = lock->name ? name + 1 : 0,
                                                 .type = lock->shared,
                                                 .valid = true,
                                                 .announced = first.time});
    tk_tracy_put(w, lock->n_threads, 8);
    for (uint32_t i = 0; i < lock->n_threads; i++)
        tk_tracy_put_lock_thread(w, &(struct tk_tracy_lock_thread){tids[i]});
    tk_tracy_put(w, n, 8);
    w->time = first.time;
    return put_events(w, lock, err);
}

int tk_ts_put_locks(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    const size_t n = t->events ? t->events->locks.v.n : 0;
    struct tk_map taken = {0};
    uint32_t next = 1;
    int rc = TK_OK;
    tk_tracy_put(w, n, 8);
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        struct tk_ts_lock *lock = t->events->locks.v.v[i];
        uint32_t id = 0;
        rc = number_of(&taken, lock->id, &next, &id, err);
        if (rc == TK_OK)
            rc = put_lock(t, w, lock, id, err);
    }
    tk_map_release(&taken);
    return rc;
}

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
