/*
 * The struct of an input file. Shared by the files of this folder.
 */
#ifndef TK_IO_INPUT_FILE_INTERNAL_H
#define TK_IO_INPUT_FILE_INTERNAL_H

#include "io/file.h"
#include "io/reader.h"
#include "os/file.h"

struct tk_file {
    struct tk_os_file *os; /* owned; NULL: what `reader` gives */
    struct tk_reader reader;
    bool cut;                /* the end of the compressed data was missing */
    uint64_t size;           /* of what is read here */
    uint64_t stored;         /* as it lies on the disk or came through the pipe */
    const char *compression; /* static, or NULL */
};

#endif
