/*
 * Flat maps of CBOR: see cbor_map.h.
 */
#include "live/cbor_map.h"

#include <string.h>

enum { NUMBER = 0, NEGATIVE = 1, BYTES = 2, TEXT = 3, ARRAY = 4, MAP = 5, TAG = 6, SIMPLE = 7 };
enum { UNKNOWN_LENGTH = 31, BREAK = 0xFF, MAP_OPEN = 0xBF };

struct reader {
    const uint8_t *p, *end;
};

/* A head: major type and number. false: the end, or a length that is none. */
static bool read_head(struct reader *r, unsigned *major, uint64_t *value)
{
    if (r->p == r->end)
        return false;
    const unsigned info = *r->p & 31;
    *major = *r->p++ >> 5;
    *value = info;
    if (info < 24)
        return true;
    const size_t bytes = (size_t)1 << (info - 24);
    if (info > 27 || (size_t)(r->end - r->p) < bytes)
        return false;
    *value = 0;
    for (size_t i = 0; i < bytes; i++)
        *value = *value << 8 | *r->p++;
    return true;
}

/* An item that is not made of others. false: the end, or anything else. */
static bool read_item(struct reader *r, struct tk_cbor_item *out)
{
    unsigned major;
    uint64_t value;
    if (!read_head(r, &major, &value) || major == ARRAY || major == MAP || major == TAG)
        return false;
    *out = (struct tk_cbor_item){.value = value};
    if (major == NUMBER || major == NEGATIVE) {
        out->kind = major == NUMBER ? TK_CBOR_NUMBER : TK_CBOR_NEGATIVE;
        return true;
    }
    out->kind = TK_CBOR_OTHER;
    if (major == SIMPLE)
        return true;
    if (value > (uint64_t)(r->end - r->p))
        return false;
    out->kind = TK_CBOR_STRING;
    out->text = (const char *)r->p;
    out->n = (size_t)value;
    r->p += value;
    return true;
}

/* Steps into a map, of known length or not. */
static bool open_map(struct reader *r, const uint8_t *p, size_t n)
{
    unsigned major;
    uint64_t pairs;
    *r = (struct reader){p, p + n};
    if (n > 0 && *p == MAP_OPEN) {
        r->p++;
        return true;
    }
    return read_head(r, &major, &pairs) && major == MAP;
}

bool tk_cbor_is_map(const uint8_t *p, size_t n)
{
    struct reader r;
    return open_map(&r, p, n);
}

bool tk_cbor_find(const uint8_t *p, size_t n, const char *key, struct tk_cbor_item *out)
{
    struct reader r;
    struct tk_cbor_item name;
    const size_t length = strlen(key);
    if (!open_map(&r, p, n))
        return false;
    while (r.p < r.end && *r.p != BREAK && read_item(&r, &name) && read_item(&r, out))
        if (name.kind == TK_CBOR_STRING && name.n == length && memcmp(name.text, key, length) == 0)
            return true;
    return false;
}

bool tk_cbor_find_low(const uint8_t *p, size_t n, const char *key, uint32_t *out)
{
    struct tk_cbor_item item;
    if (!tk_cbor_find(p, n, key, &item) || item.kind > TK_CBOR_NEGATIVE)
        return false;
    *out = (uint32_t)(item.kind == TK_CBOR_NUMBER ? item.value : ~item.value);
    return true;
}

/* ---- writing ---- */

static void put(struct tk_cbor_writer *w, const void *p, size_t n)
{
    w->full |= n > w->room - w->n;
    if (w->full)
        return;
    if (n)
        memcpy(w->p + w->n, p, n);
    w->n += n;
}

static void put_head(struct tk_cbor_writer *w, unsigned major, uint64_t value)
{
    uint8_t head[9];
    const unsigned wide = value < 24            ? 0
                          : value <= UINT8_MAX  ? 1
                          : value <= UINT16_MAX ? 2
                          : value <= UINT32_MAX ? 4
                                                : 8;
    const unsigned info = wide == 0 ? (unsigned)value : wide == 1 ? 24 : wide == 2 ? 25 : wide == 4 ? 26 : 27;
    head[0] = (uint8_t)(major << 5 | info);
    for (unsigned i = 0; i < wide; i++)
        head[1 + i] = (uint8_t)(value >> 8 * (wide - 1 - i));
    put(w, head, 1 + wide);
}

static void put_string(struct tk_cbor_writer *w, unsigned major, const char *text, size_t n)
{
    put_head(w, major, n);
    put(w, text, n);
}

void tk_cbor_begin(struct tk_cbor_writer *w)
{
    put(w, &(uint8_t){MAP_OPEN}, 1);
}

void tk_cbor_end(struct tk_cbor_writer *w)
{
    put(w, &(uint8_t){BREAK}, 1);
}

void tk_cbor_put_number(struct tk_cbor_writer *w, const char *key, uint64_t value)
{
    put_string(w, TEXT, key, strlen(key));
    put_head(w, NUMBER, value);
}

void tk_cbor_put_text(struct tk_cbor_writer *w, const char *key, const char *text, size_t n)
{
    put_string(w, TEXT, key, strlen(key));
    put_string(w, TEXT, text, n);
}

void tk_cbor_put_empty_array(struct tk_cbor_writer *w, const char *key)
{
    put_string(w, TEXT, key, strlen(key));
    put_head(w, ARRAY, 0);
}

void tk_cbor_put_request(struct tk_cbor_writer *w, const char *key, const char *text)
{
    put_string(w, BYTES, key, strlen(key));
    put_string(w, BYTES, text, strlen(text));
}

void tk_cbor_put_argument(struct tk_cbor_writer *w, const char *key, uint64_t value)
{
    put_string(w, BYTES, key, strlen(key));
    put_head(w, NUMBER, value);
}
