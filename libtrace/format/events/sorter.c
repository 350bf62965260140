/*
 * Sorting of items; see sorter.h.
 */
#include "format/events/sorter.h"

#define DISK_MEMORY ((size_t)16 << 20) /* bytes for what is sorted in a temporary file */

static int move_to_disk(struct tk_ev_sorter *s, struct tk_err *err)
{
    int rc = tk_external_sort_open(&s->disk, s->dir, sizeof(struct tk_ev_item), s->compare, DISK_MEMORY, err);
    for (size_t i = 0; i < s->held.n && rc == TK_OK; i++)
        rc = tk_external_sort_add(s->disk, &s->held.v[i], err);
    tk_vec_release(&s->held);
    return rc;
}

int tk_ev_sorter_add(struct tk_ev_sorter *s, const struct tk_ev_item *item, struct tk_err *err)
{
    if (!s->disk && s->held.n < s->most)
        return tk_vec_push(&s->held, *item) ? tk_err_nomem(err, "events to sort") : TK_OK;
    int rc = s->disk ? TK_OK : move_to_disk(s, err);
    return rc == TK_OK ? tk_external_sort_add(s->disk, item, err) : rc;
}

int tk_ev_sorter_start(struct tk_ev_sorter *s, struct tk_err *err)
{
    s->at = 0;
    if (s->disk)
        return tk_external_sort_start(s->disk, err);
    return tk_ev_sort_items(s->held.v, s->held.n, s->compare) ? tk_err_nomem(err, "events to sort") : TK_OK;
}

int tk_ev_sorter_next(struct tk_ev_sorter *s, const struct tk_ev_item **out, struct tk_err *err)
{
    const void *record = NULL;
    if (!s->disk) {
        *out = s->at < s->held.n ? &s->held.v[s->at++] : NULL;
        return *out ? TK_ITEM : TK_OK;
    }
    int rc = tk_external_sort_next(s->disk, &record, err);
    *out = record;
    return rc;
}

void tk_ev_sorter_clear(struct tk_ev_sorter *s)
{
    tk_external_sort_close(s->disk);
    s->disk = NULL;
    tk_vec_release(&s->held);
    s->at = 0;
}
