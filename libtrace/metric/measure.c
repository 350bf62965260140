/*
 * Measures metrics of a capture: their statements run over it, opened once more for SQL.
 */
#include "base/err.h"
#include "base/text/glob.h"
#include "metric/metric_in.h"
#include "os/clock.h"
#include "sql/selected.h"
#include "table/cell.h"
#include "tracekit/sql.h"
#include "tracekit/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A text of more bytes is an error of its statement: so it is bounded like those of assistants. */
enum { LONGEST = 1 << 20, LIMIT_TEXT = 64 };

enum { CHECK_SECONDS = 1 };

struct measuring {
    struct tk_sql *sql; /* owned */
    const struct tk_metric_capture *of;
    uint64_t seconds; /* that a statement may take */
    double deadline;  /* by tk_os_seconds */
    bool late;
};

/* ---- the answer of a statement ---- */

struct answer {
    size_t rows, columns;
    double value; /* of the first row; NaN: none */
    double bytes; /* 1, where a second column says that it is bytes */
    bool text;    /* its value is a text */
};

static double number_of(const struct tk_cell *c)
{
    switch (c->kind) {
    case TK_INT:
    case TK_TIME:
    case TK_DURATION:
        return (double)c->v.i;
    case TK_BOOL:
    case TK_UINT:
    case TK_HEX:
    case TK_SIZE:
        return (double)c->v.u;
    case TK_REAL:
    case TK_REAL32:
    case TK_MEAN:
        return c->v.r;
    default:
        return NAN;
    }
}

static bool is_word(const struct tk_cell *c, const char *word)
{
    const struct tk_str text = tk_cell_text(c);
    return c->kind == TK_TEXT && text.n == strlen(word) && memcmp(text.p, word, text.n) == 0;
}

static int begin_answer(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct answer *a = self;
    (void)err;
    a->columns = table->n_columns;
    return TK_OK;
}

static int take_answer(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    struct answer *a = self;
    (void)err;
    if (rows->n && a->rows == 0) {
        const struct tk_cell *c = rows->cells;
        a->value = number_of(c);
        a->text = c->kind >= TK_TEXT;
        a->bytes = table->n_columns > 1 && is_word(&c[1], "bytes");
    }
    a->rows += rows->n;
    return TK_OK;
}

static int ask(struct measuring *m, const char *statement, struct answer *a, struct tk_err *err)
{
    const struct tk_sink sink = {.self = a, .begin = begin_answer, .rows = take_answer};
    *a = (struct answer){.value = NAN};
    m->late = false;
    m->deadline = tk_os_seconds() + (double)m->seconds;
    int rc = tk_sql_run(m->sql, statement, &sink, err);
    if (rc == TK_ECANCELED && m->late)
        rc = tk_err_set(err, TK_ELIMIT, "it takes more than %" PRIu64 " s (limit 'metric_seconds')",
                        m->seconds);
    return rc;
}

/* ---- one metric ---- */

/* What a number per minute or frame is divided by; NaN: the capture has none. */
static int find_divisor(struct measuring *m, enum tk_unit_kind kind, double *out, struct tk_err *err)
{
    static const char frames[] = "SELECT count(*) FROM frames WHERE type_id = 0 AND dur IS NOT NULL",
                      time[] = "SELECT sum(dur) FROM frames WHERE type_id = 0 AND dur IS NOT NULL",
                      all[] = "SELECT dur FROM capture";
    struct answer a = {.value = 1};
    int rc = TK_OK;
    if (kind == TK_UNIT_PER_FRAME)
        rc = ask(m, frames, &a, err);
    if (kind == TK_UNIT_PER_MINUTE) {
        rc = ask(m, time, &a, err);
        if (rc == TK_OK && !(a.value > 0))
            rc = ask(m, all, &a, err);
        a.value /= 60e9;
    }
    *out = a.value > 0 ? a.value : (double)NAN;
    return rc;
}

/* Is what it is about not recorded, so that nothing is no number? */
static int find_nothing(struct measuring *m, const struct tk_metric_definition *d, double *value,
                        struct tk_err *err)
{
    const char *recorded = tk_metric_recorded(d);
    struct answer a;
    if (!recorded || !isnan(*value))
        return TK_OK;
    const int rc = ask(m, recorded, &a, err);
    if (rc == TK_OK && a.value > 0)
        *value = 0;
    return rc;
}

/* What is wrong with the answer; NULL: nothing. */
static const char *flaw_of(const struct tk_metric_definition *d, const struct answer *a)
{
    const uint8_t source = d->metric.source;
    if (a->rows > 1)
        return source == TK_METRIC_SQL ? "it has more than one row"
               : source == TK_METRIC_COUNTER
                   ? "more than one counter matches"
                   : "more than one timer matches, which have no such value together";
    if (a->text)
        return "its value is no number";
    return source == TK_METRIC_SQL && a->columns > 1 ? "it has more than one column" : NULL;
}

static int fail(const struct tk_metric_definition *d, const char *flaw, struct tk_err *err)
{
    return tk_err_set(err, TK_EUSAGE, "key '%s': %s", tk_metric_source_name(d->metric.source), flaw);
}

/* From what the tables have to the unit that is stated. */
static double in_unit(const struct tk_metric_definition *d, const struct answer *a, double divisor)
{
    double factor;
    const uint8_t source = d->metric.source;
    const enum tk_unit_kind kind = tk_metric_unit(d->metric.unit, &factor);
    if (source == TK_METRIC_SQL || source == TK_METRIC_EVENT)
        factor = 1;
    if (source == TK_METRIC_COUNTER && !(kind == TK_UNIT_OF_BYTES && a->bytes > 0))
        factor = 1;
    return a->value / factor / divisor;
}

static int measure_statement(struct measuring *m, const struct tk_metric_definition *d, const char *statement,
                             double *value, struct tk_err *err)
{
    struct answer a;
    double divisor = 1, factor;
    int rc = ask(m, statement, &a, err);
    if (rc < 0)
        return rc;
    if (flaw_of(d, &a))
        return fail(d, flaw_of(d, &a), err);
    rc = find_nothing(m, d, &a.value, err);
    if (rc == TK_OK && d->agg == TK_AGG_COUNT && !isnan(a.value))
        rc = find_divisor(m, tk_metric_unit(d->metric.unit, &factor), &divisor, err);
    *value = in_unit(d, &a, divisor);
    *value = isfinite(*value) ? *value : (double)NAN;
    return rc;
}

/* Metrics of other platforms have no value. */
static int is_of_platform(struct measuring *m, const struct tk_metric_definition *d, bool *is,
                          struct tk_err *err)
{
    struct tk_metric_statement s;
    struct answer a = {.value = 1};
    *is = true;
    if (!d->platform)
        return TK_OK;
    int rc = tk_metric_platform_make(&s, d, err);
    if (rc == TK_OK)
        rc = ask(m, s.v, &a, err);
    tk_metric_statement_release(&s);
    *is = a.value > 0;
    return rc;
}

static int measure_one(struct measuring *m, const struct tk_metric_definition *d, double *value,
                       struct tk_err *err)
{
    struct tk_metric_statement s;
    bool is = true;
    *value = NAN;
    int rc = is_of_platform(m, d, &is, err);
    if (rc < 0 || !is)
        return rc;
    rc = tk_metric_statement_make(&s, d, err);
    if (rc == TK_OK)
        rc = measure_statement(m, d, s.v, value, err);
    tk_metric_statement_release(&s);
    return rc;
}

/* What goes wrong by the fault of the metric is reported as such. */
static int with_cause(const struct tk_metric_definition *d, int rc, struct tk_err *err)
{
    if (rc == TK_EMATCH)
        rc = TK_EUSAGE;
    if (rc == TK_EUSAGE || rc == TK_ELIMIT) {
        tk_err_add(err, "metric '%s'", d->metric.name);
        if (d->line)
            tk_err_add(err, "line %zu", d->line);
        tk_err_add(err, "cannot use the metrics of '%s'", d->file);
    }
    return rc;
}

/* ---- the capture ---- */

static int stop(void *ctx)
{
    struct measuring *m = ctx;
    const struct tk_options *open = m->of ? m->of->open : NULL;
    m->late = tk_os_seconds() > m->deadline;
    return m->late || (open && open->progress && open->progress(open->progress_ctx, 0, 0));
}

#define LIMIT_NAME(name, value, help) #name,
static const char *const limit_names[TK_LIMIT_COUNT] = {TK_LIMITS(LIMIT_NAME)};
#undef LIMIT_NAME

/* Limits as texts: those of the options are gone by now. */
struct limit_texts {
    char text[TK_LIMIT_COUNT][LIMIT_TEXT];
    const char *v[TK_LIMIT_COUNT];
};

static void put_limits(struct limit_texts *t, const struct tk_limits *limits)
{
    const uint64_t *values = (const uint64_t *)limits; /* one after the other, in this order */
    for (size_t i = 0; i < TK_LIMIT_COUNT; i++) {
        snprintf(t->text[i], LIMIT_TEXT, "%s=%" PRIu64, limit_names[i], values[i]);
        t->v[i] = t->text[i];
    }
}

static int open_sql(struct measuring *m, const struct tk_options *open, struct tk_err *err)
{
    struct tk_sql_options options = TK_INIT(struct tk_sql_options);
    options.open = open;
    options.stop = stop;
    options.stop_ctx = m;
    options.longest_text = LONGEST;
    int rc = tk_sql_new(&m->sql, &options, err);
    if (rc == TK_OK && m->of) {
        tk_sql_select(m->sql, m->of->select);
        rc = tk_sql_add(m->sql, m->of->path, NULL, err);
    }
    return rc;
}

static int measure_all(struct measuring *m, const struct tk_metric_set *set, double *values,
                       struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < set->all.n && rc == TK_OK; i++)
        rc = with_cause(set->all.v[i], measure_one(m, set->all.v[i], &values[i], err), err);
    return rc;
}

int tk_metrics_measure(const struct tk_metrics *metrics, const struct tk_metric_capture *of, double *values,
                       struct tk_err *err)
{
    const struct tk_metric_set *set = (const struct tk_metric_set *)metrics;
    struct measuring m = {.of = of, .seconds = of->limits->metric_seconds};
    struct tk_options open = *of->open;
    struct limit_texts *limits = malloc(sizeof *limits);
    if (!limits)
        return tk_err_nomem(err, "metrics");
    put_limits(limits, of->limits);
    open.limits = limits->v;
    open.n_limits = TK_LIMIT_COUNT;
    open.n_symbols = open.n_sources = 0;
    open.in_part = false;
    open.metrics = NULL;
    int rc = of->path && strcmp(of->path, "-") != 0
                 ? open_sql(&m, &open, err)
                 : tk_err_set(err, TK_EUSAGE, "metrics are measured in files, which can be read twice");
    if (rc == TK_OK)
        rc = measure_all(&m, set, values, err);
    tk_sql_free(m.sql);
    free(limits);
    return rc;
}

/* A statement of SQL over a capture without anything. */
static int check_one(struct measuring *m, const struct tk_metric_definition *d, struct tk_err *err)
{
    struct answer a;
    bool ended;
    if (d->metric.source != TK_METRIC_SQL)
        return TK_OK;
    if (tk_sql_statements(d->pattern, &ended) != 1)
        return fail(d, "it is not one SELECT", err);
    int rc = ask(m, d->pattern, &a, err);
    if (rc == TK_ELIMIT) /* even without rows: that is for the limit of captures to say */
        return TK_OK;
    if (rc == TK_EUSAGE || rc == TK_EMATCH) {
        tk_err_add(err, "key 'sql'");
        return TK_EUSAGE;
    }
    if (rc == TK_OK && a.columns != 1)
        rc = fail(d, "it has more than one column", err);
    return rc;
}

int tk_metrics_check(const struct tk_metric_set *set, struct tk_err *err)
{
    struct measuring m = {.seconds = CHECK_SECONDS};
    int rc = open_sql(&m, NULL, err);
    for (size_t i = 0; i < set->all.n && rc == TK_OK; i++)
        rc = with_cause(set->all.v[i], check_one(&m, set->all.v[i], err), err);
    tk_sql_free(m.sql);
    return rc;
}
