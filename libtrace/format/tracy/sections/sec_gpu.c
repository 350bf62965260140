/*
 * GPU contexts, their zones and what was measured in them. Each timeline of a context is a queue; its zones
 * are scopes in the time of the program, which the recorder has already turned the clock of the GPU into; and
 * records. What was measured is rows of the table `gpu_notes` (own_tables.c).
 *
 *   u64 zones, u64 with children, u64 n, contexts: u64 tid, u8 calibrated, u64 zones, f32 period, u8 type [,
 * u24 name]
 *   [, u64 overflow] [, u64 n, names of notes: i64 id, u24 name], u64 n, timelines: u64 tid, u64 n, zones;
 *   [u64 n, queries: u16 query, u64 n, notes: i64 id, f64 value]                              tracy-file 5.11
 *   zone: dt CPU start, dt GPU start, i16 location, u24 callstack, u16 thread, u64 n, n zones, dt CPU end, dt
 * GPU end
 *   [, u16 query]
 *
 * The two running times begin at 0 for each timeline. Times of a zone that the GPU never gave are -1.
 */
#include "format/tracy/walk/section_list.h"
#include "format/tracy/sections/gpu_zones.h"
#include "format/tracy/walk/own_tables.h"

#define HEAD_BYTES 31
#define TAIL_BYTES 16
#define NOTE_NAMES 4096 /* of a context that are kept */

enum phase { CONTEXT, TIMELINE, ZONES, QUERY, NOTES, DONE };

struct state {
    struct tk_tracy_list contexts, timelines, queries, notes;
    struct tk_tracy_gpu_context context;
    struct tk_tracy_gpu_scopes scopes;
    enum phase phase;
    bool begun;
    uint32_t n_contexts, timeline_thread;
    int64_t cpu, gpu; /* the running times */
    uint64_t left;
    uint64_t stated, found; /* zones of all contexts */
    uint16_t query;
};

/* ---- contexts and timelines ---- */

static int read_note_names(struct tk_tracy_walk *w)
{
    struct tk_tracy_list list = {0};
    w->notes.n = 0;
    while (w->c->layout.gpu_notes && tk_tracy_list_next(w, &list, "names of GPU notes")) {
        struct tk_tracy_note_name note = {.id = tk_tracy_i64(&w->in, "id of a GPU note")};
        note.name = tk_tracy_u24(&w->in, "name of a GPU note");
        if (tk_tracy_ok(&w->in) && w->notes.n < NOTE_NAMES && tk_vec_push(&w->notes, note))
            return TK_ENOMEM;
    }
    return TK_OK;
}

static int begin_context(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_gpu_context *c = &s->context;
    *c = (struct tk_tracy_gpu_context){.at = tk_tracy_at(&w->in), .number = s->n_contexts++};
    c->tid = tk_tracy_u64(&w->in, "thread of a GPU context");
    c->thread = c->tid ? tk_tracy_thread(w, c->tid) : TK_NO_THREAD;
    c->calibrated = tk_tracy_u8(&w->in, "calibration of a GPU context");
    c->zones = tk_tracy_u64(&w->in, "zones of a GPU context");
    c->period = tk_tracy_f32(&w->in, "period of a GPU context");
    c->type = tk_tracy_u8(&w->in, "type of a GPU context");
    if (w->c->layout.gpu_name)
        c->name = tk_tracy_string_of_index(&w->c->strings, tk_tracy_u24(&w->in, "name of a GPU context"));
    if (w->c->layout.gpu_overflow)
        c->overflow = tk_tracy_u64(&w->in, "overflow of a GPU context");
    if (read_note_names(w) != TK_OK)
        return TK_ENOMEM;
    s->timelines = (struct tk_tracy_list){0};
    s->phase = TIMELINE;
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    s->found += c->zones;
    tk_tracy_tally(w, TK_TRACY_GPU_CONTEXT, 1, tk_tracy_at(&w->in) - c->at);
    return tk_tracy_gpu_say_context(w, c);
}

static int next_context(struct tk_tracy_walk *w, struct state *s)
{
    if (tk_tracy_list_next(w, &s->contexts, "GPU contexts"))
        return begin_context(w, s);
    tk_tracy_check_total(w, s->stated, s->found, "zones");
    s->phase = DONE;
    return TK_OK;
}

static int next_timeline(struct tk_tracy_walk *w, struct state *s)
{
    if (!tk_tracy_list_next(w, &s->timelines, "GPU timelines")) {
        s->queries = (struct tk_tracy_list){0};
        s->phase = w->c->layout.gpu_notes ? QUERY : CONTEXT;
        return TK_OK;
    }
    uint64_t tid = tk_tracy_u64(&w->in, "thread of a GPU timeline");
    s->timeline_thread = tid ? tk_tracy_thread(w, tid) : s->context.thread;
    s->left = tk_tracy_read_count(w, "zones of a GPU timeline");
    s->cpu = s->gpu = 0;
    w->gpu_rest.n = 0;
    s->phase = ZONES;
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    const struct tk_tracy_gpu_timeline timeline = {.index =
                                                       (uint32_t)(s->timelines.n - s->timelines.left - 1),
                                                   .thread = s->timeline_thread,
                                                   .alone = s->timelines.n == 1};
    return tk_tracy_gpu_scopes_begin(w, &s->scopes, &s->context, &timeline);
}

/* ---- zones ---- */

static bool read_head(struct tk_tracy_walk *w, struct state *s, struct tk_tracy_gpu_event *ev)
{
    const uint8_t *p = tk_tracy_take(&w->in, HEAD_BYTES, "begin of a GPU zone");
    if (!p)
        return false;
    uint32_t thread = tk_tracy_local_thread(w, tk_load16(p + 21));
    *ev = (struct tk_tracy_gpu_event){.at = ev->at,
                                      .cpu = tk_tracy_after(&s->cpu, p),
                                      .gpu = tk_tracy_after(&s->gpu, p + 8),
                                      .begin = true,
                                      .location = (int16_t)tk_load16(p + 16),
                                      .callstack = (uint32_t)tk_load_le(p + 18, 3),
                                      .thread = thread == TK_NO_THREAD ? s->timeline_thread : thread,
                                      .children = tk_load64(p + 23),
                                      .depth = w->gpu_rest.n};
    return true;
}

static bool read_tail(struct tk_tracy_walk *w, struct state *s, struct tk_tracy_gpu_event *ev)
{
    size_t size = TAIL_BYTES + (w->c->layout.gpu_notes ? 2 : 0);
    const uint8_t *p = tk_tracy_take(&w->in, size, "end of a GPU zone");
    if (!p)
        return false;
    *ev = (struct tk_tracy_gpu_event){.at = ev->at,
                                      .cpu = tk_tracy_after(&s->cpu, p),
                                      .gpu = tk_tracy_after(&s->gpu, p + 8),
                                      .thread = s->timeline_thread,
                                      .query = w->c->layout.gpu_notes ? tk_load16(p + 16) : 0,
                                      .depth = w->gpu_rest.n};
    return true;
}

static int tell_gpu(struct tk_tracy_walk *w, struct state *s, const struct tk_tracy_gpu_event *ev)
{
    int rc = tk_tracy_gpu_scopes_put(w, &s->scopes, ev);
    return rc == TK_OK ? tk_tracy_gpu_say_zone(w, &s->context, ev) : rc;
}

static int begin_zone(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_gpu_event ev = {.at = tk_tracy_at(&w->in)};
    if (w->gpu_rest.n >= w->c->ctx->limits.nesting) {
        tk_tracy_limit(w, TK_LIMIT_nesting, ev.at, 1, "GPU zones are nested too deeply");
        tk_tracy_fail(&w->in, ev.at, "GPU zones are nested too deeply");
        return TK_OK;
    }
    if (!read_head(w, s, &ev))
        return TK_OK;
    if (tk_vec_push(&w->gpu_rest, s->left - 1))
        return TK_ENOMEM;
    s->left = ev.children;
    tk_tracy_count(w, TK_TRACY_GPU_ZONE_BEGIN, 1, HEAD_BYTES);
    return tell_gpu(w, s, &ev);
}

static int end_zone(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_gpu_event ev = {.at = tk_tracy_at(&w->in)};
    s->left = w->gpu_rest.v[--w->gpu_rest.n];
    if (!read_tail(w, s, &ev))
        return TK_OK;
    tk_tracy_tally(w, TK_TRACY_GPU_ZONE_END, 1, TAIL_BYTES + (w->c->layout.gpu_notes ? 2 : 0));
    return tell_gpu(w, s, &ev);
}

static int next_zone(struct tk_tracy_walk *w, struct state *s)
{
    if (s->left)
        return begin_zone(w, s);
    if (w->gpu_rest.n)
        return end_zone(w, s);
    s->phase = TIMELINE;
    return tk_tracy_gpu_scopes_end_run(w, &s->scopes);
}

/* ---- notes ---- */

static int next_query(struct tk_tracy_walk *w, struct state *s)
{
    s->phase = CONTEXT;
    if (tk_tracy_list_next(w, &s->queries, "GPU queries")) {
        s->query = tk_tracy_u16(&w->in, "GPU query");
        s->notes = (struct tk_tracy_list){0};
        s->phase = NOTES;
    }
    return TK_OK;
}

static int next_note(struct tk_tracy_walk *w, struct state *s)
{
    if (!tk_tracy_list_next(w, &s->notes, "notes of a GPU query")) {
        s->phase = QUERY;
        return TK_OK;
    }
    struct tk_tracy_gpu_note note = {
        .at = tk_tracy_at(&w->in), .query = s->query, .id = tk_tracy_i64(&w->in, "id of a GPU note")};
    note.value = tk_tracy_f64(&w->in, "value of a GPU note");
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_tally(w, TK_TRACY_GPU_NOTE, 1, 16);
    return tk_tracy_gpu_say_note(w, &s->context, &note);
}

static int (*const phases[DONE])(struct tk_tracy_walk *w, struct state *s) = {
    [CONTEXT] = next_context, [TIMELINE] = next_timeline, [ZONES] = next_zone,
    [QUERY] = next_query,     [NOTES] = next_note,
};

static int step_gpu(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    if (!s->begun) {
        s->stated = tk_tracy_u64(&w->in, "numbers of GPU zones");
        tk_tracy_skip(&w->in, 8, "numbers of GPU zones");
    }
    s->begun = true;
    s->scopes.from = w->out->n_ops;
    while (rc == TK_OK && tk_tracy_ok(&w->in) && s->phase != DONE && !tk_tracy_batch_full(w->out))
        rc = phases[s->phase](w, s);
    if (rc != TK_OK || tk_tracy_gpu_scopes_end_run(w, &s->scopes) != TK_OK)
        return TK_ENOMEM;
    return tk_tracy_ok(&w->in) && s->phase != DONE ? TK_ITEM : TK_OK;
}

static const struct tk_table *const gpu_rows[] = {&tk_tracy_table_gpu_notes, NULL};

const struct tk_tracy_section tk_tracy_sec_gpu = {
    .name = "gpu",
    .step = step_gpu,
    .size = sizeof(struct state),
    .facts = TK_FACT_MASK(GPU_SCOPES) | TK_FACT_MASK(GPU),
    .rows = gpu_rows,
    .records = TK_TRACY_RECORD_MASK(GPU_CONTEXT) | TK_TRACY_RECORD_MASK(GPU_ZONE_BEGIN) |
               TK_TRACY_RECORD_MASK(GPU_ZONE_END) | TK_TRACY_RECORD_MASK(GPU_NOTE)};
