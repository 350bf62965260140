/*
 * A source and its dictionary. See dict_source.h.
 */
#include "engine/dict_source.h"

int tk_dict_source_open(struct tk_dict_source *p, struct tk_context *ctx, struct tk_capture *capture,
                        const struct tk_request *request, struct tk_dict *dict, struct tk_err *err)
{
    *p = (struct tk_dict_source){.ctx = ctx, .dict = dict};
    return capture->ops->read(capture, request, &p->source, err);
}

int tk_dict_source_next(struct tk_dict_source *p, struct tk_batch *out, struct tk_err *err)
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
