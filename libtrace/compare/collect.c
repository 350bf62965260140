/*
 * Collecting runs: slices of each lane go to sums by timer and to sums of own time by block of frames; when
 * all is read, lanes of a class of threads become one series a timer. See collect.h.
 *
 * Own time belongs to the block in which the scope ends, and calls to the part of the run that it is in.
 */
#include "compare/collect.h"

#include <stdlib.h>
#include <string.h>

#include "compare/collect_loading.h"
#include "compare/collect_memory.h"
#include "compare/collect_paths.h"
#include "compare/collect_segments.h"
#include "compare/collect_values.h"
#include "model/thread_class.h"
#include "stats/agg.h"

static const struct tk_column columns[] = {{"run", TK_UINT, 0, NULL, "runs"}};

static const struct tk_table table = {
    .name = "collected run", .help = "what is kept of a run", .columns = columns, .n_columns = 1};

/* What is kept of a timer on a lane beside its sums. */
struct lane_timer {
    int64_t *blocks;           /* owned; NULL: none yet */
    struct tk_part_sum *parts; /* owned; NULL: none yet */
    uint64_t *calls;           /* owned; of the first TK_SERIES_EXACT calls; NULL: none, or more than these */
    uint32_t n_calls;
};

#define PAGE 16u

/* Paths of a run: so many times those of a thread. */
#define LANE_PATHS 8u

struct lane {
    uint32_t thread;
    uint8_t kind;
    struct tk_agg_set sums;
    struct tk_call_paths paths;
    TK_VEC(uint8_t) parts;             /* of the slices of a batch: the parts of the run they are in */
    TK_VEC(struct tk_open_scope) open; /* at the end */
    TK_VEC(struct lane_timer *) pages; /* owned, of PAGE timers */
    TK_VEC(struct lane_timer *) late;
};

struct collect {
    const struct tk_view *view;
    struct tk_base_run *run;     /* borrowed */
    size_t first, end;           /* frames that are selected lie in these */
    int64_t first_begin;         /* cycles since the start: of the first frame */
    TK_VEC(struct lane *) lanes; /* owned; by lane, NULL where nothing was met */
    struct tk_collect_values values;
    struct tk_collect_memory memory;
    struct tk_collect_loading loading;
    uint32_t *block; /* owned; by frame of the run */
    uint8_t *class;  /* owned; by block: the first part of what is in the same segments */
};

void tk_collect_init(struct tk_collect *c, struct tk_base_run *run)
{
    static const char *const names[] = {"collected run"};
    *c = (struct tk_collect){.query = TK_INIT(struct tk_query), .run = run};
    c->query.tables = names;
    c->query.n_tables = 1;
}

static unsigned slices(const struct tk_view *view, uint64_t wanted, bool *needs_frames)
{
    (void)view, (void)wanted;
    *needs_frames = true;
    return TK_SLICE_OUTER | TK_SLICE_FRAME | TK_SLICE_BEGIN | TK_SLICE_PLACE;
}

/* ---- frames ---- */

static bool is_whole(const struct tk_range *frame)
{
    return frame->to != INT64_MAX;
}

/* The begins of the frames of the run, in *out (owned). */
static int find_frames(struct collect *c, int64_t **out, struct tk_err *err)
{
    const struct tk_frames *frames = c->view->frames;
    int64_t *begins = malloc((frames->n + 1) * sizeof *begins), last = 0;
    *out = begins;
    if (!begins)
        return tk_err_nomem(err, "the frames of a run");
    c->first = SIZE_MAX;
    for (size_t i = 0; i < frames->n; i++) {
        const struct tk_range *f = &frames->v[i];
        if (!is_whole(f) || !tk_select_has(c->view->select, f->from))
            continue;
        c->first = c->first == SIZE_MAX ? i : c->first;
        c->end = i + 1;
        begins[c->run->frames.n] = f->from;
        int64_t before = c->run->frames.n ? last : 0;
        last = f->to;
        if (tk_vec_push(&c->run->gaps, f->from > before ? (uint64_t)(f->from - before) : 0) ||
            tk_vec_push(&c->run->frames, (uint64_t)(f->to - f->from)))
            return tk_err_nomem(err, "the frames of a run");
    }
    if (c->run->frames.n == 0)
        return tk_err_set(err, TK_EMATCH, "there are no frames, which are what runs are compared by");
    return TK_OK;
}

/* The part of the first block that is in the same segments. */
static uint8_t class_of(const struct tk_base_run *run, uint32_t block)
{
    for (uint32_t b = 0; b < block; b++) {
        size_t s = 0;
        while (s < run->segments.n && run->segments.v[s].has[b] == run->segments.v[s].has[block])
            s++;
        if (s == run->segments.n)
            return run->part[b];
    }
    return run->part[block];
}

/* Which block a frame is in. */
static int mark_blocks(struct collect *c)
{
    const struct tk_base_run *run = c->run;
    c->block = calloc(run->frames.n + 1, sizeof *c->block);
    for (size_t i = 0; c->block && i < run->frames.n; i++)
        c->block[i] = (uint32_t)tk_base_run_block(run, i);
    c->class = calloc((size_t)run->n_blocks + 1, 1);
    for (uint32_t b = 0; c->class && b < run->n_blocks; b++)
        c->class[b] = class_of(run, b);
    return c->block && c->class ? 0 : -1;
}

static int take_frames(struct collect *c, struct tk_err *err)
{
    int64_t *begins;
    int rc = find_frames(c, &begins, err);
    if (rc == TK_OK) {
        c->run->block_frames = tk_block_frames(c->run->frames.n);
        c->first_begin = begins[0];
        if (tk_collect_segments(c->run, begins, c->view->regions) || mark_blocks(c))
            rc = tk_err_nomem(err, "the frames of a run");
    }
    free(begins);
    return rc;
}

/* The frame a time lies in, or SIZE_MAX. */
static size_t frame_at(const struct collect *c, int64_t time)
{
    const struct tk_frames *frames = c->view->frames;
    size_t low = 0, high = frames->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (frames->v[middle].from <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low && time < frames->v[low - 1].to ? low - 1 : SIZE_MAX;
}

/* The block of a frame, or SIZE_MAX. Frames between selected ones have no block of their own: blocks then
 * count the frames from the first on, and the last block takes the rest. */
static size_t block_of(const struct collect *c, size_t frame)
{
    if (frame < c->first || frame >= c->end)
        return SIZE_MAX;
    frame -= c->first;
    return c->block[frame < c->run->frames.n ? frame : c->run->frames.n - 1];
}

size_t tk_collect_block_at(const void *self, int64_t time)
{
    const struct collect *c = self;
    size_t frame = frame_at(c, time);
    return frame == SIZE_MAX ? SIZE_MAX : block_of(c, frame);
}

/* ---- reading ---- */

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    struct collect *c = calloc(1, sizeof *c);
    (void)wanted;
    if (!c)
        return tk_err_nomem(err, "a run");
    *self = c;
    c->view = view;
    c->run = ((const struct tk_collect *)(const void *)view->query)->run;
    int rc = take_frames(c, err);
    if (rc == TK_OK)
        rc = tk_collect_values_init(&c->values, view, c->run, c, err);
    if (rc == TK_OK) {
        tk_collect_memory_init(&c->memory, view, c->run, c->first_begin);
        tk_collect_loading_init(&c->loading, view, c->run);
    }
    return rc;
}

static struct lane *lane_at(struct collect *c, size_t i)
{
    if (tk_vec_reserve(&c->lanes, i + 1))
        return NULL;
    while (c->lanes.n <= i)
        c->lanes.v[c->lanes.n++] = NULL;
    if (c->lanes.v[i])
        return c->lanes.v[i];
    struct lane *lane = c->lanes.v[i] = calloc(1, sizeof *lane);
    if (!lane || tk_call_paths_init(&lane->paths, (size_t)c->view->ctx->limits.call_paths))
        return NULL;
    lane->sums.what = TK_AGG_INCL | TK_AGG_SKETCH;
    return lane;
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct collect *c = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_runs; i++) {
        struct lane *lane = lane_at(c, batch->runs[i].lane);
        if (!lane)
            return tk_err_nomem(err, "a run");
        lane->thread = batch->runs[i].thread;
        lane->kind = batch->runs[i].kind;
    }
    int rc = tk_collect_values_feed(&c->values, batch, err);
    if (rc == TK_OK)
        rc = tk_collect_memory_feed(&c->memory, batch, err);
    return rc == TK_OK ? tk_collect_loading_feed(&c->loading, batch, err) : rc;
}

/* The place of a timer, made on first use; NULL when memory is out. */
static struct lane_timer *place_of(struct lane *lane, uint32_t timer)
{
    bool late = timer >= TK_LATE;
    size_t page = (late ? timer - TK_LATE : timer) / PAGE;
    size_t *n = late ? &lane->late.n : &lane->pages.n;
    if (page >= *n) {
        if (late ? tk_vec_reserve(&lane->late, page + 1) : tk_vec_reserve(&lane->pages, page + 1))
            return NULL;
        while (*n <= page)
            (late ? lane->late.v : lane->pages.v)[(*n)++] = NULL;
    }
    struct lane_timer **at = &(late ? lane->late.v : lane->pages.v)[page];
    if (!*at)
        *at = calloc(PAGE, sizeof **at);
    return *at ? &(*at)[timer % PAGE] : NULL;
}

/* The block of a slice, or SIZE_MAX. */
static size_t block_of_slice(const struct collect *c, const struct tk_slices *s, size_t i)
{
    size_t frame = s->frame[i];
    if (frame == TK_FRAME_PARTS || frame == TK_FRAME_NONE)
        frame = frame_at(c, s->end[i]);
    return frame == SIZE_MAX ? SIZE_MAX : block_of(c, frame);
}

/* Keeps the time of a call, as long as there are few. */
static int add_call(struct lane_timer *at, uint64_t total)
{
    if (at->n_calls == TK_SERIES_EXACT) {
        at->n_calls++;
        free(at->calls);
        at->calls = NULL;
        return 0;
    }
    if ((at->n_calls & (at->n_calls - 1)) == 0) { /* a power of two is full */
        size_t room = at->n_calls ? (size_t)at->n_calls * 2 : 1;
        uint64_t *calls = realloc(at->calls, room * sizeof *calls);
        if (!calls)
            return -1;
        at->calls = calls;
    }
    at->calls[at->n_calls++] = total;
    return 0;
}

static int make_blocks(const struct collect *c, struct lane_timer *at)
{
    at->blocks = calloc(c->run->n_blocks, sizeof *at->blocks);
    at->parts = calloc(TK_CALL_PATH_SUMS, sizeof *at->parts);
    return at->blocks && at->parts ? 0 : -1;
}

static int add(const struct collect *c, struct lane *lane, const struct tk_slices *s, size_t i)
{
    struct lane_timer *at = place_of(lane, s->timer[i]);
    if (!at)
        return -1;
    if (at->n_calls <= TK_SERIES_EXACT && add_call(at, s->total[i]))
        return -1;
    size_t block = block_of_slice(c, s, i);
    lane->parts.v[i] = block == SIZE_MAX ? TK_CALL_PATH_NO_SUM : c->run->part[block];
    if (block == SIZE_MAX)
        return 0;
    if (!at->blocks && make_blocks(c, at))
        return -1;
    at->blocks[block] += (int64_t)s->excl[i];
    struct tk_part_sum *part = &at->parts[c->class[block]];
    part->count++;
    part->total += s->total[i];
    return 0;
}

static int take(void *self, const struct tk_slices *s, unsigned worker)
{
    const struct collect *c = self;
    struct lane *lane = c->lanes.v[s->lane];
    (void)worker;
    if (tk_vec_reserve(&lane->parts, s->n))
        return TK_ENOMEM;
    for (size_t i = 0; i < s->n; i++)
        if (add(c, lane, s, i))
            return TK_ENOMEM;
    if (tk_call_paths_take(&lane->paths, s, lane->parts.v))
        return TK_ENOMEM;
    return tk_agg_take(&lane->sums, s) ? TK_ENOMEM : TK_OK;
}

static int end_lane(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct collect *c = self;
    struct lane *lane = lane_at(c, end->lane);
    for (size_t i = 0; lane && i < end->n_open; i++)
        if (tk_vec_push(&lane->open, end->open[i]))
            return tk_err_nomem(err, "a run");
    return lane ? TK_OK : tk_err_nomem(err, "a run");
}

/* ---- series ---- */

/* The file without its folders. */
static const struct tk_str *base_name(struct tk_intern *names, const struct tk_str *file)
{
    if (!file)
        return tk_intern_c(names, "");
    size_t n = file->n;
    while (n && file->p[n - 1] != '/' && file->p[n - 1] != '\\')
        n--;
    return tk_intern(names, file->p + n, file->n - n, (enum tk_encoding)file->enc);
}

/* Describes a timer of a lane. */
static int describe(struct collect *c, const struct lane *lane, uint32_t id, struct tk_series *s)
{
    struct tk_intern *names = &c->run->names;
    const struct tk_timer *timer = tk_dict_timer(c->view->dict, id);
    if (!timer)
        return -1;
    s->timer_kind = timer->info.kind;
    s->line = timer->info.line;
    s->name = tk_intern(names, timer->shown->p, timer->shown->n, (enum tk_encoding)timer->shown->enc);
    s->file = base_name(names, timer->info.file);
    if (lane->kind != TK_LANE_THREAD) {
        const struct tk_fact_gpu_queue *q = tk_dict_queue(c->view->dict, lane->thread);
        s->group = q && q->name ? tk_intern(names, q->name->p, q->name->n, (enum tk_encoding)q->name->enc)
                                : tk_intern_c(names, "GPU");
    } else {
        const struct tk_thread *t = tk_dict_thread(c->view->dict, lane->thread);
        s->group = t ? tk_thread_class(names, t->shown, t->info.group) : NULL;
    }
    return s->name && s->file && s->group ? 0 : -1;
}

/* Series of a run are found by what they are, which interned names tell. */
static uint64_t key_of(const struct tk_series *s)
{
    const uint64_t parts[] = {s->kind, s->timer_kind, (uint64_t)(uintptr_t)s->name,
                              (uint64_t)(uintptr_t)s->group, (uint64_t)(uintptr_t)s->file};
    return tk_hash_bytes(parts, sizeof parts, 0);
}

static struct tk_series *series_of(struct collect *c, struct tk_map *map, const struct lane *lane,
                                   uint32_t timer)
{
    struct tk_series want = {.kind = lane->kind == TK_LANE_THREAD ? TK_SERIES_TIMER : TK_SERIES_GPU};
    if (describe(c, lane, timer, &want))
        return NULL;
    uint32_t at = tk_map_get(map, key_of(&want));
    if (at != TK_MAP_NONE)
        return c->run->series.v[at];
    struct tk_series *s = tk_base_run_add(c->run, want.kind);
    if (!s || tk_map_put(map, key_of(&want), (uint32_t)c->run->series.n - 1))
        return NULL;
    s->timer_kind = want.timer_kind;
    s->line = want.line;
    s->name = want.name;
    s->group = want.group;
    s->file = want.file;
    return s;
}

static int merge(const struct tk_base_run *run, struct tk_series *s, const struct tk_agg_cell *cell,
                 const struct lane_timer *at)
{
    for (uint32_t i = 0; at->calls && s->exact && i < at->n_calls && s->count + i < TK_SERIES_EXACT; i++)
        s->exact[s->count + i] = at->calls[i];
    s->count += cell->count;
    s->total += cell->total;
    s->incl += cell->incl;
    s->own += (int64_t)cell->excl;
    s->min = cell->min < s->min ? cell->min : s->min;
    s->max = cell->max > s->max ? cell->max : s->max;
    for (uint32_t b = 0; at->blocks && b < run->n_blocks; b++)
        s->blocks[b] += (double)at->blocks[b];
    if (at->parts && !s->parts && !(s->parts = calloc(TK_CALL_PATH_SUMS, sizeof *s->parts)))
        return -1;
    for (size_t i = 0; at->parts && i < TK_CALL_PATH_SUMS; i++) {
        s->parts[i].count += at->parts[i].count;
        s->parts[i].total += at->parts[i].total;
    }
    return tk_sketch_merge(&s->sketch, &cell->sketch);
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void free_pages(struct lane_timer **pages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; pages[i] && k < PAGE; k++) {
            free(pages[i][k].blocks);
            free(pages[i][k].calls);
            free(pages[i][k].parts);
        }
        free(pages[i]);
    }
}

/* What a lane has by timer. */
static void release_sums(struct lane *lane)
{
    tk_agg_release(&lane->sums);
    free_pages(lane->pages.v, lane->pages.n);
    free_pages(lane->late.v, lane->late.n);
    tk_vec_release(&lane->pages);
    tk_vec_release(&lane->late);
}

static int add_lane(struct collect *c, struct tk_map *map, struct lane *lane)
{
    struct tk_agg_entry e;
    for (size_t at = 0; tk_agg_next(&lane->sums, &at, &e);) {
        struct lane_timer *place = e.cell->count ? place_of(lane, e.timer) : NULL;
        if (!e.cell->count)
            continue;
        struct tk_series *s = place ? series_of(c, map, lane, e.timer) : NULL;
        if (!s || merge(c->run, s, e.cell, place))
            return -1;
    }
    release_sums(lane);
    return 0;
}

/* For the series of the timers of a lane. */
struct timers_of_lane {
    struct collect *c;
    const struct tk_map *map;
    const struct lane *lane;
};

/* NULL for a timer none of whose scopes has ended. */
static const struct tk_series *timer_of(void *ctx, uint32_t timer)
{
    const struct timers_of_lane *of = ctx;
    struct tk_series want = {.kind = of->lane->kind == TK_LANE_THREAD ? TK_SERIES_TIMER : TK_SERIES_GPU};
    if (describe(of->c, of->lane, timer, &want))
        return NULL;
    uint32_t at = tk_map_get(of->map, key_of(&want));
    return at == TK_MAP_NONE ? NULL : of->c->run->series.v[at];
}

static int add_paths(struct collect *c, const struct tk_map *map)
{
    struct tk_collect_paths paths;
    int rc = 0;
    tk_collect_paths_init(&paths, c->run, LANE_PATHS * (size_t)c->view->ctx->limits.call_paths);
    for (size_t i = 0; i < c->lanes.n && rc == 0; i++) {
        struct lane *lane = c->lanes.v[i];
        struct timers_of_lane of = {c, map, lane};
        if (!lane || lane->kind == TK_LANE_GPU_WORK)
            continue;
        rc = tk_call_paths_finish(&lane->paths, lane->open.v, lane->open.n);
        if (rc == 0)
            rc = tk_collect_paths_add(&paths, &lane->paths, timer_of, &of);
    }
    if (rc == 0)
        rc = tk_collect_paths_finish(&paths);
    c->run->lost_calls = paths.left_out;
    tk_collect_paths_release(&paths);
    return rc;
}

static int add_lanes(struct collect *c)
{
    struct tk_map map = {0};
    int rc = 0;
    for (size_t i = 0; i < c->lanes.n && rc == 0; i++)
        if (c->lanes.v[i] && c->lanes.v[i]->kind != TK_LANE_GPU_WORK)
            rc = add_lane(c, &map, c->lanes.v[i]);
    if (rc == 0)
        rc = add_paths(c, &map);
    tk_map_release(&map);
    for (size_t i = 0; i < c->run->series.n && rc == 0; i++) {
        struct tk_series *s = c->run->series.v[i];
        tk_series_settle(s);
        if (s->exact)
            qsort(s->exact, (size_t)s->count, sizeof *s->exact, by_size);
    }
    return rc;
}

/* ---- identity ---- */

static int add_item(struct tk_base_run *run, const struct tk_str *key, const char *p, size_t n, uint8_t enc)
{
    struct tk_base_item item = {tk_intern(&run->names, key->p, key->n, (enum tk_encoding)key->enc),
                                tk_intern(&run->names, p, n, (enum tk_encoding)enc)};
    return item.key && item.value && !tk_vec_push(&run->session, item) ? 0 : -1;
}

static int add_session(struct collect *c)
{
    const struct tk_dict *dict = c->view->dict;
    char digits[32];
    for (size_t i = 0; i < dict->session.n; i++) {
        const struct tk_session_item *item = &dict->session.v[i];
        const struct tk_cell *v = &item->value;
        int n = 0;
        if (v->kind == TK_TEXT && add_item(c->run, item->key, v->v.p, v->n, v->enc))
            return -1;
        if (v->kind == TK_UINT || v->kind == TK_BOOL)
            n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v->v.u);
        else if (v->kind == TK_INT)
            n = snprintf(digits, sizeof digits, "%lld", (long long)v->v.i);
        if (n > 0 && add_item(c->run, item->key, digits, (size_t)n, TK_ENC_UTF8))
            return -1;
    }
    return 0;
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct collect *c = self;
    uint64_t frequency = c->view->dict->clock.frequency;
    (void)emit;
    c->run->frequency = frequency ? frequency : UINT64_C(1000000000);
    c->run->duration = c->view->last_time > 0 ? (uint64_t)c->view->last_time : 0;
    if (add_lanes(c) || add_session(c))
        return tk_err_nomem(err, "a run");
    int rc = tk_collect_values_finish(&c->values, err);
    if (rc == TK_OK)
        rc = tk_collect_memory_finish(&c->memory, err);
    if (rc == TK_OK)
        rc = tk_collect_loading_finish(&c->loading, err);
    if (rc == TK_OK)
        tk_base_run_sort(c->run);
    return rc;
}

static void close(void *self)
{
    struct collect *c = self;
    for (size_t i = 0; i < c->lanes.n; i++) {
        struct lane *lane = c->lanes.v[i];
        if (!lane)
            continue;
        release_sums(lane);
        tk_call_paths_release(&lane->paths);
        tk_vec_release(&lane->parts);
        tk_vec_release(&lane->open);
        free(lane);
    }
    tk_vec_release(&c->lanes);
    tk_collect_values_release(&c->values);
    tk_collect_memory_release(&c->memory);
    tk_collect_loading_release(&c->loading);
    free(c->block);
    free(c->class);
    free(c);
}

const struct tk_builder tk_builder_collect = {
    .table = &table,
    .facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES) | TK_FACT_MASK(LOG) | TK_COLLECT_VALUES_FACTS |
             TK_COLLECT_MEMORY_FACTS | TK_COLLECT_LOADING_FACTS,
    .serial = true,
    .regions = true,
    .slices = slices,
    .open = open,
    .feed = feed,
    .take = take,
    .lane = end_lane,
    .finish = finish,
    .close = close,
};
