/*
 * See diff_preset.h.
 */
#include "run/diff_preset.h"

#include "terminal/message.h"

/* What is asked for: verdicts, two captures side by side, or a preset. */
enum { VERDICTS = 1, BESIDE = 2, PRESET = 4 };

/* What options are for. Those that are not listed are for all three. */
static const struct {
    const char *name;
    unsigned modes;
} uses[] = {{"vs", VERDICTS},
            {"noise", VERDICTS},
            {"warmup", VERDICTS},
            {"drop-warmup", VERDICTS},
            {"map", VERDICTS},
            {"accepted", VERDICTS},
            {"base-of", VERDICTS},
            {"floor", VERDICTS},
            {"floor-frame", VERDICTS},
            {"floor-ms", VERDICTS},
            {"require-verdict", VERDICTS},
            {"ignore-common", VERDICTS},
            {"per", VERDICTS},
            {"allow-short", VERDICTS},
            {"mixed", VERDICTS},
            {"run-info", VERDICTS},
            {"skip-unreadable", VERDICTS},
            {"report", VERDICTS},
            {"top", VERDICTS},
            {"from", VERDICTS | BESIDE},
            {"to", VERDICTS | BESIDE},
            {"frames", VERDICTS | BESIDE},
            {"from-bookmark", VERDICTS | BESIDE},
            {"to-bookmark", VERDICTS | BESIDE},
            {"region", VERDICTS | BESIDE},
            {"thread", VERDICTS | BESIDE},
            {"memory", BESIDE},
            {"samples", BESIDE},
            {"table", PRESET},
            {"output", BESIDE | PRESET}};

static unsigned mode_of(const struct tk_opt_set *set)
{
    if (tk_opt_is_set(set, "preset"))
        return PRESET;
    return tk_opt_is_set(set, "memory") || tk_opt_is_set(set, "samples") ? BESIDE : VERDICTS;
}

/* Where an option has its use. */
static const char *use_of(unsigned modes)
{
    if (modes & VERDICTS)
        return modes & BESIDE ? "verdicts, --memory and --samples" : "verdicts";
    if (modes == BESIDE)
        return "two captures side by side, without --preset";
    return modes & BESIDE ? "presets (--preset NAME), --memory and --samples" : "presets (--preset NAME)";
}

bool tk_diff_preset_fit(const struct tk_opt_set *set, char message[TK_OPT_MESSAGE])
{
    const unsigned mode = mode_of(set);
    if (tk_opt_is_set(set, "timer") && (mode != BESIDE || !tk_opt_is_set(set, "samples"))) {
        snprintf(message, TK_OPT_MESSAGE, "option '--timer' goes with '--samples' only");
        return false;
    }
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!(uses[i].modes & mode) && tk_opt_is_set(set, uses[i].name)) {
            snprintf(message, TK_OPT_MESSAGE, "option '--%s' is for %s", uses[i].name, use_of(uses[i].modes));
            return false;
        }
    return true;
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
