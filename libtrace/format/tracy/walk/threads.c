/*
 * See threads.h.
 */
#include "format/tracy/walk/threads.h"

#include "base/text/text.h"

int tk_tracy_threads_add(struct tk_tracy_threads *t, uint64_t tid)
{
    uint32_t number = (uint32_t)t->local.n;
    if (tk_vec_push(&t->local, tid))
        return -1;
    return tk_map_get(&t->number, tid) == TK_MAP_NONE ? tk_map_put(&t->number, tid, number) : 0;
}

int tk_tracy_threads_name(struct tk_tracy_threads *t, uint64_t tid, uint64_t key)
{
    uint32_t at = (uint32_t)t->names.n;
    if (tk_vec_push(&t->names, key) || tk_vec_push(&t->named, tid))
        return -1;
    return tk_map_put(&t->name_of, tid, at);
}

int tk_tracy_threads_name_external(struct tk_tracy_threads *t, uint64_t tid, struct tk_tracy_external names)
{
    uint32_t at = (uint32_t)t->externals.n;
    return tk_vec_push(&t->externals, names) ? -1 : tk_map_put(&t->external_of, tid, at);
}

uint32_t tk_tracy_thread_number(const struct tk_tracy_threads *t, uint64_t tid)
{
    return tk_map_get(&t->number, tid);
}

void tk_tracy_thread_external(const struct tk_tracy_threads *t, const struct tk_tracy_strings *strings,
                              uint64_t tid, const struct tk_str **process, const struct tk_str **name)
{
    uint32_t at = tk_map_get(&t->external_of, tid);
    *process = at == TK_MAP_NONE ? NULL : tk_tracy_string_of_key(strings, t->externals.v[at].process);
    *name = at == TK_MAP_NONE ? NULL : tk_tracy_string_of_key(strings, t->externals.v[at].name);
}

static bool is_number(const struct tk_str *name, uint64_t tid)
{
    char digits[20];
    return name->n == tk_put_u64(digits, tid) && memcmp(name->p, digits, name->n) == 0;
}

const struct tk_str *tk_tracy_thread_name(const struct tk_tracy_threads *t,
                                          const struct tk_tracy_strings *strings, uint64_t tid)
{
    uint32_t at = tk_map_get(&t->name_of, tid);
    const struct tk_str *own = at == TK_MAP_NONE ? NULL : tk_tracy_string_of_key(strings, t->names.v[at]);
    const struct tk_str *process, *outer;
    if (own && !is_number(own, tid))
        return own;
    tk_tracy_thread_external(t, strings, tid, &process, &outer);
    return outer && outer->n ? outer : own;
}

bool tk_tracy_threads_open_names(const struct tk_tracy_threads *t)
{
    for (size_t i = 0; i < t->named.n; i++)
        if (tk_tracy_thread_number(t, t->named.v[i]) == TK_MAP_NONE)
            return true;
    return false;
}

void tk_tracy_threads_release(struct tk_tracy_threads *t)
{
    tk_vec_release(&t->local);
    tk_vec_release(&t->external);
    tk_vec_release(&t->externals);
    tk_vec_release(&t->names);
    tk_vec_release(&t->named);
    tk_map_release(&t->number);
    tk_map_release(&t->name_of);
    tk_map_release(&t->external_of);
}
