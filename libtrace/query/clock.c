/*
 * Time at the edge: cycles to nanoseconds and back, exact for all 64-bit values, without wider integers than
 * C has. See dict.h.
 */
#include "base/saturate.h"
#include "base/wrap.h"
#include "query/dict.h"

#define NS_PER_S UINT64_C(1000000000)

/* A product of two 64-bit numbers divided by a third. */
struct quotient {
    uint64_t whole, rest; /* rest < divisor */
};

/* Adds `more` (< d) to the rest of q. */
static void quotient_add(struct quotient *q, uint64_t more, uint64_t d)
{
    if (q->rest >= d - more) {
        q->rest -= d - more;
        q->whole++;
    } else {
        q->rest += more;
    }
}

/* a * times / d for a < d; the quotient is less than `times`. */
static struct quotient scale(uint64_t a, uint64_t times, uint64_t d)
{
    struct quotient q = {0, 0};
    if (a <= UINT64_MAX / times)
        return (struct quotient){a * times / d, a * times % d};
    for (int bit = 63; bit >= 0; bit--) {
        q.whole *= 2;
        quotient_add(&q, q.rest, d);
        if (times >> bit & 1)
            quotient_add(&q, a, d);
    }
    return q;
}

/* Floor division by a positive number of any size. */
static int64_t floor_div(int64_t a, uint64_t d, uint64_t *rest)
{
    uint64_t magnitude = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t q = magnitude / d, r = magnitude % d;
    if (a >= 0) {
        *rest = r;
        return (int64_t)q;
    }
    *rest = r ? d - r : 0;
    return (int64_t)(0 - q - (r ? 1 : 0));
}

/* whole * unit + part, held inside 64 bits; part <= unit. */
static int64_t join_clock(int64_t whole, uint64_t unit, uint64_t part)
{
    uint64_t magnitude = whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole;
    if (magnitude > UINT64_MAX / unit)
        return whole < 0 ? INT64_MIN : INT64_MAX;
    magnitude *= unit;
    if (whole < 0)
        return magnitude - part > (uint64_t)INT64_MAX ? INT64_MIN : -(int64_t)(magnitude - part);
    if (magnitude > (uint64_t)INT64_MAX || part > (uint64_t)INT64_MAX - magnitude)
        return INT64_MAX;
    return (int64_t)(magnitude + part);
}

/* Most clocks have a whole number of nanoseconds, and divisions of 64 bits take long. */
static bool are_whole_ns(uint64_t frequency, int64_t cycles)
{
    enum { MOST_NS = 1024 };
    const int64_t most = INT64_C(1) << 52;
    return frequency >= NS_PER_S / MOST_NS && frequency <= NS_PER_S &&
           (uint32_t)NS_PER_S % (uint32_t)frequency == 0 && -most < cycles && cycles < most;
}

static int64_t nanoseconds(uint64_t frequency, int64_t cycles)
{
    uint64_t rest;
    if (are_whole_ns(frequency, cycles))
        return cycles * (int64_t)((uint32_t)NS_PER_S / (uint32_t)frequency);
    int64_t seconds = floor_div(cycles, frequency, &rest);
    struct quotient q = scale(rest, NS_PER_S, frequency);
    return join_clock(seconds, NS_PER_S, q.whole + (q.rest >= frequency - q.rest ? 1 : 0));
}

/* Whole cycles of what may be parts of them, rounded down. */
static int64_t whole_cycles(const struct tk_fact_clock *clock, int64_t time)
{
    uint64_t rest;
    return clock->parts > 1 ? floor_div(time, clock->parts, &rest) : time;
}

int64_t tk_clock_time(const struct tk_fact_clock *clock, enum tk_unit unit, int64_t time)
{
    if (unit == TK_UNIT_CYCLES)
        return (int64_t)(clock->start + (uint64_t)whole_cycles(clock, time));
    return tk_clock_span(clock, unit, time);
}

int64_t tk_clock_of_cycles(const struct tk_fact_clock *clock, int64_t shown)
{
    return tk_saturate_times((int64_t)((uint64_t)shown - clock->start), tk_fact_clock_parts(clock));
}

int64_t tk_clock_span(const struct tk_fact_clock *clock, enum tk_unit unit, int64_t time)
{
    if (unit == TK_UNIT_CYCLES || clock->frequency == 0)
        return whole_cycles(clock, time);
    return nanoseconds(clock->frequency, time);
}

int64_t tk_clock_between(const struct tk_fact_clock *clock, enum tk_unit unit, int64_t begin, int64_t end)
{
    const int64_t from = tk_clock_span(clock, unit, begin), to = tk_clock_span(clock, unit, end);
    return from < 0 ? (to > INT64_MAX + from ? INT64_MAX : to - from)
                    : (to < INT64_MIN + from ? INT64_MIN : to - from);
}

int64_t tk_clock_first(const struct tk_fact_clock *clock, int64_t ns)
{
    const uint64_t frequency = clock->frequency, unit = 2 * NS_PER_S; /* halves of nanoseconds */
    uint64_t rest;
    if (frequency == 0)
        return ns;
    int64_t seconds = floor_div(ns, NS_PER_S, &rest);
    if (rest == 0) {
        seconds--;
        rest = NS_PER_S;
    }
    uint64_t halves = 2 * rest - 1, part = halves * (frequency % unit);
    return join_clock(seconds, frequency, halves * (frequency / unit) + part / unit + (part % unit ? 1 : 0));
}

int64_t tk_clock_cycles(const struct tk_fact_clock *clock, int64_t ns)
{
    uint64_t rest, frequency = clock->frequency;
    if (frequency == 0)
        return ns;
    int64_t seconds = floor_div(ns, NS_PER_S, &rest);
    /* rest < 10^9, so neither product leaves 64 bits */
    uint64_t whole = rest * (frequency / NS_PER_S), part = rest * (frequency % NS_PER_S);
    return join_clock(seconds, frequency, whole + part / NS_PER_S + (part % NS_PER_S ? 1 : 0));
}
