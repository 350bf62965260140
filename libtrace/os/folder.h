/*
 * Folders: their entries, making and removing them.
 */
#ifndef TK_OS_FOLDER_H
#define TK_OS_FOLDER_H

#include "os/error.h"

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

#endif
