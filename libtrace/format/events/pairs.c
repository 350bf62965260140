/*
 * Pairing of begins and ends; see pairs.h.
 *
 * Ends of one time may come in any order. So a scope that has ended stays on the stack while time stands
 * still; when it goes on, what is open inside has lost its end.
 */
#include "format/events/pairs.h"

void tk_ev_pairs_begin(struct tk_ev_pairs *p)
{
    p->stack.n = 0;
    p->nameless = 0;
    p->first_ended = SIZE_MAX;
    p->first_unmatched = 0;
}

static void count_open(struct tk_ev_pairs *p, uint32_t name, uint32_t by)
{
    if (name == TK_EV_NONE)
        p->nameless += by;
    else
        p->open.v[name] += by;
}

static int lose(struct tk_ev_pairs *p, const struct tk_ev_open *scope)
{
    struct tk_ev_item item = {scope->begin, scope->begin, scope->timer | TK_EV_LOST, scope->order};
    count_open(p, scope->name, UINT32_MAX);
    p->slot = scope->slot;
    return p->put(p->ctx, &item);
}

/* Time goes on: takes away what has ended, and what is open inside of it. */
static int settle(struct tk_ev_pairs *p)
{
    int rc = 0;
    if (p->first_ended == SIZE_MAX)
        return 0;
    for (size_t i = p->first_ended + 1; i < p->stack.n && rc == 0; i++)
        if (!p->stack.v[i].ended)
            rc = lose(p, &p->stack.v[i]);
    p->stack.n = p->first_ended;
    p->first_ended = SIZE_MAX;
    return rc;
}

static int begin(struct tk_ev_pairs *p, const struct tk_ev_item *item)
{
    struct tk_ev_open scope = {item->time, 0, item->what, p->names[item->what], item->order, false};
    if (p->stack.n >= p->most) {
        p->too_deep++;
        return 0;
    }
    if (scope.name != TK_EV_NONE && tk_vec_reach(&p->open, (size_t)scope.name + 1))
        return -1;
    count_open(p, scope.name, 1);
    return tk_vec_push(&p->stack, scope) ? -1 : 1;
}

static bool is_any_open(const struct tk_ev_pairs *p, uint32_t name)
{
    if (name == TK_EV_NONE)
        return p->stack.n > 0;
    return p->nameless || (name < p->open.n && p->open.v[name]);
}

static struct tk_ev_open *innermost(struct tk_ev_pairs *p, uint32_t name)
{
    for (size_t i = is_any_open(p, name) ? p->stack.n : 0; i > 0; i--) {
        struct tk_ev_open *scope = &p->stack.v[i - 1];
        if (!scope->ended && (name == TK_EV_NONE || scope->name == TK_EV_NONE || scope->name == name))
            return scope;
    }
    return NULL;
}

static int end(struct tk_ev_pairs *p, const struct tk_ev_item *item)
{
    struct tk_ev_open *scope = innermost(p, item->what);
    if (!scope) {
        p->ends_without_begin++;
        if (!p->first_unmatched)
            p->first_unmatched = item->order + 1;
        return 0;
    }
    struct tk_ev_item whole = {scope->begin, item->time, scope->timer, scope->order};
    size_t at = (size_t)(scope - p->stack.v);
    scope->ended = true;
    p->slot = scope->slot;
    count_open(p, scope->name, UINT32_MAX);
    if (p->first_ended == SIZE_MAX || at < p->first_ended)
        p->first_ended = at;
    while (p->stack.n && p->stack.v[p->stack.n - 1].ended)
        p->stack.n--;
    if (p->first_ended >= p->stack.n)
        p->first_ended = SIZE_MAX;
    return p->put(p->ctx, &whole);
}

int tk_ev_pairs_take(struct tk_ev_pairs *p, const struct tk_ev_item *item)
{
    int rc = 0;
    if (item->time != p->now || item->value == TK_EV_BEGIN)
        rc = settle(p);
    p->now = item->time;
    if (rc)
        return rc;
    return item->value == TK_EV_BEGIN ? begin(p, item) : end(p, item);
}

int tk_ev_pairs_finish(struct tk_ev_pairs *p)
{
    int rc = settle(p);
    for (size_t i = 0; i < p->stack.n && rc == 0; i++) {
        const struct tk_ev_open *scope = &p->stack.v[i];
        struct tk_ev_item item = {scope->begin, TK_EV_OPEN, scope->timer, scope->order};
        count_open(p, scope->name, UINT32_MAX);
        p->slot = scope->slot;
        rc = p->put(p->ctx, &item);
    }
    p->stack.n = 0;
    return rc;
}

void tk_ev_pairs_release(struct tk_ev_pairs *p)
{
    tk_vec_release(&p->stack);
    tk_vec_release(&p->open);
}
