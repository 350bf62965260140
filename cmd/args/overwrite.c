/*
 * See overwrite.h.
 */
#include "args/overwrite.h"

#include "terminal/host.h"

#include <string.h>

static bool is_one_of(const char *path, const struct tk_opt_list *operands)
{
    for (size_t i = 0; operands && i < operands->n; i++)
        if (tk_host_same_file(path, operands->v[i]))
            return true;
    return false;
}

const char *tk_overwrite_find(const struct tk_opt_set *set, const struct tk_opt_list *operands)
{
    static const char *const names[] = {"output", "write-budget"};
    const struct tk_opt_list *more = tk_opt_listed(set, "vs"), *reports = tk_opt_listed(set, "report");
    const char *path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((path = tk_opt_given(set, names[i])) && (is_one_of(path, operands) || is_one_of(path, more)))
            return path;
    for (size_t i = 0; reports && i < reports->n; i++) /* KIND or KIND=FILE */
        if ((path = strchr(reports->v[i], '=')) &&
            (is_one_of(path + 1, operands) || is_one_of(path + 1, more)))
            return path + 1;
    return NULL;
}

const char *tk_overwrite_twice(const struct tk_opt_set *set)
{
    const char *output = tk_opt_given(set, "output"), *index = tk_opt_given(set, "index");
    return output && index && (strcmp(output, index) == 0 || tk_host_same_file(output, index)) ? index : NULL;
}
