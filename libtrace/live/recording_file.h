/*
 * A file that is being recorded. It has its final name from the first byte on and is a valid capture at any
 * moment, so that viewers and others can follow it; a lock on it says that it still grows. All recorders of
 * live/ write such files.
 */
#ifndef TK_LIVE_RECORDING_FILE_H
#define TK_LIVE_RECORDING_FILE_H

#include "base/err.h"
#include "os/file.h"

/* Zero-initialise. */
struct tk_live_file {
    struct tk_os_file *file, *lock;
    char *path;       /* owned */
    const char *name; /* the last part of path */
    uint64_t bytes;   /* that are in it */
    uint64_t asked;   /* bytes at the last look at the disk */
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

/* May a text of the user's begin the name of a file? No separators, controls, or a dot in front. */
bool tk_live_prefix_is_good(const char *prefix);

#endif
