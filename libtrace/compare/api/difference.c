/*
 * How tables of two captures differ: tk_difference_run. The tables are read as any others; their rows are
 * joined by what they are called, as ids differ from capture to capture.
 */
#include "api/trace.h"
#include "base/given.h"
#include "base/hash.h"
#include "base/vec.h"
#include "compare/verdict/probability.h"
#include "table/cell.h"
#include "tracekit/captures.h"
#include "tracekit/queries.h"
#include "tracekit/runs.h"
#include "tracekit/sinks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TK_DIFFERENCE_KEYS = 4, TK_DIFFERENCE_VALUES = 6, TK_DIFFERENCE_KINDS = 16 };

/* Sums of the rows of a capture. */
struct tk_difference_side {
    int64_t values[TK_DIFFERENCE_VALUES];
    size_t rows;
};

struct tk_difference_row {
    struct tk_cell keys[TK_DIFFERENCE_KEYS]; /* of the results */
    struct tk_difference_side sides[2];
    size_t kind;   /* number of the first key, in order of first appearance, as far as there is space */
    size_t number; /* in order of first appearance */
};

/* Zero-initialise to begin. */
struct tk_difference {
    struct tk_result *results[2]; /* owned */
    TK_VEC(struct tk_difference_row) rows;
    struct tk_map index;
    struct tk_cell kinds[TK_DIFFERENCE_KINDS]; /* first keys, in order of first appearance */
    size_t n_kinds;
};

/*
 * Rows of a table of two captures, joined by what they are called. difference.c makes tables of them.
 */

static uint64_t hash_of(const struct tk_cell *cell)
{
    if (cell->kind == TK_TEXT)
        return tk_hash_bytes(cell->v.p, cell->n, cell->enc);
    return cell->kind == TK_NONE ? 1 : tk_hash_u64(cell->v.u);
}

static bool is_same(const struct tk_cell *a, const struct tk_cell *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == TK_TEXT)
        return a->n == b->n && a->enc == b->enc && memcmp(a->v.p, b->v.p, a->n) == 0;
    return a->kind == TK_NONE || a->v.u == b->v.u;
}

static size_t kind_of(struct tk_difference *d, const struct tk_cell *key)
{
    size_t i = 0;
    while (i < d->n_kinds && !is_same(&d->kinds[i], key))
        i++;
    if (i == d->n_kinds && i < TK_DIFFERENCE_KINDS)
        d->kinds[d->n_kinds++] = *key;
    return i;
}

/* The row of these keys, made on first use; NULL if out of memory. What shares its hash with another one
 * has a row of its own each time. */
static struct tk_difference_row *reach(struct tk_difference *d, const struct tk_cell *keys)
{
    uint64_t hash = 0;
    for (int i = 0; i < TK_DIFFERENCE_KEYS; i++)
        hash = tk_hash_pair(hash, hash_of(&keys[i]));
    uint32_t at = tk_map_get(&d->index, hash);
    bool same = at != TK_MAP_NONE;
    for (int i = 0; same && i < TK_DIFFERENCE_KEYS; i++)
        same = is_same(&d->rows.v[at].keys[i], &keys[i]);
    if (same)
        return &d->rows.v[at];
    struct tk_difference_row row = {.number = d->rows.n, .kind = kind_of(d, &keys[0])};
    memcpy(row.keys, keys, sizeof row.keys);
    if (d->rows.n >= TK_MAP_NONE - 1 || tk_vec_push(&d->rows, row) ||
        tk_map_put(&d->index, hash, (uint32_t)d->rows.n - 1))
        return NULL;
    return &d->rows.v[d->rows.n - 1];
}

static struct tk_cell cell_at(const struct tk_table *table, const struct tk_cell *row, const char *column)
{
    const int at = column ? tk_table_column(table, column) : -1;
    return at < 0 ? (struct tk_cell){.kind = TK_NONE} : row[at];
}

static int64_t number_of(const struct tk_cell *cell)
{
    return cell->kind == TK_NONE || cell->kind == TK_TEXT ? 0 : cell->v.i;
}

static int add_row(struct tk_difference *d, int side, const struct tk_table *table,
                   const struct tk_cell *cells, const char *const *keys, const char *const *values)
{
    struct tk_cell named[TK_DIFFERENCE_KEYS];
    for (int i = 0; i < TK_DIFFERENCE_KEYS; i++)
        named[i] = cell_at(table, cells, keys[i]);
    if (named[TK_DIFFERENCE_KEYS - 2].kind != TK_NONE)
        named[TK_DIFFERENCE_KEYS - 1] = (struct tk_cell){.kind = TK_NONE};
    struct tk_difference_row *row = reach(d, named);
    if (!row)
        return -1;
    row->sides[side].rows++;
    for (int i = 0; i < TK_DIFFERENCE_VALUES; i++) {
        const struct tk_cell value = cell_at(table, cells, values[i]);
        row->sides[side].values[i] += number_of(&value);
    }
    return 0;
}

/*
 * Adds the rows of the only table of a result, which is owned from now on, to a side. Keys and values are
 * columns, up to the first that is NULL. Where the last but one key has a value, the last does not count: it
 * is an id that the name stands for. 0, or -1 if out of memory.
 */
static int tk_difference_add(struct tk_difference *d, int side, struct tk_result *result,
                             const char *const *keys, const char *const *values)
{
    size_t n;
    const struct tk_table *table = tk_result_table(result, 0, &n);
    int rc = 0;
    d->results[side] = result;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add_row(d, side, table, tk_result_row(result, 0, i), keys, values);
    return rc;
}

static void tk_difference_release(struct tk_difference *d)
{
    for (int i = 0; i < 2; i++)
        tk_result_free(d->results[i]);
    tk_vec_release(&d->rows);
    tk_map_release(&d->index);
}

/* ---- tables ---- */

enum {
    M_BY,
    M_HEAP,
    M_NAME,
    M_CHANGE,
    M_CHANGE_COUNT,
    M_BASE,
    M_CANDIDATE,
    M_GROWTH_CHANGE,
    M_BASE_GROWTH,
    M_GROWTH,
    M_BASE_KEPT,
    M_KEPT,
    M_BASE_CHURN,
    M_CHURN,
    M_BASE_PEAK,
    M_PEAK,
    M_COLUMNS
};

static const struct tk_column memory_columns[M_COLUMNS] = {
    [M_BY] = {"by", TK_TEXT, 0, NULL, "as in memory_growth"},
    [M_HEAP] = {"heap_id", TK_UINT, TK_COL_OPTIONAL, NULL, "root heap"},
    [M_NAME] = {"name", TK_TEXT, 0, NULL, "key that joins rows of both captures; for sizes a power of two"},
    [M_CHANGE] = {"change_bytes", TK_INT, 0, "bytes", "bytes minus base_bytes"},
    [M_CHANGE_COUNT] = {"change_count", TK_INT, TK_COL_OPTIONAL, "allocations", "the same for allocations"},
    [M_BASE] = {"base_bytes", TK_SIZE, 0, NULL, "baseline: alive where the selected time ends"},
    [M_CANDIDATE] = {"bytes", TK_SIZE, 0, NULL, "candidate: likewise"},
    [M_GROWTH_CHANGE] = {"growth_change", TK_INT, 0, "bytes", "growth_bytes minus base_growth"},
    [M_BASE_GROWTH] = {"base_growth", TK_INT, TK_COL_OPTIONAL, "bytes",
                       "baseline: growth between the two moments"},
    [M_GROWTH] = {"growth_bytes", TK_INT, TK_COL_OPTIONAL, "bytes", "candidate: likewise"},
    [M_BASE_KEPT] = {"base_kept", TK_SIZE, TK_COL_EXTRA, NULL,
                     "baseline: allocated between the two and alive at the second"},
    [M_KEPT] = {"kept_bytes", TK_SIZE, TK_COL_EXTRA, NULL, "candidate: likewise"},
    [M_BASE_CHURN] = {"base_churn", TK_SIZE, TK_COL_EXTRA, NULL,
                      "baseline: allocated between the two and freed again"},
    [M_CHURN] = {"churn_bytes", TK_SIZE, TK_COL_EXTRA, NULL, "candidate: likewise"},
    [M_BASE_PEAK] = {"base_peak", TK_SIZE, TK_COL_EXTRA, NULL,
                     "baseline: peak; empty if several rows were joined"},
    [M_PEAK] = {"peak_bytes", TK_SIZE, TK_COL_EXTRA, NULL, "candidate: likewise"},
};

enum {
    S_FUNCTION,
    S_MODULE,
    S_VERDICT,
    S_CHANGE,
    S_BASE_SHARE,
    S_SHARE,
    S_CHANCE,
    S_BASE,
    S_CANDIDATE,
    S_INCL_CHANGE,
    S_BASE_INCL_SHARE,
    S_INCL_SHARE,
    S_COLUMNS
};

static const struct tk_column sample_columns[S_COLUMNS] = {
    [S_FUNCTION] = {"function", TK_TEXT, 0, NULL,
                    "function; without symbols the module and the offset in it"},
    [S_MODULE] = {"module", TK_TEXT, 0, NULL, "executable or library"},
    [S_VERDICT] =
        {"verdict", TK_TEXT, 0, NULL,
         "more or less: the p-value is below 1 % and the change at least 0.1 % of the samples; else same"},
    [S_CHANGE] = {"change", TK_REAL, TK_COL_PART, NULL, "excl_share minus base_share"},
    [S_BASE_SHARE] =
        {"base_share", TK_REAL, TK_COL_PART, NULL,
         "baseline: share of the samples with a stack in which it is the innermost function, 0 to 1"},
    [S_SHARE] = {"excl_share", TK_REAL, TK_COL_PART, NULL, "candidate: likewise"},
    [S_CHANCE] = {"chance", TK_REAL, 0, NULL,
                  "p-value of the difference, adjusted for the number of functions"},
    [S_BASE] = {"base_excl", TK_UINT, TK_COL_OPTIONAL, "samples", "baseline: samples"},
    [S_CANDIDATE] = {"excl", TK_UINT, TK_COL_OPTIONAL, "samples", "candidate: samples"},
    [S_INCL_CHANGE] = {"incl_change", TK_REAL, TK_COL_PART | TK_COL_OPTIONAL, NULL,
                       "incl_share minus base_incl_share"},
    [S_BASE_INCL_SHARE] = {"base_incl_share", TK_REAL, TK_COL_PART | TK_COL_EXTRA, NULL,
                           "baseline: share including called functions, 0 to 1"},
    [S_INCL_SHARE] = {"incl_share", TK_REAL, TK_COL_PART | TK_COL_EXTRA, NULL, "candidate: likewise"},
};

static const struct tk_table memory_table = {
    .name = "memory_difference",
    .help = "memory of two captures side by side: alive, growth, kept, churn, peak",
    .columns = memory_columns,
    .n_columns = M_COLUMNS,
    .sort_by = "change_bytes"};
static const struct tk_table sample_table = {
    .name = "sample_difference",
    .help = "stack samples of two captures by function: shares, and whether they differ",
    .columns = sample_columns,
    .n_columns = S_COLUMNS,
    .sort_by = "change"};

const char *const *tk_difference_tables(void)
{
    static const char *const names[] = {"memory_difference", "sample_difference", NULL};
    return names;
}

/* ---- reading ---- */

/* What is read of each capture, and which of its columns rows are joined by and summed. */
struct difference {
    const struct tk_table *table;
    const char *of;
    const char *keys[TK_DIFFERENCE_KEYS], *values[TK_DIFFERENCE_VALUES];
    bool (*has_any)(const struct tk_difference *d, int side);
    const char *none; /* what is said where there is not */
    int (*send)(struct tk_difference *d, const struct tk_table *table, const struct tk_sink *sink,
                struct tk_err *err);
};

enum { V_TO, V_TO_COUNT, V_FROM, V_KEPT, V_CHURN, V_PEAK };
enum { V_OWN, V_INCL };

static int read_side(struct tk_difference *d, int side, struct tk_trace *trace, const struct difference *how,
                     const struct tk_query *requested, struct tk_err *err)
{
    struct tk_query query = *requested;
    struct tk_result *result;
    query.tables = &how->of;
    query.n_tables = 1;
    query.columns = NULL;
    query.n_columns = 0;
    query.by |= TK_BY_EXTRA;
    query.unit = TK_UNIT_NS;
    if (!tk_has_table(trace, how->of))
        return tk_err_set(err, TK_EMATCH, "captures of this kind have no table '%s'", how->of);
    int rc = tk_result_query(&result, trace, &query, err);
    if (rc < 0)
        return rc;
    if (tk_difference_add(d, side, result, how->keys, how->values))
        rc = tk_err_nomem(err, "a difference");
    return rc;
}

static int send_rows(const struct tk_table *table, const struct tk_cell *cells, size_t n,
                     const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_rows rows = {.n = n, .cells = cells};
    int rc = sink->begin ? sink->begin(sink->self, table, err) : TK_OK;
    if (rc >= 0 && n && sink->rows)
        rc = sink->rows(sink->self, table, &rows, err);
    return rc >= 0 && sink->end ? sink->end(sink->self, table, err) : rc;
}

/* Has a capture a row with some value? */
static bool has_values(const struct tk_difference *d, int side)
{
    for (size_t i = 0; i < d->rows.n; i++)
        for (size_t k = 0; k < TK_DIFFERENCE_VALUES; k++)
            if (d->rows.v[i].sides[side].values[k])
                return true;
    return false;
}

/* ---- memory ---- */

static struct tk_cell change_of(int64_t base, int64_t candidate)
{
    return tk_cell_of_int(candidate - base);
}

static void fill_memory(const struct tk_difference_row *r, struct tk_cell *row)
{
    const struct tk_difference_side *b = &r->sides[0], *c = &r->sides[1];
    const int64_t base_growth = b->values[V_TO] - b->values[V_FROM],
                  growth = c->values[V_TO] - c->values[V_FROM];
    row[M_BY] = r->keys[0];
    row[M_HEAP] = r->keys[1];
    row[M_NAME] = r->keys[2].kind == TK_NONE ? r->keys[3] : r->keys[2];
    row[M_CHANGE] = change_of(b->values[V_TO], c->values[V_TO]);
    row[M_CHANGE_COUNT] = change_of(b->values[V_TO_COUNT], c->values[V_TO_COUNT]);
    row[M_BASE] = tk_cell_of_size((uint64_t)b->values[V_TO]);
    row[M_CANDIDATE] = tk_cell_of_size((uint64_t)c->values[V_TO]);
    row[M_GROWTH_CHANGE] = change_of(base_growth, growth);
    row[M_BASE_GROWTH] = tk_cell_of_int(base_growth);
    row[M_GROWTH] = tk_cell_of_int(growth);
    row[M_BASE_KEPT] = tk_cell_of_size((uint64_t)b->values[V_KEPT]);
    row[M_KEPT] = tk_cell_of_size((uint64_t)c->values[V_KEPT]);
    row[M_BASE_CHURN] = tk_cell_of_size((uint64_t)b->values[V_CHURN]);
    row[M_CHURN] = tk_cell_of_size((uint64_t)c->values[V_CHURN]);
    if (b->rows == 1)
        row[M_BASE_PEAK] = tk_cell_of_size((uint64_t)b->values[V_PEAK]);
    if (c->rows == 1)
        row[M_PEAK] = tk_cell_of_size((uint64_t)c->values[V_PEAK]);
}

/* Kinds in the order of the tables, in each what grew most first. */
static int by_change(const void *a, const void *b)
{
    const struct tk_difference_row *x = a, *y = b;
    const int64_t p = x->sides[1].values[V_TO] - x->sides[0].values[V_TO],
                  q = y->sides[1].values[V_TO] - y->sides[0].values[V_TO];
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (p != q)
        return p > q ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int send_memory(struct tk_difference *d, const struct tk_table *table, const struct tk_sink *sink,
                       struct tk_err *err)
{
    struct tk_cell *cells = calloc(d->rows.n + 1, M_COLUMNS * sizeof *cells);
    if (!cells)
        return tk_err_nomem(err, "a difference");
    if (d->rows.n)
        qsort(d->rows.v, d->rows.n, sizeof *d->rows.v, by_change);
    for (size_t i = 0; i < d->rows.n; i++)
        fill_memory(&d->rows.v[i], cells + i * M_COLUMNS);
    int rc = send_rows(table, cells, d->rows.n, sink, err);
    free(cells);
    return rc;
}

/* ---- samples ---- */

#define LEAST_CHANGE 0.001
#define LEAST_CHANCE 0.01

static double share_of(int64_t n, int64_t all)
{
    return all ? (double)n / (double)all : 0;
}

/* The chance that of the samples of both so many or more uneven fall to one side, if it is the same. */
static void find_chances(const struct tk_difference *d, const int64_t totals[2], double *chances,
                         size_t *order)
{
    const double share = share_of(totals[1], totals[0] + totals[1]);
    for (size_t i = 0; i < d->rows.n; i++) {
        const uint64_t base = (uint64_t)d->rows.v[i].sides[0].values[V_OWN],
                       candidate = (uint64_t)d->rows.v[i].sides[1].values[V_OWN];
        chances[i] = base + candidate ? tk_probability_split(candidate, base, share) : 1;
    }
    tk_probability_adjust(chances, d->rows.n, order);
}

static void fill_samples(const struct tk_difference_row *r, const int64_t totals[2], double chance,
                         struct tk_cell *row)
{
    const double base = share_of(r->sides[0].values[V_OWN], totals[0]),
                 share = share_of(r->sides[1].values[V_OWN], totals[1]),
                 base_incl = share_of(r->sides[0].values[V_INCL], totals[0]),
                 incl = share_of(r->sides[1].values[V_INCL], totals[1]);
    const bool differs = chance < LEAST_CHANCE && fabs(share - base) >= LEAST_CHANGE;
    row[S_FUNCTION] = r->keys[0];
    row[S_MODULE] = r->keys[1];
    row[S_VERDICT] = tk_cell_of_c(!differs ? "same" : share > base ? "more" : "less");
    row[S_CHANGE] = tk_cell_of_real(share - base);
    row[S_BASE_SHARE] = tk_cell_of_real(base);
    row[S_SHARE] = tk_cell_of_real(share);
    row[S_CHANCE] = tk_cell_of_real(chance);
    row[S_BASE] = tk_cell_of_uint((uint64_t)r->sides[0].values[V_OWN]);
    row[S_CANDIDATE] = tk_cell_of_uint((uint64_t)r->sides[1].values[V_OWN]);
    row[S_INCL_CHANGE] = tk_cell_of_real(incl - base_incl);
    row[S_BASE_INCL_SHARE] = tk_cell_of_real(base_incl);
    row[S_INCL_SHARE] = tk_cell_of_real(incl);
}

/* What differs first, the greatest change first. */
static int by_size_of_change(const void *a, const void *b)
{
    const struct tk_cell *x = a, *y = b;
    const double p = fabs(x[S_CHANGE].v.r), q = fabs(y[S_CHANGE].v.r);
    const bool same = x[S_VERDICT].n == 4 && memcmp(x[S_VERDICT].v.p, "same", 4) == 0,
               other = y[S_VERDICT].n == 4 && memcmp(y[S_VERDICT].v.p, "same", 4) == 0;
    if (same != other)
        return same ? 1 : -1;
    if (p != q)
        return p < q ? 1 : -1;
    const uint64_t m = x[S_BASE].v.u + x[S_CANDIDATE].v.u, n = y[S_BASE].v.u + y[S_CANDIDATE].v.u;
    if (m != n)
        return m < n ? 1 : -1;
    const int order = tk_cell_compare(&x[S_FUNCTION], &y[S_FUNCTION]);
    return order ? order : tk_cell_compare(&x[S_MODULE], &y[S_MODULE]);
}

static int send_samples(struct tk_difference *d, const struct tk_table *table, const struct tk_sink *sink,
                        struct tk_err *err)
{
    const size_t n = d->rows.n;
    struct tk_cell *cells = calloc(n + 1, S_COLUMNS * sizeof *cells);
    double *chances = calloc(n + 1, sizeof *chances);
    size_t *order = calloc(n + 1, sizeof *order);
    int64_t totals[2] = {0, 0};
    int rc = cells && chances && order ? TK_OK : tk_err_nomem(err, "a difference");
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        for (int side = 0; side < 2; side++)
            totals[side] += d->rows.v[i].sides[side].values[V_OWN];
    if (rc == TK_OK)
        find_chances(d, totals, chances, order);
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        fill_samples(&d->rows.v[i], totals, chances[i], cells + i * S_COLUMNS);
    if (rc == TK_OK) {
        qsort(cells, n, S_COLUMNS * sizeof *cells, by_size_of_change);
        rc = send_rows(table, cells, n, sink, err);
    }
    free(cells);
    free(chances);
    free(order);
    return rc;
}

/* ---- the whole ---- */

static const struct difference differences[] = {
    {&memory_table,
     "memory_growth",
     {"by", "heap_id", "name", "key"},
     {"to_bytes", "to_count", "from_bytes", "kept_bytes", "churn_bytes", "peak_bytes"},
     has_values,
     "no memory events",
     send_memory},
    {&sample_table,
     "sample_functions",
     {"function", "module"},
     {"excl", "incl"},
     has_values,
     "no stack samples",
     send_samples},
};

int tk_difference_run(struct tk_trace *base, struct tk_trace *candidate, const char *name,
                      const struct tk_query *query, const struct tk_sink *sink, unsigned *side,
                      struct tk_err *err)
{
    TK_GIVEN(err, base, candidate, name, query, sink);
    const struct difference *how = NULL;
    struct tk_difference d = {0};
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (strcmp(differences[i].table->name, name) == 0)
            how = &differences[i];
    if (!how)
        return tk_err_set(err, TK_EMATCH, "there is no difference '%s'", name);
    int rc = TK_OK;
    for (*side = 0; *side < 2 && rc == TK_OK; *side += rc == TK_OK) {
        rc = read_side(&d, (int)*side, *side ? candidate : base, how, query, err);
        if (rc == TK_OK && !how->has_any(&d, (int)*side))
            rc = tk_err_set(err, TK_EMATCH, "the capture has %s", how->none);
    }
    if (rc == TK_OK) {
        *side = 0;
        rc = how->send(&d, how->table, sink, err);
    }
    tk_difference_release(&d);
    return rc;
}
