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

int main(void)
{
    const TTest *const tests[] = {all_rows, cut_rows, cut_texts};
    return RUN_TESTS_EACH("answers", tests, 2);
}
