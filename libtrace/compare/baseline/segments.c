/*
 * Cuts the runs of a baseline to some of their blocks. It runs after a baseline is read and before it is
 * compared.
 */
#include "compare/baseline/segments.h"

#include "base/text/glob.h"
#include "base/wrap.h"
#include "compare/baseline/baseline_in.h"
#include "judge/outcomes.h"

#include <stdlib.h>
#include <string.h>

struct cut {
    struct tk_base_run *run;
    const struct tk_segment_choice *choice;
    uint8_t *keep;                    /* owned; by block */
    uint32_t *place;                  /* owned; by frame: its number in what is kept, or UINT32_MAX */
    uint8_t whole[TK_CALL_PATH_SUMS]; /* parts that are kept */
    bool mixed;                       /* one is kept only in part */
    bool by_pattern;                  /* a region was found that has another name than was requested */
};

/* ---- what is kept ---- */

static bool is_text(const struct tk_str *s, const char *text)
{
    return s->n == strlen(text) && memcmp(s->p, text, s->n) == 0;
}

static int no_region(const struct cut *c, const char *pattern, struct tk_err *err)
{
    const struct tk_str *names[64];
    size_t n = 0;
    for (size_t i = 0; i < c->run->segments.n && n < 64; i++)
        if (c->run->segments.v[i].kind == TK_SEGMENT_REGION)
            names[n++] = c->run->segments.v[i].name;
    if (c->run->lost_regions)
        return tk_err_set(
            err, TK_EMATCH,
            "a run stores no region '%.200s'; %u more regions than it has room for were left out", pattern,
            c->run->lost_regions);
    if (n == 0)
        return tk_err_set(err, TK_EMATCH, "a run stores no region '%.200s': it has no regions", pattern);
    return tk_err_set(err, TK_EMATCH, "a run stores no region '%.200s'; it has '%.*s'%s", pattern,
                      (int)names[0]->n, names[0]->p, n > 1 ? " and others" : "");
}

static void take_segments(struct cut *c, const struct tk_run_segment *s)
{
    for (uint32_t b = 0; b < c->run->n_blocks; b++)
        c->keep[b] |= s->has[b];
}

/* Takes the segments of a pattern, or of the name that it is; false: there is none. */
static bool take_regions(struct cut *c, const char *pattern)
{
    bool found = false, exact = false;
    for (size_t i = 0; i < c->run->segments.n; i++) {
        const struct tk_run_segment *s = &c->run->segments.v[i];
        exact |= s->kind == TK_SEGMENT_REGION && is_text(s->name, pattern);
    }
    for (size_t i = 0; i < c->run->segments.n; i++) {
        const struct tk_run_segment *s = &c->run->segments.v[i];
        if (s->kind != TK_SEGMENT_REGION)
            continue;
        if (exact ? !is_text(s->name, pattern)
                  : !tk_glob(pattern, strlen(pattern), s->name->p, s->name->n, false))
            continue;
        take_segments(c, s);
        found = true;
        c->by_pattern |= !exact;
    }
    return found;
}

static int drop_warmup(struct cut *c, struct tk_err *err)
{
    for (size_t i = 0; i < c->run->segments.n; i++) {
        const struct tk_run_segment *s = &c->run->segments.v[i];
        if (s->kind != TK_SEGMENT_WARMUP)
            continue;
        for (uint32_t b = 0; b < c->run->n_blocks; b++)
            c->keep[b] &= !s->has[b];
        return TK_OK;
    }
    return tk_outcome_fail(err, TK_OUTCOME_NOT_STORED, "this baseline has no separate warm-up");
}

static int choose_segments(struct cut *c, struct tk_err *err)
{
    uint32_t kept = 0;
    int rc = TK_OK;
    memset(c->keep, c->choice->n_regions == 0, c->run->n_blocks);
    for (size_t i = 0; i < c->choice->n_regions; i++)
        if (!take_regions(c, c->choice->regions[i]))
            return no_region(c, c->choice->regions[i], err);
    if (c->choice->no_warmup)
        rc = drop_warmup(c, err);
    for (uint32_t b = 0; b < c->run->n_blocks; b++)
        kept += c->keep[b];
    if (rc == TK_OK && kept == 0)
        rc = tk_err_set(err, TK_EMATCH, "the selection contains no frame of a run");
    return rc;
}

static void choose_parts(struct cut *c)
{
    uint8_t out[TK_CALL_PATH_SUMS] = {0};
    for (uint32_t b = 0; b < c->run->n_blocks; b++) {
        uint8_t p = c->run->part[b];
        c->whole[p] |= c->keep[b];
        out[p] |= !c->keep[b];
    }
    for (unsigned p = 0; p < TK_CALL_PATH_SUMS; p++) {
        c->mixed |= c->whole[p] && out[p];
        c->whole[p] &= !out[p];
    }
    c->run->torn |= c->mixed;
}

/* ---- frames ---- */

static int cut_frames(struct cut *c)
{
    struct tk_base_run *run = c->run;
    uint32_t *numbers = malloc((run->frames.n + 1) * sizeof *numbers), n = 0;
    c->place = malloc((run->frames.n + 1) * sizeof *c->place);
    double *begins = malloc((run->frames.n + 1) * sizeof *begins), at = 0;
    if (!numbers || !begins || !c->place) {
        free(numbers);
        free(begins);
        return -1;
    }
    for (uint32_t b = 0; b < run->n_blocks; b++)
        for (uint32_t i = run->starts[b]; i < run->starts[b + 1]; i++) {
            at += i < run->gaps.n ? tk_base_ms(run, (double)run->gaps.v[i]) : 0;
            double begin = run->begins ? run->begins[i] : at;
            uint32_t number = run->numbers ? run->numbers[i] : i;
            at += tk_base_ms(run, (double)run->frames.v[i]);
            c->place[i] = c->keep[b] ? n : UINT32_MAX;
            if (!c->keep[b])
                continue;
            begins[n] = begin;
            numbers[n] = number;
            if (i < run->judged.n) {
                run->judged.is[n] = run->judged.is[i];
                run->judged.expected[n] = run->judged.expected[i];
            }
            if (i < run->places.n)
                run->places.v[n] = run->places.v[i];
            run->frames.v[n++] = run->frames.v[i];
        }
    run->places.n = run->places.n ? n : 0;
    run->judged.n = run->judged.n ? n : 0;
    run->frames.n = n;
    run->gaps.n = 0;
    free(run->numbers);
    free(run->begins);
    run->numbers = numbers;
    run->begins = begins;
    return 0;
}

/* The layout of blocks; what lies by block was moved before. */
static void cut_layout(struct cut *c)
{
    struct tk_base_run *run = c->run;
    uint32_t n = 0, at = 0;
    for (uint32_t b = 0; b < run->n_blocks; b++) {
        uint32_t weight = tk_block_weight(run, b);
        if (!c->keep[b])
            continue;
        run->part[n] = run->part[b];
        for (size_t s = 0; s < run->segments.n; s++)
            run->segments.v[s].has[n] = run->segments.v[s].has[b];
        run->starts[n++] = at;
        at += weight;
    }
    run->starts[n] = at;
    run->n_blocks = n;
}

/* ---- series ---- */

static void cut_calls(const struct cut *c, struct tk_series *s)
{
    struct tk_run_part_sum sum = {0};
    for (unsigned p = 0; s->parts && !c->mixed && p < TK_CALL_PATH_SUMS; p++)
        if (c->whole[p]) {
            sum.count += s->parts[p].count;
            sum.total += s->parts[p].total;
        }
    s->count = sum.count;
    s->total = s->incl = sum.total;
    tk_series_forget_calls(s);
}

/* Allocations stay what they are by what they count. */
static void cut_values(struct tk_series *s, uint32_t n, bool allocations)
{
    const struct tk_series_span span = tk_series_span(s, 0, n);
    s->first = span.first;
    s->last = span.last;
    s->high = span.high;
    if (allocations)
        return;
    s->low = span.low;
    s->count = span.hits;
}

/* What places have of calls is not known by part. */
static void cut_place(const struct cut *c, struct tk_series *place)
{
    uint32_t n = 0;
    double sum = 0;
    for (uint32_t b = 0; b < c->run->n_blocks; b++)
        if (c->keep[b])
            sum += place->blocks[n++] = place->blocks[b];
    place->own = tk_saturate_i64(sum);
    place->count = 0;
}

static void cut_series(const struct cut *c, struct tk_series *s)
{
    bool allocations = tk_series_of_allocations(s, c->run->n_blocks);
    uint32_t n = 0;
    double sum = 0;
    for (uint32_t b = 0; b < c->run->n_blocks; b++) {
        if (!c->keep[b])
            continue;
        if (s->hits)
            s->hits[n] = s->hits[b];
        sum += s->blocks[n++] = s->blocks[b];
    }
    if (tk_series_has_calls(s->kind))
        cut_calls(c, s);
    tk_series_cut_greatest(s, c->place);
    if (s->hits)
        cut_values(s, n, allocations);
    if (tk_series_is_counted(s->kind))
        s->count = tk_saturate_u64(sum);
    else if (tk_series_has_calls(s->kind))
        s->own = tk_saturate_i64(sum);
}

/* Is nothing known of it in what is kept? */
static bool is_lost(const struct cut *c, const struct tk_series *s)
{
    if (s->kind == TK_SERIES_LOADING)
        return c->choice->n_regions;
    for (uint32_t b = 0; s->hits && b < c->run->n_blocks; b++)
        if (c->keep[b] && s->hits[b])
            return false;
    return s->hits;
}

/* 0, or -1 if out of memory. */
static int cut_all_series(const struct cut *c)
{
    struct tk_base_run *run = c->run;
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; i < run->series.n; i++) {
        struct tk_series *s = run->series.v[i];
        if (is_lost(c, s)) {
            tk_base_series_release(s);
            continue;
        }
        rc = rc == 0 ? tk_base_run_unpack(run, s) : rc;
        for (size_t k = 0; k < s->n_places && rc == 0; k++) {
            rc = tk_base_run_unpack(run, s->places[k]);
            if (rc == 0)
                cut_place(c, s->places[k]);
        }
        if (rc == 0)
            cut_series(c, s);
        run->series.v[n++] = s;
    }
    run->series.n = n;
    return rc;
}

static void cut_paths(const struct cut *c)
{
    for (size_t i = 0; i < c->run->paths.n; i++) {
        struct tk_path *path = &c->run->paths.v[i];
        path->own = 0;
        path->reported &= !c->mixed;
        for (unsigned p = 0; p < TK_CALL_PATH_SUMS; p++) {
            path->parts[p] = c->whole[p] ? path->parts[p] : 0;
            path->own = tk_wrap_add(path->own, path->parts[p]);
        }
    }
}

static int cut_run(struct tk_baseline *b, struct tk_base_run *run, const struct tk_segment_choice *choice,
                   struct tk_err *err)
{
    struct cut c = {.run = run, .choice = choice, .keep = calloc((size_t)run->n_blocks + 1, 1)};
    int rc = c.keep ? choose_segments(&c, err) : tk_err_nomem(err, "a run");
    if (rc == TK_OK && cut_frames(&c))
        rc = tk_err_nomem(err, "a run");
    if (rc == TK_OK) {
        choose_parts(&c);
        rc = cut_all_series(&c) ? tk_err_nomem(err, "a run") : TK_OK;
        cut_paths(&c);
        cut_layout(&c);
        run->metrics.n = 0; /* they are of what is left out now, too */
    }
    if (c.by_pattern && run->lost_regions > b->lost_regions)
        b->lost_regions = run->lost_regions;
    free(c.keep);
    free(c.place);
    return rc;
}

/* ---- baselines ---- */

int tk_baseline_cut(struct tk_baseline *b, const struct tk_segment_choice *choice, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < b->runs.n && rc == TK_OK; i++)
        rc = cut_run(b, b->runs.v[i], choice, err);
    return rc;
}

int tk_baseline_copy(struct tk_baseline *out, const struct tk_baseline *b, struct tk_err *err)
{
    struct tk_baseline_bytes bytes = {0};
    *out = (struct tk_baseline){0};
    int rc = tk_baseline_encode_copy(b, &bytes, err);
    if (rc == TK_OK)
        rc = tk_baseline_decode(out, bytes.v, bytes.n, err);
    free(bytes.v);
    if (rc < 0)
        tk_baseline_clear(out);
    return rc;
}

void tk_baseline_clear(struct tk_baseline *b)
{
    for (size_t i = 0; i < b->runs.n; i++)
        tk_base_run_free(b->runs.v[i]);
    tk_vec_release(&b->runs);
}
