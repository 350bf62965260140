/*
 * Split DWARF of a module. See module_split.h. (symbols 3.3)
 */
#include "symbols/module_split.h"

#include "base/text/path.h"
#include "symbols/module_sections.h"
#include "symbols/module_shared.h"

#include <stdio.h>

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

/* The files of a name, beside the module's file or in the places of the search. */
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

/* Of the path that the unit tells only the last part is used: it is one of another machine. */
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
