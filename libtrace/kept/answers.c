/*
 * Keeping answers: a sink in front of the one that queries.
 */
#include "fact/symbolizer.h"
#include "kept/kept_in.h"
#include "kept/kept_reading.h"
#include "os/clock.h"
#include "os/thread.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

/*
 * An answer: health | read? | events
 *
 *   BEGIN, END  table, its text where there are no rows: bytes with the NUL or 0, text
 *   ROWS        table, rows, cells
 *   FILTERED    table, rows that passed, rows
 *   STOP
 *
 * A table is its place in the query.
 */
enum tk_answer_event { TK_ANSWER_BEGIN, TK_ANSWER_END, TK_ANSWER_ROWS, TK_ANSWER_FILTERED, TK_ANSWER_STOP };

/*
 * Sending answers that are kept.
 *
 * An answer is gone through twice: once to see that all of it is sound, and then to send it.
 */

/* Where the events of a table are. */
enum place { BEFORE, INSIDE, BEHIND };

struct sending {
    const struct tk_kept_request *request;
    const struct tk_sink *sink;      /* NULL: it is only looked at */
    struct tk_projection *projected; /* owned: of each table */
    enum place *places;              /* owned: of each table */
    size_t ended;
    struct tk_kept_cells cells;
    struct tk_err *err;
};

static void wrong(struct tk_cur *c)
{
    if (!c->fault)
        c->fault = "an answer";
    c->p = c->end;
}

static int send_table(struct sending *s, struct tk_cur *c, enum tk_answer_event event,
                      struct tk_projection *table)
{
    const uint64_t n = tk_varint(c, "a table");
    const uint8_t *text = n <= tk_cur_left(c) ? tk_take(c, (size_t)n, "a table") : NULL;
    if (!text || (n && text[n - 1])) {
        wrong(c);
        return TK_OK;
    }
    table->table.none = n ? (const char *)text : NULL;
    if (!s->sink)
        return TK_OK;
    return event == TK_ANSWER_BEGIN ? tk_sink_begin(s->sink, &table->table, s->err)
                                    : tk_sink_end(s->sink, &table->table, s->err);
}

static int send_rows(struct sending *s, struct tk_cur *c, struct tk_projection *table)
{
    const uint64_t n = tk_varint(c, "rows");
    const uint32_t columns = table->table.n_columns;
    if (!columns || n > tk_cur_left(c) / columns) {
        wrong(c);
        return TK_OK;
    }
    const int rc = tk_kept_cells_take(c, &s->cells, (size_t)n * columns);
    const struct tk_rows rows = {.n = (size_t)n, .cells = s->cells.cells.v};
    if (rc < 0)
        return tk_err_nomem(s->err, "rows");
    return s->sink && s->sink->rows ? s->sink->rows(s->sink->self, &table->table, &rows, s->err) : TK_OK;
}

static void tell_filtered(const struct sending *s, struct tk_cur *c, size_t table)
{
    const struct tk_query *query = s->request->query;
    const uint64_t kept = tk_varint(c, "rows"), rows = tk_varint(c, "rows");
    if (s->sink && query->filtered)
        query->filtered(query->filtered_ctx, s->request->tables[table]->name, kept, rows);
}

/* A table begins once; its rows and its end come behind that. */
static bool is_in_order(const struct sending *s, uint64_t event, uint64_t table)
{
    return event == TK_ANSWER_FILTERED || s->places[table] == (event == TK_ANSWER_BEGIN ? BEFORE : INSIDE);
}

/* Goes on until the event that stops. */
static int send_events(struct sending *s, struct tk_cur c)
{
    const size_t n = s->request->query->n_tables;
    int rc = TK_OK;
    s->ended = 0;
    for (size_t i = 0; i < n; i++)
        s->places[i] = BEFORE;
    while (rc >= 0 && tk_cur_ok(&c)) {
        const uint64_t event = tk_varint(&c, "an answer");
        if (event == TK_ANSWER_STOP && tk_cur_ok(&c) && !tk_cur_left(&c))
            return s->ended == n ? TK_OK : TK_EFORMAT;
        const uint64_t table = tk_varint(&c, "a table");
        if (event >= TK_ANSWER_STOP || table >= n || !is_in_order(s, event, table))
            wrong(&c);
        else if (event == TK_ANSWER_ROWS)
            rc = send_rows(s, &c, &s->projected[table]);
        else if (event == TK_ANSWER_FILTERED)
            tell_filtered(s, &c, (size_t)table);
        else
            rc = send_table(s, &c, (enum tk_answer_event)event, &s->projected[table]);
        if (tk_cur_ok(&c) && (event == TK_ANSWER_BEGIN || event == TK_ANSWER_END)) {
            s->places[table] = event == TK_ANSWER_BEGIN ? INSIDE : BEHIND;
            s->ended += event == TK_ANSWER_END;
        }
    }
    return rc < 0 ? rc : TK_EFORMAT;
}

static int project(struct sending *s)
{
    const struct tk_query *query = s->request->query;
    int rc = TK_OK;
    s->projected = calloc(query->n_tables + 1, sizeof *s->projected);
    s->places = calloc(query->n_tables + 1, sizeof *s->places);
    if (!s->projected || !s->places)
        return tk_err_nomem(s->err, "the tables of a query");
    for (size_t i = 0; i < query->n_tables && rc == TK_OK; i++)
        rc = tk_projection_init(&s->projected[i], s->request->tables[i], query, s->err);
    return rc;
}

static void release(struct sending *s)
{
    for (size_t i = 0; s->projected && i < s->request->query->n_tables; i++)
        tk_projection_release(&s->projected[i]);
    free(s->projected);
    free(s->places);
    tk_kept_cells_release(&s->cells);
}

/* What is known of the capture is what was known when it was answered. */
static void take_state(struct tk_context *ctx, struct tk_cur *c, struct tk_health *health, bool *read)
{
    tk_kept_health_take(c, health, ctx->health.max_items);
    *read = tk_varint(c, "an answer") != 0;
}

static int send_answer(const struct tk_kept_request *request, struct tk_bytes answer,
                       const struct tk_sink *sink, struct tk_err *err)
{
    struct sending s = {.request = request, .err = err};
    struct tk_context *ctx = request->ctx;
    struct tk_cur c = tk_cur_of(answer.p, answer.n);
    struct tk_health health;
    bool read;
    take_state(ctx, &c, &health, &read);
    int rc = tk_cur_ok(&c) ? project(&s) : TK_EFORMAT;
    if (rc == TK_OK)
        rc = send_events(&s, c);
    const bool sound = rc == TK_OK && !health.lost;
    if (sound) {
        s.sink = sink;
        tk_arena_clear(&s.cells.nested);
        tk_health_release(&ctx->health);
        ctx->health = health;
        ctx->read = read;
        rc = send_events(&s, c);
    } else {
        tk_health_release(&health);
    }
    release(&s);
    return sound ? (rc < 0 ? rc : TK_ITEM) : TK_OK;
}

int tk_kept_answers_send(const struct tk_kept_request *request, const struct tk_sink *sink,
                         struct tk_err *err)
{
    struct tk_kept_bytes question = {.failed = false};
    struct tk_bytes answer = {NULL, 0};
    tk_kept_question_put(&question, request->ctx, request->query);
    if (!question.failed)
        answer =
            tk_kept_answer_find(request->ctx->known, (struct tk_bytes){question.bytes.v, question.bytes.n});
    tk_kept_release(&question);
    return answer.n ? send_answer(request, answer, sink, err) : TK_OK;
}

#define QUICK 0.1 /* seconds: what takes less is not kept, unless it is requested */

struct keeping {
    const struct tk_kept_request *request;
    const struct tk_sink *to;
    struct tk_kept_bytes question, events;
    size_t most;
    bool failed;
    struct tk_symbolizer symbolizer; /* in front of that of the context */
    const struct tk_symbolizer *requested;
    struct tk_source_finder finder; /* likewise */
    const struct tk_source_finder *searched;
    struct tk_atomic elsewhere; /* 1: files of symbols or sources were looked at */
};

/* ---- events ---- */

static void fail(struct keeping *k)
{
    k->failed = true;
    tk_kept_release(&k->events);
}

static bool put_event(struct keeping *k, enum tk_answer_event event, const char *table)
{
    const struct tk_query *query = k->request->query;
    size_t i = 0;
    while (i < query->n_tables && strcmp(query->tables[i], table) != 0)
        i++;
    if (!k->failed && (i == query->n_tables || k->events.failed || k->events.bytes.n > k->most))
        fail(k);
    if (k->failed)
        return false;
    tk_kept_put(&k->events, event);
    tk_kept_put(&k->events, i);
    return true;
}

static void put_table(struct keeping *k, enum tk_answer_event event, const struct tk_table *table)
{
    if (!put_event(k, event, table->name))
        return;
    const size_t n = table->none ? strlen(table->none) + 1 : 0;
    tk_kept_put(&k->events, n);
    tk_kept_put_bytes(&k->events, table->none, n);
}

static int keep_begin(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct keeping *k = self;
    put_table(k, TK_ANSWER_BEGIN, table);
    return k->to->begin ? k->to->begin(k->to->self, table, err) : TK_OK;
}

static int keep_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct keeping *k = self;
    if (put_event(k, TK_ANSWER_ROWS, table->name)) {
        tk_kept_put(&k->events, rows->n);
        if (!tk_kept_cells_put(&k->events, rows->cells, rows->n * table->n_columns))
            fail(k);
    }
    return k->to->rows ? k->to->rows(k->to->self, table, rows, err) : TK_OK;
}

static int keep_end(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct keeping *k = self;
    put_table(k, TK_ANSWER_END, table);
    return k->to->end ? k->to->end(k->to->self, table, err) : TK_OK;
}

static void keep_filtered(void *self, const char *table, uint64_t kept, uint64_t rows)
{
    struct keeping *k = self;
    const struct tk_query *query = k->request->query;
    if (put_event(k, TK_ANSWER_FILTERED, table)) {
        tk_kept_put(&k->events, kept);
        tk_kept_put(&k->events, rows);
    }
    if (query->filtered)
        query->filtered(query->filtered_ctx, table, kept, rows);
}

/* ---- what is requested elsewhere ---- */

static int ask_module(void *self, const struct tk_fact_module *module, struct tk_module_file_info *out)
{
    struct keeping *k = self;
    tk_atomic_set(&k->elsewhere, 1);
    return k->requested->module(k->requested->self, module, out);
}

static int
ask_resolve(void *self, const struct tk_fact_module *module, const struct tk_symbol_ask *wants, size_t n,
            int (*give)(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n_places),
            void *to)
{
    struct keeping *k = self;
    tk_atomic_set(&k->elsewhere, 1);
    return k->requested->resolve(k->requested->self, module, wants, n, give, to);
}

static int ask_source(void *self, const struct tk_str *path, struct tk_str *out)
{
    struct keeping *k = self;
    tk_atomic_set(&k->elsewhere, 1);
    return k->searched->find(k->searched->self, path, out);
}

/* ---- keeping ---- */

static void add(struct keeping *k)
{
    struct tk_context *ctx = k->request->ctx;
    struct tk_kept_bytes answer = {.failed = false};
    tk_kept_health_put(&answer, &ctx->health);
    tk_kept_put(&answer, ctx->read);
    tk_kept_put(&k->events, TK_ANSWER_STOP);
    tk_kept_put_bytes(&answer, k->events.bytes.v, k->events.bytes.n);
    if (!answer.failed && !k->events.failed && !k->question.failed)
        tk_kept_answer_add(ctx->known, (struct tk_bytes){k->question.bytes.v, k->question.bytes.n},
                           (struct tk_bytes){answer.bytes.v, answer.bytes.n}, k->most);
    tk_kept_release(&answer);
}

static void begin(struct keeping *k)
{
    struct tk_context *ctx = k->request->ctx;
    k->most = (size_t)(ctx->known->most / 4);
    tk_kept_question_put(&k->question, ctx, k->request->query);
    k->requested = ctx->symbolizer;
    k->symbolizer = (struct tk_symbolizer){.self = k, .module = ask_module, .resolve = ask_resolve};
    ctx->symbolizer = k->requested ? &k->symbolizer : NULL;
    k->searched = ctx->sources;
    k->finder = (struct tk_source_finder){.self = k, .find = ask_source};
    ctx->sources = k->searched ? &k->finder : NULL;
}

int tk_kept_answers_keep(const struct tk_kept_request *request,
                         int (*run)(void *self, const struct tk_query *query, const struct tk_sink *sink,
                                    struct tk_err *err),
                         void *self, const struct tk_sink *sink, struct tk_err *err)
{
    struct keeping k = {.request = request, .to = sink};
    const struct tk_sink keeps = {.self = &k, .begin = keep_begin, .rows = keep_rows, .end = keep_end};
    const double began = tk_os_seconds();
    struct tk_query query = *request->query;
    query.filtered = keep_filtered;
    query.filtered_ctx = &k;
    begin(&k);
    const int rc = run(self, &query, &keeps, err);
    request->ctx->symbolizer = k.requested;
    request->ctx->sources = k.searched;
    const bool worth = request->ctx->known->requested || tk_os_seconds() - began > QUICK;
    if (rc == TK_OK && !k.failed && worth && !tk_atomic_get(&k.elsewhere))
        add(&k);
    tk_kept_release(&k.question);
    tk_kept_release(&k.events);
    return rc;
}
