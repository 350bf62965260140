/*
 * Types for lanes of protocols 5 to 7: plain and with array data, synchronised and not.
 */
#ifndef TK_TESTS_UNIT_UTRACE_LANE_TYPES_H
#define TK_TESTS_UNIT_UTRACE_LANE_TYPES_H

#include "fed_events.h"

static const struct tk_uw_field tick_fields[] = {{.name = "N", .type = TK_UW_U32}};
static const struct tk_uw_field text_fields[] = {{.name = "A", .type = TK_UW_U16},
                                                 {.name = "Text", .type = TK_UW_ANSI},
                                                 {.name = "Data", .type = TK_UW_U16S}};
static const struct tk_uw_field time_fields[] = {{.name = "BaseTimestamp", .type = TK_UW_U64}};

static const struct tk_uw_type tick = {
    .logger = "Demo", .event = "Tick", TK_UW_FIELDS(tick_fields), .flags = TK_UW_NOSYNC, .uid = 16};
static const struct tk_uw_type tock = {
    .logger = "Demo", .event = "Tock", TK_UW_FIELDS(tick_fields), .uid = 17};
static const struct tk_uw_type text = {
    .logger = "Demo", .event = "Text", TK_UW_FIELDS(text_fields), .flags = TK_UW_AUX, .uid = 18};
static const struct tk_uw_type note = {.logger = "Demo",
                                       .event = "Note",
                                       TK_UW_FIELDS(text_fields),
                                       .flags = TK_UW_AUX | TK_UW_NOSYNC,
                                       .uid = 19};
static const struct tk_uw_type bare = {.logger = "Demo", .event = "Bare", .uid = 20};
static const struct tk_uw_type work = {
    .logger = "Cpu", .event = "Work", TK_UW_FIELDS(tick_fields), .flags = TK_UW_NOSYNC, .uid = 21};
static const struct tk_uw_type talk = {.logger = "Cpu",
                                       .event = "Talk",
                                       TK_UW_FIELDS(text_fields),
                                       .flags = TK_UW_AUX | TK_UW_NOSYNC,
                                       .uid = 22};
static const struct tk_uw_type timing = {
    .logger = "$Trace", .event = "ThreadTiming", TK_UW_FIELDS(time_fields), .flags = TK_UW_NOSYNC, .uid = 23};
static const struct tk_uw_type last = {
    .logger = "Demo", .event = "Last", TK_UW_FIELDS(tick_fields), .flags = TK_UW_NOSYNC, .uid = 32766};

static const struct tk_uw_type *const types[] = {&tick, &tock, &text,   &note, &bare,
                                                 &work, &talk, &timing, &last};

static inline void open_lane(uint8_t protocol)
{
    fed_again(protocol, 2);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        fed_declare(&f, types[i]);
}

/* What most tests want. */
static inline void lane_begin(void)
{
    open_lane(7);
}

#endif
