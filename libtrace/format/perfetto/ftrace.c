/*
 * Bundles of events of the Linux kernel: what they say of clocks, and their events, which are put off
 * (import2 2.1, 2.2).
 */
#include "format/perfetto/perfetto_in.h"

enum { FIELDS = 9 };

/* The fields of an event that have small numbers. */
struct event {
    uint64_t number[FIELDS];
    struct tk_bytes text[FIELDS]; /* of no bytes: none */
    unsigned has;                 /* bits by number */
    int64_t time;
    uint64_t tid, offset, flags;
    uint32_t core;
};

static int read_event(struct tk_bytes message, struct event *e)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    e->has = 0;
    memset(e->number, 0, sizeof e->number);
    for (unsigned i = 0; i < FIELDS; i++)
        e->text[i] = (struct tk_bytes){message.p, 0};
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number >= FIELDS)
            continue;
        e->has |= 1u << f.number;
        if (f.wire == TK_PF_BYTES)
            e->text[f.number] = f.bytes;
        else
            e->number[f.number] = f.value;
    }
    return rc < 0 ? TK_PF_BROKEN_PACKET : TK_PF_FINE;
}

static int64_t s32(uint64_t v)
{
    return (int32_t)(uint32_t)v;
}

static int put(struct tk_pf_trace *t, int64_t time, const struct tk_ev_key *key, int64_t value)
{
    return tk_pf_kept(tk_pf_put_off(t, time, key, value));
}

/* ---- scheduling ---- */

static int sched_switch(struct tk_pf_trace *t, const struct event *e)
{
    const int64_t before = s32(e->number[2]), next = s32(e->number[6]);
    int rc = tk_pf_put_comm(t, e->time, before, e->text[1]);
    if (rc == TK_PF_FINE)
        rc = tk_pf_put_comm(t, e->time, next, e->text[5]);
    return rc == TK_PF_FINE ? tk_pf_put_switch(t, e->time, e->core, before, e->number[4], next) : rc;
}

/* By whoever runs on the core. */
static int waking(struct tk_pf_trace *t, const struct event *e)
{
    const int64_t tid = s32(e->number[2]);
    const int rc = tk_pf_put_comm(t, e->time, tid, e->text[1]);
    return rc == TK_PF_FINE ? tk_pf_put_wake(t, e->time, tid, e->core, e->flags, true) : rc;
}

/* Behind a waking, perhaps on the core of the thread that is woken: what there is where that is not recorded.
 */
static int wakeup(struct tk_pf_trace *t, const struct event *e)
{
    const int64_t tid = s32(e->number[2]);
    const int rc = tk_pf_put_comm(t, e->time, tid, e->text[1]);
    return rc == TK_PF_FINE ? tk_pf_put_wake(t, e->time, tid, e->core, e->flags, false) : rc;
}

/* ---- processes ---- */

static int new_task(struct tk_pf_trace *t, const struct event *e)
{
    enum { THREAD = 0x10000 };
    const int64_t tid = s32(e->number[1]);
    const uint32_t name =
        e->text[2].n ? tk_ev_name_clean(&t->c->names, e->text[2].p, e->text[2].n) : TK_EV_NO_NAME;
    const struct tk_ev_key key = {{TK_PF_LATE_TASK, (e->number[3] & THREAD) != 0, e->tid, name}};
    if (t->c->names.failed)
        return TK_PF_NO_MEMORY;
    return tid ? put(t, e->time, &key, tid) : TK_PF_FINE;
}

static int renamed(struct tk_pf_trace *t, const struct event *e)
{
    return tk_pf_put_comm(t, e->time, s32(e->number[1]), e->text[3]);
}

static int freed(struct tk_pf_trace *t, const struct event *e)
{
    const struct tk_ev_key key = {{TK_PF_LATE_FREE}};
    return put(t, e->time, &key, s32(e->number[2]));
}

/* ---- counters ---- */

static int count(struct tk_pf_trace *t, const struct event *e, enum tk_pf_whose whose, int64_t id,
                 const char *name, uint8_t unit, int64_t value)
{
    const struct tk_pf_counter_value v = {
        whose, id, tk_ev_name(&t->c->names, name, strlen(name)), unit, {.v.i = value}, false};
    return tk_pf_kept(t->c->names.failed ? -1 : tk_pf_put_counter(t, e->time, &v));
}

static int cpu_frequency(struct tk_pf_trace *t, const struct event *e)
{
    return count(t, e, TK_PF_OF_CORE, (int64_t)e->number[2], "cpufreq", TK_COUNTER_NUMBER,
                 (int64_t)e->number[1]);
}

static int cpu_idle(struct tk_pf_trace *t, const struct event *e)
{
    return count(t, e, TK_PF_OF_CORE, (int64_t)e->number[2], "cpuidle", TK_COUNTER_NUMBER,
                 (int64_t)(uint32_t)e->number[1]);
}

static int gpu_frequency(struct tk_pf_trace *t, const struct event *e)
{
    return count(t, e, TK_PF_OF_GPU, (int64_t)e->number[1], "gpufreq", TK_COUNTER_NUMBER,
                 (int64_t)e->number[2]);
}

static int gpu_memory(struct tk_pf_trace *t, const struct event *e)
{
    return count(t, e, e->number[2] ? TK_PF_OF_PROCESS : TK_PF_OF_NOBODY, s32(e->number[2]), "GPU Memory",
                 TK_COUNTER_BYTES, (int64_t)e->number[3]);
}

static int oom_score(struct tk_pf_trace *t, const struct event *e)
{
    return count(t, e, TK_PF_OF_PROCESS, s32(e->number[3]), "oom_score_adj", TK_COUNTER_NUMBER,
                 s32(e->number[2]));
}

static int resident(struct tk_pf_trace *t, const struct event *e)
{
    static const char *const names[] = {"mem.rss.file", "mem.rss.anon", "mem.swap", "mem.rss.shmem"};
    const int64_t bytes = (int64_t)e->number[2];
    const bool says = (e->has & 1u << 3) && (e->has & 1u << 4);
    if (e->number[1] >= sizeof names / sizeof *names)
        return TK_PF_FINE;
    if (bytes < 0) {
        tk_pf_note(t, TK_EV_NEGATIVE_SIZE, e->offset);
        return TK_PF_FINE;
    }
    const char *name = names[e->number[1]];
    const struct tk_ev_key key = {{TK_PF_LATE_RESIDENT, e->tid, !says || e->number[3] != 0,
                                   tk_ev_name(&t->c->names, name, strlen(name)), says, e->number[4]}};
    return t->c->names.failed ? TK_PF_NO_MEMORY : put(t, e->time, &key, bytes);
}

/* ---- marks ---- */

static int print(struct tk_pf_trace *t, const struct event *e)
{
    return tk_pf_atrace_line(t, e->time, e->tid, e->text[2], e->offset);
}

static int driver(struct tk_pf_trace *t, const struct event *e, char phase, uint64_t pid, unsigned name,
                  int64_t value)
{
    const struct tk_pf_driver_mark m = {pid & UINT32_MAX, value, e->text[name], phase};
    return tk_pf_driver_line(t, e->time, e->tid, &m, e->offset);
}

static char letter(uint64_t v)
{
    return v < 128 ? (char)v : '?';
}

static int systrace0(struct tk_pf_trace *t, const struct event *e)
{
    const uint64_t flag = e->number[1];
    return driver(t, e,
                  flag & 1   ? 'B'
                  : flag & 2 ? 'E'
                  : flag & 4 ? 'C'
                             : '?',
                  e->number[3], 2, (int64_t)e->number[4]);
}

static int mark_of_kernel(struct tk_pf_trace *t, const struct event *e)
{
    return driver(t, e, e->number[3] ? 'B' : 'E', e->number[1], 2, 0);
}

static int mark_of_sde(struct tk_pf_trace *t, const struct event *e)
{
    const char begin_or_end = e->number[5] ? 'B' : 'E';
    return driver(t, e, e->number[3] ? letter(e->number[3]) : begin_or_end, e->number[1], 2,
                  s32(e->number[4]));
}

/* Its drivers state another process than that of the thread, but for counters. */
static int mark_of_dpu(struct tk_pf_trace *t, const struct event *e)
{
    const char phase = letter(e->number[5]);
    return driver(t, e, phase, phase == 'C' ? e->number[1] : 0, 4, s32(e->number[6]));
}

static int mark_of_g2d(struct tk_pf_trace *t, const struct event *e)
{
    return driver(t, e, letter(e->number[5]), e->number[1], 4, s32(e->number[6]));
}

static int mark_of_mali(struct tk_pf_trace *t, const struct event *e)
{
    return driver(t, e, letter(e->number[3]), e->number[2], 1, s32(e->number[4]));
}

/* ---- all kinds ---- */

/* Kinds of events (import2 2.2); those without a function have only a name. In order. */
static const struct kind {
    uint32_t number;
    const char *name;
    int (*take)(struct tk_pf_trace *t, const struct event *e);
} kinds[] = {{3, "print", print},
             {4, "sched_switch", sched_switch},
             {11, "cpu_frequency", cpu_frequency},
             {12, "cpu_frequency_limits", NULL},
             {13, "cpu_idle", cpu_idle},
             {17, "sched_wakeup", wakeup},
             {20, "sched_waking", waking},
             {80, "tracing_mark_write", mark_of_kernel},
             {114, "sched_wakeup_new", waking},
             {235, "task_newtask", new_task},
             {236, "task_rename", renamed},
             {240, "sched_process_free", freed},
             {313, "rss_stat", resident},
             {326, "oom_score_adj_update", oom_score},
             {331, "systrace/0", systrace0},
             {332, "gpu_frequency", gpu_frequency},
             {333, "sde_tracing_mark_write", mark_of_sde},
             {340, "gpu_mem_total", gpu_memory},
             {348, "dpu_tracing_mark_write", mark_of_dpu},
             {349, "g2d_tracing_mark_write", mark_of_g2d},
             {350, "mali_tracing_mark_write", mark_of_mali}};

static const struct kind *kind_of(uint32_t number)
{
    size_t low = 0, high = sizeof kinds / sizeof *kinds;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (kinds[middle].number == number)
            return &kinds[middle];
        if (kinds[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* An event of a kind that is left out: its bytes are no longer those of the packet around it. */
static int count_unread(struct tk_pf_trace *t, uint32_t number, const struct kind *kind, uint64_t bytes)
{
    if (t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    t->c->bytes[TK_PF_KIND_FTRACE] -= bytes;
    return tk_pf_kept(kind ? tk_ev_unread(t->c, "Ftrace.", kind->name, strlen(kind->name), bytes)
                           : tk_ev_unread_number(t->c, "Ftrace.", number, NULL, bytes));
}

/* ---- bundles ---- */

enum { GLOBAL_CLOCK = 64, OF_BOOT = 0, OF_NOBODY_KNOWS = 1, OF_RAW = 4, MONOTONIC_RAW = 5 };

/* Passes events, of which most have one byte for how long they are. */
static void pass_events(struct tk_pf_message *m)
{
    enum { EVENT = 2 << 3 | TK_PF_BYTES };
    const uint8_t *p = m->p;
    while (m->end - p >= 2 && p[0] == EVENT && p[1] < 0x80 && p[1] <= m->end - p - 2)
        p += 2 + p[1];
    m->p = p;
}

static int read_bundle(struct tk_bytes message, uint32_t sequence, struct tk_pf_bundle *b)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    bool has_clock_time = false, has_boot_time = false;
    int rc;
    *b = (struct tk_pf_bundle){0};
    for (pass_events(&m); (rc = tk_pf_next(&m, &f)) == 1; pass_events(&m)) {
        if (f.wire != TK_PF_VARINT)
            continue;
        if (f.number == 1)
            b->core = f.value, b->has_core = true;
        else if (f.number == 5)
            b->clock = f.value;
        else if (f.number == 6)
            b->clock_time = f.value, has_clock_time = true;
        else if (f.number == 7)
            b->boot_time = f.value, has_boot_time = true;
    }
    b->has_times = has_clock_time && has_boot_time;
    b->key = b->clock == OF_BOOT  ? TK_PF_BOOTTIME
             : b->clock == OF_RAW ? MONOTONIC_RAW
                                  : tk_pf_clock_key(GLOBAL_CLOCK, sequence);
    return rc < 0 ? TK_PF_BROKEN_PACKET : TK_PF_FINE;
}

static bool is_known(const struct tk_pf_bundle *b)
{
    return b->clock != OF_NOBODY_KNOWS && b->clock <= OF_RAW;
}

static int take_event(struct tk_pf_trace *t, const struct tk_pf_bundle *b, struct tk_bytes message,
                      uint64_t offset)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes content = {message.p, 0};
    struct event e;
    uint64_t time = 0;
    uint32_t number = 0;
    int rc;
    e.tid = e.flags = 0;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1)
            time = f.value;
        else if (f.number == 2)
            e.tid = f.value & UINT32_MAX;
        else if (f.number == 5 && f.wire == TK_PF_VARINT)
            e.flags = f.value;
        else if (f.wire == TK_PF_BYTES && !number)
            number = f.number, content = f.bytes;
    }
    const struct kind *kind = number ? kind_of(number) : NULL;
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    if (!kind || !kind->take)
        return number ? count_unread(t, number, kind, message.n) : TK_PF_FINE;
    if (t->c->pass != TK_EV_GATHER || !tk_pf_bundle_time(t, b, time, offset, &e.time))
        return TK_PF_FINE;
    e.core = (uint32_t)b->core;
    e.offset = offset;
    return read_event(content, &e) < 0 ? TK_PF_BROKEN_PACKET : kind->take(t, &e);
}

static int take_part(struct tk_pf_trace *t, const struct tk_pf_bundle *b, const struct tk_pf_field *f,
                     uint64_t offset)
{
    enum { EVENT = 2, LOST = 3, COMPACT = 4, ERROR = 8 };
    if (f->number == EVENT && f->wire == TK_PF_BYTES)
        return take_event(t, b, f->bytes, offset);
    if (f->number == COMPACT && f->wire == TK_PF_BYTES)
        return tk_pf_compact_sched(t, b, f->bytes, offset);
    if (f->number == LOST && f->value)
        tk_pf_note(t, TK_EV_LOST_RECORDS, offset);
    else if (f->number == ERROR)
        tk_pf_note(t, TK_EV_PAGE_UNREAD, offset);
    return TK_PF_FINE;
}

int tk_pf_ftrace(struct tk_pf_trace *t, struct tk_bytes message, uint32_t sequence, uint64_t offset)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_pf_bundle b;
    int rc, taken = read_bundle(message, sequence, &b);
    if (taken != TK_PF_FINE)
        return taken;
    if (t->definitions)
        return b.has_times && b.key != TK_PF_BOOTTIME && is_known(&b)
                   ? tk_pf_clocks_pair(&t->clocks, b.key, b.clock_time, b.boot_time)
                   : TK_PF_FINE;
    if (!b.has_core || b.core >= TK_PF_MOST_CORES || !is_known(&b)) {
        tk_pf_note(t, b.has_core && b.core < TK_PF_MOST_CORES ? TK_EV_CLOCK_UNKNOWN : TK_EV_NO_CORE, offset);
        return TK_PF_FINE;
    }
    while ((rc = tk_pf_next(&m, &f)) == 1 && taken == TK_PF_FINE)
        taken = take_part(t, &b, &f, offset);
    return rc < 0 ? TK_PF_BROKEN_PACKET : taken;
}
