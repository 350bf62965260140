/*
 * GPU contexts, zones and notes as records, and notes as rows; see gpu_zones.h.
 */
#include "format/tracy/sections/gpu_zones.h"
#include "format/tracy/walk/cells.h"
#include "format/tracy/walk/own_tables.h"

static const struct tk_str types[] = {
    {"invalid", 7, TK_ENC_UTF8}, {"OpenGL", 6, TK_ENC_UTF8},       {"Vulkan", 6, TK_ENC_UTF8},
    {"OpenCL", 6, TK_ENC_UTF8},  {"Direct3D 12", 11, TK_ENC_UTF8}, {"Direct3D 11", 11, TK_ENC_UTF8},
    {"Metal", 5, TK_ENC_UTF8},   {"custom", 6, TK_ENC_UTF8},       {"CUDA", 4, TK_ENC_UTF8},
    {"ROCm", 4, TK_ENC_UTF8},    {"WebGPU", 6, TK_ENC_UTF8},
};

const struct tk_str *tk_tracy_gpu_type(uint8_t type)
{
    return type < sizeof types / sizeof *types ? &types[type] : NULL;
}

int tk_tracy_gpu_say_context(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c)
{
    const struct tk_str *type = tk_tracy_gpu_type(c->type);
    struct tk_cell cells[] = {
        tk_cell_of_uint(c->number),
        tk_cell_of_text(c->name),
        type ? tk_cell_of_text(type) : tk_cell_of_uint(c->type),
        tk_cell_of_bool(c->calibrated),
        {.kind = TK_REAL32, .v.r = (double)c->period},
        tk_cell_of_uint(c->zones),
        tk_cell_of_uint(c->overflow),
    };
    return tk_tracy_wants(w, TK_TRACY_GPU_CONTEXT)
               ? tk_tracy_say_timeless(w, TK_TRACY_GPU_CONTEXT, c->at, cells)
               : TK_OK;
}

static int say_begin(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c,
                     const struct tk_tracy_gpu_event *ev)
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

static int say_end(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c,
                   const struct tk_tracy_gpu_event *ev)
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

int tk_tracy_gpu_say_zone(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c,
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

static int say_record(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c,
                      const struct tk_tracy_gpu_note *note)
{
    struct tk_cell cells[] = {tk_cell_of_uint(c->number), tk_cell_of_uint(note->query),
                              tk_cell_of_int(note->id), tk_cell_of_text(note_name(w, note->id)),
                              tk_cell_of_real(note->value)};
    return tk_tracy_wants(w, TK_TRACY_GPU_NOTE) ? tk_tracy_say_timeless(w, TK_TRACY_GPU_NOTE, note->at, cells)
                                                : TK_OK;
}

static int say_row_gpu_record(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c,
                              const struct tk_tracy_gpu_note *note)
{
    struct tk_cell *row = tk_tracy_row(w, &tk_tracy_table_gpu_notes, TK_NO_THREAD);
    if (!row)
        return TK_ENOMEM;
    row[0] = tk_cell_of_uint(c->number);
    row[1] = tk_cell_of_text(c->name);
    row[2] = tk_cell_of_uint(note->query);
    row[3] = tk_cell_of_int(note->id);
    row[4] = tk_cell_of_text(note_name(w, note->id));
    row[5] = tk_cell_of_real(note->value);
    return TK_OK;
}

int tk_tracy_gpu_say_note(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c,
                          const struct tk_tracy_gpu_note *note)
{
    int rc = tk_tracy_wants_rows(w, &tk_tracy_table_gpu_notes) ? say_row_gpu_record(w, c, note) : TK_OK;
    return rc == TK_OK ? say_record(w, c, note) : rc;
}
