/*
 * Writes the B-tree of a table: leaves with rows, pages for what does not fit in a leaf, and the levels of
 * pages above.
 */
#include "sink/sqlite/sqlite_in.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of pages, and their heads: kind, first free block, cells, where their content begins, free bytes
 * between them and, above the leaves, the child on the right. */
enum {
    LEAF = 13,
    INTERIOR = 5,
    CELLS_AT = 3,
    CONTENT_AT = 5,
    RIGHT_AT = 8,
    LEAF_HEAD = 8,
    INTERIOR_HEAD = 12
};

enum { POINTER = 2, CHILD = 4 /* also of the rest of a row */ };

void tk_sqlite_tree_open(struct tk_sqlite_tree *t, struct tk_sqlite_pages *pages, uint32_t root)
{
    *t = (struct tk_sqlite_tree){.pages = pages, .root = root, .content = pages->usable};
}

void tk_sqlite_tree_release(struct tk_sqlite_tree *t)
{
    for (unsigned i = 0; i < TK_BTREE_LEVELS; i++)
        free(t->levels[i].page);
    free(t->leaf);
    free(t->spill);
    *t = (struct tk_sqlite_tree){0};
}

/* A page, unless there is one. */
static int make_page(const struct tk_sqlite_tree *t, uint8_t **page)
{
    if (!*page)
        *page = calloc(1, t->pages->size);
    return *page ? SQLITE_OK : SQLITE_NOMEM;
}

/* Puts the head, and nothing where no cell is. */
static void close_page(uint8_t *page, uint8_t kind, unsigned head, uint32_t cells, uint32_t content)
{
    const uint32_t end = head + cells * POINTER;
    memset(page, 0, head);
    memset(page + end, 0, content - end);
    page[0] = kind;
    tk_btree_put16(page + CELLS_AT, cells);
    tk_btree_put16(page + CONTENT_AT, content & 0xffff);
}

/* The last page has got a number; or it is the root. */
static int write_page(struct tk_sqlite_tree *t, const uint8_t *page, uint32_t *number)
{
    return number ? tk_sqlite_pages_append(t->pages, page, number)
                  : tk_sqlite_pages_put(t->pages, t->root, page);
}

/* ---- levels ---- */

static void put_cell(struct tk_sqlite_level *l, uint32_t child, int64_t key)
{
    uint8_t cell[CHILD + TK_BTREE_LONGEST_VARINT];
    tk_btree_put32(cell, child);
    const uint32_t n = CHILD + tk_btree_put_varint(cell + CHILD, (uint64_t)key);
    l->content -= n;
    memcpy(l->page + l->content, cell, n);
    tk_btree_put16(l->page + INTERIOR_HEAD + POINTER * l->cells++, l->content);
    l->before = key;
}

static bool has_space(const struct tk_sqlite_level *l, int64_t key)
{
    return l->content - INTERIOR_HEAD - POINTER * l->cells >=
           POINTER + CHILD + tk_btree_varint_size((uint64_t)key);
}

static int write_level(struct tk_sqlite_tree *t, struct tk_sqlite_level *l, uint32_t right, uint32_t *number)
{
    close_page(l->page, INTERIOR, INTERIOR_HEAD, l->cells, l->content);
    tk_btree_put32(l->page + RIGHT_AT, right);
    return write_page(t, l->page, number);
}

/* Writes a page that is full. The child of its last cell becomes the one on the right, so that the last child
 * is left for the next page, none of which is without a cell. */
static int write_full(struct tk_sqlite_tree *t, struct tk_sqlite_level *l, uint32_t *number)
{
    const uint8_t *last = l->page + l->content;
    const uint32_t right = tk_btree_get32(last);
    l->content += CHILD + tk_btree_varint_size((uint64_t)l->before);
    l->cells--;
    const int rc = write_level(t, l, right, number);
    l->cells = 0;
    l->content = t->pages->usable;
    return rc;
}

static int open_level(struct tk_sqlite_tree *t, struct tk_sqlite_level *l)
{
    if (l == t->levels + TK_BTREE_LEVELS)
        return SQLITE_FULL;
    if (!l->page)
        l->content = t->pages->usable;
    return make_page(t, &l->page);
}

/* Adds a page with rows up to `key` to the first level, and to those above what becomes full. */
static int add_child(struct tk_sqlite_tree *t, struct tk_sqlite_level *l, uint32_t child, int64_t key)
{
    for (bool full = true; full; l++) {
        const int64_t before = l->before;
        uint32_t number = 0;
        int rc = open_level(t, l);
        if (rc != SQLITE_OK)
            return rc;
        full = l->child && !has_space(l, l->key);
        if (full)
            rc = write_full(t, l, &number);
        if (rc != SQLITE_OK)
            return rc;
        if (l->child)
            put_cell(l, l->child, l->key);
        l->child = child;
        l->key = key;
        child = number;
        key = before;
    }
    return SQLITE_OK;
}

/* ---- leaves ---- */

static int write_leaf(struct tk_sqlite_tree *t, uint32_t *number)
{
    close_page(t->leaf, LEAF, LEAF_HEAD, t->cells, t->content);
    t->cells = 0;
    t->content = t->pages->usable;
    return write_page(t, t->leaf, number);
}

static int end_leaf(struct tk_sqlite_tree *t)
{
    uint32_t number;
    const int rc = write_leaf(t, &number);
    return rc == SQLITE_OK ? add_child(t, t->levels, number, t->last) : rc;
}

/* Bytes of a row that are in its leaf; the others are in pages of their own. */
static uint32_t bytes_in_leaf(const struct tk_sqlite_tree *t, size_t bytes)
{
    const uint32_t usable = t->pages->usable, most = usable - 35, least = (usable - 12) * 32 / 255 - 23;
    if (bytes <= most)
        return (uint32_t)bytes;
    const uint32_t n = least + (uint32_t)((bytes - least) % (usable - CHILD));
    return n <= most ? n : least;
}

/* Writes the rest of a row, from a byte on, each page with the number of the next one in front. */
static int write_rest(struct tk_sqlite_tree *t, const struct tk_sqlite_record *record, size_t from,
                      size_t bytes)
{
    const size_t most = t->pages->usable - CHILD;
    int rc = make_page(t, &t->spill);
    while (from < bytes && rc == SQLITE_OK) {
        const size_t n = bytes - from < most ? bytes - from : most;
        const uint32_t number = tk_sqlite_pages_after(t->pages, t->pages->count);
        tk_btree_put32(t->spill, from + n < bytes ? tk_sqlite_pages_after(t->pages, number) : 0);
        tk_sqlite_record_copy(record, from, t->spill + CHILD, n);
        memset(t->spill + CHILD + n, 0, most - n);
        rc = tk_sqlite_pages_append(t->pages, t->spill, NULL);
        from += n;
    }
    return rc;
}

int tk_sqlite_tree_add(struct tk_sqlite_tree *t, int64_t row, const struct tk_sqlite_record *record)
{
    uint8_t head[2 * TK_BTREE_LONGEST_VARINT];
    const size_t bytes = tk_sqlite_record_size(record);
    const uint32_t here = bytes_in_leaf(t, bytes), rest = here < bytes ? CHILD : 0;
    uint32_t n = tk_btree_put_varint(head, bytes);
    n += tk_btree_put_varint(head + n, (uint64_t)row);
    int rc = make_page(t, &t->leaf);
    if (rc == SQLITE_OK && t->content < LEAF_HEAD + POINTER * (t->cells + 1) + n + here + rest)
        rc = end_leaf(t);
    if (rc != SQLITE_OK)
        return rc;
    t->content -= n + here + rest;
    uint8_t *cell = t->leaf + t->content;
    memcpy(cell, head, n);
    tk_sqlite_record_copy(record, 0, cell + n, here);
    tk_btree_put16(t->leaf + LEAF_HEAD + POINTER * t->cells++, t->content);
    t->last = row;
    if (!rest)
        return SQLITE_OK;
    tk_btree_put32(cell + n + here, tk_sqlite_pages_after(t->pages, t->pages->count));
    return write_rest(t, record, here, bytes);
}

/* ---- the end ---- */

/* Ends the pages of all levels; the highest one is the root. */
static int end_levels(struct tk_sqlite_tree *t)
{
    int rc = end_leaf(t);
    for (struct tk_sqlite_level *l = t->levels; rc == SQLITE_OK; l++) {
        const bool highest = l + 1 == t->levels + TK_BTREE_LEVELS || !l[1].page;
        uint32_t number;
        rc = write_level(t, l, l->child, highest ? NULL : &number);
        if (highest)
            break;
        if (rc == SQLITE_OK)
            rc = add_child(t, l + 1, number, l->key);
    }
    return rc;
}

int tk_sqlite_tree_finish(struct tk_sqlite_tree *t)
{
    if (!t->cells)
        return SQLITE_OK;
    const int rc = t->levels[0].page ? end_levels(t) : write_leaf(t, NULL);
    tk_sqlite_tree_release(t);
    return rc;
}
