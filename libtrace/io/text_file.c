/*
 * Text files.
 */
#include "io/file.h"

#include <stdlib.h>

static int read_all(char **text, size_t *n, const struct tk_file *file, uint64_t most, struct tk_err *err)
{
    const uint64_t size = tk_file_size(file);
    if (size > most)
        return tk_err_set(err, TK_ELIMIT, "it has more than %llu bytes", (unsigned long long)most);
    char *p = malloc((size_t)size + 1);
    if (!p)
        return tk_err_nomem(err, "a text file");
    int rc = tk_file_read(file, 0, p, (size_t)size, n, err);
    if (rc < 0) {
        free(p);
        return rc;
    }
    p[*n] = 0;
    *text = p;
    return TK_OK;
}

int tk_text_file_read(char **text, size_t *n, const char *path, uint64_t most, struct tk_err *err)
{
    struct tk_limits limits = tk_limits_default();
    struct tk_file *file;
    *text = NULL;
    *n = 0;
    int rc = tk_file_open(&file, path, NULL, &limits, NULL, err);
    if (rc < 0)
        return rc;
    rc = read_all(text, n, file, most, err);
    tk_file_close(file);
    return rc;
}
