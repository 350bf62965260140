/* Answers to assistants: rows up to a size, with how to ask on; texts that are cut between two characters. */
#include "agent/agent_in.h"
#include "run.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

static const struct tk_column columns[] = {{"n", TK_UINT, 0, NULL, ""}, {"text", TK_TEXT, 0, NULL, ""}};
static const struct tk_table table = {.name = "t", .help = "", .columns = columns, .n_columns = 2};

/* The answer with so many rows, whose texts are these. */
static cJSON *answer(uint64_t most, size_t n, const char *text, size_t n_text, uint64_t offset)
{
    struct tk_agent_answer a;
    struct tk_err err = {0};
    ck_assert_int_eq(tk_agent_answer_begin(&a, most, &err), TK_OK);
    const struct tk_sink sink = tk_agent_answer_table(&a, "t");
    int rc = sink.begin(sink.self, &table, &err);
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        const struct tk_cell cells[] = {{.kind = TK_UINT, .v.u = i},
                                        {.kind = TK_TEXT, .n = (uint32_t)n_text, .v.p = text}};
        const struct tk_rows rows = {1, cells};
        rc = sink.rows(sink.self, &table, &rows, &err);
    }
    ck_assert(rc == TK_OK || (rc == TK_ECANCELED && a.full));
    tk_agent_answer_end(&a, offset, NULL);
    ck_assert_int_eq(tk_agent_answer_close(&a), TK_OK);
    cJSON *json = cJSON_ParseWithLength(a.json.p, a.json.n);
    ck_assert(json != NULL && a.json.n <= most - 500);
    tk_agent_answer_release(&a);
    return json;
}

static const cJSON *member(const cJSON *json, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, "t"), name);
}

START_TEST(all_rows)
{
    cJSON *json = answer(10000, 5, "x", 1, 0);
    ck_assert_int_eq(cJSON_GetArraySize(member(json, "rows")), 5);
    ck_assert_int_eq(member(json, "shown")->valueint, 5);
    ck_assert_ptr_null(member(json, "more"));
    cJSON_Delete(json);
    json = answer(10000, 0, "x", 1, 0);
    ck_assert_int_eq(cJSON_GetArraySize(member(json, "columns")), 2);
    ck_assert_int_eq(member(json, "shown")->valueint, 0);
    cJSON_Delete(json);
}
END_TEST

START_TEST(cut_rows)
{
    char text[64];
    cJSON *json = answer(2048, 500, "0123456789", 10, 70);
    const int displayed = member(json, "shown")->valueint;
    ck_assert(displayed > 10 && displayed < 60);
    ck_assert_int_eq(cJSON_GetArraySize(member(json, "rows")), displayed);
    snprintf(text, sizeof text, "ask again with offset %d", 70 + displayed);
    ck_assert_msg(strstr(member(json, "more")->valuestring, text) != NULL, "%s",
                  member(json, "more")->valuestring);
    cJSON_Delete(json);
}
END_TEST

/* Texts of 2-byte characters behind _i bytes of one. */
START_TEST(cut_texts)
{
    static char text[2 * TK_AGENT_TEXT];
    memset(text, 'a', (size_t)_i);
    for (size_t i = (size_t)_i; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    cJSON *json = answer(100000, 1, text, sizeof text - (sizeof text - (size_t)_i) % 2, 0);
    const char *displayed = cJSON_GetArrayItem(cJSON_GetArrayItem(member(json, "rows"), 0), 1)->valuestring;
    const size_t n = strlen(displayed);
    ck_assert_str_eq(displayed + n - 3, "\xe2\x80\xa6");
    ck_assert(n - 3 <= TK_AGENT_TEXT && n - 3 >= TK_AGENT_TEXT - 1);
    ck_assert_mem_eq(displayed, text, n - 3);
    ck_assert_int_eq((n - 3 - (size_t)_i) % 2, 0); /* no half of a character */
    cJSON_Delete(json);
}
END_TEST

static struct tk_err err;

static const struct tk_agent_tool *tool(const char *name)
{
    const struct tk_agent_tool *t;
    for (size_t i = 0; (t = tk_agent_tool(i)); i++)
        if (strcmp(t->name, name) == 0)
            return t;
    ck_abort_msg("there is no tool %s", name);
}

static int check(const char *name, const char *json)
{
    cJSON *arguments = cJSON_Parse(json);
    ck_assert_msg(arguments != NULL, "%s", json);
    err = (struct tk_err){0};
    const int rc = tk_agent_check(tool(name), arguments, &err);
    cJSON_Delete(arguments);
    return rc;
}

START_TEST(good)
{
    static const char *const list[][2] = {
        {"list_captures", "{}"},
        {"overview", "{\"capture\":\"x\"}"},
        {"table",
         "{\"capture\":\"x\",\"table\":\"t\",\"limit\":1,\"offset\":0,\"from_ms\":0.5,\"columns\":[],"
         "\"descending\":false}"},
        {"table", "{\"capture\":\"x\",\"limit\":1000,\"thread\":null,\"offset\":null}"},
        {"table", "{\"columns\":[\"timer\"],\"filters\":[{}]}"},
        {"hitches", "{\"longer_than_ms\":16.7}"},
        {"frame", "{\"frame\":0}"},
        {"sql", "{\"statement\":\"\",\"captures\":[\"a\"]}"},
        {"compare", "{\"baseline\":\"a*\",\"candidate\":[\"b\",\"c\"]}"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        ck_assert_msg(check(list[i][0], list[i][1]) == TK_OK, "%s: %s", list[i][1], err.text[0]);
    ck_assert_int_eq(tk_agent_check(tool("overview"), NULL, &err), TK_OK);
}
END_TEST

START_TEST(refused)
{
    static const char *const list[][3] = {
        {"overview", "{\"capture\":7}", "capture must be a string"},
        {"overview", "{\"capture\":[\"x\"]}", "capture must be a string"},
        {"overview", "{\"captures\":\"x\"}", "no argument 'captures'; overview takes capture"},
        {"list_captures", "{\"x\":1}", "takes limit, offset"},
        {"compare", "{\"baseline\":7}", "baseline must be a string, or a list of them"},
        {"compare", "{\"baseline\":[7]}", "baseline must be an array of strings"},
        {"table", "{\"limit\":0}", "limit must be at least 1"},
        {"table", "{\"limit\":1001}", "limit must be at most 1000"},
        {"table", "{\"limit\":1.5}", "limit must be an integer"},
        {"table", "{\"limit\":1e999}", "limit must be an integer"},
        {"table", "{\"offset\":-1}", "offset must be at least 0"},
        {"table", "{\"columns\":\"timer\"}", "columns must be an array"},
        {"table", "{\"columns\":[\"timer\",1]}", "columns must be an array of strings"},
        {"table", "{\"filters\":[\"timer\"]}", "filters must be an array of objects"},
        {"sql", "{\"captures\":[null]}", "captures must be an array of strings"},
        {"hitches", "{\"longer_than_ms\":-1}", "longer_than_ms must be at least 0"},
        {"table", "{\"descending\":1}", "descending must be a boolean"},
        {"table", "{\"from_ms\":\"1\"}", "from_ms must be a number"},
        {"frame", "{\"frame\":\"3\"}", "frame must be an integer"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        ck_assert_int_eq(check(list[i][0], list[i][1]), TK_EUSAGE);
        ck_assert_msg(strstr(err.text[0], list[i][2]) != NULL, "%s: %s", list[i][1], err.text[0]);
    }
}
END_TEST

/* Both schemas of each tool are JSON, and what the answer's refers to is in it. */
START_TEST(published)
{
    const struct tk_agent_tool *t;
    for (size_t i = 0; (t = tk_agent_tool(i)); i++) {
        struct tk_buffer b;
        ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), 0);
        struct tk_json j = tk_json_into(&b);
        ck_assert_int_eq(tk_agent_put_output(&j, NULL, t, &err), TK_OK);
        cJSON *schema = cJSON_ParseWithLength(b.p, b.n);
        const cJSON *members = cJSON_GetObjectItemCaseSensitive(schema, "properties"), *item;
        ck_assert_msg(cJSON_GetArraySize(members) > 0, "%s", t->name);
        cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(schema, "required"))
            ck_assert_msg(cJSON_HasObjectItem(members, item->valuestring), "%s", item->valuestring);
        cJSON_Delete(schema);
        tk_buffer_release(&b);
    }
    ck_assert_uint_ge(tk_agent_tool(0) != NULL, 1);
}
END_TEST

int main(void)
{
    const TTest *const answers[] = {all_rows, cut_rows, cut_texts}, *const schemas[] = {good, refused,
                                                                                        published};
    const int failed = RUN_TESTS_EACH("answers", answers, 2);
    return failed | RUN_TESTS_EACH("schemas of tools", schemas, 1);
}
