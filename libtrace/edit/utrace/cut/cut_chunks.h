/*
 * Events that are understood together: what is done with a handle, the content of a packet, the work of a
 * frame of a queue. Of each such thing a cut keeps a row of whole chunks around the window. The survey counts
 * them.
 */
#ifndef TK_EDIT_UTRACE_CUT_CUT_CHUNKS_H
#define TK_EDIT_UTRACE_CUT_CUT_CHUNKS_H

#include "base/hash.h"
#include "base/id_set.h"
#include "base/vec.h"
#include "edit/utrace/cut/cut_scopes.h"
#include "format/utrace/schema/event.h"

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
    bool tells;                                    /* who a package is, or is no more: it stays */
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
    struct tk_map packages; /* addresses that were told of -> 1, or 0 when that is over */
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

/* A frame begins, in the survey: statistics of a frame are told when it ends. */
void tk_edit_things_frame(struct tk_edit_things *t, uint64_t type, int64_t begin,
                          const struct tk_edit_window *w);

/* The end of the survey: the chunks in hand end. TK_OK or TK_ENOMEM. */
int tk_edit_things_close(struct tk_edit_things *t, const struct tk_edit_window *w);

/* In a later walk, which has `places` of its own, t->v.n of them: does the event stay? */
bool tk_edit_things_keep(const struct tk_edit_things *t, struct tk_edit_thing_place *places,
                         const struct tk_edit_chunk_rule *rule, const struct tk_ut_event *ev);

void tk_edit_things_release(struct tk_edit_things *t);

#endif
