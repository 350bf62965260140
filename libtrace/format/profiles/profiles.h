/*
 * Profiles without times: what the list of formats names.
 */
#ifndef TK_FORMAT_PROFILES_PROFILES_H
#define TK_FORMAT_PROFILES_PROFILES_H

#include "fact/format.h"

/* Profiles of pprof, as protobuf (import2 10). */
extern const struct tk_format tk_format_pprof;

/* Collapsed stacks: a line "a;b;c N" for each, the outermost function first. */
extern const struct tk_format tk_format_collapsed;

#endif
