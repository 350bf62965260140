/*
 * Links changes to their causes, so that one change raises one alarm. verdict.c calls it once the verdicts
 * are known.
 *
 * A path that changes with its timer is named there; a class of threads that is busier because of its timers,
 * memory in all because of a tag, growth because of the peak, and loading in all because of an operation or a
 * package raise no alarm beside them. Timers that wait, and values that repeat the frame time, move with the
 * others.
 */
#include "base/binary_search.h"
#include "base/text/text.h"
#include "compare/verdict/matrix.h"

#include <math.h>

#define EXPLAINS 0.5 /* of a change of a class of threads */
#define PATH_HAS 0.8 /* of the change of its timer */

double tk_change_size(const struct tk_change *c)
{
    return (isnan(c->candidate) ? 0 : c->candidate) - (isnan(c->baseline) ? 0 : c->baseline);
}

static bool is_change(const struct tk_change *c)
{
    return c->verdict == TK_REGRESSED || c->verdict == TK_IMPROVED || c->verdict == TK_ADDED ||
           c->verdict == TK_REMOVED;
}

/* The greatest change of a timer in the direction of `sign` (0: any), of a class of threads where given; all
 * together in *sum. */
static struct tk_change *find_cause(const struct tk_comparison *out, const struct tk_str *group, int sign,
                                    double *sum)
{
    struct tk_change *found = NULL;
    *sum = 0;
    for (size_t i = 0; i < out->changes.n; i++) {
        struct tk_change *c = &out->changes.v[i];
        if (c->kind != TK_CHANGE_TIMER || c->waits || !is_change(c) ||
            (group && tk_str_order(group, c->group)))
            continue;
        *sum += tk_change_size(c);
        if ((sign == 0 || tk_change_size(c) * sign > 0) &&
            (!found || fabs(tk_change_size(c)) > fabs(tk_change_size(found))))
            found = c;
    }
    return found;
}

/* Does a counter tell the frame time or the frame rate, by its name? */
static bool follows_frames(const struct tk_change *c)
{
    static const char *const words[] = {"fps",        "framems",  "frametime", "frame ms",  "frame time",
                                        "frame_time", "frame_ms", "framerate", "frame rate"};
    for (size_t i = 0; c->kind == TK_CHANGE_COUNTER && i < sizeof words / sizeof *words; i++)
        if (tk_name_has(c->name, words[i]))
            return true;
    return false;
}

/* An alarm of the same kind and direction, in another group. */
static const struct tk_change *find_deeper(const struct tk_comparison *out, const struct tk_change *of)
{
    const struct tk_change *found = NULL;
    for (size_t i = 0; i < out->changes.n; i++) {
        const struct tk_change *c = &out->changes.v[i];
        if (c->kind != of->kind || c->verdict != of->verdict || c->cause || c == of)
            continue;
        bool deeper = c->kind == TK_CHANGE_LOADING ? tk_str_order(c->group, of->group) > 0 : c->group->n > 0;
        if (deeper && (!found || fabs(tk_change_size(c)) > fabs(tk_change_size(found))))
            found = c;
    }
    return found;
}

/* The alarm about the most of the memory whose growth this is. */
static const struct tk_change *find_peak(const struct tk_comparison *out, const struct tk_change *growth)
{
    for (size_t i = 0; i < out->changes.n; i++) {
        const struct tk_change *c = &out->changes.v[i];
        if (c != growth && c->kind == TK_CHANGE_MEMORY && c->verdict == growth->verdict &&
            c->name == growth->name && c->group == growth->group && c->metric != growth->metric)
            return c;
    }
    return NULL;
}

static void explain_memory(struct tk_comparison *out, struct tk_change *c)
{
    const struct tk_change *cause = c->metric[0] == 'g' ? find_peak(out, c) : NULL;
    if (!cause && c->group->n == 0)
        cause = find_deeper(out, c);
    c->cause = cause;
    if (cause)
        c->verdict = TK_UNCHANGED;
}

static void explain_thread(struct tk_comparison *out, struct tk_change *c, int sign)
{
    double sum;
    const struct tk_change *cause = find_cause(out, c->name, sign, &sum);
    if (!cause || sum / tk_change_size(c) < EXPLAINS)
        return;
    c->cause = cause;
    c->verdict = TK_UNCHANGED;
}

static void explain(struct tk_comparison *out, struct tk_change *c)
{
    double sum;
    int sign = c->verdict == TK_REGRESSED ? 1 : -1;
    if (c->verdict == TK_INCONCLUSIVE && c->kind == TK_CHANGE_FRAME && isfinite(c->ratio))
        c->cause = find_cause(out, NULL, c->ratio > 1 ? 1 : -1, &sum);
    if (c->verdict != TK_REGRESSED && c->verdict != TK_IMPROVED)
        return;
    if (c->waits || follows_frames(c)) {
        c->cause = find_cause(out, NULL, 0, &sum);
        c->verdict = TK_UNCHANGED;
    } else if (c->kind == TK_CHANGE_THREAD) {
        explain_thread(out, c, sign);
    } else if (c->kind == TK_CHANGE_MEMORY) {
        explain_memory(out, c);
    } else if (c->kind == TK_CHANGE_LOADING) {
        c->cause = find_deeper(out, c);
        if (c->cause)
            c->verdict = TK_UNCHANGED;
    } else if (c->kind == TK_CHANGE_FRAME || c->kind == TK_CHANGE_HITCH) {
        c->cause = find_cause(out, NULL, sign, &sum);
    }
}

/* ---- paths ---- */

static struct tk_change *change_of(const struct tk_matrix *m, const struct tk_row *row)
{
    return row->change == SIZE_MAX ? NULL : &m->out->changes.v[row->change];
}

/* The row of the timer that a path ends in: rows of timers are sorted. */
static const struct tk_row *timer_of_explain(const struct tk_matrix *m, const struct tk_row *path)
{
    size_t at;
    TK_SEARCH(at, m->n_sorted, tk_series_compare(m->rows.v[at].any, path->leaf) < 0);
    return at < m->n_sorted && tk_series_compare(m->rows.v[at].any, path->leaf) == 0 ? &m->rows.v[at] : NULL;
}

void tk_matrix_explain_paths(struct tk_matrix *m)
{
    for (size_t i = m->n_sorted; i < m->rows.n; i++) {
        const struct tk_row *row = &m->rows.v[i];
        const struct tk_row *timer = row->leaf ? timer_of_explain(m, row) : NULL;
        struct tk_change *own = change_of(m, row), *c = timer ? change_of(m, timer) : NULL;
        if (!c || (c->verdict != TK_REGRESSED && c->verdict != TK_IMPROVED))
            continue;
        double share = (row->mean[1] - row->mean[0]) / (timer->mean[1] - timer->mean[0]);
        if (share >= PATH_HAS)
            c->path = tk_intern(&m->out->names, row->any->name->p, row->any->name->n,
                                (enum tk_encoding)row->any->name->enc);
        if (own && own->verdict == c->verdict) {
            own->verdict = TK_UNCHANGED;
        }
    }
}

void tk_matrix_explain(struct tk_matrix *m)
{
    for (size_t i = 0; i < m->out->changes.n; i++)
        explain(m->out, &m->out->changes.v[i]);
}
