/*
 * Tables `sample_rows` (every stack sample, in order of time) and `samples` (how often each thread was found
 * at which address). Addresses of the recorded process have a module and offset, too, and a function where
 * the capture has it. Samples bring their addresses along or refer to a callstack, which may be defined after
 * them.
 */
#include "base/sort.h"
#include "model/code/callstack_list.h"
#include "model/code/code_place.h"
#include "model/execution/system_threads.h"
#include "model/tables.h"
#include "query/collector.h"
#include "query/context_cells.h"

#include <inttypes.h>
#include <string.h>

enum {
    TIME,
    SYSTEM_ID,
    THREAD_ID,
    THREAD,
    PROCESS_ID,
    DEPTH,
    ADDRESS,
    MODULE,
    OFFSET,
    FUNCTION,
    CALLSTACK,
    STACK,
    ROW_COLUMNS
};

static const struct tk_column row_columns[ROW_COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was taken"},
    [SYSTEM_ID] = {"system_id", TK_UINT, 0, NULL, "number of the thread in the operating system"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "name of the thread"},
    [PROCESS_ID] = {"process_id", TK_UINT, TK_COL_EXTRA, NULL, "process, where the system recorded it"},
    [DEPTH] = {"depth", TK_UINT, 0, "addresses", "addresses of its stack"},
    [ADDRESS] = {"address", TK_HEX, 0, NULL, "the innermost of them"},
    [MODULE] = {"module", TK_TEXT, 0, NULL, "module that it lies in"},
    [OFFSET] = {"offset", TK_HEX, 0, NULL, "from the beginning of the module"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL,
                  "function it lies in, where the capture or its symbols know it"},
    [CALLSTACK] = {"callstack_id", TK_UINT, TK_COL_EXTRA, NULL, "id of its callstack; see table callstacks"},
    [STACK] = {"stack", TK_ARRAY, TK_COL_EXTRA, NULL, "all of them, innermost first"},
};

static const struct tk_table row_table = {
    .name = "sample_rows",
    .help = "stack samples, in order of time",
    .columns = row_columns,
    .n_columns = ROW_COLUMNS,
    .flags = TK_TABLE_EACH,
};

enum {
    S_SYSTEM_ID,
    S_THREAD_ID,
    S_THREAD,
    S_PROCESS_ID,
    S_ADDRESS,
    S_MODULE,
    S_OFFSET,
    S_FUNCTION,
    S_COUNT,
    S_SHARE,
    S_FIRST,
    S_LAST,
    S_COLUMNS
};

static const struct tk_column columns[S_COLUMNS] = {
    [S_SYSTEM_ID] = {"system_id", TK_UINT, 0, NULL, "number of the thread in the operating system"},
    [S_THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [S_THREAD] = {"thread", TK_TEXT, 0, NULL, "name of the thread"},
    [S_PROCESS_ID] = {"process_id", TK_UINT, TK_COL_EXTRA, NULL, "process, where the system recorded it"},
    [S_ADDRESS] = {"address", TK_HEX, 0, NULL, "innermost address; empty where there was none"},
    [S_MODULE] = {"module", TK_TEXT, 0, NULL, "module that it lies in"},
    [S_OFFSET] = {"offset", TK_HEX, 0, NULL, "from the beginning of the module"},
    [S_FUNCTION] = {"function", TK_TEXT, 0, NULL,
                    "function it lies in, where the capture or its symbols know it"},
    [S_COUNT] = {"count", TK_UINT, 0, "samples", "stack samples that found it there"},
    [S_SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "part of the samples of the thread, 0 to 1"},
    [S_FIRST] = {"first", TK_TIME, TK_COL_EXTRA, NULL, "first of them"},
    [S_LAST] = {"last", TK_TIME, TK_COL_EXTRA, NULL, "last of them"},
};

static const struct tk_table table = {
    .name = "samples",
    .help = "stack samples by thread and innermost address",
    .columns = columns,
    .n_columns = S_COLUMNS,
    .sort_by = "count",
};

struct sample {
    int64_t time;
    uint32_t thread; /* place in threads */
    uint32_t depth;
    uint32_t n;         /* addresses that are kept */
    size_t first;       /* of them; of no meaning without any */
    uint32_t callstack; /* id of the callstack that has them; 0: they came along */
};

/* Samples of one thread at one address. */
struct found {
    uint32_t thread;
    bool any; /* there is an address */
    uint64_t address, count;
    uint64_t all; /* samples of the thread */
    int64_t first, last;
};

struct samples {
    struct tk_collector g;
    bool whole; /* keeps all addresses, not only the innermost */
    struct tk_system_threads threads;
    struct tk_code_map code;
    TK_VEC(struct sample) v;
    TK_VEC(struct found) places;
    TK_VEC(uint64_t) addresses;
    struct tk_callstack_list callstacks;
    uint64_t cut;
};

static int start_samples(void *self)
{
    struct samples *s = self;
    struct tk_context *ctx = s->g.view->ctx;
    tk_callstack_list_init(&s->callstacks, &ctx->health, ctx->limits.callstack_bytes,
                           s->whole ? UINT32_MAX : 1);
    return 0;
}

static int start_rows(void *self)
{
    struct samples *s = self;
    s->whole = s->g.columns >> STACK & 1;
    return start_samples(s);
}

static void release_samples(void *self)
{
    struct samples *s = self;
    tk_system_threads_release(&s->threads);
    tk_vec_release(&s->v);
    tk_vec_release(&s->places);
    tk_vec_release(&s->addresses);
    tk_callstack_list_release(&s->callstacks);
    tk_code_map_release(&s->code);
}

/* ---- reading ---- */

/* Keeps the addresses of a sample, as far as there is room: n of them. */
static int keep_addresses(struct samples *s, const struct tk_fact_sample *sample, uint32_t n)
{
    uint64_t room = s->g.view->ctx->limits.sample_addresses;
    if (s->addresses.n + (uint64_t)n > room) {
        s->cut++;
        return 0;
    }
    if (tk_vec_reserve(&s->addresses, s->addresses.n + n))
        return -1;
    if (n)
        memcpy(s->addresses.v + s->addresses.n, sample->addresses, n * sizeof *sample->addresses);
    s->addresses.n += n;
    return 0;
}

static int add_samples(struct samples *s, const struct tk_fact *fact)
{
    const struct tk_fact_sample *info = &fact->u.sample;
    struct sample sample = {
        .time = fact->time, .depth = info->n, .first = s->addresses.n, .callstack = info->callstack};
    if (!tk_select_has(s->g.view->select, fact->time) || !tk_row_limit_for(&s->g.room, s->v.n))
        return 0;
    sample.thread = tk_system_thread_of(&s->threads, info->system_id);
    if (sample.thread == TK_MAP_NONE || keep_addresses(s, info, s->whole || !info->n ? info->n : 1))
        return -1;
    sample.n = (uint32_t)(s->addresses.n - sample.first);
    return tk_vec_push(&s->v, sample);
}

static int take_samples(void *self, const struct tk_fact *fact)
{
    struct samples *s = self;
    if (fact->kind == TK_FACT_SAMPLE)
        return add_samples(s, fact);
    return tk_system_threads_feed(&s->threads, fact) || tk_callstack_list_feed(&s->callstacks, fact) ||
                   tk_code_map_feed(&s->code, fact)
               ? -1
               : 0;
}

/* What is kept of the addresses of a sample, innermost first; NULL without any. */
static const uint64_t *addresses_of(const struct samples *s, const struct sample *sample, uint32_t *n)
{
    const struct tk_callstack *stack =
        sample->callstack ? tk_callstack_of(&s->callstacks, sample->callstack) : NULL;
    *n = sample->callstack ? (stack ? stack->n : 0) : sample->n;
    if (!*n)
        return NULL;
    return stack ? s->callstacks.frames.v + stack->first : s->addresses.v + sample->first;
}

/* The address where a thread was, which is exact. */
static int want_first(struct samples *s)
{
    for (size_t i = 0; i < s->v.n; i++) {
        uint32_t n;
        const uint64_t *addresses = addresses_of(s, &s->v.v[i], &n);
        if (n && tk_code_map_want(&s->code, addresses[0], true))
            return -1;
    }
    return 0;
}

static int settle_samples(void *self)
{
    struct samples *s = self;
    tk_system_threads_resolve(&s->threads, s->g.view->dict);
    if (s->cut)
        tk_health_limit(&s->g.view->ctx->health, TK_LIMIT_sample_addresses, TK_NO_OFFSET, s->cut,
                        "%" PRIu64 " stack samples are without their addresses", s->cut);
    return want_first(s) ? -1 : tk_code_map_settle(&s->code, s->g.view->ctx);
}

static bool is_selected_samples(const struct samples *s, uint32_t thread)
{
    return tk_system_thread_selected(&s->threads.v.v[thread], s->g.view);
}

static uint32_t depth_of(const struct samples *s, const struct sample *sample)
{
    const struct tk_callstack *stack = tk_callstack_of(&s->callstacks, sample->callstack);
    return sample->callstack ? (stack ? stack->depth : 0) : sample->depth;
}

/* Address, module, offset and function. Modules are those of the process that was recorded, as are threads
 * that it defines. */
static void fill_address(const struct samples *s, uint32_t thread, uint64_t address, struct tk_cell cells[4])
{
    const struct tk_symbol *symbol = tk_code_symbol(&s->code, address, true);
    const bool own = s->threads.v.v[thread].thread != TK_NO_THREAD;
    const struct tk_module *module = own ? tk_module_at(&s->code.modules, address) : NULL;
    const struct tk_code_place place = tk_code_place_of(&s->code, module, address);
    cells[0] = (struct tk_cell){.kind = TK_HEX, .v.u = address};
    cells[1] = tk_code_module_cell(&place);
    cells[2] = tk_code_offset_cell(&place);
    if (symbol && !symbol->open)
        cells[3] = tk_cell_of_text(tk_symbol_place(&s->code.symbols, symbol, 0)->function);
}

/* ---- rows ---- */

static int by_time_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static bool is_shown_samples(const void *self, const void *thing)
{
    return is_selected_samples(self, ((const struct sample *)thing)->thread);
}

static void fill_samples(const void *self, const void *thing, struct tk_cell *row)
{
    const struct samples *s = self;
    const struct tk_query_context *view = s->g.view;
    const struct sample *sample = thing;
    uint32_t n;
    const uint64_t *addresses = addresses_of(s, sample, &n);
    row[TIME] = tk_query_context_time(view, sample->time);
    tk_system_thread_fill(&s->threads.v.v[sample->thread], view, &row[SYSTEM_ID]);
    row[DEPTH] = tk_cell_of_uint(depth_of(s, sample));
    if (sample->callstack)
        row[CALLSTACK] = tk_cell_of_uint(sample->callstack);
    if (n)
        fill_address(s, sample->thread, addresses[0], &row[ADDRESS]);
    if (s->whole)
        row[STACK] =
            (struct tk_cell){.kind = TK_ARRAY, .elem = TK_UINT, .width = 8, .n = n, .v.p = addresses};
}

static const struct tk_collecting of_samples = {
    .what = "stack samples",
    .start = start_rows,
    .take = take_samples,
    .settle = settle_samples,
    .release = release_samples,
    TK_COLLECTOR_ROWS(struct samples, v),
    .order = by_time_samples,
    .shown = is_shown_samples,
    .fill = fill_samples,
};

/* ---- counts ---- */

static int by_place_samples(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->any != y->any)
        return x->any ? 1 : -1;
    return (x->address > y->address) - (x->address < y->address);
}

/* Puts those of one place together; returns how many places there are. */
static size_t count_places(struct found *v, size_t n)
{
    size_t out = 0;
    for (size_t i = 0; i < n; i++) {
        struct found *last = out ? &v[out - 1] : NULL;
        if (!last || by_place_samples(last, &v[i]) != 0) {
            v[out++] = v[i];
            continue;
        }
        last->count++;
        last->first = v[i].first < last->first ? v[i].first : last->first;
        last->last = v[i].last > last->last ? v[i].last : last->last;
    }
    return out;
}

/* Of each place: how many samples its thread has. */
static void count_threads(struct found *v, size_t n)
{
    for (size_t at = 0, end; at < n; at = end) {
        uint64_t sum = 0;
        for (end = at; end < n && v[end].thread == v[at].thread; end++)
            sum += v[end].count;
        for (size_t i = at; i < end; i++)
            v[i].all = sum;
    }
}

static int settle_places(void *self)
{
    struct samples *s = self;
    if (settle_samples(s) || tk_vec_reserve(&s->places, s->v.n))
        return -1;
    for (size_t i = 0; i < s->v.n; i++) {
        const struct sample *x = &s->v.v[i];
        uint32_t n;
        const uint64_t *addresses = addresses_of(s, x, &n);
        s->places.v[s->places.n++] = (struct found){.thread = x->thread,
                                                    .any = n != 0,
                                                    .address = n ? addresses[0] : 0,
                                                    .count = 1,
                                                    .first = x->time,
                                                    .last = x->time};
    }
    if (tk_sort(s->places.v, s->places.n, sizeof *s->places.v, by_place_samples))
        return -1;
    s->places.n = count_places(s->places.v, s->places.n);
    count_threads(s->places.v, s->places.n);
    return 0;
}

static bool is_place_shown(const void *self, const void *thing)
{
    return is_selected_samples(self, ((const struct found *)thing)->thread);
}

static void fill_place(const void *self, const void *thing, struct tk_cell *row)
{
    const struct samples *s = self;
    const struct found *place = thing;
    tk_system_thread_fill(&s->threads.v.v[place->thread], s->g.view, &row[S_SYSTEM_ID]);
    if (place->any)
        fill_address(s, place->thread, place->address, &row[S_ADDRESS]);
    row[S_COUNT] = tk_cell_of_uint(place->count);
    row[S_SHARE] = tk_cell_of_real((double)place->count / (double)place->all);
    row[S_FIRST] = tk_query_context_time(s->g.view, place->first);
    row[S_LAST] = tk_query_context_time(s->g.view, place->last);
}

static const struct tk_collecting of_places = {
    .what = "stack samples",
    .start = start_samples,
    .take = take_samples,
    .settle = settle_places,
    .release = release_samples,
    TK_COLLECTOR_ROWS(struct samples, places),
    .shown = is_place_shown,
    .fill = fill_place,
};

#define SAMPLE_FACTS                                                                                         \
    (TK_FACT_MASK(SAMPLE) | TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS | TK_SYSTEM_THREAD_FACTS)

const struct tk_builder tk_builder_samples = {.table = &table, .facts = SAMPLE_FACTS, TK_COLLECTS(of_places)};

const struct tk_builder tk_builder_sample_rows = {
    .table = &row_table, .facts = SAMPLE_FACTS, TK_COLLECTS(of_samples)};
