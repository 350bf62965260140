/*
 * GPU contexts, their zones and what was measured in them. Each timeline of a context is a queue; its zones
 * are scopes in the time of the program, which the recorder has already turned the clock of the GPU into; and
 * records. What was measured is rows of the table `gpu_notes` (own_tables.c).
 *
 *   u64 zones, u64 with children, u64 n, contexts, each with [u64 n, names of notes,] u64 n, timelines, each
 *   with its zones, [u64 n, queries, each with u64 n, notes]                                  tracy-file 5.11
 *   zone: its begin, its children, its end
 *
 * The two running times begin at 0 for each timeline. Times of a zone that the GPU never gave are -1.
 */
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"

#include <stdio.h>
#include <string.h>

struct context {
    uint64_t at;
    struct tk_tracy_gpu_context v;
    uint32_t number;           /* in the order of the file */
    uint32_t thread;           /* TK_NO_THREAD: zones have their own */
    const struct tk_str *name; /* NULL: none */
};

/* A begin or an end of a zone. */
struct tk_tracy_gpu_event {
    uint64_t at;
    int64_t cpu, gpu; /* ns; gpu -1: never given */
    bool begin;
    int16_t location;
    uint32_t callstack, thread;
    uint64_t children;
    uint16_t query; /* of an end */
    uint64_t depth;
};

struct note {
    uint64_t at;
    uint16_t query;
    struct tk_tracy_gpu_note v;
};

/* A timeline of a context. */
struct timeline {
    uint32_t index;  /* among those of its context */
    uint32_t thread; /* number, or TK_NO_THREAD */
    bool alone;      /* the context has no other */
};

/* Scopes of the timeline under way, each a queue. */
struct tk_tracy_gpu_scopes {
    uint32_t n_queues, n_timers; /* so far, of all timelines */
    uint32_t queue, lane;
    bool has_lane;
    int64_t last; /* time of the last begin or end that was reported */
    size_t from;  /* where its entries of this batch begin */
};

/* ---- records and rows, where they are wanted: TK_OK or TK_ENOMEM ---- */

/* ---- scopes, where they are wanted: TK_OK or TK_ENOMEM ---- */

/*
 * GPU contexts, zones and notes as records, and notes as rows.
 */

static const struct tk_str types[] = {
    {"invalid", 7, TK_ENC_UTF8}, {"OpenGL", 6, TK_ENC_UTF8},       {"Vulkan", 6, TK_ENC_UTF8},
    {"OpenCL", 6, TK_ENC_UTF8},  {"Direct3D 12", 11, TK_ENC_UTF8}, {"Direct3D 11", 11, TK_ENC_UTF8},
    {"Metal", 5, TK_ENC_UTF8},   {"custom", 6, TK_ENC_UTF8},       {"CUDA", 4, TK_ENC_UTF8},
    {"ROCm", 4, TK_ENC_UTF8},    {"WebGPU", 6, TK_ENC_UTF8},
};

/* The name of a type of contexts; NULL: it is not known. */
static const struct tk_str *tk_tracy_gpu_type(uint8_t type)
{
    return type < sizeof types / sizeof *types ? &types[type] : NULL;
}

static int tk_tracy_gpu_say_context(struct tk_tracy_walk *w, const struct context *c)
{
    const struct tk_str *type = tk_tracy_gpu_type(c->v.type);
    struct tk_cell cells[] = {
        tk_cell_of_uint(c->number),
        tk_cell_of_text(c->name),
        type ? tk_cell_of_text(type) : tk_cell_of_uint(c->v.type),
        tk_cell_of_bool(c->v.calibrated),
        {.kind = TK_REAL32, .v.r = (double)c->v.period},
        tk_cell_of_uint(c->v.zones),
        tk_cell_of_uint(c->v.overflow),
    };
    return tk_tracy_wants(w, TK_TRACY_GPU_CONTEXT)
               ? tk_tracy_say_timeless(w, TK_TRACY_GPU_CONTEXT, c->at, cells)
               : TK_OK;
}

static int say_begin(struct tk_tracy_walk *w, const struct context *c, const struct tk_tracy_gpu_event *ev)
{
    struct tk_tracy_place place = tk_tracy_location_of(&w->c->locations, &w->c->strings, ev->location);
    struct tk_cell cells[] = {
        tk_cell_of_uint(c->number),       tk_cell_of_text(place.name),     tk_cell_of_text(place.file),
        tk_cell_of_uint(place.line),      tk_cell_of_int(ev->cpu),         tk_tracy_end_cell(ev->gpu),
        tk_tracy_thread_cell(ev->thread), tk_tracy_id_cell(ev->callstack), tk_cell_of_uint(ev->children),
    };
    if (!tk_tracy_wants(w, TK_TRACY_GPU_ZONE_BEGIN))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_GPU_ZONE_BEGIN, ev->at, ev->thread, ev->gpu >= 0 ? ev->gpu : ev->cpu,
                        cells);
}

static int say_end(struct tk_tracy_walk *w, const struct context *c, const struct tk_tracy_gpu_event *ev)
{
    struct tk_cell cells[] = {
        tk_cell_of_uint(c->number),
        tk_tracy_end_cell(ev->cpu),
        tk_tracy_end_cell(ev->gpu),
        w->c->layout.gpu_notes ? tk_cell_of_uint(ev->query) : (struct tk_cell){.kind = TK_NONE},
        tk_cell_of_uint(ev->depth),
    };
    if (!tk_tracy_wants(w, TK_TRACY_GPU_ZONE_END))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_GPU_ZONE_END, ev->at, ev->thread, ev->gpu >= 0 ? ev->gpu : ev->cpu,
                        cells);
}

static int tk_tracy_gpu_say_zone(struct tk_tracy_walk *w, const struct context *c,
                                 const struct tk_tracy_gpu_event *ev)
{
    return ev->begin ? say_begin(w, c, ev) : say_end(w, c, ev);
}

static const struct tk_str *note_name(const struct tk_tracy_walk *w, int64_t id)
{
    for (size_t i = 0; i < w->notes.n; i++)
        if (w->notes.v[i].id == id)
            return tk_tracy_string_of_index(&w->c->strings, w->notes.v[i].name);
    return NULL;
}

static int say_record(struct tk_tracy_walk *w, const struct context *c, const struct note *note)
{
    struct tk_cell cells[] = {tk_cell_of_uint(c->number), tk_cell_of_uint(note->query),
                              tk_cell_of_int(note->v.id), tk_cell_of_text(note_name(w, note->v.id)),
                              tk_cell_of_real(note->v.value)};
    return tk_tracy_wants(w, TK_TRACY_GPU_NOTE) ? tk_tracy_say_timeless(w, TK_TRACY_GPU_NOTE, note->at, cells)
                                                : TK_OK;
}

static int say_row_gpu_record(struct tk_tracy_walk *w, const struct context *c, const struct note *note)
{
    struct tk_cell *row = tk_tracy_row(w, &tk_tracy_table_gpu_notes, TK_NO_THREAD);
    if (!row)
        return TK_ENOMEM;
    row[0] = tk_cell_of_uint(c->number);
    row[1] = tk_cell_of_text(c->name);
    row[2] = tk_cell_of_uint(note->query);
    row[3] = tk_cell_of_int(note->v.id);
    row[4] = tk_cell_of_text(note_name(w, note->v.id));
    row[5] = tk_cell_of_real(note->v.value);
    return TK_OK;
}

static int tk_tracy_gpu_say_note(struct tk_tracy_walk *w, const struct context *c, const struct note *note)
{
    int rc = tk_tracy_wants_rows(w, &tk_tracy_table_gpu_notes) ? say_row_gpu_record(w, c, note) : TK_OK;
    return rc == TK_OK ? say_record(w, c, note) : rc;
}

/*
 * GPU zones as scopes. Their timers follow those of the zones of threads.
 */

/* The timers of GPU zones are numbered in order of first use; by the 16 bits of the location, 0 none yet. */
#define LOCATIONS 65536u

static int say_timer(struct tk_tracy_walk *w, int16_t location, uint32_t id)
{
    struct tk_tracy_place place = tk_tracy_location_of(&w->c->locations, &w->c->strings, location);
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_TIMER, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.timer = (struct tk_fact_timer){.id = id,
                                           .kind = TK_TIMER_GPU,
                                           .is_function = place.is_function,
                                           .line = place.line,
                                           .colour = place.colour,
                                           .name = tk_tracy_intern(w->c, place.name),
                                           .file = tk_tracy_intern(w->c, place.file)};
    return fact->u.timer.name ? TK_OK : TK_ENOMEM;
}

static int timer_of_gpu_scopes(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s, int16_t location,
                               uint32_t *out)
{
    uint16_t at = (uint16_t)location;
    if (!w->gpu_timers.n) {
        if (tk_vec_reserve(&w->gpu_timers, LOCATIONS))
            return TK_ENOMEM;
        memset(w->gpu_timers.v, 0, LOCATIONS * sizeof *w->gpu_timers.v);
        w->gpu_timers.n = LOCATIONS;
    }
    *out = w->gpu_timers.v[at];
    if (*out)
        return TK_OK;
    *out = w->gpu_timers.v[at] = w->c->locations.unknown + ++s->n_timers;
    return say_timer(w, location, *out);
}

/* "NAME", or the type and the number; behind it the thread, where a context has a timeline for each. */
static const struct tk_str *queue_name(struct tk_tracy_walk *w, const struct context *c,
                                       const struct timeline *timeline)
{
    const struct tk_str *type = tk_tracy_gpu_type(c->v.type);
    const struct tk_str *name = c->name ? c->name : type ? type : tk_tracy_gpu_type(0);
    char text[256];
    int n = snprintf(text, sizeof text, "%.*s", (int)(name->n < 160 ? name->n : 160), name->p);
    if (!c->name)
        n += snprintf(text + n, sizeof text - (size_t)n, " %u", c->number);
    if (!timeline->alone && timeline->thread != TK_NO_THREAD)
        n += snprintf(text + n, sizeof text - (size_t)n, " (thread %u)", timeline->thread);
    return tk_intern(&w->c->interned, text, (size_t)n, TK_ENC_UTF8);
}

/* Begins a timeline: says its queue. */
static int tk_tracy_gpu_scopes_begin(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s,
                                     const struct context *c, const struct timeline *timeline)
{
    s->queue = s->n_queues++;
    s->has_lane = false;
    s->last = INT64_MIN;
    s->from = w->out->n_ops;
    if (!tk_tracy_wants_fact(w, TK_FACT_GPU_SCOPES) && !tk_tracy_wants_fact(w, TK_FACT_GPU))
        return TK_OK;
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_GPU_QUEUE, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.gpu_queue = (struct tk_fact_gpu_queue){
        .id = s->queue,
        .gpu = c->number,
        .index = timeline->index,
        .key = s->queue,
        .type = tk_tracy_gpu_type(c->v.type),
        .name = queue_name(w, c, timeline),
    };
    return fact->u.gpu_queue.name ? TK_OK : TK_ENOMEM;
}

/* A begin whose time never came is that of what came before; then it has no end either. */
static int tk_tracy_gpu_scopes_put(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s,
                                   const struct tk_tracy_gpu_event *ev)
{
    struct tk_tracy_batch *out = w->out;
    uint32_t op = ev->gpu < 0 ? TK_OP_LOSE : TK_OP_END;
    if (!tk_tracy_wants_fact(w, TK_FACT_GPU_SCOPES))
        return TK_OK;
    if (ev->begin && timer_of_gpu_scopes(w, s, ev->location, &op) != TK_OK)
        return TK_ENOMEM;
    if (ev->gpu >= 0)
        s->last = ev->gpu;
    if (out->cpu)
        out->cpu[out->n_ops] = ev->cpu < 0 ? INT64_MIN : ev->cpu;
    out->time[out->n_ops] = s->last == INT64_MIN ? ev->cpu : s->last;
    out->op[out->n_ops++] = op;
    return TK_OK;
}

/* The entries of the timeline since the batch began. */
static int tk_tracy_gpu_scopes_end_run(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s)
{
    struct tk_tracy_batch *out = w->out;
    size_t from = s->from;
    s->from = out->n_ops;
    if (from == out->n_ops)
        return TK_OK;
    struct tk_scope_run run = {.thread = s->queue,
                               .n = out->n_ops - from,
                               .time = out->time + from,
                               .op = out->op + from,
                               .cpu = out->cpu ? out->cpu + from : NULL,
                               .kind = TK_LANE_GPU};
    if (!s->has_lane)
        s->lane = w->lanes++;
    s->has_lane = true;
    run.lane = s->lane;
    return tk_vec_push(&out->runs, run) ? TK_ENOMEM : TK_OK;
}

#define NOTE_NAMES 4096 /* of a context that are kept */

enum phase { CONTEXT, TIMELINE, ZONES, QUERY, NOTES, DONE };

struct state {
    struct tk_tracy_list contexts, timelines, queries, notes;
    struct context context;
    struct tk_tracy_gpu_scopes scopes;
    enum phase phase;
    bool begun;
    uint32_t n_contexts, timeline_thread;
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
        struct tk_tracy_note_name note;
        const bool whole = tk_tracy_read_note_name(&w->in, &note);
        tk_tracy_use_text(w, note.name);
        if (whole && w->notes.n < NOTE_NAMES && tk_vec_push(&w->notes, note))
            return TK_ENOMEM;
    }
    return TK_OK;
}

static int begin_context(struct tk_tracy_walk *w, struct state *s)
{
    struct context *c = &s->context;
    *c = (struct context){.at = tk_tracy_at(&w->in), .number = s->n_contexts++};
    (void)tk_tracy_read_gpu_context(&w->in, &c->v);
    tk_tracy_use_kind(w, c->v.type, 10);
    c->thread = c->v.tid ? tk_tracy_thread(w, c->v.tid) : TK_NO_THREAD;
    c->name = tk_tracy_string_of_index(&w->c->strings, c->v.name);
    if (read_note_names(w) != TK_OK)
        return TK_ENOMEM;
    s->timelines = (struct tk_tracy_list){0};
    s->phase = TIMELINE;
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    s->found += c->v.zones;
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
    struct tk_tracy_gpu_timeline v;
    (void)tk_tracy_read_gpu_timeline(&w->in, &v);
    s->timeline_thread = v.tid ? tk_tracy_thread(w, v.tid) : s->context.thread;
    s->left = v.zones;
    w->in.time = w->in.gpu_time = 0;
    w->gpu_rest.n = 0;
    s->phase = ZONES;
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    const struct timeline timeline = {.index = (uint32_t)(s->timelines.n - s->timelines.left - 1),
                                      .thread = s->timeline_thread,
                                      .alone = s->timelines.n == 1};
    return tk_tracy_gpu_scopes_begin(w, &s->scopes, &s->context, &timeline);
}

/* ---- zones ---- */

static bool read_head(struct tk_tracy_walk *w, struct state *s, struct tk_tracy_gpu_event *ev)
{
    struct tk_tracy_gpu_begin v;
    if (!tk_tracy_read_gpu_begin(&w->in, &v))
        return false;
    uint32_t thread = tk_tracy_local_thread(w, v.thread);
    tk_tracy_use_stack(w, v.callstack);
    tk_tracy_use_local(w, v.thread);
    tk_tracy_use_place(w, v.location);
    *ev = (struct tk_tracy_gpu_event){.at = ev->at,
                                      .cpu = v.cpu,
                                      .gpu = v.gpu,
                                      .begin = true,
                                      .location = v.location,
                                      .callstack = v.callstack,
                                      .thread = thread == TK_NO_THREAD ? s->timeline_thread : thread,
                                      .children = v.children,
                                      .depth = w->gpu_rest.n};
    return true;
}

static bool read_tail(struct tk_tracy_walk *w, struct state *s, struct tk_tracy_gpu_event *ev)
{
    struct tk_tracy_gpu_end v;
    if (!tk_tracy_read_gpu_end(&w->in, &v))
        return false;
    *ev = (struct tk_tracy_gpu_event){.at = ev->at,
                                      .cpu = v.cpu,
                                      .gpu = v.gpu,
                                      .thread = s->timeline_thread,
                                      .query = v.query,
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
    tk_tracy_count(w, TK_TRACY_GPU_ZONE_BEGIN, 1, tk_tracy_gpu_begin_size(&w->c->layout));
    return tell_gpu(w, s, &ev);
}

static int end_zone(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_gpu_event ev = {.at = tk_tracy_at(&w->in)};
    s->left = w->gpu_rest.v[--w->gpu_rest.n];
    if (!read_tail(w, s, &ev))
        return TK_OK;
    tk_tracy_tally(w, TK_TRACY_GPU_ZONE_END, 1, tk_tracy_gpu_end_size(&w->c->layout));
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
        struct tk_tracy_gpu_query v;
        (void)tk_tracy_read_gpu_query(&w->in, &v);
        s->query = v.query;
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
    struct note note = {.at = tk_tracy_at(&w->in), .query = s->query};
    if (!tk_tracy_read_gpu_note(&w->in, &note.v))
        return TK_OK;
    tk_tracy_tally(w, TK_TRACY_GPU_NOTE, 1, tk_tracy_gpu_note_size(&w->c->layout));
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
