/*
 * Several .utrace as one: pieces of the recording of one process, cut out of one file, or recorded one after
 * the other, of which a later one begins with what threads wrote last.
 */
#ifndef TK_EDIT_UTRACE_MERGE_UTRACE_H
#define TK_EDIT_UTRACE_MERGE_UTRACE_H

#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "edit/utrace/cut/survey.h"
#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/stages/walk.h"
#include "format/utrace/feed/family.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The event types of a merge: those of all pieces, each once and under its own number.
 */

/* Numbers of types, which declarations hold in 14 bits. */
#define TK_MERGE_UIDS 0x3fff

struct tk_merge_types {
    const struct tk_ut_type *by_uid[TK_MERGE_UIDS]; /* borrowed from the pieces */
    uint16_t highest;
};

/* Adds the types of a piece. TK_OK, or TK_EUSAGE: one number means two types. */
int tk_merge_types_add(struct tk_merge_types *t, const struct tk_ut_capture *c, struct tk_err *err);

/* Is it a type that edits themselves write? A merge does so anew. */
bool tk_merge_type_own(const struct tk_ut_type *type);

/*
 * The last stage of a merge: counts what all pieces give, and then writes it, one piece behind the other.
 */

/* Zero-initialise. */
struct tk_merge_joiner {
    struct tk_edit_stage stage;
    struct tk_edit_serials serials; /* of all pieces, each behind those before it */
    uint64_t base;                  /* added to the numbers of the piece in hand */
    uint64_t edits;                 /* records of earlier edits, which go */
    bool writes;
    struct tk_edit_result result;
};

int tk_merge_joiner_init(struct tk_merge_joiner *j);

/* From now on what comes is written; `sink` is borrowed. */
void tk_merge_joiner_write(struct tk_merge_joiner *j, const struct tk_ut_header *header,
                           struct tk_uw_sink *sink);

/* Writes declarations, also of the own types. */
int tk_merge_joiner_declare(struct tk_merge_joiner *j, const struct tk_merge_types *types);

/* Hooks of the walker, for writing. */
int tk_merge_joiner_packet(void *self, const struct tk_edit_packet *packet);
int tk_merge_joiner_rest(void *self);

void tk_merge_joiner_release(struct tk_merge_joiner *j);

/*
 * What a record says, as one number: by it merges know records that are in several pieces of a recording.
 */

/* Of an event with all its fields, but not its serial number. */
uint64_t tk_merge_event_content(const struct tk_ut_event *ev);

/* Of an event with its serial number as it stands in the file, or of a scope record. */
uint64_t tk_merge_record_content(const struct tk_edit_item *item);

/* How often each content came. Zero-initialise. */
struct tk_merge_counts {
    struct tk_map map;
};

/* One more of a content: how many there were before, or -1 if out of memory. */
int64_t tk_merge_count(struct tk_merge_counts *c, uint64_t content);

/* How many there are. */
uint32_t tk_merge_counted(const struct tk_merge_counts *c, uint64_t content);

void tk_merge_counts_release(struct tk_merge_counts *c);

/*
 * Where a recording repeats the end of an earlier one: of each thread the records that both have. A second
 * recording of a process begins with what its threads wrote last.
 */

/* The most records of a thread that a recording may repeat. */
#define TK_MERGE_REPEATED_MOST (UINT32_C(1) << 20)

/* The first records of a thread of a recording, and how many of them the end of the earlier ones is. */
struct tk_merge_overlap {
    TK_VEC(uint64_t) first; /* contents */
    TK_VEC(uint32_t) back;  /* by place: how much of the front the part that ends there ends with */
    uint64_t records;       /* of the thread, all of them */
    uint32_t sure;    /* the first record that is like no other, by number or time, counted from 1; 0: none */
    uint32_t matched; /* the records before this place in the earlier recordings are so many first ones */
    bool within;      /* all records are in an earlier recording, in a row */
    bool over;        /* they may have more of them than are known here */
    bool earlier;     /* earlier recordings have records of the thread */
};

/* Adds a record, of which `sure` says that none other is like it. 0, or -1 if out of memory. */
int tk_merge_overlap_add(struct tk_merge_overlap *o, uint64_t content, bool sure);

/* All were added. 0, or -1 if out of memory. */
int tk_merge_overlap_close(struct tk_merge_overlap *o);

/* The next record of the earlier recordings. */
void tk_merge_overlap_earlier(struct tk_merge_overlap *o, uint64_t content);

/* How many of the first records the earlier recordings have. */
uint32_t tk_merge_overlap_repeated(const struct tk_merge_overlap *o);

void tk_merge_overlap_release(struct tk_merge_overlap *o);

/*
 * The stage of a merge that leaves out what another piece has: of a piece that was cut what is outside of its
 * own times and in another one as well, and of a recording what it repeats of an earlier one.
 */

/* A marker of memory: steps of memory with higher numbers have its time. */
struct tk_merge_marker {
    uint64_t number;
    int64_t time;
};

/* The last step of memory that a piece gives of a thread. If it is the first half of a reallocation, the
 * second one, which takes over its tag, is in the same scopes of memory, and these go on in the piece that
 * has it. */
struct tk_merge_last_step {
    uint64_t number;
    bool halved;
    TK_VEC(uint64_t) scopes; /* those around it, by their contents, the innermost last */
    uint32_t going_on;       /* so many of them, the outermost */
};

/* A piece: what is known of it. Zero-initialise. */
struct tk_merge_piece {
    struct tk_ut_capture *c;        /* borrowed */
    struct tk_edit_cut_rule *rules; /* by type id, n; owned */
    size_t n;
    size_t given; /* its place among those that were named */
    bool cut;     /* an edit cut it, to these cycles since the start */
    int64_t from, to;
    int64_t begin;  /* its first time; INT64_MAX: it has none */
    uint64_t first; /* its lowest serial number; 0: none */
    uint64_t base;  /* added to its serial numbers, which are then behind those of earlier pieces */
    /* What it is to give: INT64_MIN and INT64_MAX: all that no earlier one has. */
    int64_t own_from, own_to;
    uint64_t first_step, end_step; /* the same for steps of memory, as serial numbers */
    bool no_steps;                 /* no marker comes behind its begin: the piece before gives those steps */
    TK_VEC(struct tk_merge_marker) markers;
    /* Of one that was cut: its events without a time, by what stands before them in their thread: a time that
     * is in the cut, or none. */
    struct tk_merge_counts placed, front;
    struct tk_merge_overlap **overlaps; /* by tid; owned. NULL: nothing of it is looked for */
    bool *repeated_later;               /* by tid; owned: a later piece repeats the end of the thread */
    uint64_t repeated;                  /* records that are left out, by overlaps */
    uint32_t *joined;         /* by tid, owned: scopes that go on from the piece before; NULL: not known */
    uint32_t *joined_stamped; /* the same of stamped scopes */
    struct tk_merge_last_step **last_steps; /* by tid; owned */
    uint32_t holes;                         /* threads that go on without what was between the recordings */
};

int tk_merge_piece_init(struct tk_merge_piece *p, struct tk_ut_capture *c, size_t given);
void tk_merge_piece_release(struct tk_merge_piece *p);

/* Is an event with such a rule given by its time, or where it has none by what other pieces have? */
bool tk_merge_is_shared(const struct tk_edit_cut_rule *rule);

/* What threads of all pieces have given so far: important events, and others without a time. */
struct tk_merge_given {
    struct tk_merge_counts counts;
};

struct tk_merge_lane;

struct tk_merge_owner {
    struct tk_edit_stage stage;
    struct tk_merge_piece *piece;
    struct tk_merge_given *given; /* borrowed */
    struct tk_map things;         /* number of a thing -> place in latest */
    TK_VEC(int64_t) latest;       /* the latest time of a thing so far */
    struct tk_merge_counts seen;  /* of this piece */
    struct tk_merge_lane **lanes; /* by tid; owned */
    struct tk_merge_piece *later; /* the pieces behind this one, n_later */
    size_t n_later;
    struct tk_merge_piece *earlier; /* the first of all pieces */
    bool plans; /* the first walk, in which they look for their first records in this one */
};

/* `next` gets what the piece gives. TK_OK or TK_ENOMEM. */
int tk_merge_owner_init(struct tk_merge_owner *o, struct tk_merge_piece *piece, struct tk_merge_given *given,
                        struct tk_edit_stage *next);
void tk_merge_owner_release(struct tk_merge_owner *o);

/* A merge under way. Zero-initialise; release. */
struct tk_edit_utrace_merge {
    struct tk_merge_piece *pieces; /* n, in the order of their times; owned */
    size_t n;
    struct tk_merge_types *types; /* owned */
    struct tk_merge_joiner joiner;
    uint64_t written;
    size_t at_fault; /* which one of those that were named an error is about; SIZE_MAX: none */
    bool plain;
    int level;
    struct tk_ut_capture *
        *rotated; /* n, owned: files in which one recording went on, in their order; NULL: others */
};

/* Finds out what each piece gives. The captures, n of them, are borrowed until it is released. TK_OK;
 * TK_EUSAGE: they are no pieces of one recording; TK_ELIMIT; or as tk_edit_run. */
int tk_edit_utrace_merge_plan(struct tk_edit_utrace_merge *m, struct tk_ut_capture *const *captures, size_t n,
                              struct tk_err *err);

/* Writes it. TK_EOUTPUT without a text where writing failed. */
int tk_edit_utrace_merge_write(struct tk_edit_utrace_merge *m, tk_edit_write *write, void *ctx,
                               struct tk_err *err);

void tk_edit_utrace_merge_release(struct tk_edit_utrace_merge *m);

#endif
