/*
 * Allocations and frees that are read from their bytes: the same facts as of events one by one, which is how
 * they are read where somebody wants the events, too. For all shapes of the types, also those that are no
 * quick ones.
 */
#include "format/utrace/written.h"

enum { THREADS = 4, EVENTS = 400 };

static uint64_t state;

static uint64_t random_bits(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return state >> 8 ^ state << 40;
}

/* What all types of one capture declare. */
static const struct shape {
    struct tk_uw_field fields[6]; /* up to one without a name */
    bool sound;                   /* allocations of it can be read */
} shapes[] = {
    {{FIELD("Address", TK_UW_U64), FIELD("CallstackId", TK_UW_U32), FIELD("Size", TK_UW_U32),
      FIELD("AlignmentPow2_SizeLower", TK_UW_U8), FIELD("RootHeap", TK_UW_U8)},
     true},
    {{FIELD("RootHeap", TK_UW_U16), FIELD("Size", TK_UW_U64), FIELD("AlignmentPow2_SizeLower", TK_UW_U16),
      FIELD("Address", TK_UW_U32), FIELD("CallstackId", TK_UW_U64)},
     true},
    {{FIELD("Address", TK_UW_U64), FIELD("More", TK_UW_F64), FIELD("Size", TK_UW_U8)}, true},
    {{FIELD("Address", TK_UW_U64), FIELD("Size", TK_UW_I32), FIELD("RootHeap", TK_UW_I8)}, true},
    {{FIELD("Address", TK_UW_U64), FIELD("CallstackId", TK_UW_U32)}, false},
    {{FIELD("Size", TK_UW_U32), FIELD("CallstackId", TK_UW_U32)}, false},
};

static const char *const names[] = {"Alloc", "Free", "ReallocAllocSystem", "ReallocFreeSystem",
                                    "AllocSystem"};

enum { N_TYPES = sizeof names / sizeof *names, N_SHAPES = sizeof shapes / sizeof *shapes };

static void put_number(struct tk_uw_bytes *out, int type)
{
    switch (type) {
    case TK_UW_U64:
        tk_uw_u64(out, random_bits());
        break;
    case TK_UW_F64:
        tk_uw_f64(out, 1.5);
        break;
    case TK_UW_U32:
    case TK_UW_I32:
        tk_uw_u32(out, (uint32_t)random_bits());
        break;
    case TK_UW_U16:
        tk_uw_u16(out, (uint16_t)random_bits());
        break;
    default:
        tk_uw_u8(out, (uint8_t)random_bits());
        break;
    }
}

static uint8_t n_fields(const struct shape *shape)
{
    uint8_t n = 0;
    while (shape->fields[n].name)
        n++;
    return n;
}

/* version < 0: no Memory.Init. */
static void write_memory(struct written *w, const struct shape *shape, int version, unsigned shift)
{
    struct tk_uw_type types[N_TYPES];
    write_begin(w);
    REGISTER(w, init, NOSYNC, "Memory", "Init", FIELD("Version", TK_UW_U8), FIELD("SizeShift", TK_UW_U8));
    REGISTER(w, marker, 0, "Memory", "Marker", FIELD("Cycle", TK_UW_U64));
    for (size_t i = 0; i < N_TYPES; i++) {
        types[i] = (struct tk_uw_type){
            .logger = "Memory", .event = names[i], .fields = shape->fields, .field_count = n_fields(shape)};
        tk_uw_register(&w->uw, &types[i]);
    }
    if (version >= 0) {
        struct tk_uw_bytes *p = begin_event(lane_of(w, 2), &init);
        tk_uw_u8(p, (uint8_t)version);
        tk_uw_u8(p, (uint8_t)shift);
        tk_uw_end(lane_of(w, 2), &init);
    }
    for (unsigned i = 0; i < EVENTS; i++) {
        const unsigned tid = 2 + (unsigned)(random_bits() % THREADS);
        const struct tk_uw_type *type = i % 50 == 10 ? &marker : &types[random_bits() % N_TYPES];
        struct tk_uw_bytes *p = begin_event(lane_of(w, tid), type);
        if (type == &marker)
            tk_uw_u64(p, START + i);
        for (size_t k = 0; type != &marker && shape->fields[k].name; k++)
            put_number(p, shape->fields[k].type);
        tk_uw_end(lane_of(w, tid), type);
        if (random_bits() % 40 == 0)
            send_lane(w, tid);
    }
    write_end(w);
}

static size_t tell_memory(struct lines *reported, const struct tk_batch *batch)
{
    size_t n = 0;
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *f = &batch->facts[i];
        const struct tk_fact_memory *m = &f->u.memory;
        if (f->kind != TK_FACT_MEMORY)
            continue;
        add_line(reported, "t%u #%llu @%lld %u %llx %u in %u: %llu %u %u, %u\n", f->thread,
                 (unsigned long long)f->seq, (long long)f->time, m->op, (unsigned long long)m->address, m->id,
                 m->heap, (unsigned long long)m->size, m->packed, m->alignment, f->size);
        n++;
    }
    return n;
}

/* What a reading reports memory; its damage, too. How many facts. */
static size_t read_memory(struct opened *o, uint64_t facts)
{
    const struct tk_request request = {.facts = facts, .order = TK_ORDER_SERIAL};
    struct tk_source *source;
    struct tk_batch batch;
    size_t n = 0;
    clear_lines(&o->reported);
    add_line(&o->reported, "%s", "");
    ck_assert_int_eq(o->capture->ops->read(o->capture, &request, &source, &o->err), TK_OK);
    while ((o->rc = tk_source_next(source, &batch, &o->err)) == TK_ITEM)
        n += tell_memory(&o->reported, &batch);
    tk_source_close(source);
    ck_assert_int_eq(o->rc, TK_OK);
    for (int i = 0; i < TK_HEALTH_COUNT; i++)
        add_line(&o->reported, "%llu ", (unsigned long long)o->ctx.health.counts[i]);
    return n;
}

static size_t compare(const struct shape *shape, int version, unsigned shift)
{
    struct written w;
    struct opened quick, slow;
    write_memory(&w, shape, version, shift);
    open_written(&quick, &w.bytes);
    open_written(&slow, &w.bytes);
    const size_t n = read_memory(&quick, TK_FACT_MASK(MEMORY));
    ck_assert_uint_eq(read_memory(&slow, TK_FACT_MASK(MEMORY) | TK_FACT_MASK(RECORD)), n);
    check_text(quick.reported.text, slow.reported.text);
    close_opened(&quick);
    close_opened(&slow);
    tk_uw_bytes_release(&w.bytes);
    return n;
}

START_TEST(all_shapes)
{
    static const struct {
        int version;
        unsigned shift;
    } inits[] = {{2, 3}, {1, 5}, {2, 0}, {-1, 0}};
    state = 5;
    for (size_t i = 0; i < N_SHAPES; i++)
        for (size_t k = 0; k < sizeof inits / sizeof *inits; k++) {
            const size_t n = compare(&shapes[i], inits[k].version, inits[k].shift);
            if (shapes[i].sound)
                ck_assert_uint_eq(n, EVENTS);
        }
}
END_TEST

/* Allocations of version 0 are refused, and counted as damage; markers stay. */
START_TEST(too_old)
{
    state = 6;
    ck_assert_uint_eq(compare(&shapes[0], 0, 3), EVENTS / 50);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {all_shapes, too_old};
    return RUN_TESTS("facts from the bytes of events", tests);
}
