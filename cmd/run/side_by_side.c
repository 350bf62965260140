/*
 */
#include "args/endings.h"
#include "args/table_plan.h"
#include "pages/out.h"
#include "pages/tables.h"
#include "run/report.h"
#include "terminal/message.h"
#include "tracekit/exports.h"

#include <stdlib.h>
#include <string.h>

/* What is requested: verdicts, two captures side by side, or a preset. */
enum { VERDICTS = 1, ALONGSIDE = 2, PRESET = 4 };

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
            {"from", VERDICTS | ALONGSIDE},
            {"to", VERDICTS | ALONGSIDE},
            {"frames", VERDICTS | ALONGSIDE},
            {"from-bookmark", VERDICTS | ALONGSIDE},
            {"to-bookmark", VERDICTS | ALONGSIDE},
            {"region", VERDICTS | ALONGSIDE},
            {"thread", VERDICTS | ALONGSIDE},
            {"memory", ALONGSIDE},
            {"samples", ALONGSIDE},
            {"table", PRESET},
            {"output", ALONGSIDE | PRESET}};

static unsigned mode_of(const struct tk_opt_set *set)
{
    if (tk_opt_is_set(set, "preset"))
        return PRESET;
    return tk_opt_is_set(set, "memory") || tk_opt_is_set(set, "samples") ? ALONGSIDE : VERDICTS;
}

/* Where an option has its use. */
static const char *use_of(unsigned modes)
{
    if (modes & VERDICTS)
        return modes & ALONGSIDE ? "verdicts, --memory and --samples" : "verdicts";
    if (modes == ALONGSIDE)
        return "two captures side by side, without --preset";
    return modes & ALONGSIDE ? "presets (--preset NAME), --memory and --samples" : "presets (--preset NAME)";
}

bool tk_diff_preset_fit(const struct tk_opt_set *set, char message[TK_OPT_MESSAGE])
{
    const unsigned mode = mode_of(set);
    if (tk_opt_is_set(set, "timer") && (mode != ALONGSIDE || !tk_opt_is_set(set, "samples"))) {
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

/* Both operands, or none where one of them fails. */
static enum tk_exit open_both(struct tk_capture_run runs[2], const struct tk_call *call,
                              const struct tk_common_args *common)
{
    enum tk_exit code = tk_capture_open(&runs[0], call->program, call->operands->v[0], common);
    if (code != TK_EXIT_DONE)
        return code;
    code = tk_capture_open(&runs[1], call->program, call->operands->v[1], common);
    if (code != TK_EXIT_DONE)
        tk_capture_close(&runs[0], TK_OK);
    return code;
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
    enum tk_exit code = open_both(runs, call, common);
    if (code != TK_EXIT_DONE)
        return (int)code;
    code = tk_capture_close(&runs[0], compare_diff_preset(runs, args));
    return (int)tk_exit_worse(code, tk_capture_close(&runs[1], TK_OK));
}

struct side_by_side {
    const struct tk_side_by_side_args *args;
    const char *program;
    struct tk_query query;
    struct tk_out_args out;
    bool quiet;
    const char *format;
};

/* Words with commas between them. */
static bool fill_groups(struct tk_query *query, const char *words, char message[TK_OPT_MESSAGE])
{
    static const char *const tables[] = {"memory_growth"};
    struct tk_opt_list list = {0};
    bool good = true;
    message[0] = '\0'; /* out of memory */
    for (size_t n; good && words && *words; words += n + (words[n] == ',')) {
        n = strcspn(words, ",");
        good = tk_opt_list_add(&list, words, n);
    }
    good = good && tk_by_fill(&query->by, &list, "--memory", message);
    tk_opt_list_release(&list);
    query->tables = tables;
    query->n_tables = 1;
    return good && tk_by_check(query, message);
}

static bool fill(struct side_by_side *s, char message[TK_OPT_MESSAGE])
{
    const struct tk_side_by_side_args *args = s->args;
    s->query = TK_INIT(struct tk_query);
    s->out = (struct tk_out_args){.path = args->path, .force = args->force, .guard = args->guard};
    s->format = tk_endings_format(tk_endings_of_tables, NULL, args->path, "table", message);
    if (!s->format)
        return false;
    if (args->memory && args->samples) {
        snprintf(message, TK_OPT_MESSAGE, "options '--memory' and '--samples' do not go together");
        return false;
    }
    return fill_groups(&s->query, args->memory, message) &&
           tk_select_fill(&s->query.select, args->select, message);
}

/* What people see of it: without the columns that are extra. */
static int send(const struct side_by_side *s, const struct tk_result *result, const struct tk_sink *sink,
                struct tk_err *err)
{
    const struct tk_column_filter show = {.usual = tk_out_is_for_people(s->format)};
    return tk_column_filter_table(result, 0, &show, sink, err);
}

/* *side: the capture that a failure is about. */
static int compare(const struct side_by_side *s, struct tk_capture_run runs[2], const struct tk_sink *sink,
                   unsigned *side, struct tk_err *err)
{
    struct tk_result *result;
    const char *name = s->args->memory ? "memory_difference" : "sample_difference";
    int rc = tk_result_new(&result, err);
    if (rc < 0)
        return rc;
    const struct tk_sink keep = tk_result_sink(result);
    rc = tk_difference_run(runs[0].trace, runs[1].trace, name, &s->query, &keep, side, err);
    if (rc >= 0)
        rc = send(s, result, sink, err);
    tk_result_free(result);
    return rc;
}

static int write(const struct side_by_side *s, struct tk_capture_run runs[2], unsigned *side, bool *lost)
{
    struct tk_out out;
    struct tk_err err = {0};
    *side = 0;
    int rc = tk_out_open(&out, &s->out, s->format, false, true, &err);
    struct tk_lost_values values = {
        .to = &out.sink, .writer = out.writer, .program = s->program, .quiet = s->quiet};
    const struct tk_sink telling = tk_lost_values_sink(&values);
    if (rc >= 0)
        rc = compare(s, runs, &telling, side, &err);
    *lost = values.lost;
    rc = tk_out_close(&out, rc, &err);
    if (rc < 0)
        runs[*side].err = err;
    return rc;
}

static int open_and_write(const struct side_by_side *s, struct tk_capture_run runs[2],
                          const struct tk_call *call, const struct tk_common_args *common)
{
    enum tk_exit code = open_both(runs, call, common);
    if (code != TK_EXIT_DONE)
        return (int)code;
    unsigned side;
    bool lost;
    const int rc = write(s, runs, &side, &lost);
    code = tk_capture_close(&runs[0], side ? TK_OK : rc);
    code = tk_exit_worse(code, tk_capture_close(&runs[1], side ? rc : TK_OK));
    return (int)tk_lost_values_exit(lost, code);
}

int tk_side_by_side(const struct tk_call *call, const struct tk_common_args *common,
                    const struct tk_side_by_side_args *args)
{
    struct side_by_side s = {.args = args, .program = call->program, .quiet = common->quiet};
    char message[TK_OPT_MESSAGE];
    if (call->operands->n != 2)
        return tk_message_usage(call->program, "which two captures?");
    if (!fill(&s, message))
        return tk_message_usage(call->program, message);
    struct tk_capture_run *runs = calloc(2, sizeof *runs);
    if (!runs)
        return tk_message_error(call->program, NULL, TK_ENOMEM, NULL), (int)tk_exit_of(TK_ENOMEM);
    const int code = open_and_write(&s, runs, call, common);
    free(runs);
    return code;
}
