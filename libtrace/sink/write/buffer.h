/*
 * The output buffer, which collects the bytes of an output file. All formats write through it into an output
 * of io/output; in the hot path a value costs a bounds check and a copy.
 *
 * With an output it is flushed when full. Without one it grows, for pieces that are measured or escaped
 * again. Failures stick: `status` becomes negative and what is put afterwards goes nowhere, so writers check
 * once a batch. What fails in a scratch buffer fails the buffer that its pieces go to, so that only this one
 * is checked.
 */
#ifndef TK_SINK_ENCODE_BUFFER_H
#define TK_SINK_ENCODE_BUFFER_H

#include "tracekit/sinks.h"
#include "base/text/json.h"

#include <string.h>

#define TK_BUFFER_BYTES 65536
#define TK_BUFFER_SMALL 64 /* what tk_buffer_space can promise */

struct tk_buffer {
    char *p; /* owned */
    size_t n, cap;
    struct tk_output *out; /* borrowed; NULL: grows */
    uint64_t flushed;      /* bytes handed on to `out` */
    int status;            /* TK_OK or the first failure */
    struct tk_err *err;    /* where causes go; borrowed, may be NULL; not of a scratch buffer */
    struct tk_buffer *to;  /* borrowed; of a scratch buffer: where its pieces go, and its causes */
};

/* TK_OK or TK_ENOMEM. */
int tk_buffer_init(struct tk_buffer *b, struct tk_output *out, struct tk_err *err);

/* A buffer that grows, for pieces of what goes to another, which must not move. TK_OK or TK_ENOMEM. */
int tk_buffer_init_scratch(struct tk_buffer *b, struct tk_buffer *to);

void tk_buffer_release(struct tk_buffer *b);

/* Hands on what is there; returns the status. */
int tk_buffer_flush(struct tk_buffer *b);

/* Notes a failure, also of somebody else; the first one stays. */
void tk_buffer_fail(struct tk_buffer *b, int status);

/* Where causes go; may be NULL. */
struct tk_err *tk_buffer_err(const struct tk_buffer *b);

/* Makes n (<= TK_BUFFER_SMALL) bytes of space; never fails to leave space, though perhaps for nothing. */
void tk_buffer_make(struct tk_buffer *b, size_t n);

/* n (<= TK_BUFFER_SMALL) writable bytes; add what was used to b->n. */
static inline char *tk_buffer_space(struct tk_buffer *b, size_t n)
{
    if (b->cap - b->n < n)
        tk_buffer_make(b, n);
    return b->p + b->n;
}

/* As tk_buffer_put for any length. */
void tk_buffer_put_long(struct tk_buffer *b, const void *p, size_t n);

static inline void tk_buffer_put(struct tk_buffer *b, const void *p, size_t n)
{
    if (b->cap - b->n < n) {
        tk_buffer_put_long(b, p, n);
    } else if (n) {
        memcpy(b->p + b->n, p, n);
        b->n += n;
    }
}

static inline void tk_buffer_char(struct tk_buffer *b, char c)
{
    *tk_buffer_space(b, 1) = c;
    b->n++;
}

/* A C string. */
static inline void tk_buffer_text(struct tk_buffer *b, const char *s)
{
    tk_buffer_put(b, s, strlen(s));
}

/* tk_buffer_put as a tk_text_put; `b` is a struct tk_buffer. */
static inline void tk_buffer_take(void *b, const char *p, size_t n)
{
    tk_buffer_put(b, p, n);
}

/* A writer of JSON into it. */
static inline struct tk_json tk_json_into(struct tk_buffer *b)
{
    return (struct tk_json){.put = tk_buffer_take, .to = b};
}

/* A CSV field in double quotes. */
void tk_buffer_quoted(struct tk_buffer *b, struct tk_str field);

/* n times the same character. */
void tk_buffer_fill(struct tk_buffer *b, char c, size_t n);

/* Decimal numbers. */
void tk_buffer_u64(struct tk_buffer *b, uint64_t v);
void tk_buffer_i64(struct tk_buffer *b, int64_t v);

/* v / 10^digits with just that many decimals (0..9): (1234567, 3) is 1234.567. */
void tk_buffer_fixed(struct tk_buffer *b, int64_t v, unsigned digits);

/* 0x and hexadecimal digits. */
void tk_buffer_hex(struct tk_buffer *b, uint64_t v);

/* Two hexadecimal digits a byte. */
void tk_buffer_hex_bytes(struct tk_buffer *b, const void *p, size_t n);

/* The shortest decimal that reads back the same; NaN, Infinity, -Infinity. single: reads back the same as a
 * float. */
void tk_buffer_real(struct tk_buffer *b, double v, bool single);

#endif
