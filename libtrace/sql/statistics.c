/*
 * Aggregates of statistics: ranks of sorted values, moments, the value that is there most often, and the
 * value where another one is greatest or least.
 */
#include "base/hash.h"
#include "base/vec.h"
#include "sql/sql_in.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(int type)
{
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* ---- ranks ---- */

/* Numbers of a group, and which part of them is below what is looked for. Reals beyond 2^53 stand for
 * integers. */
struct ranks {
    TK_VEC(double) values;
    double part;
    bool real, failed;
};

static void take_value(sqlite3_context *to, sqlite3_value *value, double part)
{
    struct ranks *r = sqlite3_aggregate_context(to, sizeof *r);
    const int type = sqlite3_value_numeric_type(value);
    if (!r) {
        sqlite3_result_error_nomem(to);
        return;
    }
    r->part = part;
    r->real |= type == SQLITE_FLOAT;
    if (is_number(type) && tk_vec_push(&r->values, sqlite3_value_double(value))) {
        r->failed = true;
        sqlite3_result_error_nomem(to);
    }
}

/* The function takes parts of `whole`, which its user data points to. */
static void step_ranks(sqlite3_context *to, int n, sqlite3_value **v)
{
    const double whole = *(const double *)sqlite3_user_data(to);
    const double part = n == 2 ? sqlite3_value_double(v[1]) : whole / 2;
    if (part >= 0 && part <= whole)
        take_value(to, v[0], part / whole);
    else
        sqlite3_result_error(to,
                             whole > 1 ? "percentile(value, percent) takes percents from 0 to 100"
                                       : "quantile_cont and quantile_disc take a part from 0 to 1",
                             -1);
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The nearest rank. */
static double value_at(const struct ranks *r)
{
    const double rank = r->part * (double)r->values.n;
    size_t at = (size_t)rank;
    at += (double)at < rank;
    return r->values.v[at ? at - 1 : 0];
}

/* Between the two neighbours, in proportion. */
static double value_between(const struct ranks *r)
{
    const double rank = r->part * (double)(r->values.n - 1);
    const size_t at = (size_t)rank;
    const double low = r->values.v[at], high = r->values.v[at + 1 < r->values.n ? at + 1 : at];
    return low + (rank - (double)at) * (high - low);
}

/* The sorted values of a group; NULL: there are none. */
static struct ranks *sorted(sqlite3_context *to)
{
    struct ranks *r = sqlite3_aggregate_context(to, 0);
    if (!r || !r->values.n || r->failed)
        return NULL;
    qsort(r->values.v, r->values.n, sizeof *r->values.v, compare_reals);
    return r;
}

static void release_ranks(sqlite3_context *to)
{
    struct ranks *r = sqlite3_aggregate_context(to, 0);
    if (r)
        tk_vec_release(&r->values);
}

static void final_nearest(sqlite3_context *to)
{
    const struct ranks *r = sorted(to);
    if (r && r->real)
        sqlite3_result_double(to, value_at(r));
    else if (r)
        sqlite3_result_int64(to, (int64_t)value_at(r));
    release_ranks(to);
}

static void final_between(sqlite3_context *to)
{
    const struct ranks *r = sorted(to);
    if (r)
        sqlite3_result_double(to, value_between(r));
    release_ranks(to);
}

/* ---- moments ---- */

/* Means, and sums of products of differences from them, by Welford's recurrence: no large squares whose
 * difference has no digits left. */
struct moments {
    double n, mean_x, mean_y, xx, yy, xy;
};

static void step_moments(sqlite3_context *to, int n, sqlite3_value **v)
{
    if (!is_number(sqlite3_value_numeric_type(v[0])) || !is_number(sqlite3_value_numeric_type(v[n - 1])))
        return;
    struct moments *m = sqlite3_aggregate_context(to, sizeof *m);
    const double x = sqlite3_value_double(v[0]), y = sqlite3_value_double(v[n - 1]);
    if (!m) {
        sqlite3_result_error_nomem(to);
        return;
    }
    const double dx = x - m->mean_x, dy = y - m->mean_y;
    m->n++;
    m->mean_x += dx / m->n;
    m->mean_y += dy / m->n;
    m->xx += dx * (x - m->mean_x);
    m->yy += dy * (y - m->mean_y);
    m->xy += dx * (y - m->mean_y);
}

static double variance(const struct moments *m)
{
    return m->xx / (m->n - 1);
}

static double variance_of_all(const struct moments *m)
{
    return m->xx / m->n;
}

static double deviation(const struct moments *m)
{
    return sqrt(variance(m));
}

static double deviation_of_all(const struct moments *m)
{
    return sqrt(variance_of_all(m));
}

static double covariance(const struct moments *m)
{
    return m->xy / (m->n - 1);
}

static double covariance_of_all(const struct moments *m)
{
    return m->xy / m->n;
}

static double correlation(const struct moments *m)
{
    return m->xy / (sqrt(m->xx) * sqrt(m->yy));
}

/* The line through the points (y, x): as in correlation, x of the moments is the first argument, y. */
static double slope(const struct moments *m)
{
    return m->xy / m->yy;
}

static double intercept(const struct moments *m)
{
    return m->mean_x - slope(m) * m->mean_y;
}

static double determination(const struct moments *m)
{
    return m->xx > 0 ? m->xy * m->xy / (m->xx * m->yy) : m->yy > 0 ? 1 : NAN;
}

/* What is made of the moments is the user data. NULL where it is not defined: of too few values, or of values
 * that are all the same. */
typedef double (*of_moments)(const struct moments *m);

struct moment_function {
    of_moments value;
};

static void final_moments(sqlite3_context *to)
{
    const struct moment_function *f = sqlite3_user_data(to);
    const struct moments *m = sqlite3_aggregate_context(to, 0);
    const double value = m && m->n > 0 ? f->value(m) : NAN;
    if (isfinite(value))
        sqlite3_result_double(to, value);
}

/* ---- mode ---- */

struct counted {
    sqlite3_value *value; /* owned */
    uint64_t hash, count;
};

struct mode {
    TK_VEC(struct counted) values; /* in the order in which they came first */
    struct tk_places places;
};

static uint64_t hash_value(sqlite3_value *v)
{
    const int type = sqlite3_value_type(v);
    const double real = sqlite3_value_double(v);
    if (is_number(type))
        return tk_hash_bytes(&real, sizeof real, 1);
    const void *p = type == SQLITE_BLOB ? sqlite3_value_blob(v) : (const void *)sqlite3_value_text(v);
    return tk_hash_bytes(p ? p : "", (size_t)sqlite3_value_bytes(v), (uint64_t)type);
}

static bool is_same(sqlite3_value *a, sqlite3_value *b)
{
    const int type = sqlite3_value_type(a), other = sqlite3_value_type(b);
    if (type == SQLITE_INTEGER && other == SQLITE_INTEGER)
        return sqlite3_value_int64(a) == sqlite3_value_int64(b);
    if (is_number(type) && is_number(other))
        return sqlite3_value_double(a) == sqlite3_value_double(b);
    if (type != other)
        return false;
    const void *p = type == SQLITE_BLOB ? sqlite3_value_blob(a) : (const void *)sqlite3_value_text(a);
    const void *q = type == SQLITE_BLOB ? sqlite3_value_blob(b) : (const void *)sqlite3_value_text(b);
    const size_t n = (size_t)sqlite3_value_bytes(a);
    return n == (size_t)sqlite3_value_bytes(b) && (n == 0 || (p && q && memcmp(p, q, n) == 0));
}

static uint64_t hash_of(const void *ctx, uint32_t place)
{
    return ((const struct mode *)ctx)->values.v[place].hash;
}

static int add_counted(struct mode *m, sqlite3_value *value, uint64_t hash)
{
    const struct counted counted = {sqlite3_value_dup(value), hash, 1};
    if (!counted.value || m->values.n >= UINT32_MAX - 1 || tk_vec_push(&m->values, counted)) {
        sqlite3_value_free(counted.value);
        return -1;
    }
    return tk_places_add(&m->places, (uint32_t)m->values.n - 1, hash_of, m);
}

static void step_mode(sqlite3_context *to, int n, sqlite3_value **v)
{
    (void)n;
    if (sqlite3_value_type(v[0]) == SQLITE_NULL)
        return;
    struct mode *m = sqlite3_aggregate_context(to, sizeof *m);
    const uint64_t hash = hash_value(v[0]);
    uint32_t place;
    for (size_t at = hash; m && (place = tk_places_next(&m->places, &at)) != TK_MAP_NONE;)
        if (m->values.v[place].hash == hash && is_same(m->values.v[place].value, v[0])) {
            m->values.v[place].count++;
            return;
        }
    if (!m || add_counted(m, v[0], hash))
        sqlite3_result_error_nomem(to);
}

/* Of values that are there equally often, the one that came first. */
static void final_mode(sqlite3_context *to)
{
    struct mode *m = sqlite3_aggregate_context(to, 0);
    const struct counted *most = NULL;
    for (size_t i = 0; m && i < m->values.n; i++)
        if (!most || m->values.v[i].count > most->count)
            most = &m->values.v[i];
    if (most)
        sqlite3_result_value(to, most->value);
    for (size_t i = 0; m && i < m->values.n; i++)
        sqlite3_value_free(m->values.v[i].value);
    if (!m)
        return;
    tk_vec_release(&m->values);
    tk_places_release(&m->places);
}

/* ---- values at extremes ---- */

/* The values of the row that the aggregate is about. Owned. */
struct extreme {
    sqlite3_value *value, *by;
};

static int compare_values(sqlite3_value *a, sqlite3_value *b)
{
    const int type = sqlite3_value_type(a), other = sqlite3_value_type(b);
    if (type == SQLITE_INTEGER && other == SQLITE_INTEGER) {
        const sqlite3_int64 x = sqlite3_value_int64(a), y = sqlite3_value_int64(b);
        return x < y ? -1 : x > y;
    }
    if (is_number(type) && is_number(other)) {
        const double x = sqlite3_value_double(a), y = sqlite3_value_double(b);
        return x < y ? -1 : x > y;
    }
    if (is_number(type) != is_number(other))
        return is_number(type) ? -1 : 1;
    const void *p = sqlite3_value_blob(a), *q = sqlite3_value_blob(b);
    const size_t n = (size_t)sqlite3_value_bytes(a), m = (size_t)sqlite3_value_bytes(b), less = n < m ? n : m;
    const int order = less && p && q ? memcmp(p, q, less) : 0;
    return order ? order : n < m ? -1 : n > m;
}

/* value, by; the user data is the sign of a comparison that takes the new row. Of equal ones the first stays.
 */
static void step_extreme(sqlite3_context *to, int n, sqlite3_value **v)
{
    const double sign = *(const double *)sqlite3_user_data(to);
    if (sqlite3_value_type(v[n - 1]) == SQLITE_NULL)
        return;
    struct extreme *e = sqlite3_aggregate_context(to, sizeof *e);
    if (e && e->by && compare_values(v[n - 1], e->by) * sign <= 0)
        return;
    const struct extreme taken = {sqlite3_value_dup(v[0]), sqlite3_value_dup(v[n - 1])};
    if (e) {
        sqlite3_value_free(e->value);
        sqlite3_value_free(e->by);
        *e = taken;
    }
    if (!e || !taken.value || !taken.by)
        sqlite3_result_error_nomem(to);
}

static void final_extreme(sqlite3_context *to)
{
    struct extreme *e = sqlite3_aggregate_context(to, 0);
    if (!e)
        return;
    if (e->value)
        sqlite3_result_value(to, e->value);
    sqlite3_value_free(e->value);
    sqlite3_value_free(e->by);
}

/* ---- conditions ---- */

struct conditions {
    sqlite3_int64 met, known;
};

static void step_condition(sqlite3_context *to, int n, sqlite3_value **v)
{
    (void)n;
    struct conditions *c = sqlite3_aggregate_context(to, sizeof *c);
    if (!c) {
        sqlite3_result_error_nomem(to);
        return;
    }
    c->known += sqlite3_value_type(v[0]) != SQLITE_NULL;
    c->met += sqlite3_value_double(v[0]) != 0;
}

static void final_count(sqlite3_context *to)
{
    const struct conditions *c = sqlite3_aggregate_context(to, 0);
    sqlite3_result_int64(to, c ? c->met : 0);
}

/* The user data is the part of the known ones that has to be met: 1 all, 0 any. */
static void final_condition(sqlite3_context *to)
{
    const bool all = *(const double *)sqlite3_user_data(to) > 0;
    const struct conditions *c = sqlite3_aggregate_context(to, 0);
    if (c && c->known)
        sqlite3_result_int(to, all ? c->met == c->known : c->met > 0);
}

/* ---- the list ---- */

static const double hundred = 100, one = 1, none = 0, greatest = 1, least = -1;
static const struct moment_function sample_variance = {variance}, all_variance = {variance_of_all},
                                    sample_deviation = {deviation}, all_deviation = {deviation_of_all},
                                    sample_covariance = {covariance}, all_covariance = {covariance_of_all},
                                    correlated = {correlation}, sloped = {slope}, intercepted = {intercept},
                                    determined = {determination};

static const struct {
    const char *name;
    int n;
    const void *data;
    void (*step)(sqlite3_context *, int, sqlite3_value **);
    void (*final)(sqlite3_context *);
} aggregates[] = {
    {"percentile", 2, &hundred, step_ranks, final_nearest},
    {"median", 1, &one, step_ranks, final_nearest},
    {"quantile_disc", 2, &one, step_ranks, final_nearest},
    {"quantile_cont", 2, &one, step_ranks, final_between},
    {"variance", 1, &sample_variance, step_moments, final_moments},
    {"var_samp", 1, &sample_variance, step_moments, final_moments},
    {"var_pop", 1, &all_variance, step_moments, final_moments},
    {"stddev", 1, &sample_deviation, step_moments, final_moments},
    {"stddev_samp", 1, &sample_deviation, step_moments, final_moments},
    {"stddev_pop", 1, &all_deviation, step_moments, final_moments},
    {"covar_samp", 2, &sample_covariance, step_moments, final_moments},
    {"covar_pop", 2, &all_covariance, step_moments, final_moments},
    {"corr", 2, &correlated, step_moments, final_moments},
    {"regr_slope", 2, &sloped, step_moments, final_moments},
    {"regr_intercept", 2, &intercepted, step_moments, final_moments},
    {"regr_r2", 2, &determined, step_moments, final_moments},
    {"mode", 1, NULL, step_mode, final_mode},
    {"arg_max", 2, &greatest, step_extreme, final_extreme},
    {"arg_min", 2, &least, step_extreme, final_extreme},
    {"max_by", 2, &greatest, step_extreme, final_extreme},
    {"min_by", 2, &least, step_extreme, final_extreme},
    {"count_if", 1, NULL, step_condition, final_count},
    {"bool_and", 1, &one, step_condition, final_condition},
    {"bool_or", 1, &none, step_condition, final_condition},
};

int tk_sql_statistics_register(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates && rc == SQLITE_OK; i++) {
        union {
            const void *given;
            void *data;
        } data = {.given = aggregates[i].data};
        rc = sqlite3_create_function_v2(db, aggregates[i].name, aggregates[i].n, flags, data.data, NULL,
                                        aggregates[i].step, aggregates[i].final, NULL);
    }
    return rc;
}
