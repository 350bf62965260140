/*
 * Tables `sample_rows` (every stack sample, in order of time) and `samples` (how often each thread was found
 * at which address). Addresses are those of the process; there are no symbols.
 */
#include "model/builders.h"
#include "model/room.h"
#include "model/sort.h"
#include "model/system_threads.h"
#include "model/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, SYSTEM_ID, THREAD_ID, THREAD, PROCESS_ID, DEPTH, ADDRESS, STACK, ROW_COLUMNS };

static const struct tk_column row_columns[ROW_COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was taken"},
    [SYSTEM_ID] = {"system_id", TK_UINT, 0, NULL, "number of the thread in the operating system"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "name of the thread"},
    [PROCESS_ID] = {"process_id", TK_UINT, TK_COL_EXTRA, NULL, "process, where the system told it"},
    [DEPTH] = {"depth", TK_UINT, 0, "addresses", "addresses of its stack"},
    [ADDRESS] = {"address", TK_HEX, 0, NULL, "the innermost of them"},
    [STACK] = {"stack", TK_ARRAY, TK_COL_EXTRA, NULL, "all of them, innermost first"},
};

static const struct tk_table row_table = {
    .name = "sample_rows",
    .help = "stack samples, in order of time",
    .columns = row_columns,
    .n_columns = ROW_COLUMNS,
};

enum {
    S_SYSTEM_ID,
    S_THREAD_ID,
    S_THREAD,
    S_PROCESS_ID,
    S_ADDRESS,
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
    [S_PROCESS_ID] = {"process_id", TK_UINT, TK_COL_EXTRA, NULL, "process, where the system told it"},
    [S_ADDRESS] = {"address", TK_HEX, 0, NULL, "innermost address; empty where there was none"},
    [S_COUNT] = {"count", TK_UINT, 0, "samples", "stack samples that found it there"},
    [S_SHARE] = {"share", TK_REAL, 0, NULL, "part of the samples of the thread, 0 to 1"},
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
    uint32_t n;   /* addresses that are kept */
    size_t first; /* of them; of no meaning without any */
};

struct samples {
    const struct tk_view *view;
    bool whole; /* keeps all addresses, not only the innermost */
    struct tk_system_threads threads;
    TK_VEC(struct sample) v;
    TK_VEC(uint64_t) addresses;
    struct tk_room room;
    uint64_t cut;
};

static int open_for(const struct tk_view *view, bool whole, const char *name, void **self, struct tk_err *err)
{
    struct samples *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "stack samples");
    s->view = view;
    s->whole = whole;
    s->room = tk_view_room(view, name);
    *self = s;
    return TK_OK;
}

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    return open_for(view, false, table.name, self, err);
}

static int open_rows(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    return open_for(view, wanted >> STACK & 1, row_table.name, self, err);
}

static void close(void *self)
{
    struct samples *s = self;
    tk_system_threads_release(&s->threads);
    tk_vec_release(&s->v);
    tk_vec_release(&s->addresses);
    free(s);
}

/* ---- reading ---- */

/* Keeps the addresses of a sample, as far as there is room: n of them. */
static int keep_addresses(struct samples *s, const struct tk_fact_sample *sample, uint32_t n)
{
    uint64_t room = s->view->ctx->limits.sample_addresses;
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

static int add(struct samples *s, const struct tk_fact *fact)
{
    const struct tk_fact_sample *info = &fact->u.sample;
    struct sample sample = {.time = fact->time, .depth = info->n, .first = s->addresses.n};
    if (!tk_select_has(s->view->select, fact->time) || !tk_room_for(&s->room, s->v.n))
        return 0;
    sample.thread = tk_system_thread_of(&s->threads, info->system_id);
    if (sample.thread == TK_MAP_NONE || keep_addresses(s, info, s->whole || !info->n ? info->n : 1))
        return -1;
    sample.n = (uint32_t)(s->addresses.n - sample.first);
    return tk_vec_push(&s->v, sample);
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct samples *s = self;
    int rc = 0;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        rc = fact->kind == TK_FACT_SAMPLE ? add(s, fact) : tk_system_threads_feed(&s->threads, fact);
    }
    return rc ? tk_err_nomem(err, "stack samples") : TK_OK;
}

static void settle(struct samples *s)
{
    tk_system_threads_resolve(&s->threads, s->view->dict);
    if (s->cut)
        tk_health_note(&s->view->ctx->health, TK_HEALTH_LIMIT_REACHED, TK_NO_OFFSET, s->cut,
                       "%" PRIu64 " stack samples are without their addresses (limit 'sample_addresses')",
                       s->cut);
}

/* ---- rows ---- */

static int by_time(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void fill(const struct samples *s, const struct sample *sample, struct tk_cell *row)
{
    const uint64_t *addresses = sample->n ? s->addresses.v + sample->first : NULL;
    row[TIME] = tk_view_time(s->view, sample->time);
    tk_system_thread_fill(&s->threads.v.v[sample->thread], s->view, &row[SYSTEM_ID]);
    row[DEPTH] = tk_cell_of_uint(sample->depth);
    if (sample->n)
        row[ADDRESS] = (struct tk_cell){.kind = TK_HEX, .v.u = addresses[0]};
    if (s->whole)
        row[STACK] =
            (struct tk_cell){.kind = TK_ARRAY, .elem = TK_UINT, .width = 8, .n = sample->n, .v.p = addresses};
}

static int finish_rows(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct samples *s = self;
    settle(s);
    if (tk_sort(s->v.v, s->v.n, sizeof *s->v.v, by_time))
        return tk_err_nomem(err, "stack samples");
    for (size_t i = 0; i < s->v.n; i++) {
        if (!tk_system_thread_selected(&s->threads.v.v[s->v.v[i].thread], s->view))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill(s, &s->v.v[i], row);
    }
    return tk_emit_status(emit);
}

/* ---- counts ---- */

struct found {
    uint32_t thread;
    bool any; /* there is an address */
    uint64_t address, count;
    int64_t first, last;
};

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
        last->count++;
        last->first = v[i].first < last->first ? v[i].first : last->first;
        last->last = v[i].last > last->last ? v[i].last : last->last;
    }
    return out;
}

static int find_places(const struct samples *s, struct found **out, size_t *n)
{
    struct found *v = malloc((s->v.n + 1) * sizeof *v);
    *n = 0;
    *out = v;
    for (size_t i = 0; v && i < s->v.n; i++) {
        const struct sample *x = &s->v.v[i];
        v[i] = (struct found){.thread = x->thread,
                              .any = x->n != 0,
                              .address = x->n ? s->addresses.v[x->first] : 0,
                              .count = 1,
                              .first = x->time,
                              .last = x->time};
    }
    if (!v || tk_sort(v, s->v.n, sizeof *v, by_place))
        return -1;
    *n = count_places(v, s->v.n);
    return 0;
}

/* Samples of the thread of places[at], which is the first of them; *end: one past the last. */
static uint64_t of_thread(const struct found *places, size_t n, size_t at, size_t *end)
{
    uint64_t sum = 0;
    for (*end = at; *end < n && places[*end].thread == places[at].thread; ++*end)
        sum += places[*end].count;
    return sum;
}

static bool send_thread(const struct samples *s, const struct found *places, size_t n, uint64_t all,
                        struct tk_emit *emit)
{
    const struct tk_system_thread *thread = &s->threads.v.v[places[0].thread];
    if (!tk_system_thread_selected(thread, s->view))
        return true;
    for (size_t i = 0; i < n; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return false;
        tk_system_thread_fill(thread, s->view, &row[S_SYSTEM_ID]);
        if (places[i].any)
            row[S_ADDRESS] = (struct tk_cell){.kind = TK_HEX, .v.u = places[i].address};
        row[S_COUNT] = tk_cell_of_uint(places[i].count);
        row[S_SHARE] = tk_cell_of_real((double)places[i].count / (double)all);
        row[S_FIRST] = tk_view_time(s->view, places[i].first);
        row[S_LAST] = tk_view_time(s->view, places[i].last);
    }
    return true;
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct samples *s = self;
    struct found *places;
    size_t n;
    settle(s);
    if (find_places(s, &places, &n)) {
        free(places);
        return tk_err_nomem(err, "stack samples");
    }
    for (size_t at = 0, end; at < n; at = end) {
        uint64_t all = of_thread(places, n, at, &end);
        if (!send_thread(s, places + at, end - at, all, emit))
            break;
    }
    free(places);
    return tk_emit_status(emit);
}

const struct tk_builder tk_builder_samples = {
    .table = &table,
    .facts = TK_FACT_MASK(SAMPLE) | TK_SYSTEM_THREAD_FACTS,
    .open = open,
    .feed = feed,
    .finish = finish,
    .close = close,
};

const struct tk_builder tk_builder_sample_rows = {
    .table = &row_table,
    .facts = TK_FACT_MASK(SAMPLE) | TK_SYSTEM_THREAD_FACTS,
    .open = open_rows,
    .feed = feed,
    .finish = finish_rows,
    .close = close,
};
