/* Events of Unreal Engine 5.8 that are not as they should be: wrong sizes, wrong ids, ends that never come.
 */
#include "put.h"

#define NO_SYNC TK_UW_NOSYNC

START_TEST(callstacks_that_are_damaged)
{
    struct captured *c = captured_new(7);
    struct put_type *varint =
        put_new(c, "Memory.CallstackSpecDeltaVarInt", "CallstackId:i CompressedFrames:B", NO_SYNC);
    struct put_type *plain = put_new(c, "Memory.CallstackSpecXORAndRLE", "CallstackId:i", NO_SYNC);
    put(c, 0, varint, Q(1), "\x02\x02\xe0", (size_t)3); /* 1, 2, and one that is cut off */
    put(c, 0, varint, Q(2), "", (size_t)0);             /* without frames */
    put(c, 0, varint, Q(1), "\x08", (size_t)1);         /* the first definition stays */
    put(c, 0, plain, Q(3));                             /* no frames declared */
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "callstacks", "callstack_id,frame,address"), "1|0|1\n1|1|2\n");
    ck_assert_uint_eq(captured_faults(c, "callstacks", "payload_damaged"), 2);
    captured_free(c);
    free(varint);
    free(plain);
}
END_TEST

struct object_types {
    struct put_type *begin, *end, *spec, *own, *structure, *reference;
};

static struct object_types declare(struct captured *c)
{
    return (struct object_types){
        .begin = put_new(c, "CoreUObject.BeginSnapshot", "Cycle:q", NO_SYNC),
        .end = put_new(c, "CoreUObject.EndSnapshot", "Cycle:q", NO_SYNC),
        .spec = put_new(c, "CoreUObject.ObjectSpec", "Id:i ClassId:i NameAnsi:s NameWide:w", NO_SYNC),
        .own = put_new(c, "CoreUObject.ResourceSizeExtraSpec", "Id:i SystemMemoryBytes:q VideoMemoryBytes:q",
                       NO_SYNC),
        .structure = put_new(c, "CoreUObject.StructExtraSpec", "Id:i StructureSize:j", NO_SYNC),
        .reference = put_new(c, "CoreUObject.ObjectRef", "ReferencerId:i ObjectId:i", NO_SYNC)};
}

static void forget(struct object_types *t)
{
    free(t->begin);
    free(t->end);
    free(t->spec);
    free(t->own);
    free(t->structure);
    free(t->reference);
}

#define OBJECT_COLUMNS "snapshot,class,objects,bytes,more_objects,references,complete"

/* Names of classes by their objects; of one whose class is not there the class has no name. */
START_TEST(objects_with_wrong_ids)
{
    struct captured *c = captured_new(7);
    struct object_types t = declare(c);
    put(c, 0, t.end, Q(1001)); /* of no snapshot */
    put(c, 0, t.spec, Q(9), Q(9), "Outside", "");
    put(c, 0, t.begin, Q(1002));
    put(c, 1, t.spec, Q(8), Q(8), "Of another thread", "");
    put(c, 0, t.spec, Q(1), Q(1), "Class", "");
    put(c, 0, t.spec, Q(2), Q(77), "Orphan", ""); /* no object 77 */
    put(c, 0, t.structure, Q(1), Q(-8));          /* no size */
    put(c, 0, t.own, Q(2), Q(100), Q(11));
    put(c, 0, t.own, Q(UINT32_MAX), Q(1), Q(1)); /* none */
    put(c, 0, t.reference, Q(1), Q(2));
    put(c, 0, t.reference, Q(1), Q(UINT32_MAX));
    put(c, 0, t.reference, Q(1), Q(55)); /* never reported */
    put(c, 0, t.begin, Q(1003));         /* the first one has no end */
    put(c, 0, t.spec, Q(1), Q(1), "Class", "");
    put(c, 0, t.end, Q(1004));
    put(c, 0, t.end, Q(1005));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "objects", OBJECT_COLUMNS), "1||1|111||1|0\n"
                                                                   "1|Class|1|0||0|0\n"
                                                                   "2|Class|1|0|0|0|1\n"
                                                                   "2||0|0|-1|0|1\n");
    ck_assert_uint_eq(captured_faults(c, "objects", "definition_missing"), 1);
    captured_free(c);
    forget(&t);
}
END_TEST

/* What is reported of an object before it stays: the size of a class, own resources, references. */
START_TEST(objects_that_come_after_their_figures)
{
    struct captured *c = captured_new(7);
    struct object_types t = declare(c);
    put(c, 0, t.begin, Q(1002));
    put(c, 0, t.own, Q(1), Q(100), Q(11));
    put(c, 0, t.structure, Q(1), Q(56));
    put(c, 0, t.reference, Q(2), Q(1));
    put(c, 0, t.spec, Q(1), Q(1), "Class", "");
    put(c, 0, t.end, Q(1004));
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "objects", "class,bytes,instance_bytes,system_bytes,video_bytes,references"),
        "Class|167|56|100|11|1\n");
    captured_free(c);
    forget(&t);
}
END_TEST

START_TEST(a_snapshot_that_never_ends)
{
    struct captured *c = captured_new(7);
    struct object_types t = declare(c);
    put(c, 0, t.begin, Q(1002));
    for (unsigned i = 0; i < 1000; i++)
        put(c, 0, t.spec, Q(i), Q(0), "Thing", "");
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "objects", OBJECT_COLUMNS), "1|Thing|1000|0||0|0\n");
    c->limit = "rows=10";
    ck_assert_str_eq(captured_table(c, "objects", OBJECT_COLUMNS), "1|Thing|10|0||0|0\n");
    ck_assert_uint_eq(captured_faults(c, "objects", "limit_reached"), 990);
    captured_free(c);
    forget(&t);
}
END_TEST

START_TEST(points_of_wrong_sizes)
{
    static const double v[] = {1, 2, 3, 4};
    static const uint64_t numbers[] = {1, 2, 3};
    struct captured *c = captured_new(7);
    struct put_type *set = put_new(c, "Spatial.SetPointPosVel", "Cycle:q SpecId:i Pos:D Vel:D", 0);
    struct put_type *other = put_new(c, "Spatial.SetPointDir", "Cycle:q SpecId:i Dir:U", 0);
    put(c, 0, set, Q(1001), Q(1), (const void *)v, (size_t)24, (const void *)v, (size_t)32);
    put(c, 0, set, Q(1002), Q(1), (const void *)v, (size_t)0, (const void *)(v + 1), (size_t)24);
    put(c, 0, other, Q(1003), Q(1), (const void *)numbers, (size_t)24);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "spatial", "time,name,x,z,vx,vz,dx"),
                     "1001||1r|3r|||\n1002||||2r|4r|\n1003||||||\n");
    ck_assert_uint_eq(captured_faults(c, "spatial", "payload_damaged"), 2);
    captured_free(c);
    free(set);
    free(other);
}
END_TEST

/* An event of the sampler without its field, and one of two settings: the last counts. */
START_TEST(settings_of_the_sampler)
{
    struct captured *c = captured_new(7);
    struct put_type *set =
        put_new(c, "PlatformEvent.Settings", "SamplingInterval:i", NO_SYNC | TK_UW_IMPORTANT);
    put_event(&c->uw.important, set, Q(125));
    put_event(&c->uw.important, set, Q(500));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "session", "session"), "{SamplingInterval=500}\n");
    captured_free(c);
    free(set);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        callstacks_that_are_damaged, objects_with_wrong_ids, objects_that_come_after_their_figures,
        a_snapshot_that_never_ends,  points_of_wrong_sizes,  settings_of_the_sampler};
    return RUN_TESTS("events of 5.8", tests);
}
