/*
 */
#include "os/windows/win32.h"

#include "os/windows/console.h"

#include "os/atomic.h"
#include "os/show.h"
#include "os/signals.h"
#include "os/stream.h"
#include "os/windows/failure.h"
#include "os/windows/handle.h"
#include "os/windows/wide.h"

#include <io.h>
#include <shellapi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Streams, and the consoles behind them.
 */

static HANDLE handle_of_stream(FILE *stream)
{
    return tk_os_handle_of(_fileno(stream));
}

/* NUL is a character device, too, so _isatty would be wrong. */
bool tk_os_stream_is_terminal(FILE *stream)
{
    DWORD mode;
    return GetConsoleMode(handle_of_stream(stream), &mode);
}

unsigned tk_os_stream_columns(FILE *stream)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(handle_of_stream(stream), &info) ||
        info.srWindow.Right < info.srWindow.Left)
        return 0;
    return (unsigned)(info.srWindow.Right - info.srWindow.Left + 1);
}

/* errno does not tell a pipe that is closed here. */
struct tk_os_result tk_os_stream_flush(FILE *stream)
{
    unsigned long system = 0;
    if (fflush(stream) == 0 && !ferror(stream))
        return tk_os_result_of(TK_OS_OK);
    _get_doserrno(&system);
    return tk_os_failure(system ? system : ERROR_GEN_FAILURE);
}

/*
 * Shows addresses with the program that Windows has for them.
 */

typedef BOOL(WINAPI *shell_execute_fn)(SHELLEXECUTEINFOW *);

/* The library of the shell is loaded for this alone: loading it takes longer than many a command. All is done
 * when the call returns, as the process may end then. */
static bool open_wide(const wchar_t *address)
{
    SHELLEXECUTEINFOW wish = {.cbSize = sizeof wish,
                              .fMask = SEE_MASK_NOASYNC | SEE_MASK_FLAG_NO_UI,
                              .lpVerb = L"open",
                              .lpFile = address,
                              .nShow = SW_SHOWNORMAL};
    HMODULE library = LoadLibraryExW(L"shell32.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!library)
        return false;
    const shell_execute_fn execute = (shell_execute_fn)(void *)GetProcAddress(library, "ShellExecuteExW");
    /* it stays loaded: threads that it has started may still run */
    return execute && execute(&wish);
}

bool tk_os_show(const char *address)
{
    wchar_t *wide = tk_os_wide(address);
    const bool displayed = wide && open_wide(wide);
    free(wide);
    return displayed;
}

/*
 * Ctrl-C and its kin, which come on a thread of their own.
 */

#define ENDED_BY_CONTROL_C 0xC000013AU /* as the default handler ends a process */

enum { SECONDS_TO_CLOSE = 10 }; /* the system gives about five */

static struct tk_atomic stopped, stops, most_stops;

void tk_os_keep_pipes(void)
{
    /* writing to a closed pipe is an error like any other */
}

/* The first ones are noted, the next one ends the process. When the window is closed it ends as soon as this
 * returns. */
static BOOL WINAPI note_stop(DWORD event)
{
    const bool first = tk_atomic_get(&stops) < tk_atomic_get(&most_stops);
    tk_atomic_add(&stops, 1);
    tk_atomic_claim(&stopped, event + 1);
    if (event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT)
        Sleep(SECONDS_TO_CLOSE * 1000);
    if (!first)
        tk_os_console_end();
    return first;
}

static void note_events(void)
{
    static struct tk_atomic done;
    if (tk_atomic_add(&done, 1) == 0)
        SetConsoleCtrlHandler(note_stop, TRUE);
}

void tk_os_note_stop(void)
{
    tk_atomic_claim(&most_stops, 1);
    note_events();
}

void tk_os_note_stops(void)
{
    tk_atomic_set(&most_stops, 2);
    note_events();
}

unsigned tk_os_stops(void)
{
    return (unsigned)tk_atomic_get(&stops);
}

int tk_os_stopped(void)
{
    return (int)tk_atomic_get(&stopped);
}

void tk_os_stop(int event)
{
    (void)event;
    tk_os_console_end();
    ExitProcess(ENDED_BY_CONTROL_C);
}

#ifndef ENABLE_VIRTUAL_TERMINAL_PROCESSING
#define ENABLE_VIRTUAL_TERMINAL_PROCESSING 4
#endif

static struct {
    UINT code_page; /* 0: there is no console */
    bool changed[2];
    DWORD mode[2];
} before;

static const DWORD streams[2] = {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};

void tk_os_console_begin(void)
{
    bool has_mode[2];
    /* both before one is changed: they may be the same console */
    for (size_t i = 0; i < 2; i++)
        has_mode[i] = GetConsoleMode(GetStdHandle(streams[i]), &before.mode[i]);
    for (size_t i = 0; i < 2; i++)
        before.changed[i] =
            has_mode[i] &&
            SetConsoleMode(GetStdHandle(streams[i]), before.mode[i] | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    /* one that is not seen keeps what others set */
    before.code_page = before.changed[0] || before.changed[1] ? GetConsoleOutputCP() : 0;
    if (before.code_page)
        SetConsoleOutputCP(CP_UTF8);
}

void tk_os_console_end(void)
{
    if (before.code_page)
        SetConsoleOutputCP(before.code_page);
    for (size_t i = 0; i < 2; i++)
        if (before.changed[i])
            SetConsoleMode(GetStdHandle(streams[i]), before.mode[i]);
}
