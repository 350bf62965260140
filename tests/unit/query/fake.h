/*
 * A capture whose facts are written by hand, and a query over it whose rows are kept.
 *
 * The facts of a capture are an array; a batch ends before each fact whose index is in `cuts`. Like a real
 * source the fake gives definitions always, other facts when they are requested, and leaves out scopes of
 * threads that are not wanted.
 */
#ifndef TK_TESTS_UNIT_MODEL_FAKE_H
#define TK_TESTS_UNIT_MODEL_FAKE_H

#include "engine/run.h"
#include "io/scratch/pool.h"
#include "query/tables.h"
#include "tracekit.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAKE_MOST 4096

struct fake {
    struct tk_capture capture;
    struct tk_context ctx;
    struct tk_options options;
    struct tk_fact facts[FAKE_MOST];
    size_t n_facts;
    size_t cuts[16], n_cuts;
    struct tk_scope_run runs[16]; /* all in the last batch */
    size_t n_runs;
    struct tk_intern strings;
    struct tk_result *result;
    struct tk_err err;
    unsigned readings;      /* sources opened so far */
    uint64_t requested[16]; /* facts that each was requested */
    unsigned faults;        /* PACKET_DAMAGED that every reading notes */
};

struct fake_source {
    struct tk_source source;
    struct fake *fake;
    const struct tk_request *request;
    struct tk_fact given[FAKE_MOST];
    struct tk_scope_run runs[16];
    struct tk_arena texts; /* of the batch */
    size_t at, cut;
    bool done;
};

/* Texts of a batch do not outlive it. */
static inline void fake_move_text(struct fake_source *s, struct tk_fact *fact)
{
    struct tk_str *text = fact->kind == TK_FACT_LOG        ? &fact->u.log.text
                          : fact->kind == TK_FACT_BOOKMARK ? &fact->u.bookmark.text
                                                           : NULL;
    if (text)
        text->p = tk_arena_copy(&s->texts, text->p, text->n);
}

static inline bool fake_wanted(const struct fake_source *s, const struct tk_fact *fact)
{
    const struct tk_request *request = s->request;
    return (request->facts | TK_FACT_DEFINITIONS) >> fact->kind & 1;
}

static inline size_t fake_runs(struct fake_source *s)
{
    const struct tk_request *request = s->request;
    size_t n = 0;
    for (size_t i = 0; i < s->fake->n_runs; i++) {
        if (request->want_thread && !request->want_thread(request->want_ctx, s->fake->runs[i].thread))
            continue;
        s->runs[n++] = s->fake->runs[i];
    }
    return request->facts & TK_FACT_MASK(SCOPES) ? n : 0;
}

static inline int fake_next(struct tk_source *source, struct tk_batch *out, struct tk_err *err)
{
    struct fake_source *s = (struct fake_source *)source;
    const struct fake *f = s->fake;
    (void)err;
    if (s->done)
        return TK_OK;
    size_t end = s->cut < f->n_cuts ? f->cuts[s->cut++] : f->n_facts;
    *out = (struct tk_batch){.facts = s->given, .runs = s->runs};
    /* What an earlier batch held is gone. */
    memset(s->given, 0xee, sizeof s->given);
    tk_arena_release(&s->texts);
    for (; s->at < end; s->at++) {
        if (!fake_wanted(s, &f->facts[s->at]))
            continue;
        s->given[out->n_facts] = f->facts[s->at];
        fake_move_text(s, &s->given[out->n_facts++]);
    }
    if (end == f->n_facts) {
        s->done = true;
        out->n_runs = fake_runs(s);
    }
    return TK_ITEM;
}

static inline void fake_close(struct tk_source *source)
{
    tk_arena_release(&((struct fake_source *)source)->texts);
    free(source);
}

static const struct tk_source_ops fake_source_ops = {.next = fake_next, .close = fake_close};

static inline int fake_read(struct tk_capture *c, const struct tk_request *request, struct tk_source **out,
                            struct tk_err *err)
{
    struct fake *f = (struct fake *)c;
    struct fake_source *s = calloc(1, sizeof *s);
    (void)err;
    ck_assert_ptr_nonnull(s);
    *s = (struct fake_source){.source.ops = &fake_source_ops, .fake = f, .request = request};
    f->requested[f->readings++ % 16] = request->facts;
    for (unsigned i = 0; i < f->faults; i++)
        tk_health_note(&f->ctx.health, TK_HEALTH_PACKET_DAMAGED, 100 + i, 1, "packet %u is damaged", i);
    *out = &s->source;
    return TK_OK;
}

static const struct tk_column fake_columns[] = {{"a", TK_UINT, 0, NULL, "a"}, {"b", TK_UINT, 0, NULL, "b"}};
static const struct tk_table fake_table = {
    .name = "fake", .help = "of the format", .columns = fake_columns, .n_columns = 2};

static inline int fake_describe(struct tk_capture *c, const struct tk_table *table,
                                const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_cell cells[4];
    (void)c;
    for (unsigned i = 0; i < 4; i++)
        cells[i] = (struct tk_cell){.kind = TK_UINT, .v.u = i};
    int rc = sink->begin ? sink->begin(sink->self, table, err) : TK_OK;
    if (rc == TK_OK)
        rc = sink->rows(sink->self, table, &(struct tk_rows){.n = 2, .cells = cells}, err);
    memset(cells, 0, sizeof cells);
    return rc == TK_OK && sink->end ? sink->end(sink->self, table, err) : rc;
}

static inline bool fake_false(const struct tk_capture *c)
{
    (void)c;
    return false;
}

static inline bool fake_may_have(const struct tk_capture *c, uint64_t facts)
{
    (void)c;
    return facts != 0;
}

static const struct tk_capture_ops fake_ops = {.read = fake_read,
                                               .describe = fake_describe,
                                               .may_have = fake_may_have,
                                               .truncated = fake_false,
                                               .empty = fake_false};

static inline struct fake *fake_new(void)
{
    struct fake *f = calloc(1, sizeof *f);
    ck_assert_ptr_nonnull(f);
    f->capture.ops = &fake_ops;
    f->options.size = sizeof f->options;
    f->ctx.options = &f->options;
    f->ctx.limits = tk_limits_default();
    f->ctx.health.max_items = f->ctx.limits.health_items;
    f->ctx.pool = tk_pool_open(1);
    ck_assert_ptr_nonnull(f->ctx.pool);
    return f;
}

static inline void fake_free(struct fake *f)
{
    tk_result_free(f->result);
    tk_intern_release(&f->strings);
    tk_health_release(&f->ctx.health);
    tk_pool_close(f->ctx.pool);
    free(f);
}

/* ---- facts ---- */

static inline const struct tk_str *fake_str(struct fake *f, const char *text)
{
    return text ? tk_intern_c(&f->strings, text) : NULL;
}

static inline struct tk_fact *fake_add(struct fake *f, enum tk_fact_kind kind, uint32_t thread, int64_t time,
                                       uint64_t seq)
{
    ck_assert_uint_lt(f->n_facts, FAKE_MOST);
    struct tk_fact *fact = &f->facts[f->n_facts++];
    *fact = (struct tk_fact){
        .kind = (uint16_t)kind, .size = sizeof *fact, .thread = thread, .time = time, .seq = seq};
    return fact;
}

/* The next fact begins a new batch. */
static inline void fake_cut(struct fake *f)
{
    f->cuts[f->n_cuts++] = f->n_facts;
}

static inline void fake_clock(struct fake *f, uint64_t start, uint64_t frequency)
{
    fake_add(f, TK_FACT_CLOCK, TK_NO_THREAD, 0, TK_NO_SEQ)->u.clock =
        (struct tk_fact_clock){.start = start, .frequency = frequency, .epoch = (double)NAN};
}

static inline void fake_thread(struct fake *f, uint32_t id, const char *name, const char *group, int32_t hint)
{
    fake_add(f, TK_FACT_THREAD, id, 0, TK_NO_SEQ)->u.thread_info =
        (struct tk_fact_thread){.name = fake_str(f, name),
                                .group = fake_str(f, group),
                                .system_id = 1000 + id,
                                .sort_hint = hint,
                                .named = true,
                                .has_system = true};
}

static inline void fake_timer(struct fake *f, uint32_t id, const char *name)
{
    fake_add(f, TK_FACT_TIMER, TK_NO_THREAD, 0, TK_NO_SEQ)->u.timer =
        (struct tk_fact_timer){.id = id, .kind = TK_TIMER_SPEC, .name = fake_str(f, name)};
}

static inline void fake_frame(struct fake *f, bool begin, uint32_t type, int64_t time, uint64_t seq)
{
    fake_add(f, TK_FACT_FRAME, 2, time, seq)->u.frame = (struct tk_fact_frame){.type = type, .begin = begin};
}

static inline struct tk_fact_region *fake_region(struct fake *f, bool begin, const char *name, int64_t time,
                                                 uint64_t seq)
{
    struct tk_fact *fact = fake_add(f, TK_FACT_REGION, 2, time, seq);
    fact->u.region = (struct tk_fact_region){.begin = begin, .name = fake_str(f, name)};
    return &fact->u.region;
}

static inline void fake_bookmark(struct fake *f, uint32_t thread, const char *text, int64_t time,
                                 uint64_t seq)
{
    fake_add(f, TK_FACT_BOOKMARK, thread, time, seq)->u.bookmark =
        (struct tk_fact_bookmark){.text = {.p = text, .n = (uint32_t)strlen(text)}, .line = 7};
}

static inline void fake_log(struct fake *f, uint32_t thread, uint8_t verbosity, const char *text,
                            int64_t time)
{
    fake_add(f, TK_FACT_LOG, thread, time, TK_NO_SEQ)->u.log =
        (struct tk_fact_log){.category = fake_str(f, "LogTest"),
                             .line = 9,
                             .verbosity = verbosity,
                             .text = {.p = text, .n = (uint32_t)strlen(text)}};
}

static inline void fake_record(struct fake *f, uint32_t thread, const struct tk_record_type *type,
                               int64_t time)
{
    struct tk_fact *fact = fake_add(f, TK_FACT_RECORD, thread, time >= 0 ? time : 0, TK_NO_SEQ);
    fact->u.record =
        (struct tk_fact_record){.rec = {.type = type}, .offset = f->n_facts, .has_time = time >= 0};
}

static inline void fake_run(struct fake *f, uint32_t thread, uint32_t lane, size_t n, const int64_t *time,
                            const uint32_t *op)
{
    f->runs[f->n_runs++] =
        (struct tk_scope_run){.thread = thread, .lane = lane, .n = n, .time = time, .op = op};
}

/* ---- queries ---- */

/* Runs and keeps the rows in f->result. */
static inline int fake_query(struct fake *f, const struct tk_builder *const *builders, size_t n,
                             const struct tk_query *query)
{
    tk_result_free(f->result);
    f->result = NULL;
    ck_assert_int_eq(tk_result_new(&f->result, &f->err), TK_OK);
    f->err = (struct tk_err){0};
    struct tk_sink sink = tk_result_sink(f->result);
    return tk_run(&f->ctx, &f->capture, builders, n, query, &sink, &f->err);
}

static inline void fake_ask(struct fake *f, const struct tk_builder *builder, const struct tk_query *query)
{
    int rc = fake_query(f, &builder, 1, query);
    ck_assert_msg(rc == TK_OK, "status %d: %s", rc, f->err.text[0]);
}

static inline size_t fake_rows(const struct fake *f, size_t table)
{
    size_t n;
    ck_assert_ptr_nonnull(tk_result_table(f->result, table, &n));
    return n;
}

static inline const struct tk_cell *fake_cell(const struct fake *f, size_t table, size_t row,
                                              const char *column)
{
    size_t n;
    const struct tk_table *t = tk_result_table(f->result, table, &n);
    ck_assert_uint_lt(row, n);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (strcmp(t->columns[i].name, column) == 0)
            return &tk_result_row(f->result, table, row)[i];
    }
    ck_abort_msg("no column %s", column);
    return NULL;
}

static inline void fake_is_text(const struct fake *f, size_t row, const char *column, const char *text)
{
    const struct tk_cell *c = fake_cell(f, 0, row, column);
    if (!text) {
        ck_assert_int_eq(c->kind, TK_NONE);
        return;
    }
    ck_assert_int_eq(c->kind, TK_TEXT);
    ck_assert_msg(c->n == strlen(text) && memcmp(c->v.p, text, c->n) == 0,
                  "%s of row %zu is '%.*s', not '%s'", column, row, (int)c->n, (const char *)c->v.p, text);
}

#define FAKE_NONE INT64_MIN /* no value */

static inline void fake_is(const struct fake *f, size_t row, const char *column, int64_t value)
{
    const struct tk_cell *c = fake_cell(f, 0, row, column);
    if (value == FAKE_NONE) {
        ck_assert_msg(c->kind == TK_NONE, "%s of row %zu has a value", column, row);
        return;
    }
    ck_assert_msg(c->kind != TK_NONE, "%s of row %zu has no value", column, row);
    ck_assert_msg(c->v.i == value, "%s of row %zu is %lld, not %lld", column, row, (long long)c->v.i,
                  (long long)value);
}

/* In cycles since a start of 0. */
#define FAKE_QUERY                                                                                           \
    {                                                                                                        \
        .size = sizeof(struct tk_query), .unit = TK_UNIT_CYCLES                                              \
    }

#endif
