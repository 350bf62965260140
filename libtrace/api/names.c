/*
 * Names for people: nearest names and the limits. See tracekit.h.
 */
#include "base/given.h"
#include "base/text/nearest.h"
#include "base/text/shown.h"
#include "base/health/limits.h"

#include <string.h>

const char *tk_nearest(const char *wanted, const char *const *names, size_t n)
{
    if (!wanted || !tk_texts_given(names, n))
        return NULL;
    struct tk_nearest_search near;
    tk_nearest_begin(&near, wanted);
    for (size_t i = 0; i < n; i++)
        tk_nearest_offer(&near, names[i], strlen(names[i]));
    return near.n ? near.names[0].p : NULL;
}

struct shown_text {
    char *out;
    size_t n, room;
};

static void put_shown(void *to, const char *p, size_t n)
{
    struct shown_text *shown = to;
    if (n > shown->room - shown->n) {
        shown->room = shown->n; /* nothing that is shorter follows what had no room */
        return;
    }
    memcpy(shown->out + shown->n, p, n);
    shown->n += n;
}

size_t tk_text_show(char *out, size_t room, const char *text, size_t n)
{
    if (!out || !text)
        return 0;
    struct shown_text shown = {out, 0, room};
    tk_show_text(&shown, put_shown, text, n, 0);
    return shown.n;
}

static const struct {
    const char *name;
    uint64_t value;
    const char *help;
} limits[] = {
#define LIMIT_ROW(name, value, help) {#name, value, help},
    TK_LIMITS(LIMIT_ROW)
#undef LIMIT_ROW
};

size_t tk_limit_count(void)
{
    return sizeof limits / sizeof limits[0];
}

void tk_limit_describe(size_t index, const char **name, uint64_t *value, const char **help)
{
    if (name)
        *name = limits[index].name;
    if (value)
        *value = limits[index].value;
    if (help)
        *help = limits[index].help;
}
