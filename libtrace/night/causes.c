/*
 * Counts the hitches of runs by cause, and says which causes are new.
 */
#include "night/causes.h"

#include "base/text/text.h"
#include "compare/baseline/run_info.h"
#include "compare/verdict/probability.h"
#include "judge/work.h"

#include <stdlib.h>
#include <string.h>

#define CLEAR         0.25 /* of the excess: a cause that grew by less is none */
#define CHANCE        0.01
#define LEAST_SECONDS 30.0 /* of frames a side */
#define LEAST_HITCHES 3
#define LEAST_RUNS    2

const char *tk_cause_phase_name(unsigned phase)
{
    static const char *const names[] = {"play", "loading", "startup"};
    return names[phase];
}

const char *tk_cause_state_name(unsigned state)
{
    static const char *const names[] = {"", "same", "LESS", "GONE", "MORE", "NEW"};
    return names[state];
}

static const struct tk_str *keep(struct tk_causes *c, const struct tk_str *s)
{
    return s ? tk_intern(&c->names, s->p, s->n, (enum tk_encoding)s->enc) : tk_intern_c(&c->names, "");
}

/* ---- hitches ---- */

static enum tk_cause_phase phase_of(unsigned is)
{
    return is & TK_FRAME_IS_STARTUP   ? TK_CAUSE_STARTUP
           : is & TK_FRAME_IS_LOADING ? TK_CAUSE_LOADING
                                      : TK_CAUSE_PLAY;
}

/* What a timer does; what is none says so itself. */
static const char *work_of(const struct tk_work_list *list, const struct tk_str *timer)
{
    if (timer->n && timer->p[0] == '(')
        return memcmp(timer->p, "(on no core)", timer->n < 12 ? timer->n : 12) == 0 ? "off_core" : "outside";
    const enum tk_work work = tk_work_of_name(list, timer->p, timer->n);
    return tk_work_name(work == TK_WORK_KINDS ? TK_WORK_OWN : work);
}

/* The number of a cause; UINT32_MAX if out of memory. */
static uint32_t find_cause(struct tk_causes *c, const struct tk_cause *like)
{
    for (size_t i = 0; i < c->v.n; i++) {
        const struct tk_cause *x = &c->v.v[i];
        if (x->phase == like->phase && x->timer == like->timer && x->thread == like->thread &&
            strcmp(x->work, like->work) == 0)
            return (uint32_t)i;
    }
    return tk_vec_push(&c->v, *like) ? UINT32_MAX : (uint32_t)c->v.n - 1;
}

static int add_hitch(struct tk_causes *c, const struct tk_work_list *list, unsigned is,
                     const struct tk_base_hitch *reason, struct tk_cause_hitch hitch)
{
    static const struct tk_str none = {.p = ""};
    const bool clear = reason && reason->cause->n && reason->growth >= CLEAR * reason->excess;
    struct tk_cause cause = {.phase = (uint8_t)phase_of(is),
                             .work = clear    ? work_of(list, reason->cause)
                                     : reason ? "unclear"
                                              : "unknown",
                             .timer = keep(c, clear ? reason->cause : &none),
                             .thread = keep(c, clear ? reason->cause_thread : &none)};
    if (!cause.timer || !cause.thread)
        return -1;
    hitch.cause = find_cause(c, &cause);
    return hitch.cause == UINT32_MAX ? -1 : tk_vec_push(&c->hitches, hitch);
}

static const struct tk_base_hitch *reason_of(const struct tk_base_run *run, size_t frame, size_t *next)
{
    const uint32_t number = run->numbers ? run->numbers[frame] : (uint32_t)frame;
    while (*next < run->reasons.n && run->reasons.v[*next].number < number)
        ++*next;
    return *next < run->reasons.n && run->reasons.v[*next].number == number ? &run->reasons.v[*next] : NULL;
}

static int add_hitches(struct tk_causes *c, const struct tk_work_list *list, const struct tk_base_run *run)
{
    size_t next = 0;
    int rc = 0;
    for (size_t i = 0; i < run->judged.n && rc == 0; i++) {
        const unsigned is = run->judged.is[i];
        if (!(is & TK_FRAME_IS_HITCH))
            continue;
        const struct tk_base_hitch *reason = reason_of(run, i, &next);
        const double ms = tk_base_ms(run, (double)run->frames.v[i]);
        rc = add_hitch(c, list, is, reason,
                       (struct tk_cause_hitch){.run = (uint32_t)c->runs.n,
                                               .frame = reason         ? reason->frame
                                                        : run->numbers ? run->numbers[i]
                                                                       : i,
                                               .excess = reason && reason->excess > 0
                                                             ? reason->excess
                                                             : ms - run->judged.expected[i]});
    }
    return rc;
}

/* Minutes of play are those that its hitches are a rate of (judge/smoothness.h). */
static void measure_run(const struct tk_base_run *run, struct tk_cause_run *out)
{
    double all = 0, play = 0;
    for (size_t i = 0; i < run->frames.n; i++) {
        const double ms = tk_base_ms(run, (double)run->frames.v[i]);
        const unsigned is = i < run->judged.n ? run->judged.is[i] : 0;
        all += ms;
        play += is & TK_FRAME_IS_STARTUP || tk_is_loading_hitch(is) ? 0 : ms;
    }
    out->seconds = all / 1e3;
    for (int i = 0; i < TK_CAUSE_PHASES; i++)
        out->minutes[i] = (i == TK_CAUSE_PLAY ? play : all) / 6e4;
}

int tk_causes_add(struct tk_causes *c, const struct tk_base_run *run, bool before)
{
    struct tk_work_list list = {0};
    const struct tk_str *capture = tk_base_run_about(run, "capture"),
                        *build = tk_base_run_about(run, "build");
    struct tk_cause_run own = {.before = before};
    if (tk_base_run_is_unit(run))
        return 0;
    int rc = tk_work_list_parse(&list, NULL, NULL) == TK_OK ? 0 : -1;
    if (capture && !(own.capture = keep(c, capture)))
        rc = -1;
    if (build && !(own.build = keep(c, build)))
        rc = -1;
    measure_run(run, &own);
    if (rc == 0)
        rc = add_hitches(c, &list, run);
    tk_work_list_release(&list);
    return rc == 0 ? tk_vec_push(&c->runs, own) : rc;
}

/* ---- sides ---- */

/* The number that a build ends with; -1: none. */
static double number_of(const struct tk_str *s)
{
    double v = -1, digit = 1;
    for (uint32_t n = s ? s->n : 0; n && s->p[n - 1] >= '0' && s->p[n - 1] <= '9'; n--, digit *= 10)
        v = (v < 0 ? 0 : v) + digit * (s->p[n - 1] - '0');
    return v;
}

/* The newest build, where there are several and all have one; NULL. */
static const struct tk_str *newest_build(const struct tk_causes *c)
{
    const struct tk_str *newest = NULL;
    bool several = false;
    for (size_t i = 0; i < c->runs.n; i++) {
        const struct tk_str *build = c->runs.v[i].build;
        if (!build)
            return NULL;
        several |= newest && build != newest;
        if (!newest || number_of(build) > number_of(newest) ||
            (number_of(build) <= number_of(newest) && number_of(build) >= number_of(newest) &&
             tk_str_order(build, newest) > 0))
            newest = build;
    }
    return several ? newest : NULL;
}

/* Which side a run is on. */
static int side_of(const struct tk_causes *c, const struct tk_str *newest, size_t run)
{
    return newest ? c->runs.v[run].build == newest : !c->runs.v[run].before;
}

static bool has_before(const struct tk_causes *c)
{
    for (size_t i = 0; i < c->runs.n; i++)
        if (c->runs.v[i].before)
            return true;
    return false;
}

static void measure_sides(struct tk_causes *c, const struct tk_str *newest)
{
    bool several = false;
    for (size_t i = 0; i < c->runs.n; i++) {
        const struct tk_cause_run *run = &c->runs.v[i];
        const int side = side_of(c, newest, i);
        c->seconds[side] += run->seconds;
        for (int k = 0; k < TK_CAUSE_PHASES; k++)
            c->minutes[side][k] += run->minutes[k];
        if (side == 0) {
            several |= c->build && run->build != c->build;
            c->build = run->build;
        }
    }
    c->build = several ? NULL : c->build;
}

/* ---- counts and states ---- */

static void count_hitch(struct tk_cause *x, const struct tk_cause_hitch *h, int side)
{
    const bool other = x->n[0] + x->n[1] == 0 || x->last_run != h->run;
    x->captures += other;
    x->captures_of[side] += other;
    x->last_run = h->run;
    x->n[side]++;
    x->excess += h->excess;
    if (x->n[0] + x->n[1] == 1 || h->excess > x->worst) {
        x->worst = h->excess;
        x->worst_run = h->run;
        x->worst_frame = h->frame;
    }
}

static uint8_t state_of(const struct tk_causes *c, const struct tk_cause *x)
{
    const double before = c->minutes[0][x->phase], after = c->minutes[1][x->phase];
    if (c->seconds[0] < LEAST_SECONDS || c->seconds[1] < LEAST_SECONDS)
        return TK_CAUSE_UNJUDGED;
    if (tk_probability_split(x->n[1], x->n[0], after / (before + after)) >= CHANCE)
        return TK_CAUSE_SAME;
    if (!x->n[0] && x->n[1] >= LEAST_HITCHES && x->captures_of[1] >= LEAST_RUNS)
        return TK_CAUSE_NEW;
    if (!x->n[1] && x->n[0] >= LEAST_HITCHES && x->captures_of[0] >= LEAST_RUNS)
        return TK_CAUSE_GONE;
    return (double)x->n[1] * before > (double)x->n[0] * after ? TK_CAUSE_MORE : TK_CAUSE_LESS;
}

static int by_hitches(const void *a, const void *b)
{
    const struct tk_cause *x = a, *y = b;
    const size_t m = x->n[0] + x->n[1], n = y->n[0] + y->n[1];
    int c = (x->phase > y->phase) - (x->phase < y->phase);
    c = c ? c : (m < n) - (m > n);
    c = c ? c : tk_str_order(x->timer, y->timer);
    return c ? c : tk_str_order(x->thread, y->thread);
}

int tk_causes_settle(struct tk_causes *c)
{
    const struct tk_str *newest = has_before(c) ? NULL : newest_build(c);
    const bool sided = newest || has_before(c);
    if (sided)
        measure_sides(c, newest);
    for (size_t i = 0; i < c->hitches.n; i++)
        count_hitch(&c->v.v[c->hitches.v[i].cause], &c->hitches.v[i],
                    sided ? side_of(c, newest, c->hitches.v[i].run) : 1);
    for (size_t i = 0; i < c->v.n; i++)
        c->n[c->v.v[i].phase] += c->v.v[i].n[0] + c->v.v[i].n[1];
    for (size_t i = 0; i < c->v.n; i++) {
        struct tk_cause *x = &c->v.v[i];
        x->share = (double)(x->n[0] + x->n[1]) / (double)c->n[x->phase];
        for (int side = 0; side < 2; side++)
            x->rate[side] =
                c->minutes[side][x->phase] > 0 ? (double)x->n[side] / c->minutes[side][x->phase] : -1;
        x->state = sided ? state_of(c, x) : TK_CAUSE_UNJUDGED;
    }
    if (c->v.n)
        qsort(c->v.v, c->v.n, sizeof *c->v.v, by_hitches);
    return 0;
}

void tk_causes_release(struct tk_causes *c)
{
    tk_vec_release(&c->runs);
    tk_vec_release(&c->hitches);
    tk_vec_release(&c->v);
    tk_intern_release(&c->names);
}
