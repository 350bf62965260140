/*
 * What counters are worth after each change, and at the borders of frames. See counting_step.h.
 */
#include "model/marks/counting_step.h"

#include "base/wrap.h"

enum { GAME_FRAMES = 0 };

static bool is_zero(struct tk_number number)
{
    return number.real ? number.v.r == 0 : number.v.i == 0;
}

static struct tk_number sum(struct tk_number a, struct tk_number b)
{
    if (a.real || b.real)
        return (struct tk_number){.real = true, .v.r = tk_number_real(a) + tk_number_real(b)};
    return (struct tk_number){.v.i = tk_wrap_add(a.v.i, b.v.i)};
}

static bool is_less_counting_step(struct tk_number a, struct tk_number b)
{
    return a.real || b.real ? tk_number_real(a) < tk_number_real(b) : a.v.i < b.v.i;
}

static struct tk_number changed(struct tk_number value, uint8_t op, struct tk_number by)
{
    switch (op) {
    case TK_COUNTER_ADD:
        return sum(value, by);
    case TK_COUNTER_MIN:
        return is_less_counting_step(by, value) ? by : value;
    case TK_COUNTER_MAX:
        return is_less_counting_step(value, by) ? by : value;
    default:
        return by;
    }
}

static struct tk_number number_of_counting_step(const struct tk_counting_held *held)
{
    struct tk_number number = {.real = held->real};
    if (held->real)
        number.v.r = held->v.r;
    else
        number.v.i = held->v.i;
    return number;
}

static int tell_counting_step(struct tk_counting *c, const struct tk_counted *counted, struct tk_err *err)
{
    return c->fn(c->ctx, counted, err);
}

/* A series takes a change; it is told when its frame is over. */
static int change_series(struct tk_counting *c, const struct tk_counting_held *held, struct tk_err *err)
{
    struct tk_counter *counter = &c->counters.v[held->counter];
    uint8_t op = counter->has_value ? held->op : TK_COUNTER_SET;
    if (!counter->has_value) {
        counter->frames =
            counter->info.frames < TK_COUNTING_FRAMES ? (uint8_t)counter->info.frames : GAME_FRAMES;
        if (tk_vec_push(&c->frames[counter->frames].series, held->counter))
            return tk_err_nomem(err, "counters");
    }
    counter->has_value = true;
    counter->value = changed(counter->value, op, number_of_counting_step(held));
    return TK_OK;
}

static int change(struct tk_counting *c, const struct tk_counting_held *held, struct tk_err *err)
{
    const struct tk_counting_frame *game = &c->frames[GAME_FRAMES];
    struct tk_counter *counter = &c->counters.v[held->counter];
    counter->has_value = true;
    counter->value = changed(counter->value, held->op, number_of_counting_step(held));
    if (counter->info.clears && !counter->listed) {
        counter->listed = true;
        if (tk_vec_push(&c->clearing, held->counter))
            return tk_err_nomem(err, "counters");
    }
    return tell_counting_step(
        c,
        &(struct tk_counted){.counter = held->counter,
                             .thread = held->thread,
                             .what = held->op == TK_COUNTER_SET ? TK_COUNTED_SET : TK_COUNTED_ADD,
                             .in_frame = game->count > 0,
                             .of_selected = game->begins_selected,
                             .frame = game->count ? game->count - 1 : 0,
                             .time = held->time,
                             .at = held->time,
                             .value = counter->value,
                             .given = number_of_counting_step(held)},
        err);
}

/* ---- frames ---- */

/* A value that stands for a frame that is over. */
static struct tk_counted of_frame(const struct tk_counting_frame *frame, uint32_t counter,
                                  struct tk_number value)
{
    return (struct tk_counted){.counter = counter,
                               .thread = TK_NO_THREAD,
                               .what = TK_COUNTED_FRAME,
                               .in_frame = frame->count > 0,
                               .of_selected = frame->begins_selected,
                               .frame = frame->count ? frame->count - 1 : 0,
                               .time = frame->begin,
                               .at = frame->begin,
                               .value = value,
                               .given = value};
}

/* Lengths of time become milliseconds here, once, from the exact sum. */
static struct tk_number shown(const struct tk_counting *c, const struct tk_counter *counter)
{
    const struct tk_fact_clock *clock = &c->view->dict->clock;
    const uint64_t frequency = clock->frequency / tk_fact_clock_parts(clock);
    if (counter->info.unit != TK_COUNTER_CYCLES || !frequency)
        return counter->value;
    return (struct tk_number){.real = true,
                              .v.r = tk_number_real(counter->value) * 1000.0 / (double)frequency};
}

static int close_series(struct tk_counting *c, struct tk_counting_frame *frame, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < frame->series.n && rc == TK_OK; i++) {
        struct tk_counter *counter = &c->counters.v[frame->series.v[i]];
        struct tk_counted counted = of_frame(frame, frame->series.v[i], shown(c, counter));
        counted.thread = counter->thread;
        counted.time = frame->stamp;
        counter->has_value = false;
        rc = tell_counting_step(c, &counted, err);
    }
    frame->series.n = 0;
    return rc;
}

/* The counter of a counter's last values by frame. NULL if out of memory. Moves counters. */
static struct tk_counter *by_frame(struct tk_counting *c, uint32_t at)
{
    if (c->counters.v[at].by_frame == TK_MAP_NONE) {
        struct tk_counter *made = tk_counting_add(c, c->counters.v[at].id);
        if (!made)
            return NULL;
        made->of = at;
        c->counters.v[at].by_frame = (uint32_t)(c->counters.n - 1);
    }
    struct tk_counter *counter = &c->counters.v[c->counters.v[at].by_frame];
    counter->info = c->counters.v[at].info;
    return counter;
}

static int tell_last(struct tk_counting *c, uint32_t at, struct tk_err *err)
{
    if (!by_frame(c, at))
        return tk_err_nomem(err, "counters");
    struct tk_counted counted =
        of_frame(&c->frames[GAME_FRAMES], c->counters.v[at].by_frame, c->counters.v[at].value);
    return tell_counting_step(c, &counted, err);
}

/* The game frame is over: what its counters have come to. */
static int close_counters(struct tk_counting *c, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < c->clearing.n && rc == TK_OK && c->frames[GAME_FRAMES].count; i++)
        rc = tell_last(c, c->clearing.v[i], err);
    return rc;
}

/* A game frame begins: counters that clear are 0 again. */
static int clear_counters(struct tk_counting *c, struct tk_err *err)
{
    const struct tk_counting_frame *game = &c->frames[GAME_FRAMES];
    int rc = TK_OK;
    for (size_t i = 0; i < c->clearing.n && rc == TK_OK; i++) {
        struct tk_counter *counter = &c->counters.v[c->clearing.v[i]];
        if (is_zero(counter->value))
            continue;
        counter->value = (struct tk_number){.real = counter->value.real};
        rc = tell_counting_step(c,
                                &(struct tk_counted){.counter = c->clearing.v[i],
                                                     .thread = TK_NO_THREAD,
                                                     .what = TK_COUNTED_CLEAR,
                                                     .in_frame = true,
                                                     .frame = game->count - 1,
                                                     .time = game->begin,
                                                     .at = game->begin,
                                                     .value = counter->value,
                                                     .given = counter->value},
                                err);
    }
    return rc;
}

static int begin_frame(struct tk_counting *c, uint32_t type, int64_t time, struct tk_err *err)
{
    struct tk_counting_frame *frame = &c->frames[type];
    int rc = frame->count ? close_series(c, frame, err) : TK_OK;
    if (rc == TK_OK && type == GAME_FRAMES)
        rc = close_counters(c, err);
    if (rc != TK_OK)
        return rc;
    frame->stamp = frame->ended ? frame->end : time;
    frame->begin = time;
    frame->ended = false;
    frame->count++;
    frame->begins_selected = tk_select_has(c->view->select, time);
    frame->selected += frame->begins_selected;
    return type == GAME_FRAMES ? clear_counters(c, err) : TK_OK;
}

static void end_frame(struct tk_counting *c, uint32_t type, int64_t time)
{
    struct tk_counting_frame *frame = &c->frames[type];
    frame->ended = frame->count > 0;
    frame->end = time;
}

struct tk_counter *tk_counting_add(struct tk_counting *c, uint64_t id)
{
    struct tk_counter counter = {
        .id = id, .thread = TK_NO_THREAD, .by_frame = TK_MAP_NONE, .of = TK_MAP_NONE};
    counter.info.id = id;
    counter.info.kind = (uint8_t)c->kind;
    return tk_vec_push(&c->counters, counter) ? NULL : &c->counters.v[c->counters.n - 1];
}

int tk_counting_step(struct tk_counting *c, const struct tk_counting_held *held, struct tk_err *err)
{
    if (!held->frame)
        return c->kind == TK_COUNTER_SERIES ? change_series(c, held, err) : change(c, held, err);
    if (held->op)
        return begin_frame(c, held->counter, held->time, err);
    end_frame(c, held->counter, held->time);
    return TK_OK;
}

int tk_counting_end(struct tk_counting *c, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < TK_COUNTING_FRAMES && rc == TK_OK; i++) {
        /* without any frame, values stand where the last of them came */
        if (!c->frames[i].count)
            c->frames[i].begin = c->frames[i].stamp = c->reached;
        rc = close_series(c, &c->frames[i], err);
    }
    return rc == TK_OK ? close_counters(c, err) : rc;
}
