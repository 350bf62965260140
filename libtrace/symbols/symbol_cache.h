/*
 * The folder of the user in which answers about symbols are kept, a file for each image id. Nothing in it is
 * trusted: damaged or foreign files are ignored. (symbols 6.3)
 */
#ifndef TK_SYMBOLS_STORE_SYMBOL_CACHE_H
#define TK_SYMBOLS_STORE_SYMBOL_CACHE_H

#include "io/user_cache.h"

/* The file of an id. false: there is no such folder on this system, or the path is too long. */
bool tk_symbol_cache_path(char out[TK_CACHE_PATH], const uint8_t *id, uint32_t n);

/* Puts a file that only the user can read in the place of the one that is there. false: it could not, which
 * does not matter for a cache. */
bool tk_symbol_cache_put(const char *path, const uint8_t *bytes, size_t n);

/* Removes the oldest files until the others have room, by TRACEKIT_CACHE_SIZE. Once, after files were put. */
void tk_symbol_cache_trim(void);

#endif
