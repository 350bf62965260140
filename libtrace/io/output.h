/*
 * Outputs beyond tracekit.h: compressed regardless of their name, and folders. The sinks and exports write to
 * them.
 */
#ifndef TK_IO_OUTPUT_H
#define TK_IO_OUTPUT_H

#include "base/err.h"
#include "os/file.h"
#include "tracekit/sinks.h"

#include <stdbool.h>

/*
 * Compresses bytes on their way to a file, in a thread of its own, so that the caller does not wait for
 * it. output.c writes through it.
 */

struct tk_compress;

enum tk_compressing { TK_PACKING_NONE, TK_PACKING_GZIP, TK_PACKING_ZSTD, TK_PACKING_LZ4 };

/* What a file of this name is packed with: by its end, .gz, .zst or .lz4. */
enum tk_compressing tk_compressing_of(const char *path);

/* Packs what is written to a file (borrowed). TK_OK or TK_ENOMEM. */
int tk_compress_open(struct tk_compress **out, enum tk_compressing packing, struct tk_os_file *to,
                     struct tk_err *err);

/* So many threads may pack, where the kind of packing can share its work; before the first write. */
void tk_compress_threads(struct tk_compress *p, unsigned n);

/* Takes n bytes. A failure is of this write or of an earlier one. */
struct tk_os_result tk_compress_write(struct tk_compress *p, const void *bytes, size_t n);

/* Writes what closes the packed data; nothing may be written afterwards. */
struct tk_os_result tk_compress_finish(struct tk_compress *p);

/* Waits for the thread and frees; what was not finished is of no use. NULL is allowed. */
void tk_compress_close(struct tk_compress *p);

/*
 * Temporary names of unfinished outputs, in the folder of the final name. output.c, output_set.c and
 * output_folder.c rename them when complete.
 *
 * A name says the host and the process that made it. What a killed process left is removed by the next
 * one that makes something in that folder, if it was made on this host by this user, was not changed for an
 * hour, and nobody has its lock.
 */

/* Makes a file or folder, which must be new. */
typedef struct tk_os_result tk_staging_make_fn(const char *name, void *ctx);

/* Makes it in the folder of path, by a name that nothing has. The name, to be freed, or NULL. */
struct tk_os_result tk_staging_make(char **name, const char *path, tk_staging_make_fn *make, void *ctx);

/* A folder for unfinished files, locked while it is there. Zero-initialised it is none, which may be ended.
 */
struct tk_staging {
    char *path;              /* owned */
    char *lock_path;         /* owned: the file in it that is locked; NULL: none */
    struct tk_os_file *lock; /* owned; NULL: the file system has no locks */
    size_t names;
};

/* Makes one in the folder of path. */
struct tk_os_result tk_staging_begin(struct tk_staging *s, const char *path);

/* A name in it that was not given before, to be freed; NULL without memory. */
char *tk_staging_name(struct tk_staging *s);

/* Gives up the lock, of which nothing is left in the folder: that gets another name. */
void tk_staging_unlock(struct tk_staging *s);

/* Removes the folder with all that is in it, if it is still there, and frees. */
void tk_staging_end(struct tk_staging *s);

/* Frees it when the folder has another name. */
void tk_staging_forget(struct tk_staging *s);

/* What is at a path. */
enum tk_place { TK_PLACE_EMPTY, TK_PLACE_FILE, TK_PLACE_OTHER };
enum tk_place tk_place_of(const char *path);

/* The path with links followed where there is something, to be freed; NULL without memory. */
char *tk_place_real(const char *path);

/* The path that a new file is renamed to, to be freed; NULL without memory. A link is replaced, and not the
 * file that it leads to, except for the names of open files: /dev/stdout. */
char *tk_place_replaced(const char *path);

/* As tk_output_open, packed as reported and not as the name says. */
int tk_output_open_packed(struct tk_output **out, const char *path, bool force, enum tk_compressing packing,
                          struct tk_err *err);

/* As tk_output_open_packed, for a file of a set (borrowed; NULL: of none). */
int tk_output_open_in(struct tk_output **out, struct tk_output_set *set, const char *path, bool force,
                      enum tk_compressing packing, struct tk_err *err);

/* As tk_output_open_packed without packing, for a file that the user alone may read, unless it replaces one
 * that others may. */
int tk_output_open_private(struct tk_output **out, const char *path, bool force, struct tk_err *err);

/* So many threads may pack what is written, alongside the one that writes; before anything is. The bytes are
 * the same for all. */
void tk_output_threads(struct tk_output *out, unsigned n);

/* The name of the unfinished file, for those who write it themselves; NULL where there is none: standard
 * output, a device. */
const char *tk_output_staged(const struct tk_output *out);

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
 * Begins a folder: a new one alongside its name, where there is none; else that which is there, which must be
 * empty unless `force`. TK_OK, TK_EOUTPUT or TK_ENOMEM.
 */
int tk_folder_make(struct tk_new_folder *f, const char *path, bool force, struct tk_err *err);

/* Gives a new folder its name. Frees, and drops it on failure. TK_OK, TK_EOUTPUT or TK_ENOMEM. */
int tk_folder_keep(struct tk_new_folder *f, struct tk_err *err);

/* Takes a new folder away with all of its files; those of an old one stay. Frees. */
void tk_folder_drop(struct tk_new_folder *f);

/*
 * Files and folders that several processes change at the same time: a lock around the replacement of a file,
 * and folders that everybody adds files to. Baselines are kept with it.
 */

/* Zero-initialised nothing is locked. */
struct tk_shared_lock {
    struct tk_os_file *file; /* owned */
};

/*
 * Waits, a minute at most, until nobody else holds the lock of a file that is replaced under it. *there:
 * there is such a file; else nothing is locked, and whoever makes it without replacing one is the first.
 * Nothing is left behind, also where the process is killed. TK_OK, also where files cannot be locked;
 * TK_EOUTPUT (another process has it).
 */
int tk_shared_lock_take(struct tk_shared_lock *lock, const char *path, bool *there, struct tk_err *err);

/* Nothing happens where it is not held. */
void tk_shared_lock_give(struct tk_shared_lock *lock);

/* Makes a folder, where there is none. *made (may be NULL): there was none. TK_OK, TK_EOUTPUT. */
int tk_shared_folder(const char *path, bool *made, struct tk_err *err);

/* Takes a folder away again, unless it holds something. */
void tk_shared_folder_drop(const char *path);

/* Has a folder a file whose name ends so? Hidden ones do not count. TK_OK, TK_EOUTPUT. */
int tk_shared_folder_has(const char *path, const char *end, bool *there, struct tk_err *err);

#endif
