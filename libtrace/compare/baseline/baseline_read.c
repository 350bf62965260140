/*
 * Reads the file and the sections of a run of a baseline file; the layout is in baseline_file.h. The file is
 * not trusted: every number is checked against the rest of its section before anything is allocated for it.
 */
#include "base/checksum.h"
#include "compare/baseline/baseline_in.h"

#include <stdlib.h>
#include <string.h>

/* Segments of a run. */
#define MOST_SEGMENTS 64

/* A text of a run. One that stays is borrowed, where nothing looks at texts by their places. */
static const struct tk_str *read_text(struct tk_base_reader *r, struct tk_str *place, const uint8_t *p,
                                      size_t n, enum tk_encoding enc)
{
    if (!place || enc == TK_ENC_UTF16 || n > UINT32_MAX)
        return tk_intern(&r->run->names, p, n, enc);
    *place = (struct tk_str){.p = (const char *)p, .n = (uint32_t)n, .enc = (uint8_t)enc};
    return place;
}

static int read_names(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "names");
    if (r->run)
        return tk_base_read_wrong(err, "a run begins inside another");
    if (n > tk_cur_left(c))
        return tk_base_read_wrong(err, "more names than bytes");
    r->names.n = 0;
    r->seen = 0;
    r->run = tk_base_run_new();
    struct tk_str *places =
        r->run && r->brief ? tk_arena_alloc(&r->run->series_space, (size_t)(n + 1) * sizeof *places) : NULL;
    if (!r->run || (r->brief && !places))
        return tk_err_nomem(err, "a run");
    r->run->brief = r->brief;
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        uint8_t enc = tk_u8(c, "a name");
        uint64_t len = tk_varint(c, "a name");
        const uint8_t *p = len <= tk_cur_left(c) ? tk_take(c, (size_t)len, "a name") : NULL;
        if (!p || enc > TK_ENC_UTF16)
            return tk_base_read_wrong(err, "a name is longer than its section");
        const struct tk_str *text =
            read_text(r, places ? places + i : NULL, p, (size_t)len, (enum tk_encoding)enc);
        if (!text || tk_vec_push(&r->names, text))
            return tk_err_nomem(err, "the names of a run");
    }
    return TK_OK;
}

static struct tk_run_fact read_item(struct tk_base_reader *r, struct tk_cur *c)
{
    struct tk_run_fact item = {tk_base_read_name(r, c), NULL};
    item.value = tk_base_read_name(r, c);
    return item;
}

static int read_run(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    r->run->hash = tk_u64(c, "a run");
    r->run->frequency = tk_varint(c, "a run");
    r->run->duration = tk_varint(c, "a run");
    uint64_t block = tk_varint(c, "a run");
    uint64_t n = tk_varint(c, "a run");
    if (r->run->frequency == 0 || block == 0 || block > UINT32_MAX / 2)
        return tk_base_read_wrong(err, "a run without a clock or without blocks");
    r->run->block_frames = (uint32_t)block;
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_run_fact item = read_item(r, c);
        if (tk_cur_ok(c) && tk_vec_push(&r->run->session, item))
            return tk_err_nomem(err, "a run");
    }
    return TK_OK;
}

static int read_faults(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "faults");
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_base_fault fault = {.tier = tk_u8(c, "faults")};
        fault.count = tk_varint(c, "faults");
        fault.kind = tk_base_read_name(r, c);
        fault.text = tk_base_read_name(r, c);
        if (fault.tier >= TK_FAULT_TIERS)
            return tk_base_read_wrong(err, "a fault of an unknown kind");
        if (tk_cur_ok(c) && tk_vec_push(&r->run->faults, fault))
            return tk_err_nomem(err, "the faults of a run");
    }
    return TK_OK;
}

static int read_info(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "facts about a run");
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_run_fact item = read_item(r, c);
        if (tk_cur_ok(c) && tk_vec_push(&r->run->said, item))
            return tk_err_nomem(err, "a run");
    }
    return TK_OK;
}

static int read_frames(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "frames");
    if (n == 0 || n > tk_cur_left(c))
        return tk_base_read_wrong(err, n ? "more frames than bytes" : "a run without frames");
    if (tk_vec_reserve(&r->run->frames, (size_t)n + 1))
        return tk_err_nomem(err, "the frames of a run");
    for (uint64_t i = 0; i < n; i++)
        r->run->frames.v[r->run->frames.n++] = tk_varint(c, "frames");
    return tk_base_run_lay(r->run, NULL, 0) ? tk_err_nomem(err, "the frames of a run") : TK_OK;
}

static int read_places(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    struct tk_base_run *run = r->run;
    run->numbers = calloc(run->frames.n + 1, sizeof *run->numbers);
    run->begins = calloc(run->frames.n + 1, sizeof *run->begins);
    if (!run->numbers || !run->begins)
        return tk_err_nomem(err, "the frames of a run");
    for (size_t i = 0; i < run->frames.n; i++) {
        run->numbers[i] = (uint32_t)(tk_varint(c, "positions of frames") & UINT32_MAX);
        run->begins[i] = tk_base_read_real(c, "positions of frames");
    }
    return TK_OK;
}

static int read_layout(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t n = tk_varint(c, "blocks"), at = 0;
    if (n > tk_cur_left(c))
        return tk_base_read_wrong(err, "more blocks than bytes");
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
            return tk_base_read_wrong(err, "blocks of frames that do not exist");
        at += len;
        r->run->part[b] = tk_u8(c, "blocks") % TK_CALL_PATH_SUMS;
        starts[b + 1] = (uint32_t)at;
    }
    return at == r->run->frames.n ? TK_OK : tk_base_read_wrong(err, "frames in no block");
}

static int read_segment(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint8_t kind = tk_u8(c, "a segment");
    const struct tk_str *text = tk_base_read_name(r, c);
    if (!text)
        return TK_OK; /* known by the section */
    struct tk_run_segment *s = tk_base_run_segment(r->run, kind, text);
    if (!s)
        return tk_err_nomem(err, "a segment");
    for (uint32_t b = 0; b < r->run->n_blocks; b += 8) {
        unsigned bits = tk_u8(c, "a segment");
        for (uint32_t k = 0; k < 8 && b + k < r->run->n_blocks; k++)
            s->has[b + k] = bits >> k & 1;
    }
    return TK_OK;
}

static int read_segments(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    uint64_t gaps = tk_varint(c, "gaps");
    if (gaps > r->run->frames.n || tk_vec_reserve(&r->run->gaps, (size_t)gaps + 1))
        return gaps > r->run->frames.n ? tk_base_read_wrong(err, "more gaps than frames")
                                       : tk_err_nomem(err, "a run");
    r->run->gaps.n = 0;
    for (uint64_t i = 0; i < gaps; i++)
        r->run->gaps.v[r->run->gaps.n++] = tk_varint(c, "gaps");
    int rc = read_layout(r, c, err);
    r->run->lost_regions = (uint32_t)(tk_varint(c, "segments") & UINT32_MAX);
    uint64_t n = rc == TK_OK ? tk_varint(c, "segments") : 0;
    if (n > MOST_SEGMENTS)
        return tk_base_read_wrong(err, "too many segments");
    for (uint64_t i = 0; i < n && rc == TK_OK && tk_cur_ok(c); i++)
        rc = read_segment(r, c, err);
    return rc;
}

static int read_end(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    r->ended = true;
    return tk_varint(c, "the end") == r->runs && !r->run ? TK_OK
                                                         : tk_base_read_wrong(err, "a run is missing");
}

/* Each needs those before it in the run. */
static const struct {
    const char *tag;
    int (*read)(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);
    unsigned bit, needs;
} sections[] = {
    {"NAME", read_names, 1, 0},
    {"RUN ", read_run, 2, 1},
    {"HLTH", read_faults, 128, 3},
    {"FRAM", read_frames, 4, 3},
    {"HITC", tk_base_read_hitches, 1024, 7},
    {"WHYS", tk_base_read_reasons, 2048, 7},
    {"METR", tk_base_read_metrics, 4096, 7},
    {"INFO", read_info, 256, 3},
    {"VALU", tk_base_read_values, 512, 7},
    {"PLAC", read_places, 64, 7},
    {"SEGM", read_segments, 16, 7},
    {"PATH", tk_base_read_paths, 32, 7},
    {"SRCP", tk_base_read_places, 16384, 7},
    {"GRFR", tk_base_read_greatest, 32768, 7},
    {"CELL", tk_base_read_cells, 8192, 7},
    {"SERI", tk_base_read_series, 8, 7},
    {"END ", read_end, 0, 0},
};

static int read_payload(struct tk_base_reader *r, const uint8_t *tag, struct tk_cur *c, struct tk_err *err)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (memcmp(tag, sections[i].tag, 4) != 0)
            continue;
        unsigned needs = sections[i].needs;
        if (needs && (!r->run || (r->seen & (needs | sections[i].bit)) != needs))
            return tk_base_read_wrong(err, "its sections are out of order");
        int rc = sections[i].read(r, c, err);
        r->seen |= sections[i].bit;
        if (rc == TK_OK && !tk_cur_ok(c))
            return tk_base_read_wrong(err, c->fault);
        return rc;
    }
    if (r->run) /* one between runs is of none of them */
        memcpy(r->run->unknown, tag, 4);
    return TK_OK;
}

int tk_base_read_section(struct tk_base_reader *r, const uint8_t *head, const uint8_t *p, size_t n,
                         struct tk_err *err)
{
    const uint64_t sum = r->version == 1 ? tk_checksum(p, n, 0) : tk_baseline_checksum(head, p, n);
    if (sum != tk_load64(head + 12))
        return tk_err_set(err, TK_EFORMAT, "the baseline is damaged: a checksum is wrong");
    struct tk_cur body = tk_cur_of(p, n);
    return read_payload(r, head, &body, err);
}

static int next_section(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    const uint8_t *head = tk_take(c, TK_BASE_SECTION_HEAD, "a section");
    const uint64_t n = head ? tk_load64(head + 4) : 0;
    if (!head || n > tk_cur_left(c))
        return tk_err_set(err, TK_EFORMAT, "the baseline is cut off");
    return tk_base_read_section(r, head, tk_take(c, (size_t)n, "a section"), (size_t)n, err);
}

bool tk_baseline_probe_bytes(const uint8_t *head, size_t n)
{
    static const uint8_t magic[] = {0x89, 'T', 'K', 'B', '\r', '\n', 0x1a, '\n'};
    return n >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

int tk_base_read_head(struct tk_base_reader *r, const uint8_t *p, size_t n, struct tk_err *err)
{
    if (!tk_baseline_probe_bytes(p, n))
        return tk_err_set(err, TK_EFORMAT, "this is not a baseline");
    if (n < TK_BASELINE_HEAD)
        return tk_err_set(err, TK_EFORMAT, "the baseline is cut off");
    r->version = tk_load32(p + 8);
    if (r->version == 0 || r->version > TK_BASELINE_VERSION)
        return tk_err_set(err, TK_EFORMAT, "the baseline has version %u; versions up to %u can be read",
                          r->version, TK_BASELINE_VERSION);
    return TK_OK;
}

void tk_base_read_end(struct tk_base_reader *r, size_t before, int rc)
{
    while (rc < 0 && r->b->runs.n > before)
        tk_base_run_free(r->b->runs.v[--r->b->runs.n]);
    tk_base_run_free(r->run);
    tk_vec_release(&r->names);
    tk_vec_release(&r->path_timers);
    tk_vec_release(&r->places);
    tk_vec_release(&r->greatest);
}

static int decode(struct tk_baseline *b, const uint8_t *p, size_t n, bool lasts, struct tk_err *err)
{
    struct tk_base_reader r = {.b = b, .lasts = lasts};
    const size_t before = b->runs.n;
    struct tk_cur c = tk_cur_of(p, n);
    int rc = tk_base_read_head(&r, p, n, err);
    tk_take(&c, TK_BASELINE_HEAD, "the head");
    while (rc == TK_OK && !r.ended)
        rc = next_section(&r, &c, err);
    tk_base_read_end(&r, before, rc);
    return rc;
}

int tk_baseline_decode(struct tk_baseline *b, const void *p, size_t n, struct tk_err *err)
{
    return decode(b, p, n, false, err);
}

/* Are the series of one run all there are? The file is not checked yet. */
static bool has_one_run(const uint8_t *p, size_t n)
{
    struct tk_cur c = tk_cur_of(p, n);
    size_t runs = 0;
    tk_take(&c, 12, "the head");
    while (tk_cur_left(&c)) {
        const uint8_t *tag = tk_take(&c, 4, "a section");
        const uint64_t size = tk_u64(&c, "a section");
        tk_u64(&c, "a section");
        runs += tk_cur_ok(&c) && memcmp(tag, "SERI", 4) == 0;
        tk_take(&c, size < n ? (size_t)size : n, "a section");
    }
    return runs == 1;
}

int tk_baseline_decode_own(struct tk_baseline *b, uint8_t *p, size_t n, struct tk_err *err)
{
    const bool lasts = has_one_run(p, n);
    const size_t before = b->runs.n;
    int rc = decode(b, p, n, lasts, err);
    if (lasts && b->runs.n > before) /* it may lie behind the end, where nothing is read */
        b->runs.v[before]->file = p;
    else
        free(p);
    return rc;
}

/*
 * Reads runs of a baseline file for their values alone; the layout is in baseline_file.h. Sections are taken
 * one by one from where the file lies, so that what is most of it is left there. Histories of hundreds of
 * runs are read so.
 */

/* Sections that all runs have to have, by their bits in baseline_read.c. */
enum { NEEDED = 1 | 2 | 4 | 512 };

static bool is_tag(const uint8_t *head, const char *tag)
{
    return memcmp(head, tag, 4) == 0;
}

/* Is it one that values need? Others can be passed over. */
static bool is_brief(const uint8_t *head)
{
    static const char *const tags[] = {"NAME", "RUN ", "HLTH", "INFO", "FRAM",
                                       "HITC", "WHYS", "METR", "VALU", "END "};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (is_tag(head, tags[i]))
            return true;
    return false;
}

/* The texts of a run stay where they were read. */
static void keep_names(struct tk_base_reader *r, uint8_t **payload)
{
    r->run->file = *payload;
    *payload = NULL;
}

static int take_section(struct tk_base_reader *r, const struct tk_baseline_source *from, uint64_t at,
                        const uint8_t *head, struct tk_err *err)
{
    const size_t n = (size_t)tk_load64(head + 4);
    uint8_t *payload = malloc(n + 1);
    if (!payload)
        return tk_err_nomem(err, "a baseline");
    const bool inside = r->run != NULL;
    int rc = from->read(from->ctx, at, payload, n, err);
    if (rc == TK_OK)
        rc = tk_base_read_section(r, head, payload, n, err);
    if (r->run && !inside)
        keep_names(r, &payload);
    free(payload);
    return rc;
}

/* The series end a run. 1; 0 when its values are not there. */
static int end_run(struct tk_base_reader *r, struct tk_err *err)
{
    if (!r->run)
        return tk_base_read_wrong(err, "its sections are out of order");
    if ((r->seen & NEEDED) != NEEDED)
        return 0;
    struct tk_base_run *run = r->run;
    r->run = NULL;
    r->runs++;
    int rc = tk_baseline_take(r->b, run, err);
    return rc < 0 ? rc : 1;
}

/* 1; 0 when values are not there. */
static int take_next(struct tk_base_reader *r, const struct tk_baseline_source *from, uint64_t *at,
                     struct tk_err *err)
{
    uint8_t head[TK_BASE_SECTION_HEAD];
    if (from->size - *at < sizeof head)
        return tk_err_set(err, TK_EFORMAT, "the baseline is cut off");
    int rc = from->read(from->ctx, *at, head, sizeof head, err);
    *at += sizeof head;
    if (rc < 0)
        return rc;
    const uint64_t n = tk_load64(head + 4), here = *at;
    if (n > from->size - here)
        return tk_err_set(err, TK_EFORMAT, "the baseline is cut off");
    *at += n;
    if (is_tag(head, "SERI"))
        return end_run(r, err);
    rc = is_brief(head) ? take_section(r, from, here, head, err) : TK_OK;
    return rc < 0 ? rc : 1;
}

int tk_baseline_decode_values(struct tk_baseline *b, const struct tk_baseline_source *from,
                              struct tk_err *err)
{
    struct tk_base_reader r = {.b = b, .brief = true};
    const size_t before = b->runs.n;
    uint8_t head[TK_BASELINE_HEAD];
    const size_t n = from->size < sizeof head ? (size_t)from->size : sizeof head;
    uint64_t at = n;
    int rc = from->read(from->ctx, 0, head, n, err);
    if (rc == TK_OK)
        rc = tk_base_read_head(&r, head, n, err);
    if (rc == TK_OK)
        rc = r.version > 1; /* the first has no values */
    while (rc > 0 && !r.ended)
        rc = take_next(&r, from, &at, err);
    tk_base_read_end(&r, before, rc > 0 ? TK_OK : -1);
    return rc;
}
