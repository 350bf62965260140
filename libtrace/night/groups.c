/*
 * The order of the rows, and the groups of those that are runs of the same.
 */
#include "base/text/text.h"
#include "compare/verdict/probability.h"
#include "night/night.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE 0.9 /* of the usual frames, or of the usual time, makes a whole run */

unsigned tk_night_level(const struct tk_night_row *row)
{
    return row->budgets[TK_BUDGET_ERROR]     ? TK_BUDGET_ERROR
           : row->budgets[TK_BUDGET_WARNING] ? TK_BUDGET_WARNING
                                             : TK_BUDGET_PASSED;
}

bool tk_night_bound(const struct tk_night_row *row, const char **who, double *share)
{
    static const char *const names[] = {"game", "render", "rhi", "gpu", "limiter", "waiting"};
    *share = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (row->v[TK_NIGHT_GAME + i] > *share) {
            *share = row->v[TK_NIGHT_GAME + i];
            *who = names[i];
        }
    return *share > 0;
}

/* ---- order ---- */

static int order_texts(const struct tk_str *a, const struct tk_str *b)
{
    return a && b ? tk_str_order(a, b) : (b != NULL) - (a != NULL);
}

/* The number that a text ends with; -1: none. */
static double number_of(const struct tk_str *s)
{
    double v = -1, digit = 1;
    for (uint32_t n = s ? s->n : 0; n && s->p[n - 1] >= '0' && s->p[n - 1] <= '9'; n--, digit *= 10)
        v = (v < 0 ? 0 : v) + digit * (s->p[n - 1] - '0');
    return v;
}

/* The newest first. */
static int order_builds(const struct tk_str *a, const struct tk_str *b)
{
    const double x = number_of(a), y = number_of(b);
    const int c = (x < y) - (x > y);
    return c ? c : -order_texts(a, b);
}

/* Those of one group are together. */
static int order_groups(const struct tk_night_row *a, const struct tk_night_row *b)
{
    int c = order_texts(a->facts[TK_NIGHT_MAP], b->facts[TK_NIGHT_MAP]);
    c = c ? c : order_builds(a->facts[TK_NIGHT_BUILD], b->facts[TK_NIGHT_BUILD]);
    return c ? c : order_texts(a->facts[TK_NIGHT_PLATFORM], b->facts[TK_NIGHT_PLATFORM]);
}

static int by_order(const void *a, const void *b)
{
    const struct tk_night_row *x = a, *y = b;
    const unsigned u = tk_night_level(x) == TK_BUDGET_ERROR, v = tk_night_level(y) == TK_BUDGET_ERROR;
    int c = (u < v) - (u > v);
    c = c ? c : order_groups(x, y);
    c = c ? c : order_texts(x->facts[TK_NIGHT_CAPTURE], y->facts[TK_NIGHT_CAPTURE]);
    return c ? c : (x->number > y->number) - (x->number < y->number);
}

static int by_group(const void *a, const void *b)
{
    const struct tk_night_row *const *x = a, *const *y = b;
    const int c = order_groups(*x, *y);
    return c ? c : ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

static int by_order_of_groups(const void *a, const void *b)
{
    const struct tk_night_group *x = a, *y = b;
    return by_order(&x->row, &y->row);
}

/* ---- groups ---- */

static double median_of(struct tk_night_row *const *rows, size_t n, size_t value, double *buffer)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(rows[i]->v[value]))
            buffer[k++] = rows[i]->v[value];
    return k ? tk_probability_median(buffer, k) : (double)NAN;
}

static double largest_of(struct tk_night_row *const *rows, size_t n, size_t value)
{
    double most = NAN;
    for (size_t i = 0; i < n; i++)
        most = isnan(most) || rows[i]->v[value] > most ? rows[i]->v[value] : most;
    return most;
}

static void mark_short(struct tk_night_row *const *rows, size_t n, double *buffer)
{
    const double frames = median_of(rows, n, TK_NIGHT_FRAMES, buffer),
                 seconds = median_of(rows, n, TK_NIGHT_SECONDS, buffer);
    for (size_t i = 0; i < n; i++)
        if (rows[i]->state < TK_NIGHT_SHORT && rows[i]->v[TK_NIGHT_FRAMES] < WHOLE * frames &&
            rows[i]->v[TK_NIGHT_SECONDS] < WHOLE * seconds)
            rows[i]->state = TK_NIGHT_SHORT;
}

/* The worst of all, in the cells too. */
static void take_marks(struct tk_night_row *to, const struct tk_night_row *row)
{
    for (int i = 0; i < TK_NIGHT_VALUES; i++)
        if (row->marks[i].level > to->marks[i].level)
            to->marks[i] = row->marks[i];
    for (int i = 0; i <= TK_BUDGET_ERROR; i++)
        to->budgets[i] += row->budgets[i];
    to->state = row->state > to->state ? row->state : to->state;
}

static int add_group(struct tk_night *night, struct tk_night_row *const *rows, size_t n, double *buffer)
{
    struct tk_night_group group = {.n = n};
    mark_short(rows, n, buffer);
    memcpy(group.row.facts, rows[0]->facts, sizeof group.row.facts);
    group.row.number = rows[0]->number;
    for (size_t i = 0; i < TK_NIGHT_VALUES; i++)
        group.row.v[i] = i == TK_NIGHT_MAX ? largest_of(rows, n, i) : median_of(rows, n, i, buffer);
    for (size_t i = 0; i < n; i++)
        take_marks(&group.row, rows[i]);
    return tk_vec_push(&night->groups, group);
}

int tk_night_settle_rows(struct tk_night *night)
{
    const size_t n = night->rows.n;
    struct tk_night_row **order = malloc((n + 1) * sizeof *order);
    double *buffer = malloc((n + 1) * sizeof *buffer);
    int rc = order && buffer ? 0 : -1;
    night->groups.n = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        order[i] = &night->rows.v[i];
    if (rc == 0 && n)
        qsort(order, n, sizeof *order, by_group);
    for (size_t i = 0, end; i < n && rc == 0; i = end) {
        for (end = i + 1; end < n && order_groups(order[i], order[end]) == 0; end++)
            ;
        rc = add_group(night, order + i, end - i, buffer);
    }
    free(order);
    free(buffer);
    if (rc == 0 && n) {
        qsort(night->rows.v, n, sizeof *night->rows.v, by_order);
        qsort(night->groups.v, night->groups.n, sizeof *night->groups.v, by_order_of_groups);
    }
    return rc;
}
