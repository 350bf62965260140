/*
 * Host: terminals, processors and signals of POSIX systems.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* isatty, fileno, TIOCGWINSZ, _SC_NPROCESSORS_ONLN */
#endif

#include "host.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MOST_COLUMNS 10000

bool tk_host_terminal(FILE *stream)
{
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && !(term && strcmp(term, "dumb") == 0);
}

unsigned tk_host_width(void)
{
    const char *columns = getenv("COLUMNS");
    long said = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (said > 0 && said < MOST_COLUMNS)
        return (unsigned)said;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned tk_host_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 && n < 1024 ? (unsigned)n : 1;
}

void tk_host_keep_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}
