/*
 * Archives: ZIP and TAR files with captures in them. A member is a file of its own, which is read where it
 * lies or unpacked to a temporary file without a name: nothing is ever written by the name of a member.
 */
#ifndef TK_IO_ARCHIVE_H
#define TK_IO_ARCHIVE_H

#include "base/vec.h"
#include "io/file.h"

#include <stdbool.h>

struct tk_archive_member {
    char *name;      /* owned: its path in the archive, without "./" in front; valid UTF-8 or not */
    uint64_t at;     /* where it begins: in a TAR its content, in a ZIP what stands in front of that */
    uint64_t stored; /* bytes of its content in the archive */
    uint64_t size;   /* after unpacking, as the archive says */
    uint32_t crc;    /* of a ZIP: of the content after unpacking */
    unsigned method; /* how a ZIP has it compressed */
    bool of_zip;     /* else of a TAR, which has members as they are */
    bool locked;     /* encrypted */
    bool cut;        /* its end is missing */
};

struct tk_archive {
    const char *kind; /* "ZIP" or "TAR" */
    TK_VEC(struct tk_archive_member) members;
};

/* Is it one, by its first bytes? */
bool tk_archive_is(const uint8_t *head, size_t n);

/* Lists the members of a file for which tk_archive_is() holds, at most limits->members: files, no folders and
 * links. The list is to be released, whatever is returned. TK_OK, TK_EFORMAT, TK_EIO, TK_ELIMIT, TK_ENOMEM.
 */
int tk_archive_list(struct tk_archive *out, const struct tk_file *f, const struct tk_limits *limits,
                    struct tk_err *err);

void tk_archive_release(struct tk_archive *a);

/* Does a part of its path begin with a dot? Such files are what systems leave in archives. */
bool tk_archive_is_hidden(const struct tk_archive_member *m);

/* The first n bytes of a member, unpacked, also where it is a compressed file itself; fewer where there are
 * no more or they cannot be unpacked. TK_OK, TK_EIO, TK_ENOMEM. */
int tk_archive_head(const struct tk_file *f, const struct tk_archive_member *m, void *p, size_t n,
                    size_t *got, struct tk_err *err);

/*
 * Turns a file that is an archive into one of its members, as tk_file_open() would have opened that; where it
 * fails the file is still to be closed. `name` is for messages. TK_OK, TK_EFORMAT (a compression that is not
 * known, or a password), and what tk_file_open() gives.
 */
int tk_archive_enter(struct tk_file *f, const struct tk_archive_member *m, const char *name,
                     const struct tk_options *opt, const struct tk_limits *limits, struct tk_err *err);

#endif
