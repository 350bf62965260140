/*
 * Locks on files between processes. Who does not ask for one is not kept from anything. A lock is on the
 * whole file and ends with its handle, so also with its process, however that ends.
 */
#ifndef TK_OS_LOCK_H
#define TK_OS_LOCK_H

#include "os/file.h"

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
