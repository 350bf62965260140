/*
 * The tools of assistants. Most are statements of SQL over one capture. See tools.h.
 */
#include "agent/tools.h"

#include "base/err.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 50, MOST_ROWS = 1000, FILES = 500, STATEMENT = 16384, MOST_CAPTURES = 8 };

/* ---- arguments ---- */

static const char *text_of(const struct tk_agent_work *w, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(w->arguments, name);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

/* The number of an argument from 0 to `most`; what is no number is `usual`. */
static uint64_t number_of(const struct tk_agent_work *w, const char *name, uint64_t usual, uint64_t most)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(w->arguments, name);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0))
        return usual;
    return item->valuedouble < (double)most ? (uint64_t)item->valuedouble : most;
}

static uint64_t limit_of(const struct tk_agent_work *w)
{
    return number_of(w, "limit", ROWS, MOST_ROWS);
}

static uint64_t offset_of(const struct tk_agent_work *w)
{
    return number_of(w, "offset", 0, UINT32_MAX);
}

/* ---- statements in the making ---- */

struct statement {
    char text[STATEMENT];
    size_t n;
    bool failed;
};

static void add(struct statement *s, const char *p, size_t n)
{
    s->failed |= s->n + n >= sizeof s->text;
    if (s->failed)
        return;
    memcpy(s->text + s->n, p, n);
    s->n += n;
    s->text[s->n] = '\0';
}

static void add_sql(struct statement *s, const char *text)
{
    add(s, text, strlen(text));
}

static void add_quoted(struct statement *s, const char *text, char quote)
{
    add(s, &quote, 1);
    for (; *text; text++)
        add(s, *text == quote ? (const char[]){quote, quote} : text, *text == quote ? 2 : 1);
    add(s, &quote, 1);
}

static void add_number(struct statement *s, uint64_t n)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    add_sql(s, digits);
}

static void add_limit(struct statement *s, const struct tk_agent_work *w)
{
    add_sql(s, " LIMIT ");
    add_number(s, limit_of(w));
    add_sql(s, " OFFSET ");
    add_number(s, offset_of(w));
}

/* A hidden column that is a time, where the argument has milliseconds. */
static void add_ms(struct statement *s, const char *column, const cJSON *ms)
{
    if (!cJSON_IsNumber(ms) || !(ms->valuedouble >= 0 && ms->valuedouble < 1e12))
        return;
    add_sql(s, " AND ");
    add_sql(s, column);
    add_sql(s, " = ");
    add_number(s, (uint64_t)llround(ms->valuedouble * 1e6));
}

/* The selection of the arguments, as hidden columns have it. */
static void add_selection(struct statement *s, const struct tk_agent_work *w)
{
    static const char *const texts[] = {"thread", "timer", "region", "frames"};
    static const struct {
        const char *argument, *column;
    } times[] = {{"from_ms", "from_ns"}, {"to_ms", "to_ns"}};
    for (size_t i = 0; i < 4; i++)
        if (text_of(w, texts[i])) {
            add_sql(s, " AND ");
            add_sql(s, texts[i]);
            add_sql(s, " = ");
            add_quoted(s, text_of(w, texts[i]), '\'');
        }
    for (size_t i = 0; i < 2; i++)
        add_ms(s, times[i].column, cJSON_GetObjectItemCaseSensitive(w->arguments, times[i].argument));
}

/* ---- answering ---- */

static int add_capture(const struct tk_agent_work *w, struct tk_sql *sql, const char *name,
                       const char *schema, struct tk_err *err)
{
    char *path;
    int rc = tk_agent_folders_find(w->folders, name, &path, err);
    if (rc == TK_OK)
        rc = tk_sql_add(sql, path, schema, err);
    free(path);
    return rc;
}

static int add_captures(const struct tk_agent_work *w, struct tk_sql *sql, struct tk_err *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(w->arguments, "captures"), *item;
    const char *one = text_of(w, "capture");
    int rc = one ? add_capture(w, sql, one, NULL, err) : TK_OK;
    unsigned n = 0;
    cJSON_ArrayForEach(item, list)
    {
        if (rc == TK_OK && (!cJSON_IsString(item) || ++n > MOST_CAPTURES))
            rc = tk_err_set(err, TK_EUSAGE, "captures is a list of at most %d names", MOST_CAPTURES);
        if (rc == TK_OK)
            rc = add_capture(w, sql, item->valuestring, NULL, err);
    }
    if (rc == TK_OK && !one && n == 0)
        return tk_err_set(err, TK_EUSAGE, "which capture? (argument capture; list_captures has their names)");
    return rc;
}

static int open_sql_agent(const struct tk_agent_work *w, struct tk_sql **sql, struct tk_err *err)
{
    struct tk_sql_options options = TK_INIT(struct tk_sql_options);
    options.open = w->open;
    options.stop = w->stop;
    options.stop_ctx = w->stop_ctx;
    int rc = tk_sql_new(sql, &options, err);
    if (rc == TK_OK)
        rc = add_captures(w, *sql, err);
    if (rc < 0) {
        tk_sql_free(*sql);
        *sql = NULL;
    }
    return rc;
}

static int ask(const struct tk_agent_work *w, struct tk_sql *sql, const char *name, const char *text,
               uint64_t offset, struct tk_err *err)
{
    const struct tk_sink sink = tk_agent_answer_table(w->answer, name);
    int rc = tk_sql_run(sql, text, &sink, err);
    if (rc == TK_ECANCELED && w->answer->full)
        rc = TK_OK;
    tk_agent_answer_end(w->answer, offset);
    return rc;
}

/* What was found wrong with the captures so far. */
static void tell_damage(const struct tk_agent_work *w, const struct tk_sql *sql)
{
    bool damaged, partial, any = false;
    for (size_t i = 0; tk_sql_source(sql, i, &damaged, &partial, NULL, NULL); i++)
        any |= damaged || partial;
    if (any)
        tk_agent_answer_text(
            w->answer, "warning",
            "the capture is damaged or a limit left something out: table health says what is missing");
}

struct part {
    const char *name, *sql;
};

static int ask_parts(const struct tk_agent_work *w, const struct part *parts, size_t n, struct tk_err *err)
{
    struct tk_sql *sql;
    int rc = open_sql_agent(w, &sql, err);
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = ask(w, sql, parts[i].name, parts[i].sql, 0, err);
    if (rc == TK_OK)
        tell_damage(w, sql);
    tk_sql_free(sql);
    return rc;
}

static int ask_one(const struct tk_agent_work *w, const struct statement *s, struct tk_err *err)
{
    struct tk_sql *sql;
    if (s->failed)
        return tk_err_set(err, TK_ELIMIT, "the arguments are too long");
    int rc = open_sql_agent(w, &sql, err);
    if (rc == TK_OK)
        rc = ask(w, sql, "result", s->text, offset_of(w), err);
    if (rc == TK_OK)
        tell_damage(w, sql);
    tk_sql_free(sql);
    return rc;
}

/* ---- the tools ---- */

struct listing {
    struct tk_sink sink;
    const struct tk_table *table;
    struct tk_err *err;
};

static int list_file(void *ctx, const char *path)
{
    const struct listing *l = ctx;
    const struct tk_cell cell = {.kind = TK_TEXT, .n = (uint32_t)strlen(path), .v.p = path};
    const struct tk_rows rows = {1, &cell};
    return l->sink.rows(l->sink.self, l->table, &rows, l->err);
}

static int run_list(const struct tk_agent_work *w, struct tk_err *err)
{
    const struct tk_column column = {.name = "capture", .kind = TK_TEXT, .help = ""};
    const struct tk_table table = {.name = "captures", .help = "", .columns = &column, .n_columns = 1};
    struct listing l = {tk_agent_answer_table(w->answer, "captures"), &table, err};
    int rc = l.sink.begin(l.sink.self, &table, err);
    if (rc == TK_OK)
        rc = tk_agent_folders_list(w->folders, FILES, list_file, &l);
    tk_agent_answer_end(w->answer, 0);
    return rc == TK_ECANCELED && w->answer->full ? TK_OK : rc;
}

static int run_can(const struct tk_agent_work *w, struct tk_err *err)
{
    static const struct part parts[] = {{"questions", "SELECT * FROM can"}};
    return ask_parts(w, parts, 1, err);
}

static int run_overview(const struct tk_agent_work *w, struct tk_err *err)
{
    static const struct part parts[] = {
        {"capture", "SELECT * FROM capture"},
        {"session", "SELECT * FROM session"},
        {"frames", "SELECT type, count, mean, median, p95, p99, max FROM frame_stats"},
        {"threads", "SELECT thread, scopes, busy FROM threads WHERE busy > 0 ORDER BY busy DESC LIMIT 12"},
        {"timers", "SELECT timer, count, excl, incl, max FROM timers ORDER BY excl DESC LIMIT 15"},
        {"health", "SELECT * FROM health LIMIT 20"},
    };
    return ask_parts(w, parts, sizeof parts / sizeof *parts, err);
}

static bool is_operator(const char *op)
{
    static const char *const operators[] = {"=", "<>", "<", "<=", ">", ">=", "LIKE", "GLOB"};
    for (size_t i = 0; op && i < sizeof operators / sizeof *operators; i++)
        if (strcmp(op, operators[i]) == 0)
            return true;
    return false;
}

static int add_filter(struct statement *s, const cJSON *filter, struct tk_err *err)
{
    const cJSON *column = cJSON_GetObjectItemCaseSensitive(filter, "column");
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(filter, "op");
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(filter, "value");
    char number[40];
    if (!cJSON_IsString(column) || !is_operator(cJSON_GetStringValue(op)) ||
        !(cJSON_IsString(value) || cJSON_IsNumber(value)))
        return tk_err_set(err, TK_EUSAGE,
                          "a filter is {\"column\", \"op\", \"value\"} with op one of = <> < <= > >= LIKE "
                          "GLOB and a text or number");
    add_sql(s, " AND ");
    add_quoted(s, column->valuestring, '"');
    add_sql(s, " ");
    add_sql(s, op->valuestring);
    add_sql(s, " ");
    if (cJSON_IsString(value))
        add_quoted(s, value->valuestring, '\'');
    else if (value->valuedouble > -9e15 && value->valuedouble < 9e15)
        add_sql(s, (snprintf(number, sizeof number, "%.17g", value->valuedouble), number));
    else
        return tk_err_set(err, TK_EUSAGE, "the number of a filter is too great");
    return TK_OK;
}

static int run_table(const struct tk_agent_work *w, struct tk_err *err)
{
    struct statement s = {0};
    const cJSON *columns = cJSON_GetObjectItemCaseSensitive(w->arguments, "columns"), *item;
    const cJSON *filters = cJSON_GetObjectItemCaseSensitive(w->arguments, "filters");
    const char *table = text_of(w, "table"), *order = text_of(w, "order_by");
    bool first = true;
    int rc = TK_OK;
    if (!table)
        return tk_err_set(err, TK_EUSAGE, "which table? (argument table)");
    add_sql(&s, "SELECT ");
    cJSON_ArrayForEach(item, columns)
    {
        add_sql(&s, first ? "" : ", ");
        add_quoted(&s, cJSON_IsString(item) ? item->valuestring : "", '"');
        first = false;
    }
    add_sql(&s, first ? "* FROM " : " FROM ");
    add_quoted(&s, table, '"');
    add_sql(&s, " WHERE 1");
    add_selection(&s, w);
    cJSON_ArrayForEach(item, filters) if (rc == TK_OK) rc = add_filter(&s, item, err);
    if (order) {
        add_sql(&s, " ORDER BY ");
        add_quoted(&s, order, '"');
        add_sql(&s,
                cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(w->arguments, "descending")) ? " DESC" : "");
    }
    add_limit(&s, w);
    return rc == TK_OK ? ask_one(w, &s, err) : rc;
}

static int run_hitches(const struct tk_agent_work *w, struct tk_err *err)
{
    struct statement s = {0};
    add_sql(&s, "SELECT frame, start, dur, median, rank, timer, thread, excl, typical, growth, cause FROM "
                "hitches WHERE 1");
    add_ms(&s, "longer_than_ns", cJSON_GetObjectItemCaseSensitive(w->arguments, "longer_than_ms"));
    add_selection(&s, w);
    add_sql(&s, " ORDER BY dur DESC, frame, rank");
    add_limit(&s, w);
    return ask_one(w, &s, err);
}

static int run_frame(const struct tk_agent_work *w, struct tk_err *err)
{
    static const char *const parts[][2] = {
        {"frame", "SELECT frame, start, dur, (SELECT median(dur) FROM frames WHERE type_id = 0) AS "
                  "median_of_all FROM frames "
                  "WHERE type_id = 0 AND frame = %llu"},
        {"timers", "SELECT timer, thread, count, excl, incl, max FROM timers WHERE frames = '%llu' AND excl "
                   "> 0 ORDER BY excl "
                   "DESC LIMIT 20"},
        {"logs", "SELECT time, category, verbosity, text FROM logs WHERE frames = '%llu' LIMIT 10"}};
    const uint64_t frame = number_of(w, "frame", UINT64_MAX, UINT32_MAX);
    char text[3][400];
    struct part filled[3];
    if (frame == UINT64_MAX)
        return tk_err_set(err, TK_EUSAGE, "which frame? (argument frame, a number from 0 on)");
    for (unsigned i = 0; i < 3; i++) {
        const char *mark = strstr(parts[i][1], "%llu");
        snprintf(text[i], sizeof text[i], "%.*s%llu%s", (int)(mark - parts[i][1]), parts[i][1],
                 (unsigned long long)frame, mark + 4);
        filled[i] = (struct part){parts[i][0], text[i]};
    }
    return ask_parts(w, filled, 3, err);
}

static int run_tree(const struct tk_agent_work *w, struct tk_err *err)
{
    struct statement s = {0};
    add_sql(&s, "SELECT * FROM tree WHERE 1");
    add_selection(&s, w);
    add_limit(&s, w);
    return ask_one(w, &s, err);
}

static int run_sql_tool(const struct tk_agent_work *w, struct tk_err *err)
{
    struct tk_sql *sql;
    const char *text = text_of(w, "statement");
    if (!text)
        return tk_err_set(err, TK_EUSAGE, "which statement? (argument statement)");
    int rc = open_sql_agent(w, &sql, err);
    if (rc == TK_OK)
        rc = ask(w, sql, "result", text, 0, err);
    if (rc == TK_OK)
        tell_damage(w, sql);
    tk_sql_free(sql);
    return rc;
}

/* ---- comparing ---- */

static int add_run(const struct tk_agent_work *w, struct tk_baseline *to, const char *path,
                   struct tk_err *err)
{
    struct tk_trace *trace = NULL;
    if (tk_baseline_is(path) == 1)
        return tk_baseline_load(to, path, err);
    int rc = tk_open(&trace, path, w->open, err);
    if (rc == TK_OK)
        rc = tk_baseline_add(to, trace, NULL, err);
    tk_close(trace);
    return rc;
}

static int collect(const struct tk_agent_work *w, const char *argument, struct tk_baseline **out,
                   struct tk_err *err)
{
    char *path = NULL;
    const char *name = text_of(w, argument);
    *out = NULL;
    if (!name)
        return tk_err_set(err, TK_EUSAGE, "which %s? (arguments baseline and candidate)", argument);
    int rc = tk_agent_folders_find(w->folders, name, &path, err);
    if (rc == TK_OK)
        rc = tk_baseline_new(out, err);
    if (rc == TK_OK)
        rc = add_run(w, *out, path, err);
    free(path);
    return rc;
}

static int tell_comparison(const struct tk_agent_work *w, const struct tk_comparison *found,
                           struct tk_err *err)
{
    tk_agent_answer_text(w->answer, "verdict",
                         !tk_comparison_comparable(found)    ? "not comparable"
                         : tk_comparison_regressed(found)    ? "regressed"
                         : tk_comparison_inconclusive(found) ? "inconclusive"
                                                             : "no regression");
    const struct tk_sink sink = tk_agent_answer_table(w->answer, "changes");
    int rc = tk_comparison_rows(found, &sink, err);
    if (rc == TK_ECANCELED && w->answer->full)
        rc = TK_OK;
    tk_agent_answer_end(w->answer, 0);
    return rc;
}

static int run_compare(const struct tk_agent_work *w, struct tk_err *err)
{
    struct tk_baseline *base = NULL, *candidate = NULL;
    struct tk_comparison *found = NULL;
    int rc = collect(w, "baseline", &base, err);
    if (rc == TK_OK)
        rc = collect(w, "candidate", &candidate, err);
    if (rc == TK_OK)
        rc = tk_compare(&found, base, candidate, NULL, err);
    if (rc == TK_OK)
        rc = tell_comparison(w, found, err);
    tk_comparison_free(found);
    tk_baseline_free(base);
    tk_baseline_free(candidate);
    return rc;
}

/* ---- the list ---- */

#define CAPTURE "\"capture\":{\"type\":\"string\",\"description\":\"name or path, as list_captures has it\"}"
#define SELECTION                                                                                            \
    ",\"from_ms\":{\"type\":\"number\"},\"to_ms\":{\"type\":\"number\"},\"frames\":{\"type\":\"string\","    \
    "\"description\":"                                                                                       \
    "\"10 or 10-20\"},\"thread\":{\"type\":\"string\",\"description\":\"name or pattern with * and "         \
    "?\"},\"timer\":{"                                                                                       \
    "\"type\":\"string\"},\"region\":{\"type\":\"string\"}"
#define PAGE                                                                                                 \
    ",\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000},\"offset\":{\"type\":\"integer\","     \
    "\"minimum\":0}"
#define ONE "[\"capture\"]"

static const struct tk_agent_tool tools[] = {
    {"list_captures", "The captures and baselines that may be asked about.", "", "[]", "list_captures",
     run_list},
    {"what_can_it_answer",
     "Which questions a capture can answer, and what would have to be recorded for the others.", CAPTURE, ONE,
     "what_can_it_answer", run_can},
    {"overview", "Session, frame times, threads, most expensive timers and health of a capture.", CAPTURE,
     ONE, "overview", run_overview},
    {"table",
     "Rows of a table (timers, frames, scopes, logs, counters, memory, tasks, files, packages, gpu, health, "
     "...; the table "
     "sqlite_schema lists all) with columns, filters, an order and a selection.",
     CAPTURE SELECTION PAGE ",\"table\":{\"type\":\"string\"},\"columns\":{\"type\":\"array\",\"items\":{"
                            "\"type\":\"string\"}},\"filters\":{\"type\":"
                            "\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"column\":{\"type\":"
                            "\"string\"},\"op\":{\"enum\":[\"=\","
                            "\"<>\",\"<\",\"<=\",\">\",\">=\",\"LIKE\",\"GLOB\"]},\"value\":{\"type\":["
                            "\"string\",\"number\"]}},\"required\":["
                            "\"column\",\"op\",\"value\"]}},\"order_by\":{\"type\":\"string\"},"
                            "\"descending\":{\"type\":\"boolean\"}",
     "[\"capture\",\"table\"]", "rows", run_table},
    {"hitches", "Game frames that took too long, with the timers that made them so.",
     CAPTURE SELECTION PAGE ",\"longer_than_ms\":{\"type\":\"number\",\"minimum\":0,\"description\":\"else "
                            "longer than two medians\"}",
     ONE, "rows", run_hitches},
    {"frame", "One game frame explained: its time, its most expensive timers by thread, its log messages.",
     CAPTURE ",\"frame\":{\"type\":\"integer\",\"minimum\":0}", "[\"capture\",\"frame\"]", "frame",
     run_frame},
    {"call_tree", "The call tree of all or some threads, times of each node.", CAPTURE SELECTION PAGE, ONE,
     "rows", run_tree},
    {"compare", "Two captures or baselines: what became slower, with a verdict.",
     "\"baseline\":{\"type\":\"string\"},\"candidate\":{\"type\":\"string\"}", "[\"baseline\",\"candidate\"]",
     "compare", run_compare},
    {"sql",
     "A statement of SQLite that reads (SELECT, WITH) over all tables of one or several captures; times in "
     "nanoseconds.",
     CAPTURE
     ",\"captures\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"statement\":{\"type\":\"string\"}",
     "[\"statement\"]", "rows", run_sql_tool},
};

const struct tk_agent_tool *tk_agent_tool(size_t i)
{
    return i < sizeof tools / sizeof *tools ? &tools[i] : NULL;
}
