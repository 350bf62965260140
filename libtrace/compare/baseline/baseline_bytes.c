/*
 * Reads numbers and names of baseline files, and keeps bytes of them: the building blocks of all sections.
 * baseline_read.c and baseline_read_series.c call it.
 */
#include "compare/baseline/baseline_in.h"

#include <math.h>

int tk_base_read_wrong(struct tk_err *err, const char *what)
{
    return tk_err_set(err, TK_EFORMAT, "the baseline contradicts itself: %s", what);
}

int64_t tk_base_read_zigzag(struct tk_cur *c, const char *what)
{
    return tk_base_unzigzag(tk_varint(c, what));
}

double tk_base_read_real(struct tk_cur *c, const char *what)
{
    uint64_t bits = tk_u64(c, what);
    double v;
    memcpy(&v, &bits, sizeof v);
    return isfinite(v) ? v : 0;
}

const struct tk_str *tk_base_read_name(struct tk_base_reader *r, struct tk_cur *c)
{
    uint64_t i = tk_varint(c, "a name");
    if (i < r->names.n)
        return r->names.v[i];
    if (!c->fault)
        c->fault = "a name that is not in the list";
    return NULL;
}

const uint8_t *tk_base_read_keep(struct tk_base_reader *r, const uint8_t *p, size_t n)
{
    return r->lasts ? p : tk_arena_copy(&r->run->series_space, p, n);
}
