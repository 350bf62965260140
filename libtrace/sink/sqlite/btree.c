/*
 * Encodes rows as records, with a type for each value, which says how many bytes it has, and no bytes where
 * the type says it all; and writes the B-tree of a table: leaves with rows, pages for what does not fit in a
 * leaf, and the levels of pages above.
 */
#include "sink/sqlite/sqlite_in.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Appends pages to a database file, and keeps its header right: the number of pages, and the counter by which
 * SQLite sees that what it has in memory is old.
 */

/* The header of the file, by offset. */
enum { PAGE_SIZE = 16, RESERVED = 20, COUNTER = 24, PAGES = 28, VALID_FOR = 92, HEADER_BYTES = 100 };

#define LOCKED_BYTE UINT32_C(0x40000000)

/* What SQLite takes where nobody has changed it. */
#define MOST_PAGES UINT32_C(1073741823)

static int read_header(const struct tk_sqlite_pages *p, uint8_t header[HEADER_BYTES])
{
    return p->file->pMethods->xRead(p->file, header, HEADER_BYTES, 0);
}

int tk_sqlite_pages_open(struct tk_sqlite_pages *p, sqlite3 *db)
{
    uint8_t header[HEADER_BYTES];
    *p = (struct tk_sqlite_pages){0};
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &p->file);
    if (rc == SQLITE_OK)
        rc = read_header(p, header);
    if (rc != SQLITE_OK)
        return rc;
    p->size = tk_btree_get16(header + PAGE_SIZE);
    if (p->size == 1)
        p->size = 1 << 16;
    p->usable = p->size - header[RESERVED];
    p->locked = LOCKED_BYTE / p->size + 1;
    p->count = tk_btree_get32(header + PAGES);
    return SQLITE_OK;
}

int tk_sqlite_pages_lend(struct tk_sqlite_pages *p)
{
    uint8_t header[HEADER_BYTES];
    if (!p->ahead)
        return SQLITE_OK;
    int rc = read_header(p, header);
    if (rc != SQLITE_OK)
        return rc;
    const uint32_t counter = tk_btree_get32(header + COUNTER) + 1;
    tk_btree_put32(header + COUNTER, counter);
    tk_btree_put32(header + VALID_FOR, counter);
    tk_btree_put32(header + PAGES, p->count);
    p->ahead = false;
    return p->file->pMethods->xWrite(p->file, header, HEADER_BYTES, 0);
}

int tk_sqlite_pages_take(struct tk_sqlite_pages *p)
{
    uint8_t header[HEADER_BYTES];
    int rc = read_header(p, header);
    if (rc == SQLITE_OK)
        p->count = tk_btree_get32(header + PAGES);
    return rc;
}

int tk_sqlite_pages_put(struct tk_sqlite_pages *p, uint32_t number, const uint8_t *page)
{
    p->ahead = true;
    return p->file->pMethods->xWrite(p->file, page, (int)p->size, (sqlite3_int64)(number - 1) * p->size);
}

int tk_sqlite_pages_append(struct tk_sqlite_pages *p, const uint8_t *page, uint32_t *number)
{
    const uint32_t next = tk_sqlite_pages_after(p, p->count);
    if (next > MOST_PAGES)
        return SQLITE_FULL;
    p->count = next;
    if (number)
        *number = next;
    return tk_sqlite_pages_put(p, next, page);
}

/* SQLite's limit where nobody has changed it. */
#define LONGEST_RECORD UINT64_C(1000000000)

int tk_sqlite_record_open(struct tk_sqlite_record *r)
{
    return tk_buffer_init(&r->types, NULL, NULL) || tk_buffer_init(&r->body, NULL, NULL) ? -1 : 0;
}

void tk_sqlite_record_release(struct tk_sqlite_record *r)
{
    tk_buffer_release(&r->types);
    tk_buffer_release(&r->body);
}

/* ---- values ---- */

static void put_real(struct tk_sqlite_record *r, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    tk_sqlite_record_number(r, TK_BTREE_REAL, bits);
}

void tk_sqlite_record_whole(struct tk_sqlite_record *r, int64_t v, enum tk_sqlite_affinity affinity)
{
    if (affinity == TK_SQLITE_REAL && tk_btree_type_of_int(v) == TK_BTREE_INT64)
        put_real(r, (double)v);
    else
        tk_sqlite_record_int(r, v);
}

/* SQLite takes neither of the limits for a whole number. */
static bool is_whole(double v)
{
    return v > -0x1p63 && v < 0x1p63 && (double)(int64_t)v == v;
}

void tk_sqlite_record_real(struct tk_sqlite_record *r, double v, enum tk_sqlite_affinity affinity)
{
    if (isnan(v))
        tk_sqlite_record_null(r);
    else if (affinity != TK_SQLITE_AS_IS && is_whole(v))
        tk_sqlite_record_whole(r, (int64_t)v, affinity);
    else
        put_real(r, v);
}

void tk_sqlite_record_bytes(struct tk_sqlite_record *r, const void *p, size_t n, bool text)
{
    uint8_t *type = (uint8_t *)tk_buffer_space(&r->types, TK_BTREE_LONGEST_VARINT);
    r->types.n += tk_btree_put_varint(type, 2 * (uint64_t)n + (text ? TK_BTREE_TEXT : TK_BTREE_BLOB));
    tk_buffer_put(&r->body, p, n);
}

/* ---- the whole ---- */

/* Bytes of the head: its own length, which counts itself, and the types. */
static size_t head_size(const struct tk_sqlite_record *r)
{
    size_t n = r->types.n + 1;
    while (n < r->types.n + tk_btree_varint_size(n))
        n++;
    return n;
}

size_t tk_sqlite_record_size(const struct tk_sqlite_record *r)
{
    return head_size(r) + r->body.n;
}

int tk_sqlite_record_check(const struct tk_sqlite_record *r)
{
    if (r->types.status < 0 || r->body.status < 0)
        return SQLITE_NOMEM;
    return tk_sqlite_record_size(r) > LONGEST_RECORD ? SQLITE_TOOBIG : SQLITE_OK;
}

/* Copies of n bytes of a piece those that lie between *from and *from + *left. */
static void copy_part(const void *piece, size_t n, size_t *from, uint8_t **out, size_t *left)
{
    if (*from >= n) {
        *from -= n;
        return;
    }
    const size_t bytes = n - *from < *left ? n - *from : *left;
    memcpy(*out, (const uint8_t *)piece + *from, bytes);
    *out += bytes;
    *left -= bytes;
    *from = 0;
}

void tk_sqlite_record_copy(const struct tk_sqlite_record *r, size_t from, uint8_t *out, size_t n)
{
    uint8_t length[TK_BTREE_LONGEST_VARINT];
    copy_part(length, tk_btree_put_varint(length, head_size(r)), &from, &out, &n);
    copy_part(r->types.p, r->types.n, &from, &out, &n);
    copy_part(r->body.p, r->body.n, &from, &out, &n);
}

/* ---- binding ---- */

static uint64_t get_type(const uint8_t **p)
{
    uint64_t v = 0;
    do
        v = v << 7 | (**p & 0x7f);
    while (*(*p)++ & 0x80);
    return v;
}

/* Of 1 to 8 bytes. There is space for 8 wherever a number is (tk_sqlite_record_number). */
static uint64_t get_number(const uint8_t *p, unsigned bytes)
{
    const uint64_t v = (uint64_t)tk_btree_get32(p) << 32 | tk_btree_get32(p + 4);
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return ((v >> (64 - 8 * bytes)) ^ sign) - sign;
}

static int bind_bytes(sqlite3_stmt *stmt, int at, uint64_t type, const uint8_t *p, uint64_t n)
{
    return type & 1 ? sqlite3_bind_text(stmt, at, (const char *)p, (int)n, SQLITE_TRANSIENT)
                    : sqlite3_bind_blob64(stmt, at, p, n, SQLITE_TRANSIENT);
}

static int bind_real(sqlite3_stmt *stmt, int at, uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return sqlite3_bind_double(stmt, at, v);
}

/* Binds a value; *body moves behind its bytes. */
static int bind_value(sqlite3_stmt *stmt, int at, uint64_t type, const uint8_t **body)
{
    const uint8_t *p = *body;
    if (type == TK_BTREE_NULL)
        return sqlite3_bind_null(stmt, at);
    if (type <= TK_BTREE_REAL) {
        const unsigned bytes = tk_btree_bytes[type];
        const uint64_t v = get_number(p, bytes);
        *body += bytes;
        return type == TK_BTREE_REAL ? bind_real(stmt, at, v) : sqlite3_bind_int64(stmt, at, (int64_t)v);
    }
    if (type < TK_BTREE_BLOB)
        return sqlite3_bind_int64(stmt, at, (int64_t)type - TK_BTREE_ZERO);
    const uint64_t n = (type - TK_BTREE_BLOB) / 2;
    *body += n;
    return bind_bytes(stmt, at, type, p, n);
}

int tk_sqlite_record_bind(const struct tk_sqlite_record *r, sqlite3_stmt *stmt, int *at)
{
    const uint8_t *type = (const uint8_t *)r->types.p, *end = type + r->types.n;
    const uint8_t *body = (const uint8_t *)r->body.p;
    int rc = SQLITE_OK;
    while (type < end && rc == SQLITE_OK)
        rc = bind_value(stmt, (*at)++, get_type(&type), &body);
    return rc;
}

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
