/*
 * Accepted regressions: files in. See tracekit.h and trend/accepted.h.
 */
#include "trend/accepted.h"

#include "base/given.h"
#include "io/text_file.h"

#include <stdlib.h>

#define MOST_BYTES (UINT64_C(16) << 20)

static int read_accepted(struct tk_acceptances *a, const char *path, struct tk_err *err)
{
    char *text;
    size_t n;
    int rc = tk_text_file_read(&text, &n, path, MOST_BYTES, err);
    if (rc == TK_OK)
        rc = tk_accepted_parse(a, text, n, err);
    free(text);
    if (rc < 0)
        tk_err_add(err, "cannot use '%s'", path);
    return rc;
}

int tk_comparison_accept(struct tk_comparison *c, const char *path, int64_t now, struct tk_err *err)
{
    TK_GIVEN(err, c, path);
    struct tk_acceptances a = {0};
    int rc = read_accepted(&a, path, err);
    if (rc == TK_OK)
        rc = tk_accepted_apply(&a, c, now, err);
    tk_accepted_release(&a);
    return rc;
}

int tk_trend_accept(struct tk_trend *t, const char *path, int64_t now, struct tk_err *err)
{
    TK_GIVEN(err, t, path);
    struct tk_acceptances a = {0};
    int rc = read_accepted(&a, path, err);
    if (rc == TK_OK)
        rc = tk_accepted_apply_trend(&a, t, now, err);
    tk_accepted_release(&a);
    return rc;
}

size_t tk_comparison_accepted(const struct tk_comparison *c)
{
    if (!c)
        return 0;
    return c->accepted;
}
