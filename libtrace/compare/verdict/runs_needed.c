/*
 * How many runs would decide what is inconclusive. verdict.c and frame_times.c call it.
 */
#include "compare/verdict/matrix.h"

#include <math.h>

#define POWER     2.8 /* errors between nothing and what is found eight times in ten */
#define MOST_RUNS 999
#define FEW_RUNS  5

unsigned tk_matrix_runs_needed(const struct tk_matrix *m, const double n[2], double error, double margin)
{
    const double one = error / sqrt(1 / n[0] + 1 / n[1]), have = fmin(n[0], n[1]);
    const double runs = ceil(2 * pow(POWER * one / margin, 2)) + 1;
    if (m->out->design == TK_DESIGN_FRAMES)
        return FEW_RUNS; /* which show how much runs differ */
    if (!(runs > 0) || runs > MOST_RUNS)
        return 0;
    return (unsigned)fmax(runs, have + 1);
}

void tk_change_need_runs(const struct tk_matrix *m, struct tk_change *c, unsigned runs)
{
    c->runs = runs;
    for (int s = 0; s < 2; s++)
        c->more[s] = runs > m->out->runs[s] ? runs - (unsigned)m->out->runs[s] : 0;
}
