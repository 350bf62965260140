/*
 * A tokenizer of JSON over bytes in memory that may end anywhere. Events of captures are read with it.
 *
 * It takes what producers write against the rules and loses nothing by it: control characters in texts, bytes
 * that are no UTF-8, a comma before a closing bracket, NaN and Infinity (import 3.9). It never recurs.
 */
#ifndef TK_FORMAT_CHROME_JSON_JSON_SCAN_H
#define TK_FORMAT_CHROME_JSON_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tk_jscan_result {
    TK_JSON_OK,
    TK_JSON_CUT, /* the bytes end inside */
    TK_JSON_BAD  /* it is not JSON: `reason` */
};

enum tk_jscan_kind {
    TK_JSON_NONE, /* there is no value */
    TK_JSON_STRING,
    TK_JSON_NUMBER,
    TK_JSON_OBJECT,
    TK_JSON_ARRAY,
    TK_JSON_TRUE,
    TK_JSON_FALSE,
    TK_JSON_NULL,
    TK_JSON_NAN /* NaN, Infinity, -Infinity: not in JSON */
};

struct tk_jscan_value {
    const uint8_t *p; /* of a text: behind the quote; else the first byte */
    size_t n;         /* of a text: up to the quote */
    uint8_t kind;     /* enum tk_jscan_kind */
    bool escaped;     /* a text with backslashes */
    uint8_t point; /* of a number: digits in front of its point, where it has the usual form (event.c); 0 */
};

/* A number in the usual form has no sign, at most so many digits in front of its point, and less than eight
 * behind; so many bytes of its text, from its begin on, can be read whatever its length. */
#define TK_JSON_WHOLE_DIGITS 15u
#define TK_JSON_READABLE     24u

struct tk_jscan_scan {
    const uint8_t *p, *end;
    const char *reason;  /* static; of TK_JSON_BAD */
    bool trailing_comma; /* seen in a value */
    bool no_number;      /* NaN or Infinity was seen in a value */
};

/* Depth of brackets inside a value whose kinds are compared; deeper ones are counted. */
#define TK_JSON_DEPTH 4096u

static inline void tk_jscan_space(struct tk_jscan_scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
        s->p++;
}

/* The next value, of any depth; p stands at its first byte, and behind it afterwards. */
enum tk_jscan_result tk_jscan_value(struct tk_jscan_scan *s, struct tk_jscan_value *out);

/* A text; p stands behind its quote, and behind the closing one afterwards. */
enum tk_jscan_result tk_jscan_string(struct tk_jscan_scan *s, struct tk_jscan_value *out);

/*
 * The next member of an object; p stands behind its bracket or behind the member before. *more is false
 * behind the closing bracket.
 */
enum tk_jscan_result tk_jscan_member(struct tk_jscan_scan *s, struct tk_jscan_value *key, bool *more);

/* The bytes of a text without escapes; out has room for v->n. Lone surrogates become U+FFFD. */
size_t tk_jscan_unescape(const struct tk_jscan_value *v, uint8_t *out);

/* Is a text, or a key, this one? The same of one with escapes, for texts of up to TK_JSON_COMPARED bytes. */
enum { TK_JSON_COMPARED = 32 };
bool tk_jscan_is_escaped(const struct tk_jscan_value *v, const char *text, size_t n);

static inline bool tk_jscan_is(const struct tk_jscan_value *v, const char *text, size_t n)
{
    if (v->n != n)
        return v->escaped && tk_jscan_is_escaped(v, text, n);
    for (size_t i = 0; i < n; i++)
        if (v->p[i] != (uint8_t)text[i])
            return false;
    return true;
}

#endif
