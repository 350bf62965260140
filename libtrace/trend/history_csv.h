/*
 * Histories as numbers: runs.csv, series.csv and values.csv, as other programs write them.
 */
#ifndef TK_COMPARE_HISTORY_HISTORY_CSV_H
#define TK_COMPARE_HISTORY_HISTORY_CSV_H

#include "trend/history.h"

/* The text of a file; it is changed while it is read. */
struct tk_history_text {
    char *p;
    size_t n;
};

/*
 * Fills an empty history. TK_OK; TK_EFORMAT with file and line; TK_ENOMEM.
 *
 * runs:   run (unique); night, time, build, machine, frames; all other columns are notes. Without nights,
 * runs of one build in a row are one, and without builds each run is. series: series (unique); kind, name,
 * class, parent, unit, worse. values: run, and a column for each series; an empty field is no value.
 */
int tk_history_csv(struct tk_history *h, struct tk_history_text runs, struct tk_history_text series,
                   struct tk_history_text values, struct tk_err *err);

#endif
