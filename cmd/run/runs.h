/*
 * Runs: from operands (captures, baselines, folders of them) to the runs of one side of a comparison.
 */
#ifndef TK_RUN_RUNS_H
#define TK_RUN_RUNS_H

#include "run/command.h"
#include "tracekit/queries.h"
#include "tracekit/runs.h"

struct tk_history;

struct tk_runs {
    const char *program;
    const struct tk_common_args *common;
    struct tk_selection select;        /* of captures; baselines have none */
    struct tk_restriction restriction; /* of both: regions and warm-up */
    bool selects;                      /* something is selected that baselines do not know */
    bool skip;                         /* what cannot be read is reported and left out */
    bool one_by_one;                   /* with that: a file without a run says no more than its own error */
    bool expects;                      /* a recording without content is reported and left out; then: */
    bool hollow;                       /* there was one */
    bool brief;                        /* the runs are for a history alone */
    bool keeps;    /* the runs are kept, and not judged: what has no content is a failure */
    size_t missed; /* runs left out that do not have a name that is selected */
    bool merges;   /* a run that is there already is left out */
    const struct tk_selection
        *pictures; /* recorded ones of what it selects are read, too; NULL: none. Borrowed */
    const struct tk_budgets *budgets; /* that the runs are for; NULL: none. Borrowed */
    const struct tk_run_info *info;   /* what is said of the runs; NULL: nothing. Borrowed */
    struct tk_baseline *baseline;     /* owned */
};

/* Parts what is selected: regions and the warm-up are cut from the runs, captures and baselines alike, the
 * rest is read so. `select` is borrowed. */
void tk_runs_select(struct tk_runs *runs, const struct tk_selection *select, bool no_warmup);

/* All that is selected is read so, of captures alone. `select` is borrowed. */
void tk_runs_select_read(struct tk_runs *runs, const struct tk_selection *select);

/* Cuts the runs of n sides down to the regions, when all are there. TK_EXIT_DONE, or the exit code after
 * telling why not: TK_EXIT_UNKNOWN where some sides have the regions. */
enum tk_exit tk_runs_cut(struct tk_runs *const *sides, size_t n);

/* Says that what is selected is on one side only. TK_EXIT_UNKNOWN. */
enum tk_exit tk_runs_one_sided(const char *program);

/* Warns that patterns did not find as many names of regions, if any, as runs had no space for. */
void tk_runs_warn_lost(const struct tk_runs *runs, size_t lost);

/* A path and the side that it belongs to. */
struct tk_runs_path {
    struct tk_runs *runs;
    const char *path;
};

/* Adds the runs of n paths, of sides with the same options, in order; several captures are read at the same
 * time. TK_EXIT_DONE, TK_EXIT_DAMAGED, or the exit code after telling why not. */
enum tk_exit tk_runs_read(const struct tk_runs_path *paths, size_t n);

/* Files of histories and nights that are read at the same time. */
enum { TK_RUNS_AT_ONCE = 4 };

/* What becomes of the runs of a file, none of which are there where it could not be read; it may worsen the
 * exit code. TK_OK, or negative: it is not called again. */
typedef int tk_runs_take(void *ctx, const char *path, struct tk_baseline *runs, enum tk_exit *code,
                         struct tk_err *err);

/* Reads n files, at most TK_RUNS_AT_ONCE, at the same time, each for itself with the options of `like`, and
 * passes on their runs in order. TK_EXIT_DONE, TK_EXIT_DAMAGED, or the exit code after telling why not. */
enum tk_exit tk_runs_together(const struct tk_runs *like, char *const *paths, size_t n, tk_runs_take *take,
                              void *ctx);

/* Adds the files of a folder that may be runs to an empty list, and says, unless quiet, what is no file.
 * TK_OK, TK_EIO when the folder cannot be read or has none, TK_ENOMEM. */
int tk_runs_list_folder(const char *program, bool quiet, const char *path, struct tk_opt_list *files);

/*
 * History: from operands (captures, baselines, folders of them) to a history, a few files at a time.
 */

struct tk_history_reading {
    const char *program;
    const struct tk_common_args *common;
    bool skip;                      /* what cannot be read is reported and left out */
    int order;                      /* enum tk_history_order */
    const char *branch;             /* runs of others are left out; NULL: of none */
    const struct tk_run_info *info; /* what is said of the captures; NULL: nothing. Borrowed */
    struct tk_history *history;     /* borrowed */
};

/* Adds the runs of all paths and orders them. TK_EXIT_DONE, TK_EXIT_DAMAGED, or the exit code after telling
 * why not. */
enum tk_exit tk_history_collect(const struct tk_history_reading *reading, const struct tk_opt_list *paths);

#endif
