/*
 * What trace-control is requested, and the steps that its actions share. The actions are in
 * control_actions.c.
 */
#ifndef TK_CMD_LIVE_CONTROL_H
#define TK_CMD_LIVE_CONTROL_H

#include "live/server.h"
#include "run/command.h"

struct tk_control_args {
    struct tk_common_args common;
    const char *store, *of, *engine, *wait, *format; /* NULL: not given */
};

/* A command under way. */
struct tk_control {
    const struct tk_call *call;
    const struct tk_control_args *args;
    bool json;                        /* answers are lines of JSON */
    double wait;                      /* seconds in which a command is to be confirmed */
    struct tk_os_address store_at;    /* of the store that records */
    bool store_named;                 /* --store was given */
    struct tk_store_client *store;    /* NULL: none answers */
    struct tk_os_address program;     /* its control port */
    bool guessed;                     /* that is only the usual one */
    struct tk_client_session session; /* the program's at the store */
    bool recorded;                    /* there is one */
};

/* Connects to the store; without --store it is no error that there is none. TK_OK or negative. */
int tk_control_open_store(struct tk_control *c, struct tk_err *err);

/* Finds the program that an operand (HOST[:PORT]) means, and its session at the store. TK_OK; TK_EUSAGE,
 * TK_EIO. */
int tk_control_find(struct tk_control *c, const char *operand, struct tk_err *err);

/* The list of what a store has. The exit status. */
int tk_control_list(struct tk_control *c);

/* An action with its argument (NULL: none) on the program that was found. The exit status. */
int tk_control_act(struct tk_control *c, const char *action, const char *argument);

/* Hangs up. */
void tk_control_close(struct tk_control *c);

/* Is it one, and does it have an argument? */
bool tk_control_is_action(const char *name, bool *argument);

/* The sentence for an action that the port has in no version; NULL: it has, or nobody knows it. Static. */
const char *tk_control_elsewhere(const char *action);

#endif
