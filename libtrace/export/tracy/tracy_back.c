/*
 * Writes memory, samples, callstacks and times on cores of a .tracy (tracy-file 5.10 to 5.22), and what
 * tracy_events.c gathered of them is merged with the timeline here.
 */
#include "export/tracy/tracy_in.h"
#include "format/tracy/file/sections_out.h"
#include "model/timeline/timeline_items.h"

#include <string.h>

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        const int rc_of_try = (call);                                                                        \
        if (rc_of_try != TK_OK)                                                                              \
            return rc_of_try;                                                                                \
    } while (0)

static const struct tk_str no_process = {"???", 3, TK_ENC_UTF8}; /* which is what Tracy says */

/* ---- merging ---- */

static uint64_t thread_id(uint32_t number)
{
    return TK_TRACK_ID(TK_TRACK_THREAD, (uint64_t)number << 1);
}

/* The id of a thread of the system, or a made up one where that is 0. Threads of the program with that id are
 * not known to the system, and get another one. */
static uint64_t external_id(const struct tk_tracy_sink *t, size_t i)
{
    const uint64_t id = t->events->systems.v[i].system_id, made = (UINT64_C(1) << 35) + i;
    for (size_t k = 0; id && k < t->tracks.n; k++)
        if (t->tracks.v[k]->tid == id)
            t->tracks.v[k]->tid = made;
    return id ? id : made;
}

/* Does the program have it? Samples are of threads of the program alone. */
static bool of_program(const struct tk_ts_system *s)
{
    return s->selected && (s->thread != TK_NO_THREAD || tk_spill_column_count(&s->samples));
}

static int merge_threads(struct tk_tracy_sink *t, const struct tk_ts_events *e, struct tk_err *err)
{
    uint32_t place;
    for (size_t i = 0; i < e->threads.n; i++)
        TRY(tk_ts_thread(t, thread_id(e->threads.v[i].number), e->threads.v[i].system_id,
                         e->threads.v[i].name, &place, err));
    for (size_t i = 0; i < e->systems.n; i++) {
        const struct tk_ts_system *s = &e->systems.v[i];
        /* Numbers of threads have 32 bits. */
        const uint64_t id = s->thread == TK_NO_THREAD
                                ? TK_TRACK_ID(TK_TRACK_THREAD, UINT64_C(1) << 38 | (uint64_t)i << 1)
                                : thread_id(s->thread);
        place = UINT32_MAX;
        if (of_program(s))
            TRY(tk_ts_thread(t, id, s->system_id, s->name, &place, err));
        if (tk_vec_push(&t->system_tracks, place))
            return tk_err_nomem(err, "an export");
    }
    for (size_t i = 0; i < e->systems.n; i++) {
        place = t->system_tracks.v[i];
        const uint64_t id = place != UINT32_MAX        ? t->tracks.v[place]->tid
                            : e->systems.v[i].selected ? external_id(t, i)
                                                       : 0;
        if (tk_vec_push(&t->system_ids, id))
            return tk_err_nomem(err, "an export");
    }
    return TK_OK;
}

static int merge_text(struct tk_tracy_sink *t, const struct tk_str *text, struct tk_err *err)
{
    uint32_t number;
    return text ? tk_ts_string(t, text, &number, err) : TK_OK;
}

static bool is_external(const struct tk_tracy_sink *t, size_t i)
{
    const struct tk_ts_system *s = &t->events->systems.v[i];
    return s->selected && s->name && t->system_tracks.v[i] == UINT32_MAX;
}

static int merge_texts(struct tk_tracy_sink *t, const struct tk_ts_events *e, struct tk_err *err)
{
    for (size_t i = 0; i < e->systems.n; i++)
        if (is_external(t, i)) {
            TRY(merge_text(t, &no_process, err));
            TRY(merge_text(t, e->systems.v[i].name, err));
        }
    for (size_t i = 0; i < e->locks.v.n; i++)
        TRY(merge_text(t, e->locks.v.v[i]->name, err));
    for (size_t i = 0; i < e->pools.n; i++)
        TRY(merge_text(t, e->pools.v[i]->name, err));
    for (size_t i = 0; i < e->frames.n; i++)
        TRY(merge_text(t, e->frames.v[i].image, err));
    for (size_t i = 0; i < e->places.n; i++) {
        TRY(merge_text(t, e->places.v[i].function, err));
        TRY(merge_text(t, e->places.v[i].file, err));
    }
    return TK_OK;
}

/* Gives the thread of a track the next number. */
static int number_thread(struct tk_tracy_sink *t, uint32_t track, struct tk_err *err)
{
    if (!tk_ts_is_thread(t->tracks.v[track]) || t->local.v[track] || t->numbered.n >= UINT16_MAX)
        return TK_OK;
    if (tk_vec_push(&t->numbered, track))
        return tk_err_nomem(err, "an export");
    t->local.v[track] = (uint16_t)t->numbered.n;
    return TK_OK;
}

/* Threads of the capture come in its order, then all others. */
static int number_threads(struct tk_tracy_sink *t, struct tk_err *err)
{
    const struct tk_ts_events *e = t->events;
    if (tk_vec_reach(&t->local, t->tracks.n))
        return tk_err_nomem(err, "an export");
    for (size_t i = 0; i < e->threads.n; i++)
        TRY(number_thread(t, tk_map_get(&t->track_of, thread_id(e->threads.v[i].number)), err));
    for (uint32_t i = 0; i < t->tracks.n; i++)
        TRY(number_thread(t, i, err));
    return TK_OK;
}

int tk_ts_merge_events(struct tk_tracy_sink *t, struct tk_err *err)
{
    const struct tk_ts_events *e = t->events;
    if (!e)
        return TK_OK;
    t->last_time = e->whole || e->last_time > t->last_time ? e->last_time : t->last_time;
    TRY(merge_threads(t, e, err));
    TRY(merge_texts(t, e, err));
    return number_threads(t, err);
}

uint64_t tk_ts_tid_of(const struct tk_tracy_sink *t, uint32_t thread)
{
    const uint32_t place = tk_map_get(&t->track_of, thread_id(thread));
    return place == TK_MAP_NONE ? 0 : t->tracks.v[place]->tid;
}

static uint16_t local_of(const struct tk_tracy_sink *t, uint32_t thread)
{
    const uint32_t place = thread == TK_NO_THREAD ? TK_MAP_NONE : tk_map_get(&t->track_of, thread_id(thread));
    return place == TK_MAP_NONE ? 0 : t->local.v[place];
}

/* The number of a string that was merged, + 1; 0: none. */
static uint32_t index_of(struct tk_tracy_sink *t, const struct tk_str *text, struct tk_err *err)
{
    uint32_t number;
    return text && tk_ts_string(t, text, &number, err) == TK_OK ? number + 1 : 0;
}

/* ---- threads of the system ---- */

int tk_ts_put_externals(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->system_tracks.n; i++)
        n += is_external(t, i);
    tk_tracy_put(w, n, 8);
    for (size_t i = 0; i < t->system_tracks.n; i++) {
        uint32_t process, name;
        if (!is_external(t, i))
            continue;
        TRY(tk_ts_string(t, &no_process, &process, err));
        TRY(tk_ts_string(t, t->events->systems.v[i].name, &name, err));
        const struct tk_tracy_external_name out = {t->system_ids.v[i], TK_TS_KEY(process), TK_TS_KEY(name)};
        tk_tracy_put_external_name(w, &out);
    }
    return TK_OK;
}

void tk_ts_put_external_ids(struct tk_tracy_sink *t, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, t->events ? t->events->n_selected : 0, 8);
    for (size_t i = 0; t->events && i < t->system_ids.n; i++)
        if (t->events->systems.v[i].selected)
            tk_tracy_put(w, t->system_ids.v[i], 8);
}

/* Processes of threads. */
static void put_processes(const struct tk_tracy_sink *t, struct tk_tracy_writer *w)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->system_ids.n; i++)
        n += t->events->systems.v[i].selected && t->events->systems.v[i].has_process;
    tk_tracy_put(w, n, 8);
    for (size_t i = 0; i < t->system_ids.n; i++)
        if (t->events->systems.v[i].selected && t->events->systems.v[i].has_process) {
            const struct tk_tracy_process out = {t->system_ids.v[i], t->events->systems.v[i].process_id};
            tk_tracy_put_process(w, &out);
        }
}

/* ---- samples ---- */

int tk_ts_put_samples(struct tk_tracy_sink *t, struct tk_tracy_writer *w, size_t track, struct tk_err *err)
{
    const struct tk_ts_events *e = t->events;
    struct tk_spill_column_reading r;
    const void *record;
    size_t i = 0;
    int rc;
    while (i < t->system_tracks.n && t->system_tracks.v[i] != track)
        i++;
    const uint64_t n = i < t->system_tracks.n ? tk_spill_column_count(&e->systems.v[i].samples) : 0;
    tk_tracy_put_list(w, n);
    if (!n)
        return TK_OK;
    tk_spill_column_reading_open(&r, &e->systems.v[i].samples, err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_ts_sample s;
        memcpy(&s, record, sizeof s);
        tk_tracy_put_sample(w, &(struct tk_tracy_sample){s.time, tk_ts_stack_number(e, s.stack)});
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

/* ---- memory ---- */

static int put_allocs(struct tk_tracy_sink *t, struct tk_tracy_writer *w, const struct tk_ts_pool *p,
                      struct tk_err *err)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_spill_column_reading_open(&r, &p->allocs, err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_ts_alloc a;
        memcpy(&a, record, sizeof a);
        const struct tk_tracy_memory m = {.address = a.address,
                                          .size = a.size,
                                          .callstack = tk_ts_stack_number(t->events, a.stack),
                                          .free_callstack = tk_ts_stack_number(t->events, a.free_stack),
                                          .time = a.time,
                                          .life = tk_tracy_life(a.time, a.freed),
                                          .thread = local_of(t, a.thread),
                                          .free_thread = local_of(t, a.free_thread)};
        tk_tracy_put_memory(w, &m);
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

static int put_pool(struct tk_tracy_sink *t, struct tk_tracy_writer *w, const struct tk_ts_pool *p,
                    struct tk_err *err)
{
    const uint64_t n = tk_spill_column_count(&p->allocs);
    const uint32_t name = index_of(t, p->name, err);
    const uint64_t pointer = name ? TK_TS_POINTER(name - 1) : 0;
    tk_tracy_put_pool(w, &(struct tk_tracy_pool){pointer, n, n - p->frees, p->frees});
    w->time = 0;
    TRY(put_allocs(t, w, p, err));
    tk_tracy_put_pool_end(w, &(struct tk_tracy_pool_end){p->high, p->low, p->used, pointer});
    return TK_OK;
}

/* There is always a pool without a name. */
static int put_memory(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    const struct tk_ts_events *e = t->events;
    const size_t n = e ? e->pools.n : 0;
    uint64_t all = 0;
    bool has_default = false;
    for (size_t i = 0; i < n; i++) {
        all += tk_spill_column_count(&e->pools.v[i]->allocs);
        has_default |= !e->pools.v[i]->name;
    }
    tk_tracy_put(w, n + !has_default, 8);
    tk_tracy_put(w, all, 8);
    if (!has_default) {
        tk_tracy_put_pool(w, &(struct tk_tracy_pool){0});
        tk_tracy_put_pool_end(w, &(struct tk_tracy_pool_end){.low = UINT64_MAX});
    }
    for (size_t i = 0; i < n; i++)
        TRY(put_pool(t, w, e->pools.v[i], err));
    return TK_OK;
}

/* ---- code ---- */

/* Of an address the id of a frame keeps 62 bits (as sec_callstacks.c reads it); what does not fit is its own
 * id. */
static uint64_t frame_id(uint64_t address)
{
    const uint64_t sign = UINT64_C(1) << 61, id = address & (sign * 2 - 1);
    return (id ^ sign) - sign == address ? id : address;
}

static void put_code(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    const struct tk_ts_events *e = t->events;
    const size_t n = !e ? 0 : e->stacks.stacks.n < TK_TS_STACKS ? e->stacks.stacks.n : TK_TS_STACKS;
    tk_tracy_put(w, n, 8);
    for (size_t i = 0; i < n; i++) {
        const struct tk_callstack *stack = &e->stacks.stacks.v[i];
        tk_tracy_put_callstack(w, &(struct tk_tracy_callstack){(uint16_t)stack->n});
        for (uint32_t k = 0; k < stack->n; k++)
            tk_tracy_put_stack_frame(
                w, &(struct tk_tracy_stack_frame){frame_id(e->stacks.frames.v[stack->first + k])});
    }
    tk_tracy_put(w, e ? e->frames.n : 0, 8);
    for (size_t i = 0; e && i < e->frames.n; i++) {
        const struct tk_ts_frame *f = &e->frames.v[i];
        tk_tracy_put_code_frame(w, &(struct tk_tracy_code_frame){frame_id(f->address), (uint8_t)f->n,
                                                                 index_of(t, f->image, err)});
        for (uint32_t k = 0; k < f->n; k++) {
            const struct tk_ts_frame_place *p = &e->places.v[f->first + k];
            const struct tk_tracy_code_place place = {index_of(t, p->function, err),
                                                      index_of(t, p->file, err), p->line, p->symbol};
            tk_tracy_put_code_place(w, &place);
        }
    }
}

static void put_symbols(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    const struct tk_ts_events *e = t->events;
    const size_t n = e ? e->symbols.n : 0;
    tk_tracy_put(w, n, 8); /* not inlined */
    tk_tracy_put(w, 1, 8); /* inlined, + 1 */
    tk_tracy_put(w, n, 8);
    for (size_t i = 0; i < n; i++) {
        const struct tk_ts_symbol *s = &e->symbols.v[i];
        const struct tk_tracy_symbol symbol = {.address = s->address,
                                               .name = index_of(t, s->function, err),
                                               .file = index_of(t, s->file, err),
                                               .line = s->line,
                                               .image = index_of(t, s->image, err)};
        tk_tracy_put_symbol(w, &symbol);
    }
    tk_tracy_put(w, 0, 8); /* code */
    tk_tracy_put(w, e ? e->frames.n : 0, 8);
    for (size_t i = 0; e && i < e->frames.n; i++) {
        const struct tk_tracy_code_symbol symbol = {e->frames.v[i].address,
                                                    e->places.v[e->frames.v[i].first].symbol};
        tk_tracy_put_code_symbol(w, &symbol);
    }
    tk_tracy_put(w, 0, 8); /* hardware samples */
    tk_tracy_put(w, 0, 8); /* sources */
}

/* ---- cores ---- */

/* Calls `put` for each time on a core of a column. */
static int put_runs(struct tk_tracy_writer *w, const struct tk_spill_column *column,
                    void (*put)(struct tk_tracy_writer *w, const struct tk_ts_run *run), struct tk_err *err)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_spill_column_reading_open(&r, column, err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_ts_run run;
        memcpy(&run, record, sizeof run);
        put(w, &run);
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

static void put_switch(struct tk_tracy_writer *w, const struct tk_ts_run *run)
{
    const struct tk_tracy_switch s = {.wakeup = run->start,
                                      .start = run->start,
                                      .end = run->end,
                                      .cpu = (uint8_t)run->core,
                                      .wakeup_cpu = (uint8_t)run->core,
                                      .reason = 100, /* nobody knows why */
                                      .state = 100};
    tk_tracy_put_switch(w, &s);
}

static void put_on_cpu(struct tk_tracy_writer *w, const struct tk_ts_run *run)
{
    const struct tk_tracy_cpu_run out = {run->start, run->end,
                                         run->thread <= UINT16_MAX ? (uint16_t)run->thread : 0};
    tk_tracy_put_cpu_run(w, &out);
}

static int put_cores(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    struct tk_ts_events *e = t->events;
    uint64_t lists = 0, runs = 0;
    for (size_t i = 0; e && i < e->systems.n; i++)
        lists += tk_spill_column_count(&e->systems.v[i].runs) > 0;
    tk_tracy_put(w, lists, 8);
    for (size_t i = 0; e && i < e->systems.n; i++) {
        const struct tk_spill_column *column = &e->systems.v[i].runs;
        if (!tk_spill_column_count(column))
            continue;
        tk_tracy_put_switches(w, &(struct tk_tracy_switches){t->system_ids.v[i]});
        tk_tracy_put_list(w, tk_spill_column_count(column));
        TRY(put_runs(w, column, put_switch, err));
    }
    for (unsigned i = 0; e && i < TK_TS_CORES; i++)
        runs += tk_spill_column_count(&e->cores[i]);
    tk_tracy_put(w, runs, 8);
    for (unsigned i = 0; i < TK_TRACY_CPU_LISTS; i++) {
        tk_tracy_put_list(w, e ? tk_spill_column_count(&e->cores[i]) : 0);
        if (e)
            TRY(put_runs(w, &e->cores[i], put_on_cpu, err));
    }
    put_processes(t, w);
    tk_tracy_put(w, 0, 8); /* use of the CPU */
    return TK_OK;
}

int tk_ts_put_back(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    TRY(put_memory(t, w, err));
    put_code(t, w, err);
    tk_tracy_put(w, 0, 8); /* what the program says of itself */
    tk_tracy_put_images(w, 0);
    TRY(put_cores(t, w, err));
    put_symbols(t, w, err);
    return TK_OK;
}
