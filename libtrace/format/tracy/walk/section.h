/*
 * What a section of the payload is, what the walk over the sections holds, and what a section may call. A
 * section is a step function that is called until it has read all of its part of the payload; it returns
 * early when the batch is full and goes on where its state says. Nothing here depends on the list of
 * sections.
 */
#ifndef TK_FORMAT_TRACY_WALK_SECTION_H
#define TK_FORMAT_TRACY_WALK_SECTION_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "fact/scopes.h"
#include "fact/source.h"
#include "format/tracy/file/payload.h"
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/zone_tree.h"
#include "io/scratch/readahead.h"
#include "table/cell.h"

/*
 * Facts that wait until they can be sent in order of time. The file stores frames, the points of each plot
 * and the allocations of each pool one after another; who puts values and memory together needs them in order
 * of time, releases between allocations. So they are held until the last of these sections is walked. Those
 * above the limit `ordered_facts` are left out.
 */

struct tk_tracy_walk;

/* One fact, without what all have in common. */
struct tk_tracy_held_fact {
    int64_t time;   /* ns */
    uint64_t order; /* of facts of one time */
    uint32_t thread;
    uint16_t kind; /* FRAME, COUNTER_VALUE or MEMORY */
    union {
        struct tk_fact_frame frame;
        struct tk_fact_counter_value value;
        struct tk_fact_memory memory;
    } u;
};

struct tk_tracy_held {
    TK_VEC(struct tk_tracy_held_fact) v;
    uint64_t order; /* the next one that is free */
    uint64_t lost;
    size_t reported;
    bool sorted;
};

/* Facts because of which others wait. */
#define TK_TRACY_ORDERED (TK_FACT_MASK(COUNTER_VALUE) | TK_FACT_MASK(MEMORY))

/* Takes a fact that waits. TK_OK or TK_ENOMEM. */
int tk_tracy_held_take(struct tk_tracy_walk *w, const struct tk_tracy_held_fact *fact);

/* Says what is held until the batch is full: TK_ITEM; TK_OK when all is reported; TK_ENOMEM. */
int tk_tracy_held_tell(struct tk_tracy_walk *w);

void tk_tracy_held_release(struct tk_tracy_held *held);

/*
 * Messages wait for their threads (tracy-file 5.8, 5.10): a message stands before the zones and does not say
 * its thread; each thread lists the keys of its messages behind its zones. So messages are kept until the
 * threads are walked and sent then, in the order of the file. Those above the limit `held_events` are sent at
 * once, without a thread.
 */

struct tk_tracy_walk;

struct tk_tracy_held_message {
    uint64_t at; /* offset in the payload */
    struct tk_tracy_message m;
    uint32_t thread; /* number, TK_NO_THREAD until a thread claims it */
};

struct tk_tracy_messages {
    TK_VEC(struct tk_tracy_held_message) v;
    struct tk_map by_key; /* key -> place in v */
    size_t reported;
    uint64_t missing; /* keys that threads list, of messages that the capture does not have */
    bool whole;       /* all of them are kept, for all threads */
};

/* Keeps a message, or says it when there is no space. TK_OK or TK_ENOMEM. */
int tk_tracy_messages_take(struct tk_tracy_walk *w, const struct tk_tracy_held_message *held);

/* A thread claims the message of a key, or one without a number does (TK_MAP_NONE). */
void tk_tracy_messages_claim(struct tk_tracy_messages *m, uint64_t key, uint32_t thread);

/* Behind the threads: how many messages no thread lists, or threads list that do not exist; 0 where not all
 * are kept. */
uint64_t tk_tracy_messages_unmatched(const struct tk_tracy_messages *m);

/* Says what is kept until the batch is full: TK_ITEM; TK_OK when all is reported; TK_ENOMEM. */
int tk_tracy_messages_tell(struct tk_tracy_walk *w);

void tk_tracy_messages_release(struct tk_tracy_messages *m);

/*
 * A batch in the making: facts, scopes and what they point to. It is handed out when it is full.
 */

#define TK_TRACY_OPS   16384u /* begins and ends of a batch: what reads them next finds them in the cache */
#define TK_TRACY_FACTS 4096u  /* facts of a batch, roughly */

struct tk_tracy_batch {
    TK_VEC(struct tk_fact) facts;
    TK_VEC(struct tk_scope_run) runs;
    int64_t *time; /* owned; TK_TRACY_OPS of each, NULL until scopes are requested */
    uint32_t *op;
    uint32_t *extra;            /* the same, where texts or callstacks of scopes are requested; else NULL */
    const struct tk_str **text; /* of each begin and end, where requested; NULL without one */
    uint32_t *stack;            /* likewise; 0 without one */
    int64_t *cpu;               /* with them, of GPU zones; INT64_MIN without one */
    size_t n_ops;
    struct tk_arena arena; /* texts, cells */
};

/* Appends a fact, zeroed but for what is given; NULL if out of memory. */
struct tk_fact *tk_tracy_batch_fact(struct tk_tracy_batch *out, enum tk_fact_kind kind, uint32_t thread,
                                    int64_t time);

/* Makes the space for scopes. TK_OK or TK_ENOMEM. */
int tk_tracy_batch_open_scopes(struct tk_tracy_batch *out, bool texts, bool stacks);

/* Is it time to hand the batch out? */
static inline bool tk_tracy_batch_full(const struct tk_tracy_batch *out)
{
    return out->facts.n >= TK_TRACY_FACTS || out->n_ops >= TK_TRACY_OPS || out->arena.total >= 1u << 20;
}

void tk_tracy_batch_clear(struct tk_tracy_batch *out);
void tk_tracy_batch_release(struct tk_tracy_batch *out);

/*
 * Events of a .tracy as records: their types, with named fields. Items with a fact of their own are sent as
 * such, too.
 *
 * Names are "Tracy.Event". Texts refer to the strings of the capture.
 */

/* X(symbol, family, name, field names...). A family is who understands them: tables are made of them. */
#define TK_TRACY_RECORDS(X)                                                                                  \
    X(FRAME, "frame", "Frame", "Set", "Number", "Start", "End", "Image")                                     \
    X(SECTION, "region", "Section", "Category", "Start", "End", "Text", "Description")                       \
    X(LOCK, "lock", "Lock", "Lock", "Name", "Shared", "Valid", "Announced", "Terminated", "Threads")         \
    X(LOCK_EVENT, "lock", "LockEvent", "Lock", "Kind", "Thread", "Function", "File", "Line")                 \
    X(MESSAGE, "log", "Message", "Text", "Severity", "Source", "Colour", "Callstack")                        \
    X(ZONE_BEGIN, "zone", "ZoneBegin", "Name", "File", "Line", "Function", "Text", "OwnName", "Colour",      \
      "Callstack", "Children")                                                                               \
    X(ZONE_END, "zone", "ZoneEnd", "Depth")                                                                  \
    X(SWITCH_SAMPLE, "sample", "SwitchSample", "Callstack")                                                  \
    X(SAMPLE, "sample", "Sample", "Callstack")                                                               \
    X(GPU_CONTEXT, "gpu", "GpuContext", "Context", "Name", "Type", "Calibrated", "Period", "Zones",          \
      "Overflow")                                                                                            \
    X(GPU_ZONE_BEGIN, "gpu", "GpuZoneBegin", "Context", "Name", "File", "Line", "CpuStart", "GpuStart",      \
      "Thread", "Callstack", "Children")                                                                     \
    X(GPU_ZONE_END, "gpu", "GpuZoneEnd", "Context", "CpuEnd", "GpuEnd", "Query", "Depth")                    \
    X(GPU_NOTE, "gpu", "GpuNote", "Context", "Query", "Note", "Name", "Value")                               \
    X(PLOT, "plot", "Plot", "Plot", "Name", "Type", "Format", "Steps", "Fill", "Colour", "Min", "Max",       \
      "Sum", "Points")                                                                                       \
    X(PLOT_POINT, "plot", "PlotPoint", "Plot", "Name", "Value")                                              \
    X(MEMORY_POOL, "memory", "MemoryPool", "Pool", "Name", "Events", "Active", "High", "Low", "Bytes")       \
    X(MEMORY_EVENT, "memory", "MemoryEvent", "Pool", "Name", "Address", "Size", "Freed", "FreeThread",       \
      "AllocCallstack", "FreeCallstack")                                                                     \
    X(CALLSTACK, "callstack", "Callstack", "Callstack", "Depth", "Frames")                                   \
    X(CALLSTACK_FRAME, "callstack", "CallstackFrame", "Frame", "Inline", "Function", "File", "Line",         \
      "Symbol", "Image")                                                                                     \
    X(APP_INFO, "session", "AppInfo", "Text")                                                                \
    X(FRAME_IMAGE, "frame_image", "FrameImage", "Image", "Width", "Height", "Flipped", "Bytes")              \
    X(CONTEXT_SWITCH, "switch", "ContextSwitch", "Wakeup", "Start", "End", "Cpu", "Reason", "State",         \
      "Other", "WakeupCpu")                                                                                  \
    X(FIBER_SWITCH, "fiber", "FiberSwitch", "Wakeup", "Start", "End", "Cpu", "Reason", "State", "Other",     \
      "WakeupCpu")                                                                                           \
    X(CPU_SWITCH, "switch", "CpuSwitch", "Cpu", "Start", "End", "Thread", "Process", "ThreadName")           \
    X(THREAD_PROCESS, "thread", "ThreadProcess", "Thread", "Process")                                        \
    X(THREAD_CPU, "thread", "ThreadCpu", "Thread", "Running", "Regions", "Migrations")                       \
    X(SYMBOL, "symbol", "Symbol", "Address", "Name", "File", "Line", "Image", "CallFile", "CallLine",        \
      "Inline", "Size")                                                                                      \
    X(SYMBOL_CODE, "symbol", "SymbolCode", "Address", "Bytes")                                               \
    X(CODE_SYMBOL, "symbol", "CodeSymbol", "Code", "Symbol")                                                 \
    X(HW_SAMPLE, "sample", "HardwareSample", "Address", "Event")                                             \
    X(SOURCE_FILE, "source", "SourceFile", "Name", "Bytes")

enum tk_tracy_record {
#define TK_TRACY_RECORD_SYMBOL(symbol, ...) TK_TRACY_##symbol,
    TK_TRACY_RECORDS(TK_TRACY_RECORD_SYMBOL)
#undef TK_TRACY_RECORD_SYMBOL
        TK_TRACY_RECORD_COUNT
};

#define TK_TRACY_RECORD_MASK(symbol) (UINT64_C(1) << TK_TRACY_##symbol)

/* The type of each. Static; records of them point to their cells (struct tk_record.impl). */
extern const struct tk_record_type tk_tracy_record_types[TK_TRACY_RECORD_COUNT];

/*
 * The zones of one thread, closed while they are decoded: what statistics of times alone want, without a list
 * of begins and ends between. The hot path of such a reading; zone_tree.h is that of all others.
 *
 * What comes out is what the scope model would make of the begins and ends of zone_tree.h, in every case:
 * times that go backwards are raised, zones without an end are lost or stay open, zones deeper than the limit
 * of open scopes are counted and not timed.
 */

#define TK_TRACY_CLOSED 4096u /* closed zones at a time: they stay in the cache of a core */

/* Closed zones, in order of their ends. */
struct tk_tracy_closed {
    size_t n;
    uint64_t total[TK_TRACY_CLOSED], excl[TK_TRACY_CLOSED]; /* cycles */
    uint32_t timer[TK_TRACY_CLOSED], key[TK_TRACY_CLOSED];
    uint8_t outer[TK_TRACY_CLOSED];
};

/* A zone under way. */
struct tk_tracy_level {
    int64_t begin;
    uint64_t children; /* cycles in children that are closed */
    uint32_t left;     /* children to come */
    uint32_t timer;
    uint8_t outer;
};

struct tk_tracy_closing {
    const struct tk_tracy_locations *locations; /* borrowed */
    struct tk_tracy_level *levels;              /* owned; zones under way in [1 .. depth], [0]: the roots */
    uint32_t *open;                             /* owned; by timer: zones that the levels hold */
    const uint32_t *same; /* borrowed; by timer: the one that its zones are counted with; NULL: itself */
    uint64_t *begun;      /* borrowed; by timer: zones so far */
    uint32_t most_extra;  /* the highest extra of zones so far */
    uint32_t limit;       /* open scopes that are timed */
    bool by_piece;        /* tk_tracy_closing_run stops where a piece of the payload has no whole zone left */

    /* of the thread */
    uint32_t depth;
    uint32_t unclosed; /* zones without an end above `depth`, which nothing has followed yet */
    int64_t time;      /* the running time */
    int64_t given;     /* time of the last begin or end that counts */
    bool any;          /* there was one */
    uint32_t most;     /* zones inside each other; what is deeper is left out with all that follows */
    bool too_deep;     /* `most` is reached */
    int64_t latest;    /* no time is beyond it. INT64_MAX after opening */
    enum tk_tracy_zone_fault fault; /* what follows is left out */
    uint64_t fault_at;              /* place of the payload */
    struct tk_closed_lane lane;
    TK_VEC(struct tk_open_scope) lost, rest; /* for the lane */
    uint64_t none, unknown; /* begins without a location, and whose location does not exist; to be cleared */
};

/* Space for timers of all locations; limits is how many scopes may be open. TK_OK or TK_ENOMEM. */
int tk_tracy_closing_open(struct tk_tracy_closing *c, const struct tk_tracy_locations *locations,
                          uint64_t limit, uint64_t most);
void tk_tracy_closing_release(struct tk_tracy_closing *c);

/* Begins a tree with so many zones on its first level. */
void tk_tracy_closing_begin(struct tk_tracy_closing *c, uint32_t roots);

/* Is there nothing left of the tree? */
static inline bool tk_tracy_closing_done(const struct tk_tracy_closing *c)
{
    return !c->depth && !c->levels[0].left;
}

/*
 * Adds to `out`, until it is full, a piece ends (by_piece), the tree is done or too deep, or the payload has
 * a fault. Adds something unless one of the last three is so. TK_OK or TK_ENOMEM.
 */
int tk_tracy_closing_run(struct tk_tracy_closing *c, struct tk_tracy_payload *in,
                         struct tk_tracy_closed *out);

/* When nothing more comes: what is to be reported of the lane, until the next tree begins; NULL without
 * memory.
 */
const struct tk_closed_lane *tk_tracy_closing_end(struct tk_tracy_closing *c);

/*
 * The closed zones of one thread, decoded piece by piece of the payload and given to who sums them up, by the
 * workers of the pool in turn.
 *
 * Only one of them decodes at a time, as every zone needs what was before it. That is little, while a piece
 * and its zones are much: so a piece is decoded where it was unpacked, and its zones are summed up there
 * again, while the next piece is decoded elsewhere. With several cores hardly a byte goes from one to
 * another.
 */

/* What is reported of a piece that was summed up. */
struct tk_tracy_zones_reported {
    uint64_t at;            /* offset in the payload behind it */
    uint64_t none, unknown; /* begins without a location, and whose location does not exist */
    int status;             /* TK_OK or TK_ENOMEM */
    bool last;              /* of the thread */
};

struct tk_tracy_zones_place;

/* Zero-initialise, then open. */
struct tk_tracy_zone_pipeline {
    const struct tk_closed_taker *taker; /* borrowed */
    struct tk_pool *pool;                /* borrowed */
    struct tk_tracy_closing closing;     /* for the consumer only behind the last piece of a thread */

    /* of the thread */
    uint32_t thread, lane;
    const struct tk_tracy_blocks *blocks; /* borrowed */
    struct tk_tracy_payload in;           /* of the walk, while zones are under way */
    struct tk_readahead ahead;
    struct tk_tracy_zones_place *places; /* owned */
    size_t n_places, next;
    bool given, ended;
    bool at_once; /* a piece is summed up before the next one is decoded */
};

/* All is borrowed. TK_OK or TK_ENOMEM. */
int tk_tracy_zone_pipeline_open(struct tk_tracy_zone_pipeline *z, const struct tk_context *ctx,
                                const struct tk_tracy_locations *locations,
                                const struct tk_closed_taker *taker);

/* Begins the zones of a thread, so many on the first level. The payload, which comes from blocks, is not to
 * be read until the last piece was reported. */
void tk_tracy_zone_pipeline_begin(struct tk_tracy_zone_pipeline *z, uint32_t thread, uint32_t lane,
                                  const struct tk_tracy_blocks *blocks, const struct tk_tracy_payload *in,
                                  uint32_t roots);

/* Waits for the next piece; with the last one *in is where the zones end. */
struct tk_tracy_zones_reported tk_tracy_zone_pipeline_next(struct tk_tracy_zone_pipeline *z,
                                                           struct tk_tracy_payload *in);

/* To be closed before what the payload comes from. */
void tk_tracy_zone_pipeline_close(struct tk_tracy_zone_pipeline *z);

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
    bool skipped_at_first;              /* it stands in the front, but its items are not read for that */
};

/*
 * What a section has that cannot be: references to what does not exist, numbers that stand for nothing,
 * times before those in front of them. It is counted while the section is read, and noted at its end.
 */
enum tk_tracy_oddity {
    TK_TRACY_ODD_TEXT,
    TK_TRACY_ODD_KIND,
    TK_TRACY_ODD_THREAD,
    TK_TRACY_ODD_PLACE,
    TK_TRACY_ODD_ORDER,
    TK_TRACY_ODD_MESSAGE,
    TK_TRACY_ODDITIES
};

/* The first game frame that shows an image. */
struct tk_tracy_displayed {
    int64_t time;
    uint64_t frame; /* its number, one more; 0: none does */
};

struct tk_tracy_walk {
    struct tk_tracy_capture *c;
    struct tk_tracy_payload in;
    struct tk_tracy_blocks *blocks;   /* owned */
    const struct tk_request *request; /* NULL: nobody requests facts */
    struct tk_tracy_batch *out;       /* borrowed */
    struct tk_health *health;         /* borrowed */
    uint64_t facts;                   /* TK_FACT_MASK of what is wanted */
    uint64_t records;                 /* TK_TRACY_RECORD_MASK of what is wanted */
    bool defining;                    /* the pass over the front */
    bool counting;                    /* how many records there are is wanted */
    bool ordering;                    /* frames, values and memory are held to be reported in order of time */

    const struct tk_tracy_section *section; /* under way; NULL before the first one */
    size_t index;                           /* of the section under way, in the order of the file */
    size_t stop;                            /* index of the first section that is not walked */
    bool begun, faulted;                    /* the section is; the walk ended at a fault */
    void *state;                            /* of the section; owned */
    uint64_t start;                         /* offset of the section */
    uint64_t items;                         /* of the section so far */

    uint64_t counts[TK_TRACY_RECORD_COUNT], bytes[TK_TRACY_RECORD_COUNT];
    uint32_t lanes;                              /* given so far */
    uint64_t odd[TK_TRACY_ODDITIES];             /* what of the section cannot be, by enum tk_tracy_oddity */
    uint64_t n_extras;                           /* zone extras that there are */
    int32_t most_image;                          /* the highest image of frames */
    uint32_t most_stack;                         /* the highest callstack that is referred to */
    TK_VEC(struct tk_tracy_displayed) displayed; /* by image; empty unless rows of images are wanted */
    uint64_t *zones_begun; /* owned; by timer, of scopes that were read; NULL until scopes are requested */
    bool closing;          /* zones come closed: by way of `closed`, else of `zones` */
    bool away;             /* the payload is with `closed`: its reader may be another thread */
    struct tk_tracy_zone_pipeline closed;
    struct tk_tracy_zone_stack zones;
    struct tk_tracy_messages messages;
    struct tk_tracy_held held;
    TK_VEC(struct tk_tracy_extra) extras; /* empty unless zones are wanted as records */

    TK_VEC(uint32_t) gpu_timers; /* of GPU zones, by location; empty until one is reported */
    struct tk_map processes;     /* tid -> place in pids */
    TK_VEC(uint64_t) pids;
    struct tk_map switched;                  /* tids whose context switches were known by thread */
    TK_VEC(uint64_t) gpu_rest;               /* GPU zones left of the levels around the one under way */
    TK_VEC(struct tk_tracy_note_name) notes; /* of the GPU context under way */

    /*
     * Gives all threads numbers and adds those that it finds to the batch. TK_OK, TK_ENOMEM, or TK_ECANCELED
     * or TK_EIO with the cause in `in`. Set after opening by a walk that adds facts; NULL: threads without a
     * number have none before their section.
     */
    int (*learn_threads)(struct tk_tracy_walk *w);

    /* Reads a section in place of its step, all of it, and sets `items`; false: it does not. May be NULL. */
    bool (*instead)(void *ctx, struct tk_tracy_walk *w);

    /* Reported at the end of each section, also of the one with a fault; may be NULL. The context of both. */
    int (*tell)(void *ctx, const struct tk_tracy_walk *w, struct tk_err *err);
    void *tell_ctx;
};

#define TK_TRACY_EXTRA 12 /* bytes of the limit on strings that a zone extra takes */

/* ---- for sections ---- */

/* Informs the caller how far in the payload the walk is. TK_OK, or TK_ECANCELED when it shall end. */
int tk_tracy_walk_tell(const struct tk_tracy_walk *w, uint64_t at, struct tk_err *err);

static inline bool tk_tracy_wants_fact(const struct tk_tracy_walk *w, enum tk_fact_kind kind)
{
    return w->facts >> kind & 1;
}

static inline bool tk_tracy_wants(const struct tk_tracy_walk *w, enum tk_tracy_record record)
{
    return w->records >> record & 1;
}

/* Are rows of a table wanted? */
bool tk_tracy_wants_rows(const struct tk_tracy_walk *w, const struct tk_table *table);

/* Says a row without a time: its cells, all without a value, to be filled in at once; the thread's number or
 * TK_NO_THREAD. NULL if out of memory. */
struct tk_cell *tk_tracy_row(struct tk_tracy_walk *w, const struct tk_table *table, uint32_t thread);

/* The same for what lies at a point in time. */
struct tk_cell *tk_tracy_timed_row(struct tk_tracy_walk *w, const struct tk_table *table, uint32_t thread,
                                   int64_t time);

/* A list that the file counts: u64 n, then n items. Zero-initialise to begin. */
struct tk_tracy_list {
    uint64_t left;
    uint64_t n; /* in all */
    bool begun;
};

/* Is there one more item? The first call reads the count. Each item is to be read by the caller. False after
 * a fault. */
bool tk_tracy_list_next(struct tk_tracy_walk *w, struct tk_tracy_list *list, const char *what);

/*
 * Calls item for each item of a list that is the whole of a section, or its last part: what a step function
 * returns.
 */
int tk_tracy_list_walk(struct tk_tracy_walk *w, struct tk_tracy_list *list, const char *what,
                       int (*item)(struct tk_tracy_walk *w, void *state), void *state);

/* A count that no payload can hold is a fault. */
uint64_t tk_tracy_read_count(struct tk_tracy_walk *w, const char *what);

/* Skips n items of a size. */
void tk_tracy_skip_items(struct tk_tracy_walk *w, uint64_t n, uint64_t size, const char *what);

/* Skips a whole list of items of one size that are records of a type; counts them. */
void tk_tracy_skip_list(struct tk_tracy_walk *w, uint64_t size, enum tk_tracy_record record,
                        const char *what);

/* As tk_tracy_skip_list for a list that is no record. */
void tk_tracy_pass_list(struct tk_tracy_walk *w, uint64_t size, const char *what);

/* Counts n records of a type that take `bytes` in the payload; they are the items of the section, or (tally)
 * are not. */
void tk_tracy_tally(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t n, uint64_t bytes);
void tk_tracy_count(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t n, uint64_t bytes);

/*
 * Says a record whose first byte is at an offset of the payload; cells are as many as the type has fields,
 * and are copied. TK_OK or TK_ENOMEM.
 */
int tk_tracy_say(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t at, uint32_t thread,
                 int64_t time, const struct tk_cell *cells);

/* The same for what has no time. */
int tk_tracy_say_timeless(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t at,
                          const struct tk_cell *cells);

/* Adds a definition, to the capture and to the batch. TK_OK or TK_ENOMEM. */
int tk_tracy_walk_define(struct tk_tracy_walk *w, const struct tk_fact *fact);

/* File offset of the block of a payload offset. */
uint64_t tk_tracy_block_offset(const struct tk_tracy_walk *w, uint64_t at);

/* Notes a fault that can be read around. */
void tk_tracy_note(struct tk_tracy_walk *w, enum tk_health_kind kind, uint64_t at, uint64_t count,
                   const char *text);

/* A section refers to a string (by number + 1, by pointer, or either), to a callstack; 0 is none. Those that
 * do not exist are noted, and so are locations, threads by number, and times before the one in front. */
void tk_tracy_use_text(struct tk_tracy_walk *w, uint32_t index);
void tk_tracy_use_pointer(struct tk_tracy_walk *w, uint64_t pointer);
void tk_tracy_use_key(struct tk_tracy_walk *w, uint64_t key);
void tk_tracy_use_ref(struct tk_tracy_walk *w, struct tk_tracy_ref ref);
void tk_tracy_use_kind(struct tk_tracy_walk *w, unsigned kind, unsigned most); /* a number from 0 on */
void tk_tracy_use_stack(struct tk_tracy_walk *w, uint32_t id);
void tk_tracy_use_place(struct tk_tracy_walk *w, int16_t location);
void tk_tracy_use_local(struct tk_tracy_walk *w, uint16_t compressed);
void tk_tracy_use_order(struct tk_tracy_walk *w, int64_t time, int64_t *last); /* *last gets the time */

/* At the end of a section: notes what cannot be. Behind the callstacks: notes those that are not among n. */
void tk_tracy_note_oddities(struct tk_tracy_walk *w);
void tk_tracy_note_stacks(struct tk_tracy_walk *w, uint64_t n);

/* At the end of a section that states how many items its lists have in all: notes where they have others,
 * unless reading failed. */
void tk_tracy_check_total(struct tk_tracy_walk *w, uint64_t stated, uint64_t found, const char *items);

/* Notes what was left out because of a limit. */
void tk_tracy_limit(struct tk_tracy_walk *w, enum tk_limit limit, uint64_t at, uint64_t count,
                    const char *text);

/* Number of the thread of a tid, or TK_NO_THREAD. */
uint32_t tk_tracy_thread(const struct tk_tracy_walk *w, uint64_t tid);

/* Gives all threads numbers, unless a reading did so before: for a section that stands before theirs and
 * meets a thread without one. Returns what learn_threads returns. */
int tk_tracy_know_threads(struct tk_tracy_walk *w);

/* Number of a compressed thread, or TK_NO_THREAD for the dummy. */
uint32_t tk_tracy_local_thread(const struct tk_tracy_walk *w, uint16_t compressed);

/* ---- for the walk ---- */

/* Notes the fault at which the walk ended, and bytes behind the last section. */
void tk_tracy_note_fault(struct tk_tracy_walk *w);
void tk_tracy_note_trailing(struct tk_tracy_walk *w);

/*
 * Cells of values that have a number for none.
 */

/* An id of which 0 is none. */
static inline struct tk_cell tk_tracy_id_cell(uint64_t v)
{
    return v ? tk_cell_of_uint(v) : (struct tk_cell){.kind = TK_NONE};
}

/* An end, which is not there while it is negative. */
static inline struct tk_cell tk_tracy_end_cell(int64_t v)
{
    return v >= 0 ? tk_cell_of_int(v) : (struct tk_cell){.kind = TK_NONE};
}

/* A number, the thread with it, or none. */
static inline struct tk_cell tk_tracy_thread_cell(uint32_t thread)
{
    return thread == UINT32_MAX ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_uint(thread);
}

/*
 * The parts of the section table, each defined in sec_NAME.c. Used by sections.c only.
 */

extern const struct tk_tracy_section tk_tracy_sec_header, tk_tracy_sec_topology, tk_tracy_sec_crash,
    tk_tracy_sec_frames, tk_tracy_sec_time_sections, tk_tracy_sec_strings, tk_tracy_sec_pointers,
    tk_tracy_sec_thread_names, tk_tracy_sec_thread_tables, tk_tracy_sec_locations, tk_tracy_sec_zone_counts,
    tk_tracy_sec_locks, tk_tracy_sec_messages, tk_tracy_sec_extras, tk_tracy_sec_zones, tk_tracy_sec_gpu,
    tk_tracy_sec_plots, tk_tracy_sec_memory, tk_tracy_sec_callstacks, tk_tracy_sec_callstack_frames,
    tk_tracy_sec_app_info, tk_tracy_sec_images, tk_tracy_sec_switches, tk_tracy_sec_cpu_switches,
    tk_tracy_sec_processes, tk_tracy_sec_cpu_use, tk_tracy_sec_symbols, tk_tracy_sec_symbol_code,
    tk_tracy_sec_code_symbols, tk_tracy_sec_hw_samples, tk_tracy_sec_sources;

#endif
