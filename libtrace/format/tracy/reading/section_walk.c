/*
 * What is wanted, and going through the sections.
 */
#include "format/tracy/reading/section_walk.h"

#include "base/text/glob.h"
#include "format/tracy/walk/section.h"

#include <stdlib.h>
#include <string.h>

/*
 * The table of sections, in the order of the file.
 */

enum { LAST_OF_FRONT = 10, THREADS = 14, MEMORY = 17 };

const struct tk_tracy_section *const tk_tracy_sections[] = {
    &tk_tracy_sec_header,
    &tk_tracy_sec_topology,
    &tk_tracy_sec_crash,
    &tk_tracy_sec_frames,
    &tk_tracy_sec_time_sections,
    &tk_tracy_sec_strings,
    &tk_tracy_sec_pointers,
    &tk_tracy_sec_thread_names,
    &tk_tracy_sec_thread_tables,
    &tk_tracy_sec_locations,
    [LAST_OF_FRONT] = &tk_tracy_sec_zone_counts,
    &tk_tracy_sec_locks,
    &tk_tracy_sec_messages,
    &tk_tracy_sec_extras,
    [THREADS] = &tk_tracy_sec_zones,
    &tk_tracy_sec_gpu,
    &tk_tracy_sec_plots,
    [MEMORY] = &tk_tracy_sec_memory,
    &tk_tracy_sec_callstacks,
    &tk_tracy_sec_callstack_frames,
    &tk_tracy_sec_app_info,
    &tk_tracy_sec_images,
    &tk_tracy_sec_switches,
    &tk_tracy_sec_cpu_switches,
    &tk_tracy_sec_processes,
    &tk_tracy_sec_cpu_use,
    &tk_tracy_sec_symbols,
    &tk_tracy_sec_symbol_code,
    &tk_tracy_sec_code_symbols,
    &tk_tracy_sec_hw_samples,
    &tk_tracy_sec_sources,
};

const size_t tk_tracy_n_sections = sizeof tk_tracy_sections / sizeof *tk_tracy_sections;
const size_t tk_tracy_n_front = LAST_OF_FRONT + 1;
const size_t tk_tracy_threads_section = THREADS;
const size_t tk_tracy_ordered_section = MEMORY;

/*
 * Threads that are needed before their section.
 *
 * A thread that has no place in the table of threads gets its number with its zones (tracy-file 5.4, 5.10),
 * but locks refer to it before. So another walk goes ahead: it unpacks what lies between, skips zones by
 * arithmetic and builds nothing else.
 */

static int walk_ahead(struct tk_tracy_walk *w, struct tk_health *quiet, struct tk_tracy_batch *nothing,
                      struct tk_err *err)
{
    const struct tk_request request = {.facts = TK_FACT_MASK(STREAM)};
    struct tk_tracy_walk ahead;
    int rc = tk_tracy_walk_open(&ahead, w->c, &request, false, nothing, quiet, err);
    ahead.stop = tk_tracy_threads_section + 1;
    for (rc = rc == TK_OK ? TK_ITEM : rc; rc == TK_ITEM; rc = tk_tracy_walk_next(&ahead, err))
        tk_tracy_batch_clear(nothing);
    tk_tracy_walk_close(&ahead);
    return rc;
}

/* What the other walk defined since is new to this one, too. */
static int tell_definitions(struct tk_tracy_walk *w, size_t from)
{
    for (size_t i = from; i < w->c->definitions.n; i++)
        if (tk_vec_push(&w->out->facts, w->c->definitions.v[i]))
            return TK_ENOMEM;
    return TK_OK;
}

int tk_tracy_walk_threads(struct tk_tracy_walk *w)
{
    struct tk_tracy_batch nothing = {0};
    struct tk_health quiet = {.muted = UINT64_MAX}; /* what is wrong is noted where this walk comes to it */
    size_t defined = w->c->definitions.n;
    int rc = walk_ahead(w, &quiet, &nothing, &w->in.err);
    tk_tracy_batch_release(&nothing);
    tk_health_release(&quiet);
    if (rc < 0) {
        w->in.rc = rc;
        return rc;
    }
    return tell_definitions(w, defined);
}

/* ---- what is wanted ---- */

static bool matches(const struct tk_request *request, const char *name)
{
    for (size_t i = 0; i < request->n_events; i++)
        if (strcmp(request->events[i], name) == 0 ||
            tk_glob_typed(request->events[i], strlen(request->events[i]), name, strlen(name)))
            return true;
    return request->n_events == 0;
}

static uint64_t records_of(const struct tk_request *request)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < TK_TRACY_RECORD_COUNT && request->facts & TK_FACT_MASK(RECORD); i++)
        if (matches(request, tk_tracy_record_types[i].name) &&
            !(request->generic && tk_tracy_record_types[i].family))
            mask |= UINT64_C(1) << i;
    return mask;
}

static bool says_rows(const struct tk_tracy_walk *w, const struct tk_tracy_section *section)
{
    for (size_t i = 0; section->rows && section->rows[i]; i++)
        if (tk_tracy_wants_rows(w, section->rows[i]))
            return true;
    return false;
}

/* The first section behind which nothing is wanted. */
static size_t stop_of(const struct tk_tracy_walk *w)
{
    uint64_t facts = w->facts & ~(TK_FACT_DEFINITIONS & ~TK_FACT_MASK(SESSION));
    size_t stop = 0;
    if (w->defining)
        return tk_tracy_n_front;
    /* The caller what the threads have of the capture wants to know about all of it. */
    if (w->counting || !w->request || facts & TK_FACT_MASK(STREAM))
        return tk_tracy_n_sections;
    /* All threads have numbers once the section with their zones was walked. */
    if (!w->c->threads_known && tk_tracy_threads_open_names(&w->c->threads))
        stop = tk_tracy_threads_section + 1;
    for (size_t i = stop; i < tk_tracy_n_sections; i++)
        if (tk_tracy_sections[i]->facts & facts || tk_tracy_sections[i]->records & w->records ||
            says_rows(w, tk_tracy_sections[i]))
            stop = i + 1;
    return stop;
}

/* ---- opening ---- */

static int more(void *ctx, struct tk_bytes *out, struct tk_err *err)
{
    const struct tk_tracy_walk *w = ctx;
    int rc = w->away ? TK_OK : tk_tracy_walk_tell(w, tk_tracy_at(&w->in), err);
    return rc == TK_OK ? tk_tracy_blocks_next(w->blocks, out, err) : rc;
}

static size_t largest_state(void)
{
    size_t size = 1;
    for (size_t i = 0; i < tk_tracy_n_sections; i++)
        if (tk_tracy_sections[i]->size > size)
            size = tk_tracy_sections[i]->size;
    return size;
}

static int read_version(struct tk_tracy_walk *w, struct tk_err *err)
{
    uint8_t p[TK_TRACY_VERSION_BYTES];
    tk_tracy_copy(&w->in, p, sizeof p, "version");
    if (w->in.rc != TK_OK) {
        if (err)
            *err = w->in.err;
        return w->in.rc;
    }
    if (!tk_tracy_ok(&w->in))
        return tk_err_set(err, TK_EFORMAT, "the first block of the capture cannot be decompressed");
    return w->defining ? tk_tracy_version_parse(p, &w->c->version, err) : TK_OK;
}

/* Only zones of threads are closed, and only where nobody wants to see them begin. */
static bool wants_closed(const struct tk_tracy_walk *w)
{
    const uint64_t records = TK_TRACY_RECORD_MASK(ZONE_BEGIN) | TK_TRACY_RECORD_MASK(ZONE_END);
    return w->request && w->request->closed && w->facts & TK_FACT_MASK(SCOPES) &&
           !(w->facts & (TK_FACT_MASK(SCOPE_TEXT) | TK_FACT_MASK(SCOPE_STACK))) && !(w->records & records);
}

static int open_zones(struct tk_tracy_walk *w)
{
    struct tk_tracy_batch *out = w->out;
    const uint64_t ops = TK_FACT_MASK(GPU_SCOPES) | (w->closing ? 0 : TK_FACT_MASK(SCOPES));
    const struct tk_context *ctx = w->c->ctx;
    if (tk_tracy_wants_fact(w, TK_FACT_SCOPES) &&
        !(w->zones_begun = calloc((size_t)w->c->locations.unknown + 1, sizeof *w->zones_begun)))
        return TK_ENOMEM;
    if (w->closing &&
        tk_tracy_zone_pipeline_open(&w->closed, ctx, &w->c->locations, w->request->closed) != TK_OK)
        return TK_ENOMEM;
    if (w->facts & ops && !out->op &&
        tk_tracy_batch_open_scopes(out, w->facts & TK_FACT_MASK(SCOPE_TEXT),
                                   w->facts & TK_FACT_MASK(SCOPE_STACK)) != TK_OK)
        return TK_ENOMEM;
    if (!w->closing && tk_tracy_zone_stack_open(&w->zones, ctx->limits.nesting) != TK_OK)
        return TK_ENOMEM;
    w->closed.closing.begun = w->zones_begun;
    w->zones.latest = w->closed.closing.latest = w->c->last_time > 0 ? w->c->last_time : INT64_MAX;
    return TK_OK;
}

int tk_tracy_walk_open(struct tk_tracy_walk *w, struct tk_tracy_capture *c, const struct tk_request *request,
                       bool defining, struct tk_tracy_batch *out, struct tk_health *health,
                       struct tk_err *err)
{
    *w = (struct tk_tracy_walk){
        .c = c, .request = request, .out = out, .health = health, .defining = defining};
    w->facts = request ? request->facts : 0;
    w->records = request ? records_of(request) : 0;
    w->counting = w->facts & TK_FACT_MASK(RECORD_COUNT);
    w->ordering = w->facts & TK_TRACY_ORDERED;
    w->stop = stop_of(w);
    if (!w->stop)
        return TK_OK;
    w->state = malloc(largest_state());
    w->closing = wants_closed(w);
    if (!w->state || open_zones(w) != TK_OK)
        return tk_err_nomem(err, "a reading");
    int rc = tk_tracy_blocks_open(&w->blocks, c->ctx, &c->box, err);
    tk_tracy_payload_init(&w->in, more, w);
    w->in.layout = &c->layout;
    w->in.most = c->ctx->limits.unpacked_bytes;
    return rc == TK_OK ? read_version(w, err) : rc;
}

void tk_tracy_walk_close(struct tk_tracy_walk *w)
{
    tk_tracy_zone_pipeline_close(&w->closed);
    tk_tracy_blocks_close(w->blocks);
    tk_tracy_zone_stack_release(&w->zones);
    tk_tracy_messages_release(&w->messages);
    tk_tracy_held_release(&w->held);
    tk_vec_release(&w->extras);
    tk_vec_release(&w->gpu_timers);
    tk_map_release(&w->processes);
    tk_vec_release(&w->pids);
    tk_map_release(&w->switched);
    tk_vec_release(&w->displayed);
    tk_vec_release(&w->gpu_rest);
    tk_vec_release(&w->notes);
    free(w->zones_begun);
    free(w->state);
    *w = (struct tk_tracy_walk){0};
}

/* ---- walking ---- */

static int end_section(struct tk_tracy_walk *w, struct tk_err *err)
{
    int rc = w->tell ? w->tell(w->tell_ctx, w, err) : TK_OK;
    tk_tracy_note_oddities(w);
    /* Behind a fault no further thread will ever be known. */
    if (w->request && (w->index == tk_tracy_threads_section || w->faulted))
        w->c->threads_known = true;
    if (rc == TK_OK && !w->faulted) {
        w->index++;
        w->begun = false;
        if (w->index == tk_tracy_n_sections)
            tk_tracy_note_trailing(w);
    }
    return rc;
}

/* One call of a section. */
static int step_section_walk(struct tk_tracy_walk *w, struct tk_err *err)
{
    if (!w->begun) {
        w->section = tk_tracy_sections[w->index];
        memset(w->state, 0, w->section->size);
        w->start = tk_tracy_at(&w->in);
        w->items = 0;
        w->begun = true;
    }
    int rc = w->instead && w->instead(w->tell_ctx, w) ? TK_OK : w->section->step(w, w->state);
    if (w->in.rc != TK_OK) {
        if (err)
            *err = w->in.err;
        return w->in.rc;
    }
    if (rc == TK_ENOMEM || w->c->interned.failed) /* not all texts are looked at where they are requested */
        return tk_err_nomem(err, "events");
    tk_health_left_out(w->health, &w->c->interned.left_out);
    if (rc < 0 || (rc == TK_ITEM && tk_tracy_ok(&w->in)))
        return rc;
    if (!tk_tracy_ok(&w->in)) {
        tk_tracy_note_fault(w);
        w->faulted = true;
    }
    return end_section(w, err);
}

/* What was kept until its thread or its place in time was known, as far as that is so. */
static int tell_kept(struct tk_tracy_walk *w, bool messages, bool held, struct tk_err *err)
{
    int rc = messages ? tk_tracy_messages_tell(w) : TK_OK;
    if (rc == TK_OK && held)
        rc = tk_tracy_held_tell(w);
    return rc < 0 ? tk_err_nomem(err, "messages and events that were kept") : rc;
}

int tk_tracy_walk_next(struct tk_tracy_walk *w, struct tk_err *err)
{
    int rc = TK_OK;
    while (rc == TK_OK && w->index < w->stop && !w->faulted) {
        rc = tell_kept(w, w->index > tk_tracy_threads_section, w->index > tk_tracy_ordered_section, err);
        if (rc == TK_OK)
            rc = step_section_walk(w, err);
    }
    return rc == TK_OK ? tell_kept(w, true, true, err) : rc;
}
