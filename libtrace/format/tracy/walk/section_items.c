/*
 * What sections share: lists, records, definitions.
 */
#include "fact/progress.h"
#include "format/tracy/walk/section.h"
#include "io/file.h"

#include <string.h>

/* ---- progress ---- */

int tk_tracy_walk_tell(const struct tk_tracy_walk *w, uint64_t at, struct tk_err *err)
{
    const struct tk_context *ctx = w->c->ctx;
    return tk_progress(ctx, tk_tracy_block_offset(w, at), tk_file_size(ctx->file), err);
}

/* ---- lists ---- */

uint64_t tk_tracy_read_count(struct tk_tracy_walk *w, const char *what)
{
    uint64_t at = tk_tracy_at(&w->in), n = tk_tracy_u64(&w->in, what);
    if (n <= w->c->ctx->limits.unpacked_bytes)
        return n;
    tk_tracy_fail(&w->in, at, what);
    return 0;
}

bool tk_tracy_list_next(struct tk_tracy_walk *w, struct tk_tracy_list *list, const char *what)
{
    if (!list->begun) {
        list->n = list->left = tk_tracy_read_count(w, what);
        list->begun = true;
    }
    if (!list->left || !tk_tracy_ok(&w->in))
        return false;
    list->left--;
    return true;
}

int tk_tracy_list_walk(struct tk_tracy_walk *w, struct tk_tracy_list *list, const char *what,
                       int (*item)(struct tk_tracy_walk *w, void *state), void *state)
{
    int rc = TK_OK;
    while (rc == TK_OK) {
        if (tk_tracy_batch_full(w->out))
            return TK_ITEM;
        if (!tk_tracy_list_next(w, list, what))
            break;
        rc = item(w, state);
    }
    return rc;
}

void tk_tracy_skip_items(struct tk_tracy_walk *w, uint64_t n, uint64_t size, const char *what)
{
    if (n > UINT64_MAX / size)
        tk_tracy_fail(&w->in, tk_tracy_at(&w->in), what);
    else
        tk_tracy_skip(&w->in, n * size, what);
}

void tk_tracy_pass_list(struct tk_tracy_walk *w, uint64_t size, const char *what)
{
    uint64_t n = tk_tracy_read_count(w, what);
    tk_tracy_skip_items(w, n, size, what);
    w->items += n;
}

void tk_tracy_skip_list(struct tk_tracy_walk *w, uint64_t size, enum tk_tracy_record record, const char *what)
{
    uint64_t n = tk_tracy_read_count(w, what);
    tk_tracy_skip_items(w, n, size, what);
    if (tk_tracy_ok(&w->in))
        tk_tracy_count(w, record, n, n * size);
}

/* ---- records and definitions ---- */

void tk_tracy_tally(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t n, uint64_t bytes)
{
    w->counts[record] += n;
    w->bytes[record] += bytes;
}

void tk_tracy_count(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t n, uint64_t bytes)
{
    w->items += n;
    tk_tracy_tally(w, record, n, bytes);
}

static int say_section_items(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t at,
                             uint32_t thread, int64_t time, bool has_time, const struct tk_cell *cells)
{
    const struct tk_record_type *type = &tk_tracy_record_types[record];
    size_t size = type->n_fields * sizeof *cells;
    struct tk_cell *copy = tk_arena_alloc(&w->out->arena, size);
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_RECORD, thread, time);
    if (!copy || !fact)
        return TK_ENOMEM;
    memcpy(copy, cells, size);
    fact->u.record = (struct tk_fact_record){.rec = {type, copy},
                                             .offset = tk_tracy_block_offset(w, at),
                                             .within = (uint32_t)(at % TK_TRACY_BLOCK),
                                             .has_time = has_time};
    return TK_OK;
}

int tk_tracy_say(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t at, uint32_t thread,
                 int64_t time, const struct tk_cell *cells)
{
    return say_section_items(w, record, at, thread, time, true, cells);
}

int tk_tracy_say_timeless(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t at,
                          const struct tk_cell *cells)
{
    return say_section_items(w, record, at, TK_NO_THREAD, 0, false, cells);
}

bool tk_tracy_wants_rows(const struct tk_tracy_walk *w, const struct tk_table *table)
{
    for (size_t i = 0; tk_tracy_wants_fact(w, TK_FACT_ROW) && i < w->request->n_rows; i++)
        if (w->request->rows[i] == table)
            return true;
    return false;
}

struct tk_cell *tk_tracy_row(struct tk_tracy_walk *w, const struct tk_table *table, uint32_t thread)
{
    struct tk_cell *cells = tk_arena_alloc(&w->out->arena, table->n_columns * sizeof *cells);
    struct tk_fact *fact = cells ? tk_tracy_batch_fact(w->out, TK_FACT_ROW, thread, 0) : NULL;
    if (!fact)
        return NULL;
    memset(cells, 0, table->n_columns * sizeof *cells);
    fact->u.row = (struct tk_fact_row){.table = table, .cells = cells};
    return cells;
}

struct tk_cell *tk_tracy_timed_row(struct tk_tracy_walk *w, const struct tk_table *table, uint32_t thread,
                                   int64_t time)
{
    struct tk_cell *cells = tk_tracy_row(w, table, thread);
    if (!cells)
        return NULL;
    struct tk_fact *fact = &w->out->facts.v[w->out->facts.n - 1];
    fact->time = fact->u.row.end = time;
    fact->u.row.has_time = true;
    return cells;
}

int tk_tracy_walk_define(struct tk_tracy_walk *w, const struct tk_fact *fact)
{
    if (tk_tracy_define(w->c, fact) != TK_OK)
        return TK_ENOMEM;
    return tk_vec_push(&w->out->facts, *fact) ? TK_ENOMEM : TK_OK;
}

uint32_t tk_tracy_thread(const struct tk_tracy_walk *w, uint64_t tid)
{
    return tk_tracy_thread_number(&w->c->threads, tid); /* both mean none by the greatest number */
}

int tk_tracy_know_threads(struct tk_tracy_walk *w)
{
    return w->c->threads_known || !w->learn_threads ? TK_OK : w->learn_threads(w);
}

uint32_t tk_tracy_local_thread(const struct tk_tracy_walk *w, uint16_t compressed)
{
    return compressed && compressed < w->c->threads.local.n ? compressed : TK_NO_THREAD;
}
