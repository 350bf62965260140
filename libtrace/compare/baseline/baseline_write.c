/*
 * Writes runs to a baseline file; the layout is in baseline_file.h. It is the last step of trace-stats
 * --save.
 */
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/wrap.h"
#include "compare/baseline/baseline_file.h"
#include "compare/baseline/block_walk.h"

#include <string.h>

/* Bytes that grow; `failed` stays. */
struct writer {
    struct tk_baseline_bytes *out;
    struct tk_map index; /* text -> its number */
    TK_VEC(const struct tk_str *) texts;
    bool failed, cut, sampled; /* cut: a series has no calls; sampled: there are samples */
};

static void put_baseline_write(struct writer *w, const void *p, size_t n)
{
    if (w->failed || tk_vec_reserve(w->out, w->out->n + n)) {
        w->failed = true;
        return;
    }
    if (n)
        memcpy(w->out->v + w->out->n, p, n);
    w->out->n += n;
}

static void put_u8(struct writer *w, unsigned v)
{
    uint8_t b = (uint8_t)v;
    put_baseline_write(w, &b, 1);
}

static void put_le(struct writer *w, uint64_t v, size_t n)
{
    uint8_t b[8];
    for (size_t i = 0; i < n; i++)
        b[i] = (uint8_t)(v >> (8 * i));
    put_baseline_write(w, b, n);
}

static void put_varint(struct writer *w, uint64_t v)
{
    uint8_t b[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        b[n++] = (uint8_t)(v | 0x80);
    b[n++] = (uint8_t)v;
    put_baseline_write(w, b, n);
}

static uint64_t zigzag_of(int64_t v)
{
    return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static void put_zigzag(struct writer *w, int64_t v)
{
    put_varint(w, zigzag_of(v));
}

static void put_real(struct writer *w, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_le(w, bits, 8);
}

/* A number, with zeros in runs: a zero is followed by how many more there are. */
struct zeros {
    uint64_t n;
};

static void put_zeros(struct writer *w, struct zeros *z)
{
    if (z->n) {
        put_u8(w, 0);
        put_varint(w, z->n - 1);
    }
    z->n = 0;
}

static void put_sparse(struct writer *w, struct zeros *z, uint64_t v)
{
    if (v == 0) {
        z->n++;
        return;
    }
    put_zeros(w, z);
    put_varint(w, v);
}

/* ---- sections ---- */

static size_t begin_section(struct writer *w, const char *tag)
{
    put_baseline_write(w, tag, 4);
    put_le(w, 0, 8);
    put_le(w, 0, 8);
    return w->out->n;
}

uint64_t tk_baseline_checksum(const void *tag, const void *payload, size_t n)
{
    return tk_checksum(payload, n, tk_load32(tag));
}

static void end_section(struct writer *w, size_t at)
{
    if (w->failed)
        return;
    uint64_t n = w->out->n - at;
    uint64_t sum = tk_baseline_checksum(w->out->v + at - 20, w->out->v + at, w->out->n - at);
    for (size_t i = 0; i < 8; i++) {
        w->out->v[at - 16 + i] = (uint8_t)(n >> (8 * i));
        w->out->v[at - 8 + i] = (uint8_t)(sum >> (8 * i));
    }
}

/* ---- names ---- */

static void know(struct writer *w, const struct tk_str *text)
{
    uint64_t key = (uint64_t)(uintptr_t)text;
    if (tk_map_get(&w->index, key) != TK_MAP_NONE)
        return;
    if (tk_map_put(&w->index, key, (uint32_t)w->texts.n) || tk_vec_push(&w->texts, text))
        w->failed = true;
}

static void put_name_baseline_write(struct writer *w, const struct tk_str *text)
{
    put_varint(w, tk_map_get(&w->index, (uint64_t)(uintptr_t)text));
}

static void know_items(struct writer *w, const struct tk_run_fact *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        know(w, v[i].key);
        know(w, v[i].value);
    }
}

static void know_all(struct writer *w, const struct tk_base_run *run)
{
    know_items(w, run->session.v, run->session.n);
    know_items(w, run->said.v, run->said.n);
    for (size_t i = 0; i < run->faults.n; i++) {
        know(w, run->faults.v[i].kind);
        know(w, run->faults.v[i].text);
    }
    for (size_t i = 0; i < run->series.n; i++) {
        know(w, run->series.v[i]->name);
        know(w, run->series.v[i]->group);
        know(w, run->series.v[i]->file);
        for (size_t k = 0; k < run->series.v[i]->n_places; k++)
            know(w, run->series.v[i]->places[k]->file);
    }
    for (size_t i = 0; i < run->segments.n; i++)
        know(w, run->segments.v[i].name);
    for (size_t i = 0; i < run->reasons.n; i++) {
        know(w, run->reasons.v[i].thread);
        know(w, run->reasons.v[i].timer);
        know(w, run->reasons.v[i].cause_thread);
        know(w, run->reasons.v[i].cause);
    }
    for (size_t i = 0; i < run->metrics.n; i++) {
        know(w, run->metrics.v[i].name);
        know(w, run->metrics.v[i].unit);
    }
}

static void put_names(struct writer *w, const struct tk_base_run *run)
{
    w->texts.n = 0;
    tk_map_release(&w->index);
    know_all(w, run);
    size_t at = begin_section(w, "NAME");
    put_varint(w, w->texts.n);
    for (size_t i = 0; i < w->texts.n; i++) {
        put_u8(w, w->texts.v[i]->enc);
        put_varint(w, w->texts.v[i]->n);
        put_baseline_write(w, w->texts.v[i]->p, w->texts.v[i]->n);
    }
    end_section(w, at);
}

/* ---- runs ---- */

static void put_items(struct writer *w, const struct tk_run_fact *v, size_t n)
{
    put_varint(w, n);
    for (size_t i = 0; i < n; i++) {
        put_name_baseline_write(w, v[i].key);
        put_name_baseline_write(w, v[i].value);
    }
}

static void put_run(struct writer *w, const struct tk_base_run *run)
{
    size_t at = begin_section(w, "RUN ");
    put_le(w, run->hash, 8);
    put_varint(w, run->frequency);
    put_varint(w, run->duration);
    put_varint(w, run->block_frames);
    put_items(w, run->session.v, run->session.n);
    end_section(w, at);
}

static void put_info(struct writer *w, const struct tk_base_run *run)
{
    if (!run->said.n)
        return;
    size_t at = begin_section(w, "INFO");
    put_items(w, run->said.v, run->said.n);
    end_section(w, at);
}

static void put_faults(struct writer *w, const struct tk_base_run *run)
{
    if (!run->faults.n)
        return;
    size_t at = begin_section(w, "HLTH");
    put_varint(w, run->faults.n);
    for (size_t i = 0; i < run->faults.n; i++) {
        const struct tk_base_fault *fault = &run->faults.v[i];
        put_u8(w, fault->tier);
        put_varint(w, fault->count);
        put_name_baseline_write(w, fault->kind);
        put_name_baseline_write(w, fault->text);
    }
    end_section(w, at);
}

static void put_frames(struct writer *w, const struct tk_base_run *run)
{
    size_t at = begin_section(w, "FRAM");
    put_varint(w, run->frames.n);
    for (size_t i = 0; i < run->frames.n; i++)
        put_varint(w, run->frames.v[i]);
    end_section(w, at);
}

static uint64_t count_hitches(const struct tk_base_run *run)
{
    uint64_t n = 0;
    for (size_t i = 0; i < run->judged.n; i++)
        n += tk_is_hitch(tk_base_run_is(run, i, false));
    return n;
}

static void put_hitches(struct writer *w, const struct tk_base_run *run)
{
    const struct tk_judged_frames *j = &run->judged;
    if (j->n != run->frames.n)
        return;
    size_t at = begin_section(w, "HITC");
    put_u8(w, TK_HITCH_RULE_LOCAL);
    put_u8(w, run->knows_loading);
    put_varint(w, count_hitches(run));
    for (size_t first = 0, end; first < j->n; first = end) {
        for (end = first + 1; end < j->n && j->is[end] == j->is[first]; end++)
            ;
        put_varint(w, end - first);
        put_u8(w, j->is[first]);
    }
    for (size_t i = 0; i < j->n; i++)
        if (j->is[i] & TK_FRAME_IS_LATE)
            put_varint(w, tk_saturate_u64(j->expected[i] * (double)run->frequency / 1e3 + 0.5));
    end_section(w, at);
}

static void put_reasons(struct writer *w, const struct tk_base_run *run)
{
    if (!run->knows_reasons)
        return;
    size_t at = begin_section(w, "WHYS");
    put_varint(w, run->reasons.n);
    for (size_t i = 0; i < run->reasons.n; i++) {
        const struct tk_base_hitch *hitch = &run->reasons.v[i];
        put_varint(w, hitch->number);
        put_varint(w, hitch->frame);
        put_u8(w, hitch->role);
        put_name_baseline_write(w, hitch->thread);
        put_name_baseline_write(w, hitch->timer);
        put_real(w, hitch->excess);
        put_u8(w, hitch->cause_role);
        put_name_baseline_write(w, hitch->cause_thread);
        put_name_baseline_write(w, hitch->cause);
        put_real(w, hitch->growth);
    }
    end_section(w, at);
}

static void put_metrics(struct writer *w, const struct tk_base_run *run)
{
    if (!run->metrics.n)
        return;
    size_t at = begin_section(w, "METR");
    put_varint(w, run->metrics.n);
    for (size_t i = 0; i < run->metrics.n; i++) {
        const struct tk_base_metric *metric = &run->metrics.v[i];
        put_name_baseline_write(w, metric->name);
        put_name_baseline_write(w, metric->unit);
        put_u8(w, metric->better);
        put_u8(w, metric->source);
        put_le(w, metric->hash, 8);
        put_u8(w, metric->measured);
        put_real(w, metric->measured ? metric->value : 0);
        put_real(w, metric->floor);
        put_real(w, metric->floor_ratio);
    }
    end_section(w, at);
}

static void put_number(struct writer *w, const struct tk_run_value *v)
{
    if (tk_series_has_calls(v->kind))
        put_zigzag(w, tk_saturate_i64(v->value));
    else if (v->kind == TK_SERIES_LOADING)
        put_varint(w, tk_saturate_u64(v->value));
    else
        put_real(w, v->value);
}

static void put_values(struct writer *w, const struct tk_base_run *run)
{
    struct tk_run_values values = {0};
    w->failed |= tk_base_run_values(run, &values) < 0;
    size_t at = begin_section(w, "VALU");
    put_varint(w, values.n);
    for (size_t i = 0; i < values.n; i++) {
        const struct tk_run_value *v = &values.v[i];
        put_u8(w, v->kind);
        put_name_baseline_write(w, v->name);
        put_name_baseline_write(w, v->group);
        const struct tk_str *parent = v->increases ? v->name : v->parent;
        put_varint(w, parent ? tk_map_get(&w->index, (uint64_t)(uintptr_t)parent) + UINT64_C(1) : 0);
        put_number(w, v);
    }
    end_section(w, at);
    tk_vec_release(&values);
}

static void put_places(struct writer *w, const struct tk_base_run *run)
{
    if (!run->numbers)
        return;
    size_t at = begin_section(w, "PLAC");
    for (size_t i = 0; i < run->frames.n; i++) {
        put_varint(w, run->numbers[i]);
        put_real(w, run->begins[i]);
    }
    end_section(w, at);
}

static void put_segments(struct writer *w, const struct tk_base_run *run)
{
    size_t at = begin_section(w, "SEGM");
    put_varint(w, run->gaps.n);
    for (size_t i = 0; i < run->gaps.n; i++)
        put_varint(w, run->gaps.v[i]);
    put_varint(w, run->n_blocks);
    for (uint32_t b = 0; b < run->n_blocks; b++) {
        put_varint(w, tk_block_weight(run, b));
        put_u8(w, run->part[b]);
    }
    put_varint(w, run->lost_regions);
    put_varint(w, run->segments.n);
    for (size_t i = 0; i < run->segments.n; i++) {
        const struct tk_run_segment *s = &run->segments.v[i];
        put_u8(w, s->kind);
        put_name_baseline_write(w, s->name);
        for (uint32_t b = 0; b < run->n_blocks; b += 8) {
            unsigned bits = 0;
            for (uint32_t k = 0; k < 8 && b + k < run->n_blocks; k++)
                bits |= (unsigned)s->has[b + k] << k;
            put_u8(w, bits);
        }
    }
    end_section(w, at);
}

/* Where the series of a path stands. Series are sorted, so it is found by halving. */
static size_t place_of_baseline_write(const struct tk_base_run *run, const struct tk_series *s)
{
    size_t at;
    TK_SEARCH(at, run->series.n, tk_series_compare(run->series.v[at], s) < 0);
    return at;
}

static void put_paths(struct writer *w, const struct tk_base_run *run)
{
    size_t at = begin_section(w, "PATH");
    put_varint(w, run->paths.n);
    for (size_t i = 0; i < run->paths.n; i++) {
        const struct tk_path *path = &run->paths.v[i];
        put_varint(w, path->parent);
        put_varint(w, place_of_baseline_write(run, path->timer));
        put_varint(w, path->count);
        put_zigzag(w, path->own);
        put_u8(w, path->reported);
        for (uint32_t k = 0; path->reported && k < TK_CALL_PATH_SUMS; k++)
            put_zigzag(w, path->parts[k]);
    }
    end_section(w, at);
}

static void put_sums(struct writer *w, const struct tk_series *s)
{
    put_varint(w, s->total);
    put_varint(w, s->incl);
    put_zigzag(w, s->own);
    put_varint(w, s->min);
    put_varint(w, s->max);
}

/* Most buckets of most sketches are empty or nearly so. */
static void put_sketch(struct writer *w, const struct tk_sketch *s)
{
    uint64_t n = 0, gap = 0;
    for (uint32_t i = 0; i < s->n; i++)
        n += tk_sketch_count_at(s, s->first + i) != 0;
    put_varint(w, s->first);
    put_varint(w, n);
    for (uint32_t i = 0; i < s->n; i++, gap++) {
        uint64_t count = tk_sketch_count_at(s, s->first + i);
        if (!count)
            continue;
        put_varint(w, gap << 2 | (count < 4 ? count - 1 : 3));
        if (count >= 4)
            put_varint(w, count - 4);
        gap = UINT64_MAX; /* counted up to 0 */
    }
}

static void put_calls(struct writer *w, const struct tk_series *s)
{
    if (s->packed) {
        put_baseline_write(w, s->packed, s->packed_size);
        return;
    }
    if (s->count > TK_SERIES_EXACT) {
        put_sketch(w, &s->sketch);
        return;
    }
    for (uint64_t i = 0, last = 0; i < s->count; last = s->exact[i++])
        put_varint(w, s->exact[i] - last);
}

static bool any_block(const struct tk_base_run *run, const struct tk_series *s)
{
    struct tk_block_walk walk = tk_block_walk_of(s);
    for (uint32_t b = 0; b < run->n_blocks; b++)
        if (tk_block_walk_next(&walk) != 0 || (s->hits && s->hits[b]))
            return true;
    return false;
}

static void put_blocks(struct writer *w, const struct tk_base_run *run, const struct tk_series *s)
{
    struct tk_block_walk walk = tk_block_walk_of(s);
    struct zeros zeros = {0};
    for (uint32_t b = 0; b < run->n_blocks; b++) {
        const double sum = tk_block_walk_next(&walk);
        if (s->hits) {
            put_real(w, sum);
            put_varint(w, s->hits[b]);
        } else if (tk_series_is_counted(s->kind)) {
            put_sparse(w, &zeros, tk_saturate_u64(sum));
        } else {
            put_sparse(w, &zeros, zigzag_of(tk_saturate_i64(sum)));
        }
    }
    put_zeros(w, &zeros);
}

static void put_one(struct writer *w, const struct tk_base_run *run, const struct tk_series *s)
{
    bool blocks = any_block(run, s), calls = tk_series_has_calls(s->kind), reported = tk_series_says_calls(s);
    struct zeros zeros = {0};
    w->cut |= calls && !reported;
    w->sampled |= s->kind > TK_SERIES_LOADING;
    put_u8(w, s->kind);
    put_u8(w, s->timer_kind);
    put_u8(w, (blocks ? TK_BASELINE_BLOCKS : 0u) | (s->real ? TK_BASELINE_REALS : 0u) |
                  (s->by_file ? TK_BASELINE_BY_FILE : 0u) | (s->parts ? TK_BASELINE_PARTS : 0u) |
                  (calls && !reported ? TK_BASELINE_NO_CALLS : 0u));
    put_name_baseline_write(w, s->name);
    put_name_baseline_write(w, s->group);
    put_name_baseline_write(w, s->file);
    put_varint(w, s->line);
    put_varint(w, s->count);
    if (calls || s->kind == TK_SERIES_LOADING)
        put_sums(w, s);
    if (calls && reported)
        put_calls(w, s);
    if (s->hits) {
        put_real(w, s->first);
        put_real(w, s->last);
        put_real(w, s->low);
        put_real(w, s->high);
    }
    if (blocks)
        put_blocks(w, run, s);
    for (size_t i = 0; s->parts && i < TK_CALL_PATH_SUMS; i++) {
        put_sparse(w, &zeros, s->parts[i].count);
        put_sparse(w, &zeros, s->parts[i].total);
    }
    put_zeros(w, &zeros);
}

static void put_sources_of(struct writer *w, const struct tk_base_run *run, const struct tk_series *s)
{
    put_varint(w, s->n_places);
    for (size_t i = 0; i < s->n_places; i++) {
        const struct tk_series *place = s->places[i];
        const bool blocks = any_block(run, place);
        put_name_baseline_write(w, place->file);
        put_varint(w, place->line);
        put_varint(w, place->count);
        put_zigzag(w, place->own);
        put_u8(w, blocks);
        if (blocks)
            put_blocks(w, run, place);
    }
}

static void put_sources(struct writer *w, const struct tk_base_run *run)
{
    uint64_t n = 0;
    for (size_t i = 0; i < run->series.n; i++)
        n += run->series.v[i]->n_places != 0;
    if (!n)
        return;
    size_t at = begin_section(w, "SRCP");
    put_varint(w, n);
    for (size_t i = 0; i < run->series.n; i++)
        if (run->series.v[i]->n_places) {
            put_varint(w, i);
            put_sources_of(w, run, run->series.v[i]);
        }
    end_section(w, at);
}

static void put_greatest_of(struct writer *w, const struct tk_greatest *g)
{
    uint32_t last = 0;
    put_varint(w, g->limit);
    put_varint(w, g->n);
    for (uint32_t i = 0; i < g->n; last = g->v[i++].frame) {
        put_varint(w, g->v[i].frame - last);
        put_varint(w, g->v[i].own - g->limit);
    }
}

static void put_greatest(struct writer *w, const struct tk_base_run *run)
{
    uint64_t n = 0;
    for (size_t i = 0; i < run->series.n; i++)
        n += run->series.v[i]->greatest != NULL;
    if (!n)
        return;
    size_t at = begin_section(w, "GRFR");
    put_varint(w, n);
    for (size_t i = 0; i < run->series.n; i++)
        if (run->series.v[i]->greatest) {
            put_varint(w, i);
            put_greatest_of(w, run->series.v[i]->greatest);
        }
    end_section(w, at);
}

/* From frame `first` on: those in a row that are at one place. */
static size_t count_at_place(const struct tk_base_run *run, size_t first)
{
    const struct tk_run_step *a = &run->places.v[first];
    size_t end = first + 1;
    for (; end < run->places.n; end++) {
        const struct tk_run_step *b = &run->places.v[end];
        if (a->known != b->known || (a->known && memcmp(a->at, b->at, sizeof a->at) != 0))
            break;
    }
    return end - first;
}

/* Texts are inside, so that versions before it, which keep the section as it is, keep all of it. */
static void put_cells(struct writer *w, const struct tk_base_run *run)
{
    int64_t last[3] = {0};
    if (!run->places.n || run->places.n != run->frames.n)
        return;
    size_t at = begin_section(w, "CELL");
    put_varint(w, run->place_source->n);
    put_baseline_write(w, run->place_source->p, run->place_source->n);
    put_real(w, run->step);
    for (size_t i = 0, n; i < run->places.n; i += n) {
        n = count_at_place(run, i);
        put_varint(w, n);
        put_u8(w, run->places.v[i].known);
        for (int k = 0; k < 3 && run->places.v[i].known; k++) {
            put_zigzag(w, tk_wrap_sub(run->places.v[i].at[k], last[k]));
            last[k] = run->places.v[i].at[k];
        }
    }
    end_section(w, at);
}

static void put_series(struct writer *w, const struct tk_base_run *run)
{
    size_t at = begin_section(w, "SERI");
    put_varint(w, run->series.n);
    for (size_t i = 0; i < run->series.n; i++)
        put_one(w, run, run->series.v[i]);
    end_section(w, at);
}

static int check_run(const struct tk_base_run *run, bool copy, struct tk_err *err)
{
    if (run->brief)
        return tk_err_set(err, TK_EUSAGE, "a run that was read for its values alone cannot be written");
    if (run->unknown[0] && !copy)
        return tk_err_set(err, TK_EFORMAT,
                          "the baseline has a section '%.4s' that this version of Tracekit does not know and "
                          "would lose; write it with the version that added the section",
                          run->unknown);
    const size_t n = run->series.n > run->paths.n ? run->series.n : run->paths.n;
    if (n * (run->n_blocks + UINT64_C(1)) <= TK_BASELINE_MOST_BLOCKS)
        return TK_OK;
    return tk_err_set(
        err, TK_ELIMIT,
        "a baseline cannot hold a run with %zu series in %u blocks of frames; select fewer frames", n,
        run->n_blocks);
}

static int encode(const struct tk_baseline *b, bool copy, struct tk_baseline_bytes *out, struct tk_err *err)
{
    static const uint8_t magic[] = {0x89, 'T', 'K', 'B', '\r', '\n', 0x1a, '\n'};
    struct writer w = {.out = out};
    for (size_t i = 0; i < b->runs.n; i++) {
        int rc = check_run(b->runs.v[i], copy, err);
        if (rc < 0)
            return rc;
    }
    put_baseline_write(&w, magic, sizeof magic);
    const size_t version = out->n;
    put_le(&w, 2, 4);
    for (size_t i = 0; i < b->runs.n; i++) {
        put_names(&w, b->runs.v[i]);
        put_run(&w, b->runs.v[i]);
        put_faults(&w, b->runs.v[i]);
        put_info(&w, b->runs.v[i]);
        put_frames(&w, b->runs.v[i]);
        put_hitches(&w, b->runs.v[i]);
        put_reasons(&w, b->runs.v[i]);
        put_metrics(&w, b->runs.v[i]);
        put_values(&w, b->runs.v[i]);
        put_places(&w, b->runs.v[i]);
        put_segments(&w, b->runs.v[i]);
        put_paths(&w, b->runs.v[i]);
        put_sources(&w, b->runs.v[i]);
        put_greatest(&w, b->runs.v[i]);
        put_cells(&w, b->runs.v[i]);
        put_series(&w, b->runs.v[i]);
    }
    size_t at = begin_section(&w, "END ");
    put_varint(&w, b->runs.n);
    end_section(&w, at);
    if (!w.failed)
        out->v[version] = TK_BASELINE_VERSION;
    tk_vec_release(&w.texts);
    tk_map_release(&w.index);
    return w.failed ? tk_err_nomem(err, "a baseline") : TK_OK;
}

int tk_baseline_encode(const struct tk_baseline *b, struct tk_baseline_bytes *out, struct tk_err *err)
{
    return encode(b, false, out, err);
}

int tk_baseline_encode_copy(const struct tk_baseline *b, struct tk_baseline_bytes *out, struct tk_err *err)
{
    return encode(b, true, out, err);
}
