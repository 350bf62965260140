/*
 * twins OUT.utrace OUT.tracy SEED
 *
 * One run of a small program, written down twice: as a capture of the engine and as one of the Tracy
 * profiler. Three threads with nested scopes, also such inside one of the same timer, frames, a counter,
 * messages, and stretches of time with a name. The clock of both counts nanoseconds from 0 on.
 */
#include "bench/random.h"
#include "cpu.h"
#include "tracy_writer.h"
#include "utrace_writer.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum {
    TIMERS = 24,
    THREADS = 3,
    FRAMES = 120,
    STARTUP = 2, /* frames that Tracy begins by itself: the profiler, and what comes before the first mark */
    ZONES_MAX = 100000,
    DEPTH = 7,
    MESSAGES = 40,
    REGIONS = 12,
    STRINGS = TIMERS + THREADS + 5,
    S_FILE = TIMERS + THREADS,
    S_COUNTER,
    S_WARNING,
    S_ERROR,
    S_REGION,
};

#define START 5000000000U /* of the engine's clock */

struct thread {
    struct tk_uw_lane lane;
    struct tk_uw_cpu cpu;
    struct tk_tw_zone *zones; /* owned */
    size_t n;
    int64_t now;
};

struct twins {
    struct tk_uw uw;
    struct tk_random random;
    struct thread threads[THREADS];
    struct tk_uw_lane *lanes[THREADS];
    char names[STRINGS][32];
    const char *strings[STRINGS];
    struct tk_tw_location locations[TIMERS];
    struct tk_tw_thread tracy_threads[THREADS];
    struct tk_tw_frame frames[STARTUP + FRAMES];
    struct tk_tw_point points[FRAMES];
    struct tk_tw_message messages[MESSAGES];
    struct tk_tw_section regions[REGIONS];
    size_t n_messages, n_regions;
    int64_t last;
};

static uint64_t cycle(int64_t time)
{
    return START + (uint64_t)time;
}

static void name_all(struct twins *t)
{
    for (unsigned i = 0; i < TIMERS; i++)
        snprintf(t->names[i], sizeof t->names[i], "Task %u", i);
    for (unsigned i = 0; i < THREADS; i++)
        snprintf(t->names[TIMERS + i], sizeof t->names[i], "Runner %u", i);
    snprintf(t->names[S_FILE], sizeof t->names[0], "src/twins.cpp");
    snprintf(t->names[S_COUNTER], sizeof t->names[0], "Load");
    snprintf(t->names[S_WARNING], sizeof t->names[0], "it is late");
    snprintf(t->names[S_ERROR], sizeof t->names[0], "it is too late");
    snprintf(t->names[S_REGION], sizeof t->names[0], "Level");
    for (unsigned i = 0; i < STRINGS; i++)
        t->strings[i] = t->names[i];
}

/* ---- the run ---- */

/* No deeper than DEPTH. */
static void scope(struct twins *t, struct thread *thread, uint32_t depth)
{
    uint32_t timer = tk_random_below(&t->random, TIMERS), children = tk_random_below(&t->random, 4);
    if (thread->n == ZONES_MAX)
        return;
    size_t at = thread->n++;
    thread->now += 1 + tk_random_below(&t->random, 500);
    thread->zones[at] =
        (struct tk_tw_zone){.location = (int16_t)(timer + 1), .depth = depth, .start = thread->now};
    tk_uw_cpu_begin(&thread->cpu, cycle(thread->now), timer + 1);
    for (uint32_t i = 0; i < children && depth + 1 < DEPTH; i++)
        scope(t, thread, depth + 1);
    thread->now += 1 + tk_random_below(&t->random, 9000);
    thread->zones[at].end = thread->now;
    tk_uw_cpu_end(&thread->cpu, cycle(thread->now));
}

static void message(struct twins *t, struct thread *thread, unsigned number)
{
    bool error = tk_random_below(&t->random, 3) == 0;
    const struct tk_uw_args none = {0};
    struct tk_uw_bytes args = {0};
    if (t->n_messages == MESSAGES)
        return;
    t->messages[t->n_messages++] = (struct tk_tw_message){.time = thread->now,
                                                          .text = error ? S_ERROR : S_WARNING,
                                                          .severity = error ? 4 : 3,
                                                          .thread = number};
    tk_uw_args_put(&none, &args);
    tk_uw_log(&t->uw, &thread->lane, cycle(thread->now), error ? 0x2000 : 0x1000, &args);
    tk_uw_bytes_release(&args);
}

static void region(struct twins *t, int64_t begin, int64_t end)
{
    if (t->n_regions == REGIONS)
        return;
    t->regions[t->n_regions++] = (struct tk_tw_section){.start = begin, .end = end, .text = S_REGION};
    tk_uw_region_begin_id(&t->uw, &t->threads[0].lane, cycle(begin), t->names[S_REGION], "");
    tk_uw_region_end_id(&t->uw, &t->threads[0].lane, cycle(end), cycle(begin));
}

/* A frame begins where the one before ends; the last one stays open. */
static void frame(struct twins *t, unsigned number)
{
    struct thread *game = &t->threads[0];
    int64_t begin = game->now;
    double value = tk_random_below(&t->random, 10000) / 8.0;
    if (number)
        tk_uw_frame_end(&t->uw, &game->lane, cycle(begin), 0);
    tk_uw_frame_begin(&t->uw, &game->lane, cycle(begin), 0);
    t->frames[STARTUP + number] = (struct tk_tw_frame){.start = begin, .image = -1};
    t->points[number] = (struct tk_tw_point){begin, value};
    tk_uw_counter_float(&t->uw, &game->lane, cycle(begin), 1, value);
    for (unsigned i = 0; i < THREADS; i++) {
        t->threads[i].now = t->threads[i].now < begin ? begin : t->threads[i].now;
        for (unsigned k = 0; k < 3; k++)
            scope(t, &t->threads[i], 0);
        if (tk_random_below(&t->random, 6) == 0)
            message(t, &t->threads[i], i);
    }
    if (number % 10 == 9)
        region(t, begin, game->now);
    tk_uw_round(&t->uw, t->lanes, THREADS);
}

/* ---- the captures ---- */

static void begin_engine(struct twins *t)
{
    tk_uw_new_trace(&t->uw);
    tk_uw_channel_announce(&t->uw, "Cpu", true, false);
    for (unsigned i = 0; i < TIMERS; i++)
        tk_uw_cpu_spec(&t->uw, i + 1, t->names[i], t->names[S_FILE], 10 + i);
    tk_uw_counter_spec(&t->uw, 1, 1, 0, t->names[S_COUNTER]);
    tk_uw_log_category(&t->uw, 7, 5, "Twins");
    tk_uw_log_spec(&t->uw, 0x1000, 7, 5, 3, t->names[S_FILE], t->names[S_WARNING]);
    tk_uw_log_spec(&t->uw, 0x2000, 7, 6, 2, t->names[S_FILE], t->names[S_ERROR]);
    for (unsigned i = 0; i < THREADS; i++) {
        struct thread *thread = &t->threads[i];
        tk_uw_thread_info(&t->uw, 2 + i, 100 + i, 0, t->names[TIMERS + i]);
        tk_uw_thread(&t->uw, &thread->lane, (uint16_t)(2 + i));
        tk_uw_cpu_init(&thread->cpu, &t->uw, &thread->lane, 3);
        t->lanes[i] = &thread->lane;
        thread->zones = calloc(ZONES_MAX, sizeof *thread->zones);
        thread->now = 1000;
    }
}

static int write_tracy(struct twins *t, const char *path)
{
    const struct tk_tw_frame_set set = {
        .name = -1, .continuous = true, .frames = t->frames, .n = STARTUP + FRAMES};
    const struct tk_tw_plot plot = {.name = S_COUNTER, .points = t->points, .n = FRAMES};
    const struct tk_tw_options options = {.path = path,
                                          .version = TK_TW_V(0, 14, 0),
                                          .container = TK_TW_MANY,
                                          .codec = TK_TW_ZSTD,
                                          .level = 3,
                                          .streams = 2};
    for (unsigned i = 0; i < TIMERS; i++)
        t->locations[i] =
            (struct tk_tw_location){.name = (int)i, .function = (int)i, .file = S_FILE, .line = 10 + i};
    for (unsigned i = 0; i < THREADS; i++) {
        t->tracy_threads[i] = (struct tk_tw_thread){
            .tid = 100 + i, .name = TIMERS + (int)i, .zones = t->threads[i].zones, .n = t->threads[i].n};
        t->last = t->threads[i].now > t->last ? t->threads[i].now : t->last;
    }
    const struct tk_tw_trace trace = {.capture_name = "twins",
                                      .program = "twins",
                                      .host = "",
                                      .last_time = t->last,
                                      .crash_message = -1,
                                      .strings = t->strings,
                                      .n_strings = STRINGS,
                                      .locations = t->locations,
                                      .n_locations = TIMERS,
                                      .frame_sets = &set,
                                      .n_frame_sets = 1,
                                      .sections = t->regions,
                                      .n_sections = t->n_regions,
                                      .messages = t->messages,
                                      .n_messages = t->n_messages,
                                      .threads = t->tracy_threads,
                                      .n_threads = THREADS,
                                      .plots = &plot,
                                      .n_plots = 1};
    return tk_tw_write(&options, &trace);
}

int main(int argc, char **argv)
{
    const struct tk_uw_options options = {.path = argc > 1 ? argv[1] : "",
                                          .form = TK_UW_2CRT,
                                          .transport = 4,
                                          .protocol = 7,
                                          .start_cycle = START,
                                          .frequency = 1000000000};
    struct twins *t = calloc(1, sizeof *t);
    int rc = argc == 4 && t ? 0 : -1;
    if (rc == 0) {
        t->random.state = strtoull(argv[3], NULL, 10);
        name_all(t);
        rc = tk_uw_open(&t->uw, &options);
        begin_engine(t);
        for (unsigned i = 0; i < STARTUP; i++)
            t->frames[i] = (struct tk_tw_frame){.start = i, .image = -1};
        for (unsigned i = 0; i < FRAMES; i++)
            frame(t, i);
        rc |= write_tracy(t, argv[2]);
        for (unsigned i = 0; i < THREADS; i++) {
            tk_uw_lane_release(&t->threads[i].lane);
            free(t->threads[i].zones);
        }
        rc |= tk_uw_close(&t->uw);
    }
    free(t);
    if (rc)
        fprintf(stderr, "usage: twins OUT.utrace OUT.tracy SEED\n");
    return rc ? 1 : 0;
}
