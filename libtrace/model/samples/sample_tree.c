/*
 * Tables `sample_tree`, `sample_callers` and `sample_callees`: samples by stack of functions. Each different
 * stack is added once; a stack in which a function occurs several times counts once among its callers and
 * callees: innermost for the one, outermost for the other.
 */
#include "base/sort.h"
#include "model/samples/sample_record.h"
#include "model/samples/sample_stacks.h"
#include "query/select.h"
#include "query/tables.h"
#include "table/cell.h"
#include "tracekit/queries.h"

#include <stdlib.h>

enum { DEPTH, FUNCTION, OWN, INCL, SHARE, INCL_TIME, PRUNED, NODE_ID, PARENT_ID, FILE_NAME, LINE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [DEPTH] = {"depth", TK_UINT, 0, NULL, "depth: steps from the root"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL,
                  "function, module and offset, or address; a thread with --by thread; (other): small "
                  "entries combined"},
    [OWN] = {"excl", TK_UINT, 0, "samples", "samples in the function itself; empty for callers"},
    [INCL] = {"incl", TK_UINT, 0, "samples", "samples on this stack"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "incl as a share of all roots, 0 to 1"},
    [INCL_TIME] = {"incl_time", TK_DURATION, TK_COL_OPTIONAL, NULL,
                   "estimated time, from the sampling interval if it is known"},
    [PRUNED] = {"pruned", TK_UINT, TK_COL_EXTRA, "stacks", "number of stacks combined in this row"},
    [NODE_ID] = {"node_id", TK_UINT, 0, NULL, "number of the row, from 1"},
    [PARENT_ID] = {"parent_id", TK_UINT, 0, NULL, "id of the parent row; empty for a root"},
    [FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file of the first sample"},
    [LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line of the first sample"},
};

enum form { TREE, CALLERS, CALLEES };

static const struct tk_table tables[] = {
    [TREE] = {.name = "sample_tree",
              .help = "stack samples by stack of functions, merged over all threads",
              .columns = columns,
              .n_columns = COLUMNS,
              .schema = 2,
              .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES},
    [CALLERS] = {.name = "sample_callers",
                 .help = "callers of a function by stack samples, step by step up to the roots",
                 .columns = columns,
                 .n_columns = COLUMNS,
                 .schema = 2,
                 .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES},
    [CALLEES] = {.name = "sample_callees",
                 .help = "callees of a function by stack samples, step by step",
                 .columns = columns,
                 .n_columns = COLUMNS,
                 .schema = 2,
                 .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES},
};

enum { MOST_FRAMES = 4096 };

struct tree {
    const struct tk_query_context *view;
    enum form form;
    struct tk_patterns requested; /* functions; not of the tree */
    struct tk_sample_stacks samples;
    struct tk_stacks stacks;
    bool *passes;     /* owned, by name; not of the tree */
    uint64_t *incl;   /* owned, by node */
    uint64_t *below;  /* owned, by node: nodes of it and of all below */
    uint32_t *order;  /* owned: nodes, children of one parent together, the greatest first */
    size_t *children; /* owned, by node: where its children begin in the order */
    uint32_t frames[MOST_FRAMES];
    size_t n;
    int64_t period;
};

/* ---- reading ---- */

static void close_tree(void *self)
{
    struct tree *t = self;
    tk_sample_stacks_release(&t->samples);
    tk_stacks_release(&t->stacks);
    tk_patterns_release(&t->requested);
    free(t->passes);
    free(t->incl);
    free(t->below);
    free(t->order);
    free(t->children);
    free(t);
}

static int open_tree(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                     void **self, struct tk_err *err)
{
    const struct tk_tree_query *query = &view->query->tree;
    struct tree *t = calloc(1, sizeof *t);
    (void)wanted;
    if (!t)
        return tk_err_nomem(err, "a tree of samples");
    *self = t;
    t->view = view;
    t->form = (enum form)(builder->table - tables);
    tk_sample_stacks_init(&t->samples, view);
    const char *const *text = t->form == CALLERS ? &query->callers : &query->callees;
    if (t->form == TREE)
        return TK_OK;
    if (!*text)
        return tk_err_set(err, TK_EUSAGE, "table '%s' needs the name of a function", builder->table->name);
    return tk_patterns_init(&t->requested, text, 1, err);
}

static int feed_tree(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    return tk_sample_stacks_batch(&((struct tree *)self)->samples, batch, "a tree of samples", err);
}

static int take_tree(void *self, const struct tk_slices *slices, unsigned worker)
{
    (void)worker;
    return tk_sample_stacks_take(&((struct tree *)self)->samples, slices);
}

static int lane_tree(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    return tk_sample_stacks_lane(&((struct tree *)self)->samples, end, "a tree of samples", err);
}

/* ---- from stacks to a tree ---- */

/* The outermost frames of what is deeper than any real stack are left out. */
static int take_place(void *to, const struct tk_sample_place *place, bool own)
{
    struct tree *t = to;
    const struct tk_stack_name name = {.text = place->function, .file = place->file, .line = place->line};
    (void)own;
    if (t->n >= MOST_FRAMES)
        return 0;
    t->frames[t->n] = tk_stacks_name(&t->stacks, &name);
    return t->frames[t->n++] == TK_MAP_NONE ? -1 : 0;
}

static bool is_requested(const struct tree *t, size_t i)
{
    return t->passes[t->frames[i]];
}

/* The frames from the outermost to the innermost, or from the function that is requested to either end. */
static uint32_t add_frames(struct tree *t, uint32_t node)
{
    size_t at = 0;
    if (t->form == CALLERS) {
        while (at < t->n && !is_requested(t, at))
            at++;
        for (; at < t->n && node != TK_MAP_NONE; at++)
            node = tk_stacks_reach(&t->stacks, node, t->frames[at]);
        return node;
    }
    at = t->n;
    while (t->form == CALLEES && at && !is_requested(t, at - 1))
        at--;
    while (at-- > 0 && node != TK_MAP_NONE)
        node = tk_stacks_reach(&t->stacks, node, t->frames[at]);
    return node;
}

static uint32_t thread_node(struct tree *t, uint32_t thread)
{
    static const struct tk_str unnamed = {"(unnamed)", 9, TK_ENC_UTF8};
    const struct tk_str *text = tk_system_thread_name(&t->samples.threads.v.v[thread], t->samples.view->dict);
    const struct tk_stack_name name = {.text = text ? text : &unnamed, .thread = true};
    uint32_t number = tk_stacks_name(&t->stacks, &name);
    return number == TK_MAP_NONE ? number : tk_stacks_reach(&t->stacks, TK_STACK_ROOT, number);
}

static bool has_requested(const struct tree *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->form == TREE || is_requested(t, i))
            return true;
    return false;
}

static int add_stack(struct tree *t, const struct tk_sample_stack *stack)
{
    uint32_t node = TK_STACK_ROOT;
    t->n = 0;
    if (tk_sample_stack_walk(&t->samples, stack, take_place, t))
        return -1;
    if (!has_requested(t))
        return 0;
    if (t->view->query->by & TK_BY_THREAD)
        node = thread_node(t, stack->thread);
    if (node != TK_MAP_NONE)
        node = add_frames(t, node);
    if (node == TK_MAP_NONE)
        return -1;
    t->stacks.nodes.v[node].count += stack->count;
    return 0;
}

/* ---- what is requested ---- */

static int note_name(void *to, const struct tk_sample_place *place, bool own)
{
    const struct tk_stack_name name = {.text = place->function, .file = place->file, .line = place->line};
    (void)own;
    return tk_stacks_name(&((struct tree *)to)->stacks, &name) == TK_MAP_NONE ? -1 : 0;
}

/* Which of all functions there are the pattern means. */
static int check_names(struct tree *t, struct tk_err *err)
{
    const size_t n = t->stacks.names.n;
    const struct tk_str **names = malloc((n + 1) * sizeof *names);
    t->passes = malloc(n + 1);
    if (!names || !t->passes) {
        free(names);
        return tk_err_nomem(err, "a tree of samples");
    }
    for (size_t i = 0; i < n; i++)
        names[i] = t->stacks.names.v[i].text;
    int rc = tk_pattern_check(&t->requested, "function", names, n, err);
    for (size_t i = 0; i < n; i++)
        t->passes[i] = tk_patterns_pass(&t->requested, names[i]);
    free(names);
    return rc;
}

static int check_tree(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    struct tree *t = self;
    int rc = tk_sample_stacks_settle(&t->samples);
    for (size_t i = 0; i < t->samples.v.n && t->form != TREE && rc == 0; i++)
        if (tk_sample_stack_selected(&t->samples, &t->samples.v.v[i]))
            rc = tk_sample_stack_walk(&t->samples, &t->samples.v.v[i], note_name, t);
    if (rc)
        return tk_err_nomem(err, "a tree of samples");
    return t->form == TREE ? TK_OK : check_names(t, err);
}

/* ---- rows ---- */

struct ranked {
    uint64_t incl;
    uint32_t node, parent;
};

static int by_parent(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->incl != y->incl)
        return x->incl > y->incl ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Sums, children of one parent together, and how many nodes each has below it. */
static int rank(struct tree *t)
{
    const size_t n = t->stacks.nodes.n;
    struct ranked *v = malloc((n + 1) * sizeof *v);
    t->incl = calloc(n + 1, sizeof *t->incl);
    t->below = calloc(n + 1, sizeof *t->below);
    t->order = calloc(n + 1, sizeof *t->order);
    t->children = calloc(n + 2, sizeof *t->children);
    int rc = v && t->incl && t->below && t->order && t->children ? 0 : -1;
    for (size_t i = n; i-- > 0 && rc == 0;) {
        const struct tk_stack_node *node = &t->stacks.nodes.v[i];
        t->incl[i] += node->count;
        t->below[i]++;
        if (i) {
            t->incl[node->parent] += t->incl[i];
            t->below[node->parent] += t->below[i];
        }
    }
    for (size_t i = 1; i < n && rc == 0; i++)
        v[i - 1] = (struct ranked){t->incl[i], (uint32_t)i, t->stacks.nodes.v[i].parent};
    if (rc == 0 && n > 1)
        rc = tk_sort(v, n - 1, sizeof *v, by_parent);
    for (size_t i = 0, parent = 0; rc == 0 && n && i <= n - 1; i++) {
        for (; parent <= (i < n - 1 ? v[i].parent : n - 1); parent++)
            t->children[parent] = i;
        if (i < n - 1)
            t->order[i] = v[i].node;
    }
    if (rc == 0 && n)
        t->children[n] = n - 1;
    free(v);
    return rc;
}

/* Children of a node on their way to rows. */
struct level {
    size_t next, end;
    uint64_t id, other, pruned;
};

struct sending {
    struct tree *t;
    struct tk_emit *emit;
    uint64_t ids, least;
    TK_VEC(struct level) levels;
};

static int send_row(struct sending *s, const struct tk_str *function, const struct tk_stack_name *name,
                    uint64_t own, uint64_t incl, uint64_t pruned)
{
    const struct tree *t = s->t;
    const struct level *level = &s->levels.v[s->levels.n - 1];
    struct tk_cell *row = tk_emit_row(s->emit);
    if (!row)
        return tk_emit_status(s->emit);
    row[DEPTH] = tk_cell_of_uint(s->levels.n - 1);
    row[FUNCTION] = tk_cell_of_text(function);
    if (t->form != CALLERS)
        row[OWN] = tk_cell_of_uint(own);
    row[INCL] = tk_cell_of_uint(incl);
    row[SHARE] = tk_cell_of_real((double)incl / (double)t->incl[0]);
    row[INCL_TIME] = tk_sample_time(t->view, t->period, incl);
    if (pruned)
        row[PRUNED] = tk_cell_of_uint(pruned);
    row[NODE_ID] = tk_cell_of_uint(++s->ids);
    if (level->id)
        row[PARENT_ID] = tk_cell_of_uint(level->id);
    if (name) {
        row[FILE_NAME] = tk_cell_of_text(name->file);
        if (name->line)
            row[LINE] = tk_cell_of_uint(name->line);
    }
    return TK_OK;
}

static int enter(struct sending *s, uint32_t node, uint64_t id)
{
    const struct level level = {s->t->children[node], s->t->children[node + 1], id, 0, 0};
    return tk_vec_push(&s->levels, level);
}

/* The next child of the innermost level, or what was too small there. */
static int step(struct sending *s)
{
    static const struct tk_str rest = {"(other)", 7, TK_ENC_UTF8};
    struct tree *t = s->t;
    struct level *level = &s->levels.v[s->levels.n - 1];
    const unsigned depth = t->view->query->tree.depth;
    if (level->next == level->end) {
        int rc = level->pruned ? send_row(s, &rest, NULL, level->other, level->other, level->pruned) : TK_OK;
        s->levels.n--;
        return rc;
    }
    const uint32_t node = t->order[level->next++];
    if (t->incl[node] < s->least) {
        level->other += t->incl[node];
        level->pruned += t->below[node];
        return TK_OK;
    }
    const struct tk_stack_node *at = &t->stacks.nodes.v[node];
    const struct tk_stack_name *name = &t->stacks.names.v[at->name];
    int rc = send_row(s, name->text, name, name->thread ? 0 : at->count, t->incl[node], 0);
    if (rc == TK_OK && (!depth || s->levels.n <= depth) && enter(s, node, s->ids))
        return TK_ENOMEM;
    return rc;
}

static int send_tree(struct tree *t, struct tk_emit *emit)
{
    struct sending s = {.t = t, .emit = emit};
    s.least = (uint64_t)(t->view->query->tree.min_share * (double)t->incl[0]);
    int rc = enter(&s, TK_STACK_ROOT, 0) ? TK_ENOMEM : TK_OK;
    while (rc == TK_OK && s.levels.n)
        rc = step(&s);
    tk_vec_release(&s.levels);
    return rc;
}

static int finish_tree(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tree *t = self;
    int rc = 0;
    t->period = tk_sample_period(t->view->dict);
    for (size_t i = 0; i < t->samples.v.n && rc == 0; i++)
        if (tk_sample_stack_selected(&t->samples, &t->samples.v.v[i]))
            rc = add_stack(t, &t->samples.v.v[i]);
    if (rc || rank(t))
        return tk_err_nomem(err, "a tree of samples");
    rc = t->stacks.nodes.n > 1 ? send_tree(t, emit) : TK_OK;
    return rc == TK_ENOMEM ? tk_err_nomem(err, "a tree of samples") : rc;
}

static const struct tk_scope_hooks scope_hooks = {.take = take_tree, .lane = lane_tree};

#define BUILDER(number)                                                                                      \
    .table = &tables[number], .needs = {.facts = TK_SAMPLE_STACK_FACTS}, .scopes = &scope_hooks,             \
    .add_needs = tk_sample_stacks_add_needs, .open = open_tree, .feed = feed_tree, .check = check_tree,      \
    .finish = finish_tree, .close = close_tree

const struct tk_builder tk_builder_sample_tree = {BUILDER(TREE)};
const struct tk_builder tk_builder_sample_callers = {BUILDER(CALLERS)};
const struct tk_builder tk_builder_sample_callees = {BUILDER(CALLEES)};
