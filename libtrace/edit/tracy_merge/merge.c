/*
 * The walk over all payloads of a merge, and what sections do it with. See merge.h.
 */
#include "edit/tracy_merge/merge.h"

#include <string.h>

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

bool tk_tracy_merge_going(const struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (!tk_tracy_ok(m->parts[i].in))
            return false;
    return m->rc == TK_OK && (!m->out || m->out->rc == TK_OK);
}

void tk_tracy_merge_fail(struct tk_tracy_merge *m, int rc, const char *why)
{
    if (m->rc != TK_OK)
        return;
    m->rc = rc == TK_ENOMEM ? tk_err_nomem(m->err, "a merge") : tk_err_set(m->err, rc, "%s", why);
}

uint64_t tk_tracy_merge_sum(struct tk_tracy_merge *m)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->n; i++)
        sum += m->parts[i].n = tk_tracy_u64(m->parts[i].in, "a list");
    return sum;
}

void tk_tracy_merge_put_sum(struct tk_tracy_merge *m)
{
    tk_tracy_put(m->out, tk_tracy_merge_sum(m), 8);
}

void tk_tracy_merge_copy(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint64_t n)
{
    struct tk_tracy_payload *in = part->in;
    while (n && tk_tracy_ok(in)) {
        const uint64_t have = (uint64_t)(in->end - in->p);
        const size_t now = have == 0 ? 1 : (size_t)(have < n ? have : n);
        const uint8_t *bytes = have == 0 ? tk_tracy_take(in, 1, "a section") : in->p;
        if (!bytes)
            return;
        if (have)
            in->p += now;
        tk_tracy_put_bytes(m->out, bytes, now);
        n -= now;
    }
}

uint32_t tk_tracy_merge_read_index(struct tk_tracy_merge_part *part)
{
    return tk_tracy_merge_index(part, tk_tracy_u24(part->in, "a string"));
}

/* What a program had no text for in the file stays a pointer without one. */
struct tk_tracy_ref tk_tracy_merge_ref(const struct tk_tracy_merge_part *part, const uint8_t ref[9])
{
    const uint64_t value = tk_load64(ref);
    const uint8_t flags = ref[8];
    if (!(flags & 2))
        return (struct tk_tracy_ref){0, TK_TRACY_REF_NONE};
    const uint32_t number = flags & 1 ? (value < UINT32_MAX ? (uint32_t)value : UINT32_MAX)
                                      : tk_map_get(&part->c->strings.by_pointer, value);
    const uint32_t index = number == UINT32_MAX ? 0 : tk_tracy_merge_index(part, number + 1);
    if (index)
        return (struct tk_tracy_ref){index - 1, TK_TRACY_REF_NUMBER};
    return (struct tk_tracy_ref){tk_tracy_merge_pointer(part, flags & 1 ? 1 : value), TK_TRACY_REF_POINTER};
}

uint32_t tk_tracy_merge_callstack(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part,
                                  uint32_t callstack)
{
    /* one that is not there would be that of another capture */
    const bool there = callstack && callstack <= part->callstacks;
    const uint64_t number = there ? callstack + part->first_callstack : 0;
    if (number > 0xffffff)
        tk_tracy_merge_fail(m, TK_ELIMIT,
                            "together the captures have more callstacks than a .tracy can hold");
    return (uint32_t)(number & 0xffffff);
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
                   : tk_err_set(err, TK_EIO, "a capture is not any more what it was when it was opened (%s)",
                                in->fault);
    }
    return TK_OK;
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
        m->version = part->c->version > m->version ? part->c->version : m->version;
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
