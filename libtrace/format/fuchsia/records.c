/*
 * Types of records.
 */
#include "base/text/text.h"
#include "format/fuchsia/fuchsia_in.h"
#include "table/cell.h"

enum { NAME, CATEGORY, ID, ARGS, BYTES, FIELDS };

static const struct tk_str fields[FIELDS] = {[NAME] = TK_STR_OF("Name"),
                                             [CATEGORY] = TK_STR_OF("Category"),
                                             [ID] = TK_STR_OF("Id"),
                                             [ARGS] = TK_STR_OF("Args"),
                                             [BYTES] = TK_STR_OF("Bytes")};

#define TYPE_ROW(symbol, text_of_name, who)                                                                  \
    {.name = "Fuchsia." text_of_name,                                                                        \
     .family = who,                                                                                          \
     .n_fields = FIELDS,                                                                                     \
     .fields = fields,                                                                                       \
     .value = tk_ev_record_value,                                                                            \
     .named = true},
const struct tk_record_type tk_fx_types[TK_FX_KIND_COUNT] = {TK_FX_KINDS(TYPE_ROW)};

/* What a kind is called by where only its number is known; NULL: it has a name. */
static const char *prefix_of(enum tk_fx_kind kind)
{
    return kind == TK_FX_OTHER ? "Fuchsia.Record " : kind == TK_FX_OTHER_EVENT ? "Fuchsia.Event " : NULL;
}

int tk_fx_kind_count(struct tk_ev_capture *c, enum tk_fx_kind kind, uint32_t number, uint64_t bytes)
{
    const char *prefix = prefix_of(kind);
    if (prefix)
        return tk_ev_unread_number(c, prefix, number, &tk_fx_types[kind], bytes);
    tk_ev_count(c, kind, bytes);
    return 0;
}

int tk_fx_record_give(struct tk_ev_capture *c, const struct tk_fx_record *r)
{
    struct tk_cell *cells = tk_arena_alloc(&c->cells, FIELDS * sizeof *cells);
    if (!cells)
        return -1;
    cells[NAME] = tk_cell_of_text(r->name);
    cells[CATEGORY] = tk_cell_of_text(r->category);
    cells[ID] =
        r->has_id ? (struct tk_cell){.kind = TK_HEX, .v.u = r->id} : (struct tk_cell){.kind = TK_NONE};
    cells[ARGS] = tk_cell_of_text(r->args);
    cells[BYTES] = (struct tk_cell){.kind = TK_SIZE, .v.u = r->bytes};
    const struct tk_record_type *type = &tk_fx_types[r->kind];
    if (prefix_of(r->kind))
        type = tk_ev_unread_type(c, prefix_of(r->kind), r->number, type);
    return tk_ev_record(c, type, r->thread, r->has_time, r->time, r->offset, cells);
}
