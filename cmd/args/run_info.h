/*
 * Run info: the option --run-info of the commands that read runs.
 */
#ifndef TK_CMD_ARGS_RUN_INFO_H
#define TK_CMD_ARGS_RUN_INFO_H

#include "args/opt.h"
#include "tracekit/runs.h"

/* The option, whose values go to struct tk_opt_list at `at`. whose: "", or of which runs the facts are, as in
 * "of the candidate ". */
#define TK_RUN_INFO_OPTION(at, whose)                                                                        \
    {                                                                                                        \
        0, "run-info", TK_OPT_LIST, (at), "KEY=VALUE",                                                       \
            "a fact " whose "that captures do not record: build, commit, machine, config, map, time, ...; "  \
            "or a JSON file of them; may be repeated"                                                        \
    }

/* Reads what was given; *out is NULL where nothing was. Warns of keys that are nearly one of the list. TK_OK,
 * or the exit code after telling why not. */
int tk_run_info_option_read(struct tk_run_info **out, const struct tk_opt_list *words, const char *program,
                            bool quiet);

#endif
