/*
 * What single frames of a run took: all of series that are watched, which are not in files, and the greatest
 * of timers that take long enough, which are (section GRFR).
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/baseline/baseline_in.h"
#include "compare/baseline/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int tk_watched_frames_fill(struct tk_watched_frames *t, size_t n, double first)
{
    t->v = malloc((n + 1) * sizeof *t->v);
    for (size_t i = 0; t->v && i < n; i++)
        t->v[i] = first;
    t->n = t->v ? n : 0;
    return t->v ? 0 : -1;
}

struct tk_watched_frames *tk_watched_frames_add(struct tk_base_run *run, uint8_t kind,
                                                const struct tk_str *name, const struct tk_str *group,
                                                size_t n, double first)
{
    for (size_t i = 0; i < run->watched_frames.n; i++) {
        struct tk_watched_frames *t = &run->watched_frames.v[i];
        if (t->kind == kind && t->name == name && t->group == group && t->n == n)
            return t;
    }
    struct tk_watched_frames times = {.kind = kind, .name = name, .group = group};
    if (tk_watched_frames_fill(&times, n, first) || tk_vec_push(&run->watched_frames, times)) {
        free(times.v);
        return NULL;
    }
    return &run->watched_frames.v[run->watched_frames.n - 1];
}

static bool is_same(const struct tk_str *a, const struct tk_str *b)
{
    return a && b ? tk_str_order(a, b) == 0 : a == b;
}

static const struct tk_watched_frames *find(const struct tk_base_run *run, uint8_t kind,
                                            const struct tk_str *name, const struct tk_str *group)
{
    const struct tk_base_run *of = run->copy_of ? run->copy_of : run;
    for (size_t i = 0; i < of->watched_frames.n; i++) {
        const struct tk_watched_frames *t = &of->watched_frames.v[i];
        if (t->kind == kind && is_same(t->name, name) && is_same(t->group, group))
            return t;
    }
    return NULL;
}

size_t tk_watched_frames_worst(const struct tk_base_run *run, uint8_t kind, const struct tk_str *name,
                               const struct tk_str *group)
{
    const struct tk_watched_frames *t = find(run, kind, name, group);
    size_t worst = SIZE_MAX;
    double most = -INFINITY;
    for (size_t i = 0; t && i < run->frames.n; i++) {
        const size_t number = run->numbers ? run->numbers[i] : i;
        if (number >= t->n || !(t->v[number] > most))
            continue;
        worst = i;
        most = t->v[number];
    }
    return worst;
}

void tk_watched_frames_release(struct tk_base_run *run)
{
    for (size_t i = 0; i < run->watched_frames.n; i++)
        free(run->watched_frames.v[i].v);
    tk_vec_release(&run->watched_frames);
}

/* ---- the greatest frames ---- */

#define GREATEST_PART 20 /* of all frames, one in so many is kept at most */
#define GREATEST      8  /* and so many at least */

/* The limit, raised until no more frames are beyond it than are kept; 0: none. */
static uint64_t limit_of(const int64_t *own, size_t n, struct tk_rate *space)
{
    const size_t most = n / GREATEST_PART > GREATEST ? n / GREATEST_PART : GREATEST;
    for (size_t i = 0; i < n; i++)
        space[i] = (struct tk_rate){(double)own[i], 1};
    double limit = tk_rates_limit(space, n);
    if (isfinite(limit) && most < n)
        limit = fmax(limit, tk_rates_ranked(space, n, n - 1 - most));
    return isfinite(limit) ? tk_saturate_u64(ceil(limit)) : 0;
}

static bool is_beyond(int64_t own, uint64_t limit)
{
    return limit && own > 0 && (uint64_t)own > limit;
}

int tk_series_find_greatest(struct tk_base_run *run, struct tk_series *s, const int64_t *own,
                            struct tk_rate *space)
{
    struct tk_greatest *g = tk_arena_alloc(&run->series_space, sizeof *g);
    if (!g)
        return -1;
    *g = (struct tk_greatest){.limit = limit_of(own, run->frames.n, space)};
    for (size_t i = 0; i < run->frames.n; i++)
        g->n += is_beyond(own[i], g->limit);
    g->v = tk_arena_alloc(&run->series_space, (g->n + (size_t)1) * sizeof *g->v);
    if (!g->v)
        return -1;
    for (uint32_t i = 0, n = 0; i < run->frames.n; i++)
        if (is_beyond(own[i], g->limit))
            g->v[n++] = (struct tk_great_frame){i, (uint64_t)own[i]};
    s->greatest = g;
    return 0;
}

double tk_series_beyond(const struct tk_series *s, size_t from, size_t to)
{
    const struct tk_greatest *g = s->greatest;
    double sum = 0;
    size_t i;
    if (!g)
        return 0;
    TK_SEARCH(i, g->n, g->v[i].frame < from);
    for (; i < g->n && g->v[i].frame < to; i++)
        sum += (double)(g->v[i].own - g->limit);
    return sum;
}

static int read_great_frames(struct tk_base_reader *r, struct tk_cur *c, struct tk_greatest *g,
                             struct tk_err *err)
{
    const uint64_t n = tk_varint(c, "greatest frames");
    uint64_t frame = 0;
    if (n > r->run->frames.n || n > tk_cur_left(c))
        return tk_base_read_wrong(err, "greatest frames that do not exist");
    g->v = tk_arena_alloc(&r->run->series_space, (size_t)(n + 1) * sizeof *g->v);
    if (!g->v)
        return tk_err_nomem(err, "the greatest frames of a timer");
    for (; g->n < n && tk_cur_ok(c); g->n++) {
        const uint64_t step = tk_varint(c, "greatest frames"), more = tk_varint(c, "greatest frames");
        if (!tk_cur_ok(c))
            break;
        if (step >= r->run->frames.n - frame || (g->n && !step) || more > UINT64_MAX - g->limit)
            return tk_base_read_wrong(err, "greatest frames that do not exist");
        frame += step;
        g->v[g->n] = (struct tk_great_frame){(uint32_t)frame, g->limit + more};
    }
    return TK_OK;
}

int tk_base_read_greatest(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    const uint64_t n = tk_varint(c, "greatest frames");
    int rc = TK_OK;
    r->greatest.n = 0;
    for (uint64_t i = 0; i < n && rc == TK_OK && tk_cur_ok(c); i++) {
        const uint64_t series = tk_varint(c, "greatest frames");
        struct tk_greatest *g = tk_arena_alloc(&r->run->series_space, sizeof *g);
        if (!g || tk_vec_push(&r->greatest, ((struct tk_base_greatest){(size_t)series, g})))
            return tk_err_nomem(err, "the greatest frames of a timer");
        if (series > UINT32_MAX || (i && series <= r->greatest.v[i - 1].series))
            return tk_base_read_wrong(err, "greatest frames of no timer");
        *g = (struct tk_greatest){.limit = tk_varint(c, "greatest frames")};
        rc = read_great_frames(r, c, g, err);
    }
    return rc;
}

int tk_base_settle_greatest(struct tk_base_reader *r, struct tk_err *err)
{
    for (size_t i = 0; i < r->greatest.n; i++) {
        const size_t at = r->greatest.v[i].series;
        if (at >= r->run->series.n || !tk_series_has_calls(r->run->series.v[at]->kind))
            return tk_base_read_wrong(err, "greatest frames of no timer");
        r->run->series.v[at]->greatest = r->greatest.v[i].of;
    }
    r->greatest.n = 0;
    return TK_OK;
}

void tk_series_cut_greatest(struct tk_series *s, const uint32_t *place)
{
    struct tk_greatest *g = s->greatest;
    uint32_t n = 0;
    for (uint32_t i = 0; g && i < g->n; i++)
        if (place[g->v[i].frame] != UINT32_MAX)
            g->v[n++] = (struct tk_great_frame){place[g->v[i].frame], g->v[i].own};
    if (g)
        g->n = n;
}

/* ---- judged frames: which are hitches, and how smoothly they come ---- */

/* Lengths of frames in ms; owned by the caller. NULL if out of memory. */
static double *lengths_of(const struct tk_base_run *run, size_t first)
{
    double *ms = malloc((run->frames.n - first + 1) * sizeof *ms);
    for (size_t i = first; ms && i < run->frames.n; i++)
        ms[i - first] = tk_base_ms(run, (double)run->frames.v[i]);
    return ms;
}

int tk_base_run_judge(struct tk_base_run *run)
{
    const struct tk_hitch_rule local = {TK_HITCH_RULE_LOCAL, 0};
    if (run->judged.n == run->frames.n)
        return 0;
    tk_judged_frames_release(&run->judged);
    double *ms = lengths_of(run, 0);
    const int rc = ms ? tk_frames_judge(&run->judged, ms, run->frames.n, &local) : -1;
    free(ms);
    return rc;
}

int tk_base_run_smoothness(const struct tk_base_run *run, size_t first, double target, bool without_classes,
                           struct tk_smoothness *out)
{
    const size_t n = run->judged.n == run->frames.n ? run->frames.n - first : 0; /* it was judged */
    double *ms = lengths_of(run, first);
    uint8_t *is = calloc(n + 1, sizeof *is);
    struct tk_judged_frames part = {
        .n = n, .expected = n ? run->judged.expected + first : NULL, .is = is, .alone = run->frames.n == 1};
    for (size_t i = 0; is && i < n; i++) {
        is[i] = (uint8_t)tk_base_run_is(run, first + i, without_classes);
        part.startup += is[i] & TK_FRAME_IS_STARTUP ? 1 : 0;
    }
    const int rc = ms && is ? tk_smoothness_of(out, ms, &part, target) : -1;
    free(ms);
    free(is);
    return rc;
}

/* ---- the section HITC ---- */

static int fill_flags(struct tk_base_run *run, struct tk_cur *c, struct tk_err *err)
{
    size_t at = 0;
    while (at < run->frames.n && tk_cur_ok(c)) {
        const uint64_t n = tk_varint(c, "hitches");
        const uint8_t is = tk_u8(c, "hitches");
        if (!tk_cur_ok(c))
            break;
        if (n == 0 || n > run->frames.n - at || is > TK_FRAME_IS_BITS)
            return tk_base_read_wrong(err, "hitches of frames that do not exist");
        memset(run->judged.is + at, is, (size_t)n);
        run->judged.startup += is & TK_FRAME_IS_STARTUP ? (size_t)n : 0;
        at += (size_t)n;
    }
    return TK_OK;
}

int tk_base_read_hitches(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    struct tk_base_run *run = r->run;
    const uint8_t rule = tk_u8(c, "hitches"), knows = tk_u8(c, "hitches");
    tk_varint(c, "hitches");
    if (rule != TK_HITCH_RULE_LOCAL) /* of another program: judged anew */
        return TK_OK;
    const size_t n = run->frames.n;
    run->judged.expected = calloc(n + 1, sizeof *run->judged.expected);
    run->judged.is = calloc(n + 1, sizeof *run->judged.is);
    if (!run->judged.expected || !run->judged.is)
        return tk_err_nomem(err, "the hitches of a run");
    run->judged.n = n;
    run->knows_loading = knows & 1;
    const int rc = fill_flags(run, c, err);
    for (size_t i = 0; i < n; i++) {
        const bool late = run->judged.is[i] & TK_FRAME_IS_LATE;
        const uint64_t expected = late ? tk_varint(c, "hitches") : run->frames.v[i];
        run->judged.expected[i] = tk_base_ms(run, (double)expected);
    }
    return rc;
}

/* ---- the section WHYS ---- */

int tk_base_read_reasons(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    struct tk_base_run *run = r->run;
    const uint64_t n = tk_varint(c, "reasons of hitches");
    if (n > tk_cur_left(c))
        return tk_base_read_wrong(err, "more hitches than bytes");
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_base_hitch hitch = {.number = (uint32_t)(tk_varint(c, "a hitch") & UINT32_MAX)};
        hitch.frame = tk_varint(c, "a hitch");
        hitch.role = tk_u8(c, "a hitch") % TK_ROLES;
        hitch.thread = tk_base_read_name(r, c);
        hitch.timer = tk_base_read_name(r, c);
        hitch.excess = tk_base_read_real(c, "a hitch");
        hitch.cause_role = tk_u8(c, "a hitch") % TK_ROLES;
        hitch.cause_thread = tk_base_read_name(r, c);
        hitch.cause = tk_base_read_name(r, c);
        hitch.growth = tk_base_read_real(c, "a hitch");
        if (tk_cur_ok(c) && tk_vec_push(&run->reasons, hitch))
            return tk_err_nomem(err, "the hitches of a run");
    }
    run->knows_reasons = true;
    return TK_OK;
}

size_t tk_base_run_find_frame(const struct tk_base_run *run, uint32_t number)
{
    size_t at;
    if (!run->numbers)
        return number < run->frames.n ? number : run->frames.n;
    TK_SEARCH(at, run->frames.n, run->numbers[at] < number);
    return at < run->frames.n && run->numbers[at] == number ? at : run->frames.n;
}
