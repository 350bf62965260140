/*
 * Divides the frames of a run being collected into blocks and segments. collect_frames.c calls it when the
 * frames are known.
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "compare/collect/collect_in.h"

#include <stdlib.h>
#include <string.h>

/* Edges of blocks that regions may make. */
#define MOST_EDGES 128u

/* Frames of regions of a name. */
struct stretch {
    const struct tk_str *name; /* of the list of regions: the same name is the same address */
    uint32_t from, to;
};

struct named {
    const struct tk_str *name;
    size_t first, n; /* stretches */
    uint64_t frames;
};

struct layout {
    struct tk_base_run *run;
    const int64_t *begins;
    TK_VEC(struct stretch) stretches; /* by name, then in order */
    TK_VEC(struct named) names;       /* most frames first */
    TK_VEC(uint32_t) edges;
};

/* The first frame that begins at a time or after it. */
static uint32_t frame_from(const struct layout *l, int64_t time)
{
    size_t at;
    TK_SEARCH(at, l->run->frames.n, l->begins[at] < time);
    return (uint32_t)at;
}

static int by_name_segments(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    int c = tk_str_order(x->name, y->name);
    return c ? c : (x->from > y->from) - (x->from < y->from);
}

static int by_frames(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int c = (x->frames < y->frames) - (x->frames > y->frames);
    return c ? c : tk_str_order(x->name, y->name);
}

static int by_frame(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int find_stretches(struct layout *l, const struct tk_region_list *regions)
{
    for (size_t i = 0; i < regions->regions.n; i++) {
        const struct tk_region *r = &regions->regions.v[i];
        struct stretch s = {r->name, frame_from(l, r->begin), (uint32_t)l->run->frames.n};
        if (r->state != TK_REGION_OPEN)
            s.to = frame_from(l, r->end);
        if (s.from < s.to && tk_vec_push(&l->stretches, s))
            return -1;
    }
    if (l->stretches.n)
        qsort(l->stretches.v, l->stretches.n, sizeof *l->stretches.v, by_name_segments);
    return 0;
}

static int find_names(struct layout *l)
{
    for (size_t i = 0; i < l->stretches.n; i++) {
        const struct stretch *s = &l->stretches.v[i];
        struct named *last = l->names.n ? &l->names.v[l->names.n - 1] : NULL;
        if (l->names.n == 0 || tk_str_order(last->name, s->name) != 0) {
            const struct named fresh = {.name = s->name, .first = i};
            if (tk_vec_push(&l->names, fresh))
                return -1;
            last = &l->names.v[l->names.n - 1];
        }
        last->n++;
        last->frames += s->to - s->from;
    }
    if (l->names.n)
        qsort(l->names.v, l->names.n, sizeof *l->names.v, by_frames);
    return 0;
}

/* Keeps the names that there is space for. */
static int find_edges(struct layout *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->names.n; i++) {
        const struct named *n = &l->names.v[i];
        if (kept == TK_SEGMENT_REGIONS || l->edges.n + 2 * n->n > MOST_EDGES) {
            l->run->lost_regions++;
            continue;
        }
        for (size_t k = n->first; k < n->first + n->n; k++)
            if (tk_vec_push(&l->edges, l->stretches.v[k].from) ||
                tk_vec_push(&l->edges, l->stretches.v[k].to))
                return -1;
        l->names.v[kept++] = *n;
    }
    l->names.n = kept;
    return 0;
}

static void put_blocks(const struct tk_base_run *run, struct tk_run_segment *s, uint32_t from, uint32_t to)
{
    for (uint32_t b = 0; b < run->n_blocks; b++)
        s->has[b] |= run->starts[b] >= from && run->starts[b + 1] <= to;
}

static int make_segments(struct layout *l, uint32_t warm)
{
    struct tk_base_run *run = l->run;
    const struct tk_str *none = tk_intern_c(&run->names, "");
    struct tk_run_segment *s = none ? tk_base_run_segment(run, TK_SEGMENT_WARMUP, none) : NULL;
    if (!s)
        return -1;
    put_blocks(run, s, 0, warm);
    for (size_t i = 0; i < l->names.n; i++) {
        const struct tk_str *of = l->names.v[i].name;
        const struct tk_str *name = tk_intern(&run->names, of->p, of->n, (enum tk_encoding)of->enc);
        if (!name || !(s = tk_base_run_segment(run, TK_SEGMENT_REGION, name)))
            return -1;
        for (size_t k = 0; k < l->names.v[i].n; k++) {
            const struct stretch *at = &l->stretches.v[l->names.v[i].first + k];
            put_blocks(run, s, at->from, at->to);
        }
    }
    return 0;
}

/* Which segments a block is in. */
static uint64_t mask_of(const struct tk_base_run *run, uint32_t block)
{
    uint64_t mask = 0;
    for (size_t s = 0; s < run->segments.n; s++)
        mask |= (uint64_t)run->segments.v[s].has[block] << s;
    return mask;
}

/* What parts are being made of. */
struct parts {
    uint64_t masks[TK_CALL_PATH_SUMS], frames[TK_CALL_PATH_SUMS];
    uint8_t n;
};

/* A part for each combination of segments, as far as there are enough; the last one has what is left. */
static void part_by_segments(struct tk_base_run *run, struct parts *p)
{
    for (uint32_t b = 0; b < run->n_blocks; b++) {
        uint64_t mask = mask_of(run, b);
        uint8_t k = 0;
        while (k < p->n && p->masks[k] != mask)
            k++;
        if (k == p->n && p->n < TK_CALL_PATH_SUMS)
            p->masks[p->n++] = mask;
        k = k < TK_CALL_PATH_SUMS ? k : TK_CALL_PATH_SUMS - 1;
        run->part[b] = k;
        p->frames[k] += tk_block_weight(run, b);
    }
}

/* The largest part is split into as many as are left. */
static void split_largest(struct tk_base_run *run, const struct parts *p)
{
    uint8_t most = 0;
    uint64_t before = 0, pieces = TK_CALL_PATH_SUMS - p->n + UINT64_C(1);
    for (uint8_t k = 1; k < p->n; k++)
        most = p->frames[k] > p->frames[most] ? k : most;
    for (uint32_t b = 0; b < run->n_blocks && pieces > 1; b++) {
        if (run->part[b] != most)
            continue;
        uint64_t piece = before * pieces / p->frames[most];
        before += tk_block_weight(run, b);
        run->part[b] = piece ? (uint8_t)(p->n + piece - 1) : most;
    }
}

static void find_parts(struct tk_base_run *run)
{
    struct parts p = {.n = 0};
    part_by_segments(run, &p);
    split_largest(run, &p);
}

static uint32_t warmup_of(const struct tk_base_run *run)
{
    uint64_t n = run->frames.n / 8 < TK_WARMUP_FRAMES ? run->frames.n / 8 : TK_WARMUP_FRAMES;
    return (uint32_t)(n / run->block_frames * run->block_frames);
}

int tk_collect_segments(struct tk_base_run *run, const int64_t *begins, const struct tk_region_list *regions)
{
    struct layout l = {.run = run, .begins = begins};
    uint32_t warm = warmup_of(run);
    int rc = regions ? find_stretches(&l, regions) : 0;
    if (rc == 0)
        rc = find_names(&l);
    if (rc == 0)
        rc = find_edges(&l);
    if (rc == 0)
        rc = tk_vec_push(&l.edges, warm);
    if (rc == 0 && l.edges.n)
        qsort(l.edges.v, l.edges.n, sizeof *l.edges.v, by_frame);
    if (rc == 0)
        rc = tk_base_run_lay(run, l.edges.v, l.edges.n);
    if (rc == 0)
        rc = make_segments(&l, warm);
    if (rc == 0)
        find_parts(run);
    tk_vec_release(&l.stretches);
    tk_vec_release(&l.names);
    tk_vec_release(&l.edges);
    return rc;
}
