/*
 * The frames in which timers of a run took far more than in others. A builder without rows that reads along
 * with the one for what bounds frames, once the series of the run are there: it sums the own time of those
 * that take long enough by frame, and keeps of each what is beyond its limit (judge/clip.h).
 *
 * Own time belongs to the frame in which the scope ends, as it does to the block. Where the frames of a timer
 * come to anything else than its blocks, as when it got its name too late, nothing is kept of it.
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/baseline/block_walk.h"
#include "compare/collect/collect.h"
#include "compare/collect/collect_in.h"
#include "model/timers/thread_class.h"

#include <math.h>
#include <stdlib.h>

#define MOST_TIMERS 256u
#define MOST_BYTES  (UINT64_C(64) << 20) /* of the frames of all timers on one class of threads */
#define LEAST_PART  1.5e-4               /* of the time of all frames: others are too short to be judged */

/* As the query names them: it is that of another table. */
static const struct tk_column columns[] = {{"bound_by", TK_TEXT, 0, NULL, "nothing"},
                                           {"frames", TK_UINT, 0, NULL, "nothing"}};

static const struct tk_table table = {
    .name = "greatest frames", .help = "frames of a run", .columns = columns, .n_columns = 2};

struct frame_sums {
    struct tk_collect_class class; /* without calls */
    int64_t **v;                   /* owned: by worker and name; owned: by frame of the run. NULL: nothing */
};

struct greatest {
    const struct tk_query_context *view;
    struct tk_base_run *run; /* borrowed */
    struct tk_dict threads;  /* as they are called at the end */
    TK_VEC(struct tk_series *) timers;
    TK_VEC(const struct tk_str *) names; /* of them, sorted */
    TK_VEC(uint32_t) marks;              /* by timer: 1 + its name */
    uint32_t *place;      /* owned; by frame of the capture: the one of the run, or UINT32_MAX */
    TK_VEC(size_t) lanes; /* by lane: 1 + its class; and which of the class it is */
    TK_VEC(size_t) numbers;
    TK_VEC(struct frame_sums) classes;
    unsigned workers;
};

/* ---- which timers ---- */

static int by_own(const void *a, const void *b)
{
    const struct tk_series *const *x = a, *const *y = b;
    const int more = ((*x)->own < (*y)->own) - ((*x)->own > (*y)->own);
    return more ? more : tk_series_compare(*x, *y);
}

static int by_name(const void *a, const void *b)
{
    const struct tk_str *const *x = a, *const *y = b;
    return tk_str_order(*x, *y);
}

static int choose_timers(struct greatest *g)
{
    const struct tk_base_run *run = g->run;
    const uint64_t space = MOST_BYTES / ((run->frames.n + 1) * sizeof **g->classes.v->v);
    double all = 0;
    for (size_t i = 0; i < run->frames.n; i++)
        all += (double)run->frames.v[i];
    for (size_t i = 0; i < run->series.n; i++) {
        struct tk_series *s = run->series.v[i];
        if (tk_series_has_calls(s->kind) && !s->by_file && (double)s->own >= all * LEAST_PART &&
            tk_vec_push(&g->timers, s))
            return -1;
    }
    if (g->timers.n)
        qsort(g->timers.v, g->timers.n, sizeof *g->timers.v, by_own);
    if (g->timers.n > MOST_TIMERS)
        g->timers.n = MOST_TIMERS;
    if (g->timers.n > space)
        g->timers.n = (size_t)space;
    for (size_t i = 0; i < g->timers.n; i++)
        if (tk_vec_push(&g->names, g->timers.v[i]->name))
            return -1;
    if (g->names.n)
        qsort(g->names.v, g->names.n, sizeof *g->names.v, by_name);
    return 0;
}

static size_t slot_of(const struct greatest *g, const struct tk_str *name)
{
    size_t at;
    TK_SEARCH(at, g->names.n, tk_str_order(g->names.v[at], name) < 0);
    return at < g->names.n && tk_str_order(g->names.v[at], name) == 0 ? at : SIZE_MAX;
}

static int mark_timer(struct greatest *g, uint32_t id)
{
    const struct tk_timer *timer = tk_dict_timer(g->view->dict, id);
    if (!timer || !timer->displayed)
        return 0;
    if (tk_vec_reserve(&g->marks, (size_t)id + 1))
        return -1;
    while (g->marks.n <= id)
        g->marks.v[g->marks.n++] = 0;
    g->marks.v[id] = (uint32_t)(slot_of(g, timer->displayed) + 1);
    return 0;
}

static int place_frames(struct greatest *g)
{
    const size_t n = g->view->frames->n;
    g->place = malloc((n + 1) * sizeof *g->place);
    for (size_t i = 0; g->place && i < n; i++)
        g->place[i] = UINT32_MAX;
    for (uint32_t i = 0; g->place && i < g->run->frames.n; i++) {
        const uint32_t number = g->run->numbers ? g->run->numbers[i] : i;
        if (number < n)
            g->place[number] = i;
    }
    return g->place ? 0 : -1;
}

static int open_greatest(const struct tk_query_context *view, const struct tk_builder *builder,
                         uint64_t wanted, void **self, struct tk_err *err)
{
    struct greatest *g = calloc(1, sizeof *g);
    (void)builder;
    (void)wanted;
    if (!g)
        return tk_err_nomem(err, "frames of a run");
    *self = g;
    g->view = view;
    g->run = ((const struct tk_collect_bound *)(const void *)view->query)->run;
    g->workers = tk_pool_jobs(view->ctx->pool);
    int rc = tk_dict_init(&g->threads, &view->ctx->limits, err);
    if (rc == TK_OK)
        rc = tk_dict_learn_threads(&g->threads, view->dict, err);
    if (rc < 0)
        return rc;
    rc = choose_timers(g) || place_frames(g) ? -1 : 0;
    for (uint32_t i = 0; i < view->dict->timers.n && rc == 0; i++)
        rc = mark_timer(g, i);
    return rc ? tk_err_nomem(err, "frames of a run") : TK_OK;
}

/* ---- reading ---- */

static int find_class(struct greatest *g, const struct tk_scope_run *run, size_t *out)
{
    struct tk_collect_class want = {.kind = run->kind, .queue = run->thread};
    if (run->kind == TK_LANE_THREAD) {
        const struct tk_thread *t = tk_dict_thread(&g->threads, run->thread);
        want.queue = 0;
        want.name = t ? tk_thread_class(&g->run->names, t->displayed, t->info.group) : NULL;
        if (!want.name)
            return -1;
    }
    for (*out = 0; *out < g->classes.n; ++*out) {
        const struct tk_collect_class *c = &g->classes.v[*out].class;
        if (c->kind == want.kind && c->queue == want.queue && c->name == want.name)
            return 0;
    }
    const struct frame_sums sums = {want, calloc(g->workers * g->names.n + 1, sizeof *sums.v)};
    if (sums.v && !tk_vec_push(&g->classes, sums))
        return 0;
    free(sums.v);
    return -1;
}

static int know_lane(struct greatest *g, const struct tk_scope_run *run)
{
    size_t class;
    if (tk_vec_reserve(&g->lanes, (size_t)run->lane + 1) ||
        tk_vec_reserve(&g->numbers, (size_t)run->lane + 1))
        return -1;
    for (; g->lanes.n <= run->lane; g->lanes.n++, g->numbers.n++)
        g->lanes.v[g->lanes.n] = g->numbers.v[g->numbers.n] = 0;
    if (g->lanes.v[run->lane])
        return 0;
    if (find_class(g, run, &class))
        return -1;
    g->lanes.v[run->lane] = class + 1;
    g->numbers.v[run->lane] = g->classes.v[class].class.lanes++;
    return 0;
}

static int feed_greatest(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct greatest *g = self;
    int rc = 0;
    (void)emit;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = know_lane(g, &batch->runs[i]);
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++)
        if (batch->facts[i].kind == TK_FACT_TIMER)
            rc = mark_timer(g, batch->facts[i].u.timer.id);
    return rc ? tk_err_nomem(err, "frames of a run") : TK_OK;
}

/* The frame of the run in which a slice ends, or UINT32_MAX. */
static uint32_t frame_of(const struct greatest *g, const struct tk_slices *s, size_t i)
{
    const struct tk_collect_frames all = {.frames = g->view->frames};
    const size_t frame = s->frame[i] < TK_FRAME_PARTS ? s->frame[i] : tk_collect_frame_at(&all, s->end[i]);
    return frame < g->view->frames->n ? g->place[frame] : UINT32_MAX;
}

static int take_greatest(void *self, const struct tk_slices *s, unsigned worker)
{
    struct greatest *g = self;
    const struct frame_sums *sums = &g->classes.v[g->lanes.v[s->lane] - 1];
    /* as in collect.c: few lanes need no sums of all workers */
    const size_t first = (sums->class.lanes <= g->workers ? g->numbers.v[s->lane] : worker) * g->names.n;
    for (size_t i = 0; i < s->n && s->kind != TK_LANE_GPU_WORK; i++) {
        const uint32_t mark = s->timer[i] < g->marks.n ? g->marks.v[s->timer[i]] : 0;
        const uint32_t frame = mark ? frame_of(g, s, i) : UINT32_MAX;
        if (frame == UINT32_MAX)
            continue;
        int64_t **v = &sums->v[first + mark - 1];
        if (!*v && !(*v = calloc(g->run->frames.n + 1, sizeof **v)))
            return TK_ENOMEM;
        (*v)[frame] = tk_wrap_add((*v)[frame], (int64_t)s->excl[i]);
    }
    return TK_OK;
}

/* ---- the end ---- */

static bool is_of(const struct frame_sums *sums, const struct tk_series *s, const struct tk_str *group)
{
    const bool thread = sums->class.kind == TK_LANE_THREAD;
    return thread == (s->kind == TK_SERIES_TIMER) && tk_str_order(group, s->group) == 0;
}

/* Adds up what a timer has in each frame of the run. 0, or -1 if out of memory. */
static int add_frames(struct greatest *g, const struct tk_series *s, int64_t *own)
{
    const size_t slot = slot_of(g, s->name);
    for (size_t i = 0; i < g->classes.n; i++) {
        const struct frame_sums *sums = &g->classes.v[i];
        const struct tk_str *group = tk_collect_group(g->run, g->view->dict, &sums->class);
        if (!group)
            return -1;
        for (unsigned w = 0; w < g->workers && is_of(sums, s, group); w++) {
            const int64_t *v = sums->v[w * g->names.n + slot];
            for (size_t k = 0; v && k < g->run->frames.n; k++)
                own[k] = tk_wrap_add(own[k], v[k]);
        }
    }
    return 0;
}

static int finish_timer(struct greatest *g, struct tk_series *s, int64_t *own, struct tk_rate *space)
{
    const size_t n = g->run->frames.n;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        own[i] = 0;
    if (add_frames(g, s, own))
        return -1;
    for (size_t i = 0; i < n; i++)
        sum += (double)own[i];
    if (fabs(sum - tk_block_sum(s, 0, g->run->n_blocks)) > 0.5)
        return 0;
    return tk_series_find_greatest(g->run, s, own, space);
}

static int finish_greatest(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct greatest *g = self;
    int64_t *own = malloc((g->run->frames.n + 1) * sizeof *own);
    struct tk_rate *space = malloc((g->run->frames.n + 1) * sizeof *space);
    int rc = own && space ? 0 : -1;
    (void)emit;
    for (size_t i = 0; i < g->timers.n && rc == 0; i++)
        rc = finish_timer(g, g->timers.v[i], own, space);
    free(own);
    free(space);
    return rc ? tk_err_nomem(err, "frames of a run") : TK_OK;
}

static void close_greatest(void *self)
{
    struct greatest *g = self;
    for (size_t i = 0; i < g->classes.n; i++) {
        for (size_t k = 0; k < g->workers * g->names.n; k++)
            free(g->classes.v[i].v[k]);
        free(g->classes.v[i].v);
    }
    tk_vec_release(&g->classes);
    tk_vec_release(&g->timers);
    tk_vec_release(&g->names);
    tk_vec_release(&g->marks);
    tk_vec_release(&g->lanes);
    tk_vec_release(&g->numbers);
    tk_dict_release(&g->threads);
    free(g->place);
    free(g);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_greatest};

const struct tk_builder tk_builder_greatest = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES),
              .slices = TK_SLICE_FRAME | TK_SLICE_NO_FRAME,
              .order = TK_NEEDS_ANY_ORDER,
              .lists = {.frames = TK_NEEDS_GAME_FRAMES}},
    .scopes = &scope_hooks,
    .open = open_greatest,
    .feed = feed_greatest,
    .finish = finish_greatest,
    .close = close_greatest,
};
