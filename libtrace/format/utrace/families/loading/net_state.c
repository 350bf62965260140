/*
 * What the handlers of the network family share: see net_state.h.
 */
#include "format/utrace/families/loading/net_state.h"

int tk_ut_net_number(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev, uint64_t id,
                     uint32_t *number)
{
    s->names.most = feed->capture->ctx->limits.rows;
    *number = tk_ut_net_name(&s->names, id);
    if (!*number)
        tk_health_limit(&feed->out->health, TK_LIMIT_rows, ev->offset, 1, "a network name was left out");
    return *number == UINT32_MAX ? TK_ENOMEM : TK_OK;
}

uint32_t tk_ut_net_connection(const struct tk_ut_net *s, uint32_t instance, uint64_t id)
{
    const struct tk_fact_net_link *link =
        tk_record_map_get(&s->links, (uint64_t)instance << 32 | (id & 0xffff));
    return link ? link->connection : (uint32_t)(id & 0xffff);
}

bool tk_ut_net_has_room(struct tk_ut_feed *feed, const struct tk_record_map *live,
                        const struct tk_ut_event *ev)
{
    if (live->count < feed->capture->ctx->limits.connections)
        return true;
    tk_health_limit(&feed->out->health, TK_LIMIT_connections, ev->offset, 1,
                    "a network connection was left out");
    return false;
}
