/*
 * pprof: a gzip-compressed Profile with a sample for each path of names, its values calls, own time in
 * nanoseconds, allocated bytes, and where there are any the own time of calls that never ended; of samples
 * their number alone. A function is a name, its location has the same number (interop 7). The name of a
 * thread is a label.
 */
#include "sink/write/protobuf.h"
#include "sink/write/safe_text.h"
#include "sink/timelines/stack_writer.h"

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
    TEXT_ALLOCATED,
    TEXT_BYTES,
    FIRST_NAME
};

static void put_type(struct tk_stack_writer *p, uint32_t field, unsigned type, unsigned unit)
{
    p->part.n = 0;
    tk_pb_uint(&p->part, 1, type);
    tk_pb_uint(&p->part, 2, unit);
    tk_pb_bytes(&p->out, field, p->part.p, p->part.n);
}

/* Texts of a name: itself and its file. */
static uint64_t name_text(uint32_t name)
{
    return FIRST_NAME + 2 * (uint64_t)name;
}

static const char open_time[] = "open_time"; /* the last text */

static bool of_samples(const struct tk_stack_writer *p)
{
    return p->weight == TK_WEIGHT_SAMPLES;
}

static void put_values(struct tk_stack_writer *p, const struct tk_stack_node *node)
{
    p->inner.n = 0;
    tk_pb_number(&p->inner, node->count);
    if (!of_samples(p)) {
        tk_pb_number(&p->inner, node->self > 0 ? (uint64_t)node->self : 0);
        tk_pb_number(&p->inner, node->bytes);
    }
    if (p->stacks->open)
        tk_pb_number(&p->inner, node->open > 0 ? (uint64_t)node->open : 0);
    tk_pb_bytes(&p->part, 2, p->inner.p, p->inner.n);
}

static void put_thread(struct tk_stack_writer *p, uint32_t name)
{
    p->inner.n = 0;
    tk_pb_uint(&p->inner, 1, TEXT_THREAD);
    tk_pb_uint(&p->inner, 2, name_text(name));
    tk_pb_bytes(&p->part, 3, p->inner.p, p->inner.n);
}

static void put_sample(struct tk_stack_writer *p, uint32_t at)
{
    const struct tk_stacks *s = p->stacks;
    uint32_t thread = UINT32_MAX;
    p->part.n = p->inner.n = 0;
    for (uint32_t i = at; i != TK_STACK_ROOT; i = s->nodes.v[i].parent) {
        if (s->names.v[s->nodes.v[i].name].thread)
            thread = s->nodes.v[i].name;
        else
            tk_pb_number(&p->inner, s->nodes.v[i].name + UINT64_C(1));
    }
    tk_pb_bytes(&p->part, 1, p->inner.p, p->inner.n);
    put_values(p, &s->nodes.v[at]);
    if (thread != UINT32_MAX)
        put_thread(p, thread);
    tk_pb_bytes(&p->out, SAMPLE, p->part.p, p->part.n);
}

static void put_function(struct tk_stack_writer *p, uint32_t name)
{
    const struct tk_stack_name *about = &p->stacks->names.v[name];
    const uint64_t id = name + UINT64_C(1);
    p->inner.n = p->part.n = 0;
    tk_pb_uint(&p->inner, 1, id);
    tk_pb_uint(&p->inner, 2, about->line);
    tk_pb_uint(&p->part, 1, id);
    tk_pb_bytes(&p->part, 4, p->inner.p, p->inner.n);
    tk_pb_bytes(&p->out, LOCATION, p->part.p, p->part.n);
    p->part.n = 0;
    tk_pb_uint(&p->part, 1, id);
    tk_pb_uint(&p->part, 2, name_text(name));
    tk_pb_uint(&p->part, 3, name_text(name));
    tk_pb_uint(&p->part, 4, about->file ? name_text(name) + 1 : TEXT_NONE);
    tk_pb_uint(&p->part, 5, about->line);
    tk_pb_bytes(&p->out, FUNCTION, p->part.p, p->part.n);
}

static void put_text_pprof(struct tk_stack_writer *p, const struct tk_str *text)
{
    const struct tk_str clean = text ? tk_safe_text_clean(&p->clean, *text) : (struct tk_str){.p = ""};
    tk_pb_bytes(&p->out, STRING, clean.p, clean.n);
}

static void put_texts(struct tk_stack_writer *p)
{
    static const char *const fixed[FIRST_NAME] = {"",       "calls",     "count", "time", "nanoseconds",
                                                  "thread", "allocated", "bytes"};
    for (size_t i = 0; i < FIRST_NAME; i++) {
        const char *text = i == TEXT_CALLS && of_samples(p) ? "samples" : fixed[i];
        tk_pb_bytes(&p->out, STRING, text, strlen(text));
    }
    for (size_t i = 0; i < p->stacks->names.n; i++) {
        put_text_pprof(p, p->stacks->names.v[i].text);
        put_text_pprof(p, p->stacks->names.v[i].file);
    }
    if (p->stacks->open)
        tk_pb_bytes(&p->out, STRING, open_time, strlen(open_time));
}

static void write(struct tk_stack_writer *p)
{
    const struct tk_stacks *s = p->stacks;
    put_type(p, SAMPLE_TYPE, TEXT_CALLS, TEXT_COUNT);
    if (!of_samples(p)) {
        put_type(p, SAMPLE_TYPE, TEXT_TIME, TEXT_NS);
        put_type(p, SAMPLE_TYPE, TEXT_ALLOCATED, TEXT_BYTES);
    }
    if (s->open)
        put_type(p, SAMPLE_TYPE, (unsigned)name_text((uint32_t)s->names.n), TEXT_NS);
    for (uint32_t i = 1; i < s->nodes.n && p->out.status == TK_OK; i++)
        if ((s->nodes.v[i].count || s->nodes.v[i].bytes || s->nodes.v[i].open) && tk_stack_writer_has_room(p))
            put_sample(p, i);
    for (uint32_t i = 0; i < s->names.n; i++)
        if (!s->names.v[i].thread)
            put_function(p, i);
    put_texts(p);
    put_type(p, PERIOD_TYPE, of_samples(p) ? TEXT_CALLS : TEXT_TIME, of_samples(p) ? TEXT_COUNT : TEXT_NS);
    tk_pb_uint(&p->out, PERIOD, 1);
    tk_pb_uint(&p->out, DEFAULT_TYPE, of_samples(p) ? TEXT_CALLS : TEXT_TIME);
}

const struct tk_stack_writer_format tk_pprof_format = {
    .name = "pprof", .packing = TK_PACKING_GZIP, .all_weights = true, .write = write};
