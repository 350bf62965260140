/*
 * compare-rewrite FILE FREQUENCY < LINES: writes a capture from a description, a line for each step.
 *
 *   timer ID NAME         thread TID NAME        counter ID NAME        declarations, in the order given
 *   b TID CYCLE TIMER     e TID CYCLE            a scope begins, ends
 *   F TID CYCLE           f TID CYCLE            a game frame begins, ends
 *   c TID CYCLE ID VALUE                         a counter is set
 *   R TID CYCLE NAME      r TID CYCLE NAME       a region begins, ends
 *   L TID CYCLE VERBOSITY TEXT                   a message of the log; 1 is fatal
 *   session CONFIG APP PLATFORM COMMAND LINE     what the capture says of itself
 *   channel 0 NAME                               a channel that is on
 *
 * Steps of a thread are in order; cycles count from the start of the clock.
 */
#include "cpu.h"
#include "values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, LINES_OF_ROUND = 4000 };

struct rewrite {
    struct tk_uw uw;
    struct tk_uw_lane lane[LANES];
    struct tk_uw_cpu cpu[LANES];
    struct tk_uw_lane *lanes[LANES];
    unsigned n, messages;
    unsigned of[UINT16_MAX + 1]; /* 1 + index of the lane of a tid */
};

static void say_session(struct rewrite *r, unsigned config, const char *words)
{
    char app[64] = "", platform[64] = "";
    int at = 0;
    if (sscanf(words, "%63s %63s %n", app, platform, &at) < 2)
        return;
    tk_uw_session2(&r->uw, &(struct tk_uw_session){.platform = platform,
                                                   .app = app,
                                                   .project = app,
                                                   .command_line = words + at,
                                                   .branch = "main",
                                                   .build = "1",
                                                   .configuration = (uint8_t)config});
}

/* Each message has a format of its own, and no arguments. */
static void log_message(struct rewrite *r, struct tk_uw_lane *lane, uint64_t cycle, const char *rest)
{
    struct tk_uw_args args = {0};
    struct tk_uw_bytes none = {0};
    char *end;
    const uint8_t verbosity = (uint8_t)strtoul(rest, &end, 10);
    tk_uw_args_put(&args, &none);
    if (!r->messages)
        tk_uw_log_category(&r->uw, 1, 5, "LogTemp");
    tk_uw_log_spec(&r->uw, 100 + r->messages, 1, 1, verbosity, "Game.cpp", end + (*end == ' '));
    tk_uw_log(&r->uw, lane, cycle, 100 + r->messages++, &none);
    tk_uw_args_release(&args);
    tk_uw_bytes_release(&none);
}

static void declare(struct rewrite *r, const char *what, unsigned id, const char *name)
{
    if (strcmp(what, "session") == 0)
        say_session(r, id, name);
    else if (strcmp(what, "channel") == 0)
        tk_uw_channel_announce(&r->uw, name, true, false);
    else if (strcmp(what, "timer") == 0)
        tk_uw_cpu_spec(&r->uw, id, name, "Game.cpp", 1);
    else if (strcmp(what, "counter") == 0)
        tk_uw_counter_spec(&r->uw, (uint16_t)id, 1, 0, name);
    else if (strcmp(what, "thread") == 0 && r->n < LANES && id <= UINT16_MAX) {
        struct tk_uw_lane *lane = &r->lane[r->n];
        tk_uw_thread_info(&r->uw, id, 4000 + r->n, (int32_t)r->n, name);
        tk_uw_thread(&r->uw, lane, (uint16_t)id);
        tk_uw_cpu_init(&r->cpu[r->n], &r->uw, lane, 3);
        r->lanes[r->n] = lane;
        r->of[id] = ++r->n;
    }
}

static int step(struct rewrite *r, char what, unsigned tid, uint64_t cycle, const char *rest)
{
    unsigned at = tid <= UINT16_MAX ? r->of[tid] : 0;
    if (!at)
        return -1;
    struct tk_uw_lane *lane = &r->lane[at - 1];
    struct tk_uw_cpu *cpu = &r->cpu[at - 1];
    char *end;
    if (what == 'b')
        tk_uw_cpu_begin(cpu, cycle, (uint32_t)strtoul(rest, NULL, 10));
    else if (what == 'e')
        tk_uw_cpu_end(cpu, cycle);
    else if (what == 'F')
        tk_uw_frame_begin(&r->uw, lane, cycle, 0);
    else if (what == 'f')
        tk_uw_frame_end(&r->uw, lane, cycle, 0);
    else if (what == 'R')
        tk_uw_region_begin(&r->uw, lane, cycle, rest, "");
    else if (what == 'r')
        tk_uw_region_end(&r->uw, lane, cycle, rest);
    else if (what == 'L')
        log_message(r, lane, cycle, rest);
    else if (what == 'c') {
        uint16_t id = (uint16_t)strtoul(rest, &end, 10);
        tk_uw_counter_float(&r->uw, lane, cycle, id, strtod(end, NULL));
    } else
        return -1;
    return 0;
}

static int take(struct rewrite *r, char *line)
{
    char what[16];
    unsigned id;
    uint64_t cycle;
    int at = 0;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%1[beFfcRrL] %u %" SCNu64 "%n", what, &id, &cycle, &at) == 3 && line[1] == ' ')
        return step(r, what[0], id, cycle, line + at + (line[at] == ' '));
    if (sscanf(line, "%15s %u %n", what, &id, &at) < 2 || !at)
        return -1;
    declare(r, what, id, line + at);
    return 0;
}

int main(int argc, char **argv)
{
    static struct rewrite r;
    static char line[4096];
    uint64_t lines = 0;
    int rc = 0;
    if (argc != 3)
        return 2;
    struct tk_uw_options options = {TK_UW_DEFAULTS};
    options.path = argv[1];
    options.frequency = strtoull(argv[2], NULL, 10);
    if (tk_uw_open(&r.uw, &options) < 0)
        return 1;
    tk_uw_new_trace(&r.uw);
    tk_uw_channel_announce(&r.uw, "Cpu", true, false);
    while (rc == 0 && fgets(line, sizeof line, stdin)) {
        rc = take(&r, line);
        if (++lines % LINES_OF_ROUND == 0)
            tk_uw_round(&r.uw, r.lanes, r.n);
    }
    if (rc)
        fprintf(stderr, "compare-rewrite: line %" PRIu64 ": '%s'\n", lines, line);
    for (unsigned i = 0; i < r.n; i++)
        tk_uw_cpu_flush(&r.cpu[i]);
    tk_uw_round(&r.uw, r.lanes, r.n);
    for (unsigned i = 0; i < r.n; i++)
        tk_uw_lane_release(&r.lane[i]);
    return tk_uw_close(&r.uw) || rc ? 1 : 0;
}
