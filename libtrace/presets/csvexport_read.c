/*
 * Reads what the tables of the preset `tracy` need of a capture. It runs before the rows are written.
 */
#include "presets/presets_in.h"

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

struct reading {
    struct tk_csvexport *x;
    int (*take)(void *self, const struct tk_batch *batch, struct tk_err *err);
    void *self;
};

static int take_batch(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    const struct reading *r = self;
    int rc = r->take(r->self, batch, err);
    return rc == TK_OK ? r->x->out.status : rc;
}

int tk_csvexport_read(struct tk_csvexport *x, uint64_t facts,
                      int (*take)(void *self, const struct tk_batch *batch, struct tk_err *err), void *self,
                      struct tk_err *err)
{
    /* Plots count from the first time of the capture, which the start-up says. */
    const struct tk_request request = {.facts = facts, .startup = facts & TK_FACT_MASK(COUNTER_VALUE)};
    struct reading r = {.x = x, .take = take, .self = self};
    const struct tk_dict_taker taker = {.self = &r, .batch = take_batch};
    struct tk_dict_source pull = {.ctx = x->job->ctx, .dict = &x->dict};
    int rc = tk_dict_source_read(&pull, x->job->capture, &request, &taker, err);
    tk_dict_source_close(&pull);
    return rc;
}
