/*
 * Which serial numbers came, while packets are read in the order of the file: what is missing is an event
 * that was lost. Numbers that are not there are normal before the second sync packet and in what was sent
 * last (wire 4.5); all others are counted. A window of numbers is remembered, far more than threads lag
 * behind each other.
 *
 * Numbers are counted on past their wraps, nearest to the highest one so far (wire 4.1); of those of 16 bits
 * a quarter is ahead of it, since threads lag, but hardly lead.
 */
#ifndef TK_FORMAT_UTRACE_LANES_SERIALS_H
#define TK_FORMAT_UTRACE_LANES_SERIALS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TK_UT_STRAYS 64 /* numbers in a row that are nowhere near, until the count goes on where they are */

/* Numbers in a row that did not come. */
struct tk_ut_hole {
    uint64_t first, last;
};

struct tk_ut_serials {
    uint64_t *seen;      /* owned; a bit for each number of the window */
    uint64_t *sooner;    /* owned; those of `seen` when tk_ut_serials_stop was called; NULL before */
    uint64_t window;     /* numbers in it, a power of two */
    uint64_t words;      /* of `seen`, less one: picks the word of a number */
    uint32_t mask;       /* bits of a number in the file */
    uint32_t lead;       /* a number may be so far ahead of the highest */
    uint32_t room;       /* numbers from the highest on, itself too, in its word; 0 before the first one */
    uint32_t reach;      /* the highest less so many is out of the window; 0 before the first one */
    bool any;            /* there was one */
    bool waits;          /* what is missing is not counted yet */
    bool failed;         /* out of memory for a gap */
    uint64_t highest;    /* number */
    uint64_t from, last; /* numbers that are looked for: from here, up to here */
    uint32_t stray[TK_UT_STRAYS];
    unsigned strays;
    uint64_t lost, first_lost;
    TK_VEC(struct tk_ut_hole) holes;   /* found since somebody emptied it, ascending */
    TK_VEC(struct tk_ut_hole) excused; /* missing in what was sent last: found by tk_ut_serials_finish */
};

/* Numbers of 16 or 24 bits. TK_OK or TK_ENOMEM. */
int tk_ut_serials_open(struct tk_ut_serials *s, unsigned bits);
void tk_ut_serials_release(struct tk_ut_serials *s);

/* A number came that moves the window, or is not in it. As tk_ut_serials_saw. */
uint64_t tk_ut_serials_jump(struct tk_ut_serials *s, uint32_t serial);

/* A stored number, counted on past its wraps. */
static inline uint64_t tk_ut_serials_unwrap(const struct tk_ut_serials *s, uint32_t serial)
{
    uint32_t ahead = (serial - (uint32_t)s->highest) & s->mask;
    return s->highest + ahead - (ahead >= s->lead ? s->mask + UINT64_C(1) : 0);
}

/* A number came. Returns it, counted on past its wraps; 0 where it is nowhere near. */
static inline uint64_t tk_ut_serials_saw(struct tk_ut_serials *s, uint32_t serial)
{
    uint32_t ahead = (serial - (uint32_t)s->highest) & s->mask, back = -ahead & s->mask;
    uint64_t number = s->highest + ahead;
    if (ahead < s->room) {
        s->highest = number;
        s->room -= ahead;
    } else if (back < s->reach) {
        number = s->highest - back;
    } else {
        return tk_ut_serials_jump(s, serial);
    }
    s->seen[number / 64 & s->words] |= UINT64_C(1) << number % 64;
    s->strays = 0;
    return number;
}

/* The number that tk_ut_serials_saw and tk_ut_serials_unwrap will give, counted on past its wraps; 0: not
 * known, as it may be the begin of others. */
static inline uint64_t tk_ut_serials_peek(const struct tk_ut_serials *s, uint32_t serial)
{
    const uint32_t ahead = (serial - (uint32_t)s->highest) & s->mask, back = -ahead & s->mask;
    if (ahead < s->room || (s->any && ahead < s->lead && ahead < s->window / 2))
        return s->highest + ahead;
    return back < s->reach ? s->highest - back : 0;
}

/* What is missing is nobody's fault until tk_ut_serials_settle, nor is what is missing from
 * tk_ut_serials_stop on, or right below a number that came after it. */
void tk_ut_serials_wait(struct tk_ut_serials *s);
void tk_ut_serials_settle(struct tk_ut_serials *s);
void tk_ut_serials_stop(struct tk_ut_serials *s);

/* Counts what is missing in the window. */
void tk_ut_serials_finish(struct tk_ut_serials *s);

#endif
