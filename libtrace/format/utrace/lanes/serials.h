/*
 * Which serial numbers came, while packets are read in the order of the file: what is missing is an event
 * that was lost. Numbers that are not there are normal before the second sync packet and in what was sent
 * last (wire 4.5); all others are counted. A window of numbers is remembered, far more than threads lag
 * behind each other.
 */
#ifndef TK_FORMAT_UTRACE_LANES_SERIALS_H
#define TK_FORMAT_UTRACE_LANES_SERIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tk_ut_serials {
    uint64_t *seen;      /* owned; a bit for each number of the window */
    uint64_t window;     /* numbers in it, a power of two */
    unsigned bits;       /* of a number in the file */
    bool any;            /* there was one */
    uint64_t highest;    /* number, counted on past its wraps */
    uint64_t from, last; /* numbers that are looked for: from here, up to here */
    unsigned strays;     /* numbers in a row that are nowhere near */
    uint64_t lost, first_lost;
};

/* Numbers of 16 or 24 bits. TK_OK or TK_ENOMEM. */
int tk_ut_serials_open(struct tk_ut_serials *s, unsigned bits);
void tk_ut_serials_release(struct tk_ut_serials *s);

/* A number came that moves the window, or is not in it. */
void tk_ut_serials_jump(struct tk_ut_serials *s, uint32_t serial);

static inline void tk_ut_serials_saw(struct tk_ut_serials *s, uint32_t serial)
{
    unsigned unused = 32 - s->bits;
    int32_t ahead = (int32_t)((serial - (uint32_t)s->highest) << unused) / (1 << unused);
    uint64_t number = s->highest + (uint64_t)(int64_t)ahead;
    if (!s->any || (number | 63) > (s->highest | 63) || number + s->window < s->highest + 64) {
        tk_ut_serials_jump(s, serial);
        return;
    }
    s->seen[number % s->window / 64] |= UINT64_C(1) << number % 64;
    s->highest = number > s->highest ? number : s->highest;
    s->strays = 0;
}

/* All that was lost before is nobody's fault; nor is what is lost from here on. */
void tk_ut_serials_settle(struct tk_ut_serials *s);
void tk_ut_serials_stop(struct tk_ut_serials *s);

/* Counts what is missing in the window. */
void tk_ut_serials_finish(struct tk_ut_serials *s);

#endif
