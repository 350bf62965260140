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
    X(MEMORY, "memory")                                                                                      \
    X(MEMORY_TAG, "memory_tag")                                                                              \
    X(MEMORY_HEAP, "memory_heap")                                                                            \
    X(CONTEXT, "context")                                                                                    \
    X(CALLSTACK, "callstack")                                                                                \
    X(MODULE, "module")                                                                                      \
    X(DEFINITION, "definition")                                                                              \
    X(STREAM, "stream")                                                                                      \
    X(COUNTER, "counter")                                                                                    \
    X(COUNTER_VALUE, "counter_value")                                                                        \
    X(STAT_VALUE, "stat_value")                                                                              \
    X(SERIES_VALUE, "series_value")                                                                          \
    X(TAG_VALUE, "tag_value")                                                                                \
    X(ROW, "row")                                                                                            \
    X(FILE_IO, "file_io")                                                                                    \
    X(PACKAGE, "package")                                                                                    \
    X(LOAD_STEP, "load_step")                                                                                \
    X(NET_NAME, "net_name")                                                                                  \
    X(NET_LINK, "net_link")                                                                                  \
    X(NET_PACKET, "net_packet")                                                                              \
    X(NET_LOSS, "net_loss")                                                                                  \
    X(NET_OBJECT, "net_object")                                                                              \
    X(NET_VALUE, "net_value")                                                                                \
    X(GPU_QUEUE, "gpu_queue")                                                                                \
    X(GPU_SCOPES, "gpu_scopes")                                                                              \
    X(GPU, "gpu")                                                                                            \
    X(TASK, "task")                                                                                          \
    X(TASK_WAIT, "task_wait")                                                                                \
    X(SWITCH, "switch")                                                                                      \
    X(SYSTEM_THREAD, "system_thread")                                                                        \
    X(SAMPLE, "sample")                                                                                      \
    X(LOCK, "lock")

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
     TK_FACT_MASK(TIMER) | TK_FACT_MASK(TIMER_LATE) | TK_FACT_MASK(GPU_QUEUE))

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
    TK_TIMER_ZONE,
    TK_TIMER_GPU_WORK, /* a queue of a GPU works */
    TK_TIMER_GPU_WAIT  /* it waits for another one */
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

/*
 * A row of a table that the format fills by itself (tk_format.row_tables). Points in time are cycles since
 * the start, lengths are cycles; n of a TK_SPAN cell is 1 + the column of the point in time that it is
 * measured from, or 0 for a sum.
 */
struct tk_fact_row {
    const struct tk_table *table;
    const struct tk_cell *cells; /* batch; one a column */
    int64_t end;                 /* where has_time: what the row tells of lasted from `time` to here */
    bool has_time;
};

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

/* What happens on a queue of a GPU beside its scopes. */
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
    int64_t stamp;              /* SUBMIT: cycles since the start */
    int64_t before; /* SUBMIT: when the queue was done with all that it had, cycles since the start */
};

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
    int32_t target;            /* LAUNCHED: code of the thread that shall run it; negative: any of a pool */
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
struct tk_fact_switch {
    uint64_t system_id;
    int64_t end;
    uint32_t core;
};

/* The name of a thread of the operating system, perhaps of another process. */
struct tk_fact_system_thread {
    uint64_t system_id, process_id;
    const struct tk_str *name;
};

/* What a thread of the operating system was executing at `time`: return addresses, innermost first. */
struct tk_fact_sample {
    uint64_t system_id;
    const uint64_t *addresses; /* batch, n */
    uint32_t n;
};

enum tk_lock_what { TK_LOCK_REQUESTED, TK_LOCK_OBTAINED, TK_LOCK_RELEASED };

/* The thread of the fact asks for a lock, gets it or gives it back. */
struct tk_fact_lock {
    uint64_t id;               /* locks of one name; 0 where there is only one */
    const struct tk_str *name; /* NULL: not known */
    uint8_t what;              /* enum tk_lock_what */
    bool write;                /* REQUESTED: for itself alone */
};

/* What a counter is: the fact that says its values is its own too. */
enum tk_counter_kind {
    TK_COUNTER_PLAIN,  /* COUNTER_VALUE: set now and then */
    TK_COUNTER_STAT,   /* STAT_VALUE: set and added to */
    TK_COUNTER_SERIES, /* SERIES_VALUE: one value a frame, put together in it */
    TK_COUNTER_TAG,    /* TAG_VALUE: memory of a tag, in a snapshot now and then */
    TK_COUNTER_KINDS
};

enum tk_counter_unit {
    TK_COUNTER_NUMBER,
    TK_COUNTER_BYTES,
    TK_COUNTER_CYCLES /* values are lengths of time */
};

/* A counter; a series of one thread is said with its thread. Ids are those of the kind; a later fact of the
 * same kind and id replaces the first. */
struct tk_fact_counter {
    uint64_t id;
    uint8_t kind;                      /* enum tk_counter_kind */
    uint8_t unit;                      /* enum tk_counter_unit */
    bool real;                         /* begins as a real number */
    bool clears;                       /* begins with 0 in each game frame */
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

/* What happens to memory. */
enum tk_memory_op {
    TK_MEMORY_ALLOC,
    TK_MEMORY_FREE,
    TK_MEMORY_REALLOC_FREE,  /* a reallocation: the old half, */
    TK_MEMORY_REALLOC_ALLOC, /* then, on the same thread, the new one; it takes over the tag */
    TK_MEMORY_UPDATE,        /* as freed and allocated again where it is, with the tag and context of now */
    TK_MEMORY_MARK,          /* the allocation is a container: `heap` serves smaller ones out of it */
    TK_MEMORY_UNMARK,        /* it is an ordinary one again */
    TK_MEMORY_SWAP_OUT,      /* a page leaves memory; size: bytes of the page */
    TK_MEMORY_SWAP_IN,
    TK_MEMORY_SWAP_FREE,    /* a page that is out is given up */
    TK_MEMORY_TAG_ENTER,    /* what the thread allocates from now on has the tag `id`, */
    TK_MEMORY_TAG_ENTER_OF, /* or that of the live allocation at the address, */
    TK_MEMORY_TAG_LEAVE,    /* until here */
    TK_MEMORY_TIME,         /* the clock of memory: what had no time before has this one */
    TK_MEMORY_LOST          /* tags that the thread has entered are left without being told */
};

/* A step of the life of memory. To be read in the order of seq; what has none stands right behind what came
 * before on its thread. A time of TK_NO_TIME is that of the next TK_MEMORY_TIME. */
struct tk_fact_memory {
    uint64_t address;
    uint64_t size;     /* bytes */
    uint32_t id;       /* callstack, 0 none; TAG_ENTER: the tag, as a signed number */
    uint32_t heap;     /* the root heap; MARK and UNMARK: any heap */
    uint32_t packed;   /* SWAP_OUT: bytes of the page after compression */
    uint8_t op;        /* enum tk_memory_op */
    uint8_t alignment; /* power of two */
};

#define TK_NO_TIME INT64_MIN

/* A tag of allocations. */
struct tk_fact_memory_tag {
    int32_t id, parent;        /* parent -1: none */
    const struct tk_str *name; /* perhaps with its parents, A/B */
};

/* A heap: a root (system memory, memory of a graphics card), or one that gets its memory from another. */
struct tk_fact_memory_heap {
    uint32_t id, parent; /* parent of a root: UINT32_MAX */
    bool root, never_frees;
    const struct tk_str *name;
};

#define TK_NO_TYPE UINT32_MAX

/* What a thread works for, as a stack: what it allocates belongs to the innermost. */
enum tk_context_op {
    TK_CONTEXT_ASSET,   /* begin: the asset of these names */
    TK_CONTEXT_PACKAGE, /* begin: the package `id` */
    TK_CONTEXT_OTHER,   /* begin: something else */
    TK_CONTEXT_CLEAR,   /* begin: nothing */
    TK_CONTEXT_RESTORE, /* begin: the stack that was saved as `id` */
    TK_CONTEXT_END,     /* of the innermost of the five above */
    TK_CONTEXT_SAVE,    /* the stack as it is now is saved as `id` */
    TK_CONTEXT_NAME,    /* the name of package `id` is `package` */
    TK_CONTEXT_LOST     /* all that the thread has begun ends without being told */
};

/* Names are ids of TK_FACT_DEFINITION. */
struct tk_fact_context {
    uint64_t id;
    uint64_t name, kind, package;
    uint32_t name_type, kind_type, package_type; /* type of the definition; TK_NO_TYPE: no name */
    uint8_t op;                                  /* enum tk_context_op */
};

/* The frames of a callstack: return addresses, innermost first. */
struct tk_fact_callstack {
    uint64_t id;
    const uint64_t *frames; /* batch, n */
    uint32_t n;
};

/* An executable or library is loaded into the program, or unloaded (then only the base is known). */
struct tk_fact_module {
    uint64_t base, size;
    const struct tk_str *name;   /* path on the machine of the program; NULL when unloaded */
    const struct tk_str *format; /* of its symbols; NULL: not known */
    const uint8_t *image;        /* its build id, n_image bytes, as long as the source; NULL: none */
    uint32_t n_image;
    bool loaded;
};

/* A text that others refer to by type and id. Later ones replace earlier ones. */
struct tk_fact_definition {
    uint64_t id;
    uint32_t type;
    const struct tk_str *type_name;
    const struct tk_str *text; /* NULL: it has none */
};

enum tk_file_op { TK_FILE_OPEN, TK_FILE_REOPEN, TK_FILE_CLOSE, TK_FILE_READ, TK_FILE_WRITE, TK_FILE_OPS };

/* Something was done with a file from `time` on. Said when it ends. */
struct tk_fact_file_io {
    const struct tk_str *path; /* NULL: not known */
    uint8_t op;                /* enum tk_file_op */
    bool failed;
    bool ended;         /* `end` is known */
    int64_t end;        /* cycles since the start */
    uint64_t offset;    /* bytes: where a read or write begins */
    uint64_t size;      /* bytes asked for */
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
    uint64_t request; /* 1 + number of the request that it belongs to, in order of begin; 0: none */
};

enum tk_load_op { TK_LOAD_CREATE, TK_LOAD_SERIALIZE, TK_LOAD_POSTLOAD, TK_LOAD_SUMMARY, TK_LOAD_OPS };

/* A step of loading a package, or of one object of it, from `time` to `end`. */
struct tk_fact_load_step {
    uint32_t package;                /* id, or UINT32_MAX where it is not known */
    uint8_t op;                      /* enum tk_load_op */
    bool has_size;                   /* size is known */
    const struct tk_str *class_name; /* of the object; NULL: not known */
    int64_t end;
    int64_t excl;  /* cycles without those of steps inside it */
    uint64_t size; /* bytes that are read */
};

/* What is known of a connection; later ones of the same instance and id replace earlier ones. */
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
    bool told; /* said by the capture; else their numbers are missing */
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
        struct tk_fact_memory memory;
        struct tk_fact_memory_tag memory_tag;
        struct tk_fact_memory_heap memory_heap;
        struct tk_fact_context context_of;
        struct tk_fact_callstack callstack;
        struct tk_fact_module module;
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
        struct tk_fact_lock lock;
    } u;
};

/*
 * Scopes of one lane, as columns: op[i] happens at time[i]. Times do not go backwards inside a thread
 * except where the capture is wrong.
 *
 * Begin: the timer id, perhaps with TK_OP_STAMPED. End: TK_OP_END, perhaps with TK_OP_STAMPED. Two writers
 * can share a thread's stack, the plain one and the stamped one: an end closes the innermost open scope of
 * its own writer. Timer ids from TK_LATE on are slots that a TK_FACT_TIMER_LATE tells later. TK_OP_CUT: bytes
 * are missing here, all open scopes are lost. TK_OP_CLOSE: the thread ended, scopes open now never end.
 * TK_OP_LOSE: the innermost open scope ends, but nobody knows when; it counts as one without an end.
 */
#define TK_OP_END     UINT32_C(0x80000000)
#define TK_OP_STAMPED UINT32_C(0x40000000)
#define TK_OP_TIMER   UINT32_C(0x0fffffff)
#define TK_OP_CUT     UINT32_C(0xa0000000)
#define TK_OP_CLOSE   UINT32_C(0xb0000000)
#define TK_OP_LOSE    UINT32_C(0xe0000000)
#define TK_LATE       UINT32_C(0x08000000)

/* Whose scopes. Those of threads are asked for with SCOPES, the others with GPU_SCOPES. */
enum tk_lane_kind {
    TK_LANE_THREAD,
    TK_LANE_GPU,     /* what the program calls the work of a queue */
    TK_LANE_GPU_WORK /* when a queue works and waits */
};

struct tk_scope_run {
    uint32_t thread; /* or id of the queue */
    uint32_t lane;   /* dense number among all lanes with scopes, in order of first appearance */
    size_t n;
    const int64_t *time;
    const uint32_t *op;
    uint8_t kind; /* enum tk_lane_kind */
};

/* What a lane's scopes are asked for with. */
static inline uint64_t tk_lane_fact(uint8_t kind)
{
    return kind == TK_LANE_THREAD ? TK_FACT_MASK(SCOPES) : TK_FACT_MASK(GPU_SCOPES);
}

/* What a source gives at a time. Runs of one lane follow each other in order; facts of one thread too. */
struct tk_batch {
    const struct tk_fact *facts;
    size_t n_facts;
    const struct tk_scope_run *runs;
    size_t n_runs;
};

/* Name of a kind of timers, as in tables. Static. */
const char *tk_timer_kind_name(enum tk_timer_kind kind);

/* Name of a kind. Static. */
const char *tk_fact_name(enum tk_fact_kind kind);

#endif
