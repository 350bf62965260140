/*
 * Turns the items of a timeline into zones. The preset `tracy` receives each zone as it ends.
 */
#include "presets/zones.h"

#include "base/wrap.h"

static struct tk_zone_lane *lane_of_zones(struct tk_zones *z, const struct tk_scope_run *run)
{
    if (tk_vec_reserve(&z->lanes, (size_t)run->lane + 1))
        return NULL;
    while (z->lanes.n <= run->lane)
        z->lanes.v[z->lanes.n++] = (struct tk_zone_lane){0};
    z->lanes.v[run->lane].thread = run->thread;
    return &z->lanes.v[run->lane];
}

/* What is not told by now stays unknown. */
static bool know_timer(struct tk_dict *dict, struct tk_zone *zone)
{
    const struct tk_timer *timer = tk_dict_timer(dict, zone->timer);
    zone->timer = timer ? (uint32_t)(timer - dict->timers.v) : TK_MAP_NONE;
    return timer != NULL;
}

static int begin_zones(struct tk_zones *z, struct tk_zone_lane *lane, struct tk_zone *zone)
{
    if ((zone->timer >= TK_LATE && !know_timer(z->dict, zone)) || tk_stack_push(&lane->open, *zone))
        return TK_ENOMEM;
    return z->taker->begin ? z->taker->begin(z->self, tk_stack_top(&lane->open), lane->thread) : 0;
}

static int end_zones(struct tk_zones *z, struct tk_zone_lane *lane, int64_t time)
{
    const struct tk_zone *zone = tk_stack_pop(&lane->open);
    struct tk_zone *around = tk_stack_top(&lane->open);
    if (!zone)
        return 0;
    if (around) {
        int64_t took = tk_wrap_sub(time, zone->begin);
        around->children = tk_wrap_add(around->children, took);
        around->counted = tk_wrap_add(around->counted, time > zone->begin ? took : 0);
    }
    return z->taker->end(z->self, zone, lane->thread, time);
}

static int lose(struct tk_zones *z, struct tk_zone_lane *lane)
{
    const struct tk_zone *zone = tk_stack_pop(&lane->open);
    struct tk_zone *around = tk_stack_top(&lane->open);
    if (!zone)
        return 0;
    if (around)
        around->children = tk_wrap_add(around->children, tk_wrap_sub(-1, zone->begin));
    return z->taker->lost ? z->taker->lost(z->self, zone, lane->thread) : 0;
}

static int lose_all(struct tk_zones *z, struct tk_zone_lane *lane)
{
    int rc = 0;
    while (lane->open.n && rc == 0)
        rc = lose(z, lane);
    return rc;
}

int tk_zones_take(struct tk_zones *z, const struct tk_scope_run *run)
{
    int rc = 0;
    if (run->kind != z->kind)
        return 0;
    const struct tk_fact_clock *clock = &z->dict->clock;
    bool in_ns = clock->frequency == 1000000000;
    struct tk_zone_lane *lane = lane_of_zones(z, run);
    if (!lane)
        return TK_ENOMEM;
    for (size_t i = 0; i < run->n && rc == 0; i++) {
        uint32_t op = run->op[i];
        int64_t time = in_ns ? run->time[i] : tk_clock_time(clock, TK_UNIT_NS, run->time[i]);
        struct tk_zone zone = {
            .begin = time, .timer = op & TK_OP_TIMER, .text = run->text ? run->text[i] : NULL};
        if (!(op & TK_OP_END))
            rc = begin_zones(z, lane, &zone);
        else if (op == TK_OP_LOSE)
            rc = lose(z, lane);
        else if (op == TK_OP_CUT || op == TK_OP_CLOSE)
            rc = lose_all(z, lane);
        else
            rc = end_zones(z, lane, time + tk_op_yields(op));
    }
    return rc;
}

int tk_zones_finish(struct tk_zones *z)
{
    int rc = 0;
    for (size_t i = 0; i < z->lanes.n && rc == 0; i++)
        rc = lose_all(z, &z->lanes.v[i]);
    return rc;
}

void tk_zones_release(struct tk_zones *z)
{
    for (size_t i = 0; i < z->lanes.n; i++)
        tk_stack_release(&z->lanes.v[i].open);
    tk_vec_release(&z->lanes);
}
