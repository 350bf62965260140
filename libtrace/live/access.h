/*
 * Who may connect: this machine, and networks that were named. Every server of live/ queries before it reads
 * a byte.
 */
#ifndef TK_LIVE_ACCESS_H
#define TK_LIVE_ACCESS_H

#include "base/err.h"
#include "base/vec.h"
#include "os/file.h"
#include "os/socket.h"

enum { TK_LIVE_NETWORKS = 64 };

/* Zero-initialised it lets in this machine alone. */
struct tk_live_access {
    struct {
        struct tk_os_address address;
        unsigned bits;
    } networks[TK_LIVE_NETWORKS];
    size_t n;
    bool any; /* everybody */
};

/* Adds "any", an address, or ADDRESS/BITS. false: it is none of them, or there are TK_LIVE_NETWORKS already.
 */
bool tk_live_access_add(struct tk_live_access *access, const char *text);

/* May who connects from there? This machine may always. */
bool tk_live_access_allows(const struct tk_live_access *access, const struct tk_os_address *from);

/*
 * Commands for the control port of an Unreal program (live 4): making a line that the program reads as it is
 * meant, and sending it. The program answers nothing.
 */

enum {
    TK_CONTROL_LINE = 512, /* bytes of a line with its end: longer ones make the program hang up */
    TK_CONTROL_SECONDS = 5 /* for a connection */
};

enum tk_control_verb {
    TK_CONTROL_SEND_TO,
    TK_CONTROL_WRITE_TO,
    TK_CONTROL_STOP,
    TK_CONTROL_ENABLE,
    TK_CONTROL_DISABLE
};

/*
 * Makes the line of a command with its argument (a host, a path, names of channels with commas between them;
 * NULL for TK_CONTROL_STOP), with its end and a NUL. TK_OK; TK_EUSAGE with why: the program would read it as
 * something else.
 */
int tk_control_line(char out[TK_CONTROL_LINE + 1], enum tk_control_verb verb, const char *argument,
                    struct tk_err *err);

/* Connects, sends the line in one piece, and hangs up. TK_OK: it was taken by somebody who listens there,
 * which does not say that the program reads it; TK_EIO: nobody does. */
int tk_control_send(const struct tk_os_address *at, const char *line, struct tk_err *err);

/* Does somebody listen there? Connects and hangs up. */
bool tk_control_listens(const struct tk_os_address *at);

/* The id that a program gives to a channel of this name (wire 6). Several spellings are one channel: any
 * case, with or without `Channel` or one `s` at the end. */
uint32_t tk_control_channel_id(const char *name, size_t n);

/*
 * Connecting where there is nothing else to do meanwhile. What queries recorders and stores does it.
 */

/* Connects, or gives up when `seconds` have passed: TK_OS_TIMEOUT. The caller closes the socket. */
struct tk_os_result tk_connect_within(struct tk_os_socket **out, const struct tk_os_address *to,
                                      double seconds);

/*
 * A file that is being recorded. It has its final name from the first byte on and is a valid capture at any
 * moment, so that viewers and others can follow it; a lock on it says that it still grows. All recorders of
 * live/ write such files.
 */

/* Zero-initialise. */
struct tk_live_file {
    struct tk_os_file *file, *lock;
    char *path;         /* owned */
    const char *name;   /* the last part of path */
    uint64_t bytes;     /* that are in it */
    uint64_t requested; /* bytes at the last look at the disk */
};

/* Creates the file of a path. With `replace` one that is there is removed first, else it is TK_EIO. */
int tk_live_file_create(struct tk_live_file *f, const char *path, bool replace, struct tk_err *err);

/* Creates a file in the folder for temporary files that only the user may read; its name ends with `name`.
 * TK_OK or negative. */
int tk_live_file_create_temporary(struct tk_live_file *f, const char *name, struct tk_err *err);

/*
 * Creates PREFIX + YYYYMMDD_HHMMSS[_NN] + ending in a folder, by the clock here: a name that no file has.
 * prefix may be NULL. TK_OK or negative.
 */
int tk_live_file_create_by_clock(struct tk_live_file *f, const char *folder, const char *prefix,
                                 int64_t seconds, const char *ending, struct tk_err *err);

/* Appends n bytes. When it fails (the disk is full), `bytes` counts what is in the file. */
struct tk_os_result tk_live_file_append(struct tk_live_file *f, const void *p, size_t n);

/* Takes away what is behind `size` bytes, as the last of the file. When it fails, nothing is changed. */
struct tk_os_result tk_live_file_cut(struct tk_live_file *f, uint64_t size);

/* Would the disk have less than `least` bytes free? Looks at it now and then. */
bool tk_live_file_is_tight(struct tk_live_file *f, uint64_t least);

/* Brings it to the disk and closes it; `path` and `bytes` stay. */
struct tk_os_result tk_live_file_close(struct tk_live_file *f);

/* Frees; closes what is still open. */
void tk_live_file_release(struct tk_live_file *f);

/* What names of programs have in names of files; anything else is an underscore there. */
#define TK_LIVE_NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* Bytes that may still be written where a folder is; UINT64_MAX where that is not known. */
uint64_t tk_live_space_of(const char *folder);

/* May a text of the user's begin the name of a file? No separators, controls, or a dot in front. */
bool tk_live_prefix_is_good(const char *prefix);

/*
 * What several servers wait for together: each adds its sockets, one call waits, and each looks at its own.
 */

struct tk_live_waits {
    TK_VEC(struct tk_os_wait) list;
};

/* Adds a socket. False if out of memory. */
static inline bool tk_live_wait_for(struct tk_live_waits *waits, const struct tk_os_socket *socket, bool read,
                                    bool write)
{
    const struct tk_os_wait wait = {.socket = socket, .read = read, .write = write};
    return tk_vec_push(&waits->list, wait) == 0;
}

#endif
