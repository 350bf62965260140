/*
 * Schemas of tools, and arguments against them. See schemas.h.
 */
#include "agent/schemas.h"

#include "base/err.h"

#include <math.h>
#include <string.h>

void tk_agent_put_input(struct tk_buffer *b, const struct tk_agent_tool *tool)
{
    tk_buffer_text(b, "{\"type\":\"object\",\"properties\":{");
    tk_buffer_text(b, tool->schema);
    tk_buffer_text(b, "},\"required\":");
    tk_buffer_text(b, tool->required);
    tk_buffer_text(b, ",\"additionalProperties\":false}");
}

/* ---- answers ---- */

/* The definition of the answer, with those beside it that it refers to. */
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

int tk_agent_put_output(struct tk_buffer *b, const struct tk_agent_tool *tool, struct tk_err *err)
{
    cJSON *all = cJSON_Parse(tk_mcp_schema);
    cJSON *schema = all ? answer_schema(all, tool->answer) : NULL;
    char *text = schema ? cJSON_PrintUnformatted(schema) : NULL;
    if (text)
        tk_buffer_text(b, text);
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
    tk_agent_put_input(&text, tool);
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
