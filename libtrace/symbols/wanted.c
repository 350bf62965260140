/*
 * Modules whose symbols are wanted. See wanted.h.
 */
#include "symbols/wanted.h"

#include "base/cursor.h"

#include <stdio.h>

bool tk_is_file_name(const char *p, size_t n)
{
    if (n == 0 || n >= TK_WANTED_NAME || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)p[i] < 0x20 || p[i] == '/' || p[i] == '\\' || p[i] == ':' || p[i] == 0x7f)
            return false;
    return true;
}

static void take_name(struct tk_wanted *w, const char *name, size_t n)
{
    size_t from = n;
    while (from && name[from - 1] != '/' && name[from - 1] != '\\')
        from--;
    if (!tk_is_file_name(name + from, n - from))
        return;
    memcpy(w->name, name + from, n - from);
    memcpy(w->stem, w->name, sizeof w->stem);
    char *dot = strrchr(w->stem, '.');
    if (dot && dot != w->stem)
        *dot = '\0';
}

static enum tk_symbol_kind kind_of(const char *format, size_t n)
{
    static const char *const names[] = {"", "pdb", "dwarf", "psym"};
    for (unsigned i = 1; i < sizeof names / sizeof *names; i++)
        if (n == strlen(names[i]) && memcmp(names[i], format, n) == 0)
            return (enum tk_symbol_kind)i;
    return TK_SYMBOLS_UNKNOWN;
}

static bool is_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

struct tk_wanted tk_wanted_of(const char *name, size_t n, const uint8_t *id, uint32_t n_id, uint64_t size,
                              const char *format, size_t n_format)
{
    struct tk_wanted w = {.size = size, .kind = kind_of(format, n_format)};
    take_name(&w, name, n);
    w.n_raw = n_id < TK_WANTED_ID ? n_id : TK_WANTED_ID;
    if (w.n_raw && !is_zero(id, w.n_raw)) {
        w.n_id = w.n_raw;
        memcpy(w.id, id, w.n_id);
    }
    return w;
}

void tk_id_hex(char *out, const uint8_t *id, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[id[i] >> 4];
        out[2 * i + 1] = digits[id[i] & 15];
    }
    out[2 * n] = '\0';
}

void tk_guid_age(char out[TK_GUID_AGE], const uint8_t *guid, uint32_t age)
{
    int n = snprintf(out, TK_GUID_AGE, "%08X%04X%04X", (unsigned)tk_load32(guid),
                     (unsigned)tk_load16(guid + 4), (unsigned)tk_load16(guid + 6));
    for (unsigned i = 8; i < 16; i++)
        n += snprintf(out + n, TK_GUID_AGE - (size_t)n, "%02X", guid[i]);
    snprintf(out + n, TK_GUID_AGE - (size_t)n, "%X", (unsigned)age);
}

bool tk_wanted_has_id(const struct tk_wanted *w, const uint8_t *id, uint32_t n)
{
    if (!n || !w->n_id)
        return false;
    uint32_t both = n < w->n_id ? n : w->n_id;
    if (memcmp(w->id, id, both) != 0)
        return false;
    /* the capture's may be longer, with zeros */
    return n <= w->n_id && is_zero(w->id + n, w->n_id - n);
}
