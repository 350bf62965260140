/*
 * What else can be asked of a capture that is open: questions with an answer of their own, layouts of other
 * tools, and how it compares with itself.
 */
#ifndef TESTS_FUZZ_QUESTIONS_H
#define TESTS_FUZZ_QUESTIONS_H

#include "trace.h"

/* Asks the k-th (of any number). Errors must have a cause, and a run must not differ from itself. */
void fuzz_question(struct tk_trace *trace, unsigned k);

/* Promises that an error has a cause. */
void fuzz_error(int rc, const struct tk_err *err);

#endif
