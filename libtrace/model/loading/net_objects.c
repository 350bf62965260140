/*
 * Table `net_objects`: the objects that the network code knows, what they cost and what was sent of them. An
 * id that is used again after its object was destroyed is another row.
 */
#include "base/wrap.h"
#include "model/loading/loading_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    INSTANCE_ID,
    OBJECT_ID,
    NAME,
    TYPE_ID,
    OWNER_ID,
    PARENT_ID,
    COUNT,
    BITS,
    POLLS,
    POLL_TIME,
    WASTED,
    WASTE_TIME,
    QUANTIZED,
    QUANTIZE_TIME,
    WRITTEN,
    WRITE_TIME,
    DESTROYED,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [INSTANCE_ID] = {"instance_id", TK_UINT, 0, NULL, "id of the game instance"},
    [OBJECT_ID] = {"object_id", TK_UINT, 0, NULL, "id of the object"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "name; empty if its creation is not in the capture"},
    [TYPE_ID] = {"type_id", TK_HEX, TK_COL_EXTRA, NULL, "id of its type"},
    [OWNER_ID] = {"owner_id", TK_UINT, TK_COL_EXTRA, NULL, "id of its owner"},
    [PARENT_ID] = {"parent_id", TK_UINT, 0, NULL, "id of the object that it is part of"},
    [COUNT] = {"count", TK_UINT, 0, NULL, "number of occurrences in packets, in both directions"},
    [BITS] = {"bits", TK_UINT, 0, "bits", "total size of these in bits"},
    [POLLS] = {"polls", TK_UINT, 0, NULL, "number of times it was polled for changes"},
    [POLL_TIME] = {"poll_time", TK_DURATION, 0, NULL, "time spent on this"},
    [WASTED] = {"wasted_polls", TK_UINT, 0, NULL, "polls that found no change"},
    [WASTE_TIME] = {"wasted_time", TK_DURATION, 0, NULL, "time spent on this"},
    [QUANTIZED] = {"quantized", TK_UINT, TK_COL_EXTRA, NULL, "number of times it was quantised"},
    [QUANTIZE_TIME] = {"quantize_time", TK_DURATION, TK_COL_EXTRA, NULL, "time spent on this"},
    [WRITTEN] = {"written", TK_UINT, TK_COL_EXTRA, NULL, "number of times it was written"},
    [WRITE_TIME] = {"write_time", TK_DURATION, TK_COL_EXTRA, NULL, "time spent on this"},
    [DESTROYED] = {"destroyed", TK_BOOL, TK_COL_EXTRA, NULL, "was it destroyed?"},
};

static const struct tk_table table = {
    .name = "net_objects",
    .help = "objects that are sent over the network, in order of appearance",
    .columns = columns,
    .n_columns = COLUMNS,
    .sort_by = "bits",
};

struct object {
    uint32_t name;
    uint64_t id, type, parent, count, bits;
    uint64_t times[TK_NET_OBJECT_OPS];
    int64_t cycles[TK_NET_OBJECT_OPS];
    uint32_t instance, owner;
    bool known, has_parent, destroyed;
};

struct objects {
    struct tk_collector g;
    struct tk_net_links links;  /* only the names */
    TK_VEC(struct object) rows; /* the latest is looked up by a hash of instance and id */
};

/* Objects of one hash stand under keys that follow each other. TK_ITEM, TK_OK when there is no space,
 * TK_ENOMEM. `anew`: an object that was destroyed is not meant. */
static int object_of(struct objects *o, uint32_t instance, uint64_t id, bool anew, struct object **out)
{
    uint64_t key = tk_hash_pair(id, instance);
    uint32_t at;
    while ((at = tk_map_get(&o->g.index, key)) != TK_MAP_NONE &&
           (o->rows.v[at].instance != instance || o->rows.v[at].id != id))
        key++;
    if (at != TK_MAP_NONE && !(anew && o->rows.v[at].destroyed)) {
        *out = &o->rows.v[at];
        return TK_ITEM;
    }
    struct object object = {.id = id, .instance = instance};
    if (!tk_row_limit_for(&o->g.capacity, o->rows.n))
        return TK_OK;
    if (tk_map_put(&o->g.index, key, (uint32_t)o->rows.n) || tk_vec_push(&o->rows, object))
        return TK_ENOMEM;
    *out = &o->rows.v[o->rows.n - 1];
    return TK_ITEM;
}

static int take_object(struct objects *o, const struct tk_fact *fact)
{
    const struct tk_fact_net_object *info = &fact->u.net_object;
    struct object *object;
    int rc = object_of(o, info->instance, info->id, info->op == TK_NET_CREATED, &object);
    if (rc != TK_ITEM)
        return rc;
    if (info->op == TK_NET_CREATED) {
        object->known = true;
        object->name = info->name;
        object->type = info->type;
        object->owner = info->owner;
    } else if (info->op == TK_NET_DESTROYED) {
        object->destroyed = true;
    } else if (info->op == TK_NET_PARENT) {
        object->has_parent = true;
        object->parent = info->parent;
    } else if (tk_select_has(o->g.view->select, fact->time)) {
        object->times[info->op]++;
        object->cycles[info->op] = (int64_t)((uint64_t)object->cycles[info->op] + info->cycles);
    }
    return TK_OK;
}

static int take_packet_net_objects(struct objects *o, const struct tk_fact_net_packet *p)
{
    for (uint32_t i = 0; i < p->n_parts; i++) {
        struct object *object;
        if (!p->parts[i].is_object)
            continue;
        int rc = object_of(o, p->instance, p->parts[i].id, false, &object);
        if (rc < 0)
            return rc;
        if (rc != TK_ITEM)
            continue;
        object->count++;
        object->bits += p->parts[i].bits;
    }
    return TK_OK;
}

static int take_net_objects(void *self, const struct tk_fact *fact)
{
    struct objects *o = self;
    int rc = tk_net_links_feed(&o->links, fact);
    if (rc == TK_OK && fact->kind == TK_FACT_NET_OBJECT)
        return take_object(o, fact);
    if (rc == TK_OK && fact->kind == TK_FACT_NET_PACKET && tk_select_has(o->g.view->select, fact->time))
        return take_packet_net_objects(o, &fact->u.net_packet);
    return rc;
}

static void fill_net_objects(const void *self, const void *thing, struct tk_cell *row)
{
    const struct objects *objects = self;
    const struct tk_query_context *view = objects->g.view;
    const struct object *o = thing;
    row[INSTANCE_ID] = tk_cell_of_uint(o->instance);
    row[OBJECT_ID] = tk_cell_of_uint(o->id);
    row[NAME] = tk_cell_of_text(tk_net_links_name(&objects->links, o->name));
    if (o->known) {
        row[TYPE_ID] = (struct tk_cell){.kind = TK_HEX, .v.u = o->type};
        row[OWNER_ID] = tk_cell_of_uint(o->owner);
    }
    if (o->has_parent)
        row[PARENT_ID] = tk_cell_of_uint(o->parent);
    row[COUNT] = tk_cell_of_uint(o->count);
    row[BITS] = tk_cell_of_uint(o->bits);
    row[POLLS] = tk_cell_of_uint(o->times[TK_NET_POLLED] + o->times[TK_NET_WASTED]);
    row[POLL_TIME] =
        tk_query_context_span(view, tk_wrap_add(o->cycles[TK_NET_POLLED], o->cycles[TK_NET_WASTED]));
    row[WASTED] = tk_cell_of_uint(o->times[TK_NET_WASTED]);
    row[WASTE_TIME] = tk_query_context_span(view, o->cycles[TK_NET_WASTED]);
    row[QUANTIZED] = tk_cell_of_uint(o->times[TK_NET_QUANTIZED]);
    row[QUANTIZE_TIME] = tk_query_context_span(view, o->cycles[TK_NET_QUANTIZED]);
    row[WRITTEN] = tk_cell_of_uint(o->times[TK_NET_WRITTEN]);
    row[WRITE_TIME] = tk_query_context_span(view, o->cycles[TK_NET_WRITTEN]);
    row[DESTROYED] = tk_cell_of_bool(o->destroyed);
}

static void release_net_objects(void *self)
{
    tk_net_links_release(&((struct objects *)self)->links);
}

static const struct tk_collecting gathering = {
    .what = "network objects",
    .take = take_net_objects,
    .release = release_net_objects,
    TK_COLLECTOR_ROWS(struct objects, rows),
    .fill = fill_net_objects,
};

const struct tk_builder tk_builder_net_objects = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(NET_NAME) | TK_FACT_MASK(NET_OBJECT) | TK_FACT_MASK(NET_PACKET),
              .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
