/*
 * Reads the series of a run of a baseline file, or their values, and its call paths; the layout is in
 * baseline_file.h. baseline_read.c calls it for these sections.
 */
#include "base/wrap.h"
#include "compare/baseline/baseline_in.h"
#include "compare/baseline/block_walk.h"
#include "judge/metric_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the names on the paths from their roots on: more are not believed. */
#define MOST_NAMES (UINT64_C(1) << 28)

static int read_path(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    struct tk_path path = {.parent = (uint32_t)(tk_varint(c, "a path") & UINT32_MAX)};
    uint64_t series = tk_varint(c, "a path");
    path.count = tk_varint(c, "a path");
    path.own = tk_base_read_zigzag(c, "a path");
    path.reported = tk_u8(c, "a path");
    if (path.parent > r->run->paths.n || series > UINT32_MAX)
        return tk_base_read_wrong(err, "a path before its parent");
    for (uint32_t k = 0; path.reported && k < TK_CALL_PATH_SUMS; k++)
        path.parts[k] = tk_base_read_zigzag(c, "a path");
    if (!tk_vec_push(&r->path_timers, (uint32_t)series) && !tk_vec_push(&r->run->paths, path))
        return TK_OK;
    return tk_err_nomem(err, "a path");
}

int tk_base_read_paths(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "paths");
    int rc = TK_OK;
    r->path_timers.n = 0;
    if (n > tk_cur_left(c) || n * (r->run->n_blocks + UINT64_C(1)) > TK_BASELINE_MOST_BLOCKS)
        return tk_base_read_wrong(err, "more paths than bytes");
    for (uint64_t i = 0; i < n && rc == TK_OK && tk_cur_ok(c); i++)
        rc = read_path(r, c, err);
    return rc;
}

/* Every path is reported with all that lies above it. */
static int measure_paths(const struct tk_base_run *run, struct tk_err *err)
{
    uint64_t *bytes = calloc(run->paths.n + 1, sizeof *bytes), all = 0;
    if (!bytes)
        return tk_err_nomem(err, "the paths of a run");
    for (size_t i = 0; i < run->paths.n && all <= MOST_NAMES; i++) {
        const struct tk_path *path = &run->paths.v[i];
        bytes[i] = path->timer->name->n + UINT64_C(1) + (path->parent ? bytes[path->parent - 1] : 0);
        all += bytes[i];
    }
    free(bytes);
    return all <= MOST_NAMES ? TK_OK : tk_base_read_wrong(err, "paths that are too deep");
}

/* Paths come before the series that they name by number. */
static int settle_paths(struct tk_base_reader *r, struct tk_err *err)
{
    for (size_t i = 0; i < r->run->paths.n; i++) {
        size_t at = r->path_timers.v[i];
        if (at >= r->run->series.n || !tk_series_has_calls(r->run->series.v[at]->kind))
            return tk_base_read_wrong(err, "a path without a timer");
        r->run->paths.v[i].timer = r->run->series.v[at];
    }
    return measure_paths(r->run, err);
}

/* Numbers with zeros in runs, from version 2 on. */
static uint64_t sparse(struct tk_cur *c, uint64_t *zeros, const char *what)
{
    if (*zeros) {
        --*zeros;
        return 0;
    }
    uint64_t v = tk_varint(c, what);
    if (v == 0)
        *zeros = tk_varint(c, what);
    return v;
}

/* Buckets that are not empty, each with how many empty ones there are before it; they are checked, and kept
 * as they are. */
static int read_sketch(struct tk_base_reader *r, struct tk_series *s, struct tk_cur *c)
{
    const uint8_t *begin = c->p;
    struct tk_cur here = *c;
    uint64_t at = tk_varint(&here, "a sketch"), n = tk_varint(&here, "a sketch");
    const uint64_t most = tk_sketch_bucket(TK_SKETCH_CALLS, UINT64_MAX);
    for (uint64_t i = 0; i < n && tk_cur_ok(&here); i++, at++)
        if (tk_sketch_read_bucket(&here, &at) < 1 || at > most)
            here.fault = "a sketch";
    *c = here;
    if (!n || !tk_cur_ok(c))
        return 0;
    s->packed_size = (size_t)(c->p - begin);
    s->packed = tk_base_read_keep(r, begin, s->packed_size);
    return s->packed ? 0 : -1;
}

/* Version 1 has all buckets from the first to the last. */
static int read_sketch_1(struct tk_series *s, struct tk_cur *c)
{
    uint64_t first = tk_varint(c, "a sketch"), n = tk_varint(c, "a sketch");
    uint64_t most = tk_sketch_bucket(TK_SKETCH_CALLS, UINT64_MAX);
    if (first > most || n > most + 1 - first) {
        c->fault = "a sketch";
        return 0;
    }
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        uint64_t count = tk_varint(c, "a sketch");
        if (count && tk_cur_ok(c) && tk_sketch_add_n(&s->sketch, (uint32_t)(first + i), count))
            return -1;
    }
    return 0;
}

static void read_sums(struct tk_series *s, struct tk_cur *c)
{
    s->total = tk_varint(c, "calls");
    s->incl = tk_varint(c, "calls");
    s->own = tk_base_read_zigzag(c, "calls");
    s->min = tk_varint(c, "calls");
    s->max = tk_varint(c, "calls");
}

static int read_calls(struct tk_base_reader *r, struct tk_series *s, struct tk_cur *c)
{
    if (s->count > TK_SERIES_EXACT)
        return r->version == 1 ? read_sketch_1(s, c) : read_sketch(r, s, c);
    const uint8_t *begin = c->p;
    for (uint64_t i = 0; i < s->count && tk_cur_ok(c); i++)
        tk_varint(c, "calls");
    if (!tk_cur_ok(c))
        return 0;
    s->packed_size = (size_t)(c->p - begin);
    s->packed = tk_base_read_keep(r, begin, s->packed_size);
    return s->packed ? 0 : -1;
}

static void read_values(const struct tk_base_run *run, struct tk_series *s, struct tk_cur *c)
{
    for (uint32_t b = 0; b < run->n_blocks && tk_cur_ok(c); b++) {
        s->blocks[b] = tk_base_read_real(c, "blocks");
        s->hits[b] = (uint32_t)(tk_varint(c, "blocks") & UINT32_MAX);
    }
}

/* Blocks of a kind that is counted, or of version 1, are zero until they are read. */
static void read_blocks(const struct tk_base_run *run, struct tk_series *s, struct tk_cur *c, bool plain)
{
    const bool natural = tk_series_is_counted(s->kind);
    struct tk_cur here = *c;
    for (uint64_t b = 0; b < run->n_blocks && tk_cur_ok(&here); b++) {
        const uint64_t v = tk_block_walk_number(&here), left = run->n_blocks - b;
        const uint64_t zeros = v || plain ? 0 : tk_block_walk_number(&here);
        if (v)
            s->blocks[b] = natural ? (double)v : (double)tk_base_unzigzag(v);
        b += zeros < left ? zeros : left;
    }
    *c = here;
}

/* Blocks of timers are most of a file and few are looked at one by one: they are checked, and kept as they
 * are. */
static int pack_blocks(struct tk_base_reader *r, struct tk_series *s, struct tk_cur *c)
{
    const uint8_t *begin = c->p;
    const double sum = tk_block_read(c, r->run->n_blocks, NULL);
    if (!tk_cur_ok(c))
        return 0;
    s->packed_sum = sum;
    s->packed_blocks_size = (size_t)(c->p - begin);
    s->packed_blocks = tk_base_read_keep(r, begin, s->packed_blocks_size);
    return s->packed_blocks ? 0 : -1;
}

/* Those of values lie with how many there were. */
static int read_sums_of_blocks(struct tk_base_reader *r, struct tk_series *s, struct tk_cur *c, bool any)
{
    const bool plain = r->version == 1;
    if (any && tk_series_has_calls(s->kind) && !plain)
        return pack_blocks(r, s, c);
    if ((any || !tk_series_has_calls(s->kind)) && tk_base_run_unpack(r->run, s))
        return -1;
    if (any && s->hits)
        read_values(r->run, s, c);
    else if (any)
        read_blocks(r->run, s, c, plain);
    return 0;
}

static int read_one(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint8_t kind = tk_u8(c, "a series"), timer_kind = tk_u8(c, "a series"), flags = tk_u8(c, "a series");
    if (kind >= TK_SERIES_KINDS || (kind > TK_SERIES_LOADING && r->version < 4))
        return tk_base_read_wrong(err, "a series of an unknown kind");
    if (flags & TK_BASELINE_NO_CALLS && (r->version < 3 || !tk_series_has_calls(kind)))
        return tk_base_read_wrong(err, "a series without calls");
    struct tk_series *s = tk_base_run_add_bare(r->run, kind);
    uint64_t zeros = 0;
    if (!s)
        return tk_err_nomem(err, "a series");
    const struct tk_str *names[3];
    for (int i = 0; i < 3; i++)
        names[i] = tk_base_read_name(r, c);
    if (!tk_cur_ok(c))
        return TK_OK; /* known by the section */
    s->name = names[0];
    s->group = names[1];
    s->file = names[2];
    s->timer_kind = timer_kind;
    s->real = flags & TK_BASELINE_REALS;
    s->by_file = flags & TK_BASELINE_BY_FILE;
    s->line = (uint32_t)(tk_varint(c, "a series") & UINT32_MAX);
    s->count = tk_varint(c, "a series");
    if (tk_series_has_calls(kind) || kind == TK_SERIES_LOADING)
        read_sums(s, c);
    if (!(flags & TK_BASELINE_NO_CALLS) && tk_series_has_calls(kind) && read_calls(r, s, c))
        return tk_err_nomem(err, "a series");
    if (s->hits) {
        s->first = tk_base_read_real(c, "a series");
        s->last = tk_base_read_real(c, "a series");
        s->low = tk_base_read_real(c, "a series");
        s->high = tk_base_read_real(c, "a series");
    }
    if (read_sums_of_blocks(r, s, c, flags & TK_BASELINE_BLOCKS))
        return tk_err_nomem(err, "a series");
    if (flags & TK_BASELINE_PARTS && !(s->parts = calloc(TK_CALL_PATH_SUMS, sizeof *s->parts)))
        return tk_err_nomem(err, "a series");
    for (size_t i = 0; s->parts && i < TK_CALL_PATH_SUMS; i++) {
        s->parts[i].count = sparse(c, &zeros, "parts");
        s->parts[i].total = sparse(c, &zeros, "parts");
    }
    return TK_OK;
}

int tk_base_read_series(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "series");
    int rc = TK_OK;
    if (n > tk_cur_left(c) || n * (r->run->n_blocks + UINT64_C(1)) > TK_BASELINE_MOST_BLOCKS)
        return tk_base_read_wrong(err, "more series than bytes");
    if (tk_vec_reserve(&r->run->series, (size_t)n))
        return tk_err_nomem(err, "the series of a run");
    for (uint64_t i = 0; i < n && rc == TK_OK && tk_cur_ok(c); i++)
        rc = read_one(r, c, err);
    if (rc == TK_OK && tk_cur_ok(c))
        rc = settle_paths(r, err);
    if (rc == TK_OK && tk_cur_ok(c))
        rc = tk_base_settle_places(r, err);
    if (rc == TK_OK && tk_cur_ok(c))
        rc = tk_base_settle_greatest(r, err);
    if (rc < 0 || !tk_cur_ok(c))
        return rc;
    struct tk_base_run *run = r->run;
    r->run = NULL;
    r->runs++;
    if (tk_base_run_tidy(run)) {
        tk_base_run_free(run);
        return tk_err_nomem(err, "the series of a run");
    }
    return tk_baseline_take(r->b, run, err);
}

/* ---- values in place of series ---- */

static void read_number(struct tk_run_value *v, struct tk_cur *c)
{
    if (tk_series_has_calls(v->kind))
        v->value = (double)tk_base_read_zigzag(c, "a value");
    else if (v->kind == TK_SERIES_LOADING)
        v->value = (double)tk_varint(c, "a value");
    else
        v->value = tk_base_read_real(c, "a value");
}

int tk_base_read_values(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    if (!r->brief)
        return TK_OK; /* all of it is known by the series */
    const uint64_t n = tk_varint(c, "values");
    if (n > tk_cur_left(c))
        return tk_base_read_wrong(err, "more values than bytes");
    if (tk_vec_reserve(&r->run->values, (size_t)n + 1))
        return tk_err_nomem(err, "the values of a run");
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_run_value v = {.kind = tk_u8(c, "a value")};
        v.name = tk_base_read_name(r, c);
        v.group = tk_base_read_name(r, c);
        const uint64_t parent = tk_varint(c, "a value");
        if (v.kind > TK_SERIES_LOADING || v.kind == TK_SERIES_LOG || parent > r->names.n)
            return tk_base_read_wrong(err, "a value of an unknown kind");
        v.increases = parent && v.kind == TK_SERIES_COUNTER;
        v.parent = parent && !v.increases ? r->names.v[parent - 1] : NULL;
        read_number(&v, c);
        r->run->values.v[r->run->values.n++] = v;
    }
    return TK_OK;
}

/*
 * Reads the sections SRCP, METR and CELL of a run of a baseline file; the layout is in baseline_file.h.
 * baseline_read.c calls it for these sections.
 */

/* Places come before the series that they name by number. */
static int read_place(struct tk_base_reader *r, struct tk_cur *c, uint64_t series, struct tk_err *err)
{
    struct tk_base_place place = {.series = (size_t)series};
    place.file = tk_base_read_name(r, c);
    place.line = (uint32_t)(tk_varint(c, "places") & UINT32_MAX);
    place.count = tk_varint(c, "places");
    place.own = tk_base_read_zigzag(c, "places");
    if (tk_u8(c, "places") && tk_cur_ok(c)) {
        const uint8_t *begin = c->p;
        place.sum = tk_block_read(c, r->run->n_blocks, NULL);
        place.size = (size_t)(c->p - begin);
        place.blocks = tk_cur_ok(c) ? tk_base_read_keep(r, begin, place.size) : NULL;
        if (tk_cur_ok(c) && !place.blocks)
            return tk_err_nomem(err, "the places of a timer");
    }
    return tk_cur_ok(c) && tk_vec_push(&r->places, place) ? tk_err_nomem(err, "the places of a timer")
                                                          : TK_OK;
}

int tk_base_read_places(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    const uint64_t n = tk_varint(c, "places");
    uint64_t last = 0;
    int rc = TK_OK;
    r->places.n = 0;
    for (uint64_t i = 0; i < n && rc == TK_OK && tk_cur_ok(c); i++) {
        const uint64_t series = tk_varint(c, "places"), places = tk_varint(c, "places");
        if (series > UINT32_MAX || (i && series <= last) || places > tk_cur_left(c) || places > UINT32_MAX ||
            (r->places.n + places) * (r->run->n_blocks + UINT64_C(1)) > TK_BASELINE_MOST_BLOCKS)
            return tk_base_read_wrong(err, "places of no timer");
        last = series;
        for (uint64_t k = 0; k < places && rc == TK_OK && tk_cur_ok(c); k++)
            rc = read_place(r, c, series, err);
    }
    return rc;
}

static struct tk_series *make_place(struct tk_base_reader *r, const struct tk_base_place *from)
{
    const struct tk_series *of = r->run->series.v[from->series];
    struct tk_series *place = tk_arena_alloc(&r->run->series_space, sizeof *place);
    if (place)
        *place = (struct tk_series){.kind = of->kind,
                                    .timer_kind = of->timer_kind,
                                    .name = of->name,
                                    .group = of->group,
                                    .file = from->file,
                                    .line = from->line,
                                    .count = from->count,
                                    .own = from->own,
                                    .packed_blocks = from->blocks,
                                    .packed_blocks_size = from->size,
                                    .packed_sum = from->sum};
    return place;
}

int tk_base_settle_places(struct tk_base_reader *r, struct tk_err *err)
{
    for (size_t i = 0, end; i < r->places.n; i = end) {
        const size_t at = r->places.v[i].series;
        for (end = i + 1; end < r->places.n && r->places.v[end].series == at;)
            end++;
        if (at >= r->run->series.n || !tk_series_has_calls(r->run->series.v[at]->kind) || end - i < 2)
            return tk_base_read_wrong(err, "places of no timer");
        struct tk_series *s = r->run->series.v[at];
        s->places = calloc((end - i) * 2, sizeof *s->places);
        for (size_t k = i; s->places && k < end; k++)
            if (!(s->places[s->n_places++] = make_place(r, &r->places.v[k])))
                return tk_err_nomem(err, "the places of a timer");
        if (!s->places)
            return tk_err_nomem(err, "the places of a timer");
    }
    r->places.n = 0;
    return TK_OK;
}

int tk_base_read_metrics(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    const uint64_t n = tk_varint(c, "metrics");
    if (n > tk_cur_left(c))
        return tk_base_read_wrong(err, "more metrics than bytes");
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_base_metric metric = {.name = tk_base_read_name(r, c)};
        metric.unit = tk_base_read_name(r, c);
        metric.better = tk_u8(c, "a metric") % TK_METRIC_BETTERS;
        metric.source = tk_u8(c, "a metric") % TK_METRIC_SOURCES;
        metric.hash = tk_u64(c, "a metric");
        metric.measured = tk_u8(c, "a metric") & 1;
        metric.value = tk_base_read_real(c, "a metric");
        metric.floor = fabs(tk_base_read_real(c, "a metric"));
        metric.floor_ratio = fabs(tk_base_read_real(c, "a metric"));
        if (tk_cur_ok(c) && tk_vec_push(&r->run->metrics, metric))
            return tk_err_nomem(err, "the metrics of a run");
    }
    return TK_OK;
}

/* ---- CELL ---- */

/* Of `n` frames in a row that are at the same place. */
static int add_steps(struct tk_base_reader *r, uint64_t n, const struct tk_run_step *step, struct tk_err *err)
{
    struct tk_base_run *run = r->run;
    if (n == 0 || n > run->frames.n - run->places.n)
        return tk_base_read_wrong(err, "places of frames that do not exist");
    for (uint64_t i = 0; i < n; i++)
        run->places.v[run->places.n++] = *step;
    return TK_OK;
}

static int read_steps(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    struct tk_run_step step = {.known = false};
    int rc = TK_OK;
    while (r->run->places.n < r->run->frames.n && rc == TK_OK && tk_cur_ok(c)) {
        const uint64_t n = tk_varint(c, "places of frames");
        step.known = tk_u8(c, "places of frames") & 1;
        for (int k = 0; k < 3 && step.known; k++)
            step.at[k] = tk_wrap_add(step.at[k], tk_base_read_zigzag(c, "places of frames"));
        if (tk_cur_ok(c))
            rc = add_steps(r, n, &step, err);
    }
    return rc;
}

int tk_base_read_cells(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    struct tk_base_run *run = r->run;
    const uint64_t n = tk_varint(c, "places of frames");
    const uint8_t *text = n <= tk_cur_left(c) ? tk_take(c, (size_t)n, "places of frames") : NULL;
    if (!text)
        return tk_base_read_wrong(err, "a name is longer than its section");
    run->place_source = tk_intern(&run->names, text, (size_t)n, TK_ENC_BYTES);
    run->step = tk_base_read_real(c, "places of frames");
    if (!(run->step > 0))
        return tk_base_read_wrong(err, "places in steps of nothing");
    if (!run->place_source || tk_vec_reserve(&run->places, run->frames.n + 1))
        return tk_err_nomem(err, "places of frames");
    run->places.n = 0;
    return read_steps(r, c, err);
}
