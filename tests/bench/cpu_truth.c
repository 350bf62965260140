/* What a generated capture holds, timer by timer, added up while it is generated. */
#include "cpu_truth.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const subsystems[] = {"Animation", "Audio",     "Physics", "Render", "Network",
                                         "Script",    "Streaming", "Tasks",   "Ui",     "World"};
static const char *const verbs[] = {"Tick", "Update", "Build", "Gather", "Flush", "Resolve", "Submit"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void tk_truth_name(const struct tk_truth_timer *timer, char name[TK_TRUTH_NAME])
{
    snprintf(name, TK_TRUTH_NAME, "%s::%s_%04" PRIu32, subsystems[timer->id % COUNT(subsystems)],
             verbs[timer->id % COUNT(verbs)], timer->id);
}

static uint64_t count_scopes(const struct tk_truth_timer *timers, uint32_t count)
{
    uint64_t scopes = 0;

    for (uint32_t i = 0; i < count; i++)
        scopes += timers[i].count;
    return scopes;
}

static void write_timer(FILE *file, const struct tk_truth_timer *timer, const char *before)
{
    char name[TK_TRUTH_NAME];

    tk_truth_name(timer, name);
    fprintf(file,
            "%s\n{\"name\": \"%s\", \"kind\": \"%s\", \"count\": %" PRIu64 ", \"total\": %" PRIu64
            ", \"min\": %" PRIu64 ", \"max\": %" PRIu64 ", \"excl\": %" PRIu64 "}",
            before, name, timer->metadata ? "metadata" : "spec", timer->count, timer->total, timer->min,
            timer->max, timer->excl);
}

int tk_truth_write(const char *path, const struct tk_truth_timer *timers, uint32_t count)
{
    FILE *file = fopen(path, "w");
    const char *before = "";

    if (!file)
        return -1;
    fprintf(file, "{\"scopes\": %" PRIu64 ", \"timers\": [", count_scopes(timers, count));
    for (uint32_t i = 0; i < count; i++) {
        if (!timers[i].count)
            continue;
        write_timer(file, &timers[i], before);
        before = ",";
    }
    fputs("\n]}\n", file);

    int failed = ferror(file);

    return fclose(file) != 0 || failed ? -1 : 0;
}
