/*
 * Makes queries of plans and their values. See question.h; question_terms.c takes the terms.
 */
#include "sql/tables/question.h"

#include "api/trace.h"
#include "sql/tables/question_terms.h"

#include <string.h>

/* ---- the whole ---- */

uint64_t tk_sql_question_mask(const struct tk_sql_shape *shape, uint64_t used)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < shape->n; i++) {
        const struct tk_sql_column *c = &shape->columns[i];
        const bool is_used = used >> (i < 63 ? i : 63) & 1;
        if (is_used && (c->kind == TK_SQL_OWN || c->kind == TK_SQL_REF))
            mask |= UINT64_C(1) << c->own;
        if (is_used && c->kind == TK_SQL_FRAME)
            mask |= UINT64_C(1) << tk_table_column(shape->table, "start");
    }
    if (shape->known_by_id)
        mask |= UINT64_C(1) << tk_table_column(shape->table, "scope_id");
    return mask ? mask : 1;
}

/* Are ids of scopes asked for that depend on what is selected? Those of a .utrace do not. */
static int find_moving_ids(const struct tk_sql_asking *a, uint64_t used, bool *moving)
{
    size_t handle;
    *moving = false;
    for (uint32_t i = 0; i < a->shape->n && a->shape->known_by_id; i++) {
        const char *name = a->shape->columns[i].name;
        *moving |= (strcmp(name, "scope_id") == 0 || strcmp(name, "parent_id") == 0) &&
                   (used >> (i < 63 ? i : 63) & 1);
    }
    if (!*moving)
        return TK_OK;
    int rc = tk_sql_source_take(a->c, a->source, &handle, a->err);
    if (rc == TK_OK && handle != SIZE_MAX)
        *moving = strcmp(a->source->handles.v[handle].trace->ctx.format->name, "utrace") != 0;
    if (rc == TK_OK)
        tk_sql_source_leave(a->source, handle);
    return rc;
}

static void name_columns(struct tk_sql_question *q, const struct tk_sql_shape *shape)
{
    size_t n = 0;
    for (uint32_t i = 0; i < shape->table->n_columns; i++)
        if (q->mask >> i & 1)
            q->columns[n++] = shape->table->columns[i].name;
    q->query.columns = q->columns;
    q->query.n_columns = n;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Points the query at the lists of texts. */
/* A moment that is asked for may lie between two ticks of the clock, where nothing can be selected, and that
   would be a mistake. The rows that come too many are left out by SQLite. */
static void widen(struct tk_selection *s)
{
    enum { LEAST = 1000000 }; /* nanoseconds: no clock is slower */
    if (!s->has_from || !s->has_to || s->to_ns - s->from_ns >= LEAST)
        return;
    s->has_from = s->from_ns > LEAST;
    s->from_ns = s->has_from ? s->from_ns - LEAST : 0;
    s->has_to = s->to_ns < INT64_MAX - LEAST;
    s->to_ns = s->has_to ? s->to_ns + LEAST : 0;
}

static void fill_query_sql(struct tk_sql_question *q)
{
    struct tk_query *query = &q->query;
    query->tables = &q->table;
    query->n_tables = 1;
    query->select.threads = (const char *const *)q->threads.list.v;
    query->select.n_threads = q->threads.list.n;
    query->select.timers = (const char *const *)q->timers.list.v;
    query->select.n_timers = q->timers.list.n;
    query->select.unmatched = !q->asks_names;
    query->select.regions = (const char *const *)q->regions.list.v;
    query->select.n_regions = q->regions.list.n;
    query->per_frame = (const char *const *)q->of.list.v;
    query->n_per_frame = q->of.list.n;
    const char *of = q->of.list.n ? q->of.list.v[0] : NULL;
    query->histogram = query->source_of = of;
    query->tree.callers = ends_with(q->table, "callers") ? of : NULL;
    query->tree.callees = ends_with(q->table, "callees") ? of : NULL;
    if (query->select.has_from && query->select.has_to && query->select.from_ns >= query->select.to_ns)
        q->empty = true;
    else if (!q->asks_span)
        widen(&query->select);
}

int tk_sql_question_make(struct tk_sql_question *q, struct tk_sql_connection *c,
                         const struct tk_sql_shape *shape, const struct tk_sql_plan *plan,
                         const struct tk_sql_given *given, struct tk_sql_source *source, bool all,
                         struct tk_err *err)
{
    const struct tk_sql_asking a = {q, c, shape, source, err};
    bool moving;
    *q = (struct tk_sql_question){.query = TK_INIT(struct tk_query), .table = shape->table->name};
    q->mask = tk_sql_question_mask(shape, plan->used);
    q->query.by = plan->by_thread ? TK_BY_THREAD : 0;
    int rc = find_moving_ids(&a, plan->used, &moving);
    for (unsigned pass = 0; pass < 2 && rc == TK_OK; pass++) /* arguments come first */
        for (unsigned i = 0; i < plan->n && rc == TK_OK; i++) {
            const struct tk_sql_term *term = &plan->terms[i];
            const bool argument = shape->columns[term->column].kind == TK_SQL_ARGUMENT;
            const bool columns = !q->asks_names && !moving && (all || (term->constant && shape->known_by_id));
            if (argument == (pass == 0))
                rc = tk_sql_question_take(&a, term, &given[i], columns);
        }
    name_columns(q, shape);
    fill_query_sql(q);
    return rc;
}

void tk_sql_question_release(struct tk_sql_question *q)
{
    tk_sql_texts_release(&q->threads);
    tk_sql_texts_release(&q->timers);
    tk_sql_texts_release(&q->regions);
    tk_sql_texts_release(&q->of);
}

/* ---- the key ---- */

static char *add_texts(char *key, const struct tk_sql_texts *texts)
{
    key = sqlite3_mprintf("%z|", key);
    for (size_t i = 0; i < texts->list.n && key; i++)
        key = sqlite3_mprintf("%z%d:%s,", key, (int)strlen(texts->list.v[i]), texts->list.v[i]);
    return key;
}

char *tk_sql_question_key(const struct tk_sql_question *q)
{
    const struct tk_query *query = &q->query;
    const struct tk_selection *s = &query->select;
    char *key = sqlite3_mprintf("%s|%u|%d:%lld|%d:%lld|%d:%llu-%llu|%lld|%f|%u|%llu", q->table, query->by,
                                s->has_from, s->from_ns, s->has_to, s->to_ns, s->has_frames, s->first_frame,
                                s->last_frame, query->hitches.budget_ns, query->hitches.times,
                                query->hitches.reasons, query->slowest);
    key = add_texts(key, &q->threads);
    key = add_texts(key, &q->timers);
    key = add_texts(key, &q->regions);
    key = add_texts(key, &q->of);
    char *copy = key ? tk_sql_copy(key) : NULL;
    sqlite3_free(key);
    return copy;
}

/* ---- captures ---- */

static bool is_of(const struct tk_sql_column *column, sqlite3_value *value,
                  const struct tk_sql_source *source)
{
    const int type = sqlite3_value_type(value);
    if (column->kind == TK_SQL_CAPTURE_ID)
        return type == SQLITE_INTEGER ? sqlite3_value_int64(value) == source->id : type != SQLITE_NULL;
    if (type != SQLITE_TEXT)
        return type != SQLITE_NULL;
    const size_t n = strlen(source->name);
    const void *text = sqlite3_value_text(value);
    return text && (size_t)sqlite3_value_bytes(value) == n && memcmp(text, source->name, n) == 0;
}

bool tk_sql_question_wants(const struct tk_sql_shape *shape, const struct tk_sql_plan *plan,
                           const struct tk_sql_given *given, const struct tk_sql_source *source)
{
    for (unsigned i = 0; i < plan->n; i++) {
        const struct tk_sql_column *column = &shape->columns[plan->terms[i].column];
        bool found = column->kind != TK_SQL_CAPTURE_ID && column->kind != TK_SQL_CAPTURE;
        for (size_t k = 0; k < given[i].list.n && !found; k++)
            found = is_of(column, given[i].list.v[k], source);
        if (!found)
            return false;
    }
    return true;
}
