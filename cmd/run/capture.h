/*
 * Capture: what all commands do with the file they are given: open it with the common options, show progress,
 * report its state, and give the exit code.
 */
#ifndef TK_CMD_RUN_CAPTURE_H
#define TK_CMD_RUN_CAPTURE_H

#include "args/opt.h"
#include "terminal/host.h"
#include "tracekit/captures.h"

/* The common options of all commands. */
struct tk_common_args {
    bool help, version, names, quiet, strict, strict_loss, no_pager, no_symbols, no_inlines, no_cache;
    bool in_part; /* no option: as tk_options has it */
    const char *index;
    uint64_t jobs;
    struct tk_opt_list limits, symbols, sources; /* sources: borrowed, of commands that show some */
    const char *frames_from;
    const char *per;                       /* TK_PER_OPTION, of the commands that have it */
    const char *owners_file, *source_root; /* TK_OWNERS_OPTIONS, likewise */
    const struct tk_owners *owners;        /* no option: those of the file, for as long as the command runs */
    const char *run_info_from;             /* TK_RUN_INFO_FROM_OPTION, likewise */
    const char *position;                  /* TK_POSITION_OPTION, likewise */
    struct tk_opt_list metric_files;       /* TK_METRIC_OPTION, likewise */
    const struct tk_metrics *metrics; /* no option: those of the files, for as long as the command runs */
};

/* Owners of what is reported; `at` as below. */
#define TK_OWNERS_OPTIONS(at)                                                                                \
    {0,                                                                                                      \
     "owners",                                                                                               \
     TK_OPT_TEXT,                                                                                            \
     (at) + offsetof(struct tk_common_args, owners_file),                                                    \
     "FILE",                                                                                                 \
     "a CODEOWNERS file, also with timer:PATTERN and thread:PATTERN: reports say who owns what they list"},  \
    {                                                                                                        \
        0, "source-root", TK_OPT_TEXT, (at) + offsetof(struct tk_common_args, source_root), "DIR",           \
            "with --owners: the folder of the sources, where its anchored patterns begin (default: any)"     \
    }

/* Facts from names of files; `at` as below. */
#define TK_RUN_INFO_FROM_OPTION(at)                                                                          \
    {                                                                                                        \
        0, "run-info-from", TK_OPT_TEXT, (at) + offsetof(struct tk_common_args, run_info_from), "PATTERN",   \
            "facts that names of captures have: '{map}_{build}_{n}'"                                         \
    }

/* Where frames were drawn; `at` as below. */
#define TK_POSITION_OPTION(at)                                                                               \
    {                                                                                                        \
        0, "position", TK_OPT_TEXT, (at) + offsetof(struct tk_common_args, position), "SOURCE",              \
            "positions come from a point (Player), two counters (PosX,PosY) or messages "                    \
            "('log:LogGame:pos x=(%f) y=(%f)'); default: the only point, or Player, Camera or View"          \
    }

/* Metrics of the user; `at` as below. */
#define TK_METRIC_OPTION(at)                                                                                 \
    {                                                                                                        \
        0, "metric", TK_OPT_LIST, (at) + offsetof(struct tk_common_args, metric_files), "FILE",              \
            "metrics of your own, in JSON (schemas/metrics.schema.json); may be repeated"                    \
    }

/* The option of commands that compare runs; `at` is where struct tk_common_args is in their arguments. */
#define TK_PER_OPTION(at)                                                                                    \
    {                                                                                                        \
        0, "per", TK_OPT_TEXT, (at) + offsetof(struct tk_common_args, per), "GLOB",                          \
            "use each occurrence of this timer or region as the unit, instead of the frame"                  \
    }

#define TK_COMMON_COUNT 15

extern const struct tk_opt tk_common_options[TK_COMMON_COUNT];

/* Those of a program that opens no capture, or goes on until it is requested to stop: fewer. */
#define TK_LIVE_COMMON_COUNT 4
extern const struct tk_opt tk_live_common_options[TK_LIVE_COMMON_COUNT];

/* A group of them; `at` is where struct tk_common_args is in the command's arguments. */
#define TK_COMMON_GROUP(at)                                                                                  \
    {                                                                                                        \
        "Common options", tk_common_options, TK_COMMON_COUNT, (at)                                           \
    }

struct tk_capture_run {
    const char *program, *path;
    const struct tk_common_args *args;
    struct tk_trace *trace;
    struct tk_err err;
};

/* How many threads work, by --jobs or what there is. */
unsigned tk_capture_jobs(const struct tk_common_args *args);

/* Checks the limits that are requested, and keeps that of memory from now on, for what is read in addition
 * captures. TK_OK, TK_EUSAGE, TK_ENOMEM. */
int tk_capture_limit(const struct tk_common_args *args, struct tk_err *err);

/* The options of captures that the library opens as it needs them: as those of tk_capture_open(). They point
 * into *limits, which is to be released, also after a failure. TK_OK or TK_ENOMEM. */
int tk_capture_options(struct tk_options *opt, struct tk_opt_list *limits, const struct tk_common_args *args);

/* Opens path with `jobs` threads, and says nothing, so that several can be opened at the same time: what
 * tk_open() returns. tk_capture_close() is due then, also after a failure. progress is called while it is
 * read, as in tk_options. */
int tk_capture_try(struct tk_capture_run *run, unsigned jobs,
                   int (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx);

/* Opens path. TK_EXIT_DONE, or the exit code after telling why not. */
enum tk_exit tk_capture_open(struct tk_capture_run *run, const char *program, const char *path,
                             const struct tk_common_args *args);

/*
 * Ends a run: says the error in run->err where status is negative, else the state of the capture; closes it.
 * The exit code.
 */
enum tk_exit tk_capture_close(struct tk_capture_run *run, int status);

/* What is no longer as it was in 0.1. */
enum tk_changed { TK_CHANGED_HITCHES, TK_CHANGED_TIMERS, TK_CHANGED_SELECTION, TK_CHANGES };

/* Says it with the way back, to a person at a terminal, once: the cache of the user remembers. Nothing is
 * said where that cannot be: with --quiet, without a cache, on a machine of builds. */
void tk_changed_say(const char *program, const struct tk_common_args *args, enum tk_changed what);

/* Does the file begin as one that is compressed as a whole, whatever its name is? */
bool tk_capture_is_packed(const char *path);

#endif
