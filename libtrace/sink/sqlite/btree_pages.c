/*
 * Appends pages to a database file, and keeps its header right: the number of pages, and the counter by which
 * SQLite sees that what it has in memory is old. See btree_pages.h.
 */
#include "sink/sqlite/btree_pages.h"

#include "sink/sqlite/btree_bytes.h"

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
