/*
 * Replays inputs of a fuzz target, with any compiler:
 *
 *   fuzz-NAME [--tell] [--every N] FILE or FOLDER...
 *
 * A broken promise aborts. The last line says how many inputs there were. With --tell the lines before are
 * what there is to say of them. With --every only one of N files of a folder is replayed, and what was once
 * a finding.
 */
#include "rig.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long inputs;
static int every = 1;

/* Nothing is mutated here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    (void)data;
    (void)most;
    return size;
}

static int replay_file(const char *path, size_t size)
{
    uint8_t *data = malloc(size ? size : 1);
    FILE *in = fopen(path, "rb");
    int bad = !data || !in || fread(data, 1, size, in) != size;
    if (bad)
        perror(path);
    else
        LLVMFuzzerTestOneInput(data, size);
    if (in)
        fclose(in);
    free(data);
    inputs++;
    return bad;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay(const char *path);

static int replay_folder(const char *path)
{
    struct dirent **entries;
    int bad = 0, n = scandir(path, &entries, is_visible, alphasort);
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (i % every == 0 || strncmp(entries[i]->d_name, "finding-", 8) == 0)
            bad |= replay(name);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return bad || n < 0;
}

static int replay(const char *path)
{
    struct stat st;
    if (stat(path, &st)) {
        perror(path);
        return 1;
    }
    return S_ISDIR(st.st_mode) ? replay_folder(path) : replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
    int bad = 0, first = 1;
    fuzz_telling = argc > first && strcmp(argv[first], "--tell") == 0;
    first += fuzz_telling;
    if (argc > first + 1 && strcmp(argv[first], "--every") == 0) {
        every = atoi(argv[first + 1]);
        first += 2;
    }
    if (every < 1) {
        fputs("--every takes a number from 1 on\n", stderr);
        return 2;
    }
    for (int i = first; i < argc; i++)
        bad |= replay(argv[i]);
    printf("%lu inputs\n", inputs);
    return bad || inputs == 0;
}
