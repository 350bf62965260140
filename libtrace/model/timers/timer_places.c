/*
 * Places of timers: which places of the sources a row of the tables `timers` and `gpu` is of. A key
 * (judge/timer_key.h) may have several timers, one a place.
 */
#include "base/sort.h"
#include "model/timers/timers_in.h"
#include "tracekit/queries.h"

#include <inttypes.h>
#include <stdio.h>

bool tk_timer_places_wanted(const struct tk_timers *t)
{
    return t->what & TK_TIMER_SUM_SOURCES && t->view->dict->keys.merged &&
           !(t->view->query->by & TK_BY_SOURCE);
}

int tk_timer_sum_merge_sources(struct tk_timer_sum_set *into, const struct tk_timer_sum_set *from)
{
    struct tk_timer_sum_entry e;
    if (from->sources.n && tk_timer_sum_begin_sources(into))
        return -1;
    for (size_t i = 0; i < from->sources.n; i++)
        if (tk_timer_sum_source(into, (uint32_t)i, from->sources.v[i].count, from->sources.v[i].excl))
            return -1;
    /* the other one has no key with several yet: what its timers have is their own */
    for (size_t at = 0; into->sources.n && !from->sources.n && tk_timer_sum_next(from, &at, &e);)
        if (e.timer < TK_LATE && tk_timer_sum_source(into, e.timer, e.cell->count, e.cell->excl))
            return -1;
    return 0;
}

/* ---- the timers of a key ---- */

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int tk_timer_places_order(struct tk_timers *t)
{
    const struct tk_timer_keys *keys = &t->view->dict->keys;
    TK_VEC(uint64_t) pairs = {0};
    int rc = 0;
    for (uint32_t i = 0; tk_timer_places_wanted(t) && i < keys->same.n && rc == 0; i++)
        if (keys->same.v[i] != i || keys->shared.v[i])
            rc = tk_vec_push(&pairs, (uint64_t)keys->same.v[i] << 32 | i);
    if (rc == 0)
        rc = tk_sort(pairs.v, pairs.n, sizeof *pairs.v, by_number);
    for (size_t i = 0; i < pairs.n && rc == 0; i++)
        rc = tk_vec_push(&t->members, (uint32_t)pairs.v[i]);
    tk_vec_release(&pairs);
    return rc;
}

/* The first of the members that are of a key. */
static size_t first_of(const struct tk_timers *t, uint32_t key)
{
    const struct tk_timer_keys *keys = &t->view->dict->keys;
    size_t at;
    TK_SEARCH(at, t->members.n, keys->same.v[t->members.v[at]] < key);
    return at;
}

/* ---- cells ---- */

/* The places of a row: how many there are, the greatest, and what they have together. */
struct places {
    size_t n;
    uint32_t greatest;
    int64_t most, all;
};

static struct places places_of(const struct tk_timers *t, const struct tk_timer_sum_set *set, uint32_t key)
{
    const struct tk_timer_keys *keys = &t->view->dict->keys;
    struct places p = {.greatest = key};
    for (size_t i = first_of(t, key); i < t->members.n && keys->same.v[t->members.v[i]] == key; i++) {
        const uint32_t timer = t->members.v[i];
        if (timer >= set->sources.n || !set->sources.v[timer].count)
            continue;
        const int64_t excl = (int64_t)set->sources.v[timer].excl;
        p.all += excl;
        if (!p.n++ || excl > p.most) {
            p.most = excl;
            p.greatest = timer;
        }
    }
    return p;
}

/* "npc.cpp:12 39 %, 4 more" */
static const struct tk_str *text_of(struct tk_timers *t, const struct places *p, const struct tk_timer *timer)
{
    const struct tk_str file = tk_timer_file_name(timer->info.file);
    char text[320];
    int n = file.n ? snprintf(text, sizeof text, "%.*s:%" PRIu32, file.n < 200 ? (int)file.n : 200, file.p,
                              timer->info.line)
                   : snprintf(text, sizeof text, "(no file)");
    if (p->all > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, " %.0f %%", 100 * (double)p->most / (double)p->all);
    snprintf(text + n, sizeof text - (size_t)n, ", %zu more", p->n - 1);
    return tk_intern_c(&t->texts, text);
}

int tk_timer_places_fill(struct tk_timers *t, const struct tk_timer_sum_set *set, uint32_t key,
                         struct tk_cell *row)
{
    const struct tk_timer_keys *keys = &t->view->dict->keys;
    if (!t->members.n || key >= keys->shared.n || !keys->shared.v[key])
        return 0;
    const struct places p = places_of(t, set, key);
    const struct tk_timer *timer = tk_dict_timer(t->view->dict, p.greatest);
    const struct tk_str *text = p.n > 1 && timer ? text_of(t, &p, timer) : NULL;
    if (!timer || (p.n > 1 && !text))
        return -1;
    row[TK_TIMERS_KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
    row[TK_TIMERS_FILE_NAME] = tk_cell_of_text(timer->info.file);
    if (timer->info.file || timer->info.line)
        row[TK_TIMERS_LINE] = tk_cell_of_uint(timer->info.line);
    if (!text)
        return 0;
    row[TK_TIMERS_SOURCES] = tk_cell_of_uint(p.n);
    row[TK_TIMERS_PLACES] = tk_cell_of_text(text);
    return 0;
}
