/*
 * Keeping answers: a sink in front of the one that asks. See kept_answers.h.
 */
#include "fact/symbolizer.h"
#include "kept/answer_events.h"
#include "kept/answer_list.h"
#include "kept/health_bytes.h"
#include "kept/kept_answers.h"
#include "kept/question_bytes.h"
#include "kept/row_bytes.h"
#include "os/atomic.h"
#include "os/clock.h"

#include <string.h>

#define QUICK 0.1 /* seconds: what takes less is not kept, unless it is asked for */

struct keeping {
    const struct tk_kept_asking *asking;
    const struct tk_sink *to;
    struct tk_kept_bytes question, events;
    size_t most;
    bool failed;
    struct tk_symbolizer symbolizer; /* in front of that of the context */
    const struct tk_symbolizer *asked;
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
    const struct tk_query *query = k->asking->query;
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
    const struct tk_query *query = k->asking->query;
    if (put_event(k, TK_ANSWER_FILTERED, table)) {
        tk_kept_put(&k->events, kept);
        tk_kept_put(&k->events, rows);
    }
    if (query->filtered)
        query->filtered(query->filtered_ctx, table, kept, rows);
}

/* ---- what is asked elsewhere ---- */

static int ask_module(void *self, const struct tk_fact_module *module, struct tk_module_file_info *out)
{
    struct keeping *k = self;
    tk_atomic_set(&k->elsewhere, 1);
    return k->asked->module(k->asked->self, module, out);
}

static int
ask_resolve(void *self, const struct tk_fact_module *module, const struct tk_symbol_ask *asks, size_t n,
            int (*give)(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n_places),
            void *to)
{
    struct keeping *k = self;
    tk_atomic_set(&k->elsewhere, 1);
    return k->asked->resolve(k->asked->self, module, asks, n, give, to);
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
    struct tk_context *ctx = k->asking->ctx;
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
    struct tk_context *ctx = k->asking->ctx;
    k->most = (size_t)(ctx->known->most / 4);
    tk_kept_question_put(&k->question, ctx, k->asking->query);
    k->asked = ctx->symbolizer;
    k->symbolizer = (struct tk_symbolizer){.self = k, .module = ask_module, .resolve = ask_resolve};
    ctx->symbolizer = k->asked ? &k->symbolizer : NULL;
    k->searched = ctx->sources;
    k->finder = (struct tk_source_finder){.self = k, .find = ask_source};
    ctx->sources = k->searched ? &k->finder : NULL;
}

int tk_kept_answers_keep(const struct tk_kept_asking *asking,
                         int (*run)(void *self, const struct tk_query *query, const struct tk_sink *sink,
                                    struct tk_err *err),
                         void *self, const struct tk_sink *sink, struct tk_err *err)
{
    struct keeping k = {.asking = asking, .to = sink};
    const struct tk_sink keeps = {.self = &k, .begin = keep_begin, .rows = keep_rows, .end = keep_end};
    const double began = tk_os_seconds();
    struct tk_query query = *asking->query;
    query.filtered = keep_filtered;
    query.filtered_ctx = &k;
    begin(&k);
    const int rc = run(self, &query, &keeps, err);
    asking->ctx->symbolizer = k.asked;
    asking->ctx->sources = k.searched;
    const bool worth = asking->ctx->known->asked || tk_os_seconds() - began > QUICK;
    if (rc == TK_OK && !k.failed && worth && !tk_atomic_get(&k.elsewhere))
        add(&k);
    tk_kept_release(&k.question);
    tk_kept_release(&k.events);
    return rc;
}
