/*
 * The lookup of a preset by name. export.c calls it if a preset is given.
 */
#include "base/given.h"
#include "export/export_in.h"
#include "export/preset.h"

#include <string.h>

const struct tk_export_preset *const *tk_export_presets(void)
{
    return tk_presets;
}

static int find_presets(const struct tk_preset **out, const char *name, struct tk_err *err)
{
    *out = NULL;
    for (size_t i = 0; tk_presets[i] && !*out; i++)
        if (name && strcmp(tk_presets[i]->name, name) == 0)
            *out = (const struct tk_preset *)tk_presets[i];
    if (*out)
        return TK_OK;
    return tk_presets[0] ? tk_err_set(err, TK_EMATCH, "there is no preset '%s'", name ? name : "")
                         : tk_err_left_out(err, "PRESETS");
}

static struct tk_preset_job job_of(struct tk_trace *trace, const struct tk_query *query,
                                   const struct tk_export_options *options)
{
    return (struct tk_preset_job){
        .ctx = &trace->ctx, .capture = trace->capture, .query = query, .options = options};
}

int tk_export_preset(const struct tk_export *e, struct tk_err *err)
{
    const struct tk_preset *preset;
    const struct tk_preset_job job = job_of(e->trace, e->query, e->options);
    int rc = find_presets(&preset, e->options->preset, err);
    return rc < 0 ? rc : preset->run(&job, err);
}

int tk_export_pair(struct tk_trace *trace, struct tk_trace *other, const struct tk_query *query,
                   const struct tk_export_options *options, struct tk_err *err)
{
    TK_GIVEN(err, trace, other, query);
    struct tk_query whole = {0};
    struct tk_export_options opt = {0};
    const struct tk_preset *preset = NULL;
    int rc = tk_export_take(&whole, query, &opt, options, err);
    if (rc == TK_OK)
        rc = find_presets(&preset, opt.preset, err);
    if (rc < 0)
        return rc;
    const struct tk_preset_job left = job_of(trace, &whole, &opt), right = job_of(other, &whole, &opt);
    if (!preset->compare)
        return tk_err_set(err, TK_EUSAGE, "the preset '%s' does not compare", opt.preset);
    return preset->compare(&left, &right, err);
}
