/*
 * What names lead to, and changing that. Names are UTF-8.
 */
#ifndef TK_OS_PATH_H
#define TK_OS_PATH_H

#include "os/error.h"
#include "os/file.h"

/* What is at the end of a path. A link is followed, by tk_os_path_link_info it is not. */
struct tk_os_result tk_os_path_info(const char *path, struct tk_os_info *info);
struct tk_os_result tk_os_path_link_info(const char *path, struct tk_os_info *info);

/* The path with links followed where there is something, else as it is; to be freed. NULL without memory. */
char *tk_os_path_real(const char *path);

/* Gives a file or folder another name on the same volume. A file that has it already is replaced in one step:
 * whoever opens the name gets the one or the other, whole. */
struct tk_os_result tk_os_path_rename_over(const char *from, const char *to);

/* The same for a file, but what has the name already stays: TK_OS_EXISTS. */
struct tk_os_result tk_os_path_rename_new(const char *from, const char *to);

/* Gives a file another name on the same volume, which nothing has; it keeps the one that it has. Not all file
 * systems can do that. */
struct tk_os_result tk_os_path_add_name(const char *path, const char *name);

/* Removes a file, or a link. */
struct tk_os_result tk_os_path_remove(const char *path);

/*
 * Folders: their entries, making and removing them.
 */

struct tk_os_folder;

/* To go through the names in a folder. */
struct tk_os_result tk_os_folder_open(struct tk_os_folder **out, const char *path);

/* The next name, without "." and "..", in no order; NULL at the end. It is there until the next call. */
struct tk_os_result tk_os_folder_next(struct tk_os_folder *f, const char **name);

/* NULL is allowed. */
void tk_os_folder_close(struct tk_os_folder *f);

/* A new folder. */
struct tk_os_result tk_os_folder_make(const char *path);

/* Removes a folder that is empty. */
struct tk_os_result tk_os_folder_remove(const char *path);

/* Removes the files in a folder as far as that is possible. */
void tk_os_folder_clear(const char *path);

/*
 * Locks on files between processes. Who does not ask for one is not kept from anything. A lock is on the
 * whole file and ends with its handle, so also with its process, however that ends.
 */

enum tk_os_locking { TK_OS_SHARED, TK_OS_EXCLUSIVE };

/*
 * Opens the file that a path leads to, and locks it. To change a file that is replaced and not written to,
 * without losing what others change in it: take the exclusive lock of its name, read it, put a new file under
 * its name (tk_os_path_rename_over), and close the handle. Whoever has waited meanwhile gets the lock of the
 * new file. A file that is not there yet has no lock: it is made with tk_os_path_rename_new, and who comes
 * second begins anew.
 *
 * Waits up to some seconds, with 0 not at all. TK_OS_BUSY: another one still has it; TK_OS_NOT_FOUND;
 * anything else: it cannot be locked, as on file systems without locks.
 */
struct tk_os_result tk_os_path_lock(struct tk_os_file **out, const char *path, enum tk_os_locking kind,
                                    double seconds);

#endif
