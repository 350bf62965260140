/*
 * Outputs beyond tracekit.h: compressed regardless of their name, and folders. The sinks and exports write to
 * them.
 */
#ifndef TK_IO_OUTPUT_OUTPUT_H
#define TK_IO_OUTPUT_OUTPUT_H

#include "io/compress.h"
#include "io/staging.h"

/* As tk_output_open, packed as told and not as the name says. */
int tk_output_open_packed(struct tk_output **out, const char *path, bool force, enum tk_compressing packing,
                          struct tk_err *err);

/*
 * Files that get their names together, all of them or none. They are written in a folder of their own in
 * that of `beside`, or of the first file (NULL), and few of them are open at a time. TK_OK or TK_ENOMEM.
 */
struct tk_output_set;
int tk_output_set_new(struct tk_output_set **out, const char *beside, struct tk_err *err);

/* As tk_output_open_packed, for a file of a set (borrowed; NULL: of none). tk_output_commit then completes
 * the file, and the set gives it its name. */
int tk_output_open_in(struct tk_output **out, struct tk_output_set *set, const char *path, bool force,
                      enum tk_compressing packing, struct tk_err *err);

/* Gives all files their names, that of the first one last: who waits for it finds the others. What was there
 * before is put back when one fails. All are committed or discarded before. Frees. TK_OK, TK_EOUTPUT or
 * TK_ENOMEM. */
int tk_output_set_commit(struct tk_output_set *set, struct tk_err *err);

/* Throws away what is committed, and frees. NULL is allowed. */
void tk_output_set_discard(struct tk_output_set *set);

/* So many threads may pack what is written, beside the one that writes; before anything is. The bytes are the
 * same for all. */
void tk_output_threads(struct tk_output *out, unsigned n);

/* The name of the unfinished file, for those who write it themselves; NULL where there is none: standard
 * output, a device. */
const char *tk_output_beside(const struct tk_output *out);

/* Flushes and closes the file, which is still to be committed or discarded; nothing can be written any more.
 * For those who read it before it gets its name. TK_OK, TK_EOUTPUT or TK_EPIPE. */
int tk_output_close(struct tk_output *out, struct tk_err *err);

/* A folder that is written. Zero-initialised it is none, which may be dropped. */
struct tk_new_folder {
    struct tk_staging made; /* none: it was there before */
    char *path;             /* where files are put until it is kept; owned */
    char *name;             /* owned */
};

/*
 * Begins a folder: a new one beside its name, where there is none; else that which is there, which must be
 * empty unless `force`. TK_OK, TK_EOUTPUT or TK_ENOMEM.
 */
int tk_folder_make(struct tk_new_folder *f, const char *path, bool force, struct tk_err *err);

/* Gives a new folder its name. Frees, and drops it on failure. TK_OK, TK_EOUTPUT or TK_ENOMEM. */
int tk_folder_keep(struct tk_new_folder *f, struct tk_err *err);

/* Takes a new folder away with all of its files; those of an old one stay. Frees. */
void tk_folder_drop(struct tk_new_folder *f);

#endif
