/*
 * Finds renamed timers: a timer of the baseline only and one of the candidate only are the same if they run
 * on the same class of threads, are called as often, take as long, and each is the other's only such match.
 * verdict.c calls it.
 */
#include "base/binary_search.h"
#include "compare/verdict/matrix.h"

#include <math.h>
#include <stdlib.h>

#define SAME_TIME  0.1  /* of robust own time */
#define SAME_CALLS 0.05 /* of calls a frame */
#define LEAST_MS   0.005
#define MOST_ALIKE 4096

static bool near(double a, double b, double share)
{
    return a > 0 && b > 0 && fabs(a - b) <= share * (a > b ? a : b);
}

static struct tk_change *change_of(const struct tk_matrix *m, const struct tk_row *row,
                                   enum tk_verdict verdict)
{
    struct tk_change *c = row->change == SIZE_MAX ? NULL : &m->out->changes.v[row->change];
    return c && c->verdict == verdict && c->kind == TK_CHANGE_TIMER ? c : NULL;
}

static bool match(const struct tk_matrix *m, const struct tk_row *gone, const struct tk_row *fresh)
{
    const struct tk_change *a = change_of(m, gone, TK_REMOVED), *b = change_of(m, fresh, TK_ADDED);
    return a && b && a->group == b->group &&
           tk_timer_kind_across(gone->any->timer_kind) == tk_timer_kind_across(fresh->any->timer_kind) &&
           gone->robust_mean[0] >= LEAST_MS && near(gone->robust_mean[0], fresh->robust_mean[1], SAME_TIME) &&
           near(a->calls[0], b->calls[1], SAME_CALLS);
}

/* A timer that only one side has. */
struct lone {
    uintptr_t group; /* as a number: any order will do */
    double ms;
    struct tk_row *row;
};

struct lones {
    struct lone *v; /* owned; by group and time */
    size_t n;
};

static int by_time_renames(const void *a, const void *b)
{
    const struct lone *x = a, *y = b;
    int c = (x->group > y->group) - (x->group < y->group);
    return c ? c : (x->ms > y->ms) - (x->ms < y->ms);
}

static int gather(struct lones *out, struct tk_matrix *m, int side)
{
    out->v = malloc((m->rows.n + 1) * sizeof *out->v);
    for (size_t i = 0; out->v && i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        const struct tk_change *c = change_of(m, row, side ? TK_ADDED : TK_REMOVED);
        if (c)
            out->v[out->n++] = (struct lone){(uintptr_t)c->group, row->robust_mean[side], row};
    }
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_time_renames);
    return out->v ? 0 : -1;
}

/* The only match of a timer on the other side; NULL where there is none, or more, or so many that take as
 * long that nobody could tell. */
static struct tk_row *only(const struct tk_matrix *m, const struct lone *of, const struct lones *others,
                           bool gone)
{
    struct tk_row *found = NULL;
    const double least = of->ms * (1 - 2 * SAME_TIME), most = of->ms * (1 + 2 * SAME_TIME);
    size_t at;
    TK_SEARCH(at, others->n,
              others->v[at].group < of->group ||
                  (others->v[at].group == of->group && others->v[at].ms < least));
    for (size_t i = at; i < others->n && others->v[i].group == of->group && others->v[i].ms <= most; i++) {
        struct tk_row *row = others->v[i].row;
        if (i - at >= MOST_ALIKE)
            return NULL;
        if (!(gone ? match(m, of->row, row) : match(m, row, of->row)))
            continue;
        if (found)
            return NULL;
        found = row;
    }
    return found;
}

static void pair(struct tk_matrix *m, const struct tk_row *gone, const struct tk_row *fresh)
{
    struct tk_change *a = &m->out->changes.v[gone->change], *b = &m->out->changes.v[fresh->change];
    a->verdict = TK_RENAMED;
    a->to = b->name;
    a->candidate = b->candidate;
    a->calls[1] = b->calls[1];
    a->per_call[1] = b->per_call[1];
    a->ratio = fresh->robust_mean[1] / gone->robust_mean[0];
    b->verdict = TK_VERDICTS; /* taken out below */
}

static void pair_all(struct tk_matrix *m, const struct lones *gone, const struct lones *fresh)
{
    for (size_t i = 0; i < gone->n; i++) {
        struct tk_row *row = only(m, &gone->v[i], fresh, true);
        const struct lone other = {gone->v[i].group, row ? row->robust_mean[1] : 0, row};
        if (row && only(m, &other, gone, false) == gone->v[i].row)
            pair(m, gone->v[i].row, row);
    }
}

int tk_matrix_rename(struct tk_matrix *m, struct tk_err *err)
{
    struct lones gone = {0}, fresh = {0};
    size_t n = 0;
    int rc = gather(&gone, m, 0) || gather(&fresh, m, 1) ? tk_err_nomem(err, "renamed timers") : TK_OK;
    if (rc == TK_OK)
        pair_all(m, &gone, &fresh);
    free(gone.v);
    free(fresh.v);
    for (size_t i = 0; i < m->out->changes.n; i++)
        if (m->out->changes.v[i].verdict != TK_VERDICTS)
            m->out->changes.v[n++] = m->out->changes.v[i];
    m->out->changes.n = n;
    return rc;
}
