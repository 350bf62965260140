/*
 * Makers of what families of events tell: logs, channels, counters, memory, tasks, the operating system,
 * network.
 */
#include "make.h"

#include <inttypes.h>
#include <stdio.h>

static void messages(struct make *m, uint64_t point)
{
    struct tk_uw_bytes none = {0};
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_log(&m->uw, &m->lane, make_now(m), point, &none);
        make_drain(m, i);
    }
}

static void logs(struct make *m)
{
    tk_uw_log_category(&m->uw, 1, 5, "Log");
    tk_uw_log_spec(&m->uw, 7, 1, 1, 5, "f.cpp", "text");
    tk_uw_lane_flush(&m->uw.important);
    messages(m, 7);
}

static void unknown_logs(struct make *m)
{
    messages(m, 99);
}

static void toggles(struct make *m)
{
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_channel_toggle(&m->uw, "Cpu", i & 1);
        make_drain(m, i);
    }
}

static void channels(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n; i++) {
        snprintf(name, sizeof name, "Channel%" PRIu64, i);
        tk_uw_channel_announce(&m->uw, name, true, false);
        make_drain(m, i);
    }
}

static void counters(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n && i < 65535; i++) {
        snprintf(name, sizeof name, "Counter%" PRIu64, i);
        tk_uw_counter_spec(&m->uw, (uint16_t)i, 0, 0, name);
        make_drain(m, i);
    }
}

/* n values in the order of time, then one on another thread that is older than they are. */
static void late_value(struct make *m)
{
    struct tk_uw_lane other;
    tk_uw_counter_spec(&m->uw, 1, 0, 0, "Counter");
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_counter_int(&m->uw, &m->lane, m->uw.start_cycle + 1000 + i, 1, 1);
        make_drain(m, i);
    }
    tk_uw_lane_flush(&m->lane);
    tk_uw_thread(&m->uw, &other, TK_UW_TID_FIRST + 1);
    tk_uw_counter_int(&m->uw, &other, m->uw.start_cycle, 1, 1);
    tk_uw_lane_flush(&other);
    tk_uw_lane_release(&other);
}

/* n allocations, all with the callstack 0, or each with its own. */
static void allocate(struct make *m, bool apart)
{
    struct put_type *init =
        make_type(m, "Memory.Init", "PageSize:q MarkerPeriod:i Version:b MinAlignment:b SizeShift:b",
                  TK_UW_IMPORTANT | TK_UW_NOSYNC);
    struct put_type *alloc =
        make_type(m, "Memory.AllocSystem", "Address:q CallstackId:i Size:i AlignmentPow2_SizeLower:b", 0);
    put_event(&m->uw.important, init, Q(4096), Q(4096), Q(2), Q(16), Q(3));
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++) {
        put_event(&m->lane, alloc, Q(0x1000 + 16 * i), apart ? 1 + i : Q(0), Q(2), Q(0));
        make_drain(m, i);
    }
}

static void allocations(struct make *m)
{
    allocate(m, false);
}

/* n callstacks of ten frames, and an allocation of each. */
static void callstacks(struct make *m)
{
    static const uint64_t stack[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct put_type *spec =
        make_type(m, "Memory.CallstackSpec", "CallstackId:i Frames:U", TK_UW_IMPORTANT | TK_UW_NOSYNC);
    for (uint64_t i = 0; i < m->n; i++) {
        put_event(&m->uw.important, spec, 1 + i, stack, sizeof stack);
        make_drain(m, i);
    }
    allocate(m, true);
}

static void tasks(struct make *m)
{
    struct put_type *created = make_type(m, "TaskTrace.Created", "Timestamp:q TaskId:q TaskSize:q", 0);
    for (uint64_t i = 0; i < m->n; i++) {
        put_event(&m->lane, created, make_now(m), 1 + i, Q(8));
        make_drain(m, i);
    }
}

static void switches(struct make *m)
{
    struct put_type *type = make_type(m, "PlatformEvent.ContextSwitch",
                                      "StartTime:q EndTime:q ThreadId:i CoreNumber:b", TK_UW_NOSYNC);
    for (uint64_t i = 0; i < m->n; i++) {
        const uint64_t begin = make_now(m);
        put_event(&m->lane, type, begin, make_now(m), Q(70), Q(0));
        make_drain(m, i);
    }
}

/* n samples of one address each. */
static void samples(struct make *m)
{
    static const uint64_t address[] = {0x1000};
    struct put_type *type =
        make_type(m, "PlatformEvent.StackSample", "Time:q ThreadId:i Addresses:U", TK_UW_NOSYNC);
    for (uint64_t i = 0; i < m->n; i++) {
        put_event(&m->lane, type, make_now(m), Q(70), address, sizeof address);
        make_drain(m, i);
    }
}

/* n connections of one game. */
static void connections(struct make *m)
{
    struct put_type *init =
        make_type(m, "NetTrace.InitEvent", "Timestamp:q NetTraceVersion:i NetTraceReporterVersion:i", 0);
    struct put_type *link = make_type(m, "NetTrace.ConnectionUpdatedEvent",
                                      "ConnectionId:h GameInstanceId:b Name:w Address:w", 0);
    put_event(&m->lane, init, make_now(m), Q(5), Q(1));
    for (uint64_t i = 0; i < m->n && i < 65536; i++) {
        put_event(&m->lane, link, i, Q(1), "Link", "Address");
        make_drain(m, i);
    }
}

/* n connections of one game, whose name changes as often. */
static void renamed_game(struct make *m)
{
    struct put_type *name =
        make_type(m, "NetTrace.InstanceUpdatedEvent", "GameInstanceId:b bIsServer:b Name:w", 0);
    connections(m);
    for (uint64_t i = 0; i < m->n; i++)
        put_event(&m->lane, name, Q(1), i & 1, "Game");
}

/* n requests that do not end. */
static void requests(struct make *m)
{
    struct put_type *started =
        make_type(m, "Http.RequestStarted", "Dispatcher:q Request:q StartTime:q Priority:j Category:q Url:s",
                  TK_UW_NOSYNC);
    for (uint64_t i = 0; i < m->n; i++) {
        put_event(&m->lane, started, Q(1), 1 + i, make_now(m), Q(0), Q(0), "file");
        make_drain(m, i);
    }
}

const struct make_kind make_families[] = {
    {"logs", logs, NULL},
    {"unknown-logs", unknown_logs, NULL},
    {"toggles", toggles, NULL},
    {"channels", channels, NULL},
    {"counters", counters, NULL},
    {"late-value", late_value, NULL},
    {"allocations", allocations, NULL},
    {"callstacks", callstacks, NULL},
    {"tasks", tasks, NULL},
    {"switches", switches, NULL},
    {"samples", samples, NULL},
    {"connections", connections, NULL},
    {"renamed-game", renamed_game, NULL},
    {"requests", requests, NULL},
    {NULL, NULL, NULL},
};
