/*
 * Real numbers with a given number of digits, as C programs print them but the same in every locale; see
 * text.h.
 */
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Only a locale's decimal point is in the way: it stands where the digits stop. */
static size_t mend_point(char *out, size_t n)
{
    size_t at = out[0] == '-', rest;
    while (at < n && out[at] >= '0' && out[at] <= '9')
        at++;
    for (rest = at; rest < n && !strchr("0123456789e", out[rest]); rest++)
        ;
    if (rest == at)
        return n;
    out[at] = '.';
    memmove(out + at + 1, out + rest, n - rest);
    return n - (rest - at - 1);
}

static size_t print(char *out, const char *format, double v, unsigned digits)
{
    int n = snprintf(out, TK_PUT_FIXED, format, (int)digits, v);
    if (!isfinite(v))
        return n > 0 ? (size_t)n : 0;
    return n > 0 && n < TK_PUT_FIXED ? mend_point(out, (size_t)n) : 0;
}

size_t tk_put_fixed(char *out, double v, unsigned decimals)
{
    return print(out, "%.*f", v, decimals);
}

size_t tk_put_general(char *out, double v, unsigned digits)
{
    return print(out, "%.*g", v, digits);
}
