/*
 * What the reading of a capture warns of, as faults of the run that was collected.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_FAULTS_H
#define TK_COMPARE_COLLECT_COLLECT_FAULTS_H

#include "compare/baseline/baseline.h"
#include "health/health.h"

/* Adds an entry for each kind of damage and lost events, and where the capture is cut off. To be called when
 * all is read. 0, or -1 when memory is out. */
int tk_collect_faults(struct tk_base_run *run, const struct tk_health *health, bool cut_off);

#endif
