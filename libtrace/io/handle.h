/*
 * What an input file is, for the files of this folder.
 */
#ifndef TK_IO_HANDLE_H
#define TK_IO_HANDLE_H

#include "io/file.h"

struct tk_file {
    int fd;
    bool owned;              /* closed with the file */
    bool cut;                /* the end of the compressed data was missing */
    uint64_t size;           /* of what is read here */
    uint64_t stored;         /* as it lies on the disk or came through the pipe */
    const char *compression; /* static, or NULL */
};

/* How messages call a path: quoted, or standard input. Returns buf, cut to its size. */
const char *tk_file_name(char *buf, size_t size, const char *path);

#endif
