/*
 * Commands for the control port: see command.h.
 */
#include "live/command.h"

#include "live/connect.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word, *behind;
    const char *argument; /* what it is; NULL: there is none */
} verbs[] = {
    [TK_CONTROL_SEND_TO] = {"SendTo", "", "a host"},
    [TK_CONTROL_WRITE_TO] = {"WriteTo", "", "a path"},
    [TK_CONTROL_STOP] = {"Stop", "", NULL},
    [TK_CONTROL_ENABLE] = {"ToggleChannels", " 1", "channels"},
    [TK_CONTROL_DISABLE] = {"ToggleChannels", " 0", "channels"},
};

/* Blanks end a word and nothing can be quoted; what ends a line ends the command. */
static int check_word(const char *what, const char *word, struct tk_err *err)
{
    if (!*word)
        return tk_err_set(err, TK_EUSAGE, "%s cannot be empty", what);
    for (const char *p = word; *p; p++) {
        if (*p == ' ')
            return tk_err_set(err, TK_EUSAGE,
                              "%s with a space in it cannot be sent: the program would cut it there", what);
        if ((unsigned char)*p < ' ' || *p == 127)
            return tk_err_set(err, TK_EUSAGE, "%s with a control character in it cannot be sent", what);
    }
    return TK_OK;
}

int tk_control_line(char out[TK_CONTROL_LINE + 1], enum tk_control_verb verb, const char *argument,
                    struct tk_err *err)
{
    const char *what = verbs[verb].argument;
    int rc = what ? check_word(what, argument, err) : TK_OK;
    if (rc != TK_OK)
        return rc;
    const int n = snprintf(out, TK_CONTROL_LINE + 1, "%s%s%s%s\n", verbs[verb].word, what ? " " : "",
                           what ? argument : "", verbs[verb].behind);
    if (n > TK_CONTROL_LINE)
        return tk_err_set(err, TK_EUSAGE, "the command has %d bytes; programs accept %d", n, TK_CONTROL_LINE);
    return TK_OK;
}

bool tk_control_listens(const struct tk_os_address *at)
{
    struct tk_os_socket *s;
    if (tk_connect_within(&s, at, TK_CONTROL_SECONDS).error)
        return false;
    tk_os_socket_close(s);
    return true;
}

int tk_control_send(const struct tk_os_address *at, const char *line, struct tk_err *err)
{
    char text[TK_OS_ADDRESS_TEXT];
    struct tk_os_socket *s;
    size_t put = 0;
    struct tk_os_result result = tk_connect_within(&s, at, TK_CONTROL_SECONDS);
    if (result.error)
        return tk_err_set(err, TK_EIO, "no program listens at %s port %u: %s", tk_os_address_text(at, text),
                          at->port, tk_os_text(result));
    /* a new connection has room for a line, so that it leaves in one piece */
    result = tk_os_socket_write(s, line, strlen(line), &put);
    if (result.error == TK_OS_OK && put == strlen(line))
        result = tk_os_socket_end(s);
    else if (result.error == TK_OS_OK)
        result = tk_os_result_of(TK_OS_IO);
    tk_os_socket_close(s);
    return result.error ? tk_err_set(err, TK_EIO, "the command cannot be sent: %s", tk_os_text(result))
                        : TK_OK;
}

/* Without the ending that does not count. */
static size_t stem(const char *p, size_t n)
{
    static const char channel[] = "Channel";
    const size_t ending = sizeof channel - 1;
    if (n > ending && memcmp(p + n - ending, channel, ending) == 0)
        n -= ending;
    return n > 1 && (p[n - 1] == 's' || p[n - 1] == 'S') ? n - 1 : n;
}

uint32_t tk_control_channel_id(const char *name, size_t n)
{
    uint32_t hash = UINT32_C(0x811C9DC5);
    n = stem(name, n);
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((uint8_t)name[i] | 0x20u)) * UINT32_C(0x01000193);
    return hash;
}
