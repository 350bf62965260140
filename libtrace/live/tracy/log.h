/*
 * What arrived of a Tracy program, on disk as it arrives: a file in the folder of the capture, from which the
 * capture can be made at any time. The recorder keeps one until the capture has its name, and whoever finds
 * one after a crash plays it to a session.
 *
 * The file begins with what was sent to the program: its mark, the protocol, and in the last byte some of
 * TK_TL_LOG_.... Behind that is what the program sent, byte for byte. Of a recording that goes on in other
 * captures, the log is that of the capture under way: it begins with what the ones before have left (memo.c).
 */
#ifndef TK_LIVE_TRACY_LOG_H
#define TK_LIVE_TRACY_LOG_H

#include "live/access.h"
#include "live/tracy/state/state.h"
#include "os/thread.h"

#define TK_TL_LOG_ENDING ".part" /* behind the name of the capture */
#define TK_TL_LOG_NEXT   ".next" /* behind that, of one that is about to take its place */

enum {
    TK_TL_LOG_CODE = 1,        /* code and sources were requested, too */
    TK_TL_LOG_ROTATES = 2,     /* the recording goes on in other captures */
    TK_TL_LOG_PIECE = 4,       /* there was one before this log */
    TK_TL_LOG_LOOK = 1 << 20,  /* bytes between two looks at the disk */
    TK_TL_LOG_SYNC_SECONDS = 1 /* what is older is on the disk also when the power fails */
};

/* Zero-initialise; it stays where it is until it is closed. */
struct tk_tl_log {
    struct tk_live_file file;
    uint64_t free_bytes, looked; /* that the disk keeps; bytes at the last look at it */
    bool rotates;                /* the recording goes on in other captures; for the caller */
    double synced;               /* tk_os_seconds when the last sync was requested */
    struct tk_os_file *syncing;  /* owned: the same file, for the thread that brings it to the disk */
    struct tk_os_thread thread;
    struct tk_os_monitor monitor;
    bool runs, wanted, over; /* of the thread; the last two are guarded by the monitor */
};

/*
 * Creates the log of a capture that will have this path: PATH.part. With `replace` one that a crash left is
 * removed; one that another recorder writes never is. TK_OK; TK_EIO: it is there, or cannot be created;
 * TK_ENOMEM.
 */
int tk_tl_log_create(struct tk_tl_log *log, const char *path, bool replace, struct tk_err *err);

/* The first bytes. */
struct tk_os_result tk_tl_log_begin(struct tk_tl_log *log, unsigned protocol,
                                    const struct tk_tl_options *options);

/* Appends what arrived. */
struct tk_os_result tk_tl_log_append(struct tk_tl_log *log, const void *p, size_t n, double now);

/*
 * Begins anew with what the captures so far have left, after tk_tl_rotate: what is in them is let go. The
 * stream is at the end of a block. TK_OK; TK_EIO, TK_EOUTPUT, TK_ENOMEM: the log is as it was, or nothing can
 * be appended any more.
 */
int tk_tl_log_renew(struct tk_tl_log *log, struct tk_tl_session *session, struct tk_tl_stream *stream,
                    struct tk_err *err);

/* Has the disk no more space than what it keeps and the capture will take? */
bool tk_tl_log_is_tight(struct tk_tl_log *log);

/* Closes it. `remove`: the capture is made, and it is not needed any more. */
void tk_tl_log_close(struct tk_tl_log *log, bool remove);

/* Removes a log that nobody writes. */
struct tk_os_result tk_tl_log_remove(const char *path);

/* The path of the log of a capture, or the path itself where it is that of a log; to be freed. NULL without
 * memory. */
char *tk_tl_log_path(const char *path);

/* Do the first bytes of a file say that it is a log? */
bool tk_tl_log_probe(const uint8_t *head, size_t n);

/* What was found in a log. */
struct tk_tl_played {
    uint64_t bytes; /* that were used */
    bool cut;       /* it ends inside a block */
    bool damaged;   /* what follows makes no sense, and err says why */
    bool grows;     /* a recorder writes it */
    bool rotates;   /* the recording goes on in other captures */
};

/*
 * Plays a log to a session, which the caller ends in any case. TK_OK, also where it is cut or damaged: the
 * session has what is before. TK_EFORMAT: it is no log, or the program was not even greeted; TK_EIO,
 * TK_ELIMIT, TK_EOUTPUT, TK_ENOMEM.
 */
int tk_tl_log_play(const char *path, const struct tk_tl_options *options, struct tk_tl_session *session,
                   struct tk_tl_played *played, struct tk_err *err);

/*
 * Writes the capture of a session, once, for the user alone to read; "-" is standard output. `force` replaces
 * a file that is there; stop (NULL: nobody does) says whether it is to be given up. TK_OK, TK_EOUTPUT,
 * TK_ENOMEM, TK_ECANCELED: then there is no such file.
 */
int tk_tl_log_save(struct tk_tl_session *session, const char *path, bool force, int (*stop)(void *ctx),
                   struct tk_err *err);

#endif
