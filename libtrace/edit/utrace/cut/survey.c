/*
 * What is alive in the window of a cut. See survey.h.
 */
#include "edit/utrace/cut/survey.h"

#include "base/binary_search.h"
#include "base/sort.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>
#include <string.h>

int tk_edit_survey_init(struct tk_edit_survey *s, const struct tk_ut_capture *c,
                        const struct tk_edit_window *window)
{
    *s = (struct tk_edit_survey){.window = *window, .n = c->schema.types.n};
    s->first_marker = s->end_marker = s->recent_from = UINT64_MAX;
    s->rules = calloc(s->n + 1, sizeof *s->rules);
    s->last_steps = calloc(s->n + 1, sizeof *s->last_steps);
    s->starts = calloc(TK_UT_TIDS, sizeof *s->starts);
    s->ends = calloc(TK_UT_TIDS, sizeof *s->ends);
    for (size_t i = 0; s->rules && i < s->n; i++)
        s->rules[i] = tk_edit_cut_rule_of(c->schema.types.v[i]);
    return s->rules && s->last_steps && s->starts && s->ends ? TK_OK : TK_ENOMEM;
}

bool tk_edit_survey_needs_all(const struct tk_edit_survey *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->rules[i].kind == TK_CUT_END_THREAD && !s->rules[i].time.field)
            return true;
    return false;
}

static void see_step(struct tk_edit_survey *s, uint32_t type, uint64_t key, int64_t time)
{
    struct tk_edit_last_step *last = &s->last_steps[type];
    if (time < s->window.from && (!last->any || time > last->time))
        *last = (struct tk_edit_last_step){time, key, true};
}

static int see_life(struct tk_edit_survey *s, uint64_t key, int64_t time, bool ends)
{
    const struct tk_edit_life life = {time, time, ends, false};
    const uint32_t at = tk_map_get_or_put(&s->lives, key, (uint32_t)s->life.n);
    if (at == TK_MAP_NONE || (at == s->life.n && tk_vec_push(&s->life, life)))
        return TK_ENOMEM;
    if (time < s->life.v[at].first)
        s->life.v[at].first = time;
    if (time > s->life.v[at].last)
        s->life.v[at].last = time;
    s->life.v[at].ended |= ends;
    return TK_OK;
}

static int see_wait(struct tk_edit_survey *s, const struct tk_ut_event *ev,
                    const struct tk_edit_cut_rule *rule)
{
    const struct tk_edit_wait wait = {tk_ut_event_number(ev, rule->later), tk_ut_event_number(ev, rule->key)};
    return tk_vec_push(&s->waits, wait);
}

static void see_marker(struct tk_edit_survey *s, uint64_t number, int64_t time)
{
    if (time < s->window.from && number > s->last_before)
        s->last_before = number;
    if (time < s->window.to && number > s->last_inside)
        s->last_inside = number;
    if (time >= s->window.from && number < s->first_marker)
        s->first_marker = number;
    if (time >= s->window.to && number < s->end_marker)
        s->end_marker = number;
}

int tk_edit_survey_see(struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number, int64_t time)
{
    const struct tk_edit_cut_rule *rule = &s->rules[ev->type->id];
    if (rule->kind == TK_CUT_FRAME && rule->key)
        tk_edit_things_frame(&s->things, tk_ut_event_number(ev, rule->key), time, &s->window);
    if (rule->kind == TK_CUT_CHUNK)
        return tk_edit_things_see(&s->things, &rule->chunk, ev, &s->window);
    if (rule->kind == TK_CUT_KEYED)
        see_step(s, ev->type->id, tk_ut_event_number(ev, rule->key), time);
    if (rule->later && see_wait(s, ev, rule) != 0)
        return TK_ENOMEM;
    if (rule->kind == TK_CUT_KEYED)
        return see_life(s, tk_ut_event_number(ev, rule->key), time, rule->ends);
    if (rule->kind == TK_CUT_ALLOCATION)
        return tk_edit_survey_memory_soon(s, ev, number);
    if (rule->kind == TK_CUT_MARKER && number)
        see_marker(s, number, time);
    return TK_OK;
}

struct tk_edit_edge *tk_edit_edge_new(uint64_t batches, const struct tk_edit_open *open, size_t n)
{
    struct tk_edit_edge *edge = calloc(1, sizeof *edge);
    if (!edge || tk_vec_reserve(&edge->open, n + 1)) {
        free(edge);
        return NULL;
    }
    if (n)
        memcpy(edge->open.v, open, n * sizeof *open);
    edge->open.n = n;
    edge->batches = batches;
    return edge;
}

static void release_edges(struct tk_edit_edge **edges)
{
    for (size_t i = 0; edges && i < TK_UT_TIDS; i++) {
        if (edges[i])
            tk_vec_release(&edges[i]->open);
        free(edges[i]);
    }
    free(edges);
}

/* ---- what tasks waited for ---- */

static int by_task(const void *a, const void *b)
{
    const struct tk_edit_wait *x = a, *y = b;
    return (x->task > y->task) - (x->task < y->task);
}

static bool overlaps_window(const struct tk_edit_survey *s, const struct tk_edit_life *life)
{
    return life->first < s->window.to && (life->last >= s->window.from || !life->ended);
}

static bool is_alive_in_window(const struct tk_edit_survey *s, uint64_t key)
{
    const uint32_t at = tk_map_get(&s->lives, key);
    return at != TK_MAP_NONE && overlaps_window(s, &s->life.v[at]);
}

static void let_stay(struct tk_edit_survey *s, uint64_t key)
{
    const uint32_t at = tk_map_get(&s->lives, key);
    if (at != TK_MAP_NONE)
        s->life.v[at].stays = true;
}

struct waiting_tasks {
    TK_VEC(uint64_t) v;
};

/* Those that this one waited for stay, and what they waited for is to be looked at. 0 or -1. */
static int hold(struct tk_edit_survey *s, uint64_t task, struct waiting_tasks *next)
{
    size_t at;
    int rc = 0;
    TK_SEARCH(at, s->waits.n, s->waits.v[at].task < task);
    for (; at < s->waits.n && s->waits.v[at].task == task && rc == 0; at++) {
        const uint64_t before = s->waits.v[at].before;
        if (tk_map_get(&s->held_up, before) != TK_MAP_NONE || is_alive_in_window(s, before))
            continue;
        rc = tk_map_put(&s->held_up, before, 1) || tk_vec_push(&next->v, before) ? -1 : 0;
    }
    return rc;
}

/* How long a task was held up is told of all that it waited for, one behind the other. 0 or -1. */
static int hold_all(struct tk_edit_survey *s)
{
    struct waiting_tasks next = {{0}};
    int rc = 0;
    if (s->waits.n)
        rc = tk_sort(s->waits.v, s->waits.n, sizeof *s->waits.v, by_task);
    for (size_t i = 0; i < s->waits.n && rc == 0; i++)
        if ((!i || s->waits.v[i].task != s->waits.v[i - 1].task) && is_alive_in_window(s, s->waits.v[i].task))
            rc = hold(s, s->waits.v[i].task, &next);
    for (size_t i = 0; i < next.v.n && rc == 0; i++)
        rc = hold(s, next.v.v[i], &next);
    for (size_t i = 0; i < next.v.n; i++)
        let_stay(s, next.v.v[i]);
    tk_vec_release(&next.v);
    return rc;
}

int tk_edit_survey_close(struct tk_edit_survey *s)
{
    if (tk_edit_things_close(&s->things, &s->window) != 0 || hold_all(s) != 0)
        return TK_ENOMEM;
    for (size_t i = 0; i < s->life.n; i++)
        s->life.v[i].stays |= overlaps_window(s, &s->life.v[i]);
    for (size_t i = 0; i < s->n; i++)
        if (s->last_steps[i].any)
            let_stay(s, s->last_steps[i].key);
    return tk_edit_survey_memory_settle(s);
}

bool tk_edit_survey_keyed(const struct tk_edit_survey *s, const struct tk_ut_event *ev, int64_t time)
{
    if (time >= s->window.from && time < s->window.to)
        return true;
    const uint32_t at = tk_map_get(&s->lives, tk_ut_event_number(ev, s->rules[ev->type->id].key));
    return at == TK_MAP_NONE || s->life.v[at].stays;
}

/* ---- what was decided ---- */

int tk_edit_decided_put(struct tk_edit_decided *d, bool stays)
{
    if (d->n % 64 == 0 && tk_vec_push(&d->words, 0))
        return TK_ENOMEM;
    d->words.v[d->n / 64] |= (uint64_t)stays << d->n % 64;
    d->n++;
    return TK_OK;
}

bool tk_edit_decided_next(struct tk_edit_decided *d)
{
    const uint64_t at = d->next++;
    return at >= d->n || (d->words.v[at / 64] >> at % 64 & 1);
}

void tk_edit_survey_release(struct tk_edit_survey *s)
{
    free(s->rules);
    free(s->last_steps);
    free(s->recent);
    free(s->soon);
    release_edges(s->starts);
    release_edges(s->ends);
    tk_edit_things_release(&s->things);
    tk_id_set_release(&s->used);
    tk_map_release(&s->lives);
    tk_map_release(&s->held_up);
    tk_vec_release(&s->waits);
    tk_edit_survey_blocks_release(s);
    tk_id_set_release(&s->steps);
    tk_vec_release(&s->life);
    tk_vec_release(&s->decided.words);
    *s = (struct tk_edit_survey){0};
}
