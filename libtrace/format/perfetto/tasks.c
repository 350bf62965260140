/*
 * Threads of the system: a thread has its id until the id is free, and a process, which is often known only
 * later (import2 2.3).
 */
#include "base/sort.h"
#include "format/perfetto/perfetto_in.h"

#include <stdio.h>
#include <string.h>

int tk_pf_tids_put(struct tk_pf_tids *t, int64_t tid, uint32_t number)
{
    if ((uint64_t)tid >= TK_PF_NEAR_TIDS)
        return tk_map_put(&t->far, (uint64_t)tid, number);
    if (tk_vec_reach(&t->near, (size_t)tid + 1))
        return -1;
    t->near.v[tid] = number + 1;
    return 0;
}

void tk_pf_tids_release(struct tk_pf_tids *t)
{
    tk_vec_release(&t->near);
    tk_map_release(&t->far);
}

uint32_t tk_pf_task_new(struct tk_pf_system *s, int64_t tid, bool only)
{
    const uint32_t before = tk_pf_tids_get(&s->live, tid);
    const struct tk_pf_task task = {.tid = tid,
                                    .name = TK_EV_NO_NAME,
                                    .thread = UINT32_MAX,
                                    .before = only || before == TK_MAP_NONE ? 0 : before};
    if (s->tasks.n >= UINT32_MAX - 2 || tk_vec_push(&s->tasks, task) ||
        tk_pf_tids_put(&s->live, tid, (uint32_t)s->tasks.n))
        return TK_PF_NO_TASK;
    return (uint32_t)s->tasks.n;
}

uint32_t tk_pf_task_of(struct tk_pf_system *s, int64_t tid)
{
    const uint32_t at = tk_pf_tids_get(&s->live, tid);
    return at != TK_MAP_NONE && at ? at : tk_pf_task_new(s, tid, true);
}

enum { MOST_BEFORE = 64 }; /* threads of one id that are gone through */

uint32_t tk_pf_task_in(struct tk_pf_system *s, int64_t tid, int64_t pid)
{
    const uint32_t live = tk_pf_tids_get(&s->live, tid);
    uint32_t at = live == TK_MAP_NONE ? 0 : live;
    for (unsigned i = 0; at && i < MOST_BEFORE; i++) {
        struct tk_pf_task *task = &s->tasks.v[at - 1];
        if (!task->has_pid || task->pid == pid)
            break;
        at = task->before;
    }
    at = at && (!s->tasks.v[at - 1].has_pid || s->tasks.v[at - 1].pid == pid) ? at
                                                                              : tk_pf_task_new(s, tid, false);
    if (at == TK_PF_NO_TASK)
        return at;
    s->tasks.v[at - 1].pid = pid;
    s->tasks.v[at - 1].has_pid = true;
    return at;
}

void tk_pf_task_free(struct tk_pf_system *s, int64_t tid)
{
    const uint32_t at = tk_pf_tids_get(&s->live, tid);
    if (at != TK_MAP_NONE && at)
        tk_pf_tids_put(&s->live, tid, s->tasks.v[at - 1].before); /* it is there: it takes no memory */
}

/* The process of threads whose process is not known; UINT32_MAX if out of memory. */
static uint32_t nobody(struct tk_pf_trace *t)
{
    const struct tk_ev_id id = {NULL, INT64_MIN};
    if (t->system.nobody)
        return t->system.nobody - 1;
    const uint32_t process = tk_ev_process(t->c, &id);
    if (process == UINT32_MAX)
        return process;
    t->c->processes.v[process].unknown = true;
    t->system.nobody = process + 1;
    return process;
}

uint32_t tk_pf_task_thread(struct tk_pf_trace *t, uint32_t task)
{
    struct tk_pf_task *k = &t->system.tasks.v[task - 1];
    const struct tk_ev_id id = {NULL, k->tid};
    if (k->thread != UINT32_MAX)
        return k->thread;
    const uint32_t process = nobody(t);
    /* several may have one id: each is a thread of its own */
    k->thread = process == UINT32_MAX ? process : tk_ev_thread(t->c, process, &id, task);
    return k->thread;
}

static int finish_task(struct tk_pf_trace *t, const struct tk_pf_task *task)
{
    struct tk_ev_capture *c = t->c;
    struct tk_ev_thread *thread = task->thread == UINT32_MAX ? NULL : c->threads.v[task->thread];
    const struct tk_str *name = tk_ev_name_text(&c->names, task->name);
    const struct tk_ev_id pid = {NULL, task->pid};
    if (thread && !thread->is_beyond && task->track)
        tk_ev_make_part(c, task->track - 1, task->thread);
    else if (thread && !thread->is_beyond) {
        const uint32_t process = task->has_pid ? tk_ev_process(c, &pid) : thread->process;
        if (process == UINT32_MAX)
            return -1;
        thread->process = process;
        thread->name = name;
        thread->named = name != NULL;
    }
    return name && task->tid ? tk_ev_system_thread(c, (uint64_t)task->tid,
                                                   task->has_pid ? (uint64_t)task->pid : 0, name->p, name->n)
                             : 0;
}

/* Threads of track events that have no name of their own have that of the system. */
static int name_thread(struct tk_pf_trace *t, struct tk_ev_thread *thread)
{
    const uint32_t at = tk_pf_tids_get(&t->system.live, thread->id.number);
    if (thread->named || thread->id.text || thread->is_hidden || at == TK_MAP_NONE || !at)
        return 0;
    const struct tk_pf_task *task = &t->system.tasks.v[at - 1];
    const struct tk_ev_process *process = &t->c->processes.v[thread->process];
    if (task->name == TK_EV_NO_NAME || !task->has_pid || process->id.text || process->id.number != task->pid)
        return 0;
    thread->name = tk_ev_name_text(&t->c->names, task->name);
    thread->named = true;
    return 0;
}

/* A thread of track events, by its ids. */
struct tracked {
    int64_t tid, pid;
    uint64_t track;
    uint32_t place;
};

/* Of several with one id that of the lowest process comes last, as it is the one that has it. */
static int by_ids(const void *a, const void *b)
{
    const struct tracked *x = a, *y = b;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid > y->pid ? -1 : 1;
    return x->track != y->track ? (x->track < y->track ? -1 : 1)
                                : (x->place > y->place) - (x->place < y->place);
}

static int begin_task(struct tk_pf_trace *t, const struct tracked *known)
{
    const struct tk_ev_thread *thread = t->c->threads.v[known->place];
    const uint32_t at = tk_pf_task_in(&t->system, known->tid, known->pid);
    if (at == TK_PF_NO_TASK)
        return -1;
    struct tk_pf_task *task = &t->system.tasks.v[at - 1];
    if (task->track)
        return 0;
    task->track = known->place + 1;
    if (thread->named) {
        task->name = tk_ev_name(&t->c->names, thread->name->p, thread->name->n);
        task->rank = TK_PF_RANK_TRACK;
    }
    return 0;
}

/* Wherever their descriptors stand, threads of track events are there from the beginning. */
int tk_pf_tasks_begin(struct tk_pf_trace *t)
{
    TK_VEC(struct tracked) list = {0};
    int rc = 0;
    for (uint32_t i = 0; i < t->c->threads.n && rc == 0; i++) {
        const struct tk_ev_thread *thread = t->c->threads.v[i];
        const struct tk_ev_process *process = &t->c->processes.v[thread->process];
        const struct tracked known = {thread->id.number, process->id.number, thread->track, i};
        if (!thread->id.text && !thread->is_hidden && known.tid > 0 && tk_ev_process_has_id(process))
            rc = tk_vec_push(&list, known);
    }
    rc = rc == 0 ? tk_sort(list.v, list.n, sizeof *list.v, by_ids) : rc;
    for (size_t i = 0; i < list.n && rc == 0; i++)
        rc = begin_task(t, &list.v[i]);
    tk_vec_release(&list);
    return rc;
}

void tk_pf_task_take_track(struct tk_pf_system *s, uint32_t task, uint32_t before)
{
    struct tk_pf_task *k = &s->tasks.v[task - 1], *old = before ? &s->tasks.v[before - 1] : NULL;
    if (!old || !old->track || (k->has_pid && k->pid != old->pid))
        return;
    k->track = old->track;
    k->pid = old->pid;
    k->has_pid = true;
    if (old->rank == TK_PF_RANK_TRACK) {
        k->name = old->name;
        k->rank = old->rank;
    }
    old->track = 0;
}

int tk_pf_tasks_finish(struct tk_pf_trace *t)
{
    int rc = 0;
    for (size_t i = 0; i < t->system.tasks.n && rc == 0; i++)
        rc = finish_task(t, &t->system.tasks.v[i]);
    for (size_t i = 0; i < t->c->threads.n && rc == 0; i++)
        rc = name_thread(t, t->c->threads.v[i]);
    return rc;
}

/*
 * What threads are when they leave a core, by the bits that versions of the kernel have for that
 * (import2 2.4).
 */

static enum tk_run_end run_end_of(uint32_t bits)
{
    static const struct {
        uint32_t bit;
        enum tk_run_end end;
    } ends[] = {{1, TK_RUN_END_SLEEPING}, {2, TK_RUN_END_BLOCKED}, {4, TK_RUN_END_STOPPED},
                {8, TK_RUN_END_TRACED},   {16, TK_RUN_END_DEAD},   {32, TK_RUN_END_ZOMBIE}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (bits == ends[i].bit)
            return ends[i].end;
    return bits ? TK_RUN_END_OTHER : TK_RUN_END_READY;
}

/* From 4.14 on. */
static enum tk_run_end run_end_new(uint32_t bits)
{
    enum { PARKED = 0x40, IDLE = 0x80, PREEMPTED = 0x100, NONE = 0xfe00 };
    if (bits & NONE)
        return TK_RUN_END_OTHER;
    if (!(bits & ~(uint32_t)PREEMPTED))
        return bits ? TK_RUN_END_PREEMPTED : TK_RUN_END_READY;
    bits &= ~(uint32_t)PREEMPTED;
    return bits == PARKED ? TK_RUN_END_PARKED : bits == IDLE ? TK_RUN_END_IDLE : run_end_of(bits);
}

/* Before it, as it was from 4.8 on, and before that. */
static enum tk_run_end run_end_old(uint32_t bits, uint32_t preempted)
{
    enum { DEAD = 0x40, WAKEKILL = 0x80, WAKING = 0x100, PARKED = 0x200, IDLE = 0x402 };
    if ((bits & 0x7ff) == IDLE)
        return TK_RUN_END_IDLE;
    const uint32_t rest = bits & 0x7ff;
    if (!rest)
        return bits & preempted ? TK_RUN_END_PREEMPTED : TK_RUN_END_READY;
    return rest == DEAD             ? TK_RUN_END_DEAD
           : rest == WAKING         ? TK_RUN_END_WAKING
           : rest == PARKED         ? TK_RUN_END_PARKED
           : rest == (2 | WAKEKILL) ? TK_RUN_END_KILLABLE
                                    : run_end_of(rest);
}

enum tk_run_end tk_pf_run_end(uint32_t bits, unsigned kernel)
{
    bits &= 0xffff;
    if (kernel >= TK_PF_KERNEL(4, 14))
        return run_end_new(bits);
    return run_end_old(bits, kernel >= TK_PF_KERNEL(4, 8) ? 0x1000 : 0x800);
}

/* SystemInfo: 1 names of the system: 3 its release, "4.14.117-abc". */
void tk_pf_system_kernel(struct tk_pf_trace *t, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message), names = {0};
    struct tk_pf_field f;
    while (tk_pf_next(&m, &f) == 1)
        if (f.number == 1 && f.wire == TK_PF_BYTES)
            names = tk_pf_message_of(f.bytes);
    while (names.p && tk_pf_next(&names, &f) == 1) {
        unsigned part[2] = {0, 0};
        if (f.number != 3 || f.wire != TK_PF_BYTES)
            continue;
        for (size_t i = 0, at = 0; i < f.bytes.n && at < 2; i++) {
            const uint8_t c = f.bytes.p[i];
            if (c >= '0' && c <= '9' && part[at] < 1000)
                part[at] = part[at] * 10 + (unsigned)(c - '0');
            else
                at += c == '.' ? 1 : 2;
        }
        t->system.kernel = TK_PF_KERNEL(part[0], part[1]);
    }
}

/*
 * Putting events off until all have come.
 */

int tk_pf_put_number(struct tk_pf_trace *t, int64_t time, enum tk_pf_late_by by, uint32_t what, int64_t value)
{
    const bool fits = what >> TK_PF_LATE_BITS == 0;
    if (t->c->pass != TK_EV_GATHER)
        return 0;
    t->c->left_out[TK_EV_BEYOND_SYSTEM] += !fits;
    t->system.any_late = true;
    return fits ? tk_ev_late(t->c, time, (uint32_t)by << TK_PF_LATE_BITS | what, value) : 0;
}

int tk_pf_put_off(struct tk_pf_trace *t, int64_t time, const struct tk_ev_key *key, int64_t value)
{
    if (t->c->pass != TK_EV_GATHER)
        return 0;
    const uint32_t what = tk_ev_ids_number(&t->system.keys, key, t->c->ctx->limits.definitions);
    return what == UINT32_MAX ? -1 : tk_pf_put_number(t, time, TK_PF_LATE_BY_KEY, what, value);
}

int tk_pf_put_thread(struct tk_pf_trace *t, int64_t time, uint64_t tid, uint64_t pid)
{
    const struct tk_ev_key key = {{TK_PF_LATE_THREAD, pid}};
    return tk_pf_put_off(t, time, &key, (int64_t)tid);
}

int tk_pf_put_counter(struct tk_pf_trace *t, int64_t time, const struct tk_pf_counter_value *v)
{
    const struct tk_ev_key key = {{TK_PF_LATE_COUNTER | (uint64_t)v->whose << 8, (uint64_t)v->id, v->unit,
                                   v->name, v->value.real, v->before}};
    int64_t bits = v->value.v.i;
    if (v->value.real)
        memcpy(&bits, &v->value.v.r, sizeof bits);
    return tk_pf_put_off(t, time, &key, bits);
}

uint32_t tk_pf_device(struct tk_ev_capture *c, const char *what, int64_t number)
{
    char text[48];
    const int n = snprintf(text, sizeof text, "%s %lld", what, (long long)number);
    const struct tk_ev_id id = {tk_ev_text(&c->names, text, (size_t)n), 0};
    return id.text ? tk_ev_process(c, &id) : UINT32_MAX;
}
