/*
 * The capture and the query of the test that runs: made before it, freed after it (RUN_TESTS_AROUND).
 */
#ifndef TK_TESTS_UNIT_MODEL_FAKE_CASE_H
#define TK_TESTS_UNIT_MODEL_FAKE_CASE_H

#include "fake.h"
#include "run.h"

static struct fake *f;
static struct tk_query q;

/* An empty capture; all of it is requested, times in cycles. */
static inline void case_begin(void)
{
    f = fake_new();
    q = (struct tk_query)FAKE_QUERY;
}

static inline void case_end(void)
{
    fake_free(f);
}

#endif
