/*
 * What a section of the payload is, what the walk over the sections holds, and what a section may call. A
 * section is a step function that is called until it has read all of its part of the payload; it returns
 * early when the batch is full and goes on where its state says. Nothing here depends on the list of
 * sections.
 */
#ifndef TK_FORMAT_TRACY_FEED_SECTION_H
#define TK_FORMAT_TRACY_FEED_SECTION_H

#include "fact/source.h"
#include "format/tracy/file/blocks.h"
#include "format/tracy/file/payload.h"
#include "format/tracy/walk/held_facts.h"
#include "format/tracy/walk/held_messages.h"
#include "format/tracy/walk/batch.h"
#include "format/tracy/walk/capture_state.h"
#include "format/tracy/walk/record.h"
#include "format/tracy/walk/zone_pipeline.h"
#include "format/tracy/walk/zone_tree.h"

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
};

struct tk_tracy_note_name {
    int64_t id;
    uint32_t name; /* string + 1 */
};

struct tk_tracy_walk {
    struct tk_tracy_capture *c;
    struct tk_tracy_payload in;
    struct tk_tracy_blocks *blocks;   /* owned */
    const struct tk_request *request; /* NULL: nobody asks for facts */
    struct tk_tracy_batch *out;       /* borrowed */
    struct tk_health *health;         /* borrowed */
    uint64_t facts;                   /* TK_FACT_MASK of what is wanted */
    uint64_t records;                 /* TK_TRACY_RECORD_MASK of what is wanted */
    bool defining;                    /* the pass over the front */
    bool counting;                    /* how many records there are is wanted */
    bool ordering;                    /* frames, values and memory are held to be told in order of time */

    const struct tk_tracy_section *section; /* under way; NULL before the first one */
    size_t index;                           /* of the section under way, in the order of the file */
    size_t stop;                            /* index of the first section that is not walked */
    bool begun, faulted;                    /* the section is; the walk ended at a fault */
    void *state;                            /* of the section; owned */
    uint64_t start;                         /* offset of the section */
    uint64_t items;                         /* of the section so far */

    uint64_t counts[TK_TRACY_RECORD_COUNT], bytes[TK_TRACY_RECORD_COUNT];
    uint32_t lanes; /* given so far */
    bool closing;   /* zones come closed: by way of `closed`, else of `zones` */
    bool away;      /* the payload is with `closed`: its reader may be another thread */
    struct tk_tracy_zone_pipeline closed;
    struct tk_tracy_zone_stack zones;
    struct tk_tracy_messages messages;
    struct tk_tracy_held held;
    TK_VEC(uint8_t) extras; /* TK_TRACY_EXTRA bytes each; empty unless zones are wanted as records */

    TK_VEC(uint32_t) gpu_timers; /* of GPU zones, by location; empty until one is told */
    struct tk_map processes;     /* tid -> place in pids */
    TK_VEC(uint64_t) pids;
    struct tk_map switched;                  /* tids whose context switches were told by thread */
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

    /* Told at the end of each section, also of the one with a fault; may be NULL. The context of both. */
    int (*tell)(void *ctx, const struct tk_tracy_walk *w, struct tk_err *err);
    void *tell_ctx;
};

#define TK_TRACY_EXTRA 12 /* bytes kept of a zone extra */

/* ---- for sections ---- */

/* Tells the caller how far in the payload the walk is. TK_OK, or TK_ECANCELED when it shall end. */
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
 * Tells a record whose first byte is at an offset of the payload; cells are as many as the type has fields,
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

#endif
