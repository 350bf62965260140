/*
 * The table of outcomes. The manual of trace-diff has it; tests/compare/check_outcomes.py brings each row
 * about.
 */
#include "judge/outcomes.h"

#include <stdio.h>

#define ALL     "diff check trend ci"
#define VERDICT "--require-verdict"

const struct tk_outcome tk_outcomes[TK_OUTCOMES] = {
    [TK_OUTCOME_UNCHANGED] = {"unchanged", 0, 0, NULL, "diff trend ci", "nothing became worse", ""},
    [TK_OUTCOME_IMPROVED] = {"improved", 0, 0, NULL, "diff ci", "something became better, and nothing worse",
                             ""},
    [TK_OUTCOME_ACCEPTED] = {"accepted", 0, 0, NULL, "diff trend ci",
                             "all that became worse is let pass by --accepted", ""},
    [TK_OUTCOME_MET] = {"met", 0, 0, NULL, "check ci", "all budgets are met", ""},
    [TK_OUTCOME_WARNING] = {"warning", 0, 0, NULL, "check ci",
                            "a budget is above its warning, and none above its error", ""},
    [TK_OUTCOME_FIRST_NIGHT] = {"first night", 0, 0, NULL, "ci",
                                "there is nothing to compare with yet, and --first-night says so", ""},
    [TK_OUTCOME_INCONCLUSIVE] = {"inconclusive", 0, 4, VERDICT, "diff ci",
                                 "nothing regressed, and most is undecided",
                                 "record more runs of each side, or give --noise"},
    [TK_OUTCOME_SAME_DATA] = {"same data", 0, 4, VERDICT, "diff ci",
                              "a run is on both sides, so that it is compared with itself",
                              "give runs of two builds, or two parts of one"},
    [TK_OUTCOME_OTHER_MACHINES] = {"other machines", 0, 4, VERDICT, "diff ci",
                                   "all runs of the baseline are of another kind of machine",
                                   "record a baseline on this kind of machine, or give --run-info "
                                   "machine=NAME for both"},
    [TK_OUTCOME_NOT_KNOWN] = {"unknown", 0, 4, VERDICT, "trend ci",
                              "the history is too short or too noisy to show a change",
                              "record more nights, or more runs a night"},
    [TK_OUTCOME_MISSING] = {"missing", 0, 1, "--strict-budget", "check ci",
                            "a budget names something that no run has",
                            "correct the name, or remove the budget"},
    [TK_OUTCOME_REGRESSED] = {"regressed", 1, 1, NULL, "diff trend ci", "something became worse",
                              "see the report; --accepted lets known ones pass"},
    [TK_OUTCOME_REGRESSED_ELSEWHERE] = {"worse on other machines", 1, 4, VERDICT, "diff ci",
                                        "something is worse than on another kind of machine",
                                        "record a baseline on this kind of machine"},
    [TK_OUTCOME_EXCEEDED] = {"exceeded", 1, 1, NULL, "check ci", "a budget is exceeded",
                             "see the report for the worst place"},
    [TK_OUTCOME_UNEXPECTED] = {"unexpected", 1, 1, NULL, "check ci", "a recording lacks what --expect names",
                               "record it again"},
    [TK_OUTCOME_NOT_COMPARABLE] = {"not comparable", 4, 4, NULL, "diff ci",
                                   "a run of the candidate is much shorter than those of the baseline, or "
                                   "has other units",
                                   "record it again; --allow-short compares it all the same"},
    [TK_OUTCOME_CRASHED] = {"crashed", 4, 4, NULL, "diff check ci", "a run ended in a crash or fatal error",
                            "record it again; --allow-short uses it all the same"},
    [TK_OUTCOME_EMPTY] = {"empty", 4, 4, NULL, ALL, "a recording has no events",
                          "record it again; --skip-unreadable leaves it out"},
    [TK_OUTCOME_NOTHING_RECORDED] = {"nothing recorded", 4, 4, NULL, ALL,
                                     "a recording has no frames and nothing else to compare runs by",
                                     "record the channels 'frame' and 'cpu', or give --per"},
    [TK_OUTCOME_NO_BASE] = {"no base", 4, 4, NULL, "diff trend ci", "there is no run to compare with",
                            "record the base first"},
    [TK_OUTCOME_NO_COMMON] = {"nothing in common", 4, 4, NULL, "diff ci", "the sides have no timer in common",
                              "give runs of one program, or --map for renamed timers"},
    [TK_OUTCOME_BELOW_FLOORS] = {"below the floors", 4, 4, NULL, "diff ci",
                                 "every timer that both sides have is too small to be judged",
                                 "lower --floor-frame or --floor-ms"},
    [TK_OUTCOME_ONE_SIDE] = {"on one side only", 4, 4, NULL, "diff ci",
                             "a selected region, thread, bookmark or timer is in runs of one side only",
                             "select what both sides have"},
    [TK_OUTCOME_NOT_STORED] = {"not stored", 4, 4, NULL, "diff check ci",
                               "a baseline or run lacks the data that a selection or budget needs",
                               "record it, or save the baseline anew"},
    [TK_OUTCOME_UNCHECKED] = {"unchecked", 4, 4, NULL, "check ci", "no budget could be checked",
                              "correct the names in the budget file"},
    [TK_OUTCOME_UNJUDGED] = {"unjudged", 4, 4, NULL, "check",
                             "a rule of --fail cannot be ruled out, or with 'found' no rule can",
                             "record what it needs: trace-stats --rules says what"},
    [TK_OUTCOME_DAMAGED] = {"damaged", 4, 4, NULL, ALL,
                            "all else is well, but a capture is damaged, or a limit left something out",
                            "see the messages; record it again"},
    [TK_OUTCOME_USAGE] = {"usage", 2, 2, NULL, ALL, "the command line or a file of settings is wrong",
                          "see the message"},
    [TK_OUTCOME_NO_MATCH] = {"no match", 2, 2, NULL, ALL, "a name matches nothing on any side",
                             "see the message for names that there are"},
    [TK_OUTCOME_OTHER_PROGRAM] = {"other program", 2, 2, NULL, "diff check ci",
                                  "runs are of several applications or platforms",
                                  "give runs of one; --mixed compares them all the same"},
    [TK_OUTCOME_NO_ORDER] = {"no order", 2, 2, NULL, "trend ci", "the order of the runs is not known",
                             "give --run-info time=, or trace-trend --order name|given"},
    [TK_OUTCOME_UNREADABLE] = {"unreadable", 3, 3, NULL, ALL, "a file cannot be read", "see the message"},
    [TK_OUTCOME_UNWRITABLE] = {"unwritable", 3, 3, NULL, ALL, "a report or baseline cannot be written",
                               "see the message"},
};

#define SAME (-1)

const signed char tk_outcomes_before[TK_OUTCOMES] = {
    [TK_OUTCOME_UNCHANGED] = SAME,
    [TK_OUTCOME_IMPROVED] = SAME,
    [TK_OUTCOME_ACCEPTED] = SAME,
    [TK_OUTCOME_MET] = SAME,
    [TK_OUTCOME_WARNING] = SAME,
    [TK_OUTCOME_FIRST_NIGHT] = SAME,
    [TK_OUTCOME_INCONCLUSIVE] = 1,
    [TK_OUTCOME_SAME_DATA] = 0,
    [TK_OUTCOME_OTHER_MACHINES] = 0,
    [TK_OUTCOME_NOT_KNOWN] = SAME,
    [TK_OUTCOME_MISSING] = SAME,
    [TK_OUTCOME_REGRESSED] = SAME,
    [TK_OUTCOME_REGRESSED_ELSEWHERE] = 1,
    [TK_OUTCOME_EXCEEDED] = SAME,
    [TK_OUTCOME_UNEXPECTED] = SAME,
    [TK_OUTCOME_NOT_COMPARABLE] = 1,
    [TK_OUTCOME_CRASHED] = 1,
    [TK_OUTCOME_EMPTY] = 3,
    [TK_OUTCOME_NOTHING_RECORDED] = 3,
    [TK_OUTCOME_NO_BASE] = 2,
    [TK_OUTCOME_NO_COMMON] = 2,
    [TK_OUTCOME_BELOW_FLOORS] = 0,
    [TK_OUTCOME_ONE_SIDE] = 2,
    [TK_OUTCOME_NOT_STORED] = 0,
    [TK_OUTCOME_UNCHECKED] = 0,
    [TK_OUTCOME_UNJUDGED] = SAME,
    [TK_OUTCOME_DAMAGED] = SAME,
    [TK_OUTCOME_USAGE] = SAME,
    [TK_OUTCOME_NO_MATCH] = SAME,
    [TK_OUTCOME_OTHER_PROGRAM] = SAME,
    [TK_OUTCOME_NO_ORDER] = 0,
    [TK_OUTCOME_UNREADABLE] = SAME,
    [TK_OUTCOME_UNWRITABLE] = SAME,
};

int tk_outcome_fail(struct tk_err *err, enum tk_outcome_kind kind, const char *fmt, ...)
{
    char found[TK_ERR_TEXT];
    const struct tk_outcome *o = &tk_outcomes[kind];
    va_list args;
    va_start(args, fmt);
    vsnprintf(found, sizeof found, fmt, args);
    va_end(args);
    const int rc = o->status == 4 ? TK_EUNKNOWN : TK_EMATCH;
    if (tk_outcomes_before[kind] == SAME)
        return tk_err_set(err, rc, "%s; %s", found, o->advice);
    return tk_err_set(err, rc, "%s; %s (status %d, before 0.2 it was %d)", found, o->advice, o->status,
                      tk_outcomes_before[kind]);
}

const char *tk_outcome_verdict(enum tk_outcome_kind ended)
{
    switch (ended) {
    case TK_OUTCOME_UNCHANGED:
    case TK_OUTCOME_ACCEPTED:
        return "unchanged";
    case TK_OUTCOME_IMPROVED:
        return "improved";
    case TK_OUTCOME_REGRESSED:
    case TK_OUTCOME_REGRESSED_ELSEWHERE:
        return "regressed";
    case TK_OUTCOME_INCONCLUSIVE:
    case TK_OUTCOME_SAME_DATA:
    case TK_OUTCOME_OTHER_MACHINES:
    case TK_OUTCOME_BELOW_FLOORS:
        return "inconclusive";
    default:
        return "not comparable";
    }
}
