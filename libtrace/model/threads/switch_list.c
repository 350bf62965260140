/*
 * Times on cores. See switch_list.h.
 */
#include "model/threads/switch_list.h"

#include "base/sort.h"

#include <inttypes.h>

void tk_switch_list_init(struct tk_switch_list *list, struct tk_context *ctx)
{
    *list = (struct tk_switch_list){.health = &ctx->health, .limit = ctx->limits.switches};
}

static int add_switch_list(struct tk_switch_list *list, const struct tk_fact *fact)
{
    struct tk_switch s = {.begin = fact->time, .end = fact->u.context.end, .core = fact->u.context.core};
    s.thread = tk_system_thread_of(&list->threads, fact->u.context.system_id);
    if (s.thread == TK_MAP_NONE)
        return -1;
    if (fact->thread != TK_NO_THREAD)
        list->threads.v.v[s.thread].thread = fact->thread;
    if (list->v.n >= list->limit) {
        list->left_out++;
        return 0;
    }
    list->backwards += s.end < s.begin;
    s.end = s.end < s.begin ? s.begin : s.end;
    return tk_vec_push(&list->v, s);
}

int tk_switch_list_feed(struct tk_switch_list *list, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_SWITCH)
        return add_switch_list(list, fact);
    return tk_system_threads_feed(&list->threads, fact);
}

static int by_begin_switch_list(const void *a, const void *b)
{
    const struct tk_switch *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

int tk_switch_list_finish(struct tk_switch_list *list, const struct tk_dict *dict)
{
    tk_system_threads_resolve(&list->threads, dict);
    if (list->left_out)
        tk_health_limit(list->health, TK_LIMIT_switches, TK_NO_OFFSET, list->left_out,
                        "%" PRIu64 " context switches were left out", list->left_out);
    if (list->backwards)
        tk_health_note(list->health, TK_HEALTH_TIME_BACKWARDS, TK_NO_OFFSET, list->backwards,
                       "%" PRIu64 " context switches end before they begin", list->backwards);
    return tk_sort(list->v.v, list->v.n, sizeof *list->v.v, by_begin_switch_list);
}

void tk_switch_list_release(struct tk_switch_list *list)
{
    tk_system_threads_release(&list->threads);
    tk_vec_release(&list->v);
}
