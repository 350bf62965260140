/*
 * Groups that are stretches of time: regions and types of frames. See group_sums.h.
 */
#include "model/timers/group_sums.h"
#include "model/marks/frame_list.h"
#include "model/marks/region_list.h"

static struct tk_interval_set *add_track(struct tk_groups *g, bool one_part)
{
    struct tk_interval_set track = {.one_part = one_part};
    return tk_vec_push(&g->tracks, track) ? NULL : &g->tracks.v[g->tracks.n - 1];
}

int tk_groups_add(struct tk_groups *g, const struct tk_group *part)
{
    uint32_t at = (uint32_t)g->parts.n;
    return tk_vec_push(&g->parts, *part) || tk_map_put(&g->by_name, (uint64_t)(uintptr_t)part->name, at) ? -1
                                                                                                         : 0;
}

/* Regions of a name are numbered in the order of their begins, whether they are selected or not. */
static int number(struct tk_groups *g, const struct tk_str *name, uint32_t *number)
{
    uint32_t n = tk_map_get(&g->by_name, (uint64_t)(uintptr_t)name);
    *number = n == TK_MAP_NONE ? 0 : n;
    return tk_map_put(&g->by_name, (uint64_t)(uintptr_t)name, *number + 1);
}

static int add_region(struct tk_groups *g, struct tk_interval_set *track, const struct tk_region *r)
{
    bool still = r->state == TK_REGION_OPEN;
    int64_t end = still ? INT64_MAX : r->end;
    struct tk_group part = {r->name, r->begin, end, 0, true, still};
    struct tk_interval_member stretch = {.begin = r->begin, .end = end, .part = (uint32_t)g->parts.n};
    if (r->state == TK_REGION_BARE_END)
        return 0;
    if (number(g, r->name, &part.number))
        return -1;
    if (!tk_select_touches(g->view->select, r->begin, end) ||
        !tk_patterns_pass(&g->view->select->regions, r->name))
        return 0;
    return tk_vec_push(&g->parts, part) || tk_vec_push(&track->v, stretch) ? -1 : 0;
}

static int add_regions(struct tk_groups *g)
{
    const struct tk_region_list *list = g->view->regions;
    struct tk_interval_set *track = add_track(g, false);
    int rc = track ? 0 : -1;
    for (size_t i = 0; i < list->regions.n && rc == 0; i++)
        rc = add_region(g, track, &list->regions.v[i]);
    return rc;
}

static int add_frame_types(struct tk_groups *g)
{
    const struct tk_frame_list *list = g->view->frame_list;
    int rc = 0;
    for (size_t i = 0; i < list->types.n && rc == 0; i++) {
        struct tk_group part = {.name = list->types.v[i].name};
        rc = !add_track(g, true) || tk_vec_push(&g->parts, part) ? -1 : 0;
    }
    for (size_t i = 0; i < list->frames.n && rc == 0; i++) {
        const struct tk_frame *f = &list->frames.v[i];
        struct tk_interval_member stretch = {.begin = f->begin, .end = f->end, .part = f->type};
        if (!f->open)
            rc = tk_vec_push(&g->tracks.v[f->type].v, stretch);
    }
    return rc;
}

int tk_groups_stretch(struct tk_groups *g)
{
    int rc = g->by == TK_BY_REGION ? add_regions(g) : g->by == TK_BY_FRAME_TYPE ? add_frame_types(g) : 0;
    for (size_t i = 0; i < g->tracks.n && rc == 0; i++)
        rc = tk_interval_set_sort(&g->tracks.v[i]);
    return rc ? rc : tk_interval_index_build(&g->covers, g->tracks.v, g->tracks.n, g->view->ctx->limits.rows);
}
