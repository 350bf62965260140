/*
 * Events of a .tracy as records: their types, with named fields. What has a fact of its own is told as such
 * too.
 *
 * Names are "Tracy.Event". Texts refer to the strings of the capture.
 */
#ifndef TK_FORMAT_TRACY_STATE_RECORD_H
#define TK_FORMAT_TRACY_STATE_RECORD_H

#include "tracekit.h"

/* X(symbol, name, field names...) */
#define TK_TRACY_RECORDS(X)                                                                                  \
    X(FRAME, "Frame", "Set", "Number", "Start", "End", "Image")                                              \
    X(SECTION, "Section", "Category", "Start", "End", "Text", "Description")                                 \
    X(LOCK, "Lock", "Lock", "Name", "Shared", "Valid", "Announced", "Terminated", "Threads")                 \
    X(LOCK_EVENT, "LockEvent", "Lock", "Kind", "Thread", "Function", "File", "Line")                         \
    X(MESSAGE, "Message", "Text", "Severity", "Source", "Colour", "Callstack")                               \
    X(ZONE_BEGIN, "ZoneBegin", "Name", "File", "Line", "Function", "Text", "OwnName", "Colour", "Callstack", \
      "Children")                                                                                            \
    X(ZONE_END, "ZoneEnd", "Depth")                                                                          \
    X(SWITCH_SAMPLE, "SwitchSample", "Callstack")                                                            \
    X(SAMPLE, "Sample", "Callstack")                                                                         \
    X(GPU_CONTEXT, "GpuContext", "Context", "Name", "Type", "Calibrated", "Period", "Zones", "Overflow")     \
    X(GPU_ZONE_BEGIN, "GpuZoneBegin", "Context", "Name", "File", "Line", "CpuStart", "GpuStart", "Thread",   \
      "Callstack", "Children")                                                                               \
    X(GPU_ZONE_END, "GpuZoneEnd", "Context", "CpuEnd", "GpuEnd", "Query", "Depth")                           \
    X(GPU_NOTE, "GpuNote", "Context", "Query", "Note", "Name", "Value")                                      \
    X(PLOT, "Plot", "Plot", "Name", "Type", "Format", "Steps", "Fill", "Colour", "Min", "Max", "Sum",        \
      "Points")                                                                                              \
    X(PLOT_POINT, "PlotPoint", "Plot", "Name", "Value")                                                      \
    X(MEMORY_POOL, "MemoryPool", "Pool", "Name", "Events", "Active", "High", "Low", "Bytes")                 \
    X(MEMORY_EVENT, "MemoryEvent", "Pool", "Name", "Address", "Size", "Freed", "FreeThread",                 \
      "AllocCallstack", "FreeCallstack")                                                                     \
    X(CALLSTACK, "Callstack", "Callstack", "Depth", "Frames")                                                \
    X(CALLSTACK_FRAME, "CallstackFrame", "Frame", "Inline", "Function", "File", "Line", "Symbol", "Image")   \
    X(APP_INFO, "AppInfo", "Text")                                                                           \
    X(FRAME_IMAGE, "FrameImage", "Image", "Width", "Height", "Flipped", "Bytes")                             \
    X(CONTEXT_SWITCH, "ContextSwitch", "Wakeup", "Start", "End", "Cpu", "Reason", "State", "Other",          \
      "WakeupCpu")                                                                                           \
    X(CPU_SWITCH, "CpuSwitch", "Cpu", "Start", "End", "Thread", "Process", "ThreadName")                     \
    X(THREAD_PROCESS, "ThreadProcess", "Thread", "Process")                                                  \
    X(THREAD_CPU, "ThreadCpu", "Thread", "Running", "Regions", "Migrations")                                 \
    X(SYMBOL, "Symbol", "Address", "Name", "File", "Line", "Image", "CallFile", "CallLine", "Inline",        \
      "Size")                                                                                                \
    X(SYMBOL_CODE, "SymbolCode", "Address", "Bytes")                                                         \
    X(CODE_SYMBOL, "CodeSymbol", "Code", "Symbol")                                                           \
    X(HW_SAMPLE, "HardwareSample", "Address", "Event")                                                       \
    X(SOURCE_FILE, "SourceFile", "Name", "Bytes")

enum tk_tracy_record {
#define TK_TRACY_RECORD_SYMBOL(symbol, name, ...) TK_TRACY_##symbol,
    TK_TRACY_RECORDS(TK_TRACY_RECORD_SYMBOL)
#undef TK_TRACY_RECORD_SYMBOL
        TK_TRACY_RECORD_COUNT
};

#define TK_TRACY_RECORD_MASK(symbol) (UINT64_C(1) << TK_TRACY_##symbol)

/* The type of each. Static; records of them point to their cells (struct tk_record.impl). */
extern const struct tk_record_type tk_tracy_record_types[TK_TRACY_RECORD_COUNT];

#endif
