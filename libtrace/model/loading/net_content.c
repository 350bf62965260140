/*
 * Table `net_content`: what packets held, as a tree of names and objects for each connection and direction.
 * Objects of one name are one node.
 */
#include "model/loading/loading_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"
#include "table/cell.h"

/*
 * Network connections.
 */

/* Numbers are dense, so the gap to fill is small. */
static int take_name(struct tk_net_links *l, const struct tk_fact_net_name *name)
{
    if (tk_vec_reach(&l->names, (size_t)name->id + 1))
        return TK_ENOMEM;
    l->names.v[name->id] = name->name;
    return TK_OK;
}

int tk_net_links_feed(struct tk_net_links *l, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_NET_NAME)
        return take_name(l, &fact->u.net_name);
    if (fact->kind != TK_FACT_NET_LINK)
        return TK_OK;
    const struct tk_fact_net_link *link = &fact->u.net_link;
    uint64_t key = tk_net_way(link->instance, link->connection, false);
    uint32_t at = tk_map_get(&l->index, key);
    if (at != TK_MAP_NONE) {
        l->links.v[at] = *link;
        return TK_OK;
    }
    at = (uint32_t)l->links.n;
    return tk_map_put(&l->index, key, at) || tk_vec_push(&l->links, *link) ? TK_ENOMEM : TK_OK;
}

const struct tk_fact_net_link *tk_net_links_get(const struct tk_net_links *l, uint32_t instance,
                                                uint32_t connection)
{
    uint32_t at = tk_map_get(&l->index, tk_net_way(instance, connection, false));
    return at == TK_MAP_NONE ? NULL : &l->links.v[at];
}

void tk_net_links_fill(const struct tk_net_links *l, uint32_t instance, uint32_t connection, bool incoming,
                       struct tk_cell *row)
{
    const struct tk_fact_net_link *link = tk_net_links_get(l, instance, connection);
    row[TK_NET_INSTANCE_ID] = tk_cell_of_uint(instance);
    row[TK_NET_CONNECTION_ID] = tk_cell_of_uint(TK_NET_CONNECTION_ID(connection));
    row[TK_NET_DIRECTION] = tk_cell_of_c(incoming ? "in" : "out");
    if (!link)
        return;
    row[TK_NET_INSTANCE] = tk_cell_of_text(link->instance_name);
    row[TK_NET_CONNECTION] = tk_cell_of_text(link->name);
}

void tk_net_links_release(struct tk_net_links *l)
{
    tk_map_release(&l->index);
    tk_vec_release(&l->links);
    tk_vec_release(&l->names);
}

enum { NODE = TK_NET_LINK_COLUMNS, PARENT, DEPTH, KIND, NAME, COUNT, BITS, EXCL_BITS, MAX, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    TK_NET_LINK_COLUMN_LIST,
    [NODE] = {"node_id", TK_UINT, TK_COL_EXTRA, NULL, "number of the node"},
    [PARENT] = {"parent_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the parent node; empty: none"},
    [DEPTH] = {"depth", TK_UINT, 0, NULL, "depth in the tree"},
    [KIND] = {"kind", TK_TEXT, 0, NULL, "object or name"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "the name, or the name of the object; empty if it is not known"},
    [COUNT] = {"count", TK_UINT, 0, NULL, "number of occurrences"},
    [BITS] = {"bits", TK_UINT, 0, "bits", "size in bits, nested nodes included"},
    [EXCL_BITS] = {"excl_bits", TK_UINT, 0, "bits", "size in bits, without nested nodes"},
    [MAX] = {"max", TK_UINT, 0, "bits", "largest size in bits"},
};

static const struct tk_table table = {
    .name = "net_content",
    .help = "content of network packets, as a tree",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
    .sort_by = "bits",
};

#define NO_NODE UINT32_MAX
#define LEVELS  256

struct node {
    uint32_t name;
    uint64_t count, bits, inside, max;
    uint32_t way, parent, first, last, next; /* nodes; first to last: those inside */
    uint16_t depth;
    bool is_object;
};

struct way {
    uint32_t instance, connection, first, last;
    bool incoming;
};

struct content {
    struct tk_collector g;
    struct tk_net_links links;
    struct tk_map way_index, node_index; /* hashes -> place */
    TK_VEC(struct way) ways;
    TK_VEC(struct node) nodes;
};

static uint32_t way_of(struct content *c, const struct tk_fact_net_packet *p)
{
    uint64_t key = tk_net_way(p->instance, p->connection, p->incoming);
    uint32_t at = tk_map_get(&c->way_index, key);
    if (at != TK_MAP_NONE)
        return at;
    struct way way = {p->instance, p->connection, NO_NODE, NO_NODE, p->incoming};
    at = (uint32_t)c->ways.n;
    return tk_map_put(&c->way_index, key, at) || tk_vec_push(&c->ways, way) ? TK_MAP_NONE : at;
}

static bool is_part(const struct node *node, uint32_t way, uint32_t parent, const struct tk_net_part *part)
{
    return node->way == way && node->parent == parent && node->name == part->name &&
           node->is_object == part->is_object;
}

/* Two nodes of one hash stand under keys that follow each other. */
static uint64_t hash_of_net_content(uint32_t way, uint32_t parent, const struct tk_net_part *part)
{
    uint64_t place = tk_hash_u64((uint64_t)way << 32 | parent);
    return tk_hash_u64(place ^ part->name) + part->is_object;
}

static void link_node(struct content *c, uint32_t at)
{
    const struct node *node = &c->nodes.v[at];
    uint32_t *first = node->parent == NO_NODE ? &c->ways.v[node->way].first : &c->nodes.v[node->parent].first;
    uint32_t *last = node->parent == NO_NODE ? &c->ways.v[node->way].last : &c->nodes.v[node->parent].last;
    if (*last == NO_NODE)
        *first = at;
    else
        c->nodes.v[*last].next = at;
    *last = at;
}

/* TK_ITEM, TK_OK when there is no space, TK_ENOMEM. */
static int node_of(struct content *c, uint32_t way, uint32_t parent, const struct tk_net_part *part,
                   uint32_t *out)
{
    uint64_t key = hash_of_net_content(way, parent, part);
    uint32_t at;
    while ((at = tk_map_get(&c->node_index, key)) != TK_MAP_NONE &&
           !is_part(&c->nodes.v[at], way, parent, part))
        key += 2;
    *out = at;
    if (at != TK_MAP_NONE)
        return TK_ITEM;
    if (!tk_row_limit_for(&c->g.capacity, c->nodes.n))
        return TK_OK;
    struct node node = {.name = part->name,
                        .way = way,
                        .parent = parent,
                        .first = NO_NODE,
                        .last = NO_NODE,
                        .next = NO_NODE,
                        .depth = (uint16_t)(parent == NO_NODE ? 0 : c->nodes.v[parent].depth + 1),
                        .is_object = part->is_object};
    *out = (uint32_t)c->nodes.n;
    if (tk_map_put(&c->node_index, key, *out) || tk_vec_push(&c->nodes, node))
        return TK_ENOMEM;
    link_node(c, *out);
    return TK_ITEM;
}

struct levels {
    uint32_t node[LEVELS];
    uint8_t level[LEVELS];
    unsigned n;
};

static int take_part_net_content(struct content *c, uint32_t way, const struct tk_net_part *part,
                                 struct levels *levels)
{
    uint32_t at;
    while (levels->n && levels->level[levels->n - 1] >= part->level)
        levels->n--;
    uint32_t parent = levels->n ? levels->node[levels->n - 1] : NO_NODE;
    int rc = node_of(c, way, parent, part, &at);
    if (rc != TK_ITEM)
        return rc;
    struct node *node = &c->nodes.v[at];
    node->count++;
    node->bits += part->bits;
    if (part->bits > node->max)
        node->max = part->bits;
    if (parent != NO_NODE)
        c->nodes.v[parent].inside += part->bits;
    levels->level[levels->n] = part->level;
    levels->node[levels->n++] = at;
    return TK_OK;
}

/* Parts of different bunches do not lie inside each other. */
static int take_packet_net_content(struct content *c, const struct tk_fact_net_packet *p)
{
    struct levels levels = {.n = 0};
    uint32_t way = way_of(c, p), bunch = 0;
    int rc = way == TK_MAP_NONE ? TK_ENOMEM : TK_OK;
    for (uint32_t i = 0; i < p->n_parts && rc == TK_OK; i++) {
        while (bunch < p->n_bunches && i >= p->bunches[bunch].first + p->bunches[bunch].n)
            bunch++;
        if (bunch < p->n_bunches && i == p->bunches[bunch].first)
            levels.n = 0;
        rc = take_part_net_content(c, way, &p->parts[i], &levels);
    }
    return rc;
}

static int take_net_content(void *self, const struct tk_fact *fact)
{
    struct content *c = self;
    int rc = tk_net_links_feed(&c->links, fact);
    if (rc == TK_OK && fact->kind == TK_FACT_NET_PACKET && tk_select_has(c->g.view->select, fact->time))
        rc = take_packet_net_content(c, &fact->u.net_packet);
    return rc;
}

static bool send_node(const struct content *c, uint32_t at, struct tk_emit *emit)
{
    const struct node *node = &c->nodes.v[at];
    const struct way *way = &c->ways.v[node->way];
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return false;
    tk_net_links_fill(&c->links, way->instance, way->connection, way->incoming, row);
    row[NODE] = tk_cell_of_uint(at);
    if (node->parent != NO_NODE)
        row[PARENT] = tk_cell_of_uint(node->parent);
    row[DEPTH] = tk_cell_of_uint(node->depth);
    row[KIND] = tk_cell_of_c(node->is_object ? "object" : "name");
    row[NAME] = tk_cell_of_text(tk_net_links_name(&c->links, node->name));
    row[COUNT] = tk_cell_of_uint(node->count);
    row[BITS] = tk_cell_of_uint(node->bits);
    row[EXCL_BITS] = tk_cell_of_uint(node->bits > node->inside ? node->bits - node->inside : 0);
    row[MAX] = tk_cell_of_uint(node->max);
    return true;
}

/* The node after this one, from the root on down; NO_NODE at the end of the tree. */
static uint32_t after(const struct content *c, uint32_t at)
{
    if (c->nodes.v[at].first != NO_NODE)
        return c->nodes.v[at].first;
    while (at != NO_NODE && c->nodes.v[at].next == NO_NODE)
        at = c->nodes.v[at].parent;
    return at == NO_NODE ? NO_NODE : c->nodes.v[at].next;
}

static int send_net_content(void *self, struct tk_emit *emit)
{
    const struct content *c = self;
    for (size_t i = 0; i < c->ways.n; i++) {
        for (uint32_t at = c->ways.v[i].first; at != NO_NODE; at = after(c, at)) {
            if (!send_node(c, at, emit))
                return 0;
        }
    }
    return 0;
}

static void release_net_content(void *self)
{
    struct content *c = self;
    tk_net_links_release(&c->links);
    tk_map_release(&c->way_index);
    tk_map_release(&c->node_index);
    tk_vec_release(&c->ways);
    tk_vec_release(&c->nodes);
}

static const struct tk_collecting gathering = {
    .what = "the content of packets",
    .take = take_net_content,
    .release = release_net_content,
    .size = sizeof(struct content),
    .send = send_net_content,
};

const struct tk_builder tk_builder_net_content = {
    .table = &table,
    .needs = {.facts = TK_NET_LINK_FACTS | TK_FACT_MASK(NET_PACKET), .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
