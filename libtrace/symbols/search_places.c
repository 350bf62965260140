/*
 * The places where symbols are looked for: those that are named, or those of the environment and of other
 * tools. See search.h. (symbols 3.1 to 3.3, 6.1)
 */
#include "os/path.h"
#include "symbols/search.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATH = 4096 };

static int add_root(struct tk_search *s, const char *path, size_t n, bool walk)
{
    char *kept = n && n < MOST_PATH ? tk_arena_bytes(&s->arena, n + 1) : NULL;
    if (!n || n >= MOST_PATH)
        return 0;
    if (!kept)
        return -1;
    memcpy(kept, path, n);
    kept[n] = '\0';
    return tk_vec_push(&s->roots, ((struct tk_search_root){kept, walk}));
}

#if defined(_WIN32)
enum { LIST_SEPARATOR = ';' };
#else
enum { LIST_SEPARATOR = ':' };
#endif

/* Is it a place of a network? Those are never asked. */
static bool is_network(const char *p, size_t n)
{
    return (n > 4 && memcmp(p, "http", 4) == 0) || (n > 2 && p[0] == '\\' && p[1] == '\\');
}

static bool begins(const char *p, size_t n, const char *word)
{
    size_t i = 0;
    for (; word[i]; i++)
        if (i >= n || tolower((unsigned char)p[i]) != word[i])
            return false;
    return true;
}

/* One part of _NT_SYMBOL_PATH: a folder, srv*A*B, symsrv*dll*A*B, cache*A. */
static int add_store_part(struct tk_search *s, const char *p, size_t n)
{
    bool special = begins(p, n, "srv*") || begins(p, n, "symsrv*") || begins(p, n, "cache*");
    size_t skip = begins(p, n, "symsrv*") ? 2 : special ? 1 : 0;
    for (size_t at = 0, len, i = 0; at < n; at += len + 1, i++) {
        const char *star = special ? memchr(p + at, '*', n - at) : NULL;
        len = star ? (size_t)(star - (p + at)) : n - at;
        if (i < skip)
            continue;
        if (is_network(p + at, len))
            s->servers++;
        else if (add_root(s, p + at, len, !special))
            return -1;
    }
    return 0;
}

static int add_list(struct tk_search *s, const char *list, char separator, bool store)
{
    for (size_t n; list && *list; list += n + (list[n] != '\0')) {
        for (n = 0; list[n] && list[n] != separator; n++)
            continue;
        if (store ? add_store_part(s, list, n) : add_root(s, list, n, true))
            return -1;
    }
    return 0;
}

static int add_below(struct tk_search *s, const char *base, const char *below)
{
    char path[MOST_PATH];
    int n = base && *base ? snprintf(path, sizeof path, "%s%s", base, below) : 0;
    return n > 0 && n < MOST_PATH ? add_root(s, path, (size_t)n, false) : 0;
}

static int add_usual(struct tk_search *s, const char *folder)
{
    const char *cache = getenv("DEBUGINFOD_CACHE_PATH");
    if ((folder && add_root(s, folder, strlen(folder), false)) || add_root(s, "/usr/lib/debug", 14, false) ||
        (cache && add_root(s, cache, strlen(cache), false)) ||
        add_below(s, getenv("XDG_CACHE_HOME"), "/debuginfod_client") ||
        add_below(s, getenv("HOME"), "/.cache/debuginfod_client"))
        return -1;
    return add_list(s, getenv("UE_INSIGHTS_SYMBOL_PATH"), ';', true) ||
                   add_list(s, getenv("_NT_SYMBOL_PATH"), ';', true)
               ? -1
               : 0;
}

int tk_search_note_useless(struct tk_search *s, const char *path, const char *why)
{
    for (size_t i = 0; i < s->useless.n; i++)
        if (strcmp(s->useless.v[i].path, path) == 0)
            return 0;
    const char *kept = tk_arena_copy(&s->arena, path, strlen(path) + 1);
    return kept ? tk_vec_push(&s->useless, ((struct tk_useless_place){kept, why})) : -1;
}

/* A place that the user names; one that is not there is told. */
static int add_named_place(struct tk_search *s, const char *path)
{
    struct tk_os_info info;
    if (add_root(s, path, strlen(path), true))
        return -1;
    if (s->roots.n && tk_os_path_info(path, &info).error != TK_OS_OK)
        return tk_vec_push(&s->missing, s->roots.v[s->roots.n - 1].path);
    return s->roots.n && info.kind != TK_OS_FOLDER && info.kind != TK_OS_FILE
               ? tk_search_note_useless(s, path, "neither a file nor a folder")
               : 0;
}

int tk_search_open(struct tk_search *s, const char *const *paths, size_t n, const char *folder)
{
    const char *own = getenv("TRACEKIT_SYMBOLS");
    *s = (struct tk_search){0};
    for (size_t i = 0; i < n; i++)
        if (add_named_place(s, paths[i]))
            return -1;
    if (n)
        return 0;
    return own && *own ? add_list(s, own, LIST_SEPARATOR, false) : add_usual(s, folder);
}
