/*
 * Writes what was gathered of a timeline as a .tracy (tracy-file 4, 5): in the version of the .tracy that it
 * comes from, else in the one that all of Tracy's releases from 0.10 on load. tracy_back.c writes the
 * sections behind the plots.
 */
#include "export/tracy/tracy_in.h"
#include "format/tracy/file/sections_out.h"
#include "format/tracy/file/version.h"

#include <stdlib.h>
#include <string.h>

/*
 * Gathers a timeline for a .tracy, where totals stand before contents: what grows is kept in columns that
 * spill (tracy_tracks.c, tracy_items.c). tracy_save.c writes it.
 */

enum { COLUMN_BYTES = 24 << 20, SORT_BYTES = 2 << 20 };

static int compare_messages(const void *a, const void *b)
{
    const struct tk_ts_message *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

int tk_tracy_sink_open(struct tk_tracy_sink **out, const char *path, bool force, const char *scratch,
                       struct tk_err *err)
{
    struct tk_tracy_sink *t = calloc(1, sizeof *t);
    *out = t;
    if (!t || tk_spill_columns_open(&t->columns, scratch, COLUMN_BYTES))
        return tk_err_nomem(err, "an export");
    t->scratch = scratch;
    tk_spill_column_begin(&t->extras, t->columns, sizeof(struct tk_ts_extra));
    struct tk_ts_extra *none = tk_spill_column_add(&t->extras);
    if (!none)
        return tk_spill_columns_error(t->columns, err);
    *none = (struct tk_ts_extra){0};
    int rc = tk_external_sort_open(&t->messages, scratch, sizeof(struct tk_ts_message), compare_messages,
                                   SORT_BYTES, err);
    return rc == TK_OK ? tk_output_open(&t->output, path, force, err) : rc;
}

void tk_tracy_sink_close(struct tk_tracy_sink *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->tracks.n; i++) {
        tk_spill_column_release(&t->tracks.v[i]->items);
        tk_spill_column_release(&t->tracks.v[i]->message_keys);
        tk_vec_release(&t->tracks.v[i]->open);
    }
    if (t->columns)
        tk_spill_column_release(&t->extras);
    tk_vec_release(&t->tracks);
    tk_vec_release(&t->strings);
    tk_vec_release(&t->places);
    tk_vec_release(&t->counts);
    tk_vec_release(&t->spans);
    tk_vec_release(&t->system_tracks);
    tk_vec_release(&t->system_ids);
    tk_vec_release(&t->numbered);
    tk_vec_release(&t->local);
    tk_ts_events_free(t->events);
    tk_map_release(&t->string_of);
    tk_map_release(&t->track_of);
    tk_map_release(&t->place_of);
    tk_map_release(&t->region_of);
    tk_map_release(&t->span_of);
    tk_external_sort_close(t->messages);
    tk_spill_columns_close(t->columns);
    tk_arena_release(&t->arena);
    tk_arena_release(&t->texts);
    tk_output_discard(t->output);
    free(t);
}

struct tk_timeline_sink tk_tracy_sink(struct tk_tracy_sink *t)
{
    return (struct tk_timeline_sink){.self = t, .track = tk_ts_take_track, .items = tk_ts_take_items};
}

void tk_tracy_sink_events(struct tk_tracy_sink *t, struct tk_ts_events *events)
{
    t->events = events;
}

uint64_t tk_tracy_sink_bare(const struct tk_tracy_sink *t)
{
    return t->bare;
}

uint64_t tk_tracy_sink_bare_messages(const struct tk_tracy_sink *t)
{
    return t->bare_messages;
}

uint64_t tk_tracy_sink_left_out(const struct tk_tracy_sink *t)
{
    return t->events ? t->events->locks.left_out : 0;
}

#define USUAL_VERSION  TK_TRACY_V(0, 10, 0)
#define OLDEST_VERSION TK_TRACY_V(0, 9, 0)

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        const int rc_of_try = (call);                                                                        \
        if (rc_of_try != TK_OK)                                                                              \
            return rc_of_try;                                                                                \
    } while (0)

static bool is_set(const struct tk_ts_track *k)
{
    return (k->kind == TK_TRACK_FRAMES || k->kind == TK_TRACK_PROCESS) && tk_spill_column_count(&k->items);
}

static uint64_t count_of(const struct tk_tracy_sink *t, bool (*is)(const struct tk_ts_track *))
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->tracks.n; i++)
        n += is(t->tracks.v[i]);
    return n;
}

/* ---- the front ---- */

static struct tk_bytes span_of(const char *text)
{
    return (struct tk_bytes){(const uint8_t *)text, strlen(text) < 1023 ? strlen(text) : 1023};
}

static void put_head(struct tk_tracy_sink *t, struct tk_tracy_writer *w, const struct tk_tracy_about *about)
{
    const struct tk_tracy_head h = {.h = {.resolution = 1,
                                          .period = 1,
                                          .last_time = t->last_time > 0 ? t->last_time : 1,
                                          .sampling = t->events ? t->events->period : 0},
                                    .capture_name = span_of(about->name),
                                    .program = span_of(about->program),
                                    .host = span_of("written by tracekit")};
    tk_tracy_put_head(w, &h);
    tk_tracy_put_topology(w, NULL, 0);
    tk_tracy_put_crash(w, &(struct tk_tracy_crash){0});
}

static int put_intervals(struct tk_tracy_writer *w, const struct tk_ts_track *k, bool continuous,
                         int64_t *last, struct tk_err *err)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_spill_column_reading_open(&r, &k->items, err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_ts_interval v;
        memcpy(&v, record, sizeof v);
        tk_tracy_put_frame_of(w, continuous, &(struct tk_tracy_lone_frame){v.start, v.end, -1});
        *last = v.end;
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

static const struct tk_ts_track *main_frames(const struct tk_tracy_sink *t)
{
    for (size_t i = 0; i < t->tracks.n; i++)
        if (t->tracks.v[i]->kind == TK_TRACK_FRAMES && tk_spill_column_count(&t->tracks.v[i]->items))
            return t->tracks.v[i];
    return NULL;
}

/* The main set is continuous: two entries before the first frame, and one where the last frame ends. */
static int put_main_frames(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    const struct tk_ts_track *k = main_frames(t);
    const uint64_t n = k ? tk_spill_column_count(&k->items) : 0;
    struct tk_ts_interval last = {0, -1};
    int64_t end = -1;
    if (n && !tk_spill_column_get((struct tk_spill_column *)&k->items, n - 1, &last))
        return tk_spill_columns_error(t->columns, err);
    tk_tracy_put_frame_set(w, &(struct tk_tracy_frame_set){0, true});
    tk_tracy_put_list(w, 2 + n + (last.end >= 0));
    tk_tracy_put_frame(w, &(struct tk_tracy_frame){0, -1});
    tk_tracy_put_frame(w, &(struct tk_tracy_frame){0, -1});
    if (k)
        TRY(put_intervals(w, k, true, &end, err));
    if (last.end >= 0)
        tk_tracy_put_frame(w, &(struct tk_tracy_frame){last.end, -1});
    return TK_OK;
}

static int put_frames(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    const struct tk_ts_track *main = main_frames(t);
    int64_t end;
    tk_tracy_put(w, 1 + count_of(t, is_set) - (main != NULL), 8);
    TRY(put_main_frames(t, w, err));
    for (size_t i = 0; i < t->tracks.n; i++) {
        const struct tk_ts_track *k = t->tracks.v[i];
        if (!is_set(k) || k == main)
            continue;
        tk_tracy_put_frame_set(w, &(struct tk_tracy_frame_set){TK_TS_POINTER(k->name), false});
        tk_tracy_put_list(w, tk_spill_column_count(&k->items));
        TRY(put_intervals(w, k, false, &end, err));
    }
    return TK_OK;
}

static void put_strings(struct tk_tracy_sink *t, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, t->strings.n, 8);
    for (size_t i = 0; i < t->strings.n; i++) {
        const struct tk_ts_text *s = &t->strings.v[i];
        const char *end = s->n ? memchr(s->p, 0, s->n) : NULL;
        const struct tk_tracy_string head = {TK_TS_KEY(i), end ? (size_t)(end - s->p) : s->n};
        tk_tracy_put_string(w, &head);
        tk_tracy_put_bytes(w, s->p, head.n);
    }
    tk_tracy_put(w, t->strings.n, 8);
    for (size_t i = 0; i < t->strings.n; i++)
        tk_tracy_put_pointer(w, &(struct tk_tracy_pointer){TK_TS_POINTER(i), TK_TS_KEY(i)});
}

static int put_threads(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    const uint64_t n = count_of(t, tk_ts_is_thread);
    tk_tracy_put(w, n, 8);
    for (size_t i = 0; i < t->tracks.n; i++)
        if (tk_ts_is_thread(t->tracks.v[i])) {
            const struct tk_ts_track *k = t->tracks.v[i];
            tk_tracy_put_thread_name(w, &(struct tk_tracy_thread_name){k->tid, TK_TS_KEY(k->name)});
        }
    TRY(tk_ts_put_externals(t, w, err));
    tk_tracy_put(w, t->numbered.n + 1, 8);
    tk_tracy_put(w, 0, 8);
    for (size_t i = 0; i < t->numbered.n; i++)
        tk_tracy_put(w, t->tracks.v[t->numbered.v[i]]->tid, 8);
    tk_ts_put_external_ids(t, w); /* those that CPUs ran */
    return TK_OK;
}

/* How many zones each location has. */
static void put_counts(struct tk_tracy_sink *t, struct tk_tracy_writer *w, bool gpu)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->places.n; i++)
        n += (gpu ? t->counts.v[i].gpu : t->counts.v[i].cpu) > 0;
    tk_tracy_put(w, n, 8);
    for (size_t i = 0; i < t->places.n; i++) {
        const uint64_t zones = gpu ? t->counts.v[i].gpu : t->counts.v[i].cpu;
        if (zones)
            tk_tracy_put_zone_count(w, &(struct tk_tracy_zone_count){(int16_t)(-(int32_t)i - 1), zones});
    }
}

static void put_places(struct tk_tracy_sink *t, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, 0, 8);
    tk_tracy_put(w, 1, 8);
    tk_tracy_put(w, 0, 8);
    tk_tracy_put(w, t->places.n, 8);
    for (size_t i = 0; i < t->places.n; i++) {
        const struct tk_ts_place *p = &t->places.v[i];
        const struct tk_tracy_ref name = {p->name, TK_TRACY_REF_NUMBER};
        const struct tk_tracy_ref none = {0}, file = {p->file, TK_TRACY_REF_NUMBER};
        const struct tk_tracy_location place = {name, name, p->file == UINT32_MAX ? none : file, p->line,
                                                p->colour};
        tk_tracy_put_location(w, &place);
    }
    put_counts(t, w, false);
    put_counts(t, w, true);
}

static int put_messages(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    const void *record;
    int rc = tk_external_sort_start(t->messages, err);
    tk_tracy_put(w, t->n_messages, 8);
    w->time = 0;
    while (rc == TK_OK && (rc = tk_external_sort_next(t->messages, &record, err)) == TK_ITEM) {
        const struct tk_ts_message *m = record;
        const struct tk_tracy_message out = {.key = m->order + 1,
                                             .time = m->time,
                                             .text = {m->text, TK_TRACY_REF_NUMBER},
                                             .colour = UINT32_MAX,
                                             .source = m->source,
                                             .severity = m->severity};
        const bool without = !w->layout.message_source && (m->severity != TK_TS_INFO || m->source);
        t->bare_messages += m->placed || without;
        tk_tracy_put_message(w, &out);
        uint64_t *key =
            m->thread == UINT32_MAX ? NULL : tk_spill_column_add(&t->tracks.v[m->thread]->message_keys);
        if (m->thread != UINT32_MAX && !key)
            return tk_spill_columns_error(t->columns, err);
        if (key)
            *key = out.key;
        rc = TK_OK;
    }
    return rc;
}

static int put_extras(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_tracy_put(w, tk_spill_column_count(&t->extras), 8);
    tk_spill_column_reading_open(&r, &t->extras, err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_ts_extra extra;
        memcpy(&extra, record, sizeof extra);
        const uint32_t stack = t->events ? tk_ts_stack_number(t->events, extra.callstack) : 0;
        tk_tracy_put_extra(w, &(struct tk_tracy_extra){stack, extra.text, extra.name, 0});
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

/* ---- zones ---- */

struct waiting {
    int64_t end;
    uint32_t left;
};

struct waiting_list {
    TK_VEC(struct waiting) v;
};

static int put_zone(struct tk_tracy_writer *w, struct waiting_list *open, const void *record,
                    struct tk_err *err)
{
    struct tk_ts_zone z;
    memcpy(&z, record, sizeof z);
    const struct waiting o = {z.end, z.children};
    tk_tracy_put_zone_begin(w, z.place, z.start, z.extra, z.children);
    if (tk_vec_push(&open->v, o))
        return tk_err_nomem(err, "an export");
    while (open->v.n && !open->v.v[open->v.n - 1].left) {
        tk_tracy_put_zone_end(w, open->v.v[--open->v.n].end);
        if (open->v.n)
            open->v.v[open->v.n - 1].left--;
    }
    return TK_OK;
}

static int put_zones(struct tk_tracy_writer *w, const struct tk_ts_track *k, struct tk_err *err)
{
    struct tk_spill_column_reading r;
    struct waiting_list open = {{0}};
    const void *record;
    int rc = TK_OK;
    tk_spill_column_reading_open(&r, &k->items, err);
    while (rc == TK_OK && w->rc == TK_OK && (rc = tk_spill_column_read(&r, &record)) == TK_ITEM)
        rc = put_zone(w, &open, record, err);
    tk_spill_column_reading_close(&r);
    tk_vec_release(&open.v);
    return rc;
}

static int put_keys(struct tk_tracy_writer *w, const struct tk_spill_column *c, struct tk_err *err)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_tracy_put(w, tk_spill_column_count(c), 8);
    tk_spill_column_reading_open(&r, c, err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_tracy_thread_message message;
        memcpy(&message.key, record, sizeof message.key);
        tk_tracy_put_thread_message(w, &message);
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

static int put_thread(struct tk_tracy_sink *t, struct tk_tracy_writer *w, size_t track, struct tk_err *err)
{
    const struct tk_ts_track *k = t->tracks.v[track];
    const struct tk_tracy_thread head = {
        .tid = k->tid, .fiber = k->fiber, .zones = tk_spill_column_count(&k->items)};
    tk_tracy_put_thread(w, &head);
    tk_tracy_put_roots(w, (uint32_t)k->roots);
    TRY(put_zones(w, k, err));
    TRY(put_keys(w, &k->message_keys, err));
    if (w->layout.switch_samples)
        tk_tracy_put_list(w, 0);
    return tk_ts_put_samples(t, w, track, err);
}

static int put_all_zones(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    tk_tracy_put(w, t->zones.cpu, 8);
    tk_tracy_put(w, t->parents.cpu, 8);
    tk_tracy_put(w, count_of(t, tk_ts_is_thread), 8);
    for (size_t i = 0; i < t->tracks.n; i++)
        if (tk_ts_is_thread(t->tracks.v[i]))
            TRY(put_thread(t, w, i, err));
    return tk_ts_put_gpu(t, w, err);
}

/* ---- the rest ---- */

static bool is_plot(const struct tk_ts_track *k)
{
    return k->kind == TK_TRACK_COUNTER && tk_spill_column_count(&k->items);
}

static int put_plot(struct tk_tracy_writer *w, const struct tk_ts_track *k, struct tk_err *err)
{
    const struct tk_tracy_plot head = {.format = k->bytes,
                                       .fill = 1,
                                       .name = TK_TS_POINTER(k->name),
                                       .min = k->min,
                                       .max = k->max,
                                       .sum = k->sum};
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_tracy_put_plot(w, &head);
    tk_tracy_put_list(w, tk_spill_column_count(&k->items));
    tk_spill_column_reading_open(&r, &k->items, err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_ts_point p;
        memcpy(&p, record, sizeof p);
        tk_tracy_put_point(w, &(struct tk_tracy_point){p.time, p.value});
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

static int put_plots(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err)
{
    tk_tracy_put(w, count_of(t, is_plot), 8);
    for (size_t i = 0; i < t->tracks.n; i++)
        if (is_plot(t->tracks.v[i]))
            TRY(put_plot(w, t->tracks.v[i], err));
    return TK_OK;
}

static int put_sections(struct tk_tracy_sink *t, struct tk_tracy_writer *w,
                        const struct tk_tracy_about *about, struct tk_err *err)
{
    put_head(t, w, about);
    TRY(put_frames(t, w, err));
    for (unsigned i = 0; i < 2U * w->layout.section_categories + w->layout.section_list; i++)
        tk_tracy_put(w, 0, 8); /* sections of time, and their names */
    put_strings(t, w);
    TRY(put_threads(t, w, err));
    put_places(t, w);
    TRY(tk_ts_put_locks(t, w, err));
    TRY(put_messages(t, w, err));
    TRY(put_extras(t, w, err));
    TRY(put_all_zones(t, w, err));
    TRY(put_plots(t, w, err));
    return tk_ts_put_back(t, w, err);
}

static int write_output(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    return tk_output_write(ctx, p, n, err);
}

/* Scopes and spans that never ended stay open. */
static int put_open(struct tk_tracy_sink *t, struct tk_err *err)
{
    for (size_t i = 0; i < t->tracks.n; i++)
        for (size_t k = 0; k < t->tracks.v[i]->open.n; k++)
            if (!tk_spill_column_change(&t->tracks.v[i]->items, t->tracks.v[i]->open.v[k].index,
                                        &t->tracks.v[i]->open.v[k].gpu))
                return tk_spill_columns_error(t->columns, err);
    return tk_spill_columns_seal(t->columns, err);
}

static int save(struct tk_tracy_sink *t, const struct tk_tracy_about *about, struct tk_err *err)
{
    const uint32_t source = t->events ? t->events->version : 0;
    /* a number that nobody released says no layout */
    const bool same =
        source >= OLDEST_VERSION && source <= TK_TRACY_NEWEST && tk_tracy_version_is_released(source);
    const struct tk_tracy_packing usual = {
        .mark = TK_TRACY_MARK_ZSTD, .codec = TK_TRACY_ZSTD, .level = 3, .streams = 1};
    const struct tk_tracy_packing packing = same ? tk_tracy_packing_of(source) : usual;
    struct tk_tracy_writer w;
    TRY(tk_ts_merge_events(t, err));
    TRY(put_open(t, err));
    tk_tracy_writer_open(&w, same ? source : USUAL_VERSION, &packing, write_output, t->output, err);
    const int rc = w.rc == TK_OK ? put_sections(t, &w, about, err) : w.rc;
    const int written = tk_tracy_writer_close(&w);
    return rc != TK_OK ? rc : written;
}

int tk_tracy_sink_commit(struct tk_tracy_sink *t, const struct tk_tracy_about *about, struct tk_err *err)
{
    int rc = save(t, about, err);
    if (rc != TK_OK)
        return rc;
    struct tk_output *output = t->output;
    t->output = NULL;
    return tk_output_commit(output, err);
}
