/*
 * Facts about what the threads of the program do: timers, frames, regions, bookmarks and log messages. Their
 * scopes come as columns.
 */
#ifndef TK_FACT_MARKS_H
#define TK_FACT_MARKS_H

#include "tracekit/values.h"

enum tk_timer_kind {
    TK_TIMER_SPEC,
    TK_TIMER_METADATA,
    TK_TIMER_SCOPED_EVENT,
    TK_TIMER_COROUTINE,
    TK_TIMER_GPU,
    TK_TIMER_ZONE,
    TK_TIMER_GPU_WORK, /* a queue of a GPU works */
    TK_TIMER_GPU_WAIT  /* it waits for another one */
};

/* A timer (what a scope is a call of). Ids are dense; a later fact of the same id replaces the first. */
struct tk_fact_timer {
    uint32_t id;
    uint8_t kind; /* enum tk_timer_kind */
    uint32_t line;
    const struct tk_str *name;
    const struct tk_str *file; /* NULL: not known */
    uint32_t colour;           /* 0xRRGGBB as the capture shows its scopes; 0: it says nothing */
    bool is_function;          /* it has no name of its own: `name` is that of its function */
};

/* Scopes that were begun with the timer TK_LATE + slot belong to this timer. */
struct tk_fact_timer_late {
    uint32_t slot;
    uint32_t timer;
};

/* A frame begins or ends. Types: 0 game, 1 rendering, others as the capture has them. */
struct tk_fact_frame {
    uint32_t type;
    bool begin;
    uint64_t number; /* of the frame among those of its type, from 1; 0: an end ends the last one begun */
    const struct tk_str *type_name; /* NULL: by number */
};

/* A region begins or ends; by name, or by id where has_id. */
struct tk_fact_region {
    bool begin, has_id;
    uint64_t id;
    const struct tk_str *name;     /* NULL at an end by id */
    const struct tk_str *category; /* NULL: none */
};

struct tk_fact_bookmark {
    const struct tk_str *file; /* NULL: not known */
    uint32_t line;
    uint32_t callstack; /* id, 0 none */
    struct tk_str text; /* batch */
};

struct tk_fact_log {
    const struct tk_str *category; /* NULL: not known */
    const struct tk_str *file;     /* NULL: not known */
    uint32_t line;
    uint8_t
        verbosity; /* 0 NoLogging, 1 Fatal, 2 Error, 3 Warning, 4 Display, 5 Log, 6 Verbose, 7 VeryVerbose */
    struct tk_str text; /* batch */
};

#endif
