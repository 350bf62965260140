/*
 * Objects by class. See object_snapshot.h.
 */
#include "format/utrace/families/threads/object_snapshot.h"

#include "base/sort.h"

/* Names are interned: one text, one place in memory. */
static uint64_t key_of_object_snapshot(const struct tk_str *name)
{
    return (uint64_t)(uintptr_t)name;
}

static struct tk_ut_object_class *class_of(struct tk_ut_object_classes *out, const struct tk_str *name)
{
    uint32_t at = tk_map_get(&out->places, key_of_object_snapshot(name));
    if (at != TK_MAP_NONE)
        return &out->v.v[at];
    if (tk_vec_push(&out->v, (struct tk_ut_object_class){.name = name}) ||
        tk_map_put(&out->places, key_of_object_snapshot(name), (uint32_t)out->v.n - 1))
        return NULL;
    return &out->v.v[out->v.n - 1];
}

const struct tk_ut_object_class *tk_ut_object_class_find(const struct tk_ut_object_classes *in,
                                                         const struct tk_str *name)
{
    uint32_t at = tk_map_get(&in->places, key_of_object_snapshot(name));
    return at == TK_MAP_NONE ? NULL : &in->v.v[at];
}

void tk_ut_object_classes_release(struct tk_ut_object_classes *c)
{
    tk_vec_release(&c->v);
    tk_map_release(&c->places);
}

static void add_object(struct tk_ut_object_class *c, const struct tk_ut_object *o,
                       const struct tk_ut_object *class)
{
    c->objects++;
    c->instances += class && class->structure > 0 ? (uint64_t) class->structure : 0;
    c->system += o->system;
    c->video += o->video;
    c->total += o->total_system + o->total_video;
    c->references += o->references;
}

static int by_bytes(const void *a, const void *b)
{
    const struct tk_ut_object_class *x = a, *y = b;
    uint64_t of_x = tk_ut_class_bytes(x), of_y = tk_ut_class_bytes(y);
    return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : tk_str_order(x->name, y->name);
}

static int sum_objects(const struct tk_record_map *objects, const struct tk_str *unnamed,
                       struct tk_ut_object_classes *out, uint64_t *strays)
{
    for (uint32_t i = 0; i < objects->n; i++) {
        uint64_t id;
        const struct tk_ut_object *o = tk_record_map_at(objects, i, &id);
        if (!o || !o->name) {
            *strays += o != NULL;
            continue;
        }
        const struct tk_ut_object *class = tk_record_map_get(objects, o->class_id);
        struct tk_ut_object_class *c = class_of(out, class && class->name ? class->name : unnamed);
        if (!c)
            return -1;
        add_object(c, o, class);
    }
    return 0;
}

int tk_ut_objects_by_class(const struct tk_record_map *objects, const struct tk_str *unnamed,
                           struct tk_ut_object_classes *out, uint64_t *strays)
{
    *strays = 0;
    if (sum_objects(objects, unnamed, out, strays) || tk_sort(out->v.v, out->v.n, sizeof *out->v.v, by_bytes))
        return -1;
    for (size_t i = 0; i < out->v.n; i++)
        if (tk_map_put(&out->places, key_of_object_snapshot(out->v.v[i].name), (uint32_t)i))
            return -1;
    return 0;
}
