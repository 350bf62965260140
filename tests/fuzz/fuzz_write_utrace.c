/*
 * What the writer of .utrace captures writes is read back equal: the input says form, types and events.
 *
 *   u8 protocol, u8 packing and packets, 3 types (u8 flags and fields, u8 code each), then events until the
 * end: u8 type, thread, nesting; bytes of the numbers; u8 bytes and bytes of each array
 */
#include "api/trace.h"
#include "rig.h"
#include "utrace_writer.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = 3, FIELDS = 6, LANES = 2, MOST_EVENTS = 512 };

struct lane_truth {
    uint64_t events[MOST_EVENTS]; /* a number for the values of each */
    size_t n, read;
};

struct round {
    struct tk_uw uw;
    struct tk_uw_bytes file;
    struct tk_uw_lane lanes[LANES];
    struct tk_uw_type types[TYPES];
    struct tk_uw_field fields[TYPES][FIELDS];
    struct lane_truth truth[LANES];
    uint8_t protocol;
};

static uint64_t mix(uint64_t sum, uint64_t v)
{
    sum = (sum ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 31;
}

static uint64_t mix_bytes(uint64_t sum, const uint8_t *p, size_t n)
{
    sum = mix(sum, n);
    for (size_t i = 0; i < n; i++)
        sum = mix(sum, p[i]);
    return sum;
}

/* ---- writing ---- */

static void open_writer(struct round *r, struct fuzz_in *in)
{
    static const uint8_t transports[] = {1, 3, 3, 3, 3, 4, 4, 4};
    unsigned how;
    struct tk_uw_options options = {TK_UW_DEFAULTS, .memory = &r->file};
    options.protocol = r->protocol = fuzz_u8(in) % 8;
    options.transport = transports[r->protocol];
    options.form = r->protocol < 5 ? TK_UW_ECRT : TK_UW_2CRT;
    how = fuzz_u8(in);
    options.packing = (enum tk_uw_packing)(how % 4 % 3);
    options.verify = (how & 4) && r->protocol == 7;
    fuzz_promise(tk_uw_open(&r->uw, &options) == 0, "a writer");
    for (uint16_t i = 0; i < LANES; i++) {
        tk_uw_thread(&r->uw, &r->lanes[i], r->protocol ? (uint16_t)(2 + i) : 0);
        r->lanes[i].limit = 64u << how / 16 % 7;
        r->lanes[i].blob_max = how & 8 ? 5 : 0;
    }
    if (r->protocol >= 5)
        tk_uw_new_trace(&r->uw);
}

static void declare_types(struct round *r, struct fuzz_in *in)
{
    static const uint8_t numbers[] = {TK_UW_U8,  TK_UW_U16, TK_UW_U32, TK_UW_U64, TK_UW_I8,
                                      TK_UW_I16, TK_UW_I32, TK_UW_I64, TK_UW_F32, TK_UW_F64};
    static const uint8_t arrays[] = {TK_UW_U8S, TK_UW_U16S, TK_UW_I32S, TK_UW_F64S};
    static const char *const names[FIELDS] = {"A", "B", "C", "D", "E", "F"}, *const events[TYPES] = {"X", "Y",
                                                                                                     "Z"};
    for (unsigned t = 0; t < TYPES; t++) {
        struct tk_uw_type *type = &r->types[t];
        unsigned how = fuzz_u8(in);
        *type = (struct tk_uw_type){.logger = "Demo", .event = events[t], .fields = r->fields[t]};
        type->field_count = (uint8_t)(how % 7 < FIELDS ? how % 7 : FIELDS);
        type->flags = how & 64 || r->protocol == 0 ? TK_UW_NOSYNC : 0;
        for (unsigned i = 0; i < type->field_count; i++) {
            unsigned code = fuzz_u8(in);
            bool array = code >= 192 && r->protocol; /* protocol 0 attaches instead */
            r->fields[t][i] =
                (struct tk_uw_field){.name = names[i], .type = array ? arrays[code % 4] : numbers[code % 10]};
            type->flags |= array ? TK_UW_AUX : 0;
        }
        tk_uw_register(&r->uw, type);
    }
}

static size_t width_of(const struct tk_uw_field *f)
{
    return (size_t)1 << (f->type & 3);
}

static uint64_t put_numbers(struct tk_uw_lane *lane, const struct tk_uw_type *type, uint64_t sum,
                            struct fuzz_in *in)
{
    for (unsigned i = 0; i < type->field_count; i++)
        if (!(type->fields[i].type & 0x80)) {
            uint64_t v = fuzz_uint(in, (unsigned)width_of(&type->fields[i]));
            tk_uw_uint(&lane->pending, v, (unsigned)width_of(&type->fields[i]));
            sum = mix(sum, v + i);
        }
    return sum;
}

static bool put_event(struct round *r, unsigned lane, unsigned which, unsigned depth, struct fuzz_in *in)
{
    struct lane_truth *truth = &r->truth[lane];
    const struct tk_uw_type *type = &r->types[which];
    size_t place = truth->n++;
    bool inner = depth < 3 && r->protocol >= 5 && (type->flags & TK_UW_AUX);
    if (place >= MOST_EVENTS)
        return truth->n--, false;
    tk_uw_begin(&r->lanes[lane], type);
    uint64_t sum = put_numbers(&r->lanes[lane], type, which, in);
    for (unsigned i = 0; i < type->field_count; i++)
        if (type->fields[i].type & 0x80) {
            unsigned how = fuzz_u8(in);
            struct fuzz_in value = fuzz_take(in, (size_t)(how % 32) * width_of(&type->fields[i]));
            value.n -= value.n % width_of(&type->fields[i]);
            if (inner && how >= 128)
                put_event(r, lane, how / 32 % TYPES, depth + 1, in);
            tk_uw_value(&r->lanes[lane], type, i, value.p, value.n);
            sum = mix_bytes(mix(sum, i), value.p, value.n);
        }
    tk_uw_end(&r->lanes[lane], type);
    truth->events[place] = sum;
    return true;
}

static void close_writer(struct round *r)
{
    for (unsigned i = 0; i < LANES; i++) {
        tk_uw_lane_flush(&r->lanes[i]);
        tk_uw_lane_release(&r->lanes[i]);
    }
    fuzz_promise(tk_uw_close(&r->uw) == 0, "it was written");
}

/* ---- reading ---- */

static uint64_t bits_of(const struct tk_cell *c, size_t width)
{
    uint64_t bits = c->v.u;
    float single = (float)c->v.r;
    uint32_t low;
    memcpy(&low, &single, sizeof low);
    if (c->kind == TK_REAL32)
        return low;
    return width == 8 ? bits : bits & ((UINT64_C(1) << 8 * width) - 1);
}

/* Of signalling numbers the sign of calm is set on the way. */
static bool is_number(const struct tk_cell *c)
{
    return (c->kind != TK_REAL32 && c->kind != TK_REAL) || c->v.r == c->v.r;
}

static bool sum_of(const struct tk_record *rec, const struct tk_uw_type *type, unsigned which, uint64_t *sum)
{
    bool numbers = true;
    *sum = which;
    fuzz_promise(rec->type->n_fields == type->field_count, "all fields");
    for (int arrays = 0; arrays < 2; arrays++)
        for (uint32_t i = 0; i < rec->type->n_fields; i++) {
            struct tk_cell c = {0};
            rec->type->value(rec, i, &c);
            fuzz_promise((c.kind == TK_ARRAY) == ((type->fields[i].type & 0x80) != 0), "arrays are arrays");
            if (c.kind == TK_ARRAY && arrays)
                *sum = mix_bytes(mix(*sum, i), c.v.p, (size_t)c.n * c.width);
            else if (c.kind != TK_ARRAY && !arrays)
                *sum = mix(*sum, bits_of(&c, width_of(&type->fields[i])) + i);
            numbers &= is_number(&c);
        }
    return numbers;
}

static void check_record(struct round *r, const struct tk_fact *f)
{
    const struct tk_record *rec = &f->u.record.rec;
    unsigned which = 0, lane = r->protocol ? f->thread - 2 : 0;
    uint64_t sum;
    if (strncmp(rec->type->name, "Demo.", 5) != 0)
        return;
    while (which < TYPES - 1 && strcmp(rec->type->name + 5, r->types[which].event) != 0)
        which++;
    struct lane_truth *truth = &r->truth[lane % LANES];
    fuzz_promise(lane < LANES && truth->read < truth->n, "no event more than was written");
    bool known = sum_of(rec, &r->types[which], which, &sum);
    fuzz_promise(!known || sum == truth->events[truth->read], "an event is what was written");
    fuzz_promise(!f->u.record.incomplete, "and whole");
    truth->read++;
}

static void read_back(struct round *r)
{
    struct tk_trace *trace;
    struct tk_err err = {0};
    struct tk_source *source;
    struct tk_batch batch;
    const struct tk_request request = {.facts = TK_FACT_MASK(RECORD)};
    int rc = tk_open(&trace, fuzz_path(r->file.data, r->file.size), NULL, &err);
    fuzz_promise(rc == TK_OK, "it can be opened");
    fuzz_promise(trace->capture->ops->read(trace->capture, &request, &source, &err) == TK_OK, "and read");
    while ((rc = tk_source_next(source, &batch, &err)) == TK_ITEM)
        for (size_t i = 0; i < batch.n_facts; i++)
            if (batch.facts[i].kind == TK_FACT_RECORD)
                check_record(r, &batch.facts[i]);
    tk_source_close(source);
    fuzz_promise(rc == TK_OK && !tk_damaged(trace) && !tk_truncated(trace), "to its end, without damage");
    for (unsigned i = 0; i < LANES; i++)
        fuzz_promise(r->truth[i].read == r->truth[i].n, "every event is there");
    tk_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct round *r = calloc(1, sizeof *r);
    fuzz_promise(r != NULL, "memory");
    open_writer(r, &in);
    declare_types(r, &in);
    while (in.n) {
        unsigned how = fuzz_u8(&in);
        if (!put_event(r, r->protocol ? how / 4 % LANES : 0, how % 4 % TYPES, 0, &in))
            break;
    }
    close_writer(r);
    read_back(r);
    tk_uw_bytes_release(&r->file);
    free(r);
    return 0;
}
