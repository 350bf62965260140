/*
 * Network connections: see net_links.h.
 */
#include "model/loading/net_links.h"

#include "table/cell.h"

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
