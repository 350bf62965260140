/*
 * The rule for hitches.
 */
#include "judge/hitches.h"

#include "base/text/glob.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE        15u /* frames on each side that say what is expected */
#define BOTH        (2 * SIDE)
#define LATE_TIMES  1.5
#define LATE_MORE   4.0 /* ms */
#define HABIT_SIDE  20u /* frames on each side that say whether lateness is the habit */
#define HABIT_RUNS  4u
#define FEWER_RUNS  3u /* are a habit if they have so many frames together: */
#define FEWER_LATE  6u
#define CALM_FRAMES 30u /* without a hitch end the start-up */
#define STARTUP_MAX 5u  /* a fifth of the frames */
#define STRETCH     1e3 /* ms that a loading stretch lasts at least */

/* What Unreal Engine takes for a hitch (t.HitchFrameTimeThreshold and its neighbours). */
#define UNREAL_LEAST 60.0
#define UNREAL_TIMES 1.5
#define UNREAL_SINCE 200.0 /* ms since the last one */

/* ---- what is expected ---- */

/* Values in order. */
struct window {
    double v[BOTH + 1];
    size_t n;
};

static size_t place_of(const struct window *w, double value)
{
    size_t at = 0;
    while (at < w->n && w->v[at] < value)
        at++;
    return at;
}

static void window_add(struct window *w, double value)
{
    const size_t at = place_of(w, value);
    memmove(w->v + at + 1, w->v + at, (w->n - at) * sizeof *w->v);
    w->v[at] = value;
    w->n++;
}

static void window_remove(struct window *w, double value)
{
    const size_t at = place_of(w, value);
    if (at == w->n)
        return;
    memmove(w->v + at, w->v + at + 1, (w->n - at - 1) * sizeof *w->v);
    w->n--;
}

static double middle_of(const double *v, size_t n)
{
    return n == 0 ? 0 : n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The median of two windows together. */
static double middle_of_both(const struct window *a, const struct window *b)
{
    double v[BOTH];
    size_t n = 0;
    for (size_t i = 0, k = 0; i < a->n || k < b->n;)
        v[n++] = k == b->n || (i < a->n && a->v[i] <= b->v[k]) ? a->v[i++] : b->v[k++];
    return middle_of(v, n);
}

/* At the ends: of the nearest frames, without the frame itself. */
static double expected_at_end(const double *ms, size_t n, size_t i)
{
    const size_t all = n < BOTH + 1 ? n : BOTH + 1;
    struct window w = {.n = 0};
    for (size_t k = i < SIDE ? 0 : n - all; k < n && w.n + 1 < all; k++)
        if (k != i)
            window_add(&w, ms[k]);
    return w.n ? middle_of(w.v, w.n) : ms[i];
}

static double greatest(double a, double b, double c)
{
    return a > b ? (a > c ? a : c) : b > c ? b : c;
}

static void find_expected(const double *ms, size_t n, double *expected)
{
    struct window before = {.n = 0}, after = {.n = 0};
    for (size_t i = 0; i < n && (i < SIDE || i + SIDE >= n); i++)
        expected[i] = expected_at_end(ms, n, i);
    if (n <= BOTH)
        return;
    for (size_t k = 0; k < SIDE; k++) {
        window_add(&before, ms[k]);
        window_add(&after, ms[SIDE + 1 + k]);
    }
    for (size_t i = SIDE; i + SIDE < n; i++) {
        expected[i] =
            greatest(middle_of(before.v, SIDE), middle_of(after.v, SIDE), middle_of_both(&before, &after));
        window_remove(&before, ms[i - SIDE]);
        window_add(&before, ms[i]);
        window_remove(&after, ms[i + 1]);
        if (i + SIDE + 1 < n)
            window_add(&after, ms[i + SIDE + 1]);
    }
    for (size_t i = n - SIDE; i < n; i++)
        expected[i] = expected_at_end(ms, n, i);
}

/* ---- late, and the habit ---- */

static bool is_late(double ms, double expected)
{
    const double times = LATE_TIMES * expected, more = expected + LATE_MORE;
    return ms > (times > more ? times : more);
}

/* Late frames of other runs near a frame, with at least half of its excess. */
struct habit {
    size_t runs, frames;
};

static bool is_late_enough(const struct tk_judged_frames *j, const double *ms, size_t k, double excess)
{
    return j->is[k] & TK_FRAME_IS_LATE && ms[k] - j->expected[k] >= excess / 2;
}

static struct habit habit_between(const struct tk_judged_frames *j, const double *ms, size_t from, size_t to,
                                  double excess)
{
    struct habit h = {0, 0};
    bool counted = false;
    for (size_t k = from; k < to; k++) {
        if (!(j->is[k] & TK_FRAME_IS_LATE))
            counted = false;
        if (!is_late_enough(j, ms, k, excess))
            continue;
        h.runs += !counted;
        h.frames++;
        counted = true;
    }
    return h;
}

static bool is_habit(const struct tk_judged_frames *j, const double *ms, size_t i)
{
    const double excess = ms[i] - j->expected[i];
    const size_t from = i > HABIT_SIDE ? i - HABIT_SIDE : 0,
                 to = j->n - i > HABIT_SIDE + 1 ? i + HABIT_SIDE + 1 : j->n;
    size_t first = i, end = i + 1; /* of the run that it is in */
    while (first > from && j->is[first - 1] & TK_FRAME_IS_LATE)
        first--;
    while (end < to && j->is[end] & TK_FRAME_IS_LATE)
        end++;
    const struct habit before = habit_between(j, ms, from, first, excess),
                       after = habit_between(j, ms, end, to, excess);
    const size_t runs = before.runs + after.runs, frames = before.frames + after.frames;
    return runs >= HABIT_RUNS || (runs >= FEWER_RUNS && frames >= FEWER_LATE);
}

static void mark_local(struct tk_judged_frames *j, const double *ms)
{
    for (size_t i = 0; i < j->n; i++)
        if (is_late(ms[i], j->expected[i]))
            j->is[i] |= TK_FRAME_IS_LATE;
    for (size_t i = 0; i < j->n; i++)
        if (j->is[i] & TK_FRAME_IS_LATE)
            j->is[i] |= is_habit(j, ms, i) ? TK_FRAME_IS_UNEVEN : TK_FRAME_IS_HITCH;
}

static void mark_startup(struct tk_judged_frames *j)
{
    size_t calm = 0;
    for (size_t i = 0; i < j->n; i++) {
        calm = j->is[i] & TK_FRAME_IS_HITCH ? 0 : calm + 1;
        if (calm < CALM_FRAMES)
            continue;
        const size_t first = i + 1 - calm;
        j->startup = first <= j->n / STARTUP_MAX ? first : 0;
        break;
    }
    for (size_t i = 0; i < j->startup; i++)
        j->is[i] |= TK_FRAME_IS_STARTUP;
}

/* ---- other rules ---- */

static void mark_over(struct tk_judged_frames *j, const double *ms, double limit)
{
    for (size_t i = 0; i < j->n; i++)
        j->is[i] = (uint8_t)((j->is[i] & ~TK_FRAME_IS_HITCH) | (ms[i] > limit ? TK_FRAME_IS_HITCH : 0));
}

static void mark_unreal(struct tk_judged_frames *j, const double *ms)
{
    double since = UNREAL_SINCE;
    for (size_t i = 0; i < j->n; i++) {
        since += ms[i];
        const bool hitch =
            i && ms[i] >= UNREAL_LEAST && ms[i] > UNREAL_TIMES * ms[i - 1] && since >= UNREAL_SINCE;
        j->is[i] = (uint8_t)((j->is[i] & ~TK_FRAME_IS_HITCH) | (hitch ? TK_FRAME_IS_HITCH : 0));
        since = hitch ? 0 : since;
    }
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The median of all: of an even number the lower one of the two in the middle. */
static int find_median(struct tk_judged_frames *j, const double *ms)
{
    double *v = malloc((j->n + 1) * sizeof *v);
    if (!v)
        return -1;
    if (j->n) {
        memcpy(v, ms, j->n * sizeof *v);
        qsort(v, j->n, sizeof *v, by_value);
        j->median = v[(j->n - 1) / 2];
    }
    free(v);
    return 0;
}

int tk_frames_judge(struct tk_judged_frames *j, const double *ms, size_t n, const struct tk_hitch_rule *rule)
{
    *j = (struct tk_judged_frames){
        .n = n, .expected = malloc((n + 1) * sizeof *j->expected), .is = calloc(n + 1, sizeof *j->is)};
    if (!j->expected || !j->is || find_median(j, ms))
        return -1;
    j->alone = n == 1 && rule->kind != TK_HITCH_RULE_LIMIT;
    find_expected(ms, n, j->expected);
    mark_local(j, ms);
    mark_startup(j);
    if (rule->kind == TK_HITCH_RULE_ENGINE)
        mark_unreal(j, ms);
    else if (rule->kind != TK_HITCH_RULE_LOCAL)
        mark_over(j, ms, rule->kind == TK_HITCH_RULE_LIMIT ? rule->value : rule->value * j->median);
    return 0;
}

void tk_judged_frames_release(struct tk_judged_frames *j)
{
    free(j->expected);
    free(j->is);
    *j = (struct tk_judged_frames){0};
}

const char *tk_frame_class_name(unsigned is)
{
    if (is & TK_FRAME_IS_HITCH)
        return is & TK_FRAME_IS_STARTUP ? "start-up" : is & TK_FRAME_IS_LOADING ? "loading" : "hitch";
    return is & TK_FRAME_IS_UNEVEN ? "uneven" : NULL;
}

/* ---- loading ---- */

bool tk_region_loads(const char *name, size_t n)
{
    static const char pattern[] = "*Load*";
    return tk_glob(pattern, strlen(pattern), name, n, false);
}

void tk_frames_find_stretches(uint8_t *is, const double *ms, const double *loading, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        double length = 0;
        for (end = first; end < n && ms[end] > 0 && loading[end] >= ms[end] / 2; end++)
            length += ms[end];
        for (size_t i = first; i < end && length >= STRETCH; i++)
            is[i] |= TK_FRAME_IS_LOADING;
        end += end == first;
    }
}

/* ---- texts ---- */

bool tk_hitch_rule_parse(const char *text, struct tk_hitch_rule *out)
{
    static const struct {
        const char *name;
        struct tk_hitch_rule rule;
    } words[] = {{"", {TK_HITCH_RULE_LOCAL, 0}},
                 {"local", {TK_HITCH_RULE_LOCAL, 0}},
                 {"unreal", {TK_HITCH_RULE_ENGINE, 0}},
                 {"median", {TK_HITCH_RULE_TIMES, TK_HITCH_MEDIANS}}};
    char *end;
    const double value = strtod(text, &end);
    const bool times = strcmp(end, "x") == 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].name) == 0) {
            *out = words[i].rule;
            return true;
        }
    *out = (struct tk_hitch_rule){times ? TK_HITCH_RULE_TIMES : TK_HITCH_RULE_LIMIT, value};
    return end != text && value > 0 && value < 1e9 && (times || !*end || strcmp(end, "ms") == 0);
}

void tk_hitch_rule_text(const struct tk_hitch_rule *rule, char text[TK_HITCH_RULE_TEXT])
{
    if (rule->kind == TK_HITCH_RULE_LIMIT)
        snprintf(text, TK_HITCH_RULE_TEXT, "%.6gms", rule->value);
    else if (rule->kind == TK_HITCH_RULE_TIMES && fabs(rule->value - TK_HITCH_MEDIANS) > 1e-9)
        snprintf(text, TK_HITCH_RULE_TEXT, "%.6gx", rule->value);
    else
        snprintf(text, TK_HITCH_RULE_TEXT, "%s",
                 rule->kind == TK_HITCH_RULE_TIMES    ? "median"
                 : rule->kind == TK_HITCH_RULE_ENGINE ? "unreal"
                                                      : "local");
}

void tk_hitch_rule_means(const struct tk_hitch_rule *rule, double median_ms, char text[96])
{
    if (rule->kind == TK_HITCH_RULE_LIMIT)
        snprintf(text, 96, "over %.4g ms", rule->value);
    else if (rule->kind == TK_HITCH_RULE_TIMES)
        snprintf(text, 96, "over %.4g ms (%g x median)", rule->value * median_ms, rule->value);
    else
        snprintf(text, 96, "%s",
                 rule->kind == TK_HITCH_RULE_ENGINE ? "a hitch by the rule of Unreal Engine"
                                                    : "late against the frames around it");
}
