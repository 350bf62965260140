/*
 * The list of presets, which a build with them gives to the exports.
 */
#include "presets/presets_in.h"

#include <stddef.h>

extern const struct tk_export_preset *const tk_wing_presets[];
const struct tk_export_preset *const tk_wing_presets[] = {
    &tk_preset_insights.about,   &tk_preset_summarize.about, &tk_preset_tracy.about,
    &tk_preset_tracy_0_10.about, &tk_preset_tracy_0_9.about, NULL,
};
