/*
 * Gathers tracks and texts for a .tracy, each once. See tracy_parts.h.
 */
#include "export/tracy/tracy_parts.h"

#include <string.h>

static int no_memory(struct tk_err *err)
{
    return tk_err_nomem(err, "an export");
}

int tk_ts_string(struct tk_tracy_sink *t, const struct tk_str *text, uint32_t *number, struct tk_err *err)
{
    const char *p = text && text->p ? text->p : "";
    const size_t n = text && text->p ? text->n : 0;
    uint64_t hash = tk_hash_bytes(p, n, 0);
    for (; (*number = tk_map_get(&t->string_of, hash)) != TK_MAP_NONE; hash++)
        if (t->strings.v[*number].n == n && memcmp(t->strings.v[*number].p, p, n) == 0)
            return TK_OK;
    struct tk_ts_text copy = {tk_arena_copy(&t->texts, p, n), n};
    *number = (uint32_t)t->strings.n;
    if (!copy.p || tk_vec_push(&t->strings, copy) || tk_map_put(&t->string_of, hash, *number))
        return no_memory(err);
    return t->strings.n < TK_TS_STRINGS ? TK_OK
                                        : tk_err_set(err, TK_ELIMIT, "more texts than a .tracy can hold");
}

static size_t item_size(uint8_t kind)
{
    return kind == TK_TRACK_THREAD    ? sizeof(struct tk_ts_zone)
           : kind == TK_TRACK_GPU     ? sizeof(struct tk_ts_gpu_zone)
           : kind == TK_TRACK_COUNTER ? sizeof(struct tk_ts_point)
                                      : sizeof(struct tk_ts_interval);
}

int tk_ts_new_track(struct tk_tracy_sink *t, uint8_t kind, uint32_t name, uint32_t *i, struct tk_err *err)
{
    struct tk_ts_track *k = tk_arena_alloc(&t->arena, sizeof *k);
    if (!k)
        return no_memory(err);
    memset(k, 0, sizeof *k);
    k->kind = kind;
    k->name = name;
    tk_spill_column_begin(&k->items, t->columns, item_size(kind));
    tk_spill_column_begin(&k->message_keys, t->columns, sizeof(uint64_t));
    *i = (uint32_t)t->tracks.n;
    return tk_vec_push(&t->tracks, k) ? no_memory(err) : TK_OK;
}

/* A .tracy says so by their group. */
static bool is_fiber(const struct tk_track *track)
{
    static const char fiber[] = "Fiber";
    return track->kind == TK_TRACK_THREAD && track->group && track->group->n == sizeof fiber - 1 &&
           memcmp(track->group->p, fiber, sizeof fiber - 1) == 0;
}

/* Threads keep the id that the system gave them where no other has it; it gives fibers none. */
static uint64_t tid_of(const struct tk_tracy_sink *t, const struct tk_track *track)
{
    uint64_t tid = track->kind == TK_TRACK_GPU ? (UINT64_C(1) << 33) + track->number
                   : is_fiber(track)           ? (UINT64_C(1) << 32) + track->number
                                               : track->system_id;
    for (size_t i = 0; i < t->tracks.n; i++)
        if (tid == 0 || t->tracks.v[i]->tid == tid)
            return (UINT64_C(1) << 34) + t->tracks.n;
    return tid ? tid : (UINT64_C(1) << 34) + t->tracks.n;
}

int tk_ts_take_track(void *self, const struct tk_track *track, struct tk_err *err)
{
    struct tk_tracy_sink *t = self;
    uint32_t i = tk_map_get(&t->track_of, track->id), name;
    int rc = tk_ts_string(t, track->name, &name, err);
    if (rc == TK_OK && i == TK_MAP_NONE) {
        const uint64_t tid = tid_of(t, track);
        rc = tk_ts_new_track(t, track->kind, name, &i, err);
        if (rc == TK_OK && tk_map_put(&t->track_of, track->id, i))
            rc = no_memory(err);
        if (rc == TK_OK) {
            t->tracks.v[i]->tid = track->kind == TK_TRACK_THREAD || track->kind == TK_TRACK_GPU ? tid : 0;
            t->tracks.v[i]->fiber = is_fiber(track);
            t->tracks.v[i]->id = track->kind == TK_TRACK_MARKS ? track->parent : track->id;
            t->tracks.v[i]->bytes = track->kind == TK_TRACK_COUNTER && track->value_kind == TK_SIZE;
        }
    }
    if (rc == TK_OK)
        t->tracks.v[i]->name = name;
    return rc;
}

int tk_ts_thread(struct tk_tracy_sink *t, uint64_t id, uint64_t system_id, const struct tk_str *name,
                 uint32_t *place, struct tk_err *err)
{
    const struct tk_track track = {
        .id = id, .kind = TK_TRACK_THREAD, .number = system_id, .system_id = system_id, .name = name};
    *place = tk_map_get(&t->track_of, id);
    int rc = *place == TK_MAP_NONE ? tk_ts_take_track(t, &track, err) : TK_OK;
    *place = tk_map_get(&t->track_of, id);
    return rc;
}
