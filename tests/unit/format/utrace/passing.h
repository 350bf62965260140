/*
 * What a decoder of protocols 5 to 7 hands on of lanes, with the events that nobody wants passed over or
 * decoded like others: both must be the same, faults and counts included.
 */
#ifndef TK_TESTS_UNIT_UTRACE_PASSING_H
#define TK_TESTS_UNIT_UTRACE_PASSING_H

#include "format/utrace/lanes/lane.h"
#include "lines.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

struct passing {
    struct tk_ut_handler handler;
    struct tk_ut_decoder decoder;
    struct tk_limits limits;
    struct tk_health health;
    struct tk_arena scratch;
    struct tk_ut_serials serials;
    uint32_t *passes; /* owned; NULL: every event is decoded */
    struct lines reported;
};

static inline int passing_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct passing *p = self;
    const struct tk_record rec = {&ev->type->record, ev};
    add_line(&p->reported, "t%u %llu+%u #%u %d ", lane->tid, (unsigned long long)ev->offset, ev->within,
             ev->serial, ev->has_serial);
    add_record(&p->reported, &rec);
    add_line(&p->reported, " %d%d%d %lld\n", ev->incomplete, ev->scoped, ev->stamped, (long long)ev->stamp);
    return TK_OK;
}

static inline int passing_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type,
                                int64_t time)
{
    add_line(&((struct passing *)self)->reported, "t%u enter %s %lld\n", lane->tid, type->name->p,
             (long long)time);
    return TK_OK;
}

static inline int passing_leave(void *self, struct tk_ut_lane *lane, int64_t time)
{
    add_line(&((struct passing *)self)->reported, "t%u leave %lld\n", lane->tid, (long long)time);
    return TK_OK;
}

static inline int passing_cut(void *self, struct tk_ut_lane *lane)
{
    add_line(&((struct passing *)self)->reported, "t%u cut\n", lane->tid);
    return TK_OK;
}

static inline int passing_end(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type)
{
    add_line(&((struct passing *)self)->reported, "t%u end %s\n", lane->tid, type->name->p);
    return TK_OK;
}

/* want: by type id, of all types. over: are events passed over? */
static inline void passing_open(struct passing *p, struct tk_ut_schema *schema, uint8_t protocol,
                                const uint8_t *want, bool marks, bool over)
{
    memset(p, 0, sizeof *p);
    p->limits = tk_limits_default();
    p->health.max_items = 100;
    p->handler = (struct tk_ut_handler){.event = passing_event,
                                        .enter = passing_enter,
                                        .leave = passing_leave,
                                        .cut = passing_cut,
                                        .self = p,
                                        .scope_end = passing_end};
    ck_assert_int_eq(tk_ut_serials_open(&p->serials, 24), TK_OK);
    p->passes = over ? calloc(TK_UT_PASSES, sizeof *p->passes) : NULL;
    for (uint32_t i = 0; over && i < schema->types.n; i++) {
        const struct tk_ut_type *type = schema->types.v[i];
        if (!want[i] && type->uid < TK_UT_PASSES && schema->by_uid[type->uid] == type)
            p->passes[type->uid] = tk_ut_pass_of(type);
    }
    p->decoder = (struct tk_ut_decoder){.schema = schema,
                                        .limits = &p->limits,
                                        .health = &p->health,
                                        .extra = &p->health,
                                        .handler = &p->handler,
                                        .want = want,
                                        .n_want = (uint32_t)schema->types.n,
                                        .passes = p->passes,
                                        .start_cycle = 1000,
                                        .protocol = protocol,
                                        .marks = marks,
                                        .serials = &p->serials,
                                        .uid_bias = 5,
                                        .scratch = &p->scratch};
    add_line(&p->reported, "%s", "");
}

/* A payload in memory of exactly its size, so that reading past it shows. */
static inline void passing_feed(struct passing *p, struct tk_ut_lane *lane, struct tk_ut_payload payload)
{
    uint8_t *copy = malloc(payload.n + 1);
    memcpy(copy + 1, payload.p, payload.n);
    payload.p = copy + 1;
    ck_assert_int_eq(tk_ut_lane_feed(&p->decoder, lane, &payload), TK_OK);
    free(copy);
}

/* Ends a lane, with what was counted of it. */
static inline void passing_finish(struct passing *p, struct tk_ut_lane *lane)
{
    ck_assert_int_eq(tk_ut_lane_finish(&p->decoder, lane, false), TK_OK);
    add_line(&p->reported,
             "t%u: %llu events, %llu with a number (%llu), %llu orphans, %llu strays, %llu dropped\n",
             lane->tid, (unsigned long long)lane->events, (unsigned long long)lane->synced,
             (unsigned long long)lane->number, (unsigned long long)lane->orphans,
             (unsigned long long)lane->strays, (unsigned long long)lane->dropped);
    tk_ut_lane_release(lane);
}

/* All that was handed on, counted and noted. To be freed with the rest. */
static inline const char *passing_reported(struct passing *p)
{
    tk_ut_serials_finish(&p->serials);
    add_line(&p->reported, "%llu lost\n", (unsigned long long)p->serials.lost);
    for (size_t i = 0; i < p->health.n_items; i++)
        add_line(&p->reported, "%d at %llu, %llu: %s\n", p->health.items[i].kind,
                 (unsigned long long)p->health.items[i].offset, (unsigned long long)p->health.items[i].count,
                 p->health.items[i].text);
    return p->reported.text;
}

static inline void passing_close(struct passing *p)
{
    tk_ut_serials_release(&p->serials);
    tk_health_release(&p->health);
    tk_arena_release(&p->scratch);
    release_lines(&p->reported);
    free(p->passes);
}

#endif
