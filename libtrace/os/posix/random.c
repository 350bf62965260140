/*
 * Random bits from the system.
 */
#include "os/posix/posix.h"

#include "os/random.h"

#ifdef __APPLE__
#include <sys/random.h>
#endif

bool tk_random(uint64_t *out)
{
    return getentropy(out, sizeof *out) == 0;
}
