/*
 * Edits of a .utrace: two walks over the capture, the first of which finds out what stays as it is, and the
 * second of which writes.
 */
#ifndef TK_EDIT_UTRACE_EDIT_UTRACE_H
#define TK_EDIT_UTRACE_EDIT_UTRACE_H

#include "base/vec.h"
#include "edit/utrace/cut/survey.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/stages/walk.h"
#include "edit/utrace/texts/texts.h"
#include "format/utrace/schema/schema.h"
#include "format/utrace/write/lanes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Chains of packets: those of a lane that one record leads from one to the next. They are copied together, or
 * written anew together. The last stage of the first walk judges, that of the second one queries.
 */

/* What is known of a chain; that of a packet which is not the first of its chain is not used. */
struct tk_edit_chain {
    uint64_t number; /* the highest serial number of its events that stay */
    uint32_t head;   /* packet: the first one of the chain that this packet belongs to */
    bool dirty;      /* not all of it is what it was */
    bool unsure;     /* that is not known yet */
};

struct tk_edit_chains {
    struct tk_edit_chain *packets; /* owned, n */
    size_t n;
    uint32_t *of_lane; /* by tid: the first packet of the chain in hand; UINT32_MAX: none came; owned */
    bool *open;        /* by tid: the chain goes on; owned */
};

/* TK_OK or TK_ENOMEM. */
int tk_edit_chains_init(struct tk_edit_chains *c, size_t packets);

/* A packet of a lane begins; a chain of its own, unless a record leads into it. In the first walk. */
void tk_edit_chains_begin(struct tk_edit_chains *c, size_t packet, uint32_t tid);

/* The chain that the records of a lane belong to now; NULL: no packet of it came yet. */
struct tk_edit_chain *tk_edit_chains_now(struct tk_edit_chains *c, uint32_t tid);

/* What was found of texts, by the first packet of a chain. */
void tk_edit_chains_found(struct tk_edit_chains *c, const uint8_t *found);

/* Is this packet to be written anew? Where its chain has a serial number from `shifted` on, too. */
bool tk_edit_chains_dirty(const struct tk_edit_chains *c, size_t packet, uint64_t shifted);

/* The second walk comes to a packet. */
void tk_edit_chains_follow(struct tk_edit_chains *c, size_t packet, uint32_t tid);

void tk_edit_chains_release(struct tk_edit_chains *c);

/*
 * The serial numbers of the events that stay, and which they get: dense, in the old order. The last stage of
 * the first walk fills it, that of the second one queries.
 */

/* An event with a number that another one has, or that is far from all others: it gets one of its own. */
struct tk_edit_odd_serial {
    uint64_t event, number; /* the how many-th that stays; its number here */
};

#define TK_EDIT_SERIAL_WORDS 1024 /* of a page */

struct tk_edit_serial_page {
    uint64_t bits[TK_EDIT_SERIAL_WORDS];
    uint64_t before;                        /* bits in the pages before it, */
    uint16_t in_page[TK_EDIT_SERIAL_WORDS]; /* and in it before each word; once the set is closed */
};

struct tk_edit_serials {
    struct tk_edit_serial_page **pages; /* owned, each of them too */
    uint64_t first_page, n_pages;
    uint64_t lowest, highest;
    uint64_t events; /* requested so far in this walk */
    TK_VEC(struct tk_edit_odd_serial) odd;
    size_t next_odd;
    uint64_t shifted; /* from this number on events get others; UINT64_MAX: none */
    uint64_t base;    /* what the lowest number gets */
};

/* An event stays: returns the number it counts under, 0 if out of memory. In the first walk. */
uint64_t tk_edit_serials_add(struct tk_edit_serials *s, uint64_t number);

/* The end of the first walk. Where events are `renumbered`, the first one gets `base`; numbers of events have
 * the bits of `mask` in the file. */
void tk_edit_serials_close(struct tk_edit_serials *s, bool renumbered, uint64_t base, uint64_t mask);

/* The same event in the second walk: the number it counts under. */
uint64_t tk_edit_serials_find(struct tk_edit_serials *s, uint64_t number);

/* The serial number that an event gets, uncut; its own where none with that number was added. */
uint64_t tk_edit_serials_new(const struct tk_edit_serials *s, uint64_t number);

void tk_edit_serials_release(struct tk_edit_serials *s);

/*
 * The last stage of the first walk: counts what stays and what goes, and finds out which packets stay as they
 * are.
 */

/* Events of a type. Bytes are unpacked ones. */
struct tk_edit_tally {
    uint64_t events, bytes, kept, kept_bytes, changed;
};

struct tk_edit_account {
    struct tk_edit_stage stage;
    struct tk_ut_capture *c;
    struct tk_edit_chains chains;
    struct tk_edit_serials serials;
    struct tk_edit_tally *types; /* by type id, n; owned */
    size_t n;
    bool *shifted_stamps; /* by tid: a stamp was left out since the last one that stays; owned */
    bool *left_scopes;    /* by tid: a scope record was left out; owned */
    uint64_t first;       /* lowest number of all events; 0: none has one */
    uint64_t lost;        /* events with a number that are left out */
    uint64_t gaps, incomplete, copies;
    uint8_t frame[4]; /* n_frame bytes of the head of a declaration, */
    uint8_t n_frame;
    uint32_t frame_left; /* and how much of it is still to come */
    bool declarations;   /* those of thread 0 have to be written anew */
    bool damaged;        /* something could not be read */
    bool in_order;       /* events are left out where they stand in their thread, */
    bool holds_places; /* and something takes the places of those with a number, so that others keep theirs */
    bool changes;      /* the result is not what was there */
};

int tk_edit_account_init(struct tk_edit_account *a, struct tk_ut_capture *c);

/* Hooks of the walker. */
int tk_edit_account_begin(void *self, const struct tk_edit_packet *packet);
int tk_edit_account_packet(void *self, const struct tk_edit_packet *packet);

/* The place of the chain that records of a lane belong to now. */
uint32_t tk_edit_account_place(void *self, uint32_t tid);

/* The end of the walk, whose faults are these. Settles which packets stay, and serial numbers. */
void tk_edit_account_close(struct tk_edit_account *a, const struct tk_health *health);

/* Packets of which nobody needs the records, as they and what their lane knows stay as they are: by place in
 * the index, owned by the caller; NULL: out of memory. Closed, and nothing is missing or there twice. */
bool *tk_edit_account_passed(const struct tk_edit_account *a);

void tk_edit_account_release(struct tk_edit_account *a);

/* Unpacked bytes of an event as it stands in its lane. */
uint64_t tk_edit_event_bytes(const struct tk_ut_event *ev);

/*
 * What an edit says of itself in its result: events of the logger Tracekit, which other readers pass over.
 */

/* The types, whose uids are to be set. Gap: bytes of a thread are missing here. Left: stands where an event
 * was that is left out, and has its serial number. Edit: see tk_edit_record_put. */
extern const struct tk_uw_type tk_edit_type_gap, tk_edit_type_left, tk_edit_type_edit;

/* Is there space for all own types? */
bool tk_edit_own_uids(const struct tk_ut_schema *schema);

/* An own type with its uid, the place-th behind all others, or of those that are free; declared on a lane
 * unless it was. A uid of 0: there is no space for it. */
struct tk_uw_type tk_edit_own_type(struct tk_uw_lane *declarations, const struct tk_ut_schema *schema,
                                   const struct tk_uw_type *type, unsigned place);

/* Whole capture: `from` 0 and `to` UINT64_MAX. Cycles of the clock. */
struct tk_edit_span {
    uint64_t from, to;
    uint32_t first_frame; /* game frames that were left out in front */
};

/* Writes an event that reports one edit; text is a line of JSON. */
void tk_edit_record_put(struct tk_uw_lane *important, const struct tk_uw_type *type,
                        const struct tk_edit_span *span, const char *text, size_t n);

/* What is requested. Borrowed. */
struct tk_edit_request {
    struct tk_edit_words words;
    struct tk_edit_window window; /* what stays, where `cut` */
    bool cut;
    bool close; /* scopes without an end get one: at `last`, cycles since the start */
    int64_t last;
    bool repack;           /* packets are compressed anew, */
    bool plain;            /* or not at all, */
    int level;             /* 1 to 12: LZ4 HC; 0: LZ4 */
    struct tk_anon *anon;  /* what is replaced, with its first four members set; NULL: nothing */
    tk_edit_kind_fn *kind; /* as tk_edit_anonymiser has it */
    void *kind_ctx;
};

/* Writes bytes of the result. False: failed. */
typedef bool tk_edit_write(void *ctx, const void *p, size_t n);

/* An edit under way. Zero-initialise. */
struct tk_edit_utrace {
    struct tk_ut_capture *c;
    const struct tk_edit_request *request;
    struct tk_edit_choice choice;
    struct tk_edit_survey survey; /* where something is cut */
    struct tk_edit_texts texts;   /* where texts are replaced */
    bool learns;                  /* the first walk learns them, too */
    struct tk_edit_broken broken;
    struct tk_edit_account account;
    uint64_t written, copied; /* bytes of the result, and those of packets that were copied */
    bool damaged;             /* the capture is */
};

/* The first walk. TK_OK or as tk_edit_run. The capture and the request are borrowed until it is released. */
int tk_edit_utrace_plan(struct tk_edit_utrace *e, struct tk_ut_capture *c,
                        const struct tk_edit_request *request, struct tk_err *err);

/* The second one. TK_EOUTPUT without a text where writing failed. */
int tk_edit_utrace_write(struct tk_edit_utrace *e, tk_edit_write *write, void *ctx, struct tk_err *err);

/* Looks for texts that were replaced in a result. TK_OK, TK_EOUTPUT: one stands there, or as tk_edit_run. */
int tk_edit_utrace_inspect(struct tk_anon *anon, struct tk_ut_capture *result, struct tk_err *err);

void tk_edit_utrace_release(struct tk_edit_utrace *e);

/*
 * Threads of a .utrace that is written: what stages give goes to the lane of its thread, and from there in
 * packets to a sink. Between the stages of edits and merges and format/utrace/write.
 */

struct tk_edit_result {
    struct tk_uw_stream stream;
    struct tk_uw_lane **lanes;         /* by tid; owned */
    TK_VEC(uint16_t) tids;             /* of them */
    struct tk_uw_type edit, gap, left; /* the own types; a uid of 0: not declared */
};

/* TK_OK or TK_ENOMEM. The sink of the stream is set before the first packet. */
int tk_edit_result_init(struct tk_edit_result *r);
void tk_edit_result_release(struct tk_edit_result *r);

/* The lane of a thread, made when it is not there; NULL if out of memory. */
struct tk_uw_lane *tk_edit_result_lane(struct tk_edit_result *r, uint32_t tid);

/* Writes a scope, or an event with this serial number. TK_OK or TK_ENOMEM. */
int tk_edit_result_put(struct tk_edit_result *r, const struct tk_edit_item *item, uint32_t serial);

/* Says that records of a thread are missing here. TK_OK or TK_ENOMEM. */
int tk_edit_result_gap(struct tk_edit_result *r, uint32_t tid);

/* Puts something in the place of an event with this serial number. TK_OK or TK_ENOMEM. */
int tk_edit_result_left(struct tk_edit_result *r, uint32_t tid, uint32_t serial);

/* Writes what a lane holds in a packet; nothing where there is no such lane. TK_OK or TK_EOUTPUT. */
int tk_edit_result_flush(struct tk_edit_result *r, uint32_t tid);
int tk_edit_result_flush_all(struct tk_edit_result *r);

/* The end: what the edit says of itself, and sync packets. TK_OK, TK_ENOMEM or TK_EOUTPUT. */
int tk_edit_result_tail(struct tk_edit_result *r, const struct tk_edit_span *span, const char *record,
                        size_t n);

#endif
