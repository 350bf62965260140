/*
 * Paths as text, in the way of the system that the library is built for. What a capture says of paths may be
 * of any system and is not dealt with here.
 */
#ifndef TK_BASE_TEXT_PATH_H
#define TK_BASE_TEXT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Does a character end the name of a folder? */
static inline bool tk_path_is_separator(char c)
{
#if defined(_WIN32)
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

/* Where the last name of a path begins; 0: the path is a name alone. */
static inline size_t tk_path_base(const char *path)
{
    size_t n = strlen(path);
    while (n && !tk_path_is_separator(path[n - 1])) {
#if defined(_WIN32)
        if (path[n - 1] == ':')
            break;
#endif
        n--;
    }
    return n;
}

/* The length of a path without what its last name ends in: ".json", ".csv.zst". A dot in front of a digit,
 * as of a version, begins no ending, nor does one that the name begins with. */
static inline size_t tk_path_stem(const char *path)
{
    static const char *const packed[] = {".zst", ".lz4", ".gz"};
    const size_t base = tk_path_base(path);
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        const size_t m = strlen(packed[i]);
        if (n > base + m && memcmp(path + n - m, packed[i], m) == 0) {
            n -= m;
            break;
        }
    }
    size_t dot = n;
    while (dot > base && path[dot - 1] != '.')
        dot--;
    return dot > base + 1 && dot < n && (path[dot] < '0' || path[dot] > '9') ? dot - 1 : n;
}

/* Does it begin at a root or a drive? */
static inline bool tk_path_is_absolute(const char *path)
{
#if defined(_WIN32)
    if (path[0] && path[1] == ':')
        return true;
#endif
    return tk_path_is_separator(path[0]);
}

/* The bytes of a digit that Windows counts ports with: 0 to 9, and the raised 1, 2 and 3 of Latin-1, in
 * UTF-8; 0: it is none. */
static inline size_t tk_path_port_digit(const char *p)
{
    if (p[0] >= '0' && p[0] <= '9')
        return 1;
    return p[0] == '\xc2' && (p[1] == '\xb9' || p[1] == '\xb2' || p[1] == '\xb3') ? 2 : 0;
}

/* Is a name, whatever it ends in, one that Windows has for a device? Files of captures are not called so on
 * any system. */
static inline bool tk_path_is_device(const char *name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "com", "lpt", "conin$", "conout$"};
    size_t n = strcspn(name, ". :");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        const char *device = devices[i];
        const size_t m = strlen(device);
        const bool port = device[0] == 'l' || device[2] == 'm';
        size_t same = 0;
        while (same < m && same < n && (name[same] | ('a' ^ 'A')) == (device[same] | ('a' ^ 'A')))
            same++;
        const size_t digit = same == m && port ? tk_path_port_digit(name + m) : 0;
        if (same == m && n == m + digit && (digit || !port))
            return true;
    }
    return false;
}

/* Can it be a folder alone, as it ends in a separator? */
static inline bool tk_path_names_folder(const char *path)
{
    const size_t n = strlen(path);
    return n && tk_path_is_separator(path[n - 1]);
}

#endif
