/*
 * pprof: a gzip-compressed Profile with a sample for each path of names, its values calls, own time in
 * nanoseconds and allocated bytes. A function is a name, its location has the same number (interop
 * reference).
 */
#include "sink/clean.h"
#include "sink/protobuf.h"
#include "sink/stacks.h"

enum {
    SAMPLE_TYPE = 1,
    SAMPLE = 2,
    LOCATION = 4,
    FUNCTION = 5,
    STRING = 6,
    PERIOD_TYPE = 11,
    PERIOD = 12,
    DEFAULT_TYPE = 14
};
enum {
    TEXT_NONE,
    TEXT_CALLS,
    TEXT_COUNT,
    TEXT_TIME,
    TEXT_NS,
    TEXT_THREAD,
    TEXT_MORE,
    TEXT_ALLOCATED,
    TEXT_BYTES,
    FIRST_NAME
};

struct pprof {
    struct tk_stacks stacks;
    struct tk_buffer clean, part;
};

static void pprof_open(struct tk_viewer *v)
{
    struct pprof *p = v->state;
    p->stacks.v = v;
    if (tk_buffer_init(&p->clean, NULL, v->out.err) || tk_buffer_init(&p->part, NULL, v->out.err))
        tk_buffer_fail(&v->out, TK_ENOMEM);
}

static void pprof_items(struct tk_viewer *v, const struct tk_item *items, size_t n)
{
    tk_stacks_items(&((struct pprof *)v->state)->stacks, items, n);
}

static void put_type(struct tk_viewer *v, uint32_t field, unsigned type, unsigned unit)
{
    v->scratch.n = 0;
    tk_pb_uint(&v->scratch, 1, type);
    tk_pb_uint(&v->scratch, 2, unit);
    tk_pb_bytes(&v->out, field, v->scratch.p, v->scratch.n);
}

/* Texts: name, file and, behind all of those, the tracks. */
static uint64_t name_text(uint32_t name)
{
    return FIRST_NAME + 2 * (uint64_t)name;
}

static uint64_t track_text(const struct tk_viewer *v, uint32_t track)
{
    return FIRST_NAME + 2 * (uint64_t)v->names.n + track;
}

static void put_sample(struct tk_viewer *v, uint32_t at)
{
    struct pprof *p = v->state;
    const struct tk_stack_node *nodes = p->stacks.nodes.v;
    uint32_t thread = UINT32_MAX;
    p->part.n = v->scratch.n = 0;
    for (uint32_t i = at; i != TK_STACK_ROOT; i = nodes[i].parent) {
        if (nodes[i].name == TK_STACK_MORE)
            tk_pb_number(&p->part, v->names.n + UINT64_C(1));
        else if (nodes[i].name & TK_STACK_THREAD)
            thread = nodes[i].name & ~TK_STACK_THREAD;
        else
            tk_pb_number(&p->part, nodes[i].name + UINT64_C(1));
    }
    tk_pb_bytes(&v->scratch, 1, p->part.p, p->part.n);
    p->part.n = 0;
    tk_pb_number(&p->part, nodes[at].count);
    tk_pb_number(&p->part, nodes[at].self);
    tk_pb_number(&p->part, nodes[at].bytes);
    tk_pb_bytes(&v->scratch, 2, p->part.p, p->part.n);
    if (thread != UINT32_MAX) {
        p->part.n = 0;
        tk_pb_uint(&p->part, 1, TEXT_THREAD);
        tk_pb_uint(&p->part, 2, track_text(v, thread));
        tk_pb_bytes(&v->scratch, 3, p->part.p, p->part.n);
    }
    tk_pb_bytes(&v->out, SAMPLE, v->scratch.p, v->scratch.n);
}

static void put_function(struct tk_viewer *v, uint64_t id, uint64_t text, uint64_t file, uint32_t line)
{
    struct pprof *p = v->state;
    p->part.n = v->scratch.n = 0;
    tk_pb_uint(&p->part, 1, id);
    tk_pb_uint(&p->part, 2, line);
    tk_pb_uint(&v->scratch, 1, id);
    tk_pb_bytes(&v->scratch, 4, p->part.p, p->part.n);
    tk_pb_bytes(&v->out, LOCATION, v->scratch.p, v->scratch.n);
    v->scratch.n = 0;
    tk_pb_uint(&v->scratch, 1, id);
    tk_pb_uint(&v->scratch, 2, text);
    tk_pb_uint(&v->scratch, 3, text);
    tk_pb_uint(&v->scratch, 4, file);
    tk_pb_uint(&v->scratch, 5, line);
    tk_pb_bytes(&v->out, FUNCTION, v->scratch.p, v->scratch.n);
}

static void put_text(struct tk_viewer *v, struct tk_str s)
{
    struct pprof *p = v->state;
    s = s.p ? tk_clean_text(&p->clean, s) : (struct tk_str){.p = ""};
    tk_pb_bytes(&v->out, STRING, s.p, s.n);
}

static void put_texts(struct tk_viewer *v)
{
    static const char *const fixed[] = {"",       "calls",  "count",     "time", "nanoseconds",
                                        "thread", "(more)", "allocated", "bytes"};
    const struct pprof *p = v->state;
    for (size_t i = 0; i < FIRST_NAME; i++)
        tk_pb_bytes(&v->out, STRING, fixed[i], strlen(fixed[i]));
    for (size_t i = 0; i < v->names.n; i++) {
        put_text(v, v->names.v[i]);
        put_text(v, i < p->stacks.files.n ? p->stacks.files.v[i] : (struct tk_str){.p = NULL});
    }
    for (size_t i = 0; i < v->tracks.n; i++)
        put_text(v, v->tracks.v[i].name);
}

static void pprof_finish(struct tk_viewer *v)
{
    const struct pprof *p = v->state;
    put_type(v, SAMPLE_TYPE, TEXT_CALLS, TEXT_COUNT);
    put_type(v, SAMPLE_TYPE, TEXT_TIME, TEXT_NS);
    put_type(v, SAMPLE_TYPE, TEXT_ALLOCATED, TEXT_BYTES);
    for (uint32_t i = 1; i < p->stacks.nodes.n && v->out.status == TK_OK; i++)
        if (p->stacks.nodes.v[i].count || p->stacks.nodes.v[i].bytes)
            put_sample(v, i);
    for (uint32_t i = 0; i < v->names.n && i < p->stacks.lines.n; i++)
        if (v->names.v[i].p)
            put_function(v, i + UINT64_C(1), name_text(i),
                         p->stacks.files.v[i].p ? name_text(i) + 1 : TEXT_NONE, p->stacks.lines.v[i]);
    if (p->stacks.more)
        put_function(v, v->names.n + UINT64_C(1), TEXT_MORE, TEXT_NONE, 0);
    put_texts(v);
    put_type(v, PERIOD_TYPE, TEXT_TIME, TEXT_NS);
    tk_pb_uint(&v->out, PERIOD, 1);
    tk_pb_uint(&v->out, DEFAULT_TYPE, TEXT_TIME);
}

static void pprof_release(struct tk_viewer *v)
{
    struct pprof *p = v->state;
    tk_stacks_release(&p->stacks);
    tk_buffer_release(&p->clean);
    tk_buffer_release(&p->part);
}

const struct tk_viewer_format tk_pprof_format = {
    .name = "pprof",
    .packing = TK_PACKING_GZIP,
    .scopes_only = true,
    .allocations = true,
    .state_size = sizeof(struct pprof),
    .open = pprof_open,
    .items = pprof_items,
    .finish = pprof_finish,
    .release = pprof_release,
};
