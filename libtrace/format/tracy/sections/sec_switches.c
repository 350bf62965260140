/*
 * Context switches, by thread of this process and by CPU: times on cores, and records. What CPUs did holds
 * the threads of this process again; as times on cores only for threads that have no list of their own.
 *
 *   by thread: u64 n, each with u64 n, switches                                               tracy-file 5.16
 *   by CPU:    u64 total, 256 times: u64 n, runs                                              tracy-file 5.17
 */
#include "format/tracy/walk/section.h"

#define CPUS 256

/* ---- by thread ---- */

struct context_switch {
    uint64_t at;
    uint32_t thread; /* number */
    struct tk_tracy_switch v;
};

struct by_thread {
    struct tk_tracy_list threads, switches;
    uint64_t tid;
    int64_t last; /* start */
    uint32_t thread;
    bool inside;
};

/* The reason of a fiber that a thread goes on with: no system says on which core (tracy-file 5.16). */
#define FIBER 99

static enum tk_tracy_record record_of(int8_t reason)
{
    return reason == FIBER ? TK_TRACY_FIBER_SWITCH : TK_TRACY_CONTEXT_SWITCH;
}

static int say_switch(struct tk_tracy_walk *w, const struct context_switch *c)
{
    struct tk_cell cells[] = {
        tk_cell_of_int(c->v.wakeup),
        tk_cell_of_int(c->v.start),
        c->v.end == -1 ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_int(c->v.end),
        tk_cell_of_uint(c->v.cpu),
        tk_cell_of_int(c->v.reason),
        tk_cell_of_int(c->v.state),
        tk_tracy_id_cell(c->v.thread),
        w->c->layout.wakeup_cpu ? tk_cell_of_uint(c->v.wakeup_cpu) : (struct tk_cell){.kind = TK_NONE},
    };
    return tk_tracy_say(w, record_of(c->v.reason), c->at, c->thread, c->v.start, cells);
}

/* One that has no end yet lasts until the end of the capture. */
static int say_fact_switches(struct tk_tracy_walk *w, uint32_t thread, uint64_t tid, int64_t start,
                             int64_t end, uint32_t core)
{
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_SWITCH, thread, start);
    if (!fact)
        return TK_ENOMEM;
    if (end == -1)
        end = w->c->last_time > start ? w->c->last_time : start;
    fact->u.context = (struct tk_fact_switch){.system_id = tid, .end = end, .core = core};
    return TK_OK;
}

/* What the thread was then: by the letters of Linux from 101 on, else the state of the kernel of Windows. */
static uint8_t end_of(int8_t state)
{
    static const uint8_t of_windows[] = {TK_RUN_END_OTHER,  TK_RUN_END_READY, TK_RUN_END_READY,
                                         TK_RUN_END_READY,  TK_RUN_END_DEAD,  TK_RUN_END_SLEEPING,
                                         TK_RUN_END_WAKING, TK_RUN_END_READY};
    static const uint8_t of_linux[] = {
        TK_RUN_END_BLOCKED, TK_RUN_END_IDLE,   TK_RUN_END_READY, TK_RUN_END_SLEEPING, TK_RUN_END_STOPPED,
        TK_RUN_END_TRACED,  TK_RUN_END_WAKING, TK_RUN_END_DEAD,  TK_RUN_END_ZOMBIE,   TK_RUN_END_PARKED};
    enum { LINUX = 101 };
    if (state >= LINUX && state < LINUX + (int)sizeof of_linux)
        return of_linux[state - LINUX];
    return state > 0 && state < (int)sizeof of_windows ? of_windows[state] : TK_RUN_END_UNKNOWN;
}

/* Where no event woke the thread, the client has the time of the switch itself. */
static void add_wake(struct tk_tracy_walk *w, const struct tk_tracy_switch *v)
{
    struct tk_fact_switch *on = &w->out->facts.v[w->out->facts.n - 1].u.context;
    on->woken = w->c->layout.wakeup_cpu && v->wakeup < v->start;
    on->wake = v->wakeup;
    on->waker_core = v->wakeup_cpu;
    on->end_state = v->end > v->start ? end_of(v->state) : TK_RUN_END_UNKNOWN;
}

static int read_switch(struct tk_tracy_walk *w, struct by_thread *s)
{
    struct context_switch c = {.at = tk_tracy_at(&w->in), .thread = s->thread};
    if (!tk_tracy_read_switch(&w->in, &c.v))
        return TK_OK;
    tk_tracy_use_order(w, c.v.start, &s->last);
    tk_tracy_count(w, record_of(c.v.reason), 1, tk_tracy_switch_size(&w->c->layout));
    if (tk_tracy_wants_fact(w, TK_FACT_SWITCH) && c.v.reason != FIBER) {
        if (say_fact_switches(w, c.thread, s->tid, c.v.start, c.v.end, c.v.cpu) != TK_OK)
            return TK_ENOMEM;
        add_wake(w, &c.v);
    }
    return tk_tracy_wants(w, record_of(c.v.reason)) ? say_switch(w, &c) : TK_OK;
}

/* Whether the switches of a thread are those of fibers, only their reasons say. */
static void count_switches(struct tk_tracy_walk *w)
{
    const uint64_t size = tk_tracy_switch_size(&w->c->layout);
    struct tk_tracy_list list = {0};
    struct tk_tracy_switch v;
    while (tk_tracy_list_next(w, &list, "context switches"))
        if (tk_tracy_read_switch(&w->in, &v))
            tk_tracy_count(w, record_of(v.reason), 1, size);
}

static bool wants_switches(const struct tk_tracy_walk *w)
{
    return tk_tracy_wants(w, TK_TRACY_CONTEXT_SWITCH) || tk_tracy_wants(w, TK_TRACY_FIBER_SWITCH) ||
           tk_tracy_wants_fact(w, TK_FACT_SWITCH);
}

static int begin_thread(struct tk_tracy_walk *w, struct by_thread *s)
{
    struct tk_tracy_switches v;
    const bool whole = tk_tracy_read_switches(&w->in, &v);
    s->tid = v.tid;
    s->thread = tk_tracy_thread(w, s->tid);
    if (tk_tracy_wants_fact(w, TK_FACT_SWITCH) && whole && tk_map_put(&w->switched, s->tid, 0))
        return TK_ENOMEM;
    s->switches = (struct tk_tracy_list){0};
    s->last = INT64_MIN;
    w->in.time = 0;
    s->inside = wants_switches(w);
    if (!s->inside && w->counting)
        count_switches(w);
    else if (!s->inside)
        tk_tracy_skip_list(w, tk_tracy_switch_size(&w->c->layout), TK_TRACY_CONTEXT_SWITCH,
                           "context switches");
    return TK_OK;
}

static int step_threads(struct tk_tracy_walk *w, void *state)
{
    struct by_thread *s = state;
    int rc = TK_OK;
    while (rc == TK_OK && !tk_tracy_batch_full(w->out)) {
        if (s->inside && tk_tracy_list_next(w, &s->switches, "context switches"))
            rc = read_switch(w, s);
        else if (tk_tracy_list_next(w, &s->threads, "threads with context switches"))
            rc = begin_thread(w, s);
        else
            return TK_OK;
    }
    return rc == TK_OK ? TK_ITEM : rc;
}

/* ---- by CPU ---- */

struct cpu_switch {
    uint64_t at;
    uint32_t cpu;
    struct tk_tracy_cpu_run v; /* its thread: place in the table of external threads */
};

struct by_cpu {
    struct tk_tracy_list switches;
    uint32_t cpu;
    int64_t last;    /* start */
    uint64_t stated; /* switches of all CPUs */
    bool begun, inside;
};

static int say_cpu_switch(struct tk_tracy_walk *w, const struct cpu_switch *c)
{
    const struct tk_tracy_threads *threads = &w->c->threads;
    uint64_t tid = c->v.thread < threads->external.n ? threads->external.v[c->v.thread] : 0;
    const struct tk_str *process, *name;
    tk_tracy_thread_external(threads, &w->c->strings, tid, &process, &name);
    struct tk_cell cells[] = {
        tk_cell_of_uint(c->cpu),
        tk_cell_of_int(c->v.start),
        c->v.end == -1 ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_int(c->v.end),
        tk_cell_of_uint(tid),
        tk_cell_of_text(process),
        tk_cell_of_text(name),
    };
    return tk_tracy_say(w, TK_TRACY_CPU_SWITCH, c->at, TK_NO_THREAD, c->v.start, cells);
}

static int say_other(struct tk_tracy_walk *w, const struct cpu_switch *c)
{
    const struct tk_tracy_threads *threads = &w->c->threads;
    uint64_t tid = c->v.thread < threads->external.n ? threads->external.v[c->v.thread] : 0;
    if (!tk_tracy_wants_fact(w, TK_FACT_SWITCH) || tk_map_get(&w->switched, tid) != TK_MAP_NONE)
        return TK_OK;
    return say_fact_switches(w, tk_tracy_thread(w, tid), tid, c->v.start, c->v.end, c->cpu);
}

static int read_cpu_switch(struct tk_tracy_walk *w, struct by_cpu *s)
{
    struct cpu_switch c = {.at = tk_tracy_at(&w->in), .cpu = s->cpu};
    if (!tk_tracy_read_cpu_run(&w->in, &c.v))
        return TK_OK;
    tk_tracy_use_order(w, c.v.start, &s->last);
    w->odd[TK_TRACY_ODD_THREAD] += c.v.thread >= w->c->threads.external.n;
    tk_tracy_count(w, TK_TRACY_CPU_SWITCH, 1, tk_tracy_cpu_run_size(&w->c->layout));
    if (say_other(w, &c) != TK_OK)
        return TK_ENOMEM;
    return tk_tracy_wants(w, TK_TRACY_CPU_SWITCH) ? say_cpu_switch(w, &c) : TK_OK;
}

/* Goes to the next CPU when the list of the last one is read. */
static void begin_cpu(struct tk_tracy_walk *w, struct by_cpu *s)
{
    s->switches = (struct tk_tracy_list){0};
    s->last = INT64_MIN;
    w->in.time = 0;
    s->inside = tk_tracy_wants(w, TK_TRACY_CPU_SWITCH) || tk_tracy_wants_fact(w, TK_FACT_SWITCH);
    if (s->inside)
        return;
    tk_tracy_skip_list(w, tk_tracy_cpu_run_size(&w->c->layout), TK_TRACY_CPU_SWITCH, "switches of a CPU");
    s->cpu++;
}

static int step_cpus(struct tk_tracy_walk *w, void *state)
{
    struct by_cpu *s = state;
    int rc = TK_OK;
    if (!s->begun)
        s->stated = tk_tracy_u64(&w->in, "switches of CPUs");
    s->begun = true;
    while (rc == TK_OK && tk_tracy_ok(&w->in) && s->cpu < CPUS) {
        if (tk_tracy_batch_full(w->out))
            return TK_ITEM;
        if (!s->inside) {
            begin_cpu(w, s);
        } else if (tk_tracy_list_next(w, &s->switches, "switches of a CPU")) {
            rc = read_cpu_switch(w, s);
        } else {
            s->inside = false;
            s->cpu++;
        }
    }
    if (rc == TK_OK)
        tk_tracy_check_total(w, s->stated, w->items, "switches");
    return rc;
}

const struct tk_tracy_section tk_tracy_sec_switches = {.name = "context_switches",
                                                       .step = step_threads,
                                                       .size = sizeof(struct by_thread),
                                                       .facts = TK_FACT_MASK(SWITCH),
                                                       .records = TK_TRACY_RECORD_MASK(CONTEXT_SWITCH) |
                                                                  TK_TRACY_RECORD_MASK(FIBER_SWITCH)};

const struct tk_tracy_section tk_tracy_sec_cpu_switches = {.name = "cpu_switches",
                                                           .step = step_cpus,
                                                           .size = sizeof(struct by_cpu),
                                                           .facts = TK_FACT_MASK(SWITCH),
                                                           .records = TK_TRACY_RECORD_MASK(CPU_SWITCH)};
