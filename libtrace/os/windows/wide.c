/* MultiByteToWideChar would replace half surrogates, so it is done here.
 */
#include "os/windows/win32.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * What is known of a file by its handle.
 */

#define TICKS_UNTIL_1970 INT64_C(116444736000000000)
#define TICKS            10000000 /* of a second */

static uint64_t joined(DWORD high, DWORD low)
{
    return (uint64_t)high << 32 | low;
}

static int64_t seconds_of(int64_t time)
{
    const int64_t ticks = time - TICKS_UNTIL_1970;
    return ticks < 0 ? (ticks - TICKS + 1) / TICKS : ticks / TICKS;
}

/* ReFS numbers files with 128 bits, of which others give all, too. */
static bool set_identity(void *handle, struct tk_os_info *info)
{
    FILE_ID_INFO id;
    BY_HANDLE_FILE_INFORMATION file;
    if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id)) {
        info->volume = id.VolumeSerialNumber;
        memcpy(info->identity, &id.FileId, sizeof info->identity);
        return true;
    }
    if (!GetFileInformationByHandle(handle, &file))
        return false;
    info->volume = file.dwVolumeSerialNumber;
    info->identity[0] = joined(file.nFileIndexHigh, file.nFileIndexLow);
    return true;
}

struct tk_os_result tk_os_handle_info(void *handle, struct tk_os_info *info)
{
    FILE_BASIC_INFO basic;
    FILE_STANDARD_INFO standard;
    SetLastError(NO_ERROR);
    const DWORD type = GetFileType(handle);
    *info = (struct tk_os_info){.kind = type == FILE_TYPE_PIPE ? TK_OS_PIPE : TK_OS_DEVICE};
    if (type == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR)
        return tk_os_last_failure();
    if (type != FILE_TYPE_DISK)
        return tk_os_result_of(TK_OS_OK);
    if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic) ||
        !GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard) ||
        !set_identity(handle, info))
        return tk_os_last_failure();
    info->kind = standard.Directory ? TK_OS_FOLDER : TK_OS_FILE;
    info->size = standard.Directory ? 0 : (uint64_t)standard.EndOfFile.QuadPart;
    info->own = true;
    info->modified = seconds_of(basic.LastWriteTime.QuadPart);
    info->changed = (uint64_t)basic.LastWriteTime.QuadPart * 3 + (uint64_t)basic.ChangeTime.QuadPart;
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_info(const struct tk_os_file *f, struct tk_os_info *info)
{
    return tk_os_handle_info(f->handle, info);
}

enum { LONGEST_PLAIN = 247 }; /* units of a path that every call of the system takes, also for folders */

/* The next character; UINT32_MAX where there is none. */
static uint32_t next_character(const unsigned char **at)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *p = *at;
    const unsigned more = *p < 0x80 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : 1;
    if (*p >= 0xf8 || (*p >= 0x80 && *p < 0xc0))
        return UINT32_MAX;
    uint32_t c = more ? *p & (0x3fU >> more) : *p;
    for (unsigned i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return UINT32_MAX;
        c = c << 6 | (p[i] & 0x3f);
    }
    *at = p + 1 + more;
    return c < least[more] || c > 0x10ffff ? UINT32_MAX : c;
}

wchar_t *tk_os_wide(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    wchar_t *wide = malloc((strlen(text) + 1) * sizeof *wide), *w = wide;
    if (!wide) {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    while (*at) {
        const uint32_t c = next_character(&at);
        if (c == UINT32_MAX) {
            free(wide);
            SetLastError(ERROR_NO_UNICODE_TRANSLATION);
            return NULL;
        }
        if (c >= 0x10000)
            *w++ = (wchar_t)(0xd800 + ((c - 0x10000) >> 10));
        *w++ = (wchar_t)(c < 0x10000 ? c : 0xdc00 + (c & 0x3ff));
    }
    *w = 0;
    return wide;
}

/* With what marks it as literal in front: \\?\C:\..., \\?\UNC\server\share\... */
static wchar_t *make_literal(const wchar_t *path)
{
    static const wchar_t drive[] = L"\\\\?\\", network[] = L"\\\\?\\UNC\\";
    const bool is_network = path[0] == L'\\' && path[1] == L'\\';
    const wchar_t *mark = is_network ? network : drive, *rest = path + (is_network ? 2 : 0);
    const size_t n = wcslen(mark), m = wcslen(rest) + 1;
    wchar_t *literal = malloc((n + m) * sizeof *literal);
    if (literal) {
        memcpy(literal, mark, n * sizeof *literal);
        memcpy(literal + n, rest, m * sizeof *literal);
    } else {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
    }
    return literal;
}

static bool is_literal(const wchar_t *path)
{
    return path[0] == L'\\' && path[1] == L'\\' && (path[2] == L'?' || path[2] == L'.') && path[3] == L'\\';
}

/* Absolute, with backslashes alone. */
static wchar_t *make_full(const wchar_t *path)
{
    const DWORD capacity = GetFullPathNameW(path, 0, NULL, NULL);
    wchar_t *full = capacity ? malloc((capacity + 1) * sizeof *full) : NULL;
    if (capacity && !full)
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
    if (full && GetFullPathNameW(path, capacity + 1, full, NULL) <= capacity)
        return full;
    free(full);
    return NULL;
}

wchar_t *tk_os_wide_path(const char *path)
{
    wchar_t *wide = tk_os_wide(path);
    if (!wide || is_literal(wide) || wide[0] == 0)
        return wide;
    wchar_t *full = make_full(wide);
    if (full && !is_literal(full) && wcslen(full) > LONGEST_PLAIN) {
        wchar_t *literal = make_literal(full);
        free(full);
        full = literal;
    }
    free(wide);
    return full;
}

static size_t put_character(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    for (size_t i = more; i > 0; i--, c >>= 6)
        out[i] = (char)(unsigned char)(0x80 | (c & 0x3f));
    out[0] = (char)(unsigned char)(first[more] | c);
    return more + 1;
}

size_t tk_os_narrow(char *out, const wchar_t *units, size_t n)
{
    size_t put = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = (uint16_t)units[i];
        const uint32_t next = i + 1 < n ? (uint16_t)units[i + 1] : 0;
        if (c >= 0xd800 && c < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
            i++;
        }
        put += put_character(out + put, c);
    }
    out[put] = 0;
    return put;
}

char *tk_os_narrow_copy(const wchar_t *units, size_t n)
{
    char *copy = malloc(3 * n + 1);
    if (copy)
        tk_os_narrow(copy, units, n);
    return copy;
}
