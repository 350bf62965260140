/*
 * Captures through the public library, in one process: each line of standard input is a path, which is
 * requested what script/evaluate-damage compares, and for an eighth of all tables, in turn. Now and then it
 * is exported, read strictly, and by two jobs. The answer is an empty line. With sanitizers this process ends
 * at the first report.
 */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 120, LINE = 4096 };

static const char *const compared[] = {"event_counts", "timers", "frames", "counters", "regions",
                                       "logs",         "memory", "gpu",    "health"};

/* The target of the rig that this program is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned turn;
    const unsigned more[] = {FUZZ_EXPORT, FUZZ_JOBS, FUZZ_STRICT, FUZZ_QUESTION(turn / 8), 0};
    fuzz_ask(data, size, compared, sizeof compared / sizeof *compared, 0);
    fuzz_ask(data, size, NULL, 0, FUZZ_PART(turn) | more[turn / 8 % 5]);
    turn++;
    return 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    (void)data;
    (void)most;
    return size;
}

static bool ask_path(const char *path)
{
    FILE *in = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;
    if (in && fseek(in, 0, SEEK_END) == 0 && (size = ftell(in)) >= 0 && fseek(in, 0, SEEK_SET) == 0)
        data = malloc(size ? (size_t)size : 1);
    const bool read = data && fread(data, 1, (size_t)size, in) == (size_t)size;
    if (in)
        fclose(in);
    if (read)
        LLVMFuzzerTestOneInput(data, (size_t)size);
    else
        perror(path);
    free(data);
    return read;
}

int main(void)
{
    char line[LINE];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        alarm(SECONDS);
        if (!ask_path(line))
            return 1;
        puts("");
        fflush(stdout);
    }
    return 0;
}
