/*
 * Names: checking patterns against all names of a capture, so that those which match none are found out.
 */
#ifndef TK_QUERY_PATTERNS_H
#define TK_QUERY_PATTERNS_H

#include "query/select.h"

/*
 * Names: checking patterns against all names of a capture, so that those which match none are found out.
 */

/* Does a pattern stand for names that contain it? A text without capitals, '*', '?', '|' does. */
bool tk_pattern_is_word(const char *text);

/* Says the patterns of the names of all threads and GPU queues of a dictionary. To be done before matching.
 */
void tk_pattern_learn_threads(struct tk_patterns *patterns, const struct tk_dict *dict);

/* Says the patterns of n names, exact ones first; then as tk_patterns_check. `what` is "thread", ... */
int tk_pattern_check(struct tk_patterns *patterns, const char *what, const struct tk_str *const *names,
                     size_t n, struct tk_err *err);

/* The same with the threads and the timers of a dictionary, timers of what is requested (a mask of SCOPES and
 * GPU_SCOPES); also TK_ENOMEM. */
int tk_pattern_check_threads(struct tk_patterns *patterns, const struct tk_dict *dict, struct tk_err *err);
int tk_pattern_check_timers(struct tk_patterns *patterns, const struct tk_dict *dict, uint64_t facts,
                            struct tk_err *err);

#endif
