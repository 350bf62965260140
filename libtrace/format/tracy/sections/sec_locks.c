/*
 * Locks and what happened to them, as facts and records; times begin at the announcement of the lock.
 *
 *   u64 n, locks, each with u64 n, threads, u64 n, events                                     tracy-file 5.7
 */
#include "format/tracy/walk/section.h"

#include <string.h>

#define THREADS 64 /* of a lock, at most */

struct lock {
    uint64_t at;
    struct tk_tracy_lock v;    /* type: 1 shared */
    const struct tk_str *name; /* NULL: not known */
    uint64_t n_threads;
    uint32_t threads[THREADS]; /* numbers */
    uint32_t waits[THREADS];   /* of each thread: requests that it has not got yet */
};

enum lock_kind { WAIT, OBTAIN, RELEASE, WAIT_SHARED, OBTAIN_SHARED, RELEASE_SHARED, KINDS };

struct lock_event {
    uint64_t at;
    struct tk_tracy_lock_event v; /* kind: enum lock_kind; thread: its place in the lock's list */
    uint32_t thread;
};

struct state {
    struct tk_tracy_list locks, events;
    struct lock lock;
    int64_t last;  /* time of the lock */
    uint64_t lost; /* events of threads that the capture does not have */
    bool inside;
};

static const struct tk_str kinds[KINDS] = {
    {"wait", 4, TK_ENC_UTF8},         {"obtain", 6, TK_ENC_UTF8},         {"release", 7, TK_ENC_UTF8},
    {"wait shared", 11, TK_ENC_UTF8}, {"obtain shared", 13, TK_ENC_UTF8}, {"release shared", 14, TK_ENC_UTF8},
};

static int say_lock(struct tk_tracy_walk *w, const struct lock *l)
{
    struct tk_cell cells[] = {
        tk_cell_of_uint(l->v.id),      tk_cell_of_text(l->name),       tk_cell_of_bool(l->v.type == 1),
        tk_cell_of_bool(l->v.valid),   tk_cell_of_int(l->v.announced), tk_tracy_end_cell(l->v.terminated),
        tk_cell_of_uint(l->n_threads),
    };
    if (!tk_tracy_wants(w, TK_TRACY_LOCK))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_LOCK, l->at, TK_NO_THREAD, l->v.announced, cells);
}

static int say_fact_locks(struct tk_tracy_walk *w, const struct lock *l, const struct lock_event *ev,
                          enum tk_lock_what what, bool write)
{
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_LOCK, ev->thread, ev->v.time);
    if (!fact)
        return TK_ENOMEM;
    fact->u.lock =
        (struct tk_fact_lock){.id = l->v.id, .name = l->name, .what = (uint8_t)what, .write = write};
    return TK_OK;
}

/* A lock that is obtained without having been requested was tried: requested and got at once. */
static int say_use(struct tk_tracy_walk *w, struct lock *l, const struct lock_event *ev)
{
    static const uint8_t whats[KINDS] = {
        [WAIT] = TK_LOCK_REQUESTED,         [OBTAIN] = TK_LOCK_OBTAINED,
        [RELEASE] = TK_LOCK_RELEASED,       [WAIT_SHARED] = TK_LOCK_REQUESTED,
        [OBTAIN_SHARED] = TK_LOCK_OBTAINED, [RELEASE_SHARED] = TK_LOCK_RELEASED,
    };
    if (!tk_tracy_wants_fact(w, TK_FACT_LOCK) || ev->v.kind >= KINDS || ev->thread == TK_NO_THREAD)
        return TK_OK;
    uint32_t *waits = &l->waits[ev->v.thread];
    enum tk_lock_what what = (enum tk_lock_what)whats[ev->v.kind];
    bool write = ev->v.kind < WAIT_SHARED;
    int rc = what == TK_LOCK_OBTAINED && !*waits ? say_fact_locks(w, l, ev, TK_LOCK_REQUESTED, write) : TK_OK;
    *waits += what == TK_LOCK_REQUESTED;
    *waits -= what == TK_LOCK_OBTAINED && *waits;
    return rc == TK_OK ? say_fact_locks(w, l, ev, what, write) : rc;
}

static int say_event(struct tk_tracy_walk *w, const struct lock *l, const struct lock_event *ev)
{
    struct tk_tracy_place place = tk_tracy_location_of(&w->c->locations, &w->c->strings, ev->v.location);
    struct tk_cell cells[] = {
        tk_cell_of_uint(l->v.id),
        ev->v.kind < KINDS ? tk_cell_of_text(&kinds[ev->v.kind]) : tk_cell_of_uint(ev->v.kind),
        tk_tracy_thread_cell(ev->thread),
        tk_cell_of_text(place.function),
        tk_cell_of_text(place.file),
        place.file ? tk_cell_of_uint(place.line) : (struct tk_cell){.kind = TK_NONE},
    };
    if (!tk_tracy_wants(w, TK_TRACY_LOCK_EVENT))
        return TK_OK;
    return tk_tracy_say(w, TK_TRACY_LOCK_EVENT, ev->at, ev->thread, ev->v.time, cells);
}

/* The declared text of a lock stands in the function of its location. */
static const struct tk_str *name_of_locks(const struct tk_tracy_walk *w, uint32_t custom, int16_t location)
{
    const struct tk_str *name = tk_tracy_string_of_index(&w->c->strings, custom);
    return name ? name : tk_tracy_location_of(&w->c->locations, &w->c->strings, location).function;
}

static bool wants_events(const struct tk_tracy_walk *w)
{
    return tk_tracy_wants(w, TK_TRACY_LOCK_EVENT) || tk_tracy_wants_fact(w, TK_FACT_LOCK);
}

/* A thread that stands nowhere but with its zones has no number before these were walked over. */
static int read_threads(struct tk_tracy_walk *w, struct lock *l)
{
    int rc = TK_OK;
    l->n_threads = tk_tracy_read_count(w, "threads of a lock");
    for (uint64_t i = 0; i < l->n_threads && i < THREADS && rc == TK_OK && tk_tracy_ok(&w->in); i++) {
        struct tk_tracy_lock_thread v;
        (void)tk_tracy_read_lock_thread(&w->in, &v);
        if (wants_events(w) && tk_tracy_thread(w, v.tid) == TK_NO_THREAD)
            rc = tk_tracy_know_threads(w);
        l->threads[i] = tk_tracy_thread(w, v.tid);
    }
    if (l->n_threads > THREADS)
        tk_tracy_skip_items(w, l->n_threads - THREADS, tk_tracy_lock_thread_size(&w->c->layout),
                            "threads of a lock");
    return rc;
}

/* With the number of its threads. */
static uint64_t size_of_locks(const struct tk_tracy_walk *w, const struct lock *l)
{
    const struct tk_tracy_layout *layout = &w->c->layout;
    return tk_tracy_lock_size(layout) + 8 + tk_tracy_lock_thread_size(layout) * l->n_threads;
}

static int begin_lock(struct tk_tracy_walk *w, struct state *s)
{
    struct lock *l = &s->lock;
    *l = (struct lock){.at = tk_tracy_at(&w->in)};
    (void)tk_tracy_read_lock(&w->in, &l->v);
    tk_tracy_use_text(w, l->v.name);
    tk_tracy_use_place(w, l->v.location);
    tk_tracy_use_kind(w, l->v.type, 1);
    tk_tracy_use_kind(w, l->v.valid, 1);
    l->name = name_of_locks(w, l->v.name, l->v.location);
    int rc = read_threads(w, l);
    w->in.time = l->v.announced;
    s->events = (struct tk_tracy_list){0};
    s->last = INT64_MIN;
    s->inside = true;
    if (rc != TK_OK || !tk_tracy_ok(&w->in))
        return rc;
    tk_tracy_count(w, TK_TRACY_LOCK, 1, size_of_locks(w, l));
    return say_lock(w, l);
}

static int read_event(struct tk_tracy_walk *w, struct state *s)
{
    struct lock_event ev = {.at = tk_tracy_at(&w->in), .thread = TK_NO_THREAD};
    if (!tk_tracy_read_lock_event(&w->in, &ev.v))
        return TK_OK;
    if (ev.v.thread < THREADS && ev.v.thread < s->lock.n_threads)
        ev.thread = s->lock.threads[ev.v.thread];
    tk_tracy_use_kind(w, ev.v.kind, KINDS - 1);
    tk_tracy_use_place(w, ev.v.location);
    tk_tracy_use_order(w, ev.v.time, &s->last);
    s->lost += ev.thread == TK_NO_THREAD;
    tk_tracy_count(w, TK_TRACY_LOCK_EVENT, 1, tk_tracy_lock_event_size(&w->c->layout));
    int rc = say_use(w, &s->lock, &ev);
    return rc == TK_OK ? say_event(w, &s->lock, &ev) : rc;
}

static void skip_events(struct tk_tracy_walk *w, struct state *s)
{
    tk_tracy_skip_list(w, tk_tracy_lock_event_size(&w->c->layout), TK_TRACY_LOCK_EVENT, "events of a lock");
    s->inside = false;
}

static int end_locks(struct tk_tracy_walk *w, const struct state *s)
{
    if (s->lost)
        tk_tracy_note(w, TK_HEALTH_PAYLOAD_DAMAGED, w->start, s->lost,
                      "events of locks refer to threads that the capture does not have");
    return TK_OK;
}

static int step_locks(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    bool wanted = wants_events(w);
    int rc = TK_OK;
    while (rc == TK_OK && !tk_tracy_batch_full(w->out)) {
        if (s->inside && !wanted)
            skip_events(w, s);
        else if (s->inside && tk_tracy_list_next(w, &s->events, "events of a lock"))
            rc = read_event(w, s);
        else if (tk_tracy_list_next(w, &s->locks, "locks"))
            rc = begin_lock(w, s);
        else
            return end_locks(w, s);
    }
    return rc == TK_OK ? TK_ITEM : rc;
}

const struct tk_tracy_section tk_tracy_sec_locks = {.name = "locks",
                                                    .step = step_locks,
                                                    .size = sizeof(struct state),
                                                    .facts = TK_FACT_MASK(LOCK),
                                                    .records = TK_TRACY_RECORD_MASK(LOCK) |
                                                               TK_TRACY_RECORD_MASK(LOCK_EVENT)};
