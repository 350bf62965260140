/*
 * See locations.h.
 *
 *   location, 35 bytes: 9 name, 9 function, 9 file, u32 line, u32 colour                     tracy-file 5.5
 */
#include "format/tracy/walk/locations.h"

#define NO_LOCATION 32767
#define IDS         65536u

struct tk_tracy_location tk_tracy_location_read(struct tk_tracy_payload *in)
{
    struct tk_tracy_location l = {.name = tk_tracy_ref(in, "name of a source location")};
    l.function = tk_tracy_ref(in, "function of a source location");
    l.file = tk_tracy_ref(in, "file of a source location");
    l.line = tk_tracy_u32(in, "line of a source location");
    l.colour = tk_tracy_u32(in, "colour of a source location");
    return l;
}

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
        return (struct tk_tracy_place){.name = &tk_tracy_missing};
    struct tk_tracy_place place = {.name = tk_tracy_string_of_ref(strings, found->name),
                                   .function = tk_tracy_string_of_ref(strings, found->function),
                                   .file = tk_tracy_string_of_ref(strings, found->file),
                                   .line = found->line,
                                   .colour = found->colour};
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
    free(l->timers);
    *l = (struct tk_tracy_locations){0};
}
