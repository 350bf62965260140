/* See tracy_values.h. */
#include "tracy_values.h"

#include <string.h>

bool tk_tw_since(const struct tk_tw *w, uint32_t major, uint32_t minor, uint32_t patch)
{
    return w->version >= TK_TW_V(major, minor, patch);
}

void tk_tw_put(struct tk_tw *w, uint64_t value, unsigned bytes)
{
    tk_uw_uint(&w->blocks.pending, value, bytes);
    if (w->blocks.pending.size >= 16 * TK_TW_BLOCK)
        tk_tw_blocks_drain(&w->blocks);
}

void tk_tw_put_real(struct tk_tw *w, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    tk_tw_put(w, bits, 8);
}

void tk_tw_put_text(struct tk_tw *w, const char *text)
{
    tk_tw_put(w, strlen(text), 8);
    tk_uw_text(&w->blocks.pending, text);
}

void tk_tw_begin_times(struct tk_tw *w)
{
    w->time = 0;
}

void tk_tw_put_time(struct tk_tw *w, int64_t time)
{
    tk_tw_put(w, (uint64_t)time - (uint64_t)w->time, 8);
    w->time = time;
}

void tk_tw_put_index(struct tk_tw *w, int string)
{
    tk_tw_put(w, (uint64_t)(string + 1), 3);
}

void tk_tw_put_ref(struct tk_tw *w, int string)
{
    bool pointer = string & 1;

    tk_tw_put(w, string < 0 ? 0 : pointer ? (uint64_t)TK_TW_POINTER + (uint64_t)string : (uint64_t)string, 8);
    tk_tw_put(w, string < 0 ? 0 : pointer ? 2 : 3, 1);
}

uint64_t tk_tw_pointer_of(int string)
{
    return string < 0 ? 0 : (uint64_t)TK_TW_POINTER + (uint64_t)string;
}
