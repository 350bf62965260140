/*
 * How a comparison ended, from the verdicts of all rows: which row of judge/outcomes.h it is.
 */
#include "compare/verdict/compare.h"

/* Of what is tested apart from frames, errors and the machine: how many rows there are, and how many are
 * undecided.
 */
static size_t count_tested(const struct tk_comparison *c, size_t *undecided)
{
    size_t n = 0;
    *undecided = 0;
    for (size_t i = 0; i < c->changes.n; i++) {
        const struct tk_change *x = &c->changes.v[i];
        if (!x->tested || tk_change_is_of_frames(x->kind) || x->kind == TK_CHANGE_COMMON ||
            x->kind == TK_CHANGE_LOG)
            continue;
        n++;
        *undecided += x->verdict == TK_INCONCLUSIVE;
    }
    return n;
}

/* Frames of two single runs do not show what differs between runs: one undecided row is one too many. */
static bool is_undecided(const struct tk_comparison *c, size_t tested, size_t undecided)
{
    return c->design == TK_DESIGN_FRAMES ? c->unsure : undecided > 0 && undecided * 2 >= tested;
}

static enum tk_outcome_kind flaw_of(const struct tk_sides *sides)
{
    for (size_t i = 0; i < sides->flaws.n; i++)
        if (sides->flaws.v[i].kind != TK_FLAW_ENDED)
            return TK_OUTCOME_NOT_COMPARABLE;
    return TK_OUTCOME_CRASHED;
}

enum tk_outcome_kind tk_comparison_ended(const struct tk_comparison *c)
{
    size_t undecided;
    const size_t tested = count_tested(c, &undecided);
    if (tk_sides_flawed(&c->sides))
        return flaw_of(&c->sides);
    if (c->worse)
        return c->sides.other_machines ? TK_OUTCOME_REGRESSED_ELSEWHERE : TK_OUTCOME_REGRESSED;
    if (tested == 0)
        return TK_OUTCOME_BELOW_FLOORS;
    if (c->sides.same_data)
        return TK_OUTCOME_SAME_DATA;
    if (c->sides.other_machines)
        return TK_OUTCOME_OTHER_MACHINES;
    if (is_undecided(c, tested, undecided))
        return TK_OUTCOME_INCONCLUSIVE;
    if (c->accepted)
        return TK_OUTCOME_ACCEPTED;
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].verdict == TK_IMPROVED)
            return TK_OUTCOME_IMPROVED;
    return TK_OUTCOME_UNCHANGED;
}
