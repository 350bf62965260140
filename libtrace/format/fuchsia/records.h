/*
 * Records of a Fuchsia trace as types (import 4.2): one a kind of record and of event.
 */
#ifndef TK_FORMAT_FUCHSIA_RECORDS_H
#define TK_FORMAT_FUCHSIA_RECORDS_H

#include "format/events/feed.h"

/* X(symbol, name, who understands it) */
#define TK_FX_KINDS(X)                                                                                       \
    X(INSTANT, "Instant", "log")                                                                             \
    X(COUNTER, "Counter", "counter")                                                                         \
    X(BEGIN, "DurationBegin", "scope")                                                                       \
    X(END, "DurationEnd", "scope")                                                                           \
    X(COMPLETE, "DurationComplete", "scope")                                                                 \
    X(ASYNC_BEGIN, "AsyncBegin", "region")                                                                   \
    X(ASYNC_INSTANT, "AsyncInstant", "log")                                                                  \
    X(ASYNC_END, "AsyncEnd", "region")                                                                       \
    X(FLOW_BEGIN, "FlowBegin", NULL)                                                                         \
    X(FLOW_STEP, "FlowStep", NULL)                                                                           \
    X(FLOW_END, "FlowEnd", NULL)                                                                             \
    X(OTHER_EVENT, "Event", NULL)                                                                            \
    X(METADATA, "Metadata", "provider")                                                                      \
    X(INITIALISATION, "Initialization", "clock")                                                             \
    X(STRING, "String", "provider")                                                                          \
    X(THREAD, "Thread", "thread")                                                                            \
    X(BLOB, "Blob", NULL)                                                                                    \
    X(USER_OBJECT, "UserspaceObject", NULL)                                                                  \
    X(KERNEL_OBJECT, "KernelObject", "thread")                                                               \
    X(SCHEDULING, "Scheduling", "switch")                                                                    \
    X(LOG, "Log", "log")                                                                                     \
    X(PROFILER, "Profiler", NULL)                                                                            \
    X(LARGE, "Large", NULL)                                                                                  \
    X(OTHER, "Record", NULL)

enum tk_fx_kind {
#define TK_FX_KIND_SYMBOL(symbol, name, family) TK_FX_##symbol,
    TK_FX_KINDS(TK_FX_KIND_SYMBOL)
#undef TK_FX_KIND_SYMBOL
        TK_FX_KIND_COUNT
};

extern const struct tk_record_type tk_fx_types[TK_FX_KIND_COUNT];

struct tk_fx_record {
    enum tk_fx_kind kind;
    uint32_t thread;
    bool has_time, has_id;
    int64_t time;
    uint64_t offset, bytes, id;
    const struct tk_str *name, *category, *args; /* NULL: none */
};

/* Gives a record, in the pass for them. 0 or -1. */
int tk_fx_record_give(struct tk_ev_capture *c, const struct tk_fx_record *r);

#endif
