/*
 * Spans of rows become lanes: sorted by lane and begin, each on the first row that is free, and handed on in
 * order of their ends.
 */
#include "base/err.h"
#include "io/scratch/spill.h"
#include "view/index/index_in.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    SORT_BYTES = 8 << 20,
    NAMES_MOST = 256 << 10, /* of all spans */
    ROWS_MOST = 64,         /* of a lane; what overlaps more deeply counts as deeper */
    NAME_BYTES = 512
};

struct span {
    uint64_t order; /* in which they came */
    int64_t begin, end;
    uint32_t lane, timer;
};

struct tk_index_spans {
    struct tk_index *index;
    struct tk_external_sort *sort;
    struct tk_map lane_of, name_of;        /* kind and number -> lane; address and kind of a name -> timer */
    TK_VEC(struct tk_index_strip *) lanes; /* owned until they are laid */
    uint64_t n;
    size_t names;
    struct tk_index_maker maker;
    struct span on[ROWS_MOST]; /* rows of the lane that is laid; those that are `used` */
    bool used[ROWS_MOST];
    int64_t covered; /* until there */
};

static int by_lane(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

struct tk_index_spans *tk_index_spans_open(struct tk_index *index, const char *folder, struct tk_err *err)
{
    struct tk_index_spans *s = calloc(1, sizeof *s);
    if (!s || tk_external_sort_open(&s->sort, folder, sizeof(struct span), by_lane, SORT_BYTES, err) < 0 ||
        tk_index_maker_open(&s->maker, index, 1)) {
        tk_index_spans_close(s);
        tk_err_nomem(err, "an index");
        return NULL;
    }
    s->index = index;
    return s;
}

void tk_index_spans_close(struct tk_index_spans *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->lanes.n; i++)
        tk_index_strip_free(s->lanes.v[i]);
    tk_vec_release(&s->lanes);
    tk_map_release(&s->lane_of);
    tk_map_release(&s->name_of);
    tk_external_sort_close(s->sort);
    tk_index_maker_release(&s->maker, 1);
    free(s);
}

/* ---- lanes and names ---- */

static uint32_t lane_of(struct tk_index_spans *s, const struct tk_index_span_lane *lane)
{
    const uint64_t key = (uint64_t)lane->kind << 32 | lane->number;
    const uint32_t known = tk_map_get(&s->lane_of, key), number = (uint32_t)s->lanes.n;
    const struct tk_str *name;
    if (known != TK_MAP_NONE)
        return known;
    struct tk_index_strip *made = calloc(1, sizeof *made);
    if (!made || tk_index_keep_text(s->index, &lane->name, &name) || tk_vec_push(&s->lanes, made)) {
        free(made);
        return UINT32_MAX;
    }
    made->keeps_brief = true;
    made->number = number;
    made->info = (struct tk_index_lane){.kind = lane->kind, .thread = lane->number, .name = *name};
    return tk_map_put(&s->lane_of, key, number) ? UINT32_MAX : number;
}

/* The timer of a name in lanes of a kind. UINT32_MAX without memory. */
static uint32_t name_of(struct tk_index_spans *s, enum tk_index_kind kind, struct tk_str name)
{
    const bool more = s->names < NAMES_MOST;
    const struct tk_str others = tk_index_text("other names");
    struct tk_index_name made = {.kind = kind};
    if (tk_index_keep_text(s->index, more ? &name : &others, &made.name))
        return UINT32_MAX;
    const uint64_t key = (uint64_t)(uintptr_t)made.name * TK_INDEX_KINDS + kind;
    const uint32_t known = tk_map_get(&s->name_of, key), number = (uint32_t)s->index->timers.n;
    if (known != TK_MAP_NONE)
        return known;
    s->names++;
    return tk_vec_push(&s->index->timers, made) || tk_map_put(&s->name_of, key, number) ? UINT32_MAX : number;
}

static struct tk_str joined(char bytes[NAME_BYTES], struct tk_str name, const char *more)
{
    const size_t n = strlen(more);
    if (!n || name.n + n > NAME_BYTES || name.enc != TK_ENC_UTF8)
        return name;
    memcpy(bytes, name.p, name.n);
    memcpy(bytes + name.n, more, n);
    return (struct tk_str){.p = bytes, .n = (uint32_t)(name.n + n), .enc = name.enc};
}

int tk_index_rows_span(struct tk_index_rows *r, const struct tk_index_span_lane *lane, int64_t begin,
                       int64_t end, struct tk_str name, const char *more)
{
    char bytes[NAME_BYTES];
    struct tk_index_spans *s = r->spans;
    const struct span span = {.order = s->n++,
                              .begin = begin,
                              .end = end,
                              .lane = lane_of(s, lane),
                              .timer = name_of(s, lane->kind, joined(bytes, name, more))};
    if (span.lane == UINT32_MAX || span.timer == UINT32_MAX)
        return tk_err_nomem(r->err, "an index");
    return tk_external_sort_add(s->sort, &span, r->err);
}

/* ---- laying ---- */

static void see(struct tk_index_strip *lane, int64_t begin, int64_t end)
{
    struct tk_index_lane *info = &lane->info;
    info->first = !lane->has_time || begin < info->first ? begin : info->first;
    info->last = !lane->has_time || end > info->last ? end : info->last;
    lane->has_time = true;
}

static int hand_on(struct tk_index_spans *s, struct tk_index_strip *lane, unsigned row)
{
    const struct span *span = &s->on[row];
    const bool open = span->end == INT64_MAX;
    const struct tk_index_scope scope = {.begin = span->begin,
                                         .end = span->end,
                                         .timer = span->timer,
                                         .row = (uint16_t)row,
                                         .flags = open ? TK_INDEX_UNENDED : 0};
    s->used[row] = false;
    see(lane, span->begin, open ? span->begin : span->end);
    lane->info.scopes += !open;
    lane->info.unended += open;
    if (open)
        return tk_vec_push(&lane->unended, scope) ? TK_ENOMEM : TK_OK;
    if (tk_presence_count(&s->index->presence, span->end, span->timer))
        return TK_ENOMEM;
    return tk_index_strip_add(&s->maker, lane, &scope, 0);
}

/* The row whose span ends first, at `until` or before; ROWS_MOST: none. */
static unsigned first_end(const struct tk_index_spans *s, int64_t until)
{
    unsigned best = ROWS_MOST;
    for (unsigned row = 0; row < ROWS_MOST; row++)
        if (s->used[row] && s->on[row].end <= until &&
            (best == ROWS_MOST || s->on[row].end < s->on[best].end))
            best = row;
    return best;
}

static int end_spans(struct tk_index_spans *s, struct tk_index_strip *lane, int64_t until)
{
    int rc = TK_OK;
    unsigned row;
    while (rc == TK_OK && (row = first_end(s, until)) < ROWS_MOST)
        rc = hand_on(s, lane, row);
    return rc;
}

static void cover(struct tk_index_spans *s, struct tk_index_strip *lane, const struct span *span)
{
    const int64_t from = span->begin > s->covered ? span->begin : s->covered;
    if (span->end == INT64_MAX || span->end <= from)
        return;
    lane->info.covered += (uint64_t)span->end - (uint64_t)from;
    s->covered = span->end;
}

static int lay_span(struct tk_index_spans *s, struct tk_index_strip *lane, const struct span *span)
{
    unsigned row = 0;
    const int rc = end_spans(s, lane, span->begin);
    while (row < ROWS_MOST && s->used[row])
        row++;
    cover(s, lane, span);
    if (row == ROWS_MOST) {
        lane->info.scopes += span->end != INT64_MAX;
        lane->info.unended += span->end == INT64_MAX;
        lane->info.deeper++;
        return rc;
    }
    lane->info.rows = row >= lane->info.rows ? row + 1 : lane->info.rows;
    s->used[row] = true;
    s->on[row] = *span;
    return rc;
}

/* Of two lanes with a table of their own each is finished before the next one begins. */
static int finish_lane(struct tk_index_spans *s, uint32_t number)
{
    struct tk_index_strip *lane = s->lanes.v[number];
    int rc = end_spans(s, lane, INT64_MAX);
    s->covered = INT64_MIN;
    return rc == TK_OK ? tk_index_strip_finish(&s->maker, lane, 0) : rc;
}

static int lay_all(struct tk_index_spans *s, struct tk_err *err)
{
    const void *record;
    uint32_t lane = 0;
    int rc = tk_external_sort_start(s->sort, err), laid = TK_OK;
    s->covered = INT64_MIN;
    while (rc >= 0 && laid == TK_OK && (rc = tk_external_sort_next(s->sort, &record, err)) == TK_ITEM) {
        const struct span *span = record;
        for (; lane < span->lane && laid == TK_OK; lane++)
            laid = finish_lane(s, lane);
        if (laid == TK_OK)
            laid = lay_span(s, s->lanes.v[lane], span);
    }
    for (; rc >= 0 && lane < s->lanes.n && laid == TK_OK; lane++)
        laid = finish_lane(s, lane);
    if (laid == TK_ENOMEM)
        return tk_err_nomem(err, "an index");
    return laid < 0 ? tk_index_store_failed(s->index->store, err) : rc < 0 ? rc : TK_OK;
}

int tk_index_spans_lay(struct tk_index_spans *s, struct tk_err *err)
{
    int rc = lay_all(s, err);
    for (size_t i = 0; i < s->lanes.n && rc == TK_OK; i++) {
        if (tk_vec_push(&s->index->lanes, s->lanes.v[i]))
            rc = tk_err_nomem(err, "an index");
        else
            s->lanes.v[i] = NULL;
    }
    return rc;
}
