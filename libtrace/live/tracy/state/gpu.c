/*
 * Contexts and zones of the GPU, whose times come later by the number of their query (tracy-live 7.15).
 */
#include "base/bits.h"
#include "base/wrap.h"
#include "live/tracy/state/state.h"

#include <string.h>

static int64_t scaled(const struct tk_tl_gpu *g, int64_t ticks)
{
    return g->period == 1.0f ? ticks : tk_saturate_i64((double)g->period * (double)ticks);
}

int tk_tl_on_gpu_new_context(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t period = tk_load32(p + 20);
    int rc;
    struct tk_tl_gpu *g = tk_tl_alloc(s, sizeof *g, &rc);
    if (!g)
        return rc;
    memcpy(&g->period, &period, sizeof period);
    g->tid = tk_load32(p + 16);
    g->calibrated = p[25] & 1;
    g->type = p[26];
    g->factor = 1.0;
    const int64_t cpu = tk_tl_ns(s, (int64_t)tk_load64(p)), gpu = scaled(g, (int64_t)tk_load64(p + 8));
    g->diff = tk_wrap_sub(cpu, gpu);
    g->calibrated_gpu = gpu;
    g->calibrated_cpu = cpu;
    tk_record_map_init(&g->slots, sizeof(struct tk_tl_gpu_live *));
    TK_TL_TRY(tk_tl_push(s, &s->gpus, g));
    s->gpu_of[p[24]] = g;
    return TK_OK;
}

/* ---- zones that are open or wait ---- */

static int put_zone(struct tk_tl_state *s, const struct tk_tl_gpu_live *z)
{
    return tk_spill_column_change(z->column, z->index, &z->zone) ? TK_OK : tk_tl_column_error(s);
}

static int let_go(struct tk_tl_state *s, struct tk_tl_gpu_live *z)
{
    if (--z->uses)
        return TK_OK;
    int rc = put_zone(s, z);
    *z->before = z->next;
    if (z->next)
        z->next->before = z->before;
    free(z);
    s->charged -= sizeof *z;
    return rc;
}

/* A slot holds the zone that used its query last. */
static int set_slot(struct tk_tl_state *s, struct tk_tl_gpu *g, uint16_t query, struct tk_tl_gpu_live *z)
{
    struct tk_tl_gpu_live **slot = tk_record_map_get(&g->slots, query), *before = slot ? *slot : NULL;
    if (!slot && z)
        slot = tk_record_map_put(&g->slots, query);
    if (z && !slot)
        return tk_tl_nomem(s);
    if (z)
        z->uses++;
    if (slot && z)
        *slot = z;
    else
        tk_record_map_remove(&g->slots, query);
    return before ? let_go(s, before) : TK_OK;
}

static int new_live(struct tk_tl_state *s, struct tk_tl_gpu_timeline *line, const struct tk_tl_gpu_zone *zone,
                    struct tk_tl_gpu_live **out)
{
    struct tk_tl_gpu_zone *record = tk_spill_column_add(&line->zones);
    if (!record)
        return tk_tl_column_error(s);
    *record = *zone;
    TK_TL_TRY(tk_tl_charge(s, sizeof **out));
    struct tk_tl_gpu_live *z = calloc(1, sizeof *z);
    if (!z)
        return tk_tl_nomem(s);
    z->zone = *zone;
    z->column = &line->zones;
    z->index = tk_spill_column_count(&line->zones) - 1;
    z->uses = 1;
    z->next = s->gpu_live;
    z->before = &s->gpu_live;
    if (z->next)
        z->next->before = &z->next;
    s->gpu_live = z;
    *out = z;
    if (tk_vec_push(&line->open, z)) {
        z->uses = 0;
        return tk_tl_nomem(s);
    }
    return TK_OK;
}

static struct tk_tl_gpu_timeline *find_timeline(const struct tk_tl_gpu *g, uint64_t tid)
{
    for (size_t i = 0; i < g->timelines.n; i++)
        if (g->timelines.v[i]->tid == tid)
            return g->timelines.v[i];
    return NULL;
}

enum { TIMELINES_MOST = 4096 };

static int timeline_of(struct tk_tl_state *s, struct tk_tl_gpu *g, uint64_t tid,
                       struct tk_tl_gpu_timeline **out)
{
    int rc;
    *out = find_timeline(g, tid);
    if (*out)
        return TK_OK;
    if (g->timelines.n >= TIMELINES_MOST)
        return tk_err_set(s->err, TK_ELIMIT, "a context of the GPU is used by more than %d threads",
                          TIMELINES_MOST);
    if (!(*out = tk_tl_alloc(s, sizeof **out, &rc)))
        return rc;
    (*out)->tid = tid;
    tk_spill_column_begin(&(*out)->zones, s->columns, sizeof(struct tk_tl_gpu_zone));
    return tk_tl_push(s, &g->timelines, *out);
}

/* tid, query and ctx behind the time of an event. */
struct gpu_event {
    uint64_t tid;
    uint16_t query;
    struct tk_tl_gpu *gpu;
};

static struct gpu_event read_gpu_event(struct tk_tl_state *s, const uint8_t *p)
{
    const struct gpu_event e = {tk_load32(p + 8), tk_load16(p + 12), s->gpu_of[p[14]]};
    s->odd.gpu_events += !e.gpu;
    return e;
}

static int begin_gpu_zone(struct tk_tl_state *s, const uint8_t *p, int64_t time, int16_t place,
                          uint32_t callstack)
{
    const struct gpu_event e = read_gpu_event(s, p);
    struct tk_tl_gpu_zone zone = {tk_tl_s48(time), -1, -1, -1, 0, place, 0, e.query, callstack};
    struct tk_tl_gpu_timeline *line;
    struct tk_tl_gpu_live *z = NULL;
    if (!e.gpu)
        return TK_OK;
    if (!e.gpu->tid)
        TK_TL_TRY(tk_tl_thread_number(s, e.tid, &zone.thread));
    TK_TL_TRY(timeline_of(s, e.gpu, e.gpu->tid ? 0 : e.tid, &line));
    if (line->open.n)
        s->gpu_parents += line->open.v[line->open.n - 1]->zone.children++ == 0;
    else
        line->roots++;
    TK_TL_TRY(new_live(s, line, &zone, &z));
    return set_slot(s, e.gpu, e.query, z);
}

static int end_gpu_zone(struct tk_tl_state *s, const uint8_t *p, int64_t time)
{
    const struct gpu_event e = read_gpu_event(s, p);
    struct tk_tl_gpu_timeline *line = e.gpu ? find_timeline(e.gpu, e.tid) : NULL;
    if (!line || !line->open.n) {
        s->odd.gpu_events += e.gpu != NULL;
        return TK_OK;
    }
    struct tk_tl_gpu_live *z = line->open.v[--line->open.n];
    z->zone.cpu_end = tk_tl_s48(time);
    int rc = set_slot(s, e.gpu, e.query, z);
    const int released = let_go(s, z);
    return rc != TK_OK ? rc : released;
}

/* ---- events ---- */

enum where { OF_THREAD, SERIAL };

static int64_t move_where(struct tk_tl_state *s, const uint8_t *p, enum where where)
{
    return tk_tl_move(s, where == SERIAL ? &s->serial_time : &s->thread_time, (int64_t)tk_load64(p));
}

static int take_stack_where(struct tk_tl_state *s, enum where where, bool stacked, uint32_t *callstack)
{
    struct tk_tl_thread *t;
    *callstack = 0;
    if (!stacked)
        return TK_OK;
    if (where == SERIAL) {
        *callstack = tk_tl_take_serial_stack(s);
        return TK_OK;
    }
    TK_TL_TRY(tk_tl_thread_current(s, &t));
    *callstack = tk_tl_take_stack(t);
    return TK_OK;
}

static int begin_of_place(struct tk_tl_state *s, const uint8_t *p, enum where where, bool stacked)
{
    uint32_t callstack;
    int16_t place;
    TK_TL_TRY(tk_tl_place_of(s, tk_load64(p + 15), &place));
    const int64_t time = move_where(s, p, where);
    TK_TL_TRY(take_stack_where(s, where, stacked, &callstack));
    return begin_gpu_zone(s, p, time, place, callstack);
}

static int begin_of_dynamic(struct tk_tl_state *s, const uint8_t *p, enum where where, bool stacked)
{
    uint32_t callstack;
    int16_t place;
    TK_TL_TRY(tk_tl_place_dynamic(s, &place));
    const int64_t time = move_where(s, p, where);
    TK_TL_TRY(take_stack_where(s, where, stacked, &callstack));
    return begin_gpu_zone(s, p, time, place, callstack);
}

int tk_tl_on_gpu_zone_begin(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_of_place(s, p, OF_THREAD, false);
}

int tk_tl_on_gpu_zone_begin_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_of_place(s, p, OF_THREAD, true);
}

int tk_tl_on_gpu_zone_begin_serial(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_of_place(s, p, SERIAL, false);
}

int tk_tl_on_gpu_zone_begin_callstack_serial(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_of_place(s, p, SERIAL, true);
}

int tk_tl_on_gpu_zone_begin_alloc_src_loc(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_of_dynamic(s, p, OF_THREAD, false);
}

int tk_tl_on_gpu_zone_begin_alloc_src_loc_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_of_dynamic(s, p, OF_THREAD, true);
}

int tk_tl_on_gpu_zone_begin_alloc_src_loc_serial(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_of_dynamic(s, p, SERIAL, false);
}

int tk_tl_on_gpu_zone_begin_alloc_src_loc_callstack_serial(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_of_dynamic(s, p, SERIAL, true);
}

int tk_tl_on_gpu_zone_end(struct tk_tl_state *s, const uint8_t *p)
{
    return end_gpu_zone(s, p, move_where(s, p, OF_THREAD));
}

int tk_tl_on_gpu_zone_end_serial(struct tk_tl_state *s, const uint8_t *p)
{
    return end_gpu_zone(s, p, move_where(s, p, SERIAL));
}

/* ---- times ---- */

static int64_t time_of(const struct tk_tl_gpu *g, int64_t raw)
{
    if (!g->calibrated)
        return tk_wrap_add(scaled(g, raw), g->diff);
    const double gpu = g->period == 1.0f ? (double)tk_wrap_sub(raw, g->calibrated_gpu)
                                         : (double)g->period * (double)raw - (double)g->calibrated_gpu;
    const double part = gpu * g->factor;
    return tk_saturate_i64(part + (double)g->calibrated_cpu);
}

/* The clock of the GPU may start over. */
static int64_t unwrap(struct tk_tl_gpu *g, int64_t raw)
{
    if (raw < tk_wrap_sub(g->last, INT64_C(1) << 31)) {
        if (!g->overflow)
            g->overflow = g->last > 0 ? UINT64_C(1) << (64 - tk_zeros_above((uint64_t)g->last)) : 0;
        g->wraps++;
    }
    g->last = raw;
    return (int64_t)((uint64_t)raw + g->overflow * g->wraps);
}

int tk_tl_on_gpu_time(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_gpu *g = s->gpu_of[p[10]];
    const uint16_t query = tk_load16(p + 8);
    s->gpu_time = (int64_t)((uint64_t)s->gpu_time + tk_load64(p));
    if (!g) {
        s->odd.gpu_events++;
        return TK_OK;
    }
    const int64_t time = time_of(g, unwrap(g, s->gpu_time));
    struct tk_tl_gpu_live **slot = tk_record_map_get(&g->slots, query);
    if (!slot) {
        s->odd.gpu_events++;
        return TK_OK;
    }
    struct tk_tl_gpu_zone *zone = &(*slot)->zone;
    if (zone->gpu_start < 0) {
        zone->gpu_start = tk_tl_s48(time);
        g->count++;
    } else {
        zone->gpu_end = tk_tl_s48(time);
        s->gpu_zone_counts[zone->place + 32768]++;
    }
    tk_tl_see(s, time);
    return set_slot(s, g, query, NULL);
}

int tk_tl_on_gpu_calibration(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_gpu *g = s->gpu_of[p[24]];
    if (!g) {
        s->odd.gpu_events++;
        return TK_OK;
    }
    const int64_t gpu = scaled(g, (int64_t)tk_load64(p));
    const int64_t passed = tk_wrap_sub(gpu, g->calibrated_gpu);
    if (passed)
        g->factor = (double)(int64_t)tk_load64(p + 16) / (double)passed;
    g->calibrated_gpu = gpu;
    g->calibrated_cpu = tk_tl_ns(s, (int64_t)tk_load64(p + 8));
    return TK_OK;
}

int tk_tl_on_gpu_time_sync(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_gpu *g = s->gpu_of[p[16]];
    if (!g) {
        s->odd.gpu_events++;
        return TK_OK;
    }
    g->diff = tk_wrap_sub(tk_tl_ns(s, (int64_t)tk_load64(p + 8)), scaled(g, (int64_t)tk_load64(p)));
    g->last = 0;
    g->overflow = g->wraps = 0;
    return TK_OK;
}

/* ---- names and notes ---- */

int tk_tl_on_gpu_context_name(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t text = tk_tl_take_text(s);
    if (s->gpu_of[p[0]])
        s->gpu_of[p[0]]->name = text + 1;
    else
        s->odd.gpu_events++;
    return TK_OK;
}

int tk_tl_on_gpu_annotation_name(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_gpu *g = s->gpu_of[p[8]];
    const struct tk_tl_note_name name = {(int64_t)tk_load64(p), tk_tl_take_text(s) + 1};
    if (!g) {
        s->odd.gpu_events++;
        return TK_OK;
    }
    for (size_t i = 0; i < g->note_names.n; i++)
        if (g->note_names.v[i].note == name.note) {
            g->note_names.v[i].text = name.text;
            return TK_OK;
        }
    return tk_tl_push(s, &g->note_names, name);
}

/* The number of one, or TK_MAP_NONE: then *hash is where it would be. */
static uint32_t find_note(const struct tk_tl_gpu *g, const struct tk_tl_note *note, uint64_t *hash)
{
    uint32_t i;
    *hash = tk_hash_pair(note->query, (uint64_t)note->note);
    for (; (i = tk_map_get(&g->note_of, *hash)) != TK_MAP_NONE; ++*hash)
        if (g->notes.v[i].query == note->query && g->notes.v[i].note == note->note)
            return i;
    return TK_MAP_NONE;
}

int tk_tl_gpu_note_enter(struct tk_tl_state *s, struct tk_tl_gpu *g, uint32_t i)
{
    uint64_t hash;
    if (find_note(g, &g->notes.v[i], &hash) != TK_MAP_NONE)
        return tk_tl_impossible(s);
    return tk_tl_map_put(s, &g->note_of, hash, i);
}

int tk_tl_on_gpu_zone_annotation(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_gpu *g = s->gpu_of[p[22]];
    struct tk_tl_note note = {.query = tk_load16(p + 20), .note = (int64_t)tk_load64(p)};
    const uint64_t bits = tk_load64(p + 8);
    uint64_t hash;
    memcpy(&note.value, &bits, sizeof bits);
    if (!g) {
        s->odd.gpu_events++;
        return TK_OK;
    }
    const uint32_t i = find_note(g, &note, &hash);
    if (i != TK_MAP_NONE) {
        g->notes.v[i].value = note.value;
        return TK_OK;
    }
    TK_TL_TRY(tk_tl_map_put(s, &g->note_of, hash, (uint32_t)g->notes.n));
    return tk_tl_push(s, &g->notes, note);
}
