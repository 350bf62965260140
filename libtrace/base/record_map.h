/*
 * A map from a 64-bit key (an address, a handle) to a record of fixed size, with insertion and removal.
 * Families and tables keep in it what is open or alive, such as files and tasks; its memory follows the
 * greatest number of records at one time.
 */
#ifndef TK_BASE_HASH_RECORD_MAP_H
#define TK_BASE_HASH_RECORD_MAP_H

#include <stddef.h>
#include <stdint.h>

struct tk_record_map {
    size_t size;                      /* bytes of a record */
    struct tk_record_map_slot *slots; /* owned: open-addressed, key -> place */
    size_t mask, count;
    uint8_t *records; /* owned: `size` bytes a place */
    uint64_t *keys;   /* owned, by place */
    uint32_t *next;   /* owned, by place: the next free place, or IN_USE */
    uint32_t n, cap;  /* places ever used, space for them */
    uint32_t free;    /* first free place, or TK_RECORD_MAP_NONE */
};

#define TK_RECORD_MAP_NONE UINT32_MAX

/* Begins empty, for records of `size` bytes. */
void tk_record_map_init(struct tk_record_map *l, size_t size);

/* The record of a key, or NULL. Valid until the next put. */
void *tk_record_map_get(const struct tk_record_map *l, uint64_t key);

/* A zeroed record for a key; one that was there is overwritten. NULL if out of memory. */
void *tk_record_map_put(struct tk_record_map *l, uint64_t key);

/* Takes a key away; nothing happens when it is not there. */
void tk_record_map_remove(struct tk_record_map *l, uint64_t key);

/* To go over all: place 0 to l->n - 1; NULL where there is none. The order depends only on what was put and
 * removed. */
void *tk_record_map_at(const struct tk_record_map *l, uint32_t place, uint64_t *key);

/* Forgets everything but keeps the memory. */
void tk_record_map_clear(struct tk_record_map *l);

void tk_record_map_release(struct tk_record_map *l);

#endif
