/*
 * The table of presets, and how an export finds its own. See preset/preset.h.
 */
#include "export.h"

#include "base/err.h"
#include "preset/preset.h"

#include <string.h>

static const struct tk_export_preset *const presets[] = {
    &tk_preset_insights.about,   &tk_preset_summarize.about, &tk_preset_tracy.about,
    &tk_preset_tracy_0_10.about, &tk_preset_tracy_0_9.about, NULL,
};

const struct tk_export_preset *const *tk_export_presets(void)
{
    return presets;
}

int tk_export_preset(const struct tk_export *e, struct tk_err *err)
{
    const char *name = e->options->preset;
    const struct tk_preset_job job = {
        .ctx = &e->trace->ctx, .capture = e->trace->capture, .query = e->query, .options = e->options};
    for (size_t i = 0; presets[i]; i++)
        if (strcmp(presets[i]->name, name) == 0)
            return ((const struct tk_preset *)presets[i])->run(&job, err);
    return tk_err_set(err, TK_EMATCH, "there is no preset '%s'", name);
}
