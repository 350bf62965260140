/*
 * The maps of CBOR that a store and its viewers exchange (live 3.2): flat, keys are strings. Both sides of
 * the protocol read and write them.
 */
#ifndef TK_LIVE_STORE_CBOR_MAP_H
#define TK_LIVE_STORE_CBOR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tk_cbor_kind {
    TK_CBOR_NUMBER,   /* value */
    TK_CBOR_NEGATIVE, /* -1 - value */
    TK_CBOR_STRING,   /* text or bytes */
    TK_CBOR_OTHER     /* truth, nothing, reals: passed over */
};

struct tk_cbor_item {
    enum tk_cbor_kind kind;
    uint64_t value;
    const char *text; /* borrowed; n bytes, without NUL */
    size_t n;
};

/*
 * The value of a key in a map of n bytes. Keys and values are taken in turn, up to the first that fits: what
 * stands behind it may be anything, and the break at the end may be missing. false: there is none, it is no
 * map, or something in front of it is not flat or runs over the end.
 */
bool tk_cbor_find(const uint8_t *p, size_t n, const char *key, struct tk_cbor_item *out);

/* The low 32 bits of the number of a key, as viewers send ids with and without sign. false: there is none. */
bool tk_cbor_find_low(const uint8_t *p, size_t n, const char *key, uint32_t *out);

/* Is it a map at all? */
bool tk_cbor_is_map(const uint8_t *p, size_t n);

/* Writes into a buffer of the caller; what does not fit is noted. */
struct tk_cbor_writer {
    uint8_t *p;
    size_t n, room;
    bool full;
};

void tk_cbor_begin(struct tk_cbor_writer *w); /* a map of unknown length */
void tk_cbor_end(struct tk_cbor_writer *w);
void tk_cbor_put_number(struct tk_cbor_writer *w, const char *key, uint64_t value);
void tk_cbor_put_text(struct tk_cbor_writer *w, const char *key, const char *text, size_t n);
void tk_cbor_put_empty_array(struct tk_cbor_writer *w, const char *key);

/* As viewers write: keys and texts are byte strings. */
void tk_cbor_put_request(struct tk_cbor_writer *w, const char *key, const char *text);
void tk_cbor_put_argument(struct tk_cbor_writer *w, const char *key, uint64_t value);

#endif
