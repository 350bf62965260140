/*
 * Baselines in memory: creating, adding runs, releasing. The collector and baseline_read.c fill them.
 */
#include "compare/baseline/baseline.h"

#include "base/sort.h"
#include "base/text/text.h"
#include "compare/baseline/baseline_in.h"
#include "compare/baseline/block_walk.h"
#include "compare/baseline/expect.h"
#include "compare/baseline/run_info.h"
#include "compare/baseline/segments.h"
#include "judge/outcomes.h"
#include "judge/timer_key.h"
#include "query/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Chooses the base of runs from a history.
 */

/* Runs that differ in one of these are not comparable. What one side does not say is no difference. */
static const char *const same[] = {"application", "platform", "config", "map"};

static bool is_called(const struct tk_str *s, const char *text)
{
    return s && s->n == strlen(text) && memcmp(s->p, text, s->n) == 0;
}

static bool agrees(const struct tk_base_run *a, const struct tk_base_run *b, const char *key)
{
    const struct tk_str *x = tk_base_run_about(a, key), *y = tk_base_run_about(b, key);
    return !x || !y || tk_str_order(x, y) == 0;
}

static bool is_comparable(const struct tk_base_run *run, const struct tk_baseline *like)
{
    for (size_t i = 0; i < like->runs.n; i++) {
        if (like->runs.v[i]->hash == run->hash)
            return false; /* itself */
        for (size_t k = 0; k < sizeof same / sizeof *same; k++)
            if (!agrees(run, like->runs.v[i], same[k]))
                return false;
    }
    return true;
}

/* Is it of the machine of one of them, as far as that is known? */
static bool shares_machine(const struct tk_base_run *run, const struct tk_baseline *like)
{
    for (size_t i = 0; i < like->runs.n; i++)
        if (tk_base_run_machines(run, like->runs.v[i]) != TK_MACHINE_OTHER)
            return true;
    return like->runs.n == 0;
}

static bool is_of(const struct tk_base_run *run, const char *what)
{
    return is_called(tk_base_run_about(run, "branch"), what) ||
           is_called(tk_base_run_about(run, "commit"), what);
}

/* Is a run newer than another? What has no time is older than what has one, and else what comes later is
 * newer. */
static bool is_newer(const struct tk_base_run *run, const struct tk_base_run *than)
{
    int64_t a = -1, b = -1;
    tk_base_run_when(run, &a);
    tk_base_run_when(than, &b);
    return a >= b;
}

/* Is it the same build: of the same name, where it has one, else the same run? */
static bool is_same_build(const struct tk_base_run *a, const struct tk_base_run *b)
{
    static const char *const keys[] = {"build", "commit"};
    bool said = false;
    for (size_t k = 0; k < 2; k++) {
        const struct tk_str *x = tk_base_run_about(a, keys[k]), *y = tk_base_run_about(b, keys[k]);
        if ((x || y) && (!x || !y || tk_str_order(x, y) != 0))
            return false;
        said |= x != NULL;
    }
    return said || a == b;
}

static int fail_base(const struct tk_baseline *history, size_t of, const char *what, struct tk_err *err)
{
    if (history->runs.n == 0)
        return tk_outcome_fail(err, TK_OUTCOME_NO_BASE, "the history has no runs");
    if (of)
        return tk_outcome_fail(err, TK_OUTCOME_NO_BASE,
                               "'%s' has %zu runs in the history, but none with the application, platform, "
                               "config and map of the runs to compare",
                               what, of);
    const struct tk_str *branch = tk_base_run_about(history->runs.v[history->runs.n - 1], "branch");
    return tk_outcome_fail(err, TK_OUTCOME_NO_BASE,
                           "the history has no run of a branch or commit '%s'%s%.*s%s", what,
                           branch ? "; the last one is of branch '" : "", branch ? (int)branch->n : 0,
                           branch ? branch->p : "", branch ? "'" : "");
}

/* What runs of a history are looked for. */
struct wanted {
    const struct tk_baseline *like;
    const char *what;
    bool any_machine;
};

static bool fits(const struct wanted *w, const struct tk_base_run *run)
{
    return is_of(run, w->what) && is_comparable(run, w->like) &&
           (w->any_machine || shares_machine(run, w->like));
}

static const struct tk_base_run *find_newest(const struct tk_baseline *history, const struct wanted *w)
{
    const struct tk_base_run *newest = NULL;
    for (size_t i = 0; i < history->runs.n; i++)
        if (fits(w, history->runs.v[i]) && (!newest || is_newer(history->runs.v[i], newest)))
            newest = history->runs.v[i];
    return newest;
}

static void note_machines(struct tk_baseline *history, const struct wanted *w)
{
    char machine[TK_MACHINE_TEXT];
    const struct tk_base_run *first = w->like->runs.v[0];
    const struct tk_str *name = tk_base_run_about(first, "machine");
    size_t n = 0;
    for (size_t i = 0; i < history->runs.n; i++)
        n += fits(w, history->runs.v[i]);
    tk_base_run_machine(machine, first);
    if (name)
        snprintf(machine, sizeof machine, "%.*s", (int)name->n, name->p);
    snprintf(history->note, sizeof history->note, "%zu %s of '%.60s', none of this kind of machine (%.150s)",
             n, n == 1 ? "run" : "runs", w->what, machine);
}

int tk_base_of(struct tk_baseline *history, const struct tk_baseline *like, const char *what,
               struct tk_err *err)
{
    struct wanted w = {.like = like, .what = what};
    const struct tk_base_run *newest = find_newest(history, &w);
    size_t of = 0, n = 0;
    for (size_t i = 0; i < history->runs.n; i++)
        of += is_of(history->runs.v[i], what);
    if (!newest) {
        w.any_machine = true;
        newest = find_newest(history, &w);
    }
    if (!newest)
        return fail_base(history, of, what, err);
    if (w.any_machine)
        note_machines(history, &w);
    for (size_t i = 0; i < history->runs.n; i++) {
        struct tk_base_run *run = history->runs.v[i];
        if (run == newest || (fits(&w, run) && is_same_build(run, newest)))
            history->runs.v[n++] = run;
        else
            tk_base_run_free(run);
    }
    history->runs.n = n;
    return TK_OK;
}

/*
 * Reads a name map and renames the threads and timers of a baseline by it. It runs before a comparison.
 */

static int read_pair(struct tk_name_map *map, const cJSON *item, bool thread, struct tk_err *err)
{
    struct tk_name_pair pair = {.thread = thread};
    if (!cJSON_IsString(item) || !*item->string || !*item->valuestring)
        return tk_err_set(err, TK_EUSAGE, "the map has no name for '%.60s'", item->string);
    pair.from = tk_intern_c(&map->names, item->string);
    pair.to = tk_json_text(&map->names, item);
    return pair.from && pair.to && !tk_vec_push(&map->v, pair) ? TK_OK : tk_err_nomem(err, "a map of names");
}

static int read_list(struct tk_name_map *map, const cJSON *list, struct tk_err *err)
{
    bool thread = strcmp(list->string, "threads") == 0;
    int rc = TK_OK;
    if (!thread && strcmp(list->string, "timers") != 0)
        return tk_err_set(err, TK_EUSAGE,
                          "the map has a key '%.60s', which is neither 'threads' nor 'timers'", list->string);
    if (!cJSON_IsObject(list))
        return tk_err_set(err, TK_EUSAGE, "'%s' of the map is not an object of names", list->string);
    for (const cJSON *c = list->child; c && rc == TK_OK; c = c->next)
        rc = read_pair(map, c, thread, err);
    return rc;
}

int tk_name_map_parse(struct tk_name_map *map, const char *text, size_t n, struct tk_err *err)
{
    cJSON *root;
    int rc = tk_json_read(&root, text, n, "the map", err);
    if (rc == TK_OK && !cJSON_IsObject(root))
        rc = tk_err_set(err, TK_EUSAGE, "the map is not a JSON object");
    for (const cJSON *c = rc == TK_OK ? root->child : NULL; c && rc == TK_OK; c = c->next)
        rc = read_list(map, c, err);
    if (rc == TK_OK && map->v.n == 0)
        rc = tk_err_set(err, TK_EUSAGE, "the map contains no names");
    cJSON_Delete(root);
    return rc;
}

void tk_name_map_release(struct tk_name_map *map)
{
    tk_vec_release(&map->v);
    tk_intern_release(&map->names);
}

/* Gives a text its new name, where it has one. 0, or -1 if out of memory. */
static int rename_text(struct tk_name_map *map, struct tk_base_run *run, bool thread,
                       const struct tk_str **text)
{
    for (size_t i = 0; i < map->v.n; i++) {
        struct tk_name_pair *pair = &map->v.v[i];
        if (pair->thread != thread || tk_str_order(pair->from, *text) != 0)
            continue;
        pair->used = true;
        *text = tk_intern(&run->names, pair->to->p, pair->to->n, (enum tk_encoding)pair->to->enc);
        return *text ? 0 : -1;
    }
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const struct tk_series *const *x = a, *const *y = b;
    return tk_series_compare(*x, *y);
}

static int rename_run(struct tk_name_map *map, struct tk_base_run *run, struct tk_err *err)
{
    for (size_t i = 0; i < run->series.n; i++) {
        struct tk_series *s = run->series.v[i];
        if (tk_series_has_calls(s->kind) &&
            (rename_text(map, run, false, &s->name) || rename_text(map, run, true, &s->group)))
            return tk_err_nomem(err, "a map of names");
    }
    for (size_t i = 0; i < run->reasons.n; i++)
        if (rename_text(map, run, false, &run->reasons.v[i].timer) ||
            rename_text(map, run, true, &run->reasons.v[i].thread))
            return tk_err_nomem(err, "a map of names");
    qsort(run->series.v, run->series.n, sizeof *run->series.v, by_key);
    for (size_t i = 1; i < run->series.n; i++) {
        const struct tk_series *s = run->series.v[i];
        if (tk_series_has_calls(s->kind) && tk_series_compare(run->series.v[i - 1], s) == 0)
            return tk_err_set(err, TK_EUSAGE, "the map gives two timers the same name: '%.*s' of '%.*s'",
                              (int)s->name->n, s->name->p, (int)s->group->n, s->group->p);
    }
    return tk_base_run_tidy(run) ? tk_err_nomem(err, "a map of names") : TK_OK;
}

int tk_name_map_apply(struct tk_name_map *map, struct tk_baseline *b, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < b->runs.n && rc == TK_OK; i++)
        rc = rename_run(map, b->runs.v[i], err);
    for (size_t i = 0; i < map->v.n && rc == TK_OK; i++) {
        const struct tk_name_pair *pair = &map->v.v[i];
        if (!pair->used)
            rc = tk_err_set(err, TK_EMATCH, "no run of the baseline has the %s '%.*s' of the map",
                            pair->thread ? "thread class" : "timer", (int)pair->from->n, pair->from->p);
    }
    return rc;
}

uint32_t tk_block_frames(uint64_t n)
{
    uint32_t len = TK_BLOCK_FRAMES;
    while (len > 4 && n / len < 64)
        len /= 2;
    while (n / len > 160 && len < UINT32_C(1) << 30)
        len *= 2;
    return len;
}

int tk_base_run_lay(struct tk_base_run *run, const uint32_t *edges, size_t n)
{
    uint32_t frames = (uint32_t)run->frames.n, at = 0, block = 0;
    free(run->starts);
    free(run->part);
    run->part = calloc(frames / run->block_frames + n + 2, 1);
    run->starts = calloc(frames / run->block_frames + n + 2, sizeof *run->starts);
    if (!run->starts || !run->part)
        return -1;
    for (size_t e = 0; at < frames; block++) {
        uint32_t end = frames - at > run->block_frames ? at + run->block_frames : frames;
        while (e < n && edges[e] <= at)
            e++;
        run->starts[block] = at;
        at = e < n && edges[e] < end ? edges[e] : end;
    }
    run->starts[block] = frames;
    run->n_blocks = block;
    return 0;
}

struct tk_run_segment *tk_base_run_segment(struct tk_base_run *run, uint8_t kind, const struct tk_str *name)
{
    struct tk_run_segment s = {.kind = kind, .name = name, .has = calloc((size_t)run->n_blocks + 1, 1)};
    if (s.has && !tk_vec_push(&run->segments, s))
        return &run->segments.v[run->segments.n - 1];
    free(s.has);
    return NULL;
}

double tk_base_run_begin(const struct tk_base_run *run, size_t frame)
{
    double cycles = 0;
    if (run->begins)
        return run->begins[frame];
    for (size_t i = 0; i <= frame; i++) {
        cycles += i < run->gaps.n ? (double)run->gaps.v[i] : 0;
        cycles += i < frame ? (double)run->frames.v[i] : 0;
    }
    return tk_base_ms(run, cycles);
}

size_t tk_base_run_block(const struct tk_base_run *run, size_t frame)
{
    size_t at;
    TK_SEARCH(at, run->n_blocks, run->starts[at] <= frame);
    return at && frame < run->frames.n ? at - 1 : SIZE_MAX;
}

struct tk_base_run *tk_base_run_new(void)
{
    struct tk_base_run *run = calloc(1, sizeof *run);
    if (run)
        run->block_frames = TK_BLOCK_FRAMES;
    return run;
}

bool tk_series_of_allocations(const struct tk_series *s, uint32_t n_blocks)
{
    uint64_t values = 0;
    for (uint32_t b = 0; s->kind == TK_SERIES_MEMORY && b < n_blocks; b++)
        values += s->hits[b];
    return s->kind == TK_SERIES_MEMORY && values != s->count && !(s->low > 0);
}

struct tk_series_span tk_series_span(const struct tk_series *s, size_t from, size_t to)
{
    struct tk_series_span span = {.low = INFINITY, .high = -INFINITY};
    for (size_t b = from; b < to; b++) {
        if (!s->hits[b])
            continue;
        span.last = s->blocks[b] / s->hits[b];
        span.first = span.hits ? span.first : span.last;
        span.low = span.low < span.last ? span.low : span.last;
        span.high = span.high > span.last ? span.high : span.last;
        span.hits += s->hits[b];
    }
    return span;
}

void tk_base_series_release(struct tk_series *s)
{
    tk_sketch_release(&s->sketch);
    free(s->hits);
    free(s->parts);
    free(s->places);
    free(s->exact);
}

void tk_base_run_free(struct tk_base_run *run)
{
    if (!run)
        return;
    for (size_t i = 0; i < run->series.n; i++)
        tk_base_series_release(run->series.v[i]);
    tk_arena_release(&run->series_space);
    free(run->file);
    for (size_t i = 0; i < run->segments.n; i++)
        free(run->segments.v[i].has);
    tk_watched_frames_release(run);
    tk_vec_release(&run->values);
    tk_vec_release(&run->places);
    tk_vec_release(&run->metrics);
    tk_vec_release(&run->paths);
    tk_vec_release(&run->segments);
    tk_vec_release(&run->series);
    free(run->starts);
    free(run->part);
    free(run->numbers);
    free(run->begins);
    for (size_t i = 0; i < run->pictures.n; i++)
        free(run->pictures.v[i].file);
    tk_vec_release(&run->pictures);
    tk_judged_frames_release(&run->judged);
    tk_vec_release(&run->reasons);
    tk_vec_release(&run->frames);
    tk_vec_release(&run->gaps);
    tk_vec_release(&run->session);
    tk_vec_release(&run->faults);
    tk_vec_release(&run->said);
    tk_intern_release(&run->names);
    free(run);
}

int tk_base_run_measured(struct tk_base_run *run, const struct tk_metric *metric, double value)
{
    const struct tk_base_metric own = {.name = tk_intern_c(&run->names, metric->name),
                                       .unit = tk_intern_c(&run->names, metric->unit),
                                       .better = metric->better,
                                       .source = metric->source,
                                       .measured = !isnan(value),
                                       .hash = metric->hash,
                                       .value = isnan(value) ? 0 : value,
                                       .floor = metric->floor,
                                       .floor_ratio = metric->floor_ratio};
    return own.name && own.unit ? tk_vec_push(&run->metrics, own) : -1;
}

static bool has_hits(uint8_t kind)
{
    return kind == TK_SERIES_COUNTER || kind == TK_SERIES_MEMORY;
}

/* Thousands of series are made and released together, so that they lie in one arena with their blocks. */
struct tk_series *tk_base_run_add_bare(struct tk_base_run *run, uint8_t kind)
{
    const size_t n = run->n_blocks ? run->n_blocks : 1;
    struct tk_series *s = tk_arena_alloc(&run->series_space, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct tk_series){.kind = kind, .min = UINT64_MAX};
    tk_sketch_init(&s->sketch, TK_SKETCH_CALLS);
    s->hits = has_hits(kind) ? calloc(n, sizeof *s->hits) : NULL;
    if ((!has_hits(kind) || s->hits) && !tk_vec_push(&run->series, s))
        return s;
    tk_base_series_release(s);
    return NULL;
}

struct tk_series *tk_base_run_add(struct tk_base_run *run, uint8_t kind)
{
    struct tk_series *s = tk_base_run_add_bare(run, kind);
    if (!s || tk_base_run_unpack(run, s))
        return NULL;
    s->name = s->group = s->file = tk_intern_c(&run->names, "");
    if (!s->name)
        return NULL;
    return !tk_series_has_calls(kind) || tk_series_keep_calls(s) == 0 ? s : NULL;
}

int tk_series_keep_calls(struct tk_series *s)
{
    s->exact = calloc(TK_SERIES_EXACT, sizeof *s->exact);
    return s->exact ? 0 : -1;
}

void tk_series_settle(struct tk_series *s)
{
    if (s->count <= TK_SERIES_EXACT)
        return;
    free(s->exact);
    s->exact = NULL;
}

static void merge_counters(struct tk_series *to, const struct tk_series *s, uint32_t n_blocks)
{
    for (uint32_t b = 0; b < n_blocks; b++) {
        to->blocks[b] += s->blocks[b];
        to->hits[b] += s->hits[b];
    }
    to->count += s->count;
    to->last = s->last;
    to->low = s->low < to->low ? s->low : to->low;
    to->high = s->high > to->high ? s->high : to->high;
    to->real |= s->real;
}

static double mean_of(const struct tk_series *s, uint32_t block)
{
    return s->hits[block] ? s->blocks[block] / s->hits[block] : 0;
}

/* The means of each block are added up, of how many values soever; together they have at most as much as the
 * most of each. */
static void merge_memory(struct tk_series *to, const struct tk_series *s, uint32_t n_blocks)
{
    bool values = !tk_series_of_allocations(to, n_blocks) && !tk_series_of_allocations(s, n_blocks);
    to->count = values ? 0 : to->count + s->count;
    for (uint32_t b = 0; b < n_blocks; b++) {
        uint32_t hits = to->hits[b] > s->hits[b] ? to->hits[b] : s->hits[b];
        to->blocks[b] = to->hits[b] == s->hits[b] ? to->blocks[b] + s->blocks[b]
                                                  : (mean_of(to, b) + mean_of(s, b)) * hits;
        to->hits[b] = hits;
        to->count += values ? hits : 0;
    }
    to->first += s->first;
    to->last += s->last;
    to->low += s->low;
    to->high += s->high;
}

/* Series are in order. */
static int merge_same(struct tk_base_run *run)
{
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; i < run->series.n; i++) {
        struct tk_series *s = run->series.v[i], *before = n ? run->series.v[n - 1] : NULL;
        const bool calls = tk_series_has_calls(s->kind);
        if (rc || !before || (!has_hits(s->kind) && !calls) || tk_series_compare(before, s) != 0) {
            run->series.v[n++] = s;
            continue;
        }
        if (calls)
            rc = tk_series_merge_timer(run, before, s);
        else if (s->kind == TK_SERIES_COUNTER)
            merge_counters(before, s, run->n_blocks);
        else
            merge_memory(before, s, run->n_blocks);
        tk_base_series_release(s);
    }
    run->series.n = n;
    for (size_t i = 0; i < run->paths.n; i++)
        while (run->paths.v[i].timer && run->paths.v[i].timer->merged)
            run->paths.v[i].timer = run->paths.v[i].timer->merged;
    return rc;
}

/* Those of files usually are. */
static bool is_tidy(const struct tk_base_run *run)
{
    for (size_t i = 1; i < run->series.n; i++)
        if (tk_series_compare(run->series.v[i - 1], run->series.v[i]) > 0)
            return false;
    return true;
}

int tk_base_run_tidy(struct tk_base_run *run)
{
    if (!is_tidy(run))
        qsort(run->series.v, run->series.n, sizeof *run->series.v, by_key);
    return merge_same(run);
}

int tk_baseline_take(struct tk_baseline *b, struct tk_base_run *run, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < b->runs.n && rc == TK_OK; i++)
        if (b->runs.v[i]->hash == run->hash)
            rc = tk_err_set(err, TK_EUSAGE,
                            "the same run is given twice, which would hide the noise between runs");
    if (rc == TK_OK && (tk_base_run_judge(run) || tk_vec_push(&b->runs, run)))
        rc = tk_err_nomem(err, "the runs of a baseline");
    if (rc < 0)
        tk_base_run_free(run);
    return rc;
}
