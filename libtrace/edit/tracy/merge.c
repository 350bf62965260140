/*
 * The walk over all payloads of a merge.
 */
#include "edit/tracy/edit_tracy.h"
#include "edit/tracy/merge_in.h"
#include "format/tracy/walk/own_tables.h"

#include <inttypes.h>
#include <stdarg.h>
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

/* A line under way, in space that is large enough. */
struct line {
    char *text;
    size_t n, capacity;
};

static void put(struct line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(l->text + l->n, l->capacity - l->n, format, args);
    va_end(args);
    l->n += n > 0 && (size_t)n < l->capacity - l->n ? (size_t)n : 0;
}

/* Pieces from the middle of a capture become a larger piece. */
static void put_joined(struct line *l, const struct tk_tracy_merge *m, const struct tk_str *left,
                       const struct tk_str *continued)
{
    const int64_t from = m->parts[0].since, to = m->parts[m->n - 1].until;
    put(l, "%.*s", (int)left->n, left->p);
    if (from == INT64_MIN && to == INT64_MAX) {
        put(l, "}");
        return;
    }
    put(l, TK_TRACY_EDIT_TIMES);
    if (from != INT64_MIN)
        put(l, "\"from\":%" PRId64, from);
    if (to != INT64_MAX)
        put(l, "%s\"to\":%" PRId64, from != INT64_MIN ? "," : "", to);
    put(l, "}" TK_TRACY_EDIT_CONTINUED "%.*s", (int)continued->n, continued->p);
}

/* One line, without names of captures. */
static bool make_record(struct tk_tracy_merge *m)
{
    struct tk_str left = {0}, continued = {0};
    if (m->joins)
        tk_tracy_join_record(m, &left, &continued);
    struct line l = {.capacity = 512 + 24 * m->n + left.n + continued.n};
    l.text = tk_arena_alloc(&m->arena, l.capacity);
    if (!l.text)
        return false;
    put(&l,
        TK_TRACY_EDIT_MARK "%s\",\"options\":[\"merge\"],\"merged\":%zu,\"earlier_edits\":%zu,\"shifted\":[",
        TK_VERSION, m->n, m->edits);
    for (size_t i = 0; i < m->n; i++)
        put(&l, "%s%" PRId64, i ? "," : "", m->parts[i].shift);
    put(&l, "]");
    if (m->joins)
        put_joined(&l, m, &left, &continued);
    else
        put(&l, "}");
    m->record = l.text;
    m->n_record = l.n;
    return true;
}

static int write_nowhere(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    (void)ctx;
    (void)p;
    (void)n;
    (void)err;
    return TK_OK;
}

static int write_once(struct tk_tracy_merge *m, const struct tk_tracy_packing *packing,
                      tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    struct tk_tracy_writer out;
    tk_tracy_writer_open(&out, m->version, packing, write, ctx, err);
    const int rc = out.rc == TK_OK ? tk_tracy_merge_write(m, &out, err) : out.rc;
    const int closed = tk_tracy_writer_close(&out);
    m->out = NULL;
    return rc == TK_OK ? closed : rc;
}

/* What stays of the lists of pieces. */
static int count(struct tk_tracy_merge *m, struct tk_err *err)
{
    const struct tk_tracy_packing fast = {.mark = TK_TRACY_MARK_STREAMS, .codec = TK_TRACY_LZ4, .streams = 1};
    m->counts_only = true;
    const int rc = write_once(m, &fast, write_nowhere, NULL, err);
    m->counts_only = false;
    return rc == TK_OK ? tk_tracy_merge_again(m, err) : rc;
}

int tk_edit_tracy_merge_write(struct tk_edit_tracy_merge *e, tk_tracy_write_fn *write, void *ctx,
                              struct tk_err *err)
{
    int rc = make_record(&e->merge) ? TK_OK : tk_err_nomem(err, "a merge");
    if (rc == TK_OK && e->merge.joins)
        rc = count(&e->merge, err);
    if (rc == TK_OK)
        rc = write_once(&e->merge, &e->packing, write, ctx, err);
    return rc;
}

void tk_edit_tracy_merge_release(struct tk_edit_tracy_merge *e)
{
    tk_tracy_merge_release(&e->merge);
}

typedef void section_fn(struct tk_tracy_merge *m);

/* In the order of the file. */
static const struct {
    section_fn *merge;
    section_fn *join; /* of pieces; NULL: what one of them has all of them have */
} sections[] = {
    {tk_tracy_merge_header, tk_tracy_merge_header},
    {tk_tracy_merge_topology, NULL},
    {tk_tracy_merge_crash, NULL},
    {tk_tracy_merge_frames, tk_tracy_join_frames},
    {tk_tracy_merge_time_sections, NULL},
    {tk_tracy_merge_strings, tk_tracy_merge_strings},
    {tk_tracy_merge_pointers, tk_tracy_join_pointers},
    {tk_tracy_merge_thread_names, NULL},
    {tk_tracy_merge_thread_tables, NULL},
    {tk_tracy_merge_locations, NULL},
    {tk_tracy_merge_zone_counts, tk_tracy_merge_zone_counts},
    {tk_tracy_merge_locks, tk_tracy_join_locks},
    {tk_tracy_merge_messages, tk_tracy_merge_messages},
    {tk_tracy_merge_extras, tk_tracy_merge_extras},
    {tk_tracy_merge_threads, tk_tracy_join_threads},
    {tk_tracy_merge_gpu, tk_tracy_join_gpu},
    {tk_tracy_merge_plots, tk_tracy_join_plots},
    {tk_tracy_merge_memory, tk_tracy_join_memory},
    {tk_tracy_merge_callstacks, NULL},
    {tk_tracy_merge_callstack_frames, NULL},
    {tk_tracy_merge_app_info, NULL},
    {tk_tracy_merge_images, tk_tracy_join_images},
    {tk_tracy_merge_switches, tk_tracy_join_switches},
    {tk_tracy_merge_cpu_switches, tk_tracy_join_cpu_switches},
    {tk_tracy_merge_processes, NULL},
    {tk_tracy_merge_cpu_use, NULL},
    {tk_tracy_merge_symbols, NULL},
    {tk_tracy_merge_symbol_code, NULL},
    {tk_tracy_merge_code_symbols, NULL},
    {tk_tracy_merge_hardware_samples, tk_tracy_join_hardware_samples},
    {tk_tracy_merge_sources, NULL},
};

static void write_section(struct tk_tracy_merge *m, size_t i)
{
    const size_t n = m->n;
    if (!m->joins) {
        sections[i].merge(m);
        return;
    }
    if (sections[i].join) {
        sections[i].join(m);
        return;
    }
    struct tk_tracy_merge_part *all = m->parts;
    m->parts = &all[tk_tracy_join_base(m)];
    m->n = 1;
    sections[i].merge(m);
    m->parts = all;
    m->n = n;
    tk_tracy_join_skip_others(m, i);
}

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
    tk_tracy_join_look(m);
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
        write_section(m, i);
    return settle(m, err);
}

/* Behind the headers. */
int tk_tracy_merge_again(struct tk_tracy_merge *m, struct tk_err *err)
{
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_payload_in_close(&m->parts[i].from);
    int rc = open_payloads(m, err);
    for (size_t i = 0; i < m->n && rc == TK_OK; i++)
        tk_tracy_skip(m->parts[i].in, m->parts[i].ends[0] - TK_TRACY_VERSION_BYTES, "header");
    return rc;
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
    for (unsigned i = 0; i < 2; i++)
        tk_vec_release(&part->continued[i].v);
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
    tk_map_release(&m->active);
    tk_vec_release(&m->names);
    tk_vec_release(&m->local);
    tk_vec_release(&m->external);
    tk_vec_release(&m->statics);
    tk_vec_release(&m->dynamics);
    tk_vec_release(&m->stack);
    tk_vec_release(&m->stack64);
    tk_vec_release(&m->counts);
    for (unsigned i = 0; i < 2; i++)
        free(m->zones_of[i]);
    tk_arena_release(&m->arena);
    *m = (struct tk_tracy_merge){0};
}
