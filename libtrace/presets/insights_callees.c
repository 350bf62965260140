/*
 * Insights: what timers call, added up by the path below them.
 *
 * One reading makes the tree of all paths, with sums for each interval; the tree below a timer is then put
 * together from all nodes of the timer. A call inside a call of the same timer counts, but its time is in the
 * outer one already.
 */
#include "base/err.h"
#include "base/wrap.h"
#include "fact/format.h"
#include "fact/progress.h"
#include "presets/presets_in.h"

enum { ROOT = 0, MOST_NODES = 1 << 20, AT_ONCE = 16 };

/* Of a path in an interval, in cycles. */
struct sums {
    uint64_t count;
    int64_t inc, exc;
};

struct node {
    uint32_t parent, timer;
    uint32_t first, next; /* last child that was made, the child made before; ROOT: none */
    uint32_t same;        /* the next node of the timer */
};

struct tree {
    TK_VEC(struct node) nodes; /* [0]: the root */
    TK_VEC(struct sums) sums;  /* n for each node */
    struct tk_map index;       /* parent and timer -> node */
    size_t n;
};

struct callees {
    struct tk_insights *x;
    struct tk_calls calls;
    const struct tk_interval *intervals; /* n of them */
    size_t n;
    struct tree all;
    TK_VEC(struct open_path *) open; /* owned; by track */
};

/* Nodes of the open calls of a track, outermost first. */
struct open_path {
    TK_VEC(uint32_t) nodes;
};

/* ---- trees ---- */

static int add_node(struct tree *t, uint32_t parent, uint32_t timer, struct tk_err *err)
{
    const struct sums none = {0};
    struct node node = {.parent = parent, .timer = timer};
    if (t->nodes.n >= MOST_NODES)
        return tk_err_set(err, TK_ELIMIT, "there are more than %d paths of calls", MOST_NODES);
    if (t->nodes.n) {
        node.next = t->nodes.v[parent].first;
        t->nodes.v[parent].first = (uint32_t)t->nodes.n;
    }
    if (tk_map_put(&t->index, (uint64_t)parent << 32 | timer, (uint32_t)t->nodes.n) ||
        tk_vec_push(&t->nodes, node))
        return tk_err_nomem(err, "paths of calls");
    for (size_t i = 0; i < t->n; i++)
        if (tk_vec_push(&t->sums, none))
            return tk_err_nomem(err, "paths of calls");
    return TK_OK;
}

/* The node of a timer below another one, made where there is none. */
static int child(struct tree *t, uint32_t parent, uint32_t timer, uint32_t *out, struct tk_err *err)
{
    int rc = t->nodes.n ? TK_OK : add_node(t, ROOT, UINT32_MAX, err);
    *out = tk_map_get(&t->index, (uint64_t)parent << 32 | timer);
    if (rc < 0 || *out != TK_MAP_NONE)
        return rc;
    *out = (uint32_t)t->nodes.n;
    return add_node(t, parent, timer, err);
}

static struct sums *sums_of(struct tree *t, uint32_t node)
{
    return t->sums.v + node * t->n;
}

static void release_tree(struct tree *t)
{
    tk_vec_release(&t->nodes);
    tk_vec_release(&t->sums);
    tk_map_release(&t->index);
    t->index = (struct tk_map){0};
}

/* ---- reading ---- */

static int take_track_callees(void *self, struct tk_call_track *track, struct tk_err *err)
{
    struct callees *c = self;
    struct open_path *made = calloc(1, sizeof *made);
    if (!made || tk_vec_push(&c->open, made)) {
        free(made);
        return tk_err_nomem(err, "open scopes");
    }
    track->wanted =
        (track->gpu && !tk_insights_is_old_gpu(track)) || tk_insights_thread_passes(c->x, track->name);
    return TK_OK;
}

static int take_begin(void *self, const struct tk_call *call, struct tk_err *err)
{
    struct callees *c = self;
    struct open_path *open = c->open.v[call->track];
    uint32_t node;
    open->nodes.n = call->depth;
    int rc = child(&c->all, call->depth ? open->nodes.v[call->depth - 1] : ROOT, call->timer, &node, err);
    if (rc < 0)
        return rc;
    return tk_vec_push(&open->nodes, node) ? tk_err_nomem(err, "open scopes") : TK_OK;
}

static void add_to(int64_t *sum, int64_t length)
{
    *sum = tk_wrap_add(*sum, length);
}

static int take_end_callees(void *self, const struct tk_call *call, struct tk_err *err)
{
    struct callees *c = self;
    const uint32_t *path = c->open.v[call->track]->nodes.v;
    struct sums *sums = sums_of(&c->all, path[call->depth]);
    struct sums *outside = call->depth ? sums_of(&c->all, path[call->depth - 1]) : NULL;
    const int64_t end = call->end == TK_CALL_NEVER ? c->calls.last : call->end;
    (void)err;
    for (size_t i = 0; i < c->n; i++) {
        const struct tk_interval *in = &c->intervals[i];
        if (!tk_interval_touches(in, call->begin, end))
            continue;
        const int64_t from = call->begin > in->from ? call->begin : in->from,
                      to = end < in->to ? end : in->to;
        const int64_t length = to > from ? tk_wrap_sub(to, from) : 0;
        sums[i].count++;
        add_to(&sums[i].inc, length);
        add_to(&sums[i].exc, length);
        if (outside)
            outside[i].exc = tk_wrap_sub(outside[i].exc, length);
    }
    return TK_OK;
}

/* ---- the tree below a timer ---- */

static bool lies_in_same(const struct tree *t, uint32_t node)
{
    for (uint32_t up = t->nodes.v[node].parent; up != ROOT; up = t->nodes.v[up].parent)
        if (t->nodes.v[up].timer == t->nodes.v[node].timer)
            return true;
    return false;
}

/* A node and where it goes. */
struct place {
    uint32_t node, up;
};

static int add_place(struct callees *c, struct tree *into, const struct place *p, bool inner, uint32_t *place,
                     struct tk_err *err)
{
    int rc = child(into, p->up, c->all.nodes.v[p->node].timer, place, err);
    for (size_t k = 0; rc == TK_OK && k < c->n; k++) {
        const struct sums *sums = sums_of(&c->all, p->node) + k;
        sums_of(into, *place)[k].count += sums->count;
        add_to(&sums_of(into, *place)[k].exc, sums->exc);
        add_to(&sums_of(into, *place)[k].inc, inner ? 0 : sums->inc);
    }
    return rc;
}

/* Adds `from` and the nodes below it to the tree: of the children of a node those that were made first come
 * first. */
static int merge_callees(struct callees *c, struct tree *into, uint32_t from, struct tk_err *err)
{
    TK_VEC(struct place) stack = {0};
    const struct place first = {from, ROOT};
    const bool inner = lies_in_same(&c->all, from);
    int rc = tk_vec_push(&stack, first) ? tk_err_nomem(err, "paths of calls") : TK_OK;
    while (rc == TK_OK && stack.n) {
        const struct place p = stack.v[--stack.n];
        struct place below;
        rc = add_place(c, into, &p, inner && p.node == from, &below.up, err);
        for (below.node = c->all.nodes.v[p.node].first; rc == TK_OK && below.node != ROOT;
             below.node = c->all.nodes.v[below.node].next)
            if (tk_vec_push(&stack, below))
                rc = tk_err_nomem(err, "paths of calls");
    }
    tk_vec_release(&stack);
    return rc;
}

/* ---- writing ---- */

static uint64_t count_frames(const struct callees *c, const struct tk_interval *in)
{
    uint64_t n = 0;
    for (size_t i = 0; i < c->calls.frames.n; i++)
        n += tk_interval_touches(in, c->calls.frames.v[i].from, c->calls.frames.v[i].to);
    return n;
}

static void put_node(struct callees *c, struct tree *t, uint32_t at, size_t interval, uint64_t frames,
                     struct tk_page *page)
{
    const struct node *node = &t->nodes.v[at];
    const struct sums *sums = &sums_of(t, at)[interval];
    const struct tk_str *name = c->calls.timers.v[node->timer].name;
    tk_page_u64(page, node->timer);
    tk_page_u64(page, node->parent == ROOT ? UINT32_MAX : t->nodes.v[node->parent].timer);
    tk_page_text(page, name ? *name : (struct tk_str){.p = ""});
    tk_page_u64(page, sums->count);
    tk_page_general(page, tk_calls_seconds(&c->calls.clock, sums->inc), 9);
    tk_page_general(page, tk_calls_seconds(&c->calls.clock, sums->exc), 9);
    tk_page_u64(page, frames);
    tk_page_end(page);
}

/* Depth first, the child that was made last first. Paths that have no call in the interval are left out. */
static void put_tree(struct callees *c, struct tree *t, size_t interval, uint64_t frames,
                     struct tk_page *page)
{
    uint32_t at = t->nodes.n ? t->nodes.v[ROOT].first : ROOT;
    while (at != ROOT && tk_page_status(page) == TK_OK) {
        const bool counts = sums_of(t, at)[interval].count != 0;
        if (counts)
            put_node(c, t, at, interval, frames, page);
        if (counts && t->nodes.v[at].first != ROOT) {
            at = t->nodes.v[at].first;
            continue;
        }
        while (at != ROOT && t->nodes.v[at].next == ROOT)
            at = t->nodes.v[at].parent;
        if (at != ROOT)
            at = t->nodes.v[at].next;
    }
}

static int write_timer(struct callees *c, uint32_t first, struct tk_page *pages, struct tk_err *err)
{
    struct tree tree = {.n = c->n};
    int rc = TK_OK;
    for (uint32_t i = first; i != ROOT && rc == TK_OK; i = c->all.nodes.v[i].same) {
        rc = tk_progress(c->x->job->ctx, i, c->all.nodes.n, err);
        if (rc == TK_OK)
            rc = merge_callees(c, &tree, i, err);
    }
    for (size_t i = 0; i < c->n && rc == TK_OK; i++)
        put_tree(c, &tree, i, count_frames(c, &c->intervals[i]), &pages[i]);
    release_tree(&tree);
    return rc;
}

/* Links the nodes of each timer, the first to the next: the first of each. To be freed; NULL without memory.
 */
static uint32_t *link_same(struct callees *c)
{
    uint32_t *first = calloc(c->calls.timers.n + 1, sizeof *first);
    for (uint32_t i = (uint32_t)c->all.nodes.n; first && i-- > 1;) {
        struct node *node = &c->all.nodes.v[i];
        if (node->timer >= c->calls.timers.n)
            continue;
        node->same = first[node->timer];
        first[node->timer] = i;
    }
    return first;
}

static int write_timers(struct callees *c, struct tk_page *pages, struct tk_err *err)
{
    bool *picked = tk_insights_pick_timers(c->x, &c->calls);
    uint32_t *first = link_same(c);
    int rc = picked && first ? tk_insights_check_timers(c->x, &c->calls, err)
                             : tk_err_nomem(err, "names of timers");
    for (uint32_t i = 0; i < c->calls.timers.n && rc == TK_OK; i++)
        if (picked[i])
            rc = write_timer(c, first[i], pages, err);
    free(first);
    free(picked);
    return rc;
}

static void release_callees(struct callees *c)
{
    for (size_t i = 0; i < c->open.n; i++) {
        tk_vec_release(&c->open.v[i]->nodes);
        free(c->open.v[i]);
    }
    tk_vec_release(&c->open);
    release_tree(&c->all);
    tk_calls_release(&c->calls);
}

/* The files of up to AT_ONCE intervals. Without a filter for timers there are only the names of columns. */
static int write_pages(struct tk_insights *x, const char *pattern, size_t first, size_t n, struct tk_err *err)
{
    static const char *const head[] = {"TimerId",  "ParentId", "TimerName", "Count",
                                       "Inc.Time", "Exc.Time", "NumFrames"};
    static const struct tk_call_taker taker = {
        .track = take_track_callees, .begin = take_begin, .end = take_end_callees};
    struct callees c = {.x = x, .intervals = x->intervals.v.v + first, .n = n, .all = {.n = n}};
    struct tk_page pages[AT_ONCE] = {{0}};
    int rc = TK_OK;
    c.calls = (struct tk_calls){.closes = true, .taker = &taker, .self = &c};
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        rc = tk_insights_open(x, &pages[i], pattern, &c.intervals[i], NULL, 0, 0, err);
        if (rc == TK_OK)
            tk_page_head(&pages[i], head, 7);
    }
    if (rc == TK_OK && x->timer_names.n) {
        rc = tk_calls_read(&c.calls, x->job, err);
        if (rc == TK_OK)
            rc = write_timers(&c, pages, err);
    }
    release_callees(&c);
    return tk_insights_close(pages, n, rc, err);
}

int tk_insights_callees(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t at = 0; at < x->intervals.v.n && rc == TK_OK; at += AT_ONCE) {
        const size_t left = x->intervals.v.n - at;
        rc = write_pages(x, pattern, at, left < AT_ONCE ? left : AT_ONCE, err);
    }
    return rc;
}
