/*
 * The output buffer: growing, flushing, numbers in decimal and hexadecimal. The hot paths are inline in
 * buffer.h.
 */
#include "sink/write/buffer.h"

#include "base/err.h"
#include "base/text/copy.h"
#include "base/text/text.h"

#include <math.h>
#include <stdlib.h>

int tk_buffer_init(struct tk_buffer *b, struct tk_output *out, struct tk_err *err)
{
    size_t cap = out ? TK_BUFFER_BYTES : 16 * TK_BUFFER_SMALL;
    *b = (struct tk_buffer){.p = malloc(cap), .cap = cap, .out = out, .err = err};
    return b->p ? TK_OK : tk_err_nomem(err, "an output buffer");
}

int tk_buffer_init_scratch(struct tk_buffer *b, struct tk_buffer *to)
{
    int rc = tk_buffer_init(b, NULL, tk_buffer_err(to));
    b->to = to;
    b->err = NULL;
    tk_buffer_fail(b, rc);
    return rc;
}

void tk_buffer_release(struct tk_buffer *b)
{
    free(b->p);
    *b = (struct tk_buffer){0};
}

void tk_buffer_fail(struct tk_buffer *b, int status)
{
    for (; b; b = b->to)
        if (b->status == TK_OK && status < 0)
            b->status = status;
}

struct tk_err *tk_buffer_err(const struct tk_buffer *b)
{
    while (b->to)
        b = b->to;
    return b->err;
}

int tk_buffer_flush(struct tk_buffer *b)
{
    if (b->out && b->n) {
        if (b->status == TK_OK)
            tk_buffer_fail(b, tk_output_write(b->out, b->p, b->n, b->err));
        b->flushed += b->n;
        b->n = 0;
    }
    return b->status;
}

/* Makes the buffer hold n more bytes; false when it cannot. */
static bool grow(struct tk_buffer *b, size_t n)
{
    size_t cap = b->cap + b->cap / 2 + n;
    char *p = n <= SIZE_MAX / 4 && b->cap <= SIZE_MAX / 4 ? realloc(b->p, cap) : NULL;
    if (!p) {
        tk_buffer_fail(b, tk_err_nomem(tk_buffer_err(b), "an output buffer"));
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

void tk_buffer_make(struct tk_buffer *b, size_t n)
{
    if (b->out)
        tk_buffer_flush(b);
    else if (!grow(b, n))
        b->n = 0;
}

static void put_through(struct tk_buffer *b, const void *p, size_t n)
{
    tk_buffer_flush(b);
    if (n > b->cap)
        b->flushed += n;
    if (n > b->cap && b->status == TK_OK)
        tk_buffer_fail(b, tk_output_write(b->out, p, n, b->err));
    else if (n <= b->cap)
        tk_buffer_put(b, p, n);
}

void tk_buffer_put_long(struct tk_buffer *b, const void *p, size_t n)
{
    if (b->out)
        put_through(b, p, n);
    else if (grow(b, n))
        tk_buffer_put(b, p, n);
}

void tk_buffer_quoted(struct tk_buffer *b, struct tk_str field)
{
    tk_csv_quote(b, tk_buffer_take, field.p, field.n);
}

void tk_buffer_fill(struct tk_buffer *b, char c, size_t n)
{
    while (n > 0) {
        size_t some = n < TK_BUFFER_SMALL ? n : TK_BUFFER_SMALL;
        memset(tk_buffer_space(b, some), c, some);
        b->n += some;
        n -= some;
    }
}

void tk_buffer_u64(struct tk_buffer *b, uint64_t v)
{
    b->n += tk_put_u64(tk_buffer_space(b, 20), v);
}

void tk_buffer_i64(struct tk_buffer *b, int64_t v)
{
    b->n += tk_put_i64(tk_buffer_space(b, 21), v);
}

/* What is in front of so many digits, and those. Thousandths are by far the most, and a constant divides
 * faster. */
static uint64_t split_fixed(uint64_t size, unsigned digits, uint32_t *fraction)
{
    static const uint32_t scale[] = {1,      10,      100,      1000,      10000,
                                     100000, 1000000, 10000000, 100000000, 1000000000};
    const uint64_t whole = digits == 3 ? size / 1000 : size / scale[digits];
    *fraction = (uint32_t)(size - whole * scale[digits]);
    return whole;
}

void tk_buffer_fixed(struct tk_buffer *b, int64_t v, unsigned digits)
{
    uint32_t fraction;
    const uint64_t whole = split_fixed(v < 0 ? 0 - (uint64_t)v : (uint64_t)v, digits, &fraction);
    char *p = tk_buffer_space(b, 32), *begin = p;
    if (v < 0)
        *p++ = '-';
    p += tk_put_u64(p, whole);
    if (digits) {
        *p++ = '.';
        for (unsigned i = digits; i-- > 0; fraction /= 10)
            p[i] = (char)('0' + fraction % 10);
        p += digits;
    }
    b->n += (size_t)(p - begin);
}

static const char hex_digits[] = "0123456789abcdef";

void tk_buffer_hex(struct tk_buffer *b, uint64_t v)
{
    char *p = tk_buffer_space(b, 18);
    unsigned n = 1;
    while (n < 16 && v >> (4 * n))
        n++;
    p[0] = '0';
    p[1] = 'x';
    for (unsigned i = 0; i < n; i++)
        p[2 + i] = hex_digits[v >> (4 * (n - 1 - i)) & 15];
    b->n += 2 + n;
}

void tk_buffer_hex_bytes(struct tk_buffer *b, const void *bytes, size_t n)
{
    const uint8_t *in = bytes;
    for (size_t i = 0; i < n; i++) {
        char *p = tk_buffer_space(b, 2);
        p[0] = hex_digits[in[i] >> 4];
        p[1] = hex_digits[in[i] & 15];
        b->n += 2;
    }
}

void tk_buffer_real(struct tk_buffer *b, double v, bool single)
{
    if (isnan(v))
        tk_buffer_text(b, "NaN");
    else if (isinf(v))
        tk_buffer_text(b, v < 0 ? "-Infinity" : "Infinity");
    else if (single)
        b->n += tk_put_real32(tk_buffer_space(b, 32), (float)v);
    else
        b->n += tk_put_real(tk_buffer_space(b, 32), v);
}
