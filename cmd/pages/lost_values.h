/*
 * Lost values: warns of values that a file of columns cannot hold as they are.
 */
#ifndef TK_CMD_SHOW_LOST_VALUES_H
#define TK_CMD_SHOW_LOST_VALUES_H

#include "terminal/exit.h"

#include <tracekit.h>

struct tk_lost_values {
    const struct tk_sink *to;       /* borrowed: the writer's, or one before it */
    const struct tk_writer *writer; /* borrowed; NULL: nothing is lost */
    const char *program;            /* borrowed */
    const char *advice;             /* how to keep them, behind a semicolon; NULL: there is no way */
    bool quiet;                     /* nothing is said */
    bool lost;                      /* set where values were lost or rounded */
};

/* The exit code: that of the rest of the command, at least TK_EXIT_DAMAGED where values were lost. */
static inline enum tk_exit tk_lost_values_exit(bool lost, enum tk_exit code)
{
    return tk_exit_worse(code, lost ? TK_EXIT_DAMAGED : TK_EXIT_DONE);
}

/* The sink that passes tables on, and looks at each when it has ended. values is borrowed. */
struct tk_sink tk_lost_values_sink(struct tk_lost_values *values);

#endif
