/*
 * The preset `tracy`: what its tables read of a capture. See csvexport.h.
 */
#include "export/preset/tracy/csvexport.h"
#include "health/health_reread.h"

#include <string.h>

int64_t tk_tracy_session(const struct tk_tracy_export *x, const char *key)
{
    size_t n = strlen(key);
    for (size_t i = 0; i < x->dict.session.n; i++) {
        const struct tk_session_item *item = &x->dict.session.v[i];
        if (item->key->n == n && memcmp(item->key->p, key, n) == 0)
            return item->value.kind == TK_NONE ? 0 : item->value.v.i;
    }
    return 0;
}

int tk_tracy_read(struct tk_tracy_export *x, uint64_t facts,
                  int (*take)(void *self, const struct tk_batch *batch, struct tk_err *err), void *self,
                  struct tk_err *err)
{
    const struct tk_request request = {.facts = facts};
    struct tk_pull pull;
    struct tk_batch batch;
    struct tk_context *ctx = x->job->ctx;
    struct tk_health before;
    tk_carry_start(&ctx->health, &before, ctx->opened);
    int rc = tk_pull_open(&pull, ctx, x->job->capture, &request, &x->dict, err);
    while (rc >= 0 && (rc = tk_pull_next(&pull, &batch, err)) == TK_ITEM) {
        rc = take(self, &batch, err);
        if (rc == TK_OK)
            rc = x->out.status;
    }
    tk_pull_close(&pull);
    tk_carry_finish(&ctx->health, &before);
    return rc;
}
