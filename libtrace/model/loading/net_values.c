/*
 * Table `net_values`: numbers that the network code counts by packet or by frame. A row a number.
 */
#include "model/loading/loading_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    INSTANCE_ID,
    INSTANCE,
    CONNECTION_ID,
    CONNECTION,
    OF,
    NAME,
    COUNT,
    SUM,
    FIRST,
    LAST,
    VALUES,
    COLUMNS = VALUES + TK_DISTRIBUTION_COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [INSTANCE_ID] = {"instance_id", TK_UINT, 0, NULL, "id of the game instance"},
    [INSTANCE] = {"instance", TK_TEXT, TK_COL_EXTRA, NULL,
                  "name of the game instance, where a connection is known"},
    [CONNECTION_ID] = {"connection_id", TK_UINT, 0, NULL, "id of the connection; empty for frames"},
    [CONNECTION] = {"connection", TK_TEXT, 0, NULL, "name of the connection"},
    [OF] = {"basis", TK_TEXT, 0, NULL, "whether it is counted by packet or by frame"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "name; empty if it is not defined"},
    [COUNT] = {"count", TK_UINT, 0, "values", "number of values"},
    [SUM] = {"sum", TK_UINT, 0, NULL, "sum of the values"},
    [FIRST] = {"first", TK_UINT, TK_COL_EXTRA, NULL, "first value"},
    [LAST] = {"last", TK_UINT, 0, NULL, "last value"},
    TK_DISTRIBUTION_NUMBERS(NULL, VALUES, "", TK_DISTRIBUTION_BIT(P99), "smallest value", "largest value",
                            "mean", "the values"),
};

static const struct tk_table table = {
    .name = "net_values",
    .help = "counters of the network code, in order of first appearance",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct series {
    uint32_t name;
    uint32_t instance, connection;
    uint64_t first, last;
    struct tk_distribution values;
};

struct net_values {
    struct tk_collector g;
    struct tk_net_links links;
    TK_VEC(struct series) series; /* looked up by a hash; keys of one hash follow each other */
};

static bool is_of(const struct series *s, const struct tk_fact_net_value *v)
{
    return s->name == v->name && s->instance == v->instance && s->connection == v->connection;
}

/* TK_ITEM, TK_OK when there is no space, TK_ENOMEM. */
static int series_of(struct net_values *n, const struct tk_fact_net_value *v, struct series **out)
{
    uint64_t key = tk_hash_u64(v->name ^ tk_hash_u64((uint64_t)v->instance << 32 | v->connection));
    uint32_t at;
    while ((at = tk_map_get(&n->g.index, key)) != TK_MAP_NONE && !is_of(&n->series.v[at], v))
        key++;
    if (at == TK_MAP_NONE) {
        struct series series = {
            .name = v->name, .instance = v->instance, .connection = v->connection, .first = v->value};
        if (!tk_row_limit_for(&n->g.capacity, n->series.n))
            return TK_OK;
        at = (uint32_t)n->series.n;
        if (tk_map_put(&n->g.index, key, at) || tk_vec_push(&n->series, series))
            return TK_ENOMEM;
    }
    *out = &n->series.v[at];
    return TK_ITEM;
}

static int take_net_values(void *self, const struct tk_fact *fact)
{
    struct net_values *n = self;
    struct series *series;
    int rc = tk_net_links_feed(&n->links, fact);
    if (rc != TK_OK || fact->kind != TK_FACT_NET_VALUE || !tk_select_has(n->g.view->select, fact->time))
        return rc;
    rc = series_of(n, &fact->u.net_value, &series);
    if (rc != TK_ITEM)
        return rc;
    series->last = fact->u.net_value.value;
    return tk_distribution_add(&series->values, series->last) ? TK_ENOMEM : TK_OK;
}

static void fill_net_values(const void *self, const void *thing, struct tk_cell *row)
{
    const struct net_values *n = self;
    const struct series *s = thing;
    bool by_packet = s->connection != UINT32_MAX;
    const struct tk_fact_net_link *link =
        by_packet ? tk_net_links_get(&n->links, s->instance, s->connection) : NULL;
    row[INSTANCE_ID] = tk_cell_of_uint(s->instance);
    if (by_packet)
        row[CONNECTION_ID] = tk_cell_of_uint(TK_NET_CONNECTION_ID(s->connection));
    if (link) {
        row[INSTANCE] = tk_cell_of_text(link->instance_name);
        row[CONNECTION] = tk_cell_of_text(link->name);
    }
    row[OF] = tk_cell_of_c(by_packet ? "packet" : "frame");
    row[NAME] = tk_cell_of_text(tk_net_links_name(&n->links, s->name));
    row[COUNT] = tk_cell_of_uint(s->values.count);
    row[SUM] = tk_cell_of_uint(s->values.total);
    row[FIRST] = tk_cell_of_uint(s->first);
    row[LAST] = tk_cell_of_uint(s->last);
    tk_distribution_put(n->g.view, TK_UINT, &s->values, &row[VALUES]);
}

static void release_series(void *thing)
{
    tk_distribution_release(&((struct series *)thing)->values);
}

static void release_net_values(void *self)
{
    tk_net_links_release(&((struct net_values *)self)->links);
}

static const struct tk_collecting gathering = {
    .what = "network values",
    .take = take_net_values,
    .release = release_net_values,
    TK_COLLECTOR_ROWS(struct net_values, series),
    .release_thing = release_series,
    .fill = fill_net_values,
};

const struct tk_builder tk_builder_net_values = {
    .table = &table,
    .needs = {.facts = TK_NET_LINK_FACTS | TK_FACT_MASK(NET_VALUE), .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
