/*
 * Processes and threads of events.
 */
#include "format/chrome_json/chrome_json_in.h"
#include "table/cell.h"

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

/*
 * Keys of asynchronous work.
 */

enum { BY_ID = 1, BY_GLOBAL, BY_LOCAL };

static bool is_id(const struct tk_jscan_value *v)
{
    return v->kind == TK_JSON_STRING || v->kind == TK_JSON_NUMBER || v->kind == TK_JSON_TRUE ||
           v->kind == TK_JSON_FALSE;
}

/* Where the id stands: by id, or in id2. */
static unsigned find_id(const struct tk_cj_event *e, struct tk_jscan_value *id)
{
    *id = e->field[TK_CJ_ID];
    if (is_id(id))
        return BY_ID;
    *id = tk_cj_member(&e->field[TK_CJ_ID2], "global", 6);
    if (is_id(id))
        return BY_GLOBAL;
    *id = tk_cj_member(&e->field[TK_CJ_ID2], "local", 5);
    return is_id(id) ? BY_LOCAL : 0;
}

/* An id is compared as it stands: a number and a text of the same digits are one. 0, or -1 without memory. */
static int hash_id(struct tk_cj_meaning *m, const struct tk_jscan_value *v, uint64_t *out)
{
    struct tk_bytes text = {v->p, v->n};
    if (v->escaped) {
        if (tk_vec_reserve(&m->text, v->n))
            return -1;
        text = (struct tk_bytes){m->text.v, tk_jscan_unescape(v, m->text.v)};
    }
    *out = tk_hash_bytes(text.p, text.n, 0);
    return 0;
}

int tk_cj_async_key(struct tk_cj_meaning *m, const struct tk_cj_event *e, bool old, struct tk_ev_key *key,
                    bool *without)
{
    struct tk_jscan_value id;
    unsigned by = find_id(e, &id);
    *key = (struct tk_ev_key){{0}};
    *without = !by;
    if (!by)
        return 0;
    uint32_t process = by == BY_LOCAL ? tk_cj_process(m, e) : 0;
    if (by == BY_LOCAL && process == UINT32_MAX)
        return -1;
    key->word[0] = by | (old ? 16u : 0);
    if (hash_id(m, &id, &key->word[1]))
        return -1;
    key->word[2] = by == BY_LOCAL ? (uint64_t)process + 1 : 0;
    key->word[3] = tk_cj_name(m, &e->field[TK_CJ_SCOPE]);
    key->word[4] = old ? TK_EV_NO_NAME : tk_cj_name(m, &e->field[TK_CJ_CAT]);
    key->word[5] = old ? tk_cj_name(m, &e->field[TK_CJ_NAME]) : TK_EV_NO_NAME;
    return m->c->names.failed ? -1 : 0;
}

struct tk_jscan_value tk_cj_first_loc(const struct tk_jscan_value *args)
{
    struct tk_jscan_value none = {.kind = TK_JSON_NONE};
    const uint8_t *p = args->p, *end = args->p + args->n;
    while ((p = memchr(p, 'l', (size_t)(end - p))) != NULL) { /* a look before it is parsed */
        if (end - p >= 4 && p[-1] == '"' && memcmp(p, "loc\"", 4) == 0)
            return tk_cj_member(args, "loc", 3);
        p++;
    }
    return none;
}

/*
 * Names of events, and what the object around them says of the recording.
 */

uint32_t tk_cj_name(struct tk_cj_meaning *m, const struct tk_jscan_value *v)
{
    if (v->kind != TK_JSON_STRING || !v->n)
        return TK_EV_NO_NAME;
    if (!v->escaped)
        return tk_ev_name_clean(&m->c->names, v->p, v->n);
    if (tk_vec_reserve(&m->text, v->n)) {
        m->c->names.failed = true;
        return TK_EV_NO_NAME;
    }
    size_t n = tk_jscan_unescape(v, m->text.v);
    return n ? tk_ev_name_clean(&m->c->names, m->text.v, n) : TK_EV_NO_NAME;
}

enum { LONGEST_VALUE = 1024 };

static int tell(struct tk_cj_meaning *m, const struct tk_jscan_value *key, const struct tk_jscan_value *v)
{
    struct tk_number number;
    struct tk_cell cell = {.kind = TK_NONE};
    struct tk_jscan_value text = *v;
    if (v->kind == TK_JSON_NUMBER && tk_jscan_measure(v, &number))
        cell = number.real ? (struct tk_cell){.kind = TK_REAL, .v.r = number.v.r}
                           : (struct tk_cell){.kind = TK_INT, .v.i = number.v.i};
    else if (v->kind == TK_JSON_TRUE || v->kind == TK_JSON_FALSE)
        cell = (struct tk_cell){.kind = TK_BOOL, .v.u = v->kind == TK_JSON_TRUE};
    else if (v->kind == TK_JSON_STRING && v->n <= LONGEST_VALUE) {
        const struct tk_str *s = tk_ev_name_text(&m->c->names, tk_cj_name(m, &text));
        if (s)
            cell = tk_cell_of_text(s);
    }
    return cell.kind == TK_NONE ? 0 : tk_ev_session(m->c, (const char *)key->p, key->n, cell);
}

static void see_tool(struct tk_cj_meaning *m, const struct tk_jscan_value *key,
                     const struct tk_jscan_value *v)
{
    static const char ours[] = "tracekit";
    if (!tk_jscan_is(key, "tool", 4))
        return;
    const struct tk_str *tool = tk_ev_name_text(&m->c->names, tk_cj_name(m, v));
    m->c->own_export |= tool && tool->n >= sizeof ours - 1 && memcmp(tool->p, ours, sizeof ours - 1) == 0;
}

/* VizTracer says so where its buffer was too small. */
static void see_overflow(struct tk_cj_meaning *m, const struct tk_jscan_value *key,
                         const struct tk_jscan_value *v)
{
    const bool is_about = tk_jscan_is(key, "viztracer_metadata", 18);
    if (is_about && tk_cj_member(v, "overflow", 8).kind == TK_JSON_TRUE)
        tk_cj_tell_overflow(m);
}

bool tk_cj_meaning_reads(const struct tk_jscan_value *key, const struct tk_jscan_value *v)
{
    if (v->kind == TK_JSON_OBJECT)
        return tk_jscan_is(key, "otherData", 9) || tk_jscan_is(key, "metadata", 8) ||
               tk_jscan_is(key, "viztracer_metadata", 18);
    return v->kind != TK_JSON_ARRAY && (v->kind != TK_JSON_STRING || v->n <= LONGEST_VALUE);
}

int tk_cj_meaning_session(struct tk_cj_meaning *m, const struct tk_jscan_value *key,
                          const struct tk_jscan_value *v)
{
    struct tk_jscan_scan s = {.p = NULL};
    struct tk_jscan_value member, value;
    bool more = false, about = tk_jscan_is(key, "otherData", 9) || tk_jscan_is(key, "metadata", 8);
    if (v->kind != TK_JSON_OBJECT)
        return tell(m, key, v);
    see_overflow(m, key, v);
    s.p = v->p + 1;
    s.end = v->p + v->n;
    while (about && tk_jscan_member(&s, &member, &more) == TK_JSON_OK && more &&
           tk_jscan_value(&s, &value) == TK_JSON_OK) {
        see_tool(m, &member, &value);
        if (tell(m, &member, &value))
            return -1;
    }
    return 0;
}
