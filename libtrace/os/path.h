/*
 * What names lead to, and changing that. Names are UTF-8.
 */
#ifndef TK_OS_PATH_H
#define TK_OS_PATH_H

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

#endif
