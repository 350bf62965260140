/*
 * JSON, written from the front to the back.
 */
#include "base/text/json.h"

#include <math.h>

/* What is between two items, or before the first and the end. */
static void put_between(struct tk_json *j, bool comma)
{
    if (comma)
        j->put(j->to, ", ", j->spaced && !j->line ? 2 : 1);
    if (j->line)
        j->put(j->to, "\n", 1);
    j->line = false;
}

void tk_json_member(struct tk_json *j, const char *name)
{
    const uint64_t bit = UINT64_C(1) << j->depth;
    put_between(j, j->depth && j->filled & bit);
    j->filled |= bit;
    if (!name)
        return;
    tk_json_put_string(j->to, j->put, name, strlen(name), j->controls);
    j->put(j->to, ": ", j->spaced ? 2 : 1);
}

void tk_json_open(struct tk_json *j, const char *name, char bracket)
{
    tk_json_member(j, name);
    j->put(j->to, &bracket, 1);
    const uint64_t bit = UINT64_C(1) << ++j->depth;
    j->filled &= ~bit;
    j->lists = bracket == '[' ? j->lists | bit : j->lists & ~bit;
}

void tk_json_close(struct tk_json *j)
{
    put_between(j, false);
    j->put(j->to, j->lists >> j->depth-- & 1 ? "]" : "}", 1);
}

void tk_json_plain(struct tk_json *j, const char *name, const char *value)
{
    tk_json_member(j, name);
    j->put(j->to, value, strlen(value));
}

void tk_json_bool(struct tk_json *j, const char *name, bool is)
{
    tk_json_plain(j, name, is ? "true" : "false");
}

void tk_json_u64(struct tk_json *j, const char *name, uint64_t v)
{
    char text[24];
    tk_json_member(j, name);
    j->put(j->to, text, tk_put_u64(text, v));
}

void tk_json_i64(struct tk_json *j, const char *name, int64_t v)
{
    char text[24];
    tk_json_member(j, name);
    j->put(j->to, text, tk_put_i64(text, v));
}

void tk_json_real(struct tk_json *j, const char *name, double v, unsigned digits)
{
    char text[32];
    tk_json_member(j, name);
    if (isfinite(v))
        j->put(j->to, text, tk_put_rounded(text, v, digits));
    else
        j->put(j->to, "null", 4);
}

void tk_json_text_of(struct tk_json *j, const char *name, const char *p, size_t n)
{
    tk_json_member(j, name);
    tk_json_put_string(j->to, j->put, p, n, j->controls);
}

void tk_json_c(struct tk_json *j, const char *name, const char *text)
{
    tk_json_text_of(j, name, text, strlen(text));
}
