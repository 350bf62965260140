/*
 * Serial numbers that came: see serials.h.
 */
#include "format/utrace/lanes/serials.h"

#include "tracekit.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_16  (UINT64_C(1) << 14)
#define WINDOW_24  (UINT64_C(1) << 20)
#define MOST_STRAY 64 /* then the count goes on where they are */

int tk_ut_serials_open(struct tk_ut_serials *s, unsigned bits)
{
    uint64_t window = bits == 16 ? WINDOW_16 : WINDOW_24;
    *s = (struct tk_ut_serials){.bits = bits, .window = window, .last = UINT64_MAX};
    s->seen = calloc((size_t)(window / 64), sizeof *s->seen);
    return s->seen ? TK_OK : TK_ENOMEM;
}

void tk_ut_serials_release(struct tk_ut_serials *s)
{
    free(s->seen);
    s->seen = NULL;
}

static void put(struct tk_ut_serials *s, uint64_t number)
{
    s->seen[number % s->window / 64] |= UINT64_C(1) << number % 64;
}

/* What is missing of the 64 numbers from `first` on. */
static void count_word(struct tk_ut_serials *s, uint64_t first)
{
    uint64_t word = s->seen[first % s->window / 64];
    if (word == UINT64_MAX || first + 63 < s->from || first > s->last)
        return;
    for (uint64_t i = 0; i < 64; i++) {
        if (word >> i & 1 || first + i < s->from || first + i > s->last)
            continue;
        if (!s->lost++)
            s->first_lost = first + i;
    }
}

static void begin_at(struct tk_ut_serials *s, uint32_t serial)
{
    memset(s->seen, 0, (size_t)(s->window / 64) * sizeof *s->seen);
    /* far from 0, so that lower numbers have room */
    s->highest = s->from = (UINT64_C(1) << 40) + serial;
    s->any = true;
    s->strays = 0;
    put(s, s->highest);
}

/* The window moves on: what leaves it never comes. */
static void move_on(struct tk_ut_serials *s, uint64_t number)
{
    uint64_t word = s->highest / 64;
    while (++word <= number / 64) {
        uint64_t first = word * 64;
        count_word(s, first - s->window);
        s->seen[first % s->window / 64] = 0;
    }
    s->highest = number;
}

void tk_ut_serials_jump(struct tk_ut_serials *s, uint32_t serial)
{
    uint64_t mask = (UINT64_C(1) << s->bits) - 1, half = mask / 2;
    uint64_t ahead = ((uint64_t)serial - s->highest) & mask, behind = mask + 1 - ahead;
    if (!s->any) {
        begin_at(s, serial);
    } else if (ahead && ahead <= half && ahead < s->window / 2) {
        move_on(s, s->highest + ahead);
        put(s, s->highest);
        s->strays = 0;
    } else if (!ahead || behind < s->window - 64) {
        put(s, ahead ? s->highest - behind : s->highest);
        s->strays = 0;
    } else if (++s->strays > MOST_STRAY) {
        begin_at(s, serial);
    }
}

void tk_ut_serials_settle(struct tk_ut_serials *s)
{
    s->from = s->highest + 1;
    s->lost = 0;
}

void tk_ut_serials_stop(struct tk_ut_serials *s)
{
    s->last = s->highest;
}

void tk_ut_serials_finish(struct tk_ut_serials *s)
{
    if (!s->any)
        return;
    uint64_t end = s->highest / 64 * 64, first = end - s->window + 64;
    for (first = first > s->from ? first : s->from / 64 * 64; first <= end; first += 64)
        count_word(s, first);
}
