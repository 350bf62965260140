/*
 * Suggests names that contain the one given (ignoring case) or differ from it in a few letters. Errors about
 * unknown names end with its suggestions.
 */
#include "base/text/nearest.h"

#include "base/text/glob.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

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
