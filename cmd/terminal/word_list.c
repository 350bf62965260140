/*
 * Lists of words.
 */
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

bool tk_opt_list_add(struct tk_opt_list *list, const char *text, size_t n)
{
    char **v = realloc(list->v, (list->n + 1) * sizeof *v);
    char *copy = malloc(n + 1);
    if (v)
        list->v = v;
    if (!v || !copy) {
        free(copy);
        return false;
    }
    memcpy(copy, text, n);
    copy[n] = 0;
    list->v[list->n++] = copy;
    return true;
}

void tk_opt_list_release(struct tk_opt_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i]);
    free(list->v);
    *list = (struct tk_opt_list){0};
}
