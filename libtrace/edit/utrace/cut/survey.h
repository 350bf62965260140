/*
 * What a cut has to know before it decides: which things are alive in the window. A walk of its own fills it.
 */
#ifndef TK_EDIT_UTRACE_CUT_SURVEY_H
#define TK_EDIT_UTRACE_CUT_SURVEY_H

#include "base/id_set.h"
#include "edit/utrace/cut/cut_classes.h"
#include "edit/utrace/cut/cut_scopes.h"
#include "edit/utrace/stages/stage.h"
#include "format/utrace/feed/capture_state.h"

/* First and last time of a thing with a number. */
struct tk_edit_life {
    int64_t first, last;
    bool ended; /* else it goes on behind its last step */
    bool stays; /* its steps do; once the walk is over */
};

/* A task waits for another. */
struct tk_edit_wait {
    uint64_t task, before;
};

/* The last serial numbers of what happened to an address up to some point; 0: nothing did. */
struct tk_edit_steps {
    uint64_t allocated, freed;
};

/* An address in a root heap. */
struct tk_edit_block {
    uint64_t address;
    struct tk_edit_steps begin, end,
        later;            /* up to the begin of the window, up to its end, and behind that */
    uint64_t first_freed; /* behind the window */
};

/* The CPU scopes of a thread at an edge of the window, so that later walks need only the batches that lie
 * over one. */
struct tk_edit_edge {
    uint64_t batches; /* so many come before that one */
    TK_VEC(struct tk_edit_open) open;
};

/* A step of memory, and the block that it is of. */
struct tk_edit_memory_event {
    uint64_t address, number;
    uint16_t root; /* heap */
    uint8_t step;  /* enum tk_edit_memory_step */
};

/* Whether events stay for which that takes long to find out: in their order, as the first walk that decides
 * found it, for the one that writes. */
struct tk_edit_decided {
    TK_VEC(uint64_t) words;
    uint64_t n, next; /* bits, and how many were read */
};

struct tk_edit_survey {
    struct tk_edit_window window;
    /* By tid, owned, NULL where there is none: the first batch that reaches into the window, and the first
       one behind that of which not all stays. */
    struct tk_edit_edge **starts, **ends;
    struct tk_edit_cut_rule *rules; /* by type id, n; owned */
    size_t n;
    struct tk_edit_things things;
    struct tk_id_set used; /* metadata instances of scopes that stay */
    struct tk_map lives;   /* number of a thing -> place in `life` */
    TK_VEC(struct tk_edit_life) life;
    TK_VEC(struct tk_edit_wait) waits; /* by task, once the walk is over */
    struct tk_map held_up;             /* what things that stay waited for: they stay, too */
    struct tk_map blocks;              /* address in system memory -> place in `block` */
    struct tk_map others;              /* any other root heap -> place in `other` */
    TK_VEC(struct tk_map) other;       /* as `blocks` */
    TK_VEC(struct tk_edit_block) block;
    /* By type id, owned: of steps before the window the last one, and its thing, which stays: how many there
       were of a kind is then known when the window begins. */
    struct tk_edit_last_step {
        int64_t time;
        uint64_t key;
        bool any;
    } * last_steps;
    /* Addresses at which something else happened, as a block that came from another or became a container,
       -> 1: all steps there stay, whatever the heap. */
    struct tk_map moved;
    struct tk_id_set steps;            /* numbers of other steps outside of the window that stay */
    uint64_t first_marker, end_marker; /* serial numbers: of the first that is in the window, and behind it;
                                          UINT64_MAX: none is */
    uint64_t last_before,
        last_inside; /* of the last markers before the window, and before its end; 0: none */
    uint64_t most_before, most_inside; /* of the last steps that were taken for such; 0: none */
    bool memory;                       /* there are steps of memory, */
    bool memory_apart;                 /* which have to be looked at in a walk of their own */
    uint8_t *want; /* what the walk in hand asks for, by type id: no steps of memory in that case; borrowed */
    struct tk_edit_memory_event *soon; /* a ring of those whose place is not known yet; owned */
    size_t first_soon, n_soon;
    /* Numbers of the last allocations and frees before the window; all of those stay, as tables tell which
       blocks live for few of them. The least of them once the walk is over; UINT64_MAX: none. */
    uint64_t *recent;
    size_t n_recent;
    uint64_t recent_from;
    struct tk_edit_decided decided;
};

int tk_edit_survey_init(struct tk_edit_survey *s, const struct tk_ut_capture *c,
                        const struct tk_edit_window *window);

/* Does it depend on all events when a thread ends, as its end has no time? */
bool tk_edit_survey_needs_all(const struct tk_edit_survey *s);

/* Looks at an event that has this time. TK_OK or TK_ENOMEM. */
int tk_edit_survey_see(struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number, int64_t time);

/* The end of that walk. TK_OK or TK_ENOMEM. */
int tk_edit_survey_close(struct tk_edit_survey *s);

/* A step of memory in that walk. TK_OK or TK_ENOMEM. */
int tk_edit_survey_memory_soon(struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number);

/* At its end: takes those that wait, and says in `memory_apart` whether all was for nothing. */
int tk_edit_survey_memory_settle(struct tk_edit_survey *s);

/* The same in the walk of their own, where it is needed: which blocks are alive. */
int tk_edit_survey_memory(struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number);

/* An edge, or NULL if out of memory. */
struct tk_edit_edge *tk_edit_edge_new(uint64_t batches, const struct tk_edit_open *open, size_t n);

/* Forgets which blocks there are. */
void tk_edit_survey_blocks_release(struct tk_edit_survey *s);

/* When all were looked at. TK_OK or TK_ENOMEM. */
int tk_edit_survey_memory_close(struct tk_edit_survey *s);

/* TK_OK or TK_ENOMEM. */
int tk_edit_decided_put(struct tk_edit_decided *d, bool stays);

/* The next one; true where there is none. */
bool tk_edit_decided_next(struct tk_edit_decided *d);

/* Does it stay? Of TK_CUT_KEYED, at its time, and TK_CUT_ALLOCATION. */
bool tk_edit_survey_keyed(const struct tk_edit_survey *s, const struct tk_ut_event *ev, int64_t time);
bool tk_edit_survey_step(const struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number);

void tk_edit_survey_release(struct tk_edit_survey *s);

#endif
