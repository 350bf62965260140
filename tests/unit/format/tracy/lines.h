/*
 * Sets of lines: made line by line, or read from a file, and compared whatever their order.
 */
#ifndef TK_TESTS_UNIT_TRACY_LINES_H
#define TK_TESTS_UNIT_TRACY_LINES_H

#include "base/vec.h"
#include "run.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct lines {
    TK_VEC(char *) v;
    TK_VEC(char) text; /* not yet split */
};

static inline void lines_put(struct lines *l, const void *p, size_t n)
{
    must(tk_vec_reserve(&l->text, l->text.n + n) == 0);
    if (n)
        memcpy(l->text.v + l->text.n, p, n);
    l->text.n += n;
}

static inline void lines_printf(struct lines *l, const char *fmt, ...)
{
    char buffer[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buffer, sizeof buffer, fmt, ap);
    va_end(ap);
    must(n >= 0 && (size_t)n < sizeof buffer);
    lines_put(l, buffer, (size_t)n);
}

static inline int lines_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits what was put and sorts it. */
static inline void lines_split(struct lines *l)
{
    lines_put(l, "", 1);
    for (char *p = l->text.v; *p;) {
        char *end = strchr(p, '\n');
        must(tk_vec_push(&l->v, p) == 0);
        if (!end)
            break;
        *end = '\0';
        p = end + 1;
    }
    if (l->v.n)
        qsort(l->v.v, l->v.n, sizeof *l->v.v, lines_order);
}

/* Reads a file; false when there is none. */
static inline bool lines_read(struct lines *l, const char *path)
{
    char buffer[65536];
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        lines_put(l, buffer, n);
    fclose(f);
    return true;
}

/*
 * Are both the same once sorted? Fails the test with the first difference. Wanted lines with `optional` in
 * them (NULL: none) may be missing.
 */
static inline void lines_compare(struct lines *have, struct lines *want, const char *optional,
                                 const char *what)
{
    size_t k = 0;
    lines_split(have);
    lines_split(want);
    for (size_t i = 0; i < have->v.n || k < want->v.n; i++, k++) {
        const char *h = i < have->v.n ? have->v.v[i] : "(nothing)";
        while (optional && k < want->v.n && strcmp(h, want->v.v[k]) != 0 && strstr(want->v.v[k], optional))
            k++;
        const char *w = k < want->v.n ? want->v.v[k] : "(nothing)";
        if (strcmp(h, w) != 0)
            ck_abort_msg("%s, line %zu: have '%s', want '%s'", what, i, h, w);
    }
}

static inline void lines_release(struct lines *l)
{
    tk_vec_release(&l->v);
    tk_vec_release(&l->text);
}

#endif
