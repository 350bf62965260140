/*
 * Tables `tree`, `callers`, `callees`. Slices add to sums by node of the paths of their lane; when all is
 * read, lanes are merged in the order of their numbers, and the tree is turned where a timer is asked about.
 */
#include "stats/tree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/names.h"
#include "model/view.h"
#include "stats/tree_rows.h"

static const struct tk_table tree_table = {
    .name = "tree",
    .help = "calls and times by stack of timers, all threads laid on each other",
    .columns = tk_tree_columns,
    .n_columns = TK_TREE_COLUMNS,
    .flags = TK_TABLE_ASKED,
};

static const struct tk_table callers_table = {
    .name = "callers",
    .help = "who called a timer, step by step up to the roots",
    .columns = tk_tree_columns,
    .n_columns = TK_TREE_COLUMNS,
    .flags = TK_TABLE_ASKED,
};

static const struct tk_table callees_table = {
    .name = "callees",
    .help = "what a timer called, step by step",
    .columns = tk_tree_columns,
    .n_columns = TK_TREE_COLUMNS,
    .flags = TK_TABLE_ASKED,
};

/* What a lane has so far. */
struct tree_lane {
    TK_VEC(struct tk_call_sums) sums; /* by node */
    const struct tk_paths *paths;     /* of the scope model; NULL until the end */
};

struct tree {
    const struct tk_view *view;
    bool framed;                      /* frame_mean is wanted */
    uint32_t n_frames;                /* those that have an end */
    TK_VEC(struct tree_lane *) lanes; /* owned, by number; NULL: had no run */
    TK_VEC(uint32_t) threads;         /* ids, by lane */
    struct tk_patterns timers;        /* of `callers` and `callees` */
    const char *text;                 /* the pattern of it; NULL: `tree` */
    bool callees;
};

#define BIT(column) (UINT64_C(1) << (column))

static unsigned slices(const struct tk_view *view, uint64_t wanted, bool *needs_frames)
{
    bool framed = wanted & BIT(TK_TREE_FRAME_MEAN);
    (void)view;
    *needs_frames |= framed;
    return TK_SLICE_PATH | (framed ? TK_SLICE_FRAME : 0);
}

static void close(void *self)
{
    struct tree *t = self;
    for (size_t i = 0; i < t->lanes.n; i++) {
        if (t->lanes.v[i])
            tk_vec_release(&t->lanes.v[i]->sums);
        free(t->lanes.v[i]);
    }
    tk_vec_release(&t->lanes);
    tk_vec_release(&t->threads);
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

static int open_for(const struct tk_view *view, uint64_t wanted, const char *const *text, bool callees,
                    void **self, struct tk_err *err)
{
    struct tree *t = calloc(1, sizeof *t);
    if (!t)
        return tk_err_nomem(err, "a call tree");
    *self = t;
    t->view = view;
    t->framed = wanted & BIT(TK_TREE_FRAME_MEAN);
    t->n_frames = t->framed ? count_frames(view->frames) : 0;
    t->callees = callees;
    if (!text)
        return TK_OK;
    t->text = *text;
    if (!t->text)
        return tk_err_set(err, TK_EUSAGE, "table '%s' needs the name of a timer", view->table->name);
    return tk_patterns_init(&t->timers, text, 1, err);
}

static int open_tree(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    return open_for(view, wanted, NULL, false, self, err);
}

static int open_callers(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    return open_for(view, wanted, &view->query->tree.callers, false, self, err);
}

static int open_callees(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    return open_for(view, wanted, &view->query->tree.callees, true, self, err);
}

/* ---- reading ---- */

/* Lanes are made here, as take is called by several workers. */
static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct tree *t = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_runs; i++) {
        const struct tk_scope_run *run = &batch->runs[i];
        if (run->kind != TK_LANE_THREAD)
            continue;
        if (tk_vec_reserve(&t->lanes, (size_t)run->lane + 1) ||
            tk_vec_reserve(&t->threads, (size_t)run->lane + 1))
            return tk_err_nomem(err, "a call tree");
        while (t->lanes.n <= run->lane) {
            t->lanes.v[t->lanes.n++] = NULL;
            t->threads.v[t->threads.n++] = TK_NO_THREAD;
        }
        if (!t->lanes.v[run->lane] && !(t->lanes.v[run->lane] = calloc(1, sizeof(struct tree_lane))))
            return tk_err_nomem(err, "a call tree");
        t->threads.v[run->lane] = run->thread;
    }
    return TK_OK;
}

static int reach(struct tree_lane *lane, const struct tk_paths *paths)
{
    if (lane->sums.n >= paths->nodes.n)
        return 0;
    if (tk_vec_reserve(&lane->sums, paths->nodes.n))
        return -1;
    while (lane->sums.n < paths->nodes.n)
        lane->sums.v[lane->sums.n++] = (struct tk_call_sums){0};
    return 0;
}

static void take_frames(const struct tree *t, struct tree_lane *lane, const struct tk_slices *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->frame[i] < t->n_frames)
            lane->sums.v[s->node[i]].framed += s->total[i];
    for (size_t i = 0; i < s->n_parts; i++)
        if (s->parts[i].frame < t->n_frames)
            lane->sums.v[s->node[s->parts[i].slice]].framed += s->parts[i].total;
}

static int take(void *self, const struct tk_slices *s, unsigned worker)
{
    struct tree *t = self;
    struct tree_lane *lane = t->lanes.v[s->lane];
    (void)worker;
    if (reach(lane, s->paths))
        return TK_ENOMEM;
    for (size_t i = 0; i < s->n; i++) {
        struct tk_call_sums *sums = &lane->sums.v[s->node[i]];
        sums->count++;
        sums->total += s->total[i];
        sums->excl += s->excl[i];
    }
    if (t->framed)
        take_frames(t, lane, s);
    return TK_OK;
}

static int lane(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct tree *t = self;
    (void)err;
    if (end->kind != TK_LANE_THREAD || end->lane >= t->lanes.n || !t->lanes.v[end->lane])
        return TK_OK;
    struct tree_lane *l = t->lanes.v[end->lane];
    l->paths = end->paths;
    if (l->sums.n > TK_PATH_LOST && l->sums.v[TK_PATH_LOST].count)
        tk_health_note(
            &t->view->ctx->health, TK_HEALTH_LIMIT_REACHED, TK_NO_OFFSET, l->sums.v[TK_PATH_LOST].count,
            "thread %" PRIu32 ": %" PRIu64 " scopes are counted together: tree_nodes=%" PRIu64 " is reached",
            end->thread, l->sums.v[TK_PATH_LOST].count, t->view->ctx->limits.tree_nodes);
    return TK_OK;
}

static int check(void *self, struct tk_err *err)
{
    struct tree *t = self;
    if (!t->text)
        return TK_OK;
    return tk_names_check_timers(&t->timers, t->view->dict, TK_FACT_MASK(SCOPES), err);
}

/* ---- rows ---- */

static int merge(struct tree *t, struct tk_call_tree *all)
{
    const struct tk_call_sums nothing = {0};
    for (uint32_t i = 0; i < t->lanes.n; i++) {
        struct tree_lane *l = t->lanes.v[i];
        uint32_t below = TK_PATH_ROOT;
        if (!l || !l->paths || !l->sums.n)
            continue;
        if (t->view->query->by & TK_BY_THREAD)
            below = tk_call_tree_add(all, TK_PATH_ROOT, TK_CALL_THREAD | i, &nothing);
        if (below == TK_PATH_NONE ||
            tk_call_tree_add_lane(all, below, l->paths, l->sums.v, l->sums.n, t->view->dict))
            return -1;
        tk_vec_release(&l->sums);
    }
    return 0;
}

static uint64_t count_selected(const struct tree *t)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < t->n_frames; i++)
        n += tk_select_touches(t->view->select, t->view->frames->v[i].from, t->view->frames->v[i].to);
    return n;
}

static int send(struct tree *t, struct tk_call_tree *tree, struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_tree_query *asked = &t->view->query->tree;
    const struct tk_tree_form form = {
        .view = t->view,
        .threads = t->threads.v,
        .n_threads = t->threads.n,
        .n_frames = count_selected(t),
        .depth = asked->depth,
        .min_share = asked->min_share,
        .filters = t->view->select->timers.n != 0,
    };
    return tk_tree_rows_send(&form, tree, emit, err);
}

static int turn(struct tree *t, const struct tk_call_tree *all, struct tk_call_tree *out)
{
    return t->callees ? tk_call_tree_callees(all, &t->timers, t->view->dict, out)
                      : tk_call_tree_callers(all, &t->timers, t->view->dict, out);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tree *t = self;
    struct tk_call_tree all = {0}, turned = {0};
    int rc = tk_call_tree_init(&all) || tk_call_tree_init(&turned) || merge(t, &all) ||
                     (t->text && turn(t, &all, &turned))
                 ? tk_err_nomem(err, "a call tree")
                 : TK_OK;
    if (rc == TK_OK)
        rc = send(t, t->text ? &turned : &all, emit, err);
    tk_call_tree_release(&all);
    tk_call_tree_release(&turned);
    return rc;
}

#define TREE_BUILDER(of, opens)                                                                              \
    {                                                                                                        \
        .table = (of), .facts = TK_FACT_MASK(SCOPES), .slices = slices, .open = (opens), .feed = feed,       \
        .take = take, .lane = lane, .check = check, .finish = finish, .close = close,                        \
    }

const struct tk_builder tk_builder_tree = TREE_BUILDER(&tree_table, open_tree);
const struct tk_builder tk_builder_callers = TREE_BUILDER(&callers_table, open_callers);
const struct tk_builder tk_builder_callees = TREE_BUILDER(&callees_table, open_callees);
