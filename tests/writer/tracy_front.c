/* Sections of a `.tracy` payload before the zones (tracy-file 4, 5.1 to 5.9). */
#include "format/tracy/file/sections_out.h"
#include "tracy_values.h"

#include <string.h>

/* ---- the header ---- */

static void put_n(struct tk_tw *w, uint64_t n)
{
    tk_tracy_put(&w->out, n, 8);
}

static struct tk_bytes span_of(const char *text)
{
    return (struct tk_bytes){(const uint8_t *)(text ? text : ""), text ? strlen(text) : 0};
}

static void put_header(struct tk_tw *w)
{
    const struct tk_tw_trace *t = w->trace;
    struct tk_tracy_head h = {.h = {.delay = 11,
                                    .resolution = 7,
                                    .period = 0.5,
                                    .last_time = t->last_time,
                                    .pid = t->pid,
                                    .arch = 2,
                                    .cpu_id = 0x906ea},
                              .t = {t->capture_time, t->capture_time},
                              .capture_name = span_of(t->capture_name),
                              .program = span_of(t->program),
                              .host = span_of(t->host)};

    memcpy(h.h.manufacturer.v, "GenuineIntel", sizeof(h.h.manufacturer.v));
    tk_tracy_put_head(&w->out, &h);
}

/* One package [with one die] of two cores, the first one with two threads. */
static void put_topology(struct tk_tw *w)
{
    static const struct tk_tracy_cpu_thread threads[] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 2}};

    tk_tracy_put_topology(&w->out, threads, 3);
}

static void put_crash(struct tk_tw *w)
{
    const struct tk_tw_trace *t = w->trace;

    tk_tracy_put_crash(&w->out,
                       &(struct tk_tracy_crash){t->crash_tid, t->crash_time,
                                                t->crash_tid ? tk_tw_pointer_of(t->crash_message) : 0, 0});
}

static void put_frame_sets(struct tk_tw *w)
{
    put_n(w, w->trace->n_frame_sets);
    for (size_t i = 0; i < w->trace->n_frame_sets; i++) {
        const struct tk_tw_frame_set *set = &w->trace->frame_sets[i];

        tk_tracy_put_frame_set(&w->out,
                               &(struct tk_tracy_frame_set){tk_tw_pointer_of(set->name), set->continuous});
        tk_tracy_put_list(&w->out, set->n);
        for (size_t k = 0; k < set->n; k++) {
            const struct tk_tw_frame *f = &set->frames[k];

            tk_tracy_put_frame_of(&w->out, set->continuous,
                                  &(struct tk_tracy_lone_frame){f->start, f->end, f->image});
        }
    }
}

static void put_section(struct tk_tw *w, const struct tk_tw_section *s)
{
    tk_tracy_put_time_section(&w->out,
                              &(struct tk_tracy_time_section){s->start, s->end, tk_tw_index(s->text)});
}

static void put_categories(struct tk_tw *w)
{
    const struct tk_tw_section *s = w->trace->sections;
    size_t n = w->trace->n_sections, categories = 0, next;

    for (size_t i = 0; i < n; i++)
        categories += !i || s[i].category != s[i - 1].category;
    put_n(w, categories);
    for (size_t i = 0; i < n; i = next) {
        for (next = i; next < n && s[next].category == s[i].category;)
            next++;
        tk_tracy_put_category(&w->out, &(struct tk_tracy_category){s[i].category});
        put_n(w, next - i);
        for (size_t k = i; k < next; k++)
            put_section(w, &s[k]);
    }
}

static void put_descriptions(struct tk_tw *w)
{
    put_n(w, w->trace->n_categories);
    for (size_t i = 0; i < w->trace->n_categories; i++) {
        const struct tk_tw_category *c = &w->trace->categories[i];

        tk_tracy_put_description(&w->out, &(struct tk_tracy_description){c->id, tk_tw_index(c->text)});
    }
}

static void put_sections(struct tk_tw *w)
{
    if (w->out.layout.section_categories) {
        put_categories(w);
        put_descriptions(w);
    } else if (w->out.layout.section_list) {
        put_n(w, w->trace->n_sections);
        for (size_t i = 0; i < w->trace->n_sections; i++)
            put_section(w, &w->trace->sections[i]);
    }
}

/* ---- strings, threads, locations ---- */

static void put_strings(struct tk_tw *w)
{
    size_t n = w->trace->n_strings;

    put_n(w, n);
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(w->trace->strings[i]);

        tk_tracy_put_string(&w->out, &(struct tk_tracy_string){TK_TW_KEY + i, length});
        tk_tracy_put_bytes(&w->out, w->trace->strings[i], length);
    }
    put_n(w, n);
    for (size_t i = 0; i < n; i++)
        tk_tracy_put_pointer(&w->out, &(struct tk_tracy_pointer){TK_TW_POINTER + i, TK_TW_KEY + i});
}

static size_t count_threads(const struct tk_tw *w, bool named)
{
    size_t n = 0;

    for (size_t i = 0; i < w->trace->n_threads; i++)
        n += named ? w->trace->threads[i].name >= 0 : !w->trace->threads[i].unlisted;
    return n;
}

static void put_external_names(struct tk_tw *w)
{
    const struct tk_tw_external *e = w->trace->externals;
    uint64_t n = 0;

    for (size_t i = 0; i < w->trace->n_externals; i++)
        n += e[i].process >= 0;
    put_n(w, n);
    for (size_t i = 0; i < w->trace->n_externals; i++)
        if (e[i].process >= 0) {
            const struct tk_tracy_external_name out = {e[i].tid, TK_TW_KEY + (uint64_t)e[i].process,
                                                       TK_TW_KEY + (uint64_t)e[i].name};

            tk_tracy_put_external_name(&w->out, &out);
        }
}

static void put_thread_tables(struct tk_tw *w)
{
    const struct tk_tw_thread *t = w->trace->threads;

    put_n(w, count_threads(w, true));
    for (size_t i = 0; i < w->trace->n_threads; i++)
        if (t[i].name >= 0) {
            const struct tk_tracy_thread_name out = {t[i].tid, TK_TW_KEY + (uint64_t)t[i].name};

            tk_tracy_put_thread_name(&w->out, &out);
        }
    put_external_names(w);
    put_n(w, 1 + count_threads(w, false));
    put_n(w, 0);
    for (size_t i = 0; i < w->trace->n_threads; i++)
        if (!t[i].unlisted)
            put_n(w, t[i].tid);
    put_n(w, w->trace->n_externals);
    for (size_t i = 0; i < w->trace->n_externals; i++)
        put_n(w, w->trace->externals[i].tid);
}

static void put_location(struct tk_tw *w, const struct tk_tw_location *l)
{
    const struct tk_tracy_location p = {tk_tw_ref(l->name), tk_tw_ref(l->function), tk_tw_ref(l->file),
                                        l->line, l->colour};

    tk_tracy_put_location(&w->out, &p);
}

static void put_locations(struct tk_tw *w)
{
    const struct tk_tw_trace *t = w->trace;

    put_n(w, t->n_locations);
    for (size_t i = 0; i < t->n_locations; i++) {
        put_n(w, TK_TW_ADDRESS + i);
        put_location(w, &t->locations[i]);
    }
    put_n(w, t->n_locations + 1);
    put_n(w, 0);
    for (size_t i = 0; i < t->n_locations; i++)
        put_n(w, TK_TW_ADDRESS + i);
    put_n(w, t->n_dynamics);
    for (size_t i = 0; i < t->n_dynamics; i++)
        put_location(w, &t->dynamics[i]);
}

static uint64_t zones_of(const struct tk_tw_trace *t, int location)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->n_threads; i++)
        for (size_t k = 0; k < t->threads[i].n; k++)
            n += t->threads[i].zones[k].location == location;
    return n;
}

/* Zones that come from elsewhere are said to be of the first location. */
static void put_zone_counts(struct tk_tw *w, uint64_t zones)
{
    const struct tk_tw_trace *t = w->trace;
    const int first = -(int)t->n_dynamics, last = (int)t->n_locations;
    uint64_t rest = zones;
    for (int location = first; location <= last; location++)
        rest -= zones_of(t, location);
    put_n(w, (uint64_t)(last - first) + 1);
    for (int location = first; location <= last; location++) {
        const uint64_t n = zones_of(t, location) + (location == 1 ? rest : 0);

        tk_tracy_put_zone_count(&w->out, &(struct tk_tracy_zone_count){(int16_t)location, n});
    }
    if (w->out.layout.gpu_counts)
        put_n(w, 0);
}

/* ---- locks, messages, extras ---- */

static void put_lock(struct tk_tw *w, const struct tk_tw_lock *l)
{
    const struct tk_tracy_lock head = {l->id, tk_tw_index(l->name), l->location,  l->type,
                                       true,  l->announced,         l->terminated};

    tk_tracy_put_lock(&w->out, &head);
    put_n(w, l->n_threads);
    for (size_t i = 0; i < l->n_threads; i++)
        tk_tracy_put_lock_thread(&w->out, &(struct tk_tracy_lock_thread){l->threads[i]});
    put_n(w, l->n);
    w->out.time = l->announced;
    for (size_t i = 0; i < l->n; i++) {
        const struct tk_tw_lock_event *e = &l->events[i];

        tk_tracy_put_lock_event(&w->out,
                                &(struct tk_tracy_lock_event){e->time, e->location, e->thread, e->kind});
    }
}

static void put_locks(struct tk_tw *w)
{
    put_n(w, w->trace->n_locks);
    for (size_t i = 0; i < w->trace->n_locks; i++)
        put_lock(w, &w->trace->locks[i]);
}

static void put_messages(struct tk_tw *w)
{
    const struct tk_tw_message *m = w->trace->messages;

    put_n(w, w->trace->n_messages);
    w->out.time = 0;
    for (size_t i = 0; i < w->trace->n_messages; i++) {
        const struct tk_tracy_message out = {TK_TW_MESSAGE_KEY + i, m[i].time,      tk_tw_ref(m[i].text),
                                             m[i].colour,           m[i].callstack, m[i].source,
                                             m[i].severity};

        tk_tracy_put_message(&w->out, &out);
    }
}

static void put_extras(struct tk_tw *w)
{
    static const struct tk_tw_extra none = {0, -1, -1, 0};

    put_n(w, 1 + w->trace->n_extras);
    for (size_t i = 0; i <= w->trace->n_extras; i++) {
        const struct tk_tw_extra *e = i ? &w->trace->extras[i - 1] : &none;

        const struct tk_tracy_extra out = {e->callstack, tk_tw_index(e->text), tk_tw_index(e->name),
                                           e->colour};

        tk_tracy_put_extra(&w->out, &out);
    }
}

void tk_tw_put_front(struct tk_tw *w, uint64_t zones)
{
    put_header(w);
    put_topology(w);
    put_crash(w);
    put_frame_sets(w);
    put_sections(w);
    put_strings(w);
    put_thread_tables(w);
    put_locations(w);
    put_zone_counts(w, zones);
    put_locks(w);
    put_messages(w);
    put_extras(w);
}
