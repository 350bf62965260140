/*
 * limits-make KIND N OUT: a capture with N of something, to reach a limit with or to be a bomb.
 *
 * All but the last few kinds are .utrace captures of protocol 7 with one thread, number 2. How much of each
 * there is follows from N alone, so that a test knows which limit is reached and which is not.
 */
#include "cpu.h"
#include "tracy_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct make {
    struct tk_uw uw;
    struct tk_uw_lane lane; /* of thread 2 */
    uint64_t n, now;
};

static const struct tk_uw_field one_field[] = {{.name = "A", .type = TK_UW_U8}};
static const struct tk_uw_field data_field[] = {{.name = "Data", .type = TK_UW_U8S}};
static const struct tk_uw_field alloc_fields[] = {
    {.name = "Address", .type = TK_UW_U64},
    {.name = "CallstackId", .type = TK_UW_U32},
    {.name = "Size", .type = TK_UW_U32},
    {.name = "AlignmentPow2_SizeLower", .type = TK_UW_U8},
};
static const struct tk_uw_field init_fields[] = {
    {.name = "PageSize", .type = TK_UW_U64}, {.name = "MarkerPeriod", .type = TK_UW_U32},
    {.name = "Version", .type = TK_UW_U8},   {.name = "MinAlignment", .type = TK_UW_U8},
    {.name = "SizeShift", .type = TK_UW_U8},
};

static uint64_t now(struct make *m)
{
    return m->uw.start_cycle + ++m->now;
}

/* Sends what the writer's lanes hold, now and then. */
static void drain(struct make *m, uint64_t i)
{
    if (i % 256 != 255)
        return;
    tk_uw_lane_flush(&m->uw.important);
    tk_uw_lane_flush(&m->lane);
}

static void types_of(struct make *m, uint8_t fields, unsigned name_size)
{
    static char names[255][256];
    static struct tk_uw_field list[255];
    char event[32];
    for (unsigned i = 0; i < fields; i++) {
        snprintf(names[i], sizeof names[i], "%0*u", (int)name_size, i);
        list[i] = (struct tk_uw_field){.name = names[i], .type = TK_UW_U8};
    }
    for (uint64_t i = 0; i < m->n; i++) {
        struct tk_uw_type type = {.logger = "T", .event = event, .fields = list, .field_count = fields};
        snprintf(event, sizeof event, "E%" PRIu64, i);
        /* all uids of the wire, then again from the first on */
        m->uw.next_uid = (uint16_t)(100 + i % 16000);
        tk_uw_register(&m->uw, &type);
    }
}

static void types(struct make *m)
{
    types_of(m, 1, 1);
}

static void widest_types(struct make *m)
{
    types_of(m, 255, 240); /* as much as a declaration of 64 KiB holds */
}

static void packets(struct make *m)
{
    struct tk_uw_type type = {.logger = "T", .event = "E", TK_UW_FIELDS(one_field), .flags = TK_UW_NOSYNC};
    tk_uw_register(&m->uw, &type);
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_begin(&m->lane, &type);
        tk_uw_u8(&m->lane.pending, 1);
        tk_uw_end(&m->lane, &type);
        tk_uw_lane_flush(&m->lane);
    }
}

static void threads(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n; i++) {
        snprintf(name, sizeof name, "Thread%" PRIu64, i);
        tk_uw_thread_info(&m->uw, (uint32_t)(2 + i), (uint32_t)i, 0, name);
        drain(m, i);
    }
}

static void timers(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n; i++) {
        snprintf(name, sizeof name, "Timer%" PRIu64, i);
        tk_uw_cpu_spec(&m->uw, (uint32_t)(1 + i), name, "f.cpp", 1);
        drain(m, i);
    }
}

/* One id, n times, each time with another name. */
static void redefined(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n; i++) {
        snprintf(name, sizeof name, "Timer%" PRIu64, i);
        tk_uw_cpu_spec(&m->uw, 1, name, "f.cpp", (uint32_t)i);
        drain(m, i);
    }
}

static void scopes(struct make *m)
{
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&m->uw, 1, "Scope", "f.cpp", 1);
    tk_uw_cpu_init(&cpu, &m->uw, &m->lane, 3);
    for (uint64_t i = 0; i < m->n; i++)
        tk_uw_cpu_begin(&cpu, now(m), 1);
    for (uint64_t i = 0; i < m->n; i++)
        tk_uw_cpu_end(&cpu, now(m));
    tk_uw_cpu_flush(&cpu);
}

/* Scopes side by side; each begins before the one that came before it. */
static void backwards(struct make *m)
{
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&m->uw, 1, "Scope", "f.cpp", 1);
    tk_uw_cpu_init(&cpu, &m->uw, &m->lane, 3);
    for (uint64_t i = 0; i < m->n; i++) {
        uint64_t at = m->uw.start_cycle + 2 * (m->n - i);
        tk_uw_cpu_begin(&cpu, at, 1);
        tk_uw_cpu_end(&cpu, at + 1);
        drain(m, i);
    }
}

static void instances(struct make *m)
{
    struct tk_uw_bytes none = {0};
    tk_uw_cpu_metadata_spec(&m->uw, 1, "Meta", "", &none);
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_cpu_metadata(&m->uw, &m->lane, (uint32_t)(1 + i), 1, &none);
        drain(m, i);
    }
}

static void messages(struct make *m, uint64_t point)
{
    struct tk_uw_bytes none = {0};
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_log(&m->uw, &m->lane, now(m), point, &none);
        drain(m, i);
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
        drain(m, i);
    }
}

static void channels(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n; i++) {
        snprintf(name, sizeof name, "Channel%" PRIu64, i);
        tk_uw_channel_announce(&m->uw, name, true, false);
        drain(m, i);
    }
}

static void counters(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n && i < 65535; i++) {
        snprintf(name, sizeof name, "Counter%" PRIu64, i);
        tk_uw_counter_spec(&m->uw, (uint16_t)i, 0, 0, name);
        drain(m, i);
    }
}

static void allocations(struct make *m)
{
    struct tk_uw_type init = {.logger = "Memory",
                              .event = "Init",
                              TK_UW_FIELDS(init_fields),
                              .flags = TK_UW_IMPORTANT | TK_UW_NOSYNC};
    struct tk_uw_type alloc = {.logger = "Memory", .event = "AllocSystem", TK_UW_FIELDS(alloc_fields)};
    struct tk_uw_lane *to = &m->uw.important;
    tk_uw_register(&m->uw, &init);
    tk_uw_register(&m->uw, &alloc);
    tk_uw_begin(to, &init);
    tk_uw_u64(&to->pending, 4096);
    tk_uw_u32(&to->pending, 4096);
    tk_uw_u8(&to->pending, 2);
    tk_uw_u8(&to->pending, 16);
    tk_uw_u8(&to->pending, 3);
    tk_uw_end(to, &init);
    tk_uw_lane_flush(to);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_begin(&m->lane, &alloc);
        tk_uw_u64(&m->lane.pending, 0x1000 + 16 * i);
        tk_uw_u32(&m->lane.pending, 0);
        tk_uw_u32(&m->lane.pending, 2);
        tk_uw_u8(&m->lane.pending, 0);
        tk_uw_end(&m->lane, &alloc);
        drain(m, i);
    }
}

/* An event whose array has n bytes, all of them 0: in packets that grow to 64 KiB from some 300 bytes. */
static void array(struct make *m)
{
    struct tk_uw_type type = {
        .logger = "T", .event = "Data", TK_UW_FIELDS(data_field), .flags = TK_UW_NOSYNC | TK_UW_AUX};
    static uint8_t zeros[32000];
    tk_uw_register(&m->uw, &type);
    tk_uw_lane_flush(&m->uw.important);
    tk_uw_begin(&m->lane, &type);
    for (uint64_t left = m->n, some; left > 0; left -= some) {
        some = left < sizeof zeros ? left : sizeof zeros;
        tk_uw_blob(&m->lane, &type, 0, zeros, (size_t)some);
        tk_uw_lane_flush(&m->lane);
    }
    tk_uw_end(&m->lane, &type);
}

/* n events of their own, 60000 bytes of zeros each. */
static void arrays(struct make *m)
{
    struct tk_uw_type type = {
        .logger = "T", .event = "Data", TK_UW_FIELDS(data_field), .flags = TK_UW_NOSYNC | TK_UW_AUX};
    static uint8_t zeros[60000];
    tk_uw_register(&m->uw, &type);
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_begin(&m->lane, &type);
        tk_uw_value(&m->lane, &type, 0, zeros, sizeof zeros);
        tk_uw_end(&m->lane, &type);
        tk_uw_lane_flush(&m->lane);
    }
}

/* n events inside of an open one with array data. */
static void group(struct make *m)
{
    struct tk_uw_type outer = {
        .logger = "T", .event = "Outer", TK_UW_FIELDS(data_field), .flags = TK_UW_NOSYNC | TK_UW_AUX};
    struct tk_uw_type inner = {
        .logger = "T", .event = "Inner", TK_UW_FIELDS(one_field), .flags = TK_UW_NOSYNC};
    tk_uw_register(&m->uw, &outer);
    tk_uw_register(&m->uw, &inner);
    tk_uw_lane_flush(&m->uw.important);
    tk_uw_begin(&m->lane, &outer);
    tk_uw_value(&m->lane, &outer, 0, "x", 1);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_begin(&m->lane, &inner);
        tk_uw_u8(&m->lane.pending, 1);
        tk_uw_end(&m->lane, &inner);
        drain(m, i);
    }
    tk_uw_end(&m->lane, &outer);
}

/* Serial numbers that jump about and wrap. */
static void serials(struct make *m)
{
    struct tk_uw_type type = {.logger = "T", .event = "E", TK_UW_FIELDS(one_field)};
    uint32_t serial = 0xfffff0;
    tk_uw_register(&m->uw, &type);
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++, serial += i % 7 ? 1 : i % 5 ? 0x7ffff1 : 3) {
        tk_uw_begin_serial(&m->lane, &type, serial & 0xffffff);
        tk_uw_u8(&m->lane.pending, 1);
        tk_uw_end(&m->lane, &type);
        drain(m, i);
    }
}

static int make_utrace(uint64_t n, const char *path, void (*fill)(struct make *m))
{
    struct make *m = calloc(1, sizeof *m);
    const struct tk_uw_options options = {.path = path, TK_UW_DEFAULTS};
    if (!m)
        return 1;
    m->n = n;
    if (tk_uw_open(&m->uw, &options) == 0) {
        tk_uw_new_trace(&m->uw);
        tk_uw_thread(&m->uw, &m->lane, TK_UW_TID_FIRST);
        tk_uw_thread_timing(&m->uw, &m->lane, 0);
        tk_uw_lane_flush(&m->uw.important);
        fill(m);
        tk_uw_lane_flush(&m->uw.important);
        tk_uw_lane_flush(&m->lane);
        tk_uw_lane_release(&m->lane);
    }
    int rc = tk_uw_close(&m->uw);
    free(m);
    return rc != 0;
}

/* ---- Tracy ---- */

static const char *const tracy_strings[] = {"main", "zone", "f.cpp"};
static const struct tk_tw_location tracy_location = {1, 1, 2, 1, 0};

static void tracy_threads(const struct tk_tw_options *options, uint64_t n)
{
    struct tk_tw_thread *threads = calloc((size_t)n, sizeof *threads);
    struct tk_tw_trace trace = {
        .strings = tracy_strings, .n_strings = 3, .threads = threads, .n_threads = (size_t)n};
    for (uint64_t i = 0; threads && i < n; i++)
        threads[i] = (struct tk_tw_thread){.tid = 1 + i, .name = -1};
    if (threads)
        tk_tw_write(options, &trace);
    free(threads);
}

/* n zones, each inside of the one before. */
static void tracy_nesting(const struct tk_tw_options *options, uint64_t n)
{
    static const struct tk_tw_thread thread = {.tid = 1, .name = 0};
    struct tk_tw_trace trace = {.strings = tracy_strings,
                                .n_strings = 3,
                                .locations = &tracy_location,
                                .n_locations = 1,
                                .threads = &thread,
                                .n_threads = 1,
                                .last_time = (int64_t)(2 * n + 2)};
    struct tk_tw w;
    tk_tw_open(&w, options, &trace);
    tk_tw_front(&w, n);
    tk_tw_thread(&w, 0, n, 1);
    for (uint64_t i = 0; i < n; i++)
        tk_tw_zone_begin(&w, 1, (int64_t)i, 0, i + 1 < n);
    for (uint64_t i = 0; i < n; i++)
        tk_tw_zone_end(&w, (int64_t)(n + i));
    tk_tw_thread_lists(&w, 0);
    tk_tw_rest(&w);
    tk_tw_close(&w);
}

/* A string of n bytes; nothing else. */
static void tracy_string(const struct tk_tw_options *options, uint64_t n)
{
    char *text = malloc((size_t)n + 1);
    const char *strings[1] = {text};
    struct tk_tw_trace trace = {.strings = strings, .n_strings = 1};
    if (!text)
        return;
    memset(text, 'x', (size_t)n);
    text[n] = 0;
    tk_tw_write(options, &trace);
    free(text);
}

static void tracy_locations(const struct tk_tw_options *options, uint64_t n)
{
    struct tk_tw_location *list = calloc((size_t)n, sizeof *list);
    struct tk_tw_trace trace = {
        .strings = tracy_strings, .n_strings = 3, .dynamics = list, .n_dynamics = (size_t)n};
    for (uint64_t i = 0; list && i < n; i++)
        list[i] = (struct tk_tw_location){1, 1, 2, (uint32_t)i, 0};
    if (list)
        tk_tw_write(options, &trace);
    free(list);
}

static int make_tracy(uint64_t n, const char *path,
                      void (*fill)(const struct tk_tw_options *options, uint64_t n))
{
    const struct tk_tw_options options = {
        .path = path, .version = TK_TW_V(0, 14, 0), .codec = TK_TW_LZ4, .streams = 1};
    fill(&options, n);
    return 0;
}

/* ---- the kinds ---- */

static const struct {
    const char *name;
    void (*utrace)(struct make *m);
    void (*tracy)(const struct tk_tw_options *options, uint64_t n);
} kinds[] = {
    {"types", types, NULL},
    {"widest-types", widest_types, NULL},
    {"packets", packets, NULL},
    {"threads", threads, NULL},
    {"timers", timers, NULL},
    {"redefined", redefined, NULL},
    {"scopes", scopes, NULL},
    {"backwards", backwards, NULL},
    {"instances", instances, NULL},
    {"logs", logs, NULL},
    {"unknown-logs", unknown_logs, NULL},
    {"toggles", toggles, NULL},
    {"channels", channels, NULL},
    {"counters", counters, NULL},
    {"allocations", allocations, NULL},
    {"array", array, NULL},
    {"arrays", arrays, NULL},
    {"group", group, NULL},
    {"serials", serials, NULL},
    {"tracy-threads", NULL, tracy_threads},
    {"tracy-nesting", NULL, tracy_nesting},
    {"tracy-string", NULL, tracy_string},
    {"tracy-locations", NULL, tracy_locations},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 4 && i < sizeof kinds / sizeof *kinds; i++) {
        const uint64_t n = strtoull(argv[2], NULL, 10);
        if (strcmp(kinds[i].name, argv[1]) == 0)
            return kinds[i].utrace ? make_utrace(n, argv[3], kinds[i].utrace)
                                   : make_tracy(n, argv[3], kinds[i].tracy);
    }
    fprintf(stderr, "usage: limits-make KIND N OUT\n");
    return 2;
}
