/*
 * The bodies of messages of Arrow, and the dictionaries of texts.
 */
#include "base/err.h"
#include "sink/columns/columns_in.h"

#include <stdlib.h>
#include <zstd.h>

/*
 * Dictionaries.
 */

int tk_dictionary_take(struct tk_dictionary *d, const struct tk_texts *from, struct tk_err *err)
{
    d->places.n = 0;
    for (size_t i = 0; i < from->places.n; i++) {
        const struct tk_str s = tk_texts_at(from, i);
        const uint64_t place = d->before + tk_texts_number(&d->texts, s.p, s.n);
        if (place > INT32_MAX)
            return tk_err_set(err, TK_ELIMIT, "a column has more than 2,147,483,647 different texts");
        if (tk_vec_push(&d->places, (uint32_t)place))
            return tk_err_nomem(err, "a dictionary of Arrow");
    }
    return d->texts.bytes.status;
}

void tk_dictionary_forget(struct tk_dictionary *d, bool goes_on)
{
    d->before = goes_on ? d->before + d->texts.places.n : 0;
    d->goes_on = goes_on;
    tk_texts_clear(&d->texts);
}

/*
 * The body of a batch of Arrow: the buffers of all columns, one behind the other, and where they are.
 */

enum { ARROW_BODY_ALIGN = 64, ZSTD_LEVEL = 1 };

void tk_arrow_body_free(struct tk_arrow_body *b)
{
    if (!b)
        return;
    ZSTD_freeCCtx(b->zstd);
    tk_buffer_release(&b->bytes);
    tk_buffer_release(&b->plain);
    tk_buffer_release(&b->packed);
    tk_vec_release(&b->nodes);
    tk_vec_release(&b->buffers);
    free(b);
}

int tk_arrow_body_new(struct tk_arrow_body **out, bool zstd, struct tk_err *err)
{
    struct tk_arrow_body *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b)
        return tk_err_nomem(err, "a batch of Arrow");
    b->zstd = zstd ? ZSTD_createCCtx() : NULL;
    if ((zstd && !b->zstd) || tk_buffer_init(&b->bytes, NULL, err) || tk_buffer_init(&b->plain, NULL, err) ||
        tk_buffer_init(&b->packed, NULL, err)) {
        tk_arrow_body_free(b);
        return tk_err_nomem(err, "a batch of Arrow");
    }
    *out = b;
    return TK_OK;
}

/* b->plain compressed: its length in 8 bytes, and the frame. */
static void pack(struct tk_arrow_body *b)
{
    const uint64_t raw = b->plain.n;
    const size_t bound = ZSTD_compressBound(b->plain.n);
    b->packed.n = 0;
    tk_plain_u64(&b->packed, &raw, 1);
    while (b->packed.status == TK_OK && b->packed.cap < bound + sizeof raw)
        tk_buffer_make(&b->packed, bound);
    if (b->packed.status < 0)
        return;
    const size_t n = ZSTD_compressCCtx(b->zstd, b->packed.p + b->packed.n, b->packed.cap - b->packed.n,
                                       b->plain.p, b->plain.n, ZSTD_LEVEL);
    if (ZSTD_isError(n))
        tk_buffer_fail(&b->packed, TK_ENOMEM);
    else
        b->packed.n += n;
}

/* Appends b->plain as the next buffer. */
static void put_buffer(struct tk_arrow_body *b)
{
    const struct tk_buffer *from = &b->plain;
    const uint64_t at = b->bytes.n;
    if (b->zstd && b->plain.n) {
        pack(b);
        from = &b->packed;
    }
    const size_t n = from->n;
    tk_buffer_put(&b->bytes, from->p, n);
    tk_buffer_fill(&b->bytes, 0, (ARROW_BODY_ALIGN - n % ARROW_BODY_ALIGN) % ARROW_BODY_ALIGN);
    if (tk_vec_push(&b->buffers, at) || tk_vec_push(&b->buffers, n))
        tk_buffer_fail(&b->bytes, TK_ENOMEM);
    b->plain.n = 0;
}

static void put_present(struct tk_arrow_body *b, const struct tk_group *g, const struct tk_group_column *c)
{
    for (size_t i = 0; c->n_nulls && i < g->n; i += 8) {
        unsigned bits = 0;
        for (size_t k = i; k < g->n && k < i + 8; k++)
            bits |= (unsigned)c->present[k] << (k - i);
        tk_buffer_char(&b->plain, (char)bits);
    }
    put_buffer(b);
}

static void put_values(struct tk_arrow_body *b, const struct tk_group *g, const struct tk_group_column *c)
{
    if (c->store == TK_STORE_BOOL)
        tk_plain_bits(&b->plain, c->values, g->n);
    else if (c->store == TK_STORE_FLOAT)
        tk_plain_u32(&b->plain, c->values, g->n);
    else
        tk_plain_u64(&b->plain, c->values, g->n);
    put_buffer(b);
}

static void put_offset(struct tk_buffer *b, uint64_t v)
{
    tk_plain_u32(b, &v, 1);
}

static int put_texts(struct tk_arrow_body *b, const struct tk_group *g, const struct tk_group_column *c,
                     struct tk_err *err)
{
    uint64_t at = 0;
    if (c->text_bytes > INT32_MAX)
        return tk_err_set(err, TK_ELIMIT, "texts of column '%s' are longer than 2 GiB",
                          g->table->columns[c - g->columns].name);
    put_offset(&b->plain, 0);
    for (size_t i = 0; i < g->n; i++) {
        at += tk_group_has(c, i) ? tk_texts_at(&c->texts, c->values[i]).n : 0;
        put_offset(&b->plain, at);
    }
    put_buffer(b);
    for (size_t i = 0; i < g->n; i++)
        if (tk_group_has(c, i)) {
            const struct tk_str s = tk_texts_at(&c->texts, c->values[i]);
            tk_buffer_put(&b->plain, s.p, s.n);
        }
    put_buffer(b);
    return TK_OK;
}

/* The places of the texts in the dictionary of their column; nulls have any. */
static void put_places(struct tk_arrow_body *b, const struct tk_group *g, const struct tk_group_column *c,
                       const struct tk_dictionary *d)
{
    for (size_t i = 0; i < g->n; i++) {
        const uint64_t at = tk_group_has(c, i) ? d->places.v[c->values[i]] : 0;
        tk_plain_u32(&b->plain, &at, 1);
    }
    put_buffer(b);
}

static int end_body(const struct tk_arrow_body *b, struct tk_err *err)
{
    const bool failed = b->bytes.status < 0 || b->plain.status < 0 || b->packed.status < 0;
    return failed ? tk_err_nomem(err, "a batch of Arrow") : TK_OK;
}

int tk_arrow_body_texts(struct tk_arrow_body *b, const struct tk_texts *texts, struct tk_err *err)
{
    uint64_t at = 0;
    b->bytes.n = b->nodes.n = b->buffers.n = 0;
    if (texts->bytes.n > INT32_MAX)
        return tk_err_set(err, TK_ELIMIT, "the different texts of a column are longer than 2 GiB");
    if (tk_vec_push(&b->nodes, texts->places.n) || tk_vec_push(&b->nodes, 0))
        return tk_err_nomem(err, "a batch of Arrow");
    put_buffer(b); /* no nulls */
    put_offset(&b->plain, 0);
    for (size_t i = 0; i < texts->places.n; i++)
        put_offset(&b->plain, at += texts->places.v[i].n);
    put_buffer(b);
    tk_buffer_put(&b->plain, texts->bytes.p, texts->bytes.n);
    put_buffer(b);
    return end_body(b, err);
}

int tk_arrow_body_fill(struct tk_arrow_body *b, const struct tk_group *g,
                       const struct tk_dictionary *dictionaries, struct tk_err *err)
{
    int rc = TK_OK;
    b->bytes.n = b->nodes.n = b->buffers.n = 0;
    for (uint32_t i = 0; i < g->table->n_columns && rc == TK_OK; i++) {
        const struct tk_group_column *c = &g->columns[i];
        if (tk_vec_push(&b->nodes, g->n) || tk_vec_push(&b->nodes, c->n_nulls))
            return tk_err_nomem(err, "a batch of Arrow");
        put_present(b, g, c);
        if (c->store == TK_STORE_TEXT)
            put_places(b, g, c, &dictionaries[i]);
        else if (tk_group_is_text(c))
            rc = put_texts(b, g, c, err);
        else
            put_values(b, g, c);
    }
    return rc == TK_OK ? end_body(b, err) : rc;
}
