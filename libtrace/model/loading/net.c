/*
 * Table `net`: what went over each connection; a row a connection and direction.
 */
#include "model/loading/loading_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    ADDRESS = TK_NET_LINK_COLUMNS,
    PACKETS,
    BITS,
    BYTES,
    BITS_PER_S,
    DROPPED,
    MISSING,
    BUNCHES,
    BUNCH_BITS,
    HEADER_BITS,
    CONTENT,
    SIZES,
    FIRST = SIZES + TK_DISTRIBUTION_COLUMNS,
    LAST,
    STATE,
    SERVER,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    TK_NET_LINK_COLUMN_LIST,
    [ADDRESS] = {"address", TK_TEXT, TK_COL_EXTRA, NULL, "address of the connection"},
    [PACKETS] = {"packets", TK_UINT, 0, "packets", "number of packets sent or received"},
    [BITS] = {"bits", TK_UINT, 0, "bits", "total size"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "size in bytes, rounded up"},
    [BITS_PER_S] = {"bits_per_s", TK_REAL, 0, "bits/s", "bits per second, from the first to the last packet"},
    [DROPPED] = {"dropped", TK_UINT, 0, "packets", "packets recorded as lost"},
    [MISSING] = {"missing", TK_UINT, 0, "packets", "packets missing from the sequence of numbers"},
    [BUNCHES] = {"bunches", TK_UINT, 0, NULL, "number of bunches in the packets"},
    [BUNCH_BITS] = {"bunch_bits", TK_UINT, 0, "bits", "bits of the bunches, without their headers"},
    [HEADER_BITS] = {"header_bits", TK_UINT, TK_COL_EXTRA, "bits", "bits of the headers of bunches"},
    [CONTENT] = {"content", TK_UINT, TK_COL_EXTRA, NULL, "number of objects and names in the packets"},
    TK_DISTRIBUTION_NUMBERS("bits", SIZES, "",
                            TK_DISTRIBUTION_BIT(MIN) | TK_DISTRIBUTION_BIT(MEDIAN) | TK_DISTRIBUTION_BIT(P99),
                            "smallest packet", "largest packet", "mean size of a packet", "the packet sizes"),
    [FIRST] = {"first", TK_TIME, TK_COL_EXTRA, NULL, "the first packet"},
    [LAST] = {"last", TK_TIME, TK_COL_EXTRA, NULL, "the last packet"},
    [STATE] = {"state", TK_TEXT, TK_COL_EXTRA, NULL,
               "last state of the connection: invalid, closed, pending or open; empty where not recorded"},
    [SERVER] = {"server", TK_BOOL, TK_COL_EXTRA, NULL, "is the instance a server?"},
};

static const struct tk_table table = {
    .name = "net",
    .help = "network traffic, by connection and direction",
    .columns = columns,
    .n_columns = COLUMNS,
    .sort_by = "bits",
};

struct way {
    uint32_t instance, connection;
    bool incoming;
    uint64_t dropped, missing, bunches, bunch_bits, header_bits, content;
    int64_t first, last;
    struct tk_distribution bits;
};

struct net {
    struct tk_collector g;
    struct tk_net_links links;
    TK_VEC(struct way) ways; /* looked up by tk_net_way */
};

static struct way *way_of(struct net *n, uint32_t instance, uint32_t connection, bool incoming)
{
    uint64_t key = tk_net_way(instance, connection, incoming);
    uint32_t at = tk_map_get(&n->g.index, key);
    struct way way = {.instance = instance, .connection = connection, .incoming = incoming};
    if (at == TK_MAP_NONE) {
        at = (uint32_t)n->ways.n;
        if (tk_map_put(&n->g.index, key, at) || tk_vec_push(&n->ways, way))
            return NULL;
    }
    return &n->ways.v[at];
}

static int take_packet_net(struct net *n, const struct tk_fact *fact)
{
    const struct tk_fact_net_packet *p = &fact->u.net_packet;
    struct way *way = way_of(n, p->instance, p->connection, p->incoming);
    if (!way)
        return TK_ENOMEM;
    if (!way->bits.count || fact->time < way->first)
        way->first = fact->time;
    if (!way->bits.count || fact->time > way->last)
        way->last = fact->time;
    way->bunches += p->n_bunches;
    way->content += p->n_parts;
    for (uint32_t i = 0; i < p->n_bunches; i++) {
        way->bunch_bits += p->bunches[i].bits;
        way->header_bits += p->bunches[i].header_bits;
    }
    return tk_distribution_add(&way->bits, p->bits) ? TK_ENOMEM : TK_OK;
}

static int take_loss(struct net *n, const struct tk_fact_net_loss *loss)
{
    struct way *way = way_of(n, loss->instance, loss->connection, loss->incoming);
    uint64_t packets = (uint64_t)(uint32_t)(loss->last - loss->first) + 1;
    if (!way)
        return TK_ENOMEM;
    if (loss->reported)
        way->dropped += packets;
    else
        way->missing += packets;
    return TK_OK;
}

static int take_net(void *self, const struct tk_fact *fact)
{
    struct net *n = self;
    int rc = tk_net_links_feed(&n->links, fact);
    bool packet = fact->kind == TK_FACT_NET_PACKET, loss = fact->kind == TK_FACT_NET_LOSS;
    if (rc != TK_OK || !(packet || loss) || !tk_select_has(n->g.view->select, fact->time))
        return rc;
    return packet ? take_packet_net(n, fact) : take_loss(n, &fact->u.net_loss);
}

static void fill_sizes(const struct tk_query_context *view, const struct way *way, struct tk_cell *row)
{
    double seconds =
        (double)((uint64_t)way->last - (uint64_t)way->first) / (double)view->dict->clock.frequency;
    if (!way->bits.count)
        return;
    if (view->dict->clock.frequency && way->last > way->first)
        row[BITS_PER_S] = tk_cell_of_real((double)way->bits.total / seconds);
    tk_distribution_put(view, TK_UINT, &way->bits, &row[SIZES]);
    row[FIRST] = tk_query_context_time(view, way->first);
    row[LAST] = tk_query_context_time(view, way->last);
}

static void fill_link(const struct tk_fact_net_link *link, struct tk_cell *row)
{
    static const char *const states[] = {NULL, "closed", "pending", "open"};
    row[ADDRESS] = tk_cell_of_text(link->address);
    if (link->closed)
        row[STATE] = tk_cell_of_c("closed");
    else if (link->state < sizeof states / sizeof *states)
        row[STATE] = tk_cell_of_c(states[link->state]);
    if (link->has_server)
        row[SERVER] = tk_cell_of_bool(link->server);
}

static void fill_net(const void *self, const void *thing, struct tk_cell *row)
{
    const struct net *n = self;
    const struct way *way = thing;
    const struct tk_fact_net_link *link = tk_net_links_get(&n->links, way->instance, way->connection);
    tk_net_links_fill(&n->links, way->instance, way->connection, way->incoming, row);
    if (link)
        fill_link(link, row);
    row[PACKETS] = tk_cell_of_uint(way->bits.count);
    row[BITS] = tk_cell_of_uint(way->bits.total);
    row[BYTES] = tk_cell_of_size(way->bits.total / 8 + (way->bits.total % 8 != 0));
    row[DROPPED] = tk_cell_of_uint(way->dropped);
    row[MISSING] = tk_cell_of_uint(way->missing);
    row[BUNCHES] = tk_cell_of_uint(way->bunches);
    row[BUNCH_BITS] = tk_cell_of_uint(way->bunch_bits);
    row[HEADER_BITS] = tk_cell_of_uint(way->header_bits);
    row[CONTENT] = tk_cell_of_uint(way->content);
    fill_sizes(n->g.view, way, row);
}

static void release_way(void *thing)
{
    tk_distribution_release(&((struct way *)thing)->bits);
}

static void release_net(void *self)
{
    tk_net_links_release(&((struct net *)self)->links);
}

static const struct tk_collecting gathering = {
    .what = "network traffic",
    .take = take_net,
    .release = release_net,
    TK_COLLECTOR_ROWS(struct net, ways),
    .release_thing = release_way,
    .fill = fill_net,
};

const struct tk_builder tk_builder_net = {
    .table = &table,
    .needs = {.facts = TK_NET_LINK_FACTS | TK_FACT_MASK(NET_PACKET) | TK_FACT_MASK(NET_LOSS),
              .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
