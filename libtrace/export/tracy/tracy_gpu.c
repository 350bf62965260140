/*
 * Writes the contexts of the GPU of a .tracy (tracy-file 5.11): a context with one timeline for each track.
 * Where it is not known when the program asked for the work, its times there are those of the GPU.
 */
#include "export/tracy/tracy_parts.h"
#include "format/tracy/file/sections_back.h"

#include <string.h>

struct open_zone {
    struct tk_tracy_gpu_zone zone;
    uint32_t left;
};

struct open_zones {
    TK_VEC(struct open_zone) v;
};

static bool is_gpu(const struct tk_ts_track *k)
{
    return k->kind == TK_TRACK_GPU;
}

static int put_zone(struct tk_tracy_writer *w, struct open_zones *open, const struct tk_ts_gpu_zone *gpu,
                    struct tk_err *err)
{
    const struct tk_ts_zone *z = &gpu->zone;
    const struct open_zone o = {.zone = {.cpu_start = gpu->asked,
                                         .cpu_end = gpu->asked_end,
                                         .gpu_start = z->start,
                                         .gpu_end = z->end,
                                         .location = z->place,
                                         .children = z->children},
                                .left = z->children};
    tk_tracy_put_gpu_zone_begin(w, &o.zone);
    if (tk_vec_push(&open->v, o))
        return tk_err_nomem(err, "an export");
    while (open->v.n && !open->v.v[open->v.n - 1].left) {
        tk_tracy_put_gpu_zone_end(w, &open->v.v[--open->v.n].zone);
        if (open->v.n)
            open->v.v[open->v.n - 1].left--;
    }
    return TK_OK;
}

static int put_timeline(struct tk_tracy_writer *w, const struct tk_ts_track *k, struct tk_err *err)
{
    struct tk_spill_column_reading r;
    struct open_zones open = {{0}};
    const void *record;
    int rc = TK_OK;
    tk_tracy_put_gpu_timeline(w, 0, k->roots);
    tk_spill_column_reading_open(&r, &k->items, err);
    while (rc == TK_OK && w->rc == TK_OK && (rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_ts_gpu_zone z;
        memcpy(&z, record, sizeof z);
        rc = put_zone(w, &open, &z, err);
    }
    tk_spill_column_reading_close(&r);
    tk_vec_release(&open.v);
    return rc;
}

static int put_context(struct tk_tracy_writer *w, const struct tk_ts_track *k, struct tk_err *err)
{
    const uint64_t zones = tk_spill_column_count(&k->items);
    const struct tk_tracy_gpu_head head = {.zones = zones, .period = 1, .name = k->name + 1};
    tk_tracy_put_gpu(w, &head);
    if (w->layout.gpu_notes)
        tk_tracy_put(w, 0, 8); /* names of notes */
    tk_tracy_put(w, zones > 0, 8);
    const int rc = zones ? put_timeline(w, k, err) : TK_OK;
    if (w->layout.gpu_notes)
        tk_tracy_put(w, 0, 8); /* notes */
    return rc;
}

int tk_ts_put_gpu(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    uint64_t contexts = 0;
    int rc = TK_OK;
    for (size_t i = 0; i < t->tracks.n; i++)
        contexts += is_gpu(t->tracks.v[i]);
    tk_tracy_put(w, t->zones.gpu, 8);
    tk_tracy_put(w, t->parents.gpu, 8);
    tk_tracy_put(w, contexts, 8);
    for (size_t i = 0; i < t->tracks.n && rc == TK_OK; i++)
        if (is_gpu(t->tracks.v[i]))
            rc = put_context(w, t->tracks.v[i], err);
    return rc;
}
