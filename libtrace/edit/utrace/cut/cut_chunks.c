/*
 * Counting of chunks.
 */
#include "edit/utrace/cut/survey.h"

#include <string.h>

enum { READS = 1, WRITES, SHOTS, PACKETS, QUEUES, STATISTICS, STEPS, SAYS };

/* Chunks that are kept on both sides, by kind: what is reported of one may stand in another, of another
 * thread, or depend on the one before it. Reads and writes begin and end on several threads, in whatever
 * order in the file: a chunk of them ends where as many have ended as have begun. */
static const uint64_t margins[] = {[READS] = 0,  [WRITES] = 0,     [SHOTS] = 0, [PACKETS] = 3,
                                   [QUEUES] = 3, [STATISTICS] = 3, [STEPS] = 0, [SAYS] = 0};

#define MARKED 256 /* chunks from one mark to the next */

static const struct row {
    const char *name;
    uint8_t kind;
    int8_t nests;
    bool ends;
    const char *keys[TK_CUT_KEYS];
} rows[] = {
    {"PlatformFile.BeginRead", READS, 1, true, {"ReadHandle"}},
    {"PlatformFile.EndRead", READS, -1, true, {"ReadHandle"}},
    {"PlatformFile.BeginWrite", WRITES, 1, true, {"WriteHandle"}},
    {"PlatformFile.EndWrite", WRITES, -1, true, {"WriteHandle"}},
    {"Misc.ScreenshotHeader", SHOTS, 0, false, {"Id"}},
    {"Misc.ScreenshotChunk", SHOTS, 0, false, {"Id"}},
    {"NetTrace.PacketContentEvent", PACKETS, 0, false, {"ConnectionId", "GameInstanceId", "PacketType"}},
    {"NetTrace.PacketEvent", PACKETS, 0, true, {"ConnectionId", "GameInstanceId", "PacketType"}},
    {"CsvProfiler.BeginStat", STATISTICS, 1, true, {NULL}},
    {"CsvProfiler.EndStat", STATISTICS, -1, true, {NULL}},
    {"CsvProfiler.BeginExclusiveStat", STATISTICS, 1, true, {NULL}},
    {"CsvProfiler.EndExclusiveStat", STATISTICS, -1, true, {NULL}},
    {"CsvProfiler.CustomStatInt", STATISTICS, 0, true, {NULL}},
    {"CsvProfiler.CustomStatFloat", STATISTICS, 0, true, {NULL}},
    {"GpuProfiler.EventBeginBreadcrumb", QUEUES, 1, false, {"QueueId"}},
    {"GpuProfiler.EventEndBreadcrumb", QUEUES, -1, false, {"QueueId"}},
    {"GpuProfiler.EventBeginWork", QUEUES, 1, false, {"QueueId"}},
    {"GpuProfiler.EventEndWork", QUEUES, -1, false, {"QueueId"}},
    {"GpuProfiler.EventWait", QUEUES, 0, false, {"QueueId"}},
    {"GpuProfiler.EventStats", QUEUES, 0, false, {"QueueId"}},
    {"GpuProfiler.EventFrameBoundary", QUEUES, 0, true, {"QueueId"}},
    {"GpuProfiler.SignalFence", QUEUES, 0, false, {"QueueId"}},
    {"GpuProfiler.WaitFence", QUEUES, 0, false, {"QueueId"}},
    {"LoadTime.BeginProcessSummary", STEPS, 1, true, {NULL}},
    {"LoadTime.EndProcessSummary", STEPS, -1, true, {NULL}},
    {"LoadTime.BeginCreateExport", STEPS, 1, true, {NULL}},
    {"LoadTime.EndCreateExport", STEPS, -1, true, {NULL}},
    {"LoadTime.BeginSerializeExport", STEPS, 1, true, {NULL}},
    {"LoadTime.EndSerializeExport", STEPS, -1, true, {NULL}},
    {"LoadTime.BeginPostLoad", STEPS, 1, true, {NULL}},
    {"LoadTime.EndPostLoad", STEPS, -1, true, {NULL}},
    {"LoadTime.BeginPostLoadObject", STEPS, 1, true, {NULL}},
    {"LoadTime.EndPostLoadObject", STEPS, -1, true, {NULL}},
    {"LoadTime.BeginObjectScope", STEPS, 1, true, {NULL}},
    {"LoadTime.EndObjectScope", STEPS, -1, true, {NULL}},
    {"LoadTime.BeginPostLoadExport", STEPS, 1, true, {NULL}},
    {"LoadTime.EndPostLoadExport", STEPS, -1, true, {NULL}},
    {"LoadTime.NewAsyncPackage", SAYS, 0, false, {NULL}},
    {"LoadTime.DestroyAsyncPackage", SAYS, 0, false, {NULL}},
    {"LoadTime.PackageSummary", SAYS, 0, false, {NULL}},
    {"LoadTime.AsyncPackageRequestAssociation", SAYS, 0, false, {NULL}},
    {"LoadTime.AsyncPackageLinkerAssociation", SAYS, 0, false, {NULL}},
    {"LoadTime.AsyncPackageImportDependency", SAYS, 0, false, {NULL}},
};

static const char *const time_fields[] = {"Cycle",   "Timestamp", "GPUTimestampTOP", "GPUTimestampBOP",
                                          "EndTime", "StartTime", "CPUTimestamp"};

static void find_times(struct tk_edit_chunk_rule *rule, const struct tk_ut_type *type)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof time_fields / sizeof *time_fields && n < TK_CUT_TIMES; i++)
        if ((rule->times[n] = tk_ut_type_field(type, time_fields[i])) != NULL)
            n++;
}

struct tk_edit_chunk_rule tk_edit_chunk_rule_of(const struct tk_ut_type *type)
{
    struct tk_edit_chunk_rule rule = {.kind = 0};
    const struct row *row = rows, *const end = rows + sizeof rows / sizeof *rows;
    while (row < end && strcmp(row->name, type->name->p) != 0)
        row++;
    if (row == end)
        return rule;
    rule.nests = row->nests;
    rule.ends = row->ends;
    for (size_t i = 0; i < TK_CUT_KEYS && row->keys[i]; i++)
        if (!(rule.keys[i] = tk_ut_type_field(type, row->keys[i])))
            return rule;
    find_times(&rule, type);
    rule.kind = row->kind;
    rule.says = row->kind == SAYS;
    rule.object = row->kind == STEPS ? tk_ut_type_field(type, "Object") : NULL;
    rule.package = row->kind >= STEPS ? tk_ut_type_field(type, "AsyncPackage") : NULL;
    return rule;
}

uint64_t tk_edit_chunk_key(const struct tk_edit_chunk_rule *rule, const struct tk_ut_event *ev)
{
    uint64_t key = rule->kind;
    if (rule->kind == STATISTICS || rule->kind == STEPS)
        return tk_hash_pair(key, ev->tid);
    for (size_t i = 0; i < TK_CUT_KEYS && rule->keys[i]; i++)
        key = tk_hash_u64(key ^ tk_hash_u64(tk_ut_event_number(ev, rule->keys[i]) + i));
    return key;
}

/* Goes on to the next chunk where this event ends one. */
static bool step(const struct tk_edit_chunk_rule *rule, uint64_t *chunk, int64_t *open)
{
    *open += rule->nests;
    if (*open < 0 && rule->kind >= QUEUES)
        *open = 0;
    if (!rule->ends || *open)
        return false;
    ++*chunk;
    return true;
}

/* 0 or -1. */
static int end_chunk(struct tk_edit_thing *t, uint64_t chunk, const struct tk_edit_window *w)
{
    const struct tk_edit_chunk_mark mark = {chunk, t->to};
    if (t->kind == STATISTICS && chunk % MARKED == 0 && tk_vec_push(&t->marks, mark))
        return -1;
    t->before += t->to < w->from;
    if (t->from <= t->to && t->from < w->to && t->to >= w->from) {
        t->first = t->any ? t->first : chunk;
        t->last = chunk;
        t->any = true;
    }
    t->from = INT64_MAX;
    t->to = INT64_MIN;
    return 0;
}

/* ---- steps of loading ---- */

static bool ends_package(const struct tk_ut_event *ev)
{
    return strcmp(tk_ut_type_event(ev->type), "DestroyAsyncPackage") == 0;
}

/* A package that a step is the first to tell of gets its number by it. 0 or -1. */
static int see_package(struct tk_edit_things *t, struct tk_edit_thing *thing,
                       const struct tk_edit_chunk_rule *rule, const struct tk_ut_event *ev)
{
    const uint64_t address = tk_ut_event_number(ev, rule->package);
    const uint32_t was = tk_map_get(&t->packages, address);
    const bool known = was != TK_MAP_NONE && was;
    if (thing && !known && tk_id_set_add(&thing->others, thing->chunk))
        return -1;
    return tk_map_put(&t->packages, address, !rule->says || !ends_package(ev));
}

/* 0 or -1. */
static int see_step(struct tk_edit_things *t, uint32_t at, const struct tk_edit_chunk_rule *rule,
                    const struct tk_ut_event *ev)
{
    struct tk_edit_thing *thing = &t->v.v[at];
    if (rule->package)
        return see_package(t, thing, rule, ev);
    const struct tk_edit_mention mention = {rule->object ? tk_ut_event_number(ev, rule->object) : 0,
                                            thing->chunk, at};
    return rule->object ? tk_vec_push(&t->mentions, mention) : 0;
}

/* Of objects that steps in the window are about, what was done with them before it says of which package and
 * class they are, and whether their size was counted. 0 or -1. */
static int reach_objects(struct tk_edit_things *t)
{
    struct tk_map wanted = {0};
    int rc = 0;
    for (size_t i = 0; i < t->mentions.n && rc == 0; i++) {
        const struct tk_edit_mention *m = &t->mentions.v[i];
        const struct tk_edit_thing *thing = &t->v.v[m->thing];
        if (thing->any && m->chunk >= thing->first && m->chunk <= thing->last)
            rc = tk_map_put(&wanted, m->object, 1);
    }
    for (size_t i = 0; i < t->mentions.n && rc == 0; i++) {
        const struct tk_edit_mention *m = &t->mentions.v[i];
        if (m->chunk < t->v.v[m->thing].first && tk_map_get(&wanted, m->object) != TK_MAP_NONE)
            rc = tk_id_set_add(&t->v.v[m->thing].others, m->chunk);
    }
    tk_map_release(&wanted);
    return rc;
}

/* ---- all of them ---- */

int tk_edit_things_see(struct tk_edit_things *t, const struct tk_edit_chunk_rule *rule,
                       const struct tk_ut_event *ev, const struct tk_edit_window *w)
{
    const struct tk_edit_thing news = {.from = INT64_MAX, .to = INT64_MIN, .kind = rule->kind};
    const uint64_t key = tk_edit_chunk_key(rule, ev);
    if (rule->says)
        return rule->package && see_package(t, NULL, rule, ev) ? TK_ENOMEM : TK_OK;
    uint32_t at = tk_map_get(&t->index, key);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)t->v.n;
        if (tk_map_put(&t->index, key, at) || tk_vec_push(&t->v, news))
            return TK_ENOMEM;
    }
    struct tk_edit_thing *thing = &t->v.v[at];
    for (size_t i = 0; i < TK_CUT_TIMES && rule->times[i]; i++) {
        const uint64_t cycle = tk_ut_event_number(ev, rule->times[i]);
        const int64_t time = (int64_t)(cycle - w->start);
        if (cycle && time < thing->from)
            thing->from = time;
        if (cycle && time > thing->to)
            thing->to = time;
    }
    const uint64_t chunk = thing->chunk;
    if (rule->kind == STEPS && see_step(t, at, rule, ev) != 0)
        return TK_ENOMEM;
    if (step(rule, &thing->chunk, &thing->open) && end_chunk(thing, chunk, w) != 0)
        return TK_ENOMEM;
    return TK_OK;
}

void tk_edit_things_frame(struct tk_edit_things *t, uint64_t type, int64_t begin,
                          const struct tk_edit_window *w)
{
    struct tk_edit_last_frames *f = type < 2 ? &t->frames[type] : NULL;
    if (!f || begin >= w->from)
        return;
    if (f->n == TK_CUT_FRAMES)
        memmove(f->begin, f->begin + 1, --f->n * sizeof *f->begin);
    f->begin[f->n++] = begin;
}

/* From when on statistics are needed for the frames of the window. */
static int64_t statistics_from(const struct tk_edit_things *t)
{
    int64_t from = INT64_MAX;
    for (size_t i = 0; i < 2; i++) {
        const struct tk_edit_last_frames *f = &t->frames[i];
        const int64_t begin = f->n == TK_CUT_FRAMES ? f->begin[0] : INT64_MIN;
        if (f->n && begin < from)
            from = begin;
    }
    return from == INT64_MAX ? INT64_MIN : from;
}

/* The last marked chunk that ends before that time is the first that stays. */
static void reach_back(struct tk_edit_thing *thing, int64_t from)
{
    size_t n = thing->marks.n;
    while (n && thing->marks.v[n - 1].to >= from)
        n--;
    const uint64_t first = n ? thing->marks.v[n - 1].chunk : 0;
    if (first < thing->first)
        thing->first = first;
}

int tk_edit_things_close(struct tk_edit_things *t, const struct tk_edit_window *w)
{
    for (size_t i = 0; i < t->v.n; i++) {
        struct tk_edit_thing *thing = &t->v.v[i];
        if (thing->open > 0)
            thing->to = INT64_MAX;
        if (thing->open < 0)
            thing->from = INT64_MIN;
        (void)end_chunk(thing, thing->chunk, w);
        if (!thing->any)
            thing->first = thing->last = thing->before;
        if (thing->kind == STATISTICS)
            reach_back(thing, statistics_from(t));
    }
    return reach_objects(t) ? TK_ENOMEM : TK_OK;
}

bool tk_edit_things_keep(const struct tk_edit_things *t, struct tk_edit_thing_place *places,
                         const struct tk_edit_chunk_rule *rule, const struct tk_ut_event *ev)
{
    const uint32_t at = rule->says ? TK_MAP_NONE : tk_map_get(&t->index, tk_edit_chunk_key(rule, ev));
    if (at == TK_MAP_NONE)
        return true;
    const struct tk_edit_thing *thing = &t->v.v[at];
    const uint64_t chunk = places[at].chunk;
    (void)step(rule, &places[at].chunk, &places[at].open);
    const uint64_t margin = margins[rule->kind];
    if (tk_id_set_has(&thing->others, chunk))
        return true;
    if (!margin && !thing->any)
        return false;
    return chunk + margin >= thing->first && chunk <= thing->last + margin;
}

void tk_edit_things_release(struct tk_edit_things *t)
{
    for (size_t i = 0; i < t->v.n; i++) {
        tk_vec_release(&t->v.v[i].marks);
        tk_id_set_release(&t->v.v[i].others);
    }
    tk_map_release(&t->index);
    tk_map_release(&t->packages);
    tk_vec_release(&t->mentions);
    tk_vec_release(&t->v);
}
