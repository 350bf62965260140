/*
 * The captures of a store: see listing.h.
 */
#include "live/listing.h"

#include "base/hash.h"
#include "os/folder.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ending[] = ".utrace";

enum { ENDING = sizeof ending - 1 };

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
    const size_t n = strlen(file), room = strlen(folder) + n + 2;
    struct tk_store_capture c = {0};
    struct tk_os_info info;
    if (n <= ENDING || strcmp(file + n - ENDING, ending) != 0)
        return true;
    char *path = malloc(room);
    if (!path)
        return false;
    snprintf(path, room, "%s/%s", folder, file);
    const bool there = tk_os_path_link_info(path, &info).error == TK_OS_OK && info.kind == TK_OS_FILE;
    free(path);
    if (!there)
        return true;
    c.size = info.size;
    c.modified = info.modified;
    c.name = malloc(n - ENDING + 1);
    if (!c.name || tk_vec_push(&l->captures, c)) {
        free(c.name);
        return false;
    }
    memcpy(c.name, file, n - ENDING);
    c.name[n - ENDING] = '\0';
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
    struct tk_store_listing now = {0};
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
