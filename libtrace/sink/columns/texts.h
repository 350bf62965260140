/*
 * The texts of a column, each kept once, with a number in order of their coming. Groups of rows keep the
 * numbers; writers make dictionaries of them.
 */
#ifndef TK_SINK_COLUMNAR_TEXTS_H
#define TK_SINK_COLUMNAR_TEXTS_H

#include "base/vec.h"
#include "sink/write/buffer.h"

#define TK_TEXTS_RECENT 512

struct tk_text_place {
    size_t at; /* in the bytes */
    uint32_t n;
    uint64_t hash;
};

struct tk_texts {
    struct tk_buffer bytes; /* one behind the other; its status is that of all */
    TK_VEC(struct tk_text_place) places;
    uint32_t *slots; /* owned: numbers + 1 at or behind hash & mask; 0: empty */
    size_t mask;
    struct {
        const void *p; /* where a text lay that came not long ago; what lies there now may be another one */
        uint32_t n, number;
    } recent[TK_TEXTS_RECENT];
};

/* TK_OK or TK_ENOMEM. */
int tk_texts_init(struct tk_texts *t, struct tk_err *err);
void tk_texts_release(struct tk_texts *t);

/* Forgets all of them. */
void tk_texts_clear(struct tk_texts *t);

/* The number of n bytes; with a failure, which stays in bytes.status, 0. */
uint32_t tk_texts_number(struct tk_texts *t, const void *p, uint32_t n);

/* Keeps n bytes without looking whether they are there: for what hardly comes twice. */
uint32_t tk_texts_append(struct tk_texts *t, const void *p, uint32_t n);

static inline struct tk_str tk_texts_at(const struct tk_texts *t, size_t number)
{
    const struct tk_text_place *place = &t->places.v[number];
    return (struct tk_str){.p = t->bytes.p + place->at, .n = place->n};
}

#endif
