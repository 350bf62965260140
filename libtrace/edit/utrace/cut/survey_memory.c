/*
 * Which blocks of memory are alive in the window of a cut. See survey.h.
 *
 * Steps of memory have the time of the last marker in front of them, by their numbers. The first walk takes
 * them as soon as markers say on which side of the window they are. Where markers are out of order, or too
 * far between, a walk of its own takes them when all markers are known.
 */
#include "edit/utrace/cut/survey.h"

#include <stdlib.h>

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

static int make_room(struct tk_edit_survey *s)
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
    return make_room(s) != TK_OK || take_step(s, &event) != 0 ? TK_ENOMEM : TK_OK;
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
    if (make_room(s) != TK_OK)
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
