/*
 * What trace-record holds of the Tracy programs that it records, shared by the files that do it.
 */
#ifndef TK_CMD_LIVE_TRACY_RUN_H
#define TK_CMD_LIVE_TRACY_RUN_H

#include "live/access.h"
#include "live/program.h"
#include "live/record.h"
#include "live/tracy/announce.h"
#include "live/tracy_source.h"
#include "terminal/exit.h"

/* A program that is recorded. */
struct tk_tracy_job {
    struct tk_tl_link *link;
    struct tk_output *output;
    char *path; /* owned */
    bool told;  /* that it began */
    uint64_t bytes_drawn;
};

struct tk_tracy_run {
    const struct tk_call *call;
    const struct tk_record_args *args;
    struct tk_tracy_source source;
    struct tk_tl_link_options options;
    double seconds;
    bool quiet, json;
    TK_VEC(struct tk_tracy_job) jobs;
    struct tk_live_program program;
    struct tk_os_socket *heard; /* announcements */
    struct tk_tl_announcements announcements;
    struct tk_live_access access;
    uint64_t recorded;
    double began, drawn;
    bool stopped;
    enum tk_exit code;
};

/* Lines about what happens (tracy_lines.c). */
void tk_tracy_say_began(struct tk_tracy_run *run, struct tk_tracy_job *job);
void tk_tracy_say_ended(struct tk_tracy_run *run, const struct tk_tracy_job *job);
void tk_tracy_draw(struct tk_tracy_run *run, double now);
void tk_tracy_say_announced(const struct tk_tracy_run *run, const struct tk_tl_announced *a);

/* What is wrong with a connection that is over, and what that does to the exit status. */
void tk_tracy_judge(struct tk_tracy_run *run, const struct tk_tracy_job *job);

#endif
