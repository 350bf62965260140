/*
 * Learning what fields refer to.
 */
#include "format/utrace/feed/family.h"
#include "format/utrace/reading/reading_in.h"

static int take_learn_references(struct tk_ut_capture *c, const struct tk_batch *batch, struct tk_err *err)
{
    for (size_t i = 0; i < batch->n_facts; i++)
        if (batch->facts[i].kind == TK_FACT_DEFINITION &&
            tk_ut_references_add(&c->references, &batch->facts[i].u.definition, c->ctx->limits.rows) != TK_OK)
            return tk_err_nomem(err, "definitions");
    return TK_OK;
}

/* What is wrong with the capture is known by the reading that follows. */
static int read_all_learn_references(struct tk_ut_capture *c, struct tk_err *err)
{
    const struct tk_request request = {.facts = TK_FACT_MASK(DEFINITION)};
    struct tk_health health = c->ctx->health;
    struct tk_source *source = NULL;
    struct tk_batch batch;
    c->ctx->health = (struct tk_health){.muted = UINT64_MAX};
    int rc = tk_ut_source_file(c, &request, &source, err);
    while (rc >= 0 && (rc = tk_source_next(source, &batch, err)) == TK_ITEM)
        rc = take_learn_references(c, &batch, err);
    tk_source_close(source);
    tk_health_release(&c->ctx->health);
    c->ctx->health = health;
    if (c->references.left_out)
        tk_health_limit(&c->ctx->health, TK_LIMIT_rows, TK_NO_OFFSET, c->references.left_out,
                        "definitions are not shown where they are referred to");
    return rc;
}

static bool has_reference(const struct tk_ut_type *t)
{
    for (uint32_t i = 0; i < t->n_fields; i++)
        if (t->fields[i].family == TK_UT_REFERENCE)
            return true;
    return false;
}

int tk_ut_references_learn(struct tk_ut_capture *c, const struct tk_request *request, struct tk_err *err)
{
    bool wanted = false;
    for (size_t i = 0; i < c->schema.types.n && request->resolved && !c->references.known && !wanted; i++)
        wanted = has_reference(c->schema.types.v[i]) && tk_ut_wants_record(request, c->schema.types.v[i]);
    if (!wanted)
        return TK_OK;
    c->references.known = true;
    return read_all_learn_references(c, err);
}
