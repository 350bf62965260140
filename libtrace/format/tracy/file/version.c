/*
 * Which versions are read, and what to say about the others.
 *
 *   5 bytes "tracy", u8 major, u8 minor, u8 patch                                              tracy-file 2
 */
#include "format/tracy/file/version.h"

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

/* By minor version: the last patch that was released, and the last that is known (tracy-file 2.1). */
static const struct {
    uint8_t minor, released, newest;
} patches[] = {{7, 8, 15}, {8, 2, 5}, {9, 1, 2}, {10, 0, 0}, {11, 1, 3}, {12, 2, 4}, {13, 1, 6}, {14, 1, 1}};

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
        return tk_err_set(err, TK_EFORMAT,
                          "the content of the file does not begin with 'tracy': it is not a Tracy capture, "
                          "or one saved before version 0.3");
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
            "%s can read it and save it again",
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

/* ---- patches ---- */

static uint32_t patch_of(uint32_t version)
{
    return version & 0xff;
}

/* The index in the table of patches; all versions that are read are in it. */
static size_t minor_of(uint32_t version)
{
    size_t i = 0;
    while (i + 1 < sizeof patches / sizeof *patches && patches[i].minor != (version >> 8 & 0xff))
        i++;
    return i;
}

bool tk_tracy_version_is_newer(uint32_t version)
{
    return patch_of(version) > patches[minor_of(version)].newest;
}

bool tk_tracy_version_is_released(uint32_t version)
{
    return patch_of(version) <= patches[minor_of(version)].released;
}

static bool is_laid_out_as(uint32_t version, uint32_t other)
{
    const struct tk_tracy_layout a = tk_tracy_layout_of(version), b = tk_tracy_layout_of(other);
    return memcmp(&a, &b, sizeof a) == 0;
}

size_t tk_tracy_version_candidates(uint32_t version, uint32_t *out)
{
    const uint32_t newest = (version & ~UINT32_C(0xff)) | patches[minor_of(version)].newest;
    size_t n = 0;
    out[n++] = version < newest ? version : newest;
    for (uint32_t v = newest; n < TK_TRACY_CANDIDATES; v--) {
        if (!is_laid_out_as(v, out[n - 1]) && !is_laid_out_as(v, out[0]))
            out[n++] = v;
        if (!patch_of(v))
            break;
    }
    return n;
}
