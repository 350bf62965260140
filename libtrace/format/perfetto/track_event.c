/*
 * What TrackEvents mean (import 5.5): slices and instants on tracks (counters are in track_values.c), and the
 * phases of Chrome's trace events that older writers put into them.
 */
#include "format/events/feed.h"
#include "format/perfetto/perfetto_in.h"

#include <string.h>

/* Types of events. */
enum { TK_PF_BEGIN = 1, TK_PF_END, TK_PF_INSTANT, TK_PF_COUNTER };

/* An event on its way. */
struct tk_pf_work {
    struct tk_pf_trace *t;
    struct tk_ev_capture *c;
    struct tk_pf_sequence *s;
    struct tk_pf_event e;
    uint64_t offset, track;
    int64_t time;
    uint32_t name, category;
    bool on_thread; /* a scope of `thread`, else a region */
    uint32_t thread, process;
};

/*
 * Values of counters in TrackEvents (import 5.5).
 */

static struct tk_number multiplied(const struct tk_pf_track *track, struct tk_number n)
{
    if (n.real)
        n.v.r *= (double)track->multiplier;
    else
        n.v.i = (int64_t)((uint64_t)n.v.i * (uint64_t)track->multiplier);
    return n;
}

static struct tk_number added(struct tk_number a, struct tk_number b)
{
    if (!a.real && !b.real)
        return (struct tk_number){.v.i = (int64_t)((uint64_t)a.v.i + (uint64_t)b.v.i)};
    double x = a.real ? a.v.r : (double)a.v.i, y = b.real ? b.v.r : (double)b.v.i;
    return (struct tk_number){.real = true, .v.r = x + y};
}

/* Values of incremental counters add up in their sequence. -1 without memory. */
static int add_up(struct tk_pf_sequence *s, uint64_t uuid, struct tk_number *n)
{
    uint32_t at = tk_map_get(&s->sum_index, uuid);
    if (at == TK_MAP_NONE) {
        struct tk_pf_sum sum = {*n};
        at = (uint32_t)s->sums.n;
        return tk_vec_push(&s->sums, sum) || tk_map_put(&s->sum_index, uuid, at) ? -1 : 0;
    }
    *n = s->sums.v[at].number = added(s->sums.v[at].number, *n);
    return 0;
}

static int count(struct tk_pf_work *w, uint64_t uuid, struct tk_number n)
{
    struct tk_pf_track *track = tk_pf_track_of(&w->t->tracks, uuid);
    uint32_t thread, process;
    bool own;
    if (!track || !track->counter) {
        tk_pf_note(w->t, TK_EV_UNKNOWN_COUNTER, w->offset);
        return TK_PF_FINE;
    }
    n = multiplied(track, n);
    if (track->incremental && add_up(w->s, uuid, &n))
        return TK_PF_NO_MEMORY;
    const uint32_t name = track->name != TK_EV_NO_NAME ? track->name : tk_ev_name(&w->c->names, "unnamed", 7);
    const uint8_t unit = track->unit;
    if (tk_pf_track_owner(&w->t->tracks, w->c, uuid, &own, &thread, &process) == TK_PF_NOT_REQUESTED)
        return TK_PF_NO_MEMORY;
    uint32_t counter = tk_ev_counter(w->c, process, name, uuid);
    if (counter == UINT32_MAX)
        return TK_PF_NO_MEMORY;
    w->c->counters.v[counter].unit = unit;
    return tk_pf_kept(tk_ev_value(w->c, counter, w->time, n));
}

/* Values alongside the event's own: tracks of one field, or the defaults', and as many values of another. */
static int count_extra(struct tk_pf_work *w, uint32_t tracks, uint32_t values, bool real)
{
    struct tk_pf_message m = tk_pf_message_of(w->e.all), n = m;
    const uint64_t *list = real ? w->s->extra_real.v : w->s->extra.v;
    size_t left = real ? w->s->extra_real.n : w->s->extra.n;
    struct tk_pf_field f;
    const uint8_t *at = NULL;
    uint64_t track, value;
    w->t->text.n = 0;
    while (tk_pf_next(&m, &f) == 1) /* the event's own tracks */
        for (at = NULL; f.number == tracks && tk_pf_number(&f, TK_PF_VARINT, &at, &track) == 1;) {
            if (tk_vec_reserve(&w->t->text, w->t->text.n + sizeof track))
                return TK_PF_NO_MEMORY;
            memcpy(w->t->text.v + w->t->text.n, &track, sizeof track);
            w->t->text.n += sizeof track;
        }
    const bool own = w->t->text.n > 0;
    left = own ? w->t->text.n / sizeof track : left;
    for (size_t i = 0; tk_pf_next(&n, &f) == 1;)
        for (at = NULL;
             f.number == values && tk_pf_number(&f, real ? TK_PF_FIXED64 : TK_PF_VARINT, &at, &value) == 1;
             i++) {
            struct tk_number number = {.real = real, .v.i = (int64_t)value};
            if (i >= left) {
                tk_pf_note(w->t, TK_EV_EXTRA_VALUES, w->offset);
                continue;
            }
            if (own)
                memcpy(&track, w->t->text.v + i * sizeof track, sizeof track);
            else
                track = list[i];
            if (real)
                number.v.r = tk_pf_double(value);
            const int rc = count(w, track, number);
            if (rc != TK_PF_FINE)
                return rc;
        }
    return TK_PF_FINE;
}

/* The values that it brings: its own where it is one of a counter, and those alongside it. TK_PF_FINE or
 * TK_PF_NO_MEMORY. */
static int tk_pf_take_values(struct tk_pf_work *w)
{
    int rc = TK_PF_FINE;
    if (w->e.type == TK_PF_COUNTER && (w->e.has_value || w->e.has_real)) {
        struct tk_number n = {.real = !w->e.has_value, .v.i = (int64_t)w->e.value};
        if (n.real)
            n.v.r = tk_pf_double(w->e.real);
        rc = count(w, w->track, n);
    } else if (w->e.type == TK_PF_COUNTER)
        tk_pf_note(w->t, TK_EV_NO_VALUE, w->offset);
    if (rc != TK_PF_FINE || !w->e.has_extra)
        return rc;
    rc = count_extra(w, 31, 12, false);
    return rc == TK_PF_FINE ? count_extra(w, 45, 46, true) : rc;
}

enum { KEY_TRACK = 1, KEY_LEGACY, KEY_NESTABLE };

/* ---- time, name, place ---- */

static bool find_time(struct tk_pf_work *w, bool has_time)
{
    struct tk_pf_clocks *clocks = &w->t->clocks;
    uint64_t ns;
    if (w->e.has_delta) {
        if (!w->s->has_reference) {
            tk_pf_note(w->t, TK_EV_NO_TIME, w->offset);
            return false;
        }
        ns = (uint64_t)w->s->reference + w->e.delta * 1000;
        w->s->reference = (int64_t)ns;
    } else if (w->e.absolute) {
        ns = w->e.absolute * 1000;
    } else {
        if (!has_time)
            tk_pf_note(w->t, TK_EV_NO_TIME, w->offset);
        return has_time;
    }
    w->time = (int64_t)ns;
    if (!clocks->readings.n)
        return w->time > INT64_MIN + 1;
    enum tk_pf_converted converted = tk_pf_clocks_convert(clocks, (int64_t)ns, TK_PF_MONOTONIC, &w->time);
    return tk_pf_time(w->t, converted, w->time, w->offset);
}

static void find_name(struct tk_pf_work *w)
{
    uint64_t iid = w->e.name_iid ? w->e.name_iid : w->e.legacy->name;
    w->name = TK_EV_NO_NAME;
    if (iid) {
        if (!tk_pf_interned(w->s, TK_PF_NAMES, iid, &w->name))
            tk_pf_note(w->t, TK_EV_UNKNOWN_NAME, w->offset);
    } else if (w->e.name.n)
        w->name = tk_ev_name_clean(&w->c->names, w->e.name.p, w->e.name.n);
    w->category = TK_EV_NO_NAME;
    if (w->e.category_iid)
        tk_pf_interned(w->s, TK_PF_CATEGORIES, w->e.category_iid, &w->category);
    else if (w->e.category.n)
        w->category = tk_ev_name_clean(&w->c->names, w->e.category.p, w->e.category.n);
}

static const struct tk_str *find_place(struct tk_pf_work *w, uint32_t *line)
{
    uint32_t at =
        w->e.location_iid ? tk_map_get(&w->s->tables[TK_PF_LOCATIONS], w->e.location_iid) : TK_MAP_NONE;
    if (at != TK_MAP_NONE) {
        *line = w->s->locations.v[at].line;
        return tk_ev_name_text(&w->c->names, w->s->locations.v[at].file);
    }
    struct tk_pf_message m = {0};
    const struct tk_str *file = NULL;
    struct tk_pf_field f;
    if (w->e.has_location)
        m = tk_pf_message_of(w->e.location);
    while (m.p && tk_pf_next(&m, &f) == 1) {
        if (f.number == 2 && f.wire == TK_PF_BYTES && f.bytes.n)
            file = tk_ev_text(&w->c->names, f.bytes.p, f.bytes.n);
        else if (f.number == 4 && f.value <= UINT32_MAX)
            *line = (uint32_t)f.value;
    }
    return file;
}

static uint32_t timer_of(struct tk_pf_work *w)
{
    uint32_t line = 0;
    const struct tk_str *file = w->e.location_iid || w->e.has_location ? find_place(w, &line) : NULL;
    return tk_ev_timer(&w->c->names, w->name, file, line);
}

/* The thread of a sequence, or of the ids in a legacy event. */
static int find_thread(struct tk_pf_work *w)
{
    const struct tk_pf_legacy *l = w->e.legacy;
    struct tk_ev_id pid = {NULL, w->s->pid}, tid = {NULL, w->s->tid};
    if (l->has_pid) {
        pid.number = tk_pf_pid(l->pid);
        tid.number = -1;
    }
    if (l->has_tid)
        tid.number = tk_pf_pid(l->tid);
    w->on_thread = true;
    w->process = tk_ev_process(w->c, &pid);
    w->thread = w->process == UINT32_MAX ? UINT32_MAX : tk_ev_thread(w->c, w->process, &tid, 0);
    return w->thread == UINT32_MAX ? TK_PF_NO_MEMORY : TK_PF_FINE;
}

/* 0: the track is broken. */
static int find_owner(struct tk_pf_work *w)
{
    const struct tk_pf_legacy *l = w->e.legacy;
    bool own;
    w->thread = w->process = UINT32_MAX;
    if (!w->track) {
        bool of_sequence = (!w->e.has_track || !w->e.has_type) && w->s->has_thread;
        return of_sequence || l->has_pid || l->has_tid ? find_thread(w) : TK_PF_FINE;
    }
    enum tk_pf_owner owner = tk_pf_track_owner(&w->t->tracks, w->c, w->track, &own, &w->thread, &w->process);
    w->on_thread = owner == TK_PF_THREAD && own;
    if (owner == TK_PF_BROKEN)
        tk_pf_note(w->t, TK_EV_TRACK_WITHOUT_PARENT, w->offset);
    return owner == TK_PF_NOT_REQUESTED ? TK_PF_NO_MEMORY : owner == TK_PF_BROKEN ? 0 : TK_PF_FINE;
}

/* ---- phases ---- */

static int tell_text(struct tk_pf_work *w)
{
    struct tk_pf_message m = tk_pf_message_of(w->e.all);
    struct tk_pf_text text = {.n = 0};
    struct tk_pf_field f;
    while (tk_pf_next(&m, &f) == 1)
        if (f.number == 4 && f.wire == TK_PF_BYTES)
            tk_pf_annotate(&text, w->s, w->c, f.bytes, w->e.annotations == 1);
    if (!text.n)
        return 0;
    return tk_ev_scope_text(w->c, w->thread, tk_ev_text(&w->c->names, text.p, text.n));
}

static int region(struct tk_pf_work *w, const struct tk_ev_key *key, bool ends)
{
    struct tk_ev_region r = {w->time, tk_ev_key_hash(key), w->name, w->category, ends, false};
    return tk_pf_kept(tk_ev_region(w->c, &r));
}

/* In an export of ours frames and queues of GPUs are tracks of their own. 1, or negative. */
static int find_own(struct tk_pf_work *w)
{
    const struct tk_pf_track *track = tk_pf_track_of(&w->t->tracks, w->track);
    const struct tk_str *name = track ? tk_ev_name_text(&w->c->names, track->name) : NULL;
    struct tk_ev_id id = {name, (int64_t)w->track};
    if (w->process == UINT32_MAX || !name || (name->n == 7 && memcmp(name->p, "Regions", 7) == 0))
        return TK_PF_FINE;
    w->thread = tk_ev_thread(w->c, w->process, &id, w->track);
    if (w->thread == UINT32_MAX)
        return TK_PF_NO_MEMORY;
    w->on_thread = true;
    if (!tk_ev_is_frames(name))
        tk_ev_make_queue(w->c, w->thread, name);
    else if (tk_ev_make_frames(w->c, w->thread, name))
        return TK_PF_NO_MEMORY;
    return TK_PF_FINE;
}

static int take_slice(struct tk_pf_work *w, bool begins)
{
    struct tk_ev_key key = {{KEY_TRACK, w->track}};
    if (!w->on_thread && w->c->own_export && w->track && find_own(w) != TK_PF_FINE)
        return TK_PF_NO_MEMORY;
    if (!w->on_thread)
        return region(w, &key, !begins);
    if (!begins)
        return tk_pf_kept(tk_ev_end(w->c, w->thread, w->time, w->name));
    if (w->c->pass == TK_EV_TEXTS && w->e.annotations && tell_text(w))
        return TK_PF_NO_MEMORY;
    return tk_pf_kept(tk_ev_begin(w->c, w->thread, w->time, timer_of(w)));
}

/* 2 verbose, 3 debug, 4 information, 5 warning, 6 error, 7 fatal. */
static uint8_t verbosity_of(uint64_t level)
{
    static const uint8_t levels[] = {5, 5, 7, 6, 5, 3, 2, 1};
    return level < sizeof levels ? levels[level] : 5;
}

static int take_instant(struct tk_pf_work *w)
{
    bool wide = w->e.legacy->scope_of_instant == 1 || w->e.legacy->scope_of_instant == 2;
    struct tk_ev_mark mark = {w->time, w->on_thread ? w->thread : TK_NO_THREAD, w->name, w->category, 5,
                              wide};
    if (w->c->own_export)
        mark.bookmark = w->category == TK_EV_NO_NAME;
    if (w->e.has_log) {
        uint32_t body;
        mark.verbosity = verbosity_of(w->e.log_level);
        if (tk_pf_interned(w->s, TK_PF_LOG_BODIES, w->e.log_body, &body))
            mark.text = body;
    }
    return tk_pf_kept(tk_ev_mark(w->c, &mark));
}

static int take_complete(struct tk_pf_work *w)
{
    int64_t us = (int64_t)w->e.legacy->duration;
    if (us < 0 || us > INT64_MAX / 1000 || w->time > INT64_MAX - 1 - us * 1000) {
        tk_pf_note(w->t, TK_EV_NEGATIVE_DURATION, w->offset);
        return TK_PF_FINE;
    }
    if (!w->on_thread)
        return TK_PF_FINE;
    if (w->c->pass == TK_EV_TEXTS && w->e.annotations && tell_text(w))
        return TK_PF_NO_MEMORY;
    return tk_pf_kept(tk_ev_whole(w->c, w->thread, w->time, w->time + us * 1000, timer_of(w)));
}

static int take_async(struct tk_pf_work *w, char phase)
{
    const struct tk_pf_legacy *l = w->e.legacy;
    const bool nestable = strchr("ben", phase) != NULL;
    struct tk_ev_key key = {{0}};
    if (!l->has_unscoped && !l->has_local && !l->has_global) {
        tk_pf_note(w->t, TK_EV_ASYNC_WITHOUT_ID, w->offset);
        return TK_PF_FINE;
    }
    if (strchr("nTp", phase)) {
        struct tk_ev_mark mark = {w->time, TK_NO_THREAD, w->name, w->category, 5, false};
        return tk_pf_kept(tk_ev_mark(w->c, &mark));
    }
    const uint32_t scope =
        l->id_scope.n ? tk_ev_name_clean(&w->c->names, l->id_scope.p, l->id_scope.n) : TK_EV_NO_NAME;
    key.word[0] = (nestable ? KEY_NESTABLE : KEY_LEGACY) | (l->has_unscoped ? 16u : 0) |
                  (l->has_local ? 32u : 0) | (l->has_global ? 64u : 0);
    key.word[1] = nestable ? w->category : w->name;
    key.word[2] = l->unscoped;
    key.word[3] = l->global;
    key.word[4] = l->local;
    key.word[5] = (uint64_t)(l->has_local ? w->process : 0) << 32 | scope;
    return region(w, &key, phase == 'e' || phase == 'F');
}

/* thread_name, process_name. */
static int take_metadata(struct tk_pf_work *w)
{
    const struct tk_str *what = tk_ev_name_text(&w->c->names, w->name), *text = NULL;
    struct tk_pf_message m = tk_pf_message_of(w->e.all);
    struct tk_pf_field f;
    if (w->c->pass != TK_EV_GATHER || !what)
        return TK_PF_FINE;
    while (!text && tk_pf_next(&m, &f) == 1) {
        struct tk_pf_message a = tk_pf_message_of(f.bytes);
        struct tk_pf_field g;
        while (f.number == 4 && f.wire == TK_PF_BYTES && tk_pf_next(&a, &g) == 1)
            if (g.number == 6 && g.wire == TK_PF_BYTES && g.bytes.n)
                text = tk_ev_text(&w->c->names, g.bytes.p, g.bytes.n);
    }
    if (text && what->n == 11 && memcmp(what->p, "thread_name", 11) == 0 && w->thread != UINT32_MAX) {
        w->c->threads.v[w->thread]->name = text;
        w->c->threads.v[w->thread]->named = true;
    }
    if (text && what->n == 12 && memcmp(what->p, "process_name", 12) == 0 && w->process != UINT32_MAX)
        w->c->processes.v[w->process].name = text;
    return TK_PF_FINE;
}

static int take_phase(struct tk_pf_work *w, char phase)
{
    switch (phase) {
    case 'B':
    case 'E':
        return take_slice(w, phase == 'B');
    case 'i':
    case 'I':
    case 'R':
        return take_instant(w);
    case 'X':
        return take_complete(w);
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
    case 'T':
    case 'p':
        return take_async(w, phase);
    case 'M':
        return take_metadata(w);
    default:
        tk_ev_seen(w->c, w->time);
        return TK_PF_FINE;
    }
}

static int take_record(struct tk_pf_work *w)
{
    struct tk_pf_record r = {.kind = TK_PF_KIND_TRACK_EVENT,
                             .thread = w->on_thread ? w->thread : TK_NO_THREAD,
                             .has_time = true,
                             .time = w->time,
                             .offset = w->offset,
                             .bytes = w->e.all.n,
                             .sequence = w->s->id,
                             .track = w->track,
                             .has_track = w->track != 0,
                             .type = w->e.type,
                             .name = tk_ev_name_text(&w->c->names, w->name)};
    return tk_pf_kept(tk_pf_record_give(w->c, &r));
}

int tk_pf_track_event(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message, bool has_time,
                      int64_t time, uint64_t offset)
{
    static const char phases[] = {
        [TK_PF_BEGIN] = 'B', [TK_PF_END] = 'E', [TK_PF_INSTANT] = 'i', [TK_PF_COUNTER] = 0};
    struct tk_pf_work w;
    w.t = t;
    w.c = t->c;
    w.s = s;
    w.offset = offset;
    w.time = time;
    w.on_thread = false;
    t->c->offset = offset;
    if (tk_pf_event_read(message, &w.e) < 0)
        return TK_PF_BROKEN_PACKET;
    if (!find_time(&w, has_time))
        return TK_PF_FINE;
    find_name(&w);
    w.track = w.e.has_track ? w.e.track : s->has_default_track ? s->default_track : 0;
    int rc = t->c->pass == TK_EV_RECORDS ? TK_PF_FINE : tk_pf_take_values(&w);
    if (rc != TK_PF_FINE)
        return rc;
    const struct tk_pf_legacy *l = w.e.legacy;
    if (w.e.type == TK_PF_COUNTER && !l->has_phase && t->c->pass != TK_EV_RECORDS)
        return t->c->names.failed ? TK_PF_NO_MEMORY : TK_PF_FINE;
    if (!l->has_phase && !w.e.type) {
        tk_pf_note(t, TK_EV_NO_TYPE, offset);
        return TK_PF_FINE;
    }
    rc = find_owner(&w);
    if (rc != TK_PF_FINE)
        return rc == 0 ? TK_PF_FINE : rc;
    if (t->c->pass == TK_EV_RECORDS)
        return take_record(&w);
    char phase = l->has_phase ? (char)(l->phase & 0x7f) : w.e.type < sizeof phases ? phases[w.e.type] : 0;
    rc = take_phase(&w, phase);
    return t->c->names.failed ? TK_PF_NO_MEMORY : rc;
}
