/*
 * Command lines are as they should be here.
 */
#include "os/command_line.h"

#include <string.h>

void tk_os_command_line(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}

bool tk_os_shell_expands(void)
{
    return true;
}

bool tk_os_shows_utf8(void)
{
    return false;
}

const char *tk_os_program_name(const char *path, unsigned *n)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    *n = (unsigned)strlen(name);
    return name;
}
