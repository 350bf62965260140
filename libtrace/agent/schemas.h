/*
 * Schemas of tools: of their arguments, which are checked before a tool runs, and of their answers, which are
 * those of schemas/mcp.schema.json. agent.c publishes both.
 */
#ifndef TK_AGENT_SCHEMAS_H
#define TK_AGENT_SCHEMAS_H

#include "agent/tools.h"
#include "sink/write/buffer.h"

/* The text of schemas/mcp.schema.json. */
extern const char tk_mcp_schema[];

/* The schema of what a tool takes. */
void tk_agent_put_input(struct tk_buffer *b, const struct tk_agent_tool *tool);

/* The schema of what it answers. TK_OK or TK_ENOMEM. */
int tk_agent_put_output(struct tk_buffer *b, const struct tk_agent_tool *tool, struct tk_err *err);

/* Whether arguments (an object, or NULL) are of the kinds that the tool takes; null counts as not given.
 * TK_OK, TK_EUSAGE (says which, and what the tool takes), TK_ENOMEM. */
int tk_agent_check(const struct tk_agent_tool *tool, const cJSON *arguments, struct tk_err *err);

#endif
