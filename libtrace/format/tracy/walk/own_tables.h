/*
 * The strings of a capture and the three ways to refer to them: by number, by number + 1 where 0 is none, and
 * by a pointer of the recorded program (tracy-file 3, 5.1, 5.2). All of them are kept, because strings come
 * before their users.
 */
#ifndef TK_FORMAT_TRACY_WALK_STRINGS_H
#define TK_FORMAT_TRACY_WALK_STRINGS_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "format/tracy/file/payload.h"
#include "format/tracy/file/read.h"
#include "format/tracy/file/version.h"
#include "judge/timer_key.h"
#include "table/thread_columns.h"
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

/*
 * Tables that the format fills by itself: what a capture holds that is nobody else's concern.
 */

extern const struct tk_table tk_tracy_table_gpu_notes;
extern const struct tk_table tk_tracy_table_symbols;
extern const struct tk_table tk_tracy_table_hardware_samples;
extern const struct tk_table tk_tracy_table_frame_images;
extern const struct tk_table tk_tracy_table_source_files;
/* Columns of the table of running times. */
enum {
    TK_TRACY_USE_SYSTEM_ID,
    TK_TRACY_USE_THREAD_ID,
    TK_TRACY_USE_THREAD,
    TK_TRACY_USE_PROCESS_ID = TK_TRACY_USE_THREAD + TK_THREAD_PROCESS_ID,
    TK_TRACY_USE_NAME = TK_TRACY_USE_THREAD + TK_THREAD_COLUMNS,
    TK_TRACY_USE_RUNNING,
    TK_TRACY_USE_REGIONS,
    TK_TRACY_USE_MIGRATIONS,
    TK_TRACY_USE_COLUMNS
};

extern const struct tk_table tk_tracy_table_cpu_use;

/* All of them. NULL-terminated. */
extern const struct tk_table *const tk_tracy_row_tables[];

/*
 * Threads of a capture: numbers, ids of the operating system, names (tracy-file 5.3, 5.4).
 *
 * The number of a thread is its place in the local thread table, the "compressed thread" of the file; place 0
 * is a dummy. Threads that have zones but no place there follow in the order of the zone section, as the
 * format's own tools have it.
 */

struct tk_tracy_external {
    uint64_t process, name; /* keys of strings */
};

struct tk_tracy_threads {
    TK_VEC(uint64_t) local;    /* tids by number */
    TK_VEC(uint64_t) external; /* tids of other processes by their number */
    TK_VEC(struct tk_tracy_external) externals;
    TK_VEC(uint64_t) names;    /* keys of strings */
    TK_VEC(uint64_t) named;    /* the tids of these names */
    struct tk_map number;      /* tid -> number */
    struct tk_map name_of;     /* tid -> place in names */
    struct tk_map external_of; /* tid -> place in externals */
};

/* Appends a thread; its number is where it stands. 0, or -1 if out of memory. */
int tk_tracy_threads_add(struct tk_tracy_threads *t, uint64_t tid);

/* Adds the name of a thread, or of one of another process. 0, or -1. */
int tk_tracy_threads_name(struct tk_tracy_threads *t, uint64_t tid, uint64_t key);
int tk_tracy_threads_name_external(struct tk_tracy_threads *t, uint64_t tid, struct tk_tracy_external names);

/* The number of a tid; TK_MAP_NONE when it has none. */
uint32_t tk_tracy_thread_number(const struct tk_tracy_threads *t, uint64_t tid);

/* The name of a tid, NULL when it has none. A name that is only its number gives way to one from outside. */
const struct tk_str *tk_tracy_thread_name(const struct tk_tracy_threads *t,
                                          const struct tk_tracy_strings *strings, uint64_t tid);

/* Process and thread name of a thread of another process; NULL where not known. */
void tk_tracy_thread_external(const struct tk_tracy_threads *t, const struct tk_tracy_strings *strings,
                              uint64_t tid, const struct tk_str **process, const struct tk_str **name);

/* Is there a named thread without a number? It gets one when the zone section is walked. */
bool tk_tracy_threads_open_names(const struct tk_tracy_threads *t);

void tk_tracy_threads_release(struct tk_tracy_threads *t);

/*
 * What is known of an open .tracy: what the front of its payload defines, and what its readings share. It is
 * filled by the sections and lives as long as the capture.
 */

struct tk_tracy_capture {
    struct tk_capture base;
    struct tk_context *ctx; /* borrowed */
    struct tk_tracy_container box;
    uint32_t version; /* of the program that saved it */
    struct tk_tracy_layout layout;
    struct tk_tracy_strings strings;
    struct tk_tracy_threads threads;
    struct tk_tracy_locations locations;
    struct tk_map categories;           /* of time sections: id -> description, string + 1 */
    struct tk_intern interned;          /* texts of definitions */
    struct tk_arena arena;              /* texts of the header */
    TK_VEC(struct tk_fact) definitions; /* said by the front, and by readings since, in order */
    struct tk_fact_clock clock;
    int64_t last_time;      /* ns: the last time of the capture */
    uint64_t crash_message; /* pointer of a string, 0 none */
    uint64_t front_end; /* offset in the payload: faults before it were noted when the capture was opened */
    bool threads_known; /* a reading walked the zone section: all threads have numbers */
    bool locks;         /* there are some */
    bool main_frames;   /* there is a frame set with name pointer 0 */
    bool on_demand;     /* it was recorded from the moment on when the profiler connected */
    bool truncated, empty;
};

/*
 * Definitions. Each becomes a fact that all readings begin with; TK_OK or TK_ENOMEM. The text of a session is
 * borrowed for the life of the capture.
 */
int tk_tracy_define(struct tk_tracy_capture *c, const struct tk_fact *fact);
int tk_tracy_define_clock(struct tk_tracy_capture *c);
int tk_tracy_define_session(struct tk_tracy_capture *c, const char *key, struct tk_cell value);

/* The fact about thread `number`; a fiber is no thread of the operating system. */
struct tk_fact tk_tracy_thread_fact(struct tk_tracy_capture *c, uint32_t number, bool fiber);

/* The fact about a timer. A text that could not be allocated is missing, and interned.failed says so. */
struct tk_fact tk_tracy_timer_fact(struct tk_tracy_capture *c, uint32_t timer);

/* An interned copy of a text for the life of the capture; NULL for NULL, and if out of memory. */
const struct tk_str *tk_tracy_intern(struct tk_tracy_capture *c, const struct tk_str *s);

/*
 * What edits of a capture say of themselves: strings of its table, to which the information about the program
 * refers, as the format has no other place.
 */

struct tk_tracy_edit {
    int64_t from, to;     /* what it left; INT64_MIN and INT64_MAX: all on that side */
    struct tk_str record; /* JSON, in the strings of the capture */
};

/* Is a text such a record? */
bool tk_tracy_edit_is(const struct tk_str *text);

/* Reads the record of a text that is one. */
void tk_tracy_edit_read(const struct tk_str *text, struct tk_tracy_edit *edit);

/* What all edits of a capture together left, when its strings are known. */
struct tk_kept_part tk_tracy_edits_kept(const struct tk_tracy_capture *c);

#endif
