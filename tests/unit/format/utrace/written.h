/*
 * A capture being written, with a few threads: what tests of whole captures share.
 */
#ifndef TK_TESTS_UNIT_UTRACE_WRITTEN_H
#define TK_TESTS_UNIT_UTRACE_WRITTEN_H

#include "cpu.h"
#include "opened.h"
#include "values.h"

#define WRITTEN_LANES 6

struct written {
    struct tk_uw_bytes bytes;
    struct tk_uw uw;
    struct tk_uw_lane lanes[WRITTEN_LANES]; /* of tid 2 on */
};

static inline void write_with(struct written *w, struct tk_uw_options options)
{
    memset(&w->bytes, 0, sizeof w->bytes);
    options.memory = &w->bytes;
    tk_uw_open(&w->uw, &options);
    for (uint16_t i = 0; i < WRITTEN_LANES; i++)
        tk_uw_thread(&w->uw, &w->lanes[i], (uint16_t)(2 + i));
}

/* Protocol 7, a clock of 1 MHz that began at 1000. */
static inline void write_begin(struct written *w)
{
    write_with(
        w, (struct tk_uw_options){
               .form = TK_UW_2CRT, .transport = 4, .protocol = 7, .start_cycle = 1000, .frequency = 1000000});
    tk_uw_new_trace(&w->uw);
}

static inline struct tk_uw_lane *lane_of(struct written *w, unsigned tid)
{
    return &w->lanes[tid - 2];
}

/* Sends what is pending on a thread as a packet. */
static inline void send_lane(struct written *w, unsigned tid)
{
    tk_uw_lane_flush(lane_of(w, tid));
}

/* Sends everything and closes; the bytes stay. */
static inline void write_end(struct written *w)
{
    tk_uw_lane_flush(&w->uw.news);
    tk_uw_lane_flush(&w->uw.important);
    for (size_t i = 0; i < WRITTEN_LANES; i++) {
        tk_uw_lane_flush(&w->lanes[i]);
        tk_uw_lane_release(&w->lanes[i]);
    }
    ck_assert_int_eq(tk_uw_close(&w->uw), 0);
}

/* Ends the writing and compares what a reading says. */
static inline void check_written_in(struct written *w, uint64_t facts, enum tk_order order,
                                    const char *expected)
{
    struct opened o;
    write_end(w);
    open_written(&o, &w->bytes);
    check_text(tell_in_order(&o, facts, order), expected);
    check_ledger(&o);
    close_opened(&o);
    tk_uw_bytes_release(&w->bytes);
}

static inline void check_written(struct written *w, uint64_t facts, const char *expected)
{
    check_written_in(w, facts, TK_ORDER_FILE, expected);
}

#define START 1000 /* cycles: where the clock of write_begin starts */

#define FIELD(field_name, field_type)                                                                        \
    {                                                                                                        \
        .name = field_name, .type = field_type                                                               \
    }

/* Declares a type of these fields. */
#define REGISTER(w, type_name, type_flags, logger_name, event_name, ...)                                     \
    static const struct tk_uw_field type_name##_fields[] = {__VA_ARGS__};                                    \
    struct tk_uw_type type_name = {.logger = logger_name,                                                    \
                                   .event = event_name,                                                      \
                                   TK_UW_FIELDS(type_name##_fields),                                         \
                                   .flags = (type_flags)};                                                   \
    tk_uw_register(&(w)->uw, &type_name)

enum { NOSYNC = TK_UW_NOSYNC, AUX = TK_UW_AUX, IMPORTANT = TK_UW_IMPORTANT | TK_UW_NOSYNC };

/* Protocol 3, without a clock: all times are cycles. */
static inline void begin_old(struct written *w)
{
    write_with(w, (struct tk_uw_options){.form = TK_UW_ECRT, .transport = 3, .protocol = 3});
}

static inline struct tk_uw_bytes *begin_event(struct tk_uw_lane *lane, const struct tk_uw_type *type)
{
    tk_uw_begin(lane, type);
    return &lane->pending;
}

#endif
