/*
 * What was allocated, by callstack, as items of a timeline: a track on which callstacks follow one another, a
 * byte long for each byte that they allocated. Frames are told by module and offset, as names of functions
 * are not in a capture.
 */
#include "export.h"

#include "base/err.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FRAMES = 1024 };

struct stack {
    size_t first, n; /* in frames, innermost first */
};

struct allocations {
    const struct tk_timeline_sink *sink;
    struct tk_intern texts;
    struct tk_map names, index; /* address of a text -> its number; callstack -> index in stacks */
    TK_VEC(struct stack) stacks;
    TK_VEC(const struct tk_str *) frames;
    uint32_t n_names; /* numbers given so far */
    int64_t bytes;    /* sent so far */
};

/* Rows of `callstacks`: callstack, frame, address, module, offset; frames of a callstack follow each other.
 */
static int take_frames(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    struct allocations *a = self;
    enum { STACK, FRAME, ADDRESS, MODULE, OFFSET };
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        const struct stack begun = {.first = a->frames.n};
        char text[320];
        int n = row[MODULE].kind == TK_TEXT
                    ? snprintf(text, sizeof text, "%.*s+0x%" PRIx64, (int)(row[MODULE].n & 255),
                               (const char *)row[MODULE].v.p, row[OFFSET].v.u)
                    : snprintf(text, sizeof text, "0x%" PRIx64, row[ADDRESS].v.u);
        const struct tk_str *name = tk_intern(&a->texts, text, (size_t)n, TK_ENC_UTF8);
        if (tk_map_get(&a->index, row[STACK].v.u) == TK_MAP_NONE &&
            (tk_map_put(&a->index, row[STACK].v.u, (uint32_t)a->stacks.n) || tk_vec_push(&a->stacks, begun)))
            return tk_err_nomem(err, "callstacks");
        if (!name || tk_vec_push(&a->frames, name))
            return tk_err_nomem(err, "callstacks");
        a->stacks.v[a->stacks.n - 1].n++;
    }
    return TK_OK;
}

static int send_item(struct allocations *a, uint8_t kind, const struct tk_str *name, struct tk_err *err)
{
    struct tk_item item = {.kind = kind, .track = UINT64_MAX, .ns = a->bytes, .name = name};
    if (name) {
        const uint64_t key = (uint64_t)(uintptr_t)name;
        item.name_id = tk_map_get(&a->names, key);
        if (item.name_id == TK_MAP_NONE && tk_map_put(&a->names, key, item.name_id = a->n_names++))
            return tk_err_nomem(err, "callstacks");
    }
    return a->sink->items(a->sink->self, &item, 1, err);
}

static int send_stack(struct allocations *a, const struct stack *stack, uint64_t bytes, struct tk_err *err)
{
    const size_t n = stack->n < MOST_FRAMES ? stack->n : MOST_FRAMES;
    int rc = TK_OK;
    for (size_t i = n; i-- > 0 && rc == TK_OK;)
        rc = send_item(a, TK_ITEM_BEGIN, a->frames.v[stack->first + i], err);
    a->bytes += (int64_t)bytes;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = send_item(a, TK_ITEM_END, NULL, err);
    return rc;
}

/* Rows of `memory`: by, key, alloc_bytes. */
static int take_sums(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct allocations *a = self;
    static const char kind[] = "callstack";
    enum { BY, KEY, BYTES };
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        if (row[BY].n != sizeof kind - 1 || memcmp(row[BY].v.p, kind, sizeof kind - 1) != 0)
            continue;
        uint32_t at = row[KEY].kind == TK_NONE ? TK_MAP_NONE : tk_map_get(&a->index, row[KEY].v.u);
        rc = send_stack(a, &a->stacks.v[at == TK_MAP_NONE ? 0 : at], row[BYTES].v.u, err);
    }
    return rc;
}

static int ask(const struct tk_export *e, const char *table, const char *const *columns, size_t n,
               const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_query query = *e->query;
    query.tables = &table;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = n;
    query.by = TK_BY_CALLSTACK;
    return tk_query_run(e->trace, &query, sink, err);
}

/* The first stack is what is not known. */
static int add_unknown(struct allocations *a, struct tk_err *err)
{
    const struct tk_str *name = tk_intern_c(&a->texts, "(unknown)");
    const struct stack stack = {0, 1};
    return !name || tk_vec_push(&a->frames, name) || tk_vec_push(&a->stacks, stack)
               ? tk_err_nomem(err, "callstacks")
               : TK_OK;
}

int tk_export_allocations(const struct tk_export *e, const struct tk_timeline_sink *sink, uint32_t n_names,
                          struct tk_err *err)
{
    static const char *const frames[] = {"callstack", "frame", "address", "module", "offset"};
    static const char *const sums[] = {"by", "key", "alloc_bytes"};
    static const struct tk_str name = {.p = "Allocations", .n = 11};
    const struct tk_track track = {.id = UINT64_MAX, .kind = TK_TRACK_BYTES, .name = &name};
    struct allocations a = {.sink = sink, .n_names = n_names};
    const struct tk_sink take[] = {{.self = &a, .rows = take_frames}, {.self = &a, .rows = take_sums}};
    int rc = add_unknown(&a, err);
    if (rc == TK_OK)
        rc = sink->track(sink->self, &track, err);
    if (rc == TK_OK)
        rc = ask(e, "callstacks", frames, 5, &take[0], err);
    if (rc == TK_OK)
        rc = ask(e, "memory", sums, 3, &take[1], err);
    tk_vec_release(&a.stacks);
    tk_vec_release(&a.frames);
    tk_map_release(&a.names);
    tk_map_release(&a.index);
    tk_intern_release(&a.texts);
    return rc;
}
