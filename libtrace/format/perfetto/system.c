/*
 * Events of the system in order of time: what those that were put off become (import2 2).
 */
#include "format/perfetto/perfetto_in.h"

#include <stdio.h>
#include <string.h>

/* ---- the list of processes ---- */

/* The first part of a command line; where it is the only one, up to its first blank. */
static struct tk_bytes command_of(struct tk_bytes first, unsigned parts)
{
    for (size_t i = 0; i < first.n && parts == 1; i++)
        if (first.p[i] == ' ')
            first.n = i;
    return first;
}

static int put_task_name(struct tk_pf_trace *t, int64_t time, int64_t tid, struct tk_bytes name)
{
    const uint32_t at = name.n ? tk_ev_name_clean(&t->c->names, name.p, name.n) : TK_EV_NO_NAME;
    const struct tk_ev_key key = {{TK_PF_LATE_NAME, TK_PF_RANK_TREE, 0, at}};
    return t->c->names.failed ? -1 : name.n && tid ? tk_pf_put_off(t, time, &key, tid) : 0;
}

/* 1 pid, 3 parts of the command line, 9 whether it is the name of the thread. */
static int put_process(struct tk_pf_trace *t, struct tk_bytes message, int64_t time)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes first = {message.p, 0};
    int64_t pid = 0;
    bool is_comm = false;
    unsigned parts = 0;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1)
            pid = tk_pf_pid(f.value);
        else if (f.number == 3 && f.wire == TK_PF_BYTES && !parts++)
            first = f.bytes;
        else if (f.number == 9)
            is_comm = f.value != 0;
    }
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    if (!parts)
        return TK_PF_FINE;
    const struct tk_bytes name = command_of(first, parts);
    const struct tk_ev_key key = {
        {TK_PF_LATE_PROCESS, 0, 0, name.n ? tk_ev_name_clean(&t->c->names, name.p, name.n) : TK_EV_NO_NAME}};
    if (t->c->names.failed || tk_pf_put_off(t, time, &key, pid) ||
        tk_pf_put_thread(t, time, (uint64_t)pid, (uint64_t)pid))
        return TK_PF_NO_MEMORY;
    return tk_pf_kept(is_comm ? put_task_name(t, time, pid, first) : 0);
}

/* 1 tid, 2 name, 3 pid. */
static int put_thread(struct tk_pf_trace *t, struct tk_bytes message, int64_t time)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes name = {message.p, 0};
    int64_t tid = 0, pid = 0;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1)
            tid = tk_pf_pid(f.value);
        else if (f.number == 2 && f.wire == TK_PF_BYTES)
            name = f.bytes;
        else if (f.number == 3)
            pid = tk_pf_pid(f.value);
    }
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    if (tk_pf_put_thread(t, time, (uint64_t)tid, (uint64_t)pid))
        return TK_PF_NO_MEMORY;
    return tk_pf_kept(put_task_name(t, time, tid, name));
}

int tk_pf_process_tree(struct tk_pf_trace *t, struct tk_bytes message, int64_t time)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc, taken = TK_PF_FINE;
    if (t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    while ((rc = tk_pf_next(&m, &f)) == 1 && taken == TK_PF_FINE)
        if ((f.number == 1 || f.number == 2) && f.wire == TK_PF_BYTES)
            taken = f.number == 1 ? put_process(t, f.bytes, time) : put_thread(t, f.bytes, time);
    return rc < 0 ? TK_PF_BROKEN_PACKET : taken;
}

/* ---- when recording began ---- */

void tk_pf_system_started(struct tk_pf_trace *t, uint64_t value, uint64_t clock)
{
    if (t->system.has_start)
        return;
    t->system.has_start = true;
    t->system.start_value = value;
    t->system.start_clock = clock;
}

/* TraceConfig: 2 sources: 1 configuration: 1 name, 100 of ftrace: 23 what was in the buffer is kept. */
void tk_pf_system_config(struct tk_pf_trace *t, struct tk_bytes message)
{
    static const uint32_t path[] = {2, 1, 100};
    struct tk_pf_message stack[4] = {tk_pf_message_of(message)};
    struct tk_pf_field f;
    for (unsigned depth = 0;;) {
        if (tk_pf_next(&stack[depth], &f) != 1) {
            if (!depth--)
                return;
            continue;
        }
        if (depth == 3 && f.number == 23 && f.wire == TK_PF_VARINT)
            t->system.keeps_old |= f.value != 0;
        if (depth < 3 && f.number == path[depth] && f.wire == TK_PF_BYTES)
            stack[++depth] = tk_pf_message_of(f.bytes);
    }
}

void tk_pf_system_begin(struct tk_pf_trace *t)
{
    struct tk_pf_system *s = &t->system;
    int64_t start;
    s->start = INT64_MIN;
    if (s->has_start && !s->keeps_old &&
        tk_pf_clocks_convert(&t->clocks, (int64_t)s->start_value,
                             s->start_clock ? s->start_clock : t->clocks.trace,
                             &start) != TK_PF_UNKNOWN_CLOCK)
        s->start = start;
}

bool tk_pf_bundle_time(struct tk_pf_trace *t, const struct tk_pf_bundle *b, uint64_t value, uint64_t offset,
                       int64_t *time)
{
    const enum tk_pf_converted converted = tk_pf_clocks_convert(&t->clocks, (int64_t)value, b->key, time);
    if (!tk_pf_time(t, converted, *time, offset))
        return false;
    if (*time >= t->system.start)
        return true;
    tk_pf_note(t, TK_EV_BEFORE_START, offset);
    return false;
}

/* ---- interpretation ---- */

struct work {
    struct tk_pf_trace *t;
    struct tk_pf_system *s;
    struct tk_ev_capture *c;
    int64_t time, value;
    const struct tk_ev_key *key; /* where it has one */
    uint32_t what;               /* else */
};

static uint32_t name_of(const struct work *w)
{
    return (uint32_t)w->key->word[TK_PF_KEY_NAME];
}

static int give_name(struct work *w, uint32_t task, uint8_t rank)
{
    if (task == TK_PF_NO_TASK)
        return -1;
    struct tk_pf_task *k = &w->s->tasks.v[task - 1];
    if (name_of(w) == TK_EV_NO_NAME || rank < k->rank)
        return 0;
    k->name = name_of(w);
    k->rank = rank;
    return 0;
}

/* ---- marks ---- */

/* A thread by its ids; UINT32_MAX if out of memory. */
static uint32_t thread_by(struct work *w, int64_t tid, int64_t pid)
{
    const uint32_t task = pid ? tk_pf_task_in(w->s, tid, pid) : tk_pf_task_of(w->s, tid);
    return task == TK_PF_NO_TASK ? UINT32_MAX : tk_pf_task_thread(w->t, task);
}

/* The same by the words A and B of the key. */
static uint32_t thread_of(struct work *w)
{
    return thread_by(w, tk_pf_pid(w->key->word[TK_PF_KEY_A]), tk_pf_pid(w->key->word[TK_PF_KEY_B]));
}

enum { KEY_ATRACE = 8, KEY_ATRACE_TRACK };

/* The thread that wrote a mark; UINT32_MAX if out of memory. */
static uint32_t writer_of(struct work *w)
{
    return thread_by(w, tk_pf_pid((uint64_t)w->value & UINT32_MAX), tk_pf_pid((uint64_t)w->value >> 32));
}

static int take_begin(struct work *w)
{
    const uint32_t thread = writer_of(w);
    return thread == UINT32_MAX
               ? -1
               : tk_ev_begin(w->c, thread, w->time, tk_ev_timer(&w->c->names, w->what, NULL, 0));
}

static int take_end(struct work *w)
{
    const uint32_t thread = writer_of(w);
    return thread == UINT32_MAX ? -1 : tk_ev_end(w->c, thread, w->time, TK_EV_NO_NAME);
}

static int mark_instant(struct work *w)
{
    const uint32_t thread = writer_of(w);
    const struct tk_ev_mark mark = {w->time, thread, name_of(w), TK_EV_NO_NAME, 5, false};
    return thread == UINT32_MAX ? -1 : tk_ev_mark(w->c, &mark);
}

/* S and F of a name, which do not nest; G and H of a track. */
static int mark_region(struct work *w, char phase)
{
    const bool of_track = phase == 'G' || phase == 'H';
    const struct tk_ev_key key = {{of_track ? KEY_ATRACE_TRACK : KEY_ATRACE, w->key->word[TK_PF_KEY_B],
                                   w->key->word[of_track ? TK_PF_KEY_TRACK : TK_PF_KEY_NAME],
                                   (uint64_t)w->value}};
    const bool ends = phase == 'F' || phase == 'H';
    const struct tk_ev_region r = {.time = w->time,
                                   .key = tk_ev_key_hash(&key),
                                   .name = name_of(w),
                                   .category = TK_EV_NO_NAME,
                                   .ends = ends,
                                   .alone = !of_track};
    return tk_ev_region(w->c, &r);
}

static int give_value(struct work *w, uint32_t counter, uint8_t unit, struct tk_number value)
{
    w->c->counters.v[counter].unit = unit;
    return tk_ev_value(w->c, counter, w->time, value);
}

/* The value is of the time since the one before, which has this value from then on. */
static int give_before(struct work *w, uint32_t counter, uint8_t unit, struct tk_number value)
{
    struct tk_pf_system *s = w->s;
    const uint32_t at = tk_map_get(&s->pending_index, counter);
    const struct tk_pf_pending pending = {counter, w->time};
    w->c->counters.v[counter].unit = unit;
    tk_ev_seen(w->c, w->time);
    if (at == TK_MAP_NONE)
        return tk_vec_push(&s->pending, pending) ||
               tk_map_put(&s->pending_index, counter, (uint32_t)s->pending.n - 1);
    const int64_t since = s->pending.v[at].time;
    s->pending.v[at].time = w->time;
    return tk_ev_value(w->c, counter, since, value);
}

/* Nothing is known of the time behind the last value of each. */
static int give_pending(struct tk_pf_trace *t)
{
    int rc = 0;
    for (size_t i = 0; i < t->system.pending.n && rc == 0; i++) {
        const struct tk_pf_pending *p = &t->system.pending.v[i];
        rc = tk_ev_value(t->c, p->counter, p->time,
                         (struct tk_number){.real = t->c->counters.v[p->counter].real});
    }
    return rc;
}

/* These are of the whole device, whoever writes them. */
static bool is_of_nobody(const struct tk_str *name)
{
    static const char battery[] = "battery_stats.", screen[] = "ScreenState";
    return name && ((name->n == sizeof screen - 1 && memcmp(name->p, screen, name->n) == 0) ||
                    (name->n >= sizeof battery - 1 && memcmp(name->p, battery, sizeof battery - 1) == 0));
}

/* The counter of a process, which is UINT32_MAX where it is of none; UINT32_MAX if out of memory. */
static uint32_t counter_in(const struct work *w, bool nobody, uint32_t process)
{
    return !nobody && process == UINT32_MAX ? UINT32_MAX : tk_ev_counter(w->c, process, name_of(w), 0);
}

static uint32_t counter_of_mark(struct work *w)
{
    const struct tk_ev_id pid = {NULL, tk_pf_pid(w->key->word[TK_PF_KEY_B])};
    const bool nobody = is_of_nobody(tk_ev_name_text(&w->c->names, name_of(w)));
    return counter_in(w, nobody, nobody ? UINT32_MAX : tk_ev_process(w->c, &pid));
}

/* The counter of a key, which is sought once. */
static uint32_t counter_of(struct work *w, uint32_t (*seek)(struct work *w))
{
    uint32_t *known;
    if (tk_vec_reach(&w->s->counters, (size_t)w->what + 1))
        return UINT32_MAX;
    known = &w->s->counters.v[w->what];
    *known = *known ? *known : seek(w) + 1;
    return *known - 1;
}

static int mark_counter(struct work *w)
{
    const uint32_t counter = counter_of(w, counter_of_mark);
    return counter == UINT32_MAX
               ? -1
               : give_value(w, counter, TK_COUNTER_NUMBER, (struct tk_number){.v.i = w->value});
}

static int take_mark(struct work *w)
{
    const char phase = (char)(w->key->word[TK_PF_KEY_KIND] >> 8);
    const struct tk_ev_mark point = {w->time, TK_NO_THREAD, name_of(w), TK_EV_NO_NAME, 5, false};
    switch (phase) {
    case 'I':
        return mark_instant(w);
    case 'C':
        return mark_counter(w);
    case 'N':
        return tk_ev_mark(w->c, &point);
    default:
        return mark_region(w, phase);
    }
}

/* ---- scheduling ---- */

static int take_switch(struct work *w)
{
    const uint32_t core = w->what >> 16 & (TK_PF_MOST_CORES - 1);
    const int64_t before = tk_pf_pid((uint64_t)w->value >> 32), next = tk_pf_pid((uint64_t)w->value);
    if (tk_vec_reach(&w->s->cores, (size_t)core + 1))
        return -1;
    struct tk_pf_core *c = &w->s->cores.v[core], was = *c;
    *c = (struct tk_pf_core){true, w->time, next};
    tk_ev_seen(w->c, w->time);
    if (was.running && (w->what & TK_PF_LATE_SURE) && before != was.tid) {
        tk_ev_note(w->c, TK_EV_SWITCH_DIFFERS, TK_NO_OFFSET);
        return 0;
    }
    if (!was.running || !was.tid)
        return 0;
    return tk_ev_switch(w->c, (uint64_t)was.tid, was.since, w->time, core,
                        tk_pf_run_end(w->what & 0xffff, w->s->kernel));
}

/* What runs when the capture ends. */
static int give_running(struct tk_pf_trace *t)
{
    int rc = 0;
    for (size_t core = 0; core < t->system.cores.n && rc == 0; core++) {
        const struct tk_pf_core *c = &t->system.cores.v[core];
        if (c->running && c->tid)
            rc = tk_ev_switch(t->c, (uint64_t)c->tid, c->since, TK_EV_OPEN, (uint32_t)core,
                              TK_RUN_END_RUNNING);
    }
    return rc;
}

/* ---- processes ---- */

static int take_name(struct work *w)
{
    return give_name(w, tk_pf_task_of(w->s, w->value), (uint8_t)w->key->word[TK_PF_KEY_A]);
}

static int name_process(struct work *w, int64_t pid)
{
    const struct tk_ev_id id = {NULL, pid};
    const struct tk_str *name = tk_ev_name_text(&w->c->names, name_of(w));
    const uint32_t process = name ? tk_ev_process(w->c, &id) : 0;
    if (process == UINT32_MAX)
        return -1;
    if (name && !w->c->processes.v[process].is_beyond)
        w->c->processes.v[process].name = name;
    return 0;
}

/* A new thread is of the process of its creator. */
static int take_task(struct work *w)
{
    const bool is_thread = w->key->word[TK_PF_KEY_A] != 0;
    const uint32_t creator =
        is_thread ? tk_pf_task_of(w->s, tk_pf_pid(w->key->word[TK_PF_KEY_B])) : TK_PF_NO_TASK;
    const uint32_t live = tk_pf_tids_get(&w->s->live, w->value);
    const uint32_t task = tk_pf_task_new(w->s, w->value, !is_thread);
    if (task == TK_PF_NO_TASK || (is_thread && creator == TK_PF_NO_TASK))
        return -1;
    struct tk_pf_task *k = &w->s->tasks.v[task - 1];
    k->has_pid = !is_thread || w->s->tasks.v[creator - 1].has_pid;
    k->pid = is_thread ? w->s->tasks.v[creator - 1].pid : w->value;
    tk_pf_task_take_track(w->s, task, live == TK_MAP_NONE ? 0 : live);
    return give_name(w, task, TK_PF_RANK_KERNEL) || (!is_thread && name_process(w, w->value)) ? -1 : 0;
}

static int take_free(struct work *w)
{
    tk_pf_task_free(w->s, w->value);
    return 0;
}

static int take_thread(struct work *w)
{
    return tk_pf_task_in(w->s, w->value, (int64_t)w->key->word[TK_PF_KEY_A]) == TK_PF_NO_TASK ? -1 : 0;
}

static int take_process(struct work *w)
{
    return name_process(w, w->value);
}

/* ---- counters ---- */

static uint32_t counter_of_key(struct work *w)
{
    const enum tk_pf_whose whose = (enum tk_pf_whose)(w->key->word[TK_PF_KEY_KIND] >> 8);
    const int64_t id = (int64_t)w->key->word[TK_PF_KEY_A];
    const struct tk_ev_id pid = {NULL, id};
    const bool nobody = whose == TK_PF_OF_NOBODY;
    return counter_in(w, nobody,
                      nobody ? UINT32_MAX
                      : whose == TK_PF_OF_PROCESS
                          ? tk_ev_process(w->c, &pid)
                          : tk_pf_device(w->c, whose == TK_PF_OF_CORE ? "cpu" : "gpu", id));
}

static int take_counter(struct work *w)
{
    const uint8_t unit = (uint8_t)w->key->word[TK_PF_KEY_B];
    const uint32_t counter = counter_of(w, counter_of_key);
    struct tk_number value = {.real = w->key->word[TK_PF_KEY_TRACK] != 0, .v.i = w->value};
    if (value.real)
        memcpy(&value.v.r, &w->value, sizeof value.v.r);
    if (counter == UINT32_MAX)
        return -1;
    return (w->key->word[TK_PF_KEY_C] ? give_before : give_value)(w, counter, unit, value);
}

/* Memory is that of the thread's process, or of the process whose memory had the id before. */
static int take_resident(struct work *w)
{
    const bool own = w->key->word[TK_PF_KEY_B] != 0, has_id = w->key->word[TK_PF_KEY_TRACK] != 0;
    const uint64_t memory = w->key->word[TK_PF_KEY_C];
    const uint32_t known = tk_map_get(&w->s->resident, memory);
    const uint32_t task = own                    ? tk_pf_task_of(w->s, tk_pf_pid(w->key->word[TK_PF_KEY_A]))
                          : known != TK_MAP_NONE ? known + 1
                                                 : 0;
    if (!task)
        return own ? -1 : 0;
    if (own && has_id && tk_map_put(&w->s->resident, memory, task - 1))
        return -1;
    const struct tk_pf_task *k = &w->s->tasks.v[task - 1];
    const struct tk_ev_id pid = {NULL, k->pid};
    const uint32_t counter = counter_in(w, !k->has_pid, k->has_pid ? tk_ev_process(w->c, &pid) : UINT32_MAX);
    return counter == UINT32_MAX
               ? -1
               : give_value(w, counter, TK_COUNTER_BYTES, (struct tk_number){.v.i = w->value});
}

static int take_log(struct work *w)
{
    const uint8_t verbosity = (uint8_t)(w->key->word[TK_PF_KEY_KIND] >> 8);
    const bool known = w->key->word[TK_PF_KEY_A] != 0;
    const uint32_t thread = known ? thread_of(w) : TK_NO_THREAD;
    const struct tk_ev_mark mark = {w->time, thread, (uint32_t)w->value, name_of(w), verbosity, false};
    return known && thread == UINT32_MAX ? -1 : tk_ev_mark(w->c, &mark);
}

static int take_whole(struct work *w)
{
    const uint32_t thread = thread_of(w);
    const uint64_t length = (uint64_t)w->value;
    const int64_t end = length < (uint64_t)(INT64_MAX - 1) && w->time < INT64_MAX - 1 - (int64_t)length
                            ? w->time + (int64_t)length
                            : INT64_MAX - 1;
    return thread == UINT32_MAX
               ? -1
               : tk_ev_whole(w->c, thread, w->time, end, tk_ev_timer(&w->c->names, name_of(w), NULL, 0));
}

static int take_frame(struct work *w)
{
    return tk_pf_frame_begin(w->t, (size_t)w->value);
}

static int take_frame_end(struct work *w)
{
    return tk_pf_frame_end(w->t, (uint64_t)w->value, w->time);
}

/* ---- all ---- */

static int take_by_key(struct work *w)
{
    static int (*const takes[])(struct work *) = {
        [TK_PF_LATE_MARK] = take_mark,       [TK_PF_LATE_NAME] = take_name,
        [TK_PF_LATE_TASK] = take_task,       [TK_PF_LATE_FREE] = take_free,
        [TK_PF_LATE_THREAD] = take_thread,   [TK_PF_LATE_PROCESS] = take_process,
        [TK_PF_LATE_COUNTER] = take_counter, [TK_PF_LATE_RESIDENT] = take_resident,
        [TK_PF_LATE_FRAME] = take_frame,     [TK_PF_LATE_FRAME_END] = take_frame_end,
        [TK_PF_LATE_LOG] = take_log,         [TK_PF_LATE_WHOLE] = take_whole,
    };
    w->key = &w->s->keys.keys.v[w->what];
    return takes[w->key->word[TK_PF_KEY_KIND] & 0xff](w);
}

static int take_late(void *ctx, const struct tk_ev_item *item)
{
    static int (*const takes[])(struct work *) = {
        [TK_PF_LATE_BY_KEY] = take_by_key,
        [TK_PF_LATE_BEGIN] = take_begin,
        [TK_PF_LATE_END] = take_end,
        [TK_PF_LATE_SWITCH] = take_switch,
    };
    struct tk_pf_trace *t = ctx;
    struct work w = {t,
                     &t->system,
                     t->c,
                     item->time,
                     item->value,
                     NULL,
                     item->what & ((UINT32_C(1) << TK_PF_LATE_BITS) - 1)};
    return takes[item->what >> TK_PF_LATE_BITS](&w) || t->c->names.failed ? -1 : 0;
}

int tk_pf_system_finish(struct tk_pf_trace *t, struct tk_err *err)
{
    int rc = t->system.any_late && tk_pf_tasks_begin(t) ? tk_ev_failed(err)
                                                        : tk_ev_late_each(t->c, take_late, t, err);
    return rc == TK_OK &&
                   (give_pending(t) || give_running(t) || tk_pf_tasks_finish(t) || tk_pf_frames_finish(t))
               ? tk_ev_failed(err)
               : rc;
}

void tk_pf_system_release(struct tk_pf_system *s)
{
    tk_ev_ids_release(&s->keys);
    tk_pf_tids_release(&s->comms);
    tk_pf_tids_release(&s->live);
    tk_map_release(&s->resident);
    tk_vec_release(&s->tasks);
    tk_vec_release(&s->cores);
    tk_ev_ids_release(&s->sums);
    tk_vec_release(&s->sum_of);
    tk_vec_release(&s->gpu_counters);
    tk_map_release(&s->gpu_index);
    tk_vec_release(&s->counters);
    tk_vec_release(&s->pending);
    tk_map_release(&s->pending_index);
    tk_vec_release(&s->gpu_queues);
    tk_vec_release(&s->stages);
    tk_vec_release(&s->frames);
    tk_map_release(&s->cookies);
    tk_map_release(&s->expected);
}
