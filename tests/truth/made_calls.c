/*
 * made-calls KIND OUT.utrace
 *
 * Captures with what is easily counted wrong, small enough to be followed by hand.
 *
 *   recursion  timers that call themselves, at once and by way of others; stamped scopes among them; scopes
 *              without a length, without an end, ends without a begin
 *   borders    scopes over the borders of frames and regions; frames with gaps between them, the last one
 *              open; regions that overlap, one twice, one open
 */
#include "cpu.h"

#include <stdio.h>
#include <string.h>

enum { TIMERS = 6, GAME = 2, WORKER = 3 };

#define START UINT64_C(5000000000)

struct made {
    struct tk_uw uw;
    struct tk_uw_lane lanes[2];
    struct tk_uw_cpu cpu[2];
};

/* One step of a script: begins (timer > 0), ends (0). */
struct step {
    uint64_t cycle;
    uint32_t timer;
};

static void begin(struct made *m, const char *path)
{
    static const char *const names[TIMERS] = {"A", "B", "C", "FEventWait::Wait", "LoadAll", "Leaf"};
    struct tk_uw_options options = {TK_UW_DEFAULTS, .path = path};
    tk_uw_open(&m->uw, &options);
    tk_uw_new_trace(&m->uw);
    tk_uw_thread_info(&m->uw, GAME, 1002, 1, "GameThread");
    tk_uw_thread_info(&m->uw, WORKER, 1003, 2, "Worker #1");
    for (uint32_t i = 0; i < TIMERS; i++)
        tk_uw_cpu_spec(&m->uw, i + 1, names[i], i % 2 ? "Odd.cpp" : "Even.cpp", i + 1);
    for (uint16_t i = 0; i < 2; i++) {
        tk_uw_thread(&m->uw, &m->lanes[i], (uint16_t)(GAME + i));
        tk_uw_thread_timing(&m->uw, &m->lanes[i], 0);
        tk_uw_cpu_init(&m->cpu[i], &m->uw, &m->lanes[i], 3);
    }
}

static int finish(struct made *m)
{
    for (unsigned i = 0; i < 2; i++)
        tk_uw_cpu_flush(&m->cpu[i]);
    tk_uw_round(&m->uw, (struct tk_uw_lane *[]){&m->lanes[0], &m->lanes[1]}, 2);
    for (unsigned i = 0; i < 2; i++)
        tk_uw_lane_release(&m->lanes[i]);
    return tk_uw_close(&m->uw);
}

static void play(struct made *m, unsigned lane, const struct step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (steps[i].timer)
            tk_uw_cpu_begin(&m->cpu[lane], START + steps[i].cycle, steps[i].timer);
        else
            tk_uw_cpu_end(&m->cpu[lane], START + steps[i].cycle);
    }
}

#define PLAY(m, lane, ...)                                                                                   \
    play(m, lane, (const struct step[]){__VA_ARGS__},                                                        \
         sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

static void make_recursion(struct made *m)
{
    /* A(B(A(A) C) B) A, then ends that nothing began */
    PLAY(m, 0, {100, 1}, {110, 2}, {120, 1}, {130, 1}, {150, 0}, {170, 0}, {180, 3}, {190, 0}, {200, 0},
         {210, 2}, {260, 0}, {300, 0}, {310, 1}, {320, 0}, {330, 0}, {340, 0});
    /* without a length, the same timer inside itself at the same time */
    PLAY(m, 0, {400, 3}, {400, 3}, {400, 0}, {405, 0}, {410, 3}, {410, 0});
    PLAY(m, 1, {50, 3}, {60, 1}, {70, 3}, {75, 2}, {90, 0}, {95, 0}, {100, 0}, {130, 0});
    /* the last two never end */
    PLAY(m, 1, {500, 1}, {510, 2}, {520, 6}, {530, 0});
}

static void make_borders(struct made *m)
{
    static const uint64_t frames[] = {1000, 2000, 3100, 4000, 4000, 7000, 7000, 7800};
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i += 2) {
        tk_uw_frame_begin(&m->uw, &m->lanes[0], START + frames[i], 0);
        tk_uw_frame_end(&m->uw, &m->lanes[0], START + frames[i + 1], 0);
        tk_uw_frame_begin(&m->uw, &m->lanes[1], START + frames[i] + 500, 1);
        tk_uw_frame_end(&m->uw, &m->lanes[1], START + frames[i + 1] + 200, 1);
    }
    tk_uw_frame_begin(&m->uw, &m->lanes[0], START + 8000, 0);
    tk_uw_region_begin(&m->uw, &m->lanes[0], START + 1500, "Level", "Map");
    tk_uw_region_begin(&m->uw, &m->lanes[0], START + 2500, "Fight", "Play");
    tk_uw_region_end(&m->uw, &m->lanes[0], START + 3500, "Level");
    tk_uw_region_end(&m->uw, &m->lanes[0], START + 5000, "Fight");
    tk_uw_region_begin(&m->uw, &m->lanes[0], START + 5000, "Level", "Map");
    tk_uw_region_end(&m->uw, &m->lanes[0], START + 5050, "Level");
    tk_uw_region_begin(&m->uw, &m->lanes[0], START + 7900, "Rest", "Play");
    /* one over everything, some over one border, some up to one, some inside */
    PLAY(m, 0, {900, 1}, {1000, 2}, {1600, 3}, {2600, 0}, {3100, 0}, {3100, 3}, {3400, 6}, {4000, 0},
         {4000, 0}, {4000, 2}, {4100, 5}, {6500, 0}, {6600, 4}, {6900, 0}, {7000, 0}, {7100, 2}, {7200, 6},
         {7200, 0}, {8100, 0}, {8200, 0});
    PLAY(m, 1, {100, 3}, {950, 0}, {1900, 2}, {3200, 1}, {3300, 2}, {5100, 0}, {5200, 0}, {5300, 0},
         {7950, 3}, {8500, 0});
}

int main(int argc, char **argv)
{
    static struct made made;
    bool recursion = argc == 3 && strcmp(argv[1], "recursion") == 0;
    if (argc != 3 || (!recursion && strcmp(argv[1], "borders") != 0)) {
        fputs("usage: made-calls recursion|borders OUT.utrace\n", stderr);
        return 2;
    }
    begin(&made, argv[2]);
    if (recursion)
        make_recursion(&made);
    else
        make_borders(&made);
    return finish(&made) < 0;
}
