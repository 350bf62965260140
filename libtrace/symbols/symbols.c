/*
 * Symbols of the modules of a capture.
 */
#include "base/sort.h"
#include "symbols/symbols_in.h"

#include <string.h>

enum { MOST_MODULES = 65536 };

struct tk_symbols *tk_symbols_open(const struct tk_symbols_options *options)
{
    struct tk_symbols *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->map = options->map;
    s->cache = options->cache;
    if (tk_search_open(&s->search, options->paths, options->n, options->folder) ||
        tk_kept_open(s, options->capture)) {
        tk_symbols_close(s);
        return NULL;
    }
    return s;
}

static bool is_same(const struct tk_wanted *a, const struct tk_wanted *b)
{
    return strcmp(a->name, b->name) == 0 && a->n_id == b->n_id && memcmp(a->id, b->id, a->n_id) == 0 &&
           a->size == b->size && a->kind == b->kind;
}

static uint64_t hash_of(const struct tk_wanted *w)
{
    uint64_t hash = tk_hash_bytes(w->name, strlen(w->name), w->size);
    return tk_hash_bytes(w->id, w->n_id, hash ^ (uint64_t)w->kind);
}

static int keep_path(struct tk_symbols *s, struct tk_module_symbols *m, const struct tk_module_file *file)
{
    m->state = file->state;
    m->how = file->how;
    m->why = file->why;
    m->extent = file->extent ? file->extent : m->extent;
    m->depth = file->depth;
    m->file_size = file->file.bytes.n;
    m->file_modified = file->file.modified;
    m->path = file->path ? tk_arena_copy(&s->arena, file->path, strlen(file->path) + 1) : NULL;
    return file->path && !m->path ? -1 : 0;
}

static int look(struct tk_symbols *s, struct tk_module_symbols *m)
{
    struct tk_module_file file;
    m->state = TK_MODULE_NO_FILE;
    if (s->modules.n > MOST_MODULES)
        return 0;
    int found = tk_kept_find(s, m);
    if (found)
        return found < 0 ? -1 : 0;
    int rc = tk_module_file_open(&file, &s->search, &m->wanted, s->map);
    if (rc == 0)
        rc = keep_path(s, m, &file);
    tk_module_file_close(&file);
    return rc;
}

static struct tk_module_symbols *add_module(struct tk_symbols *s, const struct tk_wanted *w, uint64_t hash)
{
    struct tk_module_symbols *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->wanted = *w;
    if (tk_vec_push(&s->modules, m)) {
        free(m);
        return NULL;
    }
    if (look(s, m) || tk_map_put(&s->index, hash, (uint32_t)s->modules.n - 1))
        return NULL;
    return m;
}

struct tk_module_symbols *tk_symbols_module(struct tk_symbols *s, const struct tk_wanted *w)
{
    uint64_t hash = hash_of(w);
    uint32_t at = tk_map_get(&s->index, hash);
    if (at != TK_MAP_NONE && is_same(&s->modules.v[at]->wanted, w))
        return s->modules.v[at];
    return add_module(s, w, hash);
}

/* ---- looking up ---- */

typedef TK_VEC(struct tk_sym_question) question_list;

/* n addresses, sorted. NULL if out of memory. */
static struct tk_sort_key *sort_addresses(const uint64_t *addresses, size_t n)
{
    struct tk_sort_key *sorted = malloc((n + 1) * sizeof *sorted);
    for (size_t i = 0; sorted && i < n; i++)
        sorted[i] = (struct tk_sort_key){.key = addresses[i]};
    if (sorted && tk_sort_keys(sorted, n) == 0)
        return sorted;
    free(sorted);
    return NULL;
}

/* Those that were not looked up before, sorted, each once: those that are kept, answered, and the others. */
static int choose(struct tk_symbols *s, struct tk_module_symbols *m, const uint64_t *addresses, size_t n,
                  question_list *kept, question_list *out)
{
    uint32_t place;
    struct tk_sort_key *sorted = sort_addresses(addresses, n);
    int rc = sorted ? 0 : -1;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct tk_sym_question q = {.address = sorted[i].key};
        if ((i && sorted[i].key == sorted[i - 1].key) || tk_answer_list_find(&m->answers, q.address))
            continue;
        const bool there = m->kept && tk_answer_section_find(m->kept, q.address, &place);
        if (there)
            tk_answer_section_add(m->kept, place, &s->answers, &q);
        rc = there ? tk_vec_push(kept, q) : tk_vec_push(out, q);
    }
    free(sorted);
    return rc;
}

static int keep_answers(struct tk_symbols *s, struct tk_module_symbols *m, const question_list *v)
{
    m->addresses += v->n;
    for (size_t i = 0; i < v->n; i++)
        m->resolved += v->v[i].n && s->answers.frames.v[v->v[i].first].function;
    return tk_answer_list_add(&m->answers, v->v, v->n);
}

static int ask(struct tk_symbols *s, struct tk_module_symbols *m, const question_list *v)
{
    struct tk_module_file file;
    uint64_t lost = s->answers.lost;
    if (m->state < TK_MODULE_NOT_VERIFIED || !v->n)
        return 0;
    s->answers.why = NULL;
    int rc = tk_module_file_open(&file, &s->search, &m->wanted, s->map);
    if (rc == 0)
        tk_module_file_resolve(&file, v->v, v->n, &s->answers);
    if (s->answers.lost > lost)
        m->why = s->answers.why;
    m->fresh += v->n;
    tk_module_file_close(&file);
    return rc < 0 || s->answers.failed ? -1 : 0;
}

int tk_symbols_resolve(struct tk_symbols *s, struct tk_module_symbols *m, const uint64_t *addresses, size_t n)
{
    question_list v = {0}, kept = {0};
    int rc = choose(s, m, addresses, n, &kept, &v);
    if (rc == 0)
        rc = ask(s, m, &v);
    if (rc == 0)
        rc = keep_answers(s, m, &kept) || keep_answers(s, m, &v) ? -1 : 0;
    tk_vec_release(&v);
    tk_vec_release(&kept);
    return rc || s->answers.failed ? -1 : 0;
}

const struct tk_sym_frame *tk_symbols_frames(const struct tk_symbols *s, struct tk_module_symbols *m,
                                             uint64_t address, uint32_t *n)
{
    const struct tk_sym_question *answer = tk_answer_list_find(&m->answers, address);
    *n = answer ? answer->n : 0;
    return *n ? &s->answers.frames.v[answer->first] : NULL;
}

const char *tk_module_state_text(enum tk_module_state state)
{
    static const char *const texts[] = {
        [TK_MODULE_NOT_REQUESTED] = "not asked", [TK_MODULE_NO_FILE] = "no file",
        [TK_MODULE_OTHER_BUILD] = "wrong build", [TK_MODULE_UNREADABLE] = "unreadable",
        [TK_MODULE_NO_SYMBOLS] = "no symbols",   [TK_MODULE_NOT_VERIFIED] = "not verified",
        [TK_MODULE_BY_SIZE] = "matched by size", [TK_MODULE_MATCHED] = "matched",
    };
    return texts[state];
}

void tk_symbols_close(struct tk_symbols *s)
{
    if (!s)
        return;
    tk_kept_save(s);
    for (size_t i = 0; i < s->modules.n; i++) {
        tk_answer_list_release(&s->modules.v[i]->answers);
        tk_answer_section_release(&s->modules.v[i]->cached);
        tk_sym_file_close(&s->modules.v[i]->cache_file);
        free(s->modules.v[i]);
    }
    tk_kept_release(s);
    tk_vec_release(&s->modules);
    tk_map_release(&s->index);
    tk_search_release(&s->search);
    tk_arena_release(&s->arena);
    tk_sym_answers_release(&s->answers);
    free(s);
}
