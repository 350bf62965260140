/*
 * The file that several modules share. See module_shared.h.
 */
#include "symbols/module_shared.h"

#include "symbols/module_sections.h"

#include <string.h>

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

/* Has the file the id that the link tells? */
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

bool tk_shared_file_open(struct tk_shared_file *f, struct tk_module_file *m, const char **why)
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

void tk_shared_file_close(struct tk_shared_file *f)
{
    tk_image_release(&f->image);
    tk_sym_file_close(&f->file);
    *f = (struct tk_shared_file){0};
}
