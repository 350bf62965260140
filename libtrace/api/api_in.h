/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_API_API_IN_H
#define TK_API_API_IN_H

#include "base/health/limits.h"
#include "fact/format.h"
#include "io/file.h"

/*
 * The table of formats: every kind of capture that can be read.
 */

/* NULL-terminated, static. */
extern const struct tk_format *const tk_formats[];

/* The first bytes of a file that formats see, at most. */
#define TK_FORMAT_HEAD 4096

/* The format that is surest of these first n bytes; NULL and TK_EFORMAT with a sentence about what the file
 * is when none wants it. */
const struct tk_format *tk_format_find(const uint8_t *head, size_t n, struct tk_err *err);

/*
 * Captures in archives.
 */

/* Where a path leads into a file that is no folder: the length of the file's part of it, behind which there
 * is a separator and the name of a member. 0: it does not. */
size_t tk_archive_path(const char *path);

/*
 * Turns a file that is an archive into the capture in it: the member of that name, or without one (NULL) the
 * only capture that it holds. `path` is that of the file, for messages; NULL: it has none. *out is set to
 * what is known of the member. TK_OK; TK_EFORMAT with a sentence that names the captures if there are
 * several; TK_EIO, TK_ELIMIT, TK_ENOMEM, TK_ECANCELED.
 */
int tk_archive_choose(struct tk_file *f, const char *path, const char *member, const struct tk_options *opt,
                      const struct tk_limits *limits, struct tk_archived *out, struct tk_err *err);

/* The names of all captures in it, in its order, to `take` until that returns something else than TK_OK,
 * which is returned. Else as above. */
int tk_archive_captures(const struct tk_file *f, const struct tk_limits *limits,
                        int (*take)(void *ctx, const char *member), void *ctx, struct tk_err *err);

#endif
