/*
 * Folders, names and space of what is kept.
 */
#include "io/user_cache.h"

#include "base/vec.h"
#include "io/output.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 100000 };

const struct tk_user_cache tk_user_caches[TK_USER_CACHES] = {
    [TK_CACHE_SYMBOLS] = {"symbols", UINT64_C(2) << 30},
    [TK_CACHE_CAPTURES] = {"captures", UINT64_C(4) << 30},
    [TK_CACHE_NOTICES] = {"notices", UINT64_C(1) << 20},
};

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

bool tk_user_cache_folder(char out[TK_CACHE_PATH], const struct tk_user_cache *cache)
{
    char base[TK_CACHE_PATH];
    if (!find_base(base))
        return false;
    const int n =
        snprintf(out, TK_CACHE_PATH, "%s/tracekit%s%s", base, cache ? "/" : "", cache ? cache->folder : "");
    return n > 0 && n < TK_CACHE_PATH;
}

bool tk_user_cache_path(char out[TK_CACHE_PATH], const struct tk_user_cache *cache, const uint8_t *id,
                        uint32_t n)
{
    if (!tk_user_cache_folder(out, cache))
        return false;
    size_t at = strlen(out);
    if (at + 2 + 2 * (size_t)n >= TK_CACHE_PATH)
        return false;
    out[at++] = '/';
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, 3, "%02x", id[i]);
    return true;
}

/* ---- space ---- */

uint64_t tk_user_cache_most(const struct tk_user_cache *cache)
{
    const char *text = getenv("TRACEKIT_CACHE_SIZE");
    char *end = NULL;
    unsigned long long v = text ? strtoull(text, &end, 10) : 0;
    return text && end != text && !*end ? (uint64_t)v : cache->most;
}

typedef TK_VEC(struct tk_cached_file) file_list;

static int by_age(const void *a, const void *b)
{
    const struct tk_cached_file *x = a, *y = b;
    if (x->modified != y->modified)
        return x->modified < y->modified ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Puts a name behind a folder of n bytes, in its place: a second path would be much for a small stack. */
static bool append_name(char path[TK_CACHE_PATH], size_t n, const char *name)
{
    const int added = snprintf(path + n, TK_CACHE_PATH - n, "/%s", name);
    return added > 0 && (size_t)added < TK_CACHE_PATH - n;
}

static void list(char path[TK_CACHE_PATH], file_list *out)
{
    const size_t folder = strlen(path);
    struct tk_os_folder *f;
    const char *name = NULL;
    if (tk_os_folder_open(&f, path).error)
        return;
    while (out->n < MOST_FILES && !tk_os_folder_next(f, &name).error && name) {
        struct tk_os_info info;
        struct tk_cached_file file = {.size = 0};
        if (strlen(name) >= sizeof file.name || !append_name(path, folder, name) ||
            tk_os_path_link_info(path, &info).error || info.kind != TK_OS_FILE)
            continue;
        memcpy(file.name, name, strlen(name) + 1);
        file.size = info.size;
        file.modified = info.modified;
        if (tk_vec_push(out, file))
            break;
    }
    tk_os_folder_close(f);
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_age);
}

struct tk_cached_file *tk_user_cache_list(const struct tk_user_cache *cache, size_t *n)
{
    char folder[TK_CACHE_PATH];
    file_list files = {0};
    if (tk_user_cache_folder(folder, cache))
        list(folder, &files);
    *n = files.n;
    return files.v;
}

bool tk_user_cache_remove(const struct tk_user_cache *cache, const char *name)
{
    char path[TK_CACHE_PATH];
    if (!tk_user_cache_folder(path, cache))
        return false;
    return append_name(path, strlen(path), name) && !tk_os_path_remove(path).error;
}

void tk_user_cache_trim(const struct tk_user_cache *cache)
{
    size_t n;
    struct tk_cached_file *files = tk_user_cache_list(cache, &n);
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += files[i].size;
    for (size_t i = 0; i < n && all > tk_user_cache_most(cache); i++) {
        (void)tk_user_cache_remove(cache, files[i].name);
        all -= files[i].size;
    }
    free(files);
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

bool tk_user_cache_write(const char *path, const uint8_t *bytes, size_t n)
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

struct tk_os_result tk_user_cache_try(const char *path)
{
    struct tk_os_file *file = NULL;
    char *name = NULL;
    const struct tk_os_result made = tk_staging_make(&name, path, make_private, &file);
    if (made.error)
        return made;
    (void)tk_os_file_close(file);
    tk_os_path_remove(name);
    free(name);
    return made;
}

bool tk_user_cache_put(const struct tk_user_cache *cache, const char *path, const uint8_t *bytes, size_t n)
{
    if (n > tk_user_cache_most(cache))
        return false;
    make_folders(path);
    return tk_user_cache_write(path, bytes, n);
}
