/*
 * Lists: tables of a capture as HTML tables, and as blocks for the script where they are long. sections.c
 * says which.
 */
#ifndef TK_REPORT_LIST_H
#define TK_REPORT_LIST_H

#include "report/gather.h"

struct tk_list {
    const char *table;
    const char *title;   /* caption */
    const char *columns; /* names, a comma between; those that are empty or not there are left out, and with a
                            question mark behind them those that are zero or one text in all rows */
    const char *sort;    /* greatest first; NULL: as they come */
    size_t shown;        /* rows of the HTML table */
    size_t kept;         /* rows that are read and go to a block; not more than `shown`: no block */
    const char *question; /* of the table `can`, which says why there are no rows; NULL: none */
};

/* Appends a list, or a sentence where it has no rows. `prefix` begins the ids of the capture. false: the
 * capture has nothing of it, and nothing was said. TK_OK or TK_ENOMEM, or what sorting failed with. */
int tk_list_put(const struct tk_list *list, const struct tk_gather *g, const char *prefix,
                struct tk_markup *m, struct tk_err *err);

/* The rows that there are of a list. */
uint64_t tk_list_rows(const struct tk_list *list, const struct tk_gather *g);

/* Appends an HTML table of rows `first` to `last` (exclusive) of what was kept. */
void tk_list_table(const struct tk_list *list, const struct tk_gathered *kept, size_t first, size_t last,
                   struct tk_markup *m);

#endif
