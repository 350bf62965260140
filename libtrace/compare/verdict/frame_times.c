/*
 * Compares frame times: percentiles and hitches of both sides. verdict.c calls it before it judges the rows
 * of the matrix.
 *
 * Percentiles are exact, by nearest rank. With several runs each run has its own, tested like all else. With
 * two runs the error comes from the ranks alongside: a percentile q of n frames lies with a standard error of
 * sqrt(q (1 - q) / n') ranks of its own, where n' is the number of stretches of frames that do not depend on
 * each other (n by its cube root).
 *
 * With fewer than five runs a side both errors count: how a high percentile spreads over runs is no bell
 * curve, and one stall more in a run moves it far.
 *
 * Hitches are those of judge/hitches.h, which judges each run by itself. They are counted, so the test is one
 * of counts, and a change of fewer than five is not reported. Where there are several runs a side, their
 * ranks have to agree; where there is noise, no run of it may have as many.
 */
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"

#include <math.h>
#include <stdlib.h>

#define FRAME_CHANCE      0.002
#define TINY              1e-6  /* of the median frame, for one of no time */
#define SMALLEST          1e-12 /* ms */
#define HITCH_CHANCE      0.0625
#define HITCH_CHANCE_RUNS 0.01 /* where there are several runs a side */
#define HITCH_COUNT       5
#define RANKED_MOST       64
#define WORD_CHANCE       0.001
#define WORD_CHANCE_RANKS 0.01
#define LEVEL             0.05
#define FEW_RUNS          5 /* fewer a side: what frames are distinguished from counts, too */

struct frame_times {
    double **ms; /* by run: sorted, owned */
    size_t *n;
    double *values; /* by run: what is tested */
};

static int by_value_frame_times(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static size_t first_frame(const struct tk_matrix *m, size_t r)
{
    return m->runs[r]->starts[m->skip[r]];
}

static int sort_frames(const struct tk_matrix *m, struct frame_times *f)
{
    for (size_t r = 0; r < m->n_runs; r++) {
        const struct tk_base_run *run = m->runs[r];
        size_t from = first_frame(m, r);
        f->n[r] = run->frames.n - from;
        f->ms[r] = malloc((f->n[r] + 1) * sizeof **f->ms);
        if (!f->ms[r])
            return -1;
        for (size_t i = 0; i < f->n[r]; i++)
            f->ms[r][i] = tk_base_ms(run, (double)run->frames.v[from + i]);
        qsort(f->ms[r], f->n[r], sizeof **f->ms, by_value_frame_times);
    }
    return 0;
}

static double ranked_frame_times(const struct frame_times *f, size_t r, double rank)
{
    double n = (double)f->n[r];
    rank = ceil(rank);
    rank = rank < 1 ? 1 : rank > n ? n : rank;
    return f->n[r] ? f->ms[r][(size_t)rank - 1] : 0;
}

/* Standard error of the logarithm of a percentile of a run. */
static double rank_error(const struct frame_times *f, size_t r, double q)
{
    double n = (double)f->n[r], free_ranks = n / ceil(cbrt(n > 0 ? n : 1));
    double ranks = sqrt(q * (1 - q) / free_ranks) * n;
    double low = ranked_frame_times(f, r, q * n - ranks), high = ranked_frame_times(f, r, q * n + ranks);
    return low > 0 ? log(high / low) / 2 : 0;
}

static struct tk_change *add_frame_times(struct tk_matrix *m, uint8_t kind, const char *name,
                                         const char *unit)
{
    struct tk_change c = {.kind = kind,
                          .unit = unit,
                          .tested = true,
                          .raw_ratio = NAN,
                          .ratio = NAN,
                          .low = NAN,
                          .high = NAN,
                          .within = NAN,
                          .per_call = {NAN, NAN}};
    c.name = tk_intern_c(&m->out->names, name);
    c.group = c.file = tk_intern_c(&m->out->names, "");
    m->out->tested++;
    return c.name && c.group && !tk_vec_push(&m->out->changes, c) ? &m->out->changes.v[m->out->changes.n - 1]
                                                                  : NULL;
}

static void side_means(const struct tk_matrix *m, const double *v, double mean[2])
{
    double n[2] = {0};
    mean[0] = mean[1] = 0;
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] < 2) {
            mean[m->side[r]] += v[r];
            n[m->side[r]]++;
        }
    mean[0] /= n[0];
    mean[1] /= n[1];
}

static void decide(const struct tk_matrix *m, struct tk_change *c, const struct tk_row *row)
{
    double width = row->error > 0 ? tk_probability_t_limit(LEVEL, row->df) * row->error : 0;
    double absolute = fmax(m->out->setup.floor_ms, m->out->setup.floor_frame * m->out->frame_ms);
    double floor = log1p(fmax(m->out->setup.floor_ratio, c->baseline > 0 ? absolute / c->baseline : 0));
    c->ratio = exp(row->delta);
    if (m->out->design == TK_DESIGN_RUNS) {
        c->low = exp(row->delta - width);
        c->high = exp(row->delta + width);
    } else if (row->error > 0) {
        c->within = expm1(width);
    }
    c->p = row->error > 0            ? tk_probability_t(row->delta / row->error, row->df)
           : fabs(row->delta) > 1e-9 ? 0
                                     : 1;
    if (c->p <= FRAME_CHANCE && fabs(row->delta) >= floor)
        c->verdict = (uint8_t)tk_matrix_confirm(m, row->delta > 0 ? TK_REGRESSED : TK_IMPROVED, row->delta);
    else if (row->delta != 0 && fabs(row->delta) + width > floor)
        c->verdict = TK_INCONCLUSIVE;
    const double n[2] = {(double)m->out->runs[0], (double)m->out->runs[1]};
    if (c->verdict == TK_INCONCLUSIVE)
        tk_change_need_runs(m, c, tk_matrix_runs_needed(m, n, row->error, floor));
}

static int judge_percentile(struct tk_matrix *m, struct frame_times *f, const char *name, double q)
{
    struct tk_row row = {0};
    double mean[2], error = 0;
    struct tk_change *c = add_frame_times(m, TK_CHANGE_FRAME, name, "ms");
    if (!c)
        return -1;
    for (size_t r = 0; r < m->n_runs; r++)
        f->values[r] = ranked_frame_times(f, r, q * (double)f->n[r]);
    if (tk_change_keep_values(m, c, f->values, NULL))
        return -1;
    side_means(m, f->values, mean);
    c->baseline = mean[0];
    c->candidate = mean[1];
    for (size_t r = 0; r < m->n_runs; r++) {
        if (m->side[r] < 2)
            error += pow(rank_error(f, r, q) / (double)m->out->runs[m->side[r]], 2);
        f->values[r] = log(f->values[r] > 0 ? f->values[r] : TINY * m->out->frame_ms + SMALLEST);
    }
    tk_matrix_spread(m, f->values, &row);
    bool few = m->out->runs[0] < FEW_RUNS || m->out->runs[1] < FEW_RUNS;
    if (few && m->out->design == TK_DESIGN_RUNS)
        row.error = hypot(row.error, sqrt(error));
    if (m->out->design == TK_DESIGN_FRAMES) {
        row.error = sqrt(error);
        row.df = fmax(1, cbrt((double)f->n[0]) * cbrt((double)f->n[0]) - 1);
    }
    decide(m, c, &row);
    return 0;
}

/* Does a run not know its loading screens, so that their hitches count in all? */
static bool without_classes(const struct tk_matrix *m)
{
    for (size_t r = 0; r < m->n_runs; r++)
        if (!m->runs[r]->knows_loading)
            return true;
    return false;
}

/* Hitches that count, and the frames and minutes they are counted in. */
struct hitch_count {
    uint64_t hitches;
    double frames, minutes;
};

static struct hitch_count count_run(const struct tk_matrix *m, size_t r)
{
    const struct tk_base_run *run = m->runs[r];
    const bool bare = without_classes(m);
    struct hitch_count n = {0};
    for (size_t i = first_frame(m, r); i < run->frames.n; i++) {
        const unsigned is = tk_base_run_is(run, i, bare);
        if (!tk_is_play(is))
            continue;
        n.hitches += tk_is_hitch(is);
        n.frames++;
        n.minutes += tk_base_ms(run, (double)run->frames.v[i]) / 60e3;
    }
    return n;
}

/* Is the side with more hitches beyond every run of the noise? */
static bool beyond_noise(const struct tk_matrix *m, const struct frame_times *f, enum tk_side side)
{
    double sum = 0, most = 0;
    for (size_t r = 0; r < m->n_runs; r++) {
        sum += m->side[r] == side ? f->values[r] : 0;
        most = m->side[r] == TK_SIDE_NOISE ? fmax(most, f->values[r]) : most;
    }
    return sum / (double)m->out->runs[side] > most;
}

/* Do runs bear out what the counts say? Hitches of a run come together, so that counts alone say too much. */
static bool hitches_agree(const struct tk_matrix *m, const struct frame_times *f, double p, bool more)
{
    double y[2][RANKED_MOST];
    size_t n[2] = {0};
    if (p > HITCH_CHANCE || !beyond_noise(m, f, more ? TK_SIDE_CANDIDATE : TK_SIDE_BASE))
        return false;
    if (m->out->runs[0] < 2 || m->out->runs[1] < 2)
        return true;
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->side[r] < 2 && n[m->side[r]] < RANKED_MOST)
            y[m->side[r]][n[m->side[r]]++] = f->values[r];
    bool enough = n[0] >= FEW_RUNS && n[1] >= FEW_RUNS;
    return p <= HITCH_CHANCE_RUNS &&
           (!enough || tk_probability_ranks(y[0], n[0], y[1], n[1]) <= HITCH_CHANCE_RUNS);
}

static int judge_hitches(struct tk_matrix *m, struct frame_times *f)
{
    struct hitch_count n[2] = {{0}, {0}};
    struct tk_change *c = add_frame_times(m, TK_CHANGE_HITCH, "hitches", "1/min");
    if (!c)
        return -1;
    for (size_t r = 0; r < m->n_runs; r++) {
        const struct hitch_count one = count_run(m, r);
        f->values[r] = one.frames > 0 ? (double)one.hitches / one.frames : 0;
        if (m->side[r] >= 2)
            continue;
        struct hitch_count *side = &n[m->side[r]];
        side->hitches += one.hitches;
        side->frames += one.frames;
        side->minutes += one.minutes;
    }
    c->baseline = n[0].minutes > 0 ? (double)n[0].hitches / n[0].minutes : 0;
    c->candidate = n[1].minutes > 0 ? (double)n[1].hitches / n[1].minutes : 0;
    if (!(n[0].frames > 0) || !(n[1].frames > 0))
        return 0;
    c->p = tk_probability_split(n[1].hitches, n[0].hitches, n[1].frames / (n[0].frames + n[1].frames));
    if (!hitches_agree(m, f, c->p, c->candidate > c->baseline))
        return 0;
    if (n[1].hitches >= n[0].hitches + HITCH_COUNT && c->candidate > c->baseline)
        c->verdict = TK_REGRESSED;
    if (n[0].hitches >= n[1].hitches + HITCH_COUNT && c->baseline > c->candidate)
        c->verdict = TK_IMPROVED;
    c->verdict = (uint8_t)tk_matrix_confirm(m, c->verdict, log(c->candidate / c->baseline));
    return 0;
}

/* Words of studios, and which way is worse; pacing has no good or bad of its own. */
static const struct {
    enum tk_smoothness_word word;
    int worse; /* 1: more is, -1: less is, 0: neither */
} words[] = {{TK_SMOOTHNESS_HITCH_RATIO, 1}, {TK_SMOOTHNESS_UNEVEN, 1}, {TK_SMOOTHNESS_PACING, 0},
             {TK_SMOOTHNESS_LOW1, -1},       {TK_SMOOTHNESS_LOW01, -1}, {TK_SMOOTHNESS_MISSED, 1},
             {TK_SMOOTHNESS_LATE, 1}};

/* Do the values of the runs bear out a change? Of few runs nothing says how far a word swings, which a single
 * long frame moves far: every run of a side has to be beyond the other side's, nearly, and by more than they
 * spread. */
static bool words_agree(const struct tk_matrix *m, const double *v, bool more)
{
    struct tk_row row = {0};
    double y[2][RANKED_MOST], noise = more ? -INFINITY : INFINITY, mean[2];
    size_t n[2] = {0};
    for (size_t r = 0; r < m->n_runs; r++) {
        if (m->side[r] >= 2)
            noise = more ? fmax(noise, v[r]) : fmin(noise, v[r]);
        else if (n[m->side[r]] < RANKED_MOST)
            y[m->side[r]][n[m->side[r]]++] = v[r];
    }
    side_means(m, v, mean);
    if (n[0] < FEW_RUNS || n[1] < FEW_RUNS || (more ? mean[1] <= noise : mean[1] >= noise) ||
        tk_probability_ranks(y[0], n[0], y[1], n[1]) > WORD_CHANCE_RANKS)
        return false;
    tk_matrix_spread(m, v, &row);
    return row.error <= 0 || tk_probability_t(row.delta / row.error, row.df) <= WORD_CHANCE;
}

static enum tk_verdict verdict_of_word(const struct tk_matrix *m, const struct tk_change *c, const double *v,
                                       int worse)
{
    const double step = c->candidate - c->baseline;
    if (fabs(step) <= m->out->setup.floor_ratio * fabs(c->baseline))
        return TK_UNCHANGED;
    if (!worse || !words_agree(m, v, step > 0))
        return TK_INCONCLUSIVE;
    return step * worse > 0 ? TK_REGRESSED : TK_IMPROVED;
}

/* The values of a word, one after another; NaN where a run has none. */
static int tell_word(struct tk_matrix *m, const struct tk_smoothness *of, double *v, size_t i)
{
    double mean[2];
    for (size_t r = 0; r < m->n_runs; r++)
        v[r] = of[r].v[words[i].word];
    side_means(m, v, mean);
    if (isnan(mean[0]) || isnan(mean[1]))
        return 0;
    const struct tk_smoothness_text *text = &tk_smoothness_texts[words[i].word];
    struct tk_change *c = add_frame_times(m, TK_CHANGE_SMOOTHNESS, text->name, text->unit);
    if (!c)
        return -1;
    c->tested = words[i].worse && m->out->runs[0] >= FEW_RUNS && m->out->runs[1] >= FEW_RUNS;
    m->out->tested -= c->tested ? 0 : 1;
    c->baseline = mean[0];
    c->candidate = mean[1];
    c->ratio = mean[0] > 0 ? mean[1] / mean[0] : NAN;
    c->verdict = (uint8_t)verdict_of_word(m, c, v, words[i].worse);
    return 0;
}

static int tell_smoothness(struct tk_matrix *m)
{
    struct tk_smoothness *of = calloc(m->n_runs + 1, sizeof *of);
    double *v = calloc(m->n_runs + 1, sizeof *v);
    int rc = of && v ? 0 : -1;
    for (size_t r = 0; r < m->n_runs && rc == 0; r++)
        rc = tk_base_run_smoothness(m->runs[r], first_frame(m, r), m->out->setup.target, without_classes(m),
                                    &of[r]);
    for (size_t i = 0; i < sizeof words / sizeof *words && rc == 0; i++)
        rc = tell_word(m, of, v, i);
    free(of);
    free(v);
    return rc;
}

double tk_frame_share(int i)
{
    return 1 - pow(10, -i / 16.0);
}

/* How long the frames of both sides are, for the picture of them. */
static void keep_shares(const struct tk_matrix *m, struct frame_times *f)
{
    for (int i = 0; i < TK_FRAME_SHARES; i++) {
        double mean[2];
        for (size_t r = 0; r < m->n_runs; r++)
            f->values[r] = ranked_frame_times(f, r, tk_frame_share(i) * (double)f->n[r]);
        side_means(m, f->values, mean);
        m->out->frame_shares[0][i] = mean[0];
        m->out->frame_shares[1][i] = mean[1];
    }
}

int tk_matrix_find_frame(struct tk_matrix *m)
{
    double sum = 0;
    for (size_t r = 0; r < m->n_runs; r++) {
        const struct tk_base_run *run = m->runs[r];
        const size_t n = run->frames.n;
        if (m->side[r] != TK_SIDE_BASE)
            continue;
        double *v = malloc((n + 1) * sizeof *v);
        if (!v)
            return -1;
        for (size_t i = 0; i < n; i++)
            v[i] = tk_base_ms(run, (double)run->frames.v[i]);
        sum += tk_probability_median(v, n);
        free(v);
    }
    m->out->frame_ms = sum / (double)m->out->runs[TK_SIDE_BASE];
    return 0;
}

int tk_matrix_judge_frames(struct tk_matrix *m, struct tk_err *err)
{
    static const struct {
        const char *name;
        double q;
    } percentiles[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}};
    struct frame_times f = {calloc(m->n_runs + 1, sizeof *f.ms), calloc(m->n_runs + 1, sizeof *f.n),
                            calloc(m->n_runs + 1, sizeof *f.values)};
    int rc = f.ms && f.n && f.values ? sort_frames(m, &f) : -1;
    if (rc == 0 && m->out->unit)
        rc = judge_percentile(m, &f, "duration", 0.5);
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles && rc == 0 && !m->out->unit; i++)
        rc = judge_percentile(m, &f, percentiles[i].name, percentiles[i].q);
    if (rc == 0 && !m->out->unit)
        rc = judge_hitches(m, &f);
    if (rc == 0 && !m->out->unit)
        rc = tk_matrix_group_hitches(m);
    if (rc == 0 && !m->out->unit)
        rc = tell_smoothness(m);
    if (rc == 0 && !m->out->unit)
        keep_shares(m, &f);
    for (size_t r = 0; f.ms && r < m->n_runs; r++)
        free(f.ms[r]);
    free(f.ms);
    free(f.n);
    free(f.values);
    return rc ? tk_err_nomem(err, "frame times") : TK_OK;
}
