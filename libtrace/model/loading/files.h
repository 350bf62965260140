/*
 * Table `files`: what was done with each file.
 */
#ifndef TK_MODEL_LOADING_FILES_H
#define TK_MODEL_LOADING_FILES_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_files;

#endif
