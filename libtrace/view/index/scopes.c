/*
 * Scopes of a window that the index has one by one. See index.h.
 */
#include "base/err.h"
#include "view/index/fold.h"

#include <stdlib.h>

static int64_t end_of_ends(const struct tk_index_question *q, uint64_t longest)
{
    const uint64_t left = (uint64_t)INT64_MAX - (uint64_t)q->to;
    return longest < left ? (int64_t)((uint64_t)q->to + longest) : INT64_MAX;
}

int tk_index_scopes_read(struct tk_index *index, const struct tk_index_chunks *list, uint64_t longest,
                         struct tk_index_fold *f, struct tk_err *err)
{
    struct tk_index_scope *v = list->v.n ? calloc(TK_INDEX_SCOPES, sizeof *v) : NULL;
    const int64_t end = end_of_ends(f->question, longest);
    int rc = v || !list->v.n ? TK_OK : tk_err_nomem(err, "a window");
    for (size_t i = tk_index_chunks_from(list, f->question->from);
         rc == TK_OK && i < list->v.n && list->v.v[i].first <= end; i++) {
        const struct tk_index_chunk *chunk = &list->v.v[i];
        const uint8_t *p;
        rc = tk_index_store_read(index->store, chunk, &p, err);
        if (rc == TK_OK && !tk_index_scopes_get(v, chunk, p))
            rc = tk_index_damaged(err);
        for (size_t k = 0; rc == TK_OK && k < chunk->n; k++)
            rc = tk_index_fold_add(f, &v[k], err);
    }
    free(v);
    return rc;
}

int tk_index_long_scopes(struct tk_index *index, const struct tk_index_strip *lane, unsigned level,
                         const struct tk_index_question *q, struct tk_index_window *out, struct tk_err *err)
{
    struct tk_index_fold f;
    int rc = TK_OK;
    tk_index_fold_begin(&f, index, lane->reading, q, out);
    f.pixel = 0; /* they are wider */
    for (unsigned k = level; k < lane->n_levels && rc == TK_OK; k++)
        rc = tk_index_scopes_read(index, &lane->levels[k]->scope_chunks,
                                  k + 2 < TK_INDEX_LEVELS ? tk_index_bin_width(index, k + 1) : INT64_MAX, &f,
                                  err);
    for (size_t i = 0; i < lane->unended.n && rc == TK_OK; i++)
        rc = tk_index_fold_add(&f, &lane->unended.v[i], err);
    tk_index_fold_release(&f);
    return rc;
}
