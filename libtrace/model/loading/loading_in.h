/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_MODEL_LOADING_LOADING_IN_H
#define TK_MODEL_LOADING_LOADING_IN_H

#include "query/context.h"

/*
 * Network connections, by instance and id, and names by number: for the tables that show them.
 */

struct tk_net_links {
    struct tk_map index;
    TK_VEC(struct tk_fact_net_link) links;
    TK_VEC(const struct tk_str *) names; /* by number; NULL: not reported */
};

#define TK_NET_LINK_FACTS (TK_FACT_MASK(NET_LINK) | TK_FACT_MASK(NET_NAME))

/* The name of a number, or NULL. To be queried at the end, because names can come after their use. */
static inline const struct tk_str *tk_net_links_name(const struct tk_net_links *l, uint32_t number)
{
    return number < l->names.n ? l->names.v[number] : NULL;
}

/* Takes a fact; ignores other kinds. TK_OK or TK_ENOMEM. */
int tk_net_links_feed(struct tk_net_links *l, const struct tk_fact *fact);

/* What is known; NULL when nothing is. Valid until the next feed. */
const struct tk_fact_net_link *tk_net_links_get(const struct tk_net_links *l, uint32_t instance,
                                                uint32_t connection);

void tk_net_links_release(struct tk_net_links *l);

/* The columns that tables with connections begin with. */
enum {
    TK_NET_INSTANCE_ID,
    TK_NET_INSTANCE,
    TK_NET_CONNECTION_ID,
    TK_NET_CONNECTION,
    TK_NET_DIRECTION,
    TK_NET_LINK_COLUMNS
};

#define TK_NET_LINK_COLUMN_LIST                                                                              \
    [TK_NET_INSTANCE_ID] = {"instance_id", TK_UINT, 0, NULL, "id of the game instance"},                     \
    [TK_NET_INSTANCE] = {"instance", TK_TEXT, 0, NULL, "name of the game instance"},                         \
    [TK_NET_CONNECTION_ID] = {"connection_id", TK_UINT, 0, NULL, "id of the connection"},                    \
    [TK_NET_CONNECTION] = {"connection", TK_TEXT, 0, NULL, "name of the connection"},                        \
    [TK_NET_DIRECTION] = {"direction", TK_TEXT, 0, NULL, "out (sent) or in (received)"}

/* Fills them in. */
void tk_net_links_fill(const struct tk_net_links *l, uint32_t instance, uint32_t connection, bool incoming,
                       struct tk_cell *row);

/* A number for a connection and direction, to look things up by. */
static inline uint64_t tk_net_way(uint32_t instance, uint32_t connection, bool incoming)
{
    return (uint64_t)instance << 33 | (uint64_t)connection << 1 | incoming;
}

#endif
