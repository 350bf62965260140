/*
 * Cells of CSV; see csv_line.h.
 */
#include "format/events/csv_line.h"

#include <math.h>
#include <stdlib.h>

struct tk_csv_line tk_csv_line_of(const uint8_t *p, size_t n)
{
    while (n && (p[n - 1] == '\r' || p[n - 1] == '\n'))
        n--;
    return (struct tk_csv_line){p, p + n, n == 0, false};
}

bool tk_csv_cell(struct tk_csv_line *l, struct tk_bytes *out)
{
    const uint8_t *first = l->p, *p = l->p;
    if (l->ended)
        return false;
    if (p < l->end && *p == '"') {
        first = ++p;
        while (p < l->end && (*p != '"' || (p + 1 < l->end && p[1] == '"')))
            p += *p == '"' ? 2 : 1;
        l->quote_open |= p >= l->end;
        *out = (struct tk_bytes){first, (size_t)(p - first)};
    }
    while (p < l->end && *p != ',')
        p++;
    if (first == l->p)
        *out = (struct tk_bytes){first, (size_t)(p - first)};
    l->ended = p == l->end;
    l->p = l->ended ? p : p + 1;
    return true;
}

enum { LONGEST = 64 };

bool tk_csv_number(struct tk_bytes cell, double *out)
{
    char text[LONGEST + 1], *end;
    if (!cell.n || cell.n > LONGEST)
        return false;
    for (size_t i = 0; i < cell.n; i++)
        if (!memchr("0123456789+-.eE", cell.p[i], 15))
            return false;
    memcpy(text, cell.p, cell.n);
    text[cell.n] = '\0';
    *out = strtod(text, &end);
    return !*end && !isinf(*out);
}

bool tk_csv_is(struct tk_bytes cell, const char *text)
{
    size_t n = strlen(text);
    if (cell.n != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = (char)cell.p[i];
        c = c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
        if (c != (text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 'a' - 'A' : text[i]))
            return false;
    }
    return true;
}
