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
    return tk_ev_record(c, r->kind, r->thread, r->has_time, r->time, r->offset, cells);
}
