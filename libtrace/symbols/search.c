/*
 * The search for the symbols of a module.
 */
#include "base/cursor.h"
#include "base/text/path.h"
#include "os/path.h"
#include "symbols/symbols_in.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The places where symbols are looked for: those that are named, or those of the environment and of other
 * tools. (symbols 3.1 to 3.3, 6.1)
 */

enum { SEARCH_PLACES_MOST_PATH = 4096 };

static int add_root(struct tk_search *s, const char *path, size_t n, bool walk)
{
    char *kept = n && n < SEARCH_PLACES_MOST_PATH ? tk_arena_bytes(&s->arena, n + 1) : NULL;
    if (!n || n >= SEARCH_PLACES_MOST_PATH)
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

/* Is it a place of a network? Those are never requested. */
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
    char path[SEARCH_PLACES_MOST_PATH];
    int n = base && *base ? snprintf(path, sizeof path, "%s%s", base, below) : 0;
    return n > 0 && n < SEARCH_PLACES_MOST_PATH ? add_root(s, path, (size_t)n, false) : 0;
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

/* A place that the user names; one that is not there is reported. */
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

/*
 * Modules whose symbols are wanted.
 */

bool tk_is_file_name(const char *p, size_t n)
{
    if (n == 0 || n >= TK_WANTED_NAME || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)p[i] < 0x20 || p[i] == '/' || p[i] == '\\' || p[i] == ':' || p[i] == 0x7f)
            return false;
    return true;
}

static void take_name(struct tk_wanted *w, const char *name, size_t n)
{
    size_t from = n;
    while (from && name[from - 1] != '/' && name[from - 1] != '\\')
        from--;
    if (!tk_is_file_name(name + from, n - from))
        return;
    memcpy(w->name, name + from, n - from);
    memcpy(w->stem, w->name, sizeof w->stem);
    char *dot = strrchr(w->stem, '.');
    if (dot && dot != w->stem)
        *dot = '\0';
}

static enum tk_symbol_kind kind_of(const char *format, size_t n)
{
    static const char *const names[] = {"", "pdb", "dwarf", "psym"};
    for (unsigned i = 1; i < sizeof names / sizeof *names; i++)
        if (n == strlen(names[i]) && memcmp(names[i], format, n) == 0)
            return (enum tk_symbol_kind)i;
    return TK_SYMBOLS_UNKNOWN;
}

static bool is_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

struct tk_wanted tk_wanted_of(const char *name, size_t n, const uint8_t *id, uint32_t n_id, uint64_t size,
                              const char *format, size_t n_format)
{
    struct tk_wanted w = {.size = size, .kind = kind_of(format, n_format)};
    take_name(&w, name, n);
    w.n_raw = n_id < TK_WANTED_ID ? n_id : TK_WANTED_ID;
    if (w.n_raw && !is_zero(id, w.n_raw)) {
        w.n_id = w.n_raw;
        memcpy(w.id, id, w.n_id);
    }
    return w;
}

void tk_id_hex(char *out, const uint8_t *id, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[id[i] >> 4];
        out[2 * i + 1] = digits[id[i] & 15];
    }
    out[2 * n] = '\0';
}

void tk_guid_age(char out[TK_GUID_AGE], const uint8_t *guid, uint32_t age)
{
    int n = snprintf(out, TK_GUID_AGE, "%08X%04X%04X", (unsigned)tk_load32(guid),
                     (unsigned)tk_load16(guid + 4), (unsigned)tk_load16(guid + 6));
    for (unsigned i = 8; i < 16; i++)
        n += snprintf(out + n, TK_GUID_AGE - (size_t)n, "%02X", guid[i]);
    snprintf(out + n, TK_GUID_AGE - (size_t)n, "%X", (unsigned)age);
}

bool tk_wanted_has_id(const struct tk_wanted *w, const uint8_t *id, uint32_t n)
{
    if (!n || !w->n_id)
        return false;
    uint32_t both = n < w->n_id ? n : w->n_id;
    if (memcmp(w->id, id, both) != 0)
        return false;
    /* the capture's may be longer, with zeros */
    return n <= w->n_id && is_zero(w->id + n, w->n_id - n);
}

enum { MOST_PATH = 4096, MOST_CANDIDATES = 256 };

/* ---- candidates ---- */

/* One that was found in another way is another one: what leads to it may verify it. */
static bool is_there(const struct tk_candidates *c, const char *path, const char *how)
{
    for (size_t i = 0; i < c->v.n; i++)
        if (strcmp(c->v.v[i].path, path) == 0 && strcmp(c->v.v[i].how, how) == 0)
            return true;
    return false;
}

static int add_path(struct tk_candidates *c, const char *path, const char *how)
{
    if (c->v.n >= MOST_CANDIDATES || is_there(c, path, how))
        return 0;
    const char *kept = tk_arena_copy(&c->arena, path, strlen(path) + 1);
    return kept ? tk_vec_push(&c->v, ((struct tk_candidate){kept, how})) : -1;
}

/* Folders and a name, up to NULL. */
#define PATH(...) ((const char *const[]){__VA_ARGS__, NULL})

static int add_parts(struct tk_candidates *c, const char *how, const char *const *parts)
{
    char path[MOST_PATH];
    size_t n = 0;
    for (; *parts; parts++) {
        size_t more = strlen(*parts), slash = n && !tk_path_is_separator(path[n - 1]);
        if (n + slash + more >= sizeof path)
            return 0;
        if (slash)
            path[n++] = '/';
        memcpy(path + n, *parts, more + 1);
        n += more;
    }
    return add_path(c, path, how);
}

static int add_suffixed(struct tk_candidates *c, const char *how, const char *root, const char *name,
                        const char *suffix)
{
    char file[TK_WANTED_NAME + 16];
    int n = snprintf(file, sizeof file, "%s%s", name, suffix);
    return n > 0 && (size_t)n < sizeof file ? add_parts(c, how, PATH(root, file)) : 0;
}

/* ---- what is named by an id ---- */

/* Lengths that an id may have, as the capture's has zeros behind it. */
static bool may_be_long(const struct tk_wanted *w, uint32_t n)
{
    for (uint32_t i = n; i < w->n_id; i++)
        if (w->id[i])
            return false;
    return n <= w->n_id;
}

static int add_build_id(struct tk_candidates *c, const char *root, const struct tk_wanted *w)
{
    static const uint32_t lengths[] = {20, 16, 8};
    int rc = 0;
    for (unsigned i = 0; i < 3 && rc == 0; i++) {
        char hex[2 * TK_WANTED_ID + 1], first[3], rest[2 * TK_WANTED_ID + 8];
        if (!may_be_long(w, lengths[i]))
            continue;
        tk_id_hex(hex, w->id, lengths[i]);
        memcpy(first, hex, 2);
        first[2] = '\0';
        snprintf(rest, sizeof rest, "%s.debug", hex + 2);
        rc = add_parts(c, "build id", PATH(root, ".build-id", first, rest));
    }
    return rc;
}

/* The name of the PDB of a module; its executable, which may tell another one, is queried later. */
static int add_store(struct tk_candidates *c, const char *root, const char *pdb, const char *key)
{
    char two[3] = {pdb[0], pdb[0] ? pdb[1] : '\0', '\0'};
    if (add_parts(c, "symbol store", PATH(root, pdb, key, pdb)))
        return -1;
    return add_parts(c, "symbol store", PATH(root, two, pdb, key, pdb));
}

static uint32_t age_of(const struct tk_wanted *w)
{
    return w->n_id < 20 ? 0
                        : (uint32_t)w->id[16] | (uint32_t)w->id[17] << 8 | (uint32_t)w->id[18] << 16 |
                              (uint32_t)w->id[19] << 24;
}

/* NAME/KEY/NAME.sym, as stores of Breakpad's texts are laid out; NAME is that of the PDB where there is one.
 */
static int add_text_store(struct tk_candidates *c, const char *root, const struct tk_wanted *w,
                          const char *folder, const char *key)
{
    char file[TK_WANTED_NAME + 8];
    snprintf(file, sizeof file, "%s.sym", w->name);
    if (add_parts(c, "symbol store", PATH(root, folder, key, file)))
        return -1;
    snprintf(file, sizeof file, "%s.sym", w->stem);
    return add_parts(c, "symbol store", PATH(root, folder, key, file));
}

/* Those ids are GUIDs, of ELF files with the age 0; those of Apple are as they are, with a 0. */
static void text_key(char key[TK_GUID_AGE], const struct tk_wanted *w)
{
    static const uint8_t guid[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    uint8_t id[16];
    for (unsigned i = 0; i < 16; i++)
        id[i] = w->id[w->kind == TK_SYMBOLS_PSYM ? guid[i] : i];
    tk_guid_age(key, id, w->kind == TK_SYMBOLS_PSYM || w->kind == TK_SYMBOLS_DWARF ? 0 : age_of(w));
}

static int add_stores(struct tk_candidates *c, const char *root, const struct tk_wanted *w)
{
    const bool pdb = w->kind != TK_SYMBOLS_DWARF && w->kind != TK_SYMBOLS_PSYM;
    char key[TK_GUID_AGE], file[TK_WANTED_NAME + 8];
    if (w->n_id < 16)
        return 0;
    tk_guid_age(key, w->id, age_of(w));
    snprintf(file, sizeof file, "%s.pdb", w->stem);
    if (w->kind != TK_SYMBOLS_DWARF && add_store(c, root, file, key))
        return -1;
    text_key(key, w);
    return (pdb && add_text_store(c, root, w, file, key)) || add_text_store(c, root, w, w->name, key) ? -1
                                                                                                      : 0;
}

static int add_debuginfod(struct tk_candidates *c, const char *root, const struct tk_wanted *w)
{
    char hex[2 * TK_WANTED_ID + 1];
    if (w->n_id < 8)
        return 0;
    tk_id_hex(hex, w->id, w->n_id);
    if (add_parts(c, "cache of debuginfod", PATH(root, hex, "debuginfo")))
        return -1;
    return add_parts(c, "cache of debuginfod", PATH(root, hex, "executable"));
}

/* ---- what is named as the module ---- */

/* Texts of Windows modules are named after their PDB. Alongside ELF files such a name is one of the engine's
 * own. */
static bool has_stem(const struct tk_wanted *w)
{
    return w->kind != TK_SYMBOLS_DWARF;
}

static int add_named(struct tk_candidates *c, const char *root, const struct tk_wanted *w)
{
    char bundle[TK_WANTED_NAME + 8];
    snprintf(bundle, sizeof bundle, "%s.dSYM", w->name);
    if (w->kind != TK_SYMBOLS_PDB &&
        (add_suffixed(c, "name", root, w->name, ".debug") ||
         add_parts(c, "dSYM bundle", PATH(root, bundle, "Contents", "Resources", "DWARF", w->name))))
        return -1;
    return add_suffixed(c, "name", root, w->stem, ".pdb") || add_suffixed(c, "name", root, w->name, "") ||
                   add_suffixed(c, "name", root, w->name, ".sym") ||
                   add_suffixed(c, "name", root, w->name, ".psym") ||
                   (has_stem(w) && add_suffixed(c, "name", root, w->stem, ".sym"))
               ? -1
               : 0;
}

static int add_indexed(struct tk_search *s, struct tk_candidates *c, const char *name, const char *suffix,
                       const char *how)
{
    char file[2 * TK_WANTED_NAME];
    size_t n;
    snprintf(file, sizeof file, "%s%s", name, suffix);
    const struct tk_indexed_file *files = tk_file_index_find(&s->index, file, &n);
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add_path(c, files[i].path, how);
    return rc;
}

/* Files of build ids whose folder has another name. */
static int add_indexed_ids(struct tk_search *s, struct tk_candidates *c, const struct tk_wanted *w)
{
    static const uint32_t lengths[] = {20, 16, 8};
    int rc = 0;
    for (unsigned i = 0; i < 3 && rc == 0; i++) {
        char hex[2 * TK_WANTED_ID + 1];
        if (!may_be_long(w, lengths[i]))
            continue;
        tk_id_hex(hex, w->id, lengths[i]);
        rc = add_indexed(s, c, hex + 2, ".debug", "build id");
    }
    return rc;
}

static int add_all_indexed(struct tk_search *s, struct tk_candidates *c, const struct tk_wanted *w)
{
    static const char *const suffixes[] = {".debug", "", ".sym", ".psym"};
    if (add_indexed_ids(s, c, w) || add_indexed(s, c, w->stem, ".pdb", "name"))
        return -1;
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (add_indexed(s, c, w->name, suffixes[i], "name"))
            return -1;
    if (has_stem(w) && add_indexed(s, c, w->stem, ".sym", "name"))
        return -1;
    return add_indexed(s, c, w->stem, ".psym", "name");
}

/* ---- the order of all ---- */

static int walk_roots(struct tk_search *s)
{
    for (size_t i = 0; i < s->roots.n && !s->walked; i++)
        if (s->roots.v[i].walk && tk_file_index_walk(&s->index, s->roots.v[i].path))
            return -1;
    s->walked = true;
    return 0;
}

/* Files that were named one by one may have any name. */
static int add_files(struct tk_search *s, struct tk_candidates *c)
{
    for (size_t i = 0; i < s->index.files.n; i++)
        for (size_t k = 0; k < s->roots.n; k++)
            if (strcmp(s->index.files.v[i].path, s->roots.v[k].path) == 0 &&
                add_path(c, s->index.files.v[i].path, "named"))
                return -1;
    return 0;
}

int tk_search_find(struct tk_search *s, const struct tk_wanted *w, struct tk_candidates *out)
{
    if (!w->name[0])
        return 0;
    for (size_t i = 0; i < s->roots.n; i++) {
        const char *root = s->roots.v[i].path;
        if (add_build_id(out, root, w) || add_stores(out, root, w) || add_debuginfod(out, root, w))
            return -1;
    }
    for (size_t i = 0; i < s->roots.n; i++)
        if (add_named(out, s->roots.v[i].path, w))
            return -1;
    return walk_roots(s) || add_all_indexed(s, out, w) || add_files(s, out) ? -1 : 0;
}

int tk_search_named(struct tk_search *s, const struct tk_wanted *w, const char *name, const char *near,
                    const char *how, struct tk_candidates *out)
{
    char folder[MOST_PATH];
    size_t n = tk_path_base(near);
    if (!tk_is_file_name(name, strlen(name)) || n >= sizeof folder)
        return 0;
    memcpy(folder, near, n);
    folder[n] = '\0';
    const char *base = n ? folder : ".";
    if (add_parts(out, how, PATH(base, name)) || add_parts(out, how, PATH(base, ".debug", name)))
        return -1;
    for (size_t i = 0; i < s->roots.n; i++) {
        char key[TK_GUID_AGE];
        if (add_parts(out, how, PATH(s->roots.v[i].path, name)))
            return -1;
        tk_guid_age(key, w->id, age_of(w));
        if (w->n_id >= 16 && add_store(out, s->roots.v[i].path, name, key))
            return -1;
    }
    return add_indexed(s, out, name, "", how);
}

void tk_candidates_release(struct tk_candidates *c)
{
    tk_arena_release(&c->arena);
    tk_vec_release(&c->v);
}

void tk_search_release(struct tk_search *s)
{
    tk_arena_release(&s->arena);
    tk_vec_release(&s->roots);
    tk_vec_release(&s->missing);
    tk_vec_release(&s->useless);
    tk_file_index_release(&s->index);
}
