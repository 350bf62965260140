/*
 * A child process behind a pipe.
 */
#include "os/windows/win32.h"

#include "os/child.h"

#include "os/windows/spawn.h"
#include "os/windows/wide.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    HANDLE process; /* NULL: none */
    bool errors;    /* it has standard error, too */
} child;

/* The shell with a command for it. By its path: a bare name would be searched for in the current folder. */
static wchar_t *line_of_shell(const wchar_t *command)
{
    static const wchar_t form[] = L"\"%ls\\cmd.exe\" /d /s /c \"%ls\"";
    wchar_t folder[MAX_PATH];
    const UINT n = GetSystemDirectoryW(folder, MAX_PATH);
    if (n == 0 || n >= MAX_PATH)
        return NULL;
    const size_t room = sizeof form / sizeof *form + n + wcslen(command);
    wchar_t *line = malloc(room * sizeof *line);
    if (line)
        swprintf(line, room, form, folder, command);
    return line;
}

/* "less" as it is, anything else by the shell. NULL: it cannot be started. */
static wchar_t *command_line(const char *command)
{
    wchar_t *wide = tk_os_wide(command);
    if (!wide || strcspn(command, "|&;<>()^%\"' \t") == strlen(command))
        return wide;
    wchar_t *line = line_of_shell(wide);
    free(wide);
    return line;
}

static HANDLE start(const char *command, HANDLE in)
{
    void *const streams[3] = {in, GetStdHandle(STD_OUTPUT_HANDLE), GetStdHandle(STD_ERROR_HANDLE)};
    unsigned long id;
    wchar_t *line = command_line(command);
    HANDLE process = line ? tk_os_spawn(line, streams, 0, &id) : NULL;
    free(line);
    return process;
}

bool tk_os_child_start(const char *command, bool errors)
{
    HANDLE in, out;
    fflush(stdout);
    if (!CreatePipe(&in, &out, NULL, 0))
        return false;
    child.process = start(command, in);
    CloseHandle(in);
    const int fd = child.process ? _open_osfhandle((intptr_t)out, _O_BINARY) : -1;
    if (fd < 0) {
        CloseHandle(out);
        return false;
    }
    child.errors = errors;
    _dup2(fd, 1);
    if (errors)
        _dup2(fd, 2);
    _close(fd);
    return true;
}

void tk_os_child_wait(void)
{
    fflush(stdout);
    fflush(stderr);
    _close(1);
    if (child.errors)
        _close(2);
    if (child.process) {
        WaitForSingleObject(child.process, INFINITE);
        CloseHandle(child.process);
    }
    child.process = NULL;
}

/* `more` breaks UTF-8 and colours. */
const char *tk_os_child_pager(void)
{
    return "";
}
