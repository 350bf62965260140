/*
 * Matches glob patterns. The selection of tables and events calls it.
 */
#include "base/text/glob.h"

#include "base/text/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/*
 * Suggests names that contain the one given (ignoring case) or differ from it in a few letters. Errors about
 * unknown names end with its suggestions.
 */

enum {
    MOST_MORE = 8, /* what a name has more than the part that was wanted counts up to here */
    LONGEST = 256  /* names are compared up to here */
};

void tk_nearest_begin(struct tk_nearest_search *near, const char *wanted)
{
    *near = (struct tk_nearest_search){.wanted = wanted};
    for (const char *c = wanted; *c && near->n_bare < sizeof near->bare; c++) {
        if (*c != '*' && *c != '?')
            near->bare[near->n_bare++] = *c;
    }
}

static bool contains(const char *p, size_t n, const char *part, size_t n_part)
{
    for (size_t i = 0; n_part <= n && i <= n - n_part; i++) {
        if (tk_glob(part, n_part, p + i, n_part, true))
            return true;
    }
    return false;
}

/*
 * How far a name is away, or UINT_MAX: 0 when it differs in the case only; a letter more around what was
 * wanted counts 1, another difference 2.
 */
static unsigned rank_of(const struct tk_nearest_search *near, const char *p, size_t n)
{
    unsigned limit = (unsigned)near->n_bare / 3 + 2;
    if (n > LONGEST)
        n = LONGEST;
    unsigned distance = tk_distance(near->bare, near->n_bare, p, n, limit);
    size_t more = n - near->n_bare;
    if (near->n_bare >= 2 && contains(p, n, near->bare, near->n_bare))
        return (unsigned)(more < MOST_MORE ? more : MOST_MORE);
    /* What has nothing in common is not near, however short it is. */
    return distance < limit && distance < near->n_bare ? 2 * distance : UINT_MAX;
}

static bool is_known(const struct tk_nearest_search *near, const char *p, size_t n)
{
    for (size_t i = 0; i < near->n; i++) {
        if (near->names[i].n == n && memcmp(near->names[i].p, p, n) == 0)
            return true;
    }
    return false;
}

void tk_nearest_offer(struct tk_nearest_search *near, const char *p, size_t n)
{
    unsigned rank = n ? rank_of(near, p, n) : UINT_MAX;
    if (rank == UINT_MAX || is_known(near, p, n))
        return;
    size_t at = near->n;
    while (at > 0 && near->names[at - 1].rank > rank)
        at--;
    if (at == TK_NEAREST_NAMES)
        return;
    size_t kept = near->n < TK_NEAREST_NAMES ? near->n : TK_NEAREST_NAMES - 1;
    memmove(&near->names[at + 1], &near->names[at], (kept - at) * sizeof near->names[0]);
    near->names[at] = (struct tk_nearest_name){p, n, rank};
    near->n = kept + 1;
}

int tk_nearest_fail(const struct tk_nearest_search *near, const char *what, size_t n_all, struct tk_err *err)
{
    char list[TK_NEAREST_NAMES * 72] = "";
    size_t used = 0;
    for (size_t i = 0; i < near->n; i++) {
        int n = (int)(near->names[i].n < 64 ? near->names[i].n : 64);
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s'%.*s'", i ? ", " : "", n, near->names[i].p);
    }
    if (near->n)
        return tk_err_set(err, TK_EMATCH, "no %s matches '%.80s'; the nearest: %s", what, near->wanted, list);
    return tk_err_set(err, TK_EMATCH, "no %s matches '%.80s' (there are %zu)", what, near->wanted, n_all);
}

enum { FARTHEST = 64 }; /* distances from here on are not distinguished */

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

/* ---- names of before ---- */

/* Where the new one depends on the table, all of them. */
static const struct {
    const char *old, *now;
} renamed[] = {{"duration", "'dur'"},
               {"begin", "'start'"},
               {"started", "'start'"},
               {"ended", "'end'"},
               {"completed", "'end'"},
               {"size", "'bytes' or 'requested_bytes'"},
               {"header_size", "'header_bytes'"},
               {"id", "'scope_id', 'node_id' or the like"},
               {"callstack", "'callstack_id'"},
               {"heap_name", "'heap'"},
               {"tag_name", "'tag'"},
               {"type_name", "'type'"},
               {"own", "'excl'"},
               {"usual", "'typical'"},
               {"made_up", "'synthesized'"},
               {"works", "'work_items'"},
               {"bad_frames", "'invalid_frames'"},
               {"moves", "'migrations'"},
               {"told", "'sum'"},
               {"piggyback", "'merged'"},
               {"self_samples", "'excl_samples'"},
               {"own_share", "'excl_share'"},
               {"own_time", "'excl_time'"},
               {"base_own", "'base_excl'"},
               {"lacks", "'missing'"}};

const char *tk_column_now(const char *old)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i].old, old) == 0)
            return renamed[i].now;
    return NULL;
}
