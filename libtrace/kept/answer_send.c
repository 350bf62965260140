/*
 * Sending answers that are kept. See kept_answers.h.
 *
 * An answer is gone through twice: once to see that all of it is sound, and then to send it.
 */
#include "kept/answer_events.h"
#include "kept/answer_list.h"
#include "kept/health_bytes.h"
#include "kept/kept_answers.h"
#include "kept/question_bytes.h"
#include "kept/row_bytes.h"
#include "table/projection.h"
#include "table/sink.h"

#include <stdlib.h>

/* Where the events of a table are. */
enum place { BEFORE, INSIDE, BEHIND };

struct sending {
    const struct tk_kept_asking *asking;
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
    const struct tk_query *query = s->asking->query;
    const uint64_t kept = tk_varint(c, "rows"), rows = tk_varint(c, "rows");
    if (s->sink && query->filtered)
        query->filtered(query->filtered_ctx, s->asking->tables[table]->name, kept, rows);
}

/* A table begins once; its rows and its end come behind that. */
static bool is_in_order(const struct sending *s, uint64_t event, uint64_t table)
{
    return event == TK_ANSWER_FILTERED || s->places[table] == (event == TK_ANSWER_BEGIN ? BEFORE : INSIDE);
}

/* Goes on until the event that stops. */
static int send_events(struct sending *s, struct tk_cur c)
{
    const size_t n = s->asking->query->n_tables;
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
    const struct tk_query *query = s->asking->query;
    int rc = TK_OK;
    s->projected = calloc(query->n_tables + 1, sizeof *s->projected);
    s->places = calloc(query->n_tables + 1, sizeof *s->places);
    if (!s->projected || !s->places)
        return tk_err_nomem(s->err, "the tables of a query");
    for (size_t i = 0; i < query->n_tables && rc == TK_OK; i++)
        rc = tk_projection_init(&s->projected[i], s->asking->tables[i], query, s->err);
    return rc;
}

static void release(struct sending *s)
{
    for (size_t i = 0; s->projected && i < s->asking->query->n_tables; i++)
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

static int send_answer(const struct tk_kept_asking *asking, struct tk_bytes answer,
                       const struct tk_sink *sink, struct tk_err *err)
{
    struct sending s = {.asking = asking, .err = err};
    struct tk_context *ctx = asking->ctx;
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

int tk_kept_answers_send(const struct tk_kept_asking *asking, const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_kept_bytes question = {.failed = false};
    struct tk_bytes answer = {NULL, 0};
    tk_kept_question_put(&question, asking->ctx, asking->query);
    if (!question.failed)
        answer =
            tk_kept_answer_find(asking->ctx->known, (struct tk_bytes){question.bytes.v, question.bytes.n});
    tk_kept_release(&question);
    return answer.n ? send_answer(asking, answer, sink, err) : TK_OK;
}
