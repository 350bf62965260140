/*
 * Placing of scopes on lanes; see lanes.h.
 */
#include "format/events/order/lanes.h"

void tk_ev_lanes_begin(struct tk_ev_lanes *l, uint32_t thread, const struct tk_str *const *texts,
                       size_t n_texts)
{
    l->thread = thread;
    l->texts = texts;
    l->n_texts = n_texts;
    l->used = 0;
}

static int put(struct tk_ev_lanes *l, struct tk_ev_lane *lane, int64_t time, uint32_t op,
               const struct tk_str *text)
{
    l->ops++;
    if (l->texts && tk_vec_push(&lane->text, text))
        return -1;
    return tk_vec_push(&lane->time, tk_ev_since(l->base, time)) || tk_vec_push(&lane->op, op) ? -1 : 0;
}

static int pop(struct tk_ev_lanes *l, struct tk_ev_lane *lane)
{
    const struct tk_ev_item top = lane->stack.v[--lane->stack.n];
    if (top.value == TK_EV_OPEN)
        return 0;
    return put(l, lane, top.value, top.what & TK_EV_LOST ? TK_OP_LOSE : TK_OP_END, NULL);
}

/* Has it ended where another one begins? Those of no length at one time nest. */
static bool is_over(const struct tk_ev_item *top, const struct tk_ev_item *scope)
{
    if (top->value > scope->time)
        return false;
    return top->time != scope->time || scope->value != scope->time || top->what & TK_EV_LOST;
}

static int fit(struct tk_ev_lanes *l, struct tk_ev_lane *lane, const struct tk_ev_item *scope, bool *fits)
{
    while (lane->stack.n && is_over(&lane->stack.v[lane->stack.n - 1], scope))
        if (pop(l, lane))
            return -1;
    *fits = !lane->stack.n || scope->value <= lane->stack.v[lane->stack.n - 1].value;
    return 0;
}

static struct tk_ev_lane *add_lane(struct tk_ev_lanes *l)
{
    if (l->used == l->lanes.n && tk_vec_reach(&l->lanes, l->used + 1))
        return NULL;
    if (l->used)
        l->overlaps++;
    struct tk_ev_lane *lane = &l->lanes.v[l->used++];
    lane->number = (*l->next_number)++;
    lane->stack.n = 0;
    return lane;
}

static int enter(struct tk_ev_lanes *l, struct tk_ev_lane *lane, const struct tk_ev_item *scope)
{
    const struct tk_str *text = scope->order < l->n_texts ? l->texts[scope->order] : NULL;
    if (lane != l->lanes.v)
        l->in_extra++;
    if (put(l, lane, scope->time, scope->what & ~TK_EV_LOST, text))
        return -1;
    return tk_vec_push(&lane->stack, *scope);
}

int tk_ev_lanes_take(struct tk_ev_lanes *l, const struct tk_ev_item *scope)
{
    struct tk_ev_lane *lane = NULL;
    bool fits = false;
    for (size_t i = 0; i < l->used && !fits; i++) {
        lane = &l->lanes.v[i];
        if (fit(l, lane, scope, &fits))
            return -1;
    }
    if (!fits && l->used >= l->most) {
        l->left_out++;
        return 0;
    }
    if (!fits && !(lane = add_lane(l)))
        return -1;
    return enter(l, lane, scope);
}

int tk_ev_lanes_finish(struct tk_ev_lanes *l)
{
    for (size_t i = 0; i < l->used; i++)
        while (l->lanes.v[i].stack.n)
            if (pop(l, &l->lanes.v[i]))
                return -1;
    return 0;
}

int tk_ev_lanes_give(struct tk_ev_lanes *l, tk_ev_runs *runs)
{
    for (size_t i = 0; i < l->used; i++) {
        const struct tk_ev_lane *lane = &l->lanes.v[i];
        struct tk_scope_run run = {.thread = l->thread,
                                   .lane = lane->number,
                                   .n = lane->op.n,
                                   .time = lane->time.v,
                                   .op = lane->op.v,
                                   .kind = l->kind,
                                   .text = l->texts ? lane->text.v : NULL};
        if (run.n && tk_vec_push(runs, run))
            return -1;
    }
    return 0;
}

void tk_ev_lanes_clear(struct tk_ev_lanes *l)
{
    for (size_t i = 0; i < l->lanes.n; i++)
        l->lanes.v[i].time.n = l->lanes.v[i].op.n = l->lanes.v[i].text.n = 0;
    l->ops = 0;
}

void tk_ev_lanes_release(struct tk_ev_lanes *l)
{
    for (size_t i = 0; i < l->lanes.n; i++) {
        tk_vec_release(&l->lanes.v[i].stack);
        tk_vec_release(&l->lanes.v[i].time);
        tk_vec_release(&l->lanes.v[i].op);
        tk_vec_release(&l->lanes.v[i].text);
    }
    tk_vec_release(&l->lanes);
}
