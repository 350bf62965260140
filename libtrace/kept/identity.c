/*
 * Which capture it is: see identity.h.
 */
#include "kept/identity.h"

#include "base/checksum.h"
#include "os/file.h"
#include "os/path.h"
#include "tracekit.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 << 10, BETWEEN = 64 };

bool tk_kept_identity_look(struct tk_kept_identity *id, const char *path)
{
    struct tk_os_info info;
    *id = (struct tk_kept_identity){0};
    if (tk_os_path_info(path, &info).error || info.kind != TK_OS_FILE)
        return false;
    *id = (struct tk_kept_identity){.size = info.size,
                                    .changed = info.changed,
                                    .volume = info.volume,
                                    .file = {info.identity[0], info.identity[1]}};
    return true;
}

/* Of a small file all of it is looked at, as it is stored. */
static bool sample(const struct tk_os_file *file, uint64_t size, uint64_t *sum)
{
    uint8_t *block = malloc(BLOCK);
    const uint64_t last = size > BLOCK ? size - BLOCK : 0;
    const uint64_t blocks =
        size <= (uint64_t)BLOCK * (BETWEEN + 2) ? (size + BLOCK - 1) / BLOCK : BETWEEN + 2;
    bool good = block != NULL;
    *sum = size;
    for (uint64_t i = 0; i < blocks && good; i++) {
        const uint64_t at = i == blocks - 1        ? last
                            : blocks < BETWEEN + 2 ? i * BLOCK
                                                   : last / (BETWEEN + 1) * i;
        size_t got = 0;
        good = !tk_os_file_read_at(file, at, block, BLOCK, &got).error && got > 0;
        *sum = good ? tk_checksum_wide(block, got, *sum) : 0;
    }
    free(block);
    return good;
}

/* Made by the build: a checksum of the sources. Other sources may give other answers. */
extern const char tk_kept_build[];

static bool sample_path(const char *path, uint64_t size, uint64_t *sum)
{
    struct tk_os_file *file;
    if (tk_os_file_open_read(&file, path).error)
        return false;
    const bool good = sample(file, size, sum);
    (void)tk_os_file_close(file);
    return good;
}

bool tk_kept_identity_find(struct tk_kept_identity *id, const struct tk_kept_identity *opened,
                           const char *path, const struct tk_limits *limits)
{
    if (!tk_kept_identity_look(id, path) || memcmp(id, opened, sizeof *id) != 0)
        return false;
    id->reader = tk_checksum(tk_kept_build, strlen(tk_kept_build), tk_checksum(limits, sizeof *limits, 0));
    return sample_path(path, id->size, &id->sample);
}
