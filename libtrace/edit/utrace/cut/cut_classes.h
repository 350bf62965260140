/*
 * What a cut does with events of a type: by its name, its flags, and where it has a time.
 */
#ifndef TK_EDIT_UTRACE_CUT_CUT_CLASSES_H
#define TK_EDIT_UTRACE_CUT_CUT_CLASSES_H

#include "edit/utrace/cut/cut_chunks.h"
#include "format/utrace/feed/event_time.h"

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

#endif
