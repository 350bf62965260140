/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_FUCHSIA_FUCHSIA_IN_H
#define TK_FORMAT_FUCHSIA_FUCHSIA_IN_H

#include "base/cursor.h"
#include "format/events/feed.h"

/*
 * Providers of a Fuchsia trace: strings, threads and tick rates belong to the one whose section it is (import
 * 4.3).
 */

/* An entry of a table of threads. */
struct tk_fx_thread {
    bool known;
    uint64_t process, thread; /* koids */
};

struct tk_fx_provider {
    uint32_t id;
    uint64_t ticks;           /* a second */
    TK_VEC(uint32_t) strings; /* by index: a name + 1; 0: not known */
    struct tk_fx_thread threads[256];
};

struct tk_fx_providers {
    TK_VEC(struct tk_fx_provider *) list; /* owned each */
    struct tk_map index;
};

/* A provider begins anew, or is made. NULL if out of memory or there are too many. */
struct tk_fx_provider *tk_fx_provider_new(struct tk_fx_providers *p, uint32_t id);

/* The provider of an id, or NULL. */
struct tk_fx_provider *tk_fx_provider_of(const struct tk_fx_providers *p, uint32_t id);

/* Ticks as nanoseconds, rounded down; beyond 64 bits false. */
bool tk_fx_time(const struct tk_fx_provider *p, uint64_t ticks, int64_t *ns);

void tk_fx_providers_release(struct tk_fx_providers *p);

/*
 * Records of a Fuchsia trace as types (import 4.2): one a kind of record and of event.
 */

/* X(symbol, name, who understands it) */
#define TK_FX_KINDS(X)                                                                                       \
    X(INSTANT, "Instant", "log")                                                                             \
    X(COUNTER, "Counter", "counter")                                                                         \
    X(BEGIN, "DurationBegin", "scope")                                                                       \
    X(END, "DurationEnd", "scope")                                                                           \
    X(COMPLETE, "DurationComplete", "scope")                                                                 \
    X(ASYNC_BEGIN, "AsyncBegin", "region")                                                                   \
    X(ASYNC_INSTANT, "AsyncInstant", "log")                                                                  \
    X(ASYNC_END, "AsyncEnd", "region")                                                                       \
    X(FLOW_BEGIN, "FlowBegin", NULL)                                                                         \
    X(FLOW_STEP, "FlowStep", NULL)                                                                           \
    X(FLOW_END, "FlowEnd", NULL)                                                                             \
    X(OTHER_EVENT, "Event", NULL)                                                                            \
    X(METADATA, "Metadata", "provider")                                                                      \
    X(INITIALISATION, "Initialization", "clock")                                                             \
    X(STRING, "String", "provider")                                                                          \
    X(THREAD, "Thread", "thread")                                                                            \
    X(BLOB, "Blob", NULL)                                                                                    \
    X(USER_OBJECT, "UserspaceObject", NULL)                                                                  \
    X(KERNEL_OBJECT, "KernelObject", "thread")                                                               \
    X(SCHEDULING, "Scheduling", "switch")                                                                    \
    X(LOG, "Log", "log")                                                                                     \
    X(PROFILER, "Profiler", NULL)                                                                            \
    X(LARGE, "Large", NULL)                                                                                  \
    X(OTHER, "Record", NULL)

enum tk_fx_kind {
#define TK_FX_KIND_SYMBOL(symbol, name, family) TK_FX_##symbol,
    TK_FX_KINDS(TK_FX_KIND_SYMBOL)
#undef TK_FX_KIND_SYMBOL
        TK_FX_KIND_COUNT
};

extern const struct tk_record_type tk_fx_types[TK_FX_KIND_COUNT];

struct tk_fx_record {
    enum tk_fx_kind kind;
    uint32_t number; /* of a record or event of another kind: what it is called by */
    uint32_t thread;
    bool has_time, has_id;
    int64_t time;
    uint64_t offset, bytes, id;
    const struct tk_str *name, *category, *args; /* NULL: none */
};

/* Counts a record that is at hand; those of another kind by their number. 0 or -1. */
int tk_fx_kind_count(struct tk_ev_capture *c, enum tk_fx_kind kind, uint32_t number, uint64_t bytes);

/* Gives a record, in the pass for them. 0 or -1. */
int tk_fx_record_give(struct tk_ev_capture *c, const struct tk_fx_record *r);

/*
 * Words of a Fuchsia trace: records consist of whole words of eight bytes (import 4.1).
 */

#define TK_FX_MAGIC UINT64_C(0x0016547846040010)

/* Little-endian, at any address. */
static inline uint64_t tk_fx_word(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* `count` bits from bit `at` on; count below 64. */
static inline uint64_t tk_fx_bits(uint64_t word, unsigned at, unsigned count)
{
    return word >> at & ((UINT64_C(1) << count) - 1);
}

/* The next word of a record; 0 and a fault where it ends before. */
static inline uint64_t tk_fx_next(struct tk_cur *c)
{
    const uint8_t *p = tk_take(c, 8, "a word");
    return p ? tk_fx_word(p) : 0;
}

/* The next n bytes, padded to whole words. */
static inline struct tk_bytes tk_fx_stream(struct tk_cur *c, size_t n)
{
    const uint8_t *p = tk_take(c, (n + 7) / 8 * 8, "a text");
    return (struct tk_bytes){p, p ? n : 0};
}

/*
 * A walk over a Fuchsia trace: what its records say. Shared by the files of this folder.
 */

/* A thread that runs on a core. */
struct tk_fx_core {
    bool running;
    int64_t since;
    uint64_t koid;
};

/* Where the thread of two koids is in the capture. */
struct tk_fx_place {
    bool known;
    uint64_t process_koid, thread_koid;
    uint32_t process, thread;
};

enum { TK_FX_ARGS = 15, TK_FX_PLACES = 256 };

struct tk_fx_arg {
    uint32_t name; /* TK_EV_NO_NAME: empty */
    uint8_t kind;  /* of the format: 0 null, 1 int32, ... */
    uint64_t bits; /* of a number */
    uint32_t text; /* of a text: a name */
};

struct tk_fx_trace {
    struct tk_ev_capture *c; /* borrowed */
    struct tk_fx_providers providers;
    struct tk_fx_provider *provider; /* the current one; in the list */
    TK_VEC(struct tk_fx_core) cores;
    TK_VEC(uint8_t) text; /* in the making */
    uint64_t offset;      /* of the record at work */
    struct tk_ev_repeats repeats;
    struct tk_fx_arg args[TK_FX_ARGS];
    unsigned n_args;
    struct tk_fx_place places[TK_FX_PLACES]; /* by some bits of a hash: the last ones looked up */
};

/* TK_FX_FINE, TK_FX_SHORT: the record is too short for what it says; TK_FX_NO_MEMORY. */
enum { TK_FX_FINE = 1, TK_FX_SHORT = -1, TK_FX_NO_MEMORY = -2 };

/* A whole record, its header included. */
int tk_fx_record(struct tk_fx_trace *t, const uint8_t *p, size_t n, uint64_t offset);

/* The text of n bytes that follows, and the zeros behind it. Notes where these are none. */
struct tk_bytes tk_fx_text(struct tk_fx_trace *t, struct tk_cur *c, size_t n);

/* Behind what a record holds: notes whole words that are left. */
static inline void tk_fx_ends(struct tk_fx_trace *t, const struct tk_cur *c)
{
    if (tk_cur_left(c) >= 8)
        tk_ev_note(t->c, TK_EV_TOO_LONG, t->offset);
}

/* A reference to a string, whose text may follow. TK_EV_NO_NAME: empty. Sets c's fault where it is too short.
 */
uint32_t tk_fx_string(struct tk_fx_trace *t, struct tk_cur *c, uint64_t ref);

/* A reference to a thread, whose koids may follow. */
void tk_fx_thread(struct tk_fx_trace *t, struct tk_cur *c, uint64_t ref, uint64_t *process, uint64_t *thread);

/* Reads n arguments to t->args. */
void tk_fx_args(struct tk_fx_trace *t, struct tk_cur *c, unsigned n);

/* The arguments as a text; NULL: there are none, or out of memory. */
const struct tk_str *tk_fx_args_text(struct tk_fx_trace *t);

/* The place of a thread of koids; UINT32_MAX if out of memory. */
uint32_t tk_fx_place(struct tk_fx_trace *t, uint64_t process, uint64_t thread, uint32_t *process_place);

/* Records of type 4 and 8. */
int tk_fx_event(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header);
int tk_fx_scheduling(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header);

/* All is read: gives what still ran. */
int tk_fx_scheduling_finish(struct tk_fx_trace *t);

#endif
