/*
 * Gaps in order.
 */
#include "base/sort.h"
#include "model/marks/frame_list.h"

int tk_gap_list_add(struct tk_gap_list *list, const struct tk_fact *fact)
{
    return tk_vec_push(&list->at, fact->seq);
}

static int by_seq(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int tk_gap_list_settle(struct tk_gap_list *list)
{
    list->next = 0;
    return tk_sort(list->at.v, list->at.n, sizeof *list->at.v, by_seq);
}

bool tk_gap_list_before(struct tk_gap_list *list, uint64_t seq)
{
    size_t first = list->next;
    while (list->next < list->at.n && list->at.v[list->next] < seq)
        list->next++;
    return list->next > first;
}

bool tk_gap_list_between(const struct tk_gap_list *list, uint64_t from, uint64_t to)
{
    size_t low = 0, high = list->at.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->at.v[middle] <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->at.n && list->at.v[low] < to;
}

void tk_gap_list_release(struct tk_gap_list *list)
{
    tk_vec_release(&list->at);
}
