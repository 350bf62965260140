/*
 * Walking over messages of protobuf.
 */
#include "base/text/text.h"
#include "base/vec.h"
#include "format/perfetto/perfetto_in.h"
#include "io/decompress.h"

/*
 * Unpacking of packets.
 */

#define MOST_BYTES (UINT64_C(64) << 20)

enum { FIRST_BYTES = 65536 };

static enum tk_pf_unpacked run(const struct tk_decompressor *d, void *state, struct tk_bytes packed,
                               uint64_t most, uint8_t **buf, size_t *cap, size_t *n)
{
    struct tk_decompress_io io = {.in = packed.p, .in_n = packed.n};
    const char *why;
    for (;;) {
        if (*n == *cap && *n >= most)
            return TK_PF_UNPACK_TOO_LARGE;
        if (*n == *cap && tk_vec_grow((void **)buf, cap, *cap ? *cap * 2 : FIRST_BYTES, 1))
            return TK_PF_UNPACK_NO_MEMORY;
        io.out = *buf + *n;
        io.out_n = *cap - *n;
        size_t capacity = io.out_n, left = io.in_n;
        enum tk_decompress_state s = d->step(state, &io, &why);
        *n += capacity - io.out_n;
        if (s == TK_UNPACK_NO_MEMORY)
            return TK_PF_UNPACK_NO_MEMORY;
        if (s == TK_UNPACK_BETWEEN)
            return TK_PF_UNPACKED;
        if (s == TK_UNPACK_BROKEN || (io.in_n == left && io.out_n == capacity))
            return TK_PF_UNPACK_BROKEN;
    }
}

enum tk_pf_unpacked tk_pf_unpack(struct tk_bytes packed, bool zstd, uint64_t most, uint8_t **buf, size_t *cap,
                                 struct tk_bytes *out)
{
    const struct tk_decompressor *d = zstd ? &tk_decompress_zstd : &tk_decompress_zlib;
    void *state = d->open();
    size_t n = 0;
    *out = (struct tk_bytes){(const uint8_t *)"", 0};
    if (!state)
        return TK_PF_UNPACK_NO_MEMORY;
    enum tk_pf_unpacked unpacked = run(d, state, packed, most < MOST_BYTES ? most : MOST_BYTES, buf, cap, &n);
    d->close(state);
    if (n)
        *out = (struct tk_bytes){*buf, n};
    return unpacked;
}

/*
 * Types of packets, and records of them.
 */

enum { NAME, TYPE, TRACK, SEQUENCE, BYTES, FIELDS };

static const struct tk_str fields[FIELDS] = {[NAME] = TK_STR_OF("Name"),
                                             [TYPE] = TK_STR_OF("Type"),
                                             [TRACK] = TK_STR_OF("Track"),
                                             [SEQUENCE] = TK_STR_OF("Sequence"),
                                             [BYTES] = TK_STR_OF("Bytes")};

#define TYPE_ROW(symbol, number, text_of_name, who)                                                          \
    {.name = "Perfetto." text_of_name,                                                                       \
     .family = who,                                                                                          \
     .n_fields = FIELDS,                                                                                     \
     .fields = fields,                                                                                       \
     .value = tk_ev_record_value,                                                                            \
     .named = true},
const struct tk_record_type tk_pf_types[TK_PF_KIND_COUNT] = {TK_PF_KINDS(TYPE_ROW)};

#define NUMBER_ROW(symbol, number, name, family) number,
static const uint32_t numbers[TK_PF_KIND_COUNT] = {TK_PF_KINDS(NUMBER_ROW)};

/* Fields that any packet may have alongside what it is. */
static bool is_common(uint32_t number)
{
    static const uint8_t common[] = {3, 8, 10, 12, 13, 41, 42, 58, 59, 79, 87, 98};
    return number < 128 && memchr(common, (int)number, sizeof common) != NULL;
}

enum tk_pf_kind tk_pf_kind_of(struct tk_bytes packet)
{
    struct tk_pf_message m = tk_pf_message_of(packet);
    struct tk_pf_field f;
    enum tk_pf_kind found = TK_PF_KIND_STATE;
    while (tk_pf_next(&m, &f) == 1) {
        if (is_common(f.number))
            continue;
        for (unsigned i = 0; i < TK_PF_KIND_STATE; i++)
            if (numbers[i] == f.number)
                return (enum tk_pf_kind)i;
        found = TK_PF_KIND_OTHER;
    }
    return found;
}

uint32_t tk_pf_unknown_field(struct tk_bytes packet)
{
    struct tk_pf_message m = tk_pf_message_of(packet);
    struct tk_pf_field f;
    while (tk_pf_next(&m, &f) == 1)
        if (!is_common(f.number))
            return f.number;
    return 0;
}

#define BY_FIELD "Perfetto.Field "

int tk_pf_kind_count(struct tk_ev_capture *c, enum tk_pf_kind kind, struct tk_bytes packet)
{
    if (kind != TK_PF_KIND_OTHER) {
        tk_ev_count(c, kind, packet.n);
        return 0;
    }
    return tk_ev_unread_number(c, BY_FIELD, tk_pf_unknown_field(packet), &tk_pf_types[kind], packet.n);
}

static struct tk_cell number_cell(bool has, uint64_t v)
{
    return has ? (struct tk_cell){.kind = TK_UINT, .v.u = v} : (struct tk_cell){.kind = TK_NONE};
}

int tk_pf_record_give(struct tk_ev_capture *c, const struct tk_pf_record *r)
{
    struct tk_cell *cells = tk_arena_alloc(&c->cells, FIELDS * sizeof *cells);
    if (!cells)
        return -1;
    cells[NAME] =
        r->name ? (struct tk_cell){.kind = TK_TEXT, .enc = r->name->enc, .n = r->name->n, .v.p = r->name->p}
                : (struct tk_cell){.kind = TK_NONE};
    cells[TYPE] = number_cell(r->type != 0, r->type);
    cells[TRACK] = number_cell(r->has_track, r->track);
    cells[SEQUENCE] = number_cell(r->sequence != 0, r->sequence);
    cells[BYTES] = (struct tk_cell){.kind = TK_SIZE, .v.u = r->bytes};
    const struct tk_record_type *type = &tk_pf_types[r->kind];
    if (r->kind == TK_PF_KIND_OTHER)
        type = tk_ev_unread_type(c, BY_FIELD, r->field, type);
    return tk_ev_record(c, type, r->thread, r->has_time, r->time, r->offset, cells);
}

int tk_pf_any_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (*p == end)
            return 0;
        uint8_t b = *(*p)++;
        if (shift < 64)
            value |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            *out = value;
            return 1;
        }
    }
    return -1;
}

static int fixed(struct tk_pf_message *m, unsigned n, uint64_t *out)
{
    *out = 0;
    if ((size_t)(m->end - m->p) < n)
        return -1;
    for (unsigned i = 0; i < n; i++)
        *out |= (uint64_t)m->p[i] << (8 * i);
    m->p += n;
    return 1;
}

int tk_pf_any_field(struct tk_pf_message *m, struct tk_pf_field *out)
{
    uint64_t tag, n;
    if (m->p == m->end)
        return 0;
    if (tk_pf_varint(&m->p, m->end, &tag) != 1 || tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
        return -1;
    out->number = (uint32_t)(tag >> 3);
    out->wire = tag & 7;
    out->bytes = (struct tk_bytes){m->p, 0};
    switch (out->wire) {
    case TK_PF_VARINT:
        return tk_pf_varint(&m->p, m->end, &out->value) == 1 ? 1 : -1;
    case TK_PF_FIXED64:
        return fixed(m, 8, &out->value);
    case TK_PF_FIXED32:
        return fixed(m, 4, &out->value);
    case TK_PF_BYTES:
        if (tk_pf_varint(&m->p, m->end, &n) != 1 || n > (size_t)(m->end - m->p))
            return -1;
        out->value = 0;
        out->bytes = (struct tk_bytes){m->p, (size_t)n};
        m->p += n;
        return 1;
    default:
        return -1;
    }
}

int tk_pf_number(const struct tk_pf_field *f, uint8_t wire, const uint8_t **at, uint64_t *out)
{
    if (f->wire != TK_PF_BYTES) {
        *out = f->value;
        return *at ? 0 : (*at = f->bytes.p, 1);
    }
    struct tk_pf_message m = {*at ? *at : f->bytes.p, f->bytes.p + f->bytes.n};
    if (m.p == m.end)
        return 0;
    int rc = wire == TK_PF_FIXED64 ? fixed(&m, 8, out) : tk_pf_varint(&m.p, m.end, out);
    *at = m.p;
    return rc == 1 ? 1 : -1;
}
