/*
 * Types of packets, and records of them; see records.h.
 */
#include "format/perfetto/records.h"

#include "base/text/text.h"

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

/* Fields that any packet may have beside what it is. */
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

/* The first field that may say what a packet is, where no type does. */
static uint32_t unknown_field(struct tk_bytes packet)
{
    struct tk_pf_message m = tk_pf_message_of(packet);
    struct tk_pf_field f;
    while (tk_pf_next(&m, &f) == 1)
        if (!is_common(f.number))
            return f.number;
    return 0;
}

int tk_pf_kind_count(struct tk_ev_capture *c, enum tk_pf_kind kind, struct tk_bytes packet)
{
    if (kind != TK_PF_KIND_OTHER) {
        tk_ev_count(c, kind, packet.n);
        return 0;
    }
    return tk_ev_unread_number(c, "Perfetto.Field ", NULL, unknown_field(packet), true, packet.n);
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
    return tk_ev_record(c, r->kind, r->thread, r->has_time, r->time, r->offset, cells);
}
