/*
 * Exports symbols: the functions of all addresses of callstacks and samples, as a file that takes the place
 * of symbols on another machine. The symbols of the capture write it.
 */
#include "api/trace.h"
#include "base/err.h"
#include "base/vec.h"
#include "export/export_in.h"
#include "io/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Exports allocated memory by callstack as stacks. A frame is named by its function if the capture knows it,
 * else by module and offset, else by address.
 */

enum { MOST_FRAMES = 1024 };

struct stack {
    size_t first, n; /* in frames, innermost first */
};

struct allocations {
    struct tk_stacks *out;
    struct tk_map index; /* callstack -> index in stacks */
    TK_VEC(struct stack) stacks;
    TK_VEC(uint32_t) frames; /* numbers of names */
};

static uint32_t name_of_allocations(struct allocations *a, const char *text, size_t n)
{
    const struct tk_str str = {.p = text, .n = (uint32_t)n};
    const struct tk_stack_name name = {.text = &str};
    return tk_stacks_name(a->out, &name);
}

enum { STACK, FRAME, ADDRESS, MODULE, OFFSET, FUNCTION, FILE_NAME, LINE, FRAME_COLUMNS };

static uint32_t name_of_frame(struct allocations *a, const struct tk_cell *row)
{
    const struct tk_cell *function = &row[FUNCTION], *module = &row[MODULE];
    char text[320];
    if (function->kind == TK_TEXT && function->n) {
        const struct tk_str str = {.p = function->v.p, .n = function->n, .enc = function->enc};
        const struct tk_str file = {
            .p = row[FILE_NAME].v.p, .n = row[FILE_NAME].n, .enc = row[FILE_NAME].enc};
        return tk_stacks_name(a->out,
                              &(struct tk_stack_name){.text = &str,
                                                      .file = row[FILE_NAME].kind == TK_TEXT ? &file : NULL,
                                                      .line = (uint32_t)row[LINE].v.u});
    }
    int n = module->kind == TK_TEXT && row[OFFSET].kind != TK_NONE
                ? snprintf(text, sizeof text, "%.*s+0x%" PRIx64, (int)(module->n < 255 ? module->n : 255),
                           (const char *)module->v.p, row[OFFSET].v.u)
                : snprintf(text, sizeof text, "0x%" PRIx64, row[ADDRESS].v.u);
    return name_of_allocations(a, text, (size_t)n);
}

/* Rows of `callstacks`; frames of a callstack follow each other. */
static int take_frames_allocations(void *self, const struct tk_table *table, const struct tk_rows *rows,
                                   struct tk_err *err)
{
    struct allocations *a = self;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        const struct stack begun = {.first = a->frames.n};
        const uint32_t name = name_of_frame(a, row);
        if (tk_map_get(&a->index, row[STACK].v.u) == TK_MAP_NONE &&
            (tk_map_put(&a->index, row[STACK].v.u, (uint32_t)a->stacks.n) || tk_vec_push(&a->stacks, begun)))
            return tk_err_nomem(err, "callstacks");
        if (name == TK_MAP_NONE || tk_vec_push(&a->frames, name))
            return tk_err_nomem(err, "callstacks");
        a->stacks.v[a->stacks.n - 1].n++;
    }
    return TK_OK;
}

static int add_stack(struct allocations *a, const struct stack *stack, uint64_t bytes, struct tk_err *err)
{
    const size_t n = stack->n < MOST_FRAMES ? stack->n : MOST_FRAMES;
    uint32_t node = TK_STACK_ROOT;
    for (size_t i = n; i-- > 0 && node != TK_MAP_NONE;)
        node = tk_stacks_reach(a->out, node, a->frames.v[stack->first + i]);
    if (node == TK_MAP_NONE)
        return tk_err_nomem(err, "callstacks");
    a->out->nodes.v[node].bytes += bytes;
    return TK_OK;
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
        rc = add_stack(a, &a->stacks.v[at == TK_MAP_NONE ? 0 : at], row[BYTES].v.u, err);
    }
    return rc;
}

int tk_export_ask_callstacks(const struct tk_export *e, const char *table, const char *const *columns,
                             size_t n, const struct tk_sink *sink, struct tk_err *err)
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
    static const char text[] = "(unknown)";
    const uint32_t name = name_of_allocations(a, text, sizeof text - 1);
    const struct stack stack = {0, 1};
    return name == TK_MAP_NONE || tk_vec_push(&a->frames, name) || tk_vec_push(&a->stacks, stack)
               ? tk_err_nomem(err, "callstacks")
               : TK_OK;
}

int tk_export_allocations(const struct tk_export *e, struct tk_stacks *stacks, struct tk_err *err)
{
    static const char *const frames[] = {"callstack_id", "frame",    "address", "module",
                                         "offset",       "function", "file",    "line"};
    static const char *const sums[] = {"by", "key", "alloc_bytes"};
    struct allocations a = {.out = stacks};
    const struct tk_sink take[] = {{.self = &a, .rows = take_frames_allocations},
                                   {.self = &a, .rows = take_sums}};
    int rc = add_unknown(&a, err);
    if (rc == TK_OK)
        rc = tk_export_ask_callstacks(e, "callstacks", frames, FRAME_COLUMNS, &take[0], err);
    if (rc == TK_OK)
        rc = tk_export_ask_callstacks(e, "memory", sums, 3, &take[1], err);
    tk_vec_release(&a.stacks);
    tk_vec_release(&a.frames);
    tk_map_release(&a.index);
    return rc;
}

/* The table of files of symbols looks up every address that there is. */
static int look_up(const struct tk_export *e, struct tk_err *err)
{
    static const char *const tables[] = {"symbol_files"};
    const struct tk_sink nowhere = {0};
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = 1;
    query.unit = TK_UNIT_NS;
    return tk_query_run(e->trace, &query, &nowhere, err);
}

static int write_symbols(struct tk_trace *trace, struct tk_output *output, bool strip, struct tk_err *err)
{
    size_t n;
    uint8_t *bytes = tk_trace_symbols(trace, strip, &n);
    int rc = bytes ? tk_output_write(output, bytes, n, err) : tk_err_nomem(err, "symbols");
    free(bytes);
    return rc;
}

int tk_export_tksym(const struct tk_export *e, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    struct tk_output *output = NULL;
    int rc = tk_export_refuse_order(e, "tksym", err);
    if (rc == TK_OK && !e->trace->symbols)
        rc = tk_err_left_out(err, "SYMBOLS");
    if (rc == TK_OK && !e->trace->symbols->symbolizer)
        rc =
            tk_err_set(err, TK_EUSAGE, "symbols are switched off (--no-symbols), so there are none to write");
    if (rc == TK_OK && !tk_has_table(e->trace, "symbol_files"))
        rc = tk_err_set(err, TK_EMATCH, "captures of this kind have no addresses");
    if (rc == TK_OK)
        rc = tk_output_open_packed(&output, opt->path, opt->force, TK_PACKING_NONE, err);
    if (rc < 0)
        return rc;
    rc = look_up(e, err);
    if (rc == TK_OK)
        rc = write_symbols(e->trace, output, opt->strip_paths, err);
    if (rc == TK_OK)
        return tk_output_commit(output, err);
    tk_output_discard(output);
    return rc;
}
