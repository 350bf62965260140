/*
 * Tables `channels` and `toggles`: the switchable parts of the recorder, as they stood in the end, and how
 * they came to stand so.
 */
#include "query/context_cells.h"
#include "query/tables.h"

#include <inttypes.h>

enum { ID, NAME, ENABLED, READ_ONLY, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [ID] = {"channel_id", TK_UINT, 0, NULL, "id of the channel"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "name; empty if it was never announced"},
    [ENABLED] = {"enabled", TK_BOOL, 0, NULL, "was it enabled at the end?"},
    [READ_ONLY] = {"read_only", TK_BOOL, 0, NULL, "can it be switched only at program start?"},
};

static const struct tk_table table = {
    .name = "channels",
    .help = "trace channels, in order of first appearance",
    .columns = columns,
    .n_columns = COLUMNS,
};

enum { T_INDEX, T_ID, T_NAME, T_ENABLED, T_ANNOUNCED, T_COLUMNS };

static const struct tk_column toggle_columns[T_COLUMNS] = {
    [T_INDEX] = {"index", TK_UINT, 0, NULL, "number of the row, from 0"},
    [T_ID] = {"channel_id", TK_UINT, 0, NULL, "id of the channel"},
    [T_NAME] = {"name", TK_TEXT, 0, NULL, "name of the channel; empty if it was never announced"},
    [T_ENABLED] = {"enabled", TK_BOOL, 0, NULL, "was it enabled from here on?"},
    [T_ANNOUNCED] = {"announced", TK_BOOL, 0, NULL, "is this an announcement rather than a toggle?"},
};

static const struct tk_table toggle_table = {
    .name = "toggles",
    .help = "channel announcements and toggles, in file order (they have no times)",
    .columns = toggle_columns,
    .n_columns = T_COLUMNS,
};

static int finish_channels(void *self, struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_query_context *view = self;
    (void)err;
    for (size_t i = 0; i < view->dict->channels.n; i++) {
        const struct tk_fact_channel *c = &view->dict->channels.v[i];
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        row[ID] = tk_cell_of_uint(c->id);
        row[NAME] = tk_cell_of_text(c->name);
        row[ENABLED] = tk_cell_of_bool(c->enabled);
        row[READ_ONLY] = tk_cell_of_bool(c->read_only);
    }
    return TK_OK;
}

/* The name of a channel may be reported after it was switched. */
static const struct tk_str *name_of_channels(const struct tk_dict *dict, uint32_t id)
{
    uint32_t at = tk_map_get(&dict->channel_index, id);
    return at != TK_MAP_NONE ? dict->channels.v[at].name : NULL;
}

static int finish_toggles(void *self, struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_query_context *view = self;
    (void)err;
    if (view->dict->lost_toggles)
        tk_health_limit(&view->ctx->health, TK_LIMIT_rows, TK_NO_OFFSET, view->dict->lost_toggles,
                        "%" PRIu64 " switches of channels were left out", view->dict->lost_toggles);
    for (size_t i = 0; i < view->dict->toggles.n; i++) {
        const struct tk_fact_channel *c = &view->dict->toggles.v[i];
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        row[T_INDEX] = tk_cell_of_uint(i);
        row[T_ID] = tk_cell_of_uint(c->id);
        row[T_NAME] = tk_cell_of_text(name_of_channels(view->dict, c->id));
        row[T_ENABLED] = tk_cell_of_bool(c->enabled);
        row[T_ANNOUNCED] = tk_cell_of_bool(c->announced);
    }
    return TK_OK;
}

const struct tk_builder tk_builder_channels = {
    .table = &table,
    .open = tk_query_context_open,
    .finish = finish_channels,
};

const struct tk_builder tk_builder_toggles = {
    .table = &toggle_table,
    .open = tk_query_context_open,
    .finish = finish_toggles,
};
