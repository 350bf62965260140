/*
 * Context switches out of events of the Linux kernel, and names out of the list of its processes.
 */
#include "format/perfetto/perfetto_in.h"

enum { MOST_CORES = 4096, SWITCH = 4 };

/* A core goes on with another thread: what it ran before is known now. */
static int switch_to(struct tk_pf_trace *t, uint64_t core, int64_t time, uint64_t next)
{
    if (core >= MOST_CORES)
        return TK_PF_FINE;
    if (tk_vec_reach(&t->cores, (size_t)core + 1))
        return TK_PF_NO_MEMORY;
    struct tk_pf_core *c = &t->cores.v[core];
    struct tk_pf_core before = *c;
    *c = (struct tk_pf_core){true, time, next};
    if (!before.running || !before.system_id || time < before.since)
        return TK_PF_FINE;
    return tk_pf_kept(tk_ev_switch(t->c, before.system_id, before.since, time, (uint32_t)core));
}

static int name_thread(struct tk_pf_trace *t, uint64_t system_id, uint64_t process, struct tk_bytes name)
{
    if (!name.n || !system_id || t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    return tk_pf_kept(tk_ev_system_thread(t->c, system_id, process, name.p, name.n));
}

static int sched_switch(struct tk_pf_trace *t, uint64_t core, int64_t time, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes comm = {message.p, 0};
    uint64_t next = 0;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 5 && f.wire == TK_PF_BYTES)
            comm = f.bytes;
        else if (f.number == 6)
            next = f.value & UINT32_MAX;
    }
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    rc = name_thread(t, next, 0, comm);
    return rc == TK_PF_FINE ? switch_to(t, core, time, next) : rc;
}

/* Names of kinds of events that nobody reads (import2 2.2). */
static const char *kind_name(uint32_t kind)
{
    static const struct {
        uint32_t kind;
        const char *name;
    } names[] = {{3, "print"},
                 {11, "cpu_frequency"},
                 {12, "cpu_frequency_limits"},
                 {13, "cpu_idle"},
                 {17, "sched_wakeup"},
                 {20, "sched_waking"},
                 {114, "sched_wakeup_new"},
                 {235, "task_newtask"},
                 {236, "task_rename"},
                 {240, "sched_process_free"},
                 {313, "rss_stat"},
                 {326, "oom_score_adj_update"},
                 {332, "gpu_frequency"},
                 {340, "gpu_mem_total"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kind == kind)
            return names[i].name;
    return NULL;
}

/* An event of a kind that is left out: its bytes are no longer those of the packet around it. */
static int count_unread(struct tk_pf_trace *t, uint32_t kind, uint64_t bytes)
{
    if (t->c->pass != TK_EV_GATHER || t->definitions)
        return TK_PF_FINE;
    t->c->bytes[TK_PF_KIND_FTRACE] -= bytes;
    const char *name = kind_name(kind);
    return tk_pf_kept(name ? tk_ev_unread(t->c, "Ftrace.", name, strlen(name), bytes)
                           : tk_ev_unread_number(t->c, "Ftrace.", kind, NULL, bytes));
}

static int ftrace_event(struct tk_pf_trace *t, uint64_t core, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes found = {message.p, 0};
    uint64_t time = 0;
    uint32_t kind = 0;
    bool has = false;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        kind = kind || f.wire != TK_PF_BYTES ? kind : f.number;
        if (f.number == 1)
            time = f.value;
        else if (f.number == SWITCH && f.wire == TK_PF_BYTES)
            found = f.bytes, has = true;
    }
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    if (time && time < INT64_MAX)
        tk_ev_seen(t->c, (int64_t)time);
    if (!has)
        return kind ? count_unread(t, kind, message.n) : TK_PF_FINE;
    return time < INT64_MAX ? sched_switch(t, core, (int64_t)time, found) : TK_PF_FINE;
}

/* Switches as columns: 1 differences of times, 3 threads. */
static int compact(struct tk_pf_trace *t, uint64_t core, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f, times = {0}, threads = {0};
    const uint8_t *a = NULL, *b = NULL;
    uint64_t delta, next, time = 0;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1 && f.wire == TK_PF_BYTES)
            times = f;
        else if (f.number == 3 && f.wire == TK_PF_BYTES)
            threads = f;
    }
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    rc = TK_PF_FINE;
    while (times.number && threads.number && rc == TK_PF_FINE &&
           tk_pf_number(&times, TK_PF_VARINT, &a, &delta) == 1 &&
           tk_pf_number(&threads, TK_PF_VARINT, &b, &next) == 1) {
        time += delta;
        if (time < INT64_MAX)
            rc = switch_to(t, core, (int64_t)time, next & UINT32_MAX);
    }
    return rc;
}

int tk_pf_ftrace(struct tk_pf_trace *t, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message), again = m;
    struct tk_pf_field f;
    uint64_t core = 0;
    int rc, taken = TK_PF_FINE;
    while ((rc = tk_pf_next(&m, &f)) == 1)
        if (f.number == 1 && f.wire == TK_PF_VARINT)
            core = f.value;
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    while (tk_pf_next(&again, &f) == 1 && taken == TK_PF_FINE) {
        if (f.number == 2 && f.wire == TK_PF_BYTES)
            taken = ftrace_event(t, core, f.bytes);
        else if (f.number == 4 && f.wire == TK_PF_BYTES)
            taken = compact(t, core, f.bytes);
        else if (f.number == 3 && f.value)
            tk_pf_note(t, TK_EV_LOST_RECORDS, TK_NO_OFFSET);
    }
    return taken;
}

/* ---- the list of processes ---- */

/* 1 processes: 1 pid, 3 command line; 2 threads: 1 tid, 2 name, 3 pid. */
static int tree_entry(struct tk_pf_trace *t, struct tk_bytes message, bool process)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes name = {message.p, 0};
    uint64_t id = 0, pid = 0;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1)
            id = f.value;
        else if (f.number == (process ? 3u : 2u) && f.wire == TK_PF_BYTES && !name.n)
            name = f.bytes;
        else if (f.number == 3 && !process)
            pid = f.value;
    }
    return rc < 0 ? TK_PF_BROKEN_PACKET : name_thread(t, id, process ? id : pid, name);
}

int tk_pf_process_tree(struct tk_pf_trace *t, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc, taken = TK_PF_FINE;
    while ((rc = tk_pf_next(&m, &f)) == 1 && taken == TK_PF_FINE)
        if ((f.number == 1 || f.number == 2) && f.wire == TK_PF_BYTES)
            taken = tree_entry(t, f.bytes, f.number == 1);
    return rc < 0 ? TK_PF_BROKEN_PACKET : taken;
}
