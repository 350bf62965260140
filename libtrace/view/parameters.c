/*
 * Parameters of requests, as answers need them.
 */
#include "base/err.h"
#include "view/view_in.h"

int tk_view_number(const struct tk_view_ask *ask, const char *name, int64_t least, int64_t most, int64_t *out)
{
    const int found = tk_http_number(ask->query, name, least, most, out);
    return found == 1 ? TK_OK
                      : tk_err_set(ask->err, TK_EUSAGE,
                                   found ? "'%s' is out of its range" : "'%s' is missing", name);
}

int tk_view_lanes(const struct tk_view_ask *ask, uint32_t lanes, uint32_t out[TK_VIEW_LANES])
{
    char text[TK_HTTP_TARGET];
    uint64_t value = 0;
    bool digits = false;
    int n = 0;
    const long length = tk_http_parameter(ask->query, "l", text, sizeof text);
    if (length == -1)
        return 0;
    for (long i = 0; i <= length; i++) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (digit)
            value = value * 10 + (uint64_t)(text[i] - '0');
        if (value >= lanes || n == TK_VIEW_LANES ||
            (!digit && !(digits && (text[i] == '.' || text[i] == '\0'))))
            return tk_err_set(ask->err, TK_EUSAGE, "there is no such lane");
        digits = digit;
        if (digit)
            continue;
        out[n++] = (uint32_t)value;
        value = 0;
    }
    return length < 0 ? tk_err_set(ask->err, TK_EUSAGE, "there is no such lane") : n;
}
