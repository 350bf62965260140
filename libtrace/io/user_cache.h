/*
 * The folders of the user in which files are kept that can be made again. Nothing in them is trusted: who
 * reads a file there checks it, and takes one that is damaged or foreign for none. Below the parts that keep
 * something.
 */
#ifndef TK_IO_CACHE_USER_CACHE_H
#define TK_IO_CACHE_USER_CACHE_H

#include "os/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TK_CACHE_PATH = 4096, TK_CACHE_NAME = 160 };

/* A folder of the cache. */
struct tk_user_cache {
    const char *folder; /* below tracekit/ */
    uint64_t most;      /* bytes of all its files, unless TRACEKIT_CACHE_SIZE says otherwise */
};

/* All there are. */
enum { TK_CACHE_SYMBOLS, TK_CACHE_CAPTURES, TK_CACHE_NOTICES, TK_USER_CACHES };
extern const struct tk_user_cache tk_user_caches[TK_USER_CACHES];

/* Bytes that its files may have. */
uint64_t tk_user_cache_most(const struct tk_user_cache *cache);

/* The path of a folder; NULL for that of all of them. false: there is none on this system, or it is too long.
 */
bool tk_user_cache_folder(char out[TK_CACHE_PATH], const struct tk_user_cache *cache);

/* The path of a file whose name are n bytes as hexadecimal digits. Likewise. */
bool tk_user_cache_path(char out[TK_CACHE_PATH], const struct tk_user_cache *cache, const uint8_t *id,
                        uint32_t n);

/* Puts a file that only the user can read in the place of the one that is there; its folders are made. false:
 * it could not, or the cache is smaller than the file, which does not matter for a cache. */
bool tk_user_cache_put(const struct tk_user_cache *cache, const char *path, const uint8_t *bytes, size_t n);

/* The same at any path, of any size, in a folder that is there. */
bool tk_user_cache_write(const char *path, const uint8_t *bytes, size_t n);

/* Could it be written? Queries the folder by a file that comes and goes. */
struct tk_os_result tk_user_cache_try(const char *path);

/* Removes the oldest files until the others have space. Once, after files were put. */
void tk_user_cache_trim(const struct tk_user_cache *cache);

/* A file of a cache. */
struct tk_cached_file {
    char name[TK_CACHE_NAME];
    uint64_t size;
    int64_t modified; /* seconds since 1970 */
};

/* The files of a cache, those changed first in front; to be freed. NULL with *n 0: there are none. */
struct tk_cached_file *tk_user_cache_list(const struct tk_user_cache *cache, size_t *n);

/* Removes a file of a list. */
bool tk_user_cache_remove(const struct tk_user_cache *cache, const char *name);

#endif
