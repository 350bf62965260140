/*
 * What trace-record holds of the Unreal programs that it records, shared by the files that do it.
 */
#ifndef TK_CMD_LIVE_UNREAL_RUN_H
#define TK_CMD_LIVE_UNREAL_RUN_H

#include "live/program.h"
#include "live/record.h"
#include "live/keep.h"
#include "live/server.h"
#include "live/recorder.h"
#include "terminal/exit.h"

struct tk_unreal_run {
    const struct tk_call *call;
    const struct tk_record_args *args;
    struct tk_recorder_options options;
    bool default_ports, json;
    double seconds, idle; /* 0: not asked for */
    struct tk_recorder *recorder;
    struct tk_store_options store_options;
    struct tk_store *store; /* NULL: none is served */
    struct tk_keep_rules rules;
    double kept;         /* when the rules were applied */
    uint64_t kept_after; /* recordings that had ended then */
    struct tk_live_program program;
    double began, drawn;
    uint64_t strangers; /* connections that were none of programs */
    char stranger[128]; /* the last of them */
    enum tk_exit code;
};

static inline void tk_unreal_worsen(struct tk_unreal_run *run, enum tk_exit code)
{
    run->code = tk_exit_worse(run->code, code);
}

/* The options for the recorder, the store and the disk (unreal_options.c). false: `message` says what is
 * wrong. */
bool tk_unreal_fill(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE]);

/* Lines about what happens (unreal_lines.c). `ctx` is the run. */
void tk_unreal_on_began(void *ctx, const struct tk_session *s);
void tk_unreal_on_ended(void *ctx, const struct tk_session *s, const struct tk_live_figures *figures);
void tk_unreal_on_denied(void *ctx, const struct tk_os_address *from);
void tk_unreal_on_channel(void *ctx, const struct tk_session *s, const char *name, uint32_t id, bool enabled);
void tk_unreal_on_removed(void *ctx, const char *name, uint64_t bytes, enum tk_keep_reason reason);
void tk_unreal_draw(struct tk_unreal_run *run, double now);

/* On standard error, as standard output lists recordings. */
void tk_unreal_say_ports(const struct tk_unreal_run *run);

/* Nothing was recorded, and something was to be. */
void tk_unreal_say_nothing(struct tk_unreal_run *run);

#endif
