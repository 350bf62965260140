/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_LIVE_LIVE_IN_H
#define TK_LIVE_LIVE_IN_H

#include "args/opt.h"
#include "base/err.h"
#include "live/access.h"
#include "live/record.h"
#include "live/server.h"
#include "live/session.h"
#include "live/tracy/link.h"
#include "terminal/host.h"

#include <stdbool.h>

/*
 * Numbers of live commands: sizes and times as options give them, and as lines show them.
 */

enum { TK_FIGURE = 32 }; /* bytes of the text of a size or a time */

/* "500M", "100k", "1.5GB", "1000": bytes, with powers of 1000. NULL leaves *out. true, or false with a
 * sentence. */
bool tk_live_read_size(const char *option, const char *text, uint64_t *out, char message[TK_OPT_MESSAGE]);

/* Of --rotate: a size as above, 10k at least, or a time: "30s", "10min", "6h", "1d". NULL leaves both. true,
 * or false with a sentence. */
bool tk_live_read_rotation(const char *text, uint64_t *bytes, double *seconds, char message[TK_OPT_MESSAGE]);

/* Ports, with commas between them: at most `most`, *n of them. NULL leaves all. true, or false with a
 * sentence. */
bool tk_live_read_ports(const char *option, const char *text, uint16_t *out, size_t most, size_t *n,
                        char message[TK_OPT_MESSAGE]);

/* "1.2 MB". Returns out. */
const char *tk_live_size(uint64_t bytes, char out[TK_FIGURE]);

/* "3.2 s", "5 min 02 s". Returns out. */
const char *tk_live_time(double seconds, char out[TK_FIGURE]);

/* "12,345". Returns out. */
const char *tk_live_count(uint64_t n, char out[TK_FIGURE]);

/*
 * What is going on, as one line on the terminal that is drawn again and again, and lines that stay above it.
 * All live commands write through it.
 */

/* Shows a text in the line where standard error is a terminal. */
void tk_live_line_show(const char *text);

/* Takes the line away. */
void tk_live_line_hide(void);

/* A line that stays, on standard error, as standard output is that of the program that is recorded; it is
 * written at once. False when it cannot be written. */
bool tk_live_say(const char *format, ...) TK_PRINTF(1, 2);

/* The same for what was requested, on standard output. */
bool tk_live_answer(const char *format, ...) TK_PRINTF(1, 2);

/*
 * Where a Tracy program is: what stands behind tracy://, and the addresses that are tried for it.
 */

#define TK_TRACY_SCHEME "tracy://"

struct tk_tracy_source {
    char host[256]; /* "": none was named */
    uint16_t port;  /* 0: none was named */
};

/* "tracy://", "tracy://HOST", "tracy://HOST:PORT", "tracy://[::1]:PORT". true, or false with a sentence. */
bool tk_tracy_source_read(struct tk_tracy_source *s, const char *text, char message[TK_OPT_MESSAGE]);

/* The addresses of a source. Without a port those that programs choose: 8086, on this machine those behind
 * it, too. true, or false with a sentence. */
bool tk_tracy_source_find(const struct tk_tracy_source *s, struct tk_tl_link_options *out,
                          char message[TK_OPT_MESSAGE]);

/* The addresses at which a program listens that announces itself from one: this machine has several. How many
 * of 3. */
size_t tk_tracy_addresses_of(const struct tk_os_address *from, struct tk_os_address *out);

/* Is an address one of this machine's? */
bool tk_tracy_is_here(const struct tk_os_address *at);

/* A text of a program for a line on a terminal: what could steer it is escaped. Returns out. */
const char *tk_tracy_displayed(const char *text, char *out, size_t capacity);

/*
 * What trace-record holds of the Tracy programs that it records, shared by the files that do it.
 */

/* A program that refused, and is not tried again for a while. */
struct tk_tracy_refused {
    struct tk_os_address at;
    double when;
};

/* A program that is recorded. */
struct tk_tracy_job {
    struct tk_tl_link *link;
    struct tk_tl_log *log; /* owned: what arrived; NULL: it has not greeted, or nothing is kept */
    char *path;            /* of the capture; owned; NULL before it has greeted */
    char *piece;           /* of the one of several that is under way; owned; NULL: there is one */
    uint32_t number;       /* of that */
    uint64_t rotated;      /* bytes that had come when it began */
    double rotated_at;     /* tk_os_seconds; 0: the greeting */
    bool reported;         /* that it began */
    uint64_t bytes_drawn;
};

struct tk_tracy_run {
    const struct tk_call *call;
    const struct tk_record_args *args;
    struct tk_tracy_source source;
    struct tk_tl_link_options options;
    double seconds;
    uint64_t free_bytes;   /* that the disk keeps */
    uint64_t rotate_bytes; /* of --rotate; 0: not requested */
    double rotate_seconds;
    struct tk_keep_rules rules;
    double kept; /* when they were applied */
    bool quiet, json;
    TK_VEC(struct tk_tracy_job) jobs;
    struct tk_live_program program;
    struct tk_os_socket *heard; /* announcements */
    struct tk_tl_announcements announcements;
    bool listed; /* one was, though it may have gone since */
    struct tk_live_access access;
    uint64_t recorded;
    double began, drawn;
    unsigned stopped; /* how often it was requested */
    bool left_early;  /* the last recording ended before its program */
    uint16_t given;   /* the port that the program was given; 0: none was started here */
    bool said_port, said_pids;
    TK_VEC(struct tk_tracy_refused) refused;
    enum tk_exit code;
};

/*
 * Files of recordings of Tracy programs (tracy_files.c): a log that grows while it is recorded, and the
 * capture that is made of it.
 */

/* Applies the rules for the disk, now and then. */
void tk_tracy_file_keep(struct tk_tracy_run *run, double now);

/* Has the disk what --free keeps? TK_OK or TK_EIO. */
int tk_live_check_space(const char *output, const char *folder, uint64_t least, struct tk_err *err);

/* Can the file be written that was requested? *keeps: what arrives goes to a log first, as it is a file that
 * has a folder. TK_OK, TK_EIO or TK_ENOMEM. */
int tk_tracy_file_check(const struct tk_tracy_run *run, bool *keeps, struct tk_err *err);

/* Gives a recording that has greeted its name and its log. TK_OK, TK_EIO, TK_ENOMEM. */
int tk_tracy_file_begin(const struct tk_tracy_run *run, struct tk_tracy_job *job, struct tk_err *err);

/* Goes on in another capture where it is time to. TK_OK; or negative: the recording ends. */
int tk_tracy_file_rotate(const struct tk_tracy_run *run, struct tk_tracy_job *job, double now,
                         struct tk_err *err);

/* The path of the capture under way. */
static inline const char *tk_tracy_path(const struct tk_tracy_job *job)
{
    return job->piece ? job->piece : job->path;
}

/* Makes the capture of a recording that is over, and removes its log. When it fails, the log stays. */
int tk_tracy_file_save(const struct tk_tracy_run *run, struct tk_tracy_job *job, struct tk_err *err);

/* Frees; a log that is still there stays. */
void tk_tracy_file_leave(struct tk_tracy_job *job);

/*
 * The program that is started and recorded, and no other (tracy_program.c).
 */

/* Chooses a port for it, where it runs on this machine. true, or false with a sentence. */
bool tk_tracy_program_fill(struct tk_tracy_run *run, char message[TK_OPT_MESSAGE]);

/* TK_OK or TK_EIO. */
int tk_tracy_program_start(struct tk_tracy_run *run, struct tk_err *err);

/* A program has announced itself: is it the one that was started, at another port? Then it is tried there. */
void tk_tracy_program_heard(struct tk_tracy_run *run, const struct tk_tl_announced *a);

/* Programs that refused. Was it, less than a minute ago? */
bool tk_tracy_was_refused(const struct tk_tracy_run *run, const struct tk_tl_announced *a, double now);
void tk_tracy_note_refused(struct tk_tracy_run *run, const struct tk_os_address *at, double now);

/* Lines about what happens (tracy_lines.c). */
void tk_tracy_say_began(struct tk_tracy_run *run, struct tk_tracy_job *job);
void tk_tracy_say_ended(struct tk_tracy_run *run, const struct tk_tracy_job *job);
void tk_tracy_say_rotated(const struct tk_tracy_run *run, const struct tk_tracy_job *job, const char *before,
                          uint64_t bytes);
void tk_tracy_say_let_go(const struct tk_tracy_run *run, const struct tk_tracy_job *job);
void tk_tracy_say_kept(const struct tk_tracy_run *run, const char *path, const char *log, uint64_t bytes);
/* What a capture holds that was made after a crash, and what it lacks. The exit status. */
enum tk_exit tk_tracy_say_resumed(const struct tk_call *call, const struct tk_record_args *args,
                                  const char *path, const struct tk_tl_session *session,
                                  const struct tk_tl_played *played, const struct tk_err *err);
/* A capture was removed; ctx is the run. */
void tk_tracy_on_removed(void *ctx, const char *name, uint64_t bytes, enum tk_keep_reason reason);
void tk_tracy_draw(struct tk_tracy_run *run, double now);
void tk_tracy_say_announced(const struct tk_tracy_run *run, const struct tk_tl_announced *a);

/* What is wrong with a connection that is over, and what that does to the exit status. */
void tk_tracy_judge(struct tk_tracy_run *run, const struct tk_tracy_job *job);

/*
 * What happens to recordings of Unreal programs, as lines of JSON. unreal_lines.c says it with --format
 * json. A file is named by its path, as lines about Tracy programs do.
 */

void tk_unreal_json_began(const struct tk_session *s);
void tk_unreal_json_ended(const struct tk_session *s, const struct tk_live_figures *f);
void tk_unreal_json_refused(const char *why);

/* A recording goes on in another file. */
void tk_live_json_rotated(const char *path, uint64_t bytes, const char *next);

/* name may be "". */
void tk_unreal_json_channel(const struct tk_session *s, const char *name, uint32_t id, bool enabled);

/* Which rule for the disk took a capture away. Static. */
const char *tk_live_why_removed(enum tk_keep_reason reason);

/* A capture that the rules for the disk took away. */
void tk_unreal_json_removed(const char *capture, uint64_t bytes, const char *why);

/*
 * What trace-record holds of the Unreal programs that it records, shared by the files that do it.
 */

struct tk_unreal_run {
    const struct tk_call *call;
    const struct tk_record_args *args;
    struct tk_recorder_options options;
    bool default_ports, json;
    double seconds, idle; /* 0: not requested */
    struct tk_recorder *recorder;
    struct tk_store_options store_options;
    struct tk_store *store; /* NULL: none is served */
    struct tk_keep_rules rules;
    double kept;         /* when the rules were applied */
    uint64_t kept_after; /* recordings that had ended then */
    struct tk_live_program program;
    enum tk_session_end why; /* recordings that go on are ended */
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
void tk_unreal_on_rotated(void *ctx, const struct tk_session *s, const char *path, uint64_t bytes,
                          const struct tk_err *err);
void tk_unreal_on_denied(void *ctx, const struct tk_os_address *from);
void tk_unreal_on_channel(void *ctx, const struct tk_session *s, const char *name, uint32_t id, bool enabled);
void tk_unreal_on_removed(void *ctx, const char *name, uint64_t bytes, enum tk_keep_reason reason);
void tk_unreal_draw(struct tk_unreal_run *run, double now);

/* On standard error, as standard output lists recordings. */
void tk_unreal_say_ports(const struct tk_unreal_run *run);

/* Nothing was recorded, and something was to be. */
void tk_unreal_say_nothing(struct tk_unreal_run *run);

#endif
