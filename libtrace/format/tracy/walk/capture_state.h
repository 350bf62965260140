/*
 * What is known of an open .tracy: what the front of its payload defines, and what its readings share. It is
 * filled by the sections and lives as long as the capture.
 */
#ifndef TK_FORMAT_TRACY_STATE_CAPTURE_STATE_H
#define TK_FORMAT_TRACY_STATE_CAPTURE_STATE_H

#include "base/text/intern.h"
#include "format/tracy/file/container.h"
#include "format/tracy/file/version.h"
#include "format/tracy/walk/locations.h"
#include "format/tracy/walk/threads.h"

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

#endif
