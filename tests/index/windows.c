/*
 * windows [-j JOBS] N SEED CAPTURE...: compares N random windows of an index of each capture with the
 * scopes of its tables: nothing missing, nothing too many, each on its row; cells with what they have to
 * cover. Exits with 1 at the first difference.
 */
#include "truth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LANES = 4, MOST_REPORTED = 10 };

static uint64_t seed;

static uint64_t next_random(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed >> 17 ^ seed >> 41;
}

static uint64_t below(uint64_t n)
{
    return n ? next_random() % n : 0;
}

struct comparing {
    struct tk_index *index;
    struct truth truth;
    struct tk_index_about about;
    uint32_t *names; /* by timer of the index: number of its name in the truth */
    uint64_t exact, cells, boxes, wrong;
    const char *path;
};

static void tell(struct comparing *c, const struct tk_index_question *q, uint32_t lane, const char *what,
                 const struct tk_index_box *box, const struct truth_scope *scope)
{
    if (c->wrong++ >= MOST_REPORTED)
        return;
    fprintf(stderr, "%s: lane %u, [%" PRId64 ", %" PRId64 ") in %u pixels%s, %u rows: %s\n", c->path, lane,
            q->from, q->to, q->pixels, q->quick ? " quick" : "", q->rows, what);
    if (box)
        fprintf(stderr, "  box [%" PRId64 ", %" PRId64 ") row %u timer %u count %u cover %u flags %u\n",
                box->begin, box->end, box->depth, box->timer, box->count, box->cover, box->flags);
    if (scope)
        fprintf(stderr, "  scope [%" PRId64 ", %" PRId64 ") row %u %s%s\n", scope->begin, scope->end,
                scope->depth, c->truth.names[scope->name], scope->unended ? " (unended)" : "");
}

static bool touches(const struct tk_index_question *q, const struct truth_scope *s)
{
    const int64_t end = s->unended ? INT64_MAX : s->end;
    return s->begin < q->to && (end > q->from || s->begin >= q->from);
}

static bool is_row(const struct tk_index_question *q, uint32_t depth)
{
    return depth < (q->rows ? q->rows : TK_INDEX_ROWS);
}

static int by_place(const void *a, const void *b)
{
    const struct truth_scope *x = *(const struct truth_scope *const *)a,
                             *y = *(const struct truth_scope *const *)b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* Marks a scope like the box as seen; false: there is none left. v: those that should be there, in order. */
static bool find_scope(struct comparing *c, struct truth_scope **v, size_t n, const struct tk_index_box *box)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t at = low + (high - low) / 2;
        const struct truth_scope *s = v[at];
        if (s->depth < box->depth || (s->depth == box->depth && s->begin < box->begin))
            low = at + 1;
        else
            high = at;
    }
    for (; low < n && v[low]->depth == box->depth && v[low]->begin == box->begin; low++) {
        struct truth_scope *s = v[low];
        const bool unended = box->flags & TK_INDEX_UNENDED;
        if (!s->seen && s->unended == unended && (unended || s->end == box->end) &&
            c->names[box->timer] == s->name)
            return s->seen = true;
    }
    return false;
}

/* The first of a lane's scopes, which are in order of rows and ends, at a row that ends at a time or later.
 */
static size_t first_end(const struct truth_lane *t, uint32_t depth, int64_t time)
{
    size_t low = 0, high = t->n;
    while (low < high) {
        const size_t at = low + (high - low) / 2;
        if (t->v[at].depth < depth || (t->v[at].depth == depth && t->v[at].end < time))
            low = at + 1;
        else
            high = at;
    }
    return low;
}

/* A cell: covers what the scopes shorter than `width` cover, and counts those that end in it. */
static void check_cell(struct comparing *c, const struct tk_index_question *q, uint32_t lane,
                       const struct tk_index_box *box, uint64_t width, bool exact)
{
    const struct truth_lane *t = &c->truth.lanes[lane];
    uint64_t covered = 0, count = 0;
    bool named = false;
    for (size_t i = first_end(t, box->depth, box->begin); i < t->n; i++) {
        const struct truth_scope *s = &t->v[i];
        if (s->depth != box->depth || s->end >= box->end + (int64_t)width)
            break;
        if (s->unended || (uint64_t)(s->end - s->begin) >= width || s->begin >= box->end ||
            (exact && !touches(q, s)))
            continue;
        const int64_t begin = s->begin > box->begin ? s->begin : box->begin,
                      end = s->end < box->end ? s->end : box->end;
        covered += (uint64_t)(end - begin);
        count += s->end < box->end;
        named |= s->name == c->names[box->timer];
    }
    const double part = (double)covered / (double)(box->end - box->begin) * 254;
    /* rounded in each bin, 1 at least there, and once more where bins are put together */
    if (box->cover > part + 1.51 || box->cover < (part > 254 ? 254 : part) - 1.01)
        tell(c, q, lane, "a cell covers something else", box, NULL);
    if (box->count > count || (double)box->count < (double)count * 0.79)
        tell(c, q, lane, "a cell counts something else", box, NULL);
    if (!named)
        tell(c, q, lane, "a cell has a timer that is not there", box, NULL);
    c->cells++;
}

/* Is there a cell of its row that a scope reaches into? */
static bool is_covered(const struct tk_index_window *w, size_t first, size_t end, const struct truth_scope *s)
{
    size_t low = first, high = end;
    while (low < high) {
        const size_t at = low + (high - low) / 2;
        const struct tk_index_box *b = &w->boxes[at];
        if (b->depth < s->depth || (b->depth == s->depth && b->begin <= s->end))
            low = at + 1;
        else
            high = at;
    }
    while (low-- > first && w->boxes[low].depth == s->depth)
        if (w->boxes[low].cover != 255)
            return w->boxes[low].end > s->begin;
    return false;
}

/* Of a lane that is over before a level would have two bins, cells are finer and fewer scopes in them. */
static uint64_t width_of(const struct tk_index_window *w, size_t first, size_t end)
{
    uint64_t width = (uint64_t)w->width;
    for (size_t i = first; i < end; i++) {
        const struct tk_index_box *b = &w->boxes[i];
        const uint64_t length = (uint64_t)b->end - (uint64_t)b->begin;
        if (b->cover == 255 && !(b->flags & TK_INDEX_UNENDED) && length < width)
            width = length;
    }
    return width;
}

static void check_lane(struct comparing *c, const struct tk_index_question *q, uint32_t lane,
                       const struct tk_index_window *w, size_t first, size_t end)
{
    struct truth_lane *t = &c->truth.lanes[lane];
    struct truth_scope **v = malloc((t->n + 1) * sizeof *v);
    const uint64_t width = width_of(w, first, end);
    size_t n = 0;
    if (!v)
        exit(3);
    for (size_t i = 0; i < t->n; i++) {
        struct truth_scope *s = &t->v[i];
        s->seen = false;
        if (touches(q, s) && is_row(q, s->depth) && (s->unended || (uint64_t)(s->end - s->begin) >= width))
            v[n++] = s;
    }
    qsort(v, n, sizeof *v, by_place);
    for (size_t i = first; i < end; i++) {
        const struct tk_index_box *b = &w->boxes[i];
        if (i > first && (b[-1].depth > b->depth || (b[-1].depth == b->depth && b[-1].begin > b->begin)))
            tell(c, q, lane, "boxes out of order", b, NULL);
        if (b->cover == 255) {
            if (!find_scope(c, v, n, b))
                tell(c, q, lane, "a box without a scope", b, NULL);
        } else if (!w->width) {
            tell(c, q, lane, "a cell in a window without", b, NULL);
        } else {
            check_cell(c, q, lane, b, width, w->exact);
        }
    }
    /* What is not displayed by itself has to be in cells. An unended scope goes on until its lane was cut or
       closed, which no table says: it may be over. */
    for (size_t i = 0; i < t->n; i++) {
        const struct truth_scope *s = &t->v[i];
        if (s->seen || !touches(q, s) || !is_row(q, s->depth) || (s->unended && s->begin < q->from))
            continue;
        if (s->unended || s->end - s->begin >= w->width)
            tell(c, q, lane, "a scope that is not shown", NULL, s);
        else if (!is_covered(w, first, end, s))
            tell(c, q, lane, "a scope that no cell covers", NULL, s);
    }
    free(v);
}

/* A window of random zoom: all zooms from a few cycles to all of the capture are as likely. */
static void make_question(const struct comparing *c, struct tk_index_question *q, uint32_t *lanes)
{
    const uint64_t whole = (uint64_t)(c->about.last - c->about.first) + 1;
    unsigned octaves = 1;
    while (octaves < 62 && whole >> octaves)
        octaves++;
    uint64_t length = UINT64_C(1) << below(octaves + 1);
    length += below(length);
    q->from = c->about.first + (int64_t)below(whole) - (int64_t)below(length);
    q->to = q->from + (int64_t)length;
    q->pixels = (uint32_t)(1 + below(2000));
    q->rows = below(3) ? 0 : (uint32_t)(1 + below(20));
    q->quick = below(8) == 0;
    q->each = below(2);
    q->n_lanes = 1 + below(LANES);
    for (size_t i = 0; i < q->n_lanes; i++)
        lanes[i] = (uint32_t)below(c->about.lanes);
    q->lanes = lanes;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of less time where it has more boxes than windows may have. */
static int window_of(struct comparing *c, struct tk_index_question *q, struct tk_index_window *w)
{
    struct tk_err err = {0};
    int rc = tk_index_window(c->index, q, w, &err);
    for (; rc == TK_ELIMIT && q->to - q->from > 1; rc = tk_index_window(c->index, q, w, &err))
        q->to = q->from + (q->to - q->from) / 2;
    if (rc < 0)
        fprintf(stderr, "%s: %s\n", c->path, tk_err_text(&err, rc));
    return rc;
}

static bool check_windows(struct comparing *c, uint64_t n)
{
    struct tk_index_window w = {0};
    uint32_t lanes[LANES];
    for (uint64_t i = 0; i < n && c->wrong == 0; i++) {
        struct tk_index_question q = {0};
        make_question(c, &q, lanes);
        if (window_of(c, &q, &w) < 0)
            return false;
        c->exact += w.exact;
        c->boxes += w.n;
        for (size_t k = 0; k < q.n_lanes; k++)
            check_lane(c, &q, lanes[k], &w, k ? w.ends[k - 1] : 0, w.ends[k]);
    }
    tk_index_window_release(&w);
    return c->wrong == 0;
}

/* Lanes of rows of tables, and the names in them, stand behind those of scopes; test `view` is about them. */
static void leave_rows_out(struct comparing *c)
{
    struct tk_index_lane lane;
    struct tk_index_timer timer;
    uint32_t lanes = 0, timers = 0;
    while (lanes < c->about.lanes && tk_index_lane_get(c->index, lanes, &lane) &&
           tk_index_has_scopes(lane.kind))
        lanes++;
    while (timers < c->about.timers && tk_index_timer_get(c->index, timers, &timer) &&
           tk_index_has_scopes(timer.kind))
        timers++;
    c->about.lanes = lanes;
    c->about.timers = timers;
}

/* What the index says of all of the capture. */
static void check_sums(struct comparing *c)
{
    uint64_t scopes = 0, counted = 0, all = 0;
    for (uint32_t i = 0; i < c->about.lanes; i++) {
        struct tk_index_lane lane;
        uint64_t here = 0;
        tk_index_lane_get(c->index, i, &lane);
        const struct truth_lane *t = &c->truth.lanes[i];
        for (size_t k = 0; k < t->n; k++)
            here += !t->v[k].unended;
        if (here != lane.scopes || t->n - here != lane.unended || (t->n && t->thread != lane.thread)) {
            fprintf(stderr,
                    "%s: lane %u has %" PRIu64 " scopes and %" PRIu64 " unended ones, not %" PRIu64
                    " and %zu\n",
                    c->path, i, lane.scopes, lane.unended, here, t->n - here);
            c->wrong++;
        }
        scopes += lane.scopes;
        all += here;
    }
    for (uint32_t i = 0; i < c->about.timers; i++) {
        struct tk_index_timer timer;
        tk_index_timer_get(c->index, i, &timer);
        counted += timer.scopes;
        c->names[i] = truth_name(&c->truth, timer.name.p, timer.name.n, false);
    }
    if (scopes != all || counted != all || c->about.scopes != all) {
        fprintf(stderr, "%s: %" PRIu64 " scopes, by timers %" PRIu64 ", not %" PRIu64 "\n", c->path, scopes,
                counted, all);
        c->wrong++;
    }
}

static int by_end(const void *a, const void *b)
{
    const struct truth_scope *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool run_capture(const char *path, unsigned jobs, uint64_t n)
{
    struct comparing c = {.path = path};
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    options.jobs = jobs;
    int rc = tk_open(&trace, path, &options, &err);
    const double before = now();
    if (rc >= 0)
        rc = tk_index_build(&c.index, trace, NULL, &err);
    if (rc < 0)
        fprintf(stderr, "%s: %s\n", path, tk_err_text(&err, rc));
    bool ok = rc >= 0;
    if (ok) {
        tk_index_tell(c.index, &c.about);
        leave_rows_out(&c);
        printf("%s: %u lanes, %" PRIu64
               " scopes, %u timers; index %.2f s, %.2f MB to draw from, %.2f MB in all, finest %" PRId64
               " cycles\n",
               path, c.about.lanes, c.about.scopes, c.about.timers, now() - before,
               (double)c.about.drawn / 1e6, (double)c.about.bytes / 1e6, c.about.finest);
        c.names = calloc(c.about.timers + 1u, sizeof *c.names);
    }
    if (ok) {
        ok = c.names && truth_read(&c.truth, path, c.index);
        if (ok)
            check_sums(&c);
        for (size_t i = 0; i < c.truth.n; i++)
            if (c.truth.lanes[i].n)
                qsort(c.truth.lanes[i].v, c.truth.lanes[i].n, sizeof *c.truth.lanes[i].v, by_end);
        ok = ok && c.wrong == 0 && (c.about.lanes == 0 || check_windows(&c, n));
        printf("  %" PRIu64 " windows, %" PRIu64 " exact: %" PRIu64 " boxes, %" PRIu64 " cells, %" PRIu64
               " wrong\n",
               n, c.exact, c.boxes, c.cells, c.wrong);
        truth_free(&c.truth);
    }
    free(c.names);
    tk_index_close(c.index);
    tk_close(trace);
    return ok;
}

int main(int argc, char **argv)
{
    bool ok = true;
    unsigned jobs = 1;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "-j") == 0 && at + 1 < argc)
            jobs = (unsigned)strtoul(argv[++at], NULL, 10);
    }
    if (argc - at < 3) {
        fputs("usage: windows [-j JOBS] N SEED CAPTURE...\n", stderr);
        return 2;
    }
    const uint64_t n = strtoull(argv[at], NULL, 10);
    for (int i = at + 2; i < argc; i++) {
        seed = strtoull(argv[at + 1], NULL, 10) * 2 + 1;
        ok = run_capture(argv[i], jobs, n) && ok;
    }
    return ok ? 0 : 1;
}
