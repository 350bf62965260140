/*
 * What a recording needs to go on in another capture, as bytes: all that tk_tl_rotate has left. The log
 * begins with it, so that what is before can be let go. One walk writes and reads; only the program that
 * wrote them reads them, so numbers stand as they are in memory.
 */
#include "live/tracy/state/state.h"
#include "tracekit/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

static int impossible(struct tk_tl_memo *m)
{
    if (m->rc == TK_OK)
        m->rc = tk_err_set(m->err, TK_EFORMAT, "what the capture before has left makes no sense");
    return m->rc;
}

static void no_memory(struct tk_tl_memo *m)
{
    if (m->rc == TK_OK)
        m->rc = tk_err_nomem(m->err, "a recording");
}

void tk_tl_memo_move(struct tk_tl_memo *m, void *p, size_t n)
{
    if (m->rc == TK_OK && m->reads && n > m->left)
        impossible(m);
    if (m->rc == TK_OK && n)
        m->rc = m->move(m->ctx, p, n, m->err);
    if (m->rc == TK_OK)
        m->left -= m->reads ? n : 0;
    else if (m->reads && n)
        memset(p, 0, n);
}

/* A byte of a file is not always one that a truth value can have. */
static void move_flag(struct tk_tl_memo *m, void *flag)
{
    uint8_t v;
    memcpy(&v, flag, 1);
    tk_tl_memo_move(m, &v, 1);
    v = v != 0;
    memcpy(flag, &v, 1);
}

static void tame(bool *flag)
{
    uint8_t v;
    memcpy(&v, flag, 1);
    v = v != 0;
    memcpy(flag, &v, 1);
}

static uint64_t move_number(struct tk_tl_memo *m, uint64_t v)
{
    tk_tl_memo_move(m, &v, sizeof v);
    return v;
}

/* Of records of `size` bytes that follow: no more than there can be. */
static size_t move_count(struct tk_tl_memo *m, uint64_t n, size_t size)
{
    n = move_number(m, n);
    if (m->reads && n > m->left / size)
        impossible(m);
    return m->rc == TK_OK ? (size_t)n : 0;
}

/* A member of a structure that is moved. */
struct part {
    size_t at, size;
    bool flag;
};
#define PART(type, member)                                                                                   \
    {                                                                                                        \
        offsetof(struct type, member), sizeof((struct type *)0)->member,                                     \
            _Generic(((struct type *)0)->member, bool                                                        \
                     : true, default                                                                         \
                     : false)                                                                                \
    }

static void move_parts(struct tk_tl_memo *m, void *object, const struct part *parts, size_t n)
{
    uint8_t *p = object;
    for (size_t i = 0; i < n; i++)
        if (parts[i].flag)
            move_flag(m, p + parts[i].at);
        else
            tk_tl_memo_move(m, p + parts[i].at, parts[i].size);
}
#define MOVE_PARTS(m, object, parts) move_parts(m, object, parts, sizeof(parts) / sizeof *(parts))

#define MOVE_VEC(m, vec)                                                                                     \
    do {                                                                                                     \
        const size_t n_of_vec = move_count(m, (vec)->n, sizeof *(vec)->v);                                   \
        if ((m)->reads && tk_vec_reserve(vec, n_of_vec + 1))                                                 \
            no_memory(m);                                                                                    \
        (vec)->n = (m)->rc == TK_OK ? n_of_vec : 0;                                                          \
        tk_tl_memo_move(m, (vec)->v, (vec)->n * sizeof *(vec)->v);                                           \
    } while (0)

/* ---- maps and columns ---- */

/* Values are below `most`. */
static void move_map(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_map *map, size_t most)
{
    const size_t n = move_count(m, map->count, sizeof(struct tk_map_slot));
    size_t at = 0;
    for (size_t i = 0; i < n && m->rc == TK_OK; i++) {
        struct tk_map_slot slot = {0};
        while (!m->reads && map->slots[at].value == TK_MAP_NONE)
            at++;
        if (!m->reads)
            slot = map->slots[at++];
        slot.key = move_number(m, slot.key);
        slot.value = (uint32_t)move_number(m, slot.value);
        if (m->reads && slot.value >= most)
            impossible(m);
        if (m->reads && m->rc == TK_OK)
            m->rc = tk_tl_map_put(s, map, slot.key, slot.value);
    }
}

enum { RECORD_MOST = 64, BYTES_AT_ONCE = 4096 };

static void write_column(struct tk_tl_memo *m, const struct tk_spill_column *c)
{
    struct tk_spill_column_reading r;
    uint8_t copy[BYTES_AT_ONCE];
    const uint8_t *bytes;
    const void *record;
    size_t n = c->size;
    int rc = TK_ITEM;
    tk_spill_column_reading_open(&r, c, m->err);
    while (m->rc == TK_OK && rc == TK_ITEM) {
        rc = c->size == 1 ? tk_spill_column_read_bytes(&r, sizeof copy, &bytes, &n)
                          : tk_spill_column_read(&r, &record);
        if (rc == TK_ITEM) {
            memcpy(copy, c->size == 1 ? bytes : record, n);
            tk_tl_memo_move(m, copy, n);
        }
    }
    tk_spill_column_reading_close(&r);
    if (rc < 0 && m->rc == TK_OK)
        m->rc = rc;
}

static void move_column(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_spill_column *c)
{
    const size_t n = move_count(m, tk_spill_column_count(c), c->size), size = c->size;
    const size_t step = size == 1 ? BYTES_AT_ONCE : 1;
    uint8_t copy[BYTES_AT_ONCE];
    if (!m->reads) {
        write_column(m, c);
        return;
    }
    struct tk_spill_columns *store = c->store;
    tk_spill_column_release(c);
    tk_spill_column_begin(c, store, size);
    for (size_t i = 0; i < n && m->rc == TK_OK; i += step) {
        const size_t now = n - i < step ? n - i : step;
        void *record = size == 1 ? copy : tk_spill_column_add(c);
        if (record)
            tk_tl_memo_move(m, record, now * size);
        if (!record || (size == 1 && m->rc == TK_OK && !tk_spill_column_add_bytes(c, copy, now)))
            m->rc = tk_tl_column_error(s);
    }
}

/* ---- names and code ---- */

/* The text of a string that is read is kept where the next one would be. */
static void move_strings(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    const size_t n = move_count(m, s->strings.n, 4);
    TK_VEC(uint8_t) space = {0};
    for (size_t i = 0; i < n && m->rc == TK_OK; i++) {
        uint32_t number = 0;
        const size_t size = move_count(m, m->reads ? 0 : s->strings.v[i].n, 1);
        if (tk_vec_reserve(&space, size + 1)) {
            no_memory(m);
            break;
        }
        if (!m->reads && size)
            memcpy(space.v, s->strings.v[i].p, size);
        tk_tl_memo_move(m, space.v, size);
        if (m->reads && m->rc == TK_OK)
            m->rc = tk_tl_store(s, space.v, size, &number);
        if (m->reads && m->rc == TK_OK && number != i)
            impossible(m);
    }
    tk_vec_release(&space);
}

static void move_stacks(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    const size_t n = move_count(m, s->stacks.n, 8);
    TK_VEC(uint64_t) ids = {0};
    for (size_t i = 0; i < n && m->rc == TK_OK; i++) {
        uint32_t number = 0;
        ids.n = m->reads ? 0 : s->stacks.v[i].n;
        if (tk_vec_reserve(&ids, ids.n + 1)) {
            no_memory(m);
            break;
        }
        if (ids.n)
            memcpy(ids.v, s->stack_frames.v + s->stacks.v[i].first, ids.n * sizeof *ids.v);
        MOVE_VEC(m, &ids);
        if (m->reads && m->rc == TK_OK)
            m->rc = tk_tl_stack_of(s, ids.v, ids.n, false, &number);
        if (m->reads && m->rc == TK_OK && number != i + 1)
            impossible(m);
    }
    tk_vec_release(&ids);
}

static void move_names(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    move_strings(m, s);
    MOVE_VEC(m, &s->pointers);
    MOVE_VEC(m, &s->thread_names);
    MOVE_VEC(m, &s->external_names);
    MOVE_VEC(m, &s->local_threads);
    MOVE_VEC(m, &s->external_threads);
    MOVE_VEC(m, &s->statics);
    MOVE_VEC(m, &s->expand);
    MOVE_VEC(m, &s->dynamics);
    MOVE_VEC(m, &s->fibers);
    MOVE_VEC(m, &s->app_info);
    MOVE_VEC(m, &s->image_data);
    MOVE_VEC(m, &s->topology);
    MOVE_VEC(m, &s->processes);
    MOVE_VEC(m, &s->cpu_uses);
    MOVE_VEC(m, &s->hw);
    for (size_t i = 0; m->reads && i < s->pointers.n; i++)
        tame(&s->pointers.v[i].source);
    for (size_t i = 0; m->reads && i < s->thread_names.n; i++)
        tame(&s->thread_names.v[i].source);
    for (size_t i = 0; m->reads && i < s->statics.n; i++)
        tame(&s->statics.v[i].known);
    for (size_t i = 0; m->reads && i < s->hw.n; i++)
        memset(s->hw.v[i].n, 0, sizeof s->hw.v[i].n);
    for (uint32_t i = 0; m->reads && m->rc == TK_OK && i < s->dynamics.n; i++)
        m->rc = tk_tl_dynamic_enter(s, i);
}

static void move_code(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    move_stacks(m, s);
    MOVE_VEC(m, &s->code_frames);
    MOVE_VEC(m, &s->code_places);
    MOVE_VEC(m, &s->symbols);
    MOVE_VEC(m, &s->code);
    MOVE_VEC(m, &s->sources);
    MOVE_VEC(m, &s->source_answers);
    move_column(m, s, &s->code_bytes);
    move_column(m, s, &s->source_bytes);
    for (size_t i = 0; m->reads && i < s->code_frames.n; i++) {
        tame(&s->code_frames.v[i].known);
        tame(&s->code_frames.v[i].script);
    }
    for (uint32_t i = 0; m->reads && m->rc == TK_OK && i < s->code_frames.n; i++)
        if (s->code_frames.v[i].script)
            m->rc = tk_tl_script_frame_enter(s, i);
    for (size_t i = 0; m->reads && i < s->symbols.n; i++) {
        tame(&s->symbols.v[i].known);
        tame(&s->symbols.v[i].is_inline);
    }
    for (size_t i = 0; m->reads && i < s->sources.n; i++)
        tame(&s->sources.v[i].known);
}

/* ---- what has columns ---- */

/* Records of a list of such things; those that are there already are filled first. */
#define MOVE_OBJECTS(m, s, vec, one)                                                                         \
    do {                                                                                                     \
        const size_t n_of_them = move_count(m, (vec)->n, 1);                                                 \
        int rc_of_them;                                                                                      \
        for (size_t i_of_them = 0; i_of_them < n_of_them && (m)->rc == TK_OK; i_of_them++) {                 \
            if (i_of_them == (vec)->n) {                                                                     \
                void *new_of_them = tk_tl_alloc(s, sizeof **(vec)->v, &rc_of_them);                          \
                if (!new_of_them || (rc_of_them = tk_tl_push(s, vec, new_of_them)) != TK_OK) {               \
                    (m)->rc = rc_of_them;                                                                    \
                    break;                                                                                   \
                }                                                                                            \
            }                                                                                                \
            one(m, s, (vec)->v[i_of_them]);                                                                  \
        }                                                                                                    \
        if (n_of_them != (vec)->n)                                                                           \
            impossible(m);                                                                                   \
    } while (0)

/* A column of something new has to begin before it is read. */
static void move_new_column(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_spill_column *c,
                            struct tk_spill_columns *store, size_t size)
{
    if (m->reads && !c->store)
        tk_spill_column_begin(c, store, size);
    move_column(m, s, c);
}

static void move_thread(struct tk_tl_memo *m, struct tk_tl_state *s, uint64_t tid, struct tk_tl_thread *t)
{
    static const struct part parts[] = {PART(tk_tl_thread, fiber),         PART(tk_tl_thread, hint),
                                        PART(tk_tl_thread, next_id),       PART(tk_tl_thread, last_root),
                                        PART(tk_tl_thread, last_sample),   PART(tk_tl_thread, callstack),
                                        PART(tk_tl_thread, holds_sample),  PART(tk_tl_thread, held_time),
                                        PART(tk_tl_thread, held_callstack)};
    tid = move_number(m, tid);
    if (m->reads && m->rc == TK_OK)
        m->rc = tk_tl_thread_find(s, tid) ? impossible(m) : tk_tl_thread_add(s, tid, &t);
    if (m->rc != TK_OK)
        return;
    MOVE_PARTS(m, t, parts);
    MOVE_VEC(m, &t->open);
    s->open_zones += m->reads ? t->open.n : 0;
}

static void move_threads(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    const size_t n = move_count(m, s->threads.n, 8);
    for (size_t i = 0; i < n && m->rc == TK_OK; i++) {
        struct tk_tl_thread *t = m->reads ? NULL : s->threads.v[i];
        move_thread(m, s, t ? t->tid : 0, t);
    }
    for (size_t i = 0; i < n && m->rc == TK_OK; i++) {
        struct tk_tl_thread *t = s->threads.v[i];
        const uint64_t fiber = move_number(m, t->in_fiber ? t->in_fiber->number + 1 : 0);
        if (fiber > n)
            impossible(m);
        else
            t->in_fiber = fiber ? s->threads.v[fiber - 1] : NULL;
    }
    const uint64_t current = move_number(m, s->current ? s->current->number + 1 : 0);
    if (current > n)
        impossible(m);
    else
        s->current = current ? s->threads.v[current - 1] : NULL;
}

static void move_switches(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_switches *k)
{
    static const struct part parts[] = {
        PART(tk_tl_switches, tid),          PART(tk_tl_switches, last),
        PART(tk_tl_switches, has_last),     PART(tk_tl_switches, has_pending),
        PART(tk_tl_switches, before_cpu),   PART(tk_tl_switches, before_wakeup),
        PART(tk_tl_switches, pending_time), PART(tk_tl_switches, pending_cpu)};
    MOVE_PARTS(m, k, parts);
    move_new_column(m, s, &k->done, s->columns, sizeof(struct tk_tl_switch));
}

static void move_cpus(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    static const struct part parts[] = {PART(tk_tl_cpu, last), PART(tk_tl_cpu, has_last)};
    for (size_t i = 0; i < TK_TL_CPUS; i++)
        MOVE_PARTS(m, &s->cpus[i], parts);
}

static void move_set(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_frame_set *set)
{
    static const struct part parts[] = {PART(tk_tl_frame_set, name),    PART(tk_tl_frame_set, continuous),
                                        PART(tk_tl_frame_set, listed),  PART(tk_tl_frame_set, unsorted),
                                        PART(tk_tl_frame_set, instead), PART(tk_tl_frame_set, last)};
    MOVE_PARTS(m, set, parts);
    move_new_column(m, s, &set->frames, s->lasting, sizeof(struct tk_tl_frame));
}

static void move_plot(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_plot *p)
{
    static const struct part parts[] = {
        PART(tk_tl_plot, name),     PART(tk_tl_plot, type),     PART(tk_tl_plot, format),
        PART(tk_tl_plot, steps),    PART(tk_tl_plot, fill),     PART(tk_tl_plot, colour),
        PART(tk_tl_plot, instead),  PART(tk_tl_plot, listed),   PART(tk_tl_plot, timed),
        PART(tk_tl_plot, unsorted), PART(tk_tl_plot, min),      PART(tk_tl_plot, max),
        PART(tk_tl_plot, sum),      PART(tk_tl_plot, last_time)};
    MOVE_PARTS(m, p, parts);
    move_new_column(m, s, &p->points, s->columns, sizeof(struct tk_tl_point));
}

static void move_lock(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_lock *l)
{
    static const struct part parts[] = {
        PART(tk_tl_lock, id),        PART(tk_tl_lock, name),      PART(tk_tl_lock, place),
        PART(tk_tl_lock, type),      PART(tk_tl_lock, announced), PART(tk_tl_lock, terminated),
        PART(tk_tl_lock, holder),    PART(tk_tl_lock, n_threads), PART(tk_tl_lock, threads),
        PART(tk_tl_lock, last_wait), PART(tk_tl_lock, waits)};
    MOVE_PARTS(m, l, parts);
    move_new_column(m, s, &l->events, s->columns, sizeof(struct tk_tl_lock_event));
}

static void move_category(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_category *c)
{
    static const struct part parts[] = {PART(tk_tl_category, id), PART(tk_tl_category, entered),
                                        PART(tk_tl_category, described), PART(tk_tl_category, text)};
    MOVE_PARTS(m, c, parts);
    move_new_column(m, s, &c->items, s->lasting, sizeof(struct tk_tl_section));
}

/* ---- memory: what lives ---- */

static void revive(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_pool *p)
{
    struct tk_tl_alloc a;
    tk_record_map_init(&p->alive, sizeof(struct tk_tl_alive));
    for (uint64_t i = 0; m->rc == TK_OK && i < tk_spill_column_count(&p->allocs); i++) {
        struct tk_tl_free *freed = tk_spill_column_add(&p->freed);
        if (!freed || !tk_spill_column_get(&p->allocs, i, &a)) {
            m->rc = tk_tl_column_error(s);
            break;
        }
        *freed = (struct tk_tl_free){-1, 0, 0};
        if (tk_record_map_get(&p->alive, a.address))
            impossible(m);
        struct tk_tl_alive *alive = tk_record_map_put(&p->alive, a.address);
        if (alive)
            *alive = (struct tk_tl_alive){i, a.size};
        else
            no_memory(m);
    }
}

static void move_pool(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_pool *p)
{
    static const struct part parts[] = {PART(tk_tl_pool, name), PART(tk_tl_pool, low), PART(tk_tl_pool, high),
                                        PART(tk_tl_pool, used)};
    MOVE_PARTS(m, p, parts);
    move_new_column(m, s, &p->allocs, s->columns, sizeof(struct tk_tl_alloc));
    if (!m->reads)
        return;
    tk_spill_column_release(&p->freed);
    tk_spill_column_begin(&p->freed, s->columns, sizeof(struct tk_tl_free));
    tk_record_map_release(&p->alive);
    revive(m, s, p);
}

/* ---- the GPU: zones that are open or wait, and who knows them ---- */

static void move_timeline(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_gpu_timeline *line)
{
    static const struct part parts[] = {PART(tk_tl_gpu_timeline, tid), PART(tk_tl_gpu_timeline, roots)};
    MOVE_PARTS(m, line, parts);
    move_new_column(m, s, &line->zones, s->columns, sizeof(struct tk_tl_gpu_zone));
}

static void move_gpu(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_gpu *g)
{
    static const struct part parts[] = {
        PART(tk_tl_gpu, tid),    PART(tk_tl_gpu, count),          PART(tk_tl_gpu, calibrated),
        PART(tk_tl_gpu, period), PART(tk_tl_gpu, type),           PART(tk_tl_gpu, name),
        PART(tk_tl_gpu, diff),   PART(tk_tl_gpu, calibrated_gpu), PART(tk_tl_gpu, calibrated_cpu),
        PART(tk_tl_gpu, last),   PART(tk_tl_gpu, factor),         PART(tk_tl_gpu, overflow),
        PART(tk_tl_gpu, wraps)};
    if (m->reads)
        tk_record_map_init(&g->slots, sizeof(struct tk_tl_gpu_live *));
    MOVE_PARTS(m, g, parts);
    MOVE_OBJECTS(m, s, &g->timelines, move_timeline);
    MOVE_VEC(m, &g->notes);
    MOVE_VEC(m, &g->note_names);
    for (uint32_t i = 0; m->reads && m->rc == TK_OK && i < g->notes.n; i++)
        m->rc = tk_tl_gpu_note_enter(s, g, i);
}

/* Zones in the order of their list, by their numbers in it. */
struct lives {
    TK_VEC(struct tk_tl_gpu_live *) v;
};

static int list_lives(struct tk_tl_state *s, struct lives *all)
{
    for (struct tk_tl_gpu_live *z = s->gpu_live; z; z = z->next) {
        z->number = (uint32_t)all->v.n;
        if (tk_vec_push(&all->v, z))
            return tk_tl_nomem(s);
    }
    return TK_OK;
}

/* They enter the list from its end, so that it is in their order. */
static int add_lives(struct tk_tl_state *s, struct lives *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        TK_TL_TRY(tk_tl_charge(s, sizeof(struct tk_tl_gpu_live)));
        struct tk_tl_gpu_live *z = calloc(1, sizeof *z);
        if (!z || tk_vec_push(&all->v, z)) {
            free(z);
            return tk_tl_nomem(s);
        }
        z->before = i ? &all->v.v[i - 1]->next : &s->gpu_live;
        *z->before = z;
    }
    return TK_OK;
}

static void move_live(struct tk_tl_memo *m, struct tk_tl_gpu_live *z)
{
    tk_tl_memo_move(m, &z->zone, sizeof z->zone);
    tk_tl_memo_move(m, &z->index, sizeof z->index);
}

/* Who refers to a live zone. NULL: nobody does. */
static struct tk_tl_gpu_live *move_reference(struct tk_tl_memo *m, struct lives *all,
                                             struct tk_tl_gpu_live *z)
{
    const uint64_t number = move_number(m, z ? z->number : 0);
    if (number >= all->v.n)
        impossible(m);
    if (m->rc != TK_OK)
        return NULL;
    all->v.v[number]->uses += m->reads;
    return all->v.v[number];
}

static void move_open(struct tk_tl_memo *m, struct lives *all, struct tk_tl_gpu_timeline *line)
{
    const size_t n = move_count(m, line->open.n, 8);
    for (size_t i = 0; i < n && m->rc == TK_OK; i++) {
        struct tk_tl_gpu_live *z = move_reference(m, all, m->reads ? NULL : line->open.v[i]);
        if (z && m->reads && tk_vec_push(&line->open, z))
            no_memory(m);
    }
}

static void move_slots(struct tk_tl_memo *m, struct lives *all, struct tk_tl_gpu *g)
{
    const size_t n = move_count(m, g->slots.count, 16);
    uint32_t place = 0;
    for (size_t i = 0; i < n && m->rc == TK_OK; i++) {
        struct tk_tl_gpu_live **slot = NULL;
        uint64_t query = 0;
        while (!m->reads && !(slot = tk_record_map_at(&g->slots, place++, &query)))
            continue;
        query = move_number(m, query);
        struct tk_tl_gpu_live *z = move_reference(m, all, slot ? *slot : NULL);
        if (!z || !m->reads)
            continue;
        if (tk_record_map_get(&g->slots, query))
            impossible(m);
        else if ((slot = tk_record_map_put(&g->slots, query)))
            *slot = z;
        else
            no_memory(m);
    }
}

/* Which of the timelines holds a zone is found by its column, and written as two numbers. */
static void place_live(struct tk_tl_memo *m, struct tk_tl_state *s, struct tk_tl_gpu_live *z)
{
    uint64_t at[2] = {0, 0};
    for (size_t g = 0; !m->reads && g < s->gpus.n; g++)
        for (size_t k = 0; k < s->gpus.v[g]->timelines.n; k++)
            if (z->column == &s->gpus.v[g]->timelines.v[k]->zones) {
                at[0] = g;
                at[1] = k;
            }
    tk_tl_memo_move(m, at, sizeof at);
    if (at[0] >= s->gpus.n || at[1] >= s->gpus.v[at[0]]->timelines.n)
        impossible(m);
    if (m->rc == TK_OK)
        z->column = &s->gpus.v[at[0]]->timelines.v[at[1]]->zones;
    if (m->rc == TK_OK && z->index >= tk_spill_column_count(z->column))
        impossible(m);
}

static void move_lives(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    struct lives all = {{0}};
    if (m->rc == TK_OK && !m->reads)
        m->rc = list_lives(s, &all);
    const size_t n = move_count(m, all.v.n, sizeof(struct tk_tl_gpu_zone));
    if (m->rc == TK_OK && m->reads)
        m->rc = add_lives(s, &all, n);
    for (size_t i = 0; i < n && m->rc == TK_OK; i++) {
        move_live(m, all.v.v[i]);
        place_live(m, s, all.v.v[i]);
    }
    for (size_t g = 0; g < s->gpus.n && m->rc == TK_OK; g++) {
        for (size_t k = 0; k < s->gpus.v[g]->timelines.n; k++)
            move_open(m, &all, s->gpus.v[g]->timelines.v[k]);
        move_slots(m, &all, s->gpus.v[g]);
    }
    for (size_t i = 0; i < all.v.n; i++)
        if (!all.v.v[i]->uses)
            impossible(m);
    tk_vec_release(&all.v);
}

static void move_gpu_numbers(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    for (size_t i = 0; i < 256; i++) {
        uint64_t number = 0;
        while (!m->reads && s->gpu_of[i] && s->gpus.v[number++] != s->gpu_of[i])
            continue;
        number = move_number(m, number);
        if (number > s->gpus.n)
            impossible(m);
        else
            s->gpu_of[i] = number ? s->gpus.v[number - 1] : NULL;
    }
}

/* Only few of all locations have zones of the GPU. */
static void move_gpu_counts(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < 65536; i++)
        n += s->gpu_zone_counts[i] != 0;
    n = move_count(m, n, 16);
    for (size_t at = 0; n-- && m->rc == TK_OK; at++) {
        while (!m->reads && !s->gpu_zone_counts[at])
            at++;
        at = (size_t)move_number(m, at) & 0xffff;
        s->gpu_zone_counts[at] = move_number(m, s->gpu_zone_counts[at]);
    }
}

/* ---- the rest ---- */

static void move_records(struct tk_tl_memo *m, struct tk_record_map *map)
{
    const size_t n = move_count(m, map->count, 8 + map->size);
    uint32_t place = 0;
    for (size_t i = 0; i < n && m->rc == TK_OK; i++) {
        uint64_t key = 0;
        void *record = NULL;
        while (!m->reads && !(record = tk_record_map_at(map, place++, &key)))
            continue;
        key = move_number(m, key);
        if (m->reads && !(record = tk_record_map_put(map, key)))
            no_memory(m);
        if (record)
            tk_tl_memo_move(m, record, map->size);
    }
}

static void move_maps(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    const struct {
        struct tk_map *map;
        size_t most;
    } maps[] = {{&s->pointer_of, s->pointers.n},
                {&s->thread_name_of, s->thread_names.n},
                {&s->external_name_of, s->external_names.n},
                {&s->local_of, s->local_threads.n},
                {&s->external_of, s->external_threads.n},
                {&s->static_of, s->statics.n},
                {&s->fiber_of, s->fibers.n},
                {&s->switches_of, s->switches.n},
                {&s->frame_set_of, s->frame_sets.n},
                {&s->frame_set_by_text, s->frame_sets.n},
                {&s->vsync_of, s->frame_sets.n},
                {&s->plot_of, s->plots.n},
                {&s->plot_by_text, s->plots.n},
                {&s->power_of, s->plots.n},
                {&s->lock_of, s->locks.n},
                {&s->pool_of, s->pools.n},
                {&s->code_frame_of, s->code_frames.n},
                {&s->symbol_of, s->symbols.n},
                {&s->code_of, s->code.n},
                {&s->source_of, s->sources.n},
                {&s->process_of, s->processes.n},
                {&s->cpu_use_of, s->cpu_uses.n},
                {&s->hw_of, s->hw.n},
                {&s->category_of, s->categories.n}};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        move_map(m, s, maps[i].map, maps[i].most);
}

static void move_state(struct tk_tl_memo *m, struct tk_tl_state *s)
{
    static const struct part parts[] = {
        PART(tk_tl_state, piece.number),    PART(tk_tl_state, piece.from),
        PART(tk_tl_state, last_time),       PART(tk_tl_state, odd),
        PART(tk_tl_state, crashed),         PART(tk_tl_state, thread_time),
        PART(tk_tl_state, serial_time),     PART(tk_tl_state, context_time),
        PART(tk_tl_state, gpu_time),        PART(tk_tl_state, thread_tid),
        PART(tk_tl_state, single),          PART(tk_tl_state, second),
        PART(tk_tl_state, last_single),     PART(tk_tl_state, pending_dynamic),
        PART(tk_tl_state, pending_stack),   PART(tk_tl_state, serial_stack),
        PART(tk_tl_state, pool_name),       PART(tk_tl_state, requested),
        PART(tk_tl_state, static_answered), PART(tk_tl_state, sort_samples),
        PART(tk_tl_state, vsyncs),          PART(tk_tl_state, unnamed_sets),
        PART(tk_tl_state, unnamed_plots),   PART(tk_tl_state, has_image),
        PART(tk_tl_state, cpu_plot),        PART(tk_tl_state, n_messages),
        PART(tk_tl_state, script_frames),   PART(tk_tl_state, answer.frame),
        PART(tk_tl_state, answer.left),     PART(tk_tl_state, answer.image),
        PART(tk_tl_state, answer.open),     PART(tk_tl_state, answer.ignored),
        PART(tk_tl_state, gpu_parents),     PART(tk_tl_state, crash)};
    MOVE_PARTS(m, s, parts);
    move_names(m, s);
    move_code(m, s);
    move_threads(m, s);
    MOVE_OBJECTS(m, s, &s->switches, move_switches);
    move_cpus(m, s);
    MOVE_OBJECTS(m, s, &s->frame_sets, move_set);
    MOVE_VEC(m, &s->listed_sets);
    MOVE_OBJECTS(m, s, &s->plots, move_plot);
    MOVE_VEC(m, &s->listed_plots);
    MOVE_OBJECTS(m, s, &s->locks, move_lock);
    MOVE_OBJECTS(m, s, &s->pools, move_pool);
    MOVE_OBJECTS(m, s, &s->categories, move_category);
    move_records(m, &s->sections_open);
    move_records(m, &s->sections_early);
    MOVE_OBJECTS(m, s, &s->gpus, move_gpu);
    move_gpu_numbers(m, s);
    move_gpu_counts(m, s);
    move_lives(m, s);
    move_maps(m, s);
}

/* ---- a session ---- */

/* What another release of this program writes may be of another form. */
static void move_sign(struct tk_tl_memo *m)
{
    char sign[96] = "", wanted[96] = "";
    snprintf(wanted, sizeof wanted, TK_VERSION " %zu %zu %zu %zu %zu", sizeof(struct tk_tl_state),
             sizeof(struct tk_tl_thread), sizeof(struct tk_tl_open_zone), sizeof(struct tk_tl_gpu_live),
             sizeof(struct tk_tl_welcome));
    memcpy(sign, wanted, sizeof sign);
    tk_tl_memo_move(m, sign, sizeof sign);
    if (m->rc == TK_OK && memcmp(sign, wanted, sizeof sign) != 0)
        m->rc = tk_err_set(m->err, TK_EFORMAT, "another release than %s has recorded it", TK_VERSION);
}

static void move_welcome(struct tk_tl_memo *m, struct tk_tl_session *session)
{
    struct tk_tl_welcome w = m->reads ? (struct tk_tl_welcome){0} : session->state->welcome;
    tk_tl_memo_move(m, &w, sizeof w);
    w.program[sizeof w.program - 1] = w.host[sizeof w.host - 1] = '\0';
    if (m->reads && m->rc == TK_OK)
        m->rc = tk_tl_session_welcome(session, &w, m->err);
}

/* Questions that were not sent yet are as good as those that nobody has answered. */
static void move_session(struct tk_tl_memo *m, struct tk_tl_session *session)
{
    const struct tk_tl_state *s = session->state;
    session->blocks = move_number(m, session->blocks);
    session->events = move_number(m, session->events);
    const uint64_t waits =
        session->unanswered + s->names_first.v.n - s->names_first.head + s->others.v.n - s->others.head;
    const uint64_t unanswered = move_number(m, waits);
    if (m->reads)
        session->unanswered = unanswered;
}

/* A block may refer to what those before it were. */
static void move_stream(struct tk_tl_memo *m, struct tk_tl_stream *stream)
{
    const size_t n = move_count(m, stream->at < TK_TL_HISTORY ? stream->at : TK_TL_HISTORY, 1);
    if (m->reads && n > TK_TL_HISTORY)
        impossible(m);
    if (m->rc != TK_OK)
        return;
    stream->at = m->reads ? n : stream->at;
    tk_tl_memo_move(m, stream->unpacked + stream->at - n, n);
    stream->blocks = move_number(m, stream->blocks);
    stream->bytes = move_number(m, stream->bytes);
    stream->taken = move_number(m, stream->taken);
    if (m->reads)
        tk_tl_stream_resume(stream);
}

int tk_tl_memo(struct tk_tl_memo *m, struct tk_tl_session *session, struct tk_tl_stream *stream)
{
    move_sign(m);
    move_welcome(m, session);
    if (m->rc != TK_OK)
        return m->rc;
    session->state->err = m->err;
    move_session(m, session);
    move_state(m, session->state);
    move_stream(m, stream);
    if (m->reads && m->rc == TK_OK)
        m->rc = tk_tl_memo_check(session->state);
    if (m->reads && m->rc == TK_OK)
        m->rc = tk_tl_carry_threads(session->state);
    session->state->piece.messages = session->state->n_messages;
    return m->rc;
}
