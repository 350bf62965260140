/*
 * The list of presets, and the lookup of a preset by name. export.c calls it if a preset is given.
 */
#include "base/given.h"
#include "export/export_in.h"
#include "presets/preset.h"

#include <string.h>

static const struct tk_export_preset *const presets[] = {
    &tk_preset_insights.about,   &tk_preset_summarize.about, &tk_preset_tracy.about,
    &tk_preset_tracy_0_10.about, &tk_preset_tracy_0_9.about, NULL,
};

const struct tk_export_preset *const *tk_export_presets(void)
{
    return presets;
}

static const struct tk_preset *find_presets(const char *name, struct tk_err *err)
{
    for (size_t i = 0; presets[i]; i++)
        if (name && strcmp(presets[i]->name, name) == 0)
            return (const struct tk_preset *)presets[i];
    tk_err_set(err, TK_EMATCH, "there is no preset '%s'", name ? name : "");
    return NULL;
}

static struct tk_preset_job job_of(struct tk_trace *trace, const struct tk_query *query,
                                   const struct tk_export_options *options)
{
    return (struct tk_preset_job){
        .ctx = &trace->ctx, .capture = trace->capture, .query = query, .options = options};
}

int tk_export_preset(const struct tk_export *e, struct tk_err *err)
{
    const struct tk_preset *preset = find_presets(e->options->preset, err);
    const struct tk_preset_job job = job_of(e->trace, e->query, e->options);
    return preset ? preset->run(&job, err) : TK_EMATCH;
}

int tk_export_pair(struct tk_trace *trace, struct tk_trace *other, const struct tk_query *query,
                   const struct tk_export_options *options, struct tk_err *err)
{
    TK_GIVEN(err, trace, other, query);
    struct tk_query whole = {0};
    struct tk_export_options opt = {0};
    int rc = tk_export_take(&whole, query, &opt, options, err);
    if (rc < 0)
        return rc;
    const struct tk_preset *preset = find_presets(opt.preset, err);
    const struct tk_preset_job left = job_of(trace, &whole, &opt), right = job_of(other, &whole, &opt);
    if (preset && !preset->compare)
        return tk_err_set(err, TK_EUSAGE, "the preset '%s' does not compare", opt.preset);
    return preset ? preset->compare(&left, &right, err) : TK_EMATCH;
}
