/*
 * See shown.h.
 */
#include "base/text/shown.h"

static const struct {
    uint32_t from, to;
} unsafe[] = {
    {0x0, 0x1f},        {0x7f, 0x9f}, /* controls */
    {0xad, 0xad},                     /* soft hyphen */
    {0x61c, 0x61c},                   /* mark of direction */
    {0x180e, 0x180e},                 /* no width */
    {0x200b, 0x200f},                 /* no width, marks of direction */
    {0x2028, 0x202e},                 /* ends of lines and paragraphs, embedded directions */
    {0x2060, 0x206f},                 /* no width, isolated directions */
    {0xfeff, 0xfeff},                 /* no width */
    {0xfff9, 0xfffb},                 /* notes between lines */
    {0xe0000, 0xe007f},               /* tags */
};

bool tk_is_unsafe(uint32_t c)
{
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe && c >= unsafe[i].from; i++)
        if (c <= unsafe[i].to)
            return true;
    return false;
}

size_t tk_unsafe_escape(char out[TK_SHOWN_BYTES], uint32_t c)
{
    static const char hex[] = "0123456789abcdef";
    unsigned digits = c < 0x80 ? 2 : c < 0x10000 ? 4 : 8;
    size_t n = 0;
    out[n++] = '\\';
    out[n++] = digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
    while (digits-- > 0)
        out[n++] = hex[c >> (4 * digits) & 15];
    return n;
}

/* Tabs, line feeds and carriage returns, which texts have for good reasons. */
static size_t show_space(char out[TK_SHOWN_BYTES], uint32_t c, unsigned flags)
{
    static const char named[] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};
    if (flags & TK_SHOW_QUOTED) {
        out[0] = '\\';
        out[1] = named[c];
        return 2;
    }
    return flags & TK_SHOW_ASCII ? tk_unsafe_escape(out, c) : tk_utf8_put((uint8_t *)out, 0x2400 + c);
}

static bool is_space(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r';
}

bool tk_shown_breaks(struct tk_shown *s, uint32_t c, uint32_t next)
{
    /* ##[name], ##vso[name] and ##teamcity[name] anywhere, ::name:: in front */
    const bool breaks = c == '#' ? s->before == '#' && (next == '[' || next == 'v' || next == 't')
                                 : c == ':' && next == ':' && !s->begun;
    s->before = c;
    s->begun |= c != ' ' && !is_space(c);
    return breaks;
}

size_t tk_show(struct tk_shown *s, uint32_t c, uint32_t next, unsigned flags, char out[TK_SHOWN_BYTES])
{
    const bool quoted = flags & TK_SHOW_QUOTED;
    size_t n = 0;
    s->begun |= quoted; /* it begins with the quotes */
    if (tk_shown_breaks(s, c, next) || (quoted && (c == '"' || c == '\\')))
        out[n++] = '\\';
    if (is_space(c))
        return show_space(out, c, flags);
    if (tk_is_unsafe(c) || ((flags & TK_SHOW_ASCII) && c >= 0x80))
        return tk_unsafe_escape(out, c);
    return n + tk_utf8_put((uint8_t *)out + n, c);
}

void tk_show_text(void *to, tk_text_put *put, const char *p, size_t n, unsigned flags)
{
    const uint8_t *at = (const uint8_t *)p;
    struct tk_shown shown = {0};
    char out[TK_SHOWN_BYTES];
    for (size_t i = 0, len = 0, ignored; i < n; i += len) {
        uint32_t c = tk_utf8_next(at + i, n - i, &len);
        uint32_t next = i + len < n ? tk_utf8_next(at + i + len, n - i - len, &ignored) : 0;
        put(to, out, tk_show(&shown, c, next, flags, out));
    }
}
