/*
 * Split DWARF of a module. See module_split.h. (symbols 3.3)
 */
#include "symbols/module_split.h"

#include "base/text/path.h"
#include "symbols/dwarf/dwarf.h"

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
    struct tk_sym_answers *answers;
};

static struct tk_dwarf_sections sections_of(struct tk_image *image, const char *suffix, const char **why)
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
                {"debug_str_offsets", &s.str_offsets}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[TK_IMAGE_NAME];
        snprintf(name, sizeof name, "%s%s", list[i].name, suffix);
        *list[i].to = tk_image_section(image, name, why);
    }
    return s;
}

static void split_close(struct split_file *f)
{
    tk_image_release(&f->image);
    tk_sym_file_close(&f->file);
    *f = (struct split_file){0};
}

static bool split_open(struct split_file *f, const char *path, bool map)
{
    const char *why = NULL;
    *f = (struct split_file){0};
    if (tk_sym_file_open(&f->file, path, map, &why) < 0)
        return false;
    bool good = tk_image_open(&f->image, f->file.bytes, NULL, 0, &why) == 0;
    if (good) {
        f->split.sections = sections_of(&f->image, ".dwo", &why);
        f->split.index = tk_image_section(&f->image, "debug_cu_index", &why);
        good = f->split.sections.info.n > 0;
    }
    if (!good)
        split_close(f);
    return good;
}

/* The first file of a name that can be opened, beside the module's file or in the places of the search. */
static bool find_split(struct splits *s, struct split_file *f, const char *name)
{
    static const struct tk_wanted nothing = {.n_id = 0};
    struct tk_candidates list = {0};
    bool found = false;
    if (tk_search_named(s->m->search, &nothing, name, s->m->path, "split", &list))
        s->answers->failed = true;
    for (size_t i = 0; i < list.v.n && !found; i++)
        found = split_open(f, list.v.v[i].path, s->m->map);
    tk_candidates_release(&list);
    return found;
}

static bool find_package(struct splits *s)
{
    char name[TK_WANTED_NAME + 8];
    const char *base = s->m->path + tk_path_base(s->m->path);
    int n = snprintf(name, sizeof name, "%s.dwp", base);
    return n > 0 && (size_t)n < sizeof name && find_split(s, &s->package, name) && s->package.split.index.n;
}

/* Of the path that the unit tells only the last part is used: it is one of another machine. */
static const struct tk_dwarf_split *open_unit(void *ctx, const char *name, size_t n_name, const char *folder,
                                              size_t n_folder)
{
    struct splits *s = ctx;
    char file[TK_WANTED_NAME];
    size_t from = n_name;
    (void)folder;
    (void)n_folder;
    while (from && name[from - 1] != '/' && name[from - 1] != '\\')
        from--;
    if (!tk_is_file_name(name + from, n_name - from))
        return NULL;
    memcpy(file, name + from, n_name - from);
    file[n_name - from] = '\0';
    split_close(&s->unit);
    return find_split(s, &s->unit, file) ? &s->unit.split : NULL;
}

void tk_module_dwarf_resolve(struct tk_module_file *m, struct tk_sym_question *questions, size_t n,
                             struct tk_sym_answers *answers)
{
    struct splits s = {.m = m, .answers = answers};
    const char *why = NULL;
    struct tk_dwarf dwarf = {.sections = sections_of(&m->image, "", &why), .split = open_unit, .ctx = &s};
    if (find_package(&s))
        dwarf.package = &s.package.split;
    if (why)
        tk_sym_lose(answers, why);
    tk_dwarf_resolve(&dwarf, questions, n, answers);
    split_close(&s.package);
    split_close(&s.unit);
}
