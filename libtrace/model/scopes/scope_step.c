/*
 * One op of a lane, exactly: everything that can happen to a stack.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "model/scopes/scope_lane.h"
#include "query/dict.h"

#include <stdlib.h>
#include <string.h>

static void tk_scope_change_open(struct tk_slice_space *space, uint32_t op, uint32_t change)
{
    uint32_t timer = op & TK_OP_TIMER;
    if (space->open && timer < space->n_open)
        space->open[space->same ? space->same[timer] : timer] += change;
}

uint32_t tk_scope_reported(const struct tk_scope_rules *rules, uint32_t timer)
{
    const struct tk_dict *d = rules->dict;
    uint32_t reported = timer;
    if (!d)
        return timer;
    if (timer >= TK_LATE) {
        const uint32_t slot = timer - TK_LATE;
        reported = slot < d->late.n && d->late.v[slot] != TK_MAP_NONE ? d->late.v[slot] : TK_LATE;
    }
    return rules->by_source ? reported : tk_timer_keys_of(&d->keys, reported);
}

/* Is a scope of the timer open? Late timers are not counted, so they are searched for. */
static bool tk_scope_is_open(const struct tk_scope_rules *rules, const struct tk_scope_lane *lane,
                             const struct tk_slice_space *space, uint32_t timer)
{
    if (timer < space->n_open)
        return space->open[space->same ? space->same[timer] : timer] != 0;
    const uint32_t reported = tk_scope_reported(rules, timer);
    size_t k = lane->depth;
    while (k > 0 && tk_scope_reported(rules, lane->stack.op[k] & TK_OP_TIMER) != reported)
        k--;
    return k > 0;
}

static int tk_scope_push(const struct tk_scope_rules *rules, struct tk_scope_lane *lane,
                         struct tk_slice_space *space, uint32_t op, const struct tk_str *text)
{
    uint32_t timer = op & TK_OP_TIMER;
    if (lane->hashes)
        lane->hashes[lane->depth + 1] = tk_path_hash(lane->hashes[lane->depth], timer);
    if (lane->texts)
        lane->texts[lane->depth + 1] = text;
    struct tk_stacked s = {lane->last, lane->own, ++lane->begun, op, 1};
    if (space->open) {
        if (timer < TK_LATE && tk_scope_count(space, timer))
            return -1;
        s.outer = !tk_scope_is_open(rules, lane, space, timer);
        tk_scope_change_open(space, op, 1);
    }
    tk_scope_stack_set(&lane->stack, ++lane->depth, &s);
    return 0;
}

static int tk_scope_begin(const struct tk_scope_rules *rules, struct tk_scope_lane *lane,
                          struct tk_slice_space *space, uint32_t op, const struct tk_str *text)
{
    if (tk_scopes_beyond_begin(&lane->beyond, lane->depth, rules->limit, op))
        lane->too_deep++;
    else if (tk_scope_push(rules, lane, space, op, text))
        return -1;
    size_t depth = lane->depth + (size_t)tk_scopes_beyond_count(&lane->beyond);
    if (depth > lane->max_depth)
        lane->max_depth = depth;
    return 0;
}

/* A scope that ends. */
struct tk_ending {
    int64_t end;
    uint64_t total, kept; /* cycles that count: all, and those before the next scope has them */
    bool touches;         /* it is one of the selection */
};

/* Writes the slice of stack[k], which touches the selection. */
static void tk_scope_slice(const struct tk_scope_rules *rules, struct tk_scope_lane *lane,
                           struct tk_slice_space *out, size_t k, const struct tk_ending *ending)
{
    const struct tk_stacked s = tk_scope_stack_at(&lane->stack, k);
    size_t at = out->n;
    out->timer[at] = s.op & TK_OP_TIMER;
    out->total[at] = ending->total;
    out->excl[at] = ending->kept - tk_scope_children(lane, k);
    out->outer[at] = s.outer;
    out->begin[at] = s.begin;
    out->end[at] = ending->end;
    out->id[at] = s.id;
    out->parent[at] = lane->stack.id[k - 1];
    out->depth[at] = (uint32_t)k - 1;
    out->frame[at] = lane->segment.frame;
    if (lane->hashes)
        out->hash[at] = lane->hashes[k];
    if (lane->texts)
        out->text[at] = lane->texts[k];
    if (rules->frames && s.op & TK_SCOPE_OLD)
        tk_scope_split(rules, out, s.begin, lane->last);
    out->n++;
    lane->scopes++;
}

/* To be called before scopes are left in another way than by the end of the top. */
static int tk_scope_keep_nodes(struct tk_scope_lane *lane, struct tk_slice_space *out)
{
    return lane->hashes ? tk_scope_set_nodes(lane, out, true) : 0;
}

/* The cycles from begin to end that count. */
static uint64_t tk_scope_total(const struct tk_scope_rules *rules, int64_t begin, int64_t end)
{
    return rules->columns & TK_SLICE_WHOLE ? (uint64_t)end - (uint64_t)begin
                                           : (uint64_t)tk_select_before(rules->select, end) -
                                                 (uint64_t)tk_select_before(rules->select, begin);
}

static struct tk_ending tk_scope_ending(const struct tk_scope_rules *rules, const struct tk_scope_lane *lane,
                                        int64_t begin, uint32_t op)
{
    struct tk_ending e = {.end = tk_wrap_add(lane->last, tk_op_yields(op)),
                          .kept = tk_scope_total(rules, begin, lane->last)};
    e.total = e.end == lane->last ? e.kept : tk_scope_total(rules, begin, e.end);
    e.touches =
        (e.total && !(rules->columns & TK_SLICE_WHOLE)) || tk_select_touches(rules->select, begin, e.end);
    return e;
}

static int tk_scope_end(const struct tk_scope_rules *rules, struct tk_scope_lane *lane,
                        struct tk_slice_space *out, uint32_t op)
{
    if (tk_scopes_beyond_end(&lane->beyond, op))
        return 0;
    size_t k = tk_scope_innermost(lane->stack.op + 1, sizeof *lane->stack.op, lane->depth, op);
    if (!k) {
        lane->unmatched++;
        return 0;
    }
    struct tk_scope_stack *s = &lane->stack;
    const struct tk_ending ending = tk_scope_ending(rules, lane, s->begin[k], op);
    /* one that ends where the selection begins may be around one of no length that is in it */
    if ((k != lane->depth || !ending.touches) && tk_scope_keep_nodes(lane, out))
        return -1;
    if (ending.touches)
        tk_scope_slice(rules, lane, out, k, &ending);
    lane->yielded += ending.end != lane->last;
    /* of what is around it, it and its children are the total; of those above, nothing changes */
    const uint64_t change = ending.kept - tk_scope_children(lane, k);
    tk_scope_change_open(out, s->op[k], UINT32_MAX);
    for (size_t j = k; j < lane->depth; j++) {
        struct tk_stacked above = tk_scope_stack_at(s, j + 1);
        above.before += change;
        tk_scope_stack_set(s, j, &above);
    }
    lane->own += change;
    if (lane->hashes)
        memmove(lane->hashes + k, lane->hashes + k + 1, (lane->depth - k) * sizeof *lane->hashes);
    if (lane->texts)
        memmove(lane->texts + k, lane->texts + k + 1, (lane->depth - k) * sizeof *lane->texts);
    lane->depth--;
    return 0;
}

/* Notes all that are open as lost. 0, or -1 without memory. */
static int tk_scope_note_lost(struct tk_scope_lane *lane, int64_t end)
{
    if (!lane->depth)
        return 0;
    if (tk_vec_reserve(&lane->lost, lane->lost.n + lane->depth))
        return -1;
    struct tk_open_scope *lost = lane->lost.v + lane->lost.n;
    tk_scope_lane_open(lane, end, lost);
    lane->lost.n += lane->depth;
    return tk_scope_open_nodes(lane, lost);
}

static uint32_t tk_scope_node_of_top(struct tk_scope_lane *lane)
{
    uint32_t node = TK_PATH_ROOT;
    for (size_t k = 1; k <= lane->depth && node != TK_PATH_NONE; k++)
        node = tk_scope_node(lane, k, node);
    return node;
}

/* Nobody knows how long it was open. */
static int tk_scope_lose_top(struct tk_scope_lane *lane, struct tk_slice_space *out)
{
    if (tk_scopes_beyond_lose(&lane->beyond))
        return 0;
    if (!lane->depth) {
        lane->unmatched++;
        return 0;
    }
    const struct tk_stacked s = tk_scope_stack_at(&lane->stack, lane->depth);
    struct tk_open_scope lost = {.timer = s.op & TK_OP_TIMER,
                                 .begin = s.begin,
                                 .end = s.begin,
                                 .inside = INT64_MAX,
                                 .children = tk_scope_children(lane, lane->depth),
                                 .id = s.id,
                                 .parent = lane->stack.id[lane->depth - 1],
                                 .depth = (uint32_t)lane->depth - 1};
    if (tk_scope_keep_nodes(lane, out))
        return -1;
    if (lane->hashes)
        lost.node = tk_scope_node_of_top(lane);
    if (lost.node == TK_PATH_NONE || tk_vec_push(&lane->lost, lost))
        return -1;
    tk_scope_change_open(out, s.op, UINT32_MAX);
    lane->depth--;
    return 0;
}

static int tk_scope_lose_all(struct tk_scope_lane *lane, struct tk_slice_space *out)
{
    if (tk_scope_keep_nodes(lane, out) || tk_scope_note_lost(lane, lane->last))
        return -1;
    tk_scope_leave(lane, out);
    lane->depth = 0;
    lane->beyond = (struct tk_scopes_beyond){0};
    return 0;
}

int tk_scope_step(const struct tk_scope_rules *rules, struct tk_scope_lane *lane, struct tk_slice_space *out,
                  int64_t time, uint32_t op, const struct tk_str *text)
{
    if (time < lane->last)
        lane->raised += op != TK_OP_CUT; /* which need not have a time */
    else
        lane->last = time;
    if (lane->last >= lane->segment.border)
        tk_scope_segment(rules, lane, lane->last);

    if (!(op & TK_OP_END))
        return tk_scope_begin(rules, lane, out, op, text);
    if (op == TK_OP_CUT)
        lane->cut += lane->depth;
    if (op == TK_OP_CUT || op == TK_OP_CLOSE)
        return tk_scope_lose_all(lane, out);
    if (op == TK_OP_LOSE)
        return tk_scope_lose_top(lane, out);
    return tk_scope_end(rules, lane, out, op);
}

/* From timer `from` on, as far as scopes are counted. */
static int tk_scope_fill_same(struct tk_slice_space *space, uint32_t from)
{
    uint32_t *same = realloc(space->same, ((size_t)space->n_open + 1) * sizeof *same);
    if (!same)
        return -1;
    for (uint32_t i = from; i <= space->n_open; i++)
        same[i] = i < space->n_open ? tk_timer_keys_of(space->keys, i) : i;
    space->same = same;
    return 0;
}

int tk_scope_count(struct tk_slice_space *space, uint32_t timer)
{
    if (timer < space->n_open)
        return 0;
    size_t cap = space->n_open + (size_t)1, want = timer + (size_t)2;
    if (tk_vec_grow((void **)&space->open, &cap, want, sizeof *space->open))
        return -1;
    memset(space->open + space->n_open, 0, (cap - space->n_open) * sizeof *space->open);
    const uint32_t before = space->n_open;
    space->n_open = (uint32_t)cap - 1;
    return space->same ? tk_scope_fill_same(space, before) : 0;
}

int tk_scope_learn_keys(struct tk_slice_space *space)
{
    const struct tk_timer_keys *keys = space->keys;
    if (!keys || !space->open || space->keys_changes == keys->changes)
        return 0;
    space->keys_changes = keys->changes;
    if (keys->same.n && tk_scope_count(space, (uint32_t)keys->same.n - 1))
        return -1;
    return tk_scope_fill_same(space, 0);
}

int tk_scope_enter(const struct tk_scope_lane *lane, struct tk_slice_space *space)
{
    for (size_t k = 1; k <= lane->depth && space->open; k++) {
        uint32_t timer = lane->stack.op[k] & TK_OP_TIMER;
        if (timer < TK_LATE && tk_scope_count(space, timer))
            return -1;
        tk_scope_change_open(space, timer, 1);
    }
    return 0;
}

void tk_scope_leave(const struct tk_scope_lane *lane, struct tk_slice_space *space)
{
    for (size_t k = 1; k <= lane->depth; k++)
        tk_scope_change_open(space, lane->stack.op[k], UINT32_MAX);
}

/*
 * Segments: where in the frames and the selection a lane stands; and the parts of scopes that lie in several
 * frames.
 */

/* Narrows a segment to the range or the gap between ranges that t lies in; *next is the first range that ends
 * behind t. Returns whether t lies in it. */
static bool tk_segment_narrow(struct tk_segment *s, const struct tk_range *ranges, size_t n, size_t *next,
                              int64_t t)
{
    while (*next < n && ranges[*next].to <= t)
        ++*next;
    bool inside = *next < n && ranges[*next].from <= t;
    int64_t floor = *next ? ranges[*next - 1].to : INT64_MIN, border = INT64_MAX;
    if (inside) {
        floor = ranges[*next].from;
        border = ranges[*next].to;
    } else if (*next < n) {
        border = ranges[*next].from;
    }
    s->floor = floor > s->floor ? floor : s->floor;
    s->border = border < s->border ? border : s->border;
    return inside;
}

void tk_scope_segment(const struct tk_scope_rules *rules, struct tk_scope_lane *lane, int64_t t)
{
    struct tk_segment s = {INT64_MIN, INT64_MAX, TK_FRAME_NONE, true, true};
    if (rules->frames && tk_segment_narrow(&s, rules->frames->v, rules->frames->n, &lane->next_frame, t))
        s.frame = (uint32_t)lane->next_frame;
    if (!rules->select->all_time)
        s.selected =
            tk_segment_narrow(&s, rules->select->ranges, rules->select->n_ranges, &lane->next_range, t);
    s.counts = s.selected || rules->columns & TK_SLICE_WHOLE;
    lane->segment = s;
    for (size_t k = 1; k <= lane->depth; k++)
        lane->stack.op[k] |= TK_SCOPE_OLD;
}

/* First frame that ends behind t. */
static size_t tk_frame_behind(const struct tk_frames *frames, int64_t t)
{
    size_t at;
    TK_SEARCH(at, frames->n, frames->v[at].to <= t);
    return at;
}

/* First frame that does not begin before t. */
static size_t tk_frame_from(const struct tk_frames *frames, int64_t t)
{
    size_t at;
    TK_SEARCH(at, frames->n, frames->v[at].from < t);
    return at;
}

static void tk_scope_put_part(struct tk_slice_space *out, size_t frame, size_t n, uint64_t total)
{
    if (total)
        out->parts[out->n_parts++] = (struct tk_slice_part){
            .timer = out->timer[out->n],
            .frame = (uint32_t)frame,
            .n = (uint32_t)n,
            .outer = out->outer[out->n],
            .slice = (uint16_t)out->n,
            .total = total,
        };
}

/* What is selected of [begin, end] inside one frame. */
static uint64_t tk_scope_inside(const struct tk_scope_rules *rules, size_t frame, int64_t begin, int64_t end)
{
    const struct tk_range *r = &rules->frames->v[frame];
    return (uint64_t)tk_select_before(rules->select, r->to < end ? r->to : end) -
           (uint64_t)tk_select_before(rules->select, r->from > begin ? r->from : begin);
}

void tk_scope_split(const struct tk_scope_rules *rules, struct tk_slice_space *out, int64_t begin,
                    int64_t end)
{
    const struct tk_frames *frames = rules->frames;
    size_t low = tk_frame_behind(frames, begin), high = tk_frame_from(frames, end);
    if (low >= high) {
        out->frame[out->n] = TK_FRAME_NONE;
        return;
    }
    out->frame[out->n] = TK_FRAME_PARTS;
    if (frames->v[low].from < begin || frames->v[low].to > end) {
        tk_scope_put_part(out, low, 1, tk_scope_inside(rules, low, begin, end));
        low++;
    }
    size_t full = low < high && frames->v[high - 1].to > end ? high - 1 : high;
    if (low < full)
        tk_scope_put_part(out, low, full - low, rules->frame_sums[full] - rules->frame_sums[low]);
    if (full < high)
        tk_scope_put_part(out, full, 1, tk_scope_inside(rules, full, begin, end));
}
