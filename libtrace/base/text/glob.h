/*
 * Patterns of names, names near to one that there is not, and names of before.
 *
 * Glob patterns of the selection options: `*` matches any bytes, `?` one character, everything else itself.
 * Case is significant unless requested otherwise.
 */
#ifndef TK_BASE_TEXT_GLOB_H
#define TK_BASE_TEXT_GLOB_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Does the whole text match the pattern? fold_case folds ASCII letters. Time: the product of the lengths at
 * worst, no recursion.
 */
bool tk_glob(const char *pattern, size_t pattern_len, const char *text, size_t text_len, bool fold_case);

/*
 * The same for patterns that people type: alternatives with | between them, each of which folds case where it
 * holds no capital letter.
 */
bool tk_glob_typed(const char *pattern, size_t pattern_len, const char *text, size_t text_len);

/*
 * Edit distance between two texts: bytes inserted, removed, replaced or swapped with the next one, ASCII case
 * folded. Distances of `limit` (or of 64) and more give limit. For "did you mean".
 */
unsigned tk_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit);

/*
 * The few names that a misspelled name may have meant. Errors about unknown names end with these suggestions.
 */

#define TK_NEAREST_NAMES 3

struct tk_nearest_name {
    const char *p; /* borrowed */
    size_t n;
    unsigned rank; /* 0 is best */
};

struct tk_nearest_search {
    const char *wanted; /* borrowed */
    char bare[256];     /* the same without the signs of patterns */
    size_t n_bare;
    struct tk_nearest_name
        names[TK_NEAREST_NAMES]; /* best first; of equal ones the one that was offered first */
    size_t n;
};

/* Begins a search; wanted may be a pattern. */
void tk_nearest_begin(struct tk_nearest_search *near, const char *wanted);

/* Offers a name, borrowed. Names that are not near are dropped, and names that are there already. */
void tk_nearest_offer(struct tk_nearest_search *near, const char *p, size_t n);

/* TK_EMATCH, with a sentence: no `what` matches what was wanted; the names found, or else that there are
 * n_all. */
int tk_nearest_fail(const struct tk_nearest_search *near, const char *what, size_t n_all, struct tk_err *err);

/* What a column of before 0.2 is called now: names in quotes. NULL: it had no other name. Static. */
const char *tk_column_now(const char *old);

#endif
