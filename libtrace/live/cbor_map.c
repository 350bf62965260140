/*
 * Flat maps of CBOR.
 */
#include "base/hash.h"
#include "live/server.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The captures of a store.
 */

static const char ending[] = ".utrace";

uint32_t tk_store_hash(const char *text, size_t n)
{
    uint32_t h = 5381;
    for (size_t i = 0; i < n; i++)
        h = h * 33 + (uint32_t)(text[i] & 0xFF) - (text[i] & 0x80 ? 0x100u : 0u);
    return h;
}

static int compare(const char *a, size_t n_a, const char *b, size_t n_b)
{
    const int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return order ? order : n_a < n_b ? -1 : n_a > n_b;
}

static int by_name(const void *a, const void *b)
{
    const struct tk_store_capture *x = a, *y = b;
    return compare(x->name, strlen(x->name), y->name, strlen(y->name));
}

const struct tk_store_capture *tk_store_listing_named(const struct tk_store_listing *l, const char *name,
                                                      size_t n)
{
    size_t from = 0, to = l->captures.n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const struct tk_store_capture *c = &l->captures.v[middle];
        const int order = compare(name, n, c->name, strlen(c->name));
        if (order == 0)
            return c;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

const struct tk_store_capture *tk_store_listing_find(const struct tk_store_listing *l, uint32_t id)
{
    for (size_t i = 0; i < l->captures.n; i++)
        if (l->captures.v[i].id == id)
            return &l->captures.v[i];
    return NULL;
}

/* ---- reading the folder ---- */

static bool add(struct tk_store_listing *l, const char *folder, const char *file)
{
    const char *end = l->ending ? l->ending : ending;
    const size_t n = strlen(file), capacity = strlen(folder) + n + 2, stem = n - strlen(end);
    struct tk_store_capture c = {0};
    struct tk_os_info info;
    if (n <= strlen(end) || strcmp(file + stem, end) != 0)
        return true;
    char *path = malloc(capacity);
    if (!path)
        return false;
    snprintf(path, capacity, "%s/%s", folder, file);
    const bool there = tk_os_path_link_info(path, &info).error == TK_OS_OK && info.kind == TK_OS_FILE;
    free(path);
    if (!there)
        return true;
    c.size = info.size;
    c.modified = info.modified;
    c.name = malloc(stem + 1);
    if (!c.name || tk_vec_push(&l->captures, c)) {
        free(c.name);
        return false;
    }
    memcpy(c.name, file, stem);
    c.name[stem] = '\0';
    return true;
}

static bool read_folder(struct tk_store_listing *l, const char *path)
{
    struct tk_os_folder *folder;
    const char *name = NULL;
    if (tk_os_folder_open(&folder, path).error)
        return false;
    bool good = true;
    while (good && l->captures.n < TK_STORE_CAPTURES) {
        good = tk_os_folder_next(folder, &name).error == TK_OS_OK;
        if (!good || !name)
            break;
        good = add(l, path, name);
    }
    tk_os_folder_close(folder);
    return good;
}

/* Ids of those that were there, then those of the others: the hash of the name, or the next one that is free.
 */
static bool give_ids(struct tk_store_listing *l, const struct tk_store_listing *before)
{
    struct tk_map taken = {0};
    bool good = true;
    for (size_t i = 0; i < l->captures.n && good; i++) {
        struct tk_store_capture *c = &l->captures.v[i];
        const struct tk_store_capture *old = tk_store_listing_named(before, c->name, strlen(c->name));
        if (old) {
            c->id = old->id;
            good = tk_map_put(&taken, c->id, 0) == 0;
        }
    }
    for (size_t i = 0; i < l->captures.n && good; i++) {
        struct tk_store_capture *c = &l->captures.v[i];
        if (c->id)
            continue;
        c->id = tk_store_hash(c->name, strlen(c->name));
        while (c->id == 0 || tk_map_get(&taken, c->id) != TK_MAP_NONE)
            c->id++;
        good = tk_map_put(&taken, c->id, 0) == 0;
    }
    tk_map_release(&taken);
    return good;
}

bool tk_store_listing_read(struct tk_store_listing *l, const char *folder)
{
    struct tk_store_listing now = {.ending = l->ending};
    bool good = read_folder(&now, folder);
    if (good && now.captures.n)
        qsort(now.captures.v, now.captures.n, sizeof *now.captures.v, by_name);
    good = good && give_ids(&now, l);
    if (!good) {
        tk_store_listing_release(&now);
        return false;
    }
    for (size_t i = 0; i < now.captures.n; i++)
        now.change_serial += now.captures.v[i].id;
    tk_store_listing_release(l);
    *l = now;
    return true;
}

void tk_store_listing_release(struct tk_store_listing *l)
{
    for (size_t i = 0; i < l->captures.n; i++)
        free(l->captures.v[i].name);
    tk_vec_release(&l->captures);
}

enum { NUMBER = 0, NEGATIVE = 1, BYTES = 2, TEXT = 3, ARRAY = 4, MAP = 5, TAG = 6, SIMPLE = 7 };
enum { UNKNOWN_LENGTH = 31, BREAK = 0xFF, MAP_OPEN = 0xBF };

struct reader {
    const uint8_t *p, *end;
};

/* A head: major type and number. false: the end, or a length that is none. */
static bool read_head(struct reader *r, unsigned *major, uint64_t *value)
{
    if (r->p == r->end)
        return false;
    const unsigned info = *r->p & 31;
    *major = *r->p++ >> 5;
    *value = info;
    if (info < 24)
        return true;
    const size_t bytes = (size_t)1 << (info - 24);
    if (info > 27 || (size_t)(r->end - r->p) < bytes)
        return false;
    *value = 0;
    for (size_t i = 0; i < bytes; i++)
        *value = *value << 8 | *r->p++;
    return true;
}

/* An item that is not made of others. false: the end, or anything else. */
static bool read_item(struct reader *r, struct tk_cbor_item *out)
{
    unsigned major;
    uint64_t value;
    if (!read_head(r, &major, &value) || major == ARRAY || major == MAP || major == TAG)
        return false;
    *out = (struct tk_cbor_item){.value = value};
    if (major == NUMBER || major == NEGATIVE) {
        out->kind = major == NUMBER ? TK_CBOR_NUMBER : TK_CBOR_NEGATIVE;
        return true;
    }
    out->kind = TK_CBOR_OTHER;
    if (major == SIMPLE)
        return true;
    if (value > (uint64_t)(r->end - r->p))
        return false;
    out->kind = TK_CBOR_STRING;
    out->text = (const char *)r->p;
    out->n = (size_t)value;
    r->p += value;
    return true;
}

/* Steps into a map, of known length or not. */
static bool open_map(struct reader *r, const uint8_t *p, size_t n)
{
    unsigned major;
    uint64_t pairs;
    *r = (struct reader){p, p + n};
    if (n > 0 && *p == MAP_OPEN) {
        r->p++;
        return true;
    }
    return read_head(r, &major, &pairs) && major == MAP;
}

bool tk_cbor_is_map(const uint8_t *p, size_t n)
{
    struct reader r;
    return open_map(&r, p, n);
}

bool tk_cbor_find(const uint8_t *p, size_t n, const char *key, struct tk_cbor_item *out)
{
    struct reader r;
    struct tk_cbor_item name;
    const size_t length = strlen(key);
    if (!open_map(&r, p, n))
        return false;
    while (r.p < r.end && *r.p != BREAK && read_item(&r, &name) && read_item(&r, out))
        if (name.kind == TK_CBOR_STRING && name.n == length && memcmp(name.text, key, length) == 0)
            return true;
    return false;
}

bool tk_cbor_find_low(const uint8_t *p, size_t n, const char *key, uint32_t *out)
{
    struct tk_cbor_item item;
    if (!tk_cbor_find(p, n, key, &item) || item.kind > TK_CBOR_NEGATIVE)
        return false;
    *out = (uint32_t)(item.kind == TK_CBOR_NUMBER ? item.value : ~item.value);
    return true;
}

/* ---- writing ---- */

static void put(struct tk_cbor_writer *w, const void *p, size_t n)
{
    w->full |= n > w->capacity - w->n;
    if (w->full)
        return;
    if (n)
        memcpy(w->p + w->n, p, n);
    w->n += n;
}

static void put_head(struct tk_cbor_writer *w, unsigned major, uint64_t value)
{
    uint8_t head[9];
    const unsigned wide = value < 24            ? 0
                          : value <= UINT8_MAX  ? 1
                          : value <= UINT16_MAX ? 2
                          : value <= UINT32_MAX ? 4
                                                : 8;
    const unsigned info = wide == 0 ? (unsigned)value : wide == 1 ? 24 : wide == 2 ? 25 : wide == 4 ? 26 : 27;
    head[0] = (uint8_t)(major << 5 | info);
    for (unsigned i = 0; i < wide; i++)
        head[1 + i] = (uint8_t)(value >> 8 * (wide - 1 - i));
    put(w, head, 1 + wide);
}

static void put_string(struct tk_cbor_writer *w, unsigned major, const char *text, size_t n)
{
    put_head(w, major, n);
    put(w, text, n);
}

void tk_cbor_begin(struct tk_cbor_writer *w)
{
    put(w, &(uint8_t){MAP_OPEN}, 1);
}

void tk_cbor_end(struct tk_cbor_writer *w)
{
    put(w, &(uint8_t){BREAK}, 1);
}

void tk_cbor_put_number(struct tk_cbor_writer *w, const char *key, uint64_t value)
{
    put_string(w, TEXT, key, strlen(key));
    put_head(w, NUMBER, value);
}

void tk_cbor_put_text(struct tk_cbor_writer *w, const char *key, const char *text, size_t n)
{
    put_string(w, TEXT, key, strlen(key));
    put_string(w, TEXT, text, n);
}

void tk_cbor_put_empty_array(struct tk_cbor_writer *w, const char *key)
{
    put_string(w, TEXT, key, strlen(key));
    put_head(w, ARRAY, 0);
}

void tk_cbor_put_request(struct tk_cbor_writer *w, const char *key, const char *text)
{
    put_string(w, BYTES, key, strlen(key));
    put_string(w, BYTES, text, strlen(text));
}

void tk_cbor_put_argument(struct tk_cbor_writer *w, const char *key, uint64_t value)
{
    put_string(w, BYTES, key, strlen(key));
    put_head(w, NUMBER, value);
}
