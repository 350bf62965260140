/*
 * Exit codes: from the statuses of the library, and which of two wins.
 */
#include "terminal/exit.h"

#include <tracekit.h>

enum tk_exit tk_exit_of(int status)
{
    if (status >= 0 || status == TK_EPIPE)
        return TK_EXIT_DONE;
    return status == TK_EUSAGE || status == TK_EMATCH ? TK_EXIT_USAGE : TK_EXIT_FAILED;
}

enum tk_exit tk_exit_worse(enum tk_exit a, enum tk_exit b)
{
    static const int rank[] = {[TK_EXIT_DONE] = 0,
                               [TK_EXIT_DAMAGED] = 1,
                               [TK_EXIT_NO] = 2,
                               [TK_EXIT_FAILED] = 3,
                               [TK_EXIT_USAGE] = 4};
    return rank[a] >= rank[b] ? a : b;
}
