/*
 * Streams, the consoles behind them, what the process is called with, and what requests it to stop.
 */
#include "os/windows/win32.h"

#include "os/stream.h"

#include "base/text/path.h"
#include "os/process.h"
#include "os/thread.h"

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/*
 * Streams, and the consoles behind them.
 */

static HANDLE handle_of(FILE *stream)
{
    return tk_os_handle_of(_fileno(stream));
}

/* NUL is a character device, too, so _isatty would be wrong. */
bool tk_os_stream_is_terminal(FILE *stream)
{
    DWORD mode;
    return GetConsoleMode(handle_of(stream), &mode);
}

unsigned tk_os_stream_columns(FILE *stream)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(handle_of(stream), &info) || info.srWindow.Right < info.srWindow.Left)
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

/* ---- what the process is called with ---- */

static bool is_blank(wchar_t c)
{
    return c == L' ' || c == L'\t';
}

/* Takes n backslashes; those before a quotation mark count half, and an odd one makes it a character. */
static const wchar_t *take_backslashes(const wchar_t *at, wchar_t **to, bool *quote)
{
    size_t n = 0;
    while (at[n] == L'\\')
        n++;
    const bool before_quote = at[n] == L'"';
    for (size_t i = 0; i < (before_quote ? n / 2 : n); i++)
        *(*to)++ = L'\\';
    *quote = before_quote && n % 2 == 0;
    if (before_quote && n % 2) {
        *(*to)++ = L'"';
        n++;
    }
    return at + n;
}

/* One word into `to`; returns what follows it. */
static const wchar_t *take_word(const wchar_t *at, wchar_t *to)
{
    bool quoted = false, quote;
    while (*at && (quoted || !is_blank(*at))) {
        if (*at == L'\\' || *at == L'"') {
            at = take_backslashes(at, &to, &quote);
            if (!quote)
                continue;
            at++;
            if (quoted && *at == L'"') /* two of them inside are one */
                *to++ = *at++;
            else
                quoted = !quoted;
        } else {
            *to++ = *at++;
        }
    }
    *to = 0;
    return at;
}

/* The name of the program knows no backslashes that are not its own. */
static const wchar_t *take_program(const wchar_t *at, wchar_t *to)
{
    bool quoted = false;
    for (; *at && (quoted || !is_blank(*at)); at++) {
        if (*at == L'"')
            quoted = !quoted;
        else
            *to++ = *at;
    }
    *to = 0;
    return at;
}

/* All words, in memory that stays until the end of the process. NULL: out of memory. */
static char **split(const wchar_t *line, int *count)
{
    const size_t n = wcslen(line);
    wchar_t *word = malloc((n + 1) * sizeof *word);
    char **words = calloc(n / 2 + 3, sizeof *words);
    int k = 0;
    bool good = word && words;
    if (good)
        line = take_program(line, word);
    while (good) {
        words[k] = tk_os_narrow_copy(word, wcslen(word));
        good = words[k++] != NULL;
        while (is_blank(*line))
            line++;
        if (!*line)
            break;
        line = take_word(line, word);
    }
    free(word);
    *count = k;
    if (good)
        return words;
    free(words);
    return NULL;
}

void tk_os_command_line(int *argc, char ***argv)
{
    int n;
    for (int i = 0; i < 3; i++)
        _setmode(i, _O_BINARY);
    tk_os_console_begin();
    atexit(tk_os_console_end);
    char **words = split(GetCommandLineW(), &n);
    if (words) {
        *argc = n;
        *argv = words;
    }
}

bool tk_os_shell_expands(void)
{
    return false;
}

bool tk_os_shows_utf8(void)
{
    return GetConsoleOutputCP() == CP_UTF8;
}

const char *tk_os_program_name(const char *path, unsigned *n)
{
    const char *name = path + tk_path_base(path);
    size_t length = strlen(name);
    if (length > 4 && _stricmp(name + length - 4, ".exe") == 0)
        length -= 4;
    *n = (unsigned)length;
    return name;
}
