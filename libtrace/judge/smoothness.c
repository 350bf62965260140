/*
 * The words of studios.
 */
#include "judge/smoothness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW      19u /* frames; of oscillation */
#define SWING       4.0 /* ms */
#define SWING_TIMES 1.2
#define LONG        60.0 /* ms: the engine's threshold */
#define LATE_TIMES  1.05

const struct tk_smoothness_text tk_smoothness_texts[TK_SMOOTHNESS_WORDS] = {
#define X(word, name, unit, help) {name, unit, help},
    TK_SMOOTHNESS(X)
#undef X
};

enum tk_smoothness_word tk_smoothness_word_of(const char *name, size_t n)
{
    unsigned i = 0;
    while (i < TK_SMOOTHNESS_WORDS &&
           (strlen(tk_smoothness_texts[i].name) != n || memcmp(tk_smoothness_texts[i].name, name, n) != 0))
        i++;
    return (enum tk_smoothness_word)i;
}

bool tk_is_late_at(double ms, double target_ms)
{
    return ms > LATE_TIMES * target_ms;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* ---- counts and sums ---- */

struct sums {
    double all, play; /* ms */
    double excess, over_target, over_long, steps;
    double hitches, loading, startup, uneven, late;
};

static struct sums sums_of(const double *ms, const struct tk_judged_frames *j, double target_ms)
{
    struct sums s = {.all = 0};
    for (size_t i = 0; i < j->n; i++) {
        const unsigned is = j->is[i];
        s.all += ms[i];
        s.play += tk_is_play(is) ? ms[i] : 0;
        s.excess += is & TK_FRAME_IS_LATE ? ms[i] - j->expected[i] : 0;
        s.over_target += ms[i] > target_ms ? ms[i] - target_ms : 0;
        s.over_long += ms[i] >= LONG ? ms[i] : 0;
        s.steps += i ? fabs(ms[i] - ms[i - 1]) : 0;
        s.hitches += tk_is_hitch(is);
        s.loading += tk_is_loading_hitch(is);
        s.startup += is & TK_FRAME_IS_HITCH && is & TK_FRAME_IS_STARTUP ? 1 : 0;
        s.uneven += is & TK_FRAME_IS_UNEVEN ? 1 : 0;
        s.late += tk_is_late_at(ms[i], target_ms);
    }
    return s;
}

static void put_sums(struct tk_smoothness *out, const struct sums *s, const struct tk_judged_frames *j,
                     double target)
{
    const double n = (double)j->n, due = floor(target * s->all / 1e3);
    double *v = out->v;
    const double known = j->alone ? NAN : 1;
    v[TK_SMOOTHNESS_HITCHES] = known * s->hitches;
    v[TK_SMOOTHNESS_HITCHES_MIN] = s->play > 0 ? known * s->hitches / (s->play / 60e3) : NAN;
    v[TK_SMOOTHNESS_HITCH_RATIO] =
        s->all > 0 ? (target > 0 ? s->over_target : known * s->excess) / (s->all / 1e3) : NAN;
    v[TK_SMOOTHNESS_HITCH_TIME] = s->all > 0 ? 100 * s->over_long / s->all : NAN;
    v[TK_SMOOTHNESS_LOADING] = known * s->loading;
    v[TK_SMOOTHNESS_STARTUP] = known * s->startup;
    v[TK_SMOOTHNESS_STARTUP_FRAMES] = (double)j->startup;
    v[TK_SMOOTHNESS_UNEVEN_FRAMES] = known * s->uneven;
    v[TK_SMOOTHNESS_UNEVEN] = j->n ? known * 100 * s->uneven / n : NAN;
    v[TK_SMOOTHNESS_PACING] = j->n > 1 && s->all > 0 ? 100 * (s->steps / (n - 1)) / (s->all / n) : NAN;
    v[TK_SMOOTHNESS_MISSED] = due > 0 ? 100 * (due > n ? due - n : 0) / due : NAN;
    v[TK_SMOOTHNESS_LATE] = target > 0 && j->n ? 100 * s->late / n : NAN;
}

/* ---- the slowest ---- */

double tk_smoothness_low(const double *sorted, size_t n, size_t of)
{
    const size_t slow = (n + of - 1) / of;
    double sum = 0;
    if (n < of)
        return NAN;
    for (size_t i = n - slow; i < n; i++)
        sum += sorted[i];
    return sum > 0 ? 1e3 * (double)slow / sum : NAN;
}

/* ---- oscillation ---- */

/* Of 19 values in order; between two of them where a quarter falls there. */
static double quarter_of(const double *v, unsigned quarters)
{
    const double at = (WINDOW - 1) * quarters / 4.0;
    const size_t below = (size_t)at;
    return v[below] + (at - (double)below) * (v[below + 1] - v[below]);
}

static void slide(double *v, double out, double in)
{
    size_t at = 0;
    while (at + 1 < WINDOW && v[at] < out)
        at++;
    for (; at + 1 < WINDOW && v[at + 1] < in; at++)
        v[at] = v[at + 1];
    for (; at && v[at - 1] > in; at--)
        v[at] = v[at - 1];
    v[at] = in;
}

/* The 90th of a hundred, by nearest rank; sorts. */
static double high_of(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return v[(9 * n + 9) / 10 - 1];
}

/* 1 or 0; NaN: there is no window. space: for twice as many values as there are frames. */
static double oscillation_of(const double *ms, size_t n, double *space)
{
    double window[WINDOW], *swing = space, *times = space + n;
    const size_t windows = n < WINDOW ? 0 : n - WINDOW + 1;
    if (!windows)
        return NAN;
    memcpy(window, ms, sizeof window);
    qsort(window, WINDOW, sizeof *window, by_value);
    for (size_t i = 0; i < windows; i++) {
        const double low = quarter_of(window, 1), high = quarter_of(window, 3);
        swing[i] = high - low;
        times[i] = low > 0 ? high / low : high > 0 ? INFINITY : 1;
        if (i + 1 < windows)
            slide(window, ms[i], ms[i + WINDOW]);
    }
    return high_of(swing, windows) > SWING && high_of(times, windows) > SWING_TIMES ? 1 : 0;
}

int tk_smoothness_of(struct tk_smoothness *out, const double *ms, const struct tk_judged_frames *judged,
                     double target)
{
    const size_t n = judged->n;
    const struct sums sums = sums_of(ms, judged, target > 0 ? 1e3 / target : INFINITY);
    double *space = malloc((2 * n + 1) * sizeof *space);
    if (!space)
        return -1;
    put_sums(out, &sums, judged, target);
    out->v[TK_SMOOTHNESS_OSCILLATION] = oscillation_of(ms, n, space);
    if (n)
        memcpy(space, ms, n * sizeof *space);
    if (n)
        qsort(space, n, sizeof *space, by_value);
    out->v[TK_SMOOTHNESS_LOW1] = tk_smoothness_low(space, n, 100);
    out->v[TK_SMOOTHNESS_LOW01] = tk_smoothness_low(space, n, 1000);
    free(space);
    return 0;
}
