/*
 * Indent: call trees for people: instead of columns with the depth and the numbers of the rows, names are
 * indented.
 */
#ifndef TK_CMD_SHOW_INDENT_H
#define TK_CMD_SHOW_INDENT_H

#include <tracekit.h>

struct tk_indent {
    const struct tk_sink *to;  /* borrowed */
    struct tk_table table;     /* of the table under way, as it is passed on */
    struct tk_column *columns; /* owned, as the others */
    uint32_t *from;            /* columns that stay */
    struct tk_cell *row;
    char *name;
    size_t name_cap;
    uint32_t depth, timer; /* columns; depth UINT32_MAX: no tree, it passes as it is */
};

/* The sink that passes tables on to another one. Release the state when all is done. */
struct tk_sink tk_indent_sink(struct tk_indent *indent, const struct tk_sink *to);
void tk_indent_release(struct tk_indent *indent);

#endif
