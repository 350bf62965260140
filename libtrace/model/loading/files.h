/*
 * Table `files`: what was done with each file.
 */
#ifndef TK_STATS_FILES_H
#define TK_STATS_FILES_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_files;

#endif
