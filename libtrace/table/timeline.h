/*
 * Timeline: items on tracks in order of time, in batches. The timeline builder makes them, the sinks of
 * sink/timelines take them; it is the other shape of data alongside tables.
 *
 * A track is a line of a viewer: a thread, a queue of the GPU, a counter, the process. Tracks come before the
 * items on them; later a track may come again with a better name. Items of one track are in order of time
 * (but for marks), and begin and end items of one track nest: an end closes the innermost open begin of its
 * track. Begin and end of a span follow each other. Different tracks come in any order.
 */
#ifndef TK_TABLE_TIMELINE_H
#define TK_TABLE_TIMELINE_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"

enum tk_track_kind {
    TK_TRACK_PROCESS,
    TK_TRACK_THREAD,
    TK_TRACK_GPU,
    TK_TRACK_COUNTER,
    TK_TRACK_MARKS,
    TK_TRACK_FRAMES
};

struct tk_track {
    uint64_t id; /* unique, not 0; the same for the same input */
    uint8_t kind;
    uint8_t value_kind; /* counters: TK_INT, TK_UINT, TK_REAL or TK_SIZE */
    int32_t rank;       /* order among its kind, lower first */
    uint64_t number;    /* unique among the tracks of its kind: threads: as the capture calls them */
    uint64_t system_id; /* threads: of the operating system, or of the capture where that is not known */
    uint64_t parent;    /* marks: the track of their thread; else 0 */
    bool has_process;   /* threads: process_id is known; the track of the capture: this holds for threads */
    uint64_t process_id;
    const struct tk_str *name;    /* lives as long as the reading */
    const struct tk_str *group;   /* NULL: none */
    const struct tk_str *process; /* threads: name of their process; NULL: not known */
    const char *unit;             /* counters; NULL: none; static */
};

enum tk_item_kind {
    TK_ITEM_BEGIN,
    TK_ITEM_END,
    TK_ITEM_INSTANT,
    TK_ITEM_COUNTER,
    TK_ITEM_SPAN_BEGIN, /* does not nest: regions, tasks; begin and end have one id */
    TK_ITEM_SPAN_END,
    TK_ITEM_FLOW_OUT, /* an arrow starts at the scope around this time, of the thread; id joins both ends */
    TK_ITEM_FLOW_IN,
    TK_ITEM_OPEN, /* the innermost scope never ended; it is known up to here. Last items of a track */
    TK_ITEM_KINDS
};

/* One thing that happened. Borrowed during the call. */
struct tk_item {
    uint8_t kind; /* enum tk_item_kind */
    uint64_t track;
    int64_t ns;                    /* since the start of the capture */
    int64_t cycles;                /* begin and end of scopes: the same in cycles of the clock */
    uint32_t timer;                /* begin of scopes: number of the timer in the capture */
    uint32_t name_id;              /* begin: dense number of the name, the same for equal names */
    const struct tk_str *name;     /* NULL where it has none (end, counter) */
    const struct tk_str *category; /* NULL: none */
    const struct tk_str
        *file; /* begin: place in the code; NULL: not known. Its bytes live as long as the reading */
    uint32_t line;
    uint32_t colour;      /* likewise: 0xRRGGBB as the capture shows it; 0: it says nothing */
    bool requested;       /* begin and end of scopes of a GPU: when the program requested it is known, */
    int64_t requested_ns; /* and this, since the start of the capture; where the driver is requested it */
    uint32_t callstack;   /* begin of scopes: id, 0 none; where the driver is requested it */
    const struct tk_str *text;    /* likewise; NULL: none. It lives as long as the capture */
    bool open;                    /* end of scopes: it never ended, it is known up to here */
    uint64_t id;                  /* spans and flows */
    struct tk_cell value;         /* counters; of log messages, their verbosity */
    const struct tk_record *args; /* NULL: none */
};

/* What begins of scopes have in common. It lives as long as the timeline, and nothing but `said` changes. */
struct tk_scope_kind {
    const struct tk_str *name; /* lives as long as this */
    uint32_t name_id;          /* as in items */
    uint32_t line;
    bool has_file;
    struct tk_str file; /* as in items */
    struct tk_str said; /* for the sink: what it makes of the name, borrowed from it */
};

/* The begin or end of a scope, where a sink needs no more of it. */
struct tk_scope_step {
    int64_t ns;
    uint64_t track;
    const struct tk_scope_kind *kind; /* of ends, too */
    bool end;
    bool first; /* no item or step before it had this name_id */
};

/* Where a timeline goes. Hooks that are NULL are skipped; each returns TK_OK or a negative status, which ends
 * the run. */
struct tk_timeline_sink {
    void *self;
    int (*start)(void *self, const struct tk_record *about,
                 struct tk_err *err); /* the capture: session and clock */
    int (*track)(void *self, const struct tk_track *track, struct tk_err *err);
    int (*items)(void *self, const struct tk_item *items, size_t n, struct tk_err *err);
    int (*finish)(void *self, struct tk_err *err);
    /* Both or none: begins and ends of scopes that are known by their kinds come as steps and not as items. A
     * kind is reported before its first step, which is `first` where this says so; items and steps from
     * before may still be on their way then. */
    int (*kind)(void *self, struct tk_scope_kind *kind, bool first, struct tk_err *err);
    int (*steps)(void *self, const struct tk_scope_step *steps, size_t n, struct tk_err *err);
};

/*
 * Sampled: single samples of threads, their stacks, and the functions of each address in them; or the
 * callstacks of allocations. The model, and of allocations their export, fills it, the sinks of timelines and
 * of stacks write it; it is the third shape of data alongside tables.
 */

/* A function at an address, or what stands for it. Texts are interned in the struct that holds it. */
struct tk_sampled_place {
    const struct tk_str *function; /* never NULL */
    const struct tk_str *file;     /* NULL: not known */
    uint32_t line;                 /* 0: not known */
    bool known;                    /* it is a function, no offset or address */
};

/* An executable or library that addresses lie in. */
struct tk_sampled_module {
    const struct tk_str *name;
    uint64_t base, end; /* addresses; 0: not known */
    char id[65];        /* of its file, as hexadecimal digits; empty: not known */
};

/* An address, with the functions that it lies in. */
struct tk_sampled_location {
    uint64_t address;
    uint32_t module; /* place in modules; TK_MAP_NONE: none */
    uint32_t first;  /* of its places: the innermost inlined function */
    uint32_t n;      /* at least 1 */
};

/* A stack of a thread. */
struct tk_sampled_stack {
    uint64_t count;  /* samples; of memory allocations */
    uint64_t bytes;  /* of memory: allocated */
    uint32_t thread; /* place in threads */
    size_t first;    /* of its frames: places in locations, the innermost first */
    uint32_t n;
};

struct tk_sampled_thread {
    const struct tk_str *name;
    uint64_t number;                /* of its track (table/timeline.h), or one that no track has */
    uint64_t system_id, process_id; /* of the source, where has_process */
    bool has_process;
};

/* One sample. */
struct tk_sampled_moment {
    int64_t ns;      /* since the start of the capture */
    uint32_t stack;  /* place in stacks */
    uint32_t thread; /* place in threads: that of its stack */
};

/* Zero-initialise to begin. */
struct tk_sampled {
    TK_VEC(struct tk_sampled_place) places;
    TK_VEC(struct tk_sampled_module) modules;
    TK_VEC(struct tk_sampled_location) locations;
    TK_VEC(uint32_t) frames;
    TK_VEC(struct tk_sampled_stack) stacks;
    TK_VEC(struct tk_sampled_thread) threads;
    TK_VEC(struct tk_sampled_moment) moments; /* by thread, then by time; where they were requested */
    int64_t period;                           /* nanoseconds that a sample stands for; 0: not known */
    bool memory;                              /* stacks are of allocations */
    struct tk_intern texts;
};

static inline void tk_sampled_release(struct tk_sampled *s)
{
    tk_vec_release(&s->places);
    tk_vec_release(&s->modules);
    tk_vec_release(&s->locations);
    tk_vec_release(&s->frames);
    tk_vec_release(&s->stacks);
    tk_vec_release(&s->threads);
    tk_vec_release(&s->moments);
    tk_intern_release(&s->texts);
}

#endif
