/*
 * Samples of V8's profiler: events Profile and ProfileChunk, files that are one profile (.cpuprofile), and
 * the sections `samples` and `stackFrames` alongside events (import2 6.2, 6.3).
 */
#include "format/chrome_json/chrome_json_in.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEEP = 512 };

/* ---- arrays and objects ---- */

bool tk_cj_next_value(struct tk_jscan_scan *s, struct tk_jscan_value *out)
{
    tk_jscan_space(s);
    while (s->p < s->end && *s->p == ',') {
        s->p++;
        tk_jscan_space(s);
    }
    return s->p < s->end && *s->p != ']' && tk_jscan_value(s, out) == TK_JSON_OK;
}

struct tk_jscan_scan tk_cj_inside(const struct tk_jscan_value *v, enum tk_jscan_kind kind)
{
    const bool is = v->kind == kind && v->n > 1;
    return (struct tk_jscan_scan){.p = is ? v->p + 1 : v->p, .end = is ? v->p + v->n : v->p};
}

static struct tk_jscan_value member(const struct tk_jscan_value *object, const char *key)
{
    if (object->kind != TK_JSON_OBJECT)
        return (struct tk_jscan_value){.kind = TK_JSON_NONE};
    return tk_cj_member(object, key, strlen(key));
}

/* An id, which is a number or a text, as a key. */
static uint64_t id_of(const struct tk_jscan_value *v)
{
    int64_t number;
    if (v->kind == TK_JSON_NONE || v->kind == TK_JSON_NULL)
        return 0;
    if (tk_jscan_integer(v, &number))
        return tk_hash_u64((uint64_t)number) | 1;
    return tk_hash_bytes(v->p, v->n, 7) | 1;
}

/* ---- nodes ---- */

/* A function in a tree of calls. */
struct node {
    uint32_t frame;
    uint64_t key, parent; /* parent: key of the node that called it; 0: none */
    uint64_t hits;        /* samples of it, where the node says so */
};

struct tk_cj_profile {
    uint64_t key; /* of its process and id */
    uint32_t thread;
    int64_t clock;
    bool begun;
    struct tk_map index;  /* key of a node -> place */
    struct tk_map caller; /* key of a node -> place of the one that lists it as a child */
    struct tk_map stacks; /* place of a node -> stack */
    TK_VEC(struct node) nodes;
};

static uint32_t frame_of(struct tk_cj_meaning *m, const struct tk_jscan_value *function,
                         const struct tk_jscan_value *file, int64_t line)
{
    struct tk_ev_code_frame f = {.function = tk_cj_name(m, function),
                                 .file = tk_cj_name(m, file),
                                 .module = TK_EV_NO_NAME,
                                 .build = TK_EV_NO_NAME,
                                 .line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0};
    if (f.function == TK_EV_NO_NAME)
        f.function = tk_ev_name(&m->c->names, "(anonymous)", 11);
    return m->c->names.failed ? UINT32_MAX : tk_ev_code_frame(m->c, &f);
}

/* Adds a node; above: the key of the one that it stands in, or 0. */
static int add_node(struct tk_cj_meaning *m, struct tk_cj_profile *p, const struct tk_jscan_value *v,
                    uint64_t above)
{
    const struct tk_jscan_value id = member(v, "id"), call = member(v, "callFrame"),
                                parent = member(v, "parent"), children = member(v, "children"),
                                hit_count = member(v, "hitCount");
    const bool old = call.kind != TK_JSON_OBJECT; /* its members stand in the node */
    const struct tk_jscan_value *of = old ? v : &call;
    const struct tk_jscan_value function = member(of, "functionName"), url = member(of, "url"),
                                line = member(of, "lineNumber");
    int64_t number = -1, hits = 0;
    const uint64_t key = id_of(&id);
    if (v->kind != TK_JSON_OBJECT || !key || tk_map_get(&p->index, key) != TK_MAP_NONE)
        return 0;
    tk_jscan_integer(&line, &number);
    tk_jscan_integer(&hit_count, &hits);
    const struct node node = {frame_of(m, &function, &url, number + !old), key,
                              above ? above : id_of(&parent), hits > 0 ? (uint64_t)hits : 0};
    if (node.frame == UINT32_MAX || tk_vec_push(&p->nodes, node) ||
        tk_map_put(&p->index, key, (uint32_t)p->nodes.n - 1))
        return -1;
    struct tk_jscan_scan s = tk_cj_inside(&children, TK_JSON_ARRAY);
    for (struct tk_jscan_value child; tk_cj_next_value(&s, &child);)
        if (child.kind != TK_JSON_OBJECT && id_of(&child) &&
            tk_map_put(&p->caller, id_of(&child), (uint32_t)p->nodes.n - 1))
            return -1;
    return 0;
}

static int add_nodes(struct tk_cj_meaning *m, struct tk_cj_profile *p, const struct tk_jscan_value *nodes)
{
    struct tk_jscan_scan s = tk_cj_inside(nodes, TK_JSON_ARRAY);
    for (struct tk_jscan_value v; tk_cj_next_value(&s, &v);)
        if (add_node(m, p, &v, 0))
            return -1;
    return 0;
}

/* Nodes that stand in each other: those of one on the way down. */
struct level {
    struct tk_jscan_scan children;
    uint64_t key;
};
struct levels {
    TK_VEC(struct level) open;
};

/* What is too deep is noted, and left out. */
static int add_level(struct tk_cj_meaning *m, struct tk_cj_profile *p, struct levels *l,
                     const struct tk_jscan_value *v)
{
    const struct tk_jscan_value id = member(v, "id"), children = member(v, "children");
    const struct level level = {tk_cj_inside(&children, TK_JSON_ARRAY), id_of(&id)};
    if (l->open.n >= MOST_DEEP) {
        tk_ev_note(m->c, TK_EV_UNKNOWN_STACK, m->c->offset);
        return 0;
    }
    return add_node(m, p, v, l->open.n ? l->open.v[l->open.n - 1].key : 0) || tk_vec_push(&l->open, level);
}

/* The tree of calls as V8 wrote it up to Node 10: nodes with their children in them. */
static int add_tree(struct tk_cj_meaning *m, struct tk_cj_profile *p, const struct tk_jscan_value *head)
{
    struct levels l = {0};
    int rc = add_level(m, p, &l, head);
    while (rc == 0 && l.open.n) {
        struct tk_jscan_value child;
        if (!tk_cj_next_value(&l.open.v[l.open.n - 1].children, &child))
            l.open.n--;
        else if (child.kind == TK_JSON_OBJECT)
            rc = add_level(m, p, &l, &child);
    }
    tk_vec_release(&l.open);
    return rc ? -1 : 0;
}

/* Who called a node; TK_MAP_NONE: nobody. */
static uint32_t caller_of(const struct tk_cj_profile *p, uint32_t at)
{
    const struct node *node = &p->nodes.v[at];
    return node->parent ? tk_map_get(&p->index, node->parent) : tk_map_get(&p->caller, node->key);
}

/* The stack of a node, from it outwards, to where it would repeat itself; UINT32_MAX if out of memory. */
static uint32_t stack_of(struct tk_cj_meaning *m, struct tk_cj_profile *p, uint32_t first)
{
    uint32_t frames[MOST_DEEP], places[MOST_DEEP], n = 0;
    const uint32_t known = tk_map_get(&p->stacks, first);
    if (known != TK_MAP_NONE)
        return known;
    for (uint32_t at = first; at != TK_MAP_NONE && n < MOST_DEEP; at = caller_of(p, at)) {
        for (uint32_t i = 0; i < n; i++)
            if (places[i] == at)
                at = TK_MAP_NONE;
        if (at == TK_MAP_NONE)
            break;
        places[n] = at;
        frames[n++] = p->nodes.v[at].frame;
    }
    const uint32_t stack = tk_ev_stack(m->c, frames, n);
    return stack == UINT32_MAX || tk_map_put(&p->stacks, first, stack) ? UINT32_MAX : stack;
}

/* A sample of a node at the time that it is. */
static int add_sample(struct tk_cj_meaning *m, struct tk_cj_profile *p, const struct tk_jscan_value *node)
{
    const uint64_t tid = (uint64_t)m->c->threads.v[p->thread]->id.number;
    const uint32_t at = tk_map_get(&p->index, id_of(node));
    if (at == TK_MAP_NONE) {
        tk_ev_note(m->c, TK_EV_UNKNOWN_STACK, m->c->offset);
        return 0;
    }
    const uint32_t stack = stack_of(m, p, at);
    return stack == UINT32_MAX ? -1 : tk_ev_sample(m->c, p->clock, tid, stack);
}

/* Samples are nodes, each so many microseconds behind the one before; or at these times, where they are
 * absolute. */
static int add_samples(struct tk_cj_meaning *m, struct tk_cj_profile *p, const struct tk_jscan_value *samples,
                       const struct tk_jscan_value *times, bool absolute)
{
    struct tk_jscan_scan a = tk_cj_inside(samples, TK_JSON_ARRAY), b = tk_cj_inside(times, TK_JSON_ARRAY);
    struct tk_jscan_value node, time;
    int64_t at;
    bool more;
    while ((more = tk_cj_next_value(&a, &node)) && tk_cj_next_value(&b, &time)) {
        const int64_t from = absolute ? 0 : p->clock;
        const bool fine = tk_jscan_time(&time, &at) && at > -INT64_MAX / 2 && at > -INT64_MAX / 2 - from &&
                          at < INT64_MAX / 2 - from;
        p->clock = fine ? from + at : p->clock;
        if (add_sample(m, p, &node))
            return -1;
    }
    if (more != tk_cj_next_value(&b, &time))
        tk_ev_note(m->c, TK_EV_COLUMNS_DIFFER, m->c->offset);
    return 0;
}

/* Samples without times are all of one. */
static int add_untimed(struct tk_cj_meaning *m, struct tk_cj_profile *p, const struct tk_jscan_value *samples)
{
    struct tk_jscan_scan s = tk_cj_inside(samples, TK_JSON_ARRAY);
    for (struct tk_jscan_value node; tk_cj_next_value(&s, &node);)
        if (add_sample(m, p, &node))
            return -1;
    return 0;
}

/* Without samples, nodes say how many there were of them. */
static int add_hits(struct tk_cj_meaning *m, struct tk_cj_profile *p)
{
    const uint64_t tid = (uint64_t)m->c->threads.v[p->thread]->id.number;
    for (uint32_t i = 0; i < p->nodes.n; i++) {
        const uint64_t hits = p->nodes.v[i].hits;
        const uint32_t stack = hits ? stack_of(m, p, i) : 0;
        if (stack == UINT32_MAX || (hits && tk_ev_samples(m->c, p->clock, tid, stack, hits)))
            return -1;
    }
    return 0;
}

/* ---- events ---- */

/* The profile of a process and an id; NULL if out of memory. */
static struct tk_cj_profile *profile_of(struct tk_cj_meaning *m, const struct tk_cj_event *e)
{
    const struct tk_ev_key words = {{tk_cj_process(m, e), id_of(&e->field[TK_CJ_ID])}};
    const uint64_t key = tk_ev_key_hash(&words);
    for (size_t i = 0; i < m->profiles.n; i++)
        if (m->profiles.v[i]->key == key)
            return m->profiles.v[i];
    struct tk_cj_profile *p = calloc(1, sizeof *p);
    if (!p || tk_vec_push(&m->profiles, p)) {
        free(p);
        return NULL;
    }
    p->key = key;
    return p;
}

/* Its start may be of another clock than the times of events: then it began when the event says. */
static void begin_profile(struct tk_cj_profile *p, const struct tk_jscan_value *data, int64_t time)
{
    enum { NEAR = 1000000000 };
    const struct tk_jscan_value start = member(data, "startTime");
    int64_t at;
    p->begun = true;
    p->clock = time;
    if (tk_jscan_time(&start, &at) && at > -INT64_MAX / 4 && at < INT64_MAX / 4 && time > -INT64_MAX / 4 &&
        at - time <= NEAR && time - at <= NEAR)
        p->clock = at;
}

int tk_cj_profile_event(struct tk_cj_meaning *m, const struct tk_cj_event *e, int64_t time)
{
    const struct tk_jscan_value *name = &e->field[TK_CJ_NAME];
    const struct tk_jscan_value data = member(&e->field[TK_CJ_ARGS], "data"),
                                profile = member(&data, "cpuProfile"), nodes = member(&profile, "nodes"),
                                samples = member(&profile, "samples"), deltas = member(&data, "timeDeltas");
    const bool begins = name->kind == TK_JSON_STRING && tk_jscan_is(name, "Profile", 7);
    if (m->c->pass != TK_EV_GATHER ||
        (!begins && (name->kind != TK_JSON_STRING || !tk_jscan_is(name, "ProfileChunk", 12))))
        return 0;
    struct tk_cj_profile *p = profile_of(m, e);
    if (!p)
        return -1;
    if (begins && !p->begun) {
        begin_profile(p, &data, time);
        p->thread = tk_cj_thread(m, e);
    }
    if (p->thread == UINT32_MAX)
        return -1;
    if (!p->begun) {
        tk_ev_note(m->c, TK_EV_CHUNK_ALONE, m->c->offset);
        return 0;
    }
    return add_nodes(m, p, &nodes) || add_samples(m, p, &samples, &deltas, false) ? -1 : 0;
}

/* ---- sections, and files that are a profile ---- */

static const char *const sections[TK_CJ_SECTIONS] = {
    [TK_CJ_SAMPLES] = "samples",   [TK_CJ_STACK_FRAMES] = "stackFrames",
    [TK_CJ_NODES] = "nodes",       [TK_CJ_DELTAS] = "timeDeltas",
    [TK_CJ_START] = "startTime",   [TK_CJ_HEAD] = "head",
    [TK_CJ_STAMPS] = "timestamps", [TK_CJ_SHARED] = "shared",
    [TK_CJ_PROFILES] = "profiles"};

int tk_cj_section_of(const struct tk_jscan_value *key)
{
    for (int i = 0; i < TK_CJ_SECTIONS; i++)
        if (tk_jscan_is(key, sections[i], strlen(sections[i])))
            return i;
    return -1;
}

int tk_cj_section_keep(struct tk_cj_meaning *m, int section, const struct tk_jscan_value *v)
{
    struct tk_cj_section *s = &m->sections[section];
    if (m->c->pass != TK_EV_GATHER || v->kind == TK_JSON_STRING)
        return 0;
    s->bytes.n = 0;
    if (tk_vec_reserve(&s->bytes, v->n + TK_JSON_READABLE))
        return -1;
    memcpy(s->bytes.v, v->p, v->n);
    memset(s->bytes.v + v->n, 0, TK_JSON_READABLE);
    s->bytes.n = v->n;
    s->value = *v;
    s->value.p = s->bytes.v;
    return 0;
}

static const struct tk_jscan_value *section(const struct tk_cj_meaning *m, int which)
{
    return &m->sections[which].value;
}

static bool is_array(const struct tk_cj_meaning *m, int which)
{
    return section(m, which)->kind == TK_JSON_ARRAY;
}

/* A heap profile has a tree, too, of other nodes. */
static bool is_tree(const struct tk_cj_meaning *m)
{
    return member(section(m, TK_CJ_HEAD), "functionName").kind == TK_JSON_STRING;
}

bool tk_cj_is_profile(const struct tk_cj_meaning *m)
{
    struct tk_jscan_scan s = tk_cj_inside(section(m, TK_CJ_NODES), TK_JSON_ARRAY);
    struct tk_jscan_value first = {.kind = TK_JSON_NONE};
    if (is_tree(m) || (is_array(m, TK_CJ_NODES) && is_array(m, TK_CJ_SAMPLES)))
        return true;
    return tk_cj_next_value(&s, &first) && member(&first, "hitCount").kind == TK_JSON_NUMBER;
}

/* The thread of a file that names none. */
static uint32_t only_thread(struct tk_cj_meaning *m)
{
    const struct tk_ev_id id = {NULL, 1};
    const uint32_t process = tk_ev_process(m->c, &id);
    return process == UINT32_MAX ? process : tk_ev_thread(m->c, process, &id, 0);
}

static void release(struct tk_cj_profile *p)
{
    tk_map_release(&p->index);
    tk_map_release(&p->caller);
    tk_map_release(&p->stacks);
    tk_vec_release(&p->nodes);
}

int tk_cj_whole_profile(struct tk_cj_meaning *m)
{
    struct tk_cj_profile p = {.thread = only_thread(m)};
    if (p.thread == UINT32_MAX || m->c->threads.v[p.thread]->is_beyond)
        return -1;
    const struct tk_jscan_value *samples = section(m, TK_CJ_SAMPLES);
    const bool absolute = is_array(m, TK_CJ_STAMPS);
    const int times = absolute ? TK_CJ_STAMPS : TK_CJ_DELTAS;
    if (absolute || is_tree(m) || !tk_jscan_time(section(m, TK_CJ_START), &p.clock))
        p.clock = 0; /* the start is in seconds where the samples have their own times */
    if (!absolute)
        tk_ev_seen(m->c, p.clock);
    int rc = is_tree(m) ? add_tree(m, &p, section(m, TK_CJ_HEAD)) : add_nodes(m, &p, section(m, TK_CJ_NODES));
    if (rc == 0)
        rc = is_array(m, times) ? add_samples(m, &p, samples, section(m, times), absolute)
                                : add_untimed(m, &p, samples);
    if (rc == 0 && !m->c->samples.n)
        rc = add_hits(m, &p);
    release(&p);
    return rc ? -1 : 0;
}

/* ---- the section of frames ---- */

/* A frame by its key, which parents and samples write as a text or as a number. */
static uint64_t text_key(const struct tk_jscan_value *v)
{
    if (v->kind != TK_JSON_STRING && v->kind != TK_JSON_NUMBER)
        return 0;
    return tk_hash_bytes(v->p, v->n, 11) | 1;
}

/* name, category, parent. */
static int add_frame(struct tk_cj_meaning *m, struct tk_cj_profile *p, const struct tk_jscan_value *key,
                     const struct tk_jscan_value *v)
{
    const struct tk_jscan_value name = member(v, "name"), category = member(v, "category"),
                                parent = member(v, "parent");
    const struct tk_jscan_value none = {.kind = TK_JSON_NONE};
    struct node node = {frame_of(m, &name, &none, 0), text_key(key), text_key(&parent), 0};
    if (node.frame == UINT32_MAX)
        return -1;
    if (node.frame < m->c->code.n && category.kind == TK_JSON_STRING) {
        struct tk_ev_code_frame f = m->c->code.v[node.frame];
        f.module = tk_cj_name(m, &category);
        node.frame = m->c->names.failed ? UINT32_MAX : tk_ev_code_frame(m->c, &f);
    }
    if (node.frame == UINT32_MAX || tk_vec_push(&p->nodes, node))
        return -1;
    return tk_map_put(&p->index, node.key, (uint32_t)p->nodes.n - 1);
}

static int add_frames(struct tk_cj_meaning *m, struct tk_cj_profile *p)
{
    struct tk_jscan_scan s = tk_cj_inside(section(m, TK_CJ_STACK_FRAMES), TK_JSON_OBJECT);
    struct tk_jscan_value key, v;
    bool more = false;
    if (section(m, TK_CJ_STACK_FRAMES)->kind != TK_JSON_OBJECT)
        return 0;
    while (tk_jscan_member(&s, &key, &more) == TK_JSON_OK && more) {
        if (tk_jscan_value(&s, &v) != TK_JSON_OK)
            break;
        key.kind = TK_JSON_STRING;
        if (v.kind == TK_JSON_OBJECT && add_frame(m, p, &key, &v))
            return -1;
    }
    return 0;
}

/* tid, ts, sf. */
static int add_row(struct tk_cj_meaning *m, struct tk_cj_profile *p, const struct tk_jscan_value *v)
{
    const struct tk_jscan_value ts = member(v, "ts"), sf = member(v, "sf"), tid = member(v, "tid");
    int64_t time, thread = 0;
    if (!tk_jscan_time(&ts, &time) || time <= INT64_MIN + 1) {
        tk_ev_note(m->c, TK_EV_NO_TIME, TK_NO_OFFSET);
        return 0;
    }
    tk_jscan_integer(&tid, &thread);
    const uint64_t key = text_key(&sf);
    const uint32_t at = key ? tk_map_get(&p->index, key) : TK_MAP_NONE;
    if (key && at == TK_MAP_NONE)
        tk_ev_note(m->c, TK_EV_UNKNOWN_STACK, TK_NO_OFFSET);
    const uint32_t stack = at == TK_MAP_NONE ? 0 : stack_of(m, p, at);
    return stack == UINT32_MAX ? -1 : tk_ev_sample(m->c, time, (uint64_t)thread, stack);
}

int tk_cj_sections_finish(struct tk_cj_meaning *m)
{
    struct tk_cj_profile p = {0};
    struct tk_jscan_scan s = tk_cj_inside(section(m, TK_CJ_SAMPLES), TK_JSON_ARRAY);
    int rc = add_frames(m, &p);
    for (struct tk_jscan_value v; rc == 0 && tk_cj_next_value(&s, &v);)
        rc = v.kind == TK_JSON_OBJECT ? add_row(m, &p, &v) : 0;
    release(&p);
    return rc;
}

void tk_cj_profiles_close(struct tk_cj_meaning *m)
{
    for (size_t i = 0; i < m->profiles.n; i++) {
        release(m->profiles.v[i]);
        free(m->profiles.v[i]);
    }
    tk_vec_release(&m->profiles);
    for (unsigned i = 0; i < TK_CJ_SECTIONS; i++)
        tk_vec_release(&m->sections[i].bytes);
}
