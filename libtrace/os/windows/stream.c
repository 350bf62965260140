/*
 * Streams, and the consoles behind them.
 */
#include "os/windows/win32.h"

#include "os/stream.h"

#include "os/windows/failure.h"
#include "os/windows/handle.h"

#include <io.h>
#include <stdlib.h>

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
