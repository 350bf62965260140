/*
 * Writes frames, sections of time, names, locks, messages and extras of zones (tracy-file 4 to 5.9).
 */
#include "format/tracy/file/sections_out.h"
#include "live/tracy/tracy_in.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a capture that is one of several says of itself ---- */

struct record {
    char *text;
    size_t n, capacity;
};

static void put_text(struct record *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(r->text + r->n, r->capacity - r->n, format, args);
    va_end(args);
    r->n += n > 0 && (size_t)n < r->capacity - r->n ? (size_t)n : 0;
}

/* As the record of a cut, but that tables grow from one capture to the next. */
static void put_record(const struct tk_tl_state *s, struct record *r)
{
    const char *comma = "";
    put_text(r,
             TK_TRACY_EDIT_MARK
             "%s\",\"options\":[\"rotate\"],\"dropped\":[]" TK_TRACY_EDIT_GROWS TK_TRACY_EDIT_TIMES,
             TK_VERSION);
    if (s->piece.number)
        put_text(r, "\"from\":%" PRId64, s->piece.from);
    if (s->piece.goes_on)
        put_text(r, "%s\"to\":%" PRId64, s->piece.number ? "," : "", tk_tl_piece_end(s));
    put_text(r, "}" TK_TRACY_EDIT_CONTINUED "\"threads\":[");
    for (size_t i = 0; i < s->threads.n; i++)
        if (s->threads.v[i]->continued) {
            put_text(r, "%s[%zu,%u]", comma, i, (unsigned)s->threads.v[i]->continued);
            comma = ",";
        }
    put_text(r, "],\"gpu\":[]}}");
}

static int save_record(const struct tk_tl_state *s, char **text, size_t *n)
{
    struct record r = {.capacity = 512 + 48 * s->threads.n};
    *text = NULL;
    *n = 0;
    if (!tk_tl_is_piece(s))
        return TK_OK;
    if (!(r.text = malloc(r.capacity)))
        return TK_ENOMEM;
    put_record(s, &r);
    *text = r.text;
    *n = r.n;
    return TK_OK;
}

/* ---- frames, sections ---- */

static int put_frame_set(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_frame_set *set)
{
    struct tk_tl_ordered o;
    const void *record;
    uint32_t index = 0;
    int rc = tk_tl_ordered_open(&o, s, &set->frames, set->unsorted && set->name, s->err);
    tk_tracy_put_frame_set(w, &(struct tk_tracy_frame_set){set->name, set->continuous});
    tk_tracy_put_list(w, tk_spill_column_count(&set->frames));
    while (rc == TK_OK && (rc = tk_tl_ordered_next(&o, &record)) == TK_ITEM) {
        struct tk_tl_frame f;
        memcpy(&f, record, sizeof f);
        const uint32_t image = set->name ? TK_MAP_NONE : tk_map_get(&s->image_of, index++);
        const struct tk_tracy_lone_frame out = {f.start, f.end, image == TK_MAP_NONE ? -1 : (int32_t)image};
        tk_tracy_put_frame_of(w, set->continuous, &out);
        rc = TK_OK;
    }
    tk_tl_ordered_close(&o);
    return rc;
}

int tk_tl_save_frames(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, s->listed_sets.n, 8);
    for (size_t i = 0; i < s->listed_sets.n; i++)
        TK_TL_TRY(put_frame_set(s, w, s->frame_sets.v[s->listed_sets.v[i]]));
    return TK_OK;
}

static int put_category(struct tk_tracy_writer *w, const struct tk_tl_category *c, struct tk_err *err)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_tracy_put_category(w, &(struct tk_tracy_category){c->id});
    tk_tracy_put(w, tk_spill_column_count(&c->items), 8);
    tk_spill_column_reading_open(&r, &c->items, err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_tl_section item;
        memcpy(&item, record, sizeof item);
        tk_tracy_put_time_section(w, &(struct tk_tracy_time_section){item.start, item.end, item.text});
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

int tk_tl_save_sections(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    uint64_t entered = 0;
    if (!w->layout.section_categories)
        return TK_OK;
    for (size_t i = 0; i < s->categories.n; i++)
        entered += s->categories.v[i]->entered;
    tk_tracy_put(w, entered, 8);
    for (size_t i = 0; i < s->categories.n; i++)
        if (s->categories.v[i]->entered)
            TK_TL_TRY(put_category(w, s->categories.v[i], s->err));
    tk_tracy_put(w, s->categories.n, 8);
    for (size_t i = 0; i < s->categories.n; i++) {
        const struct tk_tl_category *c = s->categories.v[i];
        tk_tracy_put_description(w, &(struct tk_tracy_description){c->id, c->text});
    }
    return TK_OK;
}

/* ---- names: the key of a string is its number + 1 ---- */

static uint64_t key_of(uint32_t text)
{
    return (uint64_t)text + 1;
}

static uint64_t count_named(const struct tk_tl_pointer *v, size_t n)
{
    uint64_t known = 0;
    for (size_t i = 0; i < n; i++)
        known += v[i].text != TK_TL_NONE;
    return known;
}

/* Pointers that have a text. */
static void put_pointers(struct tk_tracy_writer *w, const struct tk_tl_pointer *v, size_t n)
{
    tk_tracy_put(w, count_named(v, n), 8);
    for (size_t i = 0; i < n; i++)
        if (v[i].text != TK_TL_NONE) {
            const struct tk_tracy_pointer out = {v[i].pointer, key_of(v[i].text)};
            tk_tracy_put_pointer(w, &out);
        }
}

/* Threads that have a name. */
static void put_thread_names(struct tk_tracy_writer *w, const struct tk_tl_pointer *v, size_t n)
{
    tk_tracy_put(w, count_named(v, n), 8);
    for (size_t i = 0; i < n; i++)
        if (v[i].text != TK_TL_NONE) {
            const struct tk_tracy_thread_name out = {v[i].pointer, key_of(v[i].text)};
            tk_tracy_put_thread_name(w, &out);
        }
}

static bool is_known(const struct tk_tl_external *e)
{
    return e->name != TK_TL_NONE && e->process != TK_TL_NONE;
}

static void put_externals(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    uint64_t known = 0;
    for (size_t i = 0; i < s->external_names.n; i++)
        known += is_known(&s->external_names.v[i]);
    tk_tracy_put(w, known, 8);
    for (size_t i = 0; i < s->external_names.n; i++) {
        const struct tk_tl_external *e = &s->external_names.v[i];
        if (!is_known(e))
            continue;
        const struct tk_tracy_external_name out = {e->tid, key_of(e->process), key_of(e->name)};
        tk_tracy_put_external_name(w, &out);
    }
}

static void put_numbers(struct tk_tracy_writer *w, const uint64_t *v, size_t n)
{
    tk_tracy_put(w, n, 8);
    for (size_t i = 0; i < n; i++)
        tk_tracy_put(w, v[i], 8);
}

static int put_strings(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    char *record;
    size_t n;
    if (save_record(s, &record, &n) != TK_OK)
        return tk_tl_nomem(s);
    tk_tracy_put(w, s->strings.n + (record != NULL), 8);
    for (size_t i = 0; i < s->strings.n; i++) {
        const struct tk_tl_text t = tk_tl_text_of(s, (uint32_t)i);
        tk_tracy_put_string(w, &(struct tk_tracy_string){key_of((uint32_t)i), t.n});
        tk_tracy_put_bytes(w, t.p, t.n);
    }
    if (record) {
        tk_tracy_put_string(w, &(struct tk_tracy_string){key_of((uint32_t)s->strings.n), n});
        tk_tracy_put_bytes(w, record, n);
    }
    free(record);
    return TK_OK;
}

static struct tk_tracy_ref pointer_ref(uint64_t pointer)
{
    return (struct tk_tracy_ref){pointer, TK_TRACY_REF_POINTER};
}

static struct tk_tracy_ref number_ref(uint32_t text)
{
    return text == TK_TL_NONE ? (struct tk_tracy_ref){0} : (struct tk_tracy_ref){text, TK_TRACY_REF_NUMBER};
}

/* Locations that were not reported have no names at all. */
static void put_places(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, s->statics.n, 8);
    for (size_t i = 0; i < s->statics.n; i++) {
        const struct tk_tl_static *k = &s->statics.v[i];
        struct tk_tracy_location p = {.line = k->line, .colour = k->colour};
        if (k->known) {
            p.function = pointer_ref(k->function);
            p.file = pointer_ref(k->file);
            if (k->name)
                p.name = pointer_ref(k->name);
        }
        tk_tracy_put(w, k->pointer, 8);
        tk_tracy_put_location(w, &p);
    }
    put_numbers(w, s->expand.v, s->expand.n);
    tk_tracy_put(w, s->dynamics.n, 8);
    for (size_t i = 0; i < s->dynamics.n; i++) {
        const struct tk_tl_dynamic *d = &s->dynamics.v[i];
        const struct tk_tracy_location p = {number_ref(d->name), number_ref(d->function), number_ref(d->file),
                                            d->line, d->colour};
        tk_tracy_put_location(w, &p);
    }
}

enum { NO_PLACE = 32767, PLACES = 65536, PLACE_ZERO = 32768 };

static void put_count(struct tk_tracy_writer *w, int32_t location, uint64_t zones)
{
    tk_tracy_put_zone_count(w, &(struct tk_tracy_zone_count){(int16_t)location, zones});
}

/* Each location that a zone can have needs a line. */
static void put_counts(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    const bool has_none =
        s->zone_counts[NO_PLACE + PLACE_ZERO] || s->odd.payloads || s->statics.n >= NO_PLACE - 1;
    uint64_t n = 0;
    tk_tracy_put(w, s->expand.n - 1 + s->dynamics.n + has_none, 8);
    for (size_t i = 1; i < s->expand.n; i++)
        put_count(w, (int32_t)i, s->zone_counts[i + PLACE_ZERO]);
    for (size_t i = 0; i < s->dynamics.n; i++)
        put_count(w, -(int32_t)i - 1, s->zone_counts[PLACE_ZERO - 1 - i]);
    if (has_none)
        put_count(w, NO_PLACE, s->zone_counts[NO_PLACE + PLACE_ZERO]);
    for (size_t i = 0; i < PLACES; i++)
        n += s->gpu_zone_counts[i] > s->gpu_left[i];
    tk_tracy_put(w, n, 8);
    for (int32_t i = 0; i < PLACES; i++)
        if (s->gpu_zone_counts[i] > s->gpu_left[i])
            put_count(w, i - PLACE_ZERO, s->gpu_zone_counts[i] - s->gpu_left[i]);
}

int tk_tl_save_names(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    TK_TL_TRY(put_strings(s, w));
    put_pointers(w, s->pointers.v, s->pointers.n);
    put_thread_names(w, s->thread_names.v, s->thread_names.n);
    put_externals(s, w);
    put_numbers(w, s->local_threads.v, s->local_threads.n);
    put_numbers(w, s->external_threads.v, s->external_threads.n);
    put_places(s, w);
    put_counts(s, w);
    return TK_OK;
}

/* ---- locks, messages, extras ---- */

static int put_lock(struct tk_tracy_writer *w, const struct tk_tl_lock *l, struct tk_err *err)
{
    const struct tk_tracy_lock head = {l->id, l->name, l->place, l->type, true, l->announced, l->terminated};
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_tracy_put_lock(w, &head);
    tk_tracy_put(w, l->n_threads, 8);
    for (size_t i = 0; i < l->n_threads; i++)
        tk_tracy_put_lock_thread(w, &(struct tk_tracy_lock_thread){l->threads[i]});
    uint64_t n = tk_spill_column_count(&l->events) - l->left;
    tk_tracy_put(w, n, 8);
    w->time = l->announced;
    tk_spill_column_reading_open(&r, &l->events, err);
    for (rc = TK_OK; n && (rc = tk_spill_column_read(&r, &record)) == TK_ITEM; n--, rc = TK_OK) {
        struct tk_tl_lock_event e;
        memcpy(&e, record, sizeof e);
        tk_tracy_put_lock_event(w, &(struct tk_tracy_lock_event){e.time, e.place, e.thread, e.kind});
    }
    tk_spill_column_reading_close(&r);
    return rc;
}

int tk_tl_save_locks(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    tk_tracy_put(w, s->locks.n, 8);
    for (size_t i = 0; i < s->locks.n; i++)
        TK_TL_TRY(put_lock(w, s->locks.v[i], s->err));
    return TK_OK;
}

static int put_message(struct tk_tl_state *s, struct tk_tracy_writer *w, const struct tk_tl_message *m)
{
    const struct tk_tracy_message out = {
        m->order + 1, m->time,      m->is_pointer ? pointer_ref(m->text) : number_ref((uint32_t)m->text),
        m->colour,    m->callstack, m->source,
        m->severity};
    uint64_t *key = tk_spill_column_add(&s->threads.v[m->thread]->message_keys);
    if (!key)
        return tk_tl_column_error(s);
    *key = out.key;
    tk_tracy_put_message(w, &out);
    return TK_OK;
}

int tk_tl_save_messages(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    const void *record;
    int rc = TK_OK;
    for (size_t i = 0; i < s->threads.n; i++) { /* a capture that could not be written has left some */
        tk_spill_column_release(&s->threads.v[i]->message_keys);
        tk_spill_column_begin(&s->threads.v[i]->message_keys, s->columns, sizeof(uint64_t));
    }
    tk_tracy_put(w, s->n_messages - s->piece.messages, 8);
    w->time = 0;
    if (!s->messages)
        return TK_OK;
    rc = tk_external_sort_start(s->messages, s->err);
    while (rc == TK_OK && (rc = tk_external_sort_next(s->messages, &record, s->err)) == TK_ITEM)
        rc = put_message(s, w, record);
    return rc;
}

int tk_tl_save_extras(struct tk_tl_state *s, struct tk_tracy_writer *w)
{
    struct tk_spill_column_reading r;
    const void *record;
    int rc;
    tk_tracy_put(w, tk_spill_column_count(&s->extras), 8);
    tk_spill_column_reading_open(&r, &s->extras, s->err);
    while ((rc = tk_spill_column_read(&r, &record)) == TK_ITEM) {
        struct tk_tl_extra e;
        memcpy(&e, record, sizeof e);
        tk_tracy_put_extra(w, &(struct tk_tracy_extra){e.callstack, e.text, e.name, e.colour});
    }
    tk_spill_column_reading_close(&r);
    return rc;
}
