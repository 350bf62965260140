/*
 * Game frames out of scopes, regions or marks.
 */
#include "base/sort.h"
#include "base/text/glob.h"
#include "base/vec.h"
#include "engine/run.h"
#include "query/tables.h"

#include <stdlib.h>
#include <string.h>

/* An occurrence; times in cycles as tables show them, which count from the clock's start. */
struct occurrence {
    int64_t begin, end;
    uint64_t thread;
    bool has_end;
};

typedef TK_VEC(struct occurrence) occurrences;

/* ---- finding them ---- */

enum { SCOPES, REGIONS, BOOKMARKS, LOGS, KINDS };

static const struct tk_builder *const builders[KINDS] = {&tk_builder_scopes, &tk_builder_regions,
                                                         &tk_builder_bookmarks, &tk_builder_logs};

/* Columns by kind: name (scopes are selected by it), begin, length or end, thread; NULL: none. */
static const struct {
    const char *name, *begin, *length, *end, *thread;
} columns[KINDS] = {
    {NULL, "start", "dur", NULL, "thread_id"},
    {"name", "start", NULL, "end", NULL},
    {"text", "time", NULL, NULL, NULL},
    {"text", "time", NULL, NULL, NULL},
};

struct search {
    const char *pattern;
    unsigned kind;
    occurrences found;
};

static uint32_t column_of(const struct tk_table *table, const char *name)
{
    for (uint32_t i = 0; name && i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

static bool fits(const struct search *s, const struct tk_cell *name)
{
    return name->kind == TK_TEXT && tk_glob_typed(s->pattern, strlen(s->pattern), name->v.p, name->n);
}

static int take_row(struct search *s, const struct tk_table *table, const struct tk_cell *row)
{
    const uint32_t name = column_of(table, columns[s->kind].name),
                   begin = column_of(table, columns[s->kind].begin),
                   length = column_of(table, columns[s->kind].length),
                   end = column_of(table, columns[s->kind].end),
                   thread = column_of(table, columns[s->kind].thread);
    struct occurrence o = {.thread = 0};
    if (begin == UINT32_MAX || row[begin].kind != TK_TIME || (name != UINT32_MAX && !fits(s, &row[name])))
        return 0;
    o.begin = row[begin].v.i;
    if (thread != UINT32_MAX)
        o.thread = row[thread].v.u;
    if (length != UINT32_MAX && row[length].kind == TK_DURATION) {
        o.has_end = true;
        o.end = o.begin + row[length].v.i;
    }
    if (end != UINT32_MAX && row[end].kind == TK_TIME) {
        o.has_end = true;
        o.end = row[end].v.i;
    }
    return tk_vec_push(&s->found, o);
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct search *s = self;
    for (size_t i = 0; i < rows->n; i++)
        if (take_row(s, table, rows->cells + i * table->n_columns))
            return tk_err_nomem(err, "frames");
    return TK_OK;
}

static int search(struct search *s, struct tk_context *ctx, struct tk_capture *capture, struct tk_err *err)
{
    struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_sink sink = {.self = s, .rows = take_rows};
    query.tables = &builders[s->kind]->table->name;
    query.n_tables = 1;
    query.unit = TK_UNIT_CYCLES;
    query.in_passing = true;
    if (s->kind == SCOPES) {
        query.select.timers = &s->pattern;
        query.select.n_timers = 1;
    }
    int rc = tk_run(ctx, capture, &builders[s->kind], 1, &query, &sink, err);
    return rc == TK_EMATCH ? TK_OK : rc;
}

/* ---- choosing ---- */

static int by_thread(const void *a, const void *b)
{
    const struct occurrence *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->has_end && y->has_end ? (x->end < y->end) - (x->end > y->end) : 0;
}

/* Keeps those of the thread that has the most. */
static void keep_thread(occurrences *o)
{
    size_t best = 0, most = 0;
    for (size_t i = 0, n; i < o->n; i += n) {
        for (n = 1; i + n < o->n && o->v[i + n].thread == o->v[i].thread; n++)
            continue;
        best = n > most ? i : best;
        most = n > most ? n : most;
    }
    if (most)
        memmove(o->v, o->v + best, most * sizeof *o->v);
    o->n = most;
}

/* Frames do not overlap: what begins inside of one is no frame of its own. Marks last until the next. */
static void keep_outermost(occurrences *o, bool marks)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++) {
        if (n && marks) {
            o->v[n - 1].end = o->v[i].begin;
            o->v[n - 1].has_end = true;
        } else if (n && o->v[n - 1].has_end && o->v[i].begin < o->v[n - 1].end)
            continue;
        o->v[n++] = o->v[i];
    }
    o->n = n;
}

static int find(struct tk_context *ctx, struct tk_capture *capture, const char *pattern, occurrences *out,
                struct tk_err *err)
{
    struct search s = {.pattern = pattern};
    int rc = TK_OK;
    for (s.kind = SCOPES; s.kind < KINDS && rc == TK_OK && (!s.found.n || s.kind == LOGS); s.kind++)
        rc = search(&s, ctx, capture, err);
    if (rc == TK_OK && !s.found.n)
        rc = tk_err_set(err, TK_EMATCH, "no scope, region, bookmark or message is called '%s'", pattern);
    if (rc == TK_OK && tk_sort(s.found.v, s.found.n, sizeof *s.found.v, by_thread))
        rc = tk_err_nomem(err, "frames");
    if (rc == TK_OK) {
        keep_thread(&s.found);
        keep_outermost(&s.found, s.kind > BOOKMARKS);
    }
    *out = s.found;
    return rc;
}

/* ---- the capture ---- */

struct capture {
    struct tk_capture base;
    struct tk_capture *inner; /* owned */
    occurrences frames;       /* in order */
};

struct source {
    struct tk_source base;
    struct tk_source *inner;       /* owned */
    const struct capture *capture; /* borrowed */
    struct tk_request request;
    bool reported; /* the frames */
    bool began;    /* the first batch was given */
    struct tk_fact_clock clock;
    TK_VEC(struct tk_fact) facts;
};

/* Without the game frames of the capture. */
static int leave_frames_out(struct source *s, struct tk_batch *batch)
{
    size_t n = 0;
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        n += fact->kind == TK_FACT_FRAME && fact->u.frame.type == 0;
        if (fact->kind == TK_FACT_CLOCK)
            s->clock = fact->u.clock;
    }
    if (!n)
        return 0;
    s->facts.n = 0;
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if ((fact->kind != TK_FACT_FRAME || fact->u.frame.type != 0) && tk_vec_push(&s->facts, *fact))
            return -1;
    }
    batch->facts = s->facts.v;
    batch->n_facts = s->facts.n;
    return 0;
}

static int add_frame(struct source *s, int64_t time, uint64_t number, bool begin)
{
    struct tk_fact fact = {.kind = TK_FACT_FRAME,
                           .size = sizeof fact,
                           .thread = TK_NO_THREAD,
                           .time = tk_clock_of_cycles(&s->clock, time),
                           .seq = TK_NO_SEQ};
    fact.u.frame = (struct tk_fact_frame){.type = 0, .begin = begin, .number = number};
    return tk_vec_push(&s->facts, fact);
}

static int tell_frames(struct source *s, struct tk_batch *batch, struct tk_err *err)
{
    const occurrences *frames = &s->capture->frames;
    s->reported = true;
    s->facts.n = 0;
    for (size_t i = 0; i < frames->n; i++)
        if (add_frame(s, frames->v[i].begin, i + 1, true) ||
            (frames->v[i].has_end && add_frame(s, frames->v[i].end, i + 1, false)))
            return tk_err_nomem(err, "frames");
    *batch = (struct tk_batch){.facts = s->facts.v, .n_facts = s->facts.n};
    return TK_ITEM;
}

static int source_next(struct tk_source *base, struct tk_batch *batch, struct tk_err *err)
{
    struct source *s = (struct source *)base;
    if (s->began && !s->reported && s->request.facts & TK_FACT_MASK(FRAME))
        return tell_frames(s, batch, err);
    int rc = tk_source_next(s->inner, batch, err);
    s->began = true;
    if (rc == TK_ITEM && leave_frames_out(s, batch))
        return tk_err_nomem(err, "frames");
    return rc;
}

static void source_close(struct tk_source *base)
{
    struct source *s = (struct source *)base;
    tk_source_close(s->inner);
    tk_vec_release(&s->facts);
    free(s);
}

static const struct tk_source_ops source_ops = {source_next, source_close};

static int capture_read(struct tk_capture *base, const struct tk_request *request, struct tk_source **out,
                        struct tk_err *err)
{
    struct capture *c = (struct capture *)base;
    struct source *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "a reading");
    s->base.ops = &source_ops;
    s->capture = c;
    s->request = *request;
    int rc = c->inner->ops->read(c->inner, request, &s->inner, err);
    if (rc < 0) {
        free(s);
        return rc;
    }
    *out = &s->base;
    return TK_OK;
}

static int capture_describe(struct tk_capture *base, const struct tk_table *table, const struct tk_sink *sink,
                            struct tk_err *err)
{
    struct capture *c = (struct capture *)base;
    return c->inner->ops->describe(c->inner, table, sink, err);
}

static bool capture_may_have(const struct tk_capture *base, uint64_t facts)
{
    const struct capture *c = (const struct capture *)base;
    return c->inner->ops->may_have(c->inner, facts) || facts & TK_FACT_MASK(FRAME);
}

static bool capture_truncated(const struct tk_capture *base)
{
    const struct capture *c = (const struct capture *)base;
    return c->inner->ops->truncated(c->inner);
}

static bool capture_empty(const struct tk_capture *base)
{
    const struct capture *c = (const struct capture *)base;
    return c->inner->ops->empty(c->inner);
}

static void capture_close(struct tk_capture *base)
{
    struct capture *c = (struct capture *)base;
    c->inner->ops->close(c->inner);
    tk_vec_release(&c->frames);
    free(c);
}

static const struct tk_capture_ops capture_ops = {capture_read,      capture_describe, capture_may_have,
                                                  capture_truncated, capture_empty,    capture_close};

int tk_frames_from(struct tk_context *ctx, struct tk_capture **capture, const char *pattern,
                   struct tk_err *err)
{
    struct capture *c = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "frames");
    int rc = find(ctx, *capture, pattern, &c->frames, err);
    if (rc < 0) {
        tk_vec_release(&c->frames);
        free(c);
        return rc;
    }
    c->base.ops = &capture_ops;
    c->base.parts = (*capture)->parts;
    c->inner = *capture;
    *capture = &c->base;
    return TK_OK;
}

struct tk_capture *tk_frames_from_recorded(struct tk_capture *capture)
{
    return capture->ops == &capture_ops ? ((struct capture *)capture)->inner : capture;
}
