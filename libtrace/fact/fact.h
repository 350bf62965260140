/*
 * Facts: what a capture states, in words that belong to no format. They are the waist of the library: a
 * format turns bytes into facts, the model turns facts into tables.
 *
 * Times are cycles since the start of the capture (signed), in the clock given by TK_FACT_CLOCK; where a
 * capture has times that are no whole cycles, that clock says how many parts of a cycle all of them count.
 * Texts are interned for the life of the capture, except where a member says "batch".
 */
#ifndef TK_FACT_FACT_H
#define TK_FACT_FACT_H

#include "fact/marks.h"
#include "fact/memory.h"
#include "fact/scopes.h"
#include "tracekit/tables.h"

/*
 * Facts about the recording itself: its clock and session, threads, channels, streams, records as they stand,
 * definitions, and rows of tables that a format fills by itself.
 */

/* The clock of all times. Comes first; may be missing (then frequency is 0 and times are raw cycles). */
struct tk_fact_clock {
    uint64_t start;     /* cycles: what 0 stands for */
    uint64_t frequency; /* cycles per second; where they have parts, parts a second */
    double epoch;       /* seconds since 1970 of the start; NaN when not known */
    uint32_t parts;     /* of a cycle, where all times of facts count these and not cycles; else 0 */
};

/* How many units of the times of facts a cycle has. */
static inline uint32_t tk_fact_clock_parts(const struct tk_fact_clock *clock)
{
    return clock->parts ? clock->parts : 1;
}

/* One more thing known about the recording. Later ones of a key replace earlier ones. */
struct tk_fact_session {
    const struct tk_str *key;
    struct tk_cell value; /* texts and arrays it points to live as long as the source */
};

struct tk_fact_thread {
    const struct tk_str *name;    /* NULL: not known */
    const struct tk_str *group;   /* NULL: none */
    const struct tk_str *process; /* the name of its process; NULL: not known */
    uint64_t system_id;           /* of the operating system; negative ones in two's complement */
    uint64_t process_id;          /* likewise */
    int32_t sort_hint;
    bool named;       /* said by the capture (registered), not made up */
    bool has_system;  /* system_id is known */
    bool has_process; /* process_id is known */
};

/* A switchable part of the recorder, announced or switched. */
struct tk_fact_channel {
    uint32_t id;
    bool enabled, read_only;
    bool announced;            /* an announcement (with a name), else a toggle */
    const struct tk_str *name; /* NULL in a toggle */
};

/* The recorder held the program up from `time` to `end`. */
struct tk_fact_stall {
    int64_t end;
};

/* An event as it stands in the capture. */
struct tk_fact_record {
    struct tk_record rec; /* batch */
    struct tk_cell attachment;
    /* Without a time of its own (has_time) an event stands at the latest one of its thread
     * (tk_request.placed), one of no thread at the start. */
    uint64_t offset; /* where its first byte stands: file offset of its packet */
    uint32_t within; /* byte inside the unpacked packet */
    uint32_t serial; /* as stored */
    bool has_serial, incomplete, has_time;
};

/* At the end of a reading: `time` is the latest that any event says, requested or not. */
struct tk_fact_extent {
    int64_t from; /* where the recording began, from which its duration counts */
};

/* The family of a type of what a file names and nobody reads or lists. */
#define TK_FAMILY_UNREAD "unread"
#define TK_FAMILY_LOSSES "losses" /* of records of which nothing is read but what they announce as lost */

/* At the end of a reading: how many events of a type there were (also of those nobody requested to see). */
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

/*
 * Events from the fact's seq up to here were recorded and are lost. What began before and ends behind them
 * need not belong together. With TK_ORDER_SERIAL it comes in its place, else when it is found.
 * LATE_GAP: the same of events at the end of the capture, which may just not have been sent.
 */
struct tk_fact_gap {
    uint64_t last;
};

/*
 * A row of a table that the format fills by itself (tk_format.row_tables). Points in time count from the
 * start, they and lengths in the unit of all times of facts: cycles, or parts of them (tk_fact_clock.parts);
 * n of a TK_DURATION cell is 1 + the column of the point in time that it is measured from, or 0 for a sum.
 */
struct tk_fact_row {
    const struct tk_table *table;
    const struct tk_cell *cells; /* batch; one a column */
    int64_t end;                 /* where has_time: what the row reports lasted from `time` to here */
    bool has_time;
};

/* A text that others refer to by type and id. Later ones replace earlier ones. */
struct tk_fact_definition {
    uint64_t id;
    uint32_t type;
    const struct tk_str *type_name;
    const struct tk_str *text; /* NULL: it has none */
};

/*
 * Facts about counters: what they are, and how their values change.
 */

/* What a counter is: the fact that says its values is its own too. */
enum tk_counter_kind {
    TK_COUNTER_PLAIN,  /* COUNTER_VALUE: set now and then */
    TK_COUNTER_STAT,   /* STAT_VALUE: set and added to */
    TK_COUNTER_SERIES, /* SERIES_VALUE: one value a frame, put together in it */
    TK_COUNTER_TAG,    /* TAG_VALUE: memory of a tag, in a snapshot now and then */
    TK_COUNTER_TASK,   /* TASK: follows from what happens to tasks; no format says such counters */
    TK_COUNTER_KINDS
};

enum tk_counter_unit {
    TK_COUNTER_NUMBER,
    TK_COUNTER_BYTES,
    TK_COUNTER_CYCLES, /* values are lengths of time */
    TK_COUNTER_PERCENT,
    TK_COUNTER_WATTS
};

/* A counter; a series of one thread is said with its thread. Ids are those of the kind; a later fact of the
 * same kind and id replaces the first. */
struct tk_fact_counter {
    uint64_t id;
    uint8_t kind;                      /* enum tk_counter_kind */
    uint8_t unit;                      /* enum tk_counter_unit */
    bool real;                         /* begins as a real number */
    bool clears;                       /* begins with 0 in each game frame */
    bool unnamed;                      /* the name is made up: the capture has none */
    bool has_process;                  /* it is one of a process, whose name is the group */
    uint64_t process_id;
    uint32_t frames;                   /* TK_COUNTER_SERIES: type of the frames */
    const struct tk_str *name;         /* NULL: not known */
    const struct tk_str *group, *text; /* what it belongs to; a description; NULL: none */
};

enum tk_counter_op { TK_COUNTER_SET, TK_COUNTER_ADD, TK_COUNTER_MIN, TK_COUNTER_MAX };

struct tk_number {
    bool real;
    union {
        int64_t i;
        double r;
    } v;
};

/* A counter changes. In a series the first change in a frame sets, whatever it is. */
struct tk_fact_counter_value {
    uint64_t id;
    uint8_t op; /* enum tk_counter_op */
    struct tk_number number;
};

/*
 * Facts about how work gets onto cores: tasks, context switches, stack samples and locks.
 */

enum tk_task_what {
    TK_TASK_CREATED,
    TK_TASK_LAUNCHED,
    TK_TASK_SCHEDULED, /* all it waited for is done */
    TK_TASK_STARTED,
    TK_TASK_FINISHED,
    TK_TASK_COMPLETED, /* with all that is nested in it */
    TK_TASK_DESTROYED,
    TK_TASK_STAGES,
    TK_TASK_SUBSEQUENT = TK_TASK_STAGES, /* task `other` waits for it */
    TK_TASK_NESTED                       /* task `other` is nested in it */
};

/* Something happens to a task, a piece of work that a scheduler runs. */
struct tk_fact_task {
    uint64_t id, other;
    uint64_t bytes;            /* CREATED, LAUNCHED: what it occupies; 0: not known */
    const struct tk_str *name; /* LAUNCHED */
    int32_t target;            /* LAUNCHED: code of the thread that is to run it; negative: any of a pool */
    uint8_t what;              /* enum tk_task_what */
    bool tracked;              /* LAUNCHED: it counts as schedulable work */
};

/* A thread begins or ends to wait for tasks. */
struct tk_fact_task_wait {
    const uint64_t *tasks; /* batch, n ids; none at an end */
    uint32_t n;
    bool begin;
};

/* A thread of the operating system ran on a core from `time` to `end`. */
/* What a thread was when its time on a core ended, by the letters that Linux has for that. X(symbol, letters)
 */
#define TK_RUN_ENDS(X)                                                                                       \
    X(UNKNOWN, "")                                                                                           \
    X(READY, "R")                                                                                            \
    X(PREEMPTED, "R+")                                                                                       \
    X(SLEEPING, "S")                                                                                         \
    X(BLOCKED, "D")                                                                                          \
    X(KILLABLE, "DK")                                                                                        \
    X(IDLE, "I")                                                                                             \
    X(STOPPED, "T")                                                                                          \
    X(TRACED, "t")                                                                                           \
    X(PARKED, "P")                                                                                           \
    X(DEAD, "X")                                                                                             \
    X(ZOMBIE, "Z")                                                                                           \
    X(WAKING, "W")                                                                                           \
    X(OTHER, "?")                                                                                            \
    X(RUNNING, "running") /* it still ran when the capture ended, which is its end here */

enum tk_run_end {
#define TK_RUN_END_SYMBOL(symbol, letters) TK_RUN_END_##symbol,
    TK_RUN_ENDS(TK_RUN_END_SYMBOL)
#undef TK_RUN_END_SYMBOL
        TK_RUN_END_COUNT
};

/* Could it have gone on, so that it waits for nothing but a core? */
static inline bool tk_run_end_is_ready(unsigned end)
{
    return end == TK_RUN_END_READY || end == TK_RUN_END_PREEMPTED;
}

struct tk_fact_switch {
    uint64_t system_id;
    int64_t end;
    uint32_t core;
    uint8_t end_state; /* enum tk_run_end */
    bool woken;        /* it is recorded that it was woken before: */
    uint32_t waker_core;
    int64_t wake; /* when, by what ran on that core */
};

/* The name of a thread of the operating system, perhaps of another process. */
struct tk_fact_system_thread {
    uint64_t system_id, process_id;
    const struct tk_str *name;
};

/* What a thread of the operating system was executing at `time`, innermost first: where it was, exactly, and
 * return addresses. The first address below those of the kernel, whose top bit is set, is exact, too. */
struct tk_fact_sample {
    uint64_t system_id;
    const uint64_t *addresses; /* batch, n */
    uint32_t n;
    uint32_t callstack; /* id of TK_FACT_CALLSTACK, which has the addresses; 0: they are here */
    uint64_t weight;    /* how many it stands for; 0: one */
};

/* How many samples one stands for. */
static inline uint64_t tk_sample_weight(const struct tk_fact_sample *sample)
{
    return sample->weight ? sample->weight : 1;
}

enum tk_hardware_event {
    TK_HARDWARE_CYCLES,
    TK_HARDWARE_RETIRED, /* instructions */
    TK_HARDWARE_CACHE_REFERENCES,
    TK_HARDWARE_CACHE_MISSES,
    TK_HARDWARE_BRANCHES, /* retired */
    TK_HARDWARE_BRANCH_MISSES,
    TK_HARDWARE_EVENTS
};

/* A counter of the processor ran over, by as many events as for every other sample, at an instruction. */
struct tk_fact_hardware {
    uint64_t address;
    uint8_t event; /* enum tk_hardware_event */
};

enum tk_lock_what { TK_LOCK_REQUESTED, TK_LOCK_OBTAINED, TK_LOCK_RELEASED };

/* The thread of the fact requests a lock, gets it or gives it back. */
struct tk_fact_lock {
    uint64_t id;               /* locks of one name; 0 where there is only one */
    const struct tk_str *name; /* NULL: not known */
    uint8_t what;              /* enum tk_lock_what */
    bool write;                /* REQUESTED: for itself alone */
};

/*
 * Facts about what graphics cards do, alongside the scopes of their queues.
 */

/* A queue of a GPU: what is done on it comes one after another. Ids are dense; a later fact of the same id
 * replaces the first. */
struct tk_fact_gpu_queue {
    uint32_t id;
    uint32_t gpu, index;       /* which GPU, which of its queues of that type */
    uint64_t key;              /* as the capture names it */
    const struct tk_str *type; /* "Graphics", "Compute", ...; NULL: not known */
    const struct tk_str *name; /* never NULL */
};

enum tk_gpu_what {
    TK_GPU_SUBMIT, /* work begins at `time` that the program handed over at `stamp` */
    TK_GPU_FRAME,  /* a frame ends on the queue; what was drawn since the one before */
    TK_GPU_SIGNAL, /* a fence is set to `number` at `time` */
    TK_GPU_FENCE   /* from `time` on the queue waits until the fence of `other` is `number` at least */
};

/* What happens on a queue of a GPU alongside its scopes. */
struct tk_fact_gpu {
    uint32_t queue;
    uint8_t what;               /* enum tk_gpu_what */
    bool timed;                 /* FRAME: there is a time */
    bool partial;               /* FRAME: the capture ends inside the frame, whose number is not known */
    bool has_before;            /* SUBMIT: the queue did something before */
    uint32_t other;             /* FENCE */
    uint32_t dropped;           /* FRAME: times in it that were of no use */
    uint64_t number;            /* FRAME: its number; SIGNAL, FENCE: value of the fence */
    uint64_t draws, primitives; /* FRAME */
    int64_t work, waiting; /* FRAME: time of the work and of the waits that ended in it; -1: not reported */
    int64_t stamp;         /* SUBMIT: since the start, as all times (fact.h) */
    int64_t before;        /* SUBMIT: when the queue was done with all that it had, since the start */
};

/*
 * Facts about files and about packages of data that are loaded.
 */

enum tk_file_op { TK_FILE_OPEN, TK_FILE_REOPEN, TK_FILE_CLOSE, TK_FILE_READ, TK_FILE_WRITE, TK_FILE_OPS };

/* Something was done with a file from `time` on. Said when it ends. */
struct tk_fact_file_io {
    const struct tk_str *path; /* NULL: not known */
    uint8_t op;                /* enum tk_file_op */
    bool failed;
    bool ended;         /* `end` is known */
    int64_t end;        /* since the start, as all times (fact.h) */
    uint64_t offset;    /* bytes: where a read or write begins */
    uint64_t size;      /* bytes requested */
    uint64_t done;      /* bytes read or written */
    uint32_t in_flight; /* reads and writes that were under way when it began, itself included */
};

/* What is known of a package of data that is loaded; later ones of an id replace earlier ones. */
struct tk_fact_package {
    uint32_t id;               /* dense */
    const struct tk_str *name; /* NULL: not known */
    bool has_summary;          /* the next four are known */
    uint32_t header_bytes, imports, exports;
    int32_t priority;
    bool has_priority;
    uint64_t request;           /* 1 + number of the request that it belongs to, in order of begin; 0: none */
    const struct tk_str *group; /* of that request; NULL: none */
};

enum tk_load_op { TK_LOAD_CREATE, TK_LOAD_SERIALIZE, TK_LOAD_POSTLOAD, TK_LOAD_SUMMARY, TK_LOAD_OPS };

/* A step of loading a package, or of one object of it, from `time` to `end`. */
struct tk_fact_load_step {
    uint32_t package;                /* id, or UINT32_MAX where it is not known */
    uint8_t op;                      /* enum tk_load_op */
    bool has_size;                   /* size is known */
    const struct tk_str *class_name; /* of the object; NULL: not known */
    int64_t end;
    int64_t excl;  /* time without that of steps inside it */
    uint64_t size; /* bytes that are read */
};

/*
 * Facts about the network: connections, packets and what is in them.
 */

/*
 * Connections are numbered by their id, in the lower 16 bits, and above those by how often that id was in use
 * before: ids of closed connections are used again.
 */
#define TK_NET_CONNECTION_ID(connection) ((connection)&0xffffu)
#define TK_NET_CONNECTION_USE            0x10000u

/* What is known of a connection; later ones of the same instance and number replace earlier ones. */
struct tk_fact_net_link {
    uint32_t instance, connection;
    const struct tk_str *instance_name, *name, *address; /* NULL: not known */
    bool has_server, server;                             /* is the instance a server? */
    bool closed;
    uint8_t state; /* 0 invalid or not known, 1 closed, 2 pending, 3 open */
};

/* The name that packets, objects and values refer to by this number (from 1 on). May come after its use. */
struct tk_fact_net_name {
    uint32_t id;
    const struct tk_str *name;
};

/* A part of a packet: a run of bits that belongs to an object or a name; those of greater level that follow
 * lie inside. */
struct tk_net_part {
    uint64_t id;          /* of the object, or 0 */
    uint64_t begin, bits; /* in its bunch */
    uint32_t name;        /* number of the name, also of the object; 0: not known */
    bool is_object;
    uint8_t level;
};

/* A bundle of parts in a packet. */
struct tk_net_bunch {
    uint32_t name;              /* number of the name of its channel; 0: none */
    uint32_t channel;           /* UINT32_MAX: not known */
    uint32_t first, n;          /* its parts, among those of the packet */
    uint64_t bits, header_bits; /* bits without those of the header */
};

/* A packet was sent or came in. */
struct tk_fact_net_packet {
    uint32_t instance, connection, sequence;
    bool incoming;
    uint64_t bits;
    const struct tk_net_part *parts;    /* batch */
    const struct tk_net_bunch *bunches; /* batch */
    uint32_t n_parts, n_bunches;
};

/* Packets `first` to `last` of a direction never arrived. */
struct tk_fact_net_loss {
    uint32_t instance, connection, first, last;
    bool incoming;
    bool reported; /* said by the capture; else their numbers are missing */
};

enum tk_net_object_op {
    TK_NET_CREATED,
    TK_NET_DESTROYED,
    TK_NET_PARENT,
    TK_NET_POLLED,
    TK_NET_WASTED, /* polled for nothing */
    TK_NET_QUANTIZED,
    TK_NET_WRITTEN,
    TK_NET_OBJECT_OPS
};

/* Something happened to an object. The time is that of the last packet or frame before it. */
struct tk_fact_net_object {
    uint32_t instance;
    uint32_t owner;    /* TK_NET_CREATED */
    uint64_t id, type; /* type: TK_NET_CREATED */
    uint64_t parent;   /* TK_NET_PARENT */
    uint64_t cycles;   /* from TK_NET_POLLED on: what it took */
    uint32_t name;     /* TK_NET_CREATED: number of its name, 0: none */
    uint8_t op;        /* enum tk_net_object_op */
};

/* A number that the network code counted, of a packet or of a frame. */
struct tk_fact_net_value {
    uint32_t instance, connection; /* UINT32_MAX: of a frame */
    uint32_t name;                 /* number of its name, 0: none */
    uint64_t value;
};

/* All kinds of facts, and what each is:
 *
 *     DEFINES   what others refer to; every source gives it, requested or not
 *     TIMED     something that happened at its time, until when the capture goes on at least
 *     OWN_TIME  says in each fact whether it is TIMED
 *     PLAIN     none of these */
#define TK_FACT_KINDS(X)                                                                                     \
    X(CLOCK, DEFINES)                                                                                        \
    X(SESSION, DEFINES)                                                                                      \
    X(THREAD, DEFINES)                                                                                       \
    X(CHANNEL, DEFINES)                                                                                      \
    X(TIMER, DEFINES)                                                                                        \
    X(TIMER_LATE, DEFINES)                                                                                   \
    X(SCOPES, PLAIN)                                                                                         \
    X(SCOPE_TEXT, PLAIN)                                                                                     \
    X(SCOPE_STACK, PLAIN)                                                                                    \
    X(OVERLAP, PLAIN)                                                                                        \
    X(FRAME, TIMED)                                                                                          \
    X(REGION, TIMED)                                                                                         \
    X(BOOKMARK, TIMED)                                                                                       \
    X(LOG, TIMED)                                                                                            \
    X(STALL, TIMED)                                                                                          \
    X(RECORD, OWN_TIME)                                                                                      \
    X(EXTENT, TIMED)                                                                                         \
    X(RECORD_COUNT, PLAIN)                                                                                   \
    X(MEMORY, PLAIN)                                                                                         \
    X(MEMORY_TAG, PLAIN)                                                                                     \
    X(MEMORY_HEAP, PLAIN)                                                                                    \
    X(CONTEXT, PLAIN)                                                                                        \
    X(CALLSTACK, PLAIN)                                                                                      \
    X(SYMBOL, PLAIN)                                                                                         \
    X(MODULE, PLAIN)                                                                                         \
    X(FUNCTION, PLAIN)                                                                                       \
    X(SOURCE, PLAIN)                                                                                         \
    X(DEFINITION, PLAIN)                                                                                     \
    X(STREAM, PLAIN)                                                                                         \
    X(GAP, PLAIN)                                                                                            \
    X(LATE_GAP, PLAIN)                                                                                       \
    X(COUNTER, PLAIN)                                                                                        \
    X(COUNTER_VALUE, TIMED)                                                                                  \
    X(STAT_VALUE, TIMED)                                                                                     \
    X(SERIES_VALUE, TIMED)                                                                                   \
    X(TAG_VALUE, TIMED)                                                                                      \
    X(ROW, OWN_TIME)                                                                                         \
    X(FILE_IO, TIMED)                                                                                        \
    X(PACKAGE, PLAIN)                                                                                        \
    X(LOAD_STEP, TIMED)                                                                                      \
    X(NET_NAME, PLAIN)                                                                                       \
    X(NET_LINK, PLAIN)                                                                                       \
    X(NET_PACKET, TIMED)                                                                                     \
    X(NET_LOSS, PLAIN)                                                                                       \
    X(NET_OBJECT, PLAIN)                                                                                     \
    X(NET_VALUE, PLAIN)                                                                                      \
    X(GPU_QUEUE, DEFINES)                                                                                    \
    X(GPU_SCOPES, PLAIN)                                                                                     \
    X(GPU, PLAIN)                                                                                            \
    X(TASK, TIMED)                                                                                           \
    X(TASK_WAIT, TIMED)                                                                                      \
    X(SWITCH, TIMED)                                                                                         \
    X(SYSTEM_THREAD, PLAIN)                                                                                  \
    X(SAMPLE, TIMED)                                                                                         \
    X(HARDWARE, TIMED)                                                                                       \
    X(LOCK, TIMED)

enum { TK_KIND_PLAIN, TK_KIND_DEFINES, TK_KIND_TIMED, TK_KIND_OWN_TIME };

#define TK_FACT_KIND(symbol, is) TK_FACT_##symbol,
enum tk_fact_kind { TK_FACT_KINDS(TK_FACT_KIND) TK_FACT_COUNT };
#undef TK_FACT_KIND

#define TK_FACT_MASK(symbol) (UINT64_C(1) << TK_FACT_##symbol)
#define TK_FACT_ALL          ((UINT64_C(1) << TK_FACT_COUNT) - 1)

/* The mask of the kinds that are such. */
#define TK_FACT_IF_DEFINES(symbol, is) | (uint64_t)(TK_KIND_##is == TK_KIND_DEFINES) << TK_FACT_##symbol
#define TK_FACT_IF_TIMED(symbol, is)   | (uint64_t)(TK_KIND_##is == TK_KIND_TIMED) << TK_FACT_##symbol
#define TK_FACT_DEFINITIONS            (UINT64_C(0) TK_FACT_KINDS(TK_FACT_IF_DEFINES))
#define TK_FACT_TIMED                  (UINT64_C(0) TK_FACT_KINDS(TK_FACT_IF_TIMED))

#define TK_NO_THREAD UINT32_MAX
#define TK_NO_SEQ    UINT64_MAX

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
        struct tk_fact_overlap overlap;
        struct tk_fact_frame frame;
        struct tk_fact_region region;
        struct tk_fact_bookmark bookmark;
        struct tk_fact_log log;
        struct tk_fact_stall stall;
        struct tk_fact_record record;
        struct tk_fact_extent extent;
        struct tk_fact_record_count record_count;
        struct tk_fact_stream stream;
        struct tk_fact_gap gap;
        struct tk_fact_memory memory;
        struct tk_fact_memory_tag memory_tag;
        struct tk_fact_memory_heap memory_heap;
        struct tk_fact_context context_of;
        struct tk_fact_callstack callstack;
        struct tk_fact_symbol symbol;
        struct tk_fact_module module;
        struct tk_fact_function function;
        struct tk_fact_source source;
        struct tk_fact_definition definition;
        struct tk_fact_row row;
        struct tk_fact_file_io file_io;
        struct tk_fact_package package;
        struct tk_fact_load_step load_step;
        struct tk_fact_net_name net_name;
        struct tk_fact_net_link net_link;
        struct tk_fact_net_packet net_packet;
        struct tk_fact_net_loss net_loss;
        struct tk_fact_net_object net_object;
        struct tk_fact_net_value net_value;
        struct tk_fact_counter counter;
        struct tk_fact_counter_value counter_value; /* COUNTER_VALUE, STAT_VALUE, SERIES_VALUE, TAG_VALUE */
        struct tk_fact_gpu_queue gpu_queue;
        struct tk_fact_gpu gpu;
        struct tk_fact_task task;
        struct tk_fact_task_wait task_wait;
        struct tk_fact_switch context;
        struct tk_fact_system_thread system_thread;
        struct tk_fact_sample sample;
        struct tk_fact_hardware hardware;
        struct tk_fact_lock lock;
    } u;
};

/* The scopes of lanes of all kinds. */
#define TK_SCOPE_FACTS (TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES))

/* What a lane's scopes are requested with. */
static inline uint64_t tk_lane_fact(unsigned kind)
{
    return kind == TK_LANE_THREAD ? TK_FACT_MASK(SCOPES) : TK_FACT_MASK(GPU_SCOPES);
}

/* What a source gives at a time. Runs of one lane follow each other in order; facts of one thread too. */
struct tk_batch {
    const struct tk_fact *facts;
    size_t n_facts;
    const struct tk_scope_run *runs;
    size_t n_runs;
    uint64_t from, to; /* where in the capture it was read, in a measure of the format; to 0: that has no
                          places, and no part of it can be read by itself (struct tk_part) */
    const void *state; /* n_state bytes: where the source stands behind it (tk_request.states); else NULL */
    size_t n_state;
    size_t piece; /* it is the first of piece number `piece` - 1 (tk_request.resume); else 0 */
};

/* Name of a kind of timers, as in tables. Static. */
const char *tk_timer_kind_name(enum tk_timer_kind kind);

#endif
