/*
 * Tables `bound` (of each game frame what bounded it: game thread, render thread, RHI thread or GPU, how long
 * each was busy and waited, and who waited for whom) and `bound_shares` (how many frames were bounded by
 * what).
 *
 * The one that worked longest bounds a frame, if it did for three quarters of it; the GPU only if the game
 * thread, where there is one, is known to work or wait for as much. Else it was the limit of the rate of
 * frames, where the game thread spent a tenth of the frame waiting for that; else the frame waited, where the
 * game thread did for a quarter of it; else it is not known. Time on no core is waiting, where context
 * switches are recorded.
 */
#include "base/wrap.h"
#include "model/frames/frames_in.h"
#include "model/marks/frame_list.h"
#include "model/threads/work_kind.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRAME,
    START,
    DURATION,
    BOUND_BY,
    GAME,
    GAME_WAIT,
    RENDER,
    RENDER_WAIT,
    RHI,
    RHI_WAIT,
    GPU,
    GPU_WAIT,
    THREAD,
    WAITED_IN = THREAD + TK_THREAD_COLUMNS,
    CHAIN,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame, from 0"},
    [START] = {"start", TK_TIME, TK_COL_EXTRA, NULL, "when it starts"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "its length"},
    [BOUND_BY] = {"bound_by", TK_TEXT, 0, NULL,
                  "game, render, rhi, gpu: worked longest, and for 3/4 of the frame; game (loading): most of "
                  "it was loading; "
                  "limiter, waiting; unknown"},
    [GAME] = {"game", TK_DURATION, 0, NULL, "working time of the game thread"},
    [GAME_WAIT] = {"game_wait", TK_DURATION, TK_COL_OPTIONAL, NULL, "waiting time of the game thread"},
    [RENDER] = {"render", TK_DURATION, 0, NULL, "working time of the render thread"},
    [RENDER_WAIT] = {"render_wait", TK_DURATION, TK_COL_OPTIONAL, NULL, "waiting time of the render thread"},
    [RHI] = {"rhi", TK_DURATION, 0, NULL, "working time of the RHI thread"},
    [RHI_WAIT] = {"rhi_wait", TK_DURATION, TK_COL_OPTIONAL, NULL, "waiting time of the RHI thread"},
    [GPU] = {"gpu", TK_DURATION, 0, NULL, "working time of the busiest GPU queue"},
    [GPU_WAIT] = {"gpu_wait", TK_DURATION, TK_COL_OPTIONAL, NULL,
                  "time in which that queue waited for other queues"},
    [THREAD] = TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "thread or GPU queue that bounds the frame"),
    [WAITED_IN] = {"waited_in", TK_TEXT, TK_COL_OPTIONAL, NULL,
                   "timer in which the game thread waited longest; (on no core): it did not run"},
    [CHAIN] = {"chain", TK_TEXT, TK_COL_OPTIONAL, NULL,
               "who waited for whom, starting at the game thread, by recorded tasks and locks; then the GPU "
               "queue that waited longest for a fence"},
};

static const struct tk_table bound_table = {
    .name = "bound",
    .schema = 2,
    .help = "what bounded each game frame: threads and GPU, busy and waiting",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
    .none = "no frame is selected",
};

enum { BY, FRAMES, SHARE, MEAN, SUM_GAME, SUM_RENDER, SUM_RHI, SUM_GPU, OFF_CORE, SHARE_COLUMNS };

static const struct tk_column share_columns[SHARE_COLUMNS] = {
    [BY] = {"bound_by", TK_TEXT, 0, NULL, "as in the table bound"},
    [FRAMES] = {"frames", TK_UINT, 0, "frames", "number of game frames bounded by it"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of all frames, 0 to 1"},
    [MEAN] = {"dur", TK_MEAN, 0, NULL, "mean length of these frames"},
    [SUM_GAME] = {"game", TK_MEAN, 0, NULL, "mean working time of the game thread in these frames"},
    [SUM_RENDER] = {"render", TK_MEAN, 0, NULL, "working time of the render thread"},
    [SUM_RHI] = {"rhi", TK_MEAN, 0, NULL, "working time of the RHI thread"},
    [SUM_GPU] = {"gpu", TK_MEAN, 0, NULL, "mean working time of the busiest GPU queue in these frames"},
    [OFF_CORE] = {"off_core", TK_MEAN, TK_COL_EXTRA, NULL,
                  "mean time in which the game thread was on no core though it did not wait; empty: none"},
};

static const struct tk_table shares_table = {
    .name = "bound_shares",
    .schema = 2,
    .help = "what bounded the game frames, with shares",
    .columns = share_columns,
    .n_columns = SHARE_COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES | TK_TABLE_AFTER,
    .none = "no frame is selected",
};

enum { BY_LOADING = TK_BOUND_ROLES, BY_LIMITER, BY_WAITING, BY_UNKNOWN, BY_ALL };

static const char *const by_names[BY_ALL] = {"game",           "render",  "rhi",     "gpu",
                                             "game (loading)", "limiter", "waiting", "unknown"};

struct bound {
    const struct tk_query_context *view;
    struct tk_work_rules work;
    struct tk_bound_lanes lanes;
    struct tk_wait_chains chains;
    struct tk_fence_waits fences;
};

#define BIT(column) (UINT64_C(1) << (column))

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)view;
    if (wanted & BIT(CHAIN))
        needs->facts |= TK_WAIT_CHAIN_FACTS | TK_FACT_MASK(GPU);
}

static void close_bound(void *self)
{
    struct bound *b = self;
    tk_bound_lanes_release(&b->lanes);
    tk_wait_chains_release(&b->chains);
    tk_fence_waits_release(&b->fences);
    tk_work_rules_release(&b->work);
    free(b);
}

static int open_bound(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                      void **self, struct tk_err *err)
{
    struct bound *b = calloc(1, sizeof *b);
    (void)builder;
    (void)wanted;
    if (!b)
        return tk_err_nomem(err, "what bounds frames");
    *self = b;
    b->view = view;
    if (tk_bound_lanes_init(&b->lanes, view, &b->work))
        return tk_err_nomem(err, "what bounds frames");
    b->chains.capacity = b->fences.capacity = b->fences.signals.capacity =
        tk_query_context_row_limit(view, "bound");
    return tk_work_rules_read(&b->work, view, err);
}

/* ---- reading ---- */

static int feed_bound(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct bound *b = self;
    int rc = tk_bound_lanes_feed(&b->lanes, batch);
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++)
        rc = tk_wait_chains_feed(&b->chains, &batch->facts[i]) ||
             tk_fence_waits_feed(&b->fences, &batch->facts[i]);
    return rc ? tk_err_nomem(err, "what bounds frames") : TK_OK;
}

static int take_bound(void *self, const struct tk_slices *s, unsigned worker)
{
    (void)worker;
    return tk_bound_lanes_take(&((struct bound *)self)->lanes, s) ? TK_ENOMEM : TK_OK;
}

static int check_bound(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    struct bound *b = self;
    if (!b->view->frames->n)
        return tk_frames_missing(b->view->ctx, err);
    return tk_bound_lanes_settle(&b->lanes) || tk_wait_chains_settle(&b->chains) ||
                   tk_fence_waits_settle(&b->fences)
               ? tk_err_nomem(err, "what bounds frames")
               : TK_OK;
}

/* ---- a frame ---- */

#define BOUND_PART 0.75 /* of a frame that who bounds it works at least */

/* What is known of a frame: NULL where nobody has the role. */
struct frame_bound {
    const struct tk_bound_lane *lane[TK_BOUND_ROLES];
    const struct tk_bound_share *share[TK_BOUND_ROLES];
    int64_t length; /* of what of it is selected */
    unsigned by;
};

/* Is the GPU what a frame waits for? Where there is a game thread, and it does nothing that is known, a busy
 * GPU proves nothing. */
static bool proves(const struct frame_bound *f, unsigned role)
{
    const struct tk_bound_share *game = f->share[TK_BOUND_GAME];
    return role != TK_BOUND_GPU || !game ||
           (double)game->busy + (double)game->waiting >= BOUND_PART * (double)f->length;
}

static unsigned bound_by(const struct frame_bound *f)
{
    const struct tk_bound_share *game = f->share[TK_BOUND_GAME];
    unsigned most = TK_BOUND_ROLES;
    for (unsigned i = 0; i < TK_BOUND_ROLES; i++)
        if (f->share[i] && (most == TK_BOUND_ROLES || f->share[i]->busy > f->share[most]->busy))
            most = i;
    if (most < TK_BOUND_ROLES && (double)f->share[most]->busy >= BOUND_PART * (double)f->length &&
        proves(f, most))
        return most == TK_BOUND_GAME && game->loading >= game->busy / 2 ? BY_LOADING : most;
    if (game && (double)game->limited >= 0.1 * (double)f->length)
        return BY_LIMITER;
    return game && (double)game->waiting >= 0.25 * (double)f->length ? BY_WAITING : BY_UNKNOWN;
}

/* The role of the thread that bounds a frame; TK_BOUND_ROLES: none does. */
static unsigned role_of(unsigned by)
{
    return by == BY_LOADING ? TK_BOUND_GAME : by < TK_BOUND_ROLES ? by : TK_BOUND_ROLES;
}

static struct frame_bound frame_of_bound(const struct bound *b, uint32_t frame)
{
    const struct tk_range *r = &b->view->frames->v[frame];
    struct frame_bound f = {.length = tk_wrap_sub(tk_select_before(b->view->select, r->to),
                                                  tk_select_before(b->view->select, r->from))};
    for (unsigned i = 0; i < TK_BOUND_ROLES; i++) {
        f.lane[i] = tk_bound_lanes_at(&b->lanes, (enum tk_bound_role)i, frame);
        f.share[i] = f.lane[i] ? &f.lane[i]->frames[frame] : NULL;
    }
    f.by = bound_by(&f);
    return f;
}

static bool is_selected_frame(const struct bound *b, uint32_t frame)
{
    const struct tk_range *r = &b->view->frames->v[frame];
    return r->to > r->from && tk_select_touches(b->view->select, r->from, r->to);
}

/* ---- rows ---- */

/* Behind n bytes of text. */
static size_t add_fence(const struct bound *b, const struct tk_range *r, char text[TK_CHAIN_TEXT], size_t n)
{
    const size_t begin = n ? n + 2 : 0;
    if (TK_CHAIN_TEXT - n < 8)
        return n;
    const size_t more =
        tk_fence_waits_tell(&b->fences, b->view->dict, r->from, r->to, text + begin, TK_CHAIN_TEXT - begin);
    if (more && n)
        memcpy(text + n, "; ", 2);
    return more ? begin + more : n;
}

static void fill_chain(const struct bound *b, const struct frame_bound *f, const struct tk_range *r,
                       struct tk_cell *row, struct tk_emit *emit)
{
    char text[TK_CHAIN_TEXT];
    const struct tk_bound_lane *game = f->lane[TK_BOUND_GAME];
    size_t n = game ? tk_wait_chains_tell(&b->chains, b->view->dict, game->thread, r->from, r->to, text) : 0;
    n = add_fence(b, r, text, n);
    const char *kept = n ? tk_emit_bytes(emit, text, n) : NULL;
    if (kept)
        row[CHAIN] = (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)n, .v.p = kept};
    else if (!b->chains.events.n && f->by == BY_WAITING)
        row[CHAIN] = tk_cell_of_c("not recorded; trace-info --can says how");
}

static void fill_bound(const struct bound *b, uint32_t frame, struct tk_cell *row, struct tk_emit *emit)
{
    static const unsigned busy[TK_BOUND_ROLES] = {GAME, RENDER, RHI, GPU};
    const struct tk_query_context *view = b->view;
    const struct tk_range *r = &view->frames->v[frame];
    const struct frame_bound f = frame_of_bound(b, frame);
    row[FRAME] = tk_cell_of_uint(frame);
    row[START] = tk_query_context_time(view, r->from);
    row[DURATION] = tk_query_context_between(view, r->from, r->to);
    row[BOUND_BY] = tk_cell_of_c(by_names[f.by]);
    for (unsigned i = 0; i < TK_BOUND_ROLES; i++) {
        if (!f.share[i])
            continue;
        row[busy[i]] = tk_query_context_span(view, f.share[i]->busy);
        row[busy[i] + 1] = tk_query_context_span(view, f.share[i]->waiting);
    }
    const unsigned role = role_of(f.by);
    if (role < TK_BOUND_ROLES)
        tk_lane_put(view, f.lane[role]->kind, f.lane[role]->thread, &row[THREAD]);
    const struct tk_bound_share *game = f.share[TK_BOUND_GAME];
    if (game && game->off > game->longest)
        row[WAITED_IN] = tk_cell_of_c("(on no core)");
    else if (game && game->timer != TK_BOUND_NO_TIMER)
        row[WAITED_IN] = tk_cell_of_text(view->dict->timers.v[game->timer].displayed);
    if (tk_emit_wants(emit, CHAIN))
        fill_chain(b, &f, r, row, emit);
}

static int finish_bound(void *self, struct tk_emit *emit, struct tk_err *err)
{
    const struct bound *b = self;
    (void)err;
    for (uint32_t i = 0; i < b->lanes.n_frames; i++) {
        struct tk_cell *row = is_selected_frame(b, i) ? tk_emit_row(emit) : NULL;
        if (row)
            fill_bound(b, i, row, emit);
        else if (is_selected_frame(b, i))
            break;
    }
    return tk_emit_status(emit);
}

/* What frames of one kind have, cycles. */
struct bound_sum {
    uint64_t frames;
    int64_t length, busy[TK_BOUND_ROLES];
    int64_t off; /* of the game thread: on no core */
};

static struct tk_cell mean_of(const struct tk_query_context *view, int64_t sum, uint64_t n)
{
    return tk_cell_of_mean((double)tk_query_context_span(view, sum).v.i / (double)n);
}

static void fill_shares(const struct bound *b, unsigned by, const struct bound_sum *sum, uint64_t all,
                        struct tk_cell *row)
{
    row[BY] = tk_cell_of_c(by_names[by]);
    row[FRAMES] = tk_cell_of_uint(sum->frames);
    row[SHARE] = tk_cell_of_real((double)sum->frames / (double)all);
    row[MEAN] = mean_of(b->view, sum->length, sum->frames);
    for (unsigned i = 0; i < TK_BOUND_ROLES; i++)
        if (tk_bound_lanes_at(&b->lanes, (enum tk_bound_role)i, 0))
            row[SUM_GAME + i] = mean_of(b->view, sum->busy[i], sum->frames);
    if (sum->off > 0)
        row[OFF_CORE] = mean_of(b->view, sum->off, sum->frames);
}

static int finish_bound_shares(void *self, struct tk_emit *emit, struct tk_err *err)
{
    const struct bound *b = self;
    struct bound_sum sums[BY_ALL] = {0};
    uint64_t all = 0;
    (void)err;
    for (uint32_t i = 0; i < b->lanes.n_frames; i++) {
        if (!is_selected_frame(b, i))
            continue;
        const struct frame_bound f = frame_of_bound(b, i);
        struct bound_sum *sum = &sums[f.by];
        all++;
        sum->frames++;
        sum->length = tk_wrap_add(sum->length, f.length);
        sum->off = tk_wrap_add(sum->off, f.share[TK_BOUND_GAME] ? f.share[TK_BOUND_GAME]->off : 0);
        for (unsigned k = 0; k < TK_BOUND_ROLES; k++)
            sum->busy[k] = tk_wrap_add(sum->busy[k], f.share[k] ? f.share[k]->busy : 0);
    }
    for (unsigned i = 0; i < BY_ALL; i++) {
        struct tk_cell *row = sums[i].frames ? tk_emit_row(emit) : NULL;
        if (row)
            fill_shares(b, i, &sums[i], all, row);
    }
    return tk_emit_status(emit);
}

#define BOUND_FACTS (TK_SCOPE_FACTS | TK_FACT_MASK(OVERLAP) | TK_FACT_MASK(FRAME) | TK_FACT_MASK(SWITCH))

static const struct tk_scope_hooks scope_hooks = {.take = take_bound};

const struct tk_builder tk_builder_bound = {
    .table = &bound_table,
    .needs = {.facts = BOUND_FACTS,
              .slices = TK_INTERVAL_SLICES | TK_SLICE_FRAME,
              .waits = true,
              .lists = {.frames = TK_NEEDS_GAME_FRAMES}},
    .scopes = &scope_hooks,
    .add_needs = add_needs,
    .open = open_bound,
    .feed = feed_bound,
    .check = check_bound,
    .finish = finish_bound,
    .close = close_bound,
};

const struct tk_builder tk_builder_bound_shares = {
    .table = &shares_table,
    .needs = {.facts = BOUND_FACTS,
              .slices = TK_INTERVAL_SLICES | TK_SLICE_FRAME,
              .waits = true,
              .lists = {.frames = TK_NEEDS_GAME_FRAMES}},
    .scopes = &scope_hooks,
    .open = open_bound,
    .feed = feed_bound,
    .check = check_bound,
    .finish = finish_bound_shares,
    .close = close_bound,
};
