/*
 * pprof of samples and of allocated memory: a mapping for each module, a location for each address with a
 * line for each function that was inlined there, the innermost first (symbols 6.5). Values are samples and,
 * where the interval of sampling is known, the time that they stand for; of memory allocations and bytes. The
 * addresses stay, so that pprof can look them up itself.
 */
#include "sink/write/protobuf.h"
#include "sink/write/safe_text.h"
#include "sink/timelines/stack_writer.h"

enum {
    SAMPLE_TYPE = 1,
    SAMPLE = 2,
    MAPPING = 3,
    LOCATION = 4,
    FUNCTION = 5,
    STRING = 6,
    PERIOD_TYPE = 11,
    PERIOD = 12,
    DEFAULT_TYPE = 14
};
enum {
    TEXT_NONE,
    TEXT_SAMPLES,
    TEXT_COUNT,
    TEXT_TIME,
    TEXT_NS,
    TEXT_THREAD,
    TEXT_ALLOCATIONS,
    TEXT_ALLOCATED,
    TEXT_BYTES,
    FIRST_TEXT
};

/* Texts are written as they are asked for, functions as they are met. */
struct profile {
    struct tk_stack_writer *p;
    const struct tk_sampled *s;
    struct tk_map texts; /* address of a text -> its number */
    struct tk_map functions;
    struct tk_map unknown;         /* modules with an address whose function is not known */
    uint64_t n_texts, n_functions; /* so far */
};

static uint64_t put_string(struct profile *m, struct tk_str text)
{
    text = tk_safe_text_clean(&m->p->clean, text);
    tk_pb_bytes(&m->p->out, STRING, text.p, text.n);
    return m->n_texts++;
}

/* The number of a text that is interned. */
static uint64_t text_of(struct profile *m, const struct tk_str *text)
{
    const uint64_t key = (uint64_t)(uintptr_t)text;
    const uint32_t at = text ? tk_map_get(&m->texts, key) : TEXT_NONE;
    if (at != TK_MAP_NONE)
        return at;
    if (tk_map_put(&m->texts, key, (uint32_t)m->n_texts))
        tk_buffer_fail(&m->p->out, TK_ENOMEM);
    return put_string(m, *text);
}

static void put_type(struct profile *m, uint32_t field, unsigned type, unsigned unit)
{
    struct tk_buffer *part = &m->p->part;
    part->n = 0;
    tk_pb_uint(part, 1, type);
    tk_pb_uint(part, 2, unit);
    tk_pb_bytes(&m->p->out, field, part->p, part->n);
}

/* A value of each sample is its number, another one what it stands for, if that is known. */
static void put_types(struct profile *m, unsigned counted, unsigned type, unsigned unit, uint64_t period)
{
    put_type(m, SAMPLE_TYPE, counted, TEXT_COUNT);
    if (type != counted)
        put_type(m, SAMPLE_TYPE, type, unit);
    put_type(m, PERIOD_TYPE, type, unit);
    tk_pb_uint(&m->p->out, PERIOD, period);
}

static void put_fixed(struct profile *m)
{
    static const char *const fixed[FIRST_TEXT] = {"",       "samples",     "count",     "time", "nanoseconds",
                                                  "thread", "allocations", "allocated", "bytes"};
    for (size_t i = 0; i < FIRST_TEXT; i++)
        put_string(m, (struct tk_str){.p = fixed[i], .n = (uint32_t)strlen(fixed[i])});
    if (m->s->memory)
        put_types(m, TEXT_ALLOCATIONS, TEXT_ALLOCATED, TEXT_BYTES, 1);
    else if (m->s->period)
        put_types(m, TEXT_SAMPLES, TEXT_TIME, TEXT_NS, (uint64_t)m->s->period);
    else
        put_types(m, TEXT_SAMPLES, TEXT_SAMPLES, TEXT_COUNT, 1);
    tk_pb_uint(&m->p->out, DEFAULT_TYPE, m->s->memory ? TEXT_ALLOCATED : TEXT_SAMPLES);
}

/* Notes which modules have an address without a function. */
static void find_unknown(struct profile *m)
{
    for (size_t i = 0; i < m->s->locations.n; i++) {
        const struct tk_sampled_location *location = &m->s->locations.v[i];
        if (location->module != TK_MAP_NONE && !m->s->places.v[location->first].known &&
            tk_map_put(&m->unknown, location->module, 1))
            tk_buffer_fail(&m->p->out, TK_ENOMEM);
    }
}

static void put_mapping(struct profile *m, size_t at)
{
    const struct tk_sampled_module *module = &m->s->modules.v[at];
    const struct tk_str id = {.p = module->id, .n = (uint32_t)strlen(module->id)};
    const uint64_t name = text_of(m, module->name), build_id = id.n ? put_string(m, id) : TEXT_NONE;
    const bool known = tk_map_get(&m->unknown, at) == TK_MAP_NONE;
    struct tk_buffer *part = &m->p->part;
    part->n = 0;
    tk_pb_uint(part, 1, at + UINT64_C(1));
    tk_pb_uint(part, 2, module->base);
    tk_pb_uint(part, 3, module->end);
    tk_pb_uint(part, 5, name);
    tk_pb_uint(part, 6, build_id);
    for (uint32_t field = 7; field <= 10; field++) /* functions, files, lines, inlined functions */
        tk_pb_uint(part, field, known);
    tk_pb_bytes(&m->p->out, MAPPING, part->p, part->n);
}

/* The number of a function, which is a name in a file. */
static uint64_t function_of(struct profile *m, const struct tk_sampled_place *place)
{
    const uint64_t key = tk_hash_pair((uint64_t)(uintptr_t)place->function, (uint64_t)(uintptr_t)place->file);
    const uint32_t at = tk_map_get(&m->functions, key);
    if (at != TK_MAP_NONE)
        return at;
    const uint64_t name = text_of(m, place->function), file = text_of(m, place->file),
                   number = ++m->n_functions;
    struct tk_buffer *part = &m->p->part;
    if (tk_map_put(&m->functions, key, (uint32_t)number))
        tk_buffer_fail(&m->p->out, TK_ENOMEM);
    part->n = 0;
    tk_pb_uint(part, 1, number);
    tk_pb_uint(part, 2, name);
    tk_pb_uint(part, 3, name);
    tk_pb_uint(part, 4, file);
    tk_pb_bytes(&m->p->out, FUNCTION, part->p, part->n);
    return number;
}

static void put_location(struct profile *m, size_t at)
{
    const struct tk_sampled_location *location = &m->s->locations.v[at];
    struct tk_buffer *lines = &m->p->inner, *line = &m->p->part;
    lines->n = 0;
    tk_pb_uint(lines, 1, at + UINT64_C(1));
    if (location->module != TK_MAP_NONE)
        tk_pb_uint(lines, 2, location->module + UINT64_C(1));
    tk_pb_uint(lines, 3, location->address);
    for (uint32_t i = location->first; i < location->first + location->n; i++) {
        const uint64_t function = function_of(m, &m->s->places.v[i]);
        line->n = 0;
        tk_pb_uint(line, 1, function);
        tk_pb_uint(line, 2, m->s->places.v[i].line);
        tk_pb_bytes(lines, 4, line->p, line->n);
    }
    tk_pb_bytes(&m->p->out, LOCATION, lines->p, lines->n);
}

static void put_sample(struct profile *m, const struct tk_sampled_stack *stack)
{
    struct tk_buffer *part = &m->p->part, *inner = &m->p->inner;
    const uint64_t thread = m->p->threads ? text_of(m, m->s->threads.v[stack->thread].name) : TEXT_NONE;
    part->n = inner->n = 0;
    for (size_t i = 0; i < stack->n; i++)
        tk_pb_number(inner, m->s->frames.v[stack->first + i] + UINT64_C(1));
    tk_pb_bytes(part, 1, inner->p, inner->n);
    inner->n = 0;
    tk_pb_number(inner, stack->count);
    if (m->s->memory)
        tk_pb_number(inner, stack->bytes);
    else if (m->s->period)
        tk_pb_number(inner, stack->count * (uint64_t)m->s->period);
    tk_pb_bytes(part, 2, inner->p, inner->n);
    if (m->p->threads) {
        inner->n = 0;
        tk_pb_uint(inner, 1, TEXT_THREAD);
        tk_pb_uint(inner, 2, thread);
        tk_pb_bytes(part, 3, inner->p, inner->n);
    }
    tk_pb_bytes(&m->p->out, SAMPLE, part->p, part->n);
}

static void write(struct tk_stack_writer *p)
{
    struct profile m = {.p = p, .s = p->sampled};
    put_fixed(&m);
    find_unknown(&m);
    for (size_t i = 0; i < m.s->modules.n && p->out.status == TK_OK; i++)
        put_mapping(&m, i);
    for (size_t i = 0; i < m.s->locations.n && p->out.status == TK_OK; i++)
        put_location(&m, i);
    for (size_t i = 0; i < m.s->stacks.n && p->out.status == TK_OK; i++)
        if (tk_stack_writer_has_room(p))
            put_sample(&m, &m.s->stacks.v[i]);
    tk_map_release(&m.texts);
    tk_map_release(&m.functions);
    tk_map_release(&m.unknown);
}

const struct tk_stack_writer_format tk_pprof_samples_format = {
    .name = "pprof", .packing = TK_PACKING_GZIP, .all_weights = true, .write = write};
