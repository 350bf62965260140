/*
 * Serial numbers that came.
 */
#include "base/bits.h"
#include "format/utrace/lanes/lane.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_16 (UINT64_C(1) << 16)
#define WINDOW_24 (UINT64_C(1) << 20)
#define LEAD_16   (UINT32_C(1) << 14) /* the threads whose packets come late are those that lag */
#define LEAD_24   (UINT32_C(1) << 23)
#define BASE      (UINT64_C(1) << 40) /* far from 0, so that lower numbers have space */

int tk_ut_serials_open(struct tk_ut_serials *s, unsigned bits)
{
    uint64_t window = bits == 16 ? WINDOW_16 : WINDOW_24;
    *s = (struct tk_ut_serials){.window = window,
                                .words = window / 64 - 1,
                                .mask = (1u << bits) - 1,
                                .lead = bits == 16 ? LEAD_16 : LEAD_24,
                                .last = UINT64_MAX};
    s->seen = calloc((size_t)(window / 64), sizeof *s->seen);
    return s->seen ? TK_OK : TK_ENOMEM;
}

void tk_ut_serials_release(struct tk_ut_serials *s)
{
    free(s->seen);
    free(s->sooner);
    s->seen = s->sooner = NULL;
    tk_vec_release(&s->holes);
    tk_vec_release(&s->excused);
}

static void put(struct tk_ut_serials *s, uint64_t number)
{
    s->seen[number / 64 & s->words] |= UINT64_C(1) << number % 64;
    s->strays = 0;
}

static void set_highest(struct tk_ut_serials *s, uint64_t number)
{
    s->highest = number;
    s->capacity = 64 - (uint32_t)(number % 64);
    s->reach = (uint32_t)s->window - 64;
    if (s->reach > s->mask - s->lead)
        s->reach = s->mask - s->lead + 1;
}

static void lose(struct tk_ut_serials *s, uint64_t first, uint64_t last)
{
    struct tk_ut_hole hole = {first, last};
    if (!s->lost)
        s->first_lost = first;
    s->lost += last - first + 1;
    if (s->holes.n && s->holes.v[s->holes.n - 1].last + 1 == first)
        s->holes.v[s->holes.n - 1].last = last;
    else if (tk_vec_push(&s->holes, hole))
        s->failed = true;
}

/* A bit for each of the 64 numbers from `begin` on that is missing and between the first and the last. */
static uint64_t missing(const struct tk_ut_serials *s, uint64_t begin, uint64_t first, uint64_t last)
{
    uint64_t bits = ~s->seen[begin / 64 & s->words];
    if (last < begin || first > begin + 63)
        return 0;
    if (first > begin)
        bits &= UINT64_MAX << (first - begin);
    if (last < begin + 63)
        bits &= UINT64_MAX >> (begin + 63 - last);
    return bits;
}

/* Takes the lowest run of set bits away; they are not 0. Returns its first bit, and in *n how many it has. */
static unsigned take_run(uint64_t *bits, unsigned *n)
{
    const unsigned first = tk_zeros_below(*bits);
    const uint64_t others = ~(*bits >> first);
    *n = others ? tk_zeros_below(others) : 64;
    *bits &= first + *n < 64 ? UINT64_MAX << (first + *n) : 0;
    return first;
}

/* What is missing of the 64 numbers from `begin` on. */
static void count_word(struct tk_ut_serials *s, uint64_t begin)
{
    unsigned n;
    uint64_t bits = s->waits ? 0 : missing(s, begin, s->from, s->last);
    while (bits) {
        const uint64_t first = begin + take_run(&bits, &n);
        lose(s, first, first + n - 1);
    }
}

static uint64_t begin_at(struct tk_ut_serials *s, uint64_t number)
{
    if (s->any)
        memset(s->seen, 0, (size_t)(s->window / 64) * sizeof *s->seen);
    set_highest(s, number);
    s->from = number;
    s->any = true;
    free(s->sooner);
    s->sooner = NULL;
    put(s, number);
    return number;
}

/* The window moves on: what leaves it never comes. */
static uint64_t move_on(struct tk_ut_serials *s, uint64_t number)
{
    uint64_t word = s->highest / 64;
    while (++word <= number / 64) {
        uint64_t first = word * 64;
        count_word(s, first - s->window);
        s->seen[first / 64 & s->words] = 0;
    }
    set_highest(s, number);
    put(s, number);
    return number;
}

/* So many numbers in a row are not by chance: all between the window and the lowest of them is lost. */
static void leap(struct tk_ut_serials *s)
{
    uint32_t stray[TK_UT_STRAYS];
    uint64_t least = UINT64_MAX;
    memcpy(stray, s->stray, sizeof stray);
    for (unsigned i = 0; i < TK_UT_STRAYS; i++) {
        uint64_t number = tk_ut_serials_unwrap(s, stray[i]);
        least = number < least ? number : least;
    }
    if (least > s->highest) {
        tk_ut_serials_finish(s);
        if (!s->waits && least <= s->last && least > s->highest + 1)
            lose(s, s->highest + 1, least - 1);
    }
    begin_at(s, least);
    for (unsigned i = 0; i < TK_UT_STRAYS; i++)
        tk_ut_serials_saw(s, stray[i]);
}

uint64_t tk_ut_serials_jump(struct tk_ut_serials *s, uint32_t serial)
{
    uint64_t number = tk_ut_serials_unwrap(s, serial);
    if (!s->any)
        return begin_at(s, BASE + serial);
    if (number > s->highest && number - s->highest < s->window / 2)
        return move_on(s, number);
    s->stray[s->strays++] = serial;
    if (s->strays == TK_UT_STRAYS)
        leap(s);
    return 0;
}

void tk_ut_serials_wait(struct tk_ut_serials *s)
{
    s->waits = true;
}

void tk_ut_serials_settle(struct tk_ut_serials *s)
{
    s->waits = false;
    s->from = s->highest + 1;
}

void tk_ut_serials_stop(struct tk_ut_serials *s)
{
    s->last = s->highest;
    if (!s->any || s->sooner)
        return;
    s->sooner = malloc((size_t)(s->window / 8));
    if (s->sooner)
        memcpy(s->sooner, s->seen, (size_t)(s->window / 8));
    s->failed |= !s->sooner;
}

/* These numbers are missing, and nobody is to blame for it. */
static void excuse(struct tk_ut_serials *s, uint64_t first, uint64_t last)
{
    enum { MOST_EXCUSED = 1 << 16 };
    const struct tk_ut_hole hole = {first, last};
    if (s->excused.n && s->excused.v[s->excused.n - 1].last + 1 == first)
        s->excused.v[s->excused.n - 1].last = last;
    else if (s->excused.n && s->excused.v[s->excused.n - 1].first == last + 1)
        s->excused.v[s->excused.n - 1].first = first;
    else if (s->excused.n < MOST_EXCUSED && tk_vec_push(&s->excused, hole))
        s->failed = true;
}

/* What is missing in what was sent last. */
static void excuse_last(struct tk_ut_serials *s, uint64_t first)
{
    unsigned n;
    for (uint64_t begin = first / 64 * 64; begin < s->highest; begin += 64) {
        uint64_t bits = missing(s, begin, first, s->highest - 1);
        while (bits) {
            const uint64_t number = begin + take_run(&bits, &n);
            excuse(s, number, number + n - 1);
        }
    }
}

/* Where the next number came late, those missing below it may be on their way, too. */
static void excuse_late(struct tk_ut_serials *s, uint64_t first)
{
    bool late = false;
    for (uint64_t number = s->last; s->sooner && number >= first; number--) {
        const uint64_t bit = UINT64_C(1) << number % 64;
        uint64_t *word = &s->seen[number / 64 & s->words];
        const bool whole = number % 64 == 63 && number - 63 >= first;
        if (whole && *word == UINT64_MAX) { /* none of them is missing */
            late = !(s->sooner[number / 64 & s->words] & 1);
            number -= 63;
        } else if (whole && !*word) { /* all of them are */
            if (late) {
                *word = UINT64_MAX;
                excuse(s, number - 63, number);
            }
            number -= 63;
        } else if (*word & bit) {
            late = !(s->sooner[number / 64 & s->words] & bit);
        } else if (late) {
            *word |= bit;
            excuse(s, number, number);
        }
    }
}

void tk_ut_serials_finish(struct tk_ut_serials *s)
{
    if (!s->any)
        return;
    uint64_t end = s->highest / 64 * 64, first = end - s->window + 64, last = s->last;
    s->last = last < s->highest ? last : s->highest;
    excuse_late(s, first > s->from ? first : s->from);
    if (s->last < s->highest)
        excuse_last(s, s->last + 1 > first ? s->last + 1 : first);
    for (first = first > s->from ? first : s->from / 64 * 64; first <= end; first += 64)
        count_word(s, first);
    s->last = last;
}
