/*
 * Renamed timers: a timer that only the baseline has and one that only the candidate has are one and the
 * same when they are on the same class of threads, are called as often, take as long, and are each other's
 * only such match. See matrix.h.
 */
#include "compare/matrix.h"

#include <math.h>

#define SAME_TIME  0.1  /* of robust own time */
#define SAME_CALLS 0.05 /* of calls a frame */
#define LEAST_MS   0.005

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

/* The only match of a row, as the one that is gone or the one that is new; NULL where there is none or more.
 */
static struct tk_row *only(const struct tk_matrix *m, const struct tk_row *of, bool gone)
{
    struct tk_row *found = NULL;
    for (size_t i = 0; i < m->rows.n; i++) {
        struct tk_row *row = &m->rows.v[i];
        if (!(gone ? match(m, of, row) : match(m, row, of)))
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
    a->ratio = fresh->robust_mean[1] / gone->robust_mean[0];
    b->verdict = TK_VERDICTS; /* taken out below */
}

int tk_matrix_rename(struct tk_matrix *m, struct tk_err *err)
{
    size_t n = 0;
    (void)err;
    for (size_t i = 0; i < m->rows.n; i++) {
        struct tk_row *gone = &m->rows.v[i];
        struct tk_row *fresh = change_of(m, gone, TK_REMOVED) ? only(m, gone, true) : NULL;
        if (fresh && only(m, fresh, false) == gone)
            pair(m, gone, fresh);
    }
    for (size_t i = 0; i < m->out->changes.n; i++)
        if (m->out->changes.v[i].verdict != TK_VERDICTS)
            m->out->changes.v[n++] = m->out->changes.v[i];
    m->out->changes.n = n;
    return TK_OK;
}
