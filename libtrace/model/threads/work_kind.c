/*
 * Kinds of work of the timers of a capture.
 */
#include "model/threads/work_kind.h"

#include "base/arena.h"
#include "query/dict.h"

#include <stdlib.h>

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

/*
 * Recorded waits: from waits to the timers that wait.
 */

/* Waits behind each other that the last scope around them has not ended for: so many of the last ones are
 * looked at for one that goes on. */
#define NEAR 8u

#define NO_LOCK INT64_MIN

struct recorded_wait {
    int64_t begin, end; /* end INT64_MAX: it goes on */
    uint64_t inside;    /* own time of scopes inside */
};

struct times {
    TK_VEC(struct tk_recorded_wait_time) v;
};

struct tk_known_thread {
    uint32_t id;
    int64_t lock_since; /* requested and not got; NO_LOCK */
    uint64_t lock;
    TK_STACK(uint64_t) open;             /* numbers of waits that go on, the innermost last */
    uint64_t number;                     /* of the first one that is coming */
    TK_VEC(struct recorded_wait) coming; /* begun at or behind the end of the last slice, in order */
    TK_VEC(struct recorded_wait) under;  /* begun before, in scopes that go on */
    TK_VEC(uint64_t) numbers;            /* of those */
    struct times timers, late;           /* by id, by slot */
};

void tk_recorded_waits_init(struct tk_recorded_waits *t, const struct tk_select *select,
                            struct tk_row_limit capacity)
{
    *t = (struct tk_recorded_waits){.select = select, .capacity = capacity};
}

/* ---- facts ---- */

static struct tk_known_thread *thread_of_recorded_waits(struct tk_recorded_waits *t, uint32_t id)
{
    uint32_t at = tk_map_get(&t->by_thread, id);
    if (at != TK_MAP_NONE)
        return t->threads.v[at];
    struct tk_known_thread *fresh = calloc(1, sizeof *fresh);
    if (!fresh || tk_vec_push(&t->threads, fresh)) {
        free(fresh);
        return NULL;
    }
    *fresh = (struct tk_known_thread){.id = id, .lock_since = NO_LOCK};
    return tk_map_put(&t->by_thread, id, (uint32_t)t->threads.n - 1) ? NULL : fresh;
}

static int begin_recorded_waits(struct tk_recorded_waits *t, struct tk_known_thread *h, int64_t from,
                                int64_t to)
{
    struct recorded_wait wait = {from, to, 0};
    uint64_t number = h->number + h->coming.n;
    if (!tk_row_limit_for(&t->capacity, h->open.n + h->coming.n + h->under.n))
        return 0;
    return tk_vec_push(&h->coming, wait) || (to == INT64_MAX && tk_stack_push(&h->open, number)) ? -1 : 0;
}

static void end_recorded_waits(struct tk_known_thread *h, int64_t time)
{
    const uint64_t *open = tk_stack_pop(&h->open), number = open ? *open : 0;
    if (number >= h->number) {
        if (number - h->number < h->coming.n)
            h->coming.v[number - h->number].end = time;
        return;
    }
    for (size_t i = h->under.n; i-- > 0 && h->numbers.v[i] >= number;)
        if (h->numbers.v[i] == number)
            h->under.v[i].end = time;
}

static int use_lock(struct tk_recorded_waits *t, struct tk_known_thread *h, const struct tk_fact *fact)
{
    int rc = 0;
    if (fact->u.lock.what == TK_LOCK_REQUESTED) {
        h->lock_since = fact->time;
        h->lock = fact->u.lock.id;
    } else if (fact->u.lock.what == TK_LOCK_OBTAINED && h->lock == fact->u.lock.id) {
        if (h->lock_since != NO_LOCK && h->lock_since < fact->time)
            rc = begin_recorded_waits(t, h, h->lock_since, fact->time);
        h->lock_since = NO_LOCK;
    }
    return rc;
}

static int use(struct tk_recorded_waits *t, const struct tk_fact *fact)
{
    struct tk_known_thread *h = thread_of_recorded_waits(t, fact->thread);
    if (!h)
        return -1;
    if (fact->kind == TK_FACT_LOCK)
        return use_lock(t, h, fact);
    if (fact->u.task_wait.begin)
        return begin_recorded_waits(t, h, fact->time, INT64_MAX);
    end_recorded_waits(h, fact->time);
    return 0;
}

static int reach_recorded_waits(struct tk_recorded_waits *t, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&t->lanes, (size_t)run->lane + 1))
        return -1;
    if (!t->lanes.v[run->lane])
        t->lanes.v[run->lane] = thread_of_recorded_waits(t, run->thread);
    return t->lanes.v[run->lane] ? 0 : -1;
}

int tk_recorded_waits_feed(struct tk_recorded_waits *t, const struct tk_batch *batch)
{
    int rc = 0;
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++)
        if (TK_RECORDED_WAIT_FACTS >> batch->facts[i].kind & 1 && batch->facts[i].thread != TK_NO_THREAD)
            rc = use(t, &batch->facts[i]);
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        if (batch->runs[i].kind == TK_LANE_THREAD)
            rc = reach_recorded_waits(t, &batch->runs[i]);
    return rc;
}

/* ---- slices ---- */

static struct tk_recorded_wait_time *time_at(struct times *times, uint32_t at)
{
    if (at >= times->v.n && tk_vec_reach(&times->v, (size_t)at + 1))
        return NULL;
    return &times->v.v[at];
}

static struct tk_recorded_wait_time *time_of(struct tk_known_thread *h, uint32_t timer)
{
    return timer < TK_LATE ? time_at(&h->timers, timer) : time_at(&h->late, timer - TK_LATE);
}

/* Waits that begin before a slice ends are in it or in one around it. */
static int go_under(struct tk_known_thread *h, int64_t end)
{
    size_t n = 0;
    for (; n < h->coming.n && h->coming.v[n].begin < end; n++)
        if (tk_vec_push(&h->under, h->coming.v[n]) || tk_vec_push(&h->numbers, h->number + n))
            return -1;
    for (size_t i = n; n && i < h->coming.n; i++)
        h->coming.v[i - n] = h->coming.v[i];
    h->coming.n -= n;
    h->number += n;
    return 0;
}

static uint64_t length_of(const struct tk_select *select, const struct recorded_wait *w)
{
    uint64_t length =
        (uint64_t)tk_select_before(select, w->end) - (uint64_t)tk_select_before(select, w->begin);
    return length > w->inside ? length - w->inside : 0;
}

/* The waits that began in a slice, whose innermost scope it is, as those further inside have ended. */
static uint64_t take_waits(const struct tk_recorded_waits *t, struct tk_known_thread *h, int64_t begin,
                           int64_t end)
{
    uint64_t waited = 0;
    while (h->under.n && h->under.v[h->under.n - 1].begin >= begin) {
        struct recorded_wait *w = &h->under.v[--h->under.n], *around = h->under.n ? w - 1 : NULL;
        h->numbers.n--;
        if (w->end <= end)
            waited += length_of(t->select, w);
        if (around && w->end <= around->end)
            around->inside += w->inside;
    }
    return waited;
}

/* What ran while the thread waited, as a scheduler does on a thread that waits for other tasks. */
static void run_inside(struct tk_known_thread *h, int64_t end, uint64_t own)
{
    for (size_t i = h->under.n; i-- > 0 && i + NEAR >= h->under.n;) {
        if (h->under.v[i].end < end)
            continue;
        h->under.v[i].inside += own;
        return;
    }
}

int tk_recorded_waits_take(struct tk_recorded_waits *t, const struct tk_slices *s)
{
    struct tk_known_thread *h = t->lanes.v[s->lane];
    for (size_t i = 0; i < s->n; i++) {
        struct tk_recorded_wait_time *time = time_of(h, s->timer[i]);
        if (!time || (h->coming.n && go_under(h, s->end[i])))
            return -1;
        time->own += s->excl[i];
        if (!h->under.n)
            continue;
        time->waited += take_waits(t, h, s->begin[i], s->end[i]);
        run_inside(h, s->end[i], s->excl[i]);
    }
    return 0;
}

/* ---- answers ---- */

static int add_up(struct tk_recorded_waits *t, const struct times *times, uint32_t first,
                  struct tk_dict *dict)
{
    for (size_t i = 0; i < times->v.n; i++) {
        if (!times->v.v[i].own && !times->v.v[i].waited)
            continue;
        const struct tk_timer *timer = tk_dict_timer(dict, first + (uint32_t)i);
        if (!timer || tk_vec_reach(&t->timers, (size_t)timer->info.id + 1))
            return -1;
        t->timers.v[timer->info.id].own += times->v.v[i].own;
        t->timers.v[timer->info.id].waited += times->v.v[i].waited;
    }
    return 0;
}

int tk_recorded_waits_settle(struct tk_recorded_waits *t, struct tk_dict *dict)
{
    int rc = 0;
    for (size_t i = 0; i < t->threads.n && rc == 0; i++)
        rc = add_up(t, &t->threads.v[i]->timers, 0, dict) || add_up(t, &t->threads.v[i]->late, TK_LATE, dict);
    return rc ? -1 : 0;
}

bool tk_recorded_waits_has(const struct tk_recorded_waits *t, uint32_t timer)
{
    const struct tk_recorded_wait_time *time = timer < t->timers.n ? &t->timers.v[timer] : NULL;
    return time && time->waited && (int64_t)time->own > 0 && time->waited >= time->own - time->own / 2;
}

void tk_recorded_waits_release(struct tk_recorded_waits *t)
{
    for (size_t i = 0; i < t->threads.n; i++) {
        struct tk_known_thread *h = t->threads.v[i];
        tk_vec_release(&h->open);
        tk_vec_release(&h->coming);
        tk_vec_release(&h->under);
        tk_vec_release(&h->numbers);
        tk_vec_release(&h->timers.v);
        tk_vec_release(&h->late.v);
        free(h);
    }
    tk_vec_release(&t->threads);
    tk_vec_release(&t->lanes);
    tk_vec_release(&t->timers);
    tk_map_release(&t->by_thread);
}
