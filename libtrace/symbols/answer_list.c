/*
 * Sorted answers. See answer_list.h.
 */
#include "symbols/answer_list.h"

const struct tk_sym_question *tk_answer_list_find(struct tk_answer_list *list, uint64_t address)
{
    size_t at = list->at;
    while (at < list->v.n && at <= list->at + 1 && list->v.v[at].address < address)
        at++;
    if (at >= list->v.n || list->v.v[at].address != address)
        at = tk_sym_from(list->v.v, list->v.n, address);
    if (at >= list->v.n || list->v.v[at].address != address)
        return NULL;
    list->at = at;
    return &list->v.v[at];
}

int tk_answer_list_add(struct tk_answer_list *list, const struct tk_sym_question *v, size_t n)
{
    size_t old = list->v.n, at = old + n;
    if (at >= UINT32_MAX || tk_vec_reserve(&list->v, at))
        return -1;
    list->v.n = at;
    while (n)
        list->v.v[--at] = old && list->v.v[old - 1].address > v[n - 1].address ? list->v.v[--old] : v[--n];
    return 0;
}

void tk_answer_list_release(struct tk_answer_list *list)
{
    tk_vec_release(&list->v);
    list->at = 0;
}
