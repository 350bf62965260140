/*
 * Warn: the table `quality` as lines of warnings on standard error, instead of where the other tables go.
 */
#ifndef TK_CMD_SHOW_WARNINGS_H
#define TK_CMD_SHOW_WARNINGS_H

#include <tracekit.h>

#define TK_WARNINGS_TABLE "quality"

struct tk_warnings {
    const struct tk_sink *to; /* borrowed */
    const char *program;      /* borrowed */
};

/* The sink that passes other tables on. warn is borrowed. */
struct tk_sink tk_warnings_sink(struct tk_warnings *warn);

#endif
