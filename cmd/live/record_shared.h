/*
 * What recordings of all kinds of programs share: options that mean the same, and the exit status. The
 * recorders of this folder use it.
 */
#ifndef TK_CMD_LIVE_RECORD_SHARED_H
#define TK_CMD_LIVE_RECORD_SHARED_H

#include "live/access.h"
#include "live/program.h"
#include "live/record.h"
#include "terminal/exit.h"

#define TK_RECORD_STEP 0.1 /* seconds: a stop is heard within it */

/* Adds the addresses of --allow. true, or false with a sentence. */
bool tk_record_access(struct tk_live_access *access, const struct tk_record_args *args,
                      char message[TK_OPT_MESSAGE]);

/* Is this a folder? true, or false with a sentence. */
bool tk_record_folder(const char *path, char message[TK_OPT_MESSAGE]);

/* The status of the program that was started, where it is not 0, and a line that says so; else `code`. */
int tk_record_status(const struct tk_call *call, const struct tk_record_args *args,
                     const struct tk_live_program *program, enum tk_exit code);

#endif
