/*
 * Requests of assistants, as no folder may be read: each line is answered by one line of JSON, or is a
 * notification.
 */
#include "rig.h"
#include "tracekit.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static void look_at(const char *answer, size_t n)
{
    cJSON *json = cJSON_ParseWithLength(answer, n);
    fuzz_promise(json != NULL, "the answer is JSON");
    fuzz_promise(!memchr(answer, '\n', n), "in one line");
    fuzz_promise(cJSON_HasObjectItem(json, "result") != cJSON_HasObjectItem(json, "error"),
                 "a result or an error");
    cJSON_Delete(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_agent *agent;
    struct tk_err err = {0};
    uint8_t *request = fuzz_copy(data, size);
    char *answer;
    size_t n;
    fuzz_promise(tk_agent_new(&agent, NULL, &err) == TK_OK, "an agent");
    fuzz_promise(tk_agent_answer(agent, (const char *)request, size, &answer, &n, &err) == TK_OK,
                 "an answer");
    if (answer)
        look_at(answer, n);
    tk_agent_free_text(answer);
    tk_agent_free(agent);
    free(request);
    return 0;
}
