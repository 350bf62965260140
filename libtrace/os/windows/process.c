/*
 * The process: its number, limits and environment, its clocks, random bits and free memory.
 */
#define _CRT_RAND_S 1 /* before the header that declares rand_s, which needs no library of its own */

#include "os/windows/win32.h"

#include "os/process.h"

#include "os/clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

uint64_t tk_os_process_id(void)
{
    return GetCurrentProcessId();
}

/* FNV-1a */
static uint32_t hash_of_name(const wchar_t *name)
{
    uint32_t hash = UINT32_C(0x811c9dc5);
    for (; *name; name++)
        hash = (hash ^ *name) * UINT32_C(0x01000193);
    return hash;
}

uint32_t tk_os_host(void)
{
    wchar_t name[256] = L"";
    DWORD n = sizeof name / sizeof *name;
    return GetComputerNameExW(ComputerNameDnsHostname, name, &n) ? hash_of_name(name) : 0;
}

/* Those of all groups: one has 64. */
unsigned tk_os_processors(void)
{
    const DWORD n = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return n > 0 && n < 1024 ? (unsigned)n : 1;
}

/* A job of this process alone: what it starts is not in it. */
static HANDLE own_job(void)
{
    static HANDLE job;
    if (!job) {
        job = CreateJobObjectW(NULL, NULL);
        if (job && !AssignProcessToJobObject(job, GetCurrentProcess())) {
            CloseHandle(job);
            job = NULL;
        }
    }
    return job;
}

bool tk_os_limit_memory(uint64_t bytes)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limit = {0};
    HANDLE job = own_job();
    limit.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
    if (bytes < SIZE_MAX) {
        limit.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
        limit.ProcessMemoryLimit = bytes ? (SIZE_T)bytes : 1;
    }
    return job && SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limit, sizeof limit) &&
           bytes < SIZE_MAX;
}

/* Handles have no limit here that could be raised. */
uint64_t tk_os_raise_open_files(void)
{
    return 0;
}

void tk_os_environment_default(const char *name, const char *value)
{
    if (!getenv(name))
        _putenv_s(name, value);
}

/* ---- clocks ---- */

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

/* ---- random bits ---- */

bool tk_random(uint64_t *out)
{
    unsigned high, low;
    if (rand_s(&high) != 0 || rand_s(&low) != 0)
        return false;
    *out = (uint64_t)high << 32 | low;
    return true;
}

/* ---- free memory of the heap, which is one for all threads ---- */

void *tk_os_heap_table(size_t n)
{
    return malloc(n);
}

void tk_os_heap_return(void)
{
}

void tk_os_heap_share(void)
{
}

void tk_os_heap_trim(void)
{
    HeapCompact(GetProcessHeap(), 0);
}
