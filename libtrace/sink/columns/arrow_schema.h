/*
 * The schema of a table in the IPC format of Arrow.
 */
#ifndef TK_SINK_ARROW_ARROW_SCHEMA_H
#define TK_SINK_ARROW_ARROW_SCHEMA_H

#include "sink/columns/flat.h"
#include "sink/columns/group.h"

/* Builds it, with what is said of the table. to: where causes go. The place; failures are those of f and to.
 */
size_t tk_arrow_schema(struct tk_flat *f, const struct tk_group *g, const char *source, struct tk_buffer *to);

#endif
