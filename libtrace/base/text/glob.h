/*
 * Glob patterns of the selection options: `*` matches any bytes, `?` one character, everything else itself.
 * Case is significant unless asked otherwise.
 */
#ifndef TK_BASE_TEXT_GLOB_H
#define TK_BASE_TEXT_GLOB_H

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

#endif
