/*
 * Reading baseline files. The layout is in baseline_file.h. A file is not trusted: every number is checked
 * against what is left of its section before anything is allocated for it.
 */
#include "base/cursor.h"
#include "base/hash.h"
#include "compare/baseline_file.h"

#include <math.h>
#include <stdlib.h>

/* Blocks of all series of a run: more are not believed. */
#define MOST_BLOCKS (UINT64_C(1) << 26)

/* Segments of a run. */
#define MOST_SEGMENTS 64

struct reader {
    struct tk_baseline *b;
    struct tk_base_run *run; /* owned; being read */
    TK_VEC(const struct tk_str *) names;
    TK_VEC(uint32_t) path_timers; /* numbers of series, of the paths of the run */
    unsigned seen;                /* sections of the run, a bit each */
    uint32_t version;
    uint64_t runs; /* complete */
    bool ended;
};

static int wrong(struct tk_err *err, const char *what)
{
    return tk_err_set(err, TK_EFORMAT, "the baseline contradicts itself: %s", what);
}

static int64_t unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

static int64_t zigzag(struct tk_cur *c, const char *what)
{
    return unzigzag(tk_varint(c, what));
}

static double real(struct tk_cur *c, const char *what)
{
    uint64_t bits = tk_u64(c, what);
    double v;
    memcpy(&v, &bits, sizeof v);
    return isfinite(v) ? v : 0;
}

static const struct tk_str *name(struct reader *r, struct tk_cur *c)
{
    uint64_t i = tk_varint(c, "a name");
    if (i < r->names.n)
        return r->names.v[i];
    if (!c->fault)
        c->fault = "a name that is none of the list";
    return NULL;
}

/* ---- sections ---- */

static int read_names(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "names");
    if (r->run)
        return wrong(err, "a run begins inside another");
    r->names.n = 0;
    r->seen = 0;
    r->run = tk_base_run_new();
    if (!r->run)
        return tk_err_nomem(err, "a run");
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        uint8_t enc = tk_u8(c, "a name");
        uint64_t len = tk_varint(c, "a name");
        const uint8_t *p = len <= tk_cur_left(c) ? tk_take(c, (size_t)len, "a name") : NULL;
        if (!p || enc > TK_ENC_UTF16)
            return wrong(err, "a name is longer than its section");
        const struct tk_str *text = tk_intern(&r->run->names, p, (size_t)len, (enum tk_encoding)enc);
        if (!text || tk_vec_push(&r->names, text))
            return tk_err_nomem(err, "the names of a run");
    }
    return TK_OK;
}

static int read_run(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    r->run->hash = tk_u64(c, "a run");
    r->run->frequency = tk_varint(c, "a run");
    r->run->duration = tk_varint(c, "a run");
    uint64_t block = tk_varint(c, "a run");
    uint64_t n = tk_varint(c, "a run");
    if (r->run->frequency == 0 || block == 0 || block > UINT32_MAX / 2)
        return wrong(err, "a run without a clock or without blocks");
    r->run->block_frames = (uint32_t)block;
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_base_item item = {name(r, c), NULL};
        item.value = name(r, c);
        if (tk_cur_ok(c) && tk_vec_push(&r->run->session, item))
            return tk_err_nomem(err, "a run");
    }
    return TK_OK;
}

static int read_frames(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "frames");
    if (n > tk_cur_left(c))
        return wrong(err, "more frames than bytes");
    if (tk_vec_reserve(&r->run->frames, (size_t)n + 1))
        return tk_err_nomem(err, "the frames of a run");
    for (uint64_t i = 0; i < n; i++)
        r->run->frames.v[r->run->frames.n++] = tk_varint(c, "frames");
    return tk_base_run_lay(r->run, NULL, 0) ? tk_err_nomem(err, "the frames of a run") : TK_OK;
}

static int read_layout(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "blocks"), at = 0;
    if (n > tk_cur_left(c))
        return wrong(err, "more blocks than bytes");
    free(r->run->starts);
    free(r->run->part);
    uint32_t *starts = r->run->starts = calloc((size_t)n + 1, sizeof *starts);
    r->run->part = calloc((size_t)n + 1, 1);
    if (!starts || !r->run->part)
        return tk_err_nomem(err, "the blocks of a run");
    r->run->n_blocks = (uint32_t)n;
    for (uint64_t b = 0; b < n; b++) {
        uint64_t len = tk_varint(c, "blocks");
        if (len == 0 || len > r->run->frames.n - at)
            return wrong(err, "blocks of other frames than there are");
        at += len;
        r->run->part[b] = tk_u8(c, "blocks") % TK_CALL_PATH_SUMS;
        starts[b + 1] = (uint32_t)at;
    }
    return at == r->run->frames.n ? TK_OK : wrong(err, "frames in no block");
}

static int read_segment(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint8_t kind = tk_u8(c, "a segment");
    const struct tk_str *text = name(r, c);
    if (!text)
        return TK_OK; /* told by the section */
    struct tk_segment *s = tk_base_run_segment(r->run, kind, text);
    if (!s)
        return tk_err_nomem(err, "a segment");
    for (uint32_t b = 0; b < r->run->n_blocks; b += 8) {
        unsigned bits = tk_u8(c, "a segment");
        for (uint32_t k = 0; k < 8 && b + k < r->run->n_blocks; k++)
            s->has[b + k] = bits >> k & 1;
    }
    return TK_OK;
}

static int read_segments(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t gaps = tk_varint(c, "gaps");
    if (gaps > r->run->frames.n || tk_vec_reserve(&r->run->gaps, (size_t)gaps + 1))
        return gaps > r->run->frames.n ? wrong(err, "more gaps than frames") : tk_err_nomem(err, "a run");
    r->run->gaps.n = 0;
    for (uint64_t i = 0; i < gaps; i++)
        r->run->gaps.v[r->run->gaps.n++] = tk_varint(c, "gaps");
    int rc = read_layout(r, c, err);
    r->run->lost_regions = (uint32_t)(tk_varint(c, "segments") & UINT32_MAX);
    uint64_t n = rc == TK_OK ? tk_varint(c, "segments") : 0;
    if (n > MOST_SEGMENTS)
        return wrong(err, "more segments than there can be");
    for (uint64_t i = 0; i < n && rc == TK_OK && tk_cur_ok(c); i++)
        rc = read_segment(r, c, err);
    return rc;
}

static int read_path(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    struct tk_path path = {.parent = (uint32_t)(tk_varint(c, "a path") & UINT32_MAX)};
    uint64_t series = tk_varint(c, "a path");
    path.count = tk_varint(c, "a path");
    path.own = zigzag(c, "a path");
    path.told = tk_u8(c, "a path");
    if (path.parent > r->run->paths.n || series > UINT32_MAX)
        return wrong(err, "a path before its parent");
    for (uint32_t k = 0; path.told && k < TK_CALL_PATH_SUMS; k++)
        path.parts[k] = zigzag(c, "a path");
    if (!tk_vec_push(&r->path_timers, (uint32_t)series) && !tk_vec_push(&r->run->paths, path))
        return TK_OK;
    return tk_err_nomem(err, "a path");
}

static int read_paths(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "paths");
    int rc = TK_OK;
    r->path_timers.n = 0;
    if (n > tk_cur_left(c))
        return wrong(err, "more paths than bytes");
    for (uint64_t i = 0; i < n && rc == TK_OK && tk_cur_ok(c); i++)
        rc = read_path(r, c, err);
    return rc;
}

/* Paths come before the series that they name by number. */
static int settle_paths(struct reader *r, struct tk_err *err)
{
    for (size_t i = 0; i < r->run->paths.n; i++) {
        size_t at = r->path_timers.v[i];
        if (at >= r->run->series.n || !tk_series_has_calls(r->run->series.v[at]->kind))
            return wrong(err, "a path of no timer");
        r->run->paths.v[i].timer = r->run->series.v[at];
    }
    return TK_OK;
}

/* Numbers with zeros in runs, from version 2 on. */
struct zeros {
    uint64_t n;
    bool plain; /* version 1: one by one */
};

static uint64_t sparse(struct tk_cur *c, struct zeros *z, const char *what)
{
    if (z->n) {
        z->n--;
        return 0;
    }
    uint64_t v = tk_varint(c, what);
    if (v == 0 && !z->plain)
        z->n = tk_varint(c, what);
    return v;
}

/* Buckets that are not empty, each with how many empty ones there are before it. */
static int read_sketch(struct tk_series *s, struct tk_cur *c)
{
    uint64_t at = tk_varint(c, "a sketch"), n = tk_varint(c, "a sketch");
    uint64_t most = tk_sketch_bucket(TK_SKETCH_CALLS, UINT64_MAX);
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++, at++) {
        uint64_t token = tk_varint(c, "a sketch"), count = (token & 3) + 1;
        count += count == 4 ? tk_varint(c, "a sketch") : 0;
        at += token >> 2;
        if (at > most || count < 1)
            c->fault = "a sketch";
        if (tk_cur_ok(c) && tk_sketch_add_n(&s->sketch, (uint32_t)at, count))
            return -1;
    }
    return 0;
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
    s->own = zigzag(c, "calls");
    s->min = tk_varint(c, "calls");
    s->max = tk_varint(c, "calls");
}

static int read_calls(struct tk_series *s, struct tk_cur *c, bool plain)
{
    if (s->count > TK_SERIES_EXACT)
        return plain ? read_sketch_1(s, c) : read_sketch(s, c);
    uint64_t value = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        value += tk_varint(c, "calls");
        s->exact[i] = value;
        if (tk_sketch_add(&s->sketch, TK_SKETCH_CALLS, value))
            return -1;
    }
    return 0;
}

static void read_blocks(const struct tk_base_run *run, struct tk_series *s, struct tk_cur *c, bool plain)
{
    struct zeros zeros = {.plain = plain};
    for (uint32_t b = 0; b < run->n_blocks && tk_cur_ok(c); b++) {
        if (s->hits) {
            s->blocks[b] = real(c, "blocks");
            s->hits[b] = (uint32_t)(tk_varint(c, "blocks") & UINT32_MAX);
        } else if (s->kind == TK_SERIES_LOG) {
            s->blocks[b] = (double)sparse(c, &zeros, "blocks");
        } else {
            s->blocks[b] = (double)unzigzag(sparse(c, &zeros, "blocks"));
        }
    }
}

static int read_one(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint8_t kind = tk_u8(c, "a series"), timer_kind = tk_u8(c, "a series"), flags = tk_u8(c, "a series");
    if (kind >= TK_SERIES_KINDS)
        return wrong(err, "a series of an unknown kind");
    struct tk_series *s = tk_base_run_add(r->run, kind);
    struct zeros zeros = {0};
    if (!s)
        return tk_err_nomem(err, "a series");
    const struct tk_str *names[3];
    for (int i = 0; i < 3; i++)
        names[i] = name(r, c);
    if (!tk_cur_ok(c))
        return TK_OK; /* told by the section */
    s->name = names[0];
    s->group = names[1];
    s->file = names[2];
    s->timer_kind = timer_kind;
    s->real = flags & 2;
    s->line = (uint32_t)(tk_varint(c, "a series") & UINT32_MAX);
    s->count = tk_varint(c, "a series");
    if (tk_series_has_calls(kind) || kind == TK_SERIES_LOADING)
        read_sums(s, c);
    tk_series_settle(s);
    if (tk_series_has_calls(kind) && read_calls(s, c, r->version == 1))
        return tk_err_nomem(err, "a series");
    if (s->hits) {
        s->first = real(c, "a series");
        s->last = real(c, "a series");
        s->low = real(c, "a series");
        s->high = real(c, "a series");
    }
    if (flags & 1)
        read_blocks(r->run, s, c, r->version == 1);
    if (flags & 4 && !(s->parts = calloc(TK_CALL_PATH_SUMS, sizeof *s->parts)))
        return tk_err_nomem(err, "a series");
    for (size_t i = 0; s->parts && i < TK_CALL_PATH_SUMS; i++) {
        s->parts[i].count = sparse(c, &zeros, "parts");
        s->parts[i].total = sparse(c, &zeros, "parts");
    }
    return TK_OK;
}

static int read_series(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "series");
    int rc = TK_OK;
    if (n > tk_cur_left(c) || n * (r->run->n_blocks + UINT64_C(1)) > MOST_BLOCKS)
        return wrong(err, "more series than bytes");
    for (uint64_t i = 0; i < n && rc == TK_OK && tk_cur_ok(c); i++)
        rc = read_one(r, c, err);
    if (rc == TK_OK && tk_cur_ok(c))
        rc = settle_paths(r, err);
    if (rc < 0 || !tk_cur_ok(c))
        return rc;
    struct tk_base_run *run = r->run;
    r->run = NULL;
    r->runs++;
    tk_base_run_sort(run);
    return tk_baseline_take(r->b, run, err);
}

static int read_end(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    r->ended = true;
    return tk_varint(c, "the end") == r->runs && !r->run ? TK_OK : wrong(err, "a run is missing");
}

/* Each needs those before it in the run. */
static const struct {
    const char *tag;
    int (*read)(struct reader *r, struct tk_cur *c, struct tk_err *err);
    unsigned bit, needs;
} sections[] = {
    {"NAME", read_names, 1, 0},     {"RUN ", read_run, 2, 1},    {"FRAM", read_frames, 4, 3},
    {"SEGM", read_segments, 16, 7}, {"PATH", read_paths, 32, 7}, {"SERI", read_series, 8, 7},
    {"END ", read_end, 0, 0},
};

static int read_section(struct reader *r, const char *tag, struct tk_cur *c, struct tk_err *err)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (memcmp(tag, sections[i].tag, 4) != 0)
            continue;
        unsigned needs = sections[i].needs;
        if (needs && (!r->run || (r->seen & (needs | sections[i].bit)) != needs))
            return wrong(err, "its sections are out of order");
        int rc = sections[i].read(r, c, err);
        r->seen |= sections[i].bit;
        if (rc == TK_OK && !tk_cur_ok(c))
            return wrong(err, c->fault);
        return rc;
    }
    return TK_OK;
}

static int next_section(struct reader *r, struct tk_cur *c, struct tk_err *err)
{
    const uint8_t *tag = tk_take(c, 4, "a section");
    uint64_t n = tk_u64(c, "a section"), sum = tk_u64(c, "a section");
    if (!tk_cur_ok(c) || n > tk_cur_left(c))
        return tk_err_set(err, TK_EFORMAT, "the baseline is cut off");
    const uint8_t *p = tk_take(c, (size_t)n, "a section");
    if ((r->version == 1 ? tk_hash_bytes(p, (size_t)n, 0) : tk_baseline_checksum(tag, p, (size_t)n)) != sum)
        return tk_err_set(err, TK_EFORMAT, "the baseline is damaged: a checksum is wrong");
    struct tk_cur body = tk_cur_of(p, (size_t)n);
    return read_section(r, (const char *)tag, &body, err);
}

bool tk_baseline_probe_bytes(const uint8_t *head, size_t n)
{
    static const uint8_t magic[] = {0x89, 'T', 'K', 'B', '\r', '\n', 0x1a, '\n'};
    return n >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

int tk_baseline_decode(struct tk_baseline *b, const void *p, size_t n, struct tk_err *err)
{
    struct reader r = {.b = b};
    struct tk_cur c = tk_cur_of(p, n);
    int rc = TK_OK;
    if (!tk_baseline_probe_bytes(p, n))
        return tk_err_set(err, TK_EFORMAT, "this is no baseline");
    tk_take(&c, 8, "the head");
    uint32_t version = tk_u32(&c, "the head");
    if (version == 0 || version > TK_BASELINE_VERSION)
        return tk_err_set(err, TK_EFORMAT,
                          "the baseline is of version %u, and only those up to %u can be read", version,
                          TK_BASELINE_VERSION);
    r.version = version;
    while (rc == TK_OK && !r.ended)
        rc = next_section(&r, &c, err);
    tk_base_run_free(r.run);
    tk_vec_release(&r.names);
    tk_vec_release(&r.path_timers);
    return rc;
}
