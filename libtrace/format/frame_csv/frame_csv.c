/*
 * The format of CSV with a row a frame: a column for each statistic, of which FrameTime makes the frames.
 * Columns that end in "Time" are milliseconds of a thread, and those called Exclusive/THREAD/NAME parts of
 * it: they are scopes, too, one behind the other from the begin of the frame on, so that they are timers.
 * Names of columns once more behind the rows where some were added on the way; facts about the recording in
 * the last row, as [key],value.
 */
#include "format/frame_csv/frame_csv.h"

#include "base/cursor.h"
#include "base/text/copy.h"
#include "format/events/feed.h"
#include "format/frame_csv/csv_lines.h"
#include "table/cell.h"
#include "tracekit/captures.h"

#include <math.h>
#include <stdlib.h>

enum { STEP = 1024 };
enum { ROW, HEADER, EVENT, METADATA, TYPES };

/* A column that is a time: a scope of a thread. */
struct column {
    uint32_t thread, timer; /* thread + 1; 0: it is no time */
    bool part;
};

struct walk {
    struct tk_ev_window w;
    struct tk_ev_capture *c;   /* borrowed */
    TK_VEC(uint32_t) counters; /* by column: a counter + 1; 0: none yet */
    uint32_t process, thread;
    uint32_t frame_time; /* column of it; UINT32_MAX: not known */
    uint32_t events;     /* column of texts */
    double time;         /* nanoseconds */
    TK_VEC(struct column) columns;
    TK_VEC(double) used; /* by thread: nanoseconds of parts of it in this frame */
    uint64_t rows;
    bool behind_facts;     /* names of columns or facts stand behind rows */
    uint32_t names;        /* cells of the first line */
    TK_VEC(double) values; /* of a row; NaN: none */
};

/* ---- the names of the columns ---- */

/* The name of the thread that a column is a time of; n 0: it is none. */
static struct tk_bytes thread_of(struct tk_bytes cell, bool *part)
{
    static const char exclusive[] = "Exclusive/", time[] = "Time";
    const size_t n = sizeof exclusive - 1, m = sizeof time - 1;
    *part = cell.n > n && memcmp(cell.p, exclusive, n) == 0;
    if (*part) {
        const uint8_t *end = memchr(cell.p + n, '/', cell.n - n);
        return (struct tk_bytes){cell.p + n, end ? (size_t)(end - cell.p) - n : 0};
    }
    bool is_time = cell.n > m && memcmp(cell.p + cell.n - m, time, m) == 0 && !tk_csv_is(cell, "frametime");
    return (struct tk_bytes){cell.p, is_time ? cell.n - m : 0};
}

static int take_time(struct walk *d, uint32_t i, uint32_t name, struct tk_bytes cell)
{
    struct tk_ev_id id = {NULL, 0};
    if (tk_vec_reach(&d->columns, (size_t)i + 1))
        return -1;
    struct column *column = &d->columns.v[i];
    struct tk_bytes thread = thread_of(cell, &column->part);
    if (!thread.n)
        return 0;
    id.text = tk_ev_text(&d->c->names, thread.p, thread.n);
    uint32_t place = id.text ? tk_ev_thread(d->c, d->process, &id, 0) : UINT32_MAX;
    if (place == UINT32_MAX)
        return -1;
    column->thread = place + 1;
    column->timer = tk_ev_timer(&d->c->names, name, NULL, 0);
    return column->timer == TK_EV_NO_NAME ? -1 : 0;
}

static int take_header(struct walk *d, struct tk_csv_line line, struct tk_err *err)
{
    struct tk_bytes cell;
    const bool is_first = d->names == 0;
    for (uint32_t i = 0; i < TK_CSV_COLUMNS && tk_csv_cell(&line, &cell); i++) {
        d->names += is_first;
        if (tk_csv_is(cell, "events"))
            d->events = i;
        else if (tk_csv_is(cell, "frametime"))
            d->frame_time = i;
        uint32_t name = cell.n ? tk_ev_name_clean(&d->c->names, cell.p, cell.n) : TK_EV_NO_NAME;
        if (d->c->names.failed || (name != TK_EV_NO_NAME && take_time(d, i, name, cell)))
            return tk_ev_failed(err);
        if (i < d->counters.n && d->counters.v[i])
            d->c->counters.v[d->counters.v[i] - 1].name = name;
        else if (tk_vec_reach(&d->counters, (size_t)i + 1))
            return tk_err_nomem(err, "columns");
        else if (i != d->events && name != TK_EV_NO_NAME) {
            uint32_t counter = tk_ev_counter(d->c, d->process, name, i + UINT64_C(1));
            if (counter == UINT32_MAX)
                return tk_ev_failed(err);
            d->counters.v[i] = counter + 1;
        }
    }
    return TK_ITEM;
}

/* ---- rows ---- */

/* Texts with ';' between them. */
static int take_events(struct walk *d, struct tk_bytes cell)
{
    struct tk_ev_mark mark = {(int64_t)d->time, d->thread, TK_EV_NO_NAME, TK_EV_NO_NAME, 5, true};
    while (cell.n) {
        const uint8_t *end = memchr(cell.p, ';', cell.n);
        size_t n = end ? (size_t)(end - cell.p) : cell.n;
        mark.thread = TK_NO_THREAD;
        mark.text = n ? tk_ev_name_clean(&d->c->names, cell.p, n) : TK_EV_NO_NAME;
        if (n && (mark.text == TK_EV_NO_NAME || tk_ev_mark(d->c, &mark)))
            return -1;
        if (n)
            tk_ev_count(d->c, EVENT, n);
        n += end != NULL;
        cell = (struct tk_bytes){cell.p + n, cell.n - n};
    }
    return 0;
}

static uint32_t counter_of(struct walk *d, uint32_t column)
{
    if (tk_vec_reach(&d->counters, (size_t)column + 1))
        return UINT32_MAX;
    if (!d->counters.v[column]) { /* named by the header behind the rows */
        uint32_t counter = tk_ev_counter(d->c, d->process, TK_EV_NO_NAME, column + UINT64_C(1));
        if (counter == UINT32_MAX)
            return UINT32_MAX;
        d->counters.v[column] = counter + 1;
    }
    return d->counters.v[column] - 1;
}

/* A scope for each time, parts one behind the other. */
static int keep_times(struct walk *d)
{
    for (size_t i = 0; i < d->used.n; i++)
        d->used.v[i] = 0;
    for (size_t i = 0; i < d->columns.n && i < d->values.n; i++) {
        const struct column *column = &d->columns.v[i];
        const double ns = d->values.v[i] * 1e6;
        if (!column->thread || !(ns > 0) || ns > 9e17)
            continue;
        if (tk_vec_reach(&d->used, column->thread))
            return -1;
        double *used = &d->used.v[column->thread - 1];
        const double begin = d->time + (column->part ? *used : 0);
        if (tk_ev_whole(d->c, column->thread - 1, (int64_t)llround(begin), (int64_t)llround(begin + ns),
                        column->timer))
            return -1;
        *used += column->part ? ns : 0;
    }
    return 0;
}

static int keep_row(struct walk *d, double ms, uint64_t offset)
{
    const double end = d->time + ms * 1e6;
    if (!(ms >= 0) || end >= 9e18) {
        tk_ev_note(d->c, TK_EV_NO_FRAME_TIME, offset);
        return 0;
    }
    if (tk_ev_whole(d->c, d->thread, (int64_t)d->time, (int64_t)llround(end),
                    tk_ev_timer(&d->c->names, TK_EV_NO_NAME, NULL, 0)))
        return -1;
    for (uint32_t i = 0; i < d->values.n; i++) {
        struct tk_number number = {.real = true, .v.r = d->values.v[i]};
        uint32_t counter = isnan(number.v.r) ? 0 : counter_of(d, i);
        if (!isnan(number.v.r) &&
            (counter == UINT32_MAX || tk_ev_value(d->c, counter, (int64_t)d->time, number)))
            return -1;
    }
    if (keep_times(d))
        return -1;
    d->time = (double)llround(end);
    d->rows++;
    return 0;
}

static int take_row(struct walk *d, struct tk_csv_line line, bool whole, uint64_t offset, struct tk_err *err)
{
    struct tk_bytes cell;
    double ms = (double)NAN;
    d->values.n = 0;
    for (uint32_t i = 0; i < TK_CSV_COLUMNS && tk_csv_cell(&line, &cell); i++) {
        double v = (double)NAN;
        if (i == d->events) {
            if (take_events(d, cell))
                return tk_ev_failed(err);
        } else if (!tk_csv_number(cell, &v) && cell.n)
            tk_ev_note(d->c, TK_EV_NO_NUMBER, offset);
        if (i == d->frame_time)
            ms = v;
        if (tk_vec_push(&d->values, v))
            return tk_err_nomem(err, "values of a frame");
    }
    if (line.quote_open)
        tk_ev_note(d->c, TK_EV_QUOTE_OPEN, offset);
    if (whole && d->values.n < d->names)
        tk_ev_note(d->c, TK_EV_CELLS_MISSING, offset);
    if (d->behind_facts)
        tk_ev_note(d->c, TK_EV_ROWS_AGAIN, offset);
    return keep_row(d, ms, offset) ? tk_ev_failed(err) : TK_ITEM;
}

/* [key],value,[key],value */
static int take_metadata(struct walk *d, struct tk_csv_line line, struct tk_err *err)
{
    struct tk_bytes key, value;
    while (tk_csv_cell(&line, &key) && tk_csv_cell(&line, &value)) {
        if (key.n < 3 || key.p[0] != '[' || key.p[key.n - 1] != ']')
            continue;
        const struct tk_str *text = tk_ev_text(&d->c->names, value.p, value.n);
        if (!text)
            return tk_ev_failed(err);
        struct tk_cell cell = tk_cell_of_text(text);
        if (tk_ev_session(d->c, (const char *)key.p + 1, key.n - 2, cell))
            return tk_ev_failed(err);
    }
    return TK_ITEM;
}

/* ---- lines ---- */

static uint32_t count_cells(struct tk_csv_line line)
{
    struct tk_bytes cell;
    uint32_t cells = 0;
    while (cells < TK_CSV_COLUMNS && tk_csv_cell(&line, &cell))
        cells++;
    return cells;
}

/*
 * Bytes to read of a line that the file ends in, and that is shorter than the first one: it may have been cut
 * inside its last cell. A row is kept up to the comma before that, if the frame stands there; else nothing.
 */
static size_t whole_cells(const struct walk *d, struct tk_csv_line line, bool header)
{
    const uint8_t *first = line.p;
    struct tk_bytes cell;
    size_t kept = 0;
    for (uint32_t cells = 1; cells < d->names && tk_csv_cell(&line, &cell); cells++)
        if (!line.ended && !header && cells > d->frame_time)
            kept = (size_t)(line.p - first);
    return kept;
}

static int take_line(struct walk *d, const uint8_t *p, size_t n, uint64_t offset, struct tk_err *err)
{
    const size_t mark = offset ? 0 : tk_byte_order_mark(p, n);
    const bool whole = p[n - 1] == '\n';
    p += mark;
    n -= mark;
    struct tk_csv_line line = tk_csv_line_of(p, n), look = line;
    struct tk_bytes first;
    if (d->c->pass != TK_EV_GATHER || !tk_csv_cell(&look, &first))
        return TK_ITEM;
    bool header = d->frame_time == UINT32_MAX || tk_csv_is(first, "events") || tk_csv_is(first, "frametime");
    bool metadata = !header && first.n > 2 && first.p[0] == '[';
    const bool cut = !whole && !metadata && count_cells(line) < d->names;
    const size_t kept = cut ? whole_cells(d, line, header) : n;
    if (cut) {
        tk_csv_note_cut(d->c, offset, n - kept);
        line = tk_csv_line_of(p, kept ? kept - 1 : 0);
    }
    if (!kept)
        return TK_ITEM;
    tk_ev_count(d->c, header ? HEADER : metadata ? METADATA : ROW, kept);
    d->behind_facts |= (metadata && d->rows) || (header && d->names);
    if (metadata)
        return take_metadata(d, line, err);
    if (!header)
        return take_row(d, line, whole, offset, err);
    int rc = take_header(d, line, err);
    if (rc == TK_ITEM && d->frame_time == UINT32_MAX)
        return tk_err_set(err, TK_EFORMAT, "the file is CSV without a column 'FrameTime', not a capture");
    return rc;
}

static int next_line(struct walk *d, struct tk_err *err)
{
    const uint8_t *p;
    size_t n;
    uint64_t offset;
    const int rc = tk_csv_next_line(&d->w, &p, &n, &offset, err);
    return rc == TK_ITEM ? take_line(d, p, n, offset, err) : rc;
}

static int step_walk(void *walk, struct tk_err *err)
{
    int rc = TK_ITEM;
    for (unsigned i = 0; i < STEP && rc == TK_ITEM; i++)
        rc = next_line(walk, err);
    return rc;
}

static int open_walk(struct tk_ev_capture *c, void **walk, struct tk_err *err)
{
    struct walk *d = calloc(1, sizeof *d);
    if (!d)
        return tk_err_nomem(err, "a walk over the capture");
    *walk = d;
    d->c = c;
    d->frame_time = d->events = UINT32_MAX;
    return tk_csv_open_frames(c, &d->w, &d->process, &d->thread, err);
}

static void close_walk(void *walk)
{
    struct walk *d = walk;
    tk_ev_window_close(&d->w);
    tk_vec_release(&d->counters);
    tk_vec_release(&d->values);
    tk_vec_release(&d->columns);
    tk_vec_release(&d->used);
    free(d);
}

/* ---- the format ---- */

/* Is it a name that a CSV of Unreal has? Other tools may have one of them, too. */
static bool is_sign(struct tk_bytes name)
{
    static const char *const names[] = {"events",           "frametime",     "gamethreadtime",
                                        "renderthreadtime", "rhithreadtime", "gputime"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tk_csv_is(name, names[i]))
            return true;
    return name.n && memchr(name.p, '/', name.n) != NULL;
}

/* A first line of names, among them that of the frames or of the events, and one more that Unreal has. */
static int probe(const uint8_t *head, size_t n)
{
    const size_t mark = tk_byte_order_mark(head, n);
    head += mark;
    n -= mark;
    const uint8_t *end = n ? memchr(head, '\n', n) : NULL;
    struct tk_csv_line line = tk_csv_line_of(head, end ? (size_t)(end - head) : n);
    struct tk_bytes cell;
    bool found = false;
    unsigned signs = 0;
    for (unsigned i = 0; tk_csv_cell(&line, &cell); i++) {
        found |= tk_csv_is(cell, "frametime") || (i == 0 && tk_csv_is(cell, "events"));
        signs += is_sign(cell);
        for (size_t k = 0; k < cell.n; k++)
            if (cell.p[k] < ' ')
                return 0;
    }
    return found && signs > 1 && !tk_csv_has_presents(head, n) ? TK_FORMAT_SURE : 0;
}

static const struct tk_record_type types[TYPES] = {
    [ROW] = {.name = "Csv.Row", .family = "frame"},
    [HEADER] = {.name = "Csv.Header", .family = "counter"},
    [EVENT] = {.name = "Csv.Event", .family = "bookmark"},
    [METADATA] = {.name = "Csv.Metadata", .family = "session"}};

static const struct tk_ev_decoder decoder = {
    .noun = "row",
    .nouns = "rows",
    .open = open_walk,
    .step = step_walk,
    .close = close_walk,
    .types = types,
    .n_types = TYPES,
};

const struct tk_format tk_format_frame_csv = {
    .name = "frame-csv",
    .help = "CSV with one row per frame, as Unreal's CSV profiler writes it",
    .probe = probe,
    .open = tk_ev_capture_open,
    .decoder = &decoder,
    .tables = tk_ev_tables,
    .hints = {
        [TK_HINT_CPU] = "they are columns that end in Time, or begin with Exclusive/",
        [TK_HINT_LOG] = "it has events, which are bookmarks",
    }};
