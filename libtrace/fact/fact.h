/*
 * Facts: what a capture states, in words that belong to no format. They are the waist of the library: a
 * format turns bytes into facts, the model turns facts into tables.
 *
 * Times are cycles since the start of the capture (signed), in the clock that TK_FACT_CLOCK tells. Texts are
 * interned for the life of the capture, except where a member says "batch".
 */
#ifndef TK_FACT_FACT_H
#define TK_FACT_FACT_H

#include "tracekit.h"

/* X(symbol, name). The name is what the dump prints. */
#define TK_FACT_KINDS(X)                                                                                     \
    X(CLOCK, "clock")                                                                                        \
    X(SESSION, "session")                                                                                    \
    X(THREAD, "thread")                                                                                      \
    X(CHANNEL, "channel")                                                                                    \
    X(TIMER, "timer")                                                                                        \
    X(TIMER_LATE, "timer_late")                                                                              \
    X(SCOPES, "scopes")                                                                                      \
    X(FRAME, "frame")                                                                                        \
    X(REGION, "region")                                                                                      \
    X(BOOKMARK, "bookmark")                                                                                  \
    X(LOG, "log")                                                                                            \
    X(STALL, "stall")                                                                                        \
    X(RECORD, "record")                                                                                      \
    X(RECORD_COUNT, "record_count")                                                                          \
    X(STREAM, "stream")

enum tk_fact_kind {
#define TK_FACT_SYMBOL(symbol, name) TK_FACT_##symbol,
    TK_FACT_KINDS(TK_FACT_SYMBOL)
#undef TK_FACT_SYMBOL
        TK_FACT_COUNT
};

#define TK_FACT_MASK(symbol) (UINT64_C(1) << TK_FACT_##symbol)

/* Facts that define what others refer to; every source gives them, asked or not. */
#define TK_FACT_DEFINITIONS                                                                                  \
    (TK_FACT_MASK(CLOCK) | TK_FACT_MASK(SESSION) | TK_FACT_MASK(THREAD) | TK_FACT_MASK(CHANNEL) |            \
     TK_FACT_MASK(TIMER) | TK_FACT_MASK(TIMER_LATE))

#define TK_NO_THREAD UINT32_MAX
#define TK_NO_SEQ    UINT64_MAX

/* The clock of all times. Comes first; may be missing (then frequency is 0 and times are raw cycles). */
struct tk_fact_clock {
    uint64_t start;     /* cycles: what 0 stands for */
    uint64_t frequency; /* cycles a second */
    double epoch;       /* seconds since 1970 of the start; NaN when not known */
};

/* One more thing known about the recording. Later ones of a key replace earlier ones. */
struct tk_fact_session {
    const struct tk_str *key;
    struct tk_cell value; /* texts and arrays it points to live as long as the source */
};

struct tk_fact_thread {
    const struct tk_str *name;  /* NULL: not known */
    const struct tk_str *group; /* NULL: none */
    uint64_t system_id;         /* of the operating system */
    int32_t sort_hint;
    bool named;      /* said by the capture (registered), not made up */
    bool has_system; /* system_id is known */
};

/* A switchable part of the recorder, announced or switched. */
struct tk_fact_channel {
    uint32_t id;
    bool enabled, read_only;
    bool announced;            /* an announcement (with a name), else a toggle */
    const struct tk_str *name; /* NULL in a toggle */
};

enum tk_timer_kind {
    TK_TIMER_SPEC,
    TK_TIMER_METADATA,
    TK_TIMER_SCOPED_EVENT,
    TK_TIMER_COROUTINE,
    TK_TIMER_GPU,
    TK_TIMER_ZONE
};

/* A timer (what a scope is a call of). Ids are dense; a later fact of the same id replaces the first. */
struct tk_fact_timer {
    uint32_t id;
    uint8_t kind; /* enum tk_timer_kind */
    uint32_t line;
    const struct tk_str *name;
    const struct tk_str *file; /* NULL: not known */
};

/* Scopes that were begun with the timer TK_LATE + slot belong to this timer. */
struct tk_fact_timer_late {
    uint32_t slot;
    uint32_t timer;
};

/* A frame begins or ends. Types: 0 game, 1 rendering, others as the capture has them. */
struct tk_fact_frame {
    uint32_t type;
    bool begin;
    const struct tk_str *type_name; /* NULL: by number */
};

/* A region begins or ends; by name, or by id where has_id. */
struct tk_fact_region {
    bool begin, has_id;
    uint64_t id;
    const struct tk_str *name;     /* NULL at an end by id */
    const struct tk_str *category; /* NULL: none */
};

struct tk_fact_bookmark {
    const struct tk_str *file; /* NULL: not known */
    uint32_t line;
    uint32_t callstack; /* id, 0 none */
    struct tk_str text; /* batch */
};

struct tk_fact_log {
    const struct tk_str *category; /* NULL: not known */
    const struct tk_str *file;     /* NULL: not known */
    uint32_t line;
    uint8_t
        verbosity; /* 0 NoLogging, 1 Fatal, 2 Error, 3 Warning, 4 Display, 5 Log, 6 Verbose, 7 VeryVerbose */
    struct tk_str text; /* batch */
};

/* The recorder held the program up from `time` to `end`. */
struct tk_fact_stall {
    int64_t end;
};

/* An event as it stands in the capture. */
struct tk_fact_record {
    struct tk_record rec; /* batch */
    struct tk_cell attachment;
    uint64_t offset; /* where its first byte stands: file offset of its packet */
    uint32_t within; /* byte inside the unpacked packet */
    uint32_t serial; /* as stored */
    bool has_serial, incomplete, has_time;
};

/* At the end of a reading: how many events of a type there were (also of those nobody asked to see). */
struct tk_fact_record_count {
    const struct tk_record_type *type;
    uint64_t count;
    uint64_t bytes; /* unpacked, headers included */
};

/* At the end of a reading: how much of the capture is a thread's. */
struct tk_fact_stream {
    uint64_t packets;
    uint64_t stored;   /* bytes in the file, packet headers included */
    uint64_t unpacked; /* bytes after unpacking; 0 when not unpacked */
    uint64_t events;   /* 0 when not decoded */
};

struct tk_fact {
    uint16_t kind;   /* enum tk_fact_kind */
    uint16_t size;   /* sizeof(struct tk_fact) */
    uint32_t thread; /* id in the capture, or TK_NO_THREAD */
    int64_t time;    /* cycles since the start; 0 where it has no meaning */
    uint64_t seq;    /* orders facts of different threads; TK_NO_SEQ: only inside its thread */
    union {
        struct tk_fact_clock clock;
        struct tk_fact_session session;
        struct tk_fact_thread thread_info;
        struct tk_fact_channel channel;
        struct tk_fact_timer timer;
        struct tk_fact_timer_late timer_late;
        struct tk_fact_frame frame;
        struct tk_fact_region region;
        struct tk_fact_bookmark bookmark;
        struct tk_fact_log log;
        struct tk_fact_stall stall;
        struct tk_fact_record record;
        struct tk_fact_record_count record_count;
        struct tk_fact_stream stream;
    } u;
};

/*
 * Scopes of one thread, as columns: op[i] happens at time[i]. Times do not go backwards inside a thread
 * except where the capture is wrong.
 *
 * Begin: the timer id, perhaps with TK_OP_STAMPED. End: TK_OP_END, perhaps with TK_OP_STAMPED. Two writers
 * can share a thread's stack, the plain one and the stamped one: an end closes the innermost open scope of
 * its own writer. Timer ids from TK_LATE on are slots that a TK_FACT_TIMER_LATE tells later. TK_OP_CUT: bytes
 * are missing here, all open scopes are lost. TK_OP_CLOSE: the thread ended, scopes open now never end.
 */
#define TK_OP_END     UINT32_C(0x80000000)
#define TK_OP_STAMPED UINT32_C(0x40000000)
#define TK_OP_TIMER   UINT32_C(0x0fffffff)
#define TK_OP_CUT     UINT32_C(0xa0000000)
#define TK_OP_CLOSE   UINT32_C(0xb0000000)
#define TK_LATE       UINT32_C(0x08000000)

struct tk_scope_run {
    uint32_t thread;
    uint32_t lane; /* dense number of the thread among those with scopes, in order of first appearance */
    size_t n;
    const int64_t *time;
    const uint32_t *op;
};

/* What a source gives at a time. Runs of one lane follow each other in order; facts of one thread too. */
struct tk_batch {
    const struct tk_fact *facts;
    size_t n_facts;
    const struct tk_scope_run *runs;
    size_t n_runs;
};

/* Name of a kind. Static. */
const char *tk_fact_name(enum tk_fact_kind kind);

#endif
