/*
 * Segments: where in the frames and the selection a lane stands; and the parts of scopes that lie in several
 * frames.
 */
#include "base/sort.h"
#include "model/scopes/scope_lane.h"

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
