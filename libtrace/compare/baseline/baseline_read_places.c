/*
 * Reads the sections SRCP, METR and CELL of a run of a baseline file; the layout is in baseline_file.h.
 * baseline_read.c calls it for these sections.
 */
#include "base/wrap.h"
#include "compare/baseline/baseline_in.h"
#include "compare/baseline/block_walk.h"
#include "judge/metric_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
