/*
 * Threads of the system: a thread has its id until the id is free, and a process, which is often known only
 * later (import2 2.3).
 */
#include "format/perfetto/perfetto_in.h"

uint32_t tk_pf_task_new(struct tk_pf_system *s, int64_t tid, bool only)
{
    const uint32_t before = tk_map_get(&s->live, (uint64_t)tid);
    const struct tk_pf_task task = {.tid = tid,
                                    .name = TK_EV_NO_NAME,
                                    .thread = UINT32_MAX,
                                    .before = only || before == TK_MAP_NONE ? 0 : before};
    if (s->tasks.n >= UINT32_MAX - 2 || tk_vec_push(&s->tasks, task) ||
        tk_map_put(&s->live, (uint64_t)tid, (uint32_t)s->tasks.n))
        return TK_PF_NO_TASK;
    return (uint32_t)s->tasks.n;
}

uint32_t tk_pf_task_of(struct tk_pf_system *s, int64_t tid)
{
    const uint32_t at = tk_map_get(&s->live, (uint64_t)tid);
    return at != TK_MAP_NONE && at ? at : tk_pf_task_new(s, tid, true);
}

enum { MOST_BEFORE = 64 }; /* threads of one id that are gone through */

uint32_t tk_pf_task_in(struct tk_pf_system *s, int64_t tid, int64_t pid)
{
    const uint32_t live = tk_map_get(&s->live, (uint64_t)tid);
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
    const uint32_t at = tk_map_get(&s->live, (uint64_t)tid);
    if (at != TK_MAP_NONE && at)
        tk_map_put(&s->live, (uint64_t)tid, s->tasks.v[at - 1].before); /* it is there: it takes no memory */
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
    if (thread && !thread->is_beyond) {
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
    const uint32_t at = tk_map_get(&t->system.live, (uint64_t)thread->id.number);
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

int tk_pf_tasks_finish(struct tk_pf_trace *t)
{
    int rc = 0;
    for (size_t i = 0; i < t->system.tasks.n && rc == 0; i++)
        rc = finish_task(t, &t->system.tasks.v[i]);
    for (size_t i = 0; i < t->c->threads.n && rc == 0; i++)
        rc = name_thread(t, t->c->threads.v[i]);
    return rc;
}
