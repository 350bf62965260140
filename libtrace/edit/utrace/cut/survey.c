/*
 * What is alive in the window of a cut. See survey.h.
 */
#include "edit/utrace/cut/survey.h"

#include "base/binary_search.h"
#include "base/sort.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>
#include <string.h>

/* Steps that may lie between those that the table `memory` calls short-lived, and as many for the order in
 * the file, which is not that of their numbers. */
#define RECENT 8192

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

static void see_memory(struct tk_edit_survey *s)
{
    for (size_t i = 0; !s->memory && s->want && i < s->n; i++)
        if (s->rules[i].kind == TK_CUT_ALLOCATION)
            s->want[i] = 0;
    s->memory = true;
}

static void see_step(struct tk_edit_survey *s, uint32_t type, uint64_t key, int64_t time)
{
    struct tk_edit_last_step *last = &s->last_steps[type];
    if (time < s->window.from && (!last->any || time > last->time))
        *last = (struct tk_edit_last_step){time, key, true};
}

static int see_life(struct tk_edit_survey *s, uint64_t key, int64_t time, bool ends)
{
    const uint32_t at = tk_map_get(&s->lives, key);
    const struct tk_edit_life life = {time, time, ends};
    if (at == TK_MAP_NONE)
        return tk_map_put(&s->lives, key, (uint32_t)s->life.n) || tk_vec_push(&s->life, life) ? TK_ENOMEM
                                                                                              : TK_OK;
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
    const struct tk_edit_wait wait = {tk_ut_event_u64(ev, rule->later), tk_ut_event_u64(ev, rule->key)};
    return tk_vec_push(&s->waits, wait);
}

int tk_edit_survey_see(struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number, int64_t time)
{
    const struct tk_edit_cut_rule *rule = &s->rules[ev->type->id];
    if (rule->kind == TK_CUT_FRAME && rule->key)
        tk_edit_things_frame(&s->things, tk_ut_event_u64(ev, rule->key), time, &s->window);
    if (rule->kind == TK_CUT_CHUNK)
        return tk_edit_things_see(&s->things, &rule->chunk, ev, &s->window);
    if (rule->kind == TK_CUT_KEYED)
        see_step(s, ev->type->id, tk_ut_event_u64(ev, rule->key), time);
    if (rule->later && see_wait(s, ev, rule) != 0)
        return TK_ENOMEM;
    if (rule->kind == TK_CUT_KEYED)
        return see_life(s, tk_ut_event_u64(ev, rule->key), time, rule->ends);
    if (rule->kind == TK_CUT_ALLOCATION)
        see_memory(s);
    if (rule->kind != TK_CUT_MARKER || !number)
        return TK_OK;
    if (time >= s->window.from && number < s->first_marker)
        s->first_marker = number;
    if (time >= s->window.to && number < s->end_marker)
        s->end_marker = number;
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

static bool is_alive_in_window(const struct tk_edit_survey *s, uint64_t key)
{
    const uint32_t at = tk_map_get(&s->lives, key);
    return at != TK_MAP_NONE && s->life.v[at].first < s->window.to &&
           (s->life.v[at].last >= s->window.from || !s->life.v[at].ended);
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
    tk_vec_release(&next.v);
    return rc;
}

int tk_edit_survey_close(struct tk_edit_survey *s)
{
    int rc = tk_edit_things_close(&s->things, &s->window);
    for (size_t i = 0; i < s->n && rc == 0; i++)
        if (s->last_steps[i].any)
            rc = tk_map_put(&s->last_keys, s->last_steps[i].key, 1);
    if (rc == 0)
        rc = hold_all(s);
    return rc ? TK_ENOMEM : TK_OK;
}

bool tk_edit_survey_keyed(const struct tk_edit_survey *s, const struct tk_ut_event *ev)
{
    const uint64_t key = tk_ut_event_u64(ev, s->rules[ev->type->id].key);
    return tk_map_get(&s->lives, key) == TK_MAP_NONE || tk_map_get(&s->last_keys, key) != TK_MAP_NONE ||
           is_alive_in_window(s, key) || tk_map_get(&s->held_up, key) != TK_MAP_NONE;
}

/* ---- memory ---- */

static bool is_video(const struct tk_ut_event *ev, const struct tk_edit_cut_rule *rule)
{
    return rule->heap ? tk_ut_event_u64(ev, rule->heap) != 0 : rule->video;
}

static uint64_t key_of(const struct tk_ut_event *ev, const struct tk_edit_cut_rule *rule)
{
    return tk_ut_event_u64(ev, rule->key) << 1 | is_video(ev, rule);
}

static struct tk_edit_block *block_of(struct tk_edit_survey *s, uint64_t key)
{
    const struct tk_edit_block block = {.key = key};
    uint32_t at = tk_map_get(&s->blocks, key);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)s->block.n;
        if (tk_map_put(&s->blocks, key, at) || tk_vec_push(&s->block, block))
            return NULL;
    }
    return &s->block.v[at];
}

static void step(struct tk_edit_steps *steps, bool allocates, uint64_t number)
{
    uint64_t *last = allocates ? &steps->allocated : &steps->freed;
    if (number > *last)
        *last = number;
}

int tk_edit_survey_memory(struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number)
{
    const struct tk_edit_cut_rule *rule = &s->rules[ev->type->id];
    if (rule->kind != TK_CUT_ALLOCATION || !rule->key || !number)
        return TK_OK;
    struct tk_edit_block *block = block_of(s, key_of(ev, rule));
    if (!block)
        return TK_ENOMEM;
    if (!s->recent && !(s->recent = calloc(RECENT, sizeof *s->recent)))
        return TK_ENOMEM;
    const bool allocates = rule->step == TK_STEP_ALLOCATES, frees = rule->step == TK_STEP_FREES;
    if (rule->step != TK_STEP_OTHER && number < s->first_marker)
        s->recent[s->n_recent++ % RECENT] = number;
    block->moved |= !allocates && !frees;
    if (!allocates && !frees)
        return TK_OK;
    if (number < s->first_marker)
        step(&block->begin, allocates, number);
    if (number < s->end_marker)
        step(&block->end, allocates, number);
    else
        step(&block->later, allocates, number);
    if (frees && number >= s->end_marker && (!block->first_freed || number < block->first_freed))
        block->first_freed = number;
    return TK_OK;
}

static bool is_alive(const struct tk_edit_steps *steps)
{
    return steps->allocated > steps->freed;
}

/* Numbers are counted from a high one on; in the set low ones are bits. */
static uint64_t step_id(uint64_t number)
{
    return number & ((UINT64_C(1) << 40) - 1);
}

/* Of a block that stayed where it is. Before the window stays what is alive when it begins. Behind it, what
 * ends that, and what is alive at the end of the recording, as tables tell that. 0 or -1. */
static int keep_steps(struct tk_edit_survey *s, const struct tk_edit_block *b)
{
    int rc = is_alive(&b->begin) ? tk_id_set_add(&s->steps, step_id(b->begin.allocated)) : 0;
    if (rc == 0 && b->first_freed && is_alive(&b->end))
        rc = tk_id_set_add(&s->steps, step_id(b->first_freed));
    return rc == 0 && is_alive(&b->later) ? tk_id_set_add(&s->steps, step_id(b->later.allocated)) : rc;
}

int tk_edit_survey_memory_close(struct tk_edit_survey *s)
{
    int rc = 0;
    s->recent_from = UINT64_MAX;
    for (size_t i = 0; i < s->n_recent && i < RECENT; i++)
        if (s->recent[i] < s->recent_from)
            s->recent_from = s->recent[i];
    for (size_t i = 0; i < s->block.n && rc == 0; i++)
        rc =
            s->block.v[i].moved ? tk_map_put(&s->moved, s->block.v[i].key, 1) : keep_steps(s, &s->block.v[i]);
    return rc ? TK_ENOMEM : TK_OK;
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

bool tk_edit_survey_step(const struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number)
{
    const struct tk_edit_cut_rule *rule = &s->rules[ev->type->id];
    const bool before = number < s->first_marker, behind = number >= s->end_marker;
    if (!number || !rule->key || (!before && !behind) || (before && number >= s->recent_from))
        return true;
    if (rule->step == TK_STEP_ALLOCATES || rule->step == TK_STEP_FREES)
        return tk_id_set_has(&s->steps, step_id(number)) ||
               tk_map_get(&s->moved, key_of(ev, rule)) != TK_MAP_NONE;
    const uint32_t at = tk_map_get(&s->blocks, key_of(ev, rule));
    if (at == TK_MAP_NONE || s->block.v[at].moved)
        return true;
    const struct tk_edit_block *b = &s->block.v[at];
    if (before)
        return is_alive(&b->begin) && number >= b->begin.allocated;
    return is_alive(&b->later) && number >= b->later.allocated;
}

void tk_edit_survey_release(struct tk_edit_survey *s)
{
    free(s->rules);
    free(s->last_steps);
    free(s->recent);
    release_edges(s->starts);
    release_edges(s->ends);
    tk_edit_things_release(&s->things);
    tk_id_set_release(&s->used);
    tk_map_release(&s->lives);
    tk_map_release(&s->last_keys);
    tk_map_release(&s->held_up);
    tk_vec_release(&s->waits);
    tk_map_release(&s->blocks);
    tk_map_release(&s->moved);
    tk_id_set_release(&s->steps);
    tk_vec_release(&s->life);
    tk_vec_release(&s->block);
    tk_vec_release(&s->decided.words);
    *s = (struct tk_edit_survey){0};
}
