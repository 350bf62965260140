/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_IO_IO_IN_H
#define TK_IO_IO_IN_H

#include "base/text/text.h"
#include "io/decompress.h"
#include "io/file.h"
#include "io/output.h"
#include "io/reader.h"
#include "os/file.h"

#include <lz4frame.h>
#include <stdbool.h>
#include <string.h>

/*
 * The struct of an input file. Shared by the files of this folder.
 */

struct tk_file {
    struct tk_os_file *os; /* owned; NULL: what `reader` gives */
    struct tk_reader reader;
    struct tk_file *outer; /* owned: the archive that it is a part of, from `from` on; NULL: of none */
    uint64_t from;
    const struct tk_decompressor *packed; /* of a member of an archive: how; NULL: as its bytes say */
    uint32_t crc;                         /* with `packed`: of what is in it */
    bool cut;                             /* the end of the compressed data was missing */
    uint64_t size;                        /* of what is read here */
    uint64_t stored;                      /* as it lies on the disk or came through the pipe */
    const char *compression;              /* static, or NULL */
};

/*
 * What processes left that were killed while they wrote: unfinished outputs by the names that staging.c
 * gives them.
 */

/* A name is the first with the host, the process and a number, and the second. */
#define TK_LEFTOVER_BEGIN ".tracekit-%08x-"
#define TK_LEFTOVER_END   ".part"

/* Removes what others left in the folder of what was just made: what was made on this host by this user, was
 * not changed for an hour, and is not locked. */
void tk_leftovers_remove(const char *made);

/* The file in an unfinished folder whose lock is that of the folder, to be freed; NULL without memory. */
char *tk_leftovers_lock_of(const char *folder);

/* Removes an unfinished folder with the files in it, and those of unfinished folders in it. */
void tk_leftovers_clear(const char *folder);

/*
 * Error texts of LZ4 frames. The codes are not in the shared library, the names are.
 */

/* Is it that memory ran out? Of a result for which LZ4F_isError holds. */
static inline bool tk_lz4frame_no_memory(size_t result)
{
    return strcmp(LZ4F_getErrorName(result), "ERROR_allocation_failed") == 0;
}

/*
 * What formats for programs write to a terminal, with what could steer it escaped. A character may come in
 * pieces.
 */

/* Zero-initialise to begin. */
struct tk_terminal_filter {
    uint8_t part[4]; /* the beginning of a character */
    size_t n;
};

/* Hands on n bytes. Line feeds and tabs stay as they are, invalid bytes become U+FFFD. */
void tk_terminal_filter_put(struct tk_terminal_filter *f, const void *p, size_t n, tk_text_put *put,
                            void *to);

/*
 * An output as output.c, output_set.c and output_end.c have it.
 */

struct tk_output {
    struct tk_os_file *file;   /* owned; NULL: closed */
    struct tk_os_file *lock;   /* owned: of the unfinished file; NULL: of the folder that it is in, or none */
    struct tk_output_set *set; /* borrowed; NULL: it gets its name alone */
    char *old;                 /* of a set: another name of the file that it replaces; owned; NULL: none */
    bool replaces;             /* of a set: there was a file by its name */
    bool force;                /* an existing file is replaced */
    bool closed;               /* a new one is for the user alone until it is known for whom it is */
    int failed;                /* the first failure; nothing is written any more */
    struct tk_os_result why;   /* of the system; none where that was another one */
    char *path;                /* final name; NULL for standard output */
    char *staged;              /* name of the unfinished file; NULL when written directly */
    struct tk_compress *pack;  /* owned; NULL: bytes are written as they are */
    int (*stop)(void *ctx);    /* is there nothing more to be written? NULL: nobody requests to stop */
    void *stop_ctx;
    bool escapes; /* see tk_output_escape */
    struct tk_terminal_filter filter;
    uint64_t reserve;   /* bytes of the disk that are left free */
    uint64_t unchecked; /* bytes since somebody has looked how much is free */
    size_t n;
    uint8_t *buffer; /* owned: BUFFER_BYTES; NULL once the file is closed */
};

/* Puts a finished file under its name. Without force a file that came meanwhile stays. */
struct tk_os_result tk_output_place(struct tk_output *o);

/* Closes, removes what is unfinished and frees. */
void tk_output_free(struct tk_output *o);

/* ---- of sets; nothing happens to an output that is in none ---- */

/* A name for an unfinished file. Makes the folder for the first one. */
struct tk_os_result tk_output_set_name(struct tk_output_set *set, char **name, const char *path);

/* Adds an output whose file is there. 0, or -1 if out of memory. */
int tk_output_set_add(struct tk_output *o);

/* Takes one out. */
void tk_output_set_leave(struct tk_output *o);

/* From take to give no other thread uses files of the set. What is taken has its file open. */
struct tk_os_result tk_output_set_take(struct tk_output *o);
void tk_output_set_give(struct tk_output *o);

/*
 * Spooling: an input without random access (a pipe, a compressed file) is copied to a temporary file. That
 * file has no name and disappears when it is closed.
 */

/*
 * Reads a file from where it stands to its end, unpacked when its first bytes say that it is compressed, and
 * puts the temporary file in its place (size, stored, compression and cut are set). `name` is for messages.
 * An archive that it was a part of stays open. opt and accept may be NULL. TK_OK, TK_EIO (read error, broken
 * compression, no space), TK_ELIMIT, TK_ENOMEM, TK_ECANCELED (by progress), what accept says.
 */
int tk_spool(struct tk_file *f, const char *name, const struct tk_options *opt,
             const struct tk_limits *limits, tk_file_accept *accept, struct tk_err *err);

#endif
