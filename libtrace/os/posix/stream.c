/*
 * Streams by their descriptors.
 */
#include "os/posix/posix.h"

#include "os/stream.h"

#include "os/posix/failure.h"

#include <sys/ioctl.h>

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
