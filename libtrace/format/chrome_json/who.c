/*
 * Processes and threads of events.
 */
#include "format/chrome_json/chrome_json_in.h"

#include <string.h>

/* A sign and 19 digits, each as \uXXXX. */
enum { ESCAPED_INTEGER = 20 * 6 };

static const struct tk_str *text_of(struct tk_cj_meaning *m, const struct tk_jscan_value *v)
{
    if (v->kind != TK_JSON_STRING || !v->escaped)
        return tk_ev_text(&m->c->names, v->p, v->n);
    if (tk_vec_reserve(&m->text, v->n))
        return NULL;
    return tk_ev_text(&m->c->names, m->text.v, tk_jscan_unescape(v, m->text.v));
}

/* A text that is a number is one only where it is written as such: "7", not "7.0". */
static bool is_plain_integer(const struct tk_jscan_value *v)
{
    uint8_t text[ESCAPED_INTEGER];
    const uint8_t *p = v->p;
    size_t n = v->n;
    if (v->escaped) {
        if (n > sizeof text)
            return false;
        n = tk_jscan_unescape(v, text);
        p = text;
    }
    for (size_t i = n > 1 && p[0] == '-'; i < n; i++)
        if (p[i] < '0' || p[i] > '9')
            return false;
    return n > 0;
}

/* 1: it has an identity; 0: none; -1 without memory. */
static int identity(struct tk_cj_meaning *m, const struct tk_jscan_value *v, struct tk_ev_id *id)
{
    *id = (struct tk_ev_id){NULL, 0};
    if (v->kind != TK_JSON_STRING && v->kind != TK_JSON_NUMBER)
        return 0;
    if ((v->kind == TK_JSON_NUMBER || (v->n && is_plain_integer(v))) && tk_jscan_integer(v, &id->number))
        return 1;
    id->number = 0;
    id->text = text_of(m, v);
    return id->text ? 1 : -1;
}

/* Without an id it is process 0, of which it is only known that it has one if another event says that. */
static uint32_t process_of(struct tk_cj_meaning *m, const struct tk_ev_id *id, bool has_id)
{
    const size_t known = m->c->processes.n;
    const uint32_t at = tk_ev_process(m->c, id);
    if (at != UINT32_MAX && (has_id || at == known))
        m->c->processes.v[at].unknown = !has_id;
    return at;
}

uint32_t tk_cj_process(struct tk_cj_meaning *m, const struct tk_cj_event *e)
{
    struct tk_ev_id id;
    const int has_id = identity(m, &e->field[TK_CJ_PID], &id);
    return has_id < 0 ? UINT32_MAX : process_of(m, &id, has_id);
}

static uint32_t find_thread(struct tk_cj_meaning *m, const struct tk_cj_event *e)
{
    struct tk_ev_id pid, tid;
    int has_pid = identity(m, &e->field[TK_CJ_PID], &pid), has_tid = identity(m, &e->field[TK_CJ_TID], &tid);
    if (has_pid < 0 || has_tid < 0)
        return UINT32_MAX;
    uint32_t process = process_of(m, &pid, has_pid);
    return process == UINT32_MAX ? UINT32_MAX : tk_ev_thread(m->c, process, has_tid ? &tid : &pid, 0);
}

static bool is_known(const struct tk_cj_known_thread *k, const struct tk_jscan_value *pid,
                     const struct tk_jscan_value *tid)
{
    return k->used && k->n_pid == pid->n && k->n_tid == tid->n && k->pid_kind == pid->kind &&
           k->tid_kind == tid->kind && memcmp(k->pid, pid->p, pid->n) == 0 &&
           memcmp(k->tid, tid->p, tid->n) == 0;
}

/* A whole number of up to eight digits in the usual form. */
static inline bool is_short(const struct tk_jscan_value *v)
{
    return v->kind == TK_JSON_NUMBER && v->point && v->n == v->point && v->n <= 8;
}

static inline uint64_t characters(const struct tk_jscan_value *v)
{
    return tk_eight_head(tk_load64(v->p), (unsigned)v->n);
}

static uint32_t numbered_thread(struct tk_cj_meaning *m, const struct tk_cj_event *e)
{
    const uint64_t pid = characters(&e->field[TK_CJ_PID]), tid = characters(&e->field[TK_CJ_TID]);
    const uint64_t mixed = (pid * 31 ^ tid) * UINT64_C(0x9e3779b97f4a7c15);
    struct tk_cj_numbered_thread *k = &m->numbered[(mixed >> 48) % TK_CJ_THREADS];
    if (k->pid != pid || k->tid != tid) {
        uint32_t thread = find_thread(m, e);
        if (thread == UINT32_MAX)
            return thread;
        *k = (struct tk_cj_numbered_thread){pid, tid, thread};
    }
    return k->thread;
}

uint32_t tk_cj_thread(struct tk_cj_meaning *m, const struct tk_cj_event *e)
{
    const struct tk_jscan_value *pid = &e->field[TK_CJ_PID], *tid = &e->field[TK_CJ_TID];
    if (is_short(pid) && is_short(tid))
        return numbered_thread(m, e);
    if (pid->kind == TK_JSON_NONE || tid->kind == TK_JSON_NONE || pid->n > TK_CJ_ID_BYTES || !tid->n ||
        tid->n > TK_CJ_ID_BYTES)
        return find_thread(m, e);
    uint32_t hash = tid->p[tid->n - 1] * 31u + (tid->n > 1 ? tid->p[tid->n - 2] * 7u : 0) + (uint32_t)tid->n +
                    (pid->n ? pid->p[pid->n - 1] * 101u : 0);
    struct tk_cj_known_thread *k = &m->known[hash % TK_CJ_THREADS];
    if (is_known(k, pid, tid))
        return k->thread;
    uint32_t thread = find_thread(m, e);
    *k = (struct tk_cj_known_thread){.used = thread != UINT32_MAX, .thread = thread};
    k->n_pid = (uint8_t)pid->n;
    k->n_tid = (uint8_t)tid->n;
    k->pid_kind = pid->kind;
    k->tid_kind = tid->kind;
    memcpy(k->pid, pid->p, pid->n);
    memcpy(k->tid, tid->p, tid->n);
    return thread;
}

/* ---- metadata ---- */

static int name_thread(struct tk_cj_meaning *m, const struct tk_cj_event *e, const struct tk_jscan_value *v)
{
    uint32_t thread = v->kind == TK_JSON_STRING && v->n ? find_thread(m, e) : 0;
    if (v->kind != TK_JSON_STRING || !v->n)
        return 0;
    if (thread == UINT32_MAX)
        return -1;
    m->c->threads.v[thread]->name = text_of(m, v);
    m->c->threads.v[thread]->named = true;
    return m->c->threads.v[thread]->name ? 0 : -1;
}

static int name_process(struct tk_cj_meaning *m, const struct tk_cj_event *e, const struct tk_jscan_value *v)
{
    uint32_t process = tk_cj_process(m, e);
    if (v->kind != TK_JSON_STRING || !v->n)
        return 0;
    if (process == UINT32_MAX)
        return -1;
    m->c->processes.v[process].name = text_of(m, v);
    return m->c->processes.v[process].name ? 0 : -1;
}

static int sort_thread(struct tk_cj_meaning *m, const struct tk_cj_event *e, const struct tk_jscan_value *v)
{
    int64_t sort;
    if (v->kind != TK_JSON_NUMBER || !tk_jscan_integer(v, &sort))
        return 0;
    uint32_t thread = find_thread(m, e);
    if (thread == UINT32_MAX)
        return -1;
    m->c->threads.v[thread]->sort = sort < INT32_MIN   ? INT32_MIN
                                    : sort > INT32_MAX ? INT32_MAX
                                                       : (int32_t)sort;
    return 0;
}

void tk_cj_tell_overflow(struct tk_cj_meaning *m)
{
    tk_health_note(&m->c->ctx->health, TK_HEALTH_LOSS_ANNOUNCED, TK_NO_OFFSET, 1,
                   "announced by the recorder: its buffer was full, events are missing");
}

static int take_overflow(struct tk_cj_meaning *m, const struct tk_cj_event *e, const struct tk_jscan_value *v)
{
    (void)e;
    (void)v;
    tk_cj_tell_overflow(m);
    return 0;
}

static const struct {
    const char *name, *member;
    int (*take)(struct tk_cj_meaning *m, const struct tk_cj_event *e, const struct tk_jscan_value *v);
} metadata[] = {
    {"thread_name", "name", name_thread},
    {"process_name", "name", name_process},
    {"thread_sort_index", "sort_index", sort_thread},
    {"trace_buffer_overflowed", "overflowed_at_ts", take_overflow},
};

int tk_cj_metadata(struct tk_cj_meaning *m, const struct tk_cj_event *e, const struct tk_jscan_value *name,
                   const struct tk_jscan_value *args)
{
    for (size_t i = 0; i < sizeof metadata / sizeof *metadata; i++) {
        if (!tk_jscan_is(name, metadata[i].name, strlen(metadata[i].name)))
            continue;
        struct tk_jscan_value v = tk_cj_member(args, metadata[i].member, strlen(metadata[i].member));
        return v.kind == TK_JSON_NONE ? 0 : metadata[i].take(m, e, &v);
    }
    return 0;
}
