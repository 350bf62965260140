/*
 * Split DWARF of a module. (symbols 3.3)
 */
#include "base/text/path.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/symbols_in.h"

#include <stdio.h>
#include <string.h>

struct tk_shared_file {
    struct tk_sym_file file;
    struct tk_image image;
    struct tk_dwarf_sections sections;
};

static void tk_shared_file_close(struct tk_shared_file *f);

/*
 * The file of DWARF that several modules share, as dwz makes it: found by the link in the file of one, and
 * verified by its id. (symbols 3.3)
 */

/* What a module says of it. */
struct link {
    struct tk_wanted wanted; /* name and id */
    bool any;
};

static void set_link(struct link *link, struct tk_bytes name, struct tk_bytes id)
{
    static const char format[] = "dwarf";
    if (!name.n || !id.n || id.n > TK_WANTED_ID)
        return;
    link->wanted =
        tk_wanted_of((const char *)name.p, name.n, id.p, (uint32_t)id.n, 0, format, sizeof format - 1);
    link->any = link->wanted.name[0] && link->wanted.n_id;
}

/* .gnu_debugaltlink: a name up to a NUL, and the build id. */
static void read_gnu(struct link *link, struct tk_bytes b)
{
    const size_t n = tk_sym_text_length(b.p, b.n);
    if (n < b.n)
        set_link(link, (struct tk_bytes){b.p, n}, (struct tk_bytes){b.p + n + 1, b.n - n - 1});
}

/* .debug_sup of DWARF 5: version, whether this is the shared one, a name, and an id behind its length. */
static bool read_sup(struct link *link, struct tk_bytes b, bool shared)
{
    struct tk_cur cur = tk_cur_of(b.p, b.n);
    if (tk_u16(&cur, "version") < 2 || tk_u8(&cur, "is shared") != shared)
        return false;
    const size_t n = tk_sym_text_length(cur.p, tk_cur_left(&cur));
    struct tk_bytes name = {cur.p, n};
    tk_take(&cur, n + 1, "name");
    const uint64_t n_id = tk_varint(&cur, "length");
    if (!tk_cur_ok(&cur) || n_id > tk_cur_left(&cur))
        return false;
    static const uint8_t nameless[] = "shared";
    set_link(link, shared ? (struct tk_bytes){nameless, sizeof nameless - 1} : name,
             (struct tk_bytes){cur.p, (size_t)n_id});
    return true;
}

static struct link link_of(struct tk_image *image, const char **why)
{
    struct link link = {.any = false};
    struct tk_bytes gnu = tk_image_section(image, "gnu_debugaltlink", why);
    if (gnu.n)
        read_gnu(&link, gnu);
    else
        read_sup(&link, tk_image_section(image, "debug_sup", why), false);
    return link;
}

/* Has the file the id that the link says? */
static bool is_linked(struct tk_image *image, const struct link *link)
{
    const char *why = NULL; /* a file that is not it has no say */
    struct link own = {.any = false};
    if (tk_wanted_has_id(&link->wanted, image->id, image->n_id))
        return true;
    return read_sup(&own, tk_image_section(image, "debug_sup", &why), true) && own.any &&
           tk_wanted_has_id(&link->wanted, own.wanted.id, own.wanted.n_id);
}

static bool try_file(struct tk_shared_file *f, const char *path, const struct link *link, bool map,
                     const char **why)
{
    const char *ignored = NULL;
    *f = (struct tk_shared_file){0};
    if (tk_sym_file_open(&f->file, path, map, &ignored) < 0)
        return false;
    if (tk_image_open(&f->image, f->file.bytes, NULL, 0, &ignored) == 0 && is_linked(&f->image, link)) {
        f->sections = tk_module_sections(&f->image, "", why);
        return true;
    }
    tk_shared_file_close(f);
    return false;
}

/* Is there one for a module? *why, which may be NULL before: a static text where it refers to one that was
 * not found, or that has sections which cannot be read. Close it in any case; it borrows nothing of the
 * module. */
static bool tk_shared_file_open(struct tk_shared_file *f, struct tk_module_file *m, const char **why)
{
    const struct link link = link_of(&m->image, why);
    struct tk_candidates list = {0};
    bool found = false;
    *f = (struct tk_shared_file){0};
    if (!link.any)
        return false;
    int rc = tk_search_named(m->search, &link.wanted, link.wanted.name, m->path, "shared", &list);
    rc = rc ? rc : tk_search_find(m->search, &link.wanted, &list);
    for (size_t i = 0; i < list.v.n && rc == 0 && !found; i++)
        found = try_file(f, list.v.v[i].path, &link, m->map, why);
    tk_candidates_release(&list);
    if (!found && !*why)
        *why = "the file that it shares with others (dwz) was not found";
    return found;
}

static void tk_shared_file_close(struct tk_shared_file *f)
{
    tk_image_release(&f->image);
    tk_sym_file_close(&f->file);
    *f = (struct tk_shared_file){0};
}

/* A .dwp or .dwo that is open. */
struct split_file {
    struct tk_sym_file file;
    struct tk_image image;
    struct tk_dwarf_split split;
};

struct splits {
    struct tk_module_file *m;
    struct split_file package, unit;
    struct tk_candidates files; /* of the name of the unit */
    size_t next_file;
    size_t next_section; /* of the units in the one that is open: those of types have sections of their own */
    struct tk_sym_answers *answers;
};

static void split_close(struct splits *s, struct split_file *f)
{
    if (tk_sym_file_changed(&f->file))
        tk_sym_lose(s->answers, TK_SYM_CHANGED);
    tk_image_release(&f->image);
    tk_sym_file_close(&f->file);
    *f = (struct split_file){0};
}

/* A file of that name that is no image may be another one: it has no say. */
static bool split_open(struct splits *s, struct split_file *f, const char *path)
{
    const char *ignored = NULL, *why = NULL;
    *f = (struct split_file){0};
    if (tk_sym_file_open(&f->file, path, s->m->map, &ignored) < 0)
        return false;
    bool good = tk_image_open(&f->image, f->file.bytes, NULL, 0, &ignored) == 0;
    if (good) {
        f->split.sections = tk_module_sections(&f->image, ".dwo", &why);
        f->split.index = tk_image_section(&f->image, "debug_cu_index", &why);
        good = f->split.sections.info.n > 0;
    }
    if (why)
        tk_sym_lose(s->answers, why);
    if (!good)
        split_close(s, f);
    return good;
}

/* The files of a name, alongside the module's file or in the places of the search. */
static void list_files(struct splits *s, const char *name)
{
    static const struct tk_wanted nothing = {.n_id = 0};
    tk_candidates_release(&s->files);
    s->files = (struct tk_candidates){0};
    s->next_file = 0;
    if (tk_search_named(s->m->search, &nothing, name, s->m->path, "split", &s->files))
        s->answers->failed = true;
}

/* The next of the files that can be opened. */
static bool next_file(struct splits *s, struct split_file *f)
{
    bool found = false;
    split_close(s, f);
    while (s->next_file < s->files.v.n && !found)
        found = split_open(s, f, s->files.v.v[s->next_file++].path);
    return found;
}

static bool find_package(struct splits *s)
{
    char name[TK_WANTED_NAME + 8];
    const char *base = s->m->path + tk_path_base(s->m->path);
    int n = snprintf(name, sizeof name, "%s.dwp", base);
    if (n <= 0 || (size_t)n >= sizeof name)
        return false;
    list_files(s, name);
    return next_file(s, &s->package) && s->package.split.index.n;
}

/* The next section with units of the file that is open. */
static bool next_section(struct splits *s)
{
    const char *why = NULL;
    struct tk_bytes info = s->unit.image.sections.n ? tk_image_section_from(&s->unit.image, "debug_info.dwo",
                                                                            &s->next_section, &why)
                                                    : (struct tk_bytes){NULL, 0};
    if (info.n)
        s->unit.split.sections.info = info;
    return info.n > 0;
}

/* Of the path that the unit says only the last part is used: it is one of another machine. */
static bool list_units(struct splits *s, const char *name, size_t n)
{
    char file[TK_WANTED_NAME];
    size_t from = n;
    while (from && name[from - 1] != '/' && name[from - 1] != '\\')
        from--;
    split_close(s, &s->unit);
    if (!tk_is_file_name(name + from, n - from))
        return false;
    memcpy(file, name + from, n - from);
    file[n - from] = '\0';
    list_files(s, file);
    return true;
}

static const struct tk_dwarf_split *open_unit(void *ctx, const char *name, size_t n, bool more)
{
    struct splits *s = ctx;
    if (!more && !list_units(s, name, n))
        return NULL;
    while (!next_section(s)) {
        s->next_section = 0;
        if (!next_file(s, &s->unit))
            return NULL;
    }
    return &s->unit.split;
}

void tk_module_dwarf_resolve(struct tk_module_file *m, struct tk_sym_question *questions, size_t n,
                             struct tk_sym_answers *answers)
{
    struct splits s = {.m = m, .answers = answers};
    struct tk_shared_file shared;
    const char *why = NULL;
    struct tk_dwarf dwarf = {
        .sections = tk_module_sections(&m->image, "", &why), .file = &m->file, .split = open_unit, .ctx = &s};
    if (find_package(&s))
        dwarf.package = &s.package.split;
    if (tk_shared_file_open(&shared, m, &why))
        dwarf.sections.shared = &shared.sections;
    if (why)
        tk_sym_lose(answers, why);
    tk_dwarf_resolve(&dwarf, questions, n, answers);
    if (dwarf.sections.shared && tk_sym_file_changed(&shared.file))
        tk_sym_lose(answers, TK_SYM_CHANGED);
    tk_shared_file_close(&shared);
    tk_candidates_release(&s.files);
    split_close(&s, &s.package);
    split_close(&s, &s.unit);
}

/*
 * Sections of DWARF by their names.
 */

struct tk_dwarf_sections tk_module_sections(struct tk_image *image, const char *suffix, const char **why)
{
    struct tk_dwarf_sections s = {0};
    const struct {
        const char *name;
        struct tk_bytes *to;
    } list[] = {{"debug_info", &s.info},
                {"debug_abbrev", &s.abbrev},
                {"debug_str", &s.str},
                {"debug_line", &s.line},
                {"debug_line_str", &s.line_str},
                {"debug_ranges", &s.ranges},
                {"debug_rnglists", &s.rnglists},
                {"debug_addr", &s.addr},
                {"debug_str_offsets", &s.str_offsets},
                {"debug_aranges", &s.aranges}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[TK_IMAGE_NAME];
        snprintf(name, sizeof name, "%s%s", list[i].name, suffix);
        *list[i].to = tk_image_section(image, name, why);
    }
    return s;
}
