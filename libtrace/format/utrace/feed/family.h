/*
 * Feed: what event families are, and what they may call to say facts. Who hands events to them is in
 * router.h.
 *
 * A family is one file with one struct tk_ut_family, and one line in family_list.h.
 */
#ifndef TK_FORMAT_UTRACE_FEED_FAMILY_H
#define TK_FORMAT_UTRACE_FEED_FAMILY_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/health/health.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "base/wrap.h"
#include "fact/fact.h"
#include "fact/format.h"
#include "format/utrace/lanes/lane.h"
#include "format/utrace/schema/event.h"
#include "format/utrace/schema/schema.h"
#include "format/utrace/wire/header.h"
#include "format/utrace/wire/index.h"
#include "table/cell.h"
#include "table/thread_columns.h"

/*
 * Batch: facts and scope runs of one step of a reading, with the memory that they point to.
 */

struct tk_ut_chunk;

/* A batch in the making. */
struct tk_ut_batch {
    TK_VEC(struct tk_fact) facts;
    TK_VEC(struct tk_scope_run) runs;
    struct tk_arena arena;               /* texts, records, values of this batch */
    struct tk_arena columns;             /* scope runs that were joined */
    TK_VEC(struct tk_ut_chunk *) chunks; /* of the scopes: owned; n_chunks of them in use */
    size_t n_chunks;
    void (*free_chunk)(struct tk_ut_chunk *chunk); /* set by who adds chunks */
    struct tk_health health;                       /* noted while it was made */
    size_t first_packet, next_packet;              /* made of these packets, in file order */
};

/* Empties a batch for reuse; what it noted must have been taken. */
void tk_ut_batch_clear(struct tk_ut_batch *out);
void tk_ut_batch_release(struct tk_ut_batch *out);

/*
 * The state of an open .utrace: what the index pass learned, and what readings of it share.
 */

struct tk_ut_timers;

/* What an edit said of itself. Cycles of the clock; 0 and UINT64_MAX: it did not cut. */
struct tk_ut_edit {
    uint64_t from, to;
    uint32_t first_frame;        /* game frames that it left out in front */
    const struct tk_str *record; /* a line of JSON */
};

struct tk_ut_capture {
    struct tk_capture base;
    struct tk_context *ctx; /* borrowed */
    struct tk_ut_header header;
    struct tk_ut_index index;
    struct tk_ut_schema schema;
    struct tk_intern strings;           /* all texts of definitions and facts */
    struct tk_arena arena;              /* values of definitions */
    struct tk_fact_clock clock;         /* frequency 0 until known */
    TK_VEC(struct tk_fact) definitions; /* said by the index pass and by readings since, in order */
    TK_VEC(struct tk_ut_edit) edits;    /* of the capture, in their order */
    struct tk_ut_references references;
    void **states;                    /* of the families, by their index; owned */
    struct tk_ut_timers *timers;      /* ids of timers and texts of scopes; owned */
    uint64_t important;               /* events on tid 1 */
    bool complete;                    /* a reading reached the end: all definitions are known */
    uint64_t walked[TK_LEDGER_COUNT]; /* the ledger behind the walk over the packets */
    bool walked_well;                 /* which noted no fault */
    struct {
        size_t definitions, timers;
        uint64_t instances;
    } opened;       /* how many there were before events were read */
    bool read_once; /* a reading was begun */

    /* For names that come behind their scopes (tk_ut_look_ahead). */
    struct tk_ut_capture *ahead;                /* owned: the same capture, read to its end; or NULL */
    struct tk_context *ahead_ctx;               /* owned: its context */
    int (*read_ahead)(struct tk_ut_capture *c); /* makes them. TK_OK or TK_ENOMEM */
    bool looked_ahead;
};

/* The clock as readings tell it. */
static inline struct tk_fact_clock tk_ut_reported_clock(const struct tk_ut_capture *c)
{
    struct tk_fact_clock clock = c->clock;
    clock.parts = c->base.parts;
    clock.frequency *= tk_fact_clock_parts(&clock);
    return clock;
}

/*
 * Times of events: in which field a type has one, and what an event says there. In addition events with such
 * a field, stamped scopes have the time of their stamp, and CPU batches that of their first entry.
 */

/* Where events of a type have their time. */
struct tk_ut_time_rule {
    const struct tk_ut_field *field; /* NULL: nowhere but in a stamp */
    uint8_t shift;                   /* of a batch: flag bits below its first time; 0: no batch */
    bool relative;                   /* counts from the start */
    bool clock;                      /* is the start itself, at which nothing happened */
};

struct tk_ut_time_rule tk_ut_time_rule_of(const struct tk_ut_type *type);

/* The time of an event in cycles since `start`; false where it says none. */
bool tk_ut_time_by_rule(const struct tk_ut_time_rule *rule, const struct tk_ut_event *ev, uint64_t start,
                        int64_t *time);

/*
 * Held records: events in the order of the file. One whose array data goes on in later packets is said when
 * that is there; what other threads say until then stands behind it in the file, and waits here.
 */

#define TK_UT_HELD_LANES 64u         /* of further lanes nobody waits for events */
#define TK_UT_HELD_BYTES (16u << 20) /* with more all is said as it is, not in order */

struct tk_ut_feed;

struct tk_ut_held {
    uint64_t behind; /* events of packets behind this offset are held; UINT64_MAX: none */
    uint64_t passed; /* offset up to which nothing is waited for any more */
    TK_VEC(struct tk_fact) facts;
    struct tk_arena arena; /* their events */
    struct {
        uint32_t tid;
        uint64_t offset; /* of its first event that is not said yet */
    } lanes[TK_UT_HELD_LANES];
    unsigned n_lanes;
};

/* Offset of the first event of a lane that is not said yet; UINT64_MAX when all are. */
uint64_t tk_ut_held_pending(const struct tk_ut_lane *lane);

/* A packet of the lane was read: what has to wait for it, and what need not wait any more, which is said.
 * TK_OK or TK_ENOMEM. */
int tk_ut_held_look(struct tk_ut_feed *feed, const struct tk_ut_lane *lane);

/* Says all that waits. TK_OK or TK_ENOMEM. */
int tk_ut_held_flush(struct tk_ut_feed *feed);

void tk_ut_held_release(struct tk_ut_held *held);

struct tk_ut_feed;
struct tk_ut_route;
struct tk_ut_scopes;

struct tk_ut_bind;

/* Handles an event. Fields are reached by their place in the bind's list (tk_ut_u64(ev, i) ...). */
typedef int tk_ut_event_fn(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);

#define TK_UT_BIND_FIELDS 12

struct tk_ut_bind {
    const char *event; /* "Logger.Event"; "Logger.*" for all of a logger; TK_UT_ALL_DEFINITIONS */
    tk_ut_event_fn *fn;
    bool define; /* defines what others refer to: handled once, in the index pass where it stands there */
    const char *fields[TK_UT_BIND_FIELDS];
};

/* Where a field is in the fixed part. */
struct tk_ut_quick_field {
    uint64_t mask; /* of its bytes; 0: the type does not declare it */
    uint32_t offset;
};

/* A plain event (lane.h) of which all fields that a bind requests are numbers without sign. */
struct tk_ut_quick_event {
    const uint8_t *fixed; /* 8 bytes more can be read */
    const struct tk_ut_quick_field *fields;
    uint64_t seq;
    uint32_t tid;
};

/* Handles such an event. TK_ITEM: its tk_ut_event_fn is to do it, nothing has happened yet. */
typedef int tk_ut_quick_fn(struct tk_ut_feed *feed, void *state, const struct tk_ut_quick_event *ev);

static inline uint64_t tk_ut_quick_u64(const struct tk_ut_quick_event *ev, unsigned i)
{
    return tk_load64(ev->fixed + ev->fields[i].offset) & ev->fields[i].mask;
}

/* What stands for the handler of a bind where it can. */
struct tk_ut_quick_bind {
    tk_ut_event_fn *fn;
    tk_ut_quick_fn *quick;
};

/* For tk_ut_bind.event: every type that declares an id for others to refer to. */
#define TK_UT_ALL_DEFINITIONS "*"

/* Is the bind about events of this type? */
bool tk_ut_bind_concerns(const struct tk_ut_bind *bind, const struct tk_ut_type *t);

struct tk_ut_family {
    const char *name;
    uint64_t facts; /* TK_FACT_MASK of what it says in addition definitions; binds that do not define are used
                       only when one of them is requested */
    const struct tk_table *const *rows;   /* tables that it says rows of (TK_FACT_ROW), NULL-terminated; its
                         binds are also used when one of them is requested. NULL: none */
    const struct tk_ut_bind *binds;       /* ends with event NULL */
    const struct tk_ut_quick_bind *quick; /* for events of which there are very many; ends with fn NULL; NULL:
                       none */
    size_t state;                         /* bytes of its state in a capture, zeroed at first */
    /* A scope around an event of this bind has ended on thread tid (see tk_ut_event.scoped), in its place
     * among the events of the thread. May be NULL. */
    int (*scope_end)(struct tk_ut_feed *feed, void *state, const struct tk_ut_bind *bind, uint32_t tid);
    /* Bytes of a thread are missing: the ends of its open scopes are not reported. May be NULL. */
    int (*cut)(struct tk_ut_feed *feed, void *state, uint32_t tid);
    /* Events of any thread are lost here; in readings in order of serial alone. May be NULL. */
    int (*gap)(struct tk_ut_feed *feed, void *state);
    /* A reading begins: forgets what an earlier one left that did not come to its end. May be NULL. */
    void (*begin)(void *state);
    /* The end of a reading: what waits for definitions that never came. May be NULL. */
    int (*finish)(struct tk_ut_feed *feed, void *state);
    /* The state is about to be freed. May be NULL. */
    void (*release)(void *state);
};

struct tk_ut_feed {
    struct tk_ut_capture *capture;
    struct tk_ut_batch *out;
    struct tk_ut_scopes *scopes;          /* NULL: nobody requested scopes */
    const struct tk_request *request;     /* NULL in the index pass */
    const struct tk_ut_family *only;      /* NULL: all families */
    bool index;                           /* index pass: only definitions */
    bool marks;                           /* a family wants to know when scopes end */
    bool important;                       /* the events that come are on tid 1 */
    TK_VEC(struct tk_ut_route *) routes;  /* by type id, resolved on first use up to n */
    TK_VEC(uint8_t) records;              /* by type id: wanted as record? */
    TK_VEC(struct tk_ut_time_rule) times; /* by type id */
    bool follows;                         /* the times of all events are followed */
    int64_t first,
        latest; /* least of the first ones of lanes, and the greatest; INT64_MAX, INT64_MIN: none yet */
    struct tk_arena arena;   /* routes */
    struct tk_ut_lane *lane; /* of the event in hand */
    /* Of readings in the order of the file: numbers so far. NULL: events come with their seq. */
    const struct tk_ut_serials *serials;
    struct tk_health extra; /* what families note that are there for tk_request.alongside alone */
    struct tk_ut_held held; /* records that wait, in the order of the file */
};

/* Is the request for records about events of this type? */
bool tk_ut_wants_record(const struct tk_request *request, const struct tk_ut_type *t);

/* ---- for families ---- */

/* Says a fact. TK_OK or TK_ENOMEM. */
int tk_ut_emit(struct tk_ut_feed *feed, const struct tk_fact *fact);

/* Says a definition: also kept, to be said again by later readings. */
int tk_ut_define(struct tk_ut_feed *feed, const struct tk_fact *fact);

/*
 * The capture as it is known at its end, for a name that is missing: where rows of single scopes are sent
 * while definitions may follow. Else *out is NULL, as where it cannot be read. TK_OK or TK_ENOMEM.
 */
int tk_ut_look_ahead(struct tk_ut_feed *feed, const struct tk_ut_capture **out);

/* The text of another capture as one of this one; NULL if out of memory. */
const struct tk_str *tk_ut_own_text(struct tk_ut_feed *feed, const struct tk_str *text);

/* Is any of these facts requested? */
static inline bool tk_ut_requested(const struct tk_ut_feed *feed, uint64_t facts)
{
    return feed->request && (feed->request->facts & facts);
}

/* Are rows of this table requested? */
bool tk_ut_requested_row(const struct tk_ut_feed *feed, const struct tk_table *table);

/* A fact to be filled in where it will be said, about the thread and place of an event: for facts of which
 * there are very many. Its part of the union has still to be set. NULL if out of memory. Borrowed until the
 * next one. */
static inline struct tk_fact *tk_ut_emit_slot_of(struct tk_ut_feed *feed, uint32_t tid, uint64_t seq,
                                                 enum tk_fact_kind kind, int64_t time)
{
    struct tk_ut_batch *out = feed->out;
    if (out->facts.n >= out->facts.cap && tk_vec_reserve(&out->facts, out->facts.n + 1))
        return NULL;
    struct tk_fact *fact = &out->facts.v[out->facts.n++];
    fact->kind = (uint16_t)kind;
    fact->size = sizeof *fact;
    fact->thread = tid;
    fact->time = time;
    fact->seq = seq;
    return fact;
}

static inline struct tk_fact *tk_ut_emit_slot(struct tk_ut_feed *feed, const struct tk_ut_event *ev,
                                              enum tk_fact_kind kind, int64_t time)
{
    return tk_ut_emit_slot_of(feed, ev->tid, ev->seq, kind, time);
}

/* A fact about the thread and place of an event. time in cycles since the start. */
struct tk_fact tk_ut_fact(const struct tk_ut_feed *feed, const struct tk_ut_event *ev, enum tk_fact_kind kind,
                          int64_t time);

/* An absolute cycle as cycles since the start. */
static inline int64_t tk_ut_since(const struct tk_ut_feed *feed, uint64_t cycle)
{
    return (int64_t)(cycle - feed->capture->clock.start);
}

/* The same as facts have it in the end (tk_fact_clock.parts). What goes through the reading's conversion,
 * which is all but lanes and facts of GPU queues, is in cycles until then. */
static inline int64_t tk_ut_parts_since(const struct tk_ut_feed *feed, uint64_t cycle)
{
    const int64_t time = tk_ut_since(feed, cycle);
    return feed->capture->base.parts ? tk_saturate_times(time, feed->capture->base.parts) : time;
}

/* Text of the handler's field i, interned; the attachment (characters of `width` bytes) where it is not
 * declared. */
const struct tk_str *tk_ut_str(struct tk_ut_feed *feed, const struct tk_ut_event *ev, unsigned i,
                               unsigned width);

/* A copy of an event that lives as long as an arena, to be displayed as a record (&ev->type->record); NULL if
 * out of memory. */
const struct tk_ut_event *tk_ut_event_keep(const struct tk_ut_feed *feed, const struct tk_ut_event *ev,
                                           struct tk_arena *a);

/* The time that an event that is being handed on says; false when it says none. */
bool tk_ut_event_time(const struct tk_ut_feed *feed, const struct tk_ut_event *ev, int64_t *time);

/* Notes damage in the content of an event. */
void tk_ut_bad_payload(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const char *what);

/* Thread ids of the operating system in events before 4.26 (events 0.4). */
#define TK_UT_OS_THREAD UINT32_C(0x70000000)

/*
 * Rows of families: facts TK_FACT_ROW and their cells. Times in cells are cycles since the start, lengths are
 * cycles; the model converts them.
 */

/* What a row is about. */
struct tk_ut_row_key {
    uint32_t thread; /* TK_NO_THREAD: of no thread */
    uint64_t seq;
    bool timed; /* lasted from begin to end; equal for a point in time */
    int64_t begin, end;
};

/* The thread of an event and a stretch of time. */
static inline struct tk_ut_row_key tk_ut_row_of(const struct tk_ut_event *ev, int64_t begin, int64_t end)
{
    return (struct tk_ut_row_key){ev->tid, ev->seq, true, begin, end};
}

/* Nothing in particular. */
#define TK_UT_ROW_ANY ((struct tk_ut_row_key){.thread = TK_NO_THREAD, .seq = TK_NO_SEQ})

/* Says a row of a table: its cells, all without a value, to be filled in at once. NULL if out of memory. */
struct tk_cell *tk_ut_row(struct tk_ut_feed *feed, const struct tk_table *table, struct tk_ut_row_key key);

/* The cycles from the point in time in column `from` of the row on. */
static inline struct tk_cell tk_ut_cell_since(unsigned from, int64_t cycles)
{
    return (struct tk_cell){.kind = TK_DURATION, .n = from + 1, .v.i = cycles};
}

/*
 * Names that events give to numbers (addresses, ids), as far as a reading has come.
 */

struct tk_ut_id_names {
    struct tk_map index; /* number -> place */
    TK_VEC(const struct tk_str *) names;
};

/* Sets the name of a number to field `name` of the event (characters of `width` bytes where it is attached);
 * a later one replaces it. TK_OK or TK_ENOMEM. */
int tk_ut_id_names_put(struct tk_ut_feed *feed, struct tk_ut_id_names *n, const struct tk_ut_event *ev,
                       uint64_t number, unsigned name, unsigned width);

/* The name of a number, or NULL. */
const struct tk_str *tk_ut_id_names_get(const struct tk_ut_id_names *n, uint64_t number);

/* Forgets all. */
void tk_ut_id_names_release(struct tk_ut_id_names *n);

#endif
