/*
 * Facts about the recording itself: its clock and session, threads, channels, streams, records as they stand,
 * definitions, and rows of tables that a format fills by itself. See fact/fact.h for what holds of all facts.
 */
#ifndef TK_FACT_CAPTURE_H
#define TK_FACT_CAPTURE_H

#include "tracekit.h"

/* The clock of all times. Comes first; may be missing (then frequency is 0 and times are raw cycles). */
struct tk_fact_clock {
    uint64_t start;     /* cycles: what 0 stands for */
    uint64_t frequency; /* cycles per second; where they have parts, parts a second */
    double epoch;       /* seconds since 1970 of the start; NaN when not known */
    uint32_t parts;     /* of a cycle, where all times of facts count these and not cycles; else 0 */
};

/* How many units of the times of facts a cycle has. */
static inline uint32_t tk_fact_clock_parts(const struct tk_fact_clock *clock)
{
    return clock->parts ? clock->parts : 1;
}

/* One more thing known about the recording. Later ones of a key replace earlier ones. */
struct tk_fact_session {
    const struct tk_str *key;
    struct tk_cell value; /* texts and arrays it points to live as long as the source */
};

struct tk_fact_thread {
    const struct tk_str *name;  /* NULL: not known */
    const struct tk_str *group; /* NULL: none */
    uint64_t system_id;         /* of the operating system; negative ones in two's complement */
    int32_t sort_hint;
    bool named;      /* said by the capture (registered), not made up */
    bool has_system; /* system_id is known */
};

/* A switchable part of the recorder, announced or switched. */
struct tk_fact_channel {
    uint32_t id;
    bool enabled, read_only;
    bool announced;            /* an announcement (with a name), else a toggle */
    const struct tk_str *name; /* NULL in a toggle */
};

/* The recorder held the program up from `time` to `end`. */
struct tk_fact_stall {
    int64_t end;
};

/* An event as it stands in the capture. */
struct tk_fact_record {
    struct tk_record rec; /* batch */
    struct tk_cell attachment;
    /* Without a time of its own (has_time) an event stands at the latest one of its thread
     * (tk_request.placed), one of no thread at the start. */
    uint64_t offset; /* where its first byte stands: file offset of its packet */
    uint32_t within; /* byte inside the unpacked packet */
    uint32_t serial; /* as stored */
    bool has_serial, incomplete, has_time;
};

/* At the end of a reading: `time` is the latest that any event says, asked for or not. */
struct tk_fact_extent {
    int64_t from; /* where the recording began, from which its duration counts */
};

/* The family of a type of what a file names and nobody reads or lists. */
#define TK_FAMILY_UNREAD "unread"

/* At the end of a reading: how many events of a type there were (also of those nobody asked to see). */
struct tk_fact_record_count {
    const struct tk_record_type *type;
    uint64_t count;
    uint64_t bytes; /* unpacked, headers included */
};

/* At the end of a reading: how much of the capture is a thread's. */
struct tk_fact_stream {
    uint64_t packets;
    uint64_t stored;   /* bytes in the file, packet headers included */
    uint64_t unpacked; /* bytes after unpacking; 0 when not unpacked */
    uint64_t events;   /* 0 when not decoded */
};

/*
 * Events from the fact's seq up to here were recorded and are lost. What began before and ends behind them
 * need not belong together. With TK_ORDER_SERIAL it comes in its place, else when it is found.
 * LATE_GAP: the same of events at the end of the capture, which may just not have been sent.
 */
struct tk_fact_gap {
    uint64_t last;
};

/*
 * A row of a table that the format fills by itself (tk_format.row_tables). Points in time count from the
 * start, they and lengths in the unit of all times of facts: cycles, or parts of them (tk_fact_clock.parts);
 * n of a TK_DURATION cell is 1 + the column of the point in time that it is measured from, or 0 for a sum.
 */
struct tk_fact_row {
    const struct tk_table *table;
    const struct tk_cell *cells; /* batch; one a column */
    int64_t end;                 /* where has_time: what the row tells of lasted from `time` to here */
    bool has_time;
};

/* A text that others refer to by type and id. Later ones replace earlier ones. */
struct tk_fact_definition {
    uint64_t id;
    uint32_t type;
    const struct tk_str *type_name;
    const struct tk_str *text; /* NULL: it has none */
};

#endif
