/*
 * Table `critical_path`: of each game frame what its length was made of, followed back from its end. Where
 * the thread had waited for a task or a lock, or was woken, the path goes on with the thread that ran the
 * task, gave the lock back or woke it, at the time when it did so; a worker that had nothing to do until a
 * task was launched leads to who launched it. What is not recorded ends no path: the wait stays with its
 * thread.
 *
 * Stretches are of the innermost scope that lasts at least a thousandth of the frame, so that they lie end to
 * end and add up to its length.
 */
#include "model/frames/critical_path.h"

#include "base/wrap.h"
#include "model/marks/frame_list.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>

enum {
    FRAME,
    RANK,
    THREAD_ID,
    THREAD,
    TIMER = THREAD + TK_THREAD_COLUMNS,
    FROM,
    TO,
    DURATION,
    SHARE,
    VIA,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame, from 0"},
    [RANK] = {"rank", TK_UINT, 0, NULL, "1: the longest stretch of the frame"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "its id; empty: of another process"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "thread that the frame depended on"),
    [TIMER] = {"timer", TK_TEXT, 0, NULL,
               "innermost timer of at least a thousandth of the frame; (short calls), (outside every scope), "
               "(on no core), (waiting to run): let go on and not running yet"},
    [FROM] = {"from", TK_TIME, TK_COL_OPTIONAL, NULL, "start of the stretch"},
    [TO] = {"to", TK_TIME, TK_COL_OPTIONAL, NULL, "end of the stretch, where the next one starts"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "its length; those of a frame add up to the frame's"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of the frame, 0 to 1"},
    [VIA] =
        {"via", TK_TEXT, 0, NULL,
         "how the path came to it, going back: wake-up, task, lock; not recorded: it waited, and for what is "
         "not recorded; empty: from the end of the frame"},
};

static const struct tk_table table = {
    .name = "critical_path",
    .help = "what each game frame depended on, back from its end: wake-ups, tasks and locks",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
    .none = "no frame is selected as a whole, or it is not known which thread runs the frames",
};

static const char *const via_names[] = {[TK_LINK_WAKE_UP] = "wake-up",
                                        [TK_LINK_TASK] = "task",
                                        [TK_LINK_LOCK] = "lock",
                                        [TK_LINK_NOT_RECORDED] = "not recorded"};

static void close_critical(void *self)
{
    struct tk_path *c = self;
    for (size_t i = 0; i < c->lanes.n; i++)
        tk_vec_release(&c->lanes.v[i].v);
    tk_vec_release(&c->lanes);
    tk_vec_release(&c->pieces);
    tk_vec_release(&c->path);
    tk_vec_release(&c->rows);
    tk_links_release(&c->links);
    tk_work_rules_release(&c->work);
    free(c->selected);
    free(c);
}

/* Frames that are selected as a whole: of others it is not known what happened in the rest. */
static int select_frames(struct tk_path *c)
{
    const struct tk_frames *frames = c->view->frames;
    c->selected = calloc(frames->n + 1, sizeof *c->selected);
    for (size_t i = 0; c->selected && i < frames->n; i++) {
        const struct tk_range *r = &frames->v[i];
        c->selected[i] = r->to < TK_RUN_UNIT && r->to > r->from && tk_select_has(c->view->select, r->from) &&
                         tk_select_has(c->view->select, r->to - 1);
    }
    return c->selected ? 0 : -1;
}

static int open_critical(const struct tk_query_context *view, const struct tk_builder *builder,
                         uint64_t wanted, void **self, struct tk_err *err)
{
    struct tk_path *c = calloc(1, sizeof *c);
    (void)builder;
    (void)wanted;
    if (!c)
        return tk_err_nomem(err, "critical paths");
    *self = c;
    c->view = view;
    c->capacity = c->links.chains.capacity = tk_query_context_row_limit(view, table.name);
    c->frame_thread = TK_NO_THREAD;
    if (select_frames(c))
        return tk_err_nomem(err, "critical paths");
    return tk_work_rules_read(&c->work, view, err);
}

/* ---- reading ---- */

static int reach_lane(struct tk_path *c, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&c->lanes, (size_t)run->lane + 1))
        return -1;
    c->lanes.v[run->lane].thread = run->thread;
    c->lanes.v[run->lane].is_thread = run->kind == TK_LANE_THREAD;
    return 0;
}

static int feed_critical(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_path *c = self;
    int rc = tk_work_learn(&c->work, c->view->dict);
    (void)emit;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = reach_lane(c, &batch->runs[i]);
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (fact->kind == TK_FACT_FRAME && fact->u.frame.type == 0 && c->frame_thread == TK_NO_THREAD)
            c->frame_thread = fact->thread;
        else
            rc = tk_links_feed(&c->links, fact);
    }
    return rc ? tk_err_nomem(err, "critical paths") : TK_OK;
}

static int take_critical(void *self, const struct tk_slices *s, unsigned worker)
{
    struct tk_path *c = self;
    struct tk_path_lane *l = &c->lanes.v[s->lane];
    int rc = 0;
    (void)worker;
    for (size_t i = 0; i < s->n && l->is_thread && rc == 0; i++)
        rc = tk_path_take_slice(c, l, s, i);
    return rc ? TK_ENOMEM : TK_OK;
}

static int check_critical(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_path *c = self;
    (void)emit;
    return c->view->frames->n ? TK_OK : tk_frames_missing(c->view->ctx, err);
}

/* ---- rows ---- */

static struct tk_cell timer_cell(const struct tk_path *c, int64_t timer)
{
    static const char *const texts[] = {"", "(short calls)", "(outside every scope)", "(on no core)",
                                        "(waiting to run)"};
    if (timer < 0)
        return tk_cell_of_c(texts[-timer]);
    const struct tk_timer *t = tk_dict_timer(c->view->dict, (uint32_t)timer);
    return tk_cell_of_text(t ? t->info.name : NULL);
}

static void fill_row(const struct tk_path *c, const struct tk_path_stretch *s, struct tk_cell *row)
{
    const struct tk_range *r = &c->view->frames->v[s->frame];
    row[FRAME] = tk_cell_of_uint(s->frame);
    row[RANK] = tk_cell_of_uint(s->rank);
    if (s->who < TK_LINK_OTHER) {
        row[THREAD_ID] = tk_query_context_thread_id(s->who);
        tk_thread_more_put(c->view, s->who, &row[THREAD + TK_THREAD_NAME + 1]);
    }
    row[THREAD] = tk_cell_of_text(tk_links_name(&c->links, c->view->dict, s->who));
    row[TIMER] = timer_cell(c, s->timer);
    row[FROM] = tk_query_context_time(c->view, s->from);
    row[TO] = tk_query_context_time(c->view, s->to);
    row[DURATION] = tk_query_context_between(c->view, s->from, s->to);
    row[SHARE] = tk_cell_of_real((double)tk_wrap_sub(s->to, s->from) / (double)tk_wrap_sub(r->to, r->from));
    if (s->via != TK_LINK_END)
        row[VIA] = tk_cell_of_c(via_names[s->via]);
}

static int finish_critical(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_path *c = self;
    if (tk_links_settle(&c->links, c->view->dict) || tk_path_gather(c) || tk_path_walk(c) ||
        tk_path_find_timers(c))
        return tk_err_nomem(err, "critical paths");
    for (size_t i = 0; i < c->rows.n; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_row(c, &c->rows.v[i], row);
    }
    return tk_emit_status(emit);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_critical};

const struct tk_builder tk_builder_critical_path = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(FRAME) | TK_LINK_FACTS,
              .slices = TK_SLICE_BEGIN | TK_SLICE_PLACE | TK_SLICE_FRAME,
              .waits = true,
              .lists = {.frames = TK_NEEDS_GAME_FRAMES}},
    .scopes = &scope_hooks,
    .open = open_critical,
    .feed = feed_critical,
    .check = check_critical,
    .finish = finish_critical,
    .close = close_critical,
};
