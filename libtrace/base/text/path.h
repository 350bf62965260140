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

/* Can it be a folder alone, as it ends in a separator? */
static inline bool tk_path_names_folder(const char *path)
{
    const size_t n = strlen(path);
    return n && tk_path_is_separator(path[n - 1]);
}

#endif
