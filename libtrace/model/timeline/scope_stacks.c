/*
 * From lanes of call trees to named stacks.
 */
#include "base/wrap.h"
#include "model/timeline/timeline_items.h"
#include "model/timers/call_tree.h"
#include "query/context_cells.h"

#include <stdlib.h>

static const struct tk_table table = {.name = "stacks", .help = "scopes by stack"};

struct stacks {
    const struct tk_query_context *view;
    const struct tk_stacks_request *request;
    struct tk_tree_lanes lanes;
};

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    needs->slices |= TK_SLICE_PATH | (view->query->clip ? 0 : TK_SLICE_WHOLE);
}

static int open_scope_stacks(const struct tk_query_context *view, const struct tk_builder *builder,
                             uint64_t wanted, void **self, struct tk_err *err)
{
    struct stacks *s = calloc(1, sizeof *s);
    (void)wanted;
    if (!s)
        return tk_err_nomem(err, "call stacks");
    *self = s;
    s->view = view;
    s->request = builder->user;
    s->lanes.queues = true;
    return TK_OK;
}

static void close_scope_stacks(void *self)
{
    struct stacks *s = self;
    tk_tree_lanes_release(&s->lanes);
    free(s);
}

static int feed_scope_stacks(void *self, const struct tk_batch *batch, struct tk_emit *emit,
                             struct tk_err *err)
{
    (void)emit;
    return tk_tree_lanes_feed(&((struct stacks *)self)->lanes, batch, err);
}

static int take_scope_stacks(void *self, const struct tk_slices *slice, unsigned worker)
{
    (void)worker;
    return tk_tree_lanes_take(&((struct stacks *)self)->lanes, slice) ? TK_ENOMEM : TK_OK;
}

static uint64_t uses_scope_stacks(void *self, uint32_t lane, uint32_t node)
{
    return tk_tree_lanes_uses(&((struct stacks *)self)->lanes, lane, node);
}

static int fold_scope_stacks(void *self, uint32_t lane, const uint32_t *to, size_t n)
{
    return tk_tree_lanes_fold(&((struct stacks *)self)->lanes, lane, to, n);
}

static int lane_scope_stacks(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct stacks *s = self;
    const bool whole = !s->view->query->clip;
    return tk_tree_lanes_end(&s->lanes, s->view, end, whole) ? tk_err_nomem(err, "call stacks") : TK_OK;
}

/* ---- names ---- */

static uint32_t name_lane(const struct stacks *s, uint32_t at)
{
    const uint32_t id = s->lanes.threads.v[at];
    const uint8_t kind = s->lanes.kinds.v[at];
    static const struct tk_str unknown = {.p = "(unknown thread)", .n = 16};
    char text[TK_QUEUE_NAME];
    const struct tk_str made = tk_dict_queue_name(s->view->dict, id, false, text);
    const struct tk_str *thread = kind == TK_LANE_THREAD ? tk_dict_thread_name(s->view->dict, id) : &made;
    const struct tk_stack_name name = {.text = thread ? thread : &unknown,
                                       .thread = s->request->roots == TK_ROOTS_THREADS};
    return tk_stacks_name(s->request->stacks, &name);
}

static uint32_t name_timer(const struct stacks *s, uint32_t id)
{
    const struct tk_timer *timer = &s->view->dict->timers.v[id];
    const struct tk_stack_name name = {
        .text = timer->displayed, .file = timer->info.file, .line = timer->info.line};
    return tk_stacks_name(s->request->stacks, &name);
}

static uint32_t name_node(const struct stacks *s, uint32_t timer)
{
    static const struct tk_str more = {.p = "(more)", .n = 6};
    const struct tk_stack_name lost = {.text = &more};
    if (timer & TK_CALL_THREAD)
        return name_lane(s, timer & ~TK_CALL_THREAD);
    return timer & TK_CALL_LOST ? tk_stacks_name(s->request->stacks, &lost) : name_timer(s, timer);
}

/* ---- nodes ---- */

/* Nodes of lanes on their way to stacks. What passes of a queue have is inside its work. */
struct laying {
    uint32_t *map;      /* by node of the tree: its stack */
    bool *works;        /* is it of a lane of work? */
    struct tk_map work; /* by queue: the stack of its work */
};

static bool passes_scope_stacks(const struct stacks *s, uint32_t timer)
{
    const struct tk_patterns *timers = &s->view->select->timers;
    if (!timers->n || timer & TK_CALL_THREAD)
        return true;
    return !(timer & TK_CALL_LOST) && tk_patterns_pass(timers, s->view->dict->timers.v[timer].displayed);
}

/* Is it where stacks begin, or the thread or queue that they begin with? */
static bool is_root(const struct stacks *s, uint32_t node)
{
    return node == TK_STACK_ROOT ||
           (s->request->roots && s->request->stacks->nodes.v[node].parent == TK_STACK_ROOT);
}

/* Times are cycles until all are added up. What nobody called and is left out is nobody's time. */
static uint32_t add_node(const struct stacks *s, uint32_t parent, uint32_t timer,
                         const struct tk_call_sums *sums)
{
    struct tk_stacks *out = s->request->stacks;
    const bool passes = passes_scope_stacks(s, timer);
    if (!passes && is_root(s, parent))
        return parent;
    if (passes) {
        uint32_t name = name_node(s, timer);
        uint32_t node = name == TK_MAP_NONE ? TK_MAP_NONE : tk_stacks_reach(out, parent, name);
        if (node == TK_MAP_NONE)
            return TK_MAP_NONE;
        out->nodes.v[node].count += sums->count;
        parent = node;
    }
    if (parent != TK_STACK_ROOT)
        out->nodes.v[parent].self = tk_wrap_add(out->nodes.v[parent].self, (int64_t)sums->excl);
    if (parent != TK_STACK_ROOT)
        out->nodes.v[parent].open = tk_wrap_add(out->nodes.v[parent].open, (int64_t)sums->open_excl);
    return parent;
}

/* Has it calls that never ended? */
static bool in_nanoseconds(const struct tk_fact_clock *clock, struct tk_stack_node *node)
{
    node->self = tk_clock_span(clock, TK_UNIT_NS, node->self);
    node->open = tk_clock_span(clock, TK_UNIT_NS, node->open);
    return node->open > 0;
}

/* The number of a node's lane where it stands for one, else TK_MAP_NONE. */
static uint32_t lane_of_node(const struct tk_call_tree *tree, size_t i)
{
    const uint32_t timer = tree->paths.nodes.v[i].timer;
    return i > TK_PATH_LOST && timer & TK_CALL_THREAD ? timer & ~TK_CALL_THREAD : TK_MAP_NONE;
}

static bool is_work(const struct stacks *s, const struct tk_call_tree *tree, size_t i)
{
    const uint32_t lane = lane_of_node(tree, i);
    return lane != TK_MAP_NONE && s->lanes.kinds.v[lane] == TK_LANE_GPU_WORK;
}

/* Below what a node goes; TK_MAP_NONE without memory. */
static uint32_t put_node(const struct stacks *s, const struct tk_call_tree *tree, struct laying *l, size_t i)
{
    const struct tk_path_node *node = &tree->paths.nodes.v[i];
    const struct tk_call_sums sums = tk_call_store_get(&tree->sums, (uint32_t)i);
    const uint32_t lane = lane_of_node(tree, i);
    if (lane == TK_MAP_NONE)
        return add_node(s, l->map[node->parent], node->timer, &sums);
    const bool gpu = s->lanes.kinds.v[lane] == TK_LANE_GPU;
    const uint32_t work = gpu ? tk_map_get(&l->work, s->lanes.threads.v[lane]) : TK_MAP_NONE;
    if (work != TK_MAP_NONE)
        return work;
    return s->request->roots ? add_node(s, TK_STACK_ROOT, node->timer, &sums) : TK_STACK_ROOT;
}

/* Lays the nodes of lanes of work, or those of all others. */
static int lay_nodes(const struct stacks *s, const struct tk_call_tree *tree, struct laying *l, bool works)
{
    for (size_t i = TK_PATH_LOST + 1; i < tree->sums.v.n; i++) {
        const struct tk_path_node *node = &tree->paths.nodes.v[i];
        l->works[i] = is_work(s, tree, i) || l->works[node->parent];
        if (l->works[i] != works)
            continue;
        const uint32_t above = lane_of_node(tree, node->parent);
        if ((l->map[i] = put_node(s, tree, l, i)) == TK_MAP_NONE)
            return -1;
        if (above == TK_MAP_NONE || node->timer & (TK_CALL_LOST | TK_CALL_THREAD))
            continue;
        const uint32_t queue = s->lanes.threads.v[above];
        if (works && s->view->dict->timers.v[node->timer].info.kind == TK_TIMER_GPU_WORK &&
            passes_scope_stacks(s, node->timer) && tk_map_put(&l->work, queue, l->map[i]))
            return -1;
        const uint32_t work =
            works || s->lanes.kinds.v[above] != TK_LANE_GPU ? TK_MAP_NONE : tk_map_get(&l->work, queue);
        if (work != TK_MAP_NONE) {
            struct tk_stack_node *of = &s->request->stacks->nodes.v[work];
            const int64_t inside = (int64_t)tk_call_store_get(&tree->sums, (uint32_t)i).total;
            of->self = inside < of->self ? of->self - inside : 0; /* passes may outlast the work */
        }
    }
    return 0;
}

static int fill_scope_stacks(const struct stacks *s, const struct tk_call_tree *tree)
{
    struct tk_stacks *out = s->request->stacks;
    struct laying l = {.map = calloc(tree->paths.nodes.n, sizeof *l.map),
                       .works = calloc(tree->paths.nodes.n, sizeof *l.works)};
    const int rc =
        !l.map || !l.works || lay_nodes(s, tree, &l, true) || lay_nodes(s, tree, &l, false) ? -1 : 0;
    for (size_t i = 0; i < out->nodes.n; i++)
        out->open |= in_nanoseconds(&s->view->dict->clock, &out->nodes.v[i]);
    free(l.map);
    free(l.works);
    tk_map_release(&l.work);
    return rc;
}

static int finish_scope_stacks(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct stacks *s = self;
    struct tk_call_tree all = {0};
    (void)emit;
    int rc = tk_call_tree_init(&all) || tk_tree_lanes_merge(&s->lanes, true, s->view->dict, &all) ||
                     fill_scope_stacks(s, &all)
                 ? tk_err_nomem(err, "call stacks")
                 : TK_OK;
    tk_call_tree_release(&all);
    return rc;
}

static const struct tk_scope_hooks scope_hooks = {
    .take = take_scope_stacks,
    .lane = lane_scope_stacks,
    .paths = {.uses = uses_scope_stacks, .fold = fold_scope_stacks}};

struct tk_builder tk_stacks_builder(struct tk_stacks_request *request)
{
    return (struct tk_builder){
        .table = &table,
        .needs = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES) | TK_FACT_MASK(EXTENT)},
        .scopes = &scope_hooks,
        .add_needs = add_needs,
        .user = request,
        .open = open_scope_stacks,
        .feed = feed_scope_stacks,
        .finish = finish_scope_stacks,
        .close = close_scope_stacks,
    };
}
