/*
 * Names of Rust of both kinds, and what follows a name.
 */
#include "symbols/files/files_in.h"

#include <string.h>

/*
 * Older names of Rust: those of C++ for nested names, with a hash as the last part.
 */

enum { HASH = 17 }; /* h, and 16 hexadecimal digits */

static bool is_hash(const char *p, size_t n)
{
    if (n != HASH || p[0] != 'h')
        return false;
    for (size_t i = 1; i < n; i++) {
        if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f')))
            return false;
    }
    return true;
}

/* The number u2b of an escape. false: it is no character that can be seen. */
static bool put_number(struct tk_rust_name *out, const char *p, size_t n)
{
    uint32_t code = 0;
    for (size_t i = 1; i < n; i++) {
        const bool digit = p[i] >= '0' && p[i] <= '9';
        if (n > 7 || !(digit || (p[i] >= 'a' && p[i] <= 'f')))
            return false;
        code = code * 16 + (uint32_t)(digit ? p[i] - '0' : p[i] - 'a' + 10);
    }
    if (code < ' ' || code == 0x7f || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false;
    tk_rust_put_code(out, code);
    return true;
}

static bool put_escape(struct tk_rust_name *out, const char *p, size_t n)
{
    static const struct {
        const char *name, *text;
    } known[] = {{"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"},
                 {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].name) == n && memcmp(known[i].name, p, n) == 0) {
            tk_rust_put(out, known[i].text, 1);
            return true;
        }
    }
    return n > 1 && p[0] == 'u' && put_number(out, p, n);
}

static bool put_part(struct tk_rust_name *out, const char *p, size_t n)
{
    for (size_t i = n > 1 && p[0] == '_' && p[1] == '$'; i < n; i++) {
        const char *stop = p[i] == '$' ? memchr(p + i + 1, '$', n - i - 1) : NULL;
        if (p[i] == '$') {
            if (!stop || !put_escape(out, p + i + 1, (size_t)(stop - p) - i - 1))
                return false;
            i = (size_t)(stop - p);
        } else if (p[i] == '.' && i + 1 < n && p[i + 1] == '.') {
            tk_rust_put(out, "::", 2);
            i++;
        } else {
            tk_rust_put(out, p + i, 1);
        }
    }
    return true;
}

/* The length in front of a part. false: there is none, or it is too long. */
static bool take_length(const char *p, size_t n, size_t *at, size_t *length)
{
    size_t from = *at;
    for (*length = 0; *at < n && p[*at] >= '0' && p[*at] <= '9' && *length < n; ++*at)
        *length = *length * 10 + (size_t)(p[*at] - '0');
    return *at > from && *length && *length <= n - *at;
}

bool tk_rust_demangle_legacy(struct tk_rust_name *out, const char *p, size_t n, size_t *used)
{
    size_t at = 3, length;
    if (n < 4 || memcmp(p, "_ZN", 3) != 0)
        return false;
    for (size_t parts = 0; take_length(p, n, &at, &length); parts++, at += length) {
        if (parts && is_hash(p + at, length) && at + length < n && p[at + length] == 'E') {
            *used = at + length + 1;
            return !out->full;
        }
        if (parts)
            tk_rust_put(out, "::", 2);
        if (!put_part(out, p + at, length))
            return false;
    }
    return false;
}

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
