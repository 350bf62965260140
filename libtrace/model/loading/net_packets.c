/*
 * Table `net_packets`: every packet. Which ones were lost is known later, so rows wait for the end.
 */
#include "model/loading/loading_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum { TIME = TK_NET_LINK_COLUMNS, SEQUENCE, BITS, BYTES, BUNCHES, BUNCH_BITS, PARTS, STATE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    TK_NET_LINK_COLUMN_LIST,
    [TIME] = {"time", TK_TIME, 0, NULL,
              "time it was sent or received; for a missing packet the time at which it was noticed"},
    [SEQUENCE] = {"sequence", TK_UINT, 0, NULL, "sequence number on the connection"},
    [BITS] = {"bits", TK_UINT, 0, "bits", "size"},
    [BYTES] = {"bytes", TK_SIZE, TK_COL_EXTRA, NULL, "size in bytes, rounded up"},
    [BUNCHES] = {"bunches", TK_UINT, 0, NULL, "number of bunches in it"},
    [BUNCH_BITS] = {"bunch_bits", TK_UINT, 0, "bits", "bits of its bunches, without their headers"},
    [PARTS] = {"content", TK_UINT, 0, NULL, "number of objects and names in it"},
    [STATE] = {"state", TK_TEXT, 0, NULL,
               "ok, dropped (recorded as lost) or missing (its number was skipped)"},
};

static const struct tk_table table = {
    .name = "net_packets",
    .help = "network packets, in the order in which they were recorded",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
};

enum state { OK, DROPPED, MISSING };

#define MOST_MISSING 65536u /* packets of one gap that get a row each */

struct packet {
    int64_t time;
    uint64_t bits, bunch_bits;
    uint32_t instance, connection, sequence, bunches, parts;
    bool incoming;
    uint8_t state;
};

struct packets {
    struct tk_collector g;
    struct tk_net_links links;
    TK_VEC(struct packet) rows; /* looked up by way and sequence */
};

/* Of packets of one number the last one is found; numbers of 32 bits on ways of few make few collisions,
 * which is_same finds out. */
static uint64_t key_of_net_packets(const struct packet *p)
{
    return tk_hash_u64(tk_net_way(p->instance, p->connection, p->incoming)) ^ p->sequence;
}

static bool is_same_net_packets(const struct packet *a, const struct packet *b)
{
    return a->instance == b->instance && a->connection == b->connection && a->incoming == b->incoming &&
           a->sequence == b->sequence;
}

static int keep_net_packets(struct packets *p, const struct packet *row)
{
    if (!tk_row_limit_for(&p->g.capacity, p->rows.n))
        return TK_OK;
    if (tk_map_put(&p->g.index, key_of_net_packets(row), (uint32_t)p->rows.n) || tk_vec_push(&p->rows, *row))
        return TK_ENOMEM;
    return TK_OK;
}

static int take_packet_net_packets(struct packets *p, const struct tk_fact *fact)
{
    const struct tk_fact_net_packet *info = &fact->u.net_packet;
    struct packet row = {.time = fact->time,
                         .bits = info->bits,
                         .instance = info->instance,
                         .connection = info->connection,
                         .sequence = info->sequence,
                         .bunches = info->n_bunches,
                         .parts = info->n_parts,
                         .incoming = info->incoming};
    for (uint32_t i = 0; i < info->n_bunches; i++)
        row.bunch_bits += info->bunches[i].bits;
    return keep_net_packets(p, &row);
}

static int take_loss(struct packets *p, const struct tk_fact *fact)
{
    const struct tk_fact_net_loss *loss = &fact->u.net_loss;
    struct packet row = {.time = fact->time,
                         .instance = loss->instance,
                         .connection = loss->connection,
                         .sequence = loss->first,
                         .incoming = loss->incoming,
                         .state = loss->reported ? DROPPED : MISSING};
    int rc = TK_OK;
    uint32_t at = tk_map_get(&p->g.index, key_of_net_packets(&row)), n = loss->last - loss->first;
    if (loss->reported && at != TK_MAP_NONE && is_same_net_packets(&p->rows.v[at], &row)) {
        p->rows.v[at].state = DROPPED;
        return TK_OK;
    }
    if (n >= MOST_MISSING) {
        tk_health_note(&p->g.view->ctx->health, TK_HEALTH_LIMIT_REACHED, TK_NO_OFFSET, n,
                       "packets %u to %u are missing; they have no rows", loss->first, loss->last);
        return TK_OK;
    }
    for (uint32_t i = 0; i <= n && rc == TK_OK; i++, row.sequence++)
        rc = keep_net_packets(p, &row);
    return rc;
}

static int take_net_packets(void *self, const struct tk_fact *fact)
{
    struct packets *p = self;
    int rc = tk_net_links_feed(&p->links, fact);
    if (rc == TK_OK && fact->kind == TK_FACT_NET_PACKET)
        return take_packet_net_packets(p, fact);
    return rc == TK_OK && fact->kind == TK_FACT_NET_LOSS ? take_loss(p, fact) : rc;
}

static bool is_visible_net_packets(const void *self, const void *thing)
{
    return tk_select_has(((const struct packets *)self)->g.view->select,
                         ((const struct packet *)thing)->time);
}

static void fill_net_packets(const void *self, const void *thing, struct tk_cell *row)
{
    const struct packets *p = self;
    const struct packet *packet = thing;
    static const char *const states[] = {"ok", "dropped", "missing"};
    tk_net_links_fill(&p->links, packet->instance, packet->connection, packet->incoming, row);
    row[TIME] = tk_query_context_time(p->g.view, packet->time);
    row[SEQUENCE] = tk_cell_of_uint(packet->sequence);
    row[STATE] = tk_cell_of_c(states[packet->state]);
    if (packet->state == MISSING)
        return;
    row[BITS] = tk_cell_of_uint(packet->bits);
    row[BYTES] = tk_cell_of_size(packet->bits / 8 + (packet->bits % 8 != 0));
    row[BUNCHES] = tk_cell_of_uint(packet->bunches);
    row[BUNCH_BITS] = tk_cell_of_uint(packet->bunch_bits);
    row[PARTS] = tk_cell_of_uint(packet->parts);
}

static void release_net_packets(void *self)
{
    tk_net_links_release(&((struct packets *)self)->links);
}

static const struct tk_collecting gathering = {
    .what = "packets",
    .take = take_net_packets,
    .release = release_net_packets,
    TK_COLLECTOR_ROWS(struct packets, rows),
    .displayed = is_visible_net_packets,
    .fill = fill_net_packets,
};

const struct tk_builder tk_builder_net_packets = {
    .table = &table,
    .needs = {.facts = TK_NET_LINK_FACTS | TK_FACT_MASK(NET_PACKET) | TK_FACT_MASK(NET_LOSS),
              .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
