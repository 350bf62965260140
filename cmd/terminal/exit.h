/*
 * Exit codes of the commands.
 */
#ifndef TK_CMD_TERMINAL_EXIT_H
#define TK_CMD_TERMINAL_EXIT_H

enum tk_exit {
    TK_EXIT_DONE = 0,
    TK_EXIT_NO = 1,     /* done, and the answer is "no" */
    TK_EXIT_USAGE = 2,  /* wrong usage, or a filter, table or column that matches nothing */
    TK_EXIT_FAILED = 3, /* the input cannot be read at all or the output cannot be written */
    TK_EXIT_DAMAGED = 4 /* done, but the capture is damaged, or a limit left something out */
};

/* The code for what a function of the library returned. A reader that has gone is no failure. */
enum tk_exit tk_exit_of(int status);

/* The one of two codes that wins: 2, 3, 1, 4, 0. */
enum tk_exit tk_exit_worse(enum tk_exit a, enum tk_exit b);

#endif
