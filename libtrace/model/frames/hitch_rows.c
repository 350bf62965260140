/*
 * Rows of the table `hitches`.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "model/frames/frames_in.h"
#include "query/context_cells.h"
#include "tracekit/queries.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct tk_hitch_entry {
    uint32_t mark;
    uint64_t length;
    bool loading;
};

struct tk_hitch_order {
    TK_VEC(struct tk_hitch_entry) v;
};

/*
 * Order of hitches: those listed, and in which order.
 */

static int worst_first(const void *a, const void *b)
{
    const struct tk_hitch_entry *x = a, *y = b;
    if (x->loading != y->loading)
        return x->loading ? 1 : -1;
    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return (x->mark > y->mark) - (x->mark < y->mark);
}

/*
 * When reasons are collected: all hitches in the order of their frames; where the query wants the worst
 * first, in the order of their lengths, those of loading screens behind the others; no more than the query
 * wants. 0, or -1 without memory.
 */
static int tk_hitch_order_make(struct tk_hitch_order *o, const struct tk_hitches *h)
{
    const struct tk_query *query = h->view->query;
    for (uint32_t i = 0; i < h->marks.hitches.n; i++) {
        const uint32_t frame = h->marks.hitches.v[i].frame;
        const struct tk_hitch_entry e = {.mark = TK_FRAME_CLASS_HITCH + i,
                                         .length = tk_frame_classes_length(&h->marks, frame),
                                         .loading =
                                             tk_is_loading_hitch(tk_frame_classes_is(&h->marks, frame))};
        if (tk_vec_push(&o->v, e))
            return -1;
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
    EXPECTED,
    EXCESS,
    EXPLAINED,
    RANK,
    TIMER,
    WORK,
    THREAD,
    THREAD_ID = THREAD + TK_THREAD_COLUMNS,
    COUNT,
    OWN,
    OFF_CORE,
    USUAL,
    GROWTH,
    SHARE,
    CLASS,
    CAUSE,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame, from 0"},
    [START] = {"start", TK_TIME, TK_COL_EXTRA, NULL, "when it starts"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "its length"},
    [EXPECTED] =
        {"expected", TK_DURATION, TK_COL_EXTRA, NULL,
         "length that the frames around it let expect: the greatest of the medians of the 15 before, of the "
         "15 after, and of these 30"},
    [EXCESS] =
        {"excess", TK_DURATION, TK_COL_OPTIONAL, NULL,
         "by how much it exceeds its typical frames: the 20 nearest ones that are not late and about as long "
         "as expected"},
    [EXPLAINED] =
        {"explained", TK_REAL, TK_COL_PART | TK_COL_OPTIONAL, NULL,
         "share of the excess that working timers of the thread of the frames explain, 0 to 1; the rest is "
         "waiting, or outside every scope"},
    [RANK] = {"rank", TK_UINT, TK_COL_OPTIONAL, NULL,
              "rank by growth, from 1, also of a hitch without a reason"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL,
               "timer whose exclusive time grew; (outside every scope): the thread of the frames was in "
               "none; (on no "
               "core): it did not run, though it did not wait either"},
    [WORK] = {"work", TK_TEXT, 0, NULL, "own, wait, gc, loading, shader, io; outside, off_core: no timer"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "thread or GPU queue"),
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL,
                   "id of the thread in the capture; empty of a GPU queue"},
    [COUNT] = {"count", TK_UINT, TK_COL_OPTIONAL, "calls", "calls that overlap the frame"},
    [OWN] = {"excl", TK_DURATION, TK_COL_OPTIONAL, NULL, "exclusive time in the frame"},
    [OFF_CORE] = {"off_core", TK_DURATION, TK_COL_EXTRA | TK_COL_HUMAN_ONLY | TK_COL_OPTIONAL, NULL,
                  "time off core in the longest call; empty if there was none"},
    [USUAL] = {"typical", TK_DURATION, TK_COL_OPTIONAL, NULL,
               "mean exclusive time in the typical frames; of a pass of the GPU in a frame of the GPU; empty "
               "if there are "
               "none"},
    [GROWTH] = {"growth", TK_DURATION, 0, NULL, "excl minus typical"},
    [SHARE] = {"share", TK_REAL, TK_COL_EXTRA | TK_COL_PART, NULL,
               "growth as a share of the excess and of what a limiter waited less, at most 1: other timers "
               "may have "
               "taken less than usual"},
    [CLASS] = {"class", TK_TEXT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, NULL,
               "loading: in a region named *Load*, or in frames in a row that last 1 s or more and of which "
               "each loads "
               "for half of its length; counted apart"},
    [CAUSE] = {"cause", TK_TEXT, 0, NULL,
               "what the thread waited for and what that was doing, or what ran on its core"},
};

const struct tk_table tk_hitch_table = {
    .name = "hitches",
    .schema = 2,
    .help = "hitches: game frames that are late against those around them, and the reasons that grew most in "
            "them",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
    .none = "no game frame is a hitch",
};

#define USUAL_REASONS 5u
#define MOST_CAUSE    256 /* bytes of the text of a cause */

static void fill_frame(const struct tk_hitches *h, const struct tk_hitch_entry *e, struct tk_cell *row)
{
    const struct tk_range *f = &h->marks.frames->v[tk_hitch_frame(h, e->mark)];
    row[FRAME] = tk_cell_of_uint((uint64_t)tk_hitch_frame(h, e->mark));
    if (e->loading)
        row[CLASS] = tk_cell_of_c("loading");
    row[START] = tk_query_context_time(h->view, f->from);
    row[DURATION] = tk_query_context_between(h->view, f->from, f->to);
    const struct tk_hitch_sum *sum = &h->sums.v[e->mark - TK_FRAME_CLASS_HITCH];
    row[EXPECTED] = tk_query_context_span(
        h->view, (int64_t)tk_frame_classes_expected(&h->marks, (uint32_t)tk_hitch_frame(h, e->mark)));
    if (h->marks.hitches.v[e->mark - TK_FRAME_CLASS_HITCH].n_typical)
        row[EXCESS] = tk_query_context_span(h->view, sum->excess);
    if (!sum->usual && !isnan(sum->explained))
        row[EXPLAINED] = tk_cell_of_real(sum->explained);
    if (sum->usual)
        row[CAUSE] = tk_cell_of_c("as long as usual");
}

/* What grew most on a thread in the hitch of these n reasons; NULL: nothing did. */
static const struct tk_str *did_on(const struct tk_hitches *h, const struct tk_hitch_reason *first, size_t n,
                                   uint32_t thread)
{
    for (const struct tk_hitch_reason *r = first; r < first + n; r++)
        if (r->timer < TK_HITCH_OUTSIDE && tk_hitch_lane_is(h->lanes.v[r->lane], thread))
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
static void fill_wait(const struct tk_hitches *h, const struct tk_hitch_reason *first, size_t n_reasons,
                      const struct tk_wait_cause *cause, struct tk_cell *row, struct tk_emit *emit)
{
    static const struct tk_str unknown = {.p = "?", .n = 1};
    const struct tk_str *thread = tk_dict_thread_name(h->view->dict, cause->thread);
    const struct tk_str *name = cause->name ? cause->name : &unknown;
    const struct tk_str *did = thread ? did_on(h, first, n_reasons, cause->thread) : NULL;
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

/* The timer of a hitch that had most of the time on no core; NULL: none had a half. */
static const struct tk_hitch_reason *most_off(const struct tk_hitches *h, const struct tk_hitch_reason *r)
{
    const struct tk_hitch_sum *sum = &h->sums.v[r->mark - TK_FRAME_CLASS_HITCH];
    const struct tk_hitch_reason *most = NULL;
    for (size_t i = sum->first; i < sum->first + sum->n; i++) {
        const struct tk_hitch_reason *other = &h->reasons.v[i];
        if (other->off >= r->own / 2 && other->timer < TK_HITCH_OUTSIDE && (!most || other->off > most->off))
            most = other;
    }
    return most;
}

/* ---- what ran on the core of a thread while that was on none, as far as context switches show ---- */

struct core_cause {
    int64_t off;               /* cycles of the longest stretch that the thread was on no core */
    uint32_t core;             /* that it had been on */
    int64_t ran;               /* cycles of the run there that was longest meanwhile; 0: none was recorded */
    const struct tk_str *name; /* of its thread; NULL: it has none */
};

static bool is_of(const struct tk_switch_list *list, const struct tk_switch *s, uint32_t thread)
{
    return list->threads.v.v[s->thread].thread == thread;
}

static void offer(struct core_cause *out, int64_t *begin, int64_t from, int64_t to, uint32_t core)
{
    int64_t off = tk_wrap_sub(to, from);
    if (off <= out->off)
        return;
    out->off = off;
    out->core = core;
    *begin = from;
}

/* The longest stretch without a run of the thread, behind one of its runs. */
static bool find_stretch(const struct tk_switch_list *list, uint32_t thread, int64_t from, int64_t to,
                         struct core_cause *out, int64_t *begin)
{
    struct tk_switch_reading r = tk_switches_around(list, from);
    struct tk_switch last = {.end = INT64_MAX};
    for (const struct tk_switch *s; (s = tk_switches_next(&r)) && s->begin < to;) {
        if (!is_of(list, s, thread))
            continue;
        if (last.end != INT64_MAX && s->begin > from)
            offer(out, begin, last.end > from ? last.end : from, s->begin, last.core);
        last = *s;
    }
    if (last.end < to)
        offer(out, begin, last.end > from ? last.end : from, to, last.core);
    return out->off > 0;
}

/* Time of a run inside of a stretch. */
static int64_t inside(const struct tk_switch *s, int64_t begin, int64_t end)
{
    int64_t from = s->begin > begin ? s->begin : begin, to = s->end < end ? s->end : end;
    return to > from ? tk_wrap_sub(to, from) : 0;
}

/* For a thread of the capture between two times. false: it was never off a core that is known. */
static bool find_core_cause(const struct tk_switch_list *list, const struct tk_dict *dict, uint32_t thread,
                            int64_t from, int64_t to, struct core_cause *out)
{
    int64_t begin = 0;
    *out = (struct core_cause){.off = 0};
    if (!find_stretch(list, thread, from, to, out, &begin))
        return false;
    struct tk_switch_reading r = tk_switches_around(list, from);
    for (const struct tk_switch *s; (s = tk_switches_next(&r)) && s->begin < begin + out->off;) {
        const int64_t ran = inside(s, begin, begin + out->off);
        if (s->core != out->core || is_of(list, s, thread) || ran <= out->ran)
            continue;
        out->ran = ran;
        out->name = tk_system_thread_name(&list->threads.v.v[s->thread], dict);
    }
    return true;
}

/* "core 3 ran Other", "core 3 ran nothing that was recorded", and where most of it lies in a timer "in Tick:
 * core 3 ran Other". */
static void fill_core(const struct tk_hitches *h, const struct tk_hitch_reason *r, struct tk_cell *row,
                      struct tk_emit *emit)
{
    const struct tk_range *f = &h->marks.frames->v[tk_hitch_frame(h, r->mark)];
    const struct tk_hitch_reason *in = most_off(h, r);
    struct core_cause cause;
    char text[MOST_CAUSE];
    int n = 0;
    if (!find_core_cause(h->view->switches, h->view->dict, h->frame_thread, f->from, f->to, &cause))
        return;
    if (in)
        n = snprintf(text, sizeof text, "in %.*s: ", PRINTED(h->view->dict->timers.v[in->timer].displayed));
    if (n < MOST_CAUSE)
        n += snprintf(text + n, sizeof text - (size_t)n, "core %" PRIu32 " ran %s%.*s", cause.core,
                      cause.name  ? ""
                      : cause.ran ? "a thread without a name"
                                  : "nothing that was recorded",
                      PRINTED(cause.name));
    put_cell_hitch_rows(&row[CAUSE], emit, text, n);
}

/* "Lights on GPU0, 33.2 ms more than usual": what grew most while the first reason waited. */
static void fill_attached(const struct tk_hitches *h, const struct tk_hitch_reason *other,
                          struct tk_cell *row, struct tk_emit *emit)
{
    const struct tk_hitch_lane *lane = h->lanes.v[other->lane];
    const struct tk_cell name = tk_query_context_lane(h->view, lane->kind, lane->thread);
    char text[MOST_CAUSE], more[32];
    print_span(h, other->growth, more, sizeof more);
    const int n = snprintf(text, sizeof text, "%s%.*s on %.*s, %s more than usual",
                           lane->kind == TK_LANE_THREAD ? "" : "pass ",
                           PRINTED(h->view->dict->timers.v[other->timer].displayed), (int)name.n,
                           name.kind == TK_TEXT ? (const char *)name.v.p : "?", more);
    put_cell_hitch_rows(&row[CAUSE], emit, text, n);
}

/* What a thread waited for that waits, or whose time is a lock's for the most part. */
static void fill_cause(const struct tk_hitches *h, const struct tk_hitch_reason *first, size_t n,
                       const struct tk_hitch_reason *r, struct tk_cell *row, struct tk_emit *emit)
{
    struct tk_wait_cause cause;
    if (r->timer == TK_HITCH_ON_NO_CORE)
        fill_core(h, r, row, emit);
    if (r->timer >= TK_HITCH_OUTSIDE)
        return;
    bool found = h->lanes.v[r->lane]->kind == TK_LANE_THREAD &&
                 tk_wait_causes_find(&h->causes, r->mark, h->lanes.v[r->lane]->thread, &cause);
    bool inside = found && cause.lock && cause.waited >= r->growth / 2 && cause.waited <= r->own;
    if (found && (inside || r->work == TK_WORK_WAIT))
        fill_wait(h, first, n, &cause, row, emit);
    else if (r == first && n > 1 && r[1].attached)
        fill_attached(h, &r[1], row, emit);
    else if (r->work == TK_WORK_WAIT)
        row[CAUSE] = tk_cell_of_c("not recorded");
}

static void fill_lane(const struct tk_hitches *h, const struct tk_hitch_reason *r, struct tk_cell *row)
{
    const bool none = r->lane == TK_HITCH_NO_LANE;
    const uint8_t kind = none ? TK_LANE_THREAD : h->lanes.v[r->lane]->kind;
    const uint32_t thread = none ? h->frame_thread : h->lanes.v[r->lane]->thread;
    tk_lane_put(h->view, kind, thread, &row[THREAD]);
    row[THREAD_ID] = tk_query_context_lane_id(kind, thread);
}

static struct tk_cell timer_of(const struct tk_hitches *h, const struct tk_hitch_reason *r)
{
    if (r->timer == TK_HITCH_ON_NO_CORE)
        return tk_cell_of_c("(on no core)");
    if (r->timer == TK_HITCH_OUTSIDE)
        return tk_cell_of_c("(outside every scope)");
    return tk_cell_of_text(h->view->dict->timers.v[r->timer].displayed);
}

static void fill_reason(const struct tk_hitches *h, const struct tk_hitch_reason *r, struct tk_cell *row)
{
    const struct tk_query_context *view = h->view;
    const struct tk_hitch_sum *sum = &h->sums.v[r->mark - TK_FRAME_CLASS_HITCH];
    row[TIMER] = timer_of(h, r);
    row[WORK] = tk_cell_of_c(r->timer == TK_HITCH_ON_NO_CORE ? "off_core"
                             : r->timer == TK_HITCH_OUTSIDE  ? "outside"
                                                             : tk_work_name((enum tk_work)r->work));
    fill_lane(h, r, row);
    if (r->timer < TK_HITCH_OUTSIDE)
        row[COUNT] = tk_cell_of_uint(r->count);
    row[OWN] = tk_query_context_span(view, r->own);
    if (r->off > 0)
        row[OFF_CORE] = tk_query_context_span(view, r->off);
    if (h->marks.hitches.v[r->mark - TK_FRAME_CLASS_HITCH].n_typical) {
        row[USUAL] = tk_query_context_span(view, r->usual);
        row[GROWTH] = tk_query_context_span(view, r->growth);
        if (sum->taken > 0)
            row[SHARE] = tk_cell_of_real(r->growth < sum->taken ? (double)r->growth / (double)sum->taken : 1);
    }
}

/* The reasons of one hitch; a row without any where there are none. */
static int send_hitch(const struct tk_hitches *h, const struct tk_hitch_entry *e, struct tk_emit *emit)
{
    const struct tk_hitch_sum *sum = &h->sums.v[e->mark - TK_FRAME_CLASS_HITCH];
    const size_t most = h->view->query->hitches.reasons ? h->view->query->hitches.reasons : USUAL_REASONS;
    for (size_t i = 0; i < most && (i < sum->n || i == 0); i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_frame(h, e, row);
        row[RANK] = tk_cell_of_uint(i + 1);
        if (i >= sum->n)
            break;
        fill_reason(h, &h->reasons.v[sum->first + i], row);
        fill_cause(h, &h->reasons.v[sum->first], sum->n, &h->reasons.v[sum->first + i], row, emit);
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
