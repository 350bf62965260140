/*
 * Fuchsia's traces as a format: what the list of formats names.
 */
#ifndef TK_FORMAT_FUCHSIA_FUCHSIA_H
#define TK_FORMAT_FUCHSIA_FUCHSIA_H

#include "fact/format.h"

extern const struct tk_format tk_format_fuchsia;

#endif
