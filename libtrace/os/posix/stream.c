/*
 * Streams by their descriptors.
 */
#include "os/posix/posix.h"

#include "os/stream.h"

#include "os/command_line.h"
#include "os/posix/failure.h"
#include "os/program.h"
#include "os/show.h"

#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

/*
 * Shows addresses with the opener of the desktop.
 */

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

/*
 * Command lines are as they should be here.
 */

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

bool tk_os_stream_is_terminal(FILE *stream)
{
    return isatty(fileno(stream));
}

unsigned tk_os_stream_columns(FILE *stream)
{
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct tk_os_result tk_os_stream_flush(FILE *stream)
{
    const bool good = fflush(stream) == 0 && !ferror(stream);
    return good ? tk_os_result_of(TK_OS_OK) : tk_os_failure(errno ? errno : EIO);
}
