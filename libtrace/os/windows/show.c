/*
 * Shows addresses with the program that Windows has for them.
 */
#include "os/windows/win32.h"

#include "os/show.h"

#include "os/windows/wide.h"

#include <shellapi.h>
#include <stdlib.h>

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
    const bool shown = wide && open_wide(wide);
    free(wide);
    return shown;
}
