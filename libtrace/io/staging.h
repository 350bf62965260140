/*
 * Temporary names of unfinished outputs, in the folder of the final name. output.c, output_set.c and
 * output_folder.c rename them when complete.
 *
 * A name tells the host and the process that made it. What a killed process left is removed by the next
 * one that makes something in that folder, if it was made on this host by this user, was not changed for an
 * hour, and nobody has its lock.
 */
#ifndef TK_IO_OUTPUT_STAGING_H
#define TK_IO_OUTPUT_STAGING_H

#include "os/file.h"

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

#endif
