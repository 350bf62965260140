/*
 * GPU contexts, their zones and what was measured in them. Records.
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
#include "tracy/cells.h"
#include "tracy/section_list.h"
#include "tracy/walk.h"

#define HEAD_BYTES 31
#define TAIL_BYTES 16
#define NOTE_NAMES 4096 /* of a context that are kept */

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

struct state {
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
    return TK_OK;
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
    if (w->gpu_rest.n >= TK_TRACY_DEPTH) {
        tk_tracy_fail(&w->in, ev.at, "GPU zones lie more than 65536 deep");
        return TK_OK;
    }
    if (!read_head(w, s, &ev))
        return TK_OK;
    if (tk_vec_push(&w->gpu_rest, s->left - 1))
        return TK_ENOMEM;
    s->left = ev.children;
    tk_tracy_count(w, TK_TRACY_GPU_ZONE_BEGIN, 1, HEAD_BYTES);
    return say_zone(w, &s->context, &ev);
}

static int end_zone(struct tk_tracy_walk *w, struct state *s)
{
    struct gpu_event ev = {.at = tk_tracy_at(&w->in)};
    s->left = w->gpu_rest.v[--w->gpu_rest.n];
    if (!read_tail(w, s, &ev))
        return TK_OK;
    tk_tracy_tally(w, TK_TRACY_GPU_ZONE_END, 1, TAIL_BYTES + (w->c->layout.gpu_notes ? 2 : 0));
    return say_zone(w, &s->context, &ev);
}

static int next_zone(struct tk_tracy_walk *w, struct state *s)
{
    if (s->left)
        return begin_zone(w, s);
    if (w->gpu_rest.n)
        return end_zone(w, s);
    s->phase = TIMELINE;
    return TK_OK;
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
    while (rc == TK_OK && tk_tracy_ok(&w->in) && s->phase != DONE) {
        if (tk_tracy_out_full(w->out))
            return TK_ITEM;
        rc = phases[s->phase](w, s);
    }
    return rc;
}

const struct tk_tracy_section tk_tracy_sec_gpu = {
    .name = "gpu",
    .step = step,
    .size = sizeof(struct state),
    .records = TK_TRACY_RECORD_MASK(GPU_CONTEXT) | TK_TRACY_RECORD_MASK(GPU_ZONE_BEGIN) |
               TK_TRACY_RECORD_MASK(GPU_ZONE_END) | TK_TRACY_RECORD_MASK(GPU_NOTE)};
