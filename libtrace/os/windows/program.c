/*
 * Programs that are started, and requested to end; one that reads what this one writes; names that others
 * look up, as events.
 */
#include "os/windows/win32.h"

#include "os/program.h"

#include "os/stream.h"

#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tk_os_program {
    HANDLE process, job; /* job: NULL: it is not bound */
    unsigned long id;
};

/* Starts a program from a command line (changed in passing) with these standard streams. Its process, to be
 * closed, and its number; NULL: GetLastError says. */
static void *spawn(wchar_t *line, void *const streams[3], unsigned long flags, unsigned long *id);

/* Bytes of a word in a command line, at most. */
static size_t space_of(const char *word)
{
    return 2 * strlen(word) + 3;
}

/* As the C runtime takes words apart: backslashes count only before a quotation mark. */
static char *put_word(char *to, const char *word)
{
    const bool plain = *word && strcspn(word, " \t\"") == strlen(word);
    size_t backslashes = 0;
    if (!plain)
        *to++ = '"';
    for (; *word; word++) {
        if (*word == '"')
            for (size_t i = 0; i < backslashes + 1; i++)
                *to++ = '\\';
        backslashes = *word == '\\' ? backslashes + 1 : 0;
        *to++ = *word;
    }
    if (!plain) {
        for (size_t i = 0; i < backslashes; i++)
            *to++ = '\\';
        *to++ = '"';
    }
    return to;
}

/* NULL: GetLastError says. */
static wchar_t *command_line(const char *const *arguments)
{
    size_t capacity = 1;
    for (size_t i = 0; arguments[i]; i++)
        capacity += space_of(arguments[i]) + 1;
    char *line = malloc(capacity), *to = line;
    if (!line) {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    for (size_t i = 0; arguments[i]; i++) {
        if (i)
            *to++ = ' ';
        to = put_word(to, arguments[i]);
    }
    *to = 0;
    wchar_t *wide = tk_os_wide(line);
    free(line);
    return wide;
}

/* In a group of its own it can be requested to end, which Ctrl-C at our console does not do then. */
static struct tk_os_result start(struct tk_os_program **out, const char *const *arguments, DWORD output)
{
    void *const streams[3] = {GetStdHandle(STD_INPUT_HANDLE), GetStdHandle(output),
                              GetStdHandle(STD_ERROR_HANDLE)};
    struct tk_os_program *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    wchar_t *line = command_line(arguments);
    if (line)
        p->process = spawn(line, streams, CREATE_NEW_PROCESS_GROUP, &p->id);
    if (p->process) {
        free(line);
        *out = p;
        return tk_os_result_of(TK_OS_OK);
    }
    const struct tk_os_result why = tk_os_last_failure();
    free(line);
    free(p);
    return why;
}

struct tk_os_result tk_os_program_start(struct tk_os_program **out, const char *const *arguments)
{
    return start(out, arguments, STD_OUTPUT_HANDLE);
}

struct tk_os_result tk_os_program_start_quiet(struct tk_os_program **out, const char *const *arguments)
{
    return start(out, arguments, STD_ERROR_HANDLE);
}

static void set_variable(const char *text)
{
    wchar_t *wide = tk_os_wide(text);
    wchar_t *value = wide ? wcschr(wide, L'=') : NULL;
    if (value) {
        *value = 0;
        SetEnvironmentVariableW(wide, value + 1);
    }
    free(wide);
}

/* The job ends what is in it when its last handle is closed, as by the end of this process. */
static bool limit_job(HANDLE job, DWORD flags)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags = flags};
    return SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

static void bind_program(struct tk_os_program *p)
{
    p->job = CreateJobObjectW(NULL, NULL);
    if (p->job && limit_job(p->job, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE))
        AssignProcessToJobObject(p->job, p->process);
}

struct tk_os_result tk_os_program_start_bound(struct tk_os_program **out, const char *const *arguments,
                                              const char *const *environment)
{
    for (size_t i = 0; environment[i]; i++)
        set_variable(environment[i]);
    const struct tk_os_result started = tk_os_program_start(out, arguments);
    if (!started.error)
        bind_program(*out);
    return started;
}

/* Which process has started another one is not recorded for good here. */
enum tk_os_whose tk_os_program_owns(const struct tk_os_program *p, uint64_t process)
{
    return process == p->id ? TK_OS_OURS : TK_OS_UNKNOWN;
}

enum tk_os_whose tk_os_program_has_port(const struct tk_os_program *p, uint16_t port, bool listens)
{
    (void)p;
    (void)port;
    (void)listens;
    return TK_OS_UNKNOWN;
}

bool tk_os_program_ended(struct tk_os_program *p, int *status)
{
    DWORD code = 0;
    const bool ended = WaitForSingleObject(p->process, 0) == WAIT_OBJECT_0;
    if (ended)
        GetExitCodeProcess(p->process, &code);
    *status = (int)code;
    return ended;
}

typedef BOOL(WINAPI *enum_windows_fn)(BOOL(CALLBACK *each)(HWND, LPARAM), LPARAM);
typedef DWORD(WINAPI *window_process_fn)(HWND, DWORD *);
typedef BOOL(WINAPI *post_message_fn)(HWND, UINT, WPARAM, LPARAM);

/* What is requested of the windows of a program. */
struct closing {
    unsigned long id;
    window_process_fn process_of;
    post_message_fn post;
};

static BOOL CALLBACK close_window(HWND window, LPARAM closing)
{
    const struct closing *c = (const struct closing *)closing;
    DWORD id = 0;
    c->process_of(window, &id);
    if (id == c->id)
        c->post(window, WM_CLOSE, 0, 0);
    return TRUE;
}

/* The library of windows is loaded for this alone: loading it takes longer than many a command. */
static void close_windows(unsigned long id)
{
    HMODULE library = LoadLibraryExW(L"user32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!library)
        return;
    const enum_windows_fn each = (enum_windows_fn)(void *)GetProcAddress(library, "EnumWindows");
    struct closing c = {id, (window_process_fn)(void *)GetProcAddress(library, "GetWindowThreadProcessId"),
                        (post_message_fn)(void *)GetProcAddress(library, "PostMessageW")};
    if (each && c.process_of && c.post)
        each(close_window, (LPARAM)&c);
    FreeLibrary(library);
}

/* A program of the console by its control event, one with windows by closing them. */
void tk_os_program_stop(struct tk_os_program *p)
{
    GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, p->id);
    close_windows(p->id);
}

void tk_os_program_close(struct tk_os_program *p)
{
    if (p && p->job) {
        limit_job(p->job, 0); /* what still runs goes on */
        CloseHandle(p->job);
    }
    if (p)
        CloseHandle(p->process);
    free(p);
}

/* Handles for the program: those of the streams, which are inherited while it is started. */
static void *spawn(wchar_t *line, void *const streams[3], unsigned long flags, unsigned long *id)
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

/*
 * A child process behind a pipe.
 */

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
    const size_t capacity = sizeof form / sizeof *form + n + wcslen(command);
    wchar_t *line = malloc(capacity * sizeof *line);
    if (line)
        swprintf(line, capacity, form, folder, command);
    return line;
}

/* "less" as it is, anything else by the shell. NULL: it cannot be started. */
static wchar_t *child_command_line(const char *command)
{
    wchar_t *wide = tk_os_wide(command);
    if (!wide || strcspn(command, "|&;<>()^%\"' \t") == strlen(command))
        return wide;
    wchar_t *line = line_of_shell(wide);
    free(wide);
    return line;
}

static HANDLE start_child(const char *command, HANDLE in)
{
    void *const streams[3] = {in, GetStdHandle(STD_OUTPUT_HANDLE), GetStdHandle(STD_ERROR_HANDLE)};
    unsigned long id;
    wchar_t *line = child_command_line(command);
    HANDLE process = line ? spawn(line, streams, 0, &id) : NULL;
    free(line);
    return process;
}

bool tk_os_child_start(const char *command, bool errors)
{
    HANDLE in, out;
    fflush(stdout);
    if (!CreatePipe(&in, &out, NULL, 0))
        return false;
    child.process = start_child(command, in);
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

/* ---- names that others look up ---- */

struct tk_os_beacon {
    HANDLE event;
};

/* The system takes it down when the last one who has it open closes it. */
struct tk_os_result tk_os_beacon_open(struct tk_os_beacon **out, const char *name)
{
    char text[80];
    struct tk_os_beacon *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    snprintf(text, sizeof text, "Local\\%s", name);
    wchar_t *wide = tk_os_wide(text);
    if (wide)
        b->event = CreateEventW(NULL, TRUE, FALSE, wide);
    if (b->event) {
        free(wide);
        *out = b;
        return tk_os_result_of(TK_OS_OK);
    }
    const struct tk_os_result why = tk_os_last_failure();
    free(wide);
    free(b);
    return why;
}

void tk_os_beacon_close(struct tk_os_beacon *b)
{
    if (b)
        CloseHandle(b->event);
    free(b);
}
