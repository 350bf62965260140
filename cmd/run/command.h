/*
 * Commands: one file each, listed in main.c. The options of a command begin with struct tk_common_args.
 */
#ifndef TK_CMD_RUN_COMMAND_H
#define TK_CMD_RUN_COMMAND_H

#include "run/capture.h"

/* A command as it was called. */
struct tk_call {
    const char *program; /* "trace-stats", for messages */
    const struct tk_opt_list *operands;
};

struct tk_command {
    const char *name;        /* "stats" */
    const char *operands;    /* "FILE [PATTERN...]" */
    const char *summary;     /* one line */
    const char *help;        /* further lines of the help, or NULL */
    void (*lists)(FILE *to); /* prints what the help lists above the options; NULL: nothing */
    const char *codes;       /* its exit codes, as one sentence; NULL: those of most commands */
    const struct tk_opt_group *groups;
    size_t n_groups;
    size_t args_size; /* of the command's arguments, which begin with struct tk_common_args */
    size_t most;      /* operands; SIZE_MAX: any number */
    size_t captures;  /* so many of them name captures, and may be patterns of files */
    bool statement;   /* the last one may be something else */
    const char
        *wing; /* of the library that it does not work without, as in libtrace/layers.txt; NULL: none */
    int (*run)(const struct tk_call *call, const void *args); /* the exit code */
};

extern const struct tk_command tk_command_info;
extern const struct tk_command tk_command_events;
extern const struct tk_command tk_command_edit;
extern const struct tk_command tk_command_export;
extern const struct tk_command tk_command_stats;
extern const struct tk_command tk_command_diff;
extern const struct tk_command tk_command_check;
extern const struct tk_command tk_command_trend;
extern const struct tk_command tk_command_baseline;
extern const struct tk_command tk_command_record;
extern const struct tk_command tk_command_control;
extern const struct tk_command tk_command_report;
extern const struct tk_command tk_command_query;
extern const struct tk_command tk_command_mcp;
extern const struct tk_command tk_command_view;
extern const struct tk_command tk_command_cache;

#endif
