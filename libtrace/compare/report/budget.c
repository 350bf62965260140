/*
 * Checks budgets against the values of runs. The results go to the reports of budget_report.c and
 * budget_ci.c.
 */
#include "compare/report/budget.h"

#include "base/text/glob.h"
#include "base/text/text.h"
#include "compare/baseline/block_walk.h"
#include "compare/baseline/run_info.h"
#include "compare/baseline/segments.h"
#include "compare/verdict/matrix.h"
#include "judge/outcomes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Budgets for added cost: what timers take that a baseline does not have. budget.c calls it.
 */

static const struct tk_str *keep_added(struct tk_budgets *all, const struct tk_str *text)
{
    return text && text->n ? tk_intern(&all->names, text->p, text->n, (enum tk_encoding)text->enc) : NULL;
}

int tk_budget_check_added(struct tk_budgets *all, struct tk_budget *b, struct tk_base_run *run, size_t number,
                          struct tk_err *err)
{
    const struct tk_compare_setup setup = {.mixed = true, .allow_short = true};
    struct tk_base_run *runs[1] = {run};
    struct tk_baseline one = {.runs = {.v = runs, .n = 1}};
    struct tk_comparison c;
    double sum = 0, most = 0;
    const struct tk_str *where = NULL;
    if (!all->without || all->without->runs.n == 0)
        return tk_outcome_fail(err, TK_OUTCOME_NOT_STORED,
                               "added cost needs runs to compare with (--baseline)");
    int rc = tk_comparison_make(&c, all->without, &one, NULL, &setup, err);
    for (size_t i = 0; rc == TK_OK && i < c.changes.n; i++) {
        const struct tk_change *x = &c.changes.v[i];
        if (x->kind != TK_CHANGE_TIMER || x->verdict != TK_ADDED || x->waits ||
            (b->thread && tk_str_order(b->thread, x->group) != 0))
            continue;
        sum += x->candidate;
        where = x->candidate > most ? x->group : where;
        most = x->candidate > most ? x->candidate : most;
    }
    if (rc == TK_OK && (!b->found || sum > b->value)) {
        b->found = true;
        b->value = sum;
        b->run = number;
        b->where = keep_added(all, where);
    }
    tk_comparison_release(&c);
    return rc;
}

/* ---- frames ---- */

static int by_value_budget(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t ranked_budget(const uint64_t *sorted, size_t n, unsigned share, unsigned of)
{
    return n ? sorted[tk_sketch_rank(n, share, of) - 1] : 0;
}

static uint64_t *sort_frames(const struct tk_base_run *run)
{
    uint64_t *sorted = malloc((run->frames.n + 1) * sizeof *sorted);
    if (sorted && run->frames.n) {
        memcpy(sorted, run->frames.v, run->frames.n * sizeof *sorted);
        qsort(sorted, run->frames.n, sizeof *sorted, by_value_budget);
    }
    return sorted;
}

/* Is a value the worst so far? */
static bool is_worst(const struct tk_budget *b, double value)
{
    return !isnan(value) && (!b->found || (b->least ? value < b->value : value > b->value));
}

static void put_place(struct tk_budget *b, const struct tk_base_run *run, size_t first, size_t last)
{
    last = last < run->frames.n ? last : run->frames.n - 1;
    b->has_frames = true;
    b->first_frame = run->numbers ? run->numbers[first] : first;
    b->last_frame = run->numbers ? run->numbers[last] : last;
    b->ms = tk_base_run_begin(run, first);
}

/* How much more than usual the threads of a class worked in a block, in cycles a frame; without waits. */
static double more_than_usual(const struct tk_base_run *run, const struct tk_str *class, size_t block)
{
    double here = 0, all = 0;
    for (size_t i = 0; i < run->series.n; i++) {
        const struct tk_series *s = run->series.v[i];
        if (s->kind != TK_SERIES_TIMER || tk_name_waits(s->name) || tk_str_order(s->group, class) != 0)
            continue;
        struct tk_block_walk walk = tk_block_walk_from(s, block);
        here += tk_block_walk_next(&walk);
        all += tk_block_sum(s, 0, run->n_blocks);
    }
    return here / tk_block_weight(run, block) - all / (double)run->frames.n;
}

/* The class of threads that made a frame long. Series are sorted by class. */
static const struct tk_str *slowest_class(const struct tk_base_run *run, size_t frame)
{
    const struct tk_str *found = NULL, *last = NULL;
    size_t block = tk_base_run_block(run, frame);
    double most = 0;
    for (size_t i = 0; i < run->series.n && block != SIZE_MAX; i++) {
        const struct tk_series *s = run->series.v[i];
        if (s->kind != TK_SERIES_TIMER || (last && tk_str_order(s->group, last) == 0))
            continue;
        last = s->group;
        double more = more_than_usual(run, last, block);
        found = !found || more > most ? last : found;
        most = found == last ? more : most;
    }
    return found;
}

static const struct tk_str *keep_budget(struct tk_budgets *all, const struct tk_str *text)
{
    return text && text->n ? tk_intern(&all->names, text->p, text->n, (enum tk_encoding)text->enc) : NULL;
}

static void place_worst_frame(struct tk_budgets *all, struct tk_budget *b, const struct tk_base_run *run)
{
    size_t worst = 0;
    for (size_t i = 0; i < run->frames.n; i++)
        if (run->frames.v[i] > run->frames.v[worst])
            worst = i;
    put_place(b, run, worst, worst);
    b->where = keep_budget(all, slowest_class(run, worst));
}

static enum tk_smoothness_word word_of(const struct tk_budget *b)
{
    return b->kind == TK_CHANGE_HITCH ? TK_SMOOTHNESS_HITCHES_MIN
                                      : tk_smoothness_word_of(b->name->p, b->name->n);
}

/* The value of a budget in a run, or NaN where there is none. 0, or -1 if out of memory. */
static int frame_value(const struct tk_budget *b, const struct tk_base_run *run, double *value)
{
    struct tk_smoothness words;
    unsigned share, of;
    *value = NAN;
    if (b->kind != TK_CHANGE_FRAME) {
        const int rc = tk_base_run_smoothness(run, 0, b->target, false, &words);
        *value = rc == 0 ? words.v[word_of(b)] : NAN;
        return rc;
    }
    uint64_t *sorted = sort_frames(run);
    if (sorted && tk_budget_share(b->name, &share, &of))
        *value = tk_base_ms(run, (double)ranked_budget(sorted, run->frames.n, share, of));
    free(sorted);
    return sorted ? 0 : -1;
}

static int check_frames(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                        struct tk_err *err)
{
    b->unit = b->kind == TK_CHANGE_FRAME ? "ms" : tk_smoothness_texts[word_of(b)].unit;
    for (size_t r = 0; r < runs->runs.n; r++) {
        double value;
        if (frame_value(b, runs->runs.v[r], &value))
            return tk_err_nomem(err, "frames");
        if (!is_worst(b, value))
            continue;
        b->found = true;
        b->value = value;
        b->run = r;
        place_worst_frame(all, b, runs->runs.v[r]);
    }
    return TK_OK;
}

/* ---- series ---- */

/* What series a kind of budgets is about. */
static const uint8_t series_kinds[TK_CHANGE_KINDS] = {
    [TK_CHANGE_THREAD] = TK_SERIES_TIMER,   [TK_CHANGE_TIMER] = TK_SERIES_TIMER,
    [TK_CHANGE_GPU] = TK_SERIES_GPU,        [TK_CHANGE_COUNTER] = TK_SERIES_COUNTER,
    [TK_CHANGE_MEMORY] = TK_SERIES_MEMORY,  [TK_CHANGE_LOG] = TK_SERIES_LOG,
    [TK_CHANGE_LOADING] = TK_SERIES_LOADING};

/* The name by which budgets of a kind know a series; NULL: the series is of another kind. */
static const struct tk_str *name_of_budget(uint8_t kind, const struct tk_series *s)
{
    if (tk_change_is_of_frames(kind) || kind == TK_CHANGE_FUNCTION || kind == TK_CHANGE_METRIC ||
        series_kinds[kind] != s->kind || (kind == TK_CHANGE_THREAD && tk_name_waits(s->name)))
        return NULL;
    return kind == TK_CHANGE_THREAD ? s->group : s->name;
}

static bool is_of_kind(const struct tk_budget *b, const struct tk_series *s)
{
    const struct tk_str *name = name_of_budget(b->kind, s);
    return name && tk_str_order(name, b->now ? b->now : b->name) == 0 &&
           (!b->thread || tk_str_order(b->thread, s->group) == 0);
}

/* Of a counter that is to rise NaN where it does not. 0, or -1 if out of memory. */
static int counter_value(struct tk_budget *b, const struct tk_base_run *run, const struct tk_series *s,
                         double *value)
{
    double increase;
    if (tk_series_increase(run, s, &increase))
        return -1;
    b->rises = isfinite(increase) && !b->increase;
    if (b->increase)
        *value = increase;
    return 0;
}

static double series_value(const struct tk_base_run *run, const struct tk_series *s)
{
    const double sum = tk_block_sum(s, 0, run->n_blocks);
    double hits = 0;
    for (uint32_t i = 0; s->hits && i < run->n_blocks; i++)
        hits += s->hits[i];
    if (s->kind == TK_SERIES_LOG)
        return (double)s->count;
    if (s->kind == TK_SERIES_MEMORY)
        return s->high;
    if (s->kind == TK_SERIES_LOADING)
        return tk_base_ms(run, (double)s->own);
    if (s->kind == TK_SERIES_COUNTER)
        return hits > 0 ? sum / hits : s->last;
    return tk_base_ms(run, sum) / (double)run->frames.n;
}

int tk_budgets_watch(struct tk_budgets *all)
{
    all->watch.waits = tk_name_waits;
    for (size_t i = 0; i < all->v.n; i++) {
        const struct tk_budget *b = &all->v.v[i];
        const bool thread = b->kind == TK_CHANGE_THREAD;
        const struct tk_watched watched = {series_kinds[b->kind], thread ? NULL : b->name,
                                           thread ? b->name : b->thread};
        if (!tk_change_is_of_frames(b->kind) && b->kind != TK_CHANGE_ADDED && b->kind != TK_CHANGE_FUNCTION &&
            b->kind != TK_CHANGE_METRIC && tk_vec_push(&all->watch.v, watched))
            return TK_ENOMEM;
    }
    return TK_OK;
}

/* Is it about what several series have together: the timers of a class of threads, a timer on all of them? */
static bool adds_up(uint8_t kind)
{
    return kind == TK_CHANGE_THREAD || kind == TK_CHANGE_TIMER || kind == TK_CHANGE_GPU;
}

/* Adds the blocks of a series to those of its budget, and notes the worst; sums of values by their number. */
static void place_worst_block(struct tk_budget *b, const struct tk_base_run *run, const struct tk_series *s,
                              double *sums)
{
    uint32_t worst = UINT32_MAX;
    double most = s->hits ? -INFINITY : 0;
    struct tk_block_walk walk = tk_block_walk_of(s);
    for (uint32_t i = 0; i < run->n_blocks; i++) {
        const double weight = s->hits ? (double)s->hits[i] : tk_block_weight(run, i);
        const double here = tk_block_walk_next(&walk);
        if (!(weight > 0))
            continue;
        sums[i] = (adds_up(b->kind) ? sums[i] : 0) + here / weight;
        worst = sums[i] > most ? i : worst;
        most = sums[i] > most ? sums[i] : most;
    }
    if (worst != UINT32_MAX)
        put_place(b, run, run->starts[worst], run->starts[worst + 1] - 1);
}

/* The frame in which the budget's value was greatest; where that is not known, the block of frames. */
static void place_worst(struct tk_budget *b, const struct tk_base_run *run, const struct tk_series *s,
                        double *sums, bool alone)
{
    const struct tk_str *name = b->kind == TK_CHANGE_THREAD ? NULL : s->name;
    const size_t frame = alone ? tk_watched_frames_worst(run, s->kind, name, s->group) : SIZE_MAX;
    place_worst_block(b, run, s, sums);
    if (frame != SIZE_MAX)
        put_place(b, run, frame, frame);
}

static int check_series(struct tk_budgets *all, struct tk_budget *b, const struct tk_base_run *run, size_t r)
{
    double all_of = 0, greatest = 0, *sums = calloc((size_t)run->n_blocks + 1, sizeof *sums);
    const struct tk_series *first = NULL, *most = NULL;
    for (size_t i = 0; sums && i < run->series.n; i++) {
        const struct tk_series *s = run->series.v[i];
        if (!is_of_kind(b, s))
            continue;
        struct tk_budget here = *b;
        here.has_frames = false;
        double value = series_value(run, s);
        if (s->kind == TK_SERIES_COUNTER && counter_value(&here, run, s, &value)) {
            free(sums);
            return -1;
        }
        if (isnan(value))
            continue;
        first = first ? first : s;
        place_worst(&here, run, s, sums, tk_str_order(first->group, s->group) == 0);
        all_of += value;
        most = !most || value > greatest ? s : most;
        greatest = most == s ? value : greatest;
        here.has_frames = here.has_frames && !b->increase;
        here.value = adds_up(b->kind) ? all_of : value;
        if (!is_worst(b, here.value))
            continue;
        here.found = true;
        here.run = r;
        here.where = keep_budget(all, adds_up(b->kind) ? most->group : s->group);
        here.file = keep_budget(all, adds_up(b->kind) ? most->file : s->file);
        *b = here;
    }
    free(sums);
    return sums ? 0 : -1;
}

static const char *unit_of(uint8_t kind)
{
    static const char *const units[TK_CHANGE_KINDS] = {
        "ms",       "1/min", "ms/frame", "ms/frame", "ms/frame", "ms/frame", "", "bytes",
        "messages", "ms",    "",         "",         "ms/frame", "",         "", "ms"};
    return units[kind];
}

static enum tk_budget_level judge(const struct tk_budget *b)
{
    if (b->least ? b->value < b->error : b->value > b->error)
        return TK_BUDGET_ERROR;
    return (b->least ? b->value < b->warning : b->value > b->warning) ? TK_BUDGET_WARNING : TK_BUDGET_PASSED;
}

static bool has_kind(uint8_t kind, const struct tk_baseline *runs)
{
    for (size_t r = 0; r < runs->runs.n; r++)
        for (size_t i = 0; i < runs->runs.v[r]->series.n; i++)
            if (name_of_budget(kind, runs->runs.v[r]->series.v[i]))
                return true;
    return false;
}

static bool has_counter(const struct tk_budget *b, const struct tk_baseline *runs)
{
    for (size_t r = 0; r < runs->runs.n; r++)
        for (size_t i = 0; i < runs->runs.v[r]->series.n; i++)
            if (is_of_kind(b, runs->runs.v[r]->series.v[i]))
                return true;
    return false;
}

/* TK_EMATCH, with the other name that comes nearest; TK_EUNKNOWN where runs have nothing of the kind. */
static int fail_missing(const struct tk_budget *b, const struct tk_baseline *runs, struct tk_err *err)
{
    const char *kind = tk_change_kind_name((enum tk_change_kind)b->kind);
    char wanted[256];
    struct tk_nearest_search near;
    size_t n = b->name->n < sizeof wanted ? b->name->n : sizeof wanted - 1;
    for (size_t i = 0; i < n; i++) /* what stands behind a NUL belongs to the name */
        wanted[i] = b->name->p[i] ? b->name->p[i] : ' ';
    wanted[n] = 0;
    if (b->increase && has_counter(b, runs))
        return tk_err_set(err, TK_EMATCH,
                          "the counter '%s' does not only rise: the kind 'counter' is of its "
                          "mean",
                          wanted);
    if (b->kind == TK_CHANGE_FRAME)
        return tk_err_set(err, TK_EMATCH, "there is no %s '%s'; there are max, and p50, p99.9 and so on",
                          kind, wanted);
    if (tk_change_is_of_frames(b->kind))
        return tk_outcome_fail(err, TK_OUTCOME_NOT_STORED,
                               "%s cannot be told of these frames: there are too few", wanted);
    if (!b->thread && !b->region && !has_kind(b->kind, runs))
        return tk_outcome_fail(err, TK_OUTCOME_NOT_STORED, "there is no %s '%s': the runs have no %s at all",
                               kind, wanted, kind);
    tk_nearest_begin(&near, wanted);
    for (size_t r = 0; r < runs->runs.n; r++)
        for (size_t i = 0; i < runs->runs.v[r]->series.n; i++) {
            const struct tk_str *name = name_of_budget(b->kind, runs->runs.v[r]->series.v[i]);
            if (name && tk_str_order(name, b->name) != 0)
                tk_nearest_offer(&near, name->p, name->n);
        }
    return tk_err_set(err, TK_EMATCH, "there is no %s '%s'%s%s%.*s%s", kind, wanted,
                      b->thread || b->region ? " on that thread or in that region" : "",
                      near.n ? "; the nearest: '" : "", near.n ? (int)near.names[0].n : 0,
                      near.n ? near.names[0].p : "", near.n ? "'" : "");
}

/* The name that a timer of the baseline has in the runs, found as a comparison finds it. NULL: it is not
 * known. */
static const struct tk_str *renamed(const struct tk_budgets *all, const struct tk_budget *b)
{
    const uint8_t kind = b->kind;
    for (size_t i = 0; all->renames && i < all->renames->changes.n; i++) {
        const struct tk_change *c = &all->renames->changes.v[i];
        if (c->verdict == TK_RENAMED && c->kind == kind && tk_str_order(c->name, b->name) == 0 &&
            (!b->thread || tk_str_order(b->thread, c->group) == 0))
            return c->to;
    }
    return NULL;
}

static int check_all_series(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                            struct tk_err *err)
{
    for (size_t r = 0; r < runs->runs.n; r++)
        if (check_series(all, b, runs->runs.v[r], r))
            return tk_err_nomem(err, "budgets");
    return TK_OK;
}

/* The same by the new name, where it is not there by its own. */
static int check_renamed(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                         struct tk_err *err)
{
    const struct tk_str *now = b->found ? NULL : renamed(all, b);
    if (!now)
        return TK_OK;
    b->now = keep_budget(all, now);
    return b->now ? check_all_series(all, b, runs, err) : tk_err_nomem(err, "budgets");
}

/* `runs` are cut to the region of the budget. */
static int check_one(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                     struct tk_err *err)
{
    int rc = TK_OK;
    b->unit = unit_of(b->kind);
    if (tk_change_is_of_frames(b->kind))
        rc = b->cell > 0 ? tk_budget_check_cells(all, b, runs, err) : check_frames(all, b, runs, err);
    for (size_t r = 0; r < runs->runs.n && b->kind == TK_CHANGE_ADDED && rc == TK_OK; r++)
        rc = tk_budget_check_added(all, b, runs->runs.v[r], r, err);
    if (b->kind == TK_CHANGE_METRIC)
        rc = tk_budget_check_metric(all, b, runs, err);
    const bool series =
        !tk_change_is_of_frames(b->kind) && b->kind != TK_CHANGE_ADDED && b->kind != TK_CHANGE_METRIC;
    if (series && rc == TK_OK)
        rc = check_all_series(all, b, runs, err);
    if (series && rc == TK_OK)
        rc = check_renamed(all, b, runs, err);
    if (rc == TK_OK && !b->found)
        rc = fail_missing(b, runs, err);
    if (rc == TK_OK && strcmp(b->unit, "ms/frame") == 0)
        b->unit = tk_run_unit_time(tk_base_run_unit(runs->runs.v[b->run]));
    if (rc == TK_OK)
        b->level = (uint8_t)judge(b);
    return rc;
}

/* What was looked for is not there, as the error says: reported, and the others are checked all the same. Of
 * frames that is a name that there cannot be. */
static int note_missing(struct tk_budgets *all, struct tk_budget *b, int rc, struct tk_err *err)
{
    if ((rc != TK_EMATCH && rc != TK_EUNKNOWN) ||
        (b->kind == TK_CHANGE_FRAME && !b->region && !(b->cell > 0)))
        return rc;
    b->not_stored = rc == TK_EUNKNOWN;
    const char *text = tk_err_text(err, rc);
    char *why = tk_arena_alloc(&all->arena, strlen(text) + 1);
    if (!why)
        return tk_err_nomem(err, "budgets");
    memcpy(why, text, strlen(text) + 1);
    b->why = why;
    b->level = TK_BUDGET_MISSING;
    b->value = NAN;
    return TK_OK;
}

static int check_region(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                        struct tk_err *err)
{
    const struct tk_segment_choice choice = {.regions = &b->region, .n_regions = 1};
    struct tk_baseline cut;
    int rc = tk_baseline_copy(&cut, runs, err);
    for (size_t r = 0; rc == TK_OK && r < cut.runs.n; r++)
        cut.runs.v[r]->copy_of = runs->runs.v[r];
    if (rc == TK_OK)
        rc = tk_baseline_cut(&cut, &choice, err);
    if (rc == TK_OK)
        rc = check_one(all, b, &cut, err);
    if (cut.lost_regions > all->lost_regions)
        all->lost_regions = cut.lost_regions;
    tk_baseline_clear(&cut);
    return rc;
}

/* What the runs are. */
static int tell_runs(struct tk_budgets *all, const struct tk_baseline *runs, struct tk_err *err)
{
    static const uint8_t side = TK_RUN_CHECKED;
    tk_sides_release(&all->sides);
    all->sides.allowed = all->allow_short;
    if (tk_sides_add(&all->sides, runs, TK_RUN_CHECKED) ||
        tk_sides_find_flaws(&all->sides, NULL, runs, TK_RUN_CHECKED))
        return tk_err_nomem(err, "budgets");
    return all->mixed ? TK_OK : tk_sides_alike(&runs, &side, 1, err);
}

/* Checks budget i. */
static int check_budget(struct tk_budgets *all, size_t i, const struct tk_baseline *runs, struct tk_err *err)
{
    struct tk_budget *b = &all->v.v[i];
    struct tk_err missing = {0}, *reported = err ? err : &missing;
    b->found = b->has_frames = b->not_stored = false;
    b->where = b->now = b->file = b->owner = NULL;
    b->why = NULL;
    b->unit = unit_of(b->kind);
    int rc = b->region ? check_region(all, b, runs, reported) : check_one(all, b, runs, reported);
    rc = note_missing(all, b, rc, reported);
    all->worst = rc == TK_OK && b->level > all->worst ? b->level : all->worst;
    if (rc < 0) {
        tk_err_add(err, "budget %zu", i + 1);
        return rc;
    }
    return rc;
}

/* Of a run that is one of them. */
static size_t number_of(const struct tk_baseline *runs, const struct tk_base_run *run)
{
    size_t i = 0;
    while (i + 1 < runs->runs.n && runs->runs.v[i] != run)
        i++;
    return i;
}

/* What the runs of before have by other names; where these cannot be compared, nothing is known to be
 * renamed. */
static int find_renames(struct tk_budgets *all, const struct tk_baseline *runs, struct tk_comparison *c,
                        struct tk_err *err)
{
    const struct tk_compare_setup setup = {.mixed = true, .allow_short = true};
    struct tk_err none = {0};
    *c = (struct tk_comparison){0};
    all->renames = NULL;
    if (!all->without || all->without->runs.n == 0 || runs->runs.n == 0)
        return TK_OK;
    const int rc = tk_comparison_make(c, all->without, runs, NULL, &setup, &none);
    if (rc == TK_ENOMEM)
        return tk_err_nomem(err, "budgets");
    all->renames = rc == TK_OK ? c : NULL;
    return TK_OK;
}

static int check_left(struct tk_budgets *all, const struct tk_baseline *runs, struct tk_err *err)
{
    struct tk_comparison renames;
    int rc = find_renames(all, runs, &renames, err);
    for (size_t i = 0; i < all->v.n && rc == TK_OK; i++)
        rc = check_budget(all, i, runs, err);
    all->renames = NULL;
    tk_comparison_release(&renames);
    return rc;
}

int tk_budgets_check(struct tk_budgets *all, const struct tk_baseline *runs, struct tk_err *err)
{
    all->worst = TK_BUDGET_PASSED;
    all->lost_regions = 0;
    tk_run_faults_release(&all->faults);
    all->faults = (struct tk_run_faults){0};
    if (tk_run_faults_add(&all->faults, runs, TK_RUN_CHECKED))
        return tk_err_nomem(err, "budgets");
    int reported_runs = tell_runs(all, runs, err);
    if (reported_runs < 0)
        return reported_runs;
    struct tk_baseline left;
    int rc = tk_sides_leave_out(&all->sides, runs, &left) ? tk_err_nomem(err, "budgets") : TK_OK;
    if (rc == TK_OK)
        rc = check_left(all, &left, err);
    for (size_t i = 0; i < all->v.n && rc == TK_OK; i++)
        if (all->v.v[i].found)
            all->v.v[i].run = number_of(runs, left.runs.v[all->v.v[i].run]);
    tk_vec_release(&left.runs);
    return rc;
}

const char *tk_budget_level_name(enum tk_budget_level level)
{
    static const char *const levels[] = {"passed", "missing", "warning", "error"};
    return levels[level];
}

size_t tk_budgets_count(const struct tk_budgets *all, enum tk_budget_level level)
{
    size_t n = 0;
    for (size_t i = 0; i < all->v.n; i++)
        n += all->v.v[i].level == level;
    return n;
}

double tk_budget_limit(const struct tk_budget *b)
{
    return b->level == TK_BUDGET_WARNING || isnan(b->error) ? b->warning : b->error;
}

void tk_budget_place(struct tk_print *p, const struct tk_budget *b)
{
    const char *between = "";
    if (b->has_frames) {
        tk_print(p, "frame %llu", (unsigned long long)b->first_frame);
        if (b->last_frame > b->first_frame)
            tk_print(p, " to %llu", (unsigned long long)b->last_frame);
        tk_print(p, ", ");
        tk_print_fixed(p, b->ms / 1e3, 3);
        tk_print(p, " s");
        between = ", ";
    }
    if (b->run) {
        tk_print(p, "%srun %zu", between, b->run + 1);
        between = ", ";
    }
    if (b->where) {
        tk_print(p, "%s", between);
        tk_print_name(p, b->where);
    }
}
