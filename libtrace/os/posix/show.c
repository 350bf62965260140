/*
 * Shows addresses with the opener of the desktop.
 */
#include "os/show.h"

#include "os/program.h"

#include <stddef.h>

bool tk_os_show(const char *address)
{
#ifdef __APPLE__
    const char *const arguments[] = {"open", address, NULL};
#else
    const char *const arguments[] = {"xdg-open", address, NULL};
#endif
    struct tk_os_program *program;
    if (tk_os_program_start(&program, arguments).error)
        return false;
    tk_os_program_close(program);
    return true;
}
