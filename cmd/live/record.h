/*
 * What trace-record is requested, whatever it records. Each kind of program has a file here that does it.
 */
#ifndef TK_LIVE_RECORD_H
#define TK_LIVE_RECORD_H

#include "live/access.h"
#include "live/program.h"
#include "run/command.h"
#include "terminal/host.h"

struct tk_record_args {
    struct tk_common_args common;
    const char *output, *into, *name; /* NULL: not given, as all texts here */
    const char *resume;               /* Tracy */
    bool force;
    const char *listen, *port;
    struct tk_opt_list allow; /* ADDRESS[/BITS], or any */
    uint64_t count;           /* 0: not given */
    const char *seconds, *size, *rotate, *idle;
    bool until_exit;
    const char *store, *store_port, *store_form, *keep_days, *keep_bytes, *free_bytes;
    bool announce, control, no_summary;
    const char *format;         /* text or json */
    uint64_t frames;            /* Tracy: 0: not given */
    const char *wait;           /* Tracy: "": for any program */
    bool all, code;             /* Tracy */
    struct tk_opt_list program; /* behind "--": its name and arguments; n == 0: none */
};

/* Records Unreal programs, which connect to us. The exit status. */
int tk_record_unreal(const struct tk_call *call, const struct tk_record_args *args);

/* Makes the capture of a recording of a Tracy program that was broken off. The exit status. */
int tk_record_resume(const struct tk_call *call, const struct tk_record_args *args);

/* Records Tracy programs, to which we connect. The exit status. */
int tk_record_tracy(const struct tk_call *call, const struct tk_record_args *args);

/*
 * What recordings of all kinds of programs share: options that mean the same, and the exit status. The
 * recorders of this folder use it.
 */

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
