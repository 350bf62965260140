/*
 * Table `hitches`. Game frames are read beforehand: which are too long, and which are usual. Then each timer
 * of each thread has its own time in a hitch held against that in a usual frame; what grew most comes first.
 *
 * A thread that waits has nothing to do with it unless it is the one that runs the frames: its waits are
 * followed to the task or the lock that it waited for and what the thread did that had it, where the capture
 * tells of them; where it was on no core, to what ran there.
 */
#include "stats/hitches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/frame_list.h"
#include "model/running.h"
#include "model/sort.h"
#include "model/switch_list.h"
#include "model/view.h"
#include "model/work.h"
#include "stats/core_causes.h"
#include "stats/part_sums.h"
#include "stats/wait_causes.h"

enum {
    FRAME,
    START,
    DURATION,
    MEDIAN,
    RANK,
    TIMER,
    WORK,
    THREAD,
    THREAD_ID,
    COUNT,
    OWN,
    USUAL,
    GROWTH,
    SHARE,
    CAUSE,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame, from 0"},
    [START] = {"start", TK_TIME, TK_COL_EXTRA, NULL, "its begin"},
    [DURATION] = {"duration", TK_SPAN, 0, NULL, "its length"},
    [MEDIAN] = {"median", TK_SPAN, TK_COL_EXTRA, NULL, "half of the selected frames took no longer"},
    [RANK] = {"rank", TK_UINT, TK_COL_SPARE, NULL, "1: what grew most"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL,
               "whose own time grew; (not running): the thread was on no core, which is part of other rows"},
    [WORK] = {"work", TK_TEXT, 0, NULL, "own, wait, gc, loading, shader, io, off_cpu"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "on which thread"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread in the capture"},
    [COUNT] = {"count", TK_UINT, TK_COL_SPARE, "calls", "calls that touch the frame"},
    [OWN] = {"own", TK_SPAN, TK_COL_SPARE, NULL, "own time in the frame"},
    [USUAL] = {"usual", TK_SPAN, 0, NULL, "mean own time in the frames nearest to the median"},
    [GROWTH] = {"growth", TK_SPAN, 0, NULL, "own without usual"},
    [SHARE] = {"share", TK_REAL, TK_COL_EXTRA, NULL, "part of what the frame took longer than the median"},
    [CAUSE] = {"cause", TK_TEXT, 0, NULL,
               "what a thread waited for and what that one did, or what ran on its core"},
};

static const struct tk_table table = {
    .name = "hitches",
    .help = "game frames over budget, and the timers whose own time grew most in them",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ASKED,
};

#define USUAL_TIMES   2.0
#define USUAL_REASONS 5u
#define NOT_RUNNING   UINT32_MAX /* in the place of a timer */
#define MOST_CAUSE    256        /* bytes of the text of a cause */

struct lane {
    uint32_t thread;
    struct tk_children children;
    struct tk_part_sums sums; /* the parts are marks of frames */
};

struct reason {
    uint32_t mark, lane, timer;
    uint8_t work; /* enum tk_work; TK_WORK_KINDS: off the core */
    uint64_t count;
    int64_t own, usual, growth;
};

struct hitches {
    const struct tk_view *view;
    struct tk_frame_marks marks;
    struct tk_work_rules work;
    struct tk_running running;
    struct tk_patterns no_patterns;
    struct tk_asked_timers asked; /* all */
    struct tk_wait_causes causes;
    TK_VEC(struct lane *) lanes; /* owned, by number; NULL: had no run */
    TK_VEC(struct reason) reasons;
    uint32_t frame_thread; /* that runs the game frames; TK_NO_THREAD: not known */
};

static unsigned slices(const struct tk_view *view, uint64_t wanted, bool *needs_frames)
{
    (void)view;
    (void)wanted;
    *needs_frames = true;
    return TK_PART_SLICES | TK_SLICE_FRAME;
}

static void close(void *self)
{
    struct hitches *h = self;
    for (size_t i = 0; i < h->lanes.n; i++) {
        if (h->lanes.v[i]) {
            tk_children_release(&h->lanes.v[i]->children);
            tk_part_sums_release(&h->lanes.v[i]->sums);
        }
        free(h->lanes.v[i]);
    }
    tk_vec_release(&h->lanes);
    tk_vec_release(&h->reasons);
    tk_frame_marks_release(&h->marks);
    tk_work_rules_release(&h->work);
    tk_running_release(&h->running);
    tk_wait_causes_release(&h->causes);
    free(h);
}

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    const struct tk_hitch_query *asked = &view->query->hitches;
    struct hitches *h = calloc(1, sizeof *h);
    (void)wanted;
    if (!h)
        return tk_err_nomem(err, "hitches");
    *self = h;
    h->view = view;
    h->frame_thread = TK_NO_THREAD;
    h->asked.patterns = &h->no_patterns;
    uint64_t budget =
        asked->budget_ns > 0 ? (uint64_t)tk_clock_cycles(&view->dict->clock, asked->budget_ns) : 0;
    double times = asked->times > 0 ? asked->times : USUAL_TIMES;
    if (tk_frame_marks_build(&h->marks, view, budget, times) ||
        (view->switches && tk_running_build(&h->running, view->switches, view->select)))
        return tk_err_nomem(err, "hitches");
    return tk_work_rules_read(&h->work, view->query->work, err);
}

/* ---- reading ---- */

static int reach(struct hitches *h, const struct tk_scope_run *run)
{
    if (run->kind != TK_LANE_THREAD)
        return 0;
    if (tk_vec_reserve(&h->lanes, (size_t)run->lane + 1))
        return -1;
    while (h->lanes.n <= run->lane)
        h->lanes.v[h->lanes.n++] = NULL;
    if (!h->lanes.v[run->lane]) {
        h->lanes.v[run->lane] = calloc(1, sizeof(struct lane));
        if (!h->lanes.v[run->lane])
            return -1;
        h->lanes.v[run->lane]->thread = run->thread;
    }
    return 0;
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct hitches *h = self;
    int rc = 0;
    (void)emit;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = reach(h, &batch->runs[i]);
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (fact->kind == TK_FACT_FRAME && fact->u.frame.type == 0 && h->frame_thread == TK_NO_THREAD)
            h->frame_thread = fact->thread;
        rc = tk_wait_causes_feed(&h->causes, &h->marks, fact);
    }
    return rc ? tk_err_nomem(err, "hitches") : TK_OK;
}

/* First marked frame that is not before `frame`. */
static size_t marked_from(const struct tk_frame_marks *m, uint32_t frame)
{
    size_t low = 0, high = m->marked.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->marked.v[middle] < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One part of a slice: a frame, or several in full. */
static int take_part(struct hitches *h, struct lane *l, const struct tk_slices *s,
                     const struct tk_slice_part *p)
{
    const struct tk_frame_marks *m = &h->marks;
    const struct tk_select *select = h->view->select;
    int rc = 0;
    for (size_t k = marked_from(m, p->frame); k < m->marked.n && rc == 0; k++) {
        uint32_t frame = m->marked.v[k];
        const struct tk_range *r = &m->frames->v[frame];
        if (frame - p->frame >= p->n)
            break;
        uint64_t whole =
            (uint64_t)tk_select_before(select, r->to) - (uint64_t)tk_select_before(select, r->from);
        rc = tk_part_sums_put(&l->sums, &h->asked, &l->children, s, p->slice, m->mark[frame],
                              p->n == 1 ? p->total : whole);
    }
    return rc;
}

static int take(void *self, const struct tk_slices *s, unsigned worker)
{
    struct hitches *h = self;
    struct lane *l = h->lanes.v[s->lane];
    const struct tk_frame_marks *m = &h->marks;
    int rc = 0;
    (void)worker;
    for (size_t i = 0, part = 0; i < s->n && rc == 0; i++) {
        if (s->frame[i] < m->n && m->mark[s->frame[i]])
            rc = tk_part_sums_put(&l->sums, &h->asked, &l->children, s, i, m->mark[s->frame[i]], s->total[i]);
        for (; part < s->n_parts && s->parts[part].slice == i && rc == 0; part++)
            rc = take_part(h, l, s, &s->parts[part]);
        if (rc == 0)
            rc = tk_part_sums_close(&l->sums, &h->asked, &l->children, s, i);
    }
    return rc ? TK_ENOMEM : TK_OK;
}

static int check(void *self, struct tk_err *err)
{
    struct hitches *h = self;
    return h->view->frames->n ? TK_OK : tk_frames_missing(err);
}

/* ---- reasons ---- */

static int64_t frame_of(const struct hitches *h, uint32_t mark)
{
    return h->marks.hitches.v[mark - TK_MARK_HITCH];
}

static int64_t usual_of(const struct hitches *h, const struct tk_part_sums *sums, uint32_t timer)
{
    const struct tk_part_sum *usual = tk_part_sums_find(sums, TK_MARK_USUAL, timer);
    return usual && h->marks.n_usual ? (int64_t)usual->excl / (int64_t)h->marks.n_usual : 0;
}

/* Threads that wait while others work are no reason; the one that runs the frames is. */
static bool matters(const struct hitches *h, const struct reason *r, uint32_t thread)
{
    bool other = h->frame_thread != TK_NO_THREAD && thread != h->frame_thread;
    return r->growth > 0 && (r->work != TK_WORK_WAIT || !other);
}

static int add_timer(struct hitches *h, uint32_t lane, const struct tk_part_sum *own)
{
    const struct lane *l = h->lanes.v[lane];
    if (own->part < TK_MARK_HITCH)
        return 0;
    const struct tk_timer *timer = tk_dict_timer(h->view->dict, own->timer);
    if (!timer)
        return -1;
    struct reason r = {own->part,
                       lane,
                       own->timer,
                       (uint8_t)tk_work_of(&h->work, timer),
                       own->count,
                       (int64_t)own->excl,
                       usual_of(h, &l->sums, own->timer),
                       0};
    r.growth = r.own - r.usual;
    if (!matters(h, &r, l->thread) ||
        (h->view->select->timers.n && !tk_patterns_pass(&h->view->select->timers, timer->shown)))
        return 0;
    return tk_vec_push(&h->reasons, r);
}

static int64_t off_core(const struct hitches *h, uint32_t thread, uint32_t frame)
{
    const struct tk_range *f = &h->marks.frames->v[frame];
    const struct tk_select *select = h->view->select;
    return tk_select_before(select, f->to) - tk_select_before(select, f->from) -
           (int64_t)tk_running_between(&h->running, thread, f->from, f->to);
}

/* The time that the thread of the frames was on no core. */
static int add_off_core(struct hitches *h, uint32_t lane)
{
    uint32_t thread = h->lanes.v[lane]->thread;
    int64_t usual = 0;
    if (thread != h->frame_thread || !tk_running_knows(&h->running, thread))
        return 0;
    for (size_t i = 0; i < h->marks.marked.n; i++)
        if (h->marks.mark[h->marks.marked.v[i]] == TK_MARK_USUAL)
            usual += off_core(h, thread, h->marks.marked.v[i]);
    usual = h->marks.n_usual ? usual / (int64_t)h->marks.n_usual : 0;
    for (uint32_t i = 0; i < h->marks.hitches.n; i++) {
        int64_t off = off_core(h, thread, h->marks.hitches.v[i]);
        struct reason r = {TK_MARK_HITCH + i, lane, NOT_RUNNING, TK_WORK_KINDS, 0, off, usual, off - usual};
        if (r.growth > 0 && !h->view->select->timers.n && tk_vec_push(&h->reasons, r))
            return -1;
    }
    return 0;
}

static int by_growth(const void *a, const void *b)
{
    const struct reason *x = a, *y = b;
    if (x->mark != y->mark)
        return x->mark < y->mark ? -1 : 1;
    if (x->growth != y->growth)
        return x->growth > y->growth ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

static int collect(struct hitches *h)
{
    int rc = tk_wait_causes_finish(&h->causes);
    for (uint32_t i = 0; i < h->lanes.n && rc == 0; i++) {
        struct lane *l = h->lanes.v[i];
        if (!l)
            continue;
        struct tk_part_sums settled = {0};
        rc = tk_part_sums_merge(&settled, &l->sums, &h->asked, h->view->dict);
        tk_part_sums_release(&l->sums);
        l->sums = settled;
        for (size_t k = 0; k < l->sums.v.n && rc == 0; k++)
            rc = add_timer(h, i, &l->sums.v.v[k]);
        if (rc == 0)
            rc = add_off_core(h, i);
    }
    return rc ? rc : tk_sort(h->reasons.v, h->reasons.n, sizeof *h->reasons.v, by_growth);
}

/* ---- rows ---- */

static void fill_frame(const struct hitches *h, uint32_t mark, struct tk_cell *row)
{
    const struct tk_range *f = &h->marks.frames->v[frame_of(h, mark)];
    row[FRAME] = tk_cell_of_uint((uint64_t)frame_of(h, mark));
    row[START] = tk_view_time(h->view, f->from);
    row[DURATION] = tk_view_between(h->view, f->from, f->to);
    row[MEDIAN] = tk_view_span(h->view, (int64_t)h->marks.median);
}

/* What grew most on a thread in the hitch whose reasons begin at `first`; NULL: nothing did. */
static const struct tk_str *did_on(const struct hitches *h, const struct reason *first, uint32_t thread)
{
    const struct reason *end = h->reasons.v + h->reasons.n;
    for (const struct reason *r = first; r < end && r->mark == first->mark; r++)
        if (h->lanes.v[r->lane]->thread == thread && r->timer != NOT_RUNNING)
            return h->view->dict->timers.v[r->timer].shown;
    return NULL;
}

static void put_cell(struct tk_cell *cell, struct tk_emit *emit, const char *text, int n)
{
    size_t length = n < MOST_CAUSE ? (size_t)n : MOST_CAUSE - 1;
    const char *kept = tk_emit_bytes(emit, text, length);
    if (kept)
        *cell = (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)length, .v.p = kept};
}

#define PRINTED(str) (str) ? (int)(str)->n : 0, (str) ? (str)->p : ""

/* "task Bake on Worker, in Bake::Run", "lock scene held by Worker, in Step". */
static void fill_wait(const struct hitches *h, const struct reason *first, const struct tk_wait_cause *cause,
                      struct tk_cell *row, struct tk_emit *emit)
{
    static const struct tk_str unknown = {.p = "?", .n = 1};
    const struct tk_str *thread = tk_dict_thread_name(h->view->dict, cause->thread);
    const struct tk_str *name = cause->name ? cause->name : &unknown;
    const struct tk_str *did = thread ? did_on(h, first, cause->thread) : NULL;
    char text[MOST_CAUSE];
    int n = snprintf(text, sizeof text, "%s %.*s%s%.*s%s%.*s", cause->lock ? "lock" : "task", PRINTED(name),
                     !thread       ? ""
                     : cause->lock ? " held by "
                                   : " on ",
                     PRINTED(thread), did ? ", in " : "", PRINTED(did));
    put_cell(&row[CAUSE], emit, text, n);
}

/* "core 3 ran Other". */
static void fill_core(const struct hitches *h, const struct reason *r, struct tk_cell *row,
                      struct tk_emit *emit)
{
    const struct tk_range *f = &h->marks.frames->v[frame_of(h, r->mark)];
    struct tk_core_cause cause;
    char text[MOST_CAUSE];
    if (!tk_core_cause_find(h->view->switches, h->view->dict, h->lanes.v[r->lane]->thread, f->from, f->to,
                            &cause))
        return;
    int n = snprintf(text, sizeof text, "core %" PRIu32 " ran %.*s", cause.core,
                     cause.name ? (int)cause.name->n : 12, cause.name ? cause.name->p : "nothing else");
    put_cell(&row[CAUSE], emit, text, n);
}

/* What a thread waited for that waits, or whose time is a lock's for the most part. */
static void fill_cause(const struct hitches *h, const struct reason *first, const struct reason *r,
                       struct tk_cell *row, struct tk_emit *emit)
{
    struct tk_wait_cause cause;
    if (r->timer == NOT_RUNNING) {
        fill_core(h, r, row, emit);
        return;
    }
    bool found = tk_wait_causes_find(&h->causes, r->mark, h->lanes.v[r->lane]->thread, &cause);
    bool inside = found && cause.lock && cause.waited >= r->growth / 2 && cause.waited <= r->own;
    if (found && (inside || r->work == TK_WORK_WAIT))
        fill_wait(h, first, &cause, row, emit);
    else if (r->work == TK_WORK_WAIT)
        row[CAUSE] = tk_cell_of_c("not recorded");
}

static void fill_reason(const struct hitches *h, const struct reason *r, struct tk_cell *row)
{
    const struct tk_view *view = h->view;
    const struct tk_range *f = &h->marks.frames->v[frame_of(h, r->mark)];
    double longer = (double)(f->to - f->from) - (double)h->marks.median;
    uint32_t thread = h->lanes.v[r->lane]->thread;
    row[TIMER] = r->timer == NOT_RUNNING ? tk_cell_of_c("(not running)")
                                         : tk_cell_of_text(view->dict->timers.v[r->timer].shown);
    row[WORK] = tk_cell_of_c(r->work == TK_WORK_KINDS ? "off_cpu" : tk_work_name((enum tk_work)r->work));
    row[THREAD] = tk_view_thread(view, thread);
    row[THREAD_ID] = tk_view_thread_id(thread);
    row[COUNT] = tk_cell_of_uint(r->count);
    row[OWN] = tk_view_span(view, r->own);
    row[USUAL] = tk_view_span(view, r->usual);
    row[GROWTH] = tk_view_span(view, r->growth);
    if (longer > 0)
        row[SHARE] = tk_cell_of_real((double)r->growth / longer);
}

/* The reasons of one hitch from r on, before `end`; a row without any where there are none. */
static int send_hitch(const struct hitches *h, uint32_t mark, const struct reason *r,
                      const struct reason *end, struct tk_emit *emit)
{
    unsigned most = h->view->query->hitches.reasons ? h->view->query->hitches.reasons : USUAL_REASONS;
    const struct reason *first = r;
    for (uint64_t rank = 1; rank <= most; rank++, r++) {
        bool any = r < end && r->mark == mark;
        struct tk_cell *row = any || rank == 1 ? tk_emit_row(emit) : NULL;
        if (!row)
            break;
        fill_frame(h, mark, row);
        if (!any)
            break;
        row[RANK] = tk_cell_of_uint(rank);
        fill_reason(h, r, row);
        fill_cause(h, first, r, row, emit);
    }
    return tk_emit_status(emit);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct hitches *h = self;
    int rc = collect(h) ? tk_err_nomem(err, "hitches") : TK_OK;
    if (h->marks.left_out)
        tk_health_limit(&h->view->ctx->health, TK_LIMIT_hitches, TK_NO_OFFSET, h->marks.left_out,
                        "%" PRIu64 " hitches are not explained", h->marks.left_out);
    const struct reason *at = h->reasons.v, *end = at ? at + h->reasons.n : at;
    for (uint32_t i = 0; i < h->marks.hitches.n && rc == TK_OK; i++) {
        uint32_t mark = TK_MARK_HITCH + i;
        rc = send_hitch(h, mark, at, end, emit);
        while (at < end && at->mark == mark)
            at++;
    }
    return rc;
}

const struct tk_builder tk_builder_hitches = {
    .table = &table,
    .facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(FRAME) | TK_WAIT_CAUSE_FACTS,
    .switches = true,
    .slices = slices,
    .open = open,
    .feed = feed,
    .take = take,
    .check = check,
    .finish = finish,
    .close = close,
};
