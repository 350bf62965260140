/*
 */
#include "base/text/text.h"
#include "format/tracy/walk/own_tables.h"

#define NO_LOCATION 32767
#define IDS         65536u

static size_t count_statics(const struct tk_tracy_locations *l)
{
    size_t n = l->expand.n ? l->expand.n - 1 : 0;
    return n < NO_LOCATION - 1 ? n : NO_LOCATION - 1;
}

static size_t count_dynamics(const struct tk_tracy_locations *l)
{
    return l->dynamics.n < IDS / 2 ? l->dynamics.n : IDS / 2;
}

int tk_tracy_locations_number(struct tk_tracy_locations *l)
{
    uint32_t statics = (uint32_t)count_statics(l), dynamics = (uint32_t)count_dynamics(l);
    l->none = statics + dynamics;
    l->unknown = l->none + 1;
    if (!l->timers && !(l->timers = malloc(IDS * sizeof *l->timers)))
        return -1;
    for (uint32_t i = 0; i < IDS; i++)
        l->timers[i] = l->unknown;
    l->timers[0] = l->timers[NO_LOCATION] = l->none;
    for (uint32_t i = 0; i < statics; i++)
        l->timers[i + 1] = i;
    for (uint32_t i = 0; i < dynamics; i++)
        l->timers[IDS - 1 - i] = statics + i;
    return 0;
}

int16_t tk_tracy_location_id(const struct tk_tracy_locations *l, uint32_t timer)
{
    uint32_t statics = (uint32_t)count_statics(l);
    return (int16_t)(timer < statics ? (int)timer + 1 : -(int)(timer - statics) - 1);
}

static const struct tk_tracy_location *find_locations(const struct tk_tracy_locations *l, int16_t id)
{
    size_t dynamic = (size_t)(-(int)id - 1);
    if (id < 0)
        return dynamic < l->dynamics.n ? &l->dynamics.v[dynamic] : NULL;
    if (id == 0 || (size_t)id >= l->expand.n)
        return NULL;
    uint32_t i = tk_map_get(&l->by_address, l->expand.v[id]);
    return i == TK_MAP_NONE ? NULL : &l->statics.v[i];
}

bool tk_tracy_location_exists(const struct tk_tracy_locations *l, int16_t id)
{
    return id == 0 || id == NO_LOCATION || find_locations(l, id);
}

struct tk_tracy_place tk_tracy_location_of(const struct tk_tracy_locations *l,
                                           const struct tk_tracy_strings *strings, int16_t id)
{
    const struct tk_tracy_location *found = find_locations(l, id);
    if (!found)
        return (struct tk_tracy_place){.name = &tk_tracy_missing, .is_function = true};
    struct tk_tracy_place place = {.name = tk_tracy_string_of_ref(strings, found->name),
                                   .function = tk_tracy_string_of_ref(strings, found->function),
                                   .file = tk_tracy_string_of_ref(strings, found->file),
                                   .line = found->line,
                                   .colour = found->colour};
    place.is_function = !place.name;
    if (!place.name)
        place.name = place.function ? place.function : &tk_tracy_missing;
    return place;
}

void tk_tracy_locations_release(struct tk_tracy_locations *l)
{
    tk_vec_release(&l->statics);
    tk_map_release(&l->by_address);
    tk_vec_release(&l->expand);
    tk_vec_release(&l->dynamics);
    tk_vec_release(&l->counts);
    tk_timer_keys_release(&l->keys);
    free(l->timers);
    *l = (struct tk_tracy_locations){0};
}

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
