/*
 * Health: the faults of a capture, and where every byte of the file went (the ledger). Readers of all formats
 * fill it; the table `health` and the exit status come from it.
 *
 * Each kind has a tier: damage makes the exit status 4; so does what a limit left out, of which the capture
 * is not to blame; lost events are warned of; a notice is reported but the capture is sound. The first
 * `health_items` faults are kept one by one with offset and text; every one is counted.
 */
#ifndef TK_BASE_HEALTH_HEALTH_H
#define TK_BASE_HEALTH_HEALTH_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/health/limits.h"

#define TK_NO_OFFSET UINT64_MAX /* of what has no place in the file */

/* X(symbol, name, 1: damage, 2: lost events, 3: left out for a limit, 0: a notice, help) */
#define TK_HEALTH_KINDS(X)                                                                                   \
    X(HEADER_DAMAGED, "header_damaged", 1, "the file header has a fault, but could be read")                 \
    X(FILE_TRUNCATED, "file_truncated", 0, "the file ends inside a packet or record")                        \
    X(FILE_SHRANK, "file_shrank", 1, "the file was truncated while it was read")                             \
    X(PACKET_DAMAGED, "packet_damaged", 1, "a packet cannot be decompressed")                                \
    X(PACKET_HEADER_DAMAGED, "packet_header_damaged", 1, "bytes that are not a packet were skipped")         \
    X(PACKET_DUPLICATE, "packet_duplicate", 1, "a packet occurs twice; the copy was dropped")                \
    X(PACKET_REPEATED, "packet_repeated", 0,                                                                 \
      "packets that are equal to those in front of them, times included; all were used")                     \
    X(PACKET_ORPHAN, "packet_orphan", 0, "the recording begins inside a value")                              \
    X(SECOND_CAPTURE, "second_capture", 1, "another capture begins inside the file; it was not read")        \
    X(STREAM_BREAK, "stream_break", 1, "bytes of a thread are missing or unreadable")                        \
    X(TYPE_UNDECLARED, "type_undeclared", 1, "events of a type that is never declared were dropped")         \
    X(TYPE_REDECLARED, "type_redeclared", 0, "a type is declared again with another layout")                 \
    X(DECLARATION_DAMAGED, "declaration_damaged", 1, "a type declaration was refused")                       \
    X(FIELD_UNREADABLE, "field_unreadable", 1, "a field lies outside its event")                             \
    X(EVENT_DAMAGED, "event_damaged", 1, "an event was dropped or read in part")                             \
    X(EVENT_INCOMPLETE, "event_incomplete", 1,                                                               \
      "an event without the end of its array data, and others follow")                                       \
    X(EVENT_EARLY, "event_early", 0, "an event was delivered before the end of its array data")              \
    X(BLOB_ORPHAN, "blob_orphan", 0, "array data whose event is missing, or for no field of it")             \
    X(SERIAL_GAP, "serial_gap", 0, "serial numbers that never occur")                                        \
    X(EVENTS_LOST, "events_lost", 2, "events that were recorded but are missing from the capture")           \
    X(LOSS_ANNOUNCED, "loss_announced", 2, "losses that the recorder itself announces")                      \
    X(KEPT_IN_PART, "kept_in_part", 0, "the recorder kept only a part, as a full or circular buffer does")   \
    X(SERIAL_LATE, "serial_late", 2, "events that come after a higher serial number")                        \
    X(PAYLOAD_DAMAGED, "payload_damaged", 1, "the content of an event does not follow its rules")            \
    X(SCOPE_END_UNMATCHED, "scope_end_unmatched", 0, "scope ends without a begin")                           \
    X(SCOPE_OPEN, "scope_open", 0, "scopes without an end")                                                  \
    X(SCOPE_OVERLAP, "scope_overlap", 0,                                                                     \
      "scopes that partly overlap others; they are in lanes of their own")                                   \
    X(SCOPE_AFTER_END, "scope_after_end", 2, "scope data after the end of its thread was left out")          \
    X(TIME_BACKWARDS, "time_backwards", 0, "times before an earlier one of their thread, raised to it")      \
    X(TIME_DAMAGED, "time_damaged", 1, "impossible times; what follows them was left out")                   \
    X(TIME_BEYOND, "time_beyond", 0, "times beyond the range of 64 bits are shown as its limit")             \
    X(TIME_UNRELIABLE, "time_unreliable", 0, "times that nothing in the capture confirms")                   \
    X(FRAME_LATE, "frame_late", 0, "scopes that came after the sums of their game frame were closed")        \
    X(VALUE_LATE, "value_late", 0, "values of counters that came after later ones were used")                \
    X(GPU_TIME_DROPPED, "gpu_time_dropped", 0, "GPU times that are missing or impossible")                   \
    X(PART_UNMATCHED, "part_unmatched", 0, "steps of tasks, waits and locks whose beginning is missing")     \
    X(DEFINITION_MISSING, "definition_missing", 2, "references without a definition in the capture")         \
    X(MEMORY_UNMATCHED, "memory_unmatched", 0, "allocations and frees that contradict what is alive")        \
    X(SUM_DIFFERS, "sum_differs", 0, "counts and sums that differ from those of what the capture holds")     \
    X(VERSION_UNSUPPORTED, "version_unsupported", 0, "events of an unknown form were left out")              \
    X(VERSION_NEWER, "version_newer", 0, "the capture was saved by a newer version than the known ones")     \
    X(FORM_MENDED, "form_mended", 0, "deviations from the format that were mended")                          \
    X(OTHERS_LEFT_OUT, "others_left_out", 0, "what is of other programs, or of none, was left out")          \
    X(TRACE_STALL, "trace_stall", 0, "the recorder stalled the program")                                     \
    X(LIMIT_REACHED, "limit_reached", 3, "something was left out because a limit was reached")

enum tk_health_kind {
#define TK_HEALTH_SYMBOL(symbol, name, damage, help) TK_HEALTH_##symbol,
    TK_HEALTH_KINDS(TK_HEALTH_SYMBOL)
#undef TK_HEALTH_SYMBOL
        TK_HEALTH_COUNT
};

/* Parts of the ledger, in bytes of the file. X(symbol, name, help) */
#define TK_LEDGER_PARTS(X)                                                                                   \
    X(HEADER, "header", "file header")                                                                       \
    X(FRAMING, "framing", "packet headers and counters")                                                     \
    X(DECLARATIONS, "declarations", "type declarations")                                                     \
    X(DEFINITIONS, "definitions", "important events")                                                        \
    X(EVENTS, "events", "payload of threads")                                                                \
    X(UNREADABLE, "unreadable", "payload that could not be decompressed or decoded")                         \
    X(SKIPPED, "skipped", "bytes that belong to nothing")                                                    \
    X(TRUNCATED, "truncated", "the present part of the packet that the end of the file cuts off")

enum tk_ledger_part {
#define TK_LEDGER_SYMBOL(symbol, name, help) TK_LEDGER_##symbol,
    TK_LEDGER_PARTS(TK_LEDGER_SYMBOL)
#undef TK_LEDGER_SYMBOL
        TK_LEDGER_COUNT
};

struct tk_health_item {
    enum tk_health_kind kind;
    uint64_t offset;  /* in the file (bytes), or TK_NO_OFFSET */
    uint64_t count;   /* how many this item stands for */
    uint8_t limit;    /* enum tk_limit + 1: it is named in the text; else 0 */
    const char *text; /* in the arena, NUL-terminated, printable ASCII or UTF-8 */
};

struct tk_health {
    uint64_t counts[TK_HEALTH_COUNT];
    uint64_t ledger[TK_LEDGER_COUNT];
    struct tk_health_item *items; /* owned, n_items of them, in the order they were noted */
    size_t n_items, cap_items;
    struct tk_map by_text; /* hash of the text of an item that stands for several -> its place in items */
    uint64_t max_items;
    uint64_t named; /* bit i: an item names limit i */
    bool lost;      /* memory ran out for an item */
    uint64_t muted; /* bit i: faults of kind i are not noted now (they were, in an earlier reading) */
    struct tk_arena arena;
};

/* Counts `count` faults of a kind and keeps the text while there is space. Never fails. */
void tk_health_note(struct tk_health *h, enum tk_health_kind kind, uint64_t offset, uint64_t count,
                    const char *fmt, ...) TK_PRINTF(5, 6);

/*
 * A note with the name of a limit and how to raise it behind the text. tk_health_limit is for what was left
 * out because of one. Never fails.
 */
void tk_health_note_limit(struct tk_health *h, enum tk_health_kind kind, enum tk_limit limit, uint64_t offset,
                          uint64_t count, const char *fmt, ...) TK_PRINTF(6, 7);

#define tk_health_limit(health, limit, offset, count, ...)                                                   \
    tk_health_note_limit((health), TK_HEALTH_LIMIT_REACHED, (limit), (offset), (count), __VA_ARGS__)

/* Notes how many texts the limit `strings` left out, where any were, and counts anew. Never fails. */
void tk_health_left_out(struct tk_health *h, uint64_t *left_out);

/* Moves n bytes from one part of the ledger to another. */
void tk_health_move(struct tk_health *h, enum tk_ledger_part from, enum tk_ledger_part to, uint64_t n);

/* The item that such a fault adds to, or NULL. */
struct tk_health_item *tk_health_same(struct tk_health *h, enum tk_health_kind kind, const char *text);

/* Items changed their places. Never fails. */
void tk_health_moved(struct tk_health *h);

/* Notes an item of another list again. Never fails. */
void tk_health_repeat(struct tk_health *h, const struct tk_health_item *item);

/* Adds all notes of another (not its ledger) and forgets them there. Never fails. */
void tk_health_merge(struct tk_health *to, struct tk_health *from);

/* Is there damage (any kind of that tier)? */
int tk_health_damaged(const struct tk_health *h);

/* Are there events that were lost (any kind of that tier)? */
int tk_health_lossy(const struct tk_health *h);

/* Was something left out because a limit was reached (any kind of that tier)? */
int tk_health_partial(const struct tk_health *h);

/* Name, help and tier of a kind; name and help of a ledger part. Static texts. */
const char *tk_health_name(enum tk_health_kind kind);
const char *tk_health_help(enum tk_health_kind kind);
int tk_health_is_damage(enum tk_health_kind kind);
int tk_health_is_loss(enum tk_health_kind kind);
const char *tk_ledger_name(enum tk_ledger_part part);
const char *tk_ledger_help(enum tk_ledger_part part);

/* Forgets all notes (not the ledger, not max_items). */
void tk_health_clear(struct tk_health *h);
void tk_health_release(struct tk_health *h);

/*
 * Limits that the caller chose for its own answer, and reports there: what they leave out is no fault of
 * the answer. It sits alongside health.h; pages of captures call it.
 */

/* Takes all notes back that something was left out because of this limit; how much they say that was. */
uint64_t tk_health_take_limit(struct tk_health *h, enum tk_limit limit);

/*
 * Faults that several tables of one reading find, each by itself: noted once. Of a fault that was noted all
 * must be equal.
 */

/* As tk_health_note, for a fault without a place, unless an item says the same. Never fails. */
void tk_health_note_once(struct tk_health *h, enum tk_health_kind kind, uint64_t count, const char *fmt, ...)
    TK_PRINTF(4, 5);

/*
 * The health of a capture over several readings. Each reading finds the faults of the one before again, so it
 * starts from the state when the capture was opened; afterwards faults are kept that only earlier readings
 * found (they may have read more).
 */

/* Fills *to (to be released) with all that *from says. */
void tk_health_reread_copy(struct tk_health *to, const struct tk_health *from);

/* Moves *now to *before and starts *now as a copy of `opened` (NULL: without faults, the ledger of before).
 */
void tk_health_reread_start(struct tk_health *now, struct tk_health *before, const struct tk_health *opened);

/* Adds to *now the faults of those kinds of which *before counted more; releases *before. When the rows are
 * out: tables note faults up to then. */
void tk_health_reread_finish(struct tk_health *now, struct tk_health *before);

/* Fills *out (to be released) with what is known so far: of this reading, and of those before it where
 * `before` is not NULL. */
void tk_health_reread_known(const struct tk_health *now, const struct tk_health *before,
                            struct tk_health *out);

/*
 * Errors of reached limits: the cause, the name of the limit and how to raise it. Readers and builders return
 * them as TK_ELIMIT.
 */

/* TK_ELIMIT, with the name of the limit and how to raise it behind the text. */
int tk_err_limit(struct tk_err *err, enum tk_limit limit, const char *fmt, ...) TK_PRINTF(3, 4);

#endif
