/*
 * See diff_preset.h.
 */
#include "beside/diff_preset.h"

#include "terminal/message.h"

/* Options that do nothing with a preset, and without one. */
static const char *const of_verdicts[] = {"vs",
                                          "noise",
                                          "warmup",
                                          "drop-warmup",
                                          "map",
                                          "floor",
                                          "floor-ms",
                                          "require-verdict",
                                          "skip-unreadable",
                                          "from",
                                          "to",
                                          "frames",
                                          "from-bookmark",
                                          "to-bookmark",
                                          "region",
                                          "thread",
                                          "report",
                                          "top"};
static const char *const of_presets[] = {"table", "output"};

static const char *first_given(const struct tk_opt_set *set, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && !tk_opt_is_set(set, names[i]))
        i++;
    return i < n ? names[i] : NULL;
}

bool tk_diff_preset_fit(const struct tk_opt_set *set, char message[TK_OPT_MESSAGE])
{
    const bool preset = tk_opt_is_set(set, "preset");
    if (tk_opt_is_set(set, "timer") && !tk_opt_is_set(set, "samples")) {
        snprintf(message, TK_OPT_MESSAGE, "option '--timer' goes with '--samples' only");
        return false;
    }
    if (!preset && (tk_opt_is_set(set, "memory") || tk_opt_is_set(set, "samples")))
        return true;
    const char *other = preset ? first_given(set, of_verdicts, sizeof of_verdicts / sizeof *of_verdicts)
                               : first_given(set, of_presets, sizeof of_presets / sizeof *of_presets);
    if (other)
        snprintf(message, TK_OPT_MESSAGE, "option '--%s' is for %s", other,
                 preset ? "verdicts, which a preset does not give" : "presets (--preset NAME)");
    return !other;
}

static int compare_diff_preset(struct tk_capture_run runs[2], const struct tk_diff_preset_args *args)
{
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_export_options options = TK_INIT(struct tk_export_options);
    query.tables = &args->table;
    query.n_tables = args->table != NULL;
    options.preset = args->preset;
    options.path = args->path ? args->path : "-";
    options.force = args->force;
    return tk_export_pair(runs[0].trace, runs[1].trace, &query, &options, &runs[0].err);
}

int tk_diff_preset(const struct tk_call *call, const struct tk_common_args *common,
                   const struct tk_diff_preset_args *args)
{
    struct tk_capture_run runs[2];
    if (call->operands->n != 2)
        return tk_message_usage(call->program, "a preset compares two captures");
    enum tk_exit code = tk_capture_open(&runs[0], call->program, call->operands->v[0], common);
    if (code != TK_EXIT_DONE)
        return (int)code;
    code = tk_capture_open(&runs[1], call->program, call->operands->v[1], common);
    if (code != TK_EXIT_DONE) {
        tk_capture_close(&runs[0], TK_OK);
        return (int)code;
    }
    code = tk_capture_close(&runs[0], compare_diff_preset(runs, args));
    return (int)tk_exit_worse(code, tk_capture_close(&runs[1], TK_OK));
}
