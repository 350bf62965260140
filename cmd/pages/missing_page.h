/*
 * Missing symbols: what to ask a symbol store or a server of build ids for, a line each. trace-info --missing
 * shows it.
 */
#ifndef TK_CMD_PAGES_MISSING_PAGE_H
#define TK_CMD_PAGES_MISSING_PAGE_H

#include <tracekit.h>

struct tk_missing_count {
    size_t asked;   /* modules whose symbols are to be asked for */
    size_t unnamed; /* those without an id to ask by */
};

/* Sends the modules of the table `symbol_files` that have no symbols. */
int tk_missing_page_send(const struct tk_result *result, struct tk_missing_count *count,
                         const struct tk_sink *sink, struct tk_err *err);

#endif
