/*
 * Files and folders that several processes change at the same time: a lock around the replacement of a file,
 * and folders that everybody adds files to. Baselines are kept with it.
 */
#ifndef TK_IO_OUTPUT_SHARED_H
#define TK_IO_OUTPUT_SHARED_H

#include "base/err.h"

#include <stdbool.h>

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
