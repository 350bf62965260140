/*
 * Parses JSON with cJSON, and tells invalid text from lack of memory. Budgets and name maps are read with it.
 */
#include "compare/baseline/json_read.h"

#include "base/thread_local.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static TK_THREAD_LOCAL bool no_memory;

static void *allocate(size_t n)
{
    void *p = malloc(n);
    no_memory |= !p;
    return p;
}

/* cJSON does not say whether it is the text or the memory. */
static cJSON *parse(const char *text, size_t n, const char **end)
{
    cJSON_Hooks hooks = {allocate, free};
    no_memory = false;
    cJSON_InitHooks(&hooks);
    cJSON *root = cJSON_ParseWithLengthOpts(text, n, end, false);
    cJSON_InitHooks(NULL);
    return root;
}

static bool is_blank(const char *text, const char *end)
{
    while (text < end && *text && strchr(" \t\r\n", *text))
        text++;
    return text == end;
}

int tk_json_read(cJSON **out, const char *text, size_t n, const char *what, struct tk_err *err)
{
    const char *end = NULL;
    *out = parse(text, n, &end);
    if (!*out)
        return no_memory ? tk_err_nomem(err, what) : tk_err_set(err, TK_EUSAGE, "%s is no JSON", what);
    if (is_blank(end, text + n))
        return TK_OK;
    cJSON_Delete(*out);
    *out = NULL;
    return tk_err_set(err, TK_EUSAGE, "%s has more in it than one JSON value", what);
}
