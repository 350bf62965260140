/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_PERFETTO_PERFETTO_IN_H
#define TK_FORMAT_PERFETTO_PERFETTO_IN_H

#include "base/bits.h"
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/health/health.h"
#include "base/vec.h"
#include "format/events/feed.h"
#include "format/perfetto/system_in.h"

/*
 * Messages of protobuf: their fields one after another, each checked against the remaining bytes (import
 * 5.1).
 */

enum { TK_PF_VARINT = 0, TK_PF_FIXED64 = 1, TK_PF_BYTES = 2, TK_PF_FIXED32 = 5 };

struct tk_pf_field {
    uint32_t number;
    uint64_t value;        /* of a number */
    struct tk_bytes bytes; /* of TK_PF_BYTES */
    uint8_t wire; /* not next to the number: both are compared at once then, which has to wait for both */
};

/* A walk over the fields of a message. */
struct tk_pf_message {
    const uint8_t *p, *end;
};

static inline struct tk_pf_message tk_pf_message_of(struct tk_bytes s)
{
    return (struct tk_pf_message){s.p, s.p + s.n};
}

/* A varint in any form. 1; 0: the bytes end in it; -1: it is longer than ten bytes. */
int tk_pf_any_varint(const uint8_t **p, const uint8_t *end, uint64_t *out);

/* The seven low bits of eight bytes in a row. */
static inline uint64_t tk_pf_sevens(uint64_t v)
{
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
}

enum { TK_PF_VARINT_BYTES = 10 };

/* The same, of which most are of one byte, and some of eight. What is handed to the function above is a copy,
 * so that what is gone on with need not be in memory. */
static inline int tk_pf_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    const uint8_t *q = *p;
    if (q < end && *q < 0x80) {
        *out = *q;
        *p = q + 1;
        return 1;
    }
    const uint64_t bytes = end - q < TK_PF_VARINT_BYTES ? UINT64_MAX : tk_load64(q),
                   ends = ~bytes & UINT64_C(0x8080808080808080);
    if (!ends) {
        uint64_t value = 0;
        const int rc = tk_pf_any_varint(&q, end, &value);
        *p = q;
        *out = value;
        return rc;
    }
    /* all bits up to that which ends it */
    *out = tk_pf_sevens(bytes & (ends ^ (ends - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f));
    *p = q + tk_zeros_below(ends) / 8 + 1;
    return 1;
}

/* The next field in any form. 1; 0 at the end; -1: the message is broken. */
int tk_pf_any_field(struct tk_pf_message *m, struct tk_pf_field *out);

static inline int tk_pf_any_next(struct tk_pf_message *m, struct tk_pf_field *out)
{
    struct tk_pf_message rest = *m;
    struct tk_pf_field field = {.bytes = {m->p, 0}};
    const int rc = tk_pf_any_field(&rest, &field);
    *m = rest;
    *out = field;
    return rc;
}

/* The same, of which most are numbers or bytes, with a tag of one or two bytes. */
static inline int tk_pf_next(struct tk_pf_message *m, struct tk_pf_field *out)
{
    const uint8_t *p = m->p;
    uint64_t value;
    if (p == m->end)
        return 0;
    unsigned tag = *p++;
    if (tag >= 0x80 && p < m->end && *p < 0x80)
        tag = (tag & 0x7f) | (unsigned)*p++ << 7;
    const unsigned wire = tag & 7;
    if (tag < 8 || (tag & 0x80 && p == m->p + 1) || (wire != TK_PF_VARINT && wire != TK_PF_BYTES))
        return tk_pf_any_next(m, out);
    if (tk_pf_varint(&p, m->end, &value) != 1)
        return -1;
    out->number = tag >> 3;
    out->wire = (uint8_t)wire;
    out->value = wire == TK_PF_BYTES ? 0 : value;
    const uint64_t n = wire == TK_PF_BYTES ? value : 0;
    if (n > (size_t)(m->end - p))
        return -1;
    out->bytes = (struct tk_bytes){p, (size_t)n};
    m->p = p + n;
    return 1;
}

/* Repeated numbers, packed or not: the next one of a field. 1, 0, -1. Begin with *at = NULL. */
int tk_pf_number(const struct tk_pf_field *f, uint8_t wire, const uint8_t **at, uint64_t *out);

static inline double tk_pf_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/*
 * Losses that the recorder announces (import2 7): marks in sequences, and its own statistics. They are no
 * damage of the file.
 */

enum { TK_PF_REASONS = 9 }; /* bits of previous_packet_dropped; the first says only that there was a loss */

/* Of a sequence: what its packets say of those in front of them. */
struct tk_pf_marks {
    bool begun;     /* a packet of it was seen */
    bool has_first; /* one was marked as the first of all */
    uint64_t count, at, reasons[TK_PF_REASONS];
};

enum { TK_PF_CORE_COUNTS = 3 };

/* Statistics of the kernel on one core when recording began and ended. */
struct tk_pf_core_stats {
    bool ended;
    uint64_t begin[TK_PF_CORE_COUNTS], end[TK_PF_CORE_COUNTS];
};

/* Losses that packets announce one by one, added up. */
enum { TK_PF_SINGLE_LOSSES = 12 };

struct tk_pf_losses {
    bool first_marked;     /* the recorder marks first packets of sequences */
    TK_VEC(uint8_t) stats; /* the last TraceStats: its counts are totals */
    TK_VEC(struct tk_pf_core_stats) cores;
    struct {
        uint64_t count, at;
    } single[TK_PF_SINGLE_LOSSES];
};

/* A packet of a sequence: dropped: its mark; first: it says that it is the first of all. */
void tk_pf_losses_mark(struct tk_pf_losses *l, struct tk_pf_marks *m, uint64_t dropped, bool first,
                       uint64_t offset);

/* A field of a packet that may announce losses. 1; -2: out of memory. */
int tk_pf_losses_take(struct tk_pf_losses *l, const struct tk_pf_field *f, uint64_t offset);

/* Notes the losses of a sequence, and of all statistics. */
void tk_pf_losses_tell_sequence(const struct tk_pf_losses *l, const struct tk_pf_marks *m, uint32_t sequence,
                                struct tk_health *health);
void tk_pf_losses_tell(const struct tk_pf_losses *l, struct tk_health *health);

void tk_pf_losses_release(struct tk_pf_losses *l);

/*
 * Packet sequences: what a writer said before, and its packets refer to (import 5.2).
 */

/* What is interned, by field number of InternedData. */
enum tk_pf_interned {
    TK_PF_CATEGORIES,
    TK_PF_NAMES,
    TK_PF_ANNOTATION_NAMES,
    TK_PF_LOG_BODIES,
    TK_PF_ANNOTATION_TEXTS,
    TK_PF_GPU_NAMES,
    TK_PF_LOCATIONS,
    TK_PF_TABLES
};

/* Interned code, as it stands: entries by what they are and by iid. */
enum tk_pf_code_table {
    TK_PF_CODE_FUNCTIONS,
    TK_PF_CODE_BUILDS,
    TK_PF_CODE_PATHS,
    TK_PF_CODE_SOURCES,
    TK_PF_CODE_MAPPINGS,
    TK_PF_CODE_FRAMES,
    TK_PF_CODE_STACKS,
    TK_PF_CODE_TASKS,
    TK_PF_CODE_GPU_COUNTERS, /* not code, but kept in the same way */
    TK_PF_CODE_TABLES
};

struct tk_pf_code_entry {
    size_t at, n; /* in bytes */
};

/* Zero-initialise. */
struct tk_pf_code {
    bool one_table; /* all texts are functions */
    struct tk_map tables[TK_PF_CODE_TABLES];
    struct tk_map stacks; /* iid -> number of the stack, once it was needed */
    TK_VEC(struct tk_pf_code_entry) entries;
    TK_VEC(uint8_t) bytes;
};

struct tk_pf_trace;

/* An entry. As tk_pf_packet. */
int tk_pf_code_add(struct tk_pf_code *code, enum tk_pf_code_table table, struct tk_bytes message);

/* The bytes of an entry; none where it is not defined. */
struct tk_bytes tk_pf_code_message(const struct tk_pf_code *code, enum tk_pf_code_table table, uint64_t iid);

/* The stack of an iid; 0: it is not defined, which is noted. As tk_pf_packet. */
int tk_pf_code_stack(struct tk_pf_trace *t, struct tk_pf_code *code, uint64_t iid, uint64_t offset,
                     uint32_t *stack);

/* The name of a build id: its digits. */
uint32_t tk_pf_build_name(struct tk_pf_trace *t, struct tk_bytes build);

void tk_pf_code_release(struct tk_pf_code *code);

/* A dump of a heap that is not whole yet: its tables and rows. Zero-initialise. */
struct tk_pf_heap_row {
    uint64_t iid; /* of the stack */
    struct tk_ev_heap_total total;
};
struct tk_pf_heap {
    struct tk_pf_code code;
    TK_VEC(struct tk_pf_heap_row) rows;
};
struct tk_pf_sequence;

/* A packet of a profile of a heap. As tk_pf_packet. */
int tk_pf_heap_profile(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message,
                       uint64_t offset);
void tk_pf_heap_release(struct tk_pf_heap *h);

struct tk_pf_location {
    uint32_t file, line; /* a name */
};

/* The sum of a counter whose values are differences. */
struct tk_pf_sum {
    struct tk_number number;
};

struct tk_pf_sequence {
    uint32_t id;
    bool valid, has_thread;
    int64_t pid, tid;
    struct tk_pf_marks marks;
    struct tk_map tables[TK_PF_TABLES]; /* iid to name; of locations: to `locations` */
    TK_VEC(uint32_t) timers; /* by iid of a name: the timer of that name + 1, where it was requested */
    TK_VEC(struct tk_pf_location) locations;
    uint64_t default_clock;
    bool has_default_track;
    uint64_t default_track;
    TK_VEC(uint64_t) extra, extra_real; /* tracks of further counters */
    bool has_reference;
    int64_t reference; /* of times that are differences */
    struct tk_pf_code code;
    struct tk_pf_heap heap;
    uint64_t gpu_counters; /* iid of what its counters of GPUs are; 0: they are those of the trace */
    struct tk_map sum_index;
    TK_VEC(struct tk_pf_sum) sums;
};

struct tk_pf_sequences {
    TK_VEC(struct tk_pf_sequence) list;
    struct tk_map index;
    size_t last; /* the place of the one looked up last */
};

/* The sequence of an id, borrowed until the next call; NULL if out of memory. Most are the one before. */
struct tk_pf_sequence *tk_pf_sequence_find(struct tk_pf_sequences *s, uint32_t id);

static inline struct tk_pf_sequence *tk_pf_sequence_of(struct tk_pf_sequences *s, uint32_t id)
{
    if (s->last < s->list.n && s->list.v[s->last].id == id)
        return &s->list.v[s->last];
    return tk_pf_sequence_find(s, id);
}

/* Its state is void: it begins anew. */
void tk_pf_sequence_clear(struct tk_pf_sequence *s);

/* InternedData. 1; -1: broken; -2: out of memory. */
int tk_pf_sequence_intern(struct tk_pf_sequence *s, struct tk_ev_capture *c, struct tk_bytes message,
                          uint64_t offset);

/* TracePacketDefaults. 1, -1, -2. */
int tk_pf_sequence_defaults(struct tk_pf_sequence *s, struct tk_bytes message);

/* The name of an iid; false: it was never said. */
bool tk_pf_interned(const struct tk_pf_sequence *s, enum tk_pf_interned table, uint64_t iid, uint32_t *name);

void tk_pf_sequences_release(struct tk_pf_sequences *s);

/*
 * Debug annotations of events as the text of a scope.
 */

#define TK_PF_TEXT_BYTES 1024u /* of a text; longer ones are cut */

struct tk_pf_text {
    uint8_t p[TK_PF_TEXT_BYTES];
    size_t n;
};

/* Appends an annotation: its value where it is the only one, else "name=value" behind a comma. */
void tk_pf_annotate(struct tk_pf_text *t, const struct tk_pf_sequence *s, const struct tk_ev_capture *c,
                    struct tk_bytes annotation, bool only);

/*
 * Clocks of a Perfetto trace, and how times of one become times of the trace (import 5.3).
 */

enum { TK_PF_MONOTONIC = 3, TK_PF_BOOTTIME = 6 };

/* A clock as a key: those of a sequence are its own. */
static inline uint64_t tk_pf_clock_key(uint64_t clock, uint32_t sequence)
{
    return clock >= 64 && clock < 128 ? (uint64_t)sequence << 32 | clock : clock & UINT32_MAX;
}

struct tk_pf_clock {
    uint64_t key;
    uint64_t unit; /* nanoseconds */
    bool incremental;
    bool set;      /* a snapshot was seen since the events are gone through: differences have a base */
    int64_t value; /* of an incremental one: the last time */
};

/* A clock in a snapshot. */
struct tk_pf_reading {
    uint32_t clock, snapshot;
    int64_t ns;
};

/* Zero-initialise all but `trace`. */
struct tk_pf_clocks {
    uint64_t trace; /* key of the clock of the trace */
    bool has_trace; /* some snapshot has it */
    TK_VEC(struct tk_pf_clock) clocks;
    struct tk_map index;                   /* key to clock */
    uint64_t requested_key;                /* the last one looked up */
    uint32_t requested_clock;              /* its clock + 1; 0: ask the index */
    TK_VEC(struct tk_pf_reading) readings; /* snapshot after snapshot */
    uint32_t snapshots;
    bool went_back; /* in the last snapshot, a clock that never does */
    /* The last conversion, and from when to when it holds. */
    bool known;
    uint64_t known_key;
    int64_t from, to, add;
};

enum tk_pf_converted { TK_PF_CONVERTED, TK_PF_AS_IT_IS, TK_PF_UNKNOWN_CLOCK };

/* A snapshot. collect: its readings are kept; else only incremental clocks are set. 1; -1: broken; -2: out of
 * memory. */
int tk_pf_clocks_snapshot(struct tk_pf_clocks *c, struct tk_bytes message, uint32_t sequence, bool collect);

/* A snapshot of a clock and of the boot time. As above. */
int tk_pf_clocks_pair(struct tk_pf_clocks *c, uint64_t key, uint64_t value, uint64_t boot_time);

/* A time as a packet has it. Changes incremental clocks. */
enum tk_pf_converted tk_pf_clocks_time(struct tk_pf_clocks *c, uint64_t value, uint64_t key, int64_t *out);

/* Nanoseconds of a clock. */
enum tk_pf_converted tk_pf_clocks_convert(struct tk_pf_clocks *c, int64_t ns, uint64_t key, int64_t *out);

/* Are times of a clock differences? */
bool tk_pf_clocks_is_incremental(const struct tk_pf_clocks *c, uint64_t key);

void tk_pf_clocks_release(struct tk_pf_clocks *c);

/*
 * The fields of a TrackEvent and of the legacy event in it, as numbers and stretches of bytes (import 5.5).
 */

struct tk_pf_legacy {
    bool there, has_phase, has_unscoped, has_local, has_global, has_pid, has_tid;
    uint64_t name, duration, unscoped, local, global, scope_of_instant, pid, tid;
    uint32_t phase;
    struct tk_bytes id_scope;
};

struct tk_pf_event {
    struct tk_bytes all;
    bool has_type, has_track, has_delta, has_value, has_real, has_log, has_extra, has_location;
    unsigned annotations;
    uint64_t type, track, delta, absolute, name_iid, value, real, category_iid, location_iid, log_body,
        log_level;
    struct tk_bytes name, category;
    const struct tk_pf_legacy *legacy; /* of_chrome, or one without anything */
    struct tk_bytes location;          /* where has_location says so */
    struct tk_pf_legacy of_chrome;     /* where it is there */
};

/* 1; -1: broken. */
int tk_pf_event_read(struct tk_bytes message, struct tk_pf_event *e);

/*
 * Packets as records: a type for each kind that is known, and one for all others.
 */

/* X(symbol, field of TracePacket, name, who understands it) */
#define TK_PF_KINDS(X)                                                                                       \
    X(TRACK_EVENT, 11, "TrackEvent", "scope")                                                                \
    X(TRACK_DESCRIPTOR, 60, "TrackDescriptor", "thread")                                                     \
    X(PROCESS_DESCRIPTOR, 43, "ProcessDescriptor", "thread")                                                 \
    X(THREAD_DESCRIPTOR, 44, "ThreadDescriptor", "thread")                                                   \
    X(CLOCK_SNAPSHOT, 6, "ClockSnapshot", "clock")                                                           \
    X(COMPRESSED, 50, "CompressedPackets", "packet")                                                         \
    X(COMPRESSED_ZSTD, 133, "ZstdCompressedPackets", "packet")                                               \
    X(FTRACE, 1, "FtraceEvents", "system")                                                                   \
    X(PROCESS_TREE, 2, "ProcessTree", "thread")                                                              \
    X(CHROME_EVENTS, 5, "ChromeEvents", NULL)                                                                \
    X(SYS_STATS, 7, "SysStats", NULL)                                                                        \
    X(PROCESS_STATS, 9, "ProcessStats", "system")                                                            \
    X(TRACE_CONFIG, 33, "TraceConfig", "packet")                                                             \
    X(FTRACE_STATS, 34, "FtraceStats", "packet")                                                             \
    X(TRACE_STATS, 35, "TraceStats", "packet")                                                               \
    X(SYNC_MARKER, 36, "SynchronizationMarker", NULL)                                                        \
    X(PROFILE, 37, "ProfilePacket", "memory")                                                                \
    X(ANDROID_LOG, 39, "AndroidLog", "log")                                                                  \
    X(SYSTEM_INFO, 45, "SystemInfo", NULL)                                                                   \
    X(TRIGGER, 46, "Trigger", NULL)                                                                          \
    X(CHROME_METADATA, 51, "ChromeMetadata", NULL)                                                           \
    X(STREAMING_PROFILE, 54, "StreamingProfilePacket", "sample")                                             \
    X(PERF_SAMPLE, 66, "PerfSample", "sample")                                                               \
    X(CPU_INFO, 67, "CpuInfo", NULL)                                                                         \
    X(SERVICE_EVENT, 69, "ServiceEvent", "packet")                                                           \
    X(FRAME_TIMELINE, 76, "FrameTimelineEvent", "frame")                                                     \
    X(UI_STATE, 78, "UiState", NULL)                                                                         \
    X(TRACE_UUID, 89, "TraceUuid", NULL)                                                                     \
    X(RANGE_OF_INTEREST, 90, "TrackEventRangeOfInterest", NULL)                                              \
    X(STACK_SAMPLE, 135, "StackSample", "sample")                                                            \
    X(PACKAGES, 47, "PackagesList", NULL)                                                                    \
    X(GPU_COUNTER, 52, "GpuCounterEvent", "counter")                                                         \
    X(GPU_STAGE, 53, "GpuRenderStageEvent", "gpu")                                                           \
    X(MODULE_SYMBOLS, 61, "ModuleSymbols", "sample")                                                         \
    X(VULKAN_MEMORY, 62, "VulkanMemoryEvent", "counter")                                                     \
    X(GPU_LOG, 63, "GpuLog", "log")                                                                          \
    X(VULKAN_API, 65, "VulkanApiEvent", "scope")                                                             \
    X(GPU_MEMORY, 71, "GpuMemTotalEvent", "counter")                                                         \
    X(STATE, 0, "State", "packet")                                                                           \
    X(OTHER, 0, "Other", NULL)

enum tk_pf_kind {
#define TK_PF_KIND_SYMBOL(symbol, number, name, family) TK_PF_KIND_##symbol,
    TK_PF_KINDS(TK_PF_KIND_SYMBOL)
#undef TK_PF_KIND_SYMBOL
        TK_PF_KIND_COUNT
};

extern const struct tk_record_type tk_pf_types[TK_PF_KIND_COUNT];

/* The kind of a packet, by the field that makes it what it is. */
enum tk_pf_kind tk_pf_kind_of(struct tk_bytes packet);

/* The first field that may say what a packet is, where no type does; 0: there is none. */
uint32_t tk_pf_unknown_field(struct tk_bytes packet);

/* Fields of a record. */
struct tk_pf_record {
    enum tk_pf_kind kind;
    uint32_t field; /* of a packet of another kind: what it is called by */
    uint32_t thread;
    bool has_time;
    int64_t time;
    uint64_t offset, bytes, sequence, track, type;
    bool has_track;
    const struct tk_str *name;
};

/* Counts a packet of this kind that is at hand; those without a type by the number of their field. 0 or -1.
 */
int tk_pf_kind_count(struct tk_ev_capture *c, enum tk_pf_kind kind, struct tk_bytes packet);

/* Gives a record, in the pass for them. 0 or -1. */
int tk_pf_record_give(struct tk_ev_capture *c, const struct tk_pf_record *r);

/*
 * Tracks: what events of Perfetto lie on, and whose they are (import 5.4).
 */

/* Whose a track is. */
enum tk_pf_owner {
    TK_PF_NOT_REQUESTED,
    TK_PF_NOBODY,  /* of the whole trace */
    TK_PF_PROCESS, /* of a process */
    TK_PF_THREAD,  /* the thread's own, or below it: `own` */
    TK_PF_BROKEN   /* a parent is missing, or a circle */
};

struct tk_pf_track {
    uint64_t uuid, parent;
    uint32_t name; /* or TK_EV_NO_NAME */
    bool has_parent, has_pid, has_tid;
    bool counter, incremental;
    uint8_t unit; /* enum tk_counter_unit */
    int64_t pid, tid, multiplier;
    uint8_t owner; /* enum tk_pf_owner, once queried */
    bool own;
    uint32_t thread, process; /* places in the capture */
};

struct tk_pf_tracks {
    TK_VEC(struct tk_pf_track) list;
    struct tk_map index;
    size_t last; /* the place of the one looked up last */
};

/* The track of a uuid, or NULL. Most are the one before. */
struct tk_pf_track *tk_pf_track_find(struct tk_pf_tracks *t, uint64_t uuid);

static inline struct tk_pf_track *tk_pf_track_of(struct tk_pf_tracks *t, uint64_t uuid)
{
    if (t->last < t->list.n && t->list.v[t->last].uuid == uuid)
        return &t->list.v[t->last];
    return tk_pf_track_find(t, uuid);
}

/*
 * A TrackDescriptor. *thread gets the ThreadDescriptor in it, n 0 without one; *trouble what is wrong with
 * it, -1: nothing. 1; -1: broken; -2: out of memory.
 */
int tk_pf_tracks_describe(struct tk_pf_tracks *t, struct tk_ev_capture *c, struct tk_bytes message,
                          struct tk_bytes *thread, int *trouble);

/* Whose a track is; *thread and *process are places, or UINT32_MAX. TK_PF_NOT_REQUESTED if out of memory. */
enum tk_pf_owner tk_pf_track_owner(struct tk_pf_tracks *t, struct tk_ev_capture *c, uint64_t uuid, bool *own,
                                   uint32_t *thread, uint32_t *process);

/* pids and tids are 32 bits of an integer with a sign. */
int64_t tk_pf_pid(uint64_t value);

/* How many tracks have a parent that is not described. */
uint64_t tk_pf_tracks_without_parent(const struct tk_pf_tracks *t);

void tk_pf_tracks_release(struct tk_pf_tracks *t);

/*
 * A walk over a Perfetto trace: what packets change, and what their events become. Shared by the files of
 * this folder.
 *
 * Tracks and snapshots of clocks may stand behind the events that need them. So the packets are gone through
 * twice: first for definitions, then for events.
 */

/* What plain packets have in common: the fields between the time and the size of the event, as bytes. */
struct tk_pf_same {
    uint64_t sequence, flags;
    uint64_t bytes, mask;
    size_t n; /* of them, less than 8; 0: not known */
};

/* Names of an address: places in code_places of the capture. */
struct tk_pf_symbol {
    uint32_t first, n;
};

struct tk_pf_trace {
    struct tk_ev_capture *c; /* borrowed */
    bool definitions;        /* the first time */
    struct tk_pf_clocks clocks;
    struct tk_pf_sequences sequences;
    struct tk_pf_tracks tracks;
    struct tk_pf_losses losses;
    struct tk_pf_system system;
    TK_VEC(struct tk_pf_symbol) symbols; /* names of addresses that come behind samples */
    struct tk_map symbol_index;          /* module and address -> place in these */
    struct tk_pf_same same;
    struct tk_ev_repeats repeats;
    TK_VEC(uint8_t) text;     /* in the making */
    TK_VEC(uint8_t) unpacked; /* of compressed packets */
};

/* What happened: 1 fine; -1 the packet is broken; -2 memory or a limit is out. */
enum { TK_PF_FINE = 1, TK_PF_BROKEN_PACKET = -1, TK_PF_NO_MEMORY = -2 };

static inline int tk_pf_kept(int rc)
{
    return rc ? TK_PF_NO_MEMORY : TK_PF_FINE;
}

/* Troubles are reported once: those of definitions at the first time, all others at the second. */
static inline void tk_pf_note(struct tk_pf_trace *t, enum tk_ev_trouble what, uint64_t offset)
{
    if (!t->definitions)
        tk_ev_note(t->c, what, offset);
}

/* A packet that begins at an offset of the file. */
int tk_pf_packet(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t offset, bool inner);

/* Notes packets that are equal to those in front of them, where the last of them has this hash and is near
 * one with the same. Times in a clock of differences, and marks between parts of a file, may be equal. 1; -2:
 * out of memory. */
int tk_pf_repeated(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t hash, uint64_t offset);

/* The bytes of a number of up to eight; 0 where it is not known. */
static inline uint64_t tk_pf_raw_number(const uint8_t *p, const uint8_t *end)
{
    const uint64_t bytes = end - p >= 8 ? tk_load64(p) : 0, ends = ~bytes & UINT64_C(0x8080808080808080);
    return ends ? bytes & ((ends & -ends) - 1) : bytes;
}

/* What stands for the time of a packet, which most begin with, behind a few numbers at most; 0 for others. */
static inline uint64_t tk_pf_raw_time(struct tk_bytes packet)
{
    enum { TIME = 8 << 3, MOST = 4 };
    const uint8_t *p = packet.p, *const end = p + packet.n;
    for (unsigned i = 0; i < MOST && p < end && !(*p & 0x87); i++) {
        if (*p++ == TIME)
            return tk_pf_raw_number(p, end);
        while (p < end && (*p & 0x80))
            p++;
        p += p < end;
    }
    return 0;
}

/* Compares a packet with those in front of it, in the first pass over events. 1; -2: out of memory. */
static inline int tk_pf_compare(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t offset)
{
    enum { WIDE = 256 }; /* bytes of a packet that is no single event */
    const uint64_t hash = (packet.n < WIDE ? tk_checksum : tk_checksum_wide)(packet.p, packet.n, 1) | 1;
    int rc = 1;
    if (tk_rarely(tk_ev_repeats_is_near(&t->repeats, hash)))
        rc = tk_pf_repeated(t, packet, hash, offset);
    tk_ev_repeats_keep(&t->repeats, hash, tk_pf_raw_time(packet));
    return rc;
}

/*
 * The same of a packet that is no more than a slice of a thread, with at least TK_PF_PLAIN_BEHIND bytes that
 * can be read behind it. 0: it is something else, or its track is not known yet; nothing was done.
 */
enum { TK_PF_PLAIN_BEHIND = 16 };
int tk_pf_plain_packet(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t offset);

/* A time of a clock in that of the trace. false: it has none, which is reported. */
static inline bool tk_pf_time(struct tk_pf_trace *t, enum tk_pf_converted converted, int64_t time,
                              uint64_t offset)
{
    if (converted == TK_PF_AS_IT_IS)
        tk_pf_note(t, TK_EV_CLOCK_AS_IT_IS, offset);
    else if (converted == TK_PF_UNKNOWN_CLOCK)
        tk_pf_note(t, TK_EV_CLOCK_UNKNOWN, offset);
    else if (time <= INT64_MIN + 1) {
        tk_pf_note(t, TK_EV_NO_TIME, offset);
        return false;
    }
    return converted != TK_PF_UNKNOWN_CLOCK;
}

/* Packets about the device, at a time (device.c). As tk_pf_packet. */
int tk_pf_process_stats(struct tk_pf_trace *t, struct tk_bytes message, int64_t time);
int tk_pf_gpu_memory(struct tk_pf_trace *t, struct tk_bytes message, int64_t time);
int tk_pf_vulkan_memory(struct tk_pf_trace *t, struct tk_bytes message);
int tk_pf_vulkan_api(struct tk_pf_trace *t, struct tk_bytes message, int64_t time);
int tk_pf_android_log(struct tk_pf_trace *t, struct tk_bytes message, uint64_t offset);
int tk_pf_gpu_log(struct tk_pf_trace *t, struct tk_bytes message, int64_t time);
int tk_pf_gpu_counters(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message,
                       bool has_time, int64_t time, uint64_t offset);
int tk_pf_render_stage(struct tk_pf_trace *t, const struct tk_pf_sequence *s, struct tk_bytes message,
                       bool has_time, int64_t time, uint64_t offset);

/* Samples (samples.c). As tk_pf_packet. */
int tk_pf_perf_sample(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message,
                      const int64_t *at, uint64_t offset);
int tk_pf_streaming_profile(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message,
                            uint64_t offset);
int tk_pf_stack_sample(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message, int64_t time,
                       uint64_t offset);
int tk_pf_module_symbols(struct tk_pf_trace *t, struct tk_bytes message);

/* All has come: frames that were named behind them have their names. */
void tk_pf_name_code(struct tk_pf_trace *t);

/* A TrackEvent. has_time: the packet has a time. */
int tk_pf_track_event(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message, bool has_time,
                      int64_t time, uint64_t offset);

/*
 * Packets inside of packets, compressed (import 5.1).
 */

enum tk_pf_unpacked {
    TK_PF_UNPACKED,
    TK_PF_UNPACK_BROKEN,    /* what came before the fault is there */
    TK_PF_UNPACK_TOO_LARGE, /* likewise */
    TK_PF_UNPACK_NO_MEMORY
};

/* Unpacks a stream of zlib or of zstd into a buffer that grows, at most to `most` bytes or 64 MiB. */
enum tk_pf_unpacked tk_pf_unpack(struct tk_bytes packed, bool zstd, uint64_t most, uint8_t **buf, size_t *cap,
                                 struct tk_bytes *out);

#endif
