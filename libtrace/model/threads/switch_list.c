/*
 * Times on cores, and who the threads are that had them.
 */
#include "model/threads/switch_list.h"

#include "base/sort.h"
#include "query/context_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Who threads of the operating system are.
 */

uint32_t tk_system_thread_of(struct tk_system_threads *s, uint64_t system_id)
{
    uint32_t at = tk_map_get(&s->index, system_id);
    if (at != TK_MAP_NONE)
        return at;
    struct tk_system_thread fresh = {.system_id = system_id, .thread = TK_NO_THREAD};
    at = (uint32_t)s->v.n;
    if (tk_map_put(&s->index, system_id, at) || tk_vec_push(&s->v, fresh))
        return TK_MAP_NONE;
    return at;
}

int tk_system_threads_feed(struct tk_system_threads *s, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_SYSTEM_THREAD)
        return 0;
    uint32_t at = tk_system_thread_of(s, fact->u.system_thread.system_id);
    if (at == TK_MAP_NONE)
        return -1;
    s->v.v[at].name = fact->u.system_thread.name;
    s->v.v[at].process_id = fact->u.system_thread.process_id;
    s->v.v[at].has_process = true;
    return 0;
}

void tk_system_threads_resolve(struct tk_system_threads *s, const struct tk_dict *dict)
{
    for (size_t i = 0; i < dict->threads.n; i++) {
        const struct tk_thread *t = &dict->threads.v[i];
        uint32_t at = t->info.has_system ? tk_map_get(&s->index, t->info.system_id) : TK_MAP_NONE;
        if (at != TK_MAP_NONE)
            s->v.v[at].thread = t->id;
    }
}

const struct tk_str *tk_system_thread_name(const struct tk_system_thread *t, const struct tk_dict *dict)
{
    return t->thread == TK_NO_THREAD ? t->name : tk_dict_thread_name(dict, t->thread);
}

bool tk_system_thread_selected(const struct tk_system_thread *t, const struct tk_query_context *view)
{
    if (t->thread == TK_NO_THREAD)
        return view->select->threads.n == 0;
    return tk_select_thread(view->select, view->dict, t->thread);
}

void tk_system_thread_fill(const struct tk_system_thread *t, const struct tk_query_context *view,
                           struct tk_cell *cells)
{
    cells[0] = tk_cell_of_int((int64_t)t->system_id);
    cells[1] = tk_query_context_thread_id(t->thread);
    tk_thread_put(view, t->thread, &cells[2]);
    cells[2 + TK_THREAD_NAME] = tk_cell_of_text(tk_system_thread_name(t, view->dict));
    if (t->has_process)
        cells[2 + TK_THREAD_PROCESS_ID] = tk_cell_of_int((int64_t)t->process_id);
}

void tk_system_threads_release(struct tk_system_threads *s)
{
    tk_vec_release(&s->v);
    tk_map_release(&s->index);
}

/*
 * Switches, packed in order.
 */

void tk_switch_list_init(struct tk_switch_list *list, struct tk_context *ctx)
{
    *list = (struct tk_switch_list){.health = &ctx->health, .limit = ctx->limits.switches};
}

enum {
    CHUNK = TK_SWITCHES_BEFORE, /* switches */
    PACKED_MOST = 6 * 10 + 1    /* bytes of one */
};

static int by_begin(const void *a, const void *b)
{
    const struct tk_switch *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* ---- packing ---- */

static uint8_t *put_number(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

static const uint8_t *get_number(const uint8_t *p, uint64_t *v)
{
    unsigned shift = 0;
    for (*v = 0; *p & 0x80; shift += 7)
        *v |= (uint64_t)(*p++ & 0x7f) << shift;
    *v |= (uint64_t)*p << shift;
    return p + 1;
}

/* Times are differences modulo 2^64; 0 stands for no wake-up, and for no core of it. */
static uint8_t *put_switch(uint8_t *p, int64_t before, const struct tk_switch *s)
{
    const bool woken = s->wake != TK_NOT_WOKEN;
    p = put_number(p, (uint64_t)s->begin - (uint64_t)before);
    p = put_number(p, (uint64_t)s->end - (uint64_t)s->begin);
    p = put_number(p, s->thread);
    p = put_number(p, s->core);
    p = put_number(p, (uint64_t)s->end_state << 1 | woken);
    if (!woken)
        return p;
    p = put_number(p, (uint64_t)s->begin - (uint64_t)s->wake);
    return put_number(p, (uint32_t)(s->waker_core + 1));
}

static const uint8_t *get_switch(const uint8_t *p, struct tk_switch *s)
{
    uint64_t begin, length, thread, core, state, since = 0, waker = 0;
    p = get_number(get_number(p, &begin), &length);
    p = get_number(get_number(get_number(p, &thread), &core), &state);
    if (state & 1)
        p = get_number(get_number(p, &since), &waker);
    s->begin = (int64_t)((uint64_t)s->begin + begin);
    s->end = (int64_t)((uint64_t)s->begin + length);
    s->wake = state & 1 ? (int64_t)((uint64_t)s->begin - since) : TK_NOT_WOKEN;
    s->thread = (uint32_t)thread;
    s->core = (uint32_t)core;
    s->waker_core = (uint32_t)waker - 1;
    s->end_state = (uint8_t)(state >> 1);
    return p;
}

/* What is fresh becomes a chunk. */
static int pack_chunk(struct tk_switch_list *list)
{
    struct tk_switch_chunk chunk = {.first = list->fresh.v[0].begin, .n = (uint32_t)list->fresh.n};
    uint8_t *bytes = malloc(list->fresh.n * PACKED_MOST), *p = bytes;
    for (size_t i = 0; bytes && i < list->fresh.n; i++)
        p = put_switch(p, i ? list->fresh.v[i - 1].begin : chunk.first, &list->fresh.v[i]);
    chunk.bytes = bytes ? malloc((size_t)(p - bytes)) : NULL;
    if (chunk.bytes)
        memcpy(chunk.bytes, bytes, (size_t)(p - bytes));
    free(bytes);
    if (!chunk.bytes || tk_vec_push(&list->chunks, chunk)) {
        free(chunk.bytes);
        return -1;
    }
    list->fresh.n = 0;
    return 0;
}

static int pack_fresh(struct tk_switch_list *list)
{
    if (!list->fresh.n)
        return 0;
    return tk_sort(list->fresh.v, list->fresh.n, sizeof *list->fresh.v, by_begin) || pack_chunk(list) ? -1
                                                                                                      : 0;
}

/* ---- reading ---- */

struct tk_switch_reading tk_switches_from_first(const struct tk_switch_list *list)
{
    return (struct tk_switch_reading){.list = list};
}

struct tk_switch_reading tk_switches_around(const struct tk_switch_list *list, int64_t time)
{
    size_t at;
    TK_SEARCH(at, list->chunks.n, list->chunks.v[at].first < time);
    /* the chunk before holds those at the time, and the one before that what may go on */
    return (struct tk_switch_reading){.list = list, .chunk = at > 2 ? at - 2 : 0};
}

const struct tk_switch *tk_switches_next(struct tk_switch_reading *r)
{
    if (r->chunk == r->list->chunks.n)
        return NULL;
    const struct tk_switch_chunk *chunk = &r->list->chunks.v[r->chunk];
    if (r->at == 0) {
        r->p = chunk->bytes;
        r->now.begin = chunk->first;
    }
    r->p = get_switch(r->p, &r->now);
    if (++r->at == chunk->n) {
        r->chunk++;
        r->at = 0;
    }
    return &r->now;
}

/* ---- merging ---- */

/* Does each chunk begin where the one before has ended? */
static bool is_in_order(const struct tk_switch_list *list)
{
    struct tk_switch_reading r = tk_switches_from_first(list);
    struct tk_switch before = {.begin = INT64_MIN, .end = INT64_MIN};
    for (const struct tk_switch *s; (s = tk_switches_next(&r)); before = *s)
        if (by_begin(&before, s) > 0)
            return false;
    return true;
}

/* A chunk that is merged: its next switch. */
struct merged {
    const uint8_t *p;
    uint32_t left, chunk;
    struct tk_switch now;
};

static bool comes_before(const struct merged *a, const struct merged *b)
{
    const int order = by_begin(&a->now, &b->now);
    return order < 0 || (order == 0 && a->chunk < b->chunk);
}

static void sink_merged(struct merged *heap, size_t n, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        const struct merged moved = heap[i];
        child += child + 1 < n && comes_before(&heap[child + 1], &heap[child]);
        if (!comes_before(&heap[child], &moved))
            return;
        heap[i] = heap[child];
        heap[child] = moved;
    }
}

/* Takes the first switch of all; what is over is freed. */
static struct tk_switch take_first(struct tk_switch_chunk *from, struct merged *heap, size_t *n)
{
    const struct tk_switch first = heap[0].now;
    if (heap[0].left--)
        heap[0].p = get_switch(heap[0].p, &heap[0].now);
    else {
        free(from[heap[0].chunk].bytes);
        from[heap[0].chunk].bytes = NULL;
        heap[0] = heap[--*n];
    }
    sink_merged(heap, *n, 0);
    return first;
}

static int merge_chunks(struct tk_switch_list *list)
{
    struct tk_switch_chunk *from = list->chunks.v;
    const size_t chunks = list->chunks.n;
    struct merged *heap = malloc(chunks * sizeof *heap);
    size_t n = 0;
    int rc = heap ? 0 : -1;
    for (; n < chunks && rc == 0; n++) {
        heap[n] =
            (struct merged){.left = from[n].n - 1, .chunk = (uint32_t)n, .now = {.begin = from[n].first}};
        heap[n].p = get_switch(from[n].bytes, &heap[n].now);
    }
    for (size_t i = n / 2; i-- > 0 && rc == 0;)
        sink_merged(heap, n, i);
    list->chunks.v = NULL;
    list->chunks.n = list->chunks.cap = 0;
    while (rc == 0 && n)
        rc = tk_vec_push(&list->fresh, take_first(from, heap, &n)) ||
                     (list->fresh.n == CHUNK && pack_chunk(list))
                 ? -1
                 : 0;
    if (rc == 0 && list->fresh.n)
        rc = pack_chunk(list);
    for (size_t i = 0; i < chunks; i++)
        free(from[i].bytes);
    free(from);
    free(heap);
    return rc;
}

static int add_switch(struct tk_switch_list *list, const struct tk_fact *fact)
{
    const struct tk_fact_switch *on = &fact->u.context;
    struct tk_switch s = {.begin = fact->time,
                          .end = on->end,
                          .core = on->core,
                          .waker_core = on->waker_core,
                          .end_state = on->end_state,
                          .wake = on->woken && on->wake <= fact->time ? on->wake : TK_NOT_WOKEN};
    s.thread = tk_system_thread_of(&list->threads, fact->u.context.system_id);
    if (s.thread == TK_MAP_NONE)
        return -1;
    if (fact->thread != TK_NO_THREAD)
        list->threads.v.v[s.thread].thread = fact->thread;
    if (list->n >= list->limit) {
        list->left_out++;
        return 0;
    }
    list->backwards += s.end < s.begin;
    s.end = s.end < s.begin ? s.begin : s.end;
    list->from = !list->n || s.begin < list->from ? s.begin : list->from;
    list->to = !list->n++ || s.end > list->to ? s.end : list->to;
    return tk_vec_push(&list->fresh, s) || (list->fresh.n == CHUNK && pack_fresh(list)) ? -1 : 0;
}

struct tk_cell tk_switch_end_cell(const struct tk_switch *s)
{
    static const char *const letters[TK_RUN_END_COUNT] = {
#define TK_RUN_END_LETTERS(symbol, letters) letters,
        TK_RUN_ENDS(TK_RUN_END_LETTERS)
#undef TK_RUN_END_LETTERS
    };
    return s->end_state && s->end_state < TK_RUN_END_COUNT ? tk_cell_of_c(letters[s->end_state])
                                                           : (struct tk_cell){0};
}

int tk_switch_list_feed(struct tk_switch_list *list, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_SWITCH)
        return add_switch(list, fact);
    return tk_system_threads_feed(&list->threads, fact);
}

int tk_switch_list_finish(struct tk_switch_list *list, const struct tk_dict *dict)
{
    tk_system_threads_resolve(&list->threads, dict);
    if (list->left_out)
        tk_health_limit(list->health, TK_LIMIT_switches, TK_NO_OFFSET, list->left_out,
                        "%" PRIu64 " context switches were left out", list->left_out);
    if (list->backwards)
        tk_health_note(list->health, TK_HEALTH_TIME_BACKWARDS, TK_NO_OFFSET, list->backwards,
                       "%" PRIu64 " context switches end before they begin", list->backwards);
    return pack_fresh(list) || (!is_in_order(list) && merge_chunks(list)) ? -1 : 0;
}

void tk_switch_list_release(struct tk_switch_list *list)
{
    tk_system_threads_release(&list->threads);
    tk_vec_release(&list->fresh);
    for (size_t i = 0; i < list->chunks.n; i++)
        free(list->chunks.v[i].bytes);
    tk_vec_release(&list->chunks);
}
