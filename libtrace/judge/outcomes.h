/*
 * Outcomes: every way in which a comparison, a check of budgets, a trend or a build can end, with its exit
 * status and what to do about it. Commands, reports and the manual take them from here.
 *
 *     0  looked, and found nothing wrong
 *     1  something that was requested is not met
 *     2  wrong usage
 *     3  a file cannot be read or written
 *     4  nothing can be said, or not all of it
 */
#ifndef TK_JUDGE_OUTCOMES_H
#define TK_JUDGE_OUTCOMES_H

#include "base/err.h"

enum tk_outcome_kind {
    TK_OUTCOME_UNCHANGED,
    TK_OUTCOME_IMPROVED,
    TK_OUTCOME_ACCEPTED,
    TK_OUTCOME_MET,
    TK_OUTCOME_WARNING,
    TK_OUTCOME_FIRST_NIGHT,
    TK_OUTCOME_INCONCLUSIVE,
    TK_OUTCOME_SAME_DATA,
    TK_OUTCOME_OTHER_MACHINES,
    TK_OUTCOME_NOT_KNOWN,
    TK_OUTCOME_MISSING,
    TK_OUTCOME_REGRESSED,
    TK_OUTCOME_REGRESSED_ELSEWHERE,
    TK_OUTCOME_EXCEEDED,
    TK_OUTCOME_UNEXPECTED,
    TK_OUTCOME_NOT_COMPARABLE,
    TK_OUTCOME_CRASHED,
    TK_OUTCOME_EMPTY,
    TK_OUTCOME_NOTHING_RECORDED,
    TK_OUTCOME_NO_BASE,
    TK_OUTCOME_NO_COMMON,
    TK_OUTCOME_BELOW_FLOORS,
    TK_OUTCOME_ONE_SIDE,
    TK_OUTCOME_NOT_STORED,
    TK_OUTCOME_UNCHECKED,
    TK_OUTCOME_UNJUDGED,
    TK_OUTCOME_DAMAGED,
    TK_OUTCOME_USAGE,
    TK_OUTCOME_NO_MATCH,
    TK_OUTCOME_OTHER_PROGRAM,
    TK_OUTCOME_NO_ORDER,
    TK_OUTCOME_UNREADABLE,
    TK_OUTCOME_UNWRITABLE,
    TK_OUTCOMES
};

extern const struct tk_outcome tk_outcomes[TK_OUTCOMES];

/* The status that each ended with before 0.2; -1: the same, or there was no such outcome. */
extern const signed char tk_outcomes_before[TK_OUTCOMES];

/* How a comparison ended, in the five words that reports for programs have had from the first: "unchanged",
 * "improved", "regressed", "inconclusive", "not comparable". Static. */
const char *tk_outcome_verdict(enum tk_outcome_kind ended);

/* Sets an error for an outcome of status 2 or 4: what was found, and what to do. Returns its code: TK_EMATCH
 * or TK_EUNKNOWN. */
int tk_outcome_fail(struct tk_err *err, enum tk_outcome_kind kind, const char *fmt, ...) TK_PRINTF(3, 4);

#endif
