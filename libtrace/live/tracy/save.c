/*
 * Writes a capture: first everything that is still open gets into its column, then come the sections in the
 * order of the file (tracy-file 4, 5; tracy-live 12).
 */
#include "base/wrap.h"
#include "format/tracy/file/sections_out.h"
#include "live/tracy/state/state.h"
#include "live/tracy/tracy_in.h"
#include "os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is open ---- */

static int put_open_zones(struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->threads.n; i++)
        for (size_t k = 0; k < s->threads.v[i]->open.n; k++)
            TK_TL_TRY(tk_tl_zone_put(s, s->threads.v[i], &s->threads.v[i]->open.v[k], -1));
    for (struct tk_tl_gpu_live *z = s->gpu_live; z; z = z->next)
        if (!tk_spill_column_change(z->column, z->index, &z->zone))
            return tk_tl_column_error(s);
    return TK_OK;
}

/* ---- the header ---- */

static int64_t period_of(const struct tk_tl_state *s, uint64_t ticks)
{
    return tk_saturate_i64((double)ticks * s->welcome.period);
}

/* "PROGRAM @ 2026-11-23 21:05:42", as clocks here show it. */
static size_t name_capture(char *out, size_t capacity, const struct tk_tl_welcome *w)
{
    const struct tk_os_date d = tk_os_local_date(w->epoch > INT64_MAX ? INT64_MAX : (int64_t)w->epoch);
    const int n = snprintf(out, capacity, "%s @ %04d-%02d-%02d %02d:%02d:%02d", w->program, d.year, d.month,
                           d.day, d.hour, d.minute, d.second);
    return n > 0 && (size_t)n < capacity ? (size_t)n : 0;
}

static struct tk_bytes span_of(const char *text)
{
    return (struct tk_bytes){(const uint8_t *)text, strlen(text)};
}

static void put_header(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    const struct tk_tl_welcome *k = &s->welcome;
    char name[128];
    struct tk_tracy_head h = {.h = {.delay = period_of(s, k->delay),
                                    .resolution = period_of(s, k->resolution),
                                    .period = k->period,
                                    .last_time = s->last_time > 0 ? s->last_time : 1,
                                    .frame_offset = k->frame_offset,
                                    .pid = k->pid,
                                    .sampling = k->sampling,
                                    .arch = k->arch,
                                    .cpu_id = k->cpu_id,
                                    .on_demand = (k->flags & TK_TL_ON_DEMAND) != 0},
                              .t = {k->epoch, k->exec_time},
                              .program = span_of(k->program),
                              .host = span_of(k->host)};
    memcpy(h.h.manufacturer.v, k->manufacturer, sizeof h.h.manufacturer.v);
    h.capture_name = (struct tk_bytes){(const uint8_t *)name, name_capture(name, sizeof name, k)};
    tk_tracy_put_head(w, &h);
}

static int put_topology(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    struct tk_tracy_cpu_thread *v = calloc(s->topology.n + 1, sizeof *v);
    if (!v)
        return tk_tl_nomem(s);
    for (size_t i = 0; i < s->topology.n; i++) {
        const struct tk_tl_topology *t = &s->topology.v[i];
        v[i] = (struct tk_tracy_cpu_thread){t->package, t->die, t->core, t->thread};
    }
    tk_tracy_put_topology(w, v, s->topology.n);
    free(v);
    return TK_OK;
}

static int put_sections(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    put_header(s, w);
    TK_TL_TRY(put_topology(s, w));
    tk_tracy_put_crash(
        w, &(struct tk_tracy_crash){s->crash.tid, s->crash.time, s->crash.message, s->crash.callstack});
    TK_TL_TRY(tk_tl_save_frames(s, w));
    TK_TL_TRY(tk_tl_save_sections(s, w));
    TK_TL_TRY(tk_tl_save_names(s, w));
    TK_TL_TRY(tk_tl_save_locks(s, w));
    TK_TL_TRY(tk_tl_save_messages(s, w));
    TK_TL_TRY(tk_tl_save_extras(s, w));
    TK_TL_TRY(tk_tl_save_threads(s, w));
    TK_TL_TRY(tk_tl_save_gpus(s, w));
    TK_TL_TRY(tk_tl_save_plots(s, w));
    TK_TL_TRY(tk_tl_save_memory(s, w));
    TK_TL_TRY(tk_tl_save_code(s, w));
    TK_TL_TRY(tk_tl_save_images(s, w));
    TK_TL_TRY(tk_tl_save_switches(s, w));
    return tk_tl_save_symbols(s, w);
}

int tk_tl_save(struct tk_tl_state *s, tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    const struct tk_tracy_packing packing = tk_tracy_packing_of(s->protocol.file_version);
    struct tk_tracy_writer w;
    s->err = err;
    int rc = put_open_zones(s);
    if (rc == TK_OK)
        rc = tk_spill_columns_seal(s->columns, err);
    if (rc == TK_OK)
        rc = tk_spill_columns_seal(s->lasting, err);
    if (rc == TK_OK)
        rc = tk_tl_rotate_plan(s);
    if (rc != TK_OK)
        return rc;
    tk_tracy_writer_open(&w, s->protocol.file_version, &packing, write, ctx, err);
    rc = w.rc == TK_OK ? put_sections(s, &w) : w.rc;
    const int written = tk_tracy_writer_close(&w);
    return rc != TK_OK ? rc : written;
}
