/*
 * Names of Rust of both kinds, and what follows a name. See rust_name.h.
 */
#include "symbols/files/rust_name.h"

#include <string.h>

/* What LLVM appends says nothing of the function. */
static bool put_suffix(struct tk_rust_name *out, const char *p, size_t n)
{
    static const char llvm[] = ".llvm.";
    if (n && p[0] != '.' && p[0] != '$')
        return false;
    if (n < sizeof llvm - 1 || memcmp(p, llvm, sizeof llvm - 1) != 0)
        tk_rust_put(out, p, n);
    return !out->full;
}

static bool is_plain(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] <= ' ' || p[i] > '~')
            return false;
    }
    return true;
}

bool tk_rust_demangle(struct tk_rust_name *out, const char *p, size_t n)
{
    size_t used;
    out->n = 0;
    out->full = false;
    if (n < 4 || p[0] != '_' || (p[1] != 'R' && p[1] != 'Z') || !is_plain(p, n))
        return false;
    if (!(p[1] == 'R' ? tk_rust_demangle_v0 : tk_rust_demangle_legacy)(out, p, n, &used))
        return false;
    return put_suffix(out, p + used, n - used);
}
