/*
 * Counters in order of time. See counting.h.
 */
#include "model/marks/counting.h"

#include "base/sort.h"
#include "model/marks/counter_references.h"
#include "model/marks/counting_step.h"

#include <string.h>

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
