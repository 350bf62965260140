/*
 * The captures in the folder of a store, with ids that stay as long as it runs. The server answers from it.
 */
#ifndef TK_LIVE_STORE_LISTING_H
#define TK_LIVE_STORE_LISTING_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { TK_STORE_CAPTURES = 65536 /* at most; others are not listed */ };

struct tk_store_capture {
    char *name; /* of the file, without .utrace; owned */
    uint32_t id;
    uint64_t size;
    int64_t modified; /* seconds since 1970 */
};

/* Zero-initialise. */
struct tk_store_listing {
    TK_VEC(struct tk_store_capture) captures; /* in the order of the bytes of their names */
    uint32_t change_serial;                   /* changes when a file comes, goes or gets another name */
};

/* Reads the folder again: regular files *.utrace, no links. false when it cannot be read or out of memory;
 * then all is as before. */
bool tk_store_listing_read(struct tk_store_listing *l, const char *folder);

/* NULL: there is none. */
const struct tk_store_capture *tk_store_listing_find(const struct tk_store_listing *l, uint32_t id);

/* By the name without .utrace. */
const struct tk_store_capture *tk_store_listing_named(const struct tk_store_listing *l, const char *name,
                                                      size_t n);

/* The hash that ids are made of (live 3.5). */
uint32_t tk_store_hash(const char *text, size_t n);

void tk_store_listing_release(struct tk_store_listing *l);

#endif
