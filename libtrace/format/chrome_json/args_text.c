/*
 * Texts of arguments; see args_text.h.
 */
#include "format/chrome_json/args_text.h"

#include <string.h>

struct text {
    uint8_t *p;
    size_t n;
};

static void put(struct text *t, const void *p, size_t n)
{
    size_t room = TK_CJ_ARGS_BYTES - t->n;
    n = n < room ? n : room;
    memcpy(t->p + t->n, p, n);
    t->n += n;
}

/* A text is put without escapes, anything else as it stands. What is cut at the limit may lose its last
 * escape. */
static void put_value(struct text *t, const struct tk_jscan_value *v)
{
    uint8_t plain[TK_CJ_ARGS_BYTES];
    struct tk_jscan_value cut = *v;
    if (v->kind != TK_JSON_STRING || !v->escaped) {
        put(t, v->p, v->n);
        return;
    }
    for (size_t at = 0; v->n > sizeof plain && at < sizeof plain - 12;) { /* where an escape may be cut */
        at += v->p[at] != '\\' ? 1 : v->p[at + 1] == 'u' ? 6 : 2;
        cut.n = at;
    }
    put(t, plain, tk_jscan_unescape(&cut, plain));
}

static unsigned count_members(const struct tk_jscan_value *args)
{
    struct tk_jscan_scan s = {.p = args->p + 1, .end = args->p + args->n};
    struct tk_jscan_value key, value;
    unsigned n = 0;
    bool more;
    while (n < 2 && tk_jscan_member(&s, &key, &more) == TK_JSON_OK && more &&
           tk_jscan_value(&s, &value) == TK_JSON_OK)
        n++;
    return n;
}

size_t tk_cj_args_text(const struct tk_jscan_value *args, uint8_t *out)
{
    struct tk_jscan_scan s = {.p = NULL};
    struct tk_jscan_value key, value;
    struct text t = {out, 0};
    bool more;
    if (args->kind == TK_JSON_STRING) {
        put_value(&t, args);
        return t.n;
    }
    if (args->kind != TK_JSON_OBJECT)
        return 0;
    s.p = args->p + 1;
    s.end = args->p + args->n;
    const bool only = count_members(args) == 1;
    while (t.n < TK_CJ_ARGS_BYTES && tk_jscan_member(&s, &key, &more) == TK_JSON_OK && more &&
           tk_jscan_value(&s, &value) == TK_JSON_OK) {
        if (!only) {
            put(&t, ", ", t.n ? 2 : 0);
            put_value(&t, &key);
            put(&t, "=", 1);
        }
        put_value(&t, &value);
    }
    return t.n;
}
