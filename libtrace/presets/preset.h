/*
 * A preset: the exact layout of another tool's files. It is one struct tk_preset and one line in presets.c.
 */
#ifndef TK_EXPORT_PRESET_PRESET_H
#define TK_EXPORT_PRESET_PRESET_H

#include "fact/format.h"

/* What is to be written. Borrowed. */
struct tk_preset_job {
    struct tk_context *ctx;
    struct tk_capture *capture;
    const struct tk_query *query;            /* whole; its tables are those of the preset */
    const struct tk_export_options *options; /* whole */
};

struct tk_preset {
    struct tk_export_preset about; /* first: the table of presets lists these */
    int (*run)(const struct tk_preset_job *job, struct tk_err *err);

    /* Two captures side by side, with the options of the first; NULL: the other tool does not compare. */
    int (*compare)(const struct tk_preset_job *job, const struct tk_preset_job *other, struct tk_err *err);
};

extern const struct tk_preset tk_preset_insights;
extern const struct tk_preset tk_preset_summarize;
extern const struct tk_preset tk_preset_tracy, tk_preset_tracy_0_10, tk_preset_tracy_0_9;

#endif
