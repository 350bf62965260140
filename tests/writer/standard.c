/* The engine's event types that the writer can produce, after events 1 to 4. */
#include "utrace_writer.h"

enum {
    ONCE = TK_UW_IMPORTANT | TK_UW_NOSYNC, /* specs without strings */
    SPEC = TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX,
    LOOSE = TK_UW_NOSYNC | TK_UW_AUX,
};

static const struct tk_uw_field new_trace[] = {
    {.name = "StartCycle", .type = TK_UW_U64},
    {.name = "CycleFrequency", .type = TK_UW_U64},
    {.name = "Endian", .type = TK_UW_U16},
    {.name = "PointerSize", .type = TK_UW_U8},
};
static const struct tk_uw_field new_trace_old[] = {
    {.name = "StartCycle", .type = TK_UW_U64}, {.name = "CycleFrequency", .type = TK_UW_U64},
    {.name = "Serial", .type = TK_UW_U32},     {.name = "UserUidBias", .type = TK_UW_U16},
    {.name = "Endian", .type = TK_UW_U16},     {.name = "PointerSize", .type = TK_UW_U8},
    {.name = "FeatureSet", .type = TK_UW_U8},
};
static const struct tk_uw_field thread_timing[] = {{.name = "BaseTimestamp", .type = TK_UW_U64}};
static const struct tk_uw_field thread_info[] = {
    {.name = "ThreadId", .type = TK_UW_U32},
    {.name = "SystemId", .type = TK_UW_U32},
    {.name = "SortHint", .type = TK_UW_I32},
    {.name = "Name", .type = TK_UW_ANSI},
};
static const struct tk_uw_field only_name[] = {{.name = "Name", .type = TK_UW_ANSI}};
static const struct tk_uw_field channel_announce[] = {
    {.name = "Id", .type = TK_UW_U32},
    {.name = "IsEnabled", .type = TK_UW_U8},
    {.name = "ReadOnly", .type = TK_UW_U8},
    {.name = "Name", .type = TK_UW_ANSI},
};
static const struct tk_uw_field channel_toggle[] = {
    {.name = "Id", .type = TK_UW_U32},
    {.name = "IsEnabled", .type = TK_UW_U8},
};
static const struct tk_uw_field session2[] = {
    {.name = "Platform", .type = TK_UW_ANSI},    {.name = "AppName", .type = TK_UW_ANSI},
    {.name = "ProjectName", .type = TK_UW_WIDE}, {.name = "CommandLine", .type = TK_UW_WIDE},
    {.name = "Branch", .type = TK_UW_WIDE},      {.name = "BuildVersion", .type = TK_UW_WIDE},
    {.name = "Changelist", .type = TK_UW_U32},   {.name = "ConfigurationType", .type = TK_UW_U8},
    {.name = "TargetType", .type = TK_UW_U8},
};
static const struct tk_uw_field event_spec[] = {
    {.name = "Id", .type = TK_UW_U32},
    {.name = "Name", .type = TK_UW_ANSI},
    {.name = "File", .type = TK_UW_ANSI},
    {.name = "Line", .type = TK_UW_U32},
};
static const struct tk_uw_field event_spec_old[] = {
    {.name = "Id", .type = TK_UW_U32},
    {.name = "CharSize", .type = TK_UW_U8},
};
static const struct tk_uw_field batch_old[] = {{.name = "ThreadId", .type = TK_UW_U32}};
static const struct tk_uw_field batch[] = {{.name = "Data", .type = TK_UW_U8S}};
static const struct tk_uw_field metadata_spec[] = {
    {.name = "Id", .type = TK_UW_U32},
    {.name = "Name", .type = TK_UW_ANSI},
    {.name = "NameFormat", .type = TK_UW_WIDE},
    {.name = "FieldNames", .type = TK_UW_U8S},
};
static const struct tk_uw_field metadata[] = {
    {.name = "Id", .type = TK_UW_U32},
    {.name = "SpecId", .type = TK_UW_U32},
    {.name = "Metadata", .type = TK_UW_U8S},
};
static const struct tk_uw_field only_cycle[] = {{.name = "Cycle", .type = TK_UW_U64}};
static const struct tk_uw_field frame[] = {
    {.name = "Cycle", .type = TK_UW_U64},
    {.name = "FrameType", .type = TK_UW_U8},
};
static const struct tk_uw_field bookmark_spec[] = {
    {.name = "BookmarkPoint", .type = TK_UW_U64},
    {.name = "Line", .type = TK_UW_I32},
    {.name = "FormatString", .type = TK_UW_WIDE},
    {.name = "FileName", .type = TK_UW_ANSI},
};
static const struct tk_uw_field bookmark[] = {
    {.name = "Cycle", .type = TK_UW_U64},
    {.name = "BookmarkPoint", .type = TK_UW_U64},
    {.name = "FormatArgs", .type = TK_UW_U8S},
    {.name = "CallstackId", .type = TK_UW_U32},
};
static const struct tk_uw_field log_category[] = {
    {.name = "CategoryPointer", .type = TK_UW_U64},
    {.name = "DefaultVerbosity", .type = TK_UW_U8},
    {.name = "Name", .type = TK_UW_ANSI},
};
static const struct tk_uw_field log_spec[] = {
    {.name = "LogPoint", .type = TK_UW_U64},  {.name = "CategoryPointer", .type = TK_UW_U64},
    {.name = "Line", .type = TK_UW_I32},      {.name = "Verbosity", .type = TK_UW_U8},
    {.name = "FileName", .type = TK_UW_ANSI}, {.name = "FormatString", .type = TK_UW_WIDE},
};
static const struct tk_uw_field log_message[] = {
    {.name = "LogPoint", .type = TK_UW_U64},
    {.name = "Cycle", .type = TK_UW_U64},
    {.name = "FormatArgs", .type = TK_UW_U8S},
};
static const struct tk_uw_field region_begin[] = {
    {.name = "Cycle", .type = TK_UW_U64},
    {.name = "RegionName", .type = TK_UW_WIDE},
    {.name = "Category", .type = TK_UW_WIDE},
};
static const struct tk_uw_field region_end[] = {
    {.name = "Cycle", .type = TK_UW_U64},
    {.name = "RegionName", .type = TK_UW_WIDE},
};
static const struct tk_uw_field region_begin_id[] = {
    {.name = "CycleAndId", .type = TK_UW_U64},
    {.name = "RegionName", .type = TK_UW_WIDE},
    {.name = "Category", .type = TK_UW_WIDE},
};
static const struct tk_uw_field region_end_id[] = {
    {.name = "Cycle", .type = TK_UW_U64},
    {.name = "RegionId", .type = TK_UW_U64},
};
static const struct tk_uw_field counter_spec[] = {
    {.name = "Id", .type = TK_UW_U16},
    {.name = "Type", .type = TK_UW_U8},
    {.name = "DisplayHint", .type = TK_UW_U8},
    {.name = "Name", .type = TK_UW_ANSI},
};
static const struct tk_uw_field counter_int[] = {
    {.name = "Cycle", .type = TK_UW_U64},
    {.name = "Value", .type = TK_UW_I64},
    {.name = "CounterId", .type = TK_UW_U16},
};
static const struct tk_uw_field counter_float[] = {
    {.name = "Cycle", .type = TK_UW_U64},
    {.name = "Value", .type = TK_UW_F64},
    {.name = "CounterId", .type = TK_UW_U16},
};

#define TYPE(logger_name, event_name, type_flags, array)                                                     \
    {                                                                                                        \
        .logger = (logger_name), .event = (event_name), .flags = (type_flags), TK_UW_FIELDS(array)           \
    }

static const struct tk_uw_type standard[TK_UW_STANDARD_COUNT] = {
    [TK_UW_NEW_TRACE] = TYPE("$Trace", "NewTrace", ONCE, new_trace),
    [TK_UW_NEW_TRACE_OLD] = TYPE("$Trace", "NewTrace", TK_UW_NOSYNC, new_trace_old),
    [TK_UW_THREAD_TIMING] = TYPE("$Trace", "ThreadTiming", TK_UW_NOSYNC, thread_timing),
    [TK_UW_THREAD_INFO] = TYPE("$Trace", "ThreadInfo", SPEC, thread_info),
    [TK_UW_GROUP_BEGIN] = TYPE("$Trace", "ThreadGroupBegin", SPEC, only_name),
    [TK_UW_GROUP_END] = {.logger = "$Trace", .event = "ThreadGroupEnd", .flags = ONCE},
    [TK_UW_CHANNEL_ANNOUNCE] = TYPE("Trace", "ChannelAnnounce", SPEC, channel_announce),
    [TK_UW_CHANNEL_TOGGLE] = TYPE("Trace", "ChannelToggle", ONCE, channel_toggle),
    [TK_UW_SESSION2] = TYPE("Diagnostics", "Session2", SPEC, session2),
    [TK_UW_EVENT_SPEC] = TYPE("CpuProfiler", "EventSpec", SPEC, event_spec),
    [TK_UW_EVENT_SPEC_OLD] = TYPE("CpuProfiler", "EventSpec", ONCE, event_spec_old),
    [TK_UW_BATCH_OLD] = TYPE("CpuProfiler", "EventBatch", TK_UW_NOSYNC, batch_old),
    [TK_UW_BATCH_V1] = TYPE("CpuProfiler", "EventBatch", LOOSE, batch),
    [TK_UW_BATCH_V2] = TYPE("CpuProfiler", "EventBatchV2", LOOSE, batch),
    [TK_UW_BATCH_V3] = TYPE("CpuProfiler", "EventBatchV3", LOOSE, batch),
    [TK_UW_METADATA_SPEC] = TYPE("CpuProfiler", "MetadataSpec", SPEC, metadata_spec),
    [TK_UW_METADATA] = TYPE("CpuProfiler", "Metadata", LOOSE, metadata),
    [TK_UW_END_THREAD] = TYPE("CpuProfiler", "EndThread", TK_UW_NOSYNC, only_cycle),
    [TK_UW_BEGIN_FRAME] = TYPE("Misc", "BeginFrame", 0, frame),
    [TK_UW_END_FRAME] = TYPE("Misc", "EndFrame", 0, frame),
    [TK_UW_BOOKMARK_SPEC] = TYPE("Misc", "BookmarkSpec", SPEC, bookmark_spec),
    [TK_UW_BOOKMARK] = TYPE("Misc", "Bookmark", TK_UW_AUX, bookmark),
    [TK_UW_LOG_CATEGORY] = TYPE("Logging", "LogCategory", SPEC, log_category),
    [TK_UW_LOG_SPEC] = TYPE("Logging", "LogMessageSpec", SPEC, log_spec),
    [TK_UW_LOG_MESSAGE] = TYPE("Logging", "LogMessage", LOOSE, log_message),
    [TK_UW_REGION_BEGIN] = TYPE("Misc", "RegionBegin", TK_UW_AUX, region_begin),
    [TK_UW_REGION_END] = TYPE("Misc", "RegionEnd", TK_UW_AUX, region_end),
    [TK_UW_REGION_BEGIN_ID] = TYPE("Misc", "RegionBeginWithId", TK_UW_AUX, region_begin_id),
    [TK_UW_REGION_END_ID] = TYPE("Misc", "RegionEndWithId", 0, region_end_id),
    [TK_UW_COUNTER_SPEC] = TYPE("Counters", "Spec", SPEC, counter_spec),
    [TK_UW_COUNTER_INT] = TYPE("Counters", "SetValueInt", 0, counter_int),
    [TK_UW_COUNTER_FLOAT] = TYPE("Counters", "SetValueFloat", 0, counter_float),
};

const struct tk_uw_type *tk_uw_standard_type(enum tk_uw_standard which)
{
    return &standard[which];
}
