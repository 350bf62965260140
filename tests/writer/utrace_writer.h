/*
 * Writer of `.utrace` captures, for tests and benchmarks.
 *
 * Three layers, each usable alone:
 *   packets.h  where bytes go, the file header, packets
 *   lanes.h    declarations and events of any type, on the stream of one tid
 *   this file  a capture with the engine's own events: session, threads, channels, frames, bookmarks, logs,
 *              regions, counters; cpu.h adds timers and batches, values.h format arguments and CBOR
 *
 * The engine's types are declared when they are first used. Errors stick: tk_uw_close says whether all went
 * well. Cycles are values of the capture's clock unless a comment says that they count from its start.
 */
#ifndef TK_UTRACE_WRITER_H
#define TK_UTRACE_WRITER_H

#include "lanes.h"
#include "sink_file.h"

/* The engine's types that the writer knows; the table is in standard.c. */
enum tk_uw_standard {
    TK_UW_NEW_TRACE,
    TK_UW_NEW_TRACE_OLD, /* protocols 1 to 4: with the first serial and the first free uid */
    TK_UW_THREAD_TIMING,
    TK_UW_THREAD_INFO,
    TK_UW_GROUP_BEGIN,
    TK_UW_GROUP_END,
    TK_UW_CHANNEL_ANNOUNCE,
    TK_UW_CHANNEL_TOGGLE,
    TK_UW_SESSION2,
    TK_UW_EVENT_SPEC,
    TK_UW_EVENT_SPEC_OLD, /* protocol 0: the name is attached */
    TK_UW_BATCH_OLD,      /* protocol 0: the batch is attached */
    TK_UW_BATCH_V1,
    TK_UW_BATCH_V2,
    TK_UW_BATCH_V3,
    TK_UW_METADATA_SPEC,
    TK_UW_METADATA,
    TK_UW_END_THREAD,
    TK_UW_BEGIN_FRAME,
    TK_UW_END_FRAME,
    TK_UW_BOOKMARK_SPEC,
    TK_UW_BOOKMARK,
    TK_UW_LOG_CATEGORY,
    TK_UW_LOG_SPEC,
    TK_UW_LOG_MESSAGE,
    TK_UW_REGION_BEGIN,
    TK_UW_REGION_END,
    TK_UW_REGION_BEGIN_ID,
    TK_UW_REGION_END_ID,
    TK_UW_COUNTER_SPEC,
    TK_UW_COUNTER_INT,
    TK_UW_COUNTER_FLOAT,
    TK_UW_STANDARD_COUNT
};

/* The engine's declaration of a type, without a uid. */
const struct tk_uw_type *tk_uw_standard_type(enum tk_uw_standard which);

struct tk_uw {
    struct tk_uw_sink sink;
    struct tk_uw_stream stream;
    struct tk_uw_lane news;      /* tid 0: declarations */
    struct tk_uw_lane important; /* tid 1 */
    uint64_t start_cycle;
    uint64_t frequency;                               /* cycles a second */
    uint16_t next_uid;                                /* of the next type declared by the writer */
    unsigned rounds;                                  /* drain rounds so far */
    struct tk_uw_type standard[TK_UW_STANDARD_COUNT]; /* uid 0: not declared yet */
};

struct tk_uw_options {
    const char *path;           /* file to write, or */
    struct tk_uw_bytes *memory; /* where to write; must outlive the writer */
    enum tk_uw_form form;
    uint8_t transport;
    uint8_t protocol;
    enum tk_uw_packing packing;
    bool verify;
    uint64_t start_cycle;
    uint64_t frequency;
};

/* Protocol 7, transport 4, 10 MHz, clock started at 5,000,000,000. */
#define TK_UW_DEFAULTS                                                                                       \
    .form = TK_UW_2CRT, .transport = 4, .protocol = 7, .start_cycle = 5000000000U, .frequency = 10000000U

/*
 * Opens a capture and writes its header (with a control port and two fixed guids if the form has metadata),
 * but no event. Returns 0, or -1 when the file cannot be opened; tk_uw_close is due in both cases. `uw` must
 * not move afterwards.
 */
int tk_uw_open(struct tk_uw *uw, const struct tk_uw_options *options);

/* Sends what the writer's own lanes hold and closes the file. Returns 0, or -1 if anything failed on the way.
 */
int tk_uw_close(struct tk_uw *uw);

/* The first uid that is free for types (wire 3.1). */
uint16_t tk_uw_first_uid(uint8_t protocol);

/* A lane of this capture. Before tk_uw_close the caller flushes and releases it. */
void tk_uw_thread(struct tk_uw *uw, struct tk_uw_lane *lane, uint16_t tid);

/* Gives the type the next free uid, declares it and sends the declaration at once. */
void tk_uw_register(struct tk_uw *uw, struct tk_uw_type *type);

/* The type as declared in this capture; declares it at the first call. */
const struct tk_uw_type *tk_uw_type_of(struct tk_uw *uw, enum tk_uw_standard which);

/*
 * One drain round of an emitter: declarations, important events, then the lanes in the given order; with
 * transport 4 the first three rounds end with a sync packet.
 */
void tk_uw_round(struct tk_uw *uw, struct tk_uw_lane *const *lanes, size_t count);

/* $Trace.NewTrace with the clock of the options. */
void tk_uw_new_trace(struct tk_uw *uw);

/* $Trace.ThreadTiming; `base` counts from the start of the clock and is the origin of stamp differences. */
void tk_uw_thread_timing(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t base);

/* Thread and group names get a closing NUL from protocol 6 on, as emitters write them. */
void tk_uw_thread_info(struct tk_uw *uw, uint32_t tid, uint32_t system_id, int32_t sort_hint,
                       const char *name);
void tk_uw_group_begin(struct tk_uw *uw, const char *name);
void tk_uw_group_end(struct tk_uw *uw);

/* The id of a channel: a hash of its name (wire 6). */
uint32_t tk_uw_channel_id(const char *name);
void tk_uw_channel_announce(struct tk_uw *uw, const char *name, bool enabled, bool read_only);
void tk_uw_channel_toggle(struct tk_uw *uw, const char *name, bool enabled);

struct tk_uw_session {
    const char *platform, *app, *project, *command_line, *branch, *build;
    uint32_t changelist;
    uint8_t configuration, target;
};

/* Diagnostics.Session2; all texts are required. */
void tk_uw_session2(struct tk_uw *uw, const struct tk_uw_session *session);

/* `kind` 0 game, 1 rendering. */
void tk_uw_frame_begin(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint8_t kind);
void tk_uw_frame_end(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint8_t kind);

/* `args` is a block of format arguments (values.h). */
void tk_uw_bookmark_spec(struct tk_uw *uw, uint64_t point, int32_t line, const char *format,
                         const char *file);
void tk_uw_bookmark(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint64_t point,
                    const struct tk_uw_bytes *args);
void tk_uw_log_category(struct tk_uw *uw, uint64_t category, uint8_t verbosity, const char *name);
void tk_uw_log_spec(struct tk_uw *uw, uint64_t point, uint64_t category, int32_t line, uint8_t verbosity,
                    const char *file, const char *format);
void tk_uw_log(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint64_t point,
               const struct tk_uw_bytes *args);

void tk_uw_region_begin(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, const char *name,
                        const char *category);
void tk_uw_region_end(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, const char *name);

/* The begin cycle is the region's id. */
void tk_uw_region_begin_id(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, const char *name,
                           const char *category);
void tk_uw_region_end_id(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint64_t id);

/* `type` 0 integer, 1 floating; `hint` 1 bytes of memory. */
void tk_uw_counter_spec(struct tk_uw *uw, uint16_t id, uint8_t type, uint8_t hint, const char *name);
void tk_uw_counter_int(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint16_t id, int64_t value);
void tk_uw_counter_float(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint16_t id,
                         double value);

#endif
