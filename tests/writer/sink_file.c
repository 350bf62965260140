/* Files that captures of tests are written to. */
#include "sink_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BUFFER = 1 << 20 };

struct file_sink {
    FILE *file;
    char buffer[FILE_BUFFER];
};

static bool write_file(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ((struct file_sink *)ctx)->file) == size;
}

static bool close_file(void *ctx)
{
    struct file_sink *file = ctx;
    const bool closed = fclose(file->file) == 0;

    free(file);
    return closed;
}

int tk_uw_sink_open(struct tk_uw_sink *sink, const char *path)
{
    struct file_sink *file = malloc(sizeof(*file));

    memset(sink, 0, sizeof(*sink));
    sink->failed = true;
    if (!file)
        return -1;
    file->file = fopen(path, "wb");
    if (!file->file) {
        free(file);
        return -1;
    }
    setvbuf(file->file, file->buffer, _IOFBF, FILE_BUFFER);
    *sink = (struct tk_uw_sink){.write = write_file, .close = close_file, .ctx = file};
    return 0;
}
