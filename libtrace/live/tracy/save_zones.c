/*
 * Writes zones and samples of threads, and zones of the GPU (tracy-file 5.10, 5.11).
 */
#include "format/tracy/file/sections_out.h"
#include "live/tracy/tracy_in.h"

#include <stdlib.h>
#include <string.h>

/* A zone whose children are not all written. */
struct open_zone {
    int64_t end;
    uint32_t left;
};

struct zone_stack {
    TK_VEC(struct open_zone) v;
};

/* Ends zones whose children are written. */
static void end_zones(struct tk_tracy_writer *w, struct zone_stack *open)
{
    while (open->v.n && !open->v.v[open->v.n - 1].left) {
        tk_tracy_put_zone_end(w, open->v.v[--open->v.n].end);
        if (open->v.n)
            open->v.v[open->v.n - 1].left--;
    }
}

static int put_zone(struct tk_tl_state *s, struct tk_tracy_writer *w, struct zone_stack *open,
                    const void *record)
{
    struct tk_tl_zone z;
    memcpy(&z, record, sizeof z);
    tk_tracy_put_zone_begin(w, (int16_t)(uint16_t)z.start_place, z.start_place >> 16, z.extra, z.children);
    if (z.children) {
        const struct open_zone o = {z.end, z.children};
        return tk_vec_push(&open->v, o) ? tk_tl_nomem(s) : TK_OK;
    }
    tk_tracy_put_zone_end(w, z.end);
    if (open->v.n && --open->v.v[open->v.n - 1].left == 0)
        end_zones(w, open);
    return TK_OK;
}

static int put_zones(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_thread *t)
{
    struct tk_spill_column_reading r;
    struct zone_stack open = {{0}};
    const void *record;
    int rc = TK_OK;
    tk_spill_column_reading_open(&r, &t->zones, s->err);
    while (rc == TK_OK && w->rc == TK_OK && (rc = tk_spill_column_read(&r, &record)) == TK_ITEM)
        rc = put_zone(s, w, &open, record);
    tk_spill_column_reading_close(&r);
    tk_vec_release(&open.v);
    return rc;
}

static int put_samples(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_spill_column *c,
                       bool sort)
{
    struct tk_tl_ordered o;
    const void *record;
    int rc = tk_tl_ordered_open(&o, s, c, sort, s->err);
    tk_tracy_put_list(w, tk_spill_column_count(c));
    while (rc == TK_OK && (rc = tk_tl_ordered_next(&o, &record)) == TK_ITEM) {
        struct tk_tl_sample sample;
        memcpy(&sample, record, sizeof sample);
        tk_tracy_put_sample(w, &(struct tk_tracy_sample){sample.time, sample.callstack});
        rc = TK_OK;
    }
    tk_tl_ordered_close(&o);
    return rc;
}

static int put_message_keys(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_spill_column *c)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_tracy_put_list(w, tk_spill_column_count(c));
    tk_spill_column_reading_open(&r, c, s->err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_tracy_thread_message message;
        memcpy(&message.key, record, sizeof message.key);
        tk_tracy_put_thread_message(w, &message);
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

static int put_thread(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_thread *t)
{
    const bool sorted = w->version >= TK_TRACY_V(0, 13, 6);
    const struct tk_tracy_thread head = {t->tid, t->zones_begun, t->kernel_samples, t->fiber, t->hint};
    tk_tracy_put_thread(w, &head);
    tk_tracy_put_roots(w, t->roots);
    TK_TL_TRY(put_zones(s, w, t));
    TK_TL_TRY(put_message_keys(s, w, &t->message_keys));
    TK_TL_TRY(put_samples(s, w, &t->switch_samples, sorted));
    return put_samples(s, w, &t->samples, s->sort_samples);
}

int tk_tl_save_threads(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, s->zones, 8);
    tk_tracy_put(w, s->parents, 8);
    tk_tracy_put(w, s->threads.n, 8);
    for (size_t i = 0; i < s->threads.n; i++)
        TK_TL_TRY(put_thread(s, w, s->threads.v[i]));
    return TK_OK;
}

/* ---- GPU ---- */

struct open_gpu_zone {
    struct tk_tracy_gpu_end end;
    uint32_t left;
};

struct gpu_stack {
    TK_VEC(struct open_gpu_zone) v;
};

static int put_gpu_zone(struct tk_tl_state *s, struct tk_tracy_writer *w, struct gpu_stack *open,
                        const void *record)
{
    struct tk_tl_gpu_zone z;
    memcpy(&z, record, sizeof z);
    const struct tk_tracy_gpu_begin begin = {z.cpu_start, z.gpu_start, z.place,
                                             z.callstack, z.thread,    z.children};
    const struct open_gpu_zone o = {{z.cpu_end, z.gpu_end, z.query}, z.children};
    tk_tracy_put_gpu_begin(w, &begin);
    if (tk_vec_push(&open->v, o))
        return tk_tl_nomem(s);
    while (open->v.n && !open->v.v[open->v.n - 1].left) {
        tk_tracy_put_gpu_end(w, &open->v.v[--open->v.n].end);
        if (open->v.n)
            open->v.v[open->v.n - 1].left--;
    }
    return TK_OK;
}

static int put_timeline(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_gpu_timeline *t)
{
    struct tk_spill_column_reading r;
    struct gpu_stack open = {{0}};
    const void *record;
    int rc = TK_OK;
    uint64_t n = tk_spill_column_count(&t->zones) - t->left;
    tk_tracy_put_gpu_timeline(w, &(struct tk_tracy_gpu_timeline){t->tid, t->roots - t->roots_left});
    w->time = w->gpu_time = 0;
    tk_spill_column_reading_open(&r, &t->zones, s->err);
    while (rc == TK_OK && n-- && (rc = tk_spill_column_read(&r, &record)) == TK_ITEM)
        rc = put_gpu_zone(s, w, &open, record);
    tk_spill_column_reading_close(&r);
    tk_vec_release(&open.v);
    return rc;
}

static int compare_notes(const void *a, const void *b)
{
    const struct tk_tl_note *x = a, *y = b;
    if (x->query != y->query)
        return x->query < y->query ? -1 : 1;
    return x->note < y->note ? -1 : x->note > y->note;
}

static void put_sorted_notes(struct tk_tracy_writer *w, const struct tk_tl_note *v, size_t n)
{
    uint64_t queries = 0;
    for (size_t i = 0; i < n; i++)
        queries += !i || v[i].query != v[i - 1].query;
    tk_tracy_put(w, queries, 8);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && v[end].query == v[i].query;)
            end++;
        tk_tracy_put_gpu_query(w, &(struct tk_tracy_gpu_query){v[i].query});
        tk_tracy_put(w, end - i, 8);
        for (size_t k = i; k < end; k++)
            tk_tracy_put_gpu_note(w, &(struct tk_tracy_gpu_note){v[k].note, v[k].value});
    }
}

/* A copy is sorted: a recording that goes on finds them by their numbers. */
static int put_notes(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_gpu *g)
{
    struct tk_tl_note *v = malloc((g->notes.n + 1) * sizeof *v);
    if (!v)
        return tk_tl_nomem(s);
    if (g->notes.n) {
        memcpy(v, g->notes.v, g->notes.n * sizeof *v);
        qsort(v, g->notes.n, sizeof *v, compare_notes);
    }
    put_sorted_notes(w, v, g->notes.n);
    free(v);
    return TK_OK;
}

static void put_note_names(struct tk_tracy_writer *w, const struct tk_tl_gpu *g)
{
    tk_tracy_put(w, g->note_names.n, 8);
    for (size_t i = 0; i < g->note_names.n; i++)
        tk_tracy_put_note_name(
            w, &(struct tk_tracy_note_name){g->note_names.v[i].note, g->note_names.v[i].text});
}

static int put_gpu(struct tk_tl_state *s, struct tk_tracy_writer *w, struct tk_tl_gpu *g)
{
    const struct tk_tracy_gpu_context head = {
        g->tid, g->calibrated, g->count - g->count_left, g->period, g->type, g->name, g->overflow};
    tk_tracy_put_gpu_context(w, &head);
    if (w->layout.gpu_notes)
        put_note_names(w, g);
    tk_tracy_put(w, g->timelines.n, 8);
    for (size_t i = 0; i < g->timelines.n; i++)
        TK_TL_TRY(put_timeline(s, w, g->timelines.v[i]));
    return w->layout.gpu_notes ? put_notes(s, w, g) : TK_OK;
}

int tk_tl_save_gpus(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    uint64_t zones = 0;
    for (size_t i = 0; i < s->gpus.n; i++)
        zones += s->gpus.v[i]->count - s->gpus.v[i]->count_left;
    tk_tracy_put(w, zones, 8);
    tk_tracy_put(w, s->gpu_parents - s->gpu_parents_left, 8);
    tk_tracy_put(w, s->gpus.n, 8);
    for (size_t i = 0; i < s->gpus.n; i++)
        TK_TL_TRY(put_gpu(s, w, s->gpus.v[i]));
    return TK_OK;
}
