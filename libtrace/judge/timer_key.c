/*
 * What a timer is to all that judges or adds up, and which timers of a capture are the same.
 */
#include "judge/timer_key.h"

#include <string.h>

enum tk_timer_class tk_timer_class_of(uint8_t timer_kind)
{
    switch (timer_kind) {
    case TK_TIMER_GPU:
        return TK_TIMERS_OF_GPU;
    case TK_TIMER_GPU_WORK:
        return TK_TIMERS_OF_GPU_WORK;
    case TK_TIMER_GPU_WAIT:
        return TK_TIMERS_OF_GPU_WAIT;
    default:
        return TK_TIMERS_OF_CPU;
    }
}

static bool is_bare(const struct tk_str *name)
{
    for (size_t i = 0; i + 1 < name->n; i++)
        if (name->p[i] == ':' && name->p[i + 1] == ':')
            return false;
    return true;
}

bool tk_timer_is_by_file(const struct tk_str *name, bool is_function)
{
    return is_function && is_bare(name);
}

struct tk_str tk_timer_file_name(const struct tk_str *file)
{
    if (!file)
        return (struct tk_str){.p = ""};
    uint32_t n = file->n;
    while (n && file->p[n - 1] != '/' && file->p[n - 1] != '\\')
        n--;
    return (struct tk_str){.p = file->p + n, .n = file->n - n, .enc = file->enc};
}

/* Never 0. */
static uint64_t hash_of_key(const struct tk_fact_timer *timer)
{
    const struct tk_str *name = timer->name;
    uint64_t hash =
        tk_hash_bytes(name->p, name->n, (uint64_t)tk_timer_class_of(timer->kind) << 8 | name->enc);
    if (tk_timer_is_by_file(name, timer->is_function)) {
        const struct tk_str file = tk_timer_file_name(timer->file);
        hash = tk_hash_bytes(file.p, file.n, hash + 1);
    }
    return hash ? hash : 1;
}

static int reach(struct tk_timer_keys *k, uint32_t id)
{
    if (tk_vec_reach(&k->hashes, (size_t)id + 1) || tk_vec_reach(&k->shared, (size_t)id + 1) ||
        tk_vec_reserve(&k->same, (size_t)id + 1))
        return -1;
    while (k->same.n <= id) {
        k->same.v[k->same.n] = (uint32_t)k->same.n;
        k->same.n++;
    }
    return 0;
}

/* Finds out which one it is the same as, or that it is the first. */
static int join(struct tk_timer_keys *k, uint32_t id)
{
    const uint64_t hash = k->hashes.v[id];
    const uint32_t first = hash ? tk_map_get(&k->index, hash) : TK_MAP_NONE;
    k->same.v[id] = id;
    if (first != TK_MAP_NONE && first != id && k->hashes.v[first] == hash) {
        k->same.v[id] = first;
        k->shared.v[first] = 1;
        k->merged++;
        k->changes++;
        return 0;
    }
    return hash ? tk_map_put(&k->index, hash, id) : 0;
}

/* Once the first of several has become another timer. */
static int join_again(struct tk_timer_keys *k)
{
    int rc = 0;
    k->merged = 0;
    k->changes++;
    tk_map_release(&k->index);
    for (size_t i = 0; i < k->shared.n; i++)
        k->shared.v[i] = 0;
    for (uint32_t i = 0; i < k->same.n && rc == 0; i++)
        rc = join(k, i);
    return rc;
}

int tk_timer_keys_add(struct tk_timer_keys *k, const struct tk_fact_timer *timer)
{
    const uint32_t id = timer->id;
    const uint64_t hash = timer->name ? hash_of_key(timer) : 0;
    if (reach(k, id))
        return -1;
    if (k->hashes.v[id] == hash)
        return 0;
    k->hashes.v[id] = hash;
    if (k->shared.v[id])
        return join_again(k);
    if (k->same.v[id] != id) {
        k->merged--;
        k->changes++;
    }
    return join(k, id);
}

void tk_timer_keys_release(struct tk_timer_keys *k)
{
    tk_vec_release(&k->same);
    tk_vec_release(&k->hashes);
    tk_vec_release(&k->shared);
    tk_map_release(&k->index);
}
