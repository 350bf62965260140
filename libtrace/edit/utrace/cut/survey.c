/*
 * What is alive in the window of a cut.
 */
#include "edit/utrace/cut/survey.h"

#include "base/sort.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>
#include <string.h>

/*
 * Which blocks of memory are alive in the window of a cut.
 *
 * Steps of memory have the time of the last marker in front of them, by their numbers. The first walk takes
 * them as soon as markers say on which side of the window they are. Where markers are out of order, or too
 * far between, a walk of its own takes them when all markers are known.
 */

/* Steps that may lie between those that the table `memory` calls short-lived, and as many for the order in
 * the file, which is not that of their numbers. */
#define RECENT 8192

enum {
    SOON = 1 << 16,
    AT_ONCE = 1 << 10
}; /* steps that may wait, and so many come between two looks at them */

/* As tables have it. */
static uint16_t root_of(const struct tk_ut_event *ev, const struct tk_edit_cut_rule *rule)
{
    return rule->heap ? (uint16_t)tk_ut_event_number(ev, rule->heap) : rule->video;
}

/* NULL if out of memory. */
static struct tk_map *blocks_in(struct tk_edit_survey *s, uint16_t root)
{
    if (root == 0)
        return &s->blocks;
    const struct tk_map none = {0};
    const uint32_t at = tk_map_get_or_put(&s->others, root, (uint32_t)s->other.n);
    if (at == TK_MAP_NONE || (at == s->other.n && tk_vec_push(&s->other, none)))
        return NULL;
    return &s->other.v[at];
}

/* NULL if out of memory. */
static struct tk_edit_block *block_of(struct tk_edit_survey *s, uint64_t address, uint16_t root)
{
    const struct tk_edit_block block = {.address = address};
    struct tk_map *blocks = blocks_in(s, root);
    const uint32_t at = blocks ? tk_map_get_or_put(blocks, address, (uint32_t)s->block.n) : TK_MAP_NONE;
    if (at == TK_MAP_NONE || (at == s->block.n && tk_vec_push(&s->block, block)))
        return NULL;
    return &s->block.v[at];
}

void tk_edit_survey_blocks_release(struct tk_edit_survey *s)
{
    for (size_t i = 0; i < s->other.n; i++)
        tk_map_release(&s->other.v[i]);
    tk_vec_release(&s->other);
    tk_map_release(&s->others);
    tk_map_release(&s->blocks);
    tk_vec_release(&s->block);
    tk_map_release(&s->moved);
}

static void step(struct tk_edit_steps *steps, bool allocates, uint64_t number)
{
    uint64_t *last = allocates ? &steps->allocated : &steps->freed;
    if (number > *last)
        *last = number;
}

/* 0 or -1. */
static int take_step(struct tk_edit_survey *s, const struct tk_edit_memory_event *e)
{
    const bool allocates = e->step == TK_STEP_ALLOCATES, frees = e->step == TK_STEP_FREES;
    const bool before = e->number < s->first_marker, behind = e->number >= s->end_marker;
    if (before && e->number > s->most_before)
        s->most_before = e->number;
    if (!behind && e->number > s->most_inside)
        s->most_inside = e->number;
    if (e->step != TK_STEP_OTHER && before)
        s->recent[s->n_recent++ % RECENT] = e->number;
    if (!allocates && !frees)
        return tk_map_put(&s->moved, e->address, 1);
    struct tk_edit_block *block = block_of(s, e->address, e->root);
    if (!block)
        return -1;
    if (before)
        step(&block->begin, allocates, e->number);
    step(behind ? &block->later : &block->end, allocates, e->number);
    if (frees && behind && (!block->first_freed || e->number < block->first_freed))
        block->first_freed = e->number;
    return 0;
}

static bool is_step(const struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number)
{
    const struct tk_edit_cut_rule *rule = &s->rules[ev->type->id];
    return rule->kind == TK_CUT_ALLOCATION && rule->key && number;
}

static struct tk_edit_memory_event event_of(const struct tk_edit_survey *s, const struct tk_ut_event *ev,
                                            uint64_t number)
{
    const struct tk_edit_cut_rule *rule = &s->rules[ev->type->id];
    return (struct tk_edit_memory_event){tk_ut_event_number(ev, rule->key), number, root_of(ev, rule),
                                         (uint8_t)rule->step};
}

static int reserve(struct tk_edit_survey *s)
{
    if (!s->recent)
        s->recent = calloc(RECENT, sizeof *s->recent);
    return s->recent ? TK_OK : TK_ENOMEM;
}

int tk_edit_survey_memory(struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number)
{
    if (!is_step(s, ev, number))
        return TK_OK;
    const struct tk_edit_memory_event event = event_of(s, ev, number);
    return reserve(s) != TK_OK || take_step(s, &event) != 0 ? TK_ENOMEM : TK_OK;
}

/* ---- in the first walk ---- */

/* All is forgotten, for a walk over the steps alone. */
static void give_up(struct tk_edit_survey *s)
{
    tk_edit_survey_blocks_release(s);
    free(s->soon);
    s->soon = NULL;
    s->n_recent = s->n_soon = s->first_soon = 0;
    s->memory_apart = true;
    for (size_t i = 0; s->want && i < s->n; i++)
        if (s->rules[i].kind == TK_CUT_ALLOCATION)
            s->want[i] = 0;
}

/* Do the markers so far say on which side of both edges it is, unless one that is still to come is out of
 * order? */
static bool is_placed(const struct tk_edit_survey *s, uint64_t number)
{
    return (s->first_marker != UINT64_MAX || number <= s->last_before) &&
           (s->end_marker != UINT64_MAX || number <= s->last_inside);
}

static struct tk_edit_memory_event *soon_at(const struct tk_edit_survey *s, size_t i)
{
    return &s->soon[(s->first_soon + i) % SOON];
}

/* Takes what is waiting, in its order; `all`, or up to the first one whose place is not known. 0 or -1. */
static int take_waiting(struct tk_edit_survey *s, bool all)
{
    enum { AHEAD = 8 };
    int rc = 0;
    while (s->n_soon && rc == 0 && (all || is_placed(s, soon_at(s, 0)->number))) {
        if (s->n_soon > AHEAD)
            tk_map_prefetch(&s->blocks, soon_at(s, AHEAD)->address);
        rc = take_step(s, soon_at(s, 0));
        s->first_soon = (s->first_soon + 1) % SOON;
        s->n_soon--;
    }
    return rc;
}

int tk_edit_survey_memory_soon(struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number)
{
    s->memory = true;
    if (s->memory_apart || !is_step(s, ev, number))
        return TK_OK;
    if (!s->soon && !(s->soon = malloc(SOON * sizeof *s->soon)))
        return TK_ENOMEM;
    if (reserve(s) != TK_OK)
        return TK_ENOMEM;
    *soon_at(s, s->n_soon++) = event_of(s, ev, number);
    if (s->n_soon % AT_ONCE == 0 && take_waiting(s, false) != 0)
        return TK_ENOMEM;
    if (s->n_soon == SOON)
        give_up(s);
    return TK_OK;
}

int tk_edit_survey_memory_settle(struct tk_edit_survey *s)
{
    if (s->memory_apart)
        return TK_OK;
    if (take_waiting(s, true) != 0)
        return TK_ENOMEM;
    if (s->first_marker <= s->most_before || s->end_marker <= s->most_inside)
        give_up(s);
    return TK_OK;
}

/* ---- what stays ---- */

static bool is_alive(const struct tk_edit_steps *steps)
{
    return steps->allocated > steps->freed;
}

/* Numbers are counted from a high one on; in the set low ones are bits. */
static uint64_t step_id(uint64_t number)
{
    return number & ((UINT64_C(1) << 40) - 1);
}

/* Of a block at whose address nothing else happened. Before the window stays what is alive when it begins.
 * Behind it, what ends that, and what is alive at the end of the recording, as tables tell that. 0 or -1. */
static int keep_steps(struct tk_edit_survey *s, const struct tk_edit_block *b)
{
    if (tk_map_get(&s->moved, b->address) != TK_MAP_NONE)
        return 0;
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
        rc = keep_steps(s, &s->block.v[i]);
    return rc ? TK_ENOMEM : TK_OK;
}

bool tk_edit_survey_step(const struct tk_edit_survey *s, const struct tk_ut_event *ev, uint64_t number)
{
    const struct tk_edit_cut_rule *rule = &s->rules[ev->type->id];
    const bool before = number < s->first_marker, behind = number >= s->end_marker;
    if (!number || !rule->key || (!before && !behind) || (before && number >= s->recent_from))
        return true;
    return (rule->step != TK_STEP_ALLOCATES && rule->step != TK_STEP_FREES) ||
           tk_id_set_has(&s->steps, step_id(number)) ||
           tk_map_get(&s->moved, tk_ut_event_number(ev, rule->key)) != TK_MAP_NONE;
}

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

/* How long a task was held up is reported of all that it waited for, one behind the other. 0 or -1. */
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
