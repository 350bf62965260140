/*
 * Dictionary: what the definitions of a capture say (clock, session, threads, channels, timers). The run
 * feeds it every definition fact before anything else sees the batch; tables look names up in it.
 */
#ifndef TK_QUERY_DICT_H
#define TK_QUERY_DICT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/health/limits.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "judge/work.h"
#include "judge/timer_key.h"

struct tk_thread {
    uint32_t id; /* in the capture */
    struct tk_fact_thread info;
    bool defined;                   /* the capture says that there is such a thread; else it was only met */
    const struct tk_str *displayed; /* info.name, or "Thread N" where there is none; never NULL */
    enum tk_role role;              /* by this name */
};

struct tk_timer {
    struct tk_fact_timer info;      /* info.name is NULL until defined */
    const struct tk_str *displayed; /* never NULL */
};

struct tk_session_item {
    const struct tk_str *key;
    struct tk_cell value;
};

struct tk_dict {
    struct tk_fact_clock clock; /* frequency 0: no clock */
    TK_VEC(struct tk_session_item) session;
    struct tk_map session_index;      /* key in strings -> index in session */
    TK_VEC(struct tk_thread) threads; /* in order of first appearance */
    struct tk_map thread_index;       /* id -> index in threads */
    uint32_t frame_thread;            /* has scopes and marks the game frames; TK_NO_THREAD: not looked for */
    TK_VEC(struct tk_timer) timers;   /* by timer id */
    struct tk_timer_keys keys;        /* which of them are the same */
    TK_VEC(uint32_t) late;            /* slot of TIMER_LATE -> timer id, TK_MAP_NONE when not reported */
    TK_VEC(struct tk_fact_channel)
    channels; /* state by id, in order of first appearance; name NULL when never announced */
    struct tk_map channel_index;             /* id -> index in channels */
    TK_VEC(struct tk_fact_channel) toggles;  /* every announcement and toggle, in order */
    TK_VEC(uint64_t) switched_off;           /* of each channel: how often it was while it was on */
    uint64_t lost_toggles;                   /* those beyond the limit `rows` */
    TK_VEC(struct tk_fact_gpu_queue) queues; /* by id; name NULL where not reported */
    uint32_t unknown_metadata; /* timer id of "<unknown metadata>", TK_MAP_NONE until it is needed */
    struct tk_intern strings;  /* made-up names, fewer than limits bound what they are of; owned */
    const struct tk_limits *limits;
};

/* Begins empty. limits is borrowed. TK_OK or TK_ENOMEM. */
int tk_dict_init(struct tk_dict *d, const struct tk_limits *limits, struct tk_err *err);

/* Takes a definition fact; ignores others. TK_OK, TK_ENOMEM, TK_ELIMIT. */
int tk_dict_feed(struct tk_dict *d, const struct tk_fact *fact, struct tk_err *err);

/* The thread of an id, made up on first use (never defined by the capture: named is false). NULL if out of
 * memory. Borrowed until the next thread is made. */
struct tk_thread *tk_dict_thread(struct tk_dict *d, uint32_t id);

/* Displayed name of a thread without making it up; NULL when it is not known. */
const struct tk_str *tk_dict_thread_name(const struct tk_dict *d, uint32_t id);

/* What the capture says of a thread; NULL when it is not known. Borrowed until the next thread is made. */
const struct tk_fact_thread *tk_dict_thread_info(const struct tk_dict *d, uint32_t id);

/* The role of a thread: by its name, or that of the game thread if it is frame_thread and its name says
 * nothing. TK_ROLES when the thread is not known. */
enum tk_role tk_dict_thread_role(const struct tk_dict *d, uint32_t id);

/* Takes over what another dictionary knows of threads, so that names are there before the capture says them
 * again. TK_OK or TK_ENOMEM. */
int tk_dict_learn_threads(struct tk_dict *d, const struct tk_dict *from, struct tk_err *err);

/* The name that a thread without one is displayed by, "Thread 12": its length; out has space for 32 bytes,
 * NUL included. */
size_t tk_thread_made_up(char *out, uint32_t id);

/* The timer an op stands for: late slots resolved, "<unknown metadata>" (a timer of its own, the last id)
 * where never reported, so to be queried when everything is read. NULL if out of memory. Borrowed until the
 * next call. */
const struct tk_timer *tk_dict_timer(struct tk_dict *d, uint32_t id);

/* The timer that has the sums of this one, which may be late, when everything is read: the first of its key,
 * or itself where timers are apart by their places (TK_BY_SOURCE). TK_MAP_NONE if out of memory. */
uint32_t tk_dict_summed(struct tk_dict *d, uint32_t id, bool by_source);

/* The GPU queue of an id, or NULL when it is not known. Borrowed until the next one is reported. */
const struct tk_fact_gpu_queue *tk_dict_queue(const struct tk_dict *d, uint32_t id);

#define TK_QUEUE_NAME 272 /* bytes that hold any name below */

/* What the line of a GPU queue, or of the work in it, is called: at most 255 bytes of its name; "GPU" for one
 * that is not known. The text is in `text`. */
struct tk_str tk_dict_queue_name(const struct tk_dict *d, uint32_t id, bool works, char text[TK_QUEUE_NAME]);

/* What rows call a lane: the thread, or the line of a GPU queue as above, which lives as long as the
 * dictionary. NULL: not known, or out of memory. */
const struct tk_str *tk_dict_lane_name(struct tk_dict *d, uint8_t kind, uint32_t id);

void tk_dict_release(struct tk_dict *d);

/* ---- time at the edge ---- */

/* A time since the start, as facts have it (cycles, or parts of them), as a value of a unit: cycles
 * (absolute: start added; rounded down) for TK_UNIT_CYCLES, else nanoseconds since the start, rounded half up
 * towards +inf. Exact for all 64-bit values (128-bit arithmetic). Without a clock: cycles. */
int64_t tk_clock_time(const struct tk_fact_clock *clock, enum tk_unit unit, int64_t time);

/* A sum of such times as a length. */
int64_t tk_clock_span(const struct tk_fact_clock *clock, enum tk_unit unit, int64_t time);

/* What tk_clock_time gave for TK_UNIT_CYCLES as a time of facts again, held inside 64 bits. */
int64_t tk_clock_of_cycles(const struct tk_fact_clock *clock, int64_t displayed);

/* Length of a row: the difference of the converted ends, held inside 64 bits. */
int64_t tk_clock_between(const struct tk_fact_clock *clock, enum tk_unit unit, int64_t begin, int64_t end);

/* The first cycle since the start that is displayed as these nanoseconds or later: where a selection begins
 * or ends whose times were read from what is displayed. */
int64_t tk_clock_first(const struct tk_fact_clock *clock, int64_t ns);

/* Nanoseconds since the start to cycles since the start, rounded up (so that ns(cycles) >= ns). */
int64_t tk_clock_cycles(const struct tk_fact_clock *clock, int64_t ns);

#endif
