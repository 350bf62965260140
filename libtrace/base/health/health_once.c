/*
 * Notes that are made once. See health_once.h.
 */
#include "base/health/health_once.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_noted(const struct tk_health *h, enum tk_health_kind kind, uint64_t count, const char *text)
{
    for (size_t i = 0; i < h->n_items; i++) {
        const struct tk_health_item *item = &h->items[i];
        if (item->kind == kind && item->count == count && item->offset == TK_NO_OFFSET &&
            strcmp(item->text, text) == 0)
            return true;
    }
    return false;
}

void tk_health_note_once(struct tk_health *h, enum tk_health_kind kind, uint64_t count, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    if (vsnprintf(text, sizeof text, fmt, ap) < 0)
        text[0] = '\0';
    va_end(ap);
    if (!is_noted(h, kind, count, text))
        tk_health_note(h, kind, TK_NO_OFFSET, count, "%s", text);
}
