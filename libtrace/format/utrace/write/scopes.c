/*
 * Scope records: a code, then 7 bytes for a stamp or 8 for the clock's own value.   wire 3.4, 3.5, 5.4
 */
#include "format/utrace/write/lanes.h"

struct scope_codes {
    uint8_t enter;
    uint8_t leave;
    uint8_t enter_stamp;
    uint8_t leave_stamp;
    bool delta; /* stamps are differences */
};

static const struct scope_codes codes[] = {
    [4] = {0x02, 0x06, 0x04, 0x08, true},
    [5] = {0x08, 0x0a, 0x10, 0x18, true},
    [6] = {0x08, 0x0a, 0x10, 0x18, true},
    [7] = {0x08, 0x0a, 0x10, 0x12, false},
};

enum { ENTER_ABSOLUTE = 0x0c, LEAVE_ABSOLUTE = 0x0e };

static const struct scope_codes *codes_of(const struct tk_uw_lane *lane)
{
    return &codes[lane->stream->protocol & 7];
}

static void put(struct tk_uw_lane *lane, uint8_t code, uint64_t value, unsigned bytes)
{
    tk_uw_lane_mark(lane);
    tk_uw_u8(&lane->pending, code);
    tk_uw_uint(&lane->pending, value, bytes);
    tk_uw_lane_mark(lane);
}

static void put_stamp(struct tk_uw_lane *lane, uint8_t code, uint64_t cycle)
{
    put(lane, code, codes_of(lane)->delta ? cycle - lane->stamp : cycle, 7);
    lane->stamp = cycle;
}

void tk_uw_enter(struct tk_uw_lane *lane)
{
    put(lane, codes_of(lane)->enter, 0, 0);
}

void tk_uw_leave(struct tk_uw_lane *lane)
{
    put(lane, codes_of(lane)->leave, 0, 0);
}

void tk_uw_enter_at(struct tk_uw_lane *lane, uint64_t cycle)
{
    put_stamp(lane, codes_of(lane)->enter_stamp, cycle);
}

void tk_uw_leave_at(struct tk_uw_lane *lane, uint64_t cycle)
{
    put_stamp(lane, codes_of(lane)->leave_stamp, cycle);
}

void tk_uw_enter_absolute(struct tk_uw_lane *lane, uint64_t cycle)
{
    put(lane, ENTER_ABSOLUTE, cycle, 8);
}

void tk_uw_leave_absolute(struct tk_uw_lane *lane, uint64_t cycle)
{
    put(lane, LEAVE_ABSOLUTE, cycle, 8);
}
