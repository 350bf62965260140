/*
 * The process: its number, limits and environment.
 */
#include "os/posix/posix.h"

#include "os/process.h"

#include <stdlib.h>
#include <sys/resource.h>

uint64_t tk_os_process_id(void)
{
    return (uint64_t)getpid();
}

/* FNV-1a */
static uint32_t hash_of_name(const char *name)
{
    uint32_t hash = UINT32_C(0x811c9dc5);
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * UINT32_C(0x01000193);
    return hash;
}

uint32_t tk_os_host(void)
{
    char name[256] = "";
    return gethostname(name, sizeof name - 1) ? 0 : hash_of_name(name);
}

unsigned tk_os_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 1024 ? (unsigned)n : 1;
}

bool tk_os_limit_memory(uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) ||
        (limit.rlim_max != RLIM_INFINITY && bytes >= (uint64_t)limit.rlim_max))
        return false;
    limit.rlim_cur = bytes ? (rlim_t)bytes : 1; /* Linux takes 0 for no limit */
    return bytes != UINT64_MAX && setrlimit(RLIMIT_DATA, &limit) == 0;
}

uint64_t tk_os_raise_open_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return 0;
    const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (limit.rlim_cur != limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0)
        limit.rlim_cur = limit.rlim_max;
    return limit.rlim_cur == RLIM_INFINITY ? 0 : (uint64_t)limit.rlim_cur;
}

void tk_os_environment_default(const char *name, const char *value)
{
    setenv(name, value, 0);
}
