/*
 * Errors of the system in words of ours, the same on every system. What os/ does gives them back, io makes
 * sentences of them.
 */
#ifndef TK_OS_ERROR_H
#define TK_OS_ERROR_H

enum tk_os_error {
    TK_OS_OK,
    TK_OS_NOT_FOUND,
    TK_OS_EXISTS,
    TK_OS_DENIED,
    TK_OS_BUSY, /* somebody else has it */
    TK_OS_IS_FOLDER,
    TK_OS_NOT_EMPTY,
    TK_OS_NAME, /* no name that the system takes */
    TK_OS_NO_SPACE,
    TK_OS_NO_MEMORY,
    TK_OS_CLOSED_PIPE, /* its reader has gone */
    TK_OS_OTHER_DEVICE,
    TK_OS_LIMIT,       /* too many are open */
    TK_OS_AGAIN,       /* of a socket: nothing now, later perhaps */
    TK_OS_IN_USE,      /* somebody else listens there */
    TK_OS_REFUSED,     /* nobody listens there */
    TK_OS_UNREACHABLE, /* no way leads there */
    TK_OS_RESET,       /* the peer broke the connection */
    TK_OS_TIMEOUT,     /* the peer does not answer */
    TK_OS_IO           /* anything else */
};

struct tk_os_result {
    enum tk_os_error error;
    int system; /* what the system calls it, for tk_os_text alone; 0 where it was not the system */
};

/* A result that no call of the system has given. */
static inline struct tk_os_result tk_os_result_of(enum tk_os_error error)
{
    return (struct tk_os_result){error, 0};
}

/* The cause as the end of a sentence: "permission denied". Static, or of the system until the next call. */
const char *tk_os_text(struct tk_os_result result);

/* The sentence of an error where the system says no more. Static. */
const char *tk_os_error_text(enum tk_os_error error);

#endif
