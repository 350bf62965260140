/*
 * Deep: from options to tables and what they are requested.
 */
#include "args/table_plan.h"
#include "terminal/host.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct tk_questions_args, member)

const struct tk_opt tk_questions_options[TK_QUESTIONS_COUNT] = {
    {0, "tree", TK_OPT_FLAG, AT(tree), NULL,
     "the call tree: calls and times by stack; --by thread keeps threads apart"},
    {0, "callers", TK_OPT_TEXT, AT(callers), "TIMER", "callers of a timer, step by step up to the roots"},
    {0, "callees", TK_OPT_TEXT, AT(callees), "TIMER", "callees of a timer, step by step"},
    {0, "samples", TK_OPT_FLAG, AT(samples), NULL,
     "with --tree, --callers, --callees: functions by stack samples; alone: samples by function and by "
     "timer"},
    {0, "lines", TK_OPT_TEXT, AT(lines), "FUNCTION", "the lines of a function, with their stack samples"},
    {0, "source", TK_OPT_LIST, AT(source), "DIR",
     "with --lines: look for source files in this folder and its subfolders, where the capture has none; "
     "may be repeated"},
    {0, "depth", TK_OPT_NUMBER, AT(depth), "N", "trees: at most N levels below the root"},
    {0, "hitches", TK_OPT_MAYBE, AT(hitches), TK_HITCHES_VALUES,
     "hitches and their causes: game frames that are late against those around them (local, the default), by "
     "the "
     "rule of Unreal Engine, longer than twice the median, MS milliseconds, or N times the median"},
    {0, "target", TK_OPT_TEXT, AT(target), "FPS",
     "how evenly frames come, with the frames that were missed and those that were late at FPS frames a "
     "second"},
    {0, "slowest", TK_OPT_NUMBER, AT(slowest), "N",
     "the N longest single calls with their stacks (without calls that spend 90 % or more in a single inner "
     "call); --timer limits them to some timers"},
    {0, "histogram", TK_OPT_TEXT, AT(histogram), "TIMER", "distribution of the durations of a timer's calls"},
    {0, "per-frame", TK_OPT_LIST, AT(per_frame), "TIMER",
     "times of a timer in each game frame, one row per frame; may be repeated"},
    {0, "work", TK_OPT_TEXT, AT(work), "FILE",
     "classify timers as waiting, loading and so on by the patterns in this file, and then by the built-in "
     "ones"},
    {0, "min-share", TK_OPT_TEXT, AT(min_share), "SHARE",
     "trees: combine entries below this share of the total, such as 0.5% or 0.005 (default: 1% in "
     "human-readable formats); timers named by --timer stay separate"},
};

#define PEOPLE_SHARE 0.01

/* "0.5%" or "0.005", from 0 to 1. */
static bool read_share(const char *text, double *share, char message[TK_OPT_MESSAGE])
{
    char *end;
    double value = strtod(text, &end);
    bool percent = strcmp(end, "%") == 0;
    *share = percent ? value / 100 : value;
    if (end != text && (percent || !*end) && *share >= 0 && *share <= 1)
        return true;
    snprintf(message, TK_OPT_MESSAGE,
             "option '--min-share' takes a part from 0 to 1 or 0%% to 100%%, not '%.60s'", text);
    return false;
}

static bool read_hitches(const char *text, struct tk_query *query, char message[TK_OPT_MESSAGE])
{
    struct tk_err err = {0};
    const int rc = tk_query_hitches(query, text, &err);
    if (rc < 0)
        snprintf(message, TK_OPT_MESSAGE, "option '--hitches': %s", tk_err_text(&err, rc));
    return rc == TK_OK;
}

static bool check_sources(const struct tk_questions_args *args, char message[TK_OPT_MESSAGE])
{
    if (args->source.n && !args->lines) {
        snprintf(message, TK_OPT_MESSAGE, "option '--source' needs '--lines'");
        return false;
    }
    for (size_t i = 0; i < args->source.n; i++)
        if (!tk_host_is_folder(args->source.v[i])) {
            snprintf(message, TK_OPT_MESSAGE, "'%.100s' is not a folder", args->source.v[i]);
            return false;
        }
    return true;
}

bool tk_questions_any(const struct tk_questions_args *args)
{
    return args->tree || args->samples || args->callers || args->callees || args->lines || args->source.n ||
           args->depth || args->min_share || args->hitches || args->target || args->work || args->slowest ||
           args->histogram || args->per_frame.n;
}

static bool add_table(struct tk_opt_list *tables, bool requested, const char *name)
{
    for (size_t i = 0; i < tables->n; i++)
        requested = requested && strcmp(tables->v[i], name) != 0;
    return !requested || tk_opt_list_add(tables, name, strlen(name));
}

/* Is there a table that the choice of hitches is for, too? */
static bool has_smoothness(const struct tk_opt_list *tables)
{
    for (size_t i = 0; i < tables->n; i++)
        if (strcmp(tables->v[i], "smoothness") == 0 || strcmp(tables->v[i], "late_frames") == 0)
            return true;
    return false;
}

static bool add_trees(struct tk_opt_list *tables, const struct tk_questions_args *args)
{
    const bool samples = args->samples, alone = samples && !args->tree && !args->callers && !args->callees;
    return add_table(tables, args->tree, samples ? "sample_tree" : "tree") &&
           add_table(tables, args->callers, samples ? "sample_callers" : "callers") &&
           add_table(tables, args->callees, samples ? "sample_callees" : "callees") &&
           add_table(tables, args->lines, "source_lines") && add_table(tables, alone, "sample_functions") &&
           add_table(tables, alone, "sample_timers");
}

bool tk_questions_fill(struct tk_query *query, const struct tk_questions_args *args, bool people,
                       struct tk_opt_list *tables, char message[TK_OPT_MESSAGE])
{
    query->tree = (struct tk_tree_query){
        .callers = args->callers,
        .callees = args->callees,
        .depth = args->depth < 1 << 20 ? (unsigned)args->depth : 0,
        .min_share = people ? PEOPLE_SHARE : 0,
    };
    message[0] = 0; /* out of memory */
    if (args->min_share && !read_share(args->min_share, &query->tree.min_share, message))
        return false;
    if (args->hitches && !read_hitches(args->hitches, query, message))
        return false;
    if (!tk_opt_real("target", args->target, false, &query->hitches.target, message))
        return false;
    if (args->work && !tk_opt_patterns(args->work, &query->work, message))
        return false;
    if (!check_sources(args, message))
        return false;
    query->slowest = args->slowest;
    query->histogram = args->histogram;
    query->source_of = args->lines;
    query->per_frame = (const char *const *)args->per_frame.v;
    query->n_per_frame = args->per_frame.n;
    return add_table(tables, args->slowest, "slowest") && add_table(tables, args->per_frame.n, "per_frame") &&
           add_table(tables, args->histogram, "histogram") &&
           add_table(tables, args->hitches && !has_smoothness(tables), "hitches") &&
           add_table(tables, args->target, "smoothness") && add_trees(tables, args);
}
