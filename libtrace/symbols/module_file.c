/*
 * Symbol files of modules: which of the candidates is the best.
 */
#include "base/text/path.h"
#include "symbols/files/image.h"
#include "symbols/symbols_in.h"

#define MOST_CRC (UINT64_C(1) << 32) /* bytes of a file whose checksum is computed */

/* A file that may be better than the one that is there. */
struct attempt {
    struct tk_sym_file file;
    struct tk_image image;
    struct tk_pdb pdb;
    enum tk_file_kind kind;
    enum tk_symbol_depth depth;
    enum tk_module_state state;
    const char *why;
};

static void attempt_close(struct attempt *a)
{
    tk_image_release(&a->image);
    tk_pdb_release(&a->pdb);
    tk_sym_file_close(&a->file);
}

/* ---- what a file is, and whether it belongs to the module ---- */

static enum tk_symbol_depth depth_of(const struct tk_image *image)
{
    if (tk_image_has(image, "debug_info"))
        return TK_DEPTH_LINES;
    if (image->tables.symbols.n)
        return TK_DEPTH_NAMES;
    return image->tables.dynamic.n ? TK_DEPTH_EXPORTS : TK_DEPTH_NOTHING;
}

/* Without an id in the capture its size decides, which of ELF files is a sum of its own. */
static enum tk_module_state judge_by_size(const struct tk_image *image, const struct tk_wanted *w)
{
    uint64_t size = image->kind == TK_IMAGE_ELF ? image->size_sum : image->extent;
    if (!w->size)
        return TK_MODULE_NOT_VERIFIED;
    if (image->kind == TK_IMAGE_MACHO) /* counted in several ways */
        return TK_MODULE_NOT_VERIFIED;
    return (uint32_t)size == (uint32_t)w->size ? TK_MODULE_BY_SIZE : TK_MODULE_OTHER_BUILD;
}

static enum tk_module_state judge_image(const struct tk_image *image, const struct tk_wanted *w)
{
    if (!w->n_id)
        return judge_by_size(image, w);
    if (image->kind == TK_IMAGE_PE) /* the age of the PDB in it may have been raised */
        return image->n_id >= 16 && w->n_id >= 16 && memcmp(image->id, w->id, 16) == 0
                   ? TK_MODULE_MATCHED
                   : TK_MODULE_OTHER_BUILD;
    return tk_wanted_has_id(w, image->id, image->n_id) ? TK_MODULE_MATCHED : TK_MODULE_OTHER_BUILD;
}

static void take_image(struct attempt *a, const struct tk_wanted *w)
{
    a->kind = TK_FILE_IMAGE;
    a->depth = depth_of(&a->image);
    a->state = judge_image(&a->image, w);
}

static void take_pdb(struct attempt *a, const struct tk_wanted *w)
{
    a->kind = TK_FILE_PDB;
    a->depth = TK_DEPTH_LINES;
    if (w->n_id < 16)
        a->state = TK_MODULE_NOT_VERIFIED;
    else
        a->state = memcmp(a->pdb.guid, w->id, 16) == 0 ? TK_MODULE_MATCHED : TK_MODULE_OTHER_BUILD;
}

static void take_text(struct attempt *a, const struct tk_breakpad_head *head, const struct tk_wanted *w)
{
    a->kind = TK_FILE_TEXT;
    a->depth = TK_DEPTH_LINES;
    if (w->n_id < 16)
        a->state = TK_MODULE_NOT_VERIFIED;
    else
        a->state = tk_breakpad_has_id(head->id, w->id, w->n_id) ? TK_MODULE_MATCHED : TK_MODULE_OTHER_BUILD;
}

/* false: there is no such file. */
static bool attempt_open(struct attempt *a, const char *path, const struct tk_wanted *w, bool map)
{
    struct tk_breakpad_head head;
    *a = (struct attempt){.state = TK_MODULE_UNREADABLE};
    if (tk_sym_file_open(&a->file, path, map, &a->why) < 0)
        return false;
    struct tk_bytes bytes = a->file.bytes;
    if (tk_breakpad_head(bytes, &head))
        take_text(a, &head, w);
    else if (bytes.n >= 4 && memcmp(bytes.p, "Micr", 4) == 0) {
        if (tk_pdb_open(&a->pdb, bytes, &a->why) == 0)
            take_pdb(a, w);
    } else if (tk_image_open(&a->image, bytes, w->id, w->n_id, &a->why) == 0) {
        take_image(a, w);
    }
    return true;
}

/* ---- the best ---- */

/* The file of symbols that a link with a checksum leads to needs no id. */
static void judge_link(struct attempt *a, const struct tk_candidate *c, const char *link, uint32_t crc)
{
    if (a->kind == TK_FILE_IMAGE && a->image.n_id == 0 && (uint64_t)a->file.bytes.n < MOST_CRC && link &&
        strcmp(c->how, "debug link") == 0 && tk_image_crc(a->file.bytes) == crc)
        a->state = TK_MODULE_MATCHED;
}

struct links {
    char name[256];
    uint32_t crc;
    bool any;
};

/* What the module itself says: its extent, and where its symbols are. */
static int take_module(struct tk_module_file *m, const struct attempt *a, const char *path,
                       const struct tk_wanted *w, struct links *links)
{
    const struct tk_image *image = &a->image;
    if (image->extent && !m->extent) {
        m->base = image->base;
        m->extent = image->extent;
    }
    if (!image->link[0])
        return 0;
    memcpy(links->name, image->link, sizeof links->name);
    links->crc = image->link_crc;
    links->any = true;
    return tk_search_named(m->search, w, image->link, path,
                           image->link_crc ? "debug link" : "name in the module", &m->candidates);
}

static void keep(struct tk_module_file *m, struct attempt *a, const struct tk_candidate *c)
{
    tk_image_release(&m->image);
    tk_pdb_release(&m->pdb);
    tk_sym_file_close(&m->file);
    m->file = a->file;
    m->image = a->image;
    m->pdb = a->pdb;
    m->kind = a->kind;
    m->depth = a->depth;
    m->state = a->state;
    m->path = c->path;
    m->how = c->how;
    m->why = a->kind == TK_FILE_IMAGE && a->image.kind == TK_IMAGE_ELF ? a->why : NULL; /* it is cut */
}

static bool is_good(enum tk_module_state state)
{
    return state >= TK_MODULE_NOT_VERIFIED;
}

/* A file of answers, which is no file of symbols, but of use. */
static bool is_sent(const struct attempt *a)
{
    return a->file.bytes.n >= sizeof tk_sent_magic &&
           memcmp(a->file.bytes.p, tk_sent_magic, sizeof tk_sent_magic) == 0;
}

static int try_candidate(struct tk_module_file *m, const struct tk_candidate *c, const struct tk_wanted *w,
                         struct links *links)
{
    struct attempt a;
    if (!attempt_open(&a, c->path, w, m->map))
        return 0;
    judge_link(&a, c, links->any ? links->name : NULL, links->crc);
    bool named = strcmp(c->how, "named") == 0;
    bool better = is_good(a.state) && !(named && a.state != TK_MODULE_MATCHED) &&
                  (!is_good(m->state) || a.depth > m->depth || (a.depth == m->depth && a.state > m->state));
    int rc = is_good(a.state) && a.kind == TK_FILE_IMAGE ? take_module(m, &a, c->path, w, links) : 0;
    if (better) {
        keep(m, &a, c);
        return rc;
    }
    if (!is_good(m->state) && !named && a.state > m->state) {
        m->state = a.state;
        m->why = a.why;
        m->path = c->path;
        m->how = c->how;
    }
    if (named && a.state == TK_MODULE_UNREADABLE && a.why && !is_sent(&a))
        rc = tk_search_note_useless(m->search, c->path, a.why);
    attempt_close(&a);
    return rc;
}

/* The id of the module itself, which the capture does not tell: that of the first whose name and size are
 * those of the capture. Files of its symbols have to have it, too. How sure that is; else nothing. */
static enum tk_module_state find_id(struct tk_wanted *own, const struct tk_module_file *m,
                                    const struct tk_wanted *w)
{
    enum tk_module_state found = TK_MODULE_NOT_REQUESTED;
    for (size_t i = 0; i < m->candidates.v.n && !found; i++) {
        const char *path = m->candidates.v.v[i].path;
        struct attempt a;
        if (strcmp(path + tk_path_base(path), w->name) != 0 || !attempt_open(&a, path, w, m->map))
            continue;
        if (a.kind == TK_FILE_IMAGE && is_good(a.state) && a.image.n_id && a.image.n_id <= TK_WANTED_ID) {
            found = a.state;
            memcpy(own->id, a.image.id, a.image.n_id);
            own->n_id = a.image.n_id;
        }
        attempt_close(&a);
    }
    return found;
}

static int find_candidates(struct tk_module_file *m, struct tk_wanted *own, enum tk_module_state *own_state)
{
    const struct tk_wanted wanted = *own;
    int rc = tk_search_find(m->search, &wanted, &m->candidates);
    if (rc == 0 && !wanted.n_id && (*own_state = find_id(own, m, &wanted)))
        rc = tk_search_find(m->search, own, &m->candidates);
    return rc;
}

int tk_module_file_open(struct tk_module_file *m, struct tk_search *search, const struct tk_wanted *wanted,
                        bool map)
{
    struct links links = {.any = false};
    struct tk_wanted own = *wanted;
    const struct tk_wanted *w = &own;
    *m = (struct tk_module_file){.state = TK_MODULE_NO_FILE, .search = search, .map = map};
    enum tk_module_state own_state = TK_MODULE_NOT_REQUESTED;
    int rc = find_candidates(m, &own, &own_state);
    for (size_t i = 0; i < m->candidates.v.n && rc == 0; i++) {
        struct tk_candidate c = m->candidates.v.v[i];
        rc = try_candidate(m, &c, w, &links);
        /* the best that there can be; of ELF files the extent is needed, too, which a PDB does not know */
        if (m->depth == TK_DEPTH_LINES && m->state >= TK_MODULE_BY_SIZE)
            break;
    }
    if (m->state == TK_MODULE_MATCHED && own_state)
        m->state = own_state;
    if (rc == 0 && is_good(m->state) && m->depth == TK_DEPTH_NOTHING)
        m->state = TK_MODULE_NO_SYMBOLS;
    return rc;
}

void tk_module_file_close(struct tk_module_file *m)
{
    tk_image_release(&m->image);
    tk_pdb_release(&m->pdb);
    tk_sym_file_close(&m->file);
    tk_candidates_release(&m->candidates);
    m->search = NULL;
}

/* ---- answers ---- */

static void resolve_image(struct tk_module_file *m, struct tk_sym_question *questions, size_t n,
                          struct tk_sym_answers *answers)
{
    for (size_t i = 0; i < n; i++)
        questions[i].address += m->image.base;
    if (m->depth == TK_DEPTH_LINES)
        tk_module_dwarf_resolve(m, questions, n, answers);
    tk_symbol_table_resolve(&m->image, questions, n, answers);
    for (size_t i = 0; i < n; i++)
        questions[i].address -= m->image.base;
}

void tk_module_file_resolve(struct tk_module_file *m, struct tk_sym_question *questions, size_t n,
                            struct tk_sym_answers *answers)
{
    if (!is_good(m->state))
        return;
    m->pdb.msf.file = &m->file;
    if (m->kind == TK_FILE_PDB)
        tk_pdb_resolve(&m->pdb, questions, n, answers);
    else if (m->kind == TK_FILE_TEXT)
        tk_breakpad_resolve(m->file.bytes, questions, n, answers);
    else if (m->kind == TK_FILE_IMAGE)
        resolve_image(m, questions, n, answers);
    if (tk_sym_file_changed(&m->file))
        tk_sym_lose(answers, TK_SYM_CHANGED);
}
