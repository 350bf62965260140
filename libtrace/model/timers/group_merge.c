/*
 * From sums of lanes, timers and texts to those of groups.
 */
#include "model/marks/bookmark_range.h"
#include "model/marks/frame_list.h"
#include "model/timers/thread_class.h"
#include "model/timers/timers_in.h"
#include "tracekit/queries.h"

/*
 * Groups that are stretches of time: regions and types of frames.
 */

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

static int part_of_name(struct tk_groups *g, const struct tk_str *name, uint32_t *part)
{
    struct tk_group fresh = {.name = name};
    *part = tk_map_get(&g->by_name, (uint64_t)(uintptr_t)name);
    if (*part != TK_MAP_NONE)
        return 0;
    *part = (uint32_t)g->parts.n;
    return tk_groups_add(g, &fresh);
}

/* A queue of a GPU is a class of its own. */
static const struct tk_str *class_name(struct tk_groups *g, uint32_t lane)
{
    struct tk_dict *dict = g->view->dict;
    if (g->kinds.v[lane] != TK_LANE_THREAD)
        return tk_dict_lane_name(dict, g->kinds.v[lane], g->threads.v[lane]);
    const struct tk_thread *thread = tk_dict_thread(dict, g->threads.v[lane]);
    return thread ? tk_thread_class(&g->names, thread->displayed, thread->info.group) : NULL;
}

static int class_of(struct tk_groups *g, uint32_t lane, uint32_t *part)
{
    const struct tk_str *name = class_name(g, lane);
    return name ? part_of_name(g, name, part) : -1;
}

static int file_of(struct tk_groups *g, const struct tk_timer *timer, uint32_t *part)
{
    const struct tk_str *file = timer->info.file;
    const struct tk_str *name = file ? tk_intern(&g->names, file->p, file->n, (enum tk_encoding)file->enc)
                                     : tk_intern_c(&g->names, "");
    return name ? part_of_name(g, name, part) : -1;
}

/* Puts the sums of lanes or timers together to those of their group. */
static int regroup(struct tk_groups *g, const struct tk_interval_sums *from, struct tk_interval_sums *into)
{
    for (size_t i = 0; i < from->v.n; i++) {
        const struct tk_interval_sum *f = &from->v.v[i];
        uint32_t part = f->part, timer = f->timer;
        int rc = g->by == TK_BY_CLASS ? class_of(g, f->part, &part)
                                      : file_of(g, &g->view->dict->timers.v[timer], &part);
        struct tk_interval_sum *to =
            rc ? NULL : tk_interval_sums_of(into, part, g->by == TK_BY_FILE ? 0 : timer);
        if (!to)
            return -1;
        tk_interval_sum_add(to, f);
    }
    return 0;
}

/* What lanes or workers summed up, as parts. */
static int list_sets(struct tk_groups *g)
{
    struct tk_timer_sum_entry e;
    for (size_t i = 0; i < g->sets.n; i++) {
        for (size_t at = 0; g->sets.v[i] && tk_timer_sum_next(g->sets.v[i], &at, &e);) {
            uint32_t part = g->by == TK_BY_CLASS ? (uint32_t)i : 0;
            struct tk_interval_sum *sum = tk_interval_sums_of(&g->workers[0], part, e.timer);
            if (!sum)
                return -1;
            sum->count += e.cell->count;
            sum->incl += e.cell->incl;
            sum->total += e.cell->total;
            sum->excl += e.cell->excl;
        }
    }
    return 0;
}

/* Labels in order, each a part. They are packed at once, as the list of all is long. */
static int merge_labels(struct tk_groups *g)
{
    struct tk_label_sums all = {.v = {0}};
    int rc = tk_label_sums_merge(&all, g->labels, g->n_workers, &g->requested, g->view->dict);
    for (size_t i = 0; i < all.sorted.n && rc == 0; i++) {
        struct tk_label_sum *sum = all.sorted.v[i];
        const struct tk_str *label = sum->label;
        struct tk_group part = {.name =
                                    tk_intern(&g->names, label->p, label->n, (enum tk_encoding)label->enc)};
        bool same = g->parts.n && g->parts.v[g->parts.n - 1].name == part.name;
        if (!part.name || (!same && tk_vec_push(&g->parts, part)))
            rc = -1;
        sum->sum.part = (uint32_t)g->parts.n - 1;
        if (rc == 0)
            rc = tk_packed_sums_append(&g->packed, &sum->sum);
    }
    tk_packed_sums_rewind(&g->packed);
    tk_label_sums_release(&all);
    return rc;
}

static int merge_parts(struct tk_groups *g)
{
    struct tk_interval_sums *all = &g->workers[0], grouped = {0};
    int rc = list_sets(g);
    for (unsigned i = 0; g->now && i < g->n_workers && rc == 0; i++)
        rc = tk_interval_index_leave(&g->covers, &g->now[i], &g->workers[i]);
    if (rc == 0)
        rc = tk_interval_sums_settle(all, &g->requested, g->view->dict);
    for (unsigned i = 1; i < g->n_workers && rc == 0; i++) {
        rc = tk_interval_sums_merge(all, &g->workers[i], &g->requested, g->view->dict);
        tk_interval_sums_release(&g->workers[i]);
    }
    if (rc || !(g->by & (TK_BY_CLASS | TK_BY_FILE)))
        return rc;
    if (tk_interval_sums_sort(all))
        return -1;
    rc = regroup(g, all, &grouped);
    tk_interval_sums_release(all);
    *all = grouped;
    return rc;
}

int tk_groups_merge(struct tk_groups *g)
{
    if (g->by == TK_BY_LABEL)
        return merge_labels(g);
    return merge_parts(g) || tk_packed_sums_pack(&g->packed, &g->workers[0]) ? -1 : 0;
}
