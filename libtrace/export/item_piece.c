/*
 * Items that are copied to a piece, their texts behind each other. See item_piece.h.
 */
#include "export/item_piece.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1024, TEXTS_OF_ITEM = 3, TEXT_BYTES = 512 << 10 };

bool tk_item_piece_init(struct tk_item_piece *p)
{
    *p = (struct tk_item_piece){.items = calloc(ITEMS, sizeof *p->items),
                                .texts = calloc(ITEMS, TEXTS_OF_ITEM * sizeof *p->texts),
                                .bytes = malloc(TEXT_BYTES)};
    return p->items && p->texts && p->bytes;
}

void tk_item_piece_release(struct tk_item_piece *p)
{
    free(p->items);
    free(p->texts);
    free(p->bytes);
}

bool tk_item_is_deep(const struct tk_item *item)
{
    return item->args || item->value.kind == TK_TEXT || item->value.kind >= TK_BYTES;
}

static bool copy_text(struct tk_item_piece *p, const struct tk_str **text)
{
    const struct tk_str *from = *text;
    if (!from)
        return true;
    if (from->n > TEXT_BYTES - p->n_bytes)
        return false;
    struct tk_str *to = &p->texts[p->n_texts++];
    *to = *from;
    to->p = from->n ? memcpy(p->bytes + p->n_bytes, from->p, from->n) : from->p;
    p->n_bytes += from->n;
    *text = to;
    return true;
}

const struct tk_item *tk_item_piece_copy(struct tk_item_piece *p, const struct tk_item *item,
                                         const struct tk_str *name)
{
    const size_t n_texts = p->n_texts, n_bytes = p->n_bytes;
    if (p->n == ITEMS)
        return NULL;
    struct tk_item *to = &p->items[p->n];
    *to = *item;
    if ((!name && !copy_text(p, &to->name)) || !copy_text(p, &to->category)) {
        p->n_texts = n_texts;
        p->n_bytes = n_bytes;
        return NULL;
    }
    if (name)
        to->name = name;
    if (item->file) { /* its bytes live as long as the reading */
        p->texts[p->n_texts] = *item->file;
        to->file = &p->texts[p->n_texts++];
    }
    p->n++;
    return to;
}
