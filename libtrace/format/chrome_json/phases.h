/*
 * Phases of trace events (import 3.5), each a type of record.
 */
#ifndef TK_FORMAT_CHROME_JSON_PHASES_H
#define TK_FORMAT_CHROME_JSON_PHASES_H

#include "tracekit.h"

/* X(symbol, letter, name, who understands it) */
#define TK_CJ_LETTERS(X)                                                                                     \
    X(BEGIN, 'B', "Begin", "scope")                                                                          \
    X(END, 'E', "End", "scope")                                                                              \
    X(COMPLETE, 'X', "Complete", "scope")                                                                    \
    X(INSTANT, 'i', "Instant", "log")                                                                        \
    X(INSTANT_OLD, 'I', "InstantOld", "log")                                                                 \
    X(MARK, 'R', "Mark", "bookmark")                                                                         \
    X(ASYNC_BEGIN, 'b', "AsyncBegin", "region")                                                              \
    X(ASYNC_END, 'e', "AsyncEnd", "region")                                                                  \
    X(ASYNC_INSTANT, 'n', "AsyncInstant", "log")                                                             \
    X(ASYNC_START, 'S', "AsyncStart", "region")                                                              \
    X(ASYNC_FINISH, 'F', "AsyncFinish", "region")                                                            \
    X(ASYNC_INTO, 'T', "AsyncStepInto", "log")                                                               \
    X(ASYNC_PAST, 'p', "AsyncStepPast", "log")                                                               \
    X(COUNTER, 'C', "Counter", "counter")                                                                    \
    X(METADATA, 'M', "Metadata", "thread")                                                                   \
    X(FLOW_START, 's', "FlowStart", NULL)                                                                    \
    X(FLOW_STEP, 't', "FlowStep", NULL)                                                                      \
    X(FLOW_END, 'f', "FlowEnd", NULL)                                                                        \
    X(SAMPLE, 'P', "Sample", NULL)                                                                           \
    X(OBJECT_NEW, 'N', "ObjectNew", NULL)                                                                    \
    X(OBJECT_STATE, 'O', "ObjectState", NULL)                                                                \
    X(OBJECT_DELETE, 'D', "ObjectDelete", NULL)                                                              \
    X(MEMORY_GLOBAL, 'V', "MemoryDumpGlobal", NULL)                                                          \
    X(MEMORY_PROCESS, 'v', "MemoryDumpProcess", NULL)                                                        \
    X(CLOCK_SYNC, 'c', "ClockSync", NULL)                                                                    \
    X(CONTEXT_ENTER, '(', "ContextEnter", NULL)                                                              \
    X(CONTEXT_LEAVE, ')', "ContextLeave", NULL)                                                              \
    X(LINKED_ID, 'a', "LinkedId", NULL)

/* And those that no letter stands for. */
#define TK_CJ_PHASES(X)                                                                                      \
    TK_CJ_LETTERS(X)                                                                                         \
    X(THREAD_STATE, 0, "ThreadState", NULL)                                                                  \
    X(OTHER, 0, "Other", NULL)

enum tk_cj_phase {
#define TK_CJ_PHASE_SYMBOL(symbol, letter, name, family) TK_CJ_##symbol,
    TK_CJ_PHASES(TK_CJ_PHASE_SYMBOL)
#undef TK_CJ_PHASE_SYMBOL
        TK_CJ_PHASE_COUNT
};

/* Fields of records. */
enum {
    TK_CJ_AT_NAME,
    TK_CJ_AT_CATEGORY,
    TK_CJ_AT_PROCESS,
    TK_CJ_AT_THREAD,
    TK_CJ_AT_DURATION,
    TK_CJ_AT_ID,
    TK_CJ_AT_ARGS,
    TK_CJ_CELLS
};

extern const struct tk_record_type tk_cj_types[TK_CJ_PHASE_COUNT];

/* The phase of a letter. */
enum tk_cj_phase tk_cj_phase_of(uint8_t letter);

#endif
