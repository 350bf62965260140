/*
 * Rows on their way to a sink.
 */
#include "query/emit.h"

#include "base/arena.h"
#include "base/wrap.h"
#include "query/dict.h"
#include "query/select.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

/*
 * Time at the edge: cycles to nanoseconds and back, exact for all 64-bit values, without wider integers than
 * C has.
 */

#define NS_PER_S UINT64_C(1000000000)

/* A product of two 64-bit numbers divided by a third. */
struct quotient {
    uint64_t whole, rest; /* rest < divisor */
};

/* Adds `more` (< d) to the rest of q. */
static void quotient_add(struct quotient *q, uint64_t more, uint64_t d)
{
    if (q->rest >= d - more) {
        q->rest -= d - more;
        q->whole++;
    } else {
        q->rest += more;
    }
}

/* a * times / d for a < d; the quotient is less than `times`. */
static struct quotient scale(uint64_t a, uint64_t times, uint64_t d)
{
    struct quotient q = {0, 0};
    if (a <= UINT64_MAX / times)
        return (struct quotient){a * times / d, a * times % d};
    for (int bit = 63; bit >= 0; bit--) {
        q.whole *= 2;
        quotient_add(&q, q.rest, d);
        if (times >> bit & 1)
            quotient_add(&q, a, d);
    }
    return q;
}

/* Floor division by a positive number of any size. */
static int64_t floor_div(int64_t a, uint64_t d, uint64_t *rest)
{
    uint64_t magnitude = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t q = magnitude / d, r = magnitude % d;
    if (a >= 0) {
        *rest = r;
        return (int64_t)q;
    }
    *rest = r ? d - r : 0;
    return (int64_t)(0 - q - (r ? 1 : 0));
}

/* whole * unit + part, held inside 64 bits; part <= unit. */
static int64_t join_clock(int64_t whole, uint64_t unit, uint64_t part)
{
    uint64_t magnitude = whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole;
    if (magnitude > UINT64_MAX / unit)
        return whole < 0 ? INT64_MIN : INT64_MAX;
    magnitude *= unit;
    if (whole < 0)
        return magnitude - part > (uint64_t)INT64_MAX ? INT64_MIN : -(int64_t)(magnitude - part);
    if (magnitude > (uint64_t)INT64_MAX || part > (uint64_t)INT64_MAX - magnitude)
        return INT64_MAX;
    return (int64_t)(magnitude + part);
}

/* Most clocks have a whole number of nanoseconds, and divisions of 64 bits take long. */
static bool are_whole_ns(uint64_t frequency, int64_t cycles)
{
    enum { MOST_NS = 1024 };
    const int64_t most = INT64_C(1) << 52;
    return frequency >= NS_PER_S / MOST_NS && frequency <= NS_PER_S &&
           (uint32_t)NS_PER_S % (uint32_t)frequency == 0 && -most < cycles && cycles < most;
}

static int64_t nanoseconds(uint64_t frequency, int64_t cycles)
{
    uint64_t rest;
    if (are_whole_ns(frequency, cycles))
        return cycles * (int64_t)((uint32_t)NS_PER_S / (uint32_t)frequency);
    int64_t seconds = floor_div(cycles, frequency, &rest);
    struct quotient q = scale(rest, NS_PER_S, frequency);
    return join_clock(seconds, NS_PER_S, q.whole + (q.rest >= frequency - q.rest ? 1 : 0));
}

/* Whole cycles of what may be parts of them, rounded down. */
static int64_t whole_cycles(const struct tk_fact_clock *clock, int64_t time)
{
    uint64_t rest;
    return clock->parts > 1 ? floor_div(time, clock->parts, &rest) : time;
}

int64_t tk_clock_time(const struct tk_fact_clock *clock, enum tk_unit unit, int64_t time)
{
    if (unit == TK_UNIT_CYCLES)
        return (int64_t)(clock->start + (uint64_t)whole_cycles(clock, time));
    return tk_clock_span(clock, unit, time);
}

int64_t tk_clock_of_cycles(const struct tk_fact_clock *clock, int64_t displayed)
{
    return tk_saturate_times((int64_t)((uint64_t)displayed - clock->start), tk_fact_clock_parts(clock));
}

int64_t tk_clock_span(const struct tk_fact_clock *clock, enum tk_unit unit, int64_t time)
{
    if (unit == TK_UNIT_CYCLES || clock->frequency == 0)
        return whole_cycles(clock, time);
    return nanoseconds(clock->frequency, time);
}

int64_t tk_clock_between(const struct tk_fact_clock *clock, enum tk_unit unit, int64_t begin, int64_t end)
{
    const int64_t from = tk_clock_span(clock, unit, begin), to = tk_clock_span(clock, unit, end);
    return from < 0 ? (to > INT64_MAX + from ? INT64_MAX : to - from)
                    : (to < INT64_MIN + from ? INT64_MIN : to - from);
}

int64_t tk_clock_first(const struct tk_fact_clock *clock, int64_t ns)
{
    const uint64_t frequency = clock->frequency, unit = 2 * NS_PER_S; /* halves of nanoseconds */
    uint64_t rest;
    if (frequency == 0)
        return ns;
    int64_t seconds = floor_div(ns, NS_PER_S, &rest);
    if (rest == 0) {
        seconds--;
        rest = NS_PER_S;
    }
    uint64_t halves = 2 * rest - 1, part = halves * (frequency % unit);
    return join_clock(seconds, frequency, halves * (frequency / unit) + part / unit + (part % unit ? 1 : 0));
}

int64_t tk_clock_cycles(const struct tk_fact_clock *clock, int64_t ns)
{
    uint64_t rest, frequency = clock->frequency;
    if (frequency == 0)
        return ns;
    int64_t seconds = floor_div(ns, NS_PER_S, &rest);
    /* rest < 10^9, so neither product leaves 64 bits */
    uint64_t whole = rest * (frequency / NS_PER_S), part = rest * (frequency % NS_PER_S);
    return join_clock(seconds, frequency, whole + part / NS_PER_S + (part % NS_PER_S ? 1 : 0));
}

enum {
    BATCH_ROWS = 512,
    BATCH_BYTES = 1 << 20 /* bytes kept for rows before they are sent */
};

struct tk_emit {
    const struct tk_table *full; /* borrowed */
    struct tk_projection projection;
    struct tk_row_filter filter;
    const struct tk_query *query; /* borrowed */
    const struct tk_sink *sink;   /* borrowed */
    struct tk_cell *rows;         /* owned: BATCH_ROWS rows of the full table */
    struct tk_cell *sent;         /* owned: the same, of the columns requested */
    size_t n;                     /* rows begun */
    /* Bytes for a row can be requested before the row is, and the row may be the one that sends the batch: so
     * bytes live one batch longer than needed. */
    struct tk_arena bytes[2];
    unsigned turn;
    int status;
    struct tk_err err; /* why status is what it is */
};

int tk_emit_open(struct tk_emit **out, const struct tk_table *full, const struct tk_query *query,
                 const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_emit *e = calloc(1, sizeof *e);
    if (!e)
        return tk_err_nomem(err, "the rows of a table");
    e->full = full;
    e->sink = sink;
    e->query = query;
    int rc = tk_projection_init(&e->projection, full, query, err);
    if (rc == TK_OK)
        rc = tk_row_filter_init(&e->filter, full, query, err);
    if (rc == TK_OK) {
        e->rows = malloc(BATCH_ROWS * sizeof *e->rows * (full->n_columns + 1));
        e->sent = malloc(BATCH_ROWS * sizeof *e->sent * (full->n_columns + 1));
        rc = e->rows && e->sent ? TK_OK : tk_err_nomem(err, "the rows of a table");
    }
    if (rc < 0)
        tk_emit_close(e);
    else
        *out = e;
    return rc;
}

void tk_emit_close(struct tk_emit *e)
{
    if (!e)
        return;
    tk_projection_release(&e->projection);
    tk_row_filter_release(&e->filter);
    tk_arena_release(&e->bytes[0]);
    tk_arena_release(&e->bytes[1]);
    free(e->rows);
    free(e->sent);
    free(e);
}

uint64_t tk_emit_columns(const struct tk_emit *e)
{
    return e->projection.mask | e->filter.mask;
}

bool tk_emit_wants(const struct tk_emit *e, unsigned column)
{
    return tk_emit_columns(e) >> column & 1;
}

int tk_emit_status(const struct tk_emit *e)
{
    return e->status;
}

/* Remembers what a hook of the sink returned; one that says no cause gets one. */
static void heard(struct tk_emit *e, int rc)
{
    e->status = rc < 0 ? rc : TK_OK;
    if (rc == TK_ENOMEM && e->err.n == 0)
        tk_err_nomem(&e->err, "the rows of a table");
    else if (rc < 0 && e->err.n == 0)
        tk_err_set(&e->err, rc, "the sink of table '%s' failed", e->full->name);
}

void tk_emit_no_memory(struct tk_emit *e)
{
    if (e->status == TK_OK)
        heard(e, TK_ENOMEM);
}

/* The status, its causes copied to the caller. */
static int reported(const struct tk_emit *e, struct tk_err *err)
{
    if (e->status < 0 && err)
        *err = e->err;
    return e->status;
}

/* The rows that pass, cut down to the columns requested; how many. */
static size_t project(struct tk_emit *e)
{
    const struct tk_projection *p = &e->projection;
    const struct tk_cell *row = e->rows;
    struct tk_cell *out = e->sent;
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++, row += e->full->n_columns) {
        if (e->filter.n && !tk_row_filter_pass(&e->filter, row))
            continue;
        n++;
        for (uint32_t k = 0; k < p->table.n_columns; k++)
            *out++ = row[p->from[k]];
    }
    return n;
}

static void send_emit(struct tk_emit *e)
{
    if (e->status == TK_OK && e->n && e->sink->rows) {
        struct tk_rows rows = {.n = project(e), .cells = e->sent};
        if (rows.n)
            heard(e, e->sink->rows(e->sink->self, &e->projection.table, &rows, &e->err));
    }
    e->n = 0;
    e->turn ^= 1;
    tk_arena_clear(&e->bytes[e->turn]);
}

void tk_emit_none(struct tk_emit *e, const char *text)
{
    e->projection.table.none = text;
}

int tk_emit_begin(struct tk_emit *e, struct tk_err *err)
{
    if (e->sink->begin)
        heard(e, e->sink->begin(e->sink->self, &e->projection.table, &e->err));
    return reported(e, err);
}

int tk_emit_why(const struct tk_emit *e, int rc, struct tk_err *err)
{
    return rc < 0 && e->status == rc ? reported(e, err) : rc;
}

int tk_emit_flush(struct tk_emit *e, struct tk_err *err)
{
    send_emit(e);
    return reported(e, err);
}

int tk_emit_end(struct tk_emit *e, struct tk_err *err)
{
    send_emit(e);
    if (e->status == TK_OK && e->sink->end)
        heard(e, e->sink->end(e->sink->self, &e->projection.table, &e->err));
    if (e->filter.n && e->query->filtered)
        e->query->filtered(e->query->filtered_ctx, e->full->name, e->filter.kept, e->filter.rows);
    return reported(e, err);
}

struct tk_cell *tk_emit_row(struct tk_emit *e)
{
    size_t width = e->full->n_columns;
    if (e->n == BATCH_ROWS || e->bytes[e->turn].total > BATCH_BYTES)
        send_emit(e);
    if (e->status < 0)
        return NULL;
    struct tk_cell *row = e->rows + e->n++ * width;
    memset(row, 0, width * sizeof *row);
    return row;
}

void *tk_emit_bytes(struct tk_emit *e, const void *p, size_t n)
{
    void *copy = tk_arena_copy(&e->bytes[e->turn], p, n);
    if (!copy && e->status == TK_OK)
        e->status = tk_err_nomem(&e->err, "the rows of a table");
    return copy;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_emit *e = self;
    size_t width = e->full->n_columns;
    if (table->n_columns != e->full->n_columns)
        return tk_err_set(err, TK_EUSAGE, "table '%s' came with other columns than it says", table->name);
    for (size_t i = 0; i < rows->n; i++) {
        struct tk_cell *row = tk_emit_row(e);
        if (!row)
            break;
        memcpy(row, rows->cells + i * width, width * sizeof *row);
    }
    return tk_emit_flush(e, err);
}

struct tk_sink tk_emit_sink(struct tk_emit *e)
{
    return (struct tk_sink){.self = e, .rows = take_rows};
}
