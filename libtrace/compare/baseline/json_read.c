/*
 * Parses JSON with cJSON; invalid text and lack of memory differ. Budgets and name maps are read with it.
 */
#include "base/bits.h"
#include "compare/baseline/expect.h"

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

/* A copy in which NULs of strings are no escapes: texts of cJSON would end there. NULL without memory. */
static char *without_nuls(const char *text, size_t *n)
{
    static const char escape[] = {'\\', 'u', '0', '0', '0', '0'};
    char *copy = malloc(*n + 1);
    size_t to = 0;
    for (size_t at = 0; copy && at < *n;) {
        if (*n - at >= sizeof escape && memcmp(text + at, escape, sizeof escape) == 0) {
            memcpy(copy + to, TK_JSON_NUL, 2);
            to += 2;
            at += sizeof escape;
            continue;
        }
        const size_t length =
            text[at] == '\\' && at + 1 < *n ? 2 : 1; /* two backslashes are no escape of u */
        memcpy(copy + to, text + at, length);
        to += length;
        at += length;
    }
    *n = to;
    return copy;
}

const struct tk_str *tk_json_text(struct tk_intern *strings, const cJSON *string)
{
    const char *p = string->valuestring;
    size_t n = strlen(p), to = 0;
    char *copy = malloc(n + 1);
    if (!copy)
        return NULL;
    for (size_t at = 0; at < n; to++) {
        const bool nul = n - at >= 2 && memcmp(p + at, TK_JSON_NUL, 2) == 0;
        copy[to] = nul ? '\0' : p[at];
        at += nul ? 2 : 1;
    }
    const struct tk_str *text = tk_intern(strings, copy, to, TK_ENC_UTF8);
    free(copy);
    return text;
}

/* The line in which the text cannot go on. */
static size_t line_of(const char *text, size_t n, const char *at)
{
    size_t line = 1;
    for (const char *p = text; p < text + n && p < at; p++)
        line += *p == '\n';
    return line;
}

static int read_json(cJSON **out, const char *text, size_t n, const char *what, struct tk_err *err)
{
    const char *end = NULL;
    *out = parse(text, n, &end);
    if (!*out)
        return no_memory
                   ? tk_err_nomem(err, what)
                   : tk_err_set(err, TK_EUSAGE, "%s is not JSON (line %zu)", what, line_of(text, n, end));
    if (is_blank(end, text + n))
        return TK_OK;
    cJSON_Delete(*out);
    *out = NULL;
    return tk_err_set(err, TK_EUSAGE, "%s contains more than one JSON value", what);
}

int tk_json_read(cJSON **out, const char *text, size_t n, const char *what, struct tk_err *err)
{
    char *plain = without_nuls(text, &n);
    *out = NULL;
    if (!plain)
        return tk_err_nomem(err, what);
    int rc = read_json(out, plain, n, what, err);
    free(plain);
    return rc;
}

bool tk_json_is_twice(const cJSON *member)
{
    const cJSON *other = member->next;
    while (other && strcmp(other->string, member->string) != 0)
        other = other->next;
    return other != NULL;
}

/* ---- lines ---- */

struct scan {
    const char *p, *end;
};

static void skip_blanks(struct scan *s)
{
    while (s->p < s->end && strchr(" \t\r\n,:", *s->p) && *s->p)
        s->p++;
}

static void skip_text(struct scan *s)
{
    for (s->p++; s->p < s->end && *s->p != '"'; s->p++)
        s->p += *s->p == '\\';
    s->p++;
}

/* A value, with all that is in it. */
static void skip_value(struct scan *s)
{
    size_t depth = 0;
    do {
        skip_blanks(s);
        if (s->p >= s->end)
            return;
        const char c = *s->p;
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth ? 1 : 0;
        if (c == '"')
            skip_text(s);
        else if (strchr("{}[]", c))
            s->p++;
        else
            while (s->p < s->end && !strchr(" \t\r\n,:{}[]\"", *s->p))
                s->p++;
    } while (depth);
}

/* Where the last member of a name begins, and its value, of the object at s; NULL: it has none. */
static const char *find_member(struct scan s, const char *key, const char **value)
{
    const char *found = NULL;
    for (s.p++, skip_blanks(&s); s.p < s.end && *s.p == '"'; skip_blanks(&s)) {
        const char *at = s.p;
        skip_text(&s);
        const bool same = (size_t)(s.p - at) == strlen(key) + 2 && memcmp(at + 1, key, strlen(key)) == 0;
        skip_blanks(&s);
        found = same ? at : found;
        *value = same ? s.p : *value;
        skip_value(&s);
    }
    return found;
}

size_t tk_json_line_of(const char *text, size_t n, const char *list, size_t i, const char *key)
{
    struct scan s = {text, text + n};
    const char *value = NULL;
    skip_blanks(&s);
    if (list && s.p < s.end && find_member(s, list, &value)) {
        s.p = value + 1;
        for (skip_blanks(&s); i > 0 && s.p < s.end; i--, skip_blanks(&s))
            skip_value(&s);
    }
    const char *member = key && s.p < s.end && *s.p == '{' ? find_member(s, key, &value) : NULL;
    return line_of(text, n, member ? member : s.p);
}
