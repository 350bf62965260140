/*
 * Collects the counters of a capture and spills their values to a temporary file. The presets insights and
 * summarize read them back.
 */
#include "base/err.h"
#include "base/sort.h"
#include "base/wrap.h"
#include "engine/run.h"
#include "presets/presets_in.h"
#include "query/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Sums up the calls of names: count, extremes, mean and deviation. The preset summarize fills it.
 */

static struct tk_summary *summary_of(struct tk_summaries *s, const struct tk_str *name)
{
    const uint64_t key = (uint64_t)(uintptr_t)name;
    const uint32_t at = tk_map_get(&s->index, key);
    const struct tk_summary none = {.name = name};
    if (at != TK_MAP_NONE)
        return &s->v.v[at];
    if (tk_map_put(&s->index, key, (uint32_t)s->v.n) || tk_vec_push(&s->v, none))
        return NULL;
    return &s->v.v[s->v.n - 1];
}

int tk_summaries_add(struct tk_summaries *s, const struct tk_str *name, const struct tk_summand *one)
{
    struct tk_summary *sum = summary_of(s, name);
    if (!sum)
        return -1;
    const bool first = sum->count++ == 0;
    if (first || one->begin < sum->first_begin) {
        sum->first_begin = one->begin;
        sum->first_end = one->end;
        sum->first_length = one->length;
    }
    if (first || one->end > sum->last_end) {
        sum->last_begin = one->begin;
        sum->last_end = one->end;
        sum->last_length = one->length;
    }
    sum->total = tk_wrap_add(sum->total, one->length);
    sum->min = first || one->length < sum->min ? one->length : sum->min;
    sum->max = first || one->length > sum->max ? one->length : sum->max;
    const double before = one->seconds - sum->mean;
    sum->mean += before / (double)sum->count;
    sum->squares += before * (one->seconds - sum->mean);
    return 0;
}

void tk_summary_merge(struct tk_summary *into, const struct tk_summary *from)
{
    const struct tk_summary was = *into;
    const double n = (double)was.count, m = (double)from->count, apart = from->mean - was.mean;
    if (!was.count) {
        *into = *from;
        into->name = was.name;
        return;
    }
    if (from->first_begin < was.first_begin) {
        into->first_begin = from->first_begin;
        into->first_end = from->first_end;
        into->first_length = from->first_length;
    }
    if (from->last_end > was.last_end) {
        into->last_begin = from->last_begin;
        into->last_end = from->last_end;
        into->last_length = from->last_length;
    }
    into->count += from->count;
    into->total = tk_wrap_add(into->total, from->total);
    into->min = from->min < was.min ? from->min : was.min;
    into->max = from->max > was.max ? from->max : was.max;
    into->mean += apart * m / (n + m);
    into->squares += from->squares + apart * apart * n * m / (n + m);
}

static int by_total(const void *a, const void *b)
{
    const struct tk_summary *x = a, *y = b;
    const uint32_t n = x->name->n < y->name->n ? x->name->n : y->name->n;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    const int c = memcmp(x->name->p, y->name->p, n);
    return c ? c : (x->name->n > y->name->n) - (x->name->n < y->name->n);
}

int tk_summaries_sort(struct tk_summaries *s)
{
    return tk_sort(s->v.v, s->v.n, sizeof *s->v.v, by_total);
}

double tk_summary_deviation(double squares, uint64_t count)
{
    return count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

void tk_summaries_release(struct tk_summaries *s)
{
    tk_vec_release(&s->v);
    tk_map_release(&s->index);
}

/* The tables of each kind of counter, and what its name and its id are called in them. */
static const struct kind {
    const char *table, *values, *name, *id;
    bool plain, by_thread;
} kinds[] = {
    {"counters", "counter_values", "counter", "counter_id", true, false},
    {"stats", "stat_values", "stat", "stat_id", false, false},
    {"csv", "csv_values", "series", "", false, true},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

struct reader {
    struct tk_counter_list *list;
    const struct tk_fact_clock *clock;
};

static const struct kind *find_kind(const struct tk_table *table)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].table, table->name) == 0 || strcmp(kinds[i].values, table->name) == 0)
            return &kinds[i];
    return NULL;
}

static const struct tk_cell *cell(const struct tk_table *table, const struct tk_cell *row, const char *column)
{
    static const struct tk_cell none;
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, column) == 0)
            return &row[i];
    return &none;
}

/* What says a counter from all others. */
static const struct tk_str *key_of_counter_list(struct tk_counter_list *list, const struct tk_table *table,
                                                const struct tk_cell *row)
{
    const struct kind *kind = find_kind(table);
    const struct tk_cell *name = cell(table, row, kind->name);
    char text[512];
    const uint32_t n = name->kind == TK_TEXT ? name->n : 0;
    /* others are set by many threads */
    const uint64_t thread = kind->by_thread ? cell(table, row, "thread_id")->v.u : 0;
    const int head = snprintf(text, sizeof text, "%td %" PRIu64 " %" PRIu64 " ", kind - kinds,
                              cell(table, row, kind->id)->v.u, thread);
    const size_t capacity = sizeof text - (size_t)head, part = n < capacity ? n : capacity;
    if (part)
        memcpy(text + head, name->v.p, part);
    return tk_intern(&list->texts, text, (size_t)head + part, TK_ENC_BYTES);
}

/* ---- which there are ---- */

static int take_counter(struct tk_counter_list *list, const struct tk_table *table, const struct tk_cell *row,
                        struct tk_err *err)
{
    const struct kind *kind = find_kind(table);
    const struct tk_cell *name = cell(table, row, kind->name), *type = cell(table, row, "type");
    const struct tk_cell *first = cell(table, row, "first");
    const struct tk_str *key = key_of_counter_list(list, table, row);
    struct tk_counter_entry made = {.plain = kind->plain, .clears = cell(table, row, "clears")->v.u != 0};
    made.name = name->kind == TK_TEXT
                    ? tk_intern(&list->texts, name->v.p, name->n, (enum tk_encoding)name->enc)
                    : tk_intern(&list->texts, "", 0, TK_ENC_UTF8);
    made.real =
        type->kind == TK_TEXT ? type->n == 5 && memcmp(type->v.p, "float", 5) == 0 : first->kind == TK_REAL;
    if (!key || !made.name || tk_map_put(&list->index, (uint64_t)(uintptr_t)key, (uint32_t)list->v.n) ||
        tk_vec_push(&list->v, made))
        return tk_err_nomem(err, "counters");
    return TK_OK;
}

static int take_counters(void *self, const struct tk_table *table, const struct tk_rows *rows,
                         struct tk_err *err)
{
    struct reader *r = self;
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++)
        rc = take_counter(r->list, table, rows->cells + i * table->n_columns, err);
    return rc;
}

int tk_counter_list_read(struct tk_counter_list *list, const struct tk_preset_job *job, struct tk_err *err)
{
    const struct tk_builder *const builders[KINDS] = {&tk_builder_counters, &tk_builder_stats,
                                                      &tk_builder_csv};
    const struct tk_query query = {.size = sizeof query, .by = TK_BY_EXTRA};
    struct reader r = {.list = list};
    const struct tk_sink sink = {.self = &r, .rows = take_counters};
    return tk_run(job->ctx, job->capture, builders, KINDS, &query, &sink, err);
}

/* ---- values ---- */

static int spill(struct tk_counter_list *list, struct tk_counter_entry *c, struct tk_err *err)
{
    const size_t n = c->n * sizeof *c->piece;
    c->n = 0;
    return n ? tk_spill_write(list->spill, &c->spilled, c->piece, n, err) : TK_OK;
}

static int take_value(struct reader *r, const struct tk_table *table, const struct tk_cell *row,
                      struct tk_err *err)
{
    const struct tk_str *key = key_of_counter_list(r->list, table, row);
    const struct tk_cell *value = cell(table, row, "value");
    const uint32_t at = key ? tk_map_get(&r->list->index, (uint64_t)(uintptr_t)key) : TK_MAP_NONE;
    if (!key)
        return tk_err_nomem(err, "counters");
    if (at == TK_MAP_NONE || !r->list->v.v[at].wanted || value->kind == TK_NONE)
        return TK_OK;
    struct tk_counter_entry *c = &r->list->v.v[at];
    if (!c->piece && !(c->piece = calloc(TK_COUNTER_PIECE, sizeof *c->piece)))
        return tk_err_nomem(err, "counters");
    struct tk_counter_value *v = &c->piece[c->n++];
    v->time = tk_clock_of_cycles(r->clock, cell(table, row, "time")->v.i);
    v->real = value->kind == TK_REAL || value->kind == TK_REAL32 || value->kind == TK_MEAN;
    if (v->real)
        v->v.r = value->v.r;
    else
        v->v.i = value->v.i;
    return c->n == TK_COUNTER_PIECE ? spill(r->list, c, err) : TK_OK;
}

static int take_values(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++)
        rc = take_value(self, table, rows->cells + i * table->n_columns, err);
    return rc;
}

int tk_counter_list_values(struct tk_counter_list *list, const struct tk_preset_job *job,
                           const struct tk_fact_clock *clock, struct tk_err *err)
{
    const struct tk_builder *const builders[KINDS] = {&tk_builder_counter_values, &tk_builder_stat_values,
                                                      &tk_builder_csv_values};
    const struct tk_query query = {
        .size = sizeof query, .by = TK_BY_EXTRA, .unit = TK_UNIT_CYCLES, .mixed = true};
    struct reader r = {.list = list, .clock = clock};
    const struct tk_sink sink = {.self = &r, .rows = take_values};
    int rc = tk_spill_open(&list->spill, job->options->spool_dir, err);
    if (rc == TK_OK)
        rc = tk_run(job->ctx, job->capture, builders, KINDS, &query, &sink, err);
    for (size_t i = 0; i < list->v.n && rc == TK_OK; i++)
        rc = spill(list, &list->v.v[i], err);
    return rc;
}

int tk_counter_list_walk(const struct tk_counter_list *list, size_t counter,
                         int (*fn)(void *ctx, const struct tk_counter_value *value, struct tk_err *err),
                         void *ctx, struct tk_err *err)
{
    const struct tk_counter_entry *c = &list->v.v[counter];
    int rc = TK_OK;
    for (size_t i = 0; i < c->spilled.pieces.n && rc == TK_OK; i++) {
        rc = tk_spill_read(list->spill, &c->spilled, i, c->piece, err);
        const size_t n = c->spilled.pieces.v[i].n / sizeof *c->piece;
        for (size_t k = 0; k < n && rc == TK_OK; k++)
            rc = fn(ctx, &c->piece[k], err);
    }
    return rc;
}

void tk_counter_list_release(struct tk_counter_list *list)
{
    for (size_t i = 0; i < list->v.n; i++) {
        tk_vec_release(&list->v.v[i].spilled.pieces);
        free(list->v.v[i].piece);
    }
    tk_vec_release(&list->v);
    tk_map_release(&list->index);
    tk_intern_release(&list->texts);
    tk_spill_close(list->spill);
}
