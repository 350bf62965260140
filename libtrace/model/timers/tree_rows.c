/*
 * From a call tree to rows.
 */
#include "base/sort.h"
#include "model/timers/timers_in.h"
#include "query/context_cells.h"

const struct tk_column tk_tree_columns[TK_TREE_COLUMNS] = {
    [TK_TREE_DEPTH] = {"depth", TK_UINT, 0, NULL, "depth: steps from the root"},
    [TK_TREE_TIMER] = {"timer", TK_TEXT, 0, NULL,
                       "name; a thread with --by thread; (other): small entries combined"},
    [TK_TREE_COUNT] = {"count", TK_UINT, 0, "calls", "calls on this stack"},
    [TK_TREE_INCL] = {"incl", TK_DURATION, 0, NULL, "inclusive time"},
    [TK_TREE_EXCL] = {"excl", TK_DURATION, 0, NULL, "exclusive time: without the scopes inside"},
    [TK_TREE_OPEN_TIME] =
        {"open_time", TK_DURATION, TK_COL_OPTIONAL, NULL,
         "time of calls that never ended, which no other column includes; empty if all ended"},
    [TK_TREE_SHARE] = {"share", TK_REAL, TK_COL_PART, NULL,
                       "incl and open_time as a share of all roots, 0 to 1"},
    [TK_TREE_FRAME_MEAN] = {"frame_mean", TK_MEAN, 0, NULL, "mean of incl per complete game frame"},
    [TK_TREE_PRUNED] = {"pruned", TK_UINT, TK_COL_EXTRA, "stacks", "number of stacks combined in this row"},
    [TK_TREE_ID] = {"node_id", TK_UINT, 0, NULL, "number of the row, from 1"},
    [TK_TREE_PARENT_ID] = {"parent_id", TK_UINT, 0, NULL, "id of the parent row; empty for a root"},
    [TK_TREE_KIND] = {"kind", TK_TEXT, TK_COL_EXTRA, NULL, "kind of the timer"},
    [TK_TREE_FILE] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file of the timer"},
    [TK_TREE_LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line in the source file"},
};

/* A node among those with the same parent. */
struct tree_node {
    uint32_t node, timer;
    int64_t total;
};

struct rows {
    const struct tk_tree_form *form;
    const struct tk_call_tree *tree;
    uint32_t *order; /* owned: all nodes, children of one parent together */
    uint32_t *first; /* owned: by node: where its children begin in the order; one more than nodes */
    uint64_t *excl;  /* owned: by node: own time of it and all below */
    uint32_t *nodes; /* owned: by node: how many it and all below are */
    bool *kept;      /* owned: by node: passes the filter */
    TK_VEC(struct tree_node) siblings;
    double least; /* total of a row, cycles */
    double whole;
    uint64_t ids;
};

/* A place of the walk through the tree: the next child to send, and what was too small so far. */
struct place {
    size_t next, end;
    uint64_t id;
    struct tk_call_sums other;
    uint64_t pruned;
};

/* The time of calls, whether they ended or not. */
static int64_t time_of_tree_rows(const struct tk_call_sums *sums)
{
    return (int64_t)(sums->total + sums->open_time);
}

static int by_total(const void *a, const void *b)
{
    const struct tree_node *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

/* ---- what is known before the first row ---- */

static bool reserve(struct rows *r)
{
    size_t n = r->tree->paths.nodes.n;
    r->order = calloc(n, sizeof *r->order);
    r->first = calloc(n + 1, sizeof *r->first);
    r->excl = calloc(n, sizeof *r->excl);
    r->nodes = calloc(n, sizeof *r->nodes);
    r->kept = calloc(n, sizeof *r->kept);
    return r->order && r->first && r->excl && r->nodes && r->kept;
}

static void release_tree_rows(struct rows *r)
{
    free(r->order);
    free(r->first);
    free(r->excl);
    free(r->nodes);
    free(r->kept);
    tk_vec_release(&r->siblings);
}

/* Threads have nothing of their own: they get the sum of what lies below them. */
static int sum_threads(struct tk_call_tree *t)
{
    int rc = 0;
    for (uint32_t i = TK_PATH_LOST + 1; i < t->sums.v.n && rc == 0; i++) {
        uint32_t parent = t->paths.nodes.v[i].parent;
        if (!(t->paths.nodes.v[parent].timer & TK_CALL_THREAD) || parent == TK_PATH_ROOT)
            continue;
        struct tk_call_sums sums = tk_call_store_get(&t->sums, i);
        sums.count = sums.excl = sums.open_excl = 0;
        rc = tk_call_store_add(&t->sums, parent, &sums);
    }
    return rc;
}

static bool passes_tree_rows(const struct rows *r, uint32_t timer)
{
    const struct tk_dict *dict = r->form->view->dict;
    return timer < dict->timers.n &&
           tk_patterns_pass(&r->form->view->select->timers, dict->timers.v[timer].displayed);
}

/* Children come behind their parents, so from the back everything below a node is known. */
static void sum_below(struct rows *r)
{
    const struct tk_call_tree *t = r->tree;
    for (size_t i = t->sums.v.n; i-- > TK_PATH_LOST + 1;) {
        const struct tk_path_node *node = &t->paths.nodes.v[i];
        r->excl[i] += t->sums.v.v[i].excl;
        r->nodes[i]++;
        r->kept[i] = r->kept[i] || !r->form->filters || passes_tree_rows(r, node->timer);
        if (node->parent == TK_PATH_ROOT)
            continue;
        r->excl[node->parent] += r->excl[i];
        r->nodes[node->parent] += r->nodes[i];
        r->kept[node->parent] = r->kept[node->parent] || r->kept[i];
    }
}

/* Where the children of each node begin: their number first, then that of all before them. */
static void place_children(struct rows *r)
{
    const struct tk_path_node *nodes = r->tree->paths.nodes.v;
    const size_t n = r->tree->sums.v.n;
    for (size_t i = TK_PATH_LOST + 1; i < n; i++)
        r->first[nodes[i].parent + 1]++;
    for (size_t i = 0; i < r->tree->paths.nodes.n; i++)
        r->first[i + 1] += r->first[i];
    /* from the back, so that what is taken off a begin is there again in the end */
    for (size_t i = n; i-- > TK_PATH_LOST + 1;)
        r->order[--r->first[nodes[i].parent + 1]] = (uint32_t)i;
    for (size_t i = 0; i < r->tree->paths.nodes.n; i++)
        r->first[i] = r->first[i + 1];
    r->first[r->tree->paths.nodes.n] = n > TK_PATH_LOST ? (uint32_t)(n - TK_PATH_LOST - 1) : 0;
}

static int sort_children(struct rows *r, uint32_t begin, uint32_t end)
{
    const struct tk_call_tree *t = r->tree;
    r->siblings.n = 0;
    for (uint32_t i = begin; i < end; i++) {
        const struct tk_call_sums sums = tk_call_store_get(&t->sums, r->order[i]);
        const struct tree_node node = {r->order[i], t->paths.nodes.v[r->order[i]].timer,
                                       time_of_tree_rows(&sums)};
        if (tk_vec_push(&r->siblings, node))
            return -1;
    }
    if (tk_sort(r->siblings.v, r->siblings.n, sizeof *r->siblings.v, by_total))
        return -1;
    for (uint32_t i = begin; i < end; i++)
        r->order[i] = r->siblings.v[i - begin].node;
    return 0;
}

static int arrange(struct rows *r)
{
    int rc = 0;
    place_children(r);
    for (size_t i = 0; i < r->tree->paths.nodes.n && rc == 0; i++)
        rc = r->first[i + 1] - r->first[i] > 1 ? sort_children(r, r->first[i], r->first[i + 1]) : 0;
    for (uint32_t i = r->first[TK_PATH_ROOT]; i < r->first[TK_PATH_ROOT + 1] && rc == 0; i++) {
        const struct tk_call_sums sums = tk_call_store_get(&r->tree->sums, r->order[i]);
        r->whole += (double)time_of_tree_rows(&sums);
    }
    r->least = r->whole * r->form->min_share;
    return rc;
}

/* ---- rows ---- */

static void fill_timer(const struct rows *r, uint32_t timer, struct tk_cell *row)
{
    const struct tk_query_context *view = r->form->view;
    uint32_t lane = timer & ~TK_CALL_THREAD;
    if (timer & TK_CALL_LOST) {
        row[TK_TREE_TIMER] = tk_cell_of_text(&tk_beyond_limit);
    } else if (timer & TK_CALL_THREAD) {
        bool known = lane < r->form->n_threads;
        uint8_t kind = known ? r->form->kinds[lane] : TK_LANE_THREAD;
        row[TK_TREE_TIMER] = tk_query_context_lane(view, kind, known ? r->form->threads[lane] : 0);
        row[TK_TREE_KIND] = tk_cell_of_c(kind == TK_LANE_THREAD ? "thread" : "queue");
    } else {
        const struct tk_timer *known = &view->dict->timers.v[timer];
        row[TK_TREE_TIMER] = tk_cell_of_text(known->displayed);
        row[TK_TREE_KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)known->info.kind));
        row[TK_TREE_FILE] = tk_cell_of_text(known->info.file);
        if (known->info.file || known->info.line)
            row[TK_TREE_LINE] = tk_cell_of_uint(known->info.line);
    }
}

static void fill_sums(const struct rows *r, const struct tk_call_sums *sums, struct tk_cell *row)
{
    const struct tk_query_context *view = r->form->view;
    row[TK_TREE_COUNT] = tk_cell_of_uint(sums->count);
    row[TK_TREE_INCL] = tk_query_context_span(view, (int64_t)sums->total);
    row[TK_TREE_EXCL] = tk_query_context_span(view, (int64_t)sums->excl);
    if (sums->open)
        row[TK_TREE_OPEN_TIME] = tk_query_context_span(view, (int64_t)sums->open_time);
    if (r->whole > 0)
        row[TK_TREE_SHARE] = tk_cell_of_real((double)time_of_tree_rows(sums) / r->whole);
    if (r->form->n_frames)
        row[TK_TREE_FRAME_MEAN] = tk_cell_of_mean(
            (double)tk_query_context_span(view, (int64_t)sums->framed).v.i / (double)r->form->n_frames);
}

static struct tk_cell *begin_row(struct rows *r, const struct place *above, size_t depth,
                                 struct tk_emit *emit)
{
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return NULL;
    row[TK_TREE_DEPTH] = tk_cell_of_uint(depth - 1);
    row[TK_TREE_ID] = tk_cell_of_uint(++r->ids);
    if (above->id)
        row[TK_TREE_PARENT_ID] = tk_cell_of_uint(above->id);
    return row;
}

static int send_node(struct rows *r, const struct place *above, size_t depth, uint32_t node,
                     struct tk_emit *emit)
{
    struct tk_cell *row = begin_row(r, above, depth, emit);
    if (!row)
        return tk_emit_status(emit);
    fill_timer(r, r->tree->paths.nodes.v[node].timer, row);
    const struct tk_call_sums sums = tk_call_store_get(&r->tree->sums, node);
    fill_sums(r, &sums, row);
    return TK_OK;
}

static int send_other(struct rows *r, const struct place *above, size_t depth, struct tk_emit *emit)
{
    if (!above->pruned)
        return TK_OK;
    struct tk_cell *row = begin_row(r, above, depth, emit);
    if (!row)
        return tk_emit_status(emit);
    row[TK_TREE_TIMER] = tk_cell_of_c("(other)");
    row[TK_TREE_PRUNED] = tk_cell_of_uint(above->pruned);
    fill_sums(r, &above->other, row);
    return TK_OK;
}

static void prune(const struct rows *r, struct place *above, uint32_t node, const struct tk_call_sums *sums)
{
    above->other.count += sums->count;
    above->other.total += sums->total;
    above->other.framed += sums->framed;
    above->other.open += sums->open;
    above->other.open_time += sums->open_time;
    above->other.excl += r->excl[node];
    above->pruned += r->nodes[node];
}

static struct place place_of_tree_rows(const struct rows *r, uint32_t node, uint64_t id)
{
    return (struct place){.next = r->first[node], .end = r->first[node + 1], .id = id};
}

static int walk(struct rows *r, struct tk_emit *emit)
{
    TK_VEC(struct place) stack = {0};
    int rc = tk_vec_push(&stack, place_of_tree_rows(r, TK_PATH_ROOT, 0)) ? TK_ENOMEM : TK_OK;
    while (rc == TK_OK && stack.n) {
        struct place *top = &stack.v[stack.n - 1];
        if (top->next == top->end) {
            rc = send_other(r, top, stack.n, emit);
            stack.n--;
            continue;
        }
        const uint32_t child = r->order[top->next++];
        const struct tk_call_sums sums = tk_call_store_get(&r->tree->sums, child);
        if (!r->kept[child])
            continue;
        /* what was requested by its name is displayed, and the way to it */
        if (!r->form->filters && (double)time_of_tree_rows(&sums) < r->least) {
            prune(r, top, child, &sums);
            continue;
        }
        rc = send_node(r, top, stack.n, child, emit);
        bool deeper = !r->form->depth || stack.n < r->form->depth;
        if (rc == TK_OK && deeper && tk_vec_push(&stack, place_of_tree_rows(r, child, r->ids)))
            rc = TK_ENOMEM;
    }
    tk_vec_release(&stack);
    return rc;
}

int tk_tree_rows_send(const struct tk_tree_form *form, struct tk_call_tree *t, struct tk_emit *emit,
                      struct tk_err *err)
{
    struct rows r = {.form = form, .tree = t};
    int rc = reserve(&r) ? TK_OK : TK_ENOMEM;
    if (rc == TK_OK) {
        tk_paths_settle(&t->paths);
        rc = sum_threads(t) ? TK_ENOMEM : TK_OK;
        sum_below(&r);
        rc = rc != TK_OK || arrange(&r) ? TK_ENOMEM : walk(&r, emit);
    }
    release_tree_rows(&r);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "a call tree") : rc;
}
