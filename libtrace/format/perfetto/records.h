/*
 * Packets as records: a type for each kind that is known, and one for all others.
 */
#ifndef TK_FORMAT_PERFETTO_RECORDS_H
#define TK_FORMAT_PERFETTO_RECORDS_H

#include "format/events/feed.h"
#include "format/perfetto/message.h"

/* X(symbol, field of TracePacket, name, who understands it) */
#define TK_PF_KINDS(X)                                                                                       \
    X(TRACK_EVENT, 11, "TrackEvent", "scope")                                                                \
    X(TRACK_DESCRIPTOR, 60, "TrackDescriptor", "thread")                                                     \
    X(PROCESS_DESCRIPTOR, 43, "ProcessDescriptor", "thread")                                                 \
    X(THREAD_DESCRIPTOR, 44, "ThreadDescriptor", "thread")                                                   \
    X(CLOCK_SNAPSHOT, 6, "ClockSnapshot", "clock")                                                           \
    X(COMPRESSED, 50, "CompressedPackets", "packet")                                                         \
    X(COMPRESSED_ZSTD, 133, "ZstdCompressedPackets", "packet")                                               \
    X(FTRACE, 1, "FtraceEvents", "switch")                                                                   \
    X(PROCESS_TREE, 2, "ProcessTree", "thread")                                                              \
    X(CHROME_EVENTS, 5, "ChromeEvents", NULL)                                                                \
    X(SYS_STATS, 7, "SysStats", NULL)                                                                        \
    X(PROCESS_STATS, 9, "ProcessStats", NULL)                                                                \
    X(TRACE_CONFIG, 33, "TraceConfig", NULL)                                                                 \
    X(FTRACE_STATS, 34, "FtraceStats", "packet")                                                             \
    X(TRACE_STATS, 35, "TraceStats", "packet")                                                               \
    X(SYNC_MARKER, 36, "SynchronizationMarker", NULL)                                                        \
    X(PROFILE, 37, "ProfilePacket", NULL)                                                                    \
    X(ANDROID_LOG, 39, "AndroidLog", NULL)                                                                   \
    X(SYSTEM_INFO, 45, "SystemInfo", NULL)                                                                   \
    X(TRIGGER, 46, "Trigger", NULL)                                                                          \
    X(CHROME_METADATA, 51, "ChromeMetadata", NULL)                                                           \
    X(STREAMING_PROFILE, 54, "StreamingProfilePacket", NULL)                                                 \
    X(PERF_SAMPLE, 66, "PerfSample", NULL)                                                                   \
    X(CPU_INFO, 67, "CpuInfo", NULL)                                                                         \
    X(SERVICE_EVENT, 69, "ServiceEvent", NULL)                                                               \
    X(FRAME_TIMELINE, 76, "FrameTimelineEvent", NULL)                                                        \
    X(UI_STATE, 78, "UiState", NULL)                                                                         \
    X(TRACE_UUID, 89, "TraceUuid", NULL)                                                                     \
    X(RANGE_OF_INTEREST, 90, "TrackEventRangeOfInterest", NULL)                                              \
    X(STACK_SAMPLE, 135, "StackSample", NULL)                                                                \
    X(PACKAGES, 47, "PackagesList", NULL)                                                                    \
    X(GPU_COUNTER, 52, "GpuCounterEvent", NULL)                                                              \
    X(GPU_STAGE, 53, "GpuRenderStageEvent", NULL)                                                            \
    X(MODULE_SYMBOLS, 61, "ModuleSymbols", NULL)                                                             \
    X(VULKAN_MEMORY, 62, "VulkanMemoryEvent", NULL)                                                          \
    X(GPU_LOG, 63, "GpuLog", NULL)                                                                           \
    X(VULKAN_API, 65, "VulkanApiEvent", NULL)                                                                \
    X(GPU_MEMORY, 71, "GpuMemTotalEvent", NULL)                                                              \
    X(STATE, 0, "State", "packet")                                                                           \
    X(OTHER, 0, "Other", NULL)

enum tk_pf_kind {
#define TK_PF_KIND_SYMBOL(symbol, number, name, family) TK_PF_KIND_##symbol,
    TK_PF_KINDS(TK_PF_KIND_SYMBOL)
#undef TK_PF_KIND_SYMBOL
        TK_PF_KIND_COUNT
};

extern const struct tk_record_type tk_pf_types[TK_PF_KIND_COUNT];

/* The kind of a packet, by the field that makes it what it is. */
enum tk_pf_kind tk_pf_kind_of(struct tk_bytes packet);

/* Fields of a record. */
struct tk_pf_record {
    enum tk_pf_kind kind;
    uint32_t thread;
    bool has_time;
    int64_t time;
    uint64_t offset, bytes, sequence, track, type;
    bool has_track;
    const struct tk_str *name;
};

/* Counts a packet of this kind that is at hand; those without a type by the number of their field. 0 or -1.
 */
int tk_pf_kind_count(struct tk_ev_capture *c, enum tk_pf_kind kind, struct tk_bytes packet);

/* Gives a record, in the pass for them. 0 or -1. */
int tk_pf_record_give(struct tk_ev_capture *c, const struct tk_pf_record *r);

#endif
