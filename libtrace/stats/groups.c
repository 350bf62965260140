/*
 * Table `groups`. By class of thread and by file the part of a slice is its lane or its timer, which are put
 * together when all is read; by region and by type of frames it is what stretches of time it lies in; by
 * label its own text.
 */
#include "stats/groups.h"

#include <stdlib.h>

#include "model/frame_list.h"
#include "model/region_list.h"
#include "model/thread_class.h"
#include "model/view.h"
#include "stats/agg.h"
#include "stats/label_sums.h"
#include "stats/stretches.h"

enum { GROUP, NUMBER, START, DURATION, TIMER, COUNT, INCL, TOTAL, EXCL, MEAN, KIND, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [GROUP] =
        {"group", TK_TEXT, 0, NULL,
         "class of the threads, source file, name of the region, type of the frames or text of the scopes"},
    [NUMBER] = {"number", TK_UINT, 0, NULL, "of a region: which one of its name, from 0"},
    [START] = {"start", TK_TIME, TK_COL_EXTRA, NULL, "of a region: its begin"},
    [DURATION] = {"duration", TK_SPAN, TK_COL_EXTRA, NULL,
                  "of a region: its length; empty where it never ended"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name of the timer; empty by file"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "calls that touch the group"},
    [INCL] = {"incl", TK_SPAN, 0, NULL, "time in it, calls inside a call of the same timer left out"},
    [TOTAL] = {"total", TK_SPAN, 0, NULL, "sum of the times of all calls in it"},
    [EXCL] = {"excl", TK_SPAN, 0, NULL, "own time in it"},
    [MEAN] = {"mean", TK_MEAN, 0, NULL, "mean time in it of a call"},
    [KIND] = {"kind", TK_TEXT, TK_COL_EXTRA, NULL, "kind of the timer"},
};

static const struct tk_table table = {
    .name = "groups",
    .help = "timers by class of thread, source file, region, type of frames or text of their scopes",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ASKED,
    .sort_by = "incl",
};

/* What a part is shown as. */
struct part {
    const struct tk_str *name;
    int64_t begin, end;
    uint32_t number;
    bool is_region, open;
};

struct groups {
    const struct tk_view *view;
    unsigned by; /* one of TK_BY_CLASS, ... */
    struct tk_asked_timers asked;
    struct tk_part_sums *workers; /* owned */
    struct tk_label_sums *labels; /* owned, by worker; NULL but by label */
    unsigned n_workers;
    TK_VEC(struct tk_agg_set *) sets;   /* owned; by class: by lane, NULL: had no run; by file: by worker */
    TK_VEC(struct tk_stretches) tracks; /* of regions one, of frames one a type */
    TK_VEC(struct part) parts;
    TK_VEC(uint32_t) threads;            /* ids by lane */
    TK_VEC(struct tk_children) children; /* by lane */
    struct tk_intern names;
    struct tk_part_sums all;
};

#define MOST_HINTS 8u /* tracks whose last place is kept */
#define BY_TIME    (TK_BY_REGION | TK_BY_FRAME_TYPE)
#define GROUPINGS  (TK_BY_CLASS | TK_BY_FILE | TK_BY_LABEL | BY_TIME)

static unsigned beforehand(const struct tk_view *view)
{
    return (view->query->by & TK_BY_REGION ? TK_SCAN_REGIONS : 0) |
           (view->query->by & TK_BY_FRAME_TYPE ? TK_SCAN_FRAME_TYPES : 0);
}

static unsigned slices(const struct tk_view *view, uint64_t wanted, bool *needs_frames)
{
    (void)wanted;
    (void)needs_frames;
    if (view->query->by & BY_TIME)
        return TK_PART_SLICES | TK_SLICE_BEGIN;
    return TK_SLICE_OUTER | (view->query->by & TK_BY_LABEL ? TK_SLICE_TEXT : 0);
}

static uint64_t wants(const struct tk_view *view, uint64_t wanted)
{
    (void)wanted;
    return view->query->by & TK_BY_LABEL ? TK_FACT_MASK(SCOPE_TEXT) : 0;
}

static void close(void *self)
{
    struct groups *g = self;
    for (unsigned i = 0; g->workers && i < g->n_workers; i++)
        tk_part_sums_release(&g->workers[i]);
    free(g->workers);
    for (unsigned i = 0; g->labels && i < g->n_workers; i++)
        tk_label_sums_release(&g->labels[i]);
    free(g->labels);
    for (size_t i = 0; i < g->sets.n; i++) {
        if (g->sets.v[i])
            tk_agg_release(g->sets.v[i]);
        free(g->sets.v[i]);
    }
    tk_vec_release(&g->sets);
    for (size_t i = 0; i < g->tracks.n; i++)
        tk_stretches_release(&g->tracks.v[i]);
    tk_vec_release(&g->tracks);
    tk_vec_release(&g->parts);
    tk_vec_release(&g->threads);
    for (size_t i = 0; i < g->children.n; i++)
        tk_children_release(&g->children.v[i]);
    tk_vec_release(&g->children);
    tk_intern_release(&g->names);
    tk_part_sums_release(&g->all);
    tk_asked_timers_release(&g->asked);
    free(g);
}

static int reach_set(struct groups *g, size_t at)
{
    if (tk_vec_reserve(&g->sets, at + 1))
        return -1;
    while (g->sets.n <= at)
        g->sets.v[g->sets.n++] = NULL;
    if (!g->sets.v[at] && !(g->sets.v[at] = calloc(1, sizeof *g->sets.v[at])))
        return -1;
    g->sets.v[at]->what = TK_AGG_INCL;
    return 0;
}

/* ---- parts that are stretches of time ---- */

static struct tk_stretches *add_track(struct groups *g, bool one_part)
{
    struct tk_stretches track = {.one_part = one_part};
    return tk_vec_push(&g->tracks, track) ? NULL : &g->tracks.v[g->tracks.n - 1];
}

/* Regions of a name are numbered in the order of their begins. */
static uint32_t number_of(const struct groups *g, const struct tk_str *name)
{
    for (size_t i = g->parts.n; i-- > 0;)
        if (g->parts.v[i].name == name)
            return g->parts.v[i].number + 1;
    return 0;
}

static int add_region(struct groups *g, struct tk_stretches *track, const struct tk_region *r)
{
    bool still = r->state == TK_REGION_OPEN;
    int64_t end = still ? INT64_MAX : r->end;
    if (r->state == TK_REGION_BARE_END || !tk_select_touches(g->view->select, r->begin, end) ||
        !tk_patterns_pass(&g->view->select->regions, r->name))
        return 0;
    struct part part = {r->name, r->begin, end, number_of(g, r->name), true, still};
    struct tk_stretch stretch = {.begin = r->begin, .end = end, .part = (uint32_t)g->parts.n};
    return tk_vec_push(&g->parts, part) || tk_vec_push(&track->v, stretch) ? -1 : 0;
}

static int add_regions(struct groups *g)
{
    const struct tk_region_list *list = g->view->regions;
    struct tk_stretches *track = add_track(g, false);
    int rc = track ? 0 : -1;
    for (size_t i = 0; i < list->regions.n && rc == 0; i++)
        rc = add_region(g, track, &list->regions.v[i]);
    return rc;
}

static int add_frame_types(struct groups *g)
{
    const struct tk_frame_list *list = g->view->frame_list;
    int rc = 0;
    for (size_t i = 0; i < list->types.n && rc == 0; i++) {
        struct part part = {.name = list->types.v[i].name};
        rc = !add_track(g, true) || tk_vec_push(&g->parts, part) ? -1 : 0;
    }
    for (size_t i = 0; i < list->frames.n && rc == 0; i++) {
        const struct tk_frame *f = &list->frames.v[i];
        struct tk_stretch stretch = {.begin = f->begin, .end = f->end, .part = f->type};
        if (!f->open)
            rc = tk_vec_push(&g->tracks.v[f->type].v, stretch);
    }
    return rc;
}

static int make_parts(struct groups *g)
{
    int rc = g->by == TK_BY_REGION ? add_regions(g) : g->by == TK_BY_FRAME_TYPE ? add_frame_types(g) : 0;
    for (size_t i = 0; i < g->tracks.n && rc == 0; i++)
        rc = tk_stretches_sort(&g->tracks.v[i]);
    return rc;
}

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    struct groups *g = calloc(1, sizeof *g);
    (void)wanted;
    if (!g)
        return tk_err_nomem(err, "groups");
    *self = g;
    g->view = view;
    g->by = view->query->by & GROUPINGS;
    g->asked.patterns = &view->select->timers;
    g->n_workers = tk_pool_jobs(view->ctx->pool);
    g->workers = calloc(g->n_workers, sizeof *g->workers);
    if (!g->by || g->by & (g->by - 1))
        return tk_err_set(err, TK_EUSAGE,
                          "table 'groups' is by one of class, file, label, region and frame-type");
    if (g->by == TK_BY_LABEL && !(g->labels = calloc(g->n_workers, sizeof *g->labels)))
        return tk_err_nomem(err, "groups");
    for (unsigned i = 0; i < g->n_workers && g->by == TK_BY_FILE; i++)
        if (reach_set(g, i))
            return tk_err_nomem(err, "groups");
    return !g->workers || make_parts(g) ? tk_err_nomem(err, "groups") : TK_OK;
}

/* ---- reading ---- */

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct groups *g = self;
    (void)emit;
    if (tk_asked_timers_learn(&g->asked, g->view->dict))
        return tk_err_nomem(err, "groups");
    for (size_t i = 0; i < batch->n_runs; i++) {
        const struct tk_scope_run *run = &batch->runs[i];
        if (tk_vec_reserve(&g->threads, (size_t)run->lane + 1) ||
            tk_vec_reserve(&g->children, (size_t)run->lane + 1))
            return tk_err_nomem(err, "groups");
        while (g->threads.n <= run->lane)
            g->threads.v[g->threads.n++] = TK_NO_THREAD;
        while (g->children.n <= run->lane)
            g->children.v[g->children.n++] = (struct tk_children){0};
        g->threads.v[run->lane] = run->thread;
        if (g->by == TK_BY_CLASS && reach_set(g, run->lane))
            return tk_err_nomem(err, "groups");
    }
    return TK_OK;
}

static int take(void *self, const struct tk_slices *s, unsigned worker)
{
    struct groups *g = self;
    struct tk_part_sums *sums = &g->workers[worker];
    struct tk_children *children = &g->children.v[s->lane];
    int rc = 0;
    if (g->by == TK_BY_LABEL)
        return tk_label_sums_take(&g->labels[worker], &g->asked, s) ? TK_ENOMEM : TK_OK;
    if (!(g->by & BY_TIME))
        return tk_agg_take(g->sets.v[g->by == TK_BY_CLASS ? s->lane : worker], s) ? TK_ENOMEM : TK_OK;
    size_t hints[MOST_HINTS] = {0};
    for (size_t i = 0; i < s->n && rc == 0; i++) {
        for (size_t k = 0; k < g->tracks.n && rc == 0; k++)
            rc = tk_stretches_put(&g->tracks.v[k], &hints[k % MOST_HINTS], sums, &g->asked, children,
                                  g->view->select, s, i);
        if (rc == 0)
            rc = tk_part_sums_close(sums, &g->asked, children, s, i);
    }
    return rc ? TK_ENOMEM : TK_OK;
}

static bool has_labels(const struct groups *g)
{
    bool any = false;
    for (unsigned i = 0; i < g->n_workers; i++)
        any |= g->labels[i].v.n > 0;
    return any;
}

static int check(void *self, struct tk_err *err)
{
    struct groups *g = self;
    if (g->by == TK_BY_LABEL && !has_labels(g))
        return tk_err_set(err, TK_EMATCH,
                          "no scope here has a text; Unreal records metadata of scopes from 5.6 on");
    if (g->by == TK_BY_FRAME_TYPE && !g->view->frame_list->types.n)
        return tk_frames_missing(err);
    if (g->by == TK_BY_REGION && !g->parts.n)
        return tk_err_set(
            err, TK_EMATCH,
            "the capture has no regions here; Unreal records them with the channel 'region' on");
    return TK_OK;
}

/* ---- groups of lanes and of timers ---- */

static int part_of_name(struct groups *g, const struct tk_str *name, uint32_t *part)
{
    for (*part = 0; *part < g->parts.n; ++*part)
        if (g->parts.v[*part].name == name)
            return 0;
    struct part fresh = {.name = name};
    return tk_vec_push(&g->parts, fresh);
}

static int class_of(struct groups *g, uint32_t lane, uint32_t *part)
{
    const struct tk_thread *thread = tk_dict_thread(g->view->dict, g->threads.v[lane]);
    const struct tk_str *name = thread ? tk_thread_class(&g->names, thread->shown, thread->info.group) : NULL;
    return name ? part_of_name(g, name, part) : -1;
}

static int file_of(struct groups *g, const struct tk_timer *timer, uint32_t *part)
{
    const struct tk_str *file = timer->info.file;
    const struct tk_str *name = file ? tk_intern(&g->names, file->p, file->n, (enum tk_encoding)file->enc)
                                     : tk_intern_c(&g->names, "");
    return name ? part_of_name(g, name, part) : -1;
}

/* Puts the sums of lanes or timers together to those of their group. */
static int regroup(struct groups *g, const struct tk_part_sums *from, struct tk_part_sums *into)
{
    for (size_t i = 0; i < from->v.n; i++) {
        const struct tk_part_sum *f = &from->v.v[i];
        uint32_t part = f->part, timer = f->timer;
        int rc = g->by == TK_BY_CLASS ? class_of(g, f->part, &part)
                                      : file_of(g, &g->view->dict->timers.v[timer], &part);
        struct tk_part_sum *to = rc ? NULL : tk_part_sums_of(into, part, g->by == TK_BY_FILE ? 0 : timer);
        if (!to)
            return -1;
        to->count += f->count;
        to->incl += f->incl;
        to->total += f->total;
        to->excl += f->excl;
    }
    return 0;
}

/* What lanes or workers summed up, as parts. */
static int list_sets(struct groups *g)
{
    struct tk_agg_entry e;
    for (size_t i = 0; i < g->sets.n; i++) {
        for (size_t at = 0; g->sets.v[i] && tk_agg_next(g->sets.v[i], &at, &e);) {
            uint32_t part = g->by == TK_BY_CLASS ? (uint32_t)i : 0;
            struct tk_part_sum *sum = tk_part_sums_of(&g->workers[0], part, e.timer);
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

/* Labels in order, each a part. */
static int merge_labels(struct groups *g)
{
    struct tk_label_sums all = {.v = {0}};
    int rc = tk_label_sums_merge(&all, g->labels, g->n_workers, &g->asked, g->view->dict);
    for (size_t i = 0; i < all.v.n && rc == 0; i++) {
        const struct tk_str *label = all.v.v[i].label;
        struct part part = {.name = tk_intern(&g->names, label->p, label->n, (enum tk_encoding)label->enc)};
        bool same = g->parts.n && g->parts.v[g->parts.n - 1].name == part.name;
        if (!part.name || (!same && tk_vec_push(&g->parts, part)))
            rc = -1;
        all.v.v[i].sum.part = (uint32_t)g->parts.n - 1;
        if (rc == 0)
            rc = tk_vec_push(&g->all.v, all.v.v[i].sum);
    }
    tk_label_sums_release(&all);
    return rc;
}

static int merge(struct groups *g)
{
    if (g->by == TK_BY_LABEL)
        return merge_labels(g);
    int rc = list_sets(g);
    for (unsigned i = 0; i < g->n_workers && rc == 0; i++) {
        rc = tk_part_sums_merge(&g->all, &g->workers[i], &g->asked, g->view->dict);
        tk_part_sums_release(&g->workers[i]);
    }
    if (rc == 0)
        rc = tk_part_sums_sort(&g->all);
    if (rc || !(g->by & (TK_BY_CLASS | TK_BY_FILE)))
        return rc;
    struct tk_part_sums grouped = {0};
    rc = regroup(g, &g->all, &grouped);
    tk_part_sums_release(&g->all);
    g->all = grouped;
    return rc ? rc : tk_part_sums_sort(&g->all);
}

/* ---- rows ---- */

static void fill(const struct groups *g, const struct tk_part_sum *s, struct tk_cell *row)
{
    const struct tk_view *view = g->view;
    const struct part *part = &g->parts.v[s->part];
    row[GROUP] = tk_cell_of_text(part->name);
    if (part->is_region) {
        row[NUMBER] = tk_cell_of_uint(part->number);
        row[START] = tk_view_time(view, part->begin);
    }
    if (part->is_region && !part->open)
        row[DURATION] = tk_view_between(view, part->begin, part->end);
    if (g->by != TK_BY_FILE) {
        const struct tk_timer *timer = &view->dict->timers.v[s->timer];
        row[TIMER] = tk_cell_of_text(timer->shown);
        row[KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
    }
    row[COUNT] = tk_cell_of_uint(s->count);
    row[INCL] = tk_view_span(view, (int64_t)s->incl);
    row[TOTAL] = tk_view_span(view, (int64_t)s->total);
    row[EXCL] = tk_view_span(view, (int64_t)s->excl);
    row[MEAN] = tk_cell_of_mean((double)row[TOTAL].v.i / (double)s->count);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct groups *g = self;
    if (merge(g))
        return tk_err_nomem(err, "groups");
    for (size_t i = 0; i < g->all.v.n; i++) {
        if (!g->all.v.v[i].count)
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill(g, &g->all.v.v[i], row);
    }
    return tk_emit_status(emit);
}

const struct tk_builder tk_builder_groups = {
    .table = &table,
    .facts = TK_FACT_MASK(SCOPES),
    .sums = true,
    .wants = wants,
    .beforehand = beforehand,
    .slices = slices,
    .open = open,
    .feed = feed,
    .take = take,
    .check = check,
    .finish = finish,
    .close = close,
};
