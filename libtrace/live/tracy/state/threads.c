/*
 * Threads: their list, their names, their numbers (tracy-live 7.1).
 */
#include "live/tracy/state/state.h"

enum { THREADS_MOST = 65536 };

struct tk_tl_thread *tk_tl_thread_find(const struct tk_tl_state *s, uint64_t tid)
{
    const uint32_t i = tk_map_get(&s->thread_of, tid);
    return i == TK_MAP_NONE ? NULL : s->threads.v[i];
}

int tk_tl_thread_add(struct tk_tl_state *s, uint64_t tid, struct tk_tl_thread **out)
{
    int rc;
    struct tk_tl_thread *t;
    if (s->threads.n >= THREADS_MOST) {
        tk_err_set(s->err, TK_ELIMIT, "the program has more than %d threads", THREADS_MOST);
        return TK_ELIMIT;
    }
    if (!(t = tk_tl_alloc(s, sizeof *t, &rc)))
        return rc;
    t->tid = tid;
    t->number = (uint32_t)s->threads.n;
    tk_spill_column_begin(&t->zones, s->columns, sizeof(struct tk_tl_zone));
    tk_spill_column_begin(&t->samples, s->columns, sizeof(struct tk_tl_sample));
    tk_spill_column_begin(&t->switch_samples, s->columns, sizeof(struct tk_tl_sample));
    tk_spill_column_begin(&t->message_keys, s->columns, sizeof(uint64_t));
    TK_TL_TRY(tk_tl_push(s, &s->threads, t));
    *out = t;
    return tk_tl_map_put(s, &s->thread_of, tid, t->number);
}

/* Notes that the name of a thread is wanted; *is_new: it was not before. */
static int note_name(struct tk_tl_state *s, uint64_t tid, bool *is_new)
{
    const struct tk_tl_pointer name = {tid, TK_TL_NONE, false};
    *is_new = tk_map_get(&s->thread_name_of, tid) == TK_MAP_NONE;
    if (!*is_new)
        return TK_OK;
    TK_TL_TRY(tk_tl_map_put(s, &s->thread_name_of, tid, (uint32_t)s->thread_names.n));
    return tk_tl_push(s, &s->thread_names, name);
}

int tk_tl_thread_ask(struct tk_tl_state *s, uint64_t tid)
{
    bool is_new;
    TK_TL_TRY(note_name(s, tid, &is_new));
    return is_new ? tk_tl_ask(s, TK_TL_ASK_THREAD, tid, 0) : TK_OK;
}

int tk_tl_thread_of(struct tk_tl_state *s, uint64_t tid, struct tk_tl_thread **out)
{
    *out = tk_tl_thread_find(s, tid);
    if (*out)
        return TK_OK;
    TK_TL_TRY(tk_tl_thread_ask(s, tid));
    return tk_tl_thread_add(s, tid, out);
}

int tk_tl_thread_current(struct tk_tl_state *s, struct tk_tl_thread **out)
{
    if (!s->current)
        TK_TL_TRY(tk_tl_thread_of(s, s->thread_tid, &s->current));
    *out = s->current->in_fiber ? s->current->in_fiber : s->current;
    return TK_OK;
}

int tk_tl_thread_number(struct tk_tl_state *s, uint64_t tid, uint16_t *number)
{
    uint32_t i = tk_map_get(&s->local_of, tid);
    if (i == TK_MAP_NONE) {
        i = (uint32_t)s->local_threads.n;
        if (i > UINT16_MAX)
            return tk_err_set(s->err, TK_ELIMIT, "the program has more than 65535 threads");
        TK_TL_TRY(tk_tl_push(s, &s->local_threads, tid));
        TK_TL_TRY(tk_tl_map_put(s, &s->local_of, tid, i));
    }
    *number = (uint16_t)i;
    return TK_OK;
}

int tk_tl_on_thread_context(struct tk_tl_state *s, const uint8_t *p)
{
    s->thread_time = 0;
    s->thread_tid = tk_load32(p);
    s->current = tk_tl_thread_find(s, s->thread_tid);
    return TK_OK;
}

static int name_thread(struct tk_tl_state *s, uint64_t tid)
{
    const uint32_t i = tk_map_get(&s->thread_name_of, tid);
    if (i == TK_MAP_NONE) {
        s->odd.answers++;
        return TK_OK;
    }
    return tk_tl_store(s, s->data.p, s->data.n, &s->thread_names.v[i].text);
}

int tk_tl_on_thread_name(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    return name_thread(s, s->key);
}

int tk_tl_on_thread_group_hint(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_thread *t = tk_tl_thread_find(s, tk_load32(p));
    if (t)
        t->hint = (int32_t)tk_load32(p + 4);
    return TK_OK;
}

/* ---- fibers (tracy-live 7.16) ---- */

static int new_fiber(struct tk_tl_state *s, uint64_t pointer, int32_t hint, struct tk_tl_thread **out)
{
    const uint64_t tid = UINT64_C(1) << 32 | s->fibers.n;
    bool is_new;
    TK_TL_TRY(tk_tl_map_put(s, &s->fiber_of, pointer, (uint32_t)s->fibers.n));
    TK_TL_TRY(tk_tl_push(s, &s->fibers, pointer));
    TK_TL_TRY(tk_tl_thread_add(s, tid, out));
    (*out)->fiber = true;
    (*out)->hint = hint;
    TK_TL_TRY(note_name(s, tid, &is_new));
    return tk_tl_ask(s, TK_TL_ASK_FIBER, pointer, 0);
}

static int end_stay(struct tk_tl_state *s, const struct tk_tl_thread *fiber, int64_t time)
{
    struct tk_tl_switches *k;
    TK_TL_TRY(tk_tl_switches_of(s, fiber->tid, &k));
    k->last.end = tk_tl_s48(time);
    return TK_OK;
}

int tk_tl_on_fiber_enter(struct tk_tl_state *s, const uint8_t *p)
{
    const int64_t time = tk_tl_move(s, &s->thread_time, (int64_t)tk_load64(p));
    const uint64_t pointer = tk_load64(p + 8), tid = tk_load32(p + 16);
    const uint32_t i = tk_map_get(&s->fiber_of, pointer);
    const struct tk_tl_switch stay = {tk_tl_s48(time), tk_tl_s48(time), -1, tid, 0, 0, 99, -1};
    struct tk_tl_thread *fiber, *host;
    struct tk_tl_switches *k;
    uint16_t number;
    if (i == TK_MAP_NONE)
        TK_TL_TRY(new_fiber(s, pointer, s->protocol.number >= 68 ? (int32_t)tk_load32(p + 20) : 0, &fiber));
    else
        fiber = tk_tl_thread_find(s, UINT64_C(1) << 32 | i);
    TK_TL_TRY(tk_tl_thread_of(s, tid, &host));
    if (host->in_fiber)
        TK_TL_TRY(end_stay(s, host->in_fiber, time));
    host->in_fiber = fiber;
    TK_TL_TRY(tk_tl_thread_number(s, tid, &number));
    TK_TL_TRY(tk_tl_switches_of(s, fiber->tid, &k));
    return tk_tl_switch_add(s, k, &stay);
}

int tk_tl_on_fiber_leave(struct tk_tl_state *s, const uint8_t *p)
{
    const int64_t time = tk_tl_move(s, &s->thread_time, (int64_t)tk_load64(p));
    struct tk_tl_thread *host = tk_tl_thread_find(s, tk_load32(p + 8));
    if (!host || !host->in_fiber)
        return tk_tl_fail(s, "a fiber was left that was not entered", tk_load32(p + 8), 0, 0);
    TK_TL_TRY(end_stay(s, host->in_fiber, time));
    host->in_fiber = NULL;
    return TK_OK;
}

int tk_tl_on_fiber_name(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t i = tk_map_get(&s->fiber_of, s->key);
    (void)p;
    if (i == TK_MAP_NONE) {
        s->odd.answers++;
        return TK_OK;
    }
    return name_thread(s, UINT64_C(1) << 32 | i);
}
