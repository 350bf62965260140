/*
 * One event of each family.
 */
#include "families.h"

#include <string.h>

/* Fields: t a cycle; b h i q numbers of 1, 2, 4, 8 bytes; d a real; w a text of 8 wide characters; B an array
 * of 24 bytes, Q one of 6 numbers of 8 bytes. */
static const struct {
    const char *logger, *event, *fields;
    uint8_t flags;
} types[] = {
    {"Counters", "SetValueInt", "Cycle:t Value:q CounterId:h", 0},
    {"Stats", "EventBatch2", "Data:B", TK_UW_AUX},
    {"CsvProfiler", "CustomStatInt", "StatId:q Cycle:t Value:i OpType:b", 0},
    {"GpuProfiler", "EventBeginBreadcrumb", "SpecId:i QueueId:i GPUTimestampTOP:t Metadata:B", TK_UW_AUX},
    {"GpuProfiler", "EventEndBreadcrumb", "QueueId:i GPUTimestampBOP:t", 0},
    {"GpuProfiler", "EventBeginWork", "QueueId:i GPUTimestampTOP:t CPUTimestamp:t", 0},
    {"GpuProfiler", "EventEndWork", "QueueId:i GPUTimestampBOP:t", 0},
    {"LLM", "TagValue", "TrackerId:b Cycle:t Tags:Q Values:Q", TK_UW_AUX},
    {"Memory", "Alloc", "Address:q CallstackId:i Size:i AlignmentPow2_SizeLower:b RootHeap:b", 0},
    {"Memory", "Free", "Address:q CallstackId:i RootHeap:b", 0},
    {"Memory", "ReallocFree", "Address:q CallstackId:i RootHeap:b", 0},
    {"Memory", "ReallocAlloc", "Address:q CallstackId:i Size:i AlignmentPow2_SizeLower:b RootHeap:b", 0},
    {"Memory", "Marker", "Cycle:t", 0},
    {"Memory", "CallstackSpec", "CallstackId:i Frames:Q", TK_UW_NOSYNC | TK_UW_AUX},
    {"MetadataStack", "SaveStack", "Id:i", 0},
    {"TaskTrace", "Launched", "Timestamp:t TaskId:q DebugName:w Tracked:b ThreadToExecuteOn:i TaskSize:q",
     TK_UW_AUX},
    {"TaskTrace", "Scheduled", "Timestamp:t TaskId:q", 0},
    {"TaskTrace", "Started", "Timestamp:t TaskId:q", 0},
    {"TaskTrace", "Finished", "Timestamp:t TaskId:q", 0},
    {"TaskTrace", "Completed", "Timestamp:t TaskId:q", 0},
    {"TaskTrace", "Destroyed", "Timestamp:t TaskId:q", 0},
    {"PlatformEvent", "ContextSwitch", "StartTime:t EndTime:t ThreadId:i CoreNumber:b", TK_UW_NOSYNC},
    {"PlatformEvent", "StackSample", "Time:t ThreadId:i Addresses:Q", TK_UW_NOSYNC | TK_UW_AUX},
    {"Chaos", "LockAcquireBegin", "Cycle:t bIsWrite:b", 0},
    {"Chaos", "LockAcquired", "Cycle:t", 0},
    {"Chaos", "LockAcquireEnd", "Cycle:t", 0},
    {"LoadTime", "BeginCreateExport", "Cycle:t AsyncPackage:q", 0},
    {"LoadTime", "EndCreateExport", "Cycle:t Object:q Class:q", 0},
    {"PlatformFile", "BeginRead", "Cycle:t ReadHandle:q FileHandle:q Offset:q Size:q", 0},
    {"PlatformFile", "EndRead", "Cycle:t ReadHandle:q SizeRead:q", 0},
    {"IoStore", "RequestStarted", "Cycle:t RequestHandle:q BackendHandle:q", 0},
    {"IoStore", "RequestCompleted", "Cycle:t RequestHandle:q Size:q", 0},
    {"CookTrace", "PackageStat", "Id:q Duration:q StatType:b", 0},
    {"Http", "RequestCompleted", "Request:q CompletionTime:t StatusCode:i ContentLength:q Host:w", TK_UW_AUX},
    {"NetTrace", "PacketContentEvent", "ConnectionId:h GameInstanceId:b PacketType:b Data:B", TK_UW_AUX},
    {"NetTrace", "PacketEvent",
     "Timestamp:t PacketBits:i SequenceNumber:i ConnectionId:h GameInstanceId:b PacketType:b", 0},
    {"VerseVMSampler", "SampleEvent", "Callstack:Q Cycles:t BytecodeOffset:i Line:i", TK_UW_AUX},
    {"Game", "Own", "Cycle:t Health:d Name:w", TK_UW_AUX},
};

_Static_assert(sizeof types / sizeof *types <= TK_FAMILIES_TYPES, "too many types");

static uint8_t code_of(char kind)
{
    static const struct {
        char kind;
        uint8_t code;
    } codes[] = {{'t', TK_UW_U64}, {'b', TK_UW_U8},   {'h', TK_UW_U16}, {'i', TK_UW_U32}, {'q', TK_UW_U64},
                 {'d', TK_UW_F64}, {'w', TK_UW_WIDE}, {'B', TK_UW_U8S}, {'Q', TK_UW_U64S}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].kind == kind)
            return codes[i].code;
    return TK_UW_U8;
}

static void declare(struct tk_families *f, unsigned t)
{
    struct tk_uw_type *type = &f->types[t];
    *type = (struct tk_uw_type){
        .logger = types[t].logger, .event = types[t].event, .fields = f->fields[t], .flags = types[t].flags};
    snprintf(f->names[t], sizeof f->names[t], "%s", types[t].fields);
    for (char *p = strtok(f->names[t], " "); p; p = strtok(NULL, " ")) {
        char *colon = strchr(p, ':');
        *colon = 0;
        f->fields[t][type->field_count++] = (struct tk_uw_field){.name = p, .type = code_of(colon[1])};
    }
}

void tk_families_declare(struct tk_families *f, struct tk_uw *uw)
{
    for (f->count = 0; f->count < sizeof types / sizeof *types; f->count++) {
        declare(f, f->count);
        tk_uw_register(uw, &f->types[f->count]);
    }
}

/* The letter of the next field behind p. */
static char next_kind(const char **p)
{
    *p = strchr(*p, ':') + 2;
    return (*p)[-1];
}

static void put_value(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned field, char kind,
                      uint64_t number)
{
    static const uint8_t text[] = "S\0t\0o\0n\0e\0W\0a\0l\0";
    uint64_t array[6];
    for (unsigned i = 0; i < 6; i++)
        array[i] = number + i * UINT64_C(0x9e37);
    if (kind == 'w')
        tk_uw_value(lane, type, field, text, sizeof text - 1);
    else
        tk_uw_value(lane, type, field, array, kind == 'Q' ? sizeof array : 24);
}

static void write_event(struct tk_families *f, unsigned t, struct tk_uw_lane *lane, struct tk_random *random,
                        uint64_t now)
{
    const struct tk_uw_type *type = &f->types[t];
    uint64_t bits = tk_random_next(random);
    const char *p = types[t].fields;
    tk_uw_begin(lane, type);
    for (unsigned i = 0; i < type->field_count; i++) {
        char kind = next_kind(&p);
        if (!strchr("wBQ", kind))
            tk_uw_uint(&lane->pending, kind == 't' ? now : bits >> (i & 31),
                       1u << (type->fields[i].type & 3));
    }
    p = types[t].fields;
    for (unsigned i = 0; i < type->field_count; i++) {
        char kind = next_kind(&p);
        if (strchr("wBQ", kind))
            put_value(lane, type, i, kind, bits);
    }
    tk_uw_end(lane, type);
}

void tk_families_write(struct tk_families *f, struct tk_uw_lane *lane, struct tk_random *random, uint64_t now)
{
    for (unsigned t = 0; t < f->count; t++)
        write_event(f, t, lane, random, now);
    f->events += f->count;
}
