/*
 * A capture of another tool: what all formats of events have in common. A decoder walks over the file and
 * says what it finds (feed.h); readings make facts of it (source.c).
 *
 * The file is walked over when it is opened. What order matters for is kept: 4 to 6 bytes an event mostly and
 * at most 24, in a temporary file beyond some memory. Texts of scopes and records are not kept: who asks for
 * them makes the decoder walk again.
 */
#ifndef TK_FORMAT_EVENTS_CAPTURE_H
#define TK_FORMAT_EVENTS_CAPTURE_H

#include "fact/format.h"
#include "format/events/identity.h"
#include "format/events/names.h"
#include "format/events/nested.h"
#include "format/events/track.h"
#include "format/events/trouble.h"
#include "format/events/unread.h"

struct tk_ev_capture;

/* Flags in items of tracks. */
#define TK_EV_REGION_ENDS   1u
#define TK_EV_MARK_BOOKMARK 8u
#define TK_EV_REAL          UINT32_C(0x80000000)

enum { TK_EV_SESSION_MOST = 1000 }; /* what is known of a recording */

/* What a format is made of (tk_format.decoder). All static. */
struct tk_ev_decoder {
    const char *noun, *nouns; /* what the file consists of: "event", "events" */
    /* A walk from the beginning of the file. */
    int (*open)(struct tk_ev_capture *c, void **walk, struct tk_err *err);
    /* A part of it. TK_ITEM: there is more; TK_OK at the end; negative. */
    int (*step)(void *walk, struct tk_err *err);
    void (*close)(void *walk);
    const struct tk_record_type *types; /* of records */
    unsigned n_types;
};

/* What a walk is for. */
enum tk_ev_pass {
    TK_EV_GATHER,  /* everything that is kept */
    TK_EV_TEXTS,   /* texts of scopes */
    TK_EV_RECORDS, /* records as they stand */
    TK_EV_PLACES,  /* where ends stand that belong to no begin */
};

struct tk_ev_process {
    struct tk_ev_id id;
    const struct tk_str *name;
    bool is_beyond; /* it stands for all processes beyond the limit: so are their threads */
};

struct tk_ev_thread {
    struct tk_ev_id id;
    uint32_t process;
    uint64_t track; /* tells threads of the same ids apart; 0 */
    const struct tk_str *name;
    bool named;
    int32_t sort;
    uint32_t order; /* of the next begin, end or whole scope */
    struct tk_ev_track scopes;
    /* of those that came whole: */
    int64_t last_begin, last_end;
    bool any_whole, begins_fall, ends_fall;
    bool any_pair;
    struct tk_ev_nested nested;          /* of its begins and ends */
    uint32_t unmatched;                  /* the order of an end without a begin + 1; 0: there is none */
    TK_VEC(const struct tk_str *) texts; /* by order; of the second walk */
    bool is_hidden;                      /* it is no thread: something else is told by it */
    bool is_beyond;                      /* it stands for all threads beyond the limit, and keeps nothing */
    bool is_frames;                      /* its scopes are frames: of an export of ours */
    uint32_t frame_type;
    const struct tk_str *frame_name;
    bool is_queue; /* its scopes are those of a queue of a GPU */
    uint32_t queue;
};

struct tk_ev_counter {
    uint32_t process; /* or TK_EV_NO_NAME */
    uint32_t name;
    bool real;
    bool is_beyond; /* it stands for all counters beyond the limit, and keeps nothing */
    uint8_t unit;   /* enum tk_counter_unit */
};

/* What limits leave out. X(symbol, limit, what is said of it) */
#define TK_EV_BEYOND(X)                                                                                      \
    X(THREAD, threads, "events of further threads were left out")                                            \
    X(COUNTER, counters, "values of further counters were left out")                                         \
    X(SYSTEM, definitions, "events of further threads of the system were left out")                          \
    X(EVENT, kept_events, "further events were left out")                                                    \
    X(TIMER, timers, "scopes of further timers were combined into one timer")

enum tk_ev_beyond {
#define TK_EV_BEYOND_SYMBOL(symbol, limit, text) TK_EV_BEYOND_##symbol,
    TK_EV_BEYOND(TK_EV_BEYOND_SYMBOL)
#undef TK_EV_BEYOND_SYMBOL
        TK_EV_BEYOND_COUNT
};

/* A thread of the operating system. */
struct tk_ev_system {
    const struct tk_str *name; /* NULL: not known */
    uint64_t process;
};

#define TK_EV_COARSE 1000 /* nanoseconds: whole microseconds, which nobody rounded */

struct tk_ev_capture {
    struct tk_capture base;
    struct tk_context *ctx; /* borrowed */
    const struct tk_ev_decoder *decoder;
    enum tk_ev_pass pass;
    struct tk_intern interned;
    struct tk_ev_names names;
    struct tk_ev_ids process_ids, thread_ids, counter_ids; /* numbers are places in these: */
    TK_VEC(struct tk_ev_process) processes;
    TK_VEC(struct tk_ev_thread *) threads; /* owned each */
    TK_VEC(struct tk_ev_counter) counters;
    struct tk_ev_ids system_ids;
    TK_VEC(struct tk_fact) session;
    TK_VEC(struct tk_ev_system) systems; /* by place in system_ids */
    struct tk_ev_track regions;          /* value: key; what: label; order: place, TK_EV_REGION_ENDS */
    struct tk_ev_track marks;    /* value: thread, category; what: text; order: place, TK_EV_MARK_FLAGS */
    struct tk_ev_track values;   /* value: bits of the number; what: counter, TK_EV_REAL; order: place */
    struct tk_ev_track switches; /* value: end; what: core, order: in system_ids */
    struct tk_spill *spill;      /* owned; NULL until needed */
    uint64_t held, spill_at;     /* bytes of items in memory; when to spill them next */
    uint64_t kept;               /* items in all */
    int64_t first, last;         /* times of all events */
    int64_t resolution;          /* nanoseconds: all times are multiples of it; 0: there are none */
    double epoch;                /* seconds since 1970 of the first; NaN */
    bool any_time, truncated, texts_read, own_export;
    uint32_t queues;
    uint64_t left_out[TK_EV_BEYOND_COUNT];
    bool texts_beyond_told; /* the limit of texts was reached, and health has it */
    struct tk_ev_troubles troubles;
    uint64_t *counts, *bytes;             /* owned, by type of record */
    TK_VEC(struct tk_ev_unread *) unread; /* owned each */
    /* In a pass for records: */
    TK_VEC(struct tk_fact) records;
    struct tk_arena cells;
    uint64_t offset;           /* of the event at work */
    uint64_t unmatched_region; /* the place in `regions` of an end without a begin + 1; 0: there is none */
    uint64_t regions_seen;     /* in a pass for places */
    uint64_t scope_end_at, region_end_at; /* where the first such ends stand; TK_NO_OFFSET: not known */
    bool places_sought;                   /* one is known that was not looked for */
    const char *container;                /* for the table `file`: "JSON object", ... */
};

/* tk_format.open of all such formats: opens a capture and walks over it. TK_OK, or negative. */
int tk_ev_capture_open(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err);

/* How frames get into captures whose format has no event for them (tk_format.hints). */
#define TK_EV_HINT_FRAMES                                                                                    \
    "instants whose name contains 'frame' are taken for frames, or --frames-from names them"

/* Moves items to the temporary file where they are many; between the steps of a walk. TK_OK, or negative. */
int tk_ev_capture_spill(struct tk_ev_capture *c, struct tk_err *err);

/* Tells health once that texts were left out, where some were; behind each walk. */
void tk_ev_capture_tell_texts(struct tk_ev_capture *c);

/* Walks over the file from its begin to its end. TK_OK, or negative. */
int tk_ev_walk(struct tk_ev_capture *c, enum tk_ev_pass pass, struct tk_err *err);

/* Walks over the file once more for the places of ends without a begin, if there are new ones. TK_OK,
 * negative. */
int tk_ev_capture_find_places(struct tk_ev_capture *c, struct tk_err *err);

/* Walks over the file once more for the texts of scopes, if that was not done yet. */
int tk_ev_capture_read_texts(struct tk_ev_capture *c, struct tk_err *err);

/* tk_capture_ops.read */
int tk_ev_source_open(struct tk_capture *c, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err);

/* Tables of all such formats: `file`. NULL-terminated. And tk_capture_ops.describe. */
extern const struct tk_table *const tk_ev_tables[];
int tk_ev_describe(struct tk_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                   struct tk_err *err);

#endif
