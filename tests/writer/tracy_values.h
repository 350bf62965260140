/*
 * Strings of a description as the records of a `.tracy` name them, for the parts of the writer (tracy-file
 * 3).
 */
#ifndef TK_TRACY_VALUES_WRITER_H
#define TK_TRACY_VALUES_WRITER_H

#include "tracy_writer.h"

enum { TK_TW_KEY = 0x5000, TK_TW_POINTER = 0x10000, TK_TW_ADDRESS = 0x800000, TK_TW_MESSAGE_KEY = 0x900000 };

/* A string (-1: none) by number + 1. */
static inline uint32_t tk_tw_index(int string)
{
    return (uint32_t)(string + 1);
}

/* A string by a reference, even ones by number and odd ones by pointer, so that both ways are used; its
 * pointer. */
struct tk_tracy_ref tk_tw_ref(int string);
uint64_t tk_tw_pointer_of(int string);

/* Sections up to the zone extras. */
void tk_tw_put_front(struct tk_tw *w, uint64_t zones);

/* Sections behind those of memory. */
void tk_tw_put_back(struct tk_tw *w);

#endif
