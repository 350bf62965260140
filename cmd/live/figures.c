/*
 * Numbers of live commands: see figures.h.
 */
#include "live/figures.h"

#include <stdlib.h>
#include <string.h>

static bool unit_of(const char *text, double *factor)
{
    static const char units[] = "KMGT";
    const char *found = *text ? strchr(units, *text) : NULL;
    *factor = 1;
    if (found) {
        for (const char *u = units; u <= found; u++)
            *factor *= 1000;
        text++;
    }
    return *text == 0 || strcmp(text, "B") == 0;
}

bool tk_live_read_size(const char *option, const char *text, uint64_t *out, char message[TK_OPT_MESSAGE])
{
    char *end;
    double factor;
    if (!text)
        return true;
    const double number = strtod(text, &end);
    if (end != text && *text >= '0' && *text <= '9' && unit_of(end, &factor) && number * factor >= 1 &&
        number * factor < 1e18) {
        *out = (uint64_t)(number * factor);
        return true;
    }
    snprintf(message, TK_OPT_MESSAGE, "option '--%s' takes a size, as 500M or 2G, not '%.60s'", option, text);
    return false;
}

bool tk_live_read_ports(const char *option, const char *text, uint16_t *out, size_t most, size_t *n,
                        char message[TK_OPT_MESSAGE])
{
    if (!text)
        return true;
    *n = 0;
    for (const char *p = text;;) {
        char *end;
        const unsigned long port = strtoul(p, &end, 10);
        if (end == p || *p < '0' || *p > '9' || port > UINT16_MAX || *n == most || (*end && *end != ','))
            break;
        out[(*n)++] = (uint16_t)port;
        if (*end == 0)
            return true;
        p = end + 1;
    }
    snprintf(message, TK_OPT_MESSAGE, "option '--%s' takes %s from 0 to 65535, not '%.60s'", option,
             most > 1 ? "ports" : "a port", text);
    return false;
}

const char *tk_live_size(uint64_t bytes, char out[TK_FIGURE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t i = 0;
    while (value >= 999.5 && i + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        i++;
    }
    snprintf(out, TK_FIGURE, "%.*f %s", i && value < 99.95 ? 1 : 0, value, units[i]);
    return out;
}

const char *tk_live_time(double seconds, char out[TK_FIGURE])
{
    const unsigned s = seconds < 1e8 ? (unsigned)(seconds + 0.5) : 100000000;
    if (seconds < 59.95)
        snprintf(out, TK_FIGURE, "%.1f s", seconds);
    else if (s < 3600)
        snprintf(out, TK_FIGURE, "%u min %02u s", s / 60, s % 60);
    else
        snprintf(out, TK_FIGURE, "%u h %02u min", s / 3600, s / 60 % 60);
    return out;
}

const char *tk_live_count(uint64_t n, char out[TK_FIGURE])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}
