/*
 * Tables `tree`, `callers`, `callees`: what was spent on which stack of timers. When all is read, lanes
 * are merged in the order of their numbers, and the tree is turned where a timer is in
 * question.
 */
#include "model/timers/call_tree.h"
#include "model/timers/timers_in.h"
#include "query/context_cells.h"
#include "query/select.h"
#include "query/tables.h"
#include "tracekit/queries.h"

#include <stdlib.h>

static const struct tk_table tree_table = {
    .name = "tree",
    .help = "calls and times by stack of timers, merged over all threads and GPU queues",
    .columns = tk_tree_columns,
    .n_columns = TK_TREE_COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
};

static const struct tk_table callers_table = {
    .name = "callers",
    .help = "callers of a timer, step by step up to the roots",
    .columns = tk_tree_columns,
    .n_columns = TK_TREE_COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
};

static const struct tk_table callees_table = {
    .name = "callees",
    .help = "callees of a timer, step by step",
    .columns = tk_tree_columns,
    .n_columns = TK_TREE_COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
};

struct tree {
    const struct tk_query_context *view;
    bool framed;       /* frame_mean is wanted */
    uint32_t n_frames; /* those that have an end */
    struct tk_tree_lanes lanes;
    struct tk_patterns timers; /* of `callers` and `callees` */
    const char *text;          /* the pattern of it; NULL: `tree` */
    bool callees;
};

#define BIT(column) (UINT64_C(1) << (column))

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)view;
    needs->slices |= TK_SLICE_PATH;
    if (wanted & BIT(TK_TREE_FRAME_MEAN)) {
        needs->slices |= TK_SLICE_FRAME;
        needs->lists.frames |= TK_NEEDS_GAME_FRAMES;
    }
}

static void close_tree_table(void *self)
{
    struct tree *t = self;
    tk_tree_lanes_release(&t->lanes);
    tk_patterns_release(&t->timers);
    free(t);
}

/* An open last frame counts for nothing. */
static uint32_t count_frames(const struct tk_frames *frames)
{
    size_t n = frames->n;
    if (n && frames->v[n - 1].to == INT64_MAX)
        n--;
    return n < TK_FRAME_PARTS ? (uint32_t)n : TK_FRAME_PARTS - 1;
}

/* Who is in question: NULL for the whole tree. */
static const char *const *requested_timer(const struct tk_query_context *view, const struct tk_table *table)
{
    const struct tk_tree_query *tree = &view->query->tree;
    if (table == &tree_table)
        return NULL;
    return table == &callees_table ? &tree->callees : &tree->callers;
}

static int open_tree_table(const struct tk_query_context *view, const struct tk_builder *builder,
                           uint64_t wanted, void **self, struct tk_err *err)
{
    const char *const *text = requested_timer(view, builder->table);
    struct tree *t = calloc(1, sizeof *t);
    if (!t)
        return tk_err_nomem(err, "a call tree");
    *self = t;
    t->view = view;
    t->lanes.queues = true;
    t->framed = wanted & BIT(TK_TREE_FRAME_MEAN);
    t->n_frames = t->framed ? count_frames(view->frames) : 0;
    t->callees = builder->table == &callees_table;
    if (!text)
        return TK_OK;
    t->text = *text;
    if (!t->text)
        return tk_err_set(err, TK_EUSAGE, "table '%s' needs the name of a timer", builder->table->name);
    return tk_patterns_init(&t->timers, text, 1, err);
}

/* ---- reading ---- */

static int feed_tree_table(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    return tk_tree_lanes_feed(&((struct tree *)self)->lanes, batch, err);
}

static void take_frames_tree_table(const struct tree *t, struct tk_tree_lane *lane, const struct tk_slices *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->frame[i] < t->n_frames && !(s->node[i] & TK_PATH_INSIDE))
            lane->sums.v.v[s->node[i]].framed += s->total[i];
    for (size_t i = 0; i < s->n_parts; i++) {
        const uint32_t node = s->node[s->parts[i].slice];
        if (s->parts[i].frame < t->n_frames && !(node & TK_PATH_INSIDE))
            lane->sums.v.v[node].framed += s->parts[i].total;
    }
}

static int take_tree_table(void *self, const struct tk_slices *s, unsigned worker)
{
    struct tree *t = self;
    (void)worker;
    if (tk_tree_lanes_take(&t->lanes, s))
        return TK_ENOMEM;
    if (t->framed)
        take_frames_tree_table(t, t->lanes.v.v[s->lane], s);
    return TK_OK;
}

static uint64_t uses_tree_table(void *self, uint32_t lane, uint32_t node)
{
    return tk_tree_lanes_uses(&((struct tree *)self)->lanes, lane, node);
}

static int fold_tree_table(void *self, uint32_t lane, const uint32_t *to, size_t n)
{
    return tk_tree_lanes_fold(&((struct tree *)self)->lanes, lane, to, n);
}

static int lane_tree_table(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct tree *t = self;
    return tk_tree_lanes_end(&t->lanes, t->view, end, false) ? tk_err_nomem(err, "a call tree") : TK_OK;
}

static int check_tree_table(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    struct tree *t = self;
    if (!t->text)
        return TK_OK;
    return tk_pattern_check_timers(&t->timers, t->view->dict, TK_SCOPE_FACTS, err);
}

/* ---- rows ---- */

static int merge_tree_table(struct tree *t, struct tk_call_tree *all)
{
    return tk_tree_lanes_merge(&t->lanes, t->view->query->by & TK_BY_THREAD, t->view->dict, all);
}

static uint64_t count_selected(const struct tree *t)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < t->n_frames; i++)
        n += tk_select_touches(t->view->select, t->view->frames->v[i].from, t->view->frames->v[i].to);
    return n;
}

static int send_tree_table(struct tree *t, struct tk_call_tree *tree, struct tk_emit *emit,
                           struct tk_err *err)
{
    const struct tk_tree_query *requested = &t->view->query->tree;
    const struct tk_tree_form form = {
        .view = t->view,
        .threads = t->lanes.threads.v,
        .kinds = t->lanes.kinds.v,
        .n_threads = t->lanes.threads.n,
        .n_frames = count_selected(t),
        .depth = requested->depth,
        .min_share = requested->min_share,
        .filters = t->view->select->timers.n != 0,
    };
    return tk_tree_rows_send(&form, tree, emit, err);
}

/* All of it becomes what lies round the timers; while that is made it is not looked into by name. */
static int turn(struct tree *t, struct tk_call_tree *all)
{
    struct tk_call_tree turned;
    tk_paths_settle(&all->paths);
    int rc = tk_call_tree_init(&turned);
    if (rc == 0)
        rc = t->callees ? tk_call_tree_callees(all, &t->timers, t->view->dict, &turned)
                        : tk_call_tree_callers(all, &t->timers, t->view->dict, &turned);
    tk_call_tree_release(all);
    *all = turned;
    return rc;
}

static int finish_tree_table(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tree *t = self;
    struct tk_call_tree all = {0};
    int rc = tk_call_tree_init(&all) || merge_tree_table(t, &all) || (t->text && turn(t, &all))
                 ? tk_err_nomem(err, "a call tree")
                 : TK_OK;
    if (rc == TK_OK)
        rc = send_tree_table(t, &all, emit, err);
    tk_call_tree_release(&all);
    return rc;
}

static const struct tk_scope_hooks scope_hooks = {
    .take = take_tree_table,
    .lane = lane_tree_table,
    .paths = {.uses = uses_tree_table, .fold = fold_tree_table},
};

#define TREE_BUILDER(of, whose)                                                                              \
    {                                                                                                        \
        .table = (of), .needs = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(EXTENT), .lanes = (whose)},    \
        .scopes = &scope_hooks, .add_needs = add_needs, .open = open_tree_table, .feed = feed_tree_table,    \
        .check = check_tree_table, .finish = finish_tree_table, .close = close_tree_table,                   \
    }

const struct tk_builder tk_builder_tree = TREE_BUILDER(&tree_table, TK_NEEDS_QUEUES);
const struct tk_builder tk_builder_callers = TREE_BUILDER(&callers_table, TK_NEEDS_NAMED_QUEUES);
const struct tk_builder tk_builder_callees = TREE_BUILDER(&callees_table, TK_NEEDS_NAMED_QUEUES);
