/*
 * Looks at events that are cut without being decoded.
 */
#include "edit/utrace/cut/cut_in.h"
#include "edit/utrace/stages/stage.h"

/* Is all that it looks at in the fixed part, or in the only piece of array data? */
static bool is_brief(const struct tk_edit_cut_rule *rule, enum tk_edit_cut_walk walk)
{
    if (rule->kind == TK_CUT_BATCH)
        return rule->key != NULL;
    if (rule->kind == TK_CUT_END_THREAD)
        return walk == TK_CUT_SURVEY;
    return rule->kind != TK_CUT_SCOPED && !rule->time.shift;
}

enum tk_edit_verdict tk_edit_cut_judge(const struct tk_edit_stage *stage, const struct tk_ut_type *type)
{
    const struct tk_edit_cutter *s = (const struct tk_edit_cutter *)stage;
    if (type->id >= s->survey->n || !is_brief(&s->survey->rules[type->id], s->walk))
        return TK_EDIT_INSPECTS;
    return TK_EDIT_INSPECTS_BRIEFLY;
}

/* The event, with its fixed part alone. */
static struct tk_ut_event fixed_part(const struct tk_ut_lane *lane, const struct tk_ut_type *type,
                                     const struct tk_ut_passed *event)
{
    enum { CODE = 2, SERIAL = 3 };
    return (struct tk_ut_event){.type = type,
                                .fixed = event->p + CODE + (event->synced ? SERIAL : 0),
                                .n_fixed = type->fixed,
                                .tid = lane->tid,
                                .seq = TK_NO_SEQ};
}

/* Adds the bytes of a batch, where nothing else is there. */
static bool add_data(const struct tk_edit_cut_rule *rule, const struct tk_ut_passed *event,
                     struct tk_ut_event *ev, struct tk_ut_blob *data)
{
    if (!tk_edit_passed_value(ev->type, event, data) || data->field != tk_ut_field_index(ev->type, rule->key))
        return false;
    ev->blobs = data;
    ev->n_blobs = 1;
    return true;
}

static bool holds_marks(const struct tk_edit_cut_lane *l)
{
    for (size_t i = 0; i < l->marks.n; i++)
        if (l->marks.v[i].held)
            return true;
    return false;
}

/* Batches that lie over no edge, as the stage judges them. */
static enum tk_edit_verdict fate_of_batch(const struct tk_edit_cutter *s, struct tk_edit_cut_lane *l,
                                          const struct tk_ut_lane *lane, const struct tk_ut_event *ev)
{
    const struct tk_edit_window *w = &s->survey->window;
    const struct tk_edit_edge *start = s->survey->starts[lane->tid], *end = s->survey->ends[lane->tid];
    if (!l->batch || l->batch->ev.type != ev->type)
        return TK_EDIT_INSPECTS;
    if (start && l->batches < start->batches)
        return TK_EDIT_GOES;
    if ((start && l->batches == start->batches) || (end && l->batches == end->batches))
        return TK_EDIT_INSPECTS;
    if (end && l->batches < end->batches && (start || w->from == INT64_MIN))
        return holds_marks(l) ? TK_EDIT_INSPECTS : TK_EDIT_STAYS_AS_IS;
    const unsigned form = s->survey->rules[ev->type->id].form;
    return tk_edit_cut_over(&l->scopes, w, tk_edit_cut_begin(w, form, ev->blobs->p, ev->blobs->n))
               ? TK_EDIT_GOES
               : TK_EDIT_INSPECTS;
}

/* The time of an event, as tk_edit_cut_time gives it. */
static int64_t time_of(const struct tk_edit_cutter *s, struct tk_edit_cut_lane *l,
                       const struct tk_edit_cut_rule *rule, const struct tk_ut_passed *event)
{
    const int64_t time = (int64_t)(tk_load64(event->p + rule->time_at) - s->survey->window.start);
    if (time > l->latest)
        l->latest = time;
    return time;
}

/* What is decided by its time alone; TK_EDIT_INSPECTS: it is not. */
static enum tk_edit_verdict decide_by_time(const struct tk_edit_cutter *s, struct tk_edit_cut_lane *l,
                                           const struct tk_edit_cut_rule *rule,
                                           const struct tk_ut_passed *event)
{
    const struct tk_edit_window *w = &s->survey->window;
    if (!rule->by_time || (rule->time.field && !rule->time_at))
        return TK_EDIT_INSPECTS;
    const int64_t time = rule->time_at ? time_of(s, l, rule, event) : l->latest;
    const bool late = time >= w->to && (rule->kind == TK_CUT_POINT || rule->kind == TK_CUT_UNTIL),
               stays = !late && (rule->kind != TK_CUT_POINT || time >= w->from);
    return stays ? TK_EDIT_STAYS_AS_IS : TK_EDIT_GOES;
}

static enum tk_edit_verdict decide(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l,
                                   const struct tk_edit_item *item, const struct tk_edit_cut_rule *rule,
                                   const struct tk_ut_passed *event)
{
    enum tk_edit_verdict verdict = TK_EDIT_STAYS_AS_IS;
    const bool batch = rule->kind == TK_CUT_BATCH;
    if (batch && (verdict = fate_of_batch(s, l, item->lane, item->ev)) == TK_EDIT_INSPECTS)
        return TK_EDIT_INSPECTS;
    l->batches += batch;
    const int64_t time = rule->time_at ? time_of(s, l, rule, event) : tk_edit_cut_time(s, l, item->ev);
    if (batch)
        return verdict;
    return tk_edit_cut_stays(s, item, time) ? TK_EDIT_STAYS_AS_IS : TK_EDIT_GOES;
}

enum tk_edit_verdict tk_edit_cut_look(struct tk_edit_stage *stage, struct tk_ut_lane *lane,
                                      const struct tk_ut_type *type, const struct tk_ut_passed *event)
{
    struct tk_edit_cutter *s = (struct tk_edit_cutter *)stage;
    const struct tk_edit_cut_rule *rule = &s->survey->rules[type->id];
    struct tk_edit_cut_lane *l = tk_edit_cut_lane_of(s, lane->tid);
    if (!l || l->waits)
        return TK_EDIT_INSPECTS;
    const bool decides = s->walk == TK_CUT_DECIDE;
    const enum tk_edit_verdict verdict = decides ? decide_by_time(s, l, rule, event) : TK_EDIT_INSPECTS;
    if (verdict != TK_EDIT_INSPECTS)
        return verdict;
    struct tk_ut_event ev = fixed_part(lane, type, event);
    struct tk_ut_blob data;
    if (rule->kind == TK_CUT_BATCH && !add_data(rule, event, &ev, &data))
        return TK_EDIT_INSPECTS;
    const struct tk_edit_item item = {.lane = lane, .ev = &ev, .number = event->number};
    if (decides)
        return decide(s, l, &item, rule, event);
    const int rc = s->walk == TK_CUT_MEMORY ? tk_edit_survey_memory(s->survey, &ev, item.number)
                                            : tk_edit_cut_event(s, l, &item);
    s->failed |= rc != TK_OK;
    return TK_EDIT_STAYS_AS_IS;
}
