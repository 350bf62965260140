/*
 * Items of a timeline that are copied with their texts from where they stand for a moment, so that others can
 * work on them later. The items beside and apart are made of them.
 */
#ifndef TK_EXPORT_ITEM_PIECE_H
#define TK_EXPORT_ITEM_PIECE_H

#include "table/timeline.h"

#include <stdbool.h>

/* Zero-initialised it is empty, and may be released. */
struct tk_item_piece {
    struct tk_item *items; /* owned */
    size_t n;
    struct tk_str *texts; /* owned */
    size_t n_texts;
    char *bytes; /* owned */
    size_t n_bytes;
};

/* false: out of memory. */
bool tk_item_piece_init(struct tk_item_piece *p);
void tk_item_piece_release(struct tk_item_piece *p);

static inline void tk_item_piece_clear(struct tk_item_piece *p)
{
    p->n = p->n_texts = p->n_bytes = 0;
}

/* Cannot a copy of it stand alone? */
bool tk_item_is_deep(const struct tk_item *item);

/* Copies an item that is not deep; name: what to have for its name, NULL: a copy. NULL: the piece has no room
 * for it, and stays as it was. */
const struct tk_item *tk_item_piece_copy(struct tk_item_piece *p, const struct tk_item *item,
                                         const struct tk_str *name);

#endif
