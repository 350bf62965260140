/*
 * Reading of trace events.
 */
#include "base/text/text.h"
#include "format/chrome_json/chrome_json_in.h"
#include "format/events/feed.h"

#include <string.h>

/*
 * Texts of arguments.
 */

struct text {
    uint8_t *p;
    size_t n;
};

static void put(struct text *t, const void *p, size_t n)
{
    size_t capacity = TK_CJ_ARGS_BYTES - t->n;
    n = n < capacity ? n : capacity;
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

/*
 * The list of phases.
 */

static const struct tk_str fields[TK_CJ_CELLS] = {
    [TK_CJ_AT_NAME] = TK_STR_OF("Name"),         [TK_CJ_AT_CATEGORY] = TK_STR_OF("Category"),
    [TK_CJ_AT_PROCESS] = TK_STR_OF("Process"),   [TK_CJ_AT_THREAD] = TK_STR_OF("Thread"),
    [TK_CJ_AT_DURATION] = TK_STR_OF("Duration"), [TK_CJ_AT_ID] = TK_STR_OF("Id"),
    [TK_CJ_AT_ARGS] = TK_STR_OF("Args"),
};

#define TYPE(symbol, letter, text_of_name, who)                                                              \
    {.name = "Chrome." text_of_name,                                                                         \
     .family = who,                                                                                          \
     .n_fields = TK_CJ_CELLS,                                                                                \
     .fields = fields,                                                                                       \
     .value = tk_ev_record_value,                                                                            \
     .named = true},
const struct tk_record_type tk_cj_types[TK_CJ_PHASE_COUNT] = {TK_CJ_PHASES(TYPE)};

/* By letter: the phase + 1; 0: it is none. */
static const uint8_t of_letter[256] = {
#define LETTER(symbol, letter, name, family) [letter] = TK_CJ_##symbol + 1,
    TK_CJ_LETTERS(LETTER)
#undef LETTER
};

enum tk_cj_phase tk_cj_phase_of(uint8_t letter)
{
    return of_letter[letter] ? (enum tk_cj_phase)(of_letter[letter] - 1) : TK_CJ_OTHER;
}

/* A key of up to seven characters, with the quote behind it, as eight bytes. */
#define EIGHT(a, b, c, d, e, f, g, h)                                                                        \
    ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 | (uint64_t)(e) << 32 |  \
     (uint64_t)(f) << 40 | (uint64_t)(g) << 48 | (uint64_t)(h) << 56)

/* The place of such a key among the fields; TK_CJ_FIELD_COUNT: none of them. */
static inline unsigned place_of_eight(uint64_t key)
{
    switch (key) {
    case EIGHT('p', 'h', '"', 0, 0, 0, 0, 0):
        return TK_CJ_PH;
    case EIGHT('t', 's', '"', 0, 0, 0, 0, 0):
        return TK_CJ_TS;
    case EIGHT('d', 'u', 'r', '"', 0, 0, 0, 0):
        return TK_CJ_DUR;
    case EIGHT('p', 'i', 'd', '"', 0, 0, 0, 0):
        return TK_CJ_PID;
    case EIGHT('t', 'i', 'd', '"', 0, 0, 0, 0):
        return TK_CJ_TID;
    case EIGHT('n', 'a', 'm', 'e', '"', 0, 0, 0):
        return TK_CJ_NAME;
    case EIGHT('c', 'a', 't', '"', 0, 0, 0, 0):
        return TK_CJ_CAT;
    case EIGHT('a', 'r', 'g', 's', '"', 0, 0, 0):
        return TK_CJ_ARGS;
    case EIGHT('i', 'd', '"', 0, 0, 0, 0, 0):
        return TK_CJ_ID;
    case EIGHT('i', 'd', '2', '"', 0, 0, 0, 0):
        return TK_CJ_ID2;
    case EIGHT('s', 'c', 'o', 'p', 'e', '"', 0, 0):
        return TK_CJ_SCOPE;
    case EIGHT('s', '"', 0, 0, 0, 0, 0, 0):
        return TK_CJ_S;
    case EIGHT('b', 'i', 'n', 'd', '_', 'i', 'd', '"'):
        return TK_CJ_BIND_ID;
    case EIGHT('.', 'f', 'i', 'l', 'e', '"', 0, 0):
        return TK_CJ_FILE;
    case EIGHT('.', 'l', 'i', 'n', 'e', '"', 0, 0):
        return TK_CJ_LINE;
    default:
        return TK_CJ_FIELD_COUNT;
    }
}

static unsigned place_of(const struct tk_jscan_value *key)
{
    if (key->n > 7 || memchr(key->p, '"', key->n))
        return TK_CJ_FIELD_COUNT;
    return place_of_eight(tk_load_le(key->p, key->n) | (uint64_t)'"' << (8 * key->n));
}

/* ---- the usual forms, at once; what is none of them is left to the tokenizer ---- */

/* The place of the key that stands in front of eight bytes, and its size with the quote; 0: it is no field.
 * That the sizes are constants lets a processor go on before it has compared. */
static inline unsigned usual_key(uint64_t bytes, unsigned *place)
{
#define KEY(field, size)                                                                                     \
    do {                                                                                                     \
        *place = TK_CJ_##field;                                                                              \
        return size;                                                                                         \
    } while (0)
    switch (tk_eight_head(bytes, 4)) {
    case EIGHT('p', 'i', 'd', '"', 0, 0, 0, 0):
        KEY(PID, 4);
    case EIGHT('t', 'i', 'd', '"', 0, 0, 0, 0):
        KEY(TID, 4);
    case EIGHT('d', 'u', 'r', '"', 0, 0, 0, 0):
        KEY(DUR, 4);
    case EIGHT('c', 'a', 't', '"', 0, 0, 0, 0):
        KEY(CAT, 4);
    default:
        break;
    }
    switch (tk_eight_head(bytes, 3)) {
    case EIGHT('p', 'h', '"', 0, 0, 0, 0, 0):
        KEY(PH, 3);
    case EIGHT('t', 's', '"', 0, 0, 0, 0, 0):
        KEY(TS, 3);
    default:
        break;
    }
    switch (tk_eight_head(bytes, 5)) {
    case EIGHT('n', 'a', 'm', 'e', '"', 0, 0, 0):
        KEY(NAME, 5);
    case EIGHT('a', 'r', 'g', 's', '"', 0, 0, 0):
        KEY(ARGS, 5);
    default:
        break;
    }
#undef KEY
    const unsigned n = tk_eight_first(tk_eight_equal(bytes, '"')) + 1;
    if (n > 8)
        return 0;
    *place = place_of_eight(tk_eight_head(bytes, n));
    return *place < TK_CJ_FIELD_COUNT ? n : 0;
}

/* ,"key": or {"key": of a field; a space may stand in front of the quote and behind the colon. Returns the
 * value behind; NULL: it is none. */
static inline const uint8_t *short_key(const uint8_t *p, const uint8_t *end, unsigned *place)
{
    if (end - p < (ptrdiff_t)TK_JSON_READABLE)
        return NULL;
    if (*p == ',')
        p++;
    else if (p[-1] != '{')
        return NULL;
    if (tk_rarely(*p == ' '))
        p++;
    if (*p++ != '"')
        return NULL;
    const unsigned n = usual_key(tk_load64(p), place);
    if (!n || p[n] != ':')
        return NULL;
    p += n + 1;
    if (tk_rarely(*p == ' '))
        p++;
    return *p > ' ' ? p : NULL;
}

/* Digits, perhaps with a fraction, and a comma or bracket behind. */
static inline const uint8_t *short_number(const uint8_t *p, const uint8_t *end, struct tk_jscan_value *out)
{
    if (end - p < (ptrdiff_t)TK_JSON_READABLE + 1)
        return NULL;
    if (p[1] == ',' && (unsigned)*p - (unsigned)'0' < 10) { /* as most ids are */
        *out = (struct tk_jscan_value){.p = p, .n = 1, .kind = TK_JSON_NUMBER, .point = 1};
        return p + 1;
    }
    unsigned whole = tk_eight_first(tk_eight_no_digits(tk_load64(p))), n;
    if (whole == 8)
        whole += tk_eight_first(tk_eight_no_digits(tk_load64(p + 8)));
    if (whole == 0 || whole > TK_JSON_WHOLE_DIGITS || (*p == '0' && whole > 1))
        return NULL;
    n = whole;
    if (p[n] == '.') {
        const unsigned behind = tk_eight_first(tk_eight_no_digits(tk_load64(p + n + 1)));
        if (behind == 0 || behind == 8)
            return NULL;
        n += 1 + behind;
    }
    if (p[n] != ',' && p[n] != '}')
        return NULL;
    *out = (struct tk_jscan_value){.p = p, .n = n, .kind = TK_JSON_NUMBER, .point = (uint8_t)whole};
    return p + n;
}

static inline uint64_t quotes_and_slashes(const uint8_t *p)
{
    const uint64_t bytes = tk_load64(p);
    return tk_eight_equal(bytes, '"') | tk_eight_equal(bytes, '\\');
}

/* A text of up to fifteen characters without escapes; p stands at its quote. */
static inline const uint8_t *short_string(const uint8_t *p, const uint8_t *end, struct tk_jscan_value *out)
{
    if (end - ++p < 16)
        return NULL;
    if (p[1] == '"' && *p != '"' && *p != '\\') { /* as phases are */
        *out = (struct tk_jscan_value){.p = p, .n = 1, .kind = TK_JSON_STRING};
        return p + 2;
    }
    unsigned n = tk_eight_first(quotes_and_slashes(p));
    if (n == 8)
        n += tk_eight_first(quotes_and_slashes(p + 8));
    if (n == 16 || p[n] != '"')
        return NULL;
    *out = (struct tk_jscan_value){.p = p, .n = n, .kind = TK_JSON_STRING};
    return p + n + 1;
}

static inline const uint8_t *short_value(const uint8_t *p, const uint8_t *end, struct tk_jscan_value *out)
{
    return p < end && *p == '"' ? short_string(p, end, out) : short_number(p, end, out);
}

enum { LONGEST_KEY = 96 }; /* of those with escapes */

/* A key in any form. The place of it, TK_CJ_FIELD_COUNT + 1: there is no more, or *r says what is wrong. */
static unsigned any_key(struct tk_jscan_scan *s, struct tk_cj_event *e, enum tk_jscan_result *r)
{
    struct tk_jscan_value key;
    uint8_t plain[LONGEST_KEY];
    bool more;
    *r = tk_jscan_member(s, &key, &more);
    if (*r != TK_JSON_OK || !more)
        return TK_CJ_FIELD_COUNT + 1;
    if (key.escaped && key.n <= sizeof plain) {
        key.n = tk_jscan_unescape(&key, plain);
        key.p = plain;
    }
    e->is_outer = tk_jscan_is(&key, "traceEvents", 11);
    return e->is_outer ? TK_CJ_FIELD_COUNT + 1 : place_of(&key);
}

enum tk_jscan_result tk_cj_event_read(struct tk_jscan_scan *s, struct tk_cj_event *e)
{
    struct tk_jscan_value ignored;
    e->is_outer = false;
    e->empty = true;
#define NO_VALUE(symbol, key) e->field[TK_CJ_##symbol].kind = TK_JSON_NONE;
    TK_CJ_FIELDS(NO_VALUE)
#undef NO_VALUE
    s->trailing_comma = s->no_number = e->key_twice = false;
    s->p++;
    for (;;) {
        enum tk_jscan_result r = TK_JSON_OK;
        unsigned at;
        const uint8_t *p = short_key(s->p, s->end, &at);
        if (!p) {
            at = any_key(s, e, &r);
            p = s->p;
        }
        if (at > TK_CJ_FIELD_COUNT) {
            e->trailing_comma = s->trailing_comma;
            e->no_number = s->no_number;
            return r;
        }
        struct tk_jscan_value *const out = at < TK_CJ_FIELD_COUNT ? &e->field[at] : &ignored;
        e->key_twice |= at < TK_CJ_FIELD_COUNT && out->kind != TK_JSON_NONE;
        const uint8_t *const behind = short_value(p, s->end, out);
        e->empty = false;
        s->p = behind ? behind : p;
        if (!behind && (r = tk_jscan_value(s, out)) != TK_JSON_OK)
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
