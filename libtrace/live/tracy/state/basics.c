/*
 * What all handlers use: memory that is counted, times, questions, broken rules (tracy-live 3, 6, 8, 11).
 */
#include "base/saturate.h"
#include "base/wrap.h"
#include "live/tracy/state/state.h"

#include <string.h>

enum { MAP_ENTRY = 32 };

int tk_tl_charge(struct tk_tl_state *s, uint64_t bytes)
{
    s->charged += bytes;
    if (s->charged <= s->options.names)
        return TK_OK;
    return tk_err_set(s->err, TK_ELIMIT,
                      "names, callstacks and what else a recording keeps in memory exceed %llu MiB",
                      (unsigned long long)(s->options.names >> 20));
}

int tk_tl_column_error(struct tk_tl_state *s)
{
    return tk_spill_columns_error(s->columns, s->err);
}

int tk_tl_map_put(struct tk_tl_state *s, struct tk_map *m, uint64_t key, uint32_t value)
{
    TK_TL_TRY(tk_tl_charge(s, MAP_ENTRY));
    return tk_map_put(m, key, value) ? tk_tl_nomem(s) : TK_OK;
}

int64_t tk_tl_ns(const struct tk_tl_state *s, int64_t ticks)
{
    return tk_saturate_i64((double)tk_wrap_sub(ticks, s->welcome.base) * s->welcome.period);
}

int tk_tl_ask(struct tk_tl_state *s, enum tk_tl_question question, uint64_t pointer, uint32_t extra)
{
    struct tk_tl_queue *q = tk_tl_is_name(question) ? &s->names_first : &s->others;
    const struct tk_tl_question_entry entry = {pointer, extra, (uint8_t)question};
    if (q->head == q->v.n)
        q->head = q->v.n = 0;
    s->asked++;
    return tk_tl_push(s, &q->v, entry);
}
