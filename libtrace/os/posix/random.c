/*
 * See random.h.
 */
#include "os/posix/posix.h"

#include "os/random.h"

bool tk_random(uint64_t *out)
{
    return getentropy(out, sizeof *out) == 0;
}
