/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_CMD_IN_H
#define TK_CMD_IN_H

#include "args/endings.h"
#include "args/select.h"
#include "args/table_plan.h"
#include "pages/out.h"
#include "pages/summary_pages.h"
#include "run/command.h"
#include "run/report.h"
#include "tracekit/sql.h"

/*
 * Describe: commands, options and the words that options take, as lines for the generators of manuals and
 * completions.
 */

/*
 * Prints lines of cells with tabs between them:
 *
 *   command  name operands summary
 *   help     a line of the help
 *   group    title; what follows is in it
 *   option   brief ("" for none), long name, value ("" where it takes none), "may" where the value may be
 *            missing, "words" where commas may stand between several values, what the value is, help
 *   words    name of a list, then its words
 *   export   name help
 *   preset   name help; what tables it has is the list of words "preset-NAME"
 *   table    name help
 *   column   table name help
 *   limit    name default help
 *   outcome  name status status-with-option option commands when advice
 *
 * What a value is: the name of a list of words, "file", or "" for anything.
 */
void tk_describe(const struct tk_command *const *commands, size_t n, FILE *to);

/*
 * Answers to SQL: statements of a file, and their rows in the format and to the place that was requested.
 */

struct tk_query_answer {
    const char *program;
    struct tk_sql *sql;
    const struct tk_out_args *out;
    const char *format;
    enum tk_unit unit; /* of times */
    bool plan, quiet;  /* plan: what would be done instead; quiet: warns of nothing */
    bool lost;         /* set where the format could not hold all values */
};

/* Reads a file of statements, "-" is standard input: *text is to be freed. true, or false with a sentence. */
bool tk_query_text_read(const char *path, char **text, char message[TK_OPT_MESSAGE]);

/* Writes the answers to statements. TK_OK or what failed. */
int tk_query_answer(struct tk_query_answer *a, const char *statements, struct tk_err *err);

/*
 * The prompt of trace-query: statements and commands, line by line.
 */

/* Queries until the end of standard input or .quit. Statements that fail are reported, and it goes on. TK_OK
 * or TK_ENOMEM. */
int tk_prompt_run(struct tk_query_answer *answer);

/*
 * The arguments of trace-stats.
 */

struct tk_stats_args {
    struct tk_common_args common;
    struct tk_out_args out;
    struct tk_select_args select;
    struct tk_plan_args plan;
    struct tk_questions_args deep;
    struct tk_row_args rows;
    struct tk_memory_args memory;
    struct tk_opt_list by;
    struct tk_opt_list run_info;
    struct tk_opt_list before;
    const char *save, *summary, *idle, *list, *rules, *phase;
    bool follow, plot;
    struct tk_text_args texts;
};

/*
 * trace-stats --list: the tables that there are, without a capture.
 */

/* Lists them as the report says. The exit status. */
int tk_stats_list(struct tk_report *report, const struct tk_stats_args *args);

/*
 * What trace-stats makes of a capture: the rows of a query, as they are requested, or the first page.
 */

struct tk_stats {
    struct tk_query query;
    struct tk_plan_args requested; /* with the tables of the questions; its lists are borrowed but `tables` */
    struct tk_opt_list tables;     /* owned */
    struct tk_row_filtering rows;
    struct tk_plan plan;
    const char **with_warnings; /* owned: the tables of the query and one more; or NULL */
    const char *program;
    bool page;                      /* nothing was requested: the first page for people */
    bool folds;                     /* threads without scopes are one line */
    struct tk_stats_page_look look; /* of it */
};

/* As of a report (tk_report.produce); ctx is a tk_stats. */
int tk_stats_produce(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err);

/* Is only a part of the time requested? */
bool tk_stats_has_times(const struct tk_selection *select);

/*
 * trace-stats over a capture: its arguments as a query, and the answer.
 */

/* Fills the rest of the report, whose format is known, and runs it. The exit status. */
int tk_stats_answer(const struct tk_stats_args *args, struct tk_report *report);

/*
 * trace-stats --by cell=SIZE: frames by place.
 */

/* Is a drawing requested? Then tk_stats_map makes it, and gives the exit status. */
bool tk_stats_is_map(const struct tk_stats_args *args);
int tk_stats_map(const struct tk_stats_args *args, const struct tk_call *call);

/* Is a table requested? */
bool tk_stats_by_cell(const struct tk_stats_args *args);

/* Fills the rest of the report, whose format is known, and runs it. The exit status. */
int tk_stats_cells(const struct tk_stats_args *args, struct tk_report *report);

/*
 * trace-stats --rules: what is found in a capture by rules.
 */

/* Fills the rest of the report, whose format is known, and runs it. The exit status. */
int tk_stats_rules(const struct tk_stats_args *args, struct tk_report *report);

/*
 * trace-check --rules: captures against rules.
 */

struct tk_check_rules {
    const struct tk_call *call;
    const struct tk_common_args *common;
    const char *rules, *target, *colour;
    const struct tk_opt_list *fail, *reports;
    bool good; /* no option was given that is for budgets */
};

/* Judges the captures, and writes the reports. The exit status. */
int tk_check_rules_run(const struct tk_check_rules *request);

/*
 * trace-stats --save and --summary: a run as a baseline, or as Parquet for fleets.
 */

/* `set` has all options, as they were given. The exit status. */
int tk_stats_save(const struct tk_call *call, const struct tk_stats_args *args, const struct tk_opt_set *set);

#endif
