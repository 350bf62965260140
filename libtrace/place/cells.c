/*
 * Table `cells`: frames by the cell of the level that they were drawn in.
 */
#include "base/given.h"
#include "base/sort.h"
#include "base/text/intern.h"
#include "base/text/text.h"
#include "judge/smoothness.h"
#include "place/place_in.h"
#include "table/cell.h"
#include "table/sketch.h"
#include "tracekit/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A frame is late beyond so many times what the target allows. */
static const double late_from = 1.05;

struct frame {
    int64_t number, dur;
    int64_t end;
    uint8_t class; /* of enum class */
};

enum class { CLASS_NONE, CLASS_HITCH, CLASS_LOADING, CLASS_OTHER };

/* The first reason of a hitch. */
struct reason {
    int64_t frame, growth;
    const struct tk_str *timer;
};

/* A frame with its cell. */
struct placed {
    bool known;
    int64_t at[3];
    const struct frame *frame;
};

struct cells {
    const struct tk_cells_options *options;
    struct tk_cells_options *fits; /* the same, whose side is made to fit; NULL: it stays */
    struct tk_position_source source;
    struct tk_positions positions;
    TK_VEC(struct frame) frames;
    TK_VEC(struct reason) reasons; /* by frame */
    TK_VEC(struct reason) here;    /* those of a cell, by timer */
    TK_VEC(struct placed) placed;
    struct tk_intern texts;
};

/* ---- rows of the tables that they are made of ---- */

static int take_frame(struct cells *c, const struct tk_table *table, const struct tk_cell *row,
                      struct tk_err *err)
{
    const struct tk_cell *type = tk_place_cell(table, row, "type_id"),
                         *dur = tk_place_cell(table, row, "dur");
    const struct tk_cell *end = tk_place_cell(table, row, "end");
    if (type->v.u != 0 || dur->kind == TK_NONE || end->kind == TK_NONE)
        return TK_OK;
    const struct frame frame = {
        .number = tk_place_cell(table, row, "frame")->v.i, .dur = dur->v.i, .end = end->v.i};
    return tk_vec_push(&c->frames, frame) ? tk_err_nomem(err, "frames") : TK_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = ((const struct frame *)a)->number, y = ((const struct frame *)b)->number;
    return (x > y) - (x < y);
}

static struct frame *find_frame(const struct cells *c, int64_t number)
{
    const struct frame key = {.number = number};
    return c->frames.n ? bsearch(&key, c->frames.v, c->frames.n, sizeof key, compare_numbers) : NULL;
}

static bool is_text(const struct tk_cell *cell, const char *text)
{
    return cell->kind == TK_TEXT && cell->n == strlen(text) && memcmp(cell->v.p, text, cell->n) == 0;
}

/* Frames are there: the query has them first. */
static int take_late(struct cells *c, const struct tk_table *table, const struct tk_cell *row,
                     struct tk_err *err)
{
    struct frame *frame = find_frame(c, tk_place_cell(table, row, "frame")->v.i);
    const struct tk_cell *class = tk_place_cell(table, row, "class");
    (void)err;
    if (frame)
        frame->class = is_text(class, "hitch")     ? CLASS_HITCH
                       : is_text(class, "loading") ? CLASS_LOADING
                                                   : CLASS_OTHER;
    return TK_OK;
}

static int compare_frames(const void *a, const void *b)
{
    const int64_t x = ((const struct reason *)a)->frame, y = ((const struct reason *)b)->frame;
    return (x > y) - (x < y);
}

static int take_reason(struct cells *c, const struct tk_table *table, const struct tk_cell *row,
                       struct tk_err *err)
{
    const struct tk_cell *timer = tk_place_cell(table, row, "timer"),
                         *growth = tk_place_cell(table, row, "growth");
    if (tk_place_cell(table, row, "rank")->v.u != 1 || timer->kind != TK_TEXT || growth->kind == TK_NONE)
        return TK_OK;
    const struct reason reason = {.frame = tk_place_cell(table, row, "frame")->v.i,
                                  .growth = growth->v.i,
                                  .timer = tk_intern(&c->texts, timer->v.p, timer->n, timer->enc)};
    return !reason.timer || tk_vec_push(&c->reasons, reason) ? tk_err_nomem(err, "hitches") : TK_OK;
}

static int take_position(struct cells *c, const struct tk_table *table, const struct tk_cell *row,
                         struct tk_err *err)
{
    return tk_positions_take(&c->positions, &c->source, table, row, err);
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    static const struct {
        const char *table;
        int (*take)(struct cells *c, const struct tk_table *table, const struct tk_cell *row,
                    struct tk_err *err);
    } takers[] = {{"frames", take_frame}, {"late_frames", take_late}, {"hitches", take_reason}};
    size_t k = 0;
    int rc = TK_OK;
    while (k < sizeof takers / sizeof *takers && strcmp(takers[k].table, table->name) != 0)
        k++;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        rc = k < sizeof takers / sizeof *takers ? takers[k].take(self, table, row, err)
                                                : take_position(self, table, row, err);
    }
    return rc;
}

/* What is said of some frames finds them by their numbers. */
static int end_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct cells *c = self;
    const bool frames = strcmp(table->name, "frames") == 0, reasons = strcmp(table->name, "hitches") == 0;
    if ((frames && tk_sort(c->frames.v, c->frames.n, sizeof *c->frames.v, compare_numbers)) ||
        (reasons && tk_sort(c->reasons.v, c->reasons.n, sizeof *c->reasons.v, compare_frames)))
        return tk_err_nomem(err, "frames");
    return TK_OK;
}

/* The frames first: what is said of some of them finds them then. */
static int read_tables(struct cells *c, struct tk_trace *trace, struct tk_err *err)
{
    const char *const tables[] = {"frames", "late_frames", "hitches", tk_position_table(&c->source)};
    const struct tk_sink sink = {.self = c, .rows = take_rows, .end = end_table};
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = tk_has_table(trace, tables[3]) ? 4 : 3;
    query.hitches.reasons = 1;
    return tk_query_run(trace, &query, &sink, err);
}

/* ---- cells ---- */

static int64_t floor_of(double at, double cell)
{
    const double q = floor(at / cell);
    return q < -9e15 ? (int64_t)-9e15 : q > 9e15 ? (int64_t)9e15 : (int64_t)q;
}

static int compare_ends(const void *a, const void *b)
{
    const int64_t x = ((const struct frame *)a)->end, y = ((const struct frame *)b)->end;
    return (x > y) - (x < y);
}

/* ---- sides that fit ---- */

enum { MOST_ALONG = 64, CHOSEN_ALONG = 32 };

/* Cells along the level, of frames whose place is known. */
static double along(const struct cells *c, double side)
{
    double most = 1;
    size_t from = 0;
    for (int k = 0; k < 2; k++) {
        double low = INFINITY, high = -INFINITY;
        from = 0;
        for (size_t i = 0; i < c->frames.n; i++) {
            const struct tk_position *p = tk_positions_before(&c->positions, c->frames.v[i].end, &from);
            low = p ? fmin(low, floor(p->at[k] / side)) : low;
            high = p ? fmax(high, floor(p->at[k] / side)) : high;
        }
        most = high >= low ? fmax(most, high - low + 1) : most;
    }
    return most;
}

/* The next of 1, 2, 5, 10, 20, ... */
static double next_side(double side)
{
    const double power = pow(10, floor(log10(side) + 1e-9)), first = round(side / power);
    return first < 2 ? 2 * power : first < 5 ? 5 * power : 10 * power;
}

/* Frames are in the order of their ends. */
static double fit_side(const struct cells *c, double side)
{
    const bool chosen = !(side > 0);
    side = chosen ? 1e-3 : side;
    while (side < 1e15 && along(c, side) > (chosen ? CHOSEN_ALONG : MOST_ALONG))
        side = chosen ? next_side(side) : 2 * side;
    return side;
}

/* ---- frames in cells ---- */

static int place_frames(struct cells *c, struct tk_err *err)
{
    size_t from = 0;
    if (tk_sort(c->frames.v, c->frames.n, sizeof *c->frames.v, compare_ends))
        return tk_err_nomem(err, "frames");
    if (c->fits)
        c->fits->cell = fit_side(c, c->fits->cell);
    for (size_t i = 0; i < c->frames.n; i++) {
        const struct tk_position *p = tk_positions_before(&c->positions, c->frames.v[i].end, &from);
        struct placed placed = {.known = p != NULL, .frame = &c->frames.v[i]};
        for (unsigned k = 0; p && k < 2u + c->options->z; k++)
            placed.at[k] = floor_of(p->at[k], c->options->cell);
        if (tk_vec_push(&c->placed, placed))
            return tk_err_nomem(err, "frames");
    }
    return TK_OK;
}

static int compare_places(const struct placed *a, const struct placed *b)
{
    int order = a->known == b->known ? 0 : a->known ? -1 : 1;
    for (unsigned k = 0; k < 3 && order == 0; k++)
        order = (a->at[k] > b->at[k]) - (a->at[k] < b->at[k]);
    return order;
}

static int compare_placed(const void *one, const void *two)
{
    const struct placed *a = one, *b = two;
    const int order = compare_places(a, b);
    return order ? order : (a->frame->dur > b->frame->dur) - (a->frame->dur < b->frame->dur);
}

/* ---- rows ---- */

/* The last one where cells are cubes alone. */
enum { CX, CY, FRAMES, DUR, P50, P95, MAX, OVER, HITCHES, LOADING, TIMER, FEW_FRAMES, CZ, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [CX] = {"cx", TK_INT, 0, NULL, "x of the cell: floor(x / size); empty where no position is known"},
    [CY] = {"cy", TK_INT, 0, NULL, "y of the cell"},
    [FRAMES] = {"frames", TK_UINT, 0, "frames", "complete game frames in it"},
    [DUR] = {"dur", TK_DURATION, 0, NULL, "sum of their durations"},
    [P50] = {"p50", TK_DURATION, 0, NULL, "median of their durations"},
    [P95] = {"p95", TK_DURATION, 0, NULL, "95th percentile"},
    [MAX] = {"max", TK_DURATION, 0, NULL, "the longest"},
    [OVER] = {"over", TK_UINT, 0, "frames",
              "late frames, where a target was given: more than 1.05 times what it allows"},
    [HITCHES] = {"hitches", TK_UINT, 0, "frames", "hitches of play"},
    [LOADING] = {"hitches_loading", TK_UINT, TK_COL_OPTIONAL, "frames", "hitches of loading screens"},
    [TIMER] = {"timer", TK_TEXT, TK_COL_OPTIONAL, NULL, "what grew most in its hitches"},
    [FEW_FRAMES] = {"few", TK_BOOL, TK_COL_OPTIONAL, NULL, "fewer than 30 frames: percentiles say little"},
    [CZ] = {"cz", TK_INT, TK_COL_OPTIONAL, NULL, "z of the cell, where cells are cubes"},
};

static const struct tk_table cubes = {
    .name = "cells",
    .help = "frames by the cell of the level that they were drawn in",
    .columns = columns,
    .n_columns = COLUMNS,
    .none = "no frames",
};

static int compare_timers(const void *a, const void *b)
{
    return tk_str_order(((const struct reason *)a)->timer, ((const struct reason *)b)->timer);
}

static struct tk_table table_of(const struct cells *c)
{
    struct tk_table table = cubes;
    table.n_columns -= !c->options->z;
    return table;
}

/* The reasons of the hitches among these frames. */
static int find_reasons(struct cells *c, const struct placed *p, size_t n, struct tk_err *err)
{
    c->here.n = 0;
    for (size_t i = 0; i < n && c->reasons.n; i++) {
        const struct reason key = {.frame = p[i].frame->number};
        const struct reason *found =
            p[i].frame->class == CLASS_HITCH
                ? bsearch(&key, c->reasons.v, c->reasons.n, sizeof key, compare_frames)
                : NULL;
        if (found && tk_vec_push(&c->here, *found))
            return tk_err_nomem(err, "hitches");
    }
    return tk_sort(c->here.v, c->here.n, sizeof *c->here.v, compare_timers) ? tk_err_nomem(err, "hitches")
                                                                            : TK_OK;
}

/* The timer that grew most in all of them. */
static struct tk_cell top_timer(const struct cells *c)
{
    const struct tk_str *top = NULL;
    int64_t most = 0;
    for (size_t i = 0, end; i < c->here.n; i = end) {
        int64_t sum = 0;
        for (end = i; end < c->here.n && c->here.v[end].timer == c->here.v[i].timer; end++)
            sum += c->here.v[end].growth;
        if (sum > most) {
            most = sum;
            top = c->here.v[i].timer;
        }
    }
    return tk_cell_of_text(top);
}

static void count(const struct cells *c, const struct placed *p, size_t n, struct tk_cell row[COLUMNS])
{
    uint64_t over = 0, hitches = 0, loading = 0;
    int64_t sum = 0;
    const double limit = c->options->target > 0 ? late_from * 1e9 / c->options->target : 0;
    for (size_t i = 0; i < n; i++) {
        sum += p[i].frame->dur;
        over += (double)p[i].frame->dur > limit;
        hitches += p[i].frame->class == CLASS_HITCH;
        loading += p[i].frame->class == CLASS_LOADING;
    }
    row[DUR] = tk_cell_of_span(sum);
    row[HITCHES] = tk_cell_of_uint(hitches);
    row[LOADING] = tk_cell_of_uint(loading);
    row[TIMER] = top_timer(c);
    if (limit > 0)
        row[OVER] = tk_cell_of_uint(over);
}

/* Frames of a cell, by their lengths. */
static int send_cell(struct cells *c, const struct placed *p, size_t n, const struct tk_sink *sink,
                     struct tk_err *err)
{
    struct tk_cell row[COLUMNS] = {{0}};
    const int rc = find_reasons(c, p, n, err);
    if (rc < 0)
        return rc;
    if (p->known) {
        row[CX] = tk_cell_of_int(p->at[0]);
        row[CY] = tk_cell_of_int(p->at[1]);
    }
    if (p->known && c->options->z)
        row[CZ] = tk_cell_of_int(p->at[2]);
    row[FRAMES] = tk_cell_of_uint(n);
    row[P50] = tk_cell_of_span(p[tk_sketch_rank(n, 50, 100) - 1].frame->dur);
    row[P95] = tk_cell_of_span(p[tk_sketch_rank(n, 95, 100) - 1].frame->dur);
    row[MAX] = tk_cell_of_span(p[n - 1].frame->dur);
    row[FEW_FRAMES] = tk_cell_of_bool(n < TK_FEW_FRAMES);
    count(c, p, n, row);
    const struct tk_rows rows = {1, row};
    const struct tk_table table = table_of(c);
    return sink->rows ? sink->rows(sink->self, &table, &rows, err) : TK_OK;
}

static int send_all(struct cells *c, const struct tk_sink *sink, struct tk_err *err)
{
    if (tk_sort(c->placed.v, c->placed.n, sizeof *c->placed.v, compare_placed))
        return tk_err_nomem(err, "cells");
    const struct tk_table table = table_of(c);
    int rc = sink->begin ? sink->begin(sink->self, &table, err) : TK_OK;
    for (size_t i = 0, end; i < c->placed.n && rc == TK_OK; i = end) {
        for (end = i + 1; end < c->placed.n && compare_places(&c->placed.v[i], &c->placed.v[end]) == 0;)
            end++;
        rc = send_cell(c, c->placed.v + i, end - i, sink, err);
    }
    return rc == TK_OK && sink->end ? sink->end(sink->self, &table, err) : rc;
}

/* ---- the whole ---- */

static int make(struct cells *c, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    int rc = tk_position_parse(&c->source, c->options->position, err);
    if (rc == TK_OK)
        rc = read_tables(c, trace, err);
    if (rc == TK_OK)
        rc = tk_positions_settle(&c->positions, &c->source, err);
    if (rc == TK_OK)
        rc = place_frames(c, err);
    return rc == TK_OK ? send_all(c, sink, err) : rc;
}

static void release_cells(struct cells *c)
{
    tk_positions_release(&c->positions);
    tk_vec_release(&c->frames);
    tk_vec_release(&c->reasons);
    tk_vec_release(&c->placed);
    tk_vec_release(&c->here);
    tk_intern_release(&c->texts);
}

int tk_cells_fitted(struct tk_trace *trace, const struct tk_cells_options *options, double *side,
                    const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_cells_options given = *options;
    struct cells c = {.options = &given, .fits = &given};
    const int rc = make(&c, trace, sink, err);
    *side = given.cell;
    release_cells(&c);
    return rc;
}

int tk_cells(struct tk_trace *trace, const struct tk_cells_options *options, const struct tk_sink *sink,
             struct tk_err *err)
{
    TK_GIVEN(err, trace, options, sink);
    struct tk_cells_options given = TK_INIT(struct tk_cells_options);
    struct cells c = {.options = &given};
    int rc = tk_struct_size_take(&given, sizeof given, options, "the options", err);
    if (rc == TK_OK && !(given.cell > 0 && isfinite(given.cell)))
        rc = tk_err_set(err, TK_EUSAGE, "the side of a cell is a number above 0");
    if (rc == TK_OK)
        rc = make(&c, trace, sink, err);
    release_cells(&c);
    return rc;
}
