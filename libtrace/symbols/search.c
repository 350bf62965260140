/*
 * The search for the symbols of a module. See search.h.
 */
#include "symbols/search.h"

#include "base/text/path.h"

#include <stdio.h>
#include <string.h>

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

/* The name of the PDB of a module; its executable, which may tell another one, is asked later. */
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

/* Texts of Windows modules are named after their PDB. Beside ELF files such a name is one of the engine's
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

int tk_search_named(struct tk_search *s, const struct tk_wanted *w, const char *name, const char *beside,
                    const char *how, struct tk_candidates *out)
{
    char folder[MOST_PATH];
    size_t n = tk_path_base(beside);
    if (!tk_is_file_name(name, strlen(name)) || n >= sizeof folder)
        return 0;
    memcpy(folder, beside, n);
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
