/*
 * The strings of a capture and the three ways to refer to them: by number, by number + 1 where 0 is none, and
 * by a pointer of the recorded program (tracy-file 3, 5.1, 5.2). All of them are kept, because strings come
 * before their users.
 */
#ifndef TK_FORMAT_TRACY_WALK_STRINGS_H
#define TK_FORMAT_TRACY_WALK_STRINGS_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "format/tracy/file/read.h"
#include "judge/timer_key.h"
#include "tracekit/values.h"

struct tk_tracy_strings {
    TK_VEC(struct tk_str) v;  /* by number; texts in the arena */
    struct tk_map by_key;     /* key of the file -> number */
    struct tk_map by_pointer; /* pointer of the program -> number */
    struct tk_arena arena;
    uint64_t limit; /* bytes of all texts and of what is kept alongside each */
    uint64_t used;
    uint64_t lost;   /* strings that were left out because of the limit, until it is said */
    bool incomplete; /* some were */
    uint64_t odd;    /* strings with a zero inside, until it is said */
};

/*
 * Reads a text of n bytes into the arena. What is allocated grows with what is there, so a made-up n costs
 * nothing. TK_OK (also after a fault: then the text is empty), TK_ENOMEM, TK_ELIMIT when n is above `limit`;
 * then it is skipped.
 */
int tk_tracy_text(struct tk_tracy_payload *in, uint64_t n, uint64_t limit, struct tk_arena *arena,
                  struct tk_str *out);

/* Appends the next string. TK_OK or TK_ENOMEM. */
int tk_tracy_strings_read(struct tk_tracy_strings *s, struct tk_tracy_payload *in);

/* Reads the next pointer. TK_OK or TK_ENOMEM. */
int tk_tracy_strings_read_pointer(struct tk_tracy_strings *s, struct tk_tracy_payload *in);

/* The string that is meant, borrowed until the next string is read; NULL where there is none. */
const struct tk_str *tk_tracy_string_of_ref(const struct tk_tracy_strings *s, struct tk_tracy_ref ref);
const struct tk_str *tk_tracy_string_of_index(const struct tk_tracy_strings *s, uint32_t index); /* 0: none */

/* Likewise the name of a function, a file or an image. NULL also where the client did not know it and wrote
 * "[unknown]", or this and the address behind it. (symbols 2) */
const struct tk_str *tk_tracy_name_of_index(const struct tk_tracy_strings *s, uint32_t index);
const struct tk_str *tk_tracy_string_of_pointer(const struct tk_tracy_strings *s, uint64_t pointer);
const struct tk_str *tk_tracy_string_of_key(const struct tk_tracy_strings *s, uint64_t key);

/* What stands for a string that is referred to but not there: "???". Static. */
extern const struct tk_str tk_tracy_missing;

void tk_tracy_strings_release(struct tk_tracy_strings *s);

/*
 * Source locations, and the timers made of them (tracy-file 3, 5.5).
 *
 * Zones name a location by an i16: 1 and above is a place in `expand`, which holds addresses of static
 * locations; below 0 it is dynamic location -id - 1; 0 and 32767 mean no location. Each location is a timer
 * of its own, in that order: static ones by their place in `expand`, then dynamic ones; then one for zones
 * without a location and one for those whose location does not exist.
 */

/* What can be said of a location. */
struct tk_tracy_place {
    const struct tk_str *name;     /* displayed: the name, else the function, else "???" */
    bool is_function;              /* it has no name */
    const struct tk_str *function; /* NULL: not known */
    const struct tk_str *file;     /* NULL: not known */
    uint32_t line, colour;
};

struct tk_tracy_locations {
    TK_VEC(struct tk_tracy_location) statics;
    struct tk_map by_address; /* address -> place in statics */
    TK_VEC(uint64_t) expand;
    TK_VEC(struct tk_tracy_location) dynamics;
    TK_VEC(struct tk_tracy_zone_count) counts; /* of threads; at most one for each i16 */
    uint32_t *timers; /* owned; timer of each i16, by its 16 bits; NULL until tk_tracy_locations_number */
    struct tk_timer_keys keys; /* which of the timers are the same */
    uint32_t none;             /* the timer of zones without a location */
    uint32_t unknown;          /* the timer of zones whose location does not exist: none + 1 */
};

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
