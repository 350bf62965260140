/*
 * The functions of the chapter trends of tracekit.h about nights, and their rows as a table.
 */
#include "night/night.h"

#include "base/given.h"
#include "base/text/text.h"
#include "judge/owners.h"
#include "table/cell.h"
#include "table/sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tk_night_new(struct tk_night **out, const struct tk_night_options *options, struct tk_err *err)
{
    TK_GIVEN(err, out);
    struct tk_night *night = *out = calloc(1, sizeof *night);
    if (!night)
        return tk_err_nomem(err, "the table of a night");
    night->options = TK_INIT(struct tk_night_options);
    int rc = tk_struct_size_take(&night->options, sizeof night->options, options, "the options", err);
    night->judged = night->options.budgets != NULL;
    if (rc < 0) {
        tk_night_free(night);
        *out = NULL;
    }
    return rc;
}

void tk_night_free(struct tk_night *night)
{
    if (!night)
        return;
    for (size_t i = 0; i < night->rows.n; i++)
        tk_vec_release(&night->rows.v[i].metrics);
    tk_vec_release(&night->rows);
    tk_vec_release(&night->groups);
    tk_vec_release(&night->metrics);
    tk_causes_release(&night->causes);
    tk_intern_release(&night->names);
    free(night);
}

size_t tk_night_count(const struct tk_night *night)
{
    return night ? night->rows.n : 0;
}

static const struct tk_str *keep_text(struct tk_night *night, const char *text)
{
    const enum tk_encoding enc = tk_utf8_valid(text, strlen(text)) ? TK_ENC_UTF8 : TK_ENC_BYTES;
    return tk_intern(&night->names, text, strlen(text), enc);
}

/* The row joins the others, or is freed. */
static int push_row(struct tk_night *night, struct tk_night_row *row, const char *link, int rc,
                    struct tk_err *err)
{
    row->number = night->rows.n;
    row->link = rc == TK_OK && link ? keep_text(night, link) : NULL;
    if (rc == TK_OK && ((link && !row->link) || tk_vec_push(&night->rows, *row)))
        rc = tk_err_nomem(err, "the table of a night");
    if (rc < 0)
        tk_vec_release(&row->metrics);
    return rc;
}

int tk_night_add(struct tk_night *night, const struct tk_baseline *runs, const char *link, struct tk_err *err)
{
    TK_GIVEN(err, night, runs);
    int rc = TK_OK;
    for (size_t i = 0; i < runs->runs.n && rc == TK_OK; i++) {
        struct tk_night_row row = {.number = 0};
        rc = tk_night_fill(night, &row, runs->runs.v[i], err);
        rc = push_row(night, &row, runs->runs.n == 1 ? link : NULL, rc, err);
        if (rc == TK_OK && tk_causes_add(&night->causes, runs->runs.v[i], false))
            rc = tk_err_nomem(err, "the causes of hitches");
    }
    return rc;
}

int tk_night_before(struct tk_night *night, const struct tk_baseline *runs, struct tk_err *err)
{
    TK_GIVEN(err, night, runs);
    for (size_t i = 0; i < runs->runs.n; i++)
        if (tk_causes_add(&night->causes, runs->runs.v[i], true))
            return tk_err_nomem(err, "the causes of hitches");
    return TK_OK;
}

int tk_night_fail(struct tk_night *night, const char *name, struct tk_err *err)
{
    TK_GIVEN(err, night, name);
    struct tk_night_row row = {.state = TK_NIGHT_DAMAGED};
    for (int i = 0; i < TK_NIGHT_VALUES; i++)
        row.v[i] = NAN;
    row.facts[TK_NIGHT_CAPTURE] = keep_text(night, name);
    const int rc = row.facts[TK_NIGHT_CAPTURE] ? TK_OK : tk_err_nomem(err, "the table of a night");
    return push_row(night, &row, NULL, rc, err);
}

int tk_night_settle(struct tk_night *night, struct tk_err *err)
{
    TK_GIVEN(err, night);
    return tk_night_settle_rows(night) || tk_causes_settle(&night->causes)
               ? tk_err_nomem(err, "the table of a night")
               : TK_OK;
}

int tk_night_own(struct tk_night *night, const struct tk_owners *owners, struct tk_err *err)
{
    TK_GIVEN(err, night, owners);
    night->owned = night->causes.owned = true;
    for (size_t i = 0; i < night->causes.v.n; i++) {
        struct tk_cause *x = &night->causes.v.v[i];
        if (!(x->owner = tk_owners_of(owners, &night->causes.names, x->thread, x->timer, NULL)))
            return tk_err_nomem(err, "owners");
    }
    for (size_t i = 0; i < night->rows.n; i++) {
        struct tk_night_row *row = &night->rows.v[i];
        if (row->has_owner &&
            !(row->owner = tk_owners_of(owners, &night->names, row->about[0], row->about[1], row->about[2])))
            return tk_err_nomem(err, "owners");
    }
    return TK_OK;
}

/* ---- texts ---- */

static const struct {
    const char *name;
    void (*print[2])(struct tk_print *p, const struct tk_night *night);
} kinds[] = {{"text", {tk_night_print_text, tk_night_causes_text}},
             {"markdown", {tk_night_print_markdown, tk_night_causes_markdown}},
             {"html", {tk_night_print_html, tk_night_causes_html}}};

int tk_night_text(const struct tk_night *night, const char *kind, char **text, size_t *n, struct tk_err *err)
{
    TK_GIVEN(err, night, kind, text, n);
    struct tk_print p = {0};
    *text = NULL;
    *n = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, kind) == 0) {
            kinds[i].print[0](&p, night);
            kinds[i].print[1](&p, night);
            if (p.failed) {
                free(p.v);
                return tk_err_nomem(err, "the table of a night");
            }
            *text = p.v;
            *n = p.n;
            return TK_OK;
        }
    return tk_err_set(err, TK_EUSAGE, "there is no form '%.40s' of this table; text, markdown, html", kind);
}

void tk_night_free_text(char *text)
{
    free(text);
}

/* ---- the table ---- */

static const char *const fact_helps[TK_NIGHT_FACTS] = {
    "file it was made of",   "the program",        "what was built",   "the state of the sources",
    "branch of the sources", "platform it ran on", "how it was built", "map, where it is known",
    "name of the machine",   "when it ran, in UTC"};
static const char *const fact_names[TK_NIGHT_FACTS] = {
    "capture", "application", "build", "commit", "branch", "platform", "config", "map", "machine", "time"};

enum {
    TAIL = 4,
    MOST_METRICS = 256,
    MOST_COLUMNS = TK_NIGHT_FACTS + TK_NIGHT_VALUES + 1 + MOST_METRICS + TAIL
};
enum { BUDGET_TEXT = 80, METRIC_TEXT = 300 };

struct columns {
    struct tk_table table;
    struct tk_column v[MOST_COLUMNS];
    char metrics[MOST_METRICS][METRIC_TEXT];
    size_t n_metrics;
};

static void put_column(struct columns *c, const char *name, enum tk_kind kind, const char *help)
{
    c->v[c->table.n_columns++] = (struct tk_column){name, (uint8_t)kind, 0, NULL, help};
}

static void make_columns(struct columns *c, const struct tk_night *night)
{
    c->table = (struct tk_table){.name = "night", .help = "runs of a night", .columns = c->v};
    c->n_metrics = night->metrics.n < MOST_METRICS ? night->metrics.n : MOST_METRICS;
    for (int i = 0; i < TK_NIGHT_FACTS; i++)
        put_column(c, fact_names[i], TK_TEXT, fact_helps[i]);
    for (int i = 0; i < TK_NIGHT_VALUES; i++)
        put_column(c, tk_night_columns[i].name, tk_night_columns[i].whole ? TK_UINT : TK_REAL,
                   tk_night_columns[i].help);
    put_column(c, "memory_source", TK_TEXT, "allocations, counter:NAME, or empty");
    for (size_t i = 0; i < c->n_metrics; i++) {
        snprintf(c->metrics[i], METRIC_TEXT, "metric:%.*s", (int)night->metrics.v[i]->n,
                 night->metrics.v[i]->p);
        put_column(c, c->metrics[i], TK_REAL, "a metric of --metric");
    }
    put_column(c, "state", TK_TEXT, "ok, cut, damaged, lost, crash, short");
    put_column(c, "budgets", TK_TEXT, "how many passed, had a warning or an error, or are missing");
    put_column(c, "worst", TK_TEXT, "name of the worst budget");
    if (night->owned)
        put_column(c, "owner", TK_TEXT, "who owns what the worst budget is about");
}

static void put_budgets(char text[BUDGET_TEXT], const struct tk_night_row *row)
{
    static const uint8_t levels[] = {TK_BUDGET_PASSED, TK_BUDGET_WARNING, TK_BUDGET_ERROR, TK_BUDGET_MISSING};
    size_t n = 0;
    *text = '\0';
    for (size_t i = 0; i < sizeof levels && n < BUDGET_TEXT; i++)
        if (row->budgets[levels[i]])
            n += (size_t)snprintf(text + n, BUDGET_TEXT - n, "%s%u %s", n ? ", " : "",
                                  row->budgets[levels[i]], tk_budget_level_name(levels[i]));
}

static struct tk_cell value_cell(const struct tk_night_row *row, size_t value)
{
    const double v = row->v[value];
    if (isnan(v))
        return (struct tk_cell){.kind = TK_NONE};
    return tk_night_columns[value].whole ? tk_cell_of_uint(v > 0 ? (uint64_t)v : 0) : tk_cell_of_real(v);
}

static int send_row(const struct tk_night_row *row, const struct columns *c, struct tk_cell *cells,
                    const struct tk_sink *sink, struct tk_err *err)
{
    char budgets[BUDGET_TEXT];
    size_t n = 0;
    put_budgets(budgets, row);
    for (int i = 0; i < TK_NIGHT_FACTS; i++)
        cells[n++] = tk_cell_of_text(row->facts[i]);
    for (size_t i = 0; i < TK_NIGHT_VALUES; i++)
        cells[n++] = value_cell(row, i);
    cells[n++] = tk_cell_of_text(row->memory_source);
    for (size_t i = 0; i < c->n_metrics; i++) {
        const double v = i < row->metrics.n ? row->metrics.v[i].value : (double)NAN;
        cells[n++] = isnan(v) ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_real(v);
    }
    cells[n++] = tk_cell_of_c(tk_night_state_name(row->state));
    cells[n++] = *budgets ? tk_cell_of_c(budgets) : (struct tk_cell){.kind = TK_NONE};
    cells[n++] = tk_cell_of_text(row->worst);
    if (n < c->table.n_columns)
        cells[n] = tk_cell_of_nonempty(row->owner);
    return tk_sink_row(sink, &c->table, cells, err);
}

int tk_night_rows(const struct tk_night *night, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, night, sink);
    struct columns *c = calloc(1, sizeof *c);
    struct tk_cell *cells = calloc(MOST_COLUMNS, sizeof *cells);
    int rc = c && cells ? TK_OK : tk_err_nomem(err, "the table of a night");
    if (rc == TK_OK) {
        make_columns(c, night);
        rc = tk_sink_begin(sink, &c->table, err);
    }
    for (size_t i = 0; rc == TK_OK && i < night->rows.n; i++)
        rc = send_row(&night->rows.v[i], c, cells, sink, err);
    if (rc == TK_OK)
        rc = tk_sink_end(sink, &c->table, err);
    free(c);
    free(cells);
    return rc;
}
