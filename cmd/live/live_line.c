/*
 * The line of live commands: see live_line.h.
 */
#include "live/live_line.h"

#include "terminal/host.h"

#include <stdarg.h>
#include <string.h>

static bool visible;

void tk_live_line_show(const char *text)
{
    const unsigned columns = tk_host_width(stderr);
    if (!tk_host_terminal(stderr))
        return;
    fprintf(stderr, "\r%.*s\033[K", columns > 1 ? (int)columns - 1 : 79, text);
    fflush(stderr);
    visible = true;
}

void tk_live_line_hide(void)
{
    if (visible)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    visible = false;
}

bool tk_live_say(const char *format, ...)
{
    va_list ap;
    tk_live_line_hide();
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    putchar('\n');
    return tk_host_flush();
}
