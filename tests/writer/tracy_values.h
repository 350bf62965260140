/*
 * Values of a `.tracy` payload, for the parts of the writer (tracy-file 3).
 */
#ifndef TK_TRACY_VALUES_WRITER_H
#define TK_TRACY_VALUES_WRITER_H

#include "tracy_writer.h"

enum { TK_TW_KEY = 0x5000, TK_TW_POINTER = 0x10000, TK_TW_ADDRESS = 0x800000, TK_TW_MESSAGE_KEY = 0x900000 };

/* Is the version that is written this one or a later one? */
bool tk_tw_since(const struct tk_tw *w, uint32_t major, uint32_t minor, uint32_t patch);

/* The low bytes of a number, a double, a length and its text. */
void tk_tw_put(struct tk_tw *w, uint64_t value, unsigned bytes);
void tk_tw_put_real(struct tk_tw *w, double value);
void tk_tw_put_text(struct tk_tw *w, const char *text);

/* A list's running time begins at 0; a time is written as the difference to the one before. */
void tk_tw_begin_times(struct tk_tw *w);
void tk_tw_put_time(struct tk_tw *w, int64_t time);

/*
 * A string (-1: none) by number + 1 in 3 bytes; by a reference of 9 bytes, even ones by number and odd ones
 * by pointer, so that both ways are used; its pointer.
 */
void tk_tw_put_index(struct tk_tw *w, int string);
void tk_tw_put_ref(struct tk_tw *w, int string);
uint64_t tk_tw_pointer_of(int string);

/* Sections up to the zone extras. */
void tk_tw_put_front(struct tk_tw *w, uint64_t zones);

/* Sections behind those of memory. */
void tk_tw_put_back(struct tk_tw *w);

#endif
