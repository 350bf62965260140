/*
 * A TrackEvent on its way, shared by track_event.c and track_values.c.
 */
#ifndef TK_FORMAT_PERFETTO_TRACK_WORK_H
#define TK_FORMAT_PERFETTO_TRACK_WORK_H

#include "format/perfetto/event_fields.h"
#include "format/perfetto/trace.h"

/* Types of events. */
enum { TK_PF_BEGIN = 1, TK_PF_END, TK_PF_INSTANT, TK_PF_COUNTER };

/* An event on its way. */
struct tk_pf_work {
    struct tk_pf_trace *t;
    struct tk_ev_capture *c;
    struct tk_pf_sequence *s;
    struct tk_pf_event e;
    uint64_t offset, track;
    int64_t time;
    uint32_t name, category;
    bool on_thread; /* a scope of `thread`, else a region */
    uint32_t thread, process;
};

/* The values that it brings: its own where it is one of a counter, and those beside it. TK_PF_FINE or
 * TK_PF_NO_MEMORY. */
int tk_pf_take_values(struct tk_pf_work *w);

#endif
