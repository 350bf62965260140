/*
 * The change that all timers share: whether it is taken out of them, and a verdict of its own.
 *
 * How runs of a side swing together is always taken out of timers. What the sides differ by is the machine,
 * or the build as a whole, or what a change did to most timers: it is taken out only where it is decided that
 * all timers have it, and more than runs of a side differ by; a great one is no machine unless the machines
 * are known to be others. Frames and threads are judged as measured.
 *
 * Beyond 5 % a shift is reported by itself, before all else: machine or build? It is a regression where it is
 * decided. Two single runs do not show that.
 */
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMMON_RATIO  1.05
#define COMMON_CHANCE 0.001
#define LEVEL_COMMON  0.05 /* of the interval */
#define SMALL_RATIO   1.02
#define GREAT_RATIO   1.25
#define FOLLOW_SHARE  0.6
#define FOLLOW_LEAST  0.05 /* as a logarithm: so far from the shift, or a third of it, a timer follows it */
#define MACHINE_SWING 0.07 /* as a logarithm: of a single run */
#define NORMAL_LIMIT  2.75 /* of a normal distribution at the usual chance */

/* Where nothing varies a difference is certain. */
static double chance_of(const struct tk_row *row)
{
    return row->error > 0 ? tk_probability_t(row->delta / row->error, row->df) : 0;
}

const char *tk_shift_state_name(const struct tk_shift *s)
{
    static const char *const names[] = {"unknown", "small", "decided", "undecided", "no machine"};
    return names[s->state];
}

/* ---- what becomes of it ---- */

bool tk_row_shows_machine(const struct tk_matrix *m, const struct tk_row *row)
{
    if (row->any->kind != TK_SERIES_TIMER || row->waits ||
        row->robust_mean[0] < TK_MACHINE_SHARE * m->out->frame_ms)
        return false;
    for (size_t r = 0; r < m->n_runs; r++)
        if (!row->of[r])
            return false;
    return true;
}

/* The mean of y over the runs of a side. */
static double side_mean(const struct tk_matrix *m, const double *y, enum tk_side side)
{
    double sum = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        sum += m->side[r] == side ? y[r] : 0;
    return sum / (double)m->out->runs[side];
}

static double difference_of(const struct tk_matrix *m, const double *y)
{
    return side_mean(m, y, TK_SIDE_CANDIDATE) - side_mean(m, y, TK_SIDE_BASE);
}

static size_t count_followers(const struct tk_matrix *m, double shift)
{
    const double near = fmax(FOLLOW_LEAST, fabs(shift) / 3);
    size_t n = 0;
    for (size_t i = 0; i < m->rows.n; i++)
        n += tk_row_shows_machine(m, &m->rows.v[i]) && fabs(difference_of(m, m->rows.v[i].y) - shift) <= near;
    return n;
}

/* Is it said that another machine is to be expected? */
static bool expects_machine(const struct tk_comparison *c)
{
    bool differs = c->setup.ignore_common;
    for (size_t i = 0; i < c->sides.differences.n; i++)
        differs |= strcmp(c->sides.differences.v[i].what, "machine") == 0;
    return differs;
}

static bool is_beyond_runs(const struct tk_matrix *m, const struct tk_row *row)
{
    return m->out->design == TK_DESIGN_RUNS && row->freedom > 0 && chance_of(row) <= COMMON_CHANCE;
}

static enum tk_shift_state decide_shift(const struct tk_matrix *m, const struct tk_row *row)
{
    const struct tk_shift *shift = &m->out->shift;
    if (!shift->rows)
        return TK_SHIFT_UNKNOWN;
    if (fabs(row->delta) < log(SMALL_RATIO))
        return TK_SHIFT_SMALL;
    if ((double)shift->follow < FOLLOW_SHARE * (double)shift->rows ||
        (fabs(row->delta) >= log(GREAT_RATIO) && !expects_machine(m->out)))
        return TK_SHIFT_NONE;
    return m->out->setup.ignore_common || is_beyond_runs(m, row) ? TK_SHIFT_DECIDED : TK_SHIFT_UNDECIDED;
}

/* Few runs may all have found the machine in one of its states; what is judged as measured alone has to be
 * beyond what machines differ by, however little these runs do. */
static double careful(const struct tk_matrix *m, const struct tk_row *row)
{
    const double limit = row->df > 0 ? tk_probability_t_limit(m->out->setup.chance, row->df) : 0;
    const double usual = row->n[0] > 0 && row->n[1] > 0 ? sqrt((1 / row->n[0] + 1 / row->n[1]) / 2) : 1;
    return fmax(row->error * fmax(1, limit / NORMAL_LIMIT), MACHINE_SWING * usual);
}

void tk_matrix_decide_shift(struct tk_matrix *m)
{
    struct tk_shift *shift = &m->out->shift;
    struct tk_row row = {0};
    tk_matrix_spread(m, m->factor, &row);
    shift->ratio = exp(row.delta);
    shift->follow = count_followers(m, row.delta);
    shift->state = (uint8_t)decide_shift(m, &row);
    m->out->machine = tk_shift_is_taken(shift) ? shift->ratio : 1;
    if (tk_shift_is_taken(shift))
        return;
    m->shift = row.delta;
    m->shift_error = shift->state == TK_SHIFT_NONE ? careful(m, &row) : row.error;
}

/* ---- its verdict ---- */

static enum tk_verdict decide_common(const struct tk_matrix *m, const struct tk_row *row)
{
    if (m->out->setup.ignore_common)
        return TK_UNCHANGED;
    if (m->out->shift.state != TK_SHIFT_DECIDED)
        return TK_INCONCLUSIVE;
    return row->delta > 0 ? TK_REGRESSED : TK_IMPROVED;
}

int tk_matrix_judge_common(struct tk_matrix *m, struct tk_err *err)
{
    struct tk_row row = {0};
    tk_matrix_spread(m, m->factor, &row);
    if (fabs(row.delta) < log(COMMON_RATIO) || m->out->shift.state == TK_SHIFT_NONE)
        return TK_OK;
    const bool reported = m->out->design == TK_DESIGN_RUNS && row.freedom > 0;
    const double width = row.error > 0 ? tk_probability_t_limit(LEVEL_COMMON, row.df) * row.error : 0;
    struct tk_change c = {.kind = TK_CHANGE_COMMON,
                          .verdict = (uint8_t)decide_common(m, &row),
                          .unit = "",
                          .tested = true,
                          .baseline = 1,
                          .candidate = exp(row.delta),
                          .raw_ratio = NAN,
                          .ratio = exp(row.delta),
                          .low = reported ? exp(row.delta - width) : NAN,
                          .high = reported ? exp(row.delta + width) : NAN,
                          .p = reported ? chance_of(&row) : NAN,
                          .within = NAN,
                          .per_call = {NAN, NAN}};
    c.name = tk_intern_c(&m->out->names, "all timers");
    c.group = c.file = tk_intern_c(&m->out->names, "");
    m->out->tested++;
    if (!c.name || !c.group || tk_vec_push(&m->out->changes, c))
        return tk_err_nomem(err, "a comparison");
    return TK_OK;
}

/* Is what is left of a change without the common part below the floor? Counts have no such part. */
static bool is_all(const struct tk_matrix *m, const struct tk_change *c, const struct tk_change *common)
{
    return !isfinite(c->ratio) || fabs(log(c->ratio / common->ratio)) < log1p(m->out->setup.floor_ratio);
}

/* Does a change of frames, or of a class of threads, go the way of what all timers share? */
static bool goes_along(const struct tk_change *c, const struct tk_change *common)
{
    const bool whole = tk_change_is_of_frames(c->kind) || c->kind == TK_CHANGE_THREAD;
    return whole && c->kind != TK_CHANGE_SMOOTHNESS && c->verdict != TK_UNCHANGED &&
           (tk_change_size(c) > 0) == (common->ratio > 1);
}

void tk_matrix_explain_common(struct tk_matrix *m)
{
    struct tk_comparison *out = m->out;
    const struct tk_change *common = out->changes.n ? &out->changes.v[0] : NULL;
    if (!common || common->kind != TK_CHANGE_COMMON || out->shift.state != TK_SHIFT_DECIDED)
        return;
    for (size_t i = 1; i < out->changes.n; i++) {
        struct tk_change *c = &out->changes.v[i];
        if (!goes_along(c, common) || (c->cause && !(isfinite(c->ratio) && is_all(m, c, common))))
            continue;
        c->cause = common;
        if (c->kind == TK_CHANGE_THREAD || (out->setup.ignore_common && is_all(m, c, common)))
            c->verdict = TK_UNCHANGED;
    }
}

/*
 * Finds runs that lie apart: one that stands out from all others of the baseline, which is left out, and two
 * groups of runs, as a machine makes them that has two speeds. It follows measure.c.
 *
 * How fast a run is, is what its timers have in common, or, with too few timers, its mean frame. A run stands
 * out where it is off by a quarter or more, and four times as far as any of the others is. Two
 * speeds are measured by the distance of the groups in spreads inside of them, which few runs can make great
 * by chance. Its limit is what one in a hundred draws of a machine with one speed reaches, whose runs are
 * distributed normally or more wildly. script/evaluate-diff measures both.
 */

#define STANDS_OUT   1.25
#define TIMES_OTHERS 4.0
#define LEAST_OTHERS 3
#define LEAST_RATIO  1.04
#define LEAST_GROUP  2
#define LEAST_RUNS   5
#define SMALLEST     1e-9 /* spread */

/* In spreads: at least LEAST, of few runs ALWAYS and FEW divided by the number of runs beyond two. */
#define DISTANCE_LEAST  5.5
#define DISTANCE_ALWAYS 2.5
#define DISTANCE_FEW    28.5

/* A run: the logarithm of how long it takes. */
struct pace {
    double v;
    size_t run;
};

static int by_pace(const void *a, const void *b)
{
    const struct pace *x = a, *y = b;
    return x->v > y->v ? 1 : x->v < y->v ? -1 : (x->run > y->run) - (x->run < y->run);
}

static double pace_of(const struct tk_matrix *m, size_t r)
{
    const struct tk_base_run *run = m->runs[r];
    double sum = 0;
    if (m->out->shift.rows)
        return m->factor[r];
    for (size_t i = run->starts[m->skip[r]]; i < run->frames.n; i++)
        sum += tk_base_ms(run, (double)run->frames.v[i]);
    return sum > 0 ? log(sum / (double)(run->frames.n - run->starts[m->skip[r]])) : 0;
}

/* ---- one that stands out ---- */

/* How far run r is from the middle of the others, and how far the furthest of these; space for as many. */
static bool stands_out(const struct pace *all, size_t n, size_t r, double *space, double *off)
{
    size_t k = 0;
    double furthest = 0;
    for (size_t i = 0; i < n; i++)
        if (i != r)
            space[k++] = all[i].v;
    const double middle = tk_probability_median(space, k);
    for (size_t i = 0; i < k; i++)
        furthest = fmax(furthest, fabs(space[i] - middle));
    *off = all[r].v - middle;
    return k >= LEAST_OTHERS && fabs(*off) >= log(STANDS_OUT) && fabs(*off) >= TIMES_OTHERS * furthest;
}

static void find_standing_out(struct tk_matrix *m, const struct pace *all, size_t n, double *space)
{
    for (size_t i = 0; i < n; i++) {
        double off;
        if (m->side[all[i].run] != TK_SIDE_BASE || !stands_out(all, n, i, space, &off))
            continue;
        m->out->standing = m->runs[all[i].run];
        m->out->standing_ratio = exp(off);
    }
}

/* ---- two speeds ---- */

static double squares_of(const struct pace *v, size_t n)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += v[i].v / (double)n;
    for (size_t i = 0; i < n; i++)
        sum += (v[i].v - mean) * (v[i].v - mean);
    return sum;
}

/* Are there runs of one side on both sides of the gap? Else it is between the sides, and no two speeds. */
static bool divides_a_side(const struct tk_matrix *m, const struct pace *v, size_t n, size_t k)
{
    for (size_t i = 0; i < k; i++)
        for (size_t j = k; j < n; j++)
            if (m->side[v[i].run] == m->side[v[j].run])
                return true;
    return false;
}

static double mean_of(const struct pace *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i].v;
    return sum / (double)n;
}

/* How far the first k of n runs in order are from the others, by the spread inside of both. */
static double distance_of(const struct pace *v, size_t n, size_t k)
{
    const double spread = sqrt((squares_of(v, k) + squares_of(v + k, n - k)) / (double)(n - 2));
    return (mean_of(v + k, n - k) - mean_of(v, k)) / fmax(spread, SMALLEST);
}

static void find_speeds(struct tk_matrix *m, struct pace *v, size_t n)
{
    double furthest = 0;
    size_t at = 0;
    qsort(v, n, sizeof *v, by_pace);
    for (size_t k = LEAST_GROUP; k + LEAST_GROUP <= n; k++)
        if (distance_of(v, n, k) > furthest) {
            furthest = distance_of(v, n, k);
            at = k;
        }
    const double ratio = at ? exp(mean_of(v + at, n - at) - mean_of(v, at)) : 1;
    if (n >= LEAST_RUNS && ratio >= LEAST_RATIO && divides_a_side(m, v, n, at) &&
        furthest >= fmax(DISTANCE_LEAST, DISTANCE_ALWAYS + DISTANCE_FEW / (double)(n - 2)))
        m->out->speeds = (struct tk_speeds){{at, n - at}, ratio};
}

int tk_matrix_find_apart(struct tk_matrix *m)
{
    struct pace *v = malloc((m->n_runs + 1) * sizeof *v);
    double *space = malloc((m->n_runs + 1) * sizeof *space);
    size_t n = 0;
    for (size_t r = 0; v && space && r < m->n_runs; r++)
        if (m->side[r] != TK_SIDE_CANDIDATE)
            v[n++] = (struct pace){pace_of(m, r), r};
    if (v && space)
        find_standing_out(m, v, n, space);
    for (size_t r = 0; v && space && r < m->n_runs; r++)
        if (m->side[r] == TK_SIDE_CANDIDATE)
            v[n++] = (struct pace){pace_of(m, r), r};
    if (v && space && !m->out->standing)
        find_speeds(m, v, n);
    const int rc = v && space ? 0 : -1;
    free(v);
    free(space);
    return rc;
}
