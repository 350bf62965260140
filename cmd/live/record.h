/*
 * The program that a recording starts (`-- PROGRAM ARG...`): starting it, and its end.
 */
#ifndef TK_CMD_LIVE_PROGRAM_H
#define TK_CMD_LIVE_PROGRAM_H

#include "args/opt.h"
#include "base/text/json.h"
#include "live/access.h"
#include "run/command.h"
#include "terminal/host.h"
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

/*
 * Answers of live commands for programs: a line of JSON for each thing that happens. trace-record and
 * trace-control write them with --format json.
 */

/* One object in the making. */
struct tk_live_object {
    char *text; /* of all objects, which are made one after another: too much for a small stack */
    size_t n;
    struct tk_json json;
};

/* "text", "json" or NULL, which is text. true, or false with a sentence. */
bool tk_live_read_format(const char *format, bool *json, char message[TK_OPT_MESSAGE]);

/* Begins with a member `event`. */
void tk_live_object_begin(struct tk_live_object *o, const char *event);

/* A text of anybody, cut and cleaned; "" is null. */
void tk_live_object_text(struct tk_live_object *o, const char *key, const char *text);
void tk_live_object_number(struct tk_live_object *o, const char *key, uint64_t number);
void tk_live_object_seconds(struct tk_live_object *o, const char *key, double seconds);
void tk_live_object_bool(struct tk_live_object *o, const char *key, bool is);
void tk_live_object_null(struct tk_live_object *o, const char *key);

/* Writes it as a line of standard output, at once. */
void tk_live_object_end(struct tk_live_object *o);

/*
 * What trace-record is requested, whatever it records. Each kind of program has a file here that does it.
 */

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
