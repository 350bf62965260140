/*
 * A capture of another tool: what all formats of events have in common. A decoder walks over the file and
 * says what it finds (feed.h); readings make facts of it (source.c).
 *
 * The file is walked over when it is opened. What order matters for is kept: 4 to 6 bytes an event mostly and
 * at most 24, in a temporary file beyond some memory. Texts of scopes and records are not kept: who requests
 * them makes the decoder walk again.
 */
#ifndef TK_FORMAT_EVENTS_CAPTURE_H
#define TK_FORMAT_EVENTS_CAPTURE_H

#include "base/hash.h"
#include "base/health/health.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "fact/format.h"
#include "format/events/pairs.h"
#include "format/events/track.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Identities of processes, threads and asynchronous work: numbers or texts. Equal ones have equal keys.
 */

struct tk_ev_id {
    const struct tk_str *text; /* NULL: the number counts. Interned */
    int64_t number;
};

/* Tuples of up to six words, numbered. Zero-initialise to begin. */
#define TK_EV_KEY_WORDS 6
struct tk_ev_key {
    uint64_t word[TK_EV_KEY_WORDS];
};
struct tk_ev_ids {
    TK_VEC(struct tk_ev_key) keys;
    struct tk_places index;
};

/* A tuple as one number, for as many as nobody can keep: two are the same but for a chance of 2^-64. Each
 * process has other numbers. */
static inline uint64_t tk_ev_key_hash(const struct tk_ev_key *key)
{
    return tk_hash_bytes(key->word, sizeof key->word, 1);
}

#define TK_EV_RECENT_SYSTEMS 256u

/* The number of a tuple, which is below `most`. TK_EV_IDS_FULL for one that is new where there are `most` of
 * them; UINT32_MAX if out of memory. */
#define TK_EV_IDS_FULL (UINT32_MAX - 1)
uint32_t tk_ev_ids_number(struct tk_ev_ids *ids, const struct tk_ev_key *key, uint64_t most);

void tk_ev_ids_release(struct tk_ev_ids *ids);

/*
 * Names of what decoders find, numbered; and timers, which are names with a place in the source.
 */

#define TK_EV_NO_NAME UINT32_MAX

struct tk_ev_name {
    const struct tk_str *text;
    uint64_t hash;
    uint32_t timer; /* the timer of this name without a place; TK_EV_NO_NAME: not used yet */
};

struct tk_ev_timer {
    uint32_t name; /* TK_EV_NO_NAME: it has none */
    const struct tk_str *file;
    uint32_t line;
};

/* What asynchronous work is called, and its category. */
struct tk_ev_label {
    uint32_t name, category;
};

enum { TK_EV_RECENT = 1024 };

/* A name that was requested, at a place that some of its bytes say. */
struct tk_ev_recent {
    const char *p; /* of its text; NULL: the place is free */
    uint32_t n, name;
};

/* Zero-initialise all but interned. */
struct tk_ev_names {
    struct tk_intern *interned; /* borrowed */
    TK_VEC(struct tk_ev_name) names;
    uint32_t *slots; /* owned: open-addressed, number + 1 */
    size_t mask;
    struct tk_ev_recent recent[TK_EV_RECENT];
    TK_VEC(struct tk_ev_timer) timers;
    TK_VEC(uint32_t) name_of_timer;
    struct tk_map places; /* of name, file and line: timers that have a place */
    TK_VEC(struct tk_ev_label) labels;
    struct tk_map label_index; /* of name and category */
    uint32_t nameless;         /* timer of scopes without a name, + 1; 0: not used yet */
    uint64_t most_timers;
    uint64_t not_utf8; /* texts that were mended */
    bool failed;       /* out of memory */
};

/* The timer that stands for all beyond the limit. */
static inline bool tk_ev_timer_is_beyond(const struct tk_ev_names *n, uint32_t timer)
{
    return timer == n->most_timers;
}

/* The number of a name: bytes that are valid UTF-8. TK_EV_NO_NAME and `failed` if out of memory. */
uint32_t tk_ev_name(struct tk_ev_names *n, const void *p, size_t len);

/* The same where it is known already, else TK_EV_NO_NAME. */
uint32_t tk_ev_name_find(const struct tk_ev_names *n, const void *p, size_t len, uint64_t hash);

/*
 * Bytes as UTF-8: what is none becomes U+FFFD. Interned; where the limit of texts allows no more, one text
 * that stands for all others. NULL if out of memory.
 */
const struct tk_str *tk_ev_text(struct tk_ev_names *n, const void *p, size_t len);

/* A name of bytes of any kind, cleaned. */
uint32_t tk_ev_name_clean(struct tk_ev_names *n, const void *p, size_t len);

/* The timer of a name, or of none; with a place where file is not NULL. TK_EV_NO_NAME and `failed` as above.
 */
uint32_t tk_ev_timer(struct tk_ev_names *n, uint32_t name, const struct tk_str *file, uint32_t line);

/* The number of a name with a category, of which each may be none. TK_EV_NO_NAME and `failed` as above. */
uint32_t tk_ev_label(struct tk_ev_names *n, uint32_t name, uint32_t category);

static inline const struct tk_str *tk_ev_name_text(const struct tk_ev_names *n, uint32_t name)
{
    return name < n->names.n ? n->names.v[name].text : NULL;
}

void tk_ev_names_release(struct tk_ev_names *n);

/*
 * Whether begins and ends of a thread nest as they come: each end is that of the innermost scope. Where they
 * do, and are in order of time, they need be neither paired nor sorted (tk_ev_lanes_take_nested).
 */

/* Of those that count as nested: scopes that are open, and begins and ends of one time, which are put in
 * order together. */
enum { TK_EV_NESTED_DEPTH = 1024, TK_EV_NESTED_TOGETHER = 4096 };

/* Zero-initialise. */
struct tk_ev_nested {
    TK_VEC(uint32_t) names; /* of open scopes, innermost last; TK_EV_NONE: it has none */
    int64_t time;           /* of the last one */
    uint32_t together;      /* that were of this time before it */
    bool fails;             /* they do not nest; nothing else is looked at any more */
};

static inline void tk_ev_nested_fail(struct tk_ev_nested *n)
{
    tk_vec_release(&n->names);
    n->fails = true;
}

static inline void tk_ev_nested_see(struct tk_ev_nested *n, int64_t time)
{
    n->together = n->time == time ? n->together + 1 : 0;
    n->time = time;
    if (n->together >= TK_EV_NESTED_TOGETHER)
        tk_ev_nested_fail(n);
}

/* A scope begins. 0, or -1 if out of memory. */
static inline int tk_ev_nested_begin(struct tk_ev_nested *n, int64_t time, uint32_t name)
{
    if (n->fails)
        return 0;
    tk_ev_nested_see(n, time);
    if (n->names.n >= TK_EV_NESTED_DEPTH)
        tk_ev_nested_fail(n);
    return !n->fails && tk_vec_push(&n->names, name) ? -1 : 0;
}

/* A scope ends; name: TK_EV_NONE ends any. */
static inline void tk_ev_nested_end(struct tk_ev_nested *n, int64_t time, uint32_t name)
{
    if (n->fails)
        return;
    tk_ev_nested_see(n, time);
    const uint32_t begun = n->names.n ? n->names.v[n->names.n - 1] : TK_EV_NONE;
    if (!n->names.n || (name != begun && name != TK_EV_NONE))
        tk_ev_nested_fail(n);
    else
        n->names.n--;
}

/*
 * Troubles of captures of other tools (import 6): each kind is counted, and noted once with the place of the
 * first.
 */

/* X(symbol, kind of health, what is said behind the number) */
#define TK_EV_TROUBLES(X)                                                                                    \
    X(NO_PHASE, EVENT_DAMAGED, "without a phase (ph) left out")                                              \
    X(NO_TIME, EVENT_DAMAGED, "without a readable time left out")                                            \
    X(NO_DURATION, EVENT_DAMAGED, "of phase X without a duration left out")                                  \
    X(NO_FRAME_TIME, EVENT_DAMAGED, "without a frame time left out")                                         \
    X(NEGATIVE_DURATION, EVENT_DAMAGED, "with an end before the begin left out")                             \
    X(TIME_CUT, TIME_BEYOND, "ending beyond the range of 64 bits")                                           \
    X(NO_OBJECT, EVENT_DAMAGED, "that are not objects left out")                                             \
    X(ASYNC_WITHOUT_ID, EVENT_DAMAGED, "of asynchronous work without an id left out")                        \
    X(NO_NUMBER, EVENT_DAMAGED, "of counters whose value is not a number left out")                          \
    X(NO_VALUE, EVENT_DAMAGED, "of counters without a value left out")                                       \
    X(ASYNC_WITHOUT_BEGIN, PART_UNMATCHED, "ending asynchronous work that never began")                      \
    X(TRAILING_COMMA, FORM_MENDED, "with an extra comma")                                                    \
    X(COMMAS, FORM_MENDED, "without a comma between, or with extra ones")                                    \
    X(KEY_TWICE, FORM_MENDED, "with a key that comes twice, of which the last counts")                       \
    X(NO_JSON_NUMBER, FORM_MENDED, "with NaN or Infinity, which JSON has not")                               \
    X(WRONG_ESCAPE, FORM_MENDED, "with a backslash that starts no escape; it was kept")                      \
    X(SINGLE_QUOTES, FORM_MENDED, "with texts in single quotes, which JSON has not")                         \
    X(BARE_KEY, FORM_MENDED, "with a key without quotes")                                                    \
    X(OTHER_LITERAL, FORM_MENDED, "with None, True or False, which JSON spells otherwise")                   \
    X(NOT_UTF8, FORM_MENDED, "with text that is not UTF-8; U+FFFD stands for what could not be read")        \
    X(PADDING, FORM_MENDED, "with a text behind which there are other bytes than zeros")                     \
    X(TOO_LONG, FORM_MENDED, "longer than what they hold")                                                   \
    X(QUOTE_OPEN, FORM_MENDED, "with a quote that is not closed")                                            \
    X(UNKNOWN_KIND, VERSION_UNSUPPORTED, "of an unknown kind left out")                                      \
    X(NO_STACK, EVENT_DAMAGED, "without a stack and its weight left out")                                    \
    X(NEGATIVE_WEIGHT, EVENT_DAMAGED, "with a weight below zero left out")                                   \
    X(CELLS_MISSING, EVENT_DAMAGED, "with fewer cells than the first")                                       \
    X(ROWS_AGAIN, FORM_MENDED,                                                                               \
      "behind names of columns or facts of the recording, as where files were joined")                       \
    X(TRACE_AGAIN, FORM_MENDED, "beginning another trace, which was read as well")                           \
    X(REPEATED, PACKET_REPEATED, "equal to those in front, times included; all were used")                   \
    X(PARENT_UNKNOWN, DEFINITION_MISSING, "describing a track whose parent is not described")                \
    X(RECORD_OF_SIZE_0, EVENT_DAMAGED, "of size 0; everything up to the next valid one was skipped")         \
    X(RECORD_TOO_SHORT, EVENT_DAMAGED, "too short for their content left out")                               \
    X(UNKNOWN_STRING, DEFINITION_MISSING, "referring to a text that is not defined")                         \
    X(UNKNOWN_THREAD, DEFINITION_MISSING, "referring to a thread that is not defined")                       \
    X(UNKNOWN_PROVIDER, DEFINITION_MISSING, "of an undeclared provider")                                     \
    X(LOST_RECORDS, LOSS_ANNOUNCED, "announcing events that the recorder lost")                              \
    X(FREQUENCY_OF_0, HEADER_DAMAGED, "with a tick rate of 0, which was ignored")                            \
    X(UNKNOWN_ARGUMENT, VERSION_UNSUPPORTED, "with an argument of an unknown kind")                          \
    X(NO_STATE, EVENT_DAMAGED, "depending on lost state left out")                                           \
    X(UNKNOWN_NAME, DEFINITION_MISSING, "with a name that is not defined")                                   \
    X(SEQUENCE_AGAIN, FORM_MENDED, "beginning a sequence again")                                             \
    X(CLOCK_BACK, TIME_UNRELIABLE, "with a clock that goes back")                                            \
    X(NAME_CHANGED, FORM_MENDED, "defining a name again, with another text")                                 \
    X(CLOCK_UNKNOWN, EVENT_DAMAGED, "in a clock that cannot be converted left out")                          \
    X(CLOCK_AS_IT_IS, FORM_MENDED, "in a clock without a snapshot taken as they are")                        \
    X(UNKNOWN_COUNTER, EVENT_DAMAGED, "of a counter that is not described left out")                         \
    X(TRACK_WITHOUT_PARENT, EVENT_DAMAGED, "on a track whose parent is missing left out")                    \
    X(TRACK_WITHOUT_ID, EVENT_DAMAGED, "describing a track without its ids left out")                        \
    X(NO_TYPE, EVENT_DAMAGED, "of a track without a type left out")                                          \
    X(NO_SEQUENCE, EVENT_DAMAGED, "without a sequence left out")                                             \
    X(COMPRESSED_BROKEN, PACKET_DAMAGED, "with compressed content that cannot be unpacked left out")         \
    X(PACKET_BROKEN, PACKET_DAMAGED, "broken and skipped")                                                   \
    X(EXTRA_VALUES, EVENT_DAMAGED, "with more values than counters")

/* Those of something else than what the file consists of. X(symbol, kind of health, one, many, what is said
 * behind them) */
#define TK_EV_TROUBLES_OF(X)                                                                                 \
    X(COMMENT, FORM_MENDED, "comment", "comments", "which JSON has not")                                     \
    X(OTHER_PROGRAM, OTHERS_LEFT_OUT, "row", "rows",                                                         \
      "of other programs or swap chains than the one with most rows left out")                               \
    X(GENERATED, OTHERS_LEFT_OUT, "row", "rows", "of frames that were generated left out")                   \
    X(LINE_UNKNOWN, VERSION_UNSUPPORTED, "mark", "marks", "of atrace that are not understood")               \
    X(BEFORE_START, KEPT_IN_PART, "event", "events",                                                         \
      "of the kernel from before the start of the recording left out")                                       \
    X(NO_CORE, EVENT_DAMAGED, "bundle", "bundles", "of kernel events without a core left out")               \
    X(COLUMNS_DIFFER, EVENT_DAMAGED, "list", "lists", "whose columns are not equally long cut")              \
    X(PAGE_UNREAD, LOSS_ANNOUNCED, "page", "pages", "of kernel events that the recorder could not read")     \
    X(SWITCH_DIFFERS, PART_UNMATCHED, "context switch", "context switches",                                  \
      "from another thread than the one that ran")                                                           \
    X(NEGATIVE_SIZE, MEMORY_UNMATCHED, "size", "sizes", "of memory below zero left out")                     \
    X(UNKNOWN_STACK, DEFINITION_MISSING, "sample", "samples", "of a stack that is not defined")              \
    X(CHUNK_ALONE, DEFINITION_MISSING, "part", "parts", "of a profile that never began left out")            \
    X(FRAME_INCOMPLETE, EVENT_DAMAGED, "frame", "frames", "without a cookie, token or process left out")     \
    X(FRAME_NEVER_BEGAN, PART_UNMATCHED, "end", "ends", "of frames that never began")                        \
    X(BEGUN_TWICE, PART_UNMATCHED, "begin", "begins", "of asynchronous work that is open already left out")

enum tk_ev_trouble {
#define TK_EV_TROUBLE_SYMBOL(symbol, kind, text)               TK_EV_##symbol,
#define TK_EV_TROUBLE_OF_SYMBOL(symbol, kind, one, many, text) TK_EV_##symbol,
    TK_EV_TROUBLES(TK_EV_TROUBLE_SYMBOL) TK_EV_TROUBLES_OF(TK_EV_TROUBLE_OF_SYMBOL)
#undef TK_EV_TROUBLE_SYMBOL
#undef TK_EV_TROUBLE_OF_SYMBOL
        TK_EV_TROUBLE_COUNT
};

struct tk_ev_troubles {
    struct {
        uint64_t count, first;
    } of[TK_EV_TROUBLE_COUNT];
};

static inline void tk_ev_trouble(struct tk_ev_troubles *t, enum tk_ev_trouble what, uint64_t offset,
                                 uint64_t count)
{
    if (!t->of[what].count)
        t->of[what].first = offset;
    t->of[what].count += count;
}

/* Says all, in the order of the list. `noun` is what is counted, as one and as many ("event", "events"). */
void tk_ev_troubles_tell(const struct tk_ev_troubles *t, struct tk_health *health, const char *one,
                         const char *many);

/*
 * What a file names and nobody reads: sections alongside its events, kinds of packets without a type. Each is
 * counted by name, for the table `coverage`.
 */

struct tk_ev_capture;

enum { TK_EV_UNREAD_NAME = 64, TK_EV_UNREAD_MOST = 256 };

struct tk_ev_unread {
    struct tk_record_type type;
    uint64_t count, bytes;
    char name[TK_EV_UNREAD_NAME];
};

/*
 * One more of what is called by the prefix and n bytes of a name; the first walk counts. Further names than
 * TK_EV_UNREAD_MOST count as one, "others". 0, or -1 if out of memory.
 */
int tk_ev_unread(struct tk_ev_capture *c, const char *prefix, const void *name, size_t n, uint64_t bytes);

/* The same of a number. like: it is a record as well, with the fields of this type; or NULL. */
int tk_ev_unread_number(struct tk_ev_capture *c, const char *prefix, uint32_t number,
                        const struct tk_record_type *like, uint64_t bytes);

/* The type of records of that number, as they were counted; `like` where they were not. */
const struct tk_record_type *tk_ev_unread_type(const struct tk_ev_capture *c, const char *prefix,
                                               uint32_t number, const struct tk_record_type *like);

void tk_ev_unread_release(struct tk_ev_capture *c);

struct tk_ev_capture;

/* Flags in items of tracks. */
#define TK_EV_REGION_ENDS   1u
#define TK_EV_REGION_ALONE  UINT64_C(1) /* in the key: it does not nest */
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
    /* The row number `at` of c->rows for its table, whose cells have space for TK_EV_ROW_CELLS, and when it
     * begins. false: it has none. NULL: no format of these has rows. */
    bool (*row)(struct tk_ev_capture *c, size_t at, struct tk_fact_row *fact, struct tk_cell *cells,
                int64_t *time);
};

enum { TK_EV_ROW_CELLS = 24 };

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
    bool unknown;   /* it stands for that of threads whose process is not known */
};

/* Is its id one of the file? */
bool tk_ev_process_has_id(const struct tk_ev_process *p);

struct tk_ev_thread {
    struct tk_ev_id id;
    uint32_t process;
    uint64_t track;  /* distinguishes threads of the same ids; 0 */
    uint32_t number; /* in facts: tk_ev_number_threads */
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
    bool is_hidden;                      /* it is no thread: something else is known by it */
    bool is_beyond;                      /* it stands for all threads beyond the limit, and keeps nothing */
    bool is_frames;                      /* its scopes are frames: of an export of ours */
    uint32_t frame_type;
    uint32_t frames_by; /* the thread that makes these frames, or TK_NO_THREAD */
    const struct tk_str *frame_name;
    bool is_queue; /* its scopes are those of a queue of a GPU */
    uint32_t queue;
    uint32_t part_of; /* place + 1 of the thread that this one is a part of; 0: it is none */
    uint32_t part;    /* place + 1 of a part of this thread, which has parts of its own; 0: there is none */
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
    X(CODE, definitions, "frames and stacks of further code were left out")                                  \
    X(BLOCK, alive_allocations, "blocks of further stacks of a heap profile were left out")                  \
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

/* A frame of a callstack. */
struct tk_ev_code_frame {
    uint32_t function, file, module, build; /* names, or TK_EV_NO_NAME; build: the id of the module */
    uint32_t line;
    bool has_address;
    uint64_t address;  /* in the module */
    uint32_t first, n; /* places in code_places, where something else names it; n 0: nothing does */
};

/* What a profile of a heap says of a stack at a time, since it began. */
struct tk_ev_heap_total {
    int64_t time;
    uint64_t bytes, blocks; /* allocated; no blocks where how many there were is not recorded */
    uint64_t freed, frees;
    uint32_t stack, process, heap; /* heap: a name */
};

struct tk_ev_heap {
    uint32_t process, name;
};

/* Blocks that are allocated or freed at a time: n of one size, by numbers from `first` on. */
struct tk_ev_heap_step {
    int64_t time;
    uint64_t first, n, size;
    uint32_t stack, heap;
    bool frees;
    uint8_t order; /* among those of its time */
};

/* Frames of a callstack, the innermost first, in stack_frames. */
struct tk_ev_stack {
    size_t first;
    uint32_t n;
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
    uint32_t recent_systems[TK_EV_RECENT_SYSTEMS]; /* places in these */
    TK_VEC(struct tk_fact) session;
    TK_VEC(struct tk_ev_system) systems; /* by place in system_ids */
    struct tk_ev_track regions;          /* value: key; what: label; order: place, TK_EV_REGION_ENDS */
    struct tk_ev_track marks;        /* value: thread, category; what: text; order: place, TK_EV_MARK_FLAGS */
    struct tk_ev_track values;       /* value: bits of the number; what: counter, TK_EV_REAL; order: place */
    struct tk_ev_track switches;     /* value: end; what: core, state; order: in system_ids */
    struct tk_ev_track wakes;        /* value: the thread; what: core of the waker; order: is it sure? */
    struct tk_ev_track samples;      /* value: the thread; what: number of the stack, 0: not known */
    TK_VEC(uint64_t) sample_weights; /* by order in samples; empty: each is one */
    struct tk_ev_ids code_ids;
    TK_VEC(struct tk_ev_code_frame) code; /* by place in code_ids */
    TK_VEC(struct tk_symbol_place) code_places;
    TK_VEC(struct tk_ev_stack) stacks; /* by number - 1 */
    TK_VEC(uint32_t) stack_frames;
    struct tk_map stack_index;
    TK_VEC(struct tk_ev_heap_total) heap_totals; /* of profiles, until all is read */
    TK_VEC(struct tk_ev_heap) heaps;
    TK_VEC(struct tk_ev_heap_step) heap_steps; /* in order of time */
    uint64_t heap_blocks;
    struct tk_ev_track late; /* what the decoder has put off; value and what are its own */
    struct tk_spill *spill;  /* owned; NULL until needed */
    uint64_t held, spill_at; /* bytes of items in memory; when to spill them next */
    uint64_t kept;           /* items in all */
    int64_t first, last;     /* times of all events */
    int64_t resolution;      /* nanoseconds: all times are multiples of it; 0: there are none */
    double epoch;            /* seconds since 1970 of the first; NaN */
    bool any_time, truncated, texts_read, own_export;
    uint32_t queues;
    uint64_t left_out[TK_EV_BEYOND_COUNT];
    bool texts_beyond_reported; /* the limit of texts was reached, and health has it */
    struct tk_ev_troubles troubles;
    uint64_t *counts, *bytes;             /* owned, by type of record */
    TK_VEC(struct tk_ev_unread *) unread; /* owned each */
    void *rows;                           /* owned; of tables that the decoder fills */
    size_t n_rows;
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

/* What a thread, by its place, is called in facts; TK_NO_THREAD where there is none. */
static inline uint32_t tk_ev_thread_number(const struct tk_ev_capture *c, uint32_t place)
{
    return place < c->threads.n ? c->threads.v[place]->number : TK_NO_THREAD;
}

/* All is read: numbers threads, and calls those and processes without a name by their ids. 0 or -1. */
int tk_ev_number_threads(struct tk_ev_capture *c);

/* tk_format.open of all such formats: opens a capture and walks over it. TK_OK, or negative. */
int tk_ev_capture_open(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err);

/* How frames get into captures whose format has no event for them (tk_format.hints). */
#define TK_EV_HINT_FRAMES                                                                                    \
    "instants whose name contains 'frame' are taken for frames, or --frames-from names them"

/* Moves items to the temporary file where they are many; between the steps of a walk. TK_OK, or negative. */
int tk_ev_capture_spill(struct tk_ev_capture *c, struct tk_err *err);

/* Says health once that texts were left out, where some were; behind each walk. */
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
