/*
 * Object snapshot: the objects of a snapshot by id, and what they come to by class (changes-since 4).
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_MEMORY_OBJECT_SNAPSHOT_H
#define TK_FORMAT_UTRACE_FAMILIES_MEMORY_OBJECT_SNAPSHOT_H

#include "base/hash.h"
#include "base/record_map.h"
#include "base/text/text.h"
#include "base/vec.h"

#include <stdbool.h>

#define TK_UT_NO_OBJECT UINT32_MAX

struct tk_ut_object {
    const struct tk_str *name; /* NULL: it was referred to, and never told */
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

/* Sums of the objects, which are records of struct tk_ut_object; classes of one name are one. `unnamed` is
 * the name of those whose class is not there. *strays: objects that were never told. 0, or -1 if out of
 * memory. */
int tk_ut_objects_by_class(const struct tk_record_map *objects, const struct tk_str *unnamed,
                           struct tk_ut_object_classes *out, uint64_t *strays);

/* The class of an interned name, or NULL. */
const struct tk_ut_object_class *tk_ut_object_class_find(const struct tk_ut_object_classes *in,
                                                         const struct tk_str *name);

void tk_ut_object_classes_release(struct tk_ut_object_classes *c);

#endif
