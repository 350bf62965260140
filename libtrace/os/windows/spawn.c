/*
 * See spawn.h.
 */
#include "os/windows/win32.h"

#include "os/windows/spawn.h"

#include <stdbool.h>
#include <stddef.h>

/* Handles for the program: those of the streams, which are inherited while it is started. */
void *tk_os_spawn(wchar_t *line, void *const streams[3], unsigned long flags, unsigned long *id)
{
    HANDLE copies[3] = {0};
    PROCESS_INFORMATION started;
    STARTUPINFOW how = {.cb = sizeof how, .dwFlags = STARTF_USESTDHANDLES};
    const HANDLE self = GetCurrentProcess();
    for (size_t i = 0; i < 3; i++)
        if (streams[i] && streams[i] != INVALID_HANDLE_VALUE &&
            !DuplicateHandle(self, streams[i], self, &copies[i], 0, TRUE, DUPLICATE_SAME_ACCESS))
            copies[i] = streams[i]; /* consoles of old systems */
    how.hStdInput = copies[0];
    how.hStdOutput = copies[1];
    how.hStdError = copies[2];
    const bool good = CreateProcessW(NULL, line, NULL, NULL, TRUE, flags, NULL, NULL, &how, &started);
    const DWORD error = good ? 0 : GetLastError();
    for (size_t i = 0; i < 3; i++)
        if (copies[i] && copies[i] != streams[i])
            CloseHandle(copies[i]);
    if (!good) {
        SetLastError(error);
        return NULL;
    }
    CloseHandle(started.hThread);
    *id = started.dwProcessId;
    return started.hProcess;
}
