/*
 * Following a capture that grows: a report on it is made again and again until what writes it has ended. The
 * commands that take --follow call it with their report.
 */
#ifndef TK_LIVE_FOLLOW_H
#define TK_LIVE_FOLLOW_H

#include "live/access.h"
#include "os/socket.h"
#include "run/command.h"

struct tk_follow {
    const struct tk_call *call; /* its operand: a file, or tcp://HOST[:PORT][/ID] of a store */
    const char *idle;           /* seconds without growth that are the end, where no lock says; NULL: 10 */
    bool each;                  /* every report is displayed, not the last one alone */
    bool adds;  /* reports add to those before: they come sooner, and nothing stands between them */
    bool quiet; /* nothing is said alongside the reports */
    /* Makes a report on a file, which has `bytes` or more. The exit status. `last`: nothing more will come.
     */
    int (*report)(void *ctx, const char *path, uint64_t bytes, bool last);
    void *ctx;
};

/* Is this what only --follow takes: a store? */
bool tk_follow_is_store(const char *operand);

/* Follows. The exit status of the last report, or what kept it from being made. */
int tk_follow_run(const struct tk_follow *f);

/*
 * What is followed: a file that somebody writes, or a capture that a store gives out, which is held back in a
 * file. For follow.c.
 */

/* Bytes of a capture with a whole header, or nearly: shorter ones are waited for. */
#define TK_FOLLOW_LEAST 64

/* Zero-initialise. */
struct tk_follow_source {
    const char *path;            /* of the file that can be read; borrowed, or of `spool` */
    char *log;                   /* owned: a name that was found for it; NULL: it is that of the operand */
    uint64_t bytes;              /* that are in it */
    bool silent_end;             /* no lock shows the end: it is when nothing comes any more */
    bool written;                /* a recorder of ours has had its lock on the file */
    double grew;                 /* when bytes came last */
    struct tk_os_info first;     /* what the file was */
    struct tk_os_socket *socket; /* of a store; NULL: it is a file */
    struct tk_live_file spool;
};

/* TK_OK or negative. */
int tk_follow_source_open(struct tk_follow_source *s, const char *operand, struct tk_err *err);

/* Waits a moment and sees what came. TK_ITEM: more may come; TK_OK: it has ended; TK_EIO: it is gone, or
 * another file has taken its place. */
int tk_follow_source_look(struct tk_follow_source *s, double seconds, struct tk_err *err);

/* Waits until there are so many bytes that the capture has its header, or there is an end of it, or a stop
 * was requested. TK_OK or negative. */
int tk_follow_source_wait(struct tk_follow_source *s, struct tk_err *err);

/* The same look without waiting, for who does other things meanwhile: its bytes to *bytes; TK_OK, too, where
 * no lock shows the end and nothing came for some seconds: it may go on after that. */
int tk_follow_source_grown(struct tk_follow_source *s, uint64_t *bytes);

void tk_follow_source_close(struct tk_follow_source *s);

/*
 * A Tracy program that is looked at while it runs: frames and top zones, printed again each second. Nothing
 * is recorded.
 */

/* Is it a Tracy program that an operand names? */
bool tk_follow_is_tracy(const char *operand);

/* Follows the program of the first operand (tracy://HOST[:PORT]) until it ends or a stop is requested. The
 * exit status. */
int tk_follow_tracy(const struct tk_call *call);

#endif
