/*
 * A chapter of tracekit.h: rules with evidence.
 */
#ifndef TRACEKIT_RULES_H
#define TRACEKIT_RULES_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_output;
struct tk_result;
struct tk_sink;
struct tk_trace;

/* ---- 21 rules ----
 *
 * Questions about what may be wrong in a capture, each a file with a sentence and two statements of SQL: one
 * says whether the capture can answer it, the other finds the evidence. Every rule is found, ruled out or not
 * judged. All of them read the capture together.
 *
 *     rc = tk_rules_new(&rules, &err);
 *     if (rc == TK_OK)
 *         rc = tk_rules_judge(rules, trace, NULL, &sink, &err);
 *     tk_rules_free(rules);
 */

struct tk_rules;

/* The rules of this build. Free with tk_rules_free. TK_OK, TK_ENOMEM. */
TK_API int tk_rules_new(struct tk_rules **out, struct tk_err *err);

/* Adds the files NAME.rule of a folder; one of the name of a rule that is there takes its place. TK_OK;
 * TK_EUSAGE (a file is no rule: the causes have its path, the line, and what is allowed; or there is none);
 * TK_EIO, TK_ENOMEM. */
TK_API int tk_rules_add(struct tk_rules *rules, const char *folder, struct tk_err *err);

/* How many there are, and the name and question of rule i, from 0 (NULL after the last one). They live as
 * long as the rules. */
TK_API size_t tk_rules_count(const struct tk_rules *rules);
TK_API const char *tk_rules_name(const struct tk_rules *rules, size_t i);
TK_API const char *tk_rules_question(const struct tk_rules *rules, size_t i);

struct tk_rules_options {
    size_t size;
    double target;           /* frames a second that are wanted, for rules that take a target; 0: none */
    const char *const *only; /* n_only names: these rules alone, with a table of the evidence of each, which
                                has its name; NULL: all rules */
    size_t n_only;
    const char *file; /* how the capture is called in commands; NULL: as it was opened */
};

/*
 * Judges a capture, and sends the table `rules`: those that are found come first, by the time they lost, then
 * those that are not. options may be NULL. The capture must not be used for anything else meanwhile. TK_OK;
 * TK_EMATCH (there is no rule of a name of `only`); TK_EUSAGE (a statement of a rule is wrong: the causes
 * have its file and line); or as tk_query_run and the sink.
 */
TK_API int tk_rules_judge(const struct tk_rules *rules, struct tk_trace *trace,
                          const struct tk_rules_options *options, const struct tk_sink *sink,
                          struct tk_err *err);

/*
 * Writes what was found in n captures as SARIF 2.1.0: judged[i] has the table `rules` of the capture at
 * files[i]. TK_OK or what writing gives.
 */
TK_API int tk_rules_sarif(const struct tk_rules *rules, const struct tk_result *const *judged,
                          const char *const *files, size_t n, struct tk_output *out, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_rules_free(struct tk_rules *rules);

#ifdef __cplusplus
}
#endif

#endif
