/*
 * Which versions are read, and what to say about the others; see version.h.
 *
 *   5 bytes "tracy", u8 major, u8 minor, u8 patch                                              tracy-file 2
 */
#include "format/tracy/container/version.h"

#include <stdio.h>
#include <string.h>

/* Which release still loads files that are too old for us (tracy-file 2). */
static const struct {
    uint32_t from;
    const char *reader;
} older[] = {
    {TK_TRACY_V(0, 6, 0), "Tracy 0.7"},
    {TK_TRACY_V(0, 5, 0), "Tracy 0.6"},
    {TK_TRACY_V(0, 3, 0), "Tracy 0.5"},
};

static const char *reader_of(uint32_t version)
{
    for (size_t i = 0; i < sizeof older / sizeof older[0]; i++)
        if (version >= older[i].from)
            return older[i].reader;
    return "a release of its time";
}

void tk_tracy_version_text(char *out, uint32_t version)
{
    snprintf(out, 12, "%u.%u.%u", (unsigned)(version >> 16 & 0xff), (unsigned)(version >> 8 & 0xff),
             (unsigned)(version & 0xff));
}

int tk_tracy_version_parse(const uint8_t *p, uint32_t *version, struct tk_err *err)
{
    char text[12];
    if (memcmp(p, "tracy", 5) != 0)
        return tk_err_set(
            err, TK_EFORMAT,
            "the content of the file does not begin with 'tracy': it is no Tracy capture, or one of a "
            "version before 0.3");
    *version = TK_TRACY_V(p[5], p[6], p[7]);
    tk_tracy_version_text(text, *version);
    if (*version >> 8 > TK_TRACY_NEWEST >> 8)
        return tk_err_set(
            err, TK_EFORMAT,
            "the capture was saved by Tracy %s, which is newer than 0.14.1, the newest that is known: "
            "Tracy %u.%u or later reads it",
            text, (unsigned)p[5], (unsigned)p[6]);
    if (*version < TK_TRACY_OLDEST)
        return tk_err_set(
            err, TK_EFORMAT,
            "the capture was saved by Tracy %s, which is older than 0.7.0, the oldest that is known: "
            "%s reads it and can save it anew",
            text, reader_of(*version));
    return TK_OK;
}

struct tk_tracy_layout tk_tracy_layout_of(uint32_t version)
{
    return (struct tk_tracy_layout){
#define LAYOUT_VALUE(name, from, until, help) .name = version + 1 > (from) && version < (until),
        TK_TRACY_LAYOUT(LAYOUT_VALUE)
#undef LAYOUT_VALUE
    };
}
