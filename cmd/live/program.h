/*
 * The program that a recording starts (`-- PROGRAM ARG...`): starting it, and its end.
 */
#ifndef TK_CMD_LIVE_PROGRAM_H
#define TK_CMD_LIVE_PROGRAM_H

#include "terminal/message.h"

struct tk_os_program;

/* Zero-initialised there is none. */
struct tk_live_program {
    struct tk_os_program *program;
    bool over;
    int status;
    double ended; /* tk_os_seconds when that was noticed */
};

/*
 * Starts the program of these words. `option` is added behind them unless it is NULL or one of them begins
 * with `unless`; `environment` (NAME=VALUE; NULL: none) has two variables at most. If the recorder is killed,
 * it ends. TK_OK; TK_EIO: it cannot be started.
 */
int tk_live_program_start(struct tk_live_program *p, const struct tk_opt_list *words, const char *unless,
                          const char *option, const char *const *environment, struct tk_err *err);

/* Was there one, and has it ended? */
bool tk_live_program_ended(struct tk_live_program *p, double now);

/* Its exit status, as far as it ended: 128 and more when a signal ended it. */
bool tk_live_program_status(const struct tk_live_program *p, int *status);

/* Queries it to end where it still runs, and waits a while for it. */
void tk_live_program_stop(struct tk_live_program *p);

void tk_live_program_close(struct tk_live_program *p);

#endif
