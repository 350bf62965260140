/*
 * Snapshots of all objects (changes-since 4). The events of one stand on one thread between its begin and its
 * end; others are ignored. When it ends its classes become rows, alongside what the one before had.
 */
#include "base/hash.h"
#include "base/record_map.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "base/vec.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"

#include <stdbool.h>

#define TK_UT_NO_OBJECT UINT32_MAX

struct tk_ut_object {
    const struct tk_str *name; /* NULL: it was referred to, and never reported */
    uint32_t class_id;
    int32_t structure;      /* bytes of an instance, where it is a class */
    uint64_t system, video; /* bytes of its own resources, and with what they refer to */
    uint64_t total_system, total_video;
    uint64_t references; /* to it */
};

struct tk_ut_object_class {
    const struct tk_str *name; /* "": not known */
    uint64_t objects, instances, system, video, total, references;
};

/* Bytes of its objects and their own resources. */
static inline uint64_t tk_ut_class_bytes(const struct tk_ut_object_class *c)
{
    return c->instances + c->system + c->video;
}

struct tk_ut_object_classes {
    TK_VEC(struct tk_ut_object_class) v; /* the largest first */
    struct tk_map places;                /* interned name -> place */
};

/*
 * Object snapshot: the objects of a snapshot by id, and what they come to by class (changes-since 4).
 */

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

/* The class of an interned name, or NULL. */
static const struct tk_ut_object_class *tk_ut_object_class_find(const struct tk_ut_object_classes *in,
                                                                const struct tk_str *name)
{
    uint32_t at = tk_map_get(&in->places, key_of_object_snapshot(name));
    return at == TK_MAP_NONE ? NULL : &in->v.v[at];
}

static void tk_ut_object_classes_release(struct tk_ut_object_classes *c)
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

/* Sums of the objects, which are records of struct tk_ut_object; classes of one name are one. `unnamed` is
 * the name of those whose class is not there. *strays: objects that were never reported. 0, or -1 if out of
 * memory. */
static int tk_ut_objects_by_class(const struct tk_record_map *objects, const struct tk_str *unnamed,
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

enum {
    SNAPSHOT,
    TIME,
    CLASS,
    OBJECTS,
    BYTES,
    MORE_OBJECTS,
    MORE_BYTES,
    INSTANCES,
    SYSTEM,
    VIDEO,
    TOTAL,
    REFERENCES,
    COMPLETE,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [SNAPSHOT] = {"snapshot", TK_UINT, 0, NULL, "number of the snapshot, from 1"},
    [TIME] = {"time", TK_TIME, 0, NULL, "when it began"},
    [CLASS] = {"class", TK_TEXT, 0, NULL, "name of the class; empty if the snapshot lacks it"},
    [OBJECTS] = {"objects", TK_UINT, 0, "objects", "objects of the class"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "size of these objects with their own resources"},
    [MORE_OBJECTS] = {"more_objects", TK_INT, 0, "objects", "change from the previous snapshot"},
    [MORE_BYTES] = {"more_bytes", TK_INT, 0, "bytes", "change from the previous snapshot"},
    [INSTANCES] = {"instance_bytes", TK_SIZE, TK_COL_EXTRA, NULL, "size of the objects alone"},
    [SYSTEM] = {"system_bytes", TK_SIZE, TK_COL_EXTRA, NULL, "size of their own resources in system memory"},
    [VIDEO] = {"video_bytes", TK_SIZE, TK_COL_EXTRA, NULL, "size of their own resources in video memory"},
    [TOTAL] = {"total_bytes", TK_SIZE, TK_COL_EXTRA, NULL,
               "estimated size including everything they refer to, in snapshots with totals; shared objects "
               "count several times"},
    [REFERENCES] = {"references", TK_UINT, TK_COL_EXTRA, "references",
                    "number of references to these objects"},
    [COMPLETE] = {"complete", TK_BOOL, TK_COL_EXTRA, NULL, "is the end of the snapshot in the capture?"},
};

const struct tk_table tk_ut_table_objects = {
    .name = "objects",
    .help = "objects by class in snapshots of the engine, and what changed from one to the next",
    .columns = columns,
    .n_columns = COLUMNS,
    .none = "no snapshot of objects; the console command obj.TraceSnapshot takes one, with the channel "
            "CoreUObject",
};

struct state {
    struct tk_record_map objects;       /* of the snapshot that is open */
    struct tk_ut_object_classes before; /* of the last one that ended */
    uint64_t snapshots, left_out;       /* snapshots so far; objects of this one that are not kept */
    uint32_t thread;
    int64_t time;
    uint64_t seq, offset; /* of its begin */
    bool open, totals;
};

/* ---- rows ---- */

static void fill_growth(const struct tk_ut_object_class *c, const struct tk_ut_object_class *before,
                        struct tk_cell *row)
{
    static const struct tk_ut_object_class none;
    if (!before)
        before = &none;
    row[MORE_OBJECTS] = tk_cell_of_int((int64_t)(c->objects - before->objects));
    row[MORE_BYTES] = tk_cell_of_int((int64_t)(tk_ut_class_bytes(c) - tk_ut_class_bytes(before)));
}

static int say_class(struct tk_ut_feed *feed, const struct state *s, const struct tk_ut_object_class *c,
                     const struct tk_ut_object_class *before, int64_t end)
{
    struct tk_cell *row =
        tk_ut_row(feed, &tk_ut_table_objects, (struct tk_ut_row_key){s->thread, s->seq, true, s->time, end});
    if (!row)
        return TK_ENOMEM;
    row[SNAPSHOT] = tk_cell_of_uint(s->snapshots);
    row[TIME] = tk_cell_of_time(s->time);
    row[CLASS] = tk_cell_of_nonempty(c->name);
    row[OBJECTS] = tk_cell_of_uint(c->objects);
    row[BYTES] = tk_cell_of_size(tk_ut_class_bytes(c));
    row[INSTANCES] = tk_cell_of_size(c->instances);
    row[SYSTEM] = tk_cell_of_size(c->system);
    row[VIDEO] = tk_cell_of_size(c->video);
    if (s->totals)
        row[TOTAL] = tk_cell_of_size(c->total);
    row[REFERENCES] = tk_cell_of_uint(c->references);
    row[COMPLETE] = tk_cell_of_bool(end != INT64_MAX);
    if (s->snapshots > 1)
        fill_growth(c, before, row);
    return TK_OK;
}

/* The classes of this snapshot, then those that only the one before had. */
static int say_classes(struct tk_ut_feed *feed, const struct state *s, const struct tk_ut_object_classes *now,
                       int64_t end)
{
    int rc = TK_OK;
    for (size_t i = 0; i < now->v.n && rc == TK_OK; i++)
        rc = say_class(feed, s, &now->v.v[i], tk_ut_object_class_find(&s->before, now->v.v[i].name), end);
    for (size_t i = 0; i < s->before.v.n && rc == TK_OK; i++) {
        const struct tk_ut_object_class *gone = &s->before.v.v[i], none = {.name = gone->name};
        if (!tk_ut_object_class_find(now, gone->name))
            rc = say_class(feed, s, &none, gone, end);
    }
    return rc;
}

static void note_objects(struct tk_ut_feed *feed, const struct state *s, uint64_t strays)
{
    if (s->left_out)
        tk_health_limit(&feed->out->health, TK_LIMIT_rows, s->offset, s->left_out,
                        "objects of a snapshot were left out");
    else if (strays)
        tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, s->offset, strays,
                       "a snapshot of objects refers to objects that it does not have");
}

static int end_snapshot(struct tk_ut_feed *feed, struct state *s, int64_t end)
{
    struct tk_ut_object_classes now = {0};
    const struct tk_str *unnamed = tk_intern_c(&feed->capture->strings, "");
    uint64_t strays = 0;
    s->open = false;
    int rc = unnamed && !tk_ut_objects_by_class(&s->objects, unnamed, &now, &strays)
                 ? say_classes(feed, s, &now, end)
                 : TK_ENOMEM;
    note_objects(feed, s, strays);
    tk_ut_object_classes_release(&s->before);
    s->before = now;
    return rc;
}

/* ---- events ---- */

enum { CYCLE };

static int on_begin(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    int rc = s->open ? end_snapshot(feed, s, INT64_MAX) : TK_OK;
    if (!s->objects.size)
        tk_record_map_init(&s->objects, sizeof(struct tk_ut_object));
    tk_record_map_clear(&s->objects);
    s->snapshots++;
    s->left_out = 0;
    s->thread = ev->tid;
    s->seq = ev->seq;
    s->offset = ev->offset;
    s->time = tk_ut_since(feed, tk_ut_u64(ev, CYCLE));
    s->open = true;
    s->totals = false;
    return rc;
}

static int on_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    if (!s->open || s->thread != ev->tid)
        return TK_OK;
    return end_snapshot(feed, s, tk_ut_since(feed, tk_ut_u64(ev, CYCLE)));
}

/* The object of an id in the open snapshot. *rc: TK_ENOMEM; NULL also where the event is not about one. */
static struct tk_ut_object *object_of(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev,
                                      unsigned field, int *rc)
{
    uint64_t id = tk_ut_u64(ev, field);
    *rc = TK_OK;
    if (!s->open || s->thread != ev->tid || id == TK_UT_NO_OBJECT)
        return NULL;
    struct tk_ut_object *o = tk_record_map_get(&s->objects, id);
    if (!o && s->objects.count >= feed->capture->ctx->limits.rows) {
        s->left_out++;
        return NULL;
    }
    if (!o && !(o = tk_record_map_put(&s->objects, id)))
        *rc = TK_ENOMEM;
    return o;
}

enum { O_ID, O_CLASS, O_ANSI, O_WIDE, O_STRUCTURE, O_SYSTEM, O_VIDEO };

/* The form before the last one also reported the sizes here; else they may have come before. */
static int on_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct tk_ut_object *o = object_of(feed, state, ev, O_ID, &rc);
    if (!o)
        return rc;
    const struct tk_str *name = tk_ut_has(ev, O_ANSI) ? tk_ut_str(feed, ev, O_ANSI, 1) : NULL;
    if ((!name || !name->n) && tk_ut_has(ev, O_WIDE))
        name = tk_ut_str(feed, ev, O_WIDE, 2);
    if (!name)
        name = tk_intern_c(&feed->capture->strings, "");
    o->name = name;
    o->class_id = (uint32_t)tk_ut_u64(ev, O_CLASS);
    if (tk_ut_has(ev, O_STRUCTURE))
        o->structure = (int32_t)tk_ut_u64(ev, O_STRUCTURE);
    if (tk_ut_has(ev, O_SYSTEM))
        o->system = tk_ut_u64(ev, O_SYSTEM);
    if (tk_ut_has(ev, O_VIDEO))
        o->video = tk_ut_u64(ev, O_VIDEO);
    return name ? TK_OK : TK_ENOMEM;
}

enum { R_ID, R_SYSTEM, R_VIDEO };

static int on_resources(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct tk_ut_object *o = object_of(feed, state, ev, R_ID, &rc);
    if (!o)
        return rc;
    o->system = tk_ut_u64(ev, R_SYSTEM);
    o->video = tk_ut_u64(ev, R_VIDEO);
    return TK_OK;
}

static int on_totals(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct state *s = state;
    struct tk_ut_object *o = object_of(feed, s, ev, R_ID, &rc);
    if (!o)
        return rc;
    o->total_system = tk_ut_u64(ev, R_SYSTEM);
    o->total_video = tk_ut_u64(ev, R_VIDEO);
    s->totals = true;
    return TK_OK;
}

enum { S_ID, S_STRUCTURE };

static int on_struct(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct tk_ut_object *o = object_of(feed, state, ev, S_ID, &rc);
    if (o)
        o->structure = (int32_t)tk_ut_u64(ev, S_STRUCTURE);
    return rc;
}

enum { REFERRED };

static int on_reference(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    struct tk_ut_object *o = object_of(feed, state, ev, REFERRED, &rc);
    if (o)
        o->references++;
    return rc;
}

static int finish_object(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    return s->open ? end_snapshot(feed, s, INT64_MAX) : TK_OK;
}

static void begin_object(void *state)
{
    struct state *s = state;
    tk_record_map_release(&s->objects);
    tk_ut_object_classes_release(&s->before);
    *s = (struct state){0};
}

static const struct tk_ut_bind binds[] = {
    {"CoreUObject.BeginSnapshot", on_begin, false, {"Cycle"}},
    {"CoreUObject.EndSnapshot", on_end, false, {"Cycle"}},
    {"CoreUObject.ObjectSpec",
     on_object,
     false,
     {"Id", "ClassId", "NameAnsi", "NameWide", "StructureSize", "SystemMemoryBytes", "VideoMemoryBytes"}},
    {"CoreUObject.ResourceSizeExtraSpec",
     on_resources,
     false,
     {"Id", "SystemMemoryBytes", "VideoMemoryBytes"}},
    {"CoreUObject.TotalResourceSizeExtraSpec",
     on_totals,
     false,
     {"Id", "SystemMemoryBytes", "VideoMemoryBytes"}},
    {"CoreUObject.StructExtraSpec", on_struct, false, {"Id", "StructureSize"}},
    {"CoreUObject.ObjectRef", on_reference, false, {"ObjectId"}},
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_objects, NULL};

const struct tk_ut_family tk_ut_fam_object = {.name = "object",
                                              .rows = tables,
                                              .binds = binds,
                                              .state = sizeof(struct state),
                                              .begin = begin_object,
                                              .finish = finish_object,
                                              .release = begin_object};
