/*
 * GPU contexts, their zones and what was measured in them. Each timeline of a context is a queue; its zones
 * are scopes in the time of the program, which the recorder has already turned the clock of the GPU into; and
 * records. What was measured is rows of the table `gpu_notes` (tables.c).
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
#include <stdio.h>
#include <string.h>

#include "tracy/cells.h"
#include "tracy/section_list.h"
#include "tracy/tables.h"
#include "tracy/walk.h"

#define HEAD_BYTES 31
#define TAIL_BYTES 16
#define NOTE_NAMES 4096 /* of a context that are kept */

/* The timers of GPU zones follow those of the threads' zones, in order of first use; by the 16 bits of the
 * location, 0 none yet. */
#define LOCATIONS 65536u

enum phase { CONTEXT, TIMELINE, ZONES, QUERY, NOTES, DONE };

struct context {
    uint64_t at, tid, zones, overflow;
    uint32_t number; /* in the order of the file */
    uint32_t thread; /* TK_NO_THREAD: zones have their own */
    bool calibrated;
    float period; /* ns a tick of the GPU */
    uint8_t type;
    const struct tk_str *name; /* NULL: none */
};

/* A begin or an end of a zone. */
struct gpu_event {
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
    int64_t id;
    double value;
};

/* Begins and ends that wait for a place in the batch. */
struct line {
    uint32_t queue, lane;
    bool has_lane;
    int64_t last; /* time of the last begin or end that was told */
    size_t from;  /* where its entries of this batch begin */
};

struct state {
    struct line line;
    uint32_t n_queues, n_timers;
    struct tk_tracy_list contexts, timelines, queries, notes;
    struct context context;
    enum phase phase;
    bool begun;
    uint32_t n_contexts, timeline_thread;
    int64_t cpu, gpu;
    uint64_t left;
    uint16_t query;
};

static const struct tk_str types[] = {
    {"invalid", 7, TK_ENC_UTF8}, {"OpenGL", 6, TK_ENC_UTF8},       {"Vulkan", 6, TK_ENC_UTF8},
    {"OpenCL", 6, TK_ENC_UTF8},  {"Direct3D 12", 11, TK_ENC_UTF8}, {"Direct3D 11", 11, TK_ENC_UTF8},
    {"Metal", 5, TK_ENC_UTF8},   {"custom", 6, TK_ENC_UTF8},       {"CUDA", 4, TK_ENC_UTF8},
    {"ROCm", 4, TK_ENC_UTF8},    {"WebGPU", 6, TK_ENC_UTF8},
};

/* ---- telling ---- */

static int say_context(struct tk_tracy_walk *w, const struct context *c)
{
    struct tk_cell cells[] = {
        tk_tracy_uint_cell(c->number),
        tk_tracy_text_cell(c->name),
        c->type < sizeof types / sizeof *types ? tk_tracy_text_cell(&types[c->type])
                                               : tk_tracy_uint_cell(c->type),
        tk_tracy_bool_cell(c->calibrated),
        {.kind = TK_REAL32, .v.r = (double)c->period},
        tk_tracy_uint_cell(c->zones),
        tk_tracy_uint_cell(c->overflow),
    };
    return tk_tracy_wants(w, TK_TRACY_GPU_CONTEXT)
               ? tk_tracy_say_timeless(w, TK_TRACY_GPU_CONTEXT, c->at, cells)
               : TK_OK;
}

static int say_begin(struct tk_tracy_walk *w, const struct context *c, const struct gpu_event *ev)
{
    struct tk_tracy_place place = tk_tracy_location_of(&w->c->locations, &w->c->strings, ev->location);
    struct tk_cell cells[] = {
        tk_tracy_uint_cell(c->number),    tk_tracy_text_cell(place.name),  tk_tracy_text_cell(place.file),
        tk_tracy_uint_cell(place.line),   tk_tracy_int_cell(ev->cpu),      tk_tracy_end_cell(ev->gpu),
        tk_tracy_thread_cell(ev->thread), tk_tracy_id_cell(ev->callstack), tk_tracy_uint_cell(ev->children),
    };
    if (!tk_tracy_wants(w, TK_TRACY_GPU_ZONE_BEGIN))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_GPU_ZONE_BEGIN, ev->at, ev->thread, ev->gpu >= 0 ? ev->gpu : ev->cpu,
                        cells);
}

static int say_end(struct tk_tracy_walk *w, const struct context *c, const struct gpu_event *ev)
{
    struct tk_cell cells[] = {
        tk_tracy_uint_cell(c->number),
        tk_tracy_end_cell(ev->cpu),
        tk_tracy_end_cell(ev->gpu),
        w->c->layout.gpu_notes ? tk_tracy_uint_cell(ev->query) : (struct tk_cell){.kind = TK_NONE},
        tk_tracy_uint_cell(ev->depth),
    };
    if (!tk_tracy_wants(w, TK_TRACY_GPU_ZONE_END))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_GPU_ZONE_END, ev->at, ev->thread, ev->gpu >= 0 ? ev->gpu : ev->cpu,
                        cells);
}

static int say_zone(struct tk_tracy_walk *w, const struct context *c, const struct gpu_event *ev)
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

static int say_note(struct tk_tracy_walk *w, const struct context *c, const struct note *note)
{
    struct tk_cell cells[] = {tk_tracy_uint_cell(c->number), tk_tracy_uint_cell(note->query),
                              tk_tracy_int_cell(note->id), tk_tracy_text_cell(note_name(w, note->id)),
                              tk_tracy_real_cell(note->value)};
    return tk_tracy_wants(w, TK_TRACY_GPU_NOTE) ? tk_tracy_say_timeless(w, TK_TRACY_GPU_NOTE, note->at, cells)
                                                : TK_OK;
}

static int say_row(struct tk_tracy_walk *w, const struct context *c, const struct note *note)
{
    struct tk_cell *row = tk_tracy_row(w, &tk_tracy_table_gpu_notes, TK_NO_THREAD);
    if (!row)
        return TK_ENOMEM;
    row[0] = tk_tracy_uint_cell(c->number);
    row[1] = tk_tracy_text_cell(c->name);
    row[2] = tk_tracy_uint_cell(note->query);
    row[3] = tk_tracy_int_cell(note->id);
    row[4] = tk_tracy_text_cell(note_name(w, note->id));
    row[5] = tk_tracy_real_cell(note->value);
    return TK_OK;
}

/* ---- scopes ---- */

static int say_timer(struct tk_tracy_walk *w, int16_t location, uint32_t id)
{
    struct tk_tracy_place place = tk_tracy_location_of(&w->c->locations, &w->c->strings, location);
    struct tk_fact *fact = tk_tracy_out_fact(w->out, TK_FACT_TIMER, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.timer = (struct tk_fact_timer){.id = id,
                                           .kind = TK_TIMER_GPU,
                                           .line = place.line,
                                           .name = tk_tracy_intern(w->c, place.name),
                                           .file = tk_tracy_intern(w->c, place.file)};
    return fact->u.timer.name ? TK_OK : TK_ENOMEM;
}

static int timer_of(struct tk_tracy_walk *w, struct state *s, int16_t location, uint32_t *out)
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

/* "NAME" or the type; behind it the thread, where a context has a timeline for each. */
static const struct tk_str *queue_name(struct tk_tracy_walk *w, const struct state *s)
{
    const struct context *c = &s->context;
    const struct tk_str *type = &types[c->type < sizeof types / sizeof *types ? c->type : 0];
    const struct tk_str *name = c->name ? c->name : type;
    char text[256];
    int n = snprintf(text, sizeof text, "%.*s", (int)(name->n < 160 ? name->n : 160), name->p);
    if (!c->name)
        n += snprintf(text + n, sizeof text - (size_t)n, " %u", c->number);
    if (s->timelines.n > 1)
        n += snprintf(text + n, sizeof text - (size_t)n, " (thread %u)", s->timeline_thread);
    return tk_intern(&w->c->interned, text, (size_t)n, TK_ENC_UTF8);
}

static int begin_line(struct tk_tracy_walk *w, struct state *s)
{
    const struct context *c = &s->context;
    s->line = (struct line){.queue = s->n_queues++, .last = INT64_MIN, .from = w->out->n_ops};
    if (!tk_tracy_wants_fact(w, TK_FACT_GPU_SCOPES) && !tk_tracy_wants_fact(w, TK_FACT_GPU))
        return TK_OK;
    struct tk_fact *fact = tk_tracy_out_fact(w->out, TK_FACT_GPU_QUEUE, TK_NO_THREAD, 0);
    if (!fact)
        return TK_ENOMEM;
    fact->u.gpu_queue = (struct tk_fact_gpu_queue){
        .id = s->line.queue,
        .gpu = c->number,
        .index = (uint32_t)(s->timelines.n - s->timelines.left - 1),
        .key = s->line.queue,
        .type = c->type < sizeof types / sizeof *types ? &types[c->type] : NULL,
        .name = queue_name(w, s),
    };
    return fact->u.gpu_queue.name ? TK_OK : TK_ENOMEM;
}

/* A begin whose time never came is that of what came before; then it has no end either. */
static int put(struct tk_tracy_walk *w, struct state *s, const struct gpu_event *ev)
{
    struct tk_tracy_out *out = w->out;
    uint32_t op = ev->gpu < 0 ? TK_OP_LOSE : TK_OP_END;
    if (!tk_tracy_wants_fact(w, TK_FACT_GPU_SCOPES))
        return TK_OK;
    if (ev->begin && timer_of(w, s, ev->location, &op) != TK_OK)
        return TK_ENOMEM;
    if (ev->gpu >= 0)
        s->line.last = ev->gpu;
    out->time[out->n_ops] = s->line.last == INT64_MIN ? ev->cpu : s->line.last;
    out->op[out->n_ops++] = op;
    return TK_OK;
}

/* The entries of the timeline since the batch began. */
static int end_run(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_out *out = w->out;
    size_t from = s->line.from;
    s->line.from = out->n_ops;
    if (from == out->n_ops)
        return TK_OK;
    struct tk_scope_run run = {.thread = s->line.queue,
                               .n = out->n_ops - from,
                               .time = out->time + from,
                               .op = out->op + from,
                               .kind = TK_LANE_GPU};
    if (!s->line.has_lane)
        s->line.lane = w->lanes++;
    s->line.has_lane = true;
    run.lane = s->line.lane;
    return tk_vec_push(&out->runs, run) ? TK_ENOMEM : TK_OK;
}

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
    struct context *c = &s->context;
    *c = (struct context){.at = tk_tracy_at(&w->in), .number = s->n_contexts++};
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
    tk_tracy_tally(w, TK_TRACY_GPU_CONTEXT, 1, tk_tracy_at(&w->in) - c->at);
    return say_context(w, c);
}

static int next_context(struct tk_tracy_walk *w, struct state *s)
{
    if (tk_tracy_list_next(w, &s->contexts, "GPU contexts"))
        return begin_context(w, s);
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
    return tk_tracy_ok(&w->in) ? begin_line(w, s) : TK_OK;
}

/* ---- zones ---- */

static bool read_head(struct tk_tracy_walk *w, struct state *s, struct gpu_event *ev)
{
    const uint8_t *p = tk_tracy_take(&w->in, HEAD_BYTES, "begin of a GPU zone");
    if (!p)
        return false;
    uint32_t thread = tk_tracy_local_thread(w, tk_load16(p + 21));
    *ev = (struct gpu_event){.at = ev->at,
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

static bool read_tail(struct tk_tracy_walk *w, struct state *s, struct gpu_event *ev)
{
    size_t size = TAIL_BYTES + (w->c->layout.gpu_notes ? 2 : 0);
    const uint8_t *p = tk_tracy_take(&w->in, size, "end of a GPU zone");
    if (!p)
        return false;
    *ev = (struct gpu_event){.at = ev->at,
                             .cpu = tk_tracy_after(&s->cpu, p),
                             .gpu = tk_tracy_after(&s->gpu, p + 8),
                             .thread = s->timeline_thread,
                             .query = w->c->layout.gpu_notes ? tk_load16(p + 16) : 0,
                             .depth = w->gpu_rest.n};
    return true;
}

static int begin_zone(struct tk_tracy_walk *w, struct state *s)
{
    struct gpu_event ev = {.at = tk_tracy_at(&w->in)};
    if (w->gpu_rest.n >= w->c->ctx->limits.nesting) {
        tk_tracy_limit(w, TK_LIMIT_nesting, ev.at, 1, "GPU zones lie too deep");
        tk_tracy_fail(&w->in, ev.at, "GPU zones lie too deep");
        return TK_OK;
    }
    if (!read_head(w, s, &ev))
        return TK_OK;
    if (tk_vec_push(&w->gpu_rest, s->left - 1))
        return TK_ENOMEM;
    s->left = ev.children;
    tk_tracy_count(w, TK_TRACY_GPU_ZONE_BEGIN, 1, HEAD_BYTES);
    return put(w, s, &ev) == TK_OK ? say_zone(w, &s->context, &ev) : TK_ENOMEM;
}

static int end_zone(struct tk_tracy_walk *w, struct state *s)
{
    struct gpu_event ev = {.at = tk_tracy_at(&w->in)};
    s->left = w->gpu_rest.v[--w->gpu_rest.n];
    if (!read_tail(w, s, &ev))
        return TK_OK;
    tk_tracy_tally(w, TK_TRACY_GPU_ZONE_END, 1, TAIL_BYTES + (w->c->layout.gpu_notes ? 2 : 0));
    return put(w, s, &ev) == TK_OK ? say_zone(w, &s->context, &ev) : TK_ENOMEM;
}

static int next_zone(struct tk_tracy_walk *w, struct state *s)
{
    if (s->left)
        return begin_zone(w, s);
    if (w->gpu_rest.n)
        return end_zone(w, s);
    s->phase = TIMELINE;
    return end_run(w, s);
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
    struct note note = {
        .at = tk_tracy_at(&w->in), .query = s->query, .id = tk_tracy_i64(&w->in, "id of a GPU note")};
    note.value = tk_tracy_f64(&w->in, "value of a GPU note");
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_tally(w, TK_TRACY_GPU_NOTE, 1, 16);
    if (tk_tracy_wants_rows(w, &tk_tracy_table_gpu_notes) && say_row(w, &s->context, &note) != TK_OK)
        return TK_ENOMEM;
    return say_note(w, &s->context, &note);
}

static int (*const phases[DONE])(struct tk_tracy_walk *w, struct state *s) = {
    [CONTEXT] = next_context, [TIMELINE] = next_timeline, [ZONES] = next_zone,
    [QUERY] = next_query,     [NOTES] = next_note,
};

static int step(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    if (!s->begun)
        tk_tracy_skip(&w->in, 16, "numbers of GPU zones");
    s->begun = true;
    s->line.from = w->out->n_ops;
    while (rc == TK_OK && tk_tracy_ok(&w->in) && s->phase != DONE && !tk_tracy_out_full(w->out))
        rc = phases[s->phase](w, s);
    if (rc != TK_OK || end_run(w, s) != TK_OK)
        return TK_ENOMEM;
    return tk_tracy_ok(&w->in) && s->phase != DONE ? TK_ITEM : TK_OK;
}

static const struct tk_table *const gpu_rows[] = {&tk_tracy_table_gpu_notes, NULL};

const struct tk_tracy_section tk_tracy_sec_gpu = {
    .name = "gpu",
    .step = step,
    .size = sizeof(struct state),
    .facts = TK_FACT_MASK(GPU_SCOPES) | TK_FACT_MASK(GPU),
    .rows = gpu_rows,
    .records = TK_TRACY_RECORD_MASK(GPU_CONTEXT) | TK_TRACY_RECORD_MASK(GPU_ZONE_BEGIN) |
               TK_TRACY_RECORD_MASK(GPU_ZONE_END) | TK_TRACY_RECORD_MASK(GPU_NOTE)};
