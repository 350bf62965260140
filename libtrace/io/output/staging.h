/*
 * Temporary names of unfinished outputs, in the folder of the final name. output.c and output_folder.c rename
 * them when complete.
 */
#ifndef TK_IO_OUTPUT_STAGING_H
#define TK_IO_OUTPUT_STAGING_H

#include "os/error.h"

/* Makes a file or folder, which must be new. */
typedef struct tk_os_result tk_staging_make_fn(const char *name, void *ctx);

/* Makes it in the folder of path, by a name that nothing has: what killed processes left stays as it is. The
 * name, to be freed, or NULL. */
struct tk_os_result tk_staging_make(char **name, const char *path, tk_staging_make_fn *make, void *ctx);

/* What is at a path. */
enum tk_place { TK_PLACE_EMPTY, TK_PLACE_FILE, TK_PLACE_OTHER };
enum tk_place tk_place_of(const char *path);

/* The path with links followed where there is something, to be freed; NULL without memory. */
char *tk_place_real(const char *path);

#endif
