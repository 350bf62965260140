/*
 * The sections of a payload, in the one order in which they stand (tracy-file 4, 5).
 */
#ifndef TK_TRACY_SECTIONS_H
#define TK_TRACY_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

struct tk_table;
struct tk_tracy_walk;

struct tk_tracy_section {
    const char *name;

    /*
     * Reads on: TK_OK when the section is read, TK_ITEM when the batch is full, negative on failure. May
     * return at any point after a fault of the payload. `state` has `size` bytes, zeroed when the section
     * begins.
     */
    int (*step)(struct tk_tracy_walk *w, void *state);
    size_t size;
    uint64_t facts;                     /* TK_FACT_MASK of what it says */
    uint64_t records;                   /* TK_TRACY_RECORD_MASK of what it says */
    const struct tk_table *const *rows; /* tables whose rows it says, NULL-terminated; NULL: none */
};

extern const struct tk_tracy_section *const tk_tracy_sections[];
extern const size_t tk_tracy_n_sections;

/* The front: sections up to and with the zone counts are walked when the capture is opened. */
extern const size_t tk_tracy_n_front;

/* The index of the section with the zones of threads. */
extern const size_t tk_tracy_threads_section;

/* The index of the last section with facts that are put in order of time. */
extern const size_t tk_tracy_ordered_section;

#endif
