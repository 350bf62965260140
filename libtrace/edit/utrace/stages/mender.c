/*
 * Events of which the end is missing. See mender.h.
 */
#include "edit/utrace/stages/mender.h"

#include <stdlib.h>

/* Hands on what is whole of a batch. */
static int take_whole(struct tk_edit_mender *m, const struct tk_edit_item *item, unsigned form,
                      const struct tk_ut_field *data)
{
    const struct tk_bytes bytes = tk_ut_event_bytes(item->ev, data);
    const struct tk_ut_blob blob = {bytes.p, (uint32_t)tk_edit_batch_whole(&m->steps, bytes.p, bytes.n, form),
                                    tk_ut_field_index(item->ev->type, data)};
    struct tk_ut_event whole = *item->ev;
    struct tk_edit_item changed = *item;
    if (!blob.n && item->ev->incomplete)
        return tk_edit_drop(&m->stage, item);
    whole.blobs = &blob;
    whole.n_blobs = blob.n > 0; /* else it stays as one of no entries, as later stages count batches */
    changed.ev = &whole;
    changed.changed = true;
    return tk_edit_take(m->stage.next, &changed);
}

/* 1 or 0; -1: out of memory. */
static int is_broken(struct tk_edit_mender *m, const struct tk_ut_event *ev, unsigned form,
                     const struct tk_ut_field *data)
{
    const uint64_t number = m->batches++;
    if (m->broken && !m->finds) {
        const bool found = m->next < m->broken->batches.n && m->broken->batches.v[m->next] == number;
        m->next += found;
        return found;
    }
    const struct tk_bytes bytes = tk_ut_event_bytes(ev, data);
    if (tk_edit_batch_whole(&m->steps, bytes.p, bytes.n, form) == bytes.n)
        return 0;
    return m->broken && tk_vec_push(&m->broken->batches, number) ? -1 : 1;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_mender *m = (struct tk_edit_mender *)stage;
    const unsigned form = item->ev && item->ev->type->id < m->n ? m->forms[item->ev->type->id] : 0;
    const struct tk_ut_field *data = form ? tk_ut_type_field(item->ev->type, "Data") : NULL;
    if (!item->ev || (!data && !item->ev->incomplete))
        return tk_edit_take(stage->next, item);
    if (!data)
        return tk_edit_drop(stage, item);
    const int broken = item->ev->incomplete ? 1 : is_broken(m, item->ev, form, data);
    if (broken < 0)
        return TK_ENOMEM;
    return broken ? take_whole(m, item, form, data) : tk_edit_take(stage->next, item);
}

/* Did the walk before find no batch that is broken? */
static bool is_known_whole(const struct tk_edit_mender *m)
{
    return m->broken && !m->finds && !m->broken->batches.n;
}

static enum tk_edit_verdict judge(const struct tk_edit_stage *stage, const struct tk_ut_type *type)
{
    const struct tk_edit_mender *m = (const struct tk_edit_mender *)stage;
    if (type->id >= m->n)
        return TK_EDIT_ASKS;
    return !m->forms[type->id] || is_known_whole(m) ? TK_EDIT_STAYS_AS_IS : TK_EDIT_ASKS_BRIEFLY;
}

/* Is it a batch in one piece that ends with an entry? */
static enum tk_edit_verdict look(struct tk_edit_stage *stage, struct tk_ut_lane *lane,
                                 const struct tk_ut_type *type, const struct tk_ut_passed *event)
{
    struct tk_edit_mender *m = (struct tk_edit_mender *)stage;
    struct tk_ut_blob data;
    (void)lane;
    if (!m->forms[type->id] || is_known_whole(m))
        return TK_EDIT_STAYS_AS_IS;
    if ((m->broken && !m->finds) || !tk_edit_passed_value(type, event, &data) ||
        tk_edit_batch_whole(&m->steps, data.p, data.n, m->forms[type->id]) != data.n)
        return TK_EDIT_ASKS;
    m->batches++;
    return TK_EDIT_STAYS_AS_IS;
}

static void unlook(struct tk_edit_stage *stage, const struct tk_ut_type *type)
{
    struct tk_edit_mender *m = (struct tk_edit_mender *)stage;
    m->batches -= m->forms[type->id] && !is_known_whole(m);
}

static const struct tk_edit_stage_ops ops = {.take = take, .judge = judge, .look = look, .unlook = unlook};

int tk_edit_mender_init(struct tk_edit_mender *m, const struct tk_ut_schema *schema,
                        struct tk_edit_broken *broken, bool finds, struct tk_edit_stage *next)
{
    *m = (struct tk_edit_mender){.n = schema->types.n, .broken = broken, .finds = finds};
    tk_edit_stage_init(&m->stage, &ops, next);
    tk_edit_batch_steps_init(&m->steps);
    m->forms = calloc(m->n + 1, sizeof *m->forms);
    for (size_t i = 0; m->forms && i < m->n; i++)
        m->forms[i] = (uint8_t)tk_edit_batch_form(schema->types.v[i]);
    return m->forms ? TK_OK : TK_ENOMEM;
}

void tk_edit_mender_release(struct tk_edit_mender *m)
{
    free(m->forms);
    *m = (struct tk_edit_mender){0};
}

void tk_edit_tell_broken(struct tk_health *health, const struct tk_edit_broken *broken)
{
    tk_health_note(health, TK_HEALTH_PAYLOAD_DAMAGED, TK_NO_OFFSET, broken->batches.n,
                   "batches of scopes end inside an entry; their complete entries are kept");
}
