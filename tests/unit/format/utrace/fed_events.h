/*
 * The fed lane of the test that runs, and events on it: a number N, or a number A and a text.
 *
 * A file of tests says how the lane is opened (open_lane, which first closes the one before); lane_end closes
 * it after each test (RUN_TESTS_AROUND).
 */
#ifndef TK_TESTS_UNIT_UTRACE_FED_EVENTS_H
#define TK_TESTS_UNIT_UTRACE_FED_EVENTS_H

#include "fed.h"

static struct fed f;

/* Opens a lane in the place of the one before. */
static inline void fed_again(uint8_t protocol, uint16_t tid)
{
    fed_close(&f);
    fed_open(&f, protocol, tid);
}

static inline void lane_end(void)
{
    fed_close(&f);
}

static inline void put_tick(const struct tk_uw_type *type, uint32_t n)
{
    tk_uw_begin(&f.lane, type);
    tk_uw_u32(&f.lane.pending, n);
    tk_uw_end(&f.lane, type);
}

static inline void begin_text(const struct tk_uw_type *type, uint16_t a)
{
    tk_uw_begin(&f.lane, type);
    tk_uw_u16(&f.lane.pending, a);
}

static inline void put_text(const struct tk_uw_type *type, uint16_t a, const char *value)
{
    begin_text(type, a);
    tk_uw_value(&f.lane, type, 1, value, strlen(value));
    tk_uw_end(&f.lane, type);
}

static inline uint64_t noted(enum tk_health_kind kind)
{
    return f.health.counts[kind];
}

#endif
