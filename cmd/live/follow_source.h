/*
 * What is followed: a file that somebody writes, or a capture that a store gives out, which is put aside in a
 * file. For follow.c.
 */
#ifndef TK_CMD_LIVE_FOLLOW_SOURCE_H
#define TK_CMD_LIVE_FOLLOW_SOURCE_H

#include "live/recording_file.h"
#include "os/socket.h"

/* Bytes of a capture with a whole header, or nearly: shorter ones are waited for. */
#define TK_FOLLOW_LEAST 64

/* Zero-initialise. */
struct tk_follow_source {
    const char *path;            /* of the file that can be read; borrowed, or of `spool` */
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
 * was asked for. TK_OK or negative. */
int tk_follow_source_wait(struct tk_follow_source *s, struct tk_err *err);

/* The same look without waiting, for who does other things meanwhile: its bytes to *bytes; TK_OK, too, where
 * no lock shows the end and nothing came for some seconds: it may go on after that. */
int tk_follow_source_grown(struct tk_follow_source *s, uint64_t *bytes);

void tk_follow_source_close(struct tk_follow_source *s);

#endif
