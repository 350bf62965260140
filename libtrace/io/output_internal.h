/*
 * An output as output.c, output_set.c and output_end.c have it.
 */
#ifndef TK_IO_OUTPUT_OUTPUT_INTERNAL_H
#define TK_IO_OUTPUT_OUTPUT_INTERNAL_H

#include "io/compress.h"
#include "io/output.h"
#include "io/staging.h"
#include "io/terminal_filter.h"

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
    char *beside;              /* name of the unfinished file; NULL when written directly */
    struct tk_compress *pack;  /* owned; NULL: bytes are written as they are */
    int (*stop)(void *ctx);    /* is there nothing more to be written? NULL: nobody asks to stop */
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

#endif
