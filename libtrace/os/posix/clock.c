/*
 * The clocks.
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

struct tk_os_date tk_os_local_date(int64_t seconds)
{
    const time_t when = (time_t)seconds;
    struct tm t;
    if (!localtime_r(&when, &t))
        return (struct tk_os_date){0};
    return (struct tk_os_date){t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec};
}
