/*
 * Lists of the members of archives.
 *
 * A ZIP has its list at the end: "PK\5\6", how many members there are, and where the list begins; where that
 * does not fit in 32 bits, "PK\6\7" in front of it leads to "PK\6\6" with 64 bits. A TAR has a block of 512
 * bytes in front of each member, with a checksum; numbers are octal, or binary behind a byte 0x80; a name
 * that does not fit is in a member in front, of type L or x.
 */
#include "base/cursor.h"
#include "base/health/health.h"
#include "io/archive.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, MOST_NAME = 4096, TAR_MAGIC = 257 };

bool tk_archive_is(const uint8_t *head, size_t n)
{
    return (n >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0)) ||
           (n >= BLOCK && memcmp(head + TAR_MAGIC, "ustar", 5) == 0);
}

void tk_archive_release(struct tk_archive *a)
{
    for (size_t i = 0; i < a->members.n; i++)
        free(a->members.v[i].name);
    tk_vec_release(&a->members);
}

bool tk_archive_is_hidden(const struct tk_archive_member *m)
{
    return m->name[0] == '.' || strstr(m->name, "/.");
}

/* Adds a member; of a folder there is none. */
static int add(struct tk_archive *a, const uint8_t *name, size_t n, const struct tk_archive_member *m,
               const struct tk_limits *limits, struct tk_err *err)
{
    struct tk_archive_member member = *m;
    while (n > 2 && name[0] == '.' && name[1] == '/')
        name += 2, n -= 2;
    if (n && n <= MOST_NAME && name[n - 1] == '/')
        return TK_OK;
    if (!n || n > MOST_NAME || memchr(name, 0, n))
        return tk_err_set(
            err, TK_EFORMAT,
            "the %s archive has a file whose name is empty, has a zero byte or more than %d bytes; "
            "unpack it first",
            a->kind, MOST_NAME);
    if (a->members.n >= limits->members)
        return tk_err_limit(err, TK_LIMIT_members, "the %s archive has more than %llu files", a->kind,
                            (unsigned long long)limits->members);
    if (!(member.name = malloc(n + 1)))
        return tk_err_nomem(err, "the list of an archive");
    memcpy(member.name, name, n);
    member.name[n] = 0;
    if (tk_vec_push(&a->members, member)) {
        free(member.name);
        return tk_err_nomem(err, "the list of an archive");
    }
    return TK_OK;
}

/* n bytes of the file; TK_ITEM, TK_OK where they are not there, negative. */
static int bytes_at(const struct tk_file *f, uint64_t at, void *p, size_t n, struct tk_err *err)
{
    size_t got = 0;
    int rc = tk_file_read(f, at, p, n, &got, err);
    return rc < 0 ? rc : got == n ? TK_ITEM : TK_OK;
}

/* ---- ZIP ---- */

enum {
    END = 22, /* bytes of what is at the end, without a comment */
    MOST_END = END + 65535,
    LOCATOR = 20,
    END64 = 56,
    ENTRY = 46,
    LOCAL = 30
};

struct zip_list {
    uint64_t count, size, at;
};

static int damaged_zip(struct tk_err *err, const char *what)
{
    return tk_err_set(err, TK_EFORMAT, "the ZIP archive is damaged or its end is missing: %s", what);
}

static int read_end64(const struct tk_file *f, uint64_t end, struct zip_list *list, struct tk_err *err)
{
    uint8_t p[END64];
    if (end < LOCATOR)
        return TK_OK;
    int rc = bytes_at(f, end - LOCATOR, p, LOCATOR, err);
    if (rc != TK_ITEM || memcmp(p, "PK\6\7", 4) != 0)
        return rc < 0 ? rc : TK_OK;
    rc = bytes_at(f, tk_load64(p + 8), p, END64, err);
    if (rc < 0)
        return rc;
    if (rc != TK_ITEM || memcmp(p, "PK\6\6", 4) != 0)
        return damaged_zip(err, "the place of its list is wrong");
    *list = (struct zip_list){tk_load64(p + 32), tk_load64(p + 40), tk_load64(p + 48)};
    return TK_OK;
}

/* Behind the last mark whose comment ends with the file. */
static const uint8_t *find_end(const uint8_t *p, size_t n)
{
    for (size_t i = n >= END ? n - END + 1 : 0; i-- > 0;)
        if (memcmp(p + i, "PK\5\6", 4) == 0 && tk_load16(p + i + 20) == n - i - END)
            return p + i;
    return NULL;
}

static int read_end(const struct tk_file *f, struct zip_list *list, struct tk_err *err)
{
    const uint64_t size = tk_file_size(f);
    const size_t n = size < MOST_END ? (size_t)size : MOST_END;
    uint8_t *p = malloc(n + 1);
    if (!p)
        return tk_err_nomem(err, "the list of an archive");
    int rc = bytes_at(f, size - n, p, n, err);
    const uint8_t *end = rc == TK_ITEM ? find_end(p, n) : NULL;
    if (rc >= 0 && !end)
        rc = damaged_zip(err, "it has no list of members");
    if (end) {
        *list = (struct zip_list){tk_load16(end + 10), tk_load32(end + 12), tk_load32(end + 16)};
        rc = read_end64(f, size - n + (uint64_t)(end - p), list, err);
    }
    free(p);
    return rc < 0 ? rc : TK_OK;
}

/* Of numbers that do not fit, 0xffffffff in an entry, those of 64 bits. */
static void take_wide(struct tk_archive_member *m, struct tk_cur extra)
{
    while (tk_cur_left(&extra) >= 4) {
        const uint16_t id = tk_u16(&extra, "field");
        struct tk_cur field = tk_sub(&extra, tk_u16(&extra, "field"), "field");
        if (id != 1)
            continue;
        uint64_t *const wide[] = {&m->size, &m->stored, &m->at};
        for (size_t i = 0; i < 3; i++)
            if (*wide[i] == UINT32_MAX)
                *wide[i] = tk_u64(&field, "number");
    }
}

/* An entry of the list and where the next one begins. */
static int add_entry(struct tk_archive *a, const struct tk_file *f, uint64_t *at, uint8_t *rest,
                     const struct tk_limits *limits, struct tk_err *err)
{
    uint8_t p[ENTRY];
    int rc = bytes_at(f, *at, p, ENTRY, err);
    if (rc != TK_ITEM || memcmp(p, "PK\1\2", 4) != 0)
        return rc < 0 ? rc : damaged_zip(err, "an entry of its list");
    const size_t n_name = tk_load16(p + 28), n_extra = tk_load16(p + 30);
    rc = bytes_at(f, *at + ENTRY, rest, n_name + n_extra, err);
    if (rc != TK_ITEM)
        return rc < 0 ? rc : damaged_zip(err, "an entry of its list");
    struct tk_archive_member m = {.at = tk_load32(p + 42),
                                  .stored = tk_load32(p + 20),
                                  .size = tk_load32(p + 24),
                                  .crc = tk_load32(p + 16),
                                  .method = tk_load16(p + 10),
                                  .of_zip = true,
                                  .locked = p[8] & 1};
    take_wide(&m, tk_cur_of(rest + n_name, n_extra));
    *at += ENTRY + n_name + n_extra + tk_load16(p + 32);
    const uint64_t size = tk_file_size(f);
    if (m.at > size || LOCAL > size - m.at || m.stored > size - m.at - LOCAL)
        return damaged_zip(err, "a member lies behind its end");
    return add(a, rest, n_name, &m, limits, err);
}

static int list_zip(struct tk_archive *a, const struct tk_file *f, const struct tk_limits *limits,
                    struct tk_err *err)
{
    struct zip_list list = {0, 0, 0};
    int rc = read_end(f, &list, err);
    uint8_t *rest = rc == TK_OK ? malloc((size_t)2 * UINT16_MAX) : NULL;
    if (rc == TK_OK && !rest)
        return tk_err_nomem(err, "the list of an archive");
    /* each entry takes ENTRY bytes of the file, so that its end bounds them */
    for (uint64_t i = 0, at = list.at; i < list.count && rc == TK_OK; i++)
        rc = add_entry(a, f, &at, rest, limits, err);
    free(rest);
    return rc;
}

/* ---- TAR ---- */

/* Octal digits behind blanks, or a number of 64 bits behind 0x80. UINT64_MAX: neither. */
static uint64_t tar_number(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    if (p[0] & 0x80) {
        for (size_t i = 1; i < n; i++) {
            if (v >> 55)
                return UINT64_MAX;
            v = v << 8 | p[i];
        }
        return p[0] == 0x80 ? v : UINT64_MAX;
    }
    size_t i = 0;
    while (i < n && p[i] == ' ')
        i++;
    for (; i < n && p[i] >= '0' && p[i] <= '7'; i++)
        v = v << 3 | (uint64_t)(p[i] - '0');
    return i < n && p[i] && p[i] != ' ' ? UINT64_MAX : v;
}

static bool is_block(const uint8_t *p)
{
    enum { SUM = 148, SUM_BYTES = 8 };
    uint64_t sum = 0;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM && i < SUM + SUM_BYTES ? ' ' : p[i];
    return sum == tar_number(p + SUM, SUM_BYTES);
}

static size_t text_length(const uint8_t *p, size_t n)
{
    const uint8_t *end = memchr(p, 0, n);
    return end ? (size_t)(end - p) : n;
}

/* What a member in front says of the next one. */
struct tar_next {
    uint8_t name[MOST_NAME];
    size_t n_name; /* 0: nothing; above MOST_NAME: it is too long */
    bool has_size;
    uint64_t size;
};

static void take_name(struct tar_next *next, const uint8_t *p, size_t n)
{
    next->n_name = n;
    if (n && n <= MOST_NAME)
        memcpy(next->name, p, n);
}

/* Lines "LENGTH KEY=VALUE\n". */
static void take_pax(struct tar_next *next, const uint8_t *p, size_t n)
{
    while (n) {
        uint64_t length = 0;
        size_t i = 0;
        for (; i < n && i < 10 && p[i] >= '0' && p[i] <= '9'; i++)
            length = length * 10 + (uint64_t)(p[i] - '0');
        if (i == n || p[i] != ' ' || length > n || length < i + 3 || p[length - 1] != '\n')
            return;
        const uint8_t *key = p + i + 1, *end = p + length - 1;
        if (end - key > 5 && memcmp(key, "path=", 5) == 0)
            take_name(next, key + 5, (size_t)(end - key) - 5);
        if (end - key > 5 && memcmp(key, "size=", 5) == 0) {
            next->size = 0;
            next->has_size = true;
            for (key += 5; key < end && *key >= '0' && *key <= '9' && next->size < UINT64_MAX / 16; key++)
                next->size = next->size * 10 + (uint64_t)(*key - '0');
        }
        p += length;
        n -= (size_t)length;
    }
}

/* The content of a member that describes the next one. */
static int take_description(struct tar_next *next, const struct tk_file *f, char type, uint64_t at,
                            uint64_t size, struct tk_err *err)
{
    enum { MOST = 64 << 10 };
    const size_t n = size < MOST ? (size_t)size : MOST;
    size_t got = 0;
    uint8_t *p = malloc(n + 1);
    if (!p)
        return tk_err_nomem(err, "the list of an archive");
    const int rc = tk_file_read(f, at, p, n, &got, err);
    if (rc == TK_OK && type == 'L')
        take_name(next, p, text_length(p, got));
    else if (rc == TK_OK)
        take_pax(next, p, got);
    free(p);
    return rc;
}

/* The name in a block: of ustar with what is in front of it. */
static size_t block_name(const uint8_t *block, uint8_t name[BLOCK])
{
    enum { NAME = 100, PREFIX = 345, PREFIX_BYTES = 155 };
    size_t n = memcmp(block + TAR_MAGIC, "ustar", 6) == 0 ? text_length(block + PREFIX, PREFIX_BYTES) : 0;
    memcpy(name, block + PREFIX, n);
    if (n)
        name[n++] = '/';
    const size_t m = text_length(block, NAME);
    memcpy(name + n, block, m);
    return n + m;
}

/* The member that a block begins, and where the next one is. TK_ITEM, or negative. */
static int take_block(struct tk_archive *a, const struct tk_file *f, const uint8_t *block, uint64_t *at,
                      struct tar_next *next, const struct tk_limits *limits, struct tk_err *err)
{
    enum { SIZE = 124, TYPE = 156 };
    const char type = (char)block[TYPE];
    const bool is_file = !type || type == '0' || type == '7', describes = type == 'L' || type == 'x';
    const bool is_empty = type >= '1' && type <= '6';
    uint8_t name[BLOCK];
    uint64_t size = is_empty ? 0 : is_file && next->has_size ? next->size : tar_number(block + SIZE, 12);
    const uint64_t content = *at + BLOCK, left = tk_file_size(f) - content;
    int rc = TK_OK;
    const bool cut = size > left;
    size = cut ? left : size;
    *at = content + size;
    if (*at % BLOCK)
        *at += BLOCK - *at % BLOCK;
    if (describes)
        return (rc = take_description(next, f, type, content, size, err)) < 0 ? rc : TK_ITEM;
    if (is_file) {
        const struct tk_archive_member m = {.at = content, .stored = size, .size = size, .cut = cut};
        const size_t n = next->n_name ? next->n_name : block_name(block, name);
        rc = add(a, next->n_name ? next->name : name, n, &m, limits, err);
    }
    if (is_file || is_empty) {
        next->n_name = 0;
        next->has_size = false;
    }
    return rc < 0 ? rc : TK_ITEM;
}

static int list_tar(struct tk_archive *a, const struct tk_file *f, const struct tk_limits *limits,
                    struct tk_err *err)
{
    struct tar_next *next = calloc(1, sizeof *next);
    uint8_t block[BLOCK];
    uint64_t at = 0;
    int rc = next ? TK_ITEM : tk_err_nomem(err, "the list of an archive");
    while (rc == TK_ITEM && at < tk_file_size(f)) {
        rc = bytes_at(f, at, block, BLOCK, err);
        if (rc == TK_ITEM && tk_zeros(block, BLOCK) == BLOCK)
            rc = TK_OK;
        else if (rc == TK_ITEM && !is_block(block))
            rc = tk_err_set(err, TK_EFORMAT, "the TAR archive is damaged at byte %llu",
                            (unsigned long long)at);
        else if (rc == TK_ITEM)
            rc = take_block(a, f, block, &at, next, limits, err);
    }
    free(next);
    return rc < 0 ? rc : TK_OK;
}

int tk_archive_list(struct tk_archive *out, const struct tk_file *f, const struct tk_limits *limits,
                    struct tk_err *err)
{
    uint8_t head[4];
    *out = (struct tk_archive){.kind = "TAR"};
    const int rc = bytes_at(f, 0, head, sizeof head, err);
    if (rc < 0)
        return rc;
    if (rc == TK_ITEM && head[0] == 'P') /* a TAR whose first name begins so has no such bytes behind it */
        out->kind = memcmp(head, "PK", 2) == 0 && head[2] < 8 ? "ZIP" : "TAR";
    return out->kind[0] == 'Z' ? list_zip(out, f, limits, err) : list_tar(out, f, limits, err);
}
