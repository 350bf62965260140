/*
 * What a file is, by its first bytes. See tracekit.h.
 */
#include "api/formats.h"
#include "io/file.h"

#include <string.h>

/* Known formats that cannot be read count: to leave them out would hide a run. */
static bool is_known(const uint8_t *head, size_t n)
{
    for (size_t i = 0; tk_formats[i] && n; i++)
        if (tk_formats[i]->probe(head, n) >= TK_FORMAT_SURE ||
            (tk_formats[i]->explain && tk_formats[i]->explain(head, n)))
            return true;
    return false;
}

int tk_capture_is(const char *path)
{
    if (!path)
        return TK_EUSAGE;
    struct tk_limits limits = tk_limits_default();
    struct tk_err err = {0};
    uint8_t head[TK_FORMAT_HEAD];
    struct tk_file *file;
    size_t n = 0;
    int rc = strcmp(path, "-") == 0 ? TK_EUSAGE : tk_file_open(&file, path, NULL, &limits, NULL, &err);
    if (rc < 0)
        return rc == TK_ENOMEM ? rc : 0;
    rc = tk_file_read(file, 0, head, sizeof head, &n, &err);
    tk_file_close(file);
    return rc == TK_OK && is_known(head, n);
}
