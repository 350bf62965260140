/*
 * Verdicts of stages by uid. See quiet_types.h.
 */
#include "edit/utrace/stages/quiet_types.h"

#include <stdlib.h>

static void put(struct tk_edit_quiet_types *q, const struct tk_ut_type *type,
                const struct tk_edit_walker *walker)
{
    const bool wanted = !walker->want || type->id >= walker->n_want || walker->want[type->id];
    bool briefly;
    const enum tk_edit_verdict verdict = tk_edit_judge(walker->first, type, &briefly);
    const uint32_t pass = !wanted || verdict != TK_EDIT_ASKS ? tk_ut_pass_of(type) : 0;
    q->passes[type->uid] = pass | (pass && wanted && briefly ? TK_UT_PASS_ASKS : 0u);
    q->goes[type->uid] = verdict == TK_EDIT_GOES;
}

int tk_edit_quiet_types_init(struct tk_edit_quiet_types *q, const struct tk_ut_capture *c,
                             const struct tk_edit_walker *walker)
{
    const struct tk_ut_schema *schema = &c->schema;
    if (c->header.protocol < 5)
        return TK_OK;
    q->passes = calloc(TK_UT_PASSES, sizeof *q->passes);
    q->goes = calloc(TK_UT_PASSES, sizeof *q->goes);
    for (size_t i = 0; q->passes && q->goes && i < schema->types.n; i++) {
        const struct tk_ut_type *type = schema->types.v[i];
        if (type->uid < TK_UT_PASSES && schema->by_uid[type->uid] == type)
            put(q, type, walker);
    }
    return q->passes && q->goes ? TK_OK : TK_ENOMEM;
}

void tk_edit_quiet_types_release(struct tk_edit_quiet_types *q)
{
    free(q->passes);
    free(q->goes);
    *q = (struct tk_edit_quiet_types){0};
}
