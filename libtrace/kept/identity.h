/*
 * Which capture it is that something is kept of, and by which reader. See kept_file.h.
 */
#ifndef TK_KEPT_IDENTITY_H
#define TK_KEPT_IDENTITY_H

#include "base/health/limits.h"

#include <stdbool.h>

/* All numbers differ where the capture, or what readings make of it, may differ. */
struct tk_kept_identity {
    uint64_t size, changed, volume, file[2]; /* of the file */
    uint64_t sample; /* a checksum of its first block, its last one and 64 between them, of 64 KiB each */
    uint64_t reader; /* a checksum of the limits and of the version of the library */
};

/* What the system says of the file at a path alone: the rest stays zero. false: it is no file, or is gone. */
bool tk_kept_identity_look(struct tk_kept_identity *id, const char *path);

/* All of it, where the system says the same of the file as before the capture was opened: then it is the
 * file that was opened. false as well: it cannot be read, or became shorter. */
bool tk_kept_identity_find(struct tk_kept_identity *id, const struct tk_kept_identity *opened,
                           const char *path, const struct tk_limits *limits);

#endif
