/*
 * Table `source_lines`: a function line by line, with the samples that found a thread in each, and its source
 * where the capture carries it or the user names a folder that has it.
 */
#include "base/health/limits.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "fact/symbolizer.h"
#include "model/samples/sample_record.h"
#include "model/samples/sample_stacks.h"
#include "query/select.h"
#include "query/tables.h"
#include "tracekit/tables.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FUNCTION, FILE_NAME, LINE, OWN, OWN_SHARE, OWN_TIME, INCL, TEXT, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [FUNCTION] = {"function", TK_TEXT, TK_COL_OPTIONAL, NULL, "function; empty below its first row"},
    [FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file"},
    [LINE] = {"line", TK_UINT, 0, NULL, "line in it; empty if it is not known"},
    [OWN] = {"excl", TK_UINT, 0, "samples", "samples at the line; empty if there are none"},
    [OWN_SHARE] = {"excl_share", TK_REAL, TK_COL_PART, NULL, "share of the samples of the function, 0 to 1"},
    [OWN_TIME] = {"excl_time", TK_DURATION, TK_COL_OPTIONAL, NULL,
                  "estimated time, from the sampling interval if it is known"},
    [INCL] = {"incl", TK_UINT, 0, "samples", "samples in it or in functions that it called"},
    [TEXT] = {"text", TK_TEXT, TK_COL_OPTIONAL, NULL, "source text, if it is available"},
};

static const struct tk_table table = {
    .name = "source_lines",
    .help = "a function line by line, with its stack samples",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
};

enum { AROUND = 2, MOST_LINES = 20000 }; /* lines displayed around those with samples, and of a function */

/* A source file of the capture. */
struct source {
    const struct tk_str *name, *text;
};

/* A line of a function. */
struct line {
    const struct tk_str *function, *file; /* interned here */
    uint32_t line;
    uint64_t own, incl;
    size_t last;  /* the stack that was added last, from 1 */
    uint64_t all; /* own samples of the function in that file, when all are counted */
};

struct lines {
    const struct tk_query_context *view;
    struct tk_patterns requested;
    struct tk_sample_stacks samples;
    struct tk_intern texts;
    TK_VEC(const struct tk_str *) names; /* of functions, each once */
    struct tk_map name_index;            /* address of a name -> its place */
    bool *passes;                        /* owned; by name */
    TK_VEC(struct line) v;
    struct tk_map index;
    TK_VEC(struct source) sources;
    uint64_t source_bytes, too_long;
    size_t stack; /* that is being added, from 1 */
    uint64_t count;
    int64_t period;
};

/* ---- reading ---- */

static void close_lines(void *self)
{
    struct lines *l = self;
    tk_sample_stacks_release(&l->samples);
    tk_patterns_release(&l->requested);
    tk_intern_release(&l->texts);
    tk_vec_release(&l->names);
    tk_vec_release(&l->v);
    tk_vec_release(&l->sources);
    tk_map_release(&l->name_index);
    tk_map_release(&l->index);
    free(l->passes);
    free(l);
}

static int open_lines(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                      void **self, struct tk_err *err)
{
    struct lines *l = calloc(1, sizeof *l);
    (void)builder;
    (void)wanted;
    if (!l)
        return tk_err_nomem(err, "lines of a function");
    *self = l;
    l->view = view;
    tk_sample_stacks_init(&l->samples, view);
    if (!view->query->source_of)
        return tk_err_set(err, TK_EUSAGE, "table 'source_lines' needs the name of a function");
    return tk_patterns_init(&l->requested, &view->query->source_of, 1, err);
}

static const struct tk_str *kept(struct lines *l, const struct tk_str *text)
{
    return tk_intern(&l->texts, text->p, text->n, (enum tk_encoding)text->enc);
}

/* Sources of a capture are kept as far as the limit on events allows: they are small alongside it. */
static int take_source(struct lines *l, const struct tk_fact_source *source)
{
    const struct source made = {source->name ? kept(l, source->name) : NULL, NULL};
    struct source *to;
    if (!source->name || !made.name || tk_vec_push(&l->sources, made))
        return source->name ? -1 : 0;
    to = &l->sources.v[l->sources.n - 1];
    if (!source->text.p || l->source_bytes + source->text.n > l->view->ctx->limits.callstack_bytes) {
        l->too_long++;
        return 0;
    }
    l->source_bytes += source->text.n;
    to->text = kept(l, &source->text);
    return to->text ? 0 : -1;
}

static int feed_lines(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct lines *l = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (batch->facts[i].kind == TK_FACT_SOURCE && take_source(l, &batch->facts[i].u.source))
            return tk_err_nomem(err, "lines of a function");
    return tk_sample_stacks_batch(&l->samples, batch, "lines of a function", err);
}

static int take_calls(void *self, const struct tk_slices *slices, unsigned worker)
{
    (void)worker;
    return tk_sample_stacks_take(&((struct lines *)self)->samples, slices);
}

static int lane_calls(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    return tk_sample_stacks_lane(&((struct lines *)self)->samples, end, "lines of a function", err);
}

/* ---- lines ---- */

static int walk_stacks(struct lines *l, int (*take)(void *to, const struct tk_sample_place *place, bool own))
{
    int rc = 0;
    for (size_t i = 0; i < l->samples.v.n && rc == 0; i++) {
        const struct tk_sample_stack *stack = &l->samples.v.v[i];
        l->stack = i + 1;
        l->count = stack->count;
        if (tk_sample_stack_selected(&l->samples, stack))
            rc = tk_sample_stack_walk(&l->samples, stack, take, l);
    }
    return rc;
}

static int note_name(void *to, const struct tk_sample_place *place, bool own)
{
    struct lines *l = to;
    const struct tk_str *name = kept(l, place->function);
    (void)own;
    if (!name)
        return -1;
    if (tk_map_get(&l->name_index, (uint64_t)(uintptr_t)name) != TK_MAP_NONE)
        return 0;
    return tk_map_put(&l->name_index, (uint64_t)(uintptr_t)name, (uint32_t)l->names.n)
               ? -1
               : tk_vec_push(&l->names, name);
}

static int count_place(void *to, const struct tk_sample_place *place, bool own)
{
    struct lines *l = to;
    const struct tk_str *name = kept(l, place->function), *file = place->file ? kept(l, place->file) : NULL;
    if (!name || (place->file && !file))
        return -1;
    if (!l->passes[tk_map_get(&l->name_index, (uint64_t)(uintptr_t)name)])
        return 0;
    const uint64_t key =
        tk_hash_pair(tk_hash_pair((uint64_t)(uintptr_t)name, (uint64_t)(uintptr_t)file), place->line);
    uint32_t at = tk_map_get(&l->index, key);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)l->v.n;
        if (tk_vec_push(&l->v, ((struct line){.function = name, .file = file, .line = place->line})) ||
            tk_map_put(&l->index, key, at))
            return -1;
    }
    struct line *line = &l->v.v[at];
    line->own += own ? l->count : 0;
    line->incl += line->last == l->stack ? 0 : l->count;
    line->last = l->stack;
    return 0;
}

static int check_lines(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    struct lines *l = self;
    if (tk_sample_stacks_settle(&l->samples) || walk_stacks(l, note_name))
        return tk_err_nomem(err, "lines of a function");
    l->passes = malloc(l->names.n + 1);
    if (!l->passes)
        return tk_err_nomem(err, "lines of a function");
    int rc = tk_pattern_check(&l->requested, "function", l->names.v, l->names.n, err);
    for (size_t i = 0; i < l->names.n; i++)
        l->passes[i] = tk_patterns_pass(&l->requested, l->names.v[i]);
    if (rc == TK_OK && walk_stacks(l, count_place))
        rc = tk_err_nomem(err, "lines of a function");
    return rc;
}

/* ---- rows ---- */

static bool is_together(const struct line *a, const struct line *b)
{
    return a->function == b->function && a->file == b->file;
}

/* Functions in order of their samples, each with its lines together. */
static int by_function(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->all != y->all)
        return x->all > y->all ? -1 : 1;
    if (x->function != y->function)
        return tk_str_order(x->function, y->function) < 0 ? -1 : 1;
    if (x->file != y->file)
        return !x->file ? 1 : !y->file ? -1 : tk_str_order(x->file, y->file);
    return (x->line > y->line) - (x->line < y->line);
}

/* Sums of each function and file. */
static int sum_functions(struct lines *l)
{
    int rc = tk_sort(l->v.v, l->v.n, sizeof *l->v.v, by_function);
    for (size_t first = 0, end; first < l->v.n && rc == 0; first = end) {
        uint64_t all = 0;
        for (end = first; end < l->v.n && is_together(&l->v.v[first], &l->v.v[end]); end++)
            all += l->v.v[end].own;
        for (size_t i = first; i < end; i++)
            l->v.v[i].all = all;
    }
    return rc ? rc : tk_sort(l->v.v, l->v.n, sizeof *l->v.v, by_function);
}

/* The source of a file: of the capture, else of the folders. p NULL: there is none. */
static int source_of(struct lines *l, const struct tk_str *file, struct tk_str *out)
{
    *out = (struct tk_str){.p = NULL};
    for (size_t i = 0; file && i < l->sources.n; i++)
        if (l->sources.v[i].name == file && l->sources.v[i].text) {
            *out = *l->sources.v[i].text;
            return 0;
        }
    const struct tk_source_finder *finder = l->view->ctx->sources;
    return file && finder && finder->find(finder->self, file, out) < 0 ? -1 : 0;
}

/* A cursor over the lines of a text. */
struct text_cursor {
    struct tk_str text;
    uint32_t at, number; /* the line that begins there, from 1 */
};

static bool is_end(const struct text_cursor *c)
{
    return !c->text.p || c->at >= c->text.n;
}

static struct tk_str next_line(struct text_cursor *c)
{
    const char *begin = c->text.p + c->at, *end = memchr(begin, '\n', c->text.n - c->at);
    uint32_t n = end ? (uint32_t)(end - begin) : c->text.n - c->at;
    c->at += n + (end != NULL);
    c->number++;
    while (n && begin[n - 1] == '\r')
        n--;
    return (struct tk_str){begin, n, TK_ENC_UTF8};
}

static void fill_line(const struct lines *l, const struct line *line, struct tk_cell *row)
{
    row[OWN] = tk_cell_of_uint(line->own);
    row[OWN_SHARE] = line->all ? tk_cell_of_real((double)line->own / (double)line->all) : (struct tk_cell){0};
    row[OWN_TIME] = tk_sample_time(l->view, l->period, line->own);
    row[INCL] = tk_cell_of_uint(line->incl);
}

/* Sends a line; `line` NULL: no sample has it. */
static bool send_line(const struct lines *l, const struct line *head, bool first, uint32_t number,
                      const struct line *line, const struct tk_str *text, struct tk_emit *emit)
{
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return false;
    row[FUNCTION] = tk_cell_of_text(first ? head->function : NULL);
    row[FILE_NAME] = tk_cell_of_text(head->file);
    if (number)
        row[LINE] = tk_cell_of_uint(number);
    if (line)
        fill_line(l, line, row);
    if (text && tk_emit_wants(emit, TEXT)) {
        const char *kept_text = tk_emit_bytes(emit, text->p, text->n);
        const struct tk_str displayed = {kept_text, text->n, TK_ENC_UTF8};
        row[TEXT] = tk_cell_of_text(kept_text ? &displayed : NULL);
    }
    return true;
}

/* The lines [first, end) of a function in a file, and with a source those between. */
static bool send_function(struct lines *l, size_t first, size_t end, const struct tk_str *source,
                          struct tk_emit *emit)
{
    const struct line *v = l->v.v;
    struct text_cursor c = {*source, 0, 0};
    bool sent = true, head = true;
    size_t i = first, known = first; /* known: the first with a line, if there is one */
    while (known + 1 < end && v[known].line == 0)
        known++;
    const uint32_t from = v[known].line > AROUND ? v[known].line - AROUND : 1, last = v[end - 1].line;
    while (c.number + 1 < from && !is_end(&c))
        next_line(&c);
    const bool all = !is_end(&c) && last - from < MOST_LINES;
    for (; sent && all && i < end && v[i].line == 0; i++, head = false)
        sent = send_line(l, &v[first], head, 0, &v[i], NULL, emit);
    for (uint32_t number = c.number + 1; sent && all && number <= last + AROUND && !is_end(&c); number++) {
        const struct tk_str text = next_line(&c);
        const struct line *line = i < end && v[i].line == number ? &v[i++] : NULL;
        sent = send_line(l, &v[first], head, number, line, &text, emit);
        head = false;
    }
    for (; sent && i < end; i++, head = false) /* the file is another one, or there is none */
        sent = send_line(l, &v[first], head, v[i].line, &v[i], NULL, emit);
    return sent;
}

static int finish_lines(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct lines *l = self;
    l->period = tk_sample_period(l->view->dict);
    if (l->too_long)
        tk_health_limit(&l->view->ctx->health, TK_LIMIT_callstack_bytes, TK_NO_OFFSET, l->too_long,
                        "%" PRIu64 " source files of the capture are left out", l->too_long);
    if (sum_functions(l))
        return tk_err_nomem(err, "lines of a function");
    for (size_t first = 0, end; first < l->v.n; first = end) {
        struct tk_str source;
        for (end = first; end < l->v.n && is_together(&l->v.v[first], &l->v.v[end]);)
            end++;
        if (source_of(l, l->v.v[first].file, &source))
            return tk_err_nomem(err, "lines of a function");
        if (!send_function(l, first, end, &source, emit))
            break;
    }
    return tk_emit_status(emit);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_calls, .lane = lane_calls};

const struct tk_builder tk_builder_source_lines = {
    .table = &table,
    .needs = {.facts = TK_SAMPLE_STACK_FACTS | TK_FACT_MASK(SOURCE)},
    .scopes = &scope_hooks,
    .add_needs = tk_sample_stacks_add_needs,
    .open = open_lines,
    .check = check_lines,
    .feed = feed_lines,
    .finish = finish_lines,
    .close = close_lines,
};
