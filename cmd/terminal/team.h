/*
 * Teams: pieces of work at the same time on several threads, whose ends are dealt with one by one, in order.
 */
#ifndef TK_CMD_TERMINAL_TEAM_H
#define TK_CMD_TERMINAL_TEAM_H

#include "os/atomic.h"

#include <stdbool.h>
#include <stddef.h>

struct tk_team {
    size_t n;         /* pieces */
    unsigned threads; /* that work; also, how many pieces are begun before the first of them is dealt with */
    void *ctx;
    void (*work)(void *ctx, size_t i);  /* on any thread */
    void (*await)(void *ctx, size_t i); /* in the calling thread, as done(): i is what is waited for now */
    bool (*done)(void *ctx, size_t i);  /* false: nothing more is wanted */
    /* of the team */
    struct tk_atomic awaited, over;
};

/* Returns when nothing works any more. done() is not called behind one that returned false, though work may
 * have been done. With one thread, or where there are no more, all is done in the calling one. */
void tk_team_work(struct tk_team *team);

/* For work(): is a piece what is waited for, between await() and done()? */
static inline bool tk_team_awaits(const struct tk_team *team, size_t i)
{
    return tk_atomic_get(&team->awaited) == i;
}

/* For work(): has a done() said that nothing more is wanted? */
static inline bool tk_team_is_over(const struct tk_team *team)
{
    return tk_atomic_get(&team->over);
}

#endif
