/*
 * Fit: options of trace-export that only some formats and presets have.
 */
#ifndef TK_CMD_ARGS_EXPORT_EXPORT_OPTIONS_H
#define TK_CMD_ARGS_EXPORT_EXPORT_OPTIONS_H

#include "args/opt.h"

/* Does the format or the preset (one of them NULL) have all options that were given? true, or false with a
 * sentence. */
bool tk_export_fit(const struct tk_opt_set *set, const char *format, const char *preset,
                   char message[TK_OPT_MESSAGE]);

#endif
