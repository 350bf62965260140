/*
 * A source and its dictionary. See dict_source.h.
 */
#include "engine/dict_source.h"

#include "base/health/health.h"
#include "tracekit/captures.h"

/* TK_ITEM with a batch that the dictionary has taken, TK_OK at the end. */
static int next_batch(struct tk_dict_source *p, struct tk_batch *out, struct tk_err *err)
{
    int rc = tk_source_next(p->source, out, err);
    for (size_t i = 0; rc == TK_ITEM && i < out->n_facts; i++) {
        int fed = tk_dict_feed(p->dict, &out->facts[i], err);
        if (fed < 0)
            return fed;
    }
    int strict = rc < 0 ? TK_OK : tk_damage_fail(p->ctx, err);
    return strict < 0 ? strict : rc;
}

/* Does it go through the events of the capture? */
static bool reads_events(const struct tk_request *request)
{
    return request->facts & ~(TK_FACT_DEFINITIONS | TK_FACT_MASK(STREAM)) && !request->ends;
}

static int read_batches(struct tk_dict_source *p, struct tk_capture *capture,
                        const struct tk_request *request, const struct tk_dict_taker *taker,
                        struct tk_err *err)
{
    struct tk_batch batch;
    int rc = capture->ops->read(capture, request, &p->source, err);
    while (rc >= 0 && (rc = next_batch(p, &batch, err)) == TK_ITEM)
        rc = taker->batch(taker->self, &batch, err);
    if (rc == TK_OK && reads_events(request))
        p->ctx->read = true;
    return rc == TK_OK && taker->end ? taker->end(taker->self, err) : rc;
}

int tk_dict_source_read(struct tk_dict_source *p, struct tk_capture *capture,
                        const struct tk_request *request, const struct tk_dict_taker *taker,
                        struct tk_err *err)
{
    struct tk_health before;
    tk_health_reread_start(&p->ctx->health, &before, p->ctx->opened);
    p->ctx->earlier = &before;
    int rc = read_batches(p, capture, request, taker, err);
    if (rc < 0)
        tk_dict_source_close(p); /* what still decodes ahead may find faults, too */
    p->ctx->earlier = NULL;
    tk_health_reread_finish(&p->ctx->health, &before);
    return rc;
}

void tk_dict_source_close(struct tk_dict_source *p)
{
    tk_source_close(p->source);
    p->source = NULL;
}

int tk_damage_fail(const struct tk_context *ctx, struct tk_err *err)
{
    const struct tk_health *h = &ctx->health;
    if (!ctx->options || !ctx->options->strict || !tk_health_damaged(h))
        return TK_OK;
    for (size_t i = 0; i < h->n_items; i++) {
        const struct tk_health_item *item = &h->items[i];
        if (!tk_health_is_damage(item->kind))
            continue;
        if (item->offset == TK_NO_OFFSET)
            return tk_err_set(err, TK_EDAMAGE, "%s", item->text);
        return tk_err_set(err, TK_EDAMAGE, "%s (offset %llu)", item->text, (unsigned long long)item->offset);
    }
    return tk_err_set(err, TK_EDAMAGE, "the capture is damaged");
}
