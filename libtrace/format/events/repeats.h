/*
 * Items of a file that stand there twice: runs of some items that are equal to as many in front of them,
 * times included. Nothing but their bytes shows that, as packets and events have no numbers.
 */
#ifndef TK_FORMAT_EVENTS_REPEATS_H
#define TK_FORMAT_EVENTS_REPEATS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TK_EV_REPEATS 8 /* items of a run, at most */

/* Zero-initialise to begin. */
struct tk_ev_repeats {
    uint64_t hashes[TK_EV_REPEATS]; /* of the last items; 0: none */
    uint64_t times[TK_EV_REPEATS];
    unsigned equal[TK_EV_REPEATS + 1]; /* by distance: items in a row that are equal to those in front */
    unsigned at;                       /* the place of the next one */
    bool any;                          /* of `equal` */
};

/* May an item, by the hash of its bytes, end a run? */
static inline bool tk_ev_repeats_is_near(const struct tk_ev_repeats *r, uint64_t hash)
{
    bool near = r->any;
    for (unsigned i = 0; i < TK_EV_REPEATS; i++)
        near |= r->hashes[i] == hash;
    return near;
}

/* Of a run of several items: are they of more than one time? Scopes of no length repeat at one. */
static inline bool tk_ev_repeats_has_times(const struct tk_ev_repeats *r, unsigned n, uint64_t time)
{
    for (unsigned d = 1; d < n; d++)
        if (r->times[(r->at - d) % TK_EV_REPEATS] != time)
            return true;
    return false;
}

/* What an item may be said of: nothing, as it may be equal to others; only with those in front of it, as an
 * end of a scope, of which several come at one time; or alone. */
enum tk_ev_repeats_may { TK_EV_REPEATS_NEVER, TK_EV_REPEATS_TOGETHER, TK_EV_REPEATS_ALONE };

/* Of an item that is near: how many items end with it that are equal to as many in front of them; 0: none. */
static inline unsigned tk_ev_repeats_count(struct tk_ev_repeats *r, uint64_t hash, uint64_t time,
                                           enum tk_ev_repeats_may may)
{
    unsigned found = 0;
    r->any = false;
    for (unsigned d = 1; d <= TK_EV_REPEATS; d++) {
        const bool equal = r->hashes[(r->at - d) % TK_EV_REPEATS] == hash;
        const bool says = d == 1 ? may == TK_EV_REPEATS_ALONE : may && tk_ev_repeats_has_times(r, d, time);
        r->equal[d] = equal ? r->equal[d] + 1 : 0;
        if (!found && r->equal[d] >= d && says)
            found = d;
        r->any |= r->equal[d] > 0;
    }
    if (found)
        memset(r->equal, 0, sizeof r->equal);
    return found;
}

/* Keeps an item, for the next ones. */
static inline void tk_ev_repeats_keep(struct tk_ev_repeats *r, uint64_t hash, uint64_t time)
{
    r->hashes[r->at % TK_EV_REPEATS] = hash;
    r->times[r->at % TK_EV_REPEATS] = time;
    r->at++;
}

#endif
