/*
 * Reading of trace events; see event.h.
 */
#include "format/chrome_json/event.h"

#include <string.h>

static const struct {
    const char *key;
    size_t n;
} fields[] = {
#define FIELD_ROW(symbol, key) {key, sizeof key - 1},
    TK_CJ_FIELDS(FIELD_ROW)
#undef FIELD_ROW
};

/* The place of a key among the fields; TK_CJ_FIELD_COUNT: none of them. */
static inline unsigned place_of(const struct tk_jscan_value *key)
{
    if (key->n > 7 || key->n == 0)
        return TK_CJ_FIELD_COUNT;
    for (unsigned i = 0; i < TK_CJ_FIELD_COUNT; i++)
        if (fields[i].n == key->n && fields[i].key[0] == (char)key->p[0] &&
            fields[i].key[key->n - 1] == (char)key->p[key->n - 1] &&
            memcmp(fields[i].key, key->p, key->n) == 0)
            return i;
    return TK_CJ_FIELD_COUNT;
}

enum { LONGEST_KEY = 96 }; /* of those with escapes */

enum tk_jscan_result tk_cj_event_read(struct tk_jscan_scan *s, struct tk_cj_event *e)
{
    struct tk_jscan_value key, ignored;
    uint8_t plain[LONGEST_KEY];
    bool more;
    e->is_outer = false;
    e->empty = true;
    for (unsigned i = 0; i < TK_CJ_FIELD_COUNT; i++)
        e->field[i].kind = TK_JSON_NONE;
    s->trailing_comma = false;
    s->p++;
    for (;;) {
        enum tk_jscan_result r = tk_jscan_member(s, &key, &more);
        if (r != TK_JSON_OK || !more) {
            e->trailing_comma = s->trailing_comma;
            return r;
        }
        e->empty = false;
        if (key.escaped && key.n <= sizeof plain) {
            key.n = tk_jscan_unescape(&key, plain);
            key.p = plain;
        }
        unsigned at = place_of(&key);
        if (at == TK_CJ_FIELD_COUNT && tk_jscan_is(&key, "traceEvents", 11)) {
            e->is_outer = true;
            return TK_JSON_OK;
        }
        r = tk_jscan_value(s, at < TK_CJ_FIELD_COUNT ? &e->field[at] : &ignored);
        if (r != TK_JSON_OK)
            return r;
    }
}

struct tk_jscan_value tk_cj_member(const struct tk_jscan_value *object, const char *key, size_t n)
{
    struct tk_jscan_scan s = {.p = NULL};
    struct tk_jscan_value found = {.kind = TK_JSON_NONE}, name, value;
    bool more = false;
    if (object->kind != TK_JSON_OBJECT)
        return found;
    s.p = object->p + 1;
    s.end = object->p + object->n;
    while (tk_jscan_member(&s, &name, &more) == TK_JSON_OK && more &&
           tk_jscan_value(&s, &value) == TK_JSON_OK)
        if (tk_jscan_is(&name, key, n))
            found = value;
    return found;
}
