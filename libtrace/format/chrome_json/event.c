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
    const char *p = (const char *)key->p;
    unsigned at = TK_CJ_FIELD_COUNT;
    switch (key->n) {
    case 1:
        at = TK_CJ_S;
        break;
    case 2:
        at = p[0] == 'p' ? TK_CJ_PH : p[0] == 't' ? TK_CJ_TS : TK_CJ_ID;
        break;
    case 3:
        at = p[0] == 'd'   ? TK_CJ_DUR
             : p[0] == 'p' ? TK_CJ_PID
             : p[0] == 't' ? TK_CJ_TID
             : p[0] == 'c' ? TK_CJ_CAT
                           : TK_CJ_ID2;
        break;
    case 4:
        at = p[0] == 'n' ? TK_CJ_NAME : TK_CJ_ARGS;
        break;
    case 5:
        at = p[0] == 's' ? TK_CJ_SCOPE : p[1] == 'f' ? TK_CJ_FILE : TK_CJ_LINE;
        break;
    case 7:
        at = TK_CJ_BIND_ID;
        break;
    default:
        return TK_CJ_FIELD_COUNT;
    }
    for (size_t i = 0; i < key->n; i++)
        if (fields[at].key[i] != p[i])
            return TK_CJ_FIELD_COUNT;
    return at;
}

/* ---- the usual forms, at once; what is none of them is left to the tokenizer ---- */

static inline bool is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

enum { SOON = 24 }; /* bytes of a short key or number, and what follows */

/* ,"key": or {"key": without spaces and escapes. */
static inline bool short_key(struct tk_jscan_scan *s, struct tk_jscan_value *key)
{
    const uint8_t *p = s->p;
    if (s->end - p < SOON)
        return false;
    if (*p == ',')
        p++;
    else if (p[-1] != '{')
        return false;
    p += *p == ' ';
    if (*p != '"')
        return false;
    const uint8_t *first = ++p;
    while (p - first < SOON - 8 && *p != '"' && *p != '\\')
        p++;
    if (*p != '"' || p[1] != ':')
        return false;
    *key = (struct tk_jscan_value){.p = first, .n = (size_t)(p - first), .kind = TK_JSON_STRING};
    p += 2;
    s->p = p + (*p == ' ');
    return true;
}

/* Digits, perhaps with a fraction, and a comma or bracket behind. */
static inline bool short_number(struct tk_jscan_scan *s, struct tk_jscan_value *out)
{
    const uint8_t *p = s->p, *first = p;
    if (s->end - p < SOON || !is_digit(*p) || (*p == '0' && is_digit(p[1])))
        return false;
    while (p - first < SOON - 4 && is_digit(*p))
        p++;
    if (*p == '.' && is_digit(p[1]))
        for (p++; p - first < SOON - 2 && is_digit(*p);)
            p++;
    if (*p != ',' && *p != '}')
        return false;
    *out = (struct tk_jscan_value){.p = first, .n = (size_t)(p - first), .kind = TK_JSON_NUMBER};
    s->p = p;
    return true;
}

static inline enum tk_jscan_result read_value(struct tk_jscan_scan *s, struct tk_jscan_value *out)
{
    if (short_number(s, out))
        return TK_JSON_OK;
    if (*s->p == '"') {
        s->p++;
        return tk_jscan_string(s, out);
    }
    return tk_jscan_value(s, out);
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
        enum tk_jscan_result r = TK_JSON_OK;
        more = short_key(s, &key);
        if (!more)
            r = tk_jscan_member(s, &key, &more);
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
        r = read_value(s, at < TK_CJ_FIELD_COUNT ? &e->field[at] : &ignored);
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
