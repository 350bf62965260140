/*
 * The cache of symbols. See symbol_cache.h.
 */
#include "symbols/store/symbol_cache.h"

#include "base/vec.h"
#include "io/output/staging.h"
#include "os/folder.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(2) << 30) /* of all files, unless the environment says otherwise */
enum { MOST_FILES = 100000 };

#if defined(_WIN32)
static const char *const bases[][2] = {{"LOCALAPPDATA", ""}};
#elif defined(__APPLE__)
static const char *const bases[][2] = {{"XDG_CACHE_HOME", ""}, {"HOME", "/Library/Caches"}};
#else
static const char *const bases[][2] = {{"XDG_CACHE_HOME", ""}, {"HOME", "/.cache"}};
#endif

/* Where it begins. */
static bool find_base(char out[TK_CACHE_PATH])
{
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        const char *base = getenv(bases[i][0]);
        if (!base || !*base)
            continue;
        int n = snprintf(out, TK_CACHE_PATH, "%s%s", base, bases[i][1]);
        return n > 0 && n < TK_CACHE_PATH;
    }
    return false;
}

static bool find_folder(char out[TK_CACHE_PATH])
{
    char base[TK_CACHE_PATH];
    if (!find_base(base))
        return false;
    const int n = snprintf(out, TK_CACHE_PATH, "%s/tracekit/symbols", base);
    return n > 0 && n < TK_CACHE_PATH;
}

bool tk_symbol_cache_path(char out[TK_CACHE_PATH], const uint8_t *id, uint32_t n)
{
    if (!find_folder(out))
        return false;
    size_t at = strlen(out);
    if (at + 2 + 2 * (size_t)n >= TK_CACHE_PATH)
        return false;
    out[at++] = '/';
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, 3, "%02x", id[i]);
    return true;
}

/* ---- room ---- */

static uint64_t most_bytes(void)
{
    const char *text = getenv("TRACEKIT_CACHE_SIZE");
    char *end = NULL;
    unsigned long long v = text ? strtoull(text, &end, 10) : 0;
    return text && end != text && !*end ? (uint64_t)v : MOST_BYTES;
}

struct kept {
    char name[160];
    uint64_t size;
    int64_t modified;
};
typedef TK_VEC(struct kept) kept_list;

static int by_age(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    if (x->modified != y->modified)
        return x->modified < y->modified ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void join(char out[TK_CACHE_PATH], const char *folder, const char *name)
{
    int n = snprintf(out, TK_CACHE_PATH, "%s/%s", folder, name);
    if (n < 0 || n >= TK_CACHE_PATH)
        out[0] = '\0';
}

static void list(const char *folder, kept_list *out)
{
    struct tk_os_folder *f;
    const char *name = NULL;
    if (tk_os_folder_open(&f, folder).error)
        return;
    while (out->n < MOST_FILES && !tk_os_folder_next(f, &name).error && name) {
        char path[TK_CACHE_PATH];
        struct tk_os_info info;
        struct kept kept = {.size = 0};
        join(path, folder, name);
        if (strlen(name) >= sizeof kept.name || tk_os_path_link_info(path, &info).error ||
            info.kind != TK_OS_FILE)
            continue;
        memcpy(kept.name, name, strlen(name) + 1);
        kept.size = info.size;
        kept.modified = info.modified;
        if (tk_vec_push(out, kept))
            break;
    }
    tk_os_folder_close(f);
}

void tk_symbol_cache_trim(void)
{
    char folder[TK_CACHE_PATH];
    kept_list v = {0};
    if (!find_folder(folder))
        return;
    uint64_t all = 0, most = most_bytes();
    list(folder, &v);
    for (size_t i = 0; i < v.n; i++)
        all += v.v[i].size;
    if (all > most)
        qsort(v.v, v.n, sizeof *v.v, by_age);
    for (size_t i = 0; i < v.n && all > most; i++) {
        char path[TK_CACHE_PATH];
        join(path, folder, v.v[i].name);
        tk_os_path_remove(path);
        all -= v.v[i].size;
    }
    tk_vec_release(&v);
}

/* ---- writing ---- */

static struct tk_os_result make_private(const char *name, void *ctx)
{
    return tk_os_file_create_private(ctx, name);
}

/* The folders of a file, as far as there are none. */
static void make_folders(const char *path)
{
    char part[TK_CACHE_PATH];
    const char *end = strrchr(path, '/');
    for (size_t i = 1; end && path + i <= end; i++)
        if (path[i] == '/') {
            memcpy(part, path, i);
            part[i] = '\0';
            tk_os_folder_make(part);
        }
}

static bool write_file(const char *path, const uint8_t *bytes, size_t n)
{
    struct tk_os_file *file = NULL;
    char *name = NULL;
    if (tk_staging_make(&name, path, make_private, &file).error)
        return false;
    bool good = !tk_os_file_write(file, bytes, n).error;
    good &= !tk_os_file_close(file).error;
    good = good && !tk_os_path_rename_over(name, path).error;
    if (!good)
        tk_os_path_remove(name);
    free(name);
    return good;
}

bool tk_symbol_cache_put(const char *path, const uint8_t *bytes, size_t n)
{
    if (n > most_bytes())
        return false;
    make_folders(path);
    return write_file(path, bytes, n);
}
