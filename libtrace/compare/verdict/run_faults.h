/*
 * What was wrong with the captures of the runs that are compared or checked: beside every verdict.
 */
#ifndef TK_COMPARE_VERDICT_RUN_FAULTS_H
#define TK_COMPARE_VERDICT_RUN_FAULTS_H

#include "compare/baseline/baseline.h"

enum tk_run_side { TK_RUN_BASELINE, TK_RUN_CANDIDATE, TK_RUN_NOISE, TK_RUN_CHECKED };

struct tk_run_fault {
    uint8_t side;               /* enum tk_run_side */
    size_t run;                 /* of the side, from 0 */
    struct tk_base_fault fault; /* with texts of `names` */
};

struct tk_run_faults {
    TK_VEC(struct tk_run_fault) v;
    struct tk_intern names;
    size_t n[TK_FAULT_TIERS]; /* runs by the worst of them */
};

/* Adds the faults of all runs of a side. 0, or -1 if out of memory. */
int tk_run_faults_add(struct tk_run_faults *faults, const struct tk_baseline *runs, uint8_t side);

/* "damaged", "lost events", "cut off": the worst of all; empty where there is none. Static. */
const char *tk_run_faults_word(const struct tk_run_faults *faults);

void tk_run_faults_release(struct tk_run_faults *faults);

#endif
