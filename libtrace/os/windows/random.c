/* rand_s queries the system, and needs no library of its own.
 */
#define _CRT_RAND_S 1 /* before the header that declares it */

#include "os/random.h"

#include <stdlib.h>

bool tk_random(uint64_t *out)
{
    unsigned high, low;
    if (rand_s(&high) != 0 || rand_s(&low) != 0)
        return false;
    *out = (uint64_t)high << 32 | low;
    return true;
}
