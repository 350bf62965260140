/*
 * Facts: what a capture states, in words that belong to no format. They are the waist of the library: a
 * format turns bytes into facts, the model turns facts into tables.
 *
 * Times are cycles since the start of the capture (signed), in the clock given by TK_FACT_CLOCK; where a
 * capture has times that are no whole cycles, that clock says how many parts of a cycle all of them count.
 * Texts are interned for the life of the capture, except where a member says "batch".
 */
#ifndef TK_FACT_FACT_H
#define TK_FACT_FACT_H

#include "fact/capture.h"
#include "fact/counter.h"
#include "fact/execution.h"
#include "fact/gpu.h"
#include "fact/loading.h"
#include "fact/marks.h"
#include "fact/memory.h"
#include "fact/net.h"
#include "fact/scopes.h"
#include "tracekit.h"

/* All kinds of facts, and what each is:
 *
 *     DEFINES   what others refer to; every source gives it, asked or not
 *     TIMED     something that happened at its time, until when the capture goes on at least
 *     OWN_TIME  says in each fact whether it is TIMED
 *     PLAIN     none of these */
#define TK_FACT_KINDS(X)                                                                                     \
    X(CLOCK, DEFINES)                                                                                        \
    X(SESSION, DEFINES)                                                                                      \
    X(THREAD, DEFINES)                                                                                       \
    X(CHANNEL, DEFINES)                                                                                      \
    X(TIMER, DEFINES)                                                                                        \
    X(TIMER_LATE, DEFINES)                                                                                   \
    X(SCOPES, PLAIN)                                                                                         \
    X(SCOPE_TEXT, PLAIN)                                                                                     \
    X(SCOPE_STACK, PLAIN)                                                                                    \
    X(OVERLAP, PLAIN)                                                                                        \
    X(FRAME, TIMED)                                                                                          \
    X(REGION, TIMED)                                                                                         \
    X(BOOKMARK, TIMED)                                                                                       \
    X(LOG, TIMED)                                                                                            \
    X(STALL, TIMED)                                                                                          \
    X(RECORD, OWN_TIME)                                                                                      \
    X(EXTENT, TIMED)                                                                                         \
    X(RECORD_COUNT, PLAIN)                                                                                   \
    X(MEMORY, PLAIN)                                                                                         \
    X(MEMORY_TAG, PLAIN)                                                                                     \
    X(MEMORY_HEAP, PLAIN)                                                                                    \
    X(CONTEXT, PLAIN)                                                                                        \
    X(CALLSTACK, PLAIN)                                                                                      \
    X(SYMBOL, PLAIN)                                                                                         \
    X(MODULE, PLAIN)                                                                                         \
    X(FUNCTION, PLAIN)                                                                                       \
    X(SOURCE, PLAIN)                                                                                         \
    X(DEFINITION, PLAIN)                                                                                     \
    X(STREAM, PLAIN)                                                                                         \
    X(GAP, PLAIN)                                                                                            \
    X(LATE_GAP, PLAIN)                                                                                       \
    X(COUNTER, PLAIN)                                                                                        \
    X(COUNTER_VALUE, TIMED)                                                                                  \
    X(STAT_VALUE, TIMED)                                                                                     \
    X(SERIES_VALUE, TIMED)                                                                                   \
    X(TAG_VALUE, TIMED)                                                                                      \
    X(ROW, OWN_TIME)                                                                                         \
    X(FILE_IO, TIMED)                                                                                        \
    X(PACKAGE, PLAIN)                                                                                        \
    X(LOAD_STEP, TIMED)                                                                                      \
    X(NET_NAME, PLAIN)                                                                                       \
    X(NET_LINK, PLAIN)                                                                                       \
    X(NET_PACKET, TIMED)                                                                                     \
    X(NET_LOSS, PLAIN)                                                                                       \
    X(NET_OBJECT, PLAIN)                                                                                     \
    X(NET_VALUE, PLAIN)                                                                                      \
    X(GPU_QUEUE, DEFINES)                                                                                    \
    X(GPU_SCOPES, PLAIN)                                                                                     \
    X(GPU, PLAIN)                                                                                            \
    X(TASK, TIMED)                                                                                           \
    X(TASK_WAIT, TIMED)                                                                                      \
    X(SWITCH, TIMED)                                                                                         \
    X(SYSTEM_THREAD, PLAIN)                                                                                  \
    X(SAMPLE, TIMED)                                                                                         \
    X(HARDWARE, TIMED)                                                                                       \
    X(LOCK, TIMED)

enum { TK_KIND_PLAIN, TK_KIND_DEFINES, TK_KIND_TIMED, TK_KIND_OWN_TIME };

#define TK_FACT_KIND(symbol, is) TK_FACT_##symbol,
enum tk_fact_kind { TK_FACT_KINDS(TK_FACT_KIND) TK_FACT_COUNT };
#undef TK_FACT_KIND

#define TK_FACT_MASK(symbol) (UINT64_C(1) << TK_FACT_##symbol)
#define TK_FACT_ALL          ((UINT64_C(1) << TK_FACT_COUNT) - 1)

/* The mask of the kinds that are such. */
#define TK_FACT_IF_DEFINES(symbol, is) | (uint64_t)(TK_KIND_##is == TK_KIND_DEFINES) << TK_FACT_##symbol
#define TK_FACT_IF_TIMED(symbol, is)   | (uint64_t)(TK_KIND_##is == TK_KIND_TIMED) << TK_FACT_##symbol
#define TK_FACT_DEFINITIONS            (UINT64_C(0) TK_FACT_KINDS(TK_FACT_IF_DEFINES))
#define TK_FACT_TIMED                  (UINT64_C(0) TK_FACT_KINDS(TK_FACT_IF_TIMED))

#define TK_NO_THREAD UINT32_MAX
#define TK_NO_SEQ    UINT64_MAX

struct tk_fact {
    uint16_t kind;   /* enum tk_fact_kind */
    uint16_t size;   /* sizeof(struct tk_fact) */
    uint32_t thread; /* id in the capture, or TK_NO_THREAD */
    int64_t time;    /* cycles since the start; 0 where it has no meaning */
    uint64_t seq;    /* orders facts of different threads; TK_NO_SEQ: only inside its thread */
    union {
        struct tk_fact_clock clock;
        struct tk_fact_session session;
        struct tk_fact_thread thread_info;
        struct tk_fact_channel channel;
        struct tk_fact_timer timer;
        struct tk_fact_timer_late timer_late;
        struct tk_fact_overlap overlap;
        struct tk_fact_frame frame;
        struct tk_fact_region region;
        struct tk_fact_bookmark bookmark;
        struct tk_fact_log log;
        struct tk_fact_stall stall;
        struct tk_fact_record record;
        struct tk_fact_extent extent;
        struct tk_fact_record_count record_count;
        struct tk_fact_stream stream;
        struct tk_fact_gap gap;
        struct tk_fact_memory memory;
        struct tk_fact_memory_tag memory_tag;
        struct tk_fact_memory_heap memory_heap;
        struct tk_fact_context context_of;
        struct tk_fact_callstack callstack;
        struct tk_fact_symbol symbol;
        struct tk_fact_module module;
        struct tk_fact_function function;
        struct tk_fact_source source;
        struct tk_fact_definition definition;
        struct tk_fact_row row;
        struct tk_fact_file_io file_io;
        struct tk_fact_package package;
        struct tk_fact_load_step load_step;
        struct tk_fact_net_name net_name;
        struct tk_fact_net_link net_link;
        struct tk_fact_net_packet net_packet;
        struct tk_fact_net_loss net_loss;
        struct tk_fact_net_object net_object;
        struct tk_fact_net_value net_value;
        struct tk_fact_counter counter;
        struct tk_fact_counter_value counter_value; /* COUNTER_VALUE, STAT_VALUE, SERIES_VALUE, TAG_VALUE */
        struct tk_fact_gpu_queue gpu_queue;
        struct tk_fact_gpu gpu;
        struct tk_fact_task task;
        struct tk_fact_task_wait task_wait;
        struct tk_fact_switch context;
        struct tk_fact_system_thread system_thread;
        struct tk_fact_sample sample;
        struct tk_fact_hardware hardware;
        struct tk_fact_lock lock;
    } u;
};

/* The scopes of lanes of all kinds. */
#define TK_SCOPE_FACTS (TK_FACT_MASK(SCOPES) | TK_FACT_MASK(GPU_SCOPES))

/* What a lane's scopes are asked for with. */
static inline uint64_t tk_lane_fact(unsigned kind)
{
    return kind == TK_LANE_THREAD ? TK_FACT_MASK(SCOPES) : TK_FACT_MASK(GPU_SCOPES);
}

/* What a source gives at a time. Runs of one lane follow each other in order; facts of one thread too. */
struct tk_batch {
    const struct tk_fact *facts;
    size_t n_facts;
    const struct tk_scope_run *runs;
    size_t n_runs;
    uint64_t from, to; /* where in the capture it was read, in a measure of the format; to 0: that has no
                          places, and no part of it can be read by itself (struct tk_part) */
    const void *state; /* n_state bytes: where the source stands behind it (tk_request.states); else NULL */
    size_t n_state;
    size_t piece; /* it is the first of piece number `piece` - 1 (tk_request.resume); else 0 */
};

/* Name of a kind of timers, as in tables. Static. */
const char *tk_timer_kind_name(enum tk_timer_kind kind);

#endif
