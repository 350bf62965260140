/*
 * The monotonic clock.
 */
#include "os/posix/posix.h"

#include "os/clock.h"

#include <time.h>

double tk_os_seconds(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) ? 0 : (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int64_t tk_os_now(void)
{
    return (int64_t)time(NULL);
}
