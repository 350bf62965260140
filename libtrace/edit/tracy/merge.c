/*
 * The walk over all payloads of a merge.
 */
#include "edit/tracy/edit_tracy.h"
#include "edit/tracy/edit_tracy_merge.h"
#include "format/tracy/walk/own_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * The file of a merge, and what it says of itself.
 */

int tk_edit_tracy_merge_plan(struct tk_edit_tracy_merge *e, const char *compress, unsigned streams,
                             struct tk_err *err)
{
    const int rc = tk_tracy_merge_plan(&e->merge, err);
    return rc == TK_OK ? tk_edit_tracy_packing(&e->packing, e->merge.parts[0].c, e->merge.version, compress,
                                               streams, err)
                       : rc;
}

/* One line, without names of captures. */
static size_t make_record(const struct tk_tracy_merge *m, char *text, size_t capacity)
{
    size_t n = (size_t)snprintf(
        text, capacity,
        TK_TRACY_EDIT_MARK "%s\",\"options\":[\"merge\"],\"merged\":%zu,\"earlier_edits\":%zu,\"shifted\":[",
        TK_VERSION, m->n, m->edits);
    for (size_t i = 0; i < m->n && n < capacity; i++)
        n += (size_t)snprintf(text + n, capacity - n, "%s%" PRId64, i ? "," : "", m->parts[i].shift);
    n += n < capacity ? (size_t)snprintf(text + n, capacity - n, "]}") : 0;
    return n < capacity ? n : capacity - 1;
}

int tk_edit_tracy_merge_write(struct tk_edit_tracy_merge *e, tk_tracy_write_fn *write, void *ctx,
                              struct tk_err *err)
{
    char record[256 + 24 * TK_TRACY_MERGED_MOST];
    struct tk_tracy_writer out;
    e->merge.record = record;
    e->merge.n_record = make_record(&e->merge, record, sizeof record);
    tk_tracy_writer_open(&out, e->merge.version, &e->packing, write, ctx, err);
    const int rc = out.rc == TK_OK ? tk_tracy_merge_write(&e->merge, &out, err) : out.rc;
    const int closed = tk_tracy_writer_close(&out);
    e->merge.record = NULL;
    e->merge.out = NULL;
    return rc == TK_OK ? closed : rc;
}

void tk_edit_tracy_merge_release(struct tk_edit_tracy_merge *e)
{
    tk_tracy_merge_release(&e->merge);
}

static void (*const sections[])(struct tk_tracy_merge *m) = {
    tk_tracy_merge_header,        tk_tracy_merge_topology,
    tk_tracy_merge_crash,         tk_tracy_merge_frames,
    tk_tracy_merge_time_sections, tk_tracy_merge_strings,
    tk_tracy_merge_pointers,      tk_tracy_merge_thread_names,
    tk_tracy_merge_thread_tables, tk_tracy_merge_locations,
    tk_tracy_merge_zone_counts,   tk_tracy_merge_locks,
    tk_tracy_merge_messages,      tk_tracy_merge_extras,
    tk_tracy_merge_threads,       tk_tracy_merge_gpu,
    tk_tracy_merge_plots,         tk_tracy_merge_memory,
    tk_tracy_merge_callstacks,    tk_tracy_merge_callstack_frames,
    tk_tracy_merge_app_info,      tk_tracy_merge_images,
    tk_tracy_merge_switches,      tk_tracy_merge_cpu_switches,
    tk_tracy_merge_processes,     tk_tracy_merge_cpu_use,
    tk_tracy_merge_symbols,       tk_tracy_merge_symbol_code,
    tk_tracy_merge_code_symbols,  tk_tracy_merge_hardware_samples,
    tk_tracy_merge_sources,
};

static int open_payloads(struct tk_tracy_merge *m, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < m->n; i++)
        m->parts[i].in = &m->parts[i].from.in;
    for (size_t i = 0; i < m->n && rc == TK_OK; i++) {
        rc = tk_tracy_payload_in_open(&m->parts[i].from, m->parts[i].c, err);
        tk_tracy_skip(m->parts[i].in, TK_TRACY_VERSION_BYTES, "version");
    }
    return rc;
}

/* The first cause of an end, as a status. */
static int settle(struct tk_tracy_merge *m, struct tk_err *err)
{
    if (m->rc != TK_OK)
        return m->rc;
    if (m->out && m->out->rc != TK_OK)
        return m->out->rc;
    for (size_t i = 0; i < m->n; i++) {
        const struct tk_tracy_payload *in = m->parts[i].in;
        if (tk_tracy_ok(in))
            continue;
        if (in->rc != TK_OK && err)
            *err = in->err;
        return in->rc != TK_OK
                   ? in->rc
                   : tk_err_set(err, TK_EIO, "a capture has changed since it was opened (%s)", in->fault);
    }
    return TK_OK;
}

/* The number of a fork does not say how it is laid out; the newest layout has what any has. */
static uint32_t version_of(const struct tk_tracy_capture *c)
{
    const struct tk_tracy_layout layout = tk_tracy_layout_of(c->version);
    const bool known =
        memcmp(&layout, &c->layout, sizeof layout) == 0 && !tk_tracy_version_is_newer(c->version);
    return known ? c->version : TK_TRACY_NEWEST;
}

int tk_tracy_merge_plan(struct tk_tracy_merge *m, struct tk_err *err)
{
    m->err = err;
    for (unsigned i = 0; i < 2; i++)
        if (!(m->zones_of[i] = calloc(UINT16_MAX + 1, sizeof *m->zones_of[i])))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i], *before = i ? &m->parts[i - 1] : NULL;
        part->number = i;
        part->first_callstack = before ? before->first_callstack + before->callstacks : 0;
        part->first_image = before ? before->first_image + before->images : 0;
        const uint32_t version = version_of(part->c);
        m->version = version > m->version ? version : m->version;
        if (!(part->places = calloc(UINT16_MAX + 1, sizeof *part->places)))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
    }
    const int rc = m->rc == TK_OK ? open_payloads(m, err) : m->rc;
    if (rc == TK_OK)
        tk_tracy_merge_number(m);
    return rc == TK_OK ? settle(m, err) : rc;
}

int tk_tracy_merge_write(struct tk_tracy_merge *m, struct tk_tracy_writer *out, struct tk_err *err)
{
    m->out = out;
    m->err = err;
    for (size_t i = 0; i < sizeof sections / sizeof *sections && tk_tracy_merge_going(m); i++)
        sections[i](m);
    return settle(m, err);
}

static void release_part(struct tk_tracy_merge_part *part)
{
    if (part->in)
        tk_tracy_payload_in_close(&part->from);
    for (unsigned i = 0; i < 3; i++)
        free(part->texts[i]);
    tk_vec_release(&part->strings);
    tk_vec_release(&part->local);
    tk_vec_release(&part->external);
    tk_vec_release(&part->tids);
    tk_map_release(&part->tid_of);
    free(part->places);
}

void tk_tracy_merge_release(struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        release_part(&m->parts[i]);
    tk_vec_release(&m->strings);
    tk_map_release(&m->string_of);
    tk_map_release(&m->owner);
    tk_map_release(&m->named);
    tk_map_release(&m->place_of);
    tk_map_release(&m->locks);
    tk_vec_release(&m->names);
    tk_vec_release(&m->local);
    tk_vec_release(&m->external);
    tk_vec_release(&m->statics);
    tk_vec_release(&m->dynamics);
    tk_vec_release(&m->stack);
    tk_vec_release(&m->stack64);
    for (unsigned i = 0; i < 2; i++)
        free(m->zones_of[i]);
    tk_arena_release(&m->arena);
    *m = (struct tk_tracy_merge){0};
}
