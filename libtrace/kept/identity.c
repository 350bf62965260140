/*
 * Which capture it is: see identity.h.
 */
#include "kept/identity.h"

#include "base/hash/checksum.h"
#include "os/path.h"
#include "tracekit.h"

#include <stdlib.h>

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

/* Of a small file all of it is looked at. */
static bool sample(const struct tk_file *file, uint64_t size, uint64_t *sum)
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
        good = tk_file_read(file, at, block, BLOCK, &got, NULL) == TK_OK && got > 0;
        *sum = good ? tk_checksum(block, got, *sum) : 0;
    }
    free(block);
    return good;
}

bool tk_kept_identity_find(struct tk_kept_identity *id, const char *path, const struct tk_file *file,
                           const struct tk_limits *limits)
{
    if (!tk_kept_identity_look(id, path) || id->size != tk_file_size(file) || tk_file_compression(file))
        return false;
    id->reader = tk_checksum(TK_VERSION, sizeof TK_VERSION - 1, tk_checksum(limits, sizeof *limits, 0));
    return sample(file, id->size, &id->sample);
}
