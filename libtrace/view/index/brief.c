/*
 * The short scopes of a window: from chunks, or decoded again from the capture.
 *
 * Decoding begins at a mark that is two bins of level 0 before the window, with an empty stack. What began
 * before that either is long, so that the index has it, or has ended when the first scope that touches the
 * window begins: that one is shorter than a bin. So the row of a scope is what is open on the stack, and what
 * is open of the long ones that began before.
 */
#include "api/trace.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/sort.h"
#include "fact/scopes.h"
#include "view/index/index_in.h"

#include <stdlib.h>

struct begun {
    int64_t begin;
    uint32_t op;
};

/* A scope that began before decoding did. */
struct earlier {
    int64_t end;
    bool over;
};

/* A lane that is decoded. */
struct piece {
    struct tk_index *index;
    const struct tk_index_strip *lane;
    struct tk_index_fold fold;
    uint64_t from, to; /* places */
    int64_t until;     /* what comes later does not count */
    bool whole;        /* from the start of the lane */
    bool began, done;
    int64_t first, last; /* times */
    TK_STACK(struct begun) stack;
    TK_VEC(struct earlier) earlier;
    struct tk_scopes_beyond beyond;
};

/* ---- one lane ---- */

/* What is open when decoding begins, as far as it is long. */
static int find_earlier(struct piece *p, struct tk_err *err)
{
    const struct tk_index_question at = {.from = p->first, .to = p->first + 1, .pixels = 1, .each = true};
    struct tk_index_window open = {0};
    int rc = p->whole || p->first == INT64_MAX ? TK_OK
                                               : tk_index_long_scopes(p->index, p->lane, 0, &at, &open, err);
    for (size_t i = 0; i < open.n && rc == TK_OK; i++)
        if (tk_vec_push(&p->earlier, (struct earlier){.end = open.boxes[i].end}))
            rc = tk_err_nomem(err, "a window");
    tk_index_window_release(&open);
    return rc;
}

/* An end of something that began earlier: of those that end now one is over. */
static void end_earlier(struct piece *p)
{
    for (size_t i = 0; i < p->earlier.n; i++)
        if (!p->earlier.v[i].over && p->earlier.v[i].end == p->last) {
            p->earlier.v[i].over = true;
            return;
        }
}

static size_t open_earlier(const struct piece *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->earlier.n; i++)
        n += !p->earlier.v[i].over && p->earlier.v[i].end >= p->last;
    return n;
}

static int end_scope(struct piece *p, uint32_t op, struct tk_err *err)
{
    if (tk_scopes_beyond_end(&p->beyond, op))
        return TK_OK;
    const struct begun *outermost = p->stack.v;
    const size_t k = p->stack.n ? tk_scope_innermost(&outermost->op, sizeof *outermost, p->stack.n, op) : 0;
    if (!k) {
        end_earlier(p);
        return TK_OK;
    }
    const struct begun begun = p->stack.v[k - 1];
    const size_t row = k - 1 + open_earlier(p);
    int rc = TK_OK;
    if ((uint64_t)p->last - (uint64_t)begun.begin < tk_index_bin_width(p->index, 0) && row < TK_INDEX_ROWS) {
        const struct tk_index_scope scope = {
            .begin = begun.begin, .end = p->last, .timer = begun.op & TK_OP_TIMER, .row = (uint16_t)row};
        rc = tk_index_fold_add(&p->fold, &scope, err);
    }
    tk_stack_remove(&p->stack, k - 1);
    return rc;
}

static int begin_scope(struct piece *p, uint32_t op, struct tk_err *err)
{
    const uint64_t limit = p->index->trace->ctx.limits.open_scopes;
    /* what begins with the first time may be there twice: in the index, too */
    if ((!p->whole && p->last == p->first) || tk_scopes_beyond_begin(&p->beyond, p->stack.n, limit, op))
        return TK_OK;
    return tk_stack_push(&p->stack, ((struct begun){p->last, op})) ? tk_err_nomem(err, "a window") : TK_OK;
}

static int step_piece(struct piece *p, int64_t time, uint32_t op, struct tk_err *err)
{
    int rc = TK_OK;
    if (!p->began && time != INT64_MIN) {
        p->began = true;
        p->first = time;
        rc = find_earlier(p, err);
    }
    p->last = time > p->last ? time : p->last;
    if (rc < 0 || p->last > p->until) {
        p->done = rc == TK_OK;
        return rc;
    }
    if (!(op & TK_OP_END))
        return begin_scope(p, op, err);
    if (op == TK_OP_CUT || op == TK_OP_CLOSE) {
        p->stack.n = p->earlier.n = 0;
        p->beyond = (struct tk_scopes_beyond){0};
        return TK_OK;
    }
    if (op != TK_OP_LOSE)
        return end_scope(p, op, err);
    if (tk_scopes_beyond_lose(&p->beyond))
        return TK_OK;
    if (p->stack.n)
        p->stack.n--;
    else
        end_earlier(p);
    return TK_OK;
}

static int run_piece(struct piece *p, const struct tk_scope_run *run, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < run->n && rc == TK_OK && !p->done; i++)
        rc = step_piece(p, run->time[i], run->op[i], err);
    return rc;
}

static int64_t before(int64_t time, uint64_t cycles)
{
    return (uint64_t)time - (uint64_t)INT64_MIN < cycles ? INT64_MIN : (int64_t)((uint64_t)time - cycles);
}

static int64_t after(int64_t time, uint64_t cycles)
{
    return (uint64_t)INT64_MAX - (uint64_t)time < cycles ? INT64_MAX : (int64_t)((uint64_t)time + cycles);
}

/* Where what touches the window is in the capture. A mark says what was read when scopes came; they may have
 * waited since the one before, so that is where reading begins. Stamped scopes come later than what is around
 * them, so that one mark more is read at the end. */
static void place_piece(struct piece *p, const struct tk_index_question *q)
{
    const struct tk_index_strip *lane = p->lane;
    const uint64_t bin = tk_index_bin_width(p->index, 0);
    const int64_t early = before(q->from, 2 * bin);
    size_t first, end;
    p->until = after(q->to, bin);
    p->whole = lane->uneven;
    TK_SEARCH(first, lane->marks.n, lane->marks.v[first].time <= early);
    TK_SEARCH(end, lane->marks.n, lane->marks.v[end].time <= p->until);
    first -= first > 0;
    end = end + lane->stamped < lane->marks.n ? end + lane->stamped : lane->marks.n;
    p->whole |= first == 0;
    first -= first > 0;
    if (p->whole)
        first = 0;
    p->from = first ? lane->marks.v[first].from : 0;
    p->to = end ? lane->marks.v[end - 1].to : p->from;
    if (end == lane->marks.n)
        p->to = p->index->end;
    /* before its first scope or behind its last one there is none */
    p->done = !lane->marks.n || q->to < lane->info.first || early > lane->info.last;
}

/* ---- parts of the capture ---- */

static int by_place(const void *a, const void *b)
{
    const struct piece *const *x = a, *const *y = b;
    return ((*x)->from > (*y)->from) - ((*x)->from < (*y)->from);
}

/* Lanes whose places overlap, which are read at once. */
struct stretch {
    struct piece **v;
    size_t n;
};

static bool want_piece(void *ctx, uint32_t thread)
{
    const struct stretch *s = ctx;
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i]->lane->info.thread == thread)
            return true;
    return false;
}

static bool all_done(const struct stretch *s)
{
    bool done = true;
    for (size_t i = 0; i < s->n; i++)
        done &= s->v[i]->done;
    return done;
}

/* A lane may be requested twice. */
static int take_run(const struct stretch *s, const struct tk_scope_run *run, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < s->n && rc == TK_OK; i++)
        if (s->v[i]->lane->info.thread == run->thread)
            rc = run_piece(s->v[i], run, err);
    return rc;
}

static int take_batch(const struct stretch *s, const struct tk_batch *batch, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < batch->n_runs && rc == TK_OK; i++)
        rc = batch->runs[i].kind == TK_LANE_THREAD ? take_run(s, &batch->runs[i], err) : TK_OK;
    return rc;
}

static int read_stretch(struct tk_index *index, struct stretch *s, uint64_t from, uint64_t to,
                        struct tk_err *err)
{
    struct tk_capture *capture = index->trace->capture;
    const struct tk_part part = {from, to};
    const struct tk_request request = {
        .facts = TK_FACT_MASK(SCOPES), .want_thread = want_piece, .want_ctx = s, .part = &part};
    struct tk_source *source = NULL;
    struct tk_batch batch;
    int rc = capture->ops->read(capture, &request, &source, err);
    while (rc >= TK_OK && !all_done(s) && (rc = tk_source_next(source, &batch, err)) == TK_ITEM)
        rc = take_batch(s, &batch, err);
    tk_source_close(source);
    return rc < 0 ? rc : TK_OK;
}

static int read_pieces(struct tk_index *index, struct piece **v, size_t n, struct tk_err *err)
{
    int rc = n && tk_sort(v, n, sizeof *v, by_place) ? tk_err_nomem(err, "a window") : TK_OK;
    for (size_t first = 0, end; first < n && rc == TK_OK; first = end) {
        uint64_t to = v[first]->to;
        for (end = first + 1; end < n && v[end]->from <= to; end++)
            to = v[end]->to > to ? v[end]->to : to;
        struct stretch s = {v + first, end - first};
        rc = read_stretch(index, &s, v[first]->from, to, err);
    }
    return rc;
}

/* ---- a window ---- */

static void release_pieces(struct piece *v, size_t n)
{
    for (size_t i = 0; v && i < n; i++) {
        tk_index_fold_release(&v[i].fold);
        tk_vec_release(&v[i].stack);
        tk_vec_release(&v[i].earlier);
    }
    free(v);
}

int tk_index_brief_scopes(struct tk_index *index, const struct tk_index_question *q,
                          struct tk_index_window *outs, struct tk_err *err)
{
    struct piece *v = calloc(q->n_lanes + 1, sizeof *v),
                 **read = calloc(q->n_lanes + 1, sizeof(struct piece *));
    size_t n = 0;
    int rc = v && read ? TK_OK : tk_err_nomem(err, "a window");
    for (size_t i = 0; i < q->n_lanes && rc == TK_OK; i++) {
        struct piece *p = &v[i];
        *p = (struct piece){.index = index, .lane = index->lanes.v[q->lanes[i]], .last = INT64_MIN};
        tk_index_fold_begin(&p->fold, index, p->lane->reading, q, &outs[i]);
        if (p->lane->keeps_brief)
            rc = tk_index_scopes_read(index, &p->lane->brief_chunks, tk_index_bin_width(index, 0), &p->fold,
                                      err);
        else
            place_piece(p, q);
        if (!p->lane->keeps_brief && !p->done)
            read[n++] = p;
    }
    if (rc == TK_OK)
        rc = read_pieces(index, read, n, err);
    for (size_t i = 0; i < q->n_lanes && rc == TK_OK; i++)
        rc = tk_index_fold_end(&v[i].fold, err);
    release_pieces(v, q->n_lanes);
    free(read);
    return rc;
}
