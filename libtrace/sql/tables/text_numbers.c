/*
 * Texts with numbers: what stands for the table `string` of an exported database. See store.h.
 */
#include "base/hash.h"
#include "sql/tables/store.h"

#include <stdlib.h>

int64_t tk_sql_number_of(struct tk_sql_connection *c, const struct tk_str *text)
{
    const uint64_t key = (uint64_t)(uintptr_t)text;
    const uint32_t found = tk_map_get(&c->numbers, key);
    if (found != TK_MAP_NONE)
        return (int64_t)found + 1;
    if (c->numbered.n >= TK_MAP_NONE || tk_vec_push(&c->numbered, text))
        return 0;
    if (tk_map_put(&c->numbers, key, (uint32_t)(c->numbered.n - 1))) {
        c->numbered.n--;
        return 0;
    }
    return (int64_t)c->numbered.n;
}

const struct tk_str *tk_sql_text_of(const struct tk_sql_connection *c, int64_t number)
{
    return number > 0 && (uint64_t)number <= c->numbered.n ? c->numbered.v[number - 1] : NULL;
}

void tk_sql_numbers_release(struct tk_sql_connection *c)
{
    tk_map_release(&c->numbers);
    tk_vec_release(&c->numbered);
}
