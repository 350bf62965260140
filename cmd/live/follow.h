/*
 * Following a capture that grows: a report on it is made again and again until what writes it has ended. The
 * commands that take --follow call it with their report.
 */
#ifndef TK_CMD_LIVE_FOLLOW_H
#define TK_CMD_LIVE_FOLLOW_H

#include "run/command.h"

struct tk_follow {
    const struct tk_call *call; /* its operand: a file, or tcp://HOST[:PORT][/ID] of a store */
    const char *idle;           /* seconds without growth that are the end, where no lock tells; NULL: 10 */
    bool each;                  /* every report is shown, not the last one alone */
    bool adds;  /* reports add to those before: they come sooner, and nothing stands between them */
    bool quiet; /* nothing is said beside the reports */
    /* Makes a report on a file, which has `bytes` or more. The exit status. `last`: nothing more will come.
     */
    int (*report)(void *ctx, const char *path, uint64_t bytes, bool last);
    void *ctx;
};

/* Is this what only --follow takes: a store? */
bool tk_follow_is_store(const char *operand);

/* Follows. The exit status of the last report, or what kept it from being made. */
int tk_follow_run(const struct tk_follow *f);

#endif
