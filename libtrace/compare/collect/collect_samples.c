/*
 * Counts samples by block of frames. The engine reads the moments of all samples
 * beforehand; scopes are laid over them as they end, so that the innermost one gets each. Their stacks come
 * with the reading, and are put alongside the moments in the end.
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "compare/collect/collect_in.h"
#include "model/samples/sample_record.h"

#include <stdlib.h>

#define NO_TIMER UINT32_MAX

/* A sample with all that is known of it. */
struct one {
    int64_t time;
    uint32_t thread; /* of the capture */
    uint32_t stack;
};

/* What samples are counted for. */
struct target {
    const struct tk_str *name, *group, *file;
    uint64_t count;
    struct tk_series *series; /* NULL: too few */
};

struct counting {
    struct tk_collect_samples *c;
    struct tk_base_run *run;
    const struct tk_str *function, *module; /* of the stack that is being walked */
    TK_VEC(struct target) targets;
    struct tk_map index;
    TK_VEC(uint32_t) functions; /* by stack: its target; UINT32_MAX: it has none, or is not selected */
    TK_VEC(struct one) samples; /* by thread, then by time */
    TK_VEC(uint32_t) timed;     /* by sample: target of its timer and function; UINT32_MAX: none */
};

bool tk_collect_samples_has(const struct tk_query_context *view)
{
    return view->capture->ops->may_have(view->capture, TK_FACT_MASK(SAMPLE)) && !tk_timer_times_needed(view);
}

int tk_collect_samples_init(struct tk_collect_samples *c, const struct tk_query_context *view,
                            const struct tk_collect_frames *frames)
{
    const size_t n = view->moments ? view->moments->v.n : 0;
    *c = (struct tk_collect_samples){.view = n ? view : NULL, .frames = frames};
    if (!n)
        return 0;
    tk_sample_stacks_init(&c->stacks, view);
    c->stacks.keeps_times = true;
    c->timers = malloc(n * sizeof *c->timers);
    for (size_t i = 0; c->timers && i < n; i++)
        c->timers[i] = NO_TIMER;
    return c->timers ? 0 : -1;
}

/* Lanes are made here, as slices are taken by several workers. */
static int make_lane(struct tk_collect_samples *c, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&c->lanes, (size_t)run->lane + 1))
        return -1;
    if (c->lanes.v[run->lane])
        return 0;
    struct tk_sampled_lane *lane = c->lanes.v[run->lane] = calloc(1, sizeof *lane);
    if (!lane)
        return -1;
    const struct tk_sample_moment *first = tk_sample_moments_of(c->view->moments, run->thread, &lane->n);
    lane->first = first ? (size_t)(first - c->view->moments->v.v) : 0;
    return 0;
}

int tk_collect_samples_feed(struct tk_collect_samples *c, const struct tk_batch *batch)
{
    if (!c->view)
        return 0;
    for (size_t i = 0; i < batch->n_runs; i++)
        if (batch->runs[i].kind == TK_LANE_THREAD && make_lane(c, &batch->runs[i]))
            return -1;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (tk_sample_stacks_feed(&c->stacks, &batch->facts[i]))
            return -1;
    return 0;
}

int tk_collect_samples_take(struct tk_collect_samples *c, const struct tk_slices *s)
{
    struct tk_sampled_lane *lane = c->view && s->lane < c->lanes.n ? c->lanes.v[s->lane] : NULL;
    if (!lane || s->kind != TK_LANE_THREAD)
        return 0;
    const struct tk_sample_moment *moments = tk_vec_at(&c->view->moments->v, lane->first);
    for (size_t i = 0; i < s->n; i++) {
        while (lane->passed < lane->n && moments[lane->passed].time < s->end[i])
            lane->passed++;
        for (size_t k = lane->passed; k-- > 0 && moments[k].time >= s->begin[i];)
            if (c->timers[lane->first + k] == NO_TIMER)
                c->timers[lane->first + k] = s->timer[i];
    }
    return 0;
}

/* ---- functions ---- */

static const struct tk_str *kept(const struct counting *k, const struct tk_str *text)
{
    return text ? tk_intern(&k->run->names, text->p, text->n, (enum tk_encoding)text->enc)
                : tk_intern_c(&k->run->names, "");
}

static int take_innermost(void *to, const struct tk_sample_place *place, bool own)
{
    struct counting *k = to;
    (void)own;
    k->function = kept(k, place->function);
    k->module = kept(k, place->module);
    return k->function && k->module ? 1 : -1;
}

/* The target of these names; UINT32_MAX if out of memory. */
static uint32_t reach(struct counting *k, const struct target *wanted)
{
    const uint64_t hash =
        tk_hash_pair((uint64_t)(uintptr_t)wanted->name,
                     tk_hash_pair((uint64_t)(uintptr_t)wanted->group, (uint64_t)(uintptr_t)wanted->file));
    uint32_t at = tk_map_get(&k->index, hash);
    if (at != TK_MAP_NONE)
        return at;
    at = (uint32_t)k->targets.n;
    return tk_vec_push(&k->targets, *wanted) || tk_map_put(&k->index, hash, at) ? UINT32_MAX : at;
}

static int find_functions(struct counting *k)
{
    const struct tk_str *none = tk_intern_c(&k->run->names, "");
    for (size_t i = 0; none && i < k->c->stacks.v.n; i++) {
        const struct tk_sample_stack *stack = &k->c->stacks.v.v[i];
        uint32_t at = UINT32_MAX;
        k->function = NULL;
        if (tk_sample_stack_selected(&k->c->stacks, stack)) {
            if (tk_sample_stack_walk(&k->c->stacks, stack, take_innermost, k) < 0)
                return -1;
            const struct target made = {k->function ? k->function : tk_code_no_function(&k->run->names, NULL),
                                        k->function ? k->module : none, none, 0, NULL};
            at = made.name ? reach(k, &made) : UINT32_MAX;
            if (at == UINT32_MAX)
                return -1;
        }
        if (tk_vec_push(&k->functions, at))
            return -1;
    }
    return none ? 0 : -1;
}

/* ---- single samples ---- */

static int by_thread(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static int list_samples(struct counting *k)
{
    const struct tk_sample_stacks *s = &k->c->stacks;
    for (size_t i = 0; i < s->timed.n; i++) {
        const uint32_t stack = s->timed.v[i].stack;
        const struct one one = {s->timed.v[i].time, s->threads.v.v[s->v.v[stack].thread].thread, stack};
        if (tk_vec_push(&k->samples, one))
            return -1;
    }
    return tk_sort(k->samples.v, k->samples.n, sizeof *k->samples.v, by_thread);
}

/* A function inside of a timer. */
static int count_timed(struct counting *k, uint32_t timer, uint32_t function)
{
    const struct tk_timer *t = timer == NO_TIMER ? NULL : tk_dict_timer(k->c->view->dict, timer);
    uint32_t at = UINT32_MAX;
    if (t) {
        const struct target *of = &k->targets.v[function];
        const struct target made = {of->name, kept(k, t->displayed), of->group, 0, NULL};
        at = made.group ? reach(k, &made) : UINT32_MAX;
        if (at == UINT32_MAX)
            return -1;
        k->targets.v[at].count++;
    }
    return tk_vec_push(&k->timed, at);
}

/* Moments are in the order of the samples here, and have those that are not selected, too. */
static int count_samples(struct counting *k)
{
    const struct tk_sample_moments *moments = k->c->view->moments;
    size_t at = 0;
    for (size_t i = 0; i < k->samples.n; i++) {
        const struct one *one = &k->samples.v[i];
        const uint32_t function = k->functions.v[one->stack];
        uint32_t timer = NO_TIMER;
        while (at < moments->v.n &&
               (moments->v.v[at].thread < one->thread ||
                (moments->v.v[at].thread == one->thread && moments->v.v[at].time < one->time)))
            at++;
        if (at < moments->v.n && moments->v.v[at].thread == one->thread && moments->v.v[at].time == one->time)
            timer = k->c->timers[at++];
        if (function == UINT32_MAX || tk_collect_block_at(k->c->frames, one->time) == SIZE_MAX) {
            if (tk_vec_push(&k->timed, UINT32_MAX))
                return -1;
            continue;
        }
        k->targets.v[function].count++;
        if (count_timed(k, timer, function))
            return -1;
    }
    return 0;
}

/* ---- series ---- */

struct ranked {
    const struct target *target;
    uint32_t at;
};

static int by_count(const void *a, const void *b)
{
    const struct target *x = ((const struct ranked *)a)->target, *y = ((const struct ranked *)b)->target;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    const int c = tk_str_order(x->name, y->name), d = c ? c : tk_str_order(x->group, y->group);
    return d ? d : tk_str_order(x->file, y->file);
}

/* Gives series to those with the most samples: functions, and functions inside of timers. */
static int make_series(struct counting *k, size_t n_functions)
{
    struct ranked *order = malloc((k->targets.n + 1) * sizeof *order);
    size_t made[2] = {0};
    int rc = order ? 0 : -1;
    for (uint32_t i = 0; rc == 0 && i < k->targets.n; i++)
        order[i] = (struct ranked){&k->targets.v[i], i};
    if (rc == 0)
        rc = tk_sort(order, k->targets.n, sizeof *order, by_count);
    for (size_t i = 0; rc == 0 && i < k->targets.n; i++) {
        struct target *t = &k->targets.v[order[i].at];
        const unsigned inside = order[i].at >= n_functions;
        if (!t->count || made[inside]++ >= TK_SAMPLED_FUNCTIONS)
            continue;
        t->series = tk_base_run_add(k->run, inside ? TK_SERIES_INSIDE : TK_SERIES_SAMPLES);
        if (!t->series) {
            rc = -1;
            break;
        }
        t->series->name = t->name;
        t->series->group = t->group;
        t->series->file = t->file;
        t->series->count = t->count;
    }
    free(order);
    return rc;
}

static int fill_series(struct counting *k)
{
    struct tk_series *all = tk_base_run_add(k->run, TK_SERIES_SAMPLES);
    for (size_t i = 0; all && i < k->samples.n; i++) {
        const uint32_t function = k->functions.v[k->samples.v[i].stack], timed = k->timed.v[i];
        const size_t block = tk_collect_block_at(k->c->frames, k->samples.v[i].time);
        if (function == UINT32_MAX || block == SIZE_MAX)
            continue;
        all->count++;
        all->blocks[block]++;
        if (k->targets.v[function].series)
            k->targets.v[function].series->blocks[block]++;
        if (timed != UINT32_MAX && k->targets.v[timed].series)
            k->targets.v[timed].series->blocks[block]++;
    }
    return all ? 0 : -1;
}

int tk_collect_samples_finish(struct tk_collect_samples *c)
{
    struct counting k = {.c = c, .run = c->frames ? c->frames->run : NULL};
    if (!c->view)
        return 0;
    int rc = tk_sample_stacks_settle(&c->stacks) || find_functions(&k) ? -1 : 0;
    const size_t n_functions = k.targets.n;
    if (rc == 0)
        rc =
            list_samples(&k) || count_samples(&k) || make_series(&k, n_functions) || fill_series(&k) ? -1 : 0;
    tk_vec_release(&k.targets);
    tk_vec_release(&k.functions);
    tk_vec_release(&k.samples);
    tk_vec_release(&k.timed);
    tk_map_release(&k.index);
    return rc;
}

void tk_collect_samples_release(struct tk_collect_samples *c)
{
    if (!c->view)
        return;
    tk_sample_stacks_release(&c->stacks);
    for (size_t i = 0; i < c->lanes.n; i++)
        free(c->lanes.v[i]);
    tk_vec_release(&c->lanes);
    free(c->timers);
}
