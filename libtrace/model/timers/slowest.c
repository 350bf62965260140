/*
 * Table `slowest`: the single calls that took longest. Each lane keeps its longest calls of the timers that
 * are requested; when all is read they are merged, and their stacks are spelled out.
 *
 * Where nearly all of a call is one call inside it, the inner one is listed alone: its stack names those
 * around it, which would fill the list with one event.
 */
#include "base/health/health.h"
#include "base/sort.h"
#include "model/scopes/call_paths.h"
#include "model/sums/timer_sums.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANK,
    TIMER,
    KIND,
    DURATION,
    EXCL,
    START,
    THREAD,
    THREAD_ID = THREAD + TK_THREAD_COLUMNS,
    FRAME,
    TEXT,
    DEPTH,
    STACK,
    FILE_NAME,
    LINE,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [RANK] = {"rank", TK_UINT, TK_COL_OPTIONAL, NULL, "rank by duration, from 1"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name of the timer"},
    [KIND] = {"kind", TK_TEXT, TK_COL_EXTRA, NULL, "kind of the timer"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration of the call, clipped to the selection"},
    [EXCL] = {"excl", TK_DURATION, TK_COL_OPTIONAL, NULL, "exclusive time: without the scopes inside"},
    [START] = {"start", TK_TIME, TK_COL_OPTIONAL, NULL, "when it starts"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "its thread or GPU queue"),
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL,
                   "id of the thread in the capture; empty of a GPU queue"},
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame in which it began"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "its metadata, if it has any"},
    [DEPTH] = {"depth", TK_UINT, TK_COL_EXTRA, NULL, "number of enclosing scopes"},
    [STACK] = {"stack", TK_TEXT, 0, NULL, "timers of the enclosing scopes, outermost first"},
    [FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file of the timer"},
    [LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line in the source file"},
};

static const struct tk_table table = {
    .name = "slowest",
    .help = "longest single calls (without those that spend 90 % or more of their time in one inner call)",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
};

#define BIT(column)   (UINT64_C(1) << (column))
#define USUAL_CALLS   20u
#define OTHER_PART    10u /* of a call: where no more is left alongside one inside it, that stands for it */
#define STACK_JOINT   " > "
#define N_STACK_JOINT 3u

/* A call that ended inside of one that is still open, or the longest that it has inside. */
struct inner {
    int64_t begin;
    uint64_t total;
};

struct lane {
    TK_VEC(struct inner) inner; /* in the order of their begins, shorter and shorter */
    struct tk_top_calls longest;
    struct tk_top_calls late; /* of timers that are not reported yet, where not all timers are requested */
    const struct tk_paths *paths;
    uint64_t seen;
    uint32_t thread;
    uint8_t kind; /* enum tk_lane_kind */
};

struct slowest {
    const struct tk_query_context *view;
    size_t most;
    TK_VEC(struct lane *) lanes;     /* owned, by number; NULL: had no run */
    TK_VEC(bool) requested;          /* by timer id; where not all timers are requested */
    TK_VEC(struct tk_top_call) rows; /* merged */
};

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)view;
    needs->slices |= TK_SLICE_PATH | TK_SLICE_BEGIN;
    if (wanted & BIT(FRAME))
        needs->lists.frames |= TK_NEEDS_GAME_FRAMES;
    if (wanted & BIT(TEXT)) {
        needs->slices |= TK_SLICE_TEXT;
        needs->facts |= TK_FACT_MASK(SCOPE_TEXT);
    }
}

static void close_slowest(void *self)
{
    struct slowest *s = self;
    for (size_t i = 0; i < s->lanes.n; i++) {
        if (s->lanes.v[i]) {
            tk_top_calls_release(&s->lanes.v[i]->longest);
            tk_top_calls_release(&s->lanes.v[i]->late);
            tk_vec_release(&s->lanes.v[i]->inner);
        }
        free(s->lanes.v[i]);
    }
    tk_vec_release(&s->lanes);
    tk_vec_release(&s->requested);
    tk_vec_release(&s->rows);
    free(s);
}

static int open_slowest(const struct tk_query_context *view, const struct tk_builder *builder,
                        uint64_t wanted, void **self, struct tk_err *err)
{
    struct slowest *s = calloc(1, sizeof *s);
    uint64_t most = view->query->slowest ? view->query->slowest : USUAL_CALLS, limit = view->ctx->limits.rows;
    (void)builder;
    (void)wanted;
    if (!s)
        return tk_err_nomem(err, "the slowest calls");
    *self = s;
    s->view = view;
    s->most = (size_t)most;
    if (most <= limit)
        return TK_OK;
    return tk_err_limit(err, TK_LIMIT_rows, "%llu calls are more than %llu rows", (unsigned long long)most,
                        (unsigned long long)limit);
}

/* ---- reading ---- */

static int reach_lane(struct slowest *s, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&s->lanes, (size_t)run->lane + 1))
        return -1;
    if (!s->lanes.v[run->lane] && !(s->lanes.v[run->lane] = calloc(1, sizeof(struct lane))))
        return -1;
    s->lanes.v[run->lane]->thread = run->thread;
    s->lanes.v[run->lane]->kind = run->kind;
    return 0;
}

/* Which of the timers known so far are requested: workers only look it up. */
static int reach_timers(struct slowest *s)
{
    struct tk_patterns *patterns = &s->view->select->timers;
    const struct tk_dict *dict = s->view->dict;
    if (!patterns->n || s->requested.n >= dict->timers.n)
        return 0;
    if (tk_vec_reserve(&s->requested, dict->timers.n))
        return -1;
    while (s->requested.n < dict->timers.n)
        s->requested.v[s->requested.n] = tk_patterns_pass(patterns, dict->timers.v[s->requested.n].displayed),
        s->requested.n++;
    return 0;
}

static int feed_slowest(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct slowest *s = self;
    int rc = reach_timers(s);
    (void)emit;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = reach_lane(s, &batch->runs[i]);
    return rc ? tk_err_nomem(err, "the slowest calls") : TK_OK;
}

static struct tk_top_calls *heap_of(const struct slowest *s, struct lane *l, uint32_t timer)
{
    if (!s->view->select->timers.n)
        return &l->longest;
    if (timer >= s->requested.n)
        return &l->late;
    return s->requested.v[timer] ? &l->longest : NULL;
}

/* The longest of the calls inside of one that has ended: those that began no earlier. They are requested
 * once. */
static uint64_t inside_of(struct lane *l, int64_t begin)
{
    uint64_t longest = 0;
    for (; l->inner.n && l->inner.v[l->inner.n - 1].begin >= begin; l->inner.n--)
        if (l->inner.v[l->inner.n - 1].total > longest)
            longest = l->inner.v[l->inner.n - 1].total;
    return longest;
}

/* Says the calls around of one that is so long; what a longer one follows counts for none. 0, or -1 without
 * memory. */
static int tell_around(struct lane *l, int64_t begin, uint64_t total)
{
    const struct inner reported = {begin, total};
    if (!total)
        return 0;
    while (l->inner.n && l->inner.v[l->inner.n - 1].total <= total)
        l->inner.n--;
    return tk_vec_push(&l->inner, reported);
}

static bool stands_for(uint64_t inside, uint64_t total)
{
    return total && (inside >= total || total - inside <= total / OTHER_PART);
}

/* A shorter call is neither listed nor stands for one that is. */
static uint64_t least_of(const struct slowest *s, const struct lane *l)
{
    const bool late = s->view->select->timers.n != 0;
    if (l->longest.v.n < s->most || (late && l->late.v.n < s->most))
        return 0;
    const uint64_t least = late && l->late.v.v[0].total < l->longest.v.v[0].total ? l->late.v.v[0].total
                                                                                  : l->longest.v.v[0].total;
    return least - least / OTHER_PART;
}

static int take_long_call(struct slowest *s, struct lane *l, const struct tk_slices *slices, size_t i)
{
    struct tk_top_calls *heap = heap_of(s, l, slices->timer[i]);
    const uint64_t total = slices->total[i], inside = inside_of(l, slices->begin[i]);
    if (tell_around(l, slices->begin[i], heap && total > inside ? total : inside))
        return -1;
    if (!heap || stands_for(inside, total) || (heap->v.n == s->most && total < heap->v.v[0].total))
        return 0;
    struct tk_top_call call = {.total = total,
                               .excl = slices->excl[i],
                               .begin = slices->begin[i],
                               .end = slices->end[i],
                               .displayed_from = tk_select_clip_begin(s->view->select, slices->begin[i]),
                               .seq = l->seen + i,
                               .timer = slices->timer[i],
                               .node = slices->node[i],
                               .thread = slices->thread,
                               .lane = slices->lane,
                               .text = slices->text ? slices->text[i] : NULL};
    return tk_top_calls_put(heap, s->most, &call);
}

static int take_slowest(void *self, const struct tk_slices *slices, unsigned worker)
{
    struct slowest *s = self;
    struct lane *l = s->lanes.v[slices->lane];
    (void)worker;
    uint64_t least = least_of(s, l);
    for (size_t i = 0; i < slices->n; i++) {
        if (slices->total[i] < least)
            continue;
        if (take_long_call(s, l, slices, i))
            return TK_ENOMEM;
        least = least_of(s, l);
    }
    l->seen += slices->n;
    return TK_OK;
}

static uint64_t least_slowest(void *self, uint32_t lane)
{
    const struct slowest *s = self;
    const struct lane *l = lane < s->lanes.n ? s->lanes.v[lane] : NULL;
    return l ? least_of(s, l) : UINT64_MAX;
}

static int lane_slowest(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct slowest *s = self;
    (void)err;
    if (end->lane < s->lanes.n && s->lanes.v[end->lane])
        s->lanes.v[end->lane]->paths = end->paths;
    return TK_OK;
}

/* ---- rows ---- */

static int merge_heap(struct slowest *s, const struct tk_top_calls *heap)
{
    for (size_t i = 0; i < heap->v.n; i++) {
        struct tk_top_call call = heap->v.v[i];
        const struct tk_timer *timer = tk_dict_timer(s->view->dict, call.timer);
        if (!timer)
            return -1;
        call.timer = timer->info.id;
        if (tk_patterns_pass(&s->view->select->timers, timer->displayed) && tk_vec_push(&s->rows, call))
            return -1;
    }
    return 0;
}

static int merge_slowest(struct slowest *s)
{
    int rc = 0;
    for (size_t i = 0; i < s->lanes.n && rc == 0; i++) {
        if (s->lanes.v[i])
            rc = merge_heap(s, &s->lanes.v[i]->longest);
        if (s->lanes.v[i] && rc == 0)
            rc = merge_heap(s, &s->lanes.v[i]->late);
    }
    if (rc == 0 && s->rows.n)
        qsort(s->rows.v, s->rows.n, sizeof *s->rows.v, tk_top_call_compare);
    s->rows.n = s->rows.n < s->most ? s->rows.n : s->most;
    return rc;
}

/* The name of a node's timer in a stack. Names that are no plain text are not joined with others. */
static struct tk_str name_of_slowest(const struct slowest *s, const struct tk_paths *paths, uint32_t node)
{
    const struct tk_timer *timer =
        node == TK_PATH_LOST ? NULL : tk_dict_timer(s->view->dict, paths->nodes.v[node].timer);
    if (!timer || timer->displayed->enc == TK_ENC_UTF16)
        return (struct tk_str){.p = "?", .n = 1};
    return *timer->displayed;
}

static size_t stack_length(const struct slowest *s, const struct tk_paths *paths, uint32_t node, uint8_t *enc)
{
    size_t n = 0;
    for (; node != TK_PATH_ROOT; node = paths->nodes.v[node].parent) {
        struct tk_str name = name_of_slowest(s, paths, node);
        n += name.n + (n ? N_STACK_JOINT : 0);
        *enc = name.enc ? name.enc : *enc;
    }
    return n;
}

static void put_stack(const struct slowest *s, const struct tk_paths *paths, uint32_t node, char *end)
{
    while (node != TK_PATH_ROOT) {
        struct tk_str name = name_of_slowest(s, paths, node);
        end -= name.n;
        memcpy(end, name.p, name.n);
        node = paths->nodes.v[node].parent;
        if (node == TK_PATH_ROOT)
            return;
        end -= N_STACK_JOINT;
        memcpy(end, STACK_JOINT, N_STACK_JOINT);
    }
}

static int fill_stack(const struct slowest *s, const struct tk_top_call *call, struct tk_cell *row,
                      struct tk_emit *emit)
{
    const struct tk_paths *paths = s->lanes.v[call->lane]->paths;
    const bool placed = paths && call->node != TK_PATH_ROOT && !tk_paths_is_beyond(paths, call->node);
    uint32_t above = placed ? paths->nodes.v[call->node].parent : TK_PATH_ROOT;
    uint8_t enc = TK_ENC_UTF8;
    size_t n = above == TK_PATH_ROOT ? 0 : stack_length(s, paths, above, &enc);
    char *text = n ? malloc(n) : NULL;
    if (placed)
        row[DEPTH] = tk_cell_of_uint(tk_paths_depth(paths, call->node) - 1);
    if (!n)
        return 0;
    if (!text)
        return -1;
    put_stack(s, paths, above, text + n);
    const char *kept = tk_emit_bytes(emit, text, n);
    free(text);
    if (kept)
        row[STACK] = (struct tk_cell){.kind = TK_TEXT, .enc = enc, .n = (uint32_t)n, .v.p = kept};
    return kept ? 0 : -1;
}

/* The game frame that a point in time lies in. */
static void fill_frame(const struct tk_frames *frames, int64_t time, struct tk_cell *row)
{
    size_t at, n = frames ? frames->n : 0;
    TK_SEARCH(at, n, frames->v[at].to <= time);
    if (at < n && frames->v[at].from <= time)
        row[FRAME] = tk_cell_of_uint(at);
}

static void fill_slowest(const struct slowest *s, const struct tk_top_call *call, struct tk_cell *row)
{
    const struct tk_query_context *view = s->view;
    const struct tk_timer *timer = tk_dict_timer(view->dict, call->timer);
    const struct lane *lane = s->lanes.v[call->lane];
    if (timer) {
        row[TIMER] = tk_cell_of_text(timer->displayed);
        row[KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
        row[FILE_NAME] = tk_cell_of_text(timer->info.file);
        if (timer->info.file || timer->info.line)
            row[LINE] = tk_cell_of_uint(timer->info.line);
    }
    row[DURATION] = tk_query_context_span(view, (int64_t)call->total);
    row[EXCL] = tk_query_context_span(view, (int64_t)call->excl);
    row[START] = tk_query_context_time(view, call->begin);
    tk_lane_put(view, lane->kind, lane->thread, &row[THREAD]);
    row[THREAD_ID] = tk_query_context_lane_id(lane->kind, lane->thread);
    fill_frame(view->frames, call->begin, row);
    if (call->text && call->text->n)
        row[TEXT] = tk_cell_of_text(call->text);
}

/* Says how many of the rows have no depth and stack because theirs was one too many. */
static void tell_lost(const struct slowest *s, uint64_t lost)
{
    if (lost)
        tk_health_limit(&s->view->ctx->health, TK_LIMIT_tree_nodes, TK_NO_OFFSET, lost,
                        "of the slowest calls, %" PRIu64 " have no depth and no stack", lost);
}

static bool is_beyond(const struct slowest *s, const struct tk_top_call *call)
{
    const struct tk_paths *paths = s->lanes.v[call->lane]->paths;
    return paths && tk_paths_is_beyond(paths, call->node);
}

static int finish_slowest(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct slowest *s = self;
    uint64_t lost = 0;
    if (merge_slowest(s))
        return tk_err_nomem(err, "the slowest calls");
    for (size_t i = 0; i < s->rows.n; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        row[RANK] = tk_cell_of_uint(i + 1);
        fill_slowest(s, &s->rows.v[i], row);
        if (!tk_emit_wants(emit, STACK) && !tk_emit_wants(emit, DEPTH))
            continue;
        if (fill_stack(s, &s->rows.v[i], row, emit))
            return tk_err_nomem(err, "the slowest calls");
        lost += is_beyond(s, &s->rows.v[i]);
    }
    tell_lost(s, lost);
    return tk_emit_status(emit);
}

static const struct tk_scope_hooks scope_hooks = {
    .take = take_slowest, .lane = lane_slowest, .paths = {.least = least_slowest}};

const struct tk_builder tk_builder_slowest = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES), .lanes = TK_NEEDS_QUEUES},
    .scopes = &scope_hooks,
    .add_needs = add_needs,
    .open = open_slowest,
    .feed = feed_slowest,
    .finish = finish_slowest,
    .close = close_slowest,
};
