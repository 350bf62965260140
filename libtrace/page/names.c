/*
 * Names: see names.h.
 */
#include "page/names.h"

#include <stdlib.h>

void tk_names_release(struct tk_names *names)
{
    tk_intern_release(&names->texts);
    tk_vec_release(&names->list);
    free(names->slots);
    names->slots = NULL;
    names->room = 0;
}

/* Where the number of an interned text is, or belongs. The order of addresses decides nothing but speed. */
static uint32_t *slot_of(const struct tk_names *names, const struct tk_str *text)
{
    size_t at = (size_t)((uint64_t)(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (names->room - 1);
    while (names->slots[at] && names->list.v[names->slots[at] - 1] != text)
        at = (at + 1) & (names->room - 1);
    return &names->slots[at];
}

/* At most half of the slots are taken. */
static int make_room(struct tk_names *names)
{
    if (2 * (names->list.n + 1) <= names->room)
        return 0;
    const size_t room = names->room ? 2 * names->room : 256;
    uint32_t *slots = calloc(room, sizeof *slots);
    if (!slots)
        return -1;
    free(names->slots);
    names->slots = slots;
    names->room = room;
    for (size_t i = 0; i < names->list.n; i++)
        *slot_of(names, names->list.v[i]) = (uint32_t)i + 1;
    return 0;
}

int64_t tk_names_number(struct tk_names *names, struct tk_str text)
{
    const struct tk_str *known = tk_intern(&names->texts, text.p, text.n, (enum tk_encoding)text.enc);
    if (!known || make_room(names))
        return -1;
    uint32_t *slot = slot_of(names, known);
    if (!*slot) {
        if (tk_vec_push(&names->list, known))
            return -1;
        *slot = (uint32_t)names->list.n;
    }
    return *slot - 1;
}

/* Characters of a name so that all of them take no more than `most` bytes, or hardly more. */
static size_t characters_of(const struct tk_names *names, size_t most)
{
    enum { LEAST = 8 };
    size_t all = 0;
    for (size_t i = 0; i < names->list.n; i++)
        all += names->list.v[i]->n < TK_MARKUP_NAME ? names->list.v[i]->n : TK_MARKUP_NAME;
    if (!most || all <= most)
        return TK_MARKUP_NAME;
    return most / names->list.n > LEAST ? most / names->list.n : LEAST;
}

void tk_names_put(const struct tk_names *names, size_t most, struct tk_markup *m)
{
    const size_t each = characters_of(names, most);
    tk_markup_put(m, "[");
    for (size_t i = 0; i < names->list.n; i++) {
        if (i)
            tk_markup_put(m, ",");
        tk_markup_json_text(m, *names->list.v[i], each);
    }
    tk_markup_put(m, "]");
}
