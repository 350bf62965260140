/*
 * Paths of source files. See source_path.h.
 */
#include "symbols/files/source_path.h"

#include <string.h>

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static bool is_absolute(struct tk_bytes s)
{
    return (s.n && is_separator((char)s.p[0])) || (s.n > 2 && s.p[1] == ':' && is_separator((char)s.p[2]));
}

/* Where the last name of a path begins. */
static size_t last_name(const struct tk_sym_path *p)
{
    size_t at = p->n;
    while (at && !is_separator(p->text[at - 1]))
        at--;
    return at;
}

/* A step of a path: "." is nothing, ".." takes a name away that is there. */
static void add_name(struct tk_sym_path *p, const char *name, size_t n)
{
    if (n == 0 || (n == 1 && name[0] == '.'))
        return;
    size_t at = last_name(p);
    bool up = n == 2 && memcmp(name, "..", 2) == 0;
    bool named = at < p->n && !(p->n - at == 2 && memcmp(p->text + at, "..", 2) == 0);
    if (up && named && at) {
        p->n = at > 1 ? at - 1 : at;
        return;
    }
    if (up && p->n == 1 && is_separator(p->text[0]))
        return; /* above the root is the root */
    if (p->n + n + 1 > sizeof p->text)
        return;
    if (p->n && !is_separator(p->text[p->n - 1]))
        p->text[p->n++] = '/';
    memcpy(p->text + p->n, name, n);
    p->n += n;
}

void tk_sym_path_add(struct tk_sym_path *p, struct tk_bytes s)
{
    if (is_absolute(s)) {
        p->n = 0;
        if (is_separator((char)s.p[0]))
            p->text[p->n++] = (char)s.p[0];
    }
    for (size_t at = 0, end; at < s.n; at = end + 1) {
        for (end = at; end < s.n && !is_separator((char)s.p[end]); end++)
            continue;
        add_name(p, (const char *)s.p + at, end - at);
    }
}
