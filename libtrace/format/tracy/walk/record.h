/*
 * Events of a .tracy as records: their types, with named fields. Items with a fact of their own are sent as
 * such, too.
 *
 * Names are "Tracy.Event". Texts refer to the strings of the capture.
 */
#ifndef TK_FORMAT_TRACY_STATE_RECORD_H
#define TK_FORMAT_TRACY_STATE_RECORD_H

#include "tracekit.h"

/* X(symbol, family, name, field names...). A family is who understands them: tables are made of them. */
#define TK_TRACY_RECORDS(X)                                                                                  \
    X(FRAME, "frame", "Frame", "Set", "Number", "Start", "End", "Image")                                     \
    X(SECTION, "region", "Section", "Category", "Start", "End", "Text", "Description")                       \
    X(LOCK, "lock", "Lock", "Lock", "Name", "Shared", "Valid", "Announced", "Terminated", "Threads")         \
    X(LOCK_EVENT, "lock", "LockEvent", "Lock", "Kind", "Thread", "Function", "File", "Line")                 \
    X(MESSAGE, "log", "Message", "Text", "Severity", "Source", "Colour", "Callstack")                        \
    X(ZONE_BEGIN, "zone", "ZoneBegin", "Name", "File", "Line", "Function", "Text", "OwnName", "Colour",      \
      "Callstack", "Children")                                                                               \
    X(ZONE_END, "zone", "ZoneEnd", "Depth")                                                                  \
    X(SWITCH_SAMPLE, "sample", "SwitchSample", "Callstack")                                                  \
    X(SAMPLE, "sample", "Sample", "Callstack")                                                               \
    X(GPU_CONTEXT, "gpu", "GpuContext", "Context", "Name", "Type", "Calibrated", "Period", "Zones",          \
      "Overflow")                                                                                            \
    X(GPU_ZONE_BEGIN, "gpu", "GpuZoneBegin", "Context", "Name", "File", "Line", "CpuStart", "GpuStart",      \
      "Thread", "Callstack", "Children")                                                                     \
    X(GPU_ZONE_END, "gpu", "GpuZoneEnd", "Context", "CpuEnd", "GpuEnd", "Query", "Depth")                    \
    X(GPU_NOTE, "gpu", "GpuNote", "Context", "Query", "Note", "Name", "Value")                               \
    X(PLOT, "plot", "Plot", "Plot", "Name", "Type", "Format", "Steps", "Fill", "Colour", "Min", "Max",       \
      "Sum", "Points")                                                                                       \
    X(PLOT_POINT, "plot", "PlotPoint", "Plot", "Name", "Value")                                              \
    X(MEMORY_POOL, "memory", "MemoryPool", "Pool", "Name", "Events", "Active", "High", "Low", "Bytes")       \
    X(MEMORY_EVENT, "memory", "MemoryEvent", "Pool", "Name", "Address", "Size", "Freed", "FreeThread",       \
      "AllocCallstack", "FreeCallstack")                                                                     \
    X(CALLSTACK, "callstack", "Callstack", "Callstack", "Depth", "Frames")                                   \
    X(CALLSTACK_FRAME, "callstack", "CallstackFrame", "Frame", "Inline", "Function", "File", "Line",         \
      "Symbol", "Image")                                                                                     \
    X(APP_INFO, "session", "AppInfo", "Text")                                                                \
    X(FRAME_IMAGE, "frame_image", "FrameImage", "Image", "Width", "Height", "Flipped", "Bytes")              \
    X(CONTEXT_SWITCH, "switch", "ContextSwitch", "Wakeup", "Start", "End", "Cpu", "Reason", "State",         \
      "Other", "WakeupCpu")                                                                                  \
    X(CPU_SWITCH, "switch", "CpuSwitch", "Cpu", "Start", "End", "Thread", "Process", "ThreadName")           \
    X(THREAD_PROCESS, "thread", "ThreadProcess", "Thread", "Process")                                        \
    X(THREAD_CPU, "thread", "ThreadCpu", "Thread", "Running", "Regions", "Migrations")                       \
    X(SYMBOL, "symbol", "Symbol", "Address", "Name", "File", "Line", "Image", "CallFile", "CallLine",        \
      "Inline", "Size")                                                                                      \
    X(SYMBOL_CODE, "symbol", "SymbolCode", "Address", "Bytes")                                               \
    X(CODE_SYMBOL, "symbol", "CodeSymbol", "Code", "Symbol")                                                 \
    X(HW_SAMPLE, "sample", "HardwareSample", "Address", "Event")                                             \
    X(SOURCE_FILE, "source", "SourceFile", "Name", "Bytes")

enum tk_tracy_record {
#define TK_TRACY_RECORD_SYMBOL(symbol, ...) TK_TRACY_##symbol,
    TK_TRACY_RECORDS(TK_TRACY_RECORD_SYMBOL)
#undef TK_TRACY_RECORD_SYMBOL
        TK_TRACY_RECORD_COUNT
};

#define TK_TRACY_RECORD_MASK(symbol) (UINT64_C(1) << TK_TRACY_##symbol)

/* The type of each. Static; records of them point to their cells (struct tk_record.impl). */
extern const struct tk_record_type tk_tracy_record_types[TK_TRACY_RECORD_COUNT];

#endif
