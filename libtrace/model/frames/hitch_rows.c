/*
 * Rows of the table `hitches`.
 */
#include "base/sort.h"
#include "base/text/glob.h"
#include "base/wrap.h"
#include "model/frames/frames_in.h"
#include "query/context_cells.h"
#include "tracekit/queries.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum tk_hitch_phase { TK_HITCH_STEADY, TK_HITCH_STARTUP, TK_HITCH_LOAD };

struct tk_hitch_entry {
    uint32_t mark;
    size_t first; /* place of its first reason, or where it would be */
    uint64_t length;
    uint8_t phase; /* enum tk_hitch_phase */
};

struct tk_hitch_order {
    TK_VEC(struct tk_hitch_entry) v;
};

/*
 * Order of hitches: those listed, and in which order; those of a start-up or of loading a map stand apart.
 */

/* "start-up", "load"; NULL for a steady one. Static. */
static const char *tk_hitch_phase_name(uint8_t phase)
{
    return phase == TK_HITCH_STARTUP ? "start-up" : phase == TK_HITCH_LOAD ? "load" : NULL;
}

/* Did a timer grow in it that loads a map? */
static bool loads_map(const struct tk_hitches *h, uint32_t mark, size_t first)
{
    static const char pattern[] = "*loadmap*";
    for (size_t i = first; i < h->reasons.n && h->reasons.v[i].mark == mark; i++) {
        const struct tk_hitch_reason *r = &h->reasons.v[i];
        const struct tk_str *name =
            r->timer == TK_HITCH_NOT_RUNNING ? NULL : h->view->dict->timers.v[r->timer].displayed;
        if (name && tk_glob(pattern, strlen(pattern), name->p, name->n, true))
            return true;
    }
    return false;
}

/* A load goes on as long as hitches follow each other closely. */
static uint8_t phase_of(const struct tk_hitches *h, uint32_t mark, size_t first, int64_t *loaded)
{
    const int64_t frame = tk_hitch_frame(h, mark);
    if (loads_map(h, mark, first) || (*loaded >= 0 && frame - *loaded <= (int64_t)TK_CALM_FRAMES))
        *loaded = frame;
    if (frame < (int64_t)h->marks.startup)
        return TK_HITCH_STARTUP;
    return *loaded == frame ? TK_HITCH_LOAD : TK_HITCH_STEADY;
}

static int worst_first(const void *a, const void *b)
{
    const struct tk_hitch_entry *x = a, *y = b;
    if (!x->phase != !y->phase)
        return x->phase ? 1 : -1;
    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return (x->mark > y->mark) - (x->mark < y->mark);
}

/*
 * When reasons are collected: all hitches in the order of their frames; where the query wants the worst
 * first, in the order of their lengths, those of a start-up or a load behind the others; no more than the
 * query wants. 0, or -1 without memory.
 */
static int tk_hitch_order_make(struct tk_hitch_order *o, const struct tk_hitches *h)
{
    const struct tk_query *query = h->view->query;
    size_t at = 0;
    int64_t loaded = -1;
    for (uint32_t i = 0; i < h->marks.hitches.n; i++) {
        struct tk_hitch_entry e = {.mark = TK_FRAME_CLASS_HITCH + i, .first = at};
        e.length = tk_frame_classes_length(&h->marks, h->marks.hitches.v[i]);
        e.phase = phase_of(h, e.mark, at, &loaded);
        if (tk_vec_push(&o->v, e))
            return -1;
        while (at < h->reasons.n && h->reasons.v[at].mark == e.mark)
            at++;
    }
    if ((query->worst_first || query->top_hitches) && tk_sort(o->v.v, o->v.n, sizeof *o->v.v, worst_first))
        return -1;
    if (query->top_hitches && query->top_hitches < o->v.n)
        o->v.n = (size_t)query->top_hitches;
    return 0;
}

static void tk_hitch_order_release(struct tk_hitch_order *o)
{
    tk_vec_release(&o->v);
}

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
    OFF_CORE,
    USUAL,
    GROWTH,
    SHARE,
    PHASE,
    CAUSE,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame, from 0"},
    [START] = {"start", TK_TIME, TK_COL_EXTRA, NULL, "when it starts"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "its length"},
    [MEDIAN] = {"median", TK_DURATION, TK_COL_EXTRA, NULL, "median duration of all game frames"},
    [RANK] = {"rank", TK_UINT, TK_COL_OPTIONAL, NULL, "rank by growth, from 1"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL,
               "timer whose exclusive time grew; (not running): the thread was off core, mostly outside the "
               "timers of other rows"},
    [WORK] = {"work", TK_TEXT, 0, NULL, "own, wait, gc, loading, shader, io, off_cpu"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "thread or GPU queue"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL,
                   "id of the thread in the capture; empty of a GPU queue"},
    [COUNT] = {"count", TK_UINT, TK_COL_OPTIONAL, "calls", "calls that overlap the frame"},
    [OWN] = {"excl", TK_DURATION, TK_COL_OPTIONAL, NULL, "exclusive time in the frame"},
    [OFF_CORE] = {"off_core", TK_DURATION, TK_COL_EXTRA | TK_COL_HUMAN_ONLY | TK_COL_OPTIONAL, NULL,
                  "time off core in the longest call; empty if there was none"},
    [USUAL] =
        {"typical", TK_DURATION, TK_COL_OPTIONAL, NULL,
         "mean exclusive time in the frames nearest to the median; empty if all frames are over budget"},
    [GROWTH] = {"growth", TK_DURATION, 0, NULL, "excl minus typical"},
    [SHARE] = {"share", TK_REAL, TK_COL_EXTRA | TK_COL_PART, NULL,
               "share of the time by which the frame exceeds the median"},
    [PHASE] = {"phase", TK_TEXT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, NULL,
               "start-up: before the first ten frames in a row without a hitch; load: a map is being loaded, "
               "or was up to ten frames earlier"},
    [CAUSE] = {"cause", TK_TEXT, 0, NULL,
               "what the thread waited for and what that was doing, or what ran on its core"},
};

const struct tk_table tk_hitch_table = {
    .name = "hitches",
    .schema = 2,
    .help = "hitches: game frames over budget, and the timers whose exclusive time grew most in them",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
    .none = "no game frame is over the budget",
};

#define USUAL_REASONS 5u
#define MOST_CAUSE    256 /* bytes of the text of a cause */

static void fill_frame(const struct tk_hitches *h, const struct tk_hitch_entry *e, struct tk_cell *row)
{
    const struct tk_range *f = &h->marks.frames->v[tk_hitch_frame(h, e->mark)];
    row[FRAME] = tk_cell_of_uint((uint64_t)tk_hitch_frame(h, e->mark));
    if (e->phase != TK_HITCH_STEADY)
        row[PHASE] = tk_cell_of_c(tk_hitch_phase_name(e->phase));
    row[START] = tk_query_context_time(h->view, f->from);
    row[DURATION] = tk_query_context_between(h->view, f->from, f->to);
    row[MEDIAN] = tk_query_context_span(h->view, (int64_t)h->marks.median);
}

/* What grew most on a thread in the hitch whose reasons begin at `first`; NULL: nothing did. */
static const struct tk_str *did_on(const struct tk_hitches *h, const struct tk_hitch_reason *first,
                                   uint32_t thread)
{
    const struct tk_hitch_reason *end = tk_vec_at(&h->reasons, h->reasons.n);
    for (const struct tk_hitch_reason *r = first; r < end && r->mark == first->mark; r++)
        if (tk_hitch_lane_is(h->lanes.v[r->lane], thread) && r->timer != TK_HITCH_NOT_RUNNING)
            return h->view->dict->timers.v[r->timer].displayed;
    return NULL;
}

static void put_cell_hitch_rows(struct tk_cell *cell, struct tk_emit *emit, const char *text, int n)
{
    size_t length = n < MOST_CAUSE ? (size_t)n : MOST_CAUSE - 1;
    const char *kept = tk_emit_bytes(emit, text, length);
    if (kept)
        *cell = (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)length, .v.p = kept};
}

#define PRINTED(str) (str) ? (int)(str)->n : 0, (str) ? (str)->p : ""

/* "task Bake on Worker, in Bake::Run", "lock scene held by Worker, in Step". */
static void fill_wait(const struct tk_hitches *h, const struct tk_hitch_reason *first,
                      const struct tk_wait_cause *cause, struct tk_cell *row, struct tk_emit *emit)
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
    put_cell_hitch_rows(&row[CAUSE], emit, text, n);
}

/* "51.8 ms": cycles with three digits. */
static int print_span(const struct tk_hitches *h, int64_t cycles, char *text, size_t size)
{
    static const struct {
        const char *name;
        double per_second;
    } units[] = {{"us", 1e6}, {"ms", 1e3}, {"s", 1}};
    const double seconds = (double)cycles / (double)h->view->dict->clock.frequency;
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && seconds * units[i].per_second >= 999.5)
        i++;
    return snprintf(text, size, "%.3g %s", seconds * units[i].per_second, units[i].name);
}

/* "51.8 ms off core while core 3 ran Other" of a timer, by its longest call; of a thread that did not run
 * only the end of that. */
static void fill_core(const struct tk_hitches *h, const struct tk_hitch_reason *r, struct tk_cell *row,
                      struct tk_emit *emit)
{
    const struct tk_longest_call *call = tk_hitch_longest(h, r->lane, r->mark, r->timer);
    const struct tk_range *frame = &h->marks.frames->v[tk_hitch_frame(h, r->mark)],
                          *f = call ? &(struct tk_range){call->begin, call->end} : frame;
    struct tk_core_cause cause;
    char text[MOST_CAUSE];
    if (!tk_core_cause_find(h->view->switches, h->view->dict, h->lanes.v[r->lane]->thread, f->from, f->to,
                            &cause))
        return;
    int n = 0;
    if (call && h->view->dict->clock.frequency) {
        n = print_span(h, r->off, text, sizeof text);
        n += snprintf(text + n, sizeof text - (size_t)n, " off core while ");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "core %" PRIu32 " %s%.*s", cause.core,
                  cause.name ? "ran " : "was idle", PRINTED(cause.name));
    put_cell_hitch_rows(&row[CAUSE], emit, text, n);
}

/* What a thread waited for that waits, or whose time is a lock's for the most part. */
static void fill_cause(const struct tk_hitches *h, const struct tk_hitch_reason *first,
                       const struct tk_hitch_reason *r, struct tk_cell *row, struct tk_emit *emit)
{
    struct tk_wait_cause cause;
    if (r->timer == TK_HITCH_NOT_RUNNING) {
        fill_core(h, r, row, emit);
        return;
    }
    bool found = h->lanes.v[r->lane]->kind == TK_LANE_THREAD &&
                 tk_wait_causes_find(&h->causes, r->mark, h->lanes.v[r->lane]->thread, &cause);
    bool inside = found && cause.lock && cause.waited >= r->growth / 2 && cause.waited <= r->own;
    if (found && (inside || r->work == TK_WORK_WAIT))
        fill_wait(h, first, &cause, row, emit);
    else if (r->off > 0 && r->off >= r->own / 2)
        fill_core(h, r, row, emit);
    else if (r->work == TK_WORK_WAIT)
        row[CAUSE] = tk_cell_of_c("not recorded");
}

static void fill_reason(const struct tk_hitches *h, const struct tk_hitch_reason *r, struct tk_cell *row)
{
    const struct tk_query_context *view = h->view;
    const struct tk_range *f = &h->marks.frames->v[tk_hitch_frame(h, r->mark)];
    double longer = (double)tk_wrap_sub(f->to, f->from) - (double)h->marks.median;
    const struct tk_hitch_lane *lane = h->lanes.v[r->lane];
    row[TIMER] = r->timer == TK_HITCH_NOT_RUNNING ? tk_cell_of_c("(not running)")
                                                  : tk_cell_of_text(view->dict->timers.v[r->timer].displayed);
    row[WORK] = tk_cell_of_c(r->work == TK_WORK_KINDS ? "off_cpu" : tk_work_name((enum tk_work)r->work));
    row[THREAD] = tk_query_context_lane(view, lane->kind, lane->thread);
    row[THREAD_ID] = tk_query_context_lane_id(lane->kind, lane->thread);
    row[COUNT] = tk_cell_of_uint(r->count);
    row[OWN] = tk_query_context_span(view, r->own);
    if (r->off > 0 && r->timer != TK_HITCH_NOT_RUNNING)
        row[OFF_CORE] = tk_query_context_span(view, r->off);
    if (h->marks.n_usual)
        row[USUAL] = tk_query_context_span(view, r->usual);
    row[GROWTH] = tk_query_context_span(view, r->growth);
    if (longer > 0)
        row[SHARE] = tk_cell_of_real((double)r->growth / longer);
}

/* The reasons of one hitch; a row without any where there are none. */
static int send_hitch(const struct tk_hitches *h, const struct tk_hitch_entry *e, struct tk_emit *emit)
{
    unsigned most = h->view->query->hitches.reasons ? h->view->query->hitches.reasons : USUAL_REASONS;
    for (uint64_t rank = 1, at = e->first; rank <= most; rank++, at++) {
        const struct tk_hitch_reason *r = at < h->reasons.n ? &h->reasons.v[at] : NULL;
        const bool any = r && r->mark == e->mark;
        struct tk_cell *row = any || rank == 1 ? tk_emit_row(emit) : NULL;
        if (!row)
            break;
        fill_frame(h, e, row);
        if (!any)
            break;
        row[RANK] = tk_cell_of_uint(rank);
        fill_reason(h, r, row);
        fill_cause(h, &h->reasons.v[e->first], r, row, emit);
    }
    return tk_emit_status(emit);
}

int tk_hitches_send(const struct tk_hitches *h, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_hitch_order order = {.v = {0}};
    int rc = tk_hitch_order_make(&order, h) ? tk_err_nomem(err, "hitches") : TK_OK;
    for (size_t i = 0; i < order.v.n && rc == TK_OK; i++)
        rc = send_hitch(h, &order.v.v[i], emit);
    tk_hitch_order_release(&order);
    return rc;
}
