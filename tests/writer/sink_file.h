/*
 * Sinks of the writer that are files, for tests and benchmarks. The product's sinks are its own outputs.
 */
#ifndef TK_WRITER_SINK_FILE_H
#define TK_WRITER_SINK_FILE_H

#include "format/utrace/write/packets.h"

#include <stdio.h>

/* Opens `path` for writing. Returns 0, or -1 with errno set; then the sink has failed and swallows
 * everything. */
int tk_uw_sink_open(struct tk_uw_sink *sink, const char *path);

#endif
