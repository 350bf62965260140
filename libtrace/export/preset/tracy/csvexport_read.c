/*
 * The preset `tracy`: what its tables read of a capture. See csvexport.h.
 */
#include "export/preset/tracy/csvexport.h"
#include "health/health_reread.h"

#include <string.h>

int64_t tk_csvexport_session(const struct tk_csvexport *x, const char *key)
{
    size_t n = strlen(key);
    for (size_t i = 0; i < x->dict.session.n; i++) {
        const struct tk_session_item *item = &x->dict.session.v[i];
        if (item->key->n == n && memcmp(item->key->p, key, n) == 0)
            return item->value.kind == TK_NONE ? 0 : item->value.v.i;
    }
    return 0;
}

int tk_csvexport_read(struct tk_csvexport *x, uint64_t facts,
                      int (*take)(void *self, const struct tk_batch *batch, struct tk_err *err), void *self,
                      struct tk_err *err)
{
    const struct tk_request request = {.facts = facts};
    struct tk_dict_source pull;
    struct tk_batch batch;
    struct tk_context *ctx = x->job->ctx;
    struct tk_health before;
    tk_health_reread_start(&ctx->health, &before, ctx->opened);
    int rc = tk_dict_source_open(&pull, ctx, x->job->capture, &request, &x->dict, err);
    while (rc >= 0 && (rc = tk_dict_source_next(&pull, &batch, err)) == TK_ITEM) {
        rc = take(self, &batch, err);
        if (rc == TK_OK)
            rc = x->out.status;
    }
    tk_dict_source_close(&pull);
    tk_health_reread_finish(&ctx->health, &before);
    return rc;
}
