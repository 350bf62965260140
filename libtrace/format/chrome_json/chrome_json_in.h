/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_CHROME_JSON_CHROME_JSON_IN_H
#define TK_FORMAT_CHROME_JSON_CHROME_JSON_IN_H

#include "base/bits.h"
#include "base/cursor.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "format/events/capture.h"
#include "format/events/feed.h"
#include "format/events/window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A tokenizer of JSON over bytes in memory that may end anywhere. Events of captures are read with it.
 *
 * It takes what producers write against the rules and loses nothing by it: control characters in texts, bytes
 * that are no UTF-8, a comma before a closing bracket, NaN and Infinity (import 3.9). It never recurs.
 */

enum tk_jscan_result {
    TK_JSON_OK,
    TK_JSON_CUT, /* the bytes end inside */
    TK_JSON_BAD  /* it is not JSON: `reason` */
};

enum tk_jscan_kind {
    TK_JSON_NONE, /* there is no value */
    TK_JSON_STRING,
    TK_JSON_NUMBER,
    TK_JSON_OBJECT,
    TK_JSON_ARRAY,
    TK_JSON_TRUE,
    TK_JSON_FALSE,
    TK_JSON_NULL,
    TK_JSON_NAN /* NaN, Infinity, -Infinity: not in JSON */
};

struct tk_jscan_value {
    const uint8_t *p; /* of a text: behind the quote; else the first byte */
    size_t n;         /* of a text: up to the quote */
    uint8_t kind;     /* enum tk_jscan_kind */
    bool escaped;     /* a text with backslashes */
    uint8_t point; /* of a number: digits in front of its point, where it has the usual form (event.c); 0 */
};

/* A number in the usual form has no sign, at most so many digits in front of its point, and less than eight
 * behind; so many bytes of its text, from its begin on, can be read whatever its length. */
#define TK_JSON_WHOLE_DIGITS 15u
#define TK_JSON_READABLE     24u

struct tk_jscan_scan {
    const uint8_t *p, *end;
    const char *reason;  /* static; of TK_JSON_BAD */
    bool trailing_comma; /* seen in a value */
    bool no_number;      /* NaN or Infinity was seen in a value */
};

/* Depth of brackets inside a value whose kinds are compared; deeper ones are counted. */
#define TK_JSON_DEPTH 4096u

static inline void tk_jscan_space(struct tk_jscan_scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
        s->p++;
}

/* The next value, of any depth; p stands at its first byte, and behind it afterwards. */
enum tk_jscan_result tk_jscan_value(struct tk_jscan_scan *s, struct tk_jscan_value *out);

/* A text; p stands behind its quote, and behind the closing one afterwards. */
enum tk_jscan_result tk_jscan_string(struct tk_jscan_scan *s, struct tk_jscan_value *out);

/*
 * The next member of an object; p stands behind its bracket or behind the member before. *more is false
 * behind the closing bracket.
 */
enum tk_jscan_result tk_jscan_member(struct tk_jscan_scan *s, struct tk_jscan_value *key, bool *more);

/* The bytes of a text without escapes; out has space for v->n. Lone surrogates become U+FFFD. */
size_t tk_jscan_unescape(const struct tk_jscan_value *v, uint8_t *out);

/* Is a text, or a key, this one? The same of one with escapes, for texts of up to TK_JSON_COMPARED bytes. */
enum { TK_JSON_COMPARED = 32 };
bool tk_jscan_is_escaped(const struct tk_jscan_value *v, const char *text, size_t n);

static inline bool tk_jscan_is(const struct tk_jscan_value *v, const char *text, size_t n)
{
    if (v->n != n)
        return v->escaped && tk_jscan_is_escaped(v, text, n);
    for (size_t i = 0; i < n; i++)
        if (v->p[i] != (uint8_t)text[i])
            return false;
    return true;
}

/*
 * Arguments of events as the text of a scope.
 */

/* Bytes of a text; longer ones are cut. */
#define TK_CJ_ARGS_BYTES 1024u

/* The value of the only member, or else "k=v, k=v". out has space for TK_CJ_ARGS_BYTES. Returns the length.
 */
size_t tk_cj_args_text(const struct tk_jscan_value *args, uint8_t *out);

/*
 * One trace event as it stands in the text: the members that are known, each a value (import 3.2).
 */

/* X(symbol, key) */
#define TK_CJ_FIELDS(X)                                                                                      \
    X(PH, "ph")                                                                                              \
    X(TS, "ts")                                                                                              \
    X(DUR, "dur")                                                                                            \
    X(PID, "pid")                                                                                            \
    X(TID, "tid")                                                                                            \
    X(NAME, "name")                                                                                          \
    X(CAT, "cat")                                                                                            \
    X(ARGS, "args")                                                                                          \
    X(ID, "id")                                                                                              \
    X(ID2, "id2")                                                                                            \
    X(SCOPE, "scope")                                                                                        \
    X(S, "s")                                                                                                \
    X(BIND_ID, "bind_id")                                                                                    \
    X(FILE, ".file")                                                                                         \
    X(LINE, ".line")

enum tk_cj_field {
#define TK_CJ_FIELD_SYMBOL(symbol, key) TK_CJ_##symbol,
    TK_CJ_FIELDS(TK_CJ_FIELD_SYMBOL)
#undef TK_CJ_FIELD_SYMBOL
        TK_CJ_FIELD_COUNT
};

struct tk_cj_event {
    struct tk_jscan_value field[TK_CJ_FIELD_COUNT];
    bool is_outer; /* it has traceEvents: it is the object around events, and was read no further */
    bool empty;    /* no members at all */
    bool trailing_comma, no_number;
    bool key_twice;
};

/* Reads an object; p stands at its bracket, and behind it afterwards. */
enum tk_jscan_result tk_cj_event_read(struct tk_jscan_scan *s, struct tk_cj_event *e);

/* A member of an object that is a value of an event; kind TK_JSON_NONE where there is none. */
struct tk_jscan_value tk_cj_member(const struct tk_jscan_value *object, const char *key, size_t n);

/*
 * Phases of trace events (import 3.5), each a type of record.
 */

/* X(symbol, letter, name, who understands it) */
#define TK_CJ_LETTERS(X)                                                                                     \
    X(BEGIN, 'B', "Begin", "scope")                                                                          \
    X(END, 'E', "End", "scope")                                                                              \
    X(COMPLETE, 'X', "Complete", "scope")                                                                    \
    X(INSTANT, 'i', "Instant", "log")                                                                        \
    X(INSTANT_OLD, 'I', "InstantOld", "log")                                                                 \
    X(MARK, 'R', "Mark", "bookmark")                                                                         \
    X(ASYNC_BEGIN, 'b', "AsyncBegin", "region")                                                              \
    X(ASYNC_END, 'e', "AsyncEnd", "region")                                                                  \
    X(ASYNC_INSTANT, 'n', "AsyncInstant", "log")                                                             \
    X(ASYNC_START, 'S', "AsyncStart", "region")                                                              \
    X(ASYNC_FINISH, 'F', "AsyncFinish", "region")                                                            \
    X(ASYNC_INTO, 'T', "AsyncStepInto", "log")                                                               \
    X(ASYNC_PAST, 'p', "AsyncStepPast", "log")                                                               \
    X(COUNTER, 'C', "Counter", "counter")                                                                    \
    X(METADATA, 'M', "Metadata", "thread")                                                                   \
    X(FLOW_START, 's', "FlowStart", NULL)                                                                    \
    X(FLOW_STEP, 't', "FlowStep", NULL)                                                                      \
    X(FLOW_END, 'f', "FlowEnd", NULL)                                                                        \
    X(SAMPLE, 'P', "Sample", "sample")                                                                       \
    X(OBJECT_NEW, 'N', "ObjectNew", NULL)                                                                    \
    X(OBJECT_STATE, 'O', "ObjectState", NULL)                                                                \
    X(OBJECT_DELETE, 'D', "ObjectDelete", NULL)                                                              \
    X(MEMORY_GLOBAL, 'V', "MemoryDumpGlobal", NULL)                                                          \
    X(MEMORY_PROCESS, 'v', "MemoryDumpProcess", NULL)                                                        \
    X(CLOCK_SYNC, 'c', "ClockSync", NULL)                                                                    \
    X(CONTEXT_ENTER, '(', "ContextEnter", NULL)                                                              \
    X(CONTEXT_LEAVE, ')', "ContextLeave", NULL)                                                              \
    X(LINKED_ID, 'a', "LinkedId", NULL)

/* And those that no letter stands for. */
#define TK_CJ_PHASES(X)                                                                                      \
    TK_CJ_LETTERS(X)                                                                                         \
    X(THREAD_STATE, 0, "ThreadState", NULL)                                                                  \
    X(OTHER, 0, "Other", NULL)

enum tk_cj_phase {
#define TK_CJ_PHASE_SYMBOL(symbol, letter, name, family) TK_CJ_##symbol,
    TK_CJ_PHASES(TK_CJ_PHASE_SYMBOL)
#undef TK_CJ_PHASE_SYMBOL
        TK_CJ_PHASE_COUNT
};

/* Fields of records. */
enum {
    TK_CJ_AT_NAME,
    TK_CJ_AT_CATEGORY,
    TK_CJ_AT_PROCESS,
    TK_CJ_AT_THREAD,
    TK_CJ_AT_DURATION,
    TK_CJ_AT_ID,
    TK_CJ_AT_ARGS,
    TK_CJ_CELLS
};

extern const struct tk_record_type tk_cj_types[TK_CJ_PHASE_COUNT];

/* The phase of a letter. */
enum tk_cj_phase tk_cj_phase_of(uint8_t letter);

/*
 * What trace events mean: each phase is passed to the capture (import 3.3 to 3.8).
 */

/* Threads by the bytes of their ids, as they stand in the text: most events are of a few. */
#define TK_CJ_THREADS  256u
#define TK_CJ_ID_BYTES 24u

struct tk_cj_known_thread {
    uint8_t pid[TK_CJ_ID_BYTES], tid[TK_CJ_ID_BYTES];
    uint8_t n_pid, n_tid, pid_kind, tid_kind;
    bool used;
    uint32_t thread, process;
};

/* The same of ids that are numbers of up to eight digits, as nearly all are: their digits as one number. */
struct tk_cj_numbered_thread {
    uint64_t pid, tid; /* 0: not used */
    uint32_t thread;
};

/* Members of the object around events that are kept until its end, and what they are. */
enum {
    TK_CJ_SAMPLES,
    TK_CJ_STACK_FRAMES,
    TK_CJ_NODES,
    TK_CJ_DELTAS,
    TK_CJ_START,
    TK_CJ_HEAD,
    TK_CJ_STAMPS,
    TK_CJ_SHARED,
    TK_CJ_PROFILES,
    TK_CJ_SECTIONS
};

struct tk_cj_section {
    struct tk_jscan_value value; /* of bytes; of no kind: it was not seen */
    TK_VEC(uint8_t) bytes;
};

struct tk_cj_profile;

struct tk_cj_meaning {
    TK_VEC(struct tk_cj_profile *) profiles; /* owned each */
    struct tk_cj_section sections[TK_CJ_SECTIONS];
    struct tk_ev_capture *c;          /* borrowed */
    struct tk_cj_known_thread *known; /* owned */
    struct tk_cj_numbered_thread numbered[TK_CJ_THREADS];
    TK_VEC(uint8_t) text; /* of one that is converted */
};

/* TK_OK or TK_ENOMEM. */
int tk_cj_meaning_open(struct tk_cj_meaning *m, struct tk_ev_capture *c, struct tk_err *err);

/* An event that stands at an offset and takes so many bytes. 0; -1 when memory or a limit is out. */
int tk_cj_meaning_take(struct tk_cj_meaning *m, const struct tk_cj_event *e, uint64_t offset, uint64_t bytes);

/* The number of a name; TK_EV_NO_NAME where the value is no text, or an empty one. */
uint32_t tk_cj_name(struct tk_cj_meaning *m, const struct tk_jscan_value *v);

/* Does that take the member as a whole, or what it looks for in it? */
bool tk_cj_meaning_reads(const struct tk_jscan_value *key, const struct tk_jscan_value *v);

/* A member of the object around the events: what is known of the recording. 0 or -1. */
int tk_cj_meaning_session(struct tk_cj_meaning *m, const struct tk_jscan_value *key,
                          const struct tk_jscan_value *v);

void tk_cj_meaning_close(struct tk_cj_meaning *m);

/*
 * Samples (profiles.c). All return 0, or -1 if out of memory.
 */

/* An event of phase P. */
int tk_cj_profile_event(struct tk_cj_meaning *m, const struct tk_cj_event *e, int64_t time);

/* Which section a key is; -1: none. Keeps its value. */
int tk_cj_section_of(const struct tk_jscan_value *key);
int tk_cj_section_keep(struct tk_cj_meaning *m, int section, const struct tk_jscan_value *v);

/* Is the file a profile, of what was kept of it? Reads it as one; or the samples alongside events. */
bool tk_cj_is_profile(const struct tk_cj_meaning *m);
int tk_cj_whole_profile(struct tk_cj_meaning *m);
int tk_cj_sections_finish(struct tk_cj_meaning *m);

void tk_cj_profiles_close(struct tk_cj_meaning *m);

/* What is inside of a value of a kind, nothing where it is another; and the next value of an array in it. */
struct tk_jscan_scan tk_cj_inside(const struct tk_jscan_value *v, enum tk_jscan_kind kind);
bool tk_cj_next_value(struct tk_jscan_scan *s, struct tk_jscan_value *out);

/* Is the file one of speedscope, of what was kept of it? Reads it (speedscope.c); or counts what would be of
 * it alongside events as not read. 0, or -1 if out of memory. */
bool tk_cj_is_speedscope(const struct tk_cj_meaning *m);
int tk_cj_speedscope(struct tk_cj_meaning *m);
int tk_cj_speedscope_unread(struct tk_cj_meaning *m);

/*
 * Keys of asynchronous work (import 3.6): what begins and ends with one key belongs together.
 */

/* The key of an event; old: of phases S, T, p, F. *without: it has no id. 0, or -1 if out of memory. */
int tk_cj_async_key(struct tk_cj_meaning *m, const struct tk_cj_event *e, bool old, struct tk_ev_key *key,
                    bool *without);

/* The member `loc` of arguments. */
struct tk_jscan_value tk_cj_first_loc(const struct tk_jscan_value *args);

/*
 * The text around events: arrays and objects, one or several, and what is wrong with them (import 3.1, 3.9).
 */

/* A walk, as in tk_ev_decoder. */
int tk_cj_document_open(struct tk_ev_capture *c, void **walk, struct tk_err *err);
int tk_cj_document_step(void *walk, struct tk_err *err);
void tk_cj_document_close(void *walk);

/*
 * Eight characters of a text at once, as a number whose least significant byte is the first of them. The
 * usual forms of keys, texts and numbers are read with it.
 */

#define TK_EIGHT_ONES  UINT64_C(0x0101010101010101)
#define TK_EIGHT_HIGHS (TK_EIGHT_ONES << 7)

/* Bit 7 of each byte that is a character; of the lowest such byte and those before it, it is exact. */
static inline uint64_t tk_eight_equal(uint64_t bytes, char c)
{
    uint64_t v = bytes ^ (TK_EIGHT_ONES * (uint8_t)c);
    return (v - TK_EIGHT_ONES) & ~v & TK_EIGHT_HIGHS;
}

/* The same of bytes that are no digits. */
static inline uint64_t tk_eight_no_digits(uint64_t bytes)
{
    uint64_t v = bytes ^ (TK_EIGHT_ONES * '0');
    return ((v + TK_EIGHT_ONES * 0x76) | v) & TK_EIGHT_HIGHS;
}

/* The place of the lowest of such bits; 8: there is none. */
static inline unsigned tk_eight_first(uint64_t bits)
{
    return bits ? tk_zeros_below(bits) / 8 : 8;
}

/* The first n of the bytes, 0 < n <= 8; those behind are 0. */
static inline uint64_t tk_eight_head(uint64_t bytes, unsigned n)
{
    return bytes & UINT64_MAX >> (64 - 8 * n);
}

/* The number of n digits, 0 < n <= 8, that stand in front. */
static inline uint64_t tk_eight_digits(uint64_t bytes, unsigned n)
{
    uint64_t v = (bytes << (64 - 8 * n)) & (TK_EIGHT_ONES * 0x0f);
    v = (v * 2561 >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v * 6553601 >> 16) & UINT64_C(0x0000ffff0000ffff);
    return v * UINT64_C(42949672960001) >> 32;
}

/*
 * Numbers of JSON as what they stand for: times, exact to the last digit, identities and values.
 */

/* Microseconds, a number or a text that is one, as nanoseconds, rounded half away from zero. false: it is
 * none, or beyond 64 bits. */
bool tk_jscan_time(const struct tk_jscan_value *v, int64_t *ns);

/* A number, or a text that is one, as a value of a counter. false: it is none. */
bool tk_jscan_measure(const struct tk_jscan_value *v, struct tk_number *out);

/* A whole number of 64 bits, also with zeros behind the point. false: it is none. */
bool tk_jscan_integer(const struct tk_jscan_value *v, int64_t *out);

/*
 * What is nearly JSON (mend.c).
 */

/* An event as JSON, and how often what was mended in it. Zero-initialise to begin. */
struct tk_cj_mended {
    TK_VEC(uint8_t) bytes;
    uint64_t comments, escapes, single_quotes, bare_keys, literals;
};

/*
 * Writes the event in n bytes anew, and reads it: comments are left out, quotes, keys, literals and
 * backslashes become those of JSON. Where that is no event, a quote behind a backslash is taken for the end
 * of its text if it looks like that. 1: an event, whose values are in `out`; 0: it is none; -1: out of
 * memory. *taken: bytes read.
 */
int tk_cj_event_mend(struct tk_cj_mended *out, const uint8_t *p, size_t n, struct tk_cj_event *e,
                     size_t *taken);

/* Is it a character of a key without quotes, a literal or a number? */
bool tk_cj_in_word(uint8_t c);

/* Behind a comment that begins at p; NULL: there is none, or it does not end. */
const uint8_t *tk_cj_comment_end(const uint8_t *p, const uint8_t *end);

/*
 * Finding the next event behind damage: an object with a phase, behind a comma, a bracket or a line end
 * (import 3.9).
 */

/* Where a search stands. */
struct tk_cj_resync {
    uint64_t begin;              /* offset of the event that is damaged */
    const char *reason;          /* static */
    bool starts;                 /* a bracket now may begin an event */
    uint64_t work;               /* bytes that were parsed in vain */
    uint64_t lost;               /* events */
    struct tk_cj_mended *mended; /* borrowed: space to work in */
    /* By quotes and brackets alone: does the text end inside of the event? */
    uint64_t depth;
    bool in_text, escaped, closed;
};

/* Begins behind the first byte of an event, at w->at. */
void tk_cj_resync_begin(struct tk_cj_resync *r, struct tk_ev_window *w, const char *reason,
                        struct tk_cj_mended *mended);

/* Searches on. TK_ITEM: w->at is at an event; TK_OK: there is none up to the end of the file; negative. */
int tk_cj_resync_next(struct tk_cj_resync *r, struct tk_ev_window *w, struct tk_err *err);

/*
 * Whose an event is: processes and threads, and what metadata says of them (import 3.2, 3.8).
 */

/* The place of the thread or the process of an event in the capture; UINT32_MAX if out of memory. */
uint32_t tk_cj_thread(struct tk_cj_meaning *m, const struct tk_cj_event *e);
uint32_t tk_cj_process(struct tk_cj_meaning *m, const struct tk_cj_event *e);

/* An event of phase M. 0 or -1. */
int tk_cj_metadata(struct tk_cj_meaning *m, const struct tk_cj_event *e, const struct tk_jscan_value *name,
                   const struct tk_jscan_value *args);

/* Notes that the recorder lost events for want of space. */
void tk_cj_tell_overflow(struct tk_cj_meaning *m);

#endif
