/*
 * Cells: the frames of a run by the cell of the level that they were drawn in. A run stores for each frame
 * where it was, in steps of a power of ten that divides its level into a thousand or more, so that the side
 * of a cell can be chosen later: any whole number of steps.
 */
#ifndef TK_COMPARE_BASELINE_RUN_CELLS_H
#define TK_COMPARE_BASELINE_RUN_CELLS_H

#include "compare/baseline/baseline.h"
#include "compare/baseline/baseline_file.h"

/* Where the frames of a run were, before they are stored: real coordinates of each, NaN where not known. */
struct tk_run_place {
    double at[3];
};

/* Gives a run the places of its frames, one for each in order. 0, or -1 if out of memory. */
int tk_base_run_place(struct tk_base_run *run, const struct tk_run_place *places, const char *source);

/* A frame with its cell. */
struct tk_run_cell_frame {
    int64_t at[3]; /* z is 0 unless it counts */
    bool known;
    uint32_t frame;  /* of the run */
    uint64_t length; /* cycles */
};

/* The frames of a run by cell, those without one last; in a cell the shortest first. */
struct tk_run_cells {
    TK_VEC(struct tk_run_cell_frame) v;
};

/* Makes them; to be released also when it fails. TK_OK; TK_EUNKNOWN (the run does not store places);
 * TK_EMATCH (the side is no whole number of its steps, which is said); TK_ENOMEM. */
int tk_run_cells_make(struct tk_run_cells *cells, const struct tk_base_run *run, double side, bool z,
                      struct tk_err *err);
void tk_run_cells_release(struct tk_run_cells *cells);

/* The frames of the next cell, from v[*first] on; 0 at the end. *first begins with 0, and the caller adds
 * what is returned. */
size_t tk_run_cells_count(const struct tk_run_cells *cells, size_t first);

/* The order of cells: by x, y and z. */
int tk_run_cells_order(const struct tk_run_cell_frame *a, const struct tk_run_cell_frame *b);

/* "3,0", with z "3,0,1". */
enum { TK_RUN_CELL_NAME = 80 };
void tk_run_cell_name(char name[TK_RUN_CELL_NAME], const struct tk_run_cell_frame *cell, bool z);

/* The length in ms at a rank of a cell, from 1 on. */
double tk_run_cell_ms(const struct tk_base_run *run, const struct tk_run_cell_frame *cell, size_t rank);

#endif
