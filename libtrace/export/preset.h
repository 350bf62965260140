/*
 * A preset: the exact layout of another tool's files. The presets are a wing, which lists them in
 * presets/presets.c; a build without it has none.
 */
#ifndef TK_EXPORT_PRESET_H
#define TK_EXPORT_PRESET_H

#include "fact/format.h"
#include "tracekit/exports.h"
#include "tracekit/queries.h"

/* What is to be written. Borrowed. */
struct tk_preset_job {
    struct tk_context *ctx;
    struct tk_capture *capture;
    const struct tk_query *query;            /* whole; its tables are those of the preset */
    const struct tk_export_options *options; /* whole */
};

struct tk_preset {
    struct tk_export_preset about; /* first: lists of presets point to it */
    int (*run)(const struct tk_preset_job *job, struct tk_err *err);

    /* Two captures side by side, with the options of the first; NULL: the other tool does not compare. */
    int (*compare)(const struct tk_preset_job *job, const struct tk_preset_job *other, struct tk_err *err);
};

/* The presets of the build, NULL-terminated: each points to the `about` of one. */
extern const struct tk_export_preset *const *const tk_presets;

#endif
