/*
 * Outputs beyond tracekit.h: compressed regardless of their name, and folders. The sinks and exports write to
 * them.
 */
#ifndef TK_IO_OUTPUT_OUTPUT_H
#define TK_IO_OUTPUT_OUTPUT_H

#include "io/output/compress.h"

/* As tk_output_open, packed as told and not as the name says. */
int tk_output_open_packed(struct tk_output **out, const char *path, bool force, enum tk_compressing packing,
                          struct tk_err *err);

/* So many threads may pack what is written, beside the one that writes; before anything is. The bytes are the
 * same for all. */
void tk_output_threads(struct tk_output *out, unsigned n);

/* The name of the unfinished file, for those who write it themselves; NULL where there is none: standard
 * output, a device. */
const char *tk_output_beside(const struct tk_output *out);

/* Flushes and closes the file, which is still to be committed or discarded; nothing can be written any more.
 * For many files that get their names together. TK_OK, TK_EOUTPUT or TK_EPIPE. */
int tk_output_close(struct tk_output *out, struct tk_err *err);

/* A folder that is written. Zero-initialised it is none, which may be dropped. */
struct tk_new_folder {
    char *path; /* where files are put until it is kept; owned */
    char *name; /* owned */
    bool made;
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
