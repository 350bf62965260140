/*
 * The grammar of --split. See split.h.
 */
#include "args/split.h"

#include "args/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t read_size(const char *text)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
    char *end;
    const double v = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && v > 0 && v < 1e6)
            return (uint64_t)(v * units[i].bytes);
    return 0;
}

static uint64_t read_count(const char *text)
{
    const size_t n = strspn(text, "0123456789");
    return n && n < 10 && !text[n] ? strtoull(text, NULL, 10) : 0;
}

bool tk_split_read(struct tk_split *out, const char *text, char message[TK_OPT_MESSAGE])
{
    static const char frames[] = "frames=", region[] = "region=";
    *out = (struct tk_split){0};
    if (!text)
        return true;
    if (strncmp(text, frames, sizeof frames - 1) == 0)
        out->frames = read_count(text + sizeof frames - 1);
    else if (strncmp(text, region, sizeof region - 1) == 0)
        out->region = text[sizeof region - 1] ? text + sizeof region - 1 : NULL;
    else if (!(out->bytes = read_size(text)) && (!tk_select_time(text, &out->ns) || out->ns <= 0))
        out->ns = 0;
    if (tk_split_any(out))
        return true;
    snprintf(message, TK_OPT_MESSAGE,
             "option '--split' takes a size (200MB), a time (10s), frames=N or region=GLOB, not '%.100s'",
             text);
    return false;
}
