/*
 * Classes of threads: names without what distinguishes one thread from another.
 */
#include "model/timers/thread_class.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static size_t trim(const char *p, size_t n)
{
    while (n && strchr(" \t#_-.:([", p[n - 1]))
        n--;
    return n;
}

/* Length without hex digits behind "0x". */
static size_t without_hex(const char *p, size_t n)
{
    size_t at = n;
    while (at && is_hex(p[at - 1]))
        at--;
    return at < n && at >= 2 && p[at - 1] == 'x' && p[at - 2] == '0' ? at - 2 : n;
}

static size_t without_number(const char *p, size_t n)
{
    while (n && (is_digit(p[n - 1]) || p[n - 1] == ')' || p[n - 1] == ']'))
        n--;
    return n;
}

const struct tk_str *tk_thread_class(struct tk_intern *names, const struct tk_str *name,
                                     const struct tk_str *group)
{
    size_t n = without_hex(name->p, name->n);
    size_t bare = without_number(name->p, n);
    bool ends_in_number = bare < n && is_digit(name->p[bare]);
    n = ends_in_number ? bare : n;
    n = n < name->n ? trim(name->p, n) : n;
    if (n)
        return tk_intern(names, name->p, n, (enum tk_encoding)name->enc);
    if (group && group->n)
        return tk_intern(names, group->p, group->n, (enum tk_encoding)group->enc);
    return tk_intern(names, name->p, name->n, (enum tk_encoding)name->enc);
}
