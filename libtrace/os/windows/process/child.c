/*
 * A child process behind a pipe.
 */
#include "os/windows/win32.h"

#include "os/child.h"

#include "os/windows/process/spawn.h"
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

/* "less" as it is, anything else by the shell. */
static wchar_t *command_line(const char *command)
{
    const bool plain = strcspn(command, "|&;<>()^%\"' \t") == strlen(command);
    const size_t room = strlen(command) + sizeof "cmd.exe /d /s /c \"\"";
    char *line = malloc(room);
    if (!line)
        return NULL;
    snprintf(line, room, plain ? "%s" : "cmd.exe /d /s /c \"%s\"", command);
    wchar_t *wide = tk_os_wide(line);
    free(line);
    return wide;
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
