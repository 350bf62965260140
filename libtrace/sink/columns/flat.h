/*
 * A FlatBuffer, built from its end to its beginning, so that what is referred to comes first. Messages of
 * Arrow are made with it.
 *
 * A place is the distance of an object from the end. Failures stick in `status`.
 */
#ifndef TK_SINK_ARROW_FLAT_H
#define TK_SINK_ARROW_FLAT_H

#include "tracekit.h"

#define TK_FLAT_SLOTS 8

struct tk_flat {
    uint8_t *p; /* owned */
    size_t cap, n;
    size_t table;                /* n where the open table begins */
    size_t slots[TK_FLAT_SLOTS]; /* places of its fields; 0: not there */
    int status;
};

void tk_flat_release(struct tk_flat *f);

/* The finished bytes: f->n of them. */
static inline const uint8_t *tk_flat_bytes(const struct tk_flat *f)
{
    return f->p + (f->cap - f->n);
}

/* Sees to it that behind `behind` more bytes the place is a multiple of `align`. */
void tk_flat_align(struct tk_flat *f, size_t align, size_t behind);

/* A number of 1, 2, 4 or 8 bytes, aligned to its size. */
void tk_flat_number(struct tk_flat *f, uint64_t v, size_t size);

/* A reference to an object that is there. */
void tk_flat_reference(struct tk_flat *f, size_t place);

/* Bytes with their count and a 0 behind them. The place. */
size_t tk_flat_text(struct tk_flat *f, const char *p, size_t n);

/* References to n objects, in order. The place. */
size_t tk_flat_list(struct tk_flat *f, const size_t *places, size_t n);

/* n structs of `words` numbers of 8 bytes each, in order. The place. */
size_t tk_flat_words(struct tk_flat *f, const uint64_t *v, size_t n, size_t words);

/* A table: begin, fields in any order, end, which gives its place. Objects that it refers to come before. */
void tk_flat_open(struct tk_flat *f);
void tk_flat_field(struct tk_flat *f, unsigned slot, uint64_t v, size_t size);
void tk_flat_field_reference(struct tk_flat *f, unsigned slot, size_t place);
size_t tk_flat_close(struct tk_flat *f);

/* Puts the reference to the root in front; all is then a multiple of 8 bytes. */
void tk_flat_finish(struct tk_flat *f, size_t root);

#endif
