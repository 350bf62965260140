/*
 * Plans of what to read.
 *
 * The points are gone through twice: for their times, which tell between which of them the selection lies;
 * and for the lanes at some of them. A scope that is open behind the selection ends where it is gone: the
 * packets in front of that point are read as well.
 */
#include "kept/kept_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Loading of what is known of scopes.
 */

int tk_scope_memory_load(struct tk_scope_memory *m, const struct tk_context *ctx, uint64_t kinds,
                         struct tk_err *err)
{
    *m = (struct tk_scope_memory){.limits = &ctx->limits};
    if (!ctx->known || !ctx->known->has[TK_KEPT_SCOPES].n)
        return TK_OK;
    struct tk_cur c = tk_kept_cursor(ctx->known, TK_KEPT_SCOPES);
    m->mask = tk_varint(&c, "facts");
    m->numbers = tk_varint(&c, "numbers") != 0;
    int rc = TK_OK;
    for (uint64_t i = tk_varint(&c, "facts"); i > 0 && tk_cur_ok(&c) && rc == TK_OK; i--) {
        struct tk_fact fact;
        rc = tk_kept_fact_take(&c, &m->texts, &fact);
        if (rc == TK_OK && tk_cur_ok(&c) && kinds >> fact.kind & 1 && tk_vec_push(&m->facts, fact))
            rc = TK_ENOMEM;
    }
    m->there = rc == TK_OK && tk_cur_ok(&c) && !(m->mask & ~TK_KEPT_FACTS);
    m->points = (struct tk_bytes){c.p, tk_cur_left(&c)};
    return rc == TK_OK ? TK_OK : tk_err_nomem(err, "what is known of the capture");
}

void tk_scope_memory_release(struct tk_scope_memory *m)
{
    tk_vec_release(&m->facts);
    tk_intern_release(&m->texts);
    *m = (struct tk_scope_memory){0};
}

#define OPS (TK_OP_TIMER | TK_OP_STAMPED)

enum { LANES_MOST = 1 << 15 };

/* A point, without its lanes. */
struct point {
    uint64_t place;
    int64_t least, greatest; /* times of what came since the one before; of all up to here */
    const uint8_t *state;
    size_t n_state;
};

/* A walk over the points. */
struct walk {
    struct tk_cur c;
    struct point now; /* the last one */
    const struct tk_limits *limits;
    struct tk_lane_states *lanes; /* as they are there; NULL: they are passed over */
};

/* A scope that touches the selection and is open behind it. */
struct awaited {
    uint32_t lane;
    struct tk_state_scope scope;
    size_t nth; /* of those that are as old as it and of its timer, counted from the outermost */
};

struct planning {
    const struct tk_scope_memory *memory;
    struct tk_scope_plan *plan;
    int64_t from, to;
    TK_VEC(struct point) points; /* from the start on */
    size_t first, last;          /* the selection lies between these two */
    TK_VEC(struct awaited) awaited;
    struct tk_lane_states lanes;
    size_t reached; /* the point that the last piece goes up to */
};

/* ---- points ---- */

static void wrong(struct tk_cur *c)
{
    if (!c->fault)
        c->fault = "what is known of scopes";
    c->p = c->end;
}

static int take_open(struct walk *w, struct tk_lane_state *lane)
{
    struct tk_cur *c = &w->c;
    const uint64_t kept = tk_varint(c, "scopes"), more = tk_varint(c, "scopes");
    if (kept > lane->open.n || more > tk_cur_left(c) || kept + more > w->limits->open_scopes) {
        wrong(c);
        return TK_OK;
    }
    lane->open.n = (size_t)kept;
    for (uint64_t i = 0; i < more && tk_cur_ok(c); i++) {
        struct tk_state_scope s = {
            .begin = (int64_t)((uint64_t)lane->last - (uint64_t)tk_kept_signed(c, "a scope"))};
        s.id = lane->begun - tk_varint(c, "a scope");
        const uint64_t op = tk_varint(c, "a scope");
        s.op = (uint32_t)op;
        if (op & ~(uint64_t)OPS || (op & TK_OP_TIMER) >= w->limits->timers || (op & TK_OP_TIMER) >= TK_LATE)
            wrong(c);
        else if (tk_vec_push(&lane->open, s))
            return TK_ENOMEM;
    }
    return TK_OK;
}

static int take_lane(struct walk *w)
{
    struct tk_cur *c = &w->c;
    const uint64_t number = tk_varint(c, "a lane");
    if (number >= LANES_MOST || !tk_cur_ok(c)) {
        wrong(c);
        return TK_OK;
    }
    if (tk_vec_reach(&w->lanes->lanes, (size_t)number + 1))
        return TK_ENOMEM;
    struct tk_lane_state *lane = &w->lanes->lanes.v[number];
    lane->seen = true;
    lane->thread = (uint32_t)tk_varint(c, "a lane");
    lane->kind = (uint8_t)tk_varint(c, "a lane");
    lane->first = tk_kept_signed(c, "a lane");
    lane->last = tk_kept_signed(c, "a lane");
    lane->begun = tk_varint(c, "a lane");
    lane->unmatched = tk_varint(c, "a lane");
    lane->raised = tk_varint(c, "a lane");
    lane->max_depth = tk_varint(c, "a lane");
    if (lane->kind != TK_LANE_THREAD)
        wrong(c);
    return take_open(w, lane);
}

/* The next point; its lanes may be looked at beforehand, at the cursor. */
static void take_point(struct walk *w)
{
    struct tk_cur *c = &w->c;
    w->now.place += tk_varint(c, "a place");
    w->now.least = tk_kept_signed(c, "a time");
    w->now.greatest = tk_kept_signed(c, "a time");
    const uint64_t n = tk_varint(c, "a state");
    if (n > tk_cur_left(c)) {
        wrong(c);
        return;
    }
    w->now.state = tk_take(c, (size_t)n, "a state");
    w->now.n_state = (size_t)n;
}

static int take_lanes(struct walk *w)
{
    const uint64_t size = tk_varint(&w->c, "lanes");
    if (size > tk_cur_left(&w->c)) {
        wrong(&w->c);
        return TK_OK;
    }
    const uint8_t *end = w->c.p + size;
    int rc = TK_OK;
    if (!w->lanes)
        w->c.p = end;
    while (w->c.p < end && tk_cur_ok(&w->c) && rc == TK_OK)
        rc = take_lane(w);
    if (w->c.p != end)
        wrong(&w->c);
    return rc;
}

/* ---- between which points the selection lies ---- */

static int find_points(struct planning *p)
{
    struct walk w = {.c = tk_cur_of(p->memory->points.p, p->memory->points.n), .limits = p->memory->limits};
    int rc = tk_vec_push(&p->points, ((struct point){.greatest = INT64_MIN})) ? TK_ENOMEM : TK_OK;
    while (tk_cur_left(&w.c) && rc == TK_OK) {
        take_point(&w);
        rc = take_lanes(&w);
        if (rc == TK_OK && tk_cur_ok(&w.c) && tk_vec_push(&p->points, w.now))
            rc = TK_ENOMEM;
    }
    if (rc != TK_OK || !tk_cur_ok(&w.c) || p->points.n < 2)
        return rc == TK_OK ? TK_EFORMAT : rc;
    const size_t end = p->points.n - 1;
    for (size_t i = 1; i <= end && p->points.v[i].greatest < p->from; i++)
        p->first = i;
    p->last = end;
    while (p->last > p->first && p->points.v[p->last].least > p->to)
        p->last--;
    return TK_OK;
}

/* ---- pieces ---- */

static int copy_lanes(const struct tk_lane_states *from, struct tk_lane_states *to)
{
    if (tk_vec_reach(&to->lanes, from->lanes.n))
        return TK_ENOMEM;
    for (size_t i = 0; i < from->lanes.n; i++) {
        const struct tk_lane_state *a = &from->lanes.v[i];
        struct tk_lane_state *b = &to->lanes.v[i];
        *b = *a;
        b->open.v = NULL;
        b->open.n = b->open.cap = 0;
        if (tk_vec_reserve(&b->open, a->open.n + 1))
            return TK_ENOMEM;
        if (a->open.n)
            memcpy(b->open.v, a->open.v, a->open.n * sizeof *b->open.v);
        b->open.n = a->open.n;
    }
    return TK_OK;
}

/* A piece between two points; the lanes are as they are at the first one. */
static int add_piece(struct planning *p, size_t from, size_t to)
{
    const struct point *a = &p->points.v[from], *b = &p->points.v[to];
    const struct tk_piece piece = {a->place, b->place, a->state, a->n_state};
    const struct tk_lane_states none = {.lanes = {.n = 0}};
    if (p->plan->pieces.n && from == p->reached && from != to) {
        p->plan->pieces.v[p->plan->pieces.n - 1].to = b->place;
        p->reached = to;
        return TK_OK;
    }
    p->reached = to;
    if (tk_vec_push(&p->plan->states, none))
        return TK_ENOMEM;
    if (tk_vec_push(&p->plan->pieces, piece))
        return TK_ENOMEM;
    return copy_lanes(&p->lanes, &p->plan->states.v[p->plan->states.n - 1]);
}

/* Of the first n open scopes those that are as old as this one and of its timer. */
static size_t count_same(const struct tk_lane_state *lane, size_t n, const struct tk_state_scope *s)
{
    size_t same = 0;
    for (size_t k = 0; k < n; k++)
        same += tk_state_scope_is(&lane->open.v[k], s->begin, s->op);
    return same;
}

static int await_open(struct planning *p)
{
    for (size_t i = 0; i < p->lanes.lanes.n; i++)
        for (size_t k = 0; k < p->lanes.lanes.v[i].open.n; k++) {
            const struct tk_state_scope *s = &p->lanes.lanes.v[i].open.v[k];
            const struct awaited a = {(uint32_t)i, *s, count_same(&p->lanes.lanes.v[i], k, s)};
            if (s->begin <= p->to && tk_vec_push(&p->awaited, a))
                return TK_ENOMEM;
        }
    return TK_OK;
}

static bool is_open(const struct tk_lane_states *lanes, const struct awaited *a)
{
    if (a->lane >= lanes->lanes.n)
        return false;
    const struct tk_lane_state *lane = &lanes->lanes.v[a->lane];
    return count_same(lane, lane->open.n, &a->scope) > a->nth;
}

/* Forgets those that are gone now. Were there any? */
static bool forget_gone(struct planning *p)
{
    size_t left = 0;
    for (size_t i = 0; i < p->awaited.n; i++)
        if (is_open(&p->lanes, &p->awaited.v[i]))
            p->awaited.v[left++] = p->awaited.v[i];
    const bool gone = left < p->awaited.n;
    p->awaited.n = left;
    return gone;
}

static void release_lanes(struct tk_lane_states *s)
{
    for (size_t i = 0; i < s->lanes.n; i++)
        tk_vec_release(&s->lanes.v[i].open);
    tk_vec_release(&s->lanes);
}

/* Goes from point i - 1 to i, and adds what lies between where something awaited ends there. */
static int step(struct planning *p, struct walk *w, size_t i)
{
    struct tk_lane_states before = {.lanes = {.n = 0}};
    const bool awaits = i > p->last && p->awaited.n;
    int rc = awaits ? copy_lanes(&p->lanes, &before) : TK_OK;
    if (rc == TK_OK) {
        take_point(w);
        rc = take_lanes(w);
    }
    if (rc == TK_OK && awaits && forget_gone(p)) {
        struct tk_lane_states here = p->lanes;
        p->lanes = before;
        rc = add_piece(p, i - 1, i);
        before = p->lanes;
        p->lanes = here;
    }
    release_lanes(&before);
    return rc;
}

static int find_pieces(struct planning *p)
{
    struct walk w = {.c = tk_cur_of(p->memory->points.p, p->memory->points.n),
                     .limits = p->memory->limits,
                     .lanes = &p->lanes};
    const size_t end = p->points.n - 1;
    int rc = TK_OK;
    for (size_t i = 0; i <= end && rc == TK_OK; i++) {
        rc = i ? step(p, &w, i) : TK_OK;
        if (rc == TK_OK && i == p->first && p->first < p->last)
            rc = add_piece(p, p->first, p->last);
        if (rc == TK_OK && i == p->last)
            rc = await_open(p);
    }
    if (rc == TK_OK)
        rc = add_piece(p, end, end);
    return rc == TK_OK && !tk_cur_ok(&w.c) ? TK_EFORMAT : rc;
}

int tk_scope_memory_plan(const struct tk_scope_memory *m, int64_t from, int64_t to,
                         struct tk_scope_plan *plan)
{
    struct planning p = {.memory = m, .plan = plan, .from = from, .to = to};
    *plan = (struct tk_scope_plan){.pieces = {.n = 0}};
    int rc = find_points(&p);
    if (rc == TK_OK)
        rc = find_pieces(&p);
    release_lanes(&p.lanes);
    tk_vec_release(&p.points);
    tk_vec_release(&p.awaited);
    return rc;
}

void tk_scope_plan_release(struct tk_scope_plan *plan)
{
    for (size_t i = 0; i < plan->states.n; i++)
        release_lanes(&plan->states.v[i]);
    tk_vec_release(&plan->states);
    tk_vec_release(&plan->pieces);
}
