/*
 * Locks and who waits for them (tracy-live 7.6).
 */
#include "live/tracy/state/state.h"

static struct tk_tl_lock *find_lock(const struct tk_tl_state *s, uint32_t id)
{
    const uint32_t i = tk_map_get(&s->lock_of, id);
    return i == TK_MAP_NONE ? NULL : s->locks.v[i];
}

int tk_tl_on_lock_announce(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t id = tk_load32(p);
    int16_t place;
    int rc;
    TK_TL_TRY(tk_tl_place_of(s, tk_load64(p + 12), &place));
    if (find_lock(s, id)) {
        s->odd.lock_events++;
        return TK_OK;
    }
    struct tk_tl_lock *l = tk_tl_alloc(s, sizeof *l, &rc);
    if (!l)
        return rc;
    l->id = id;
    l->place = place;
    l->announced = tk_tl_ns(s, (int64_t)tk_load64(p + 4));
    l->type = p[20];
    tk_spill_column_begin(&l->events, s->columns, sizeof(struct tk_tl_lock_event));
    TK_TL_TRY(tk_tl_map_put(s, &s->lock_of, id, (uint32_t)s->locks.n));
    return tk_tl_push(s, &s->locks, l);
}

int tk_tl_on_lock_terminate(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_lock *l = find_lock(s, tk_load32(p));
    if (l)
        l->terminated = tk_tl_ns(s, (int64_t)tk_load64(p + 4));
    else
        s->odd.lock_events++;
    return TK_OK;
}

int tk_tl_on_lock_name(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_lock *l = find_lock(s, tk_load32(p));
    const uint32_t text = tk_tl_take_text(s);
    if (l)
        l->name = text + 1;
    else
        s->odd.lock_events++;
    return TK_OK;
}

/* The number of a thread in the lock's own list, or TK_TL_LOCK_THREADS: there are too many. */
static uint32_t number_in(struct tk_tl_lock *l, uint64_t tid, bool add)
{
    for (uint32_t i = 0; i < l->n_threads; i++)
        if (l->threads[i] == tid)
            return i;
    if (!add || l->n_threads == TK_TL_LOCK_THREADS)
        return TK_TL_LOCK_THREADS;
    l->threads[l->n_threads] = tid;
    return l->n_threads++;
}

enum kind { WAIT, OBTAIN, RELEASE, SHARED_WAIT, SHARED_OBTAIN, SHARED_RELEASE };

/* A release has no thread: it is that of the last one who obtained. */
static int lock_event(struct tk_tl_state *s, uint32_t id, const uint32_t *tid, int64_t by, enum kind kind)
{
    const int64_t time = tk_tl_move(s, &s->serial_time, by);
    struct tk_tl_lock *l = find_lock(s, id);
    struct tk_tl_thread *t;
    if (!l) {
        s->odd.lock_events++;
        return TK_OK;
    }
    const uint64_t who = tid ? *tid : l->holder;
    TK_TL_TRY(tk_tl_thread_of(s, who, &t));
    const uint32_t n = number_in(l, who, true);
    if (n == TK_TL_LOCK_THREADS) {
        s->odd.lock_events++;
        return TK_OK;
    }
    const struct tk_tl_lock_event event = {tk_tl_s48(time), 0, (uint8_t)n, (uint8_t)kind};
    struct tk_tl_lock_event *record = tk_spill_column_add(&l->events);
    if (!record)
        return tk_tl_column_error(s);
    *record = event;
    if (kind == OBTAIN)
        l->holder = who;
    if (kind != RELEASE && kind != SHARED_RELEASE) {
        l->last_wait[n] = tk_spill_column_count(&l->events);
        l->waits[n] = event;
    }
    return TK_OK;
}

static int event_of(struct tk_tl_state *s, const uint8_t *p, enum kind kind)
{
    const uint32_t tid = tk_load32(p);
    return lock_event(s, tk_load32(p + 4), &tid, (int64_t)tk_load64(p + 8), kind);
}

int tk_tl_on_lock_wait(struct tk_tl_state *s, const uint8_t *p)
{
    return event_of(s, p, WAIT);
}

int tk_tl_on_lock_obtain(struct tk_tl_state *s, const uint8_t *p)
{
    return event_of(s, p, OBTAIN);
}

int tk_tl_on_lock_release(struct tk_tl_state *s, const uint8_t *p)
{
    return lock_event(s, tk_load32(p), NULL, (int64_t)tk_load64(p + 4), RELEASE);
}

int tk_tl_on_lock_shared_wait(struct tk_tl_state *s, const uint8_t *p)
{
    return event_of(s, p, SHARED_WAIT);
}

int tk_tl_on_lock_shared_obtain(struct tk_tl_state *s, const uint8_t *p)
{
    return event_of(s, p, SHARED_OBTAIN);
}

int tk_tl_on_lock_shared_release(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t tid = tk_load32(p + 12);
    return lock_event(s, tk_load32(p), &tid, (int64_t)tk_load64(p + 4), SHARED_RELEASE);
}

/* Says where a thread waited last. */
int tk_tl_on_lock_mark(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_lock *l = find_lock(s, tk_load32(p + 4));
    int16_t place;
    TK_TL_TRY(tk_tl_place_of(s, tk_load64(p + 8), &place));
    const uint32_t n = l ? number_in(l, tk_load32(p), false) : TK_TL_LOCK_THREADS;
    if (n == TK_TL_LOCK_THREADS || !l->last_wait[n]) {
        s->odd.lock_events +=
            n == TK_TL_LOCK_THREADS || !s->piece.number; /* else the capture before has it */
        return TK_OK;
    }
    l->waits[n].place = place;
    return tk_spill_column_change(&l->events, l->last_wait[n] - 1, &l->waits[n]) ? TK_OK
                                                                                 : tk_tl_column_error(s);
}
