/*
 * The tools of assistants. Most are statements of SQL over one capture.
 */
#include "agent/agent_in.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_can(const struct tk_agent_work *w, struct tk_err *err)
{
    static const struct tk_agent_part parts[] = {
        {"questions", "SELECT * FROM can", 100, "tool table for table can"}};
    return tk_agent_ask_parts(w, parts, 1, err);
}

static int run_overview(const struct tk_agent_work *w, struct tk_err *err)
{
    static const struct tk_agent_part parts[] = {
        {"capture",
         "SELECT format, app, platform, build, branch, recorded, dur, threads, timers, bytes, truncated, "
         "damaged, "
         "printf('%s, %.2f s', coalesce(app, format), dur / 1e9) AS say FROM capture",
         1, "tool table for table capture"},
        {"frames", "SELECT type, count, median, p95, p99, max FROM frame_stats", 4,
         "tool table for table frame_stats"},
        {"threads", "SELECT thread, scopes, busy FROM threads WHERE busy > 0 ORDER BY busy DESC LIMIT 9", 8,
         "tool table for table threads, order_by busy, descending"},
        {"timers", "SELECT timer, count, excl, incl, max FROM timers ORDER BY excl DESC LIMIT 11", 10,
         "tool table for table timers, order_by excl, descending"},
        {"health", "SELECT * FROM health LIMIT 6", 5, "tool table for table health"},
    };
    return tk_agent_ask_parts(w, parts, sizeof parts / sizeof *parts, err);
}

enum { DEPTH = 8 };

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

/* What a working timer does not explain of a hitch is waiting, or in no scope. */
#define UNEXPLAINED "CAST(round(excess * (1 - explained)) AS INTEGER)"
#define HITCH_SENTENCE                                                                                       \
    "printf('frame %d took %.2f ms, %.2f ms more than usual: %s on %s%s%s; no working timer explains %.2f "  \
    "ms of it', frame, dur / 1e6, excess / 1e6, timer, thread, iif(cause IS NULL, '', ', '), "               \
    "coalesce(cause, ''), excess * (1 - explained) / 1e6)"

static int make_hitches(struct tk_agent_statement *s, const struct tk_agent_work *w, struct tk_err *err)
{
    (void)err;
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(w->arguments, "grouped"))) {
        tk_agent_add_sql(s,
                         "SELECT phase, work, timer, thread, hitches, share, total, worst_frame, "
                         "printf('%d hitches (%.0f %%) by %s on %s (%s), worst in frame %d', hitches, 100 * "
                         "share, timer, thread, work, worst_frame) AS say FROM hitch_causes ORDER BY phase, "
                         "hitches DESC");
        tk_agent_add_limit(s, w);
        return TK_OK;
    }
    tk_agent_add_sql(s, "SELECT frame, start, dur, excess, " UNEXPLAINED
                        " AS unexplained, rank, timer, work, thread, excl, growth, cause, " HITCH_SENTENCE
                        " AS say FROM hitches WHERE 1");
    tk_agent_add_ms(s, "longer_than_ns", cJSON_GetObjectItemCaseSensitive(w->arguments, "longer_than_ms"));
    tk_agent_add_selection(s, w);
    if (tk_agent_text(w, "work")) {
        tk_agent_add_sql(s, " AND work = ");
        tk_agent_add_quoted(s, tk_agent_text(w, "work"), '\'');
    }
    tk_agent_add_sql(s, " ORDER BY dur DESC, frame, rank");
    tk_agent_add_limit(s, w);
    return TK_OK;
}

static int run_hitches(const struct tk_agent_work *w, struct tk_err *err)
{
    return ask_made(w, make_hitches, err);
}

/* "#" stands for the number of the frame. */
static const struct tk_agent_part parts_of_frame[] = {
    {"frame",
     "SELECT *, printf('frame %d took %.2f ms, the median one %.2f ms; it is no hitch', frame, dur / 1e6, "
     "median_of_all / 1e6) AS say FROM (SELECT frame, start, dur, (SELECT median(dur) FROM frames WHERE "
     "type_id = 0) AS median_of_all FROM frames WHERE type_id = 0 AND frame = #)",
     1, NULL},
    {"hitch",
     "SELECT excess, " UNEXPLAINED " AS unexplained, rank, timer, work, thread, excl, growth, "
     "cause, " HITCH_SENTENCE " AS say FROM hitches WHERE frame = # ORDER BY rank LIMIT 7",
     6, "tool table for table hitches"},
    {"timers",
     "SELECT timer, thread, count, excl, max FROM timers WHERE frames = '#' AND excl > 0 ORDER BY excl DESC "
     "LIMIT 11",
     10, "tool table for table timers with frames #, order_by excl, descending"},
    {"logs", "SELECT time, category, verbosity, text FROM logs WHERE frames = '#' LIMIT 6", 5,
     "tool table for table logs with frames #"},
};
enum { FRAME_PARTS = sizeof parts_of_frame / sizeof *parts_of_frame };

static void put_number_in(char *out, size_t space, const char *text, uint64_t number)
{
    size_t n = 0;
    for (; text && *text && n + 24 < space; text++)
        if (*text == '#')
            n += (size_t)snprintf(out + n, space - n, "%llu", (unsigned long long)number);
        else
            out[n++] = *text;
    out[n] = '\0';
}

static int run_frame(const struct tk_agent_work *w, struct tk_err *err)
{
    const uint64_t frame = tk_agent_number(w, "frame", UINT64_MAX, UINT32_MAX);
    char text[FRAME_PARTS][800], how[FRAME_PARTS][120];
    struct tk_agent_part filled[FRAME_PARTS];
    if (frame == UINT64_MAX)
        return tk_err_set(err, TK_EUSAGE, "which frame? (argument frame, a number from 0 on)");
    for (size_t i = 0; i < FRAME_PARTS; i++) {
        filled[i] = parts_of_frame[i];
        put_number_in(text[i], sizeof text[i], filled[i].sql, frame);
        put_number_in(how[i], sizeof how[i], filled[i].how, frame);
        filled[i].sql = text[i];
        filled[i].how = how[i];
    }
    return tk_agent_ask_parts(w, filled, FRAME_PARTS, err);
}

static void add_least_share(struct tk_agent_statement *s, const struct tk_agent_work *w)
{
    const cJSON *least = cJSON_GetObjectItemCaseSensitive(w->arguments, "min_share");
    const double share = cJSON_IsNumber(least) ? least->valuedouble : 0.01;
    tk_agent_add_sql(s, " AND share * 1e9 >= ");
    tk_agent_add_number(s, (uint64_t)(share * 1e9));
}

static int make_tree(struct tk_agent_statement *s, const struct tk_agent_work *w, struct tk_err *err)
{
    (void)err;
    tk_agent_add_sql(s, "SELECT depth, timer, count, incl, excl, round(share, 4) AS share, "
                        "CAST(round(frame_mean) AS INTEGER) AS frame_mean FROM tree WHERE depth <= ");
    tk_agent_add_number(s, tk_agent_number(w, "depth", DEPTH, UINT32_MAX));
    add_least_share(s, w);
    tk_agent_add_selection(s, w);
    tk_agent_add_limit(s, w);
    return TK_OK;
}

static int run_tree(const struct tk_agent_work *w, struct tk_err *err)
{
    return ask_made(w, make_tree, err);
}

/* ---- the list ---- */

#define TEXT    "{\"type\":\"string\"}"
#define CAPTURE "\"capture\":{\"type\":\"string\",\"description\":\"from list_captures\"}"
#define SELECTION                                                                                            \
    ",\"from_ms\":{\"type\":\"number\"},\"to_ms\":{\"type\":\"number\"},\"frames\":{\"type\":\"string\","    \
    "\"description\":\"10 or 10-20\"},\"thread\":{\"type\":\"string\",\"description\":\"* and ? match "      \
    "any\"},\"timer\":" TEXT ",\"region\":" TEXT
#define PAGE                                                                                                 \
    ",\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000},\"offset\":{\"type\":\"integer\","     \
    "\"minimum\":0}"
#define ONE "[\"capture\"]"
#define SIDE                                                                                                 \
    "{\"type\":[\"string\",\"array\"],\"items\":" TEXT ",\"description\":\"names, or patterns such as "      \
    "nightly/*.utrace\"}"

static const struct tk_agent_tool tools[] = {
    {"list_captures",
     "The captures and baselines that can be queried, newest first: program, build, length, frames.",
     "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000},\"offset\":{\"type\":\"integer\","
     "\"minimum\":0}",
     "[]", "list_captures", tk_agent_list},
    {"what_can_it_answer", "What a capture can answer, and what to record for the rest.", CAPTURE, ONE,
     "what_can_it_answer", run_can},
    {"overview", "Program, frame times, busiest threads, most expensive timers and health of a capture.",
     CAPTURE, ONE, "overview", run_overview},
    {"table",
     "Rows of a table (timers, frames, scopes, logs, counters, memory, tasks, files, packages, gpu, health, "
     "...; the table sqlite_schema lists all) with columns, filters, an order and a selection.",
     CAPTURE SELECTION PAGE ",\"table\":" TEXT ",\"columns\":{\"type\":\"array\",\"items\":" TEXT
                            "},\"filters\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":"
                            "{\"column\":" TEXT ",\"op\":{\"enum\":[\"=\",\"<>\",\"<\",\"<=\",\">\",\">=\","
                            "\"LIKE\",\"GLOB\"]},\"value\":{\"type\":[\"string\",\"number\"]}},\"required\":["
                            "\"column\",\"op\",\"value\"]}},\"order_by\":" TEXT ","
                            "\"descending\":{\"type\":\"boolean\"}",
     "[\"capture\",\"table\"]", "rows", run_table},
    {"hitches",
     "Game frames that took too long, the longest first: what grew in each, by rank; its work (own, wait, "
     "gc, "
     "loading, shader, io); the cause of waits; and the time that no working timer explains.",
     CAPTURE SELECTION PAGE
     ",\"longer_than_ms\":{\"type\":\"number\",\"minimum\":0,\"description\":\"default: late against those "
     "around\"},\"work\":{\"type\":\"string\",\"description\":\"kind of work\"},"
     "\"grouped\":{\"type\":\"boolean\"}",
     ONE, "rows", run_hitches},
    {"frame",
     "One game frame explained: whether it is a hitch, what grew, what is not explained, its most expensive "
     "timers, its log messages.",
     CAPTURE ",\"frame\":{\"type\":\"integer\",\"minimum\":0}", "[\"capture\",\"frame\"]", "frame",
     run_frame},
    {"rules", "What is wrong, and what is not: rules found, with evidence, ruled out or not judged.",
     CAPTURE
     ",\"target_fps\":{\"type\":\"number\",\"minimum\":1},\"offset\":{\"type\":\"integer\",\"minimum\":0}",
     ONE, "rows", tk_agent_rules},
    {"call_tree", "The call tree of all or some threads, with the times of each node.",
     CAPTURE SELECTION PAGE
     ",\"depth\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"default: 8\"},"
     "\"min_share\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1,\"description\":\"of the time of all "
     "roots (default: 0.01)\"}",
     ONE, "rows", run_tree},
    {"compare", "What became slower from a build to another, with the verdict: changed values, worst first.",
     "\"baseline\":" SIDE ",\"candidate\":" SIDE PAGE, "[\"baseline\",\"candidate\"]", "compare",
     tk_agent_compare},
    {"sql",
     "A read-only SQLite statement over all tables of one or several captures; times in nanoseconds. Or a "
     "predefined question, ask: blocking-loads, slow-packages, lock-waits, or others of `trace-query "
     "--questions`.",
     CAPTURE ",\"captures\":{\"type\":\"array\",\"items\":" TEXT "},\"statement\":" TEXT
             ",\"ask\":" TEXT PAGE,
     "[]", "rows", tk_agent_ask_sql},
};

const struct tk_agent_tool *tk_agent_tool(size_t i)
{
    return i < sizeof tools / sizeof *tools ? &tools[i] : NULL;
}
