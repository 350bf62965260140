/*
 * What the scope model should say, worked out the slow way: one list of open scopes a lane, everything by
 * loops over all of them. For the tests of the scope model and of the statistics behind it.
 */
#ifndef TK_TESTS_SCOPE_TRUTH_H
#define TK_TESTS_SCOPE_TRUTH_H

#include "fact/fact.h"
#include "query/builder.h"

#include <stdbool.h>
#include <stdlib.h>

#define TRUTH_FRAMES_MAX 64

/* A closed scope. */
struct truth_scope {
    uint32_t timer;
    int64_t begin, end;
    uint64_t total, excl; /* clipped */
    bool outer;
    uint64_t id, parent;
    uint32_t depth;
};

struct truth_open {
    uint32_t timer, writer;
    int64_t begin;
    uint64_t children, id;
    bool outer, deep; /* deep: beyond the limit */
};

struct truth_lane {
    struct truth_open open[4096];
    size_t n_open;
    struct truth_scope *closed;
    size_t n_closed;
    struct tk_open_scope *lost;
    size_t n_lost;
    bool seen;
    int64_t first, last;
    uint64_t ids, unmatched, raised, too_deep, covered;
    size_t max_depth;
};

struct truth_rules {
    const struct tk_range *ranges; /* selected */
    size_t n_ranges;
    bool all_time;
    size_t limit;
};

/* Selected cycles of [begin, end). */
static inline uint64_t truth_selected(const struct truth_rules *rules, int64_t begin, int64_t end)
{
    uint64_t sum = 0;
    if (rules->all_time)
        return (uint64_t)(end - begin);
    for (size_t i = 0; i < rules->n_ranges; i++) {
        int64_t from = rules->ranges[i].from > begin ? rules->ranges[i].from : begin;
        int64_t to = rules->ranges[i].to < end ? rules->ranges[i].to : end;
        sum += from < to ? (uint64_t)(to - from) : 0;
    }
    return sum;
}

/* Does a scope touch the selection; one without length: does it lie in it? */
static inline bool truth_touches(const struct truth_rules *rules, int64_t begin, int64_t end)
{
    if (rules->all_time || truth_selected(rules, begin, end))
        return true;
    for (size_t i = 0; i < rules->n_ranges; i++)
        if (begin == end && rules->ranges[i].from <= begin && begin < rules->ranges[i].to)
            return true;
    return false;
}

static inline void truth_begin(const struct truth_rules *rules, struct truth_lane *lane, uint32_t op)
{
    size_t timed = 0;
    bool deep = false, outer = true;
    uint32_t timer = op & TK_OP_TIMER;
    for (size_t i = 0; i < lane->n_open; i++) {
        deep |= lane->open[i].deep;
        timed += !lane->open[i].deep;
        outer &= lane->open[i].deep || lane->open[i].timer != timer;
    }
    deep |= timed >= rules->limit;
    lane->too_deep += deep;
    if (!deep)
        lane->ids++;
    lane->open[lane->n_open++] = (struct truth_open){.timer = timer,
                                                     .writer = op & TK_OP_STAMPED,
                                                     .begin = lane->last,
                                                     .id = lane->ids,
                                                     .outer = outer,
                                                     .deep = deep};
    if (lane->n_open > lane->max_depth)
        lane->max_depth = lane->n_open;
}

static inline void truth_close(const struct truth_rules *rules, struct truth_lane *lane, size_t at)
{
    struct truth_open s = lane->open[at];
    struct truth_scope closed = {.timer = s.timer,
                                 .begin = s.begin,
                                 .end = lane->last,
                                 .outer = s.outer,
                                 .id = s.id,
                                 .depth = (uint32_t)at,
                                 .parent = at ? lane->open[at - 1].id : 0};
    closed.total = truth_selected(rules, s.begin, lane->last);
    closed.excl = closed.total - s.children;
    if (at)
        lane->open[at - 1].children += closed.total;
    lane->covered += closed.excl; /* own times of all scopes leave nothing out and nothing twice */
    if (truth_touches(rules, s.begin, lane->last)) {
        if ((lane->n_closed & (lane->n_closed - 1)) == 0)
            lane->closed =
                realloc(lane->closed, (lane->n_closed ? 2 * lane->n_closed : 1) * sizeof *lane->closed);
        lane->closed[lane->n_closed++] = closed;
    }
}

static inline void truth_end(const struct truth_rules *rules, struct truth_lane *lane, uint32_t op)
{
    size_t at = lane->n_open;
    while (at > 0 && lane->open[at - 1].writer != (op & TK_OP_STAMPED))
        at--;
    if (at == 0) {
        lane->unmatched++;
        return;
    }
    at--;
    if (!lane->open[at].deep)
        truth_close(rules, lane, at);
    for (size_t i = at; i + 1 < lane->n_open; i++)
        lane->open[i] = lane->open[i + 1];
    lane->n_open--;
}

static inline void truth_lose(struct truth_lane *lane)
{
    for (size_t i = 0; i < lane->n_open; i++) {
        if (lane->open[i].deep)
            continue;
        lane->lost = realloc(lane->lost, (lane->n_lost + 1) * sizeof *lane->lost);
        lane->lost[lane->n_lost++] =
            (struct tk_open_scope){.timer = lane->open[i].timer, .begin = lane->open[i].begin};
    }
    lane->n_open = 0;
}

static inline void truth_op(const struct truth_rules *rules, struct truth_lane *lane, int64_t time,
                            uint32_t op)
{
    if (!lane->seen)
        lane->first = lane->last = time;
    lane->seen = true;
    if (time < lane->last)
        lane->raised += op != TK_OP_CUT;
    else
        lane->last = time;
    if (op == TK_OP_CUT || op == TK_OP_CLOSE)
        truth_lose(lane);
    else if (op & TK_OP_END)
        truth_end(rules, lane, op);
    else
        truth_begin(rules, lane, op);
}

static inline void truth_release(struct truth_lane *lane)
{
    free(lane->closed);
    free(lane->lost);
}

/* ---- random ops ---- */

struct truth_random {
    uint64_t state;
};

static inline uint32_t truth_below(struct truth_random *r, uint32_t limit)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->state >> 33) % limit);
}

/* How wild a stream is. */
struct truth_style {
    bool two_writers, backwards, cuts, late;
    uint32_t timers, depth; /* kept about */
    uint32_t step;          /* cycles between two ops, at most */
};

static inline uint32_t truth_draw_op(struct truth_random *r, const struct truth_style *style, size_t depth)
{
    uint32_t writer = style->two_writers && truth_below(r, 4) == 0 ? TK_OP_STAMPED : 0;
    if (style->cuts && truth_below(r, 300) == 0)
        return truth_below(r, 2) ? TK_OP_CUT : TK_OP_CLOSE;
    if (truth_below(r, 2 * style->depth) < depth || truth_below(r, 40) == 0)
        return TK_OP_END | writer;
    uint32_t timer = truth_below(r, style->timers);
    return writer | (style->late && truth_below(r, 6) == 0 ? TK_LATE + timer : timer);
}

static inline int64_t truth_draw_time(struct truth_random *r, const struct truth_style *style, int64_t last)
{
    if (style->backwards && truth_below(r, 50) == 0)
        return last - (int64_t)truth_below(r, 3 * style->step);
    return truth_below(r, 3) == 0 ? last : last + (int64_t)truth_below(r, style->step);
}

#endif
