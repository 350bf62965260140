/*
 * Writes a capture whose timers have the names of a file: one scope of 100 cycles for each, one after
 * another, on one thread that has the first name.
 *
 * usage: export-hostile NAMES CAPTURE      NAMES: a line of hexadecimal digits for each name
 */
#include "cpu.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 4096 };

static int digit(char c)
{
    const char *at = strchr("0123456789abcdef", c);
    return c && at ? (int)(at - "0123456789abcdef") : -1;
}

/* The bytes of a line of digits, with a NUL behind them. */
static void decode(const char *line, char *name)
{
    for (; digit(line[0]) >= 0 && digit(line[1]) >= 0; line += 2)
        *name++ = (char)(digit(line[0]) << 4 | digit(line[1]));
    *name = 0;
}

int main(int argc, char **argv)
{
    static char line[2 * MOST_BYTES + 2], name[MOST_BYTES + 1];
    struct tk_uw uw;
    struct tk_uw_lane lane;
    struct tk_uw_cpu cpu;
    uint32_t n = 0;
    FILE *names = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!names)
        return 2;
    const struct tk_uw_options options = {TK_UW_DEFAULTS, .path = argv[2]};
    tk_uw_open(&uw, &options);
    tk_uw_new_trace(&uw);
    tk_uw_thread(&uw, &lane, 2);
    tk_uw_cpu_init(&cpu, &uw, &lane, 0);
    while (fgets(line, sizeof line, names)) {
        decode(line, name);
        if (!n)
            tk_uw_thread_info(&uw, 2, 77, 0, name);
        n++;
        tk_uw_cpu_spec(&uw, n, name, "a,\"b\".cpp", n);
    }
    fclose(names);
    tk_uw_thread_timing(&uw, &lane, 0);
    for (uint32_t i = 1; i <= n; i++) {
        tk_uw_cpu_begin(&cpu, uw.start_cycle + 1000 * (uint64_t)i, i);
        tk_uw_cpu_end(&cpu, uw.start_cycle + 1000 * (uint64_t)i + 100);
    }
    tk_uw_cpu_flush(&cpu);
    struct tk_uw_lane *lanes[] = {&lane};
    tk_uw_round(&uw, lanes, 1);
    tk_uw_lane_release(&lane);
    return tk_uw_close(&uw) ? 1 : 0;
}
