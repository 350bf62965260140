/*
 * Source locations, and the timers made of them (tracy-file 3, 5.5).
 *
 * Zones name a location by an i16: 1 and above is a place in `expand`, which holds addresses of static
 * locations; below 0 it is dynamic location -id - 1; 0 and 32767 mean no location. Each location is a timer
 * of its own, in that order: static ones by their place in `expand`, then dynamic ones; then one for zones
 * without a location and one for those whose location does not exist.
 */
#ifndef TK_FORMAT_TRACY_STATE_LOCATIONS_H
#define TK_FORMAT_TRACY_STATE_LOCATIONS_H

#include "base/hash.h"
#include "format/tracy/walk/strings.h"

struct tk_tracy_location {
    struct tk_tracy_string_ref name, function, file;
    uint32_t line;
    uint32_t colour; /* 0xBBGGRR, 0 default */
};

/* What can be said of a location. */
struct tk_tracy_place {
    const struct tk_str *name;     /* shown: the name, else the function, else "???" */
    const struct tk_str *function; /* NULL: not known */
    const struct tk_str *file;     /* NULL: not known */
    uint32_t line, colour;
};

struct tk_tracy_locations {
    TK_VEC(struct tk_tracy_location) statics;
    struct tk_map by_address; /* address -> place in statics */
    TK_VEC(uint64_t) expand;
    TK_VEC(struct tk_tracy_location) dynamics;
    uint32_t *timers; /* owned; timer of each i16, by its 16 bits; NULL until tk_tracy_locations_number */
    uint32_t none;    /* the timer of zones without a location */
    uint32_t unknown; /* the timer of zones whose location does not exist: none + 1 */
};

#define TK_TRACY_LOCATION_BYTES 35

/* Reads the 35 bytes of a location. */
struct tk_tracy_location tk_tracy_location_read(struct tk_tracy_payload *in);

/* Gives all locations their timers. 0, or -1 if out of memory. */
int tk_tracy_locations_number(struct tk_tracy_locations *l);

/* What an i16 of the file means. Texts are borrowed from `strings`. */
struct tk_tracy_place tk_tracy_location_of(const struct tk_tracy_locations *l,
                                           const struct tk_tracy_strings *strings, int16_t id);

/* The i16 of a timer below `none`. */
int16_t tk_tracy_location_id(const struct tk_tracy_locations *l, uint32_t timer);

/* Does the location of the i16, where it has one, exist? */
bool tk_tracy_location_exists(const struct tk_tracy_locations *l, int16_t id);

void tk_tracy_locations_release(struct tk_tracy_locations *l);

#endif
