/*
 * Allocated memory by address, for profiles with modules and inlined functions: rows of the tables `modules`,
 * `callstacks` and `memory` become what table/timeline.h holds, which a sink of stacks writes.
 */
#include "base/err.h"
#include "export/export_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct frames {
    size_t first; /* in frames of what is filled */
    uint32_t n;
};

struct addresses {
    struct tk_sampled *out;
    struct tk_map modules;   /* name and base -> place in modules */
    struct tk_map locations; /* address and module -> place in locations */
    struct tk_map index;     /* callstack -> place in stacks */
    TK_VEC(struct frames) stacks;
    size_t first; /* place of the innermost function of the address that is read */
};

static const struct tk_str *text_of_cell(struct addresses *a, const struct tk_cell *cell)
{
    return cell->kind == TK_TEXT ? tk_intern(&a->out->texts, cell->v.p, cell->n, cell->enc) : NULL;
}

static uint64_t module_key(const struct tk_str *name, uint64_t base)
{
    return tk_hash_pair((uint64_t)(uintptr_t)name, base);
}

static int add_module(struct addresses *a, const struct tk_sampled_module *module)
{
    const uint32_t at = (uint32_t)a->out->modules.n;
    return tk_vec_push(&a->out->modules, *module) ||
           tk_map_put(&a->modules, module_key(module->name, module->base), at);
}

/* ---- modules ---- */

static int take_modules(void *self, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    enum { MODULE, BASE, BYTES, IMAGE_ID };
    struct addresses *a = self;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        struct tk_sampled_module module = {.name = text_of_cell(a, &row[MODULE]), .base = row[BASE].v.u};
        const struct tk_cell *id = &row[IMAGE_ID];
        if (!module.name)
            return tk_err_nomem(err, "modules");
        module.end = row[BYTES].v.u < UINT64_MAX - module.base ? module.base + row[BYTES].v.u : UINT64_MAX;
        if (id->kind == TK_TEXT && id->n < sizeof module.id)
            memcpy(module.id, id->v.p, id->n);
        if (add_module(a, &module))
            return tk_err_nomem(err, "modules");
    }
    return TK_OK;
}

/* ---- callstacks ---- */

enum { STACK, ADDRESS, MODULE, OFFSET, FUNCTION, FILE_NAME, LINE, INLINED, FRAME_COLUMNS };

/* The module of a frame; one that has no row has a name alone. 0, or -1. */
static int find_module(struct addresses *a, const struct tk_cell *row, uint32_t *place)
{
    const struct tk_str *name = text_of_cell(a, &row[MODULE]);
    *place = TK_MAP_NONE;
    if (row[MODULE].kind != TK_TEXT)
        return 0;
    if (!name)
        return -1;
    *place = tk_map_get(&a->modules, module_key(name, row[ADDRESS].v.u - row[OFFSET].v.u));
    if (*place == TK_MAP_NONE)
        *place = tk_map_get(&a->modules, module_key(name, 0));
    if (*place != TK_MAP_NONE)
        return 0;
    *place = (uint32_t)a->out->modules.n;
    return add_module(a, &(struct tk_sampled_module){.name = name});
}

static int add_place(struct addresses *a, const struct tk_cell *row)
{
    char text[320];
    struct tk_sampled_place place = {.function = text_of_cell(a, &row[FUNCTION]),
                                     .file = text_of_cell(a, &row[FILE_NAME]),
                                     .line = row[LINE].kind == TK_NONE ? 0 : (uint32_t)row[LINE].v.u};
    place.known = place.function && place.function->n;
    if (!place.known) {
        const struct tk_cell *module = &row[MODULE];
        const int n =
            module->kind == TK_TEXT && row[OFFSET].kind != TK_NONE
                ? snprintf(text, sizeof text, "%.*s+0x%" PRIx64, (int)(module->n < 255 ? module->n : 255),
                           (const char *)module->v.p, row[OFFSET].v.u)
                : snprintf(text, sizeof text, "0x%" PRIx64, row[ADDRESS].v.u);
        place.function = tk_intern(&a->out->texts, text, (size_t)n, TK_ENC_UTF8);
    }
    return place.function ? tk_vec_push(&a->out->places, place) : -1;
}

/* Behind the last function of an address: it is one that is known, or a new one. */
static int end_location(struct addresses *a, const struct tk_cell *row)
{
    struct tk_sampled *s = a->out;
    struct tk_sampled_location location = {
        .address = row[ADDRESS].v.u, .first = (uint32_t)a->first, .n = (uint32_t)(s->places.n - a->first)};
    if (find_module(a, row, &location.module))
        return -1;
    const uint64_t key = tk_hash_pair(location.address, location.module);
    uint32_t at = tk_map_get(&a->locations, key);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)s->locations.n;
        if (tk_vec_push(&s->locations, location) || tk_map_put(&a->locations, key, at))
            return -1;
    } else {
        s->places.n = a->first;
    }
    a->first = s->places.n;
    a->stacks.v[a->stacks.n - 1].n++;
    return tk_vec_push(&s->frames, at);
}

static int add_frame(struct addresses *a, const struct tk_cell *row)
{
    const struct frames begun = {.first = a->out->frames.n};
    if (tk_map_get(&a->index, row[STACK].v.u) == TK_MAP_NONE &&
        (tk_map_put(&a->index, row[STACK].v.u, (uint32_t)a->stacks.n) || tk_vec_push(&a->stacks, begun)))
        return -1;
    if (add_place(a, row))
        return -1;
    const bool more = row[INLINED].kind == TK_BOOL && row[INLINED].v.u;
    return more ? 0 : end_location(a, row);
}

/* Frames of a callstack follow each other, and so do the functions of a frame. */
static int take_frames(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    for (size_t i = 0; i < rows->n; i++)
        if (add_frame(self, rows->cells + i * table->n_columns))
            return tk_err_nomem(err, "callstacks");
    return TK_OK;
}

/* The first stack is what is not known. */
static int add_unknown(struct addresses *a, struct tk_err *err)
{
    static const char text[] = "(unknown)";
    const struct tk_sampled_place place = {.function =
                                               tk_intern(&a->out->texts, text, sizeof text - 1, TK_ENC_UTF8)};
    const struct tk_sampled_location location = {.module = TK_MAP_NONE, .n = 1};
    const struct frames stack = {0, 1};
    a->first = 1;
    return !place.function || tk_vec_push(&a->out->places, place) ||
                   tk_vec_push(&a->out->locations, location) || tk_vec_push(&a->out->frames, 0) ||
                   tk_vec_push(&a->stacks, stack)
               ? tk_err_nomem(err, "callstacks")
               : TK_OK;
}

/* ---- sums ---- */

static int take_sums(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    enum { BY, KEY, BYTES, ALLOCS, REALLOCS };
    static const char kind[] = "callstack";
    struct addresses *a = self;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        if (row[BY].n != sizeof kind - 1 || memcmp(row[BY].v.p, kind, sizeof kind - 1) != 0)
            continue;
        const uint32_t at = row[KEY].kind == TK_NONE ? TK_MAP_NONE : tk_map_get(&a->index, row[KEY].v.u);
        const struct frames *frames = &a->stacks.v[at == TK_MAP_NONE ? 0 : at];
        const struct tk_sampled_stack stack = {.count = row[ALLOCS].v.u + row[REALLOCS].v.u,
                                               .bytes = row[BYTES].v.u,
                                               .first = frames->first,
                                               .n = frames->n};
        if (stack.count && tk_vec_push(&a->out->stacks, stack))
            return tk_err_nomem(err, "callstacks");
    }
    return TK_OK;
}

int tk_export_allocated_addresses(const struct tk_export *e, struct tk_sampled *sampled, struct tk_err *err)
{
    static const char *const modules[] = {"module", "base", "bytes", "image_id"};
    static const char *const frames[] = {"callstack_id", "address", "module", "offset",
                                         "function",     "file",    "line",   "inlined"};
    static const char *const sums[] = {"by", "key", "alloc_bytes", "allocs", "reallocs"};
    struct addresses a = {.out = sampled};
    const struct tk_sink take[] = {{.self = &a, .rows = take_modules},
                                   {.self = &a, .rows = take_frames},
                                   {.self = &a, .rows = take_sums}};
    sampled->memory = true;
    int rc = add_unknown(&a, err);
    if (rc == TK_OK && tk_has_table(e->trace, "modules"))
        rc = tk_export_ask_callstacks(e, "modules", modules, sizeof modules / sizeof *modules, &take[0], err);
    if (rc == TK_OK)
        rc = tk_export_ask_callstacks(e, "callstacks", frames, FRAME_COLUMNS, &take[1], err);
    if (rc == TK_OK)
        rc = tk_export_ask_callstacks(e, "memory", sums, sizeof sums / sizeof *sums, &take[2], err);
    tk_vec_release(&a.stacks);
    tk_map_release(&a.modules);
    tk_map_release(&a.locations);
    tk_map_release(&a.index);
    return rc;
}
