/* Sections of a `.tracy` payload before the zones; see tracy_writer.h and tracy-file 4, 5.1 to 5.9. */
#include "tracy_values.h"

/* ---- the header ---- */

static void put_header(struct tk_tw *w)
{
    const struct tk_tw_trace *t = w->trace;

    tk_uw_text(&w->blocks.pending, "tracy");
    tk_tw_put(w, w->version >> 16, 1);
    tk_tw_put(w, w->version >> 8, 1);
    tk_tw_put(w, w->version, 1);
    if (!tk_tw_since(w, 0, 12, 3))
        tk_tw_put(w, 11, 8);
    tk_tw_put(w, 7, 8);
    tk_tw_put_real(w, 0.5);
    tk_tw_put(w, (uint64_t)t->last_time, 8);
    tk_tw_put(w, 0, 8);
    tk_tw_put(w, t->pid, 8);
    tk_tw_put(w, 0, 8);
    tk_tw_put(w, 2, 1);
    tk_tw_put(w, 0x906ea, 4);
    tk_uw_raw(&w->blocks.pending, "GenuineIntel", 12);
    if (tk_tw_since(w, 0, 9, 2))
        tk_tw_put(w, 0, 1);
    tk_tw_put_text(w, t->capture_name ? t->capture_name : "");
    tk_tw_put_text(w, t->program ? t->program : "");
    tk_tw_put(w, t->capture_time, 8);
    if (tk_tw_since(w, 0, 7, 6))
        tk_tw_put(w, t->capture_time, 8);
    tk_tw_put_text(w, t->host ? t->host : "");
}

/* One package [with one die] of two cores, the first one with two threads. */
static void put_topology(struct tk_tw *w)
{
    tk_tw_put(w, 1, 8);
    tk_tw_put(w, 0, 4);
    if (tk_tw_since(w, 0, 11, 2)) {
        tk_tw_put(w, 1, 8);
        tk_tw_put(w, 0, 4);
    }
    tk_tw_put(w, 2, 8);
    tk_tw_put(w, 0, 4);
    tk_tw_put(w, 2, 8);
    tk_tw_put(w, 0, 4);
    tk_tw_put(w, 1, 4);
    tk_tw_put(w, 1, 4);
    tk_tw_put(w, 1, 8);
    tk_tw_put(w, 2, 4);
}

static void put_crash(struct tk_tw *w)
{
    const struct tk_tw_trace *t = w->trace;

    tk_tw_put(w, t->crash_tid, 8);
    tk_tw_put(w, (uint64_t)t->crash_time, 8);
    tk_tw_put(w, t->crash_tid ? tk_tw_pointer_of(t->crash_message) : 0, 8);
    tk_tw_put(w, 0, 4);
}

static void put_frame_sets(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_frame_sets, 8);
    for (size_t i = 0; i < w->trace->n_frame_sets; i++) {
        const struct tk_tw_frame_set *set = &w->trace->frame_sets[i];

        tk_tw_put(w, tk_tw_pointer_of(set->name), 8);
        tk_tw_put(w, set->continuous, 1);
        tk_tw_put(w, set->n, 8);
        tk_tw_begin_times(w);
        for (size_t k = 0; k < set->n; k++) {
            tk_tw_put_time(w, set->frames[k].start);
            if (!set->continuous)
                tk_tw_put_time(w, set->frames[k].end);
            tk_tw_put(w, (uint32_t)set->frames[k].image, 4);
        }
    }
}

static void put_section(struct tk_tw *w, const struct tk_tw_section *s)
{
    tk_tw_put(w, (uint64_t)s->start, 6);
    tk_tw_put(w, (uint64_t)s->end, 6);
    tk_tw_put_index(w, s->text);
}

static void put_categories(struct tk_tw *w)
{
    const struct tk_tw_section *s = w->trace->sections;
    size_t n = w->trace->n_sections, categories = 0, next;

    for (size_t i = 0; i < n; i++)
        categories += !i || s[i].category != s[i - 1].category;
    tk_tw_put(w, categories, 8);
    for (size_t i = 0; i < n; i = next) {
        for (next = i; next < n && s[next].category == s[i].category;)
            next++;
        tk_tw_put(w, s[i].category, 2);
        tk_tw_put(w, next - i, 8);
        for (size_t k = i; k < next; k++)
            put_section(w, &s[k]);
    }
}

static void put_descriptions(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_categories, 8);
    for (size_t i = 0; i < w->trace->n_categories; i++) {
        tk_tw_put(w, w->trace->categories[i].id, 2);
        tk_tw_put_index(w, w->trace->categories[i].text);
    }
}

static void put_sections(struct tk_tw *w)
{
    if (tk_tw_since(w, 0, 13, 5)) {
        put_categories(w);
        put_descriptions(w);
    } else if (tk_tw_since(w, 0, 13, 4)) {
        tk_tw_put(w, w->trace->n_sections, 8);
        for (size_t i = 0; i < w->trace->n_sections; i++)
            put_section(w, &w->trace->sections[i]);
    }
}

/* ---- strings, threads, locations ---- */

static void put_strings(struct tk_tw *w)
{
    size_t n = w->trace->n_strings;

    tk_tw_put(w, n, 8);
    for (size_t i = 0; i < n; i++) {
        tk_tw_put(w, TK_TW_KEY + i, 8);
        tk_tw_put_text(w, w->trace->strings[i]);
    }
    tk_tw_put(w, n, 8);
    for (size_t i = 0; i < n; i++) {
        tk_tw_put(w, TK_TW_POINTER + i, 8);
        tk_tw_put(w, TK_TW_KEY + i, 8);
    }
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
    tk_tw_put(w, n, 8);
    for (size_t i = 0; i < w->trace->n_externals; i++)
        if (e[i].process >= 0) {
            tk_tw_put(w, e[i].tid, 8);
            tk_tw_put(w, TK_TW_KEY + (uint64_t)e[i].process, 8);
            tk_tw_put(w, TK_TW_KEY + (uint64_t)e[i].name, 8);
        }
}

static void put_thread_tables(struct tk_tw *w)
{
    const struct tk_tw_thread *t = w->trace->threads;

    tk_tw_put(w, count_threads(w, true), 8);
    for (size_t i = 0; i < w->trace->n_threads; i++)
        if (t[i].name >= 0) {
            tk_tw_put(w, t[i].tid, 8);
            tk_tw_put(w, TK_TW_KEY + (uint64_t)t[i].name, 8);
        }
    put_external_names(w);
    tk_tw_put(w, 1 + count_threads(w, false), 8);
    tk_tw_put(w, 0, 8);
    for (size_t i = 0; i < w->trace->n_threads; i++)
        if (!t[i].unlisted)
            tk_tw_put(w, t[i].tid, 8);
    tk_tw_put(w, w->trace->n_externals, 8);
    for (size_t i = 0; i < w->trace->n_externals; i++)
        tk_tw_put(w, w->trace->externals[i].tid, 8);
}

static void put_location(struct tk_tw *w, const struct tk_tw_location *l)
{
    tk_tw_put_ref(w, l->name);
    tk_tw_put_ref(w, l->function);
    tk_tw_put_ref(w, l->file);
    tk_tw_put(w, l->line, 4);
    tk_tw_put(w, l->colour, 4);
}

static void put_locations(struct tk_tw *w)
{
    const struct tk_tw_trace *t = w->trace;

    tk_tw_put(w, t->n_locations, 8);
    for (size_t i = 0; i < t->n_locations; i++) {
        tk_tw_put(w, TK_TW_ADDRESS + i, 8);
        put_location(w, &t->locations[i]);
    }
    tk_tw_put(w, t->n_locations + 1, 8);
    tk_tw_put(w, 0, 8);
    for (size_t i = 0; i < t->n_locations; i++)
        tk_tw_put(w, TK_TW_ADDRESS + i, 8);
    tk_tw_put(w, t->n_dynamics, 8);
    for (size_t i = 0; i < t->n_dynamics; i++)
        put_location(w, &t->dynamics[i]);
}

/* The counts are hints: all zones are said to be of the first location. */
static void put_zone_counts(struct tk_tw *w, uint64_t zones)
{
    tk_tw_put(w, 1, 8);
    tk_tw_put(w, 1, 2);
    tk_tw_put(w, zones, 8);
    if (tk_tw_since(w, 0, 7, 15))
        tk_tw_put(w, 0, 8);
}

/* ---- locks, messages, extras ---- */

static void put_lock(struct tk_tw *w, const struct tk_tw_lock *l)
{
    tk_tw_put(w, l->id, 4);
    tk_tw_put_index(w, l->name);
    tk_tw_put(w, (uint16_t)l->location, 2);
    tk_tw_put(w, l->type, 1);
    tk_tw_put(w, 1, 1);
    tk_tw_put(w, (uint64_t)l->announced, 8);
    tk_tw_put(w, (uint64_t)l->terminated, 8);
    tk_tw_put(w, l->n_threads, 8);
    for (size_t i = 0; i < l->n_threads; i++)
        tk_tw_put(w, l->threads[i], 8);
    tk_tw_put(w, l->n, 8);
    w->time = l->announced;
    for (size_t i = 0; i < l->n; i++) {
        tk_tw_put_time(w, l->events[i].time);
        tk_tw_put(w, (uint16_t)l->events[i].location, 2);
        tk_tw_put(w, l->events[i].thread, 1);
        tk_tw_put(w, l->events[i].kind, 1);
    }
}

static void put_locks(struct tk_tw *w)
{
    tk_tw_put(w, w->trace->n_locks, 8);
    for (size_t i = 0; i < w->trace->n_locks; i++)
        put_lock(w, &w->trace->locks[i]);
}

static void put_messages(struct tk_tw *w)
{
    const struct tk_tw_message *m = w->trace->messages;

    tk_tw_put(w, w->trace->n_messages, 8);
    tk_tw_begin_times(w);
    for (size_t i = 0; i < w->trace->n_messages; i++) {
        tk_tw_put(w, TK_TW_MESSAGE_KEY + i, 8);
        tk_tw_put_time(w, m[i].time);
        tk_tw_put_ref(w, m[i].text);
        tk_tw_put(w, m[i].colour, 4);
        tk_tw_put(w, m[i].callstack, 3);
        if (tk_tw_since(w, 0, 13, 2)) {
            tk_tw_put(w, m[i].source, 1);
            tk_tw_put(w, m[i].severity, 1);
        }
    }
}

static void put_extras(struct tk_tw *w)
{
    static const struct tk_tw_extra none = {0, -1, -1, 0};

    tk_tw_put(w, 1 + w->trace->n_extras, 8);
    for (size_t i = 0; i <= w->trace->n_extras; i++) {
        const struct tk_tw_extra *e = i ? &w->trace->extras[i - 1] : &none;

        tk_tw_put(w, e->callstack, 3);
        tk_tw_put_index(w, e->text);
        tk_tw_put_index(w, e->name);
        if (tk_tw_since(w, 0, 7, 5))
            tk_tw_put(w, e->colour, 3);
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
