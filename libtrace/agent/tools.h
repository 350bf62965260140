/*
 * Tools: the questions that assistants can ask, each with what it takes and how it is answered.
 */
#ifndef TK_AGENT_TOOLS_H
#define TK_AGENT_TOOLS_H

#include "agent/answer.h"
#include "agent/folders.h"

#include <cjson/cJSON.h>

/* What tools work with. */
struct tk_agent_work {
    const struct tk_agent_folders *folders;
    const struct tk_options *open;
    int (*stop)(void *ctx);
    void *stop_ctx;
    struct tk_agent_answer *answer;
    const cJSON *arguments; /* an object */
};

struct tk_agent_tool {
    const char *name, *help;
    const char *schema;   /* of its arguments: the members of `properties` */
    const char *required; /* names, as a list of JSON */
    const char *answer;   /* a definition of schemas/mcp.schema.json */
    int (*run)(const struct tk_agent_work *work, struct tk_err *err);
};

/* NULL behind the last one. */
const struct tk_agent_tool *tk_agent_tool(size_t i);

#endif
