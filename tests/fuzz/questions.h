/*
 * What else can be queried of a capture that is open: questions with an answer of their own, layouts of other
 * tools, and how it compares with itself.
 */
#ifndef TK_TESTS_FUZZ_QUESTIONS_H
#define TK_TESTS_FUZZ_QUESTIONS_H

#include "api/trace.h"
#include "tracekit.h"

/* Queries the k-th (of any number). Errors must have a cause, and a run must not differ from itself. */
void fuzz_question(struct tk_trace *trace, unsigned k);

/* Compares runs with themselves, in rows and in all reports: they are not worse. */
void fuzz_compare(const struct tk_baseline *runs);

#endif
