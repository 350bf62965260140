/*
 * Table `threads`: every thread that is known, in the order in which people want to see them
 * (events 1.3): those with a negative hint, then by group, then by priority, then by first
 * appearance.
 */
#include "base/checksum.h"
#include "base/sort.h"
#include "base/wrap.h"
#include "model/threads/work_kind.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>
#include <string.h>

enum {
    THREAD_ID,
    THREAD,
    GROUP = THREAD + TK_THREAD_COLUMNS,
    SYSTEM_ID,
    SORT_HINT,
    NAMED,
    PACKETS,
    BYTES,
    EVENTS,
    SCOPES,
    OPEN,
    MAX_DEPTH,
    UNMATCHED,
    BUSY,
    WORKING,
    WAITING,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id in the capture"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "name, or one made from the id if it has none"),
    [GROUP] = {"group", TK_TEXT, TK_COL_OPTIONAL, NULL, "group"},
    [SYSTEM_ID] = {"system_id", TK_INT, 0, NULL, "id that the operating system gave it"},
    [SORT_HINT] = {"sort_hint", TK_INT, 0, NULL, "position hint for viewers"},
    [NAMED] = {"named", TK_BOOL, TK_COL_EXTRA, NULL, "does the capture define the thread?"},
    [PACKETS] = {"packets", TK_UINT, 0, "packets", "number of its packets"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "size of its packets in the file"},
    [EVENTS] = {"events", TK_UINT, 0, "events",
                "number of its events, or of its zones, messages and samples"},
    [SCOPES] = {"scopes", TK_UINT, 0, "scopes", "complete scopes"},
    [OPEN] = {"open", TK_UINT, 0, "scopes", "scopes without an end"},
    [MAX_DEPTH] = {"max_depth", TK_UINT, TK_COL_OPTIONAL, "scopes", "greatest nesting depth of scopes"},
    [UNMATCHED] = {"unmatched", TK_UINT, 0, "ends", "scope ends without a begin"},
    [BUSY] = {"busy", TK_DURATION, 0, NULL, "time inside complete scopes, once where they overlap"},
    [WORKING] = {"working", TK_DURATION, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, NULL, "busy time without waiting"},
    [WAITING] = {"waiting", TK_DURATION, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, NULL,
                 "exclusive time of timers that wait, by recorded waits and by name (schemas/work.txt)"},
};

static const struct tk_table table = {
    .name = "threads",
    .schema = 2,
    .help = "threads; on a terminal the busiest first",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_TIMES,
    .sort_by = "busy",
};

#define BIT(column) (UINT64_C(1) << (column))
#define WAITS       (BIT(WORKING) | BIT(WAITING))

#define DENSE_TIMERS 32768u     /* the first, which are those that come often */
#define NO_TIMER     UINT32_MAX /* the slot is empty */

struct own {
    uint64_t own;
    uint32_t timer; /* id, or TK_LATE and slot */
};

/* Own times of the timers of a lane that may wait. A lane has few of the many that a capture has. */
struct owns {
    TK_VEC(uint64_t) timers; /* by id */
    struct own *slots;       /* owned, open-addressed: the others */
    size_t mask, count;
};

/* What was notified about a thread. */
struct reported {
    bool stream, lane;
    uint64_t packets, bytes, events;
    uint64_t scopes, open, unmatched;
    uint32_t max_depth;
    int64_t covered;
    uint64_t waiting;
    struct owns overlaps; /* of own times what is another scope's; modulo 2^64 */
};

struct threads {
    const struct tk_query_context *view;
    struct tk_work_rules work;
    TK_VEC(struct owns) lanes; /* by number */
    bool waits;                /* waiting times are wanted */
    struct tk_map index;       /* thread -> index in reported */
    TK_VEC(struct reported) reported;
};

/* A row's place. */
struct place {
    size_t thread; /* index in the dictionary */
    int hinted;    /* 0: negative hint */
    int64_t group, priority;
};

/* The scopes in any case: of threads that nobody defined they say that there is a row, events are counted as
 * they are decoded, and alongside them it may be reported which threads are fibers. */
static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)view;
    needs->facts |= TK_FACT_MASK(SCOPES);
    if (wanted & (BIT(PACKETS) | BIT(BYTES) | BIT(EVENTS)))
        needs->facts |= TK_FACT_MASK(STREAM);
    if (wanted & (BIT(BUSY) | WAITS))
        needs->facts |= TK_FACT_MASK(OVERLAP);
    needs->waits = wanted & WAITS;
}

static int open_threads(const struct tk_query_context *view, const struct tk_builder *builder,
                        uint64_t wanted, void **self, struct tk_err *err)
{
    (void)builder;
    struct threads *t = calloc(1, sizeof *t);
    if (!t)
        return tk_err_nomem(err, "threads");
    t->view = view;
    t->waits = wanted & WAITS;
    *self = t;
    return t->waits ? tk_work_rules_read(&t->work, view, err) : TK_OK;
}

static struct reported *reported_of(struct threads *t, uint32_t thread)
{
    uint32_t at = tk_map_get(&t->index, thread);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)t->reported.n;
        if (tk_map_put(&t->index, thread, at) || tk_vec_push(&t->reported, (struct reported){0}))
            return NULL;
    }
    return &t->reported.v[at];
}

/* Lanes get their place here, as take is called by several workers. */
static int reach_lanes(struct threads *t, const struct tk_batch *batch)
{
    for (size_t i = 0; t->waits && i < batch->n_runs; i++) {
        size_t want = (size_t)batch->runs[i].lane + 1;
        if (tk_vec_reach(&t->lanes, want))
            return -1;
    }
    return 0;
}

static size_t slot_of(const struct own *slots, size_t mask, uint32_t timer)
{
    size_t at = (size_t)tk_mix(timer ^ tk_hash_key()) & mask;
    while (slots[at].timer != timer && slots[at].timer != NO_TIMER)
        at = (at + 1) & mask;
    return at;
}

static int grow_slots(struct owns *o)
{
    const size_t n = o->slots ? (o->mask + 1) * 2 : 64;
    struct own *slots = calloc(n, sizeof *slots);
    if (!slots)
        return -1;
    for (size_t i = 0; i < n; i++)
        slots[i] = (struct own){0, NO_TIMER};
    for (size_t i = 0; o->slots && i <= o->mask; i++)
        if (o->slots[i].timer != NO_TIMER)
            slots[slot_of(slots, n - 1, o->slots[i].timer)] = o->slots[i];
    free(o->slots);
    o->slots = slots;
    o->mask = n - 1;
    return 0;
}

/* The own time of a timer; NULL if out of memory. */
static uint64_t *reach_own(struct owns *o, uint32_t timer)
{
    if (timer < DENSE_TIMERS)
        return tk_vec_reach(&o->timers, (size_t)timer + 1) ? NULL : &o->timers.v[timer];
    if ((!o->slots || o->count * 4 > o->mask * 3) && grow_slots(o))
        return NULL;
    struct own *own = &o->slots[slot_of(o->slots, o->mask, timer)];
    if (own->timer == NO_TIMER) {
        own->timer = timer;
        o->count++;
    }
    return &own->own;
}

static void take_stream(struct reported *t, const struct tk_fact_stream *stream)
{
    t->stream = true;
    t->packets += stream->packets;
    t->bytes += stream->stored;
    t->events += stream->events;
}

/* Time that scopes of several lanes have is that of one. 0, or -1 without memory. */
static int take_overlap(const struct threads *threads, struct reported *t, const struct tk_fact *fact)
{
    const struct tk_select *select = threads->view->select;
    const int64_t cycles =
        tk_wrap_sub(tk_select_before(select, fact->u.overlap.end), tk_select_before(select, fact->time));
    t->covered = tk_wrap_sub(t->covered, cycles);
    uint64_t *own = threads->waits ? reach_own(&t->overlaps, fact->u.overlap.timer) : NULL;
    if (own)
        *own -= (uint64_t)cycles;
    return threads->waits && !own ? -1 : 0;
}

static int feed_threads(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    struct threads *threads = self;
    if (reach_lanes(threads, batch) || (threads->waits && tk_work_learn(&threads->work, threads->view->dict)))
        return tk_err_nomem(err, "threads");
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        const bool shared = fact->kind == TK_FACT_OVERLAP && fact->u.overlap.kind == TK_LANE_THREAD;
        if ((fact->kind != TK_FACT_STREAM && !shared) || fact->thread == TK_NO_THREAD)
            continue;
        struct reported *t = reported_of(self, fact->thread);
        if (!t || (shared && take_overlap(threads, t, fact)))
            return tk_err_nomem(err, "threads");
        if (!shared)
            take_stream(t, &fact->u.stream);
    }
    return TK_OK;
}

static int take_threads(void *self, const struct tk_slices *s, unsigned worker)
{
    struct threads *t = self;
    struct owns *o = t->waits ? &t->lanes.v[s->lane] : NULL;
    (void)worker;
    for (size_t i = 0; o && i < s->n; i++) {
        const uint32_t timer = s->timer[i];
        if (tk_work_never_waits(&t->work, timer))
            continue;
        uint64_t *own = timer < o->timers.n ? &o->timers.v[timer] : reach_own(o, timer);
        if (!own)
            return TK_ENOMEM;
        *own += s->excl[i];
    }
    return TK_OK;
}

/* Adds the own time of a timer that waits. 0, or -1 without memory. */
static int sum_wait(struct threads *t, uint32_t id, uint64_t own, uint64_t *sum)
{
    const struct tk_timer *timer = own ? tk_dict_timer(t->view->dict, id) : NULL;
    if (own && !timer)
        return -1;
    if (own && tk_work_waits(tk_work_of(&t->work, timer)))
        *sum += own;
    return 0;
}

static int add_waits(struct threads *threads, const struct owns *o, struct reported *t)
{
    int rc = 0;
    for (size_t i = 0; i < o->timers.n && rc == 0; i++)
        rc = sum_wait(threads, (uint32_t)i, o->timers.v[i], &t->waiting);
    for (size_t i = 0; o->slots && i <= o->mask && rc == 0; i++)
        rc = sum_wait(threads, o->slots[i].timer, o->slots[i].own, &t->waiting);
    return rc;
}

/* Scopes without an end that are there at selected times. */
static uint64_t count_open(const struct tk_query_context *view, const struct tk_open_scope *scopes, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += tk_select_touches(view->select, scopes[i].begin, INT64_MAX);
    return count;
}

static int lane_threads(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    const struct tk_query_context *view = ((struct threads *)self)->view;
    struct reported *t = reported_of(self, end->thread);
    const struct threads *threads = self;
    if (!t || (end->lane < threads->lanes.n && add_waits(self, &threads->lanes.v[end->lane], t)))
        return tk_err_nomem(err, "threads");
    t->lane = true;
    t->scopes += end->scopes;
    t->open += count_open(view, end->open, end->n_open) + count_open(view, end->lost, end->n_lost);
    t->unmatched += end->unmatched;
    t->covered = tk_wrap_add(t->covered, end->covered);
    if (end->max_depth > t->max_depth)
        t->max_depth = end->max_depth;
    return TK_OK;
}

/* Groups in the order in which they are displayed; others come behind, then no group. */
static const char *const groups[] = {
    "Render",          "AsyncLoading", "TaskGraphHigh",        "TaskGraphNormal", "TaskGraphLow",
    "LargeThreadPool", "ThreadPool",   "BackgroundThreadPool", "IOThreadPool",
};

static int64_t group_rank(const struct tk_str *group)
{
    int64_t n = sizeof groups / sizeof groups[0];
    for (int64_t i = 0; group && i < n; i++) {
        if (strlen(groups[i]) == group->n && memcmp(groups[i], group->p, group->n) == 0)
            return i;
    }
    return n;
}

/* Hints of 0 and more are codes of priorities: normal, above normal, below normal, highest, lowest, slightly
 * below normal, time critical. */
static int64_t priority_rank(int32_t hint)
{
    static const int64_t ranks[] = {3, 2, 5, 1, 6, 4, 0};
    if (hint < 0 || (size_t)hint >= sizeof ranks / sizeof ranks[0])
        return hint;
    return ranks[hint];
}

static int by_place_threads(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->hinted != y->hinted)
        return x->hinted - y->hinted;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->priority > y->priority) - (x->priority < y->priority);
}

/* Is there a row for it? Not for what only events name, which may stand for no thread. */
static bool is_visible_threads(const struct threads *t, const struct tk_thread *thread)
{
    uint32_t at = tk_map_get(&t->index, thread->id);
    bool exists = thread->defined || (at != TK_MAP_NONE && t->reported.v[at].lane);
    return exists && tk_select_thread(t->view->select, t->view->dict, thread->id);
}

/* Threads that are displayed, in order; *n of them. To be freed; NULL if out of memory. */
static struct place *arrange(const struct threads *t, size_t *n)
{
    const struct tk_dict *dict = t->view->dict;
    struct place *places = malloc((dict->threads.n + 1) * sizeof *places);
    *n = 0;
    for (size_t i = 0; places && i < dict->threads.n; i++) {
        const struct tk_fact_thread *info = &dict->threads.v[i].info;
        if (!is_visible_threads(t, &dict->threads.v[i]))
            continue;
        places[(*n)++] = (struct place){
            .thread = i,
            .hinted = info->sort_hint < 0 ? 0 : 1,
            .group = group_rank(info->group),
            .priority = priority_rank(info->sort_hint),
        };
    }
    if (places && tk_sort(places, *n, sizeof *places, by_place_threads)) {
        free(places);
        return NULL;
    }
    return places;
}

static void fill_info(const struct tk_query_context *view, const struct tk_thread *thread,
                      struct tk_cell *row)
{
    row[THREAD_ID] = tk_cell_of_uint(thread->id);
    tk_thread_put(view, thread->id, &row[THREAD]);
    row[GROUP] = tk_cell_of_text(thread->info.group);
    row[NAMED] = tk_cell_of_bool(thread->info.named);
    if (thread->info.has_system)
        row[SYSTEM_ID] = tk_cell_of_int((int64_t)thread->info.system_id);
    if (thread->info.named)
        row[SORT_HINT] = tk_cell_of_int(thread->info.sort_hint);
}

static void fill_reported(const struct tk_query_context *view, const struct reported *reported,
                          struct tk_cell *row)
{
    if (reported->stream) {
        row[PACKETS] = tk_cell_of_uint(reported->packets);
        row[BYTES] = tk_cell_of_size(reported->bytes);
        row[EVENTS] = tk_cell_of_uint(reported->events);
    }
    row[SCOPES] = tk_cell_of_uint(reported->scopes);
    row[OPEN] = tk_cell_of_uint(reported->open);
    row[MAX_DEPTH] = tk_cell_of_uint(reported->max_depth);
    row[UNMATCHED] = tk_cell_of_uint(reported->unmatched);
    row[BUSY] = tk_query_context_span(view, reported->covered);
    row[WORKING] = tk_query_context_span(view, tk_wrap_sub(reported->covered, (int64_t)reported->waiting));
    row[WAITING] = tk_query_context_span(view, (int64_t)reported->waiting);
}

static void send_threads(const struct threads *t, const struct place *places, size_t n, struct tk_emit *emit)
{
    const struct reported nothing = {0};
    for (size_t i = 0; i < n; i++) {
        const struct tk_thread *thread = &t->view->dict->threads.v[places[i].thread];
        uint32_t at = tk_map_get(&t->index, thread->id);
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return;
        const struct reported *reported = at != TK_MAP_NONE ? &t->reported.v[at] : &nothing;
        fill_info(t->view, thread, row);
        fill_reported(t->view, reported, row);
    }
}

static int finish_threads(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct threads *t = self;
    size_t n;
    for (size_t i = 0; i < t->reported.n; i++)
        if (add_waits(t, &t->reported.v[i].overlaps, &t->reported.v[i]))
            return tk_err_nomem(err, "threads");
    struct place *places = arrange(t, &n);
    if (!places)
        return tk_err_nomem(err, "threads");
    send_threads(t, places, n, emit);
    free(places);
    return tk_emit_status(emit);
}

static void release_owns(struct owns *o)
{
    tk_vec_release(&o->timers);
    free(o->slots);
}

static void close_threads(void *self)
{
    struct threads *t = self;
    for (size_t i = 0; i < t->lanes.n; i++)
        release_owns(&t->lanes.v[i]);
    for (size_t i = 0; i < t->reported.n; i++)
        release_owns(&t->reported.v[i].overlaps);
    tk_vec_release(&t->lanes);
    tk_work_rules_release(&t->work);
    tk_map_release(&t->index);
    tk_vec_release(&t->reported);
    free(t);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_threads, .lane = lane_threads};

const struct tk_builder tk_builder_threads = {
    .table = &table,
    .needs = {.order = TK_NEEDS_ANY_ORDER},
    .scopes = &scope_hooks,
    .add_needs = add_needs,
    .open = open_threads,
    .feed = feed_threads,
    .finish = finish_threads,
    .close = close_threads,
};
