/*
 * Encodes rows as records: a type for each value, which says how many bytes it has, and no bytes where the
 * type says it all.
 */
#include "sink/sqlite/sqlite_in.h"

#include <math.h>
#include <stdbool.h>
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
