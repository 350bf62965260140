/*
 * Counters in order of time.
 */
#include "model/marks/counting.h"

#include "base/sort.h"
#include "base/wrap.h"
#include "table/cell.h"

#include <stdlib.h>
#include <string.h>

static struct tk_counter *tk_counting_add(struct tk_counting *c, uint64_t id);

/*
 * What counters are called and worth, as cells.
 */

struct tk_cell tk_counting_cell(const struct tk_counter *counter, struct tk_number number)
{
    if (number.real)
        return tk_cell_of_real(number.v.r);
    if (counter->info.unit == TK_COUNTER_BYTES && number.v.i >= 0)
        return tk_cell_of_size((uint64_t)number.v.i);
    return tk_cell_of_int(number.v.i);
}

const char *tk_counting_unit(const struct tk_counter *counter)
{
    static const char *const units[] = {
        [TK_COUNTER_NUMBER] = NULL, [TK_COUNTER_BYTES] = "bytes", [TK_COUNTER_CYCLES] = "ms",
        [TK_COUNTER_PERCENT] = "%", [TK_COUNTER_WATTS] = "W",
    };
    return counter->info.unit < sizeof units / sizeof units[0] ? units[counter->info.unit] : NULL;
}

struct tk_cell tk_counting_name(const struct tk_counter *counter, struct tk_emit *emit)
{
    static const char behind[] = " (1/frame)";
    const struct tk_str *name = counter->info.name;
    struct tk_cell cell = tk_cell_of_text(name);
    if (!name || counter->of == TK_MAP_NONE || name->enc == TK_ENC_UTF16)
        return cell;
    char *p = malloc(name->n + sizeof behind);
    if (!p)
        return cell;
    memcpy(p, name->p, name->n);
    memcpy(p + name->n, behind, sizeof behind);
    const void *kept = tk_emit_bytes(emit, p, name->n + sizeof behind - 1);
    free(p);
    if (kept) {
        cell.v.p = kept;
        cell.n = (uint32_t)(name->n + sizeof behind - 1);
    }
    return cell;
}

/*
 * The inside of counting: counting.c puts changes and frames in order, and this applies them one by one and
 * passes on the new values.
 */

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

/* A series takes a change; it is reported when its frame is over. */
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
static struct tk_number displayed(const struct tk_counting *c, const struct tk_counter *counter)
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
        struct tk_counted counted = of_frame(frame, frame->series.v[i], displayed(c, counter));
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

/* A counter more, not in the index. It moves all counters. NULL if out of memory. */
static struct tk_counter *tk_counting_add(struct tk_counting *c, uint64_t id)
{
    struct tk_counter counter = {
        .id = id, .thread = TK_NO_THREAD, .by_frame = TK_MAP_NONE, .of = TK_MAP_NONE};
    counter.info.id = id;
    counter.info.kind = (uint8_t)c->kind;
    return tk_vec_push(&c->counters, counter) ? NULL : &c->counters.v[c->counters.n - 1];
}

/* Applies one change, or the begin or end of a frame; none is earlier than one before it. TK_OK, TK_ENOMEM or
 * what fn said. */
static int tk_counting_step(struct tk_counting *c, const struct tk_counting_held *held, struct tk_err *err)
{
    if (!held->frame)
        return c->kind == TK_COUNTER_SERIES ? change_series(c, held, err) : change(c, held, err);
    if (held->op)
        return begin_frame(c, held->counter, held->time, err);
    end_frame(c, held->counter, held->time);
    return TK_OK;
}

/* No more will come: says the values of frames that did not end. As tk_counting_step(). */
static int tk_counting_end(struct tk_counting *c, struct tk_err *err)
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

void tk_counting_init(struct tk_counting *c, const struct tk_query_context *view, enum tk_counter_kind kind,
                      tk_counted_fn *fn, void *ctx)
{
    const struct tk_capture *capture = view->capture;
    *c = (struct tk_counting){
        .view = view,
        .kind = kind,
        .fn = fn,
        .ctx = ctx,
        .values = (uint16_t)tk_counter_value_fact(kind),
        .framed = capture->ops->may_have(capture, UINT64_C(1) << tk_counter_value_fact(kind))};
}

void tk_counting_release(struct tk_counting *c)
{
    tk_vec_release(&c->counters);
    tk_map_release(&c->index);
    tk_vec_release(&c->held);
    tk_vec_release(&c->clearing);
    if (c->has_tasks)
        tk_task_counts_release(&c->tasks);
    for (size_t i = 0; i < TK_COUNTING_FRAMES; i++)
        tk_vec_release(&c->frames[i].series);
}

static int no_memory_counting(struct tk_err *err)
{
    return tk_err_nomem(err, "counters");
}

/* ---- counters ---- */

/* Index of the counter of an id, made at first; TK_MAP_NONE where the limit does not allow it. TK_OK or
 * TK_ENOMEM. */
static int find_counter(struct tk_counting *c, uint64_t id, uint32_t *out)
{
    *out = tk_map_get(&c->index, id);
    if (*out != TK_MAP_NONE)
        return TK_OK;
    if (c->counters.n >= c->view->ctx->limits.counters || c->counters.n >= TK_MAP_NONE) {
        c->left_out++;
        return TK_OK;
    }
    *out = (uint32_t)c->counters.n;
    return tk_map_put(&c->index, id, *out) || !tk_counting_add(c, id) ? TK_ENOMEM : TK_OK;
}

static int define_counting(struct tk_counting *c, const struct tk_fact *fact)
{
    uint32_t at;
    int rc = find_counter(c, fact->u.counter.id, &at);
    if (rc != TK_OK || at == TK_MAP_NONE)
        return rc;
    struct tk_counter *counter = &c->counters.v[at];
    counter->info = fact->u.counter;
    counter->thread = fact->thread;
    if (!counter->has_value)
        counter->value = (struct tk_number){.real = counter->info.real};
    return TK_OK;
}

/* ---- order ---- */

static int use(struct tk_counting *c, struct tk_counting_held *held, struct tk_err *err)
{
    if (c->started && held->time < c->reached) {
        held->time = c->reached;
        c->late += !held->frame;
    }
    c->started = true;
    c->reached = held->time;
    return tk_counting_step(c, held, err);
}

static int in_order(const void *a, const void *b)
{
    const struct tk_counting_held *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->frame != y->frame)
        return x->frame ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Uses the first n of what waits. */
static int use_held(struct tk_counting *c, size_t n, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = use(c, &c->held.v[i], err);
    c->held.n -= n;
    if (c->held.n)
        memmove(c->held.v, c->held.v + n, c->held.n * sizeof *c->held.v);
    return rc;
}

static int use_older(struct tk_counting *c, struct tk_err *err)
{
    if (tk_sort(c->held.v, c->held.n, sizeof *c->held.v, in_order))
        return no_memory_counting(err);
    return use_held(c, (c->held.n + 1) / 2, err);
}

static int hold(struct tk_counting *c, const struct tk_counting_held *held, struct tk_err *err)
{
    int rc = TK_OK;
    if (c->held.n && c->held.n >= c->view->ctx->limits.counter_window)
        rc = use_older(c, err);
    if (rc == TK_OK && tk_vec_push(&c->held, *held))
        rc = no_memory_counting(err);
    return rc;
}

/* ---- facts ---- */

static int hold_value(struct tk_counting *c, const struct tk_fact *fact, struct tk_err *err)
{
    const struct tk_fact_counter_value *value = &fact->u.counter_value;
    struct tk_counting_held held = {
        .time = fact->time, .seq = fact->seq, .thread = fact->thread, .op = value->op};
    if (find_counter(c, value->id, &held.counter) != TK_OK)
        return no_memory_counting(err);
    if (held.counter == TK_MAP_NONE)
        return TK_OK;
    held.real = value->number.real;
    if (held.real)
        held.v.r = value->number.v.r;
    else
        held.v.i = value->number.v.i;
    return hold(c, &held, err);
}

static int task_changed(void *ctx, const struct tk_fact *fact)
{
    return hold_value(ctx, fact, NULL);
}

static int begin_tasks(struct tk_counting *c)
{
    c->has_tasks = true;
    int rc = tk_task_counts_init(&c->tasks, c->view, task_changed, c);
    for (size_t i = 0; i < TK_TASKS_COUNTS && rc == 0; i++) {
        struct tk_fact fact = {.thread = TK_NO_THREAD, .u.counter = tk_task_counters[i]};
        rc = define_counting(c, &fact);
    }
    return rc;
}

/* Counters of tasks come up with the first task. */
static int feed_task(struct tk_counting *c, const struct tk_fact *fact, struct tk_err *err)
{
    if ((!c->has_tasks && begin_tasks(c)) || tk_task_counts_feed(&c->tasks, fact))
        return no_memory_counting(err);
    return TK_OK;
}

static int feed_fact(struct tk_counting *c, const struct tk_fact *fact, struct tk_err *err)
{
    if (c->kind == TK_COUNTER_TASK && fact->kind == TK_FACT_TASK)
        return feed_task(c, fact, err);
    if (fact->kind == c->values)
        return hold_value(c, fact, err);
    if (fact->kind == TK_FACT_COUNTER && fact->u.counter.kind == c->kind)
        return define_counting(c, fact) == TK_OK ? TK_OK : no_memory_counting(err);
    if (fact->kind != TK_FACT_FRAME || fact->u.frame.type >= TK_COUNTING_FRAMES || !c->framed)
        return TK_OK;
    return hold(c,
                &(struct tk_counting_held){.time = fact->time,
                                           .seq = fact->seq,
                                           .frame = true,
                                           .counter = fact->u.frame.type,
                                           .op = fact->u.frame.begin},
                err);
}

int tk_counting_feed(struct tk_counting *c, const struct tk_batch *batch, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++)
        rc = feed_fact(c, &batch->facts[i], err);
    return rc;
}

static void note(const struct tk_counting *c)
{
    struct tk_health *health = &c->view->ctx->health;
    uint64_t unnamed = 0, first = 0;
    if (c->late)
        tk_health_note_limit(health, TK_HEALTH_VALUE_LATE, TK_LIMIT_counter_window, TK_NO_OFFSET, c->late,
                             "values of a %s came too late to be sorted", tk_counter_noun(c->kind));
    if (c->left_out)
        tk_health_limit(health, TK_LIMIT_counters, TK_NO_OFFSET, c->left_out,
                        "definitions and values of a %s were left out", tk_counter_noun(c->kind));
    for (size_t i = c->counters.n; i-- > 0;) {
        const struct tk_counter *counter = &c->counters.v[i];
        if (!counter->info.name && counter->of == TK_MAP_NONE) {
            unnamed++;
            first = counter->id;
        }
    }
    tk_counter_note_unnamed(health, c->kind, unnamed, first);
}

int tk_counting_finish(struct tk_counting *c, struct tk_err *err)
{
    if (c->has_tasks && tk_task_counts_finish(&c->tasks))
        return no_memory_counting(err);
    if (tk_sort(c->held.v, c->held.n, sizeof *c->held.v, in_order))
        return no_memory_counting(err);
    int rc = use_held(c, c->held.n, err);
    if (rc == TK_OK)
        rc = tk_counting_end(c, err);
    if (rc == TK_OK)
        note(c);
    return rc;
}
