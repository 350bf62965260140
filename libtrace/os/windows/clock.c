/*
 * The clocks.
 */
#include "os/windows/win32.h"

#include "os/clock.h"

#include <time.h>

double tk_os_seconds(void)
{
    LARGE_INTEGER now, frequency;
    if (!QueryPerformanceFrequency(&frequency) || !QueryPerformanceCounter(&now) || frequency.QuadPart <= 0)
        return 0;
    return (double)now.QuadPart / (double)frequency.QuadPart;
}

int64_t tk_os_now(void)
{
    return (int64_t)time(NULL);
}

struct tk_os_date tk_os_local_date(int64_t seconds)
{
    const time_t when = (time_t)seconds;
    struct tm t;
    if (localtime_s(&t, &when) != 0)
        return (struct tk_os_date){0};
    return (struct tk_os_date){t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec};
}
