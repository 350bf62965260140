/*
 * Makes queries of plans and their values. question_terms.c takes the terms.
 */
#include "api/trace.h"
#include "base/text/path.h"
#include "sql/tables/tables_in.h"

#include <stdlib.h>
#include <string.h>

/* A question in the making. */
struct tk_sql_request {
    struct tk_sql_question *q;
    struct tk_sql_connection *c;
    const struct tk_sql_shape *shape;
    struct tk_sql_source *source;
    struct tk_err *err;
};

/*
 * Terms of a plan as parts of a query: question.c makes the whole of them.
 */

/* ---- texts ---- */

static int add_text(struct tk_sql_texts *texts, const char *p, size_t n, struct tk_err *err)
{
    char *copy = malloc(n + 1);
    if (!copy || tk_vec_push(&texts->list, copy)) {
        free(copy);
        return tk_err_nomem(err, "a query");
    }
    memcpy(copy, p, n);
    copy[n] = '\0';
    return TK_OK;
}

static void tk_sql_texts_release(struct tk_sql_texts *texts)
{
    for (size_t i = 0; i < texts->list.n; i++)
        free(texts->list.v[i]);
    tk_vec_release(&texts->list);
}

/* Can it be a name for the library? */
static bool is_name(const char *p, size_t n)
{
    return n > 0 && !memchr(p, '\0', n);
}

/* ---- names: threads and timers ---- */

/* The name that a value stands for: a text, or the number of one. false: nothing is selected by it. */
static bool name_of(const struct tk_sql_request *a, const struct tk_sql_column *column, sqlite3_value *value,
                    struct tk_str *out)
{
    const int type = sqlite3_value_type(value);
    if (column->kind == TK_SQL_REF) {
        const struct tk_str *text =
            type == SQLITE_INTEGER ? tk_sql_text_of(a->c, sqlite3_value_int64(value)) : NULL;
        if (text)
            *out = *text;
        return text && text->enc == TK_ENC_UTF8 && is_name(text->p, text->n);
    }
    if (type != SQLITE_TEXT)
        return false;
    *out = (struct tk_str){.p = (const char *)sqlite3_value_text(value),
                           .n = (uint32_t)sqlite3_value_bytes(value)};
    return out->p && is_name(out->p, out->n);
}

/* All values are selected, or none where one of them is no name. NULL is equal to nothing. */
static int add_names(const struct tk_sql_request *a, const struct tk_sql_column *column,
                     const struct tk_sql_given *given, struct tk_sql_texts *to)
{
    struct tk_sql_texts found = {0};
    struct tk_str name;
    int rc = TK_OK;
    bool all = true;
    for (size_t i = 0; i < given->list.n && rc == TK_OK; i++) {
        if (name_of(a, column, given->list.v[i], &name))
            rc = add_text(&found, name.p, name.n, a->err);
        else if (sqlite3_value_type(given->list.v[i]) != SQLITE_NULL)
            all = false;
    }
    if (rc == TK_OK && all) {
        a->q->empty |= found.list.n == 0;
        *to = found;
        return TK_OK;
    }
    tk_sql_texts_release(&found);
    return rc;
}

static int add_term_names(const struct tk_sql_request *a, const struct tk_sql_term *term,
                          const struct tk_sql_given *given)
{
    const struct tk_sql_column *column = &a->shape->columns[term->column];
    struct tk_sql_texts *to = column->role == TK_SQL_THREAD ? &a->q->threads : &a->q->timers;
    return to->list.n ? TK_OK : add_names(a, column, given, to);
}

/* ---- times ---- */

/* Selects [from, to), and one more on each side: what lasts no time at the edge is in it then. */
static void narrow(struct tk_selection *s, bool has_from, int64_t from, bool has_to, int64_t to)
{
    from = from == INT64_MIN ? from : from - 1;
    to = to == INT64_MAX ? to : to + 1;
    if (has_from && from > 0 && (!s->has_from || from > s->from_ns)) {
        s->has_from = true;
        s->from_ns = from;
    }
    if (has_to && to > 0 && (!s->has_to || to < s->to_ns)) {
        s->has_to = true;
        s->to_ns = to;
    }
}

/* The integer that a number is, rounded to the side that leaves nothing out. */
static bool bound_of(sqlite3_value *value, bool up, int64_t *out)
{
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_INTEGER) {
        *out = sqlite3_value_int64(value);
        return true;
    }
    const double r = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 1e300;
    if (!(r > -9e18 && r < 9e18))
        return false;
    *out = (int64_t)r + (up ? 1 : -1);
    return true;
}

static void select_time(const struct tk_sql_request *a, const struct tk_sql_term *term, sqlite3_value *value)
{
    int64_t low, high;
    if (!bound_of(value, false, &low) || !bound_of(value, true, &high))
        return;
    const bool below = term->op == TK_SQL_LT || term->op == TK_SQL_LE;
    const bool above = term->op == TK_SQL_GT || term->op == TK_SQL_GE;
    narrow(&a->q->query.select, !below, low, !above, high == INT64_MAX ? high : high + 1);
}

static bool fits(int64_t index, enum tk_sql_operator op, int64_t low, int64_t high)
{
    switch (op) {
    case TK_SQL_LT:
    case TK_SQL_LE:
        return index <= high;
    case TK_SQL_GT:
    case TK_SQL_GE:
        return index >= low;
    default:
        return index >= low && index <= high;
    }
}

static int select_frames(const struct tk_sql_request *a, const struct tk_sql_term *term, sqlite3_value *value)
{
    const struct tk_sql_frames *frames;
    int64_t low, high, from = INT64_MAX, to = INT64_MIN;
    if (!bound_of(value, false, &low) || !bound_of(value, true, &high))
        return TK_OK;
    int rc = tk_sql_frames_get(a->c, a->source, &frames, a->err);
    for (size_t i = 0; rc == TK_OK && i < frames->n; i++)
        if (fits(frames->v[i].index, term->op, low, high)) {
            from = frames->v[i].begin < from ? frames->v[i].begin : from;
            to = frames->v[i].end > to ? frames->v[i].end : to;
        }
    if (rc == TK_OK && from > to)
        a->q->empty = true;
    else if (rc == TK_OK)
        narrow(&a->q->query.select, true, from, true, to);
    return rc;
}

/* ---- arguments ---- */

static const struct {
    const char *name;
    unsigned by;
} groupings[] = {
    {"thread", TK_BY_THREAD},         {"tag", TK_BY_TAG},       {"heap", TK_BY_HEAP},
    {"callstack", TK_BY_CALLSTACK},   {"size", TK_BY_SIZE},     {"asset", TK_BY_ASSET},
    {"class", TK_BY_CLASS},           {"file", TK_BY_FILE},     {"region", TK_BY_REGION},
    {"frame_type", TK_BY_FRAME_TYPE}, {"label", TK_BY_LABEL},   {"function", TK_BY_FUNCTION},
    {"module", TK_BY_MODULE},         {"source", TK_BY_SOURCE},
};

static int group_by(const struct tk_sql_request *a, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == ',')) {
        n = strcspn(text, ",");
        size_t i = 0;
        while (i < sizeof groupings / sizeof *groupings &&
               (strlen(groupings[i].name) != n || memcmp(groupings[i].name, text, n) != 0))
            i++;
        if (i == sizeof groupings / sizeof *groupings)
            return tk_err_set(
                a->err, TK_EMATCH,
                "nothing is grouped by '%.*s'; there are thread, tag, heap, callstack, size, asset, "
                "class, file, region, frame_type, label, function, module",
                (int)(n < 60 ? n : 60), text);
        a->q->query.by |= groupings[i].by;
    }
    return TK_OK;
}

/* "10", "10-20": game frames. */
static int select_frame_text(const struct tk_sql_request *a, const char *text)
{
    char *end;
    struct tk_selection *s = &a->q->query.select;
    s->first_frame = s->last_frame = strtoull(text, &end, 10);
    if (end != text && *end == '-')
        s->last_frame = strtoull(text = end + 1, &end, 10);
    if (end == text || *end || s->last_frame < s->first_frame)
        return tk_err_set(a->err, TK_EUSAGE, "frames = '%.40s': frames are '10' or '10-20'", text);
    s->has_frames = true;
    return TK_OK;
}

static int take_number(const struct tk_sql_request *a, enum tk_sql_argument argument, sqlite3_value *value)
{
    struct tk_query *query = &a->q->query;
    const int64_t n = sqlite3_value_int64(value);
    if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER && argument != TK_SQL_MEDIANS &&
        argument != TK_SQL_TARGET)
        return tk_err_set(a->err, TK_EUSAGE, "%s takes a whole number", tk_sql_argument_names[argument]);
    if (n < 0 && argument >= TK_SQL_LONGER)
        return tk_err_set(a->err, TK_EUSAGE, "%s takes no negative number", tk_sql_argument_names[argument]);
    switch (argument) {
    case TK_SQL_FROM:
        a->q->wants_span = true;
        query->select.has_from = true;
        query->select.from_ns = n;
        break;
    case TK_SQL_TO:
        a->q->wants_span = true;
        query->select.has_to = true;
        query->select.to_ns = n;
        break;
    case TK_SQL_LONGER:
        query->hitches.budget_ns = n;
        break;
    case TK_SQL_MEDIANS:
        query->hitches.times = sqlite3_value_double(value);
        break;
    case TK_SQL_TARGET:
        query->hitches.target = sqlite3_value_double(value);
        break;
    default:
        query->slowest = (uint64_t)n;
        query->hitches.reasons = n < 1000000 ? (unsigned)n : 1000000;
    }
    return TK_OK;
}

static int take_text(const struct tk_sql_request *a, enum tk_sql_argument argument, const char *text,
                     size_t n)
{
    struct tk_sql_question *q = a->q;
    switch (argument) {
    case TK_SQL_GROUPED_BY:
        return group_by(a, text);
    case TK_SQL_FRAMES:
        return select_frame_text(a, text);
    case TK_SQL_RULE:
        return tk_query_hitches(&q->query, text, a->err);
    default:
        q->wants_names = true;
        return add_text(argument == TK_SQL_REGION      ? &q->regions
                        : argument == TK_SQL_OF_THREAD ? &q->threads
                        : argument == TK_SQL_OF_TIMER  ? &q->timers
                                                       : &q->of,
                        text, n, a->err);
    }
}

static int take_argument(const struct tk_sql_request *a, const struct tk_sql_term *term, sqlite3_value *value)
{
    const enum tk_sql_argument argument = a->shape->columns[term->column].argument;
    if (sqlite3_value_type(value) == SQLITE_NULL) {
        a->q->empty = true;
        return TK_OK;
    }
    if (argument == TK_SQL_FROM || argument == TK_SQL_TO || argument >= TK_SQL_LONGER)
        return take_number(a, argument, value);
    const char *text = (const char *)sqlite3_value_text(value);
    const size_t n = (size_t)sqlite3_value_bytes(value);
    if (!text)
        return tk_err_nomem(a->err, "a query");
    if (memchr(text, '\0', n))
        return tk_err_set(a->err, TK_EUSAGE, "%s takes no text with a NUL", tk_sql_argument_names[argument]);
    return take_text(a, argument, text, n);
}

/* ---- a term ---- */

static int tk_sql_question_take(const struct tk_sql_request *a, const struct tk_sql_term *term,
                                const struct tk_sql_given *given, bool columns)
{
    const struct tk_sql_column *column = &a->shape->columns[term->column];
    sqlite3_value *value = given->list.n ? given->list.v[0] : NULL;
    if (column->kind == TK_SQL_ARGUMENT)
        return take_argument(a, term, value);
    if (!columns)
        return TK_OK;
    if (column->kind == TK_SQL_FRAME && tk_sql_shape_selects_frames(a->shape))
        return select_frames(a, term, value);
    if (column->role == TK_SQL_TIME)
        select_time(a, term, value);
    else if (column->role != TK_SQL_NO_ROLE)
        return add_term_names(a, term, given);
    return TK_OK;
}

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
            mask |= UINT64_C(1) << shape->frame_of;
        if (is_used && c->kind == TK_SQL_WALL_CLOCK)
            mask |= UINT64_C(1) << shape->wall_of;
    }
    if (shape->known_by_id)
        mask |= UINT64_C(1) << tk_table_column(shape->table, "scope_id");
    return mask ? mask : 1;
}

/* Are ids of scopes requested that depend on what is selected? Those of a .utrace do not. */
static int find_moving_ids(const struct tk_sql_request *a, uint64_t used, bool *moving)
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

void tk_sql_question_columns(struct tk_sql_question *q, const struct tk_sql_shape *shape)
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
/* A moment that is requested may lie between two ticks of the clock, where nothing can be selected, and that
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
    query->select.unmatched = !q->wants_names;
    if (q->regions.list.n) {
        query->select.regions = (const char *const *)q->regions.list.v;
        query->select.n_regions = q->regions.list.n;
    }
    query->per_frame = (const char *const *)q->of.list.v;
    query->n_per_frame = q->of.list.n;
    const char *of = q->of.list.n ? q->of.list.v[0] : NULL;
    query->histogram = query->source_of = of;
    query->tree.callers = ends_with(q->table, "callers") ? of : NULL;
    query->tree.callees = ends_with(q->table, "callees") ? of : NULL;
    if (query->select.has_from && query->select.has_to && query->select.from_ns >= query->select.to_ns)
        q->empty = true;
    else if (!q->wants_span)
        widen(&query->select);
}

int tk_sql_question_make(struct tk_sql_question *q, struct tk_sql_connection *c,
                         const struct tk_sql_shape *shape, const struct tk_sql_plan *plan,
                         const struct tk_sql_given *given, struct tk_sql_source *source, bool all,
                         struct tk_err *err)
{
    const struct tk_sql_request a = {q, c, shape, source, err};
    bool moving;
    *q = (struct tk_sql_question){.query = TK_INIT(struct tk_query), .table = shape->table->name};
    q->mask = tk_sql_question_mask(shape, plan->used);
    if (c->select)
        q->query.select = *c->select;
    q->query.by = plan->by_thread ? TK_BY_THREAD : 0;
    int rc = find_moving_ids(&a, plan->used, &moving);
    for (unsigned pass = 0; pass < 2 && rc == TK_OK; pass++) /* arguments come first */
        for (unsigned i = 0; i < plan->n && rc == TK_OK; i++) {
            const struct tk_sql_term *term = &plan->terms[i];
            const bool argument = shape->columns[term->column].kind == TK_SQL_ARGUMENT;
            const bool columns =
                !q->wants_names && !moving && (all || (term->constant && shape->known_by_id));
            if (argument == (pass == 0))
                rc = tk_sql_question_take(&a, term, &given[i], columns);
        }
    tk_sql_question_columns(q, shape);
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
    char *key =
        sqlite3_mprintf("%s|%u|%d:%lld|%d:%lld|%d:%llu-%llu|%lld|%f|%d|%f|%u|%llu", q->table, query->by,
                        s->has_from, s->from_ns, s->has_to, s->to_ns, s->has_frames, s->first_frame,
                        s->last_frame, query->hitches.budget_ns, query->hitches.times, query->hitches.engine,
                        query->hitches.target, query->hitches.reasons, query->slowest);
    key = add_texts(key, &q->threads);
    key = add_texts(key, &q->timers);
    key = add_texts(key, &q->regions);
    key = add_texts(key, &q->of);
    char *copy = key ? tk_sql_copy(key) : NULL;
    sqlite3_free(key);
    return copy;
}

/* ---- captures ---- */

/* game.utrace.zst is called so, or game. */
static bool is_called(const char *name, const void *text, size_t n)
{
    return (n == strlen(name) || n == tk_path_stem(name)) && memcmp(text, name, n) == 0;
}

static bool is_of(const struct tk_sql_column *column, sqlite3_value *value,
                  const struct tk_sql_source *source)
{
    const int type = sqlite3_value_type(value);
    if (column->kind == TK_SQL_CAPTURE_ID)
        return type == SQLITE_INTEGER ? sqlite3_value_int64(value) == source->id : type != SQLITE_NULL;
    if (type != SQLITE_TEXT)
        return type != SQLITE_NULL;
    const void *text = sqlite3_value_text(value);
    return text && is_called(source->name, text, (size_t)sqlite3_value_bytes(value));
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
