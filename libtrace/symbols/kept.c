/*
 * What is kept of symbols.
 */
#include "base/text/path.h"
#include "io/user_cache.h"
#include "os/path.h"
#include "symbols/symbols_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * The folder of the user in which answers about symbols are kept, a file for each image id. Nothing in it is
 * trusted: damaged or foreign files are ignored. (symbols 6.3)
 */

static const struct tk_user_cache *const cache = &tk_user_caches[TK_CACHE_SYMBOLS];

/* The file of an id. false: there is no such folder on this system, or the path is too long. */
static bool tk_symbol_cache_path(char out[TK_CACHE_PATH], const uint8_t *id, uint32_t n)
{
    return tk_user_cache_path(out, cache, id, n);
}

/* Puts a file that only the user can read in the place of the one that is there. false: it could not, which
 * does not matter for a cache. */
static bool tk_symbol_cache_put(const char *path, const uint8_t *bytes, size_t n)
{
    return tk_user_cache_put(cache, path, bytes, n);
}

/* Removes the oldest files until the others have space, by TRACEKIT_CACHE_SIZE. Once, after files were put.
 */
static void tk_symbol_cache_trim(void)
{
    tk_user_cache_trim(cache);
}

/* ---- files that are sent along ---- */

static int take_sections(struct tk_sent_symbols *sent, struct tk_bytes rest)
{
    while (rest.n && !sent->why) {
        struct tk_answer_section section;
        size_t used = 0;
        int rc = tk_answer_section_open(&section, rest, &used, &sent->why);
        if (rc == 0 && tk_vec_push(&sent->sections, section) == 0) {
            rest = (struct tk_bytes){rest.p + used, rest.n - used};
            continue;
        }
        tk_answer_section_release(&section);
        if (rc == 0 || !sent->why)
            return -1;
    }
    return 0;
}

/* Takes a file where it is one of answers; others are left to the search. */
static int open_sent(struct tk_symbols *s, const char *path)
{
    struct tk_sent_symbols sent = {.path = NULL};
    const char *why;
    if (tk_sym_file_open(&sent.file, path, s->map, &why) < 0)
        return 0;
    const struct tk_bytes bytes = sent.file.bytes;
    if (bytes.n < sizeof tk_sent_magic || memcmp(bytes.p, tk_sent_magic, sizeof tk_sent_magic) != 0) {
        tk_sym_file_close(&sent.file);
        return 0;
    }
    sent.path = tk_arena_copy(&s->arena, path, strlen(path) + 1);
    int rc = sent.path ? take_sections(&sent, (struct tk_bytes){bytes.p + sizeof tk_sent_magic,
                                                                bytes.n - sizeof tk_sent_magic})
                       : -1;
    if (tk_vec_push(&s->sent, sent) == 0)
        return rc;
    for (size_t i = 0; i < sent.sections.n; i++)
        tk_answer_section_release(&sent.sections.v[i]);
    tk_vec_release(&sent.sections);
    tk_sym_file_close(&sent.file);
    return -1;
}

/* game.utrace.zst: game.utrace.zst.tksym, game.utrace.tksym, game.tksym. */
static int open_parallel(struct tk_symbols *s, const char *capture)
{
    static const char end[] = ".tksym";
    char path[TK_CACHE_PATH];
    const size_t base = tk_path_base(capture);
    size_t n = strlen(capture);
    while (n > base && n + sizeof end <= sizeof path) {
        memcpy(path, capture, n);
        memcpy(path + n, end, sizeof end);
        if (open_sent(s, path))
            return -1;
        do
            n--;
        while (n > base && capture[n] != '.');
    }
    return 0;
}

int tk_kept_open(struct tk_symbols *s, const char *capture)
{
    for (size_t i = 0; i < s->search.roots.n; i++)
        if (open_sent(s, s->search.roots.v[i].path))
            return -1;
    return capture ? open_parallel(s, capture) : 0;
}

/* ---- what is kept of a module ---- */

static bool is_of(const struct tk_wanted *a, const struct tk_wanted *b)
{
    if (a->n_id || b->n_id)
        return a->n_id == b->n_id && memcmp(a->id, b->id, a->n_id) == 0;
    return strcmp(a->name, b->name) == 0 && a->size == b->size && a->kind == b->kind;
}

static bool find_sent(struct tk_symbols *s, struct tk_module_symbols *m)
{
    for (size_t i = 0; i < s->sent.n; i++)
        for (size_t k = 0; k < s->sent.v[i].sections.n; k++) {
            struct tk_answer_section *section = &s->sent.v[i].sections.v[k];
            if (!is_of(&section->origin.wanted, &m->wanted))
                continue;
            m->kept = section;
            m->path = s->sent.v[i].path;
            m->how = "sent along";
            return true;
        }
    return false;
}

/* Is the file of symbols that was requested still there as it was, in a place that is searched? */
static bool is_current(const struct tk_symbols *s, const struct tk_answer_origin *origin)
{
    struct tk_os_info info;
    bool below = false;
    for (size_t i = 0; i < s->search.roots.n && !below; i++) {
        const char *root = s->search.roots.v[i].path;
        const size_t n = strlen(root);
        below = strncmp(origin->path, root, n) == 0 &&
                (!origin->path[n] || tk_path_is_separator(origin->path[n]) ||
                 (n && tk_path_is_separator(root[n - 1])));
    }
    return below && !tk_os_path_info(origin->path, &info).error && info.kind == TK_OS_FILE &&
           info.size == origin->file_size && info.modified == origin->file_modified;
}

static bool open_cached(struct tk_module_symbols *m, const char *path)
{
    const char *why;
    size_t used;
    return tk_sym_file_open(&m->cache_file, path, false, &why) == 0 &&
           tk_answer_section_open(&m->cached, m->cache_file.bytes, &used, &why) == 0 &&
           m->cached.reader == TK_ANSWERS_OF_READER && is_of(&m->cached.origin.wanted, &m->wanted);
}

enum { SHORTEST_ID = 8 };

static bool find_cached(struct tk_symbols *s, struct tk_module_symbols *m)
{
    char path[TK_CACHE_PATH];
    if (!s->cache || m->wanted.n_id < SHORTEST_ID ||
        !tk_symbol_cache_path(path, m->wanted.id, m->wanted.n_id))
        return false;
    if (open_cached(m, path) && m->cached.origin.state == TK_MODULE_MATCHED &&
        is_current(s, &m->cached.origin)) {
        m->kept = &m->cached;
        m->path = m->cached.origin.path;
        m->how = m->cached.origin.how;
        return true;
    }
    tk_answer_section_release(&m->cached);
    tk_sym_file_close(&m->cache_file);
    return false;
}

int tk_kept_find(struct tk_symbols *s, struct tk_module_symbols *m)
{
    if (!find_sent(s, m) && !find_cached(s, m))
        return 0;
    const struct tk_answer_origin *origin = &m->kept->origin;
    const bool known = origin->state >= TK_MODULE_NO_SYMBOLS && origin->state <= TK_MODULE_MATCHED;
    m->state = known ? (enum tk_module_state)origin->state : TK_MODULE_NOT_VERIFIED;
    m->depth = origin->depth <= TK_DEPTH_LINES ? (enum tk_symbol_depth)origin->depth : TK_DEPTH_NOTHING;
    m->extent = origin->extent;
    m->file_size = origin->file_size;
    m->file_modified = origin->file_modified;
    return m->state >= TK_MODULE_NOT_VERIFIED;
}

/* ---- writing ---- */

/* Adds the kept answers that were not requested. A section that is damaged in spite of its checksum may have
 * its addresses in any order. */
static int take_all(struct tk_symbols *s, struct tk_module_symbols *m)
{
    uint32_t place, n = m->kept ? m->kept->n_addresses : 0;
    TK_VEC(struct tk_sym_question) more = {.n = 0};
    int rc = 0;
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        struct tk_sym_question q = {.address = tk_answer_section_address(m->kept, i, &place)};
        if (tk_answer_list_find(&m->answers, q.address) ||
            (more.n && more.v[more.n - 1].address >= q.address))
            continue;
        tk_answer_section_add(m->kept, place, &s->answers, &q);
        rc = tk_vec_push(&more, q);
    }
    if (rc == 0)
        rc = tk_answer_list_add(&m->answers, more.v, more.n);
    tk_vec_release(&more);
    return rc || s->answers.failed ? -1 : 0;
}

static uint8_t *section_of(struct tk_symbols *s, const struct tk_module_symbols *m, bool strip, size_t *n)
{
    const struct tk_answer_origin origin = {.wanted = m->wanted,
                                            .state = (uint8_t)m->state,
                                            .depth = (uint8_t)m->depth,
                                            .path = m->path && !strip ? m->path : "",
                                            .how = m->how ? m->how : "",
                                            .file_size = m->file_size,
                                            .file_modified = m->file_modified,
                                            .extent = m->extent};
    struct tk_answer_writer writer = {.strip = strip};
    uint8_t *bytes = NULL;
    int rc = 0;
    for (size_t i = 0; i < m->answers.v.n && rc == 0; i++) {
        const struct tk_sym_question *answer = &m->answers.v.v[i];
        rc = tk_answer_writer_add(&writer, answer->address,
                                  answer->n ? s->answers.frames.v + answer->first : NULL, answer->n);
    }
    if (rc == 0)
        bytes = tk_answer_writer_end(&writer, &origin, n);
    tk_answer_writer_release(&writer);
    return bytes;
}

/* Was a file written? */
static bool save(struct tk_symbols *s, struct tk_module_symbols *m)
{
    char path[TK_CACHE_PATH];
    size_t n;
    if (!m->fresh || m->why || m->state != TK_MODULE_MATCHED || m->depth != TK_DEPTH_LINES || !m->path ||
        strlen(m->path) >= TK_CACHE_PATH - 1 || m->wanted.n_id < SHORTEST_ID ||
        (m->kept && m->kept != &m->cached) || !tk_symbol_cache_path(path, m->wanted.id, m->wanted.n_id))
        return false;
    uint8_t *bytes = take_all(s, m) == 0 ? section_of(s, m, false, &n) : NULL;
    const bool written = bytes && tk_symbol_cache_put(path, bytes, n);
    free(bytes);
    return written;
}

void tk_kept_save(struct tk_symbols *s)
{
    bool any = false;
    for (size_t i = 0; i < s->modules.n && s->cache; i++)
        any |= save(s, s->modules.v[i]);
    if (any)
        tk_symbol_cache_trim();
}

static int append(uint8_t **all, size_t *n, const uint8_t *more, size_t m)
{
    uint8_t *grown = realloc(*all, *n + m);
    if (!grown)
        return -1;
    memcpy(grown + *n, more, m);
    *all = grown;
    *n += m;
    return 0;
}

uint8_t *tk_kept_bytes(struct tk_symbols *s, bool strip, size_t *n)
{
    uint8_t *all = NULL;
    *n = 0;
    int rc = append(&all, n, (const uint8_t *)tk_sent_magic, sizeof tk_sent_magic);
    for (size_t i = 0; i < s->modules.n && rc == 0; i++) {
        const struct tk_module_symbols *m = s->modules.v[i];
        size_t length = 0;
        if (m->state < TK_MODULE_NO_SYMBOLS)
            continue;
        uint8_t *bytes = section_of(s, m, strip, &length);
        rc = bytes ? append(&all, n, bytes, length) : -1;
        free(bytes);
    }
    if (rc == 0)
        return all;
    free(all);
    return NULL;
}

void tk_kept_release(struct tk_symbols *s)
{
    for (size_t i = 0; i < s->sent.n; i++) {
        struct tk_sent_symbols *sent = &s->sent.v[i];
        for (size_t k = 0; k < sent->sections.n; k++)
            tk_answer_section_release(&sent->sections.v[k]);
        tk_vec_release(&sent->sections);
        tk_sym_file_close(&sent->file);
    }
    tk_vec_release(&s->sent);
}
