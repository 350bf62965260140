/*
 * Sorts more records than memory holds. Sorted runs are spilled (spill.h) and merged.
 *
 * One block of memory is either the records of the run that is being filled, or one piece of each run that is
 * being merged. When there are as many runs as pieces in the block, they are merged to one.
 */
#include "base/sort.h"
#include "io/scratch/spill.h"

#include <stdlib.h>
#include <string.h>

struct run {
    struct tk_spilled spilled;
    size_t piece; /* the next one to read */
    size_t at, n; /* bytes in the piece in memory: the record on top, and how many there are */
};

struct tk_external_sort {
    size_t size, capacity; /* bytes of a record, and of as many as fit in a piece */
    size_t memory, n;      /* bytes of the block, and of the records in it */
    tk_external_sort_compare *compare;
    const char *dir;
    struct tk_spill *spill; /* owned; NULL until the block was full once */
    char *block, *piece;    /* owned; piece: what a merge of runs has made */
    size_t piece_n;
    TK_VEC(struct run) runs;
    TK_VEC(uint32_t) heap; /* runs that have a record, the least record on top */
    size_t at;             /* in the block, where nothing was spilled */
    bool reading, begun;   /* begun: the record on top was handed out */
};

int tk_external_sort_open(struct tk_external_sort **out, const char *dir, size_t size,
                          tk_external_sort_compare *compare, size_t memory, struct tk_err *err)
{
    struct tk_external_sort *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return tk_err_nomem(err, "sorting");
    s->size = size;
    s->capacity = TK_EXTERNAL_SORT_PIECE / size * size;
    s->memory = memory < 4 * TK_EXTERNAL_SORT_PIECE ? 4 * TK_EXTERNAL_SORT_PIECE : memory;
    s->compare = compare;
    s->dir = dir;
    s->block = malloc(s->memory);
    s->piece = malloc(TK_EXTERNAL_SORT_PIECE);
    if (!s->block || !s->piece) {
        tk_external_sort_close(s);
        return tk_err_nomem(err, "sorting");
    }
    *out = s;
    return TK_OK;
}

static void release_runs(struct tk_external_sort *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tk_vec_release(&s->runs.v[i].spilled.pieces);
}

void tk_external_sort_close(struct tk_external_sort *s)
{
    if (!s)
        return;
    release_runs(s, s->runs.n);
    tk_vec_release(&s->runs);
    tk_vec_release(&s->heap);
    tk_spill_close(s->spill);
    free(s->block);
    free(s->piece);
    free(s);
}

static int add_run_external_sort(struct tk_external_sort *s, struct tk_err *err)
{
    const struct run run = {.at = 0};
    if (!s->spill) {
        int rc = tk_spill_open(&s->spill, s->dir, err);
        if (rc < 0)
            return rc;
    }
    return tk_vec_push(&s->runs, run) ? tk_err_nomem(err, "sorting") : TK_OK;
}

/* ---- merging ---- */

static const char *top_of(const struct tk_external_sort *s, uint32_t run)
{
    return s->block + (size_t)run * TK_EXTERNAL_SORT_PIECE + s->runs.v[run].at;
}

/* Of equal records those of earlier runs come first. */
static bool is_less_external_sort(const struct tk_external_sort *s, uint32_t a, uint32_t b)
{
    const int order = s->compare(top_of(s, a), top_of(s, b));
    return order < 0 || (order == 0 && a < b);
}

static void sink(struct tk_external_sort *s, size_t i)
{
    uint32_t *heap = s->heap.v;
    for (size_t child; (child = 2 * i + 1) < s->heap.n; i = child) {
        const uint32_t moved = heap[i];
        child += child + 1 < s->heap.n && is_less_external_sort(s, heap[child + 1], heap[child]);
        if (!is_less_external_sort(s, heap[child], moved))
            return;
        heap[i] = heap[child];
        heap[child] = moved;
    }
}

/* Reads the next piece of a run: TK_ITEM, or TK_OK where there is none. */
static int load(struct tk_external_sort *s, uint32_t index, struct tk_err *err)
{
    struct run *run = &s->runs.v[index];
    run->at = run->n = 0;
    if (run->piece == run->spilled.pieces.n)
        return TK_OK;
    run->n = run->spilled.pieces.v[run->piece].n;
    int rc =
        tk_spill_read(s->spill, &run->spilled, run->piece++, s->block + index * TK_EXTERNAL_SORT_PIECE, err);
    return rc < 0 ? rc : TK_ITEM;
}

static int begin_merge(struct tk_external_sort *s, struct tk_err *err)
{
    s->heap.n = 0;
    s->begun = false;
    if (tk_vec_reserve(&s->heap, s->runs.n + 1))
        return tk_err_nomem(err, "sorting");
    for (uint32_t i = 0; i < s->runs.n; i++) {
        s->runs.v[i].piece = 0;
        int rc = load(s, i, err);
        if (rc < 0)
            return rc;
        if (rc == TK_ITEM)
            s->heap.v[s->heap.n++] = i;
    }
    for (size_t i = s->heap.n / 2; i-- > 0;)
        sink(s, i);
    return TK_OK;
}

/* Takes the record on top away. */
static int drop_top(struct tk_external_sort *s, struct tk_err *err)
{
    struct run *run = &s->runs.v[s->heap.v[0]];
    int rc = TK_ITEM;
    run->at += s->size;
    if (run->at == run->n)
        rc = load(s, s->heap.v[0], err);
    if (rc < 0)
        return rc;
    if (rc == TK_OK)
        s->heap.v[0] = s->heap.v[--s->heap.n];
    sink(s, 0);
    return TK_OK;
}

static int next_merged(struct tk_external_sort *s, const void **record, struct tk_err *err)
{
    int rc = s->begun && s->heap.n ? drop_top(s, err) : TK_OK;
    if (rc < 0 || !s->heap.n)
        return rc;
    s->begun = true;
    *record = top_of(s, s->heap.v[0]);
    return TK_ITEM;
}

/* Appends what a merge has made to the last run. */
static int spill_piece(struct tk_external_sort *s, struct tk_err *err)
{
    const size_t n = s->piece_n;
    s->piece_n = 0;
    return n ? tk_spill_write(s->spill, &s->runs.v[s->runs.n - 1].spilled, s->piece, n, err) : TK_OK;
}

/* All runs but the last, which is empty, become the last one. */
static int merge_into_last(struct tk_external_sort *s, struct tk_err *err)
{
    const size_t last = s->runs.n - 1;
    const void *record = NULL;
    int rc = begin_merge(s, err);
    if (rc == TK_OK)
        rc = TK_ITEM;
    while (rc == TK_ITEM && (rc = next_merged(s, &record, err)) == TK_ITEM) {
        memcpy(s->piece + s->piece_n, record, s->size);
        s->piece_n += s->size;
        if (s->piece_n == s->capacity && spill_piece(s, err) < 0)
            return TK_EOUTPUT;
    }
    if (rc == TK_OK)
        rc = spill_piece(s, err);
    if (rc < 0)
        return rc;
    release_runs(s, last);
    s->runs.v[0] = s->runs.v[last];
    s->runs.n = 1;
    return TK_OK;
}

/* ---- filling ---- */

/* The records in the block become a run. */
static int spill_block(struct tk_external_sort *s, struct tk_err *err)
{
    int rc = add_run_external_sort(s, err);
    if (rc == TK_OK && tk_sort(s->block, s->n / s->size, s->size, s->compare))
        rc = tk_err_nomem(err, "sorting");
    for (size_t at = 0; at < s->n && rc == TK_OK; at += s->capacity) {
        const size_t n = s->n - at < s->capacity ? s->n - at : s->capacity;
        rc = tk_spill_write(s->spill, &s->runs.v[s->runs.n - 1].spilled, s->block + at, n, err);
    }
    s->n = 0;
    /* one run more, for the result, has to fit too */
    if (rc == TK_OK && s->runs.n + 1 == s->memory / TK_EXTERNAL_SORT_PIECE) {
        rc = add_run_external_sort(s, err);
        if (rc == TK_OK)
            rc = merge_into_last(s, err);
    }
    return rc;
}

int tk_external_sort_add(struct tk_external_sort *s, const void *record, struct tk_err *err)
{
    if (s->memory - s->n < s->size) {
        int rc = spill_block(s, err);
        if (rc < 0)
            return rc;
    }
    memcpy(s->block + s->n, record, s->size);
    s->n += s->size;
    return TK_OK;
}

/* ---- reading ---- */

int tk_external_sort_start(struct tk_external_sort *s, struct tk_err *err)
{
    int rc = TK_OK;
    s->at = 0;
    if (s->runs.n && s->n && !s->reading)
        rc = spill_block(s, err);
    else if (!s->reading && tk_sort(s->block, s->n / s->size, s->size, s->compare))
        rc = tk_err_nomem(err, "sorting");
    s->reading = true;
    return rc == TK_OK && s->runs.n ? begin_merge(s, err) : rc;
}

int tk_external_sort_next(struct tk_external_sort *s, const void **record, struct tk_err *err)
{
    if (s->runs.n)
        return next_merged(s, record, err);
    if (s->at == s->n)
        return TK_OK;
    *record = s->block + s->at;
    s->at += s->size;
    return TK_ITEM;
}
