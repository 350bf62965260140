/*
 * The tools of assistants. Most are statements of SQL over one capture.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "sink/write/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Schemas of tools, and arguments against them.
 */

void tk_agent_put_input(struct tk_json *j, const char *name, const struct tk_agent_tool *tool)
{
    tk_json_open(j, name, '{');
    tk_json_c(j, "type", "object");
    tk_json_open(j, "properties", '{');
    j->put(j->to, tool->schema, strlen(tool->schema));
    tk_json_close(j);
    tk_json_plain(j, "required", tool->required);
    tk_json_bool(j, "additionalProperties", false);
    tk_json_close(j);
}

/* ---- answers ---- */

/* The definition of the answer, with those alongside it that it refers to. */
static cJSON *answer_schema(cJSON *all, const char *name)
{
    static const char *const shared[] = {"cell", "table", "note", "warning"};
    cJSON *definitions = cJSON_GetObjectItemCaseSensitive(all, "$defs");
    cJSON *schema = cJSON_DetachItemFromObjectCaseSensitive(definitions, name);
    cJSON *own = cJSON_AddObjectToObject(schema, "$defs");
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(definitions, shared[i]);
        if (!own || !cJSON_AddItemToObject(own, shared[i], item)) {
            cJSON_Delete(item);
            cJSON_Delete(schema);
            return NULL;
        }
    }
    return schema;
}

int tk_agent_put_output(struct tk_json *j, const char *name, const struct tk_agent_tool *tool,
                        struct tk_err *err)
{
    cJSON *all = cJSON_Parse(tk_mcp_schema);
    cJSON *schema = all ? answer_schema(all, tool->answer) : NULL;
    char *text = schema ? cJSON_PrintUnformatted(schema) : NULL;
    if (text)
        tk_json_plain(j, name, text);
    cJSON_free(text);
    cJSON_Delete(schema);
    cJSON_Delete(all);
    return text ? TK_OK : tk_err_nomem(err, "a schema");
}

/* ---- arguments ---- */

static bool is_type(const cJSON *value, const char *type)
{
    if (strcmp(type, "string") == 0)
        return cJSON_IsString(value);
    if (strcmp(type, "array") == 0)
        return cJSON_IsArray(value);
    if (strcmp(type, "object") == 0)
        return cJSON_IsObject(value);
    if (strcmp(type, "boolean") == 0)
        return cJSON_IsBool(value);
    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble))
        return false;
    return strcmp(type, "integer") != 0 || value->valuedouble == floor(value->valuedouble);
}

static int check_range(const cJSON *value, const cJSON *schema, struct tk_err *err)
{
    const cJSON *least = cJSON_GetObjectItemCaseSensitive(schema, "minimum");
    const cJSON *most = cJSON_GetObjectItemCaseSensitive(schema, "maximum");
    if (least && value->valuedouble < least->valuedouble)
        return tk_err_set(err, TK_EUSAGE, "argument %s must be at least %.0f", schema->string,
                          least->valuedouble);
    if (most && value->valuedouble > most->valuedouble)
        return tk_err_set(err, TK_EUSAGE, "argument %s must be at most %.0f", schema->string,
                          most->valuedouble);
    return TK_OK;
}

static int check_items(const cJSON *value, const cJSON *schema, struct tk_err *err)
{
    const cJSON *items = cJSON_GetObjectItemCaseSensitive(schema, "items"), *item;
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(items, "type"));
    cJSON_ArrayForEach(item, value)
    {
        if (type && !is_type(item, type))
            return tk_err_set(err, TK_EUSAGE, "argument %s must be an array of %ss", schema->string, type);
    }
    return TK_OK;
}

static int check_value(const cJSON *value, const cJSON *schema, struct tk_err *err)
{
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(schema, "type"));
    if (!is_type(value, type))
        return tk_err_set(err, TK_EUSAGE, "argument %s must be %s %s", schema->string,
                          strchr("aeiou", type[0]) ? "an" : "a", type);
    if (cJSON_IsArray(value))
        return check_items(value, schema, err);
    return cJSON_IsNumber(value) ? check_range(value, schema, err) : TK_OK;
}

static int refuse_unknown(const struct tk_agent_tool *tool, const cJSON *properties, const char *name,
                          struct tk_err *err)
{
    char known[TK_ERR_TEXT / 2];
    size_t n = 0;
    const cJSON *item;
    known[0] = '\0';
    cJSON_ArrayForEach(item, properties) if (n < sizeof known) n +=
        (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", item->string);
    return tk_err_set(err, TK_EUSAGE, "there is no argument '%.40s'; %s takes %s", name, tool->name,
                      n ? known : "none");
}

int tk_agent_check(const struct tk_agent_tool *tool, const cJSON *arguments, struct tk_err *err)
{
    struct tk_buffer text;
    const cJSON *item;
    if (tk_buffer_init(&text, NULL, NULL))
        return tk_err_nomem(err, "a schema");
    struct tk_json j = tk_json_into(&text);
    tk_agent_put_input(&j, NULL, tool);
    cJSON *schema = text.status < 0 ? NULL : cJSON_ParseWithLength(text.p, text.n);
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
    int rc = schema ? TK_OK : tk_err_nomem(err, "a schema");
    cJSON_ArrayForEach(item, arguments)
    {
        const cJSON *known = cJSON_GetObjectItemCaseSensitive(properties, item->string);
        if (rc != TK_OK || (known && cJSON_IsNull(item)))
            continue;
        rc = known ? check_value(item, known, err) : refuse_unknown(tool, properties, item->string, err);
    }
    cJSON_Delete(schema);
    tk_buffer_release(&text);
    return rc;
}

enum { FILES = 500 };

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
    static const struct tk_agent_part parts[] = {{"questions", "SELECT * FROM can"}};
    return tk_agent_ask_parts(w, parts, 1, err);
}

static int run_overview(const struct tk_agent_work *w, struct tk_err *err)
{
    static const struct tk_agent_part parts[] = {
        {"capture", "SELECT * FROM capture"},
        {"session", "SELECT * FROM session"},
        {"frames", "SELECT type, count, mean, median, p95, p99, max FROM frame_stats"},
        {"threads", "SELECT thread, scopes, busy FROM threads WHERE busy > 0 ORDER BY busy DESC LIMIT 12"},
        {"timers", "SELECT timer, count, excl, incl, max FROM timers ORDER BY excl DESC LIMIT 15"},
        {"health", "SELECT * FROM health LIMIT 20"},
    };
    return tk_agent_ask_parts(w, parts, sizeof parts / sizeof *parts, err);
}

/* Makes a statement of the arguments. */
typedef int make_fn(struct tk_agent_statement *s, const struct tk_agent_work *w, struct tk_err *err);

static int ask_made(const struct tk_agent_work *w, make_fn *make, struct tk_err *err)
{
    struct tk_agent_statement *s = calloc(1, sizeof *s);
    int rc = s ? make(s, w, err) : tk_err_nomem(err, "a statement");
    if (rc == TK_OK)
        rc = tk_agent_ask_statement(w, s, err);
    free(s);
    return rc;
}

static int make_table(struct tk_agent_statement *s, const struct tk_agent_work *w, struct tk_err *err)
{
    const cJSON *columns = cJSON_GetObjectItemCaseSensitive(w->arguments, "columns"), *item;
    const cJSON *filters = cJSON_GetObjectItemCaseSensitive(w->arguments, "filters");
    const char *table = tk_agent_text(w, "table"), *order = tk_agent_text(w, "order_by");
    bool first = true;
    int rc = TK_OK;
    if (!table)
        return tk_err_set(err, TK_EUSAGE, "which table? (argument table)");
    tk_agent_add_sql(s, "SELECT ");
    cJSON_ArrayForEach(item, columns)
    {
        tk_agent_add_sql(s, first ? "" : ", ");
        tk_agent_add_quoted(s, cJSON_IsString(item) ? item->valuestring : "", '"');
        first = false;
    }
    tk_agent_add_sql(s, first ? "* FROM " : " FROM ");
    tk_agent_add_quoted(s, table, '"');
    tk_agent_add_sql(s, " WHERE 1");
    tk_agent_add_selection(s, w);
    cJSON_ArrayForEach(item, filters) if (rc == TK_OK) rc = tk_agent_add_filter(s, item, err);
    if (order) {
        tk_agent_add_sql(s, " ORDER BY ");
        tk_agent_add_quoted(s, order, '"');
        tk_agent_add_sql(
            s, cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(w->arguments, "descending")) ? " DESC" : "");
    }
    tk_agent_add_limit(s, w);
    return rc;
}

static int run_table(const struct tk_agent_work *w, struct tk_err *err)
{
    return ask_made(w, make_table, err);
}

static int make_hitches(struct tk_agent_statement *s, const struct tk_agent_work *w, struct tk_err *err)
{
    (void)err;
    tk_agent_add_sql(
        s, "SELECT frame, start, dur, expected, excess, explained, rank, timer, thread, excl, typical, "
           "growth, cause, class FROM hitches WHERE 1");
    tk_agent_add_ms(s, "longer_than_ns", cJSON_GetObjectItemCaseSensitive(w->arguments, "longer_than_ms"));
    tk_agent_add_selection(s, w);
    tk_agent_add_sql(s, " ORDER BY dur DESC, frame, rank");
    tk_agent_add_limit(s, w);
    return TK_OK;
}

static int run_hitches(const struct tk_agent_work *w, struct tk_err *err)
{
    return ask_made(w, make_hitches, err);
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
    const uint64_t frame = tk_agent_number(w, "frame", UINT64_MAX, UINT32_MAX);
    char text[3][400];
    struct tk_agent_part filled[3];
    if (frame == UINT64_MAX)
        return tk_err_set(err, TK_EUSAGE, "which frame? (argument frame, a number from 0 on)");
    for (unsigned i = 0; i < 3; i++) {
        const char *mark = strstr(parts[i][1], "%llu");
        snprintf(text[i], sizeof text[i], "%.*s%llu%s", (int)(mark - parts[i][1]), parts[i][1],
                 (unsigned long long)frame, mark + 4);
        filled[i] = (struct tk_agent_part){parts[i][0], text[i]};
    }
    return tk_agent_ask_parts(w, filled, 3, err);
}

static int make_tree(struct tk_agent_statement *s, const struct tk_agent_work *w, struct tk_err *err)
{
    (void)err;
    tk_agent_add_sql(s, "SELECT * FROM tree WHERE 1");
    tk_agent_add_selection(s, w);
    tk_agent_add_limit(s, w);
    return TK_OK;
}

static int run_tree(const struct tk_agent_work *w, struct tk_err *err)
{
    return ask_made(w, make_tree, err);
}

/* ---- the list ---- */

#define CAPTURE "\"capture\":{\"type\":\"string\",\"description\":\"name or path, as in list_captures\"}"
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
    {"list_captures", "The captures and baselines that can be queried.", "", "[]", "list_captures", run_list},
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
    {"hitches", "Game frames that took too long, with the timers that caused it.",
     CAPTURE SELECTION PAGE ",\"longer_than_ms\":{\"type\":\"number\",\"minimum\":0,\"description\":"
                            "\"default: those that are late against the frames around them\"}",
     ONE, "rows", run_hitches},
    {"frame", "One game frame explained: its time, its most expensive timers by thread, its log messages.",
     CAPTURE ",\"frame\":{\"type\":\"integer\",\"minimum\":0}", "[\"capture\",\"frame\"]", "frame",
     run_frame},
    {"call_tree", "The call tree of all or some threads, times of each node.", CAPTURE SELECTION PAGE, ONE,
     "rows", run_tree},
    {"compare", "Two captures or baselines: what became slower, with a verdict.",
     "\"baseline\":{\"type\":\"string\"},\"candidate\":{\"type\":\"string\"}", "[\"baseline\",\"candidate\"]",
     "compare", tk_agent_compare},
    {"sql",
     "A read-only SQLite statement (SELECT, WITH) over all tables of one or several captures; times in "
     "nanoseconds.",
     CAPTURE
     ",\"captures\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"statement\":{\"type\":\"string\"}",
     "[\"statement\"]", "rows", tk_agent_ask_sql},
};

const struct tk_agent_tool *tk_agent_tool(size_t i)
{
    return i < sizeof tools / sizeof *tools ? &tools[i] : NULL;
}
