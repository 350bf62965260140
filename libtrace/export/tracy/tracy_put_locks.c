/*
 * Writes the locks of a .tracy (tracy-file 5.7), which tracy_locks.c gathered.
 */
#include "export/tracy/tracy_parts.h"
#include "format/tracy/file/sections_front.h"

#include <string.h>

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
        tk_tracy_put_lock_event(w, ev.time, 0, ev.slot, ev.kind);
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
    tk_tracy_put_lock(w, &(struct tk_tracy_lock_head){.id = id,
                                                      .name = lock->name ? name + 1 : 0,
                                                      .type = lock->shared,
                                                      .valid = true,
                                                      .announced = first.time,
                                                      .threads = tids,
                                                      .n_threads = lock->n_threads,
                                                      .n = n});
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
