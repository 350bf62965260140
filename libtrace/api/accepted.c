/*
 * Accepted regressions: files in. See tracekit.h and compare/accepted/accepted.h.
 */
#include "compare/accepted/accepted.h"

#include "io/input/file.h"

#include <stdlib.h>

#define MOST_BYTES (UINT64_C(16) << 20)

static int read_accepted(const struct tk_file *file, struct tk_acceptances *a, struct tk_err *err)
{
    const uint64_t size = tk_file_size(file);
    size_t n = 0;
    if (size > MOST_BYTES)
        return tk_err_set(err, TK_ELIMIT, "it has more than %llu bytes", (unsigned long long)MOST_BYTES);
    char *text = malloc((size_t)size + 1);
    if (!text)
        return tk_err_nomem(err, "what is accepted");
    int rc = tk_file_read(file, 0, text, (size_t)size, &n, err);
    if (rc == TK_OK)
        rc = tk_accepted_parse(a, text, n, err);
    free(text);
    return rc;
}

int tk_comparison_accept(struct tk_comparison *c, const char *path, int64_t now, struct tk_err *err)
{
    struct tk_limits limits = tk_limits_default();
    struct tk_acceptances a = {0};
    struct tk_file *file;
    int rc = tk_file_open(&file, path, NULL, &limits, NULL, err);
    if (rc < 0)
        return rc;
    rc = read_accepted(file, &a, err);
    tk_file_close(file);
    if (rc < 0)
        tk_err_add(err, "cannot use '%s'", path);
    else
        rc = tk_accepted_apply(&a, c, now, err);
    tk_accepted_release(&a);
    return rc;
}

size_t tk_comparison_accepted(const struct tk_comparison *c)
{
    return c->accepted;
}
