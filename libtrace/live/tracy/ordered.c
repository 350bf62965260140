/*
 * Columns read in order of time, with a sort where they are not (tracy-live 12: plots, samples, merged
 * frames).
 */
#include "live/tracy/tracy_in.h"

#include <string.h>

enum { SORT_BYTES = 1 << 20 };

struct entry {
    int64_t time;
    uint64_t order;
    uint8_t record[TK_TL_ORDERED];
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int fill_sort(struct tk_tl_ordered *o)
{
    struct entry e = {.order = 0};
    const void *record;
    int rc;
    while ((rc = tk_spill_column_read(&o->reading, &record)) == TK_ITEM) {
        memcpy(&e.time, record, sizeof e.time);
        memcpy(e.record, record, sizeof e.record);
        e.order++;
        if ((rc = tk_external_sort_add(o->sort, &e, o->err)) != TK_OK)
            return rc;
    }
    return rc == TK_OK ? tk_external_sort_start(o->sort, o->err) : rc;
}

int tk_tl_ordered_open(struct tk_tl_ordered *o, struct tk_tl_state *s, const struct tk_spill_column *c,
                       bool sort, struct tk_err *err)
{
    memset(o, 0, sizeof *o);
    o->err = err;
    tk_spill_column_reading_open(&o->reading, c, err);
    if (!sort || tk_spill_column_count(c) < 2)
        return TK_OK;
    int rc = tk_external_sort_open(&o->sort, s->options.scratch, sizeof(struct entry), compare_entries,
                                   SORT_BYTES, err);
    return rc == TK_OK ? fill_sort(o) : rc;
}

int tk_tl_ordered_next(struct tk_tl_ordered *o, const void **record)
{
    if (!o->sort)
        return tk_spill_column_read(&o->reading, record);
    int rc = tk_external_sort_next(o->sort, record, o->err);
    if (rc == TK_ITEM)
        *record = ((const struct entry *)*record)->record;
    return rc;
}

void tk_tl_ordered_close(struct tk_tl_ordered *o)
{
    tk_spill_column_reading_close(&o->reading);
    tk_external_sort_close(o->sort);
    o->sort = NULL;
}
