/*
 * Progress: one line on the terminal behind standard error, that says how far a reading is, how fast and how
 * long it will take. There is one terminal, so there is one line.
 */
#ifndef TK_TERMINAL_PROGRESS_H
#define TK_TERMINAL_PROGRESS_H

#include "os/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A reading of `path` begins. Nothing is displayed of it where it is not wanted, or no terminal is there to
 * show it. */
void tk_progress_begin(const char *path, bool wanted);

/* Bytes done and in all (0: not known). Nothing is displayed of what is done at once. */
void tk_progress_update(uint64_t done, uint64_t total);

/* Takes the line away; it comes back with the next update. For whoever writes to the terminal. */
void tk_progress_hide(void);

/* The reading is over. */
void tk_progress_end(void);

/*
 * Teams: pieces of work at the same time on several threads, whose ends are dealt with one by one, in order.
 */

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
