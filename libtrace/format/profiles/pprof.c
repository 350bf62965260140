/*
 * Profiles of pprof: texts, functions, modules and locations, and samples of stacks of locations with a value
 * of each type (import2 10). The value of the default type is the weight; the label "thread" names the
 * thread.
 */
#include "base/text/text.h"
#include "format/profiles/profiles.h"
#include "format/profiles/profiles_in.h"
#include "table/cell.h"
#include "tracekit/captures.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE_TYPE = 1, SAMPLE, MODULE, LOCATION, FUNCTION, TEXT, DEFAULT_TYPE = 14, LAST_FIELD = 15 };
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
enum { PPROF_SAMPLE, TYPES };
enum { MOST_FRAMES = 4096 };

/* ---- fields of messages ---- */

struct field {
    uint32_t number;
    uint8_t wire;
    uint64_t value;
    struct tk_bytes bytes;
};

/* 1, 0 where the bytes end, -1 where they are no varint. */
static int varint(struct tk_bytes *b, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; b->n && shift < 70; shift += 7) {
        const uint8_t byte = *b->p++;
        b->n--;
        *out |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80)
            return 1;
    }
    return b->n ? -1 : 0;
}

/* The next field. 1; 0 at the end; -1: broken, or cut. */
static int next(struct tk_bytes *b, struct field *f)
{
    uint64_t tag, n = 0;
    if (!b->n)
        return 0;
    *f = (struct field){0};
    if (varint(b, &tag) != 1 || tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
        return -1;
    f->number = (uint32_t)(tag >> 3);
    f->wire = tag & 7;
    if (f->wire == VARINT)
        return varint(b, &f->value) == 1 ? 1 : -1;
    if (f->wire == BYTES ? varint(b, &n) != 1 : f->wire != FIXED64 && f->wire != FIXED32)
        return -1;
    n = f->wire == FIXED64 ? 8 : f->wire == FIXED32 ? 4 : n;
    if (n > b->n)
        return -1;
    f->bytes = (struct tk_bytes){b->p, (size_t)n};
    b->p += n;
    b->n -= (size_t)n;
    return 1;
}

/* Repeated numbers, packed or not: calls for each. 0 or -1. */
static int each(const struct field *f, int (*take)(void *to, uint64_t value), void *to)
{
    struct tk_bytes packed = f->bytes;
    uint64_t value;
    int rc = f->wire == BYTES ? 0 : f->wire == VARINT ? take(to, f->value) : 0;
    while (f->wire == BYTES && packed.n && rc == 0)
        rc = varint(&packed, &value) == 1 ? take(to, value) : 1;
    return rc < 0 ? -1 : 0;
}

/* ---- what samples refer to ---- */

struct function {
    uint32_t name, file;
};

/* The frames of a location, the innermost first. */
struct location {
    uint32_t first, n;
};

struct profile {
    struct tk_prof_walk *d;
    TK_VEC(struct tk_bytes) texts;
    TK_VEC(struct function) functions;
    TK_VEC(uint32_t) modules; /* names */
    TK_VEC(struct location) locations;
    TK_VEC(uint32_t) frames;
    struct tk_map function_of, module_of, location_of;
    TK_VEC(uint64_t) types; /* of values: numbers of their texts, and of their units behind */
    uint64_t wanted;        /* place of the default type */
    uint64_t default_type;
};

static struct tk_bytes text_of(const struct profile *p, uint64_t number)
{
    return number < p->texts.n ? p->texts.v[number] : (struct tk_bytes){(const uint8_t *)"", 0};
}

static uint32_t name_of(struct profile *p, uint64_t number)
{
    const struct tk_bytes s = text_of(p, number);
    return s.n ? tk_ev_name_clean(&p->d->c->names, s.p, s.n) : TK_EV_NO_NAME;
}

/* The numbers of fields 1 to n of a message. -1: it is broken. */
static int numbers(struct tk_bytes message, uint64_t *out, unsigned n)
{
    struct field f;
    int rc;
    memset(out, 0, (n + 1) * sizeof *out);
    while ((rc = next(&message, &f)) == 1)
        if (f.number <= n && f.wire == VARINT)
            out[f.number] = f.value;
    return rc;
}

static int take_text(struct profile *p, struct tk_bytes message)
{
    return tk_vec_push(&p->texts, message);
}

static int take_type(struct profile *p, struct tk_bytes message)
{
    uint64_t at[3];
    if (numbers(message, at, 2) < 0)
        return 1;
    return tk_vec_push(&p->types, at[1]) || tk_vec_push(&p->types, at[2]) ? -1 : 0;
}

/* 1 id, 2 name, 4 file. */
static int take_function(struct profile *p, struct tk_bytes message)
{
    uint64_t at[5];
    if (numbers(message, at, 4) < 0)
        return 1;
    const struct function f = {name_of(p, at[2]), name_of(p, at[4])};
    return tk_map_put(&p->function_of, at[1], (uint32_t)p->functions.n) || tk_vec_push(&p->functions, f) ? -1
                                                                                                         : 0;
}

/* 1 id, 5 file name. */
static int take_module(struct profile *p, struct tk_bytes message)
{
    uint64_t at[6];
    if (numbers(message, at, 5) < 0)
        return 1;
    return tk_map_put(&p->module_of, at[1], (uint32_t)p->modules.n) ||
                   tk_vec_push(&p->modules, name_of(p, at[5]))
               ? -1
               : 0;
}

static int add_frame(struct profile *p, struct tk_ev_code_frame *f)
{
    const uint32_t frame = p->d->c->names.failed ? UINT32_MAX : tk_ev_code_frame(p->d->c, f);
    return frame == UINT32_MAX ? -1 : tk_vec_push(&p->frames, frame);
}

/* 1 function, 2 line. */
static int take_line(struct profile *p, struct tk_bytes message, uint32_t module)
{
    uint64_t at[3];
    if (numbers(message, at, 2) < 0)
        return 1;
    const uint32_t place = tk_map_get(&p->function_of, at[1]);
    const struct function none = {TK_EV_NO_NAME, TK_EV_NO_NAME},
                          *f = place == TK_MAP_NONE ? &none : &p->functions.v[place];
    struct tk_ev_code_frame frame = {.function = f->name,
                                     .file = f->file,
                                     .module = module,
                                     .build = TK_EV_NO_NAME,
                                     .line = at[2] <= UINT32_MAX ? (uint32_t)at[2] : 0};
    return add_frame(p, &frame);
}

/* 1 id, 2 module, 3 address, 4 lines. */
static int take_location(struct profile *p, struct tk_bytes message)
{
    uint64_t at[4];
    struct tk_bytes lines = message;
    struct field f;
    struct location l = {(uint32_t)p->frames.n, 0};
    if (numbers(message, at, 3) < 0)
        return 1;
    const uint32_t place = tk_map_get(&p->module_of, at[2]);
    const uint32_t module = place == TK_MAP_NONE ? TK_EV_NO_NAME : p->modules.v[place];
    int rc = 0;
    while (rc == 0 && next(&lines, &f) == 1)
        if (f.number == 4 && f.wire == BYTES)
            rc = take_line(p, f.bytes, module);
    struct tk_ev_code_frame unknown = {.function = TK_EV_NO_NAME,
                                       .file = TK_EV_NO_NAME,
                                       .module = module,
                                       .build = TK_EV_NO_NAME,
                                       .has_address = true,
                                       .address = at[3]};
    if (rc == 0 && p->frames.n == l.first)
        rc = add_frame(p, &unknown);
    l.n = (uint32_t)p->frames.n - l.first;
    if (rc == 0 &&
        (tk_map_put(&p->location_of, at[1], (uint32_t)p->locations.n) || tk_vec_push(&p->locations, l)))
        rc = -1;
    return rc;
}

/* ---- samples ---- */

struct sample {
    struct profile *p;
    uint64_t values, weight;
    bool unknown;
};

static int take_place(void *to, uint64_t id)
{
    struct sample *s = to;
    struct tk_prof_walk *d = s->p->d;
    const uint32_t at = tk_map_get(&s->p->location_of, id);
    s->unknown |= at == TK_MAP_NONE;
    for (uint32_t i = 0; at != TK_MAP_NONE && i < s->p->locations.v[at].n && d->frames.n < MOST_FRAMES; i++)
        if (tk_vec_push(&d->frames, s->p->frames.v[s->p->locations.v[at].first + i]))
            return -1;
    return 0;
}

static int take_value(void *to, uint64_t value)
{
    struct sample *s = to;
    if (s->values++ == s->p->wanted)
        s->weight = value;
    return 0;
}

/* The value of the label "thread"; NULL: it has none. */
static const struct tk_str *thread_of(struct profile *p, struct tk_bytes label)
{
    uint64_t at[3];
    if (numbers(label, at, 2) < 0)
        return NULL;
    const struct tk_bytes key = text_of(p, at[1]), value = text_of(p, at[2]);
    return key.n == 6 && memcmp(key.p, "thread", 6) == 0 && value.n
               ? tk_ev_text(&p->d->c->names, value.p, value.n)
               : NULL;
}

/* 1 locations, 2 values, 3 labels. */
static int take_sample(struct profile *p, struct tk_bytes message)
{
    struct sample s = {.p = p};
    const struct tk_str *thread = NULL;
    const size_t n = message.n;
    struct field f;
    int rc = 0, more;
    p->d->frames.n = 0;
    while (rc == 0 && (more = next(&message, &f)) != 0) {
        if (more < 0)
            return 1;
        if (f.number == 1 || f.number == 2)
            rc = each(&f, f.number == 1 ? take_place : take_value, &s);
        else if (f.number == 3 && f.wire == BYTES && !thread)
            thread = thread_of(p, f.bytes);
    }
    tk_ev_count(p->d->c, PPROF_SAMPLE, n);
    if (s.unknown)
        tk_ev_note(p->d->c, TK_EV_UNKNOWN_STACK, TK_NO_OFFSET);
    if (s.weight >> 63) /* of a difference of profiles */
        tk_ev_note(p->d->c, TK_EV_NEGATIVE_WEIGHT, TK_NO_OFFSET);
    return rc || !s.weight || s.weight >> 63 ? rc : tk_prof_add(p->d, thread, s.weight);
}

/* ---- the file ---- */

/* Kinds of messages in the order in which they refer to each other. */
static const struct {
    uint32_t field;
    int (*take)(struct profile *p, struct tk_bytes message); /* 0; 1: it is broken; -1: no memory */
} kinds[] = {{TEXT, take_text},         {SAMPLE_TYPE, take_type},  {MODULE, take_module},
             {FUNCTION, take_function}, {LOCATION, take_location}, {SAMPLE, take_sample}};

/* The default type, else the last one. */
static void choose_type(struct profile *p)
{
    p->wanted = p->types.n / 2 ? p->types.n / 2 - 1 : 0;
    for (size_t i = 0; i < p->types.n / 2 && p->default_type; i++)
        if (p->types.v[2 * i] == p->default_type)
            p->wanted = i;
}

static int say_type(struct profile *p)
{
    if (p->wanted * 2 + 1 >= p->types.n)
        return 0;
    const struct tk_bytes s = text_of(p, p->types.v[2 * p->wanted]),
                          unit = text_of(p, p->types.v[2 * p->wanted + 1]);
    const struct tk_str *type = tk_ev_text(&p->d->c->names, s.p, s.n),
                        *of = tk_ev_text(&p->d->c->names, unit.p, unit.n);
    if (!type || !of)
        return -1;
    return tk_ev_session(p->d->c, "weight", 6, tk_cell_of_text(type)) ||
                   tk_ev_session(p->d->c, "weight_unit", 11, tk_cell_of_text(of))
               ? -1
               : 0;
}

static int read_kind(struct profile *p, struct tk_bytes all, size_t kind)
{
    const uint8_t *const first = all.p;
    struct field f;
    int rc = 0, more;
    while (rc >= 0 && (more = next(&all, &f)) == 1) {
        const uint64_t offset = (uint64_t)(all.p - first);
        if (kind == 0 && f.number == DEFAULT_TYPE && f.wire == VARINT)
            p->default_type = f.value;
        if (f.number != kinds[kind].field || f.wire != BYTES)
            continue;
        rc = kinds[kind].take(p, f.bytes);
        if (rc > 0)
            tk_ev_note(p->d->c, TK_EV_RECORD_TOO_SHORT, offset - f.bytes.n);
    }
    if (kind == 0 && rc >= 0 && more < 0) {
        const uint64_t offset = (uint64_t)(all.p - first);
        p->d->c->truncated = true;
        tk_health_note(&p->d->c->ctx->health, TK_HEALTH_FILE_TRUNCATED, offset, 1,
                       "the profile ends inside a message, or is none from offset %llu on",
                       (unsigned long long)offset);
    }
    return rc < 0 ? -1 : 0;
}

static void release(struct profile *p)
{
    tk_vec_release(&p->texts);
    tk_vec_release(&p->functions);
    tk_vec_release(&p->modules);
    tk_vec_release(&p->locations);
    tk_vec_release(&p->frames);
    tk_vec_release(&p->types);
    tk_map_release(&p->function_of);
    tk_map_release(&p->module_of);
    tk_map_release(&p->location_of);
}

static int step_walk(void *walk, struct tk_err *err)
{
    struct tk_prof_walk *d = walk;
    struct profile p = {.d = d};
    struct tk_bytes all;
    int rc = d->c->pass == TK_EV_GATHER ? tk_prof_whole(d, &all, err) : TK_OK;
    if (rc != TK_OK || d->c->pass != TK_EV_GATHER)
        return rc;
    d->c->container = "profile of pprof";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && rc == 0; i++) {
        if (kinds[i].field == SAMPLE)
            choose_type(&p);
        rc = read_kind(&p, all, i);
    }
    rc = rc ? rc : say_type(&p);
    release(&p);
    return rc || d->c->names.failed ? tk_ev_failed(err) : TK_OK;
}

/* ---- the format ---- */

/* A ValueType has the numbers 1 and 2 alone. */
static bool is_type(struct tk_bytes message)
{
    struct field f;
    int rc;
    const bool any = message.n > 0 && message.n <= 22;
    while ((rc = next(&message, &f)) == 1)
        if (f.wire != VARINT || f.number > 2)
            return false;
    return any && rc == 0;
}

/* Field after field of a profile, with the type of each, types of values among them, and of more than one
 * kind: a trace of Perfetto begins in the same way. */
static int probe(const uint8_t *head, size_t n)
{
    static const uint8_t wires[LAST_FIELD + 1] = {0,      BYTES,  BYTES,  BYTES,  BYTES,  BYTES,
                                                  BYTES,  VARINT, VARINT, VARINT, VARINT, BYTES,
                                                  VARINT, BYTES,  VARINT, VARINT};
    struct tk_bytes all = {head, n};
    struct field f;
    unsigned seen = 0;
    while (next(&all, &f) == 1) {
        if (f.number > LAST_FIELD || (f.wire != wires[f.number] && !(f.number == 13 && f.wire == VARINT)))
            return 0;
        if (f.number == SAMPLE_TYPE && !is_type(f.bytes))
            return 0;
        seen |= 1u << f.number;
    }
    if (!(seen & 1u << SAMPLE_TYPE) && !(seen & 1u << SAMPLE && seen & 1u << LOCATION))
        return 0;
    return seen & ~(1u << SAMPLE_TYPE) ? 90 : 0;
}

static const struct tk_record_type types[TYPES] = {
    [PPROF_SAMPLE] = {.name = "Pprof.Sample", .family = "sample"}};

static const struct tk_ev_decoder decoder = {
    .noun = "sample",
    .nouns = "samples",
    .open = tk_prof_open,
    .step = step_walk,
    .close = tk_prof_close,
    .types = types,
    .n_types = TYPES,
};

const struct tk_format tk_format_pprof = {
    .name = "pprof",
    .help = "profile of pprof, as protobuf",
    .probe = probe,
    .open = tk_ev_capture_open,
    .decoder = &decoder,
    .tables = tk_ev_tables,
};
