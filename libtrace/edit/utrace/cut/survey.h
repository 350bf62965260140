/*
 * What a cut has to know before it decides: which things are alive in the window. A walk of its own fills it.
 */
#ifndef TK_EDIT_UTRACE_CUT_SURVEY_H
#define TK_EDIT_UTRACE_CUT_SURVEY_H

#include "base/hash.h"
#include "base/vec.h"
#include "edit/utrace/stages/stage.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/schema/event.h"
#include "format/utrace/write/packets.h"

/*
 * CPU scopes of a thread at the edges of a cut: scopes that are open when the window begins are begun again
 * there, those open at its end are ended there.
 */

/* The window, cycles since the start of the clock; and that start. */
struct tk_edit_window {
    int64_t from, to;
    uint64_t start;
};

/* A scope that is open. */
struct tk_edit_open {
    uint64_t number; /* as in the batch; of a coroutine its id */
    uint8_t kind;    /* 0 a scope, 1 a coroutine, 2 what came back with it */
    bool kept;       /* it is in the result, or will be when the window begins */
};

struct tk_edit_cut_scopes {
    TK_VEC(struct tk_edit_open) stack; /* the innermost last */
    bool carried;                      /* the window has begun for this thread */
    struct tk_uw_bytes out;            /* entries of the batch in hand that stay */
    size_t front;                      /* bytes of `out`: a batch of its own, of what was open at the edge */
    int64_t last;                      /* time of the last of them */
    bool any;                          /* there is one in the batch */
    struct tk_bytes rest;              /* of the batch, behind the entry in hand */
    unsigned clipped;                  /* entries that are not as they were */
    /* Reported of each number of a begin that stays. May be NULL. */
    int (*used)(void *ctx, uint64_t number);
    void *ctx;
};

/* Is nothing of a batch in the result that begins at this time, behind the window? What ends in it is not in
 * the result, too. Forgets what is open. */
bool tk_edit_cut_over(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, int64_t begin);

/* The time of the first entry of a batch. */
int64_t tk_edit_cut_begin(const struct tk_edit_window *w, unsigned form, const uint8_t *p, size_t n);

/* Goes over a batch. *same: all of it stays as it is; otherwise what stays of it is in s->out. 0 or -1 if
 * out of memory. */
int tk_edit_cut_batch(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                      const uint8_t *p, size_t n, bool *same);

/* The thread ends: what was open when the window began and never changed since is put to s->out. */
int tk_edit_cut_rest(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form);

/* Where a batch is read: the next byte, the end, and the time of the entry before it. */
struct tk_edit_cut_place {
    const uint8_t *p, *end;
    int64_t time;
    bool first; /* nothing of it was read yet */
};

/* Goes over entries that are all before the window, in it, or behind it, and of which none is a coroutine; to
 * the first one that is not. Nothing of them is changed, or nothing of them stays. 0 or -1. */
int tk_edit_cut_alike(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                      struct tk_edit_cut_place *place);

void tk_edit_cut_scopes_release(struct tk_edit_cut_scopes *s);

/*
 * Events that are understood together: what is done with a handle, the content of a packet, the work of a
 * frame of a queue. Of each such thing a cut keeps a row of whole chunks around the window. The survey counts
 * them.
 */

enum { TK_CUT_KEYS = 3, TK_CUT_TIMES = 3, TK_CUT_FRAMES = 4 };

/* How an event belongs to a thing. */
struct tk_edit_chunk_rule {
    const struct tk_ut_field *keys[TK_CUT_KEYS];   /* what it is of, up to the first NULL */
    const struct tk_ut_field *times[TK_CUT_TIMES]; /* likewise */
    const struct tk_ut_field *object;              /* of a step of loading: what it is about, */
    const struct tk_ut_field *package;             /* or this; NULL: neither */
    uint8_t kind;                                  /* of thing; 0: the type is not in chunks */
    int8_t nests;                                  /* +1: something begins in it, -1: ends */
    bool ends;                                     /* the chunk ends with it, unless something is open */
    bool says;                                     /* who a package is, or is no more: it stays */
};

struct tk_edit_chunk_mark {
    uint64_t chunk;
    int64_t to;
};

/* An object of loading that a chunk of steps is about. */
struct tk_edit_mention {
    uint64_t object, chunk;
    uint32_t thing;
};

/* A thing, and where its chunks lie. */
struct tk_edit_thing {
    uint64_t before;      /* chunks that end before the window */
    uint64_t first, last; /* that overlap it, if any do */
    bool any;
    uint64_t chunk; /* the one in hand: its number, times, and what is open in it */
    int64_t from, to;
    int64_t open;
    uint8_t kind;
    TK_VEC(struct tk_edit_chunk_mark) marks; /* of statistics of frames: some chunks and when they end */
    struct tk_id_set others;                 /* chunks that stay though they are not in that row */
};

/* Begins of the last frames before the window, of one type; the oldest first. */
struct tk_edit_last_frames {
    int64_t begin[TK_CUT_FRAMES];
    size_t n;
};

struct tk_edit_things {
    struct tk_edit_last_frames frames[2]; /* of the game, and of rendering */
    struct tk_map index;                  /* hash of kind and keys -> place in `v` */
    TK_VEC(struct tk_edit_thing) v;
    TK_VEC(struct tk_edit_mention) mentions;
    struct tk_map packages; /* addresses that were mentioned -> 1, or 0 when that is over */
};

/* A thing in a later walk. */
struct tk_edit_thing_place {
    uint64_t chunk;
    int64_t open;
};

/* The rule of a type, whose `kind` is 0 for most. */
struct tk_edit_chunk_rule tk_edit_chunk_rule_of(const struct tk_ut_type *type);

/* A number for the thing that an event belongs to. */
uint64_t tk_edit_chunk_key(const struct tk_edit_chunk_rule *rule, const struct tk_ut_event *ev);

/* In the survey. TK_OK or TK_ENOMEM. */
int tk_edit_things_see(struct tk_edit_things *t, const struct tk_edit_chunk_rule *rule,
                       const struct tk_ut_event *ev, const struct tk_edit_window *w);

/* A frame begins, in the survey: statistics of a frame are reported when it ends. */
void tk_edit_things_frame(struct tk_edit_things *t, uint64_t type, int64_t begin,
                          const struct tk_edit_window *w);

/* The end of the survey: the chunks in hand end. TK_OK or TK_ENOMEM. */
int tk_edit_things_close(struct tk_edit_things *t, const struct tk_edit_window *w);

/* In a later walk, which has `places` of its own, t->v.n of them: does the event stay? */
bool tk_edit_things_keep(const struct tk_edit_things *t, struct tk_edit_thing_place *places,
                         const struct tk_edit_chunk_rule *rule, const struct tk_ut_event *ev);

void tk_edit_things_release(struct tk_edit_things *t);

/*
 * What a cut does with events of a type: by its name, its flags, and where it has a time.
 */

enum tk_edit_cut_class {
    TK_CUT_KEPT,  /* definitions, and what others need to be understood: all of it */
    TK_CUT_POINT, /* happened at its time, or at the latest one of its thread */
    TK_CUT_UNTIL, /* gives others their state: all of it up to the end of the window */
    TK_CUT_SPAN,  /* has a start and an end: stays where it overlaps the window */
    TK_CUT_KEYED, /* steps of a thing with a number: all of them, where one is in the window or around it */
    TK_CUT_FRAME, /* begins a frame: all of them */
    TK_CUT_FRAME_END,  /* ends one: likewise */
    TK_CUT_CHUNK,      /* part of what is understood together: the chunks of a thing around the window */
    TK_CUT_BATCH,      /* a batch of CPU scopes: entry by entry */
    TK_CUT_SCOPED,     /* in a stamped scope: with its scope */
    TK_CUT_END_THREAD, /* of CPU scopes */
    TK_CUT_INSTANCE,   /* metadata of scopes: where a scope that stays refers to it */
    TK_CUT_ALLOCATION, /* steps of memory, which have the time of the last marker in front of them */
    TK_CUT_MARKER      /* says when steps of memory were */
};

/* What a step of memory does. */
enum tk_edit_memory_step { TK_STEP_OTHER, TK_STEP_ALLOCATES, TK_STEP_FREES, TK_STEP_MOVES };

/* How a type is cut. */
struct tk_edit_cut_rule {
    enum tk_edit_cut_class kind;
    struct tk_ut_time_rule time;
    uint16_t
        time_at;  /* from the first byte of an event, its code; 0: not always there, or no time since then */
    bool by_time; /* the class and the time, or the latest one, say all: of points, states and what is kept */
    /* The number of a thing, the id of an instance, the address of an allocation, the bytes of a batch; and
       both times of a span. */
    const struct tk_ut_field *key, *from, *to;
    const struct tk_ut_field *later; /* the number of what waits for it */
    bool ends;                       /* the step is one behind which the thing may be over */
    const struct tk_ut_field *heap;  /* of an allocation */
    enum tk_edit_memory_step step;   /* of an allocation, */
    bool video;                      /* in the memory of a GPU, where no heap says so */
    unsigned form;                   /* of a batch */
    struct tk_edit_chunk_rule chunk;
};

struct tk_edit_cut_rule tk_edit_cut_rule_of(const struct tk_ut_type *type);

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
    uint8_t *want; /* what the walk in hand requests, by type id: no steps of memory in that case; borrowed */
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
