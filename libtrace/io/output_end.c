/*
 * What becomes of an output in the end: its name, or nothing. output.c does so with one file, output_set.c
 * with several.
 */
#include "io/io_in.h"
#include "os/path.h"

#include <stdlib.h>

struct tk_os_result tk_output_place(struct tk_output *o)
{
    struct tk_os_result why =
        o->force ? tk_os_path_rename_over(o->staged, o->path) : tk_os_path_rename_new(o->staged, o->path);
    if (why.error)
        return why;
    free(o->staged);
    o->staged = NULL;
    return why;
}

void tk_output_free(struct tk_output *o)
{
    tk_compress_close(o->pack);
    tk_os_file_close(o->file);
    if (o->staged)
        tk_os_path_remove(o->staged);
    tk_os_file_close(o->lock);
    free(o->buffer);
    free(o->staged);
    free(o->old);
    free(o->path);
    free(o);
}
