/*
 * made-current SEED OUT.utrace > OUT.json
 *
 * A capture with what Unreal Engine 5.8 writes and earlier versions do not (changes-since 2 to 6), and its
 * description: callstacks in the three byte codes and as they are, allocations of them and of some that are
 * never defined, samples of Verse under its new logger, snapshots of objects, the settings of the sampler,
 * points in space. What is made depends on the seed alone.
 */
#include "put_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START UINT64_C(1000)

enum {
    STACKS = 40,
    MOST_FRAMES = 300,
    ALLOCATIONS = 90,
    OBJECTS = 60,
    CLASSES = 6,
    SAMPLES = 12,
    POINTS = 3,
    SETS = 9
};

struct made {
    struct tk_uw uw;
    struct tk_uw_lane lane;
    uint64_t random;
    struct put_type *types[40];
    size_t n_types;
};

static uint64_t next(struct made *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    return m->random ^= m->random << 17;
}

static uint64_t below(struct made *m, uint64_t n)
{
    return next(m) % n;
}

static struct put_type *type(struct made *m, const char *name, const char *fields, uint8_t flags)
{
    struct put_type *t = put_declare(&m->uw, name, fields, flags);
    if (!t)
        exit(1);
    return m->types[m->n_types++] = t;
}

/* ---- callstacks ---- */

static void put_xor(struct tk_uw_bytes *out, uint64_t before, uint64_t address)
{
    uint64_t x = address ^ before;
    unsigned bits = 0;
    while (bits < 64 && x >> bits)
        bits++;
    tk_uw_u8(out, (uint8_t)(64 - bits));
    tk_uw_uint(out, x, (bits + 7) / 8);
}

static uint64_t zigzag(uint64_t before, uint64_t address)
{
    uint64_t d = address - before;
    return d >> 63 ? ~(d << 1) : d << 1;
}

static void put_7bit(struct tk_uw_bytes *out, uint64_t before, uint64_t address)
{
    uint64_t z = zigzag(before, address);
    for (; z >= 128; z >>= 7)
        tk_uw_u8(out, (uint8_t)(z | 128));
    tk_uw_u8(out, (uint8_t)z);
}

static void put_varint(struct tk_uw_bytes *out, uint64_t before, uint64_t address)
{
    uint64_t z = zigzag(before, address);
    unsigned more = 0;
    while (more < 8 && z >> (7 * (more + 1)))
        more++;
    tk_uw_u8(out, (uint8_t)(0xff00u >> more | (more < 8 ? z >> (8 * more) : 0)));
    for (unsigned i = more; i-- > 0;)
        tk_uw_u8(out, (uint8_t)(z >> (8 * i)));
}

typedef void put_code(struct tk_uw_bytes *out, uint64_t before, uint64_t address);

static put_code *const codes[] = {NULL, put_xor, put_7bit, put_varint};

/* Near the one before, far from it, the same, or at an end of the numbers. */
static uint64_t address_after(struct made *m, uint64_t before)
{
    static const uint64_t ends[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, UINT64_C(0x7fffffffffffffff)};
    switch (below(m, 5)) {
    case 0:
        return before + below(m, 4096) - 2048;
    case 1:
        return UINT64_C(0x7ff600000000) + below(m, UINT64_C(1) << 32);
    case 2:
        return before;
    case 3:
        return before ^ next(m) >> below(m, 64);
    default:
        return ends[below(m, 5)];
    }
}

static void put_stack(struct made *m, const struct put_type *t, put_code *code, uint32_t id,
                      const uint64_t *v, size_t n)
{
    struct tk_uw_bytes packed = {0};
    for (size_t i = 0; code && i < n; i++)
        code(&packed, i ? v[i - 1] : 0, v[i]);
    if (code)
        put_event(&m->lane, t, Q(id), (const void *)(packed.size ? packed.data : (uint8_t *)""), packed.size);
    else
        put_event(&m->lane, t, Q(id), (const void *)v, n * sizeof *v);
    tk_uw_bytes_release(&packed);
}

/* Stack i has id 10 + i and code i % 4; of those in a code, one in ten is longer than is kept. */
static void put_stacks(struct made *m)
{
    static const char *const names[] = {"Memory.CallstackSpec", "Memory.CallstackSpecXORAndRLE",
                                        "Memory.CallstackSpecDelta7bit", "Memory.CallstackSpecDeltaVarInt"};
    struct put_type *types[4];
    uint64_t frames[MOST_FRAMES];
    for (unsigned i = 0; i < 4; i++)
        types[i] = type(m, names[i], i ? "CallstackId:i CompressedFrames:B" : "CallstackId:i Frames:U",
                        TK_UW_NOSYNC);
    printf(" \"stacks\": {");
    for (uint32_t i = 0; i < STACKS; i++) {
        size_t n = i < 4 ? 0 : i % 4 && i % 10 == 9 ? MOST_FRAMES : 1 + below(m, 30);
        size_t kept = n > 255 ? 255 : n;
        for (size_t k = 0; k < n; k++)
            frames[k] = address_after(m, k ? frames[k - 1] : 0);
        put_stack(m, types[i % 4], codes[i % 4], 10 + i, frames, n);
        printf("%s\"%u\": [", i ? ", " : "", 10 + i);
        for (size_t k = 0; k < kept; k++)
            printf("%s%llu", k ? ", " : "", (unsigned long long)frames[k]);
        printf("]");
    }
    printf("},\n");
}

/* Of callstacks that come behind it, of none, and of some that never come: 10 + STACKS and up. */
static void put_allocations(struct made *m)
{
    struct put_type *init = type(
        m, "Memory.Init", "PageSize:q MarkerPeriod:i Version:b MinAlignment:b SizeShift:b", TK_UW_NOSYNC);
    struct put_type *alloc =
        type(m, "Memory.Alloc", "Address:q CallstackId:i Size:i AlignmentPow2_SizeLower:b RootHeap:b", 0);
    put_event(&m->lane, init, Q(16384), Q(4096), Q(2), Q(16), Q(3));
    printf(" \"allocations\": [");
    for (unsigned i = 0; i < ALLOCATIONS; i++) {
        uint64_t stack = i % 7 == 0 ? 0 : 10 + below(m, STACKS + 8);
        uint64_t size = 8 + 8 * below(m, 1000);
        put_event(&m->lane, alloc, Q(4096 + 16384 * i), stack, size >> 3, Q(4 << 3), Q(0));
        printf("%s[%llu, %llu]", i ? ", " : "", (unsigned long long)stack, (unsigned long long)size);
    }
    printf("],\n");
}

/* ---- Verse ---- */

static void put_verse(struct made *m)
{
    static const char *const functions[] = {"main", "tick", "move", "draw"};
    struct put_type *name = type(m, "Verse.DeclareString", "Id:i Name:w", TK_UW_NOSYNC);
    struct put_type *plain =
        type(m, "Verse.BytecodeSample", "Callstack:I Cycles:q BytecodeOffset:i Line:i", TK_UW_NOSYNC);
    struct put_type *native = type(m, "Verse.NativeSample", "Callstack:I Cycles:q", TK_UW_NOSYNC);
    for (uint32_t i = 0; i < 4; i++)
        put_event(&m->lane, name, Q(i + 1), functions[i]);
    printf(" \"verse\": [");
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint32_t stack[4];
        size_t depth = 1 + below(m, 4);
        uint64_t time = START + 10 * (i + 1), line = 1 + below(m, 90);
        bool is_native = below(m, 3) == 0;
        for (size_t k = 0; k < depth; k++) /* innermost first */
            stack[k] = k + 1 == depth ? 1 : 2 + (uint32_t)below(m, 3);
        if (is_native)
            put_event(&m->lane, native, (const void *)stack, 4 * depth, time);
        else
            put_event(&m->lane, plain, (const void *)stack, 4 * depth, time, Q(7), line);
        printf("%s{\"time\": %llu, \"native\": %s, \"line\": %llu, \"stack\": [", i ? ", " : "",
               (unsigned long long)(time - START), is_native ? "true" : "false",
               (unsigned long long)(is_native ? 0 : line));
        for (size_t k = 0; k < depth; k++)
            printf("%s\"%s\"", k ? ", " : "", functions[stack[k] - 1]);
        printf("]}");
    }
    printf("],\n");
}

/* ---- objects ---- */

struct object_types {
    struct put_type *begin, *end, *spec, *structure, *own, *total, *reference;
};

/* Object i of a class below CLASSES is the class itself; the others are instances. */
static void put_snapshot(struct made *m, const struct object_types *t, unsigned number, unsigned objects,
                         bool ends)
{
    static const char *const classes[] = {"Class",     "Texture2D", "StaticMesh",
                                          "SoundWave", "Material",  "Animation"};
    bool totals = number == 1;
    put_event(&m->lane, t->begin, Q(START + 100 * number), Q(48), Q(objects));
    printf("%s{\"time\": %u, \"ends\": %s, \"totals\": %s, \"objects\": [", number > 1 ? ", " : "",
           100 * number, ends ? "true" : "false", totals ? "true" : "false");
    for (unsigned i = 0; i < objects; i++) {
        uint64_t class_id = i < CLASSES ? 0 : 1 + below(m, CLASSES - 1);
        uint64_t structure = i < CLASSES ? 40 + 8 * i : 0, system = below(m, 3) ? 0 : below(m, 1 << 20);
        uint64_t video = below(m, 4) ? 0 : below(m, 1 << 24), referred = below(m, objects);
        char name[32];
        snprintf(name, sizeof name, "Object_%u", i);
        if (i < CLASSES)
            snprintf(name, sizeof name, "%s", classes[i]);
        bool wide = i == CLASSES - 1; /* as names that are not ASCII */
        put_event(&m->lane, t->spec, Q(i), class_id, Q(UINT32_MAX), Q(0), wide ? "" : name, wide ? name : "");
        if (structure)
            put_event(&m->lane, t->structure, Q(i), Q(UINT32_MAX), Q(UINT32_MAX), structure);
        if (system || video)
            put_event(&m->lane, t->own, Q(i), system, video);
        if (totals)
            put_event(&m->lane, t->total, Q(i), 2 * system, video);
        put_event(&m->lane, t->reference, Q(i), referred);
        printf("%s{\"id\": %u, \"class\": %llu, \"name\": \"%s\", \"structure\": %llu, \"system\": %llu, "
               "\"video\": %llu, \"refers\": %llu}",
               i ? ", " : "", i, (unsigned long long)class_id, name, (unsigned long long)structure,
               (unsigned long long)system, (unsigned long long)video, (unsigned long long)referred);
    }
    if (ends)
        put_event(&m->lane, t->end, Q(START + 100 * number + 50));
    printf("]}");
}

static void put_objects(struct made *m)
{
    const char *sizes = "Id:i SystemMemoryBytes:q VideoMemoryBytes:q";
    struct object_types t = {
        .begin =
            type(m, "CoreUObject.BeginSnapshot", "Cycle:q SizeOfUObject:i ObjectArrayNum:i", TK_UW_NOSYNC),
        .end = type(m, "CoreUObject.EndSnapshot", "Cycle:q", TK_UW_NOSYNC),
        .spec = type(m, "CoreUObject.ObjectSpec", "Id:i ClassId:i OuterId:i Flags:i NameAnsi:s NameWide:w",
                     TK_UW_NOSYNC),
        .structure = type(m, "CoreUObject.StructExtraSpec",
                          "Id:i SuperId:i InheritanceSuperId:i StructureSize:j", TK_UW_NOSYNC),
        .own = type(m, "CoreUObject.ResourceSizeExtraSpec", sizes, TK_UW_NOSYNC),
        .total = type(m, "CoreUObject.TotalResourceSizeExtraSpec", sizes, TK_UW_NOSYNC),
        .reference = type(m, "CoreUObject.ObjectRef", "ReferencerId:i ObjectId:i", TK_UW_NOSYNC)};
    put_event(&m->lane, t.own, Q(1), Q(12345), Q(0)); /* in no snapshot */
    printf(" \"snapshots\": [");
    put_snapshot(m, &t, 1, OBJECTS, true);
    put_snapshot(m, &t, 2, OBJECTS + (unsigned)below(m, 30), true);
    put_snapshot(m, &t, 3, CLASSES, false);
    printf("],\n");
}

/* ---- points in space ---- */

static void put_vector(struct made *m, double *v, const char *name)
{
    for (unsigned i = 0; i < 3; i++)
        v[i] = (double)(int64_t)(below(m, 20001) - 10000) / 8;
    printf(", \"%s\": [%.9g, %.9g, %.9g]", name, v[0], v[1], v[2]);
}

static void put_spatial(struct made *m)
{
    static const char *const names[POINTS] = {"Camera", "Player", "Target"};
    struct put_type *spec =
        type(m, "Spatial.PointSpec", "Id:i Name:w Mask:b", TK_UW_NOSYNC | TK_UW_IMPORTANT);
    struct put_type *position = type(m, "Spatial.SetPointPos", "Cycle:q SpecId:i Pos:D", 0);
    struct put_type *all = type(m, "Spatial.SetPointPosVelDir", "Cycle:q SpecId:i Pos:D Vel:D Dir:D", 0);
    for (unsigned i = 0; i < POINTS; i++)
        put_event(&m->uw.important, spec, Q(i + 1), names[i], Q(i ? 7 : 1));
    printf(" \"spatial\": [");
    for (unsigned i = 0; i < SETS; i++) {
        uint64_t point = below(m, POINTS), time = START + 7 * i;
        double v[3][3];
        printf("%s{\"time\": %u, \"name\": \"%s\"", i ? ", " : "", 7 * i, names[point]);
        put_vector(m, v[0], "pos");
        if (point) {
            put_vector(m, v[1], "vel");
            put_vector(m, v[2], "dir");
            put_event(&m->lane, all, time, point + 1, (const void *)v[0], (size_t)24, (const void *)v[1],
                      (size_t)24, (const void *)v[2], (size_t)24);
        } else {
            put_event(&m->lane, position, time, point + 1, (const void *)v[0], (size_t)24);
        }
        printf("}");
    }
    printf("],\n");
}

static void put_settings(struct made *m)
{
    struct put_type *settings =
        type(m, "PlatformEvent.Settings", "SamplingInterval:i", TK_UW_NOSYNC | TK_UW_IMPORTANT);
    uint64_t interval = 50 + below(m, 1000);
    put_event(&m->uw.important, settings, interval);
    printf(" \"interval\": %llu}\n", (unsigned long long)interval);
}

int main(int argc, char **argv)
{
    static struct made m;
    if (argc != 3)
        return 2;
    struct tk_uw_options options = {TK_UW_DEFAULTS, .path = argv[2]};
    options.start_cycle = START;
    options.frequency = 1000;
    m.random = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    tk_uw_open(&m.uw, &options);
    tk_uw_thread(&m.uw, &m.lane, 2);
    tk_uw_new_trace(&m.uw);
    tk_uw_thread_info(&m.uw, 2, 1002, 1, "GameThread");
    printf("{");
    put_allocations(&m);
    put_stacks(&m);
    put_verse(&m);
    put_objects(&m);
    put_spatial(&m);
    put_settings(&m);
    tk_uw_lane_flush(&m.lane);
    tk_uw_lane_release(&m.lane);
    for (size_t i = 0; i < m.n_types; i++)
        free(m.types[i]);
    return tk_uw_close(&m.uw) != 0;
}
