/*
 * Connecting within a time: see connect.h.
 */
#include "live/connect.h"

#include "os/clock.h"

#include <stddef.h>

struct tk_os_result tk_connect_within(struct tk_os_socket **out, const struct tk_os_address *to,
                                      double seconds)
{
    const double end = tk_os_seconds() + seconds;
    struct tk_os_result result = tk_os_socket_connect(out, to);
    while (result.error == TK_OS_OK && (result = tk_os_socket_connected(*out)).error == TK_OS_AGAIN) {
        struct tk_os_wait wait = {.socket = *out, .write = true};
        const double left = end - tk_os_seconds();
        if (left <= 0)
            result = tk_os_result_of(TK_OS_TIMEOUT);
        else
            result = tk_os_socket_wait(&wait, 1, NULL, left);
        if (result.error == TK_OS_OK)
            continue;
        break;
    }
    if (result.error) {
        tk_os_socket_close(*out);
        *out = NULL;
    }
    return result;
}
