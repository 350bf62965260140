/*
 * A table of texts by their hash, and in front of it one by where they lay: captures give the same text from
 * the same place again and again. See texts.h.
 */
#include "sink/columns/texts.h"

#include "base/err.h"
#include "base/hash.h"

#include <stdlib.h>

enum { FEWEST_SLOTS = 64 };

int tk_texts_init(struct tk_texts *t, struct tk_err *err)
{
    memset(t, 0, sizeof *t);
    t->slots = calloc(FEWEST_SLOTS, sizeof *t->slots);
    t->mask = FEWEST_SLOTS - 1;
    if (!t->slots || tk_buffer_init(&t->bytes, NULL, err))
        return tk_err_nomem(err, "the texts of a column");
    return TK_OK;
}

void tk_texts_release(struct tk_texts *t)
{
    tk_buffer_release(&t->bytes);
    tk_vec_release(&t->places);
    free(t->slots);
    t->slots = NULL;
}

void tk_texts_clear(struct tk_texts *t)
{
    t->bytes.n = t->places.n = 0;
    memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
    memset(t->recent, 0, sizeof t->recent);
}

static uint32_t failed(struct tk_texts *t)
{
    tk_buffer_fail(&t->bytes, tk_err_nomem(t->bytes.err, "the texts of a column"));
    return 0;
}

static uint32_t keep(struct tk_texts *t, const void *p, uint32_t n, uint64_t hash)
{
    const struct tk_text_place place = {t->bytes.n, n, hash};
    tk_buffer_put(&t->bytes, p, n);
    if (t->bytes.status < 0 || tk_vec_push(&t->places, place))
        return failed(t);
    return (uint32_t)(t->places.n - 1);
}

uint32_t tk_texts_append(struct tk_texts *t, const void *p, uint32_t n)
{
    return keep(t, p, n, 0);
}

/* Twice as many slots; false without memory. */
static bool widen(struct tk_texts *t)
{
    const size_t mask = t->mask * 2 + 1;
    uint32_t *slots = calloc(mask + 1, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < t->places.n; i++) {
        size_t at = t->places.v[i].hash & mask;
        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = (uint32_t)i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->mask = mask;
    return true;
}

static bool is_text(const struct tk_texts *t, uint32_t number, const void *p, uint32_t n)
{
    const struct tk_text_place *place = &t->places.v[number];
    return place->n == n && memcmp(t->bytes.p + place->at, p, n) == 0;
}

static uint32_t find(struct tk_texts *t, const void *p, uint32_t n)
{
    const uint64_t hash = tk_hash_bytes(p, n, 0);
    if (t->places.n * 2 > t->mask && !widen(t))
        return failed(t);
    size_t at = hash & t->mask;
    for (; t->slots[at]; at = (at + 1) & t->mask) {
        const uint32_t number = t->slots[at] - 1;
        if (t->places.v[number].hash == hash && is_text(t, number, p, n))
            return number;
    }
    const uint32_t number = keep(t, p, n, hash);
    if (t->bytes.status == TK_OK)
        t->slots[at] = number + 1;
    return number;
}

uint32_t tk_texts_number(struct tk_texts *t, const void *p, uint32_t n)
{
    const size_t slot = ((uintptr_t)p >> 3 ^ (uintptr_t)p >> 12) % TK_TEXTS_RECENT;
    if (t->bytes.status < 0)
        return 0;
    if (n == 0)
        return find(t, "", 0);
    if (t->recent[slot].p == p && t->recent[slot].n == n && is_text(t, t->recent[slot].number, p, n))
        return t->recent[slot].number;
    const uint32_t number = find(t, p, n);
    t->recent[slot].p = p;
    t->recent[slot].n = n;
    t->recent[slot].number = number;
    return t->bytes.status < 0 ? 0 : number;
}
