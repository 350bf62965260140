/*
 * Schemas of tools, and arguments against them.
 */
#include "agent/agent_in.h"
#include "base/err.h"
#include "sink/write/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void put_properties(struct tk_json *j, const cJSON *properties)
{
    const cJSON *item;
    tk_json_open(j, "properties", '{');
    cJSON_ArrayForEach(item, properties)
    {
        const char *to = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "$ref"));
        tk_json_open(j, item->string, '{');
        tk_json_c(j, "type", to && strcmp(to, "#/$defs/table") == 0 ? "object" : "string");
        tk_json_close(j);
    }
    tk_json_close(j);
}

int tk_agent_put_output(struct tk_json *j, const char *name, const struct tk_agent_tool *tool,
                        struct tk_err *err)
{
    cJSON *all = cJSON_Parse(tk_mcp_schema);
    const cJSON *definition =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(all, "$defs"), tool->answer);
    char *required = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(definition, "required"));
    if (required) {
        tk_json_open(j, name, '{');
        tk_json_c(j, "type", "object");
        put_properties(j, cJSON_GetObjectItemCaseSensitive(definition, "properties"));
        tk_json_plain(j, "required", required);
        tk_json_close(j);
    }
    cJSON_free(required);
    cJSON_Delete(all);
    return required ? TK_OK : tk_err_nomem(err, "a schema");
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

/* Of a kind, or of one of a list of them. */
static bool is_one_of(const cJSON *value, const cJSON *types)
{
    const cJSON *type;
    if (cJSON_IsString(types))
        return is_type(value, types->valuestring);
    cJSON_ArrayForEach(type, types) if (is_type(value, type->valuestring)) return true;
    return false;
}

static int check_value(const cJSON *value, const cJSON *schema, struct tk_err *err)
{
    const cJSON *types = cJSON_GetObjectItemCaseSensitive(schema, "type");
    const char *type = cJSON_IsString(types) ? types->valuestring : "string, or a list of them";
    if (!is_one_of(value, types))
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
