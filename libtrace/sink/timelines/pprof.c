/*
 * pprof: a gzip-compressed Profile with a sample for each path of names, its values calls, own time in
 * nanoseconds, allocated bytes, and where there are any the own time of calls that never ended; of samples
 * their number alone. A function is a name, its location has the same number (interop 7). The name of a
 * thread is a label.
 */
#include "sink/timelines/stack_writer.h"
#include "sink/write/protobuf.h"
#include "sink/write/value.h"

/*
 * pprof of samples and of allocated memory: a mapping for each module, a location for each address with a
 * line for each function that was inlined there, the innermost first (symbols 6.5). Values are samples and,
 * where the interval of sampling is known, the time that they stand for; of memory allocations and bytes. The
 * addresses stay, so that pprof can look them up itself.
 */

enum {
    PPROF_SAMPLES_SAMPLE_TYPE = 1,
    PPROF_SAMPLES_SAMPLE = 2,
    MAPPING = 3,
    PPROF_SAMPLES_LOCATION = 4,
    PPROF_SAMPLES_FUNCTION = 5,
    PPROF_SAMPLES_STRING = 6,
    PPROF_SAMPLES_PERIOD_TYPE = 11,
    PPROF_SAMPLES_PERIOD = 12,
    PPROF_SAMPLES_DEFAULT_TYPE = 14
};
enum {
    PPROF_SAMPLES_TEXT_NONE,
    TEXT_SAMPLES,
    PPROF_SAMPLES_TEXT_COUNT,
    PPROF_SAMPLES_TEXT_TIME,
    PPROF_SAMPLES_TEXT_NS,
    PPROF_SAMPLES_TEXT_THREAD,
    TEXT_ALLOCATIONS,
    PPROF_SAMPLES_TEXT_ALLOCATED,
    PPROF_SAMPLES_TEXT_BYTES,
    FIRST_TEXT
};

/* Texts are written as they are requested, functions as they are met. */
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
    tk_pb_bytes(&m->p->out, PPROF_SAMPLES_STRING, text.p, text.n);
    return m->n_texts++;
}

/* The number of a text that is interned. */
static uint64_t text_of(struct profile *m, const struct tk_str *text)
{
    const uint64_t key = (uint64_t)(uintptr_t)text;
    const uint32_t at = text ? tk_map_get(&m->texts, key) : PPROF_SAMPLES_TEXT_NONE;
    if (at != TK_MAP_NONE)
        return at;
    if (tk_map_put(&m->texts, key, (uint32_t)m->n_texts))
        tk_buffer_fail(&m->p->out, TK_ENOMEM);
    return put_string(m, *text);
}

static void pprof_samples_put_type(struct profile *m, uint32_t field, unsigned type, unsigned unit)
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
    pprof_samples_put_type(m, PPROF_SAMPLES_SAMPLE_TYPE, counted, PPROF_SAMPLES_TEXT_COUNT);
    if (type != counted)
        pprof_samples_put_type(m, PPROF_SAMPLES_SAMPLE_TYPE, type, unit);
    pprof_samples_put_type(m, PPROF_SAMPLES_PERIOD_TYPE, type, unit);
    tk_pb_uint(&m->p->out, PPROF_SAMPLES_PERIOD, period);
}

static void put_fixed(struct profile *m)
{
    static const char *const fixed[FIRST_TEXT] = {"",       "samples",     "count",     "time", "nanoseconds",
                                                  "thread", "allocations", "allocated", "bytes"};
    for (size_t i = 0; i < FIRST_TEXT; i++)
        put_string(m, (struct tk_str){.p = fixed[i], .n = (uint32_t)strlen(fixed[i])});
    if (m->s->memory)
        put_types(m, TEXT_ALLOCATIONS, PPROF_SAMPLES_TEXT_ALLOCATED, PPROF_SAMPLES_TEXT_BYTES, 1);
    else if (m->s->period)
        put_types(m, TEXT_SAMPLES, PPROF_SAMPLES_TEXT_TIME, PPROF_SAMPLES_TEXT_NS, (uint64_t)m->s->period);
    else
        put_types(m, TEXT_SAMPLES, TEXT_SAMPLES, PPROF_SAMPLES_TEXT_COUNT, 1);
    tk_pb_uint(&m->p->out, PPROF_SAMPLES_DEFAULT_TYPE,
               m->s->memory ? PPROF_SAMPLES_TEXT_ALLOCATED : TEXT_SAMPLES);
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
    const uint64_t name = text_of(m, module->name),
                   build_id = id.n ? put_string(m, id) : PPROF_SAMPLES_TEXT_NONE;
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
    tk_pb_bytes(&m->p->out, PPROF_SAMPLES_FUNCTION, part->p, part->n);
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
    tk_pb_bytes(&m->p->out, PPROF_SAMPLES_LOCATION, lines->p, lines->n);
}

static void pprof_samples_put_sample(struct profile *m, const struct tk_sampled_stack *stack)
{
    struct tk_buffer *part = &m->p->part, *inner = &m->p->inner;
    const uint64_t thread =
        m->p->threads ? text_of(m, m->s->threads.v[stack->thread].name) : PPROF_SAMPLES_TEXT_NONE;
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
        tk_pb_uint(inner, 1, PPROF_SAMPLES_TEXT_THREAD);
        tk_pb_uint(inner, 2, thread);
        tk_pb_bytes(part, 3, inner->p, inner->n);
    }
    tk_pb_bytes(&m->p->out, PPROF_SAMPLES_SAMPLE, part->p, part->n);
}

static void pprof_samples_write(struct tk_stack_writer *p)
{
    struct profile m = {.p = p, .s = p->sampled};
    put_fixed(&m);
    find_unknown(&m);
    for (size_t i = 0; i < m.s->modules.n && p->out.status == TK_OK; i++)
        put_mapping(&m, i);
    for (size_t i = 0; i < m.s->locations.n && p->out.status == TK_OK; i++)
        put_location(&m, i);
    for (size_t i = 0; i < m.s->stacks.n && p->out.status == TK_OK; i++)
        if (tk_stack_writer_has_space(p))
            pprof_samples_put_sample(&m, &m.s->stacks.v[i]);
    tk_map_release(&m.texts);
    tk_map_release(&m.functions);
    tk_map_release(&m.unknown);
}

const struct tk_stack_writer_format tk_pprof_samples_format = {
    .name = "pprof", .packing = TK_PACKING_GZIP, .all_weights = true, .write = pprof_samples_write};

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
        if ((s->nodes.v[i].count || s->nodes.v[i].bytes || s->nodes.v[i].open) &&
            tk_stack_writer_has_space(p))
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
