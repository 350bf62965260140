/*
 * Table `samples`: how often each thread was found at which address. Addresses of the recorded process have a
 * module and offset, too, and a function where the capture has it.
 */
#include "base/sort.h"
#include "model/samples/samples_in.h"
#include "query/context_cells.h"
#include "query/tables.h"

/*
 * Table `sample_rows`: every stack sample, in order of time. Addresses of the recorded process have a module
 * and offset, too, and a function where the capture has it.
 */

enum {
    TIME,
    SYSTEM_ID,
    THREAD_ID,
    THREAD,
    DEPTH = THREAD + TK_THREAD_COLUMNS,
    ADDRESS,
    MODULE,
    OFFSET,
    FUNCTION,
    CALLSTACK,
    STACK,
    COLUMNS
};

static const struct tk_column sample_rows_columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was taken"},
    [SYSTEM_ID] = {"system_id", TK_INT, 0, NULL, "thread id of the operating system"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread"),
    [DEPTH] = {"depth", TK_UINT, 0, "addresses", "number of addresses in its stack"},
    [ADDRESS] = {"address", TK_HEX, 0, NULL, "innermost address"},
    [MODULE] = {"module", TK_TEXT, 0, NULL, "module that contains it"},
    [OFFSET] = {"offset", TK_HEX, 0, NULL, "offset from the start of the module"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL,
                  "function that contains it, if the capture or the symbols name it"},
    [CALLSTACK] = {"callstack_id", TK_UINT, TK_COL_EXTRA, NULL, "id of its callstack; see table callstacks"},
    [STACK] = {"stack", TK_ARRAY, TK_COL_EXTRA, NULL, "all addresses, innermost first"},
};

static const struct tk_table sample_rows_table = {
    .name = "sample_rows",
    .help = "stack samples, in order of time",
    .columns = sample_rows_columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

static int start_rows(void *self)
{
    struct tk_sample_list *s = self;
    s->whole = s->g.columns >> STACK & 1;
    return tk_sample_list_start(s);
}

static int by_time(const void *a, const void *b)
{
    const struct tk_listed_sample *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static bool is_visible(const void *self, const void *thing)
{
    return tk_sample_list_selected(self, ((const struct tk_listed_sample *)thing)->thread);
}

static void fill_row(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_sample_list *s = self;
    const struct tk_query_context *view = s->g.view;
    const struct tk_listed_sample *sample = thing;
    uint32_t n;
    const uint64_t *addresses = tk_sample_list_addresses(s, sample, &n);
    row[TIME] = tk_query_context_time(view, sample->time);
    tk_system_thread_fill(&s->threads.v.v[sample->thread], view, &row[SYSTEM_ID]);
    row[DEPTH] = tk_cell_of_uint(tk_sample_list_depth(s, sample));
    if (sample->callstack)
        row[CALLSTACK] = tk_cell_of_uint(sample->callstack);
    if (n)
        tk_sample_list_fill_address(s, sample->thread, addresses[0], &row[ADDRESS]);
    if (s->whole)
        row[STACK] =
            (struct tk_cell){.kind = TK_ARRAY, .elem = TK_UINT, .width = 8, .n = n, .v.p = addresses};
}

static const struct tk_collecting of_rows = {
    .what = "stack samples",
    .start = start_rows,
    .take = tk_sample_list_take,
    .settle = tk_sample_list_settle,
    .release = tk_sample_list_release,
    TK_COLLECTOR_ROWS(struct tk_sample_list, v),
    .order = by_time,
    .spills = true,
    .displayed = is_visible,
    .fill = fill_row,
};

const struct tk_builder tk_builder_sample_rows = {
    .table = &sample_rows_table,
    .needs = {.facts = TK_SAMPLE_LIST_FACTS},
    TK_COLLECTS(of_rows),
};

enum {
    S_SYSTEM_ID,
    S_THREAD_ID,
    S_THREAD,
    S_ADDRESS = S_THREAD + TK_THREAD_COLUMNS,
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
    [S_SYSTEM_ID] = {"system_id", TK_INT, 0, NULL, "thread id of the operating system"},
    [S_THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [S_THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread"),
    [S_ADDRESS] = {"address", TK_HEX, 0, NULL, "innermost address; empty if there was none"},
    [S_MODULE] = {"module", TK_TEXT, 0, NULL, "module that contains it"},
    [S_OFFSET] = {"offset", TK_HEX, 0, NULL, "offset from the start of the module"},
    [S_FUNCTION] = {"function", TK_TEXT, 0, NULL,
                    "function that contains it, if the capture or the symbols name it"},
    [S_COUNT] = {"count", TK_UINT, 0, "samples", "number of stack samples at this address"},
    [S_SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of the samples of the thread, 0 to 1"},
    [S_FIRST] = {"first", TK_TIME, TK_COL_EXTRA, NULL, "time of the first one"},
    [S_LAST] = {"last", TK_TIME, TK_COL_EXTRA, NULL, "time of the last one"},
};

static const struct tk_table table = {
    .name = "samples",
    .help = "stack samples by thread and innermost address",
    .columns = columns,
    .n_columns = S_COLUMNS,
    .schema = 2,
    .sort_by = "count",
};

/* Samples of one thread at one address. */
struct found {
    uint32_t thread;
    bool any; /* there is an address */
    uint64_t address, count;
    uint64_t all; /* samples of the thread */
    int64_t first, last;
};

struct places {
    struct tk_sample_list list; /* first, so that it is one of these */
    TK_VEC(struct found) v;
};

static void release_places(void *self)
{
    struct places *p = self;
    tk_vec_release(&p->v);
    tk_sample_list_release(&p->list);
}

static int by_place(const void *a, const void *b)
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
        if (!last || by_place(last, &v[i]) != 0) {
            v[out++] = v[i];
            continue;
        }
        last->count += v[i].count;
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
    struct places *p = self;
    const struct tk_sample_list *s = &p->list;
    if (tk_sample_list_settle(self) || tk_vec_reserve(&p->v, s->v.n))
        return -1;
    for (size_t i = 0; i < s->v.n; i++) {
        const struct tk_listed_sample *x = &s->v.v[i];
        uint32_t n;
        const uint64_t *addresses = tk_sample_list_addresses(s, x, &n);
        p->v.v[p->v.n++] = (struct found){.thread = x->thread,
                                          .any = n != 0,
                                          .address = n ? addresses[0] : 0,
                                          .count = x->weight,
                                          .first = x->time,
                                          .last = x->time};
    }
    if (tk_sort(p->v.v, p->v.n, sizeof *p->v.v, by_place))
        return -1;
    p->v.n = count_places(p->v.v, p->v.n);
    count_threads(p->v.v, p->v.n);
    return 0;
}

static bool is_place_visible(const void *self, const void *thing)
{
    return tk_sample_list_selected(self, ((const struct found *)thing)->thread);
}

static void fill_place(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_sample_list *s = self;
    const struct found *place = thing;
    tk_system_thread_fill(&s->threads.v.v[place->thread], s->g.view, &row[S_SYSTEM_ID]);
    if (place->any)
        tk_sample_list_fill_address(s, place->thread, place->address, &row[S_ADDRESS]);
    row[S_COUNT] = tk_cell_of_uint(place->count);
    row[S_SHARE] = tk_cell_of_real((double)place->count / (double)place->all);
    row[S_FIRST] = tk_query_context_time(s->g.view, place->first);
    row[S_LAST] = tk_query_context_time(s->g.view, place->last);
}

static const struct tk_collecting of_places = {
    .what = "stack samples",
    .start = tk_sample_list_start,
    .take = tk_sample_list_take,
    .settle = settle_places,
    .release = release_places,
    TK_COLLECTOR_ROWS(struct places, v),
    .displayed = is_place_visible,
    .fill = fill_place,
};

const struct tk_builder tk_builder_samples = {
    .table = &table,
    .needs = {.facts = TK_SAMPLE_LIST_FACTS},
    TK_COLLECTS(of_places),
};
