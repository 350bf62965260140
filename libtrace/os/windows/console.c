/*
 * See console.h.
 */
#include "os/windows/win32.h"

#include "os/windows/console.h"

#include <stdbool.h>
#include <stddef.h>

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
