/*
 * The process: its number, limits and environment.
 */
#include "os/windows/win32.h"

#include "os/process.h"

#include <stdlib.h>

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
