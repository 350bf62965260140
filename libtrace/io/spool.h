/*
 * Spooling: an input without random access (a pipe, a compressed file) is copied to a temporary file. That
 * file has no name and disappears when it is closed.
 */
#ifndef TK_IO_INPUT_SPOOL_H
#define TK_IO_INPUT_SPOOL_H

#include "io/file_internal.h"

/*
 * Reads a file from where it stands to its end, unpacked when its first bytes say that it is compressed, and
 * puts the temporary file in its place (size, stored, compression and cut are set). `name` is for messages.
 * opt and accept may be NULL. TK_OK, TK_EIO (read error, broken compression, no room), TK_ELIMIT, TK_ENOMEM,
 * TK_ECANCELED (by progress), what accept says.
 */
int tk_spool(struct tk_file *f, const char *name, const struct tk_options *opt,
             const struct tk_limits *limits, tk_file_accept *accept, struct tk_err *err);

#endif
