/*
 * Matches glob patterns. The selection of tables and events calls it.
 */
#include "base/text/glob.h"

#include "base/text/text.h"

#include <string.h>

enum { FARTHEST = 64 }; /* distances from here on are not told apart */

static unsigned char lower(char c)
{
    unsigned char b = (unsigned char)c;
    return b >= 'A' && b <= 'Z' ? (unsigned char)(b + ('a' - 'A')) : b;
}

static bool same_byte(char a, char b, bool fold_case)
{
    return a == b || (fold_case && lower(a) == lower(b));
}

static size_t character(const char *text, size_t n)
{
    size_t len;
    tk_utf8_next((const uint8_t *)text, n, &len);
    return len;
}

bool tk_glob(const char *pattern, size_t pattern_len, const char *text, size_t text_len, bool fold_case)
{
    const size_t none = (size_t)-1;
    size_t p = 0, t = 0, star = none, star_text = 0;
    for (;;) {
        if (p < pattern_len && pattern[p] == '*') {
            star = p++;
            star_text = t;
        } else if (p == pattern_len && t == text_len) {
            return true;
        } else if (p < pattern_len && t < text_len && pattern[p] == '?') {
            t += character(text + t, text_len - t);
            p++;
        } else if (p < pattern_len && t < text_len && same_byte(pattern[p], text[t], fold_case)) {
            t++;
            p++;
        } else if (star != none && star_text < text_len) {
            /* Only the last star needs another try: the earlier ones took the least they could. */
            star_text += character(text + star_text, text_len - star_text);
            t = star_text;
            p = star + 1;
        } else {
            return false;
        }
    }
}

static bool has_capital(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            return true;
    return false;
}

bool tk_glob_typed(const char *pattern, size_t pattern_len, const char *text, size_t text_len)
{
    for (const char *end = pattern + pattern_len;; pattern++) {
        const char *bar = pattern < end ? memchr(pattern, '|', (size_t)(end - pattern)) : NULL;
        const size_t n = (size_t)((bar ? bar : end) - pattern);
        if (tk_glob(pattern, n, text, text_len, !has_capital(pattern, n)))
            return true;
        if (!bar)
            return false;
        pattern = bar;
    }
}

static unsigned least_glob(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * One row of the table of distances between prefixes. Only cells within `reach` of the diagonal can be below
 * the limit, so a row is that band: cell k of row i stands for column i + k - reach.
 */
struct band {
    unsigned cell[2 * FARTHEST + 3];
};

static void next_row(struct band *row, const struct band *above, const struct band *above2, const char *a,
                     const char *b, size_t i, size_t nb, size_t reach)
{
    for (size_t k = 0; k <= 2 * reach; k++) {
        unsigned best = FARTHEST;
        if (i + k >= reach && i + k - reach <= nb) {
            size_t j = i + k - reach;
            if (j == 0)
                best = (unsigned)i;
            if (j > 0 && i > 0)
                best = least_glob(best, above->cell[k] + (lower(a[i - 1]) != lower(b[j - 1])));
            if (i > 0 && k < 2 * reach)
                best = least_glob(best, above->cell[k + 1] + 1);
            if (j > 0 && k > 0)
                best = least_glob(best, row->cell[k - 1] + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                best = least_glob(best, above2->cell[k] + 1);
        }
        row->cell[k] = least_glob(best, FARTHEST);
    }
}

unsigned tk_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit)
{
    size_t reach = least_glob(limit, FARTHEST);
    if ((na > nb ? na - nb : nb - na) >= reach)
        return limit;
    struct band rows[3];
    for (size_t i = 0; i <= na; i++)
        next_row(&rows[i % 3], &rows[(i + 2) % 3], &rows[(i + 1) % 3], a, b, i, nb, reach);
    unsigned d = rows[na % 3].cell[nb + reach - na];
    return d < reach ? d : limit;
}
