/*
 * What a recording shall hold: words of trace-check --expect against runs.
 */
#ifndef TK_COMPARE_BASELINE_EXPECT_H
#define TK_COMPARE_BASELINE_EXPECT_H

#include "compare/baseline/baseline.h"

#define TK_EXPECT_TEXT 160

/* Does a run fulfil a word? 1; 0, and `instead` says what there is; TK_EUSAGE (no such word). */
int tk_base_run_expect(const struct tk_base_run *run, const char *word, char instead[TK_EXPECT_TEXT],
                       struct tk_err *err);

#endif
