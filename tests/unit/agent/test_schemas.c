/* Arguments of tools: those that a tool takes pass, all others are refused with a sentence that helps. */
#include "agent/agent_in.h"
#include "run.h"

#include <string.h>

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
    const TTest *const tests[] = {good, refused, published};
    return RUN_TESTS_EACH("schemas of tools", tests, 1);
}
