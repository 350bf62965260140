/*
 * Kinds of work of the timers of a capture.
 */
#include "model/threads/work_kind.h"

#include "model/threads/recorded_waits.h"

int tk_work_rules_read(struct tk_work_rules *rules, const struct tk_query_context *view, struct tk_err *err)
{
    rules->reported = view->reported;
    return tk_work_list_parse(&rules->list, view->query->work, err);
}

static enum tk_work find_work_kind(const struct tk_work_rules *rules, const struct tk_timer *timer)
{
    const enum tk_work work = tk_work_of_name(&rules->list, timer->displayed->p, timer->displayed->n);
    if (work != TK_WORK_KINDS)
        return work;
    return rules->reported && tk_recorded_waits_has(rules->reported, timer->info.id) ? TK_WORK_WAIT
                                                                                     : TK_WORK_OWN;
}

enum tk_work tk_work_of(struct tk_work_rules *rules, const struct tk_timer *timer)
{
    uint32_t id = timer->info.id;
    if (id >= TK_LATE || tk_vec_reach(&rules->known, (size_t)id + 1))
        return find_work_kind(rules, timer);
    if (!rules->known.v[id])
        rules->known.v[id] = (uint8_t)(1 + find_work_kind(rules, timer));
    return (enum tk_work)(rules->known.v[id] - 1);
}

int tk_work_learn(struct tk_work_rules *rules, const struct tk_dict *dict)
{
    if (rules->learned >= dict->timers.n)
        return 0;
    if (tk_vec_reach(&rules->known, dict->timers.n))
        return -1;
    for (; rules->learned < dict->timers.n; rules->learned++) {
        const struct tk_timer *timer = &dict->timers.v[rules->learned];
        if (!timer->info.name || timer->info.kind == TK_TIMER_GPU_WAIT)
            continue;
        const enum tk_work work = tk_work_of_name(&rules->list, timer->displayed->p, timer->displayed->n);
        if (work != TK_WORK_KINDS || !rules->reported)
            rules->known.v[rules->learned] = (uint8_t)(1 + (work != TK_WORK_KINDS ? work : TK_WORK_OWN));
    }
    return 0;
}

void tk_work_rules_release(struct tk_work_rules *rules)
{
    tk_work_list_release(&rules->list);
    tk_vec_release(&rules->known);
}
