#include "lane_kinds.h"

#include <stdio.h>
#include <string.h>

enum type {
    SWITCH,
    SAMPLE,
    LAUNCHED,
    SCHEDULED,
    STARTED,
    FINISHED,
    COMPLETED,
    DESTROYED,
    WAIT_BEGIN,
    WAIT_END,
    GPU_INIT,
    QUEUE,
    SPEC,
    WORK_BEGIN,
    WORK_END,
    CRUMB_BEGIN,
    CRUMB_END,
    WAIT_FENCE,
    SIGNAL_FENCE,
    LOCK_REQUEST,
    LOCK_OBTAIN,
    LOCK_RELEASE,
    OPEN_BEGIN,
    OPEN_END,
    READ_BEGIN,
    READ_END,
    LOAD_START,
    REQUEST_BEGIN,
    REQUEST_END,
    PACKAGE_NEW,
    PACKAGE_OF,
    SUMMARY,
    EXPORT_BEGIN,
    EXPORT_END,
    MEMORY_INIT,
    MARKER,
    ALLOC,
    FREE,
    TYPES
};

enum {
    DEFINED = TK_UW_IMPORTANT | TK_UW_NOSYNC,
    CORES = 8,
    THREADS = 8,
    QUEUES = 2,
    TASKS = 8,
    BLOCKS = 64,
    ROUND = 170000
};

/* As of tk_families: a letter for what each field holds. */
static const struct {
    const char *logger, *event, *fields;
    uint8_t flags;
} types[TYPES] = {
    [SWITCH] = {"PlatformEvent", "ContextSwitch", "StartTime:q EndTime:q ThreadId:i CoreNumber:b",
                TK_UW_NOSYNC},
    [SAMPLE] = {"PlatformEvent", "StackSample", "Time:q ThreadId:i Addresses:Q", TK_UW_NOSYNC | TK_UW_AUX},
    [LAUNCHED] = {"TaskTrace", "Launched",
                  "Timestamp:q TaskId:q DebugName:w Tracked:b ThreadToExecuteOn:i TaskSize:q", TK_UW_AUX},
    [SCHEDULED] = {"TaskTrace", "Scheduled", "Timestamp:q TaskId:q", 0},
    [STARTED] = {"TaskTrace", "Started", "Timestamp:q TaskId:q", 0},
    [FINISHED] = {"TaskTrace", "Finished", "Timestamp:q TaskId:q", 0},
    [COMPLETED] = {"TaskTrace", "Completed", "Timestamp:q TaskId:q", 0},
    [DESTROYED] = {"TaskTrace", "Destroyed", "Timestamp:q TaskId:q", 0},
    [WAIT_BEGIN] = {"TaskTrace", "WaitingStarted", "Timestamp:q Tasks:Q", TK_UW_AUX},
    [WAIT_END] = {"TaskTrace", "WaitingFinished", "Timestamp:q", 0},
    [GPU_INIT] = {"GpuProfiler", "Init", "Version:b", DEFINED},
    [QUEUE] = {"GpuProfiler", "QueueSpec", "QueueId:i TypeString:w", DEFINED | TK_UW_AUX},
    [SPEC] = {"GpuProfiler", "EventBreadcrumbSpec", "SpecId:i StaticName:w NameFormat:w FieldNames:B",
              DEFINED | TK_UW_AUX},
    [WORK_BEGIN] = {"GpuProfiler", "EventBeginWork", "QueueId:i GPUTimestampTOP:q CPUTimestamp:q", 0},
    [WORK_END] = {"GpuProfiler", "EventEndWork", "QueueId:i GPUTimestampBOP:q", 0},
    [CRUMB_BEGIN] = {"GpuProfiler", "EventBeginBreadcrumb", "SpecId:i QueueId:i GPUTimestampTOP:q Metadata:B",
                     TK_UW_AUX},
    [CRUMB_END] = {"GpuProfiler", "EventEndBreadcrumb", "QueueId:i GPUTimestampBOP:q", 0},
    [WAIT_FENCE] = {"GpuProfiler", "WaitFence", "QueueId:i CPUTimestamp:q QueueToWaitForId:i Value:q", 0},
    [SIGNAL_FENCE] = {"GpuProfiler", "SignalFence", "QueueId:i CPUTimestamp:q Value:q", 0},
    [LOCK_REQUEST] = {"Chaos", "LockAcquireBegin", "Cycle:q bIsWrite:b", 0},
    [LOCK_OBTAIN] = {"Chaos", "LockAcquired", "Cycle:q", 0},
    [LOCK_RELEASE] = {"Chaos", "LockAcquireEnd", "Cycle:q", 0},
    [OPEN_BEGIN] = {"PlatformFile", "BeginOpen", "Cycle:q Path:w", TK_UW_AUX},
    [OPEN_END] = {"PlatformFile", "EndOpen", "Cycle:q FileHandle:q", 0},
    [READ_BEGIN] = {"PlatformFile", "BeginRead", "Cycle:q ReadHandle:q FileHandle:q Offset:q Size:q", 0},
    [READ_END] = {"PlatformFile", "EndRead", "Cycle:q ReadHandle:q SizeRead:q", 0},
    [LOAD_START] = {"LoadTime", "StartAsyncLoading", "Cycle:q", TK_UW_IMPORTANT | TK_UW_NOSYNC},
    [REQUEST_BEGIN] = {"LoadTime", "BeginRequest", "Cycle:q RequestId:q", 0},
    [REQUEST_END] = {"LoadTime", "EndRequest", "Cycle:q RequestId:q", 0},
    [PACKAGE_NEW] = {"LoadTime", "NewAsyncPackage", "AsyncPackage:q", 0},
    [PACKAGE_OF] = {"LoadTime", "AsyncPackageRequestAssociation", "AsyncPackage:q RequestId:q", 0},
    [SUMMARY] = {"LoadTime", "PackageSummary",
                 "AsyncPackage:q TotalHeaderSize:i ImportCount:i ExportCount:i Name:w Priority:i", TK_UW_AUX},
    [EXPORT_BEGIN] = {"LoadTime", "BeginCreateExport", "Cycle:q AsyncPackage:q", 0},
    [EXPORT_END] = {"LoadTime", "EndCreateExport", "Cycle:q Object:q Class:q", 0},
    [MEMORY_INIT] = {"Memory", "Init", "PageSize:q MarkerPeriod:i Version:b MinAlignment:b SizeShift:b",
                     DEFINED},
    [MARKER] = {"Memory", "Marker", "Cycle:q", 0},
    [ALLOC] = {"Memory", "AllocSystem", "Address:q CallstackId:i Size:i AlignmentPow2_SizeLower:b", 0},
    [FREE] = {"Memory", "FreeSystem", "Address:q CallstackId:i", 0},
};

static uint8_t code_of(char kind)
{
    static const char kinds[] = "bhiqawBQ";
    static const uint8_t codes[] = {TK_UW_U8,   TK_UW_U16,  TK_UW_U32, TK_UW_U64,
                                    TK_UW_ANSI, TK_UW_WIDE, TK_UW_U8S, TK_UW_U64S};
    return codes[strchr(kinds, kind) - kinds];
}

static void declare(struct tk_lane_kinds *k, unsigned t)
{
    struct tk_uw_type *type = &k->types[t];
    *type = (struct tk_uw_type){
        .logger = types[t].logger, .event = types[t].event, .fields = k->fields[t], .flags = types[t].flags};
    snprintf(k->names[t], sizeof k->names[t], "%s", types[t].fields);
    for (char *p = strtok(k->names[t], " "); p; p = strtok(NULL, " ")) {
        char *colon = strchr(p, ':');
        *colon = 0;
        k->fields[t][type->field_count++] = (struct tk_uw_field){.name = p, .type = code_of(colon[1])};
    }
}

/* Writes an event: numbers in the order of its fields (0 for others), one text for all fields of text, and
 * one list of numbers. */
struct values {
    const char *text;
    const uint64_t *list;
    unsigned n_list;
};

static void put_attached(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned i,
                         const struct values *v)
{
    uint16_t wide[64];
    const size_t n = v->text ? strlen(v->text) : 0;
    for (size_t c = 0; c < n && c < 64; c++)
        wide[c] = (uint8_t)v->text[c];
    if (type->fields[i].type == TK_UW_U64S)
        tk_uw_value(lane, type, i, v->list, v->n_list * sizeof *v->list);
    else if (type->fields[i].type == TK_UW_WIDE)
        tk_uw_value(lane, type, i, wide, 2 * n);
    else if (type->fields[i].type == TK_UW_ANSI)
        tk_uw_value(lane, type, i, v->text, n);
}

static void put(struct tk_lane_kinds *k, struct tk_uw_lane *lane, enum type t, const uint64_t *numbers,
                struct values v)
{
    const struct tk_uw_type *type = &k->types[t];
    tk_uw_begin(lane, type);
    for (unsigned i = 0; i < type->field_count; i++)
        if (type->fields[i].type < TK_UW_U8S)
            tk_uw_uint(&lane->pending, numbers[i], 1u << (type->fields[i].type & 3));
    for (unsigned i = 0; i < type->field_count; i++)
        if (type->fields[i].type >= TK_UW_U8S)
            put_attached(lane, type, i, &v);
    tk_uw_end(lane, type);
    k->events++;
}

#define PUT(lane, type, ...)                                                                                 \
    put(k, lane, type, (const uint64_t[TK_LANE_KINDS_FIELDS]){__VA_ARGS__}, (struct values){0})
#define PUT_TEXT(lane, type, words, ...)                                                                     \
    put(k, lane, type, (const uint64_t[TK_LANE_KINDS_FIELDS]){__VA_ARGS__}, (struct values){.text = (words)})
#define PUT_LIST(lane, type, numbers, n, ...)                                                                \
    put(k, lane, type, (const uint64_t[TK_LANE_KINDS_FIELDS]){__VA_ARGS__},                                  \
        (struct values){.list = (numbers), .n_list = (n)})

static const char *const names[TASKS] = {"Cull", "Animate", "Simulate", "Stream",
                                         "Skin", "Sort",    "Pack",     "Decode"};

void tk_lane_kinds_start(struct tk_lane_kinds *k, struct tk_uw *uw)
{
    struct tk_uw_lane *to = &uw->important;
    for (unsigned t = 0; t < TYPES; t++) {
        declare(k, t);
        tk_uw_register(uw, &k->types[t]);
    }
    PUT(to, GPU_INIT, 2);
    PUT_TEXT(to, QUEUE, "Graphics", 0);
    PUT_TEXT(to, QUEUE, "Compute", 1);
    for (unsigned i = 0; i < TASKS; i++)
        PUT_TEXT(to, SPEC, names[i], i + 1);
    PUT(to, LOAD_START, uw->start_cycle);
    PUT(to, MEMORY_INIT, 4096, 4096, 2, 16, 3);
    for (unsigned i = 0; i < 4; i++)
        tk_uw_counter_spec(uw, (uint16_t)(i + 1), 0, 0, names[i]);
    tk_uw_log_category(uw, 0x77, 5, "LogGame");
    tk_uw_log_spec(uw, 0x88, 0x77, 12, 5, "A.cpp", "Nothing happened");
    tk_uw_bookmark_spec(uw, 0x99, 30, "Checkpoint", "B.cpp");
}

/* ---- what happens in a round ---- */

/* The first lane launches tasks, the others run them, and the first waits for the last of them. */
static void write_tasks(struct tk_lane_kinds *k, struct tk_uw_lane *const *lanes, uint64_t at)
{
    const uint64_t first = k->tasks;
    for (unsigned i = 0; i < TASKS; i++) {
        struct tk_uw_lane *lane = lanes[1 + i % (THREADS - 1)];
        const uint64_t id = first + i, launched = at + 20000 + 50 * i, started = launched + 3000 + 400 * i,
                       ended = started + 2000 + 90 * i;
        PUT_TEXT(lanes[0], LAUNCHED, names[i], launched, id, 0, 1, 255, 200);
        PUT(lanes[0], SCHEDULED, launched + 1, id);
        PUT(lane, STARTED, started, id);
        PUT(lane, FINISHED, ended, id);
        PUT(lane, COMPLETED, ended + 2, id);
        PUT(lane, DESTROYED, ended + 4, id);
    }
    k->tasks += TASKS;
    PUT_LIST(lanes[0], WAIT_BEGIN, (&(const uint64_t){first + TASKS - 1}), 1, at + 22000);
    PUT(lanes[0], WAIT_END, at + 29000);
}

/* Each core runs a thread, nobody, another process, and a thread again. */
static void write_cores(struct tk_lane_kinds *k, struct tk_uw_lane *lane, uint32_t first_thread,
                        struct tk_random *random, uint64_t at)
{
    for (unsigned core = 0; core < CORES; core++)
        for (uint64_t time = at + core * 10; time + 30000 < at + ROUND;) {
            const uint64_t length = 4000 + tk_random_below(random, 22000);
            const uint32_t thread = tk_random_below(random, 6) ? first_thread + core : 900000 + core;
            PUT(lane, SWITCH, time, time + length, thread, core);
            time += length + tk_random_below(random, 4000);
        }
}

/* The second queue waits until the first one has done its part of the frame. */
static void write_gpu(struct tk_lane_kinds *k, struct tk_uw_lane *lane, uint64_t at)
{
    const uint64_t frame = k->frames;
    PUT(lane, WAIT_FENCE, 1, at + 10000, 0, frame);
    PUT(lane, SIGNAL_FENCE, 0, at + 90000, frame);
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        const uint64_t begin = at + 12000 + 79000 * queue;
        PUT(lane, WORK_BEGIN, queue, begin, begin - 5000);
        for (unsigned i = 0; i < TASKS; i++) {
            PUT(lane, CRUMB_BEGIN, i + 1, queue, begin + 100 + 8000 * i);
            PUT(lane, CRUMB_END, queue, begin + 7900 + 8000 * i);
        }
        PUT(lane, WORK_END, queue, begin + 66000);
    }
}

/* One thread after the other holds the lock, for which the next one waits. */
static void write_locks(struct tk_lane_kinds *k, struct tk_uw_lane *const *lanes, uint64_t at)
{
    for (unsigned i = 0; i < THREADS; i++) {
        const uint64_t begin = at + 40000 + 9000 * i;
        PUT(lanes[i], LOCK_REQUEST, begin - (i ? 3000 : 100), i % 2);
        PUT(lanes[i], LOCK_OBTAIN, begin);
        PUT(lanes[i], LOCK_RELEASE, begin + 8900);
    }
}

static void write_loading(struct tk_lane_kinds *k, struct tk_uw_lane *lane, uint64_t at)
{
    const uint64_t file = 1 + k->frames % 16, package = 0x1000 + 16 * k->packages,
                   request = 0x500000 + k->packages;
    char name[48];
    snprintf(name, sizeof name, "/Game/Maps/Part_%u", (unsigned)(k->packages % 5000));
    if (k->frames < 16) {
        PUT_TEXT(lane, OPEN_BEGIN, name, at + 100);
        PUT(lane, OPEN_END, at + 400, file);
    }
    for (unsigned i = 0; i < 3; i++) {
        PUT(lane, READ_BEGIN, at + 1000 + 9000 * i, 7 + i, file, 65536 * i, 65536);
        PUT(lane, READ_END, at + 6000 + 9000 * i, 7 + i, 65536);
    }
    if (k->frames % 4)
        return;
    k->packages++;
    PUT(lane, REQUEST_BEGIN, at + 30000, request);
    PUT(lane, PACKAGE_NEW, package);
    PUT(lane, PACKAGE_OF, package, request);
    PUT_TEXT(lane, SUMMARY, name, package, 900, 3, 1);
    PUT(lane, EXPORT_BEGIN, at + 31000, package);
    PUT(lane, EXPORT_END, at + 45000, package + 1, 0x99);
    PUT(lane, REQUEST_END, at + 60000, request);
}

/* Blocks live for four frames. */
static void write_memory(struct tk_lane_kinds *k, struct tk_uw_lane *lane, struct tk_random *random,
                         uint64_t at)
{
    const uint64_t now = k->frames % 4, base = UINT64_C(0x7f0000000000);
    PUT(lane, MARKER, at);
    for (unsigned i = 0; i < BLOCKS / 4; i++) {
        const uint64_t address = base + 65536 * (now * BLOCKS + i);
        if (k->frames >= 4)
            PUT(lane, FREE, address, 0);
        PUT(lane, ALLOC, address, 1 + i, 16 + tk_random_below(random, 4000), 4 << 3);
    }
}

static void write_marks(struct tk_lane_kinds *k, struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t at)
{
    const struct tk_uw_bytes none = {0};
    for (unsigned i = 0; i < 4; i++)
        tk_uw_counter_int(uw, lane, at + 100 * i, (uint16_t)(i + 1), (int64_t)(k->frames * (i + 3) % 977));
    if (k->frames % 3 == 0)
        tk_uw_log(uw, lane, at + 500, 0x88, &none);
    if (k->frames % 500 == 0)
        tk_uw_bookmark(uw, lane, at + 900, 0x99, &none);
}

static void write_samples(struct tk_lane_kinds *k, struct tk_uw_lane *lane, uint32_t first_thread,
                          struct tk_random *random, uint64_t at)
{
    uint64_t stack[6];
    for (unsigned i = 0; i < 2 * THREADS; i++) {
        for (unsigned d = 0; d < 6; d++)
            stack[d] = UINT64_C(0x7ff600001000) + 64 * tk_random_below(random, 40) + 4096 * d;
        PUT_LIST(lane, SAMPLE, stack, 6, at + 10000 * i, first_thread + i % THREADS);
    }
}

void tk_lane_kinds_write(struct tk_lane_kinds *k, struct tk_uw *uw, struct tk_uw_lane *const *lanes,
                         uint32_t first_thread, struct tk_random *random, uint64_t from)
{
    write_tasks(k, lanes, from);
    write_cores(k, lanes[1], first_thread, random, from);
    write_gpu(k, lanes[2], from);
    write_locks(k, lanes, from);
    write_loading(k, lanes[3], from);
    write_memory(k, lanes[4], random, from);
    write_marks(k, uw, lanes[0], from);
    write_samples(k, lanes[1], first_thread, random, from);
    k->frames++;
}
