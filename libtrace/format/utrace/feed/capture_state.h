/*
 * The state of an open .utrace: what the index pass learned, and what readings of it share.
 */
#ifndef TK_FORMAT_UTRACE_FEED_CAPTURE_STATE_H
#define TK_FORMAT_UTRACE_FEED_CAPTURE_STATE_H

#include "base/text/intern.h"
#include "fact/format.h"
#include "format/utrace/schema/references.h"
#include "format/utrace/schema/schema.h"
#include "format/utrace/wire/header.h"
#include "format/utrace/wire/index.h"

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
};

/* The clock as readings tell it. */
static inline struct tk_fact_clock tk_ut_told_clock(const struct tk_ut_capture *c)
{
    struct tk_fact_clock clock = c->clock;
    clock.parts = c->base.parts;
    clock.frequency *= tk_fact_clock_parts(&clock);
    return clock;
}

#endif
