/*
 * Starts programs and asks for their ends.
 */
#include "os/windows/win32.h"

#include "os/program.h"

#include "os/windows/failure.h"
#include "os/windows/spawn.h"
#include "os/windows/wide.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct tk_os_program {
    HANDLE process;
    unsigned long id;
};

/* Bytes of a word in a command line, at most. */
static size_t room_of(const char *word)
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

/* NULL: GetLastError tells. */
static wchar_t *command_line(const char *const *arguments)
{
    size_t room = 1;
    for (size_t i = 0; arguments[i]; i++)
        room += room_of(arguments[i]) + 1;
    char *line = malloc(room), *to = line;
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

/* In a group of its own it can be asked to end, which Ctrl-C at our console does not do then. */
struct tk_os_result tk_os_program_start(struct tk_os_program **out, const char *const *arguments)
{
    void *const streams[3] = {GetStdHandle(STD_INPUT_HANDLE), GetStdHandle(STD_OUTPUT_HANDLE),
                              GetStdHandle(STD_ERROR_HANDLE)};
    struct tk_os_program *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    wchar_t *line = command_line(arguments);
    if (line)
        p->process = tk_os_spawn(line, streams, CREATE_NEW_PROCESS_GROUP, &p->id);
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

/* What is asked of the windows of a program. */
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
    if (p)
        CloseHandle(p->process);
    free(p);
}
