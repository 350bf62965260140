/*
 * Gathers the items of tracks for a .tracy: zones, frames, regions, values, messages.
 */
#include "export/tracy/tracy_in.h"

#include <string.h>

/*
 * Gathers tracks and texts for a .tracy, each once.
 */

static int tracy_tracks_no_memory(struct tk_err *err)
{
    return tk_err_nomem(err, "an export");
}

int tk_ts_string(struct tk_tracy_sink *t, const struct tk_str *text, uint32_t *number, struct tk_err *err)
{
    const char *p = text && text->p ? text->p : "";
    const size_t n = text && text->p ? text->n : 0;
    uint64_t hash = tk_hash_bytes(p, n, 0);
    for (; (*number = tk_map_get(&t->string_of, hash)) != TK_MAP_NONE; hash++)
        if (t->strings.v[*number].n == n && memcmp(t->strings.v[*number].p, p, n) == 0)
            return TK_OK;
    struct tk_ts_text copy = {tk_arena_copy(&t->texts, p, n), n};
    *number = (uint32_t)t->strings.n;
    if (!copy.p || tk_vec_push(&t->strings, copy) || tk_map_put(&t->string_of, hash, *number))
        return tracy_tracks_no_memory(err);
    return t->strings.n < TK_TS_STRINGS ? TK_OK
                                        : tk_err_set(err, TK_ELIMIT, "more texts than a .tracy can hold");
}

static size_t item_size(uint8_t kind)
{
    return kind == TK_TRACK_THREAD    ? sizeof(struct tk_ts_zone)
           : kind == TK_TRACK_GPU     ? sizeof(struct tk_ts_gpu_zone)
           : kind == TK_TRACK_COUNTER ? sizeof(struct tk_ts_point)
                                      : sizeof(struct tk_ts_interval);
}

int tk_ts_new_track(struct tk_tracy_sink *t, uint8_t kind, uint32_t name, uint32_t *i, struct tk_err *err)
{
    struct tk_ts_track *k = tk_arena_alloc(&t->arena, sizeof *k);
    if (!k)
        return tracy_tracks_no_memory(err);
    memset(k, 0, sizeof *k);
    k->kind = kind;
    k->name = name;
    tk_spill_column_begin(&k->items, t->columns, item_size(kind));
    tk_spill_column_begin(&k->message_keys, t->columns, sizeof(uint64_t));
    *i = (uint32_t)t->tracks.n;
    return tk_vec_push(&t->tracks, k) ? tracy_tracks_no_memory(err) : TK_OK;
}

/* A .tracy says so by their group. */
static bool is_fiber(const struct tk_track *track)
{
    static const char fiber[] = "Fiber";
    return track->kind == TK_TRACK_THREAD && track->group && track->group->n == sizeof fiber - 1 &&
           memcmp(track->group->p, fiber, sizeof fiber - 1) == 0;
}

/* Threads keep the id that the system gave them where no other has it; it gives fibers none. */
static uint64_t tid_of(const struct tk_tracy_sink *t, const struct tk_track *track)
{
    uint64_t tid = track->kind == TK_TRACK_GPU ? (UINT64_C(1) << 33) + track->number
                   : is_fiber(track)           ? (UINT64_C(1) << 32) + track->number
                                               : track->system_id;
    for (size_t i = 0; i < t->tracks.n; i++)
        if (tid == 0 || t->tracks.v[i]->tid == tid)
            return (UINT64_C(1) << 34) + t->tracks.n;
    return tid ? tid : (UINT64_C(1) << 34) + t->tracks.n;
}

int tk_ts_take_track(void *self, const struct tk_track *track, struct tk_err *err)
{
    struct tk_tracy_sink *t = self;
    uint32_t i = tk_map_get(&t->track_of, track->id), name;
    int rc = tk_ts_string(t, track->name, &name, err);
    if (rc == TK_OK && i == TK_MAP_NONE) {
        const uint64_t tid = tid_of(t, track);
        rc = tk_ts_new_track(t, track->kind, name, &i, err);
        if (rc == TK_OK && tk_map_put(&t->track_of, track->id, i))
            rc = tracy_tracks_no_memory(err);
        if (rc == TK_OK) {
            t->tracks.v[i]->tid = track->kind == TK_TRACK_THREAD || track->kind == TK_TRACK_GPU ? tid : 0;
            t->tracks.v[i]->fiber = is_fiber(track);
            t->tracks.v[i]->id = track->kind == TK_TRACK_MARKS ? track->parent : track->id;
            t->tracks.v[i]->bytes = track->kind == TK_TRACK_COUNTER && track->value_kind == TK_SIZE;
        }
    }
    if (rc == TK_OK)
        t->tracks.v[i]->name = name;
    return rc;
}

int tk_ts_thread(struct tk_tracy_sink *t, uint64_t id, uint64_t system_id, const struct tk_str *name,
                 uint32_t *place, struct tk_err *err)
{
    const struct tk_track track = {
        .id = id, .kind = TK_TRACK_THREAD, .number = system_id, .system_id = system_id, .name = name};
    *place = tk_map_get(&t->track_of, id);
    int rc = *place == TK_MAP_NONE ? tk_ts_take_track(t, &track, err) : TK_OK;
    *place = tk_map_get(&t->track_of, id);
    return rc;
}

static int no_memory(struct tk_err *err)
{
    return tk_err_nomem(err, "an export");
}

static int column_error(const struct tk_tracy_sink *t, struct tk_err *err)
{
    return tk_spill_columns_error(t->columns, err);
}

/* ---- zones ---- */

/* The location of a scope; beyond those that a file can have it is the last one, and the zone has a name of
 * its own. */
static int place_of(struct tk_tracy_sink *t, const struct tk_item *item, bool gpu, int16_t *place,
                    uint32_t *own_name, struct tk_err *err)
{
    static const struct tk_ts_count none = {0, 0};
    struct tk_ts_place p = {.file = UINT32_MAX, .line = item->line, .colour = item->colour};
    uint32_t i;
    *own_name = 0;
    int rc = tk_ts_string(t, item->name, &p.name, err);
    if (rc == TK_OK && item->file && item->file->p)
        rc = tk_ts_string(t, item->file, &p.file, err);
    if (rc != TK_OK)
        return rc;
    uint64_t hash = tk_hash_bytes(&p, sizeof p, 1);
    for (; (i = tk_map_get(&t->place_of, hash)) != TK_MAP_NONE; hash++)
        if (memcmp(&t->places.v[i], &p, sizeof p) == 0)
            break;
    if (i == TK_MAP_NONE && t->places.n == TK_TS_PLACES) {
        i = TK_TS_PLACES - 1;
        *own_name = p.name + 1;
    } else if (i == TK_MAP_NONE) {
        i = (uint32_t)t->places.n;
        if (tk_vec_push(&t->places, p) || tk_vec_push(&t->counts, none) || tk_map_put(&t->place_of, hash, i))
            return no_memory(err);
    }
    t->counts.v[i].cpu += !gpu;
    t->counts.v[i].gpu += gpu;
    *place = (int16_t)(-(int32_t)i - 1);
    return TK_OK;
}

/* What a zone has alongside its location; *number 0: nothing. Texts that the file has no space for are left
 * out.
 */
static int add_extra(struct tk_tracy_sink *t, const struct tk_item *item, uint32_t own_name, uint32_t *number,
                     struct tk_err *err)
{
    struct tk_ts_extra extra = {.callstack = item->callstack, .name = own_name};
    const bool has_text = item->text && item->text->n && t->strings.n < TK_TS_STRINGS / 2;
    int rc = has_text ? tk_ts_string(t, item->text, &extra.text, err) : TK_OK;
    extra.text += has_text;
    *number = 0;
    if (rc != TK_OK || !(extra.callstack | extra.text | extra.name))
        return rc;
    *number = (uint32_t)tk_spill_column_count(&t->extras);
    struct tk_ts_extra *record = tk_spill_column_add(&t->extras);
    if (!record)
        return column_error(t, err);
    *record = extra;
    return TK_OK;
}

static int begin_zone(struct tk_tracy_sink *t, struct tk_ts_track *k, const struct tk_item *item,
                      struct tk_err *err)
{
    struct tk_ts_zone zone = {.start = item->ns, .end = -1};
    uint32_t own_name;
    const bool gpu = k->kind == TK_TRACK_GPU;
    int rc = place_of(t, item, gpu, &zone.place, &own_name, err);
    t->bare += gpu && (own_name || (item->text && item->text->n));
    if (rc == TK_OK && !gpu)
        rc = add_extra(t, item, own_name, &zone.extra, err);
    if (rc != TK_OK)
        return rc;
    const int64_t requested = item->requested ? item->requested_ns : item->ns;
    const struct tk_ts_open open = {tk_spill_column_count(&k->items), {zone, requested, -1}};
    void *record = tk_spill_column_add(&k->items);
    if (!record)
        return column_error(t, err);
    memcpy(record, &open.gpu, gpu ? sizeof open.gpu : sizeof open.gpu.zone);
    *(gpu ? &t->zones.gpu : &t->zones.cpu) += 1;
    if (k->open.n)
        *(gpu ? &t->parents.gpu : &t->parents.cpu) += k->open.v[k->open.n - 1].gpu.zone.children++ == 0;
    else
        k->roots++;
    return tk_vec_push(&k->open, open) ? no_memory(err) : TK_OK;
}

static int end_zone(struct tk_tracy_sink *t, struct tk_ts_track *k, const struct tk_item *item,
                    struct tk_err *err)
{
    if (!k->open.n)
        return TK_OK;
    struct tk_ts_open *open = &k->open.v[--k->open.n];
    open->gpu.zone.end = item->open ? -1 : item->ns;
    open->gpu.requested_end = item->requested ? item->requested_ns : open->gpu.zone.end;
    return tk_spill_column_change(&k->items, open->index, &open->gpu) ? TK_OK : column_error(t, err);
}

static int add_interval(struct tk_tracy_sink *t, struct tk_ts_track *k, int64_t start, int64_t end,
                        struct tk_err *err)
{
    struct tk_ts_interval *v = tk_spill_column_add(&k->items);
    if (!v)
        return column_error(t, err);
    *v = (struct tk_ts_interval){start, end};
    return TK_OK;
}

/* A set is called as its frames are. */
static int begin_frame(struct tk_tracy_sink *t, struct tk_ts_track *k, const struct tk_item *item,
                       struct tk_err *err)
{
    int rc = item->name ? tk_ts_string(t, item->name, &k->name, err) : TK_OK;
    return rc == TK_OK ? add_interval(t, k, item->ns, -1, err) : rc;
}

static int end_frame(struct tk_tracy_sink *t, struct tk_ts_track *k, int64_t end, struct tk_err *err)
{
    const uint64_t n = tk_spill_column_count(&k->items);
    struct tk_ts_interval v;
    if (!n)
        return TK_OK;
    if (!tk_spill_column_get(&k->items, n - 1, &v))
        return column_error(t, err);
    v.end = end;
    return tk_spill_column_change(&k->items, n - 1, &v) ? TK_OK : column_error(t, err);
}

static double real_of(const struct tk_cell *c)
{
    return c->kind == TK_REAL                        ? c->v.r
           : c->kind == TK_INT || c->kind == TK_TIME ? (double)c->v.i
                                                     : (double)c->v.u;
}

static int add_point(struct tk_tracy_sink *t, struct tk_ts_track *k, const struct tk_item *item,
                     struct tk_err *err)
{
    const double value = real_of(&item->value);
    const bool first = tk_spill_column_count(&k->items) == 0;
    struct tk_ts_point *p = tk_spill_column_add(&k->items);
    if (!p)
        return column_error(t, err);
    *p = (struct tk_ts_point){item->ns, value};
    k->min = first || value < k->min ? value : k->min;
    k->max = first || value > k->max ? value : k->max;
    k->sum += value;
    return TK_OK;
}

static bool is_text(const struct tk_str *text, const char *wanted)
{
    return text->n == strlen(wanted) && memcmp(text->p, wanted, text->n) == 0;
}

/* As Tracy numbers severities. */
static uint8_t severity_of(const struct tk_item *item)
{
    static const struct {
        const char *verbosity;
        uint8_t severity;
    } known[] = {{"Fatal", 5}, {"Error", 4}, {"Warning", 3}, {"Verbose", 1}, {"VeryVerbose", 0}};
    if (item->value.kind != TK_TEXT)
        return TK_TS_INFO;
    const struct tk_str verbosity = {.p = item->value.v.p, .n = item->value.n};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_text(&verbosity, known[i].verbosity))
            return known[i].severity;
    return TK_TS_INFO;
}

static int add_message(struct tk_tracy_sink *t, const struct tk_ts_track *k, const struct tk_item *item,
                       struct tk_err *err)
{
    struct tk_ts_message m = {.time = item->ns, .order = t->n_messages++, .thread = UINT32_MAX};
    int rc = tk_ts_string(t, item->name, &m.text, err);
    m.severity = severity_of(item);
    m.source = item->category && is_text(item->category, "Tracy");
    m.placed = item->file || (item->category && !m.source);
    const uint32_t thread = tk_map_get(&t->track_of, k->id);
    if (thread != TK_MAP_NONE && t->tracks.v[thread]->kind == TK_TRACK_THREAD)
        m.thread = thread;
    return rc == TK_OK ? tk_external_sort_add(t->messages, &m, err) : rc;
}

/* Spans of one name are the intervals of a set. */
static int begin_span(struct tk_tracy_sink *t, const struct tk_item *item, struct tk_err *err)
{
    struct tk_ts_span span = {.start = item->ns};
    uint32_t name;
    int rc = tk_ts_string(t, item->name, &name, err);
    if (rc != TK_OK)
        return rc;
    span.set = tk_map_get(&t->region_of, name);
    if (span.set == TK_MAP_NONE) {
        rc = tk_ts_new_track(t, TK_TRACK_PROCESS, name, &span.set, err);
        if (rc == TK_OK && tk_map_put(&t->region_of, name, span.set))
            rc = no_memory(err);
    }
    if (rc == TK_OK &&
        (tk_map_put(&t->span_of, item->id, (uint32_t)t->spans.n) || tk_vec_push(&t->spans, span)))
        rc = no_memory(err);
    return rc;
}

static int end_span(struct tk_tracy_sink *t, const struct tk_item *item, struct tk_err *err)
{
    const uint32_t i = tk_map_get(&t->span_of, item->id);
    if (i == TK_MAP_NONE)
        return TK_OK;
    const struct tk_ts_span *span = &t->spans.v[i];
    return add_interval(t, t->tracks.v[span->set], span->start, item->ns, err);
}

static int take_item(struct tk_tracy_sink *t, const struct tk_item *item, struct tk_err *err)
{
    const uint32_t i = tk_map_get(&t->track_of, item->track);
    struct tk_ts_track *k = i == TK_MAP_NONE ? NULL : t->tracks.v[i];
    if (item->ns > t->last_time)
        t->last_time = item->ns;
    if (!k)
        return TK_OK;
    switch (item->kind) {
    case TK_ITEM_BEGIN:
        return k->kind == TK_TRACK_FRAMES ? begin_frame(t, k, item, err) : begin_zone(t, k, item, err);
    case TK_ITEM_END:
        return k->kind == TK_TRACK_FRAMES ? end_frame(t, k, item->ns, err) : end_zone(t, k, item, err);
    case TK_ITEM_COUNTER:
        return add_point(t, k, item, err);
    case TK_ITEM_INSTANT:
        return add_message(t, k, item, err);
    case TK_ITEM_SPAN_BEGIN:
        return begin_span(t, item, err);
    case TK_ITEM_SPAN_END:
        return end_span(t, item, err);
    default:
        return TK_OK;
    }
}

int tk_ts_take_items(void *self, const struct tk_item *items, size_t n, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = take_item(self, &items[i], err);
    return rc;
}
