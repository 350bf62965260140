/*
 * Table `hitch_events`: what happened in each hitch alongside calls: log messages, bookmarks, files, packages
 * and allocations.
 *
 * Messages and bookmarks have a row each, files and packages one for each of them, allocations one a hitch.
 * Of a kind there are no more than MOST_EACH in a hitch; how many are left out has a row of its own.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/wrap.h"
#include "model/frames/frame_classes.h"
#include "model/marks/frame_list.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FRAME, KIND, START, DURATION, COUNT, BYTES, TEXT, THREAD, COLUMNS = THREAD + TK_THREAD_COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame, from 0"},
    [KIND] = {"kind", TK_TEXT, 0, NULL, "bookmark, log, file, package, allocations or frees"},
    [START] = {"start", TK_TIME, TK_COL_OPTIONAL, NULL, "time, or start"},
    [DURATION] = {"dur", TK_DURATION, TK_COL_OPTIONAL, NULL,
                  "files and packages: total duration of the operations"},
    [COUNT] = {"count", TK_UINT, 0, NULL, "files, packages and allocations: number of operations"},
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "files: bytes read and written; allocations: their size"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "the message, or the name of the file or package"},
    [THREAD] = TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "the thread of a message"),
};

static const struct tk_table table = {
    .name = "hitch_events",
    .help = "events during hitches: log messages, bookmarks, files, packages, allocations",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_ON_REQUEST,
    .none = "nothing is recorded within hitches",
};

enum kind { BOOKMARK, LOG, FILES, PACKAGES, ALLOCATIONS, FREES, KINDS };

static const char *const kinds[KINDS] = {"bookmark", "log", "file", "package", "allocations", "frees"};

#define MOST_EACH  20u
#define NO_PACKAGE UINT32_MAX

struct event {
    uint32_t mark, thread; /* mark: the number of the hitch */
    uint32_t place;        /* of it among those that are reported */
    uint8_t kind;          /* enum kind */
    bool more;             /* it stands for those that are left out */
    int64_t time, duration;
    uint64_t count, bytes;
    uint32_t package;
    struct tk_str text; /* in the arena, or interned */
};

struct hitch_events {
    const struct tk_query_context *view;
    struct tk_frame_classes marks;
    TK_VEC(struct event) events;
    TK_VEC(uint32_t) counts; /* by hitch and kind: rows */
    struct tk_map index;     /* hitch, kind and what: place in events */
    struct tk_map packages;  /* id -> place in names */
    TK_VEC(const struct tk_str *) names;
    struct tk_arena texts;
    uint64_t waiting[2], waiting_bytes; /* allocations and frees whose time comes */
    int64_t clock;                      /* the last time that the clock of memory reported */
    bool has_clock;
    struct tk_row_limit capacity;
    struct tk_work_rules work;
    struct tk_loading_frames loading; /* where the worst come first: those of loading screens come last */
};

static bool is_ranked(const struct tk_query_context *view)
{
    return view->query->top_hitches || view->query->worst_first;
}

static void close_hitch_events(void *self)
{
    struct hitch_events *h = self;
    tk_frame_classes_release(&h->marks);
    tk_vec_release(&h->events);
    tk_vec_release(&h->counts);
    tk_vec_release(&h->names);
    tk_map_release(&h->index);
    tk_map_release(&h->packages);
    tk_arena_release(&h->texts);
    tk_loading_frames_release(&h->loading);
    tk_work_rules_release(&h->work);
    free(h);
}

static int open_hitch_events(const struct tk_query_context *view, const struct tk_builder *builder,
                             uint64_t wanted, void **self, struct tk_err *err)
{
    struct hitch_events *h = calloc(1, sizeof *h);
    (void)builder;
    (void)wanted;
    if (!h)
        return tk_err_nomem(err, "what happened in hitches");
    *self = h;
    h->view = view;
    h->capacity = tk_query_context_row_limit(view, table.name);
    if (tk_frame_classes_of_query(&h->marks, view) ||
        tk_vec_reach(&h->counts, h->marks.hitches.n * KINDS + 1))
        return tk_err_nomem(err, "what happened in hitches");
    tk_loading_frames_init(&h->loading, view, &h->work);
    return tk_work_rules_read(&h->work, view, err);
}

/* ---- reading ---- */

/* A row of a hitch, NULL where there is no space (*rc 0) or no memory (*rc -1). key: what is summed up in one
 * row; 0: it has one of its own. */
static struct event *event_of(struct hitch_events *h, uint32_t hitch, enum kind kind, uint64_t key, int *rc)
{
    const uint64_t keys[] = {hitch, kind, key}, hash = tk_hash_bytes(keys, sizeof keys, 0);
    const uint32_t at = key ? tk_map_get(&h->index, hash) : TK_MAP_NONE;
    struct event e = {.mark = hitch, .kind = (uint8_t)kind, .thread = TK_NO_THREAD, .package = NO_PACKAGE};
    *rc = 0;
    if (at != TK_MAP_NONE)
        return &h->events.v[at];
    if (!tk_row_limit_for(&h->capacity, h->events.n))
        return NULL;
    const uint32_t n = h->counts.v[hitch * KINDS + kind]++;
    if (n > MOST_EACH)
        return NULL;
    e.more = n == MOST_EACH;
    *rc = tk_vec_push(&h->events, e) ||
                  (key && !e.more && tk_map_put(&h->index, hash, (uint32_t)h->events.n - 1))
              ? -1
              : 0;
    return *rc || e.more ? NULL : &h->events.v[h->events.n - 1];
}

/* The hitch that a point in time lies in; false: none. */
static bool hitch_at(const struct hitch_events *h, int64_t time, uint32_t *hitch)
{
    const uint32_t mark = tk_frame_classes_at(&h->marks, time);
    *hitch = mark - TK_FRAME_CLASS_HITCH;
    return mark >= TK_FRAME_CLASS_HITCH && mark < TK_FRAME_CLASS_TYPICAL;
}

static int take_text(struct hitch_events *h, const struct tk_fact *fact, enum kind kind,
                     const struct tk_str *text)
{
    uint32_t hitch;
    int rc;
    if (!hitch_at(h, fact->time, &hitch))
        return 0;
    struct event *e = event_of(h, hitch, kind, 0, &rc);
    if (!e)
        return rc;
    e->time = fact->time;
    e->thread = fact->thread;
    e->text = *text;
    e->text.p = tk_arena_copy(&h->texts, text->p, text->n);
    return e->text.p ? 0 : -1;
}

/* Adds a stretch of time to the row of what it was about, in each hitch that it touches. */
static int take_stretch(struct hitch_events *h, const struct event *what, enum kind kind, uint64_t key,
                        int64_t begin, int64_t end)
{
    const struct tk_frame_classes *m = &h->marks;
    size_t at;
    int rc = 0;
    TK_SEARCH(at, m->hitches.n, m->frames->v[m->hitches.v[at].frame].to <= begin);
    for (; at < m->hitches.n && rc == 0; at++) {
        const struct tk_range *f = &m->frames->v[m->hitches.v[at].frame];
        const int64_t from = begin > f->from ? begin : f->from, to = end < f->to ? end : f->to;
        if (f->from > end || from > to || f->to <= begin)
            break;
        struct event *e = event_of(h, (uint32_t)at, kind, key, &rc);
        if (!e)
            continue;
        e->time = e->count && e->time < from ? e->time : from;
        e->duration = tk_wrap_add(e->duration, tk_wrap_sub(to, from));
        e->count++;
        e->bytes += what->bytes;
        e->package = what->package;
        e->text = what->text;
    }
    return rc;
}

static int take_file(struct hitch_events *h, const struct tk_fact *fact)
{
    const struct tk_fact_file_io *io = &fact->u.file_io;
    const struct event what = {.bytes = io->done,
                               .package = NO_PACKAGE,
                               .text = io->path ? *io->path : (struct tk_str){.p = "?", .n = 1}};
    return take_stretch(h, &what, FILES, (uint64_t)(uintptr_t)io->path + 1, fact->time,
                        io->ended ? io->end : fact->time);
}

static int take_step_of_package(struct hitch_events *h, const struct tk_fact *fact)
{
    const struct tk_fact_load_step *step = &fact->u.load_step;
    const struct event what = {
        .bytes = step->has_size ? step->size : 0, .package = step->package, .text = {.p = "?", .n = 1}};
    return take_stretch(h, &what, PACKAGES, (uint64_t)step->package + 1, fact->time, step->end);
}

static int take_package_name(struct hitch_events *h, const struct tk_fact *fact)
{
    const struct tk_fact_package *p = &fact->u.package;
    const uint32_t at = p->name ? tk_map_get(&h->packages, p->id) : TK_MAP_NONE;
    if (at != TK_MAP_NONE)
        h->names.v[at] = p->name;
    if (!p->name || at != TK_MAP_NONE || h->names.n >= h->capacity.rows)
        return 0;
    return tk_vec_push(&h->names, p->name) || tk_map_put(&h->packages, p->id, (uint32_t)h->names.n - 1) ? -1
                                                                                                        : 0;
}

static int add_memory(struct hitch_events *h, int64_t time, const uint64_t count[2], uint64_t bytes)
{
    uint32_t hitch;
    int rc = 0;
    if (!hitch_at(h, time, &hitch))
        return 0;
    for (unsigned i = 0; i < 2 && rc == 0; i++) {
        struct event *e = count[i] ? event_of(h, hitch, i ? FREES : ALLOCATIONS, 1, &rc) : NULL;
        if (!e)
            continue;
        e->time = e->count ? e->time : time;
        e->count += count[i];
        e->bytes += i ? 0 : bytes;
    }
    return rc;
}

/* What has no time happened between two times of the clock of memory: it counts where one hitch has both. */
static int tell_waiting(struct hitch_events *h, int64_t time)
{
    uint32_t hitch, last;
    const bool inside =
        h->has_clock && hitch_at(h, h->clock, &last) && hitch_at(h, time, &hitch) && hitch == last;
    int rc = inside ? add_memory(h, time, h->waiting, h->waiting_bytes) : 0;
    h->waiting[0] = h->waiting[1] = h->waiting_bytes = 0;
    h->clock = time;
    h->has_clock = true;
    return rc;
}

static int take_memory(struct hitch_events *h, const struct tk_fact *fact)
{
    const struct tk_fact_memory *m = &fact->u.memory;
    const bool alloc = m->op == TK_MEMORY_ALLOC || m->op == TK_MEMORY_REALLOC_ALLOC;
    const bool freed = m->op == TK_MEMORY_FREE || m->op == TK_MEMORY_REALLOC_FREE;
    const uint64_t count[2] = {alloc, freed};
    if (m->op == TK_MEMORY_TIME)
        return tell_waiting(h, fact->time);
    if (fact->time != TK_NO_TIME && !h->has_clock)
        return add_memory(h, fact->time, count, alloc ? m->size : 0);
    h->waiting[0] += alloc;
    h->waiting[1] += freed;
    h->waiting_bytes += alloc ? m->size : 0;
    return 0;
}

static int take_hitch_event(struct hitch_events *h, const struct tk_fact *fact)
{
    switch (fact->kind) {
    case TK_FACT_LOG:
        return take_text(h, fact, LOG, &fact->u.log.text);
    case TK_FACT_BOOKMARK:
        return take_text(h, fact, BOOKMARK, &fact->u.bookmark.text);
    case TK_FACT_FILE_IO:
        return take_file(h, fact);
    case TK_FACT_LOAD_STEP:
        return take_step_of_package(h, fact);
    case TK_FACT_PACKAGE:
        return take_package_name(h, fact);
    case TK_FACT_MEMORY:
        return take_memory(h, fact);
    default:
        return 0;
    }
}

static int feed_hitch_events(void *self, const struct tk_batch *batch, struct tk_emit *emit,
                             struct tk_err *err)
{
    struct hitch_events *h = self;
    int rc = is_ranked(h->view) &&
                     (tk_work_learn(&h->work, h->view->dict) || tk_loading_frames_feed(&h->loading, batch))
                 ? -1
                 : 0;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++)
        rc = take_hitch_event(h, &batch->facts[i]);
    return rc ? tk_err_nomem(err, "what happened in hitches") : TK_OK;
}

static int take_hitch_events(void *self, const struct tk_slices *s, unsigned worker)
{
    struct hitch_events *h = self;
    (void)worker;
    return is_ranked(h->view) && tk_loading_frames_take(&h->loading, s) ? TK_ENOMEM : TK_OK;
}

static int check_hitch_events(void *self, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    const struct hitch_events *h = self;
    return h->view->frames->n ? TK_OK : tk_frames_missing(h->view->ctx, err);
}

/* ---- rows ---- */

static int by_hitch_of_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->more != y->more)
        return x->more ? 1 : -1;
    return (x->time > y->time) - (x->time < y->time);
}

static void fill_text_of_event(const struct hitch_events *h, const struct event *e, struct tk_cell *row)
{
    const uint32_t at = e->package == NO_PACKAGE ? TK_MAP_NONE : tk_map_get(&h->packages, e->package);
    if (at != TK_MAP_NONE)
        row[TEXT] = tk_cell_of_text(h->names.v[at]);
    else if (e->text.n)
        row[TEXT] = tk_cell_of_text(&e->text);
}

static void fill_hitch_event(const struct hitch_events *h, const struct event *e, struct tk_cell *row)
{
    const struct tk_query_context *view = h->view;
    row[FRAME] = tk_cell_of_uint(h->marks.hitches.v[e->mark].frame);
    row[KIND] = tk_cell_of_c(kinds[e->kind]);
    if (e->more) {
        row[COUNT] = tk_cell_of_uint(h->counts.v[e->mark * KINDS + e->kind] - MOST_EACH);
        row[TEXT] = tk_cell_of_c("(more of them)");
        return;
    }
    row[START] = tk_query_context_time(view, e->time);
    if (e->kind == FILES || e->kind == PACKAGES)
        row[DURATION] = tk_query_context_span(view, e->duration);
    if (e->count)
        row[COUNT] = tk_cell_of_uint(e->count);
    if (e->bytes)
        row[BYTES] = tk_cell_of_size(e->bytes);
    fill_text_of_event(h, e, row);
    tk_thread_put(view, e->thread, &row[THREAD]);
}

/* The place of a hitch: its number, or where the worst come first how many are worse. */
static uint32_t place_of_hitch(const struct hitch_events *h, uint32_t hitch)
{
    const struct tk_frame_classes *m = &h->marks;
    const uint64_t length = tk_frame_classes_length(m, m->hitches.v[hitch].frame);
    const bool loading = tk_is_loading_hitch(tk_frame_classes_is(m, m->hitches.v[hitch].frame));
    uint32_t worse = 0;
    if (!is_ranked(h->view))
        return hitch;
    for (uint32_t i = 0; i < m->hitches.n; i++) {
        const uint64_t other = tk_frame_classes_length(m, m->hitches.v[i].frame);
        const bool other_loading = tk_is_loading_hitch(tk_frame_classes_is(m, m->hitches.v[i].frame));
        if (loading != other_loading)
            worse += loading;
        else
            worse += other > length || (other == length && i < hitch);
    }
    return worse;
}

static void give_places(struct hitch_events *h)
{
    for (size_t i = 0, last = SIZE_MAX; i < h->events.n; i++) {
        struct event *e = &h->events.v[i];
        e->place = last < i && h->events.v[last].mark == e->mark ? h->events.v[last].place
                                                                 : place_of_hitch(h, e->mark);
        last = i;
    }
}

static int finish_hitch_events(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct hitch_events *h = self;
    const uint64_t top = h->view->query->top_hitches;
    struct tk_frame_classes *m = &h->marks;
    if (is_ranked(h->view) &&
        tk_loading_frames_mark(&h->loading, m->place, m->n, m->ms, m->judged.n, m->judged.is))
        return tk_err_nomem(err, "what happened in hitches");
    give_places(h);
    if (tk_sort(h->events.v, h->events.n, sizeof *h->events.v, by_hitch_of_events))
        return tk_err_nomem(err, "what happened in hitches");
    for (size_t i = 0; i < h->events.n && (!top || h->events.v[i].place < top); i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_hitch_event(h, &h->events.v[i], row);
    }
    return tk_emit_status(emit);
}

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    if (!is_ranked(view))
        return;
    needs->facts |= TK_FACT_MASK(SCOPES) | TK_FACT_MASK(FRAME);
    needs->slices |= TK_LOADING_SLICES;
    needs->lists.regions = true;
}

static const struct tk_scope_hooks scope_hooks = {.take = take_hitch_events};

const struct tk_builder tk_builder_hitch_events = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(LOG) | TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(FILE_IO) |
                       TK_FACT_MASK(PACKAGE) | TK_FACT_MASK(LOAD_STEP) | TK_FACT_MASK(MEMORY),
              .order = TK_NEEDS_SEQ_ORDER,
              .all_time = true,
              .lists = {.frames = TK_NEEDS_GAME_FRAMES}},
    .scopes = &scope_hooks,
    .add_needs = add_needs,
    .open = open_hitch_events,
    .feed = feed_hitch_events,
    .check = check_hitch_events,
    .finish = finish_hitch_events,
    .close = close_hitch_events,
};
