/*
 * Messages, what zones have alongside their times, and threads with their zones and samples (tracy-file 5.8
 * to 5.10). Part of a pass.
 */
#include "base/arena.h"
#include "edit/tracy/edit_tracy.h"
#include "edit/tracy/pass_in.h"

#include <string.h>

enum { ZONE = 26 };

/* ---- messages ---- */

enum { UNCLAIMED, GIVEN_UP, CLAIMED }; /* by threads, of a key */

/* Several messages may have one key: how many stay is counted when it is known which. */
static void mark_texts(struct tk_tracy_pass *p)
{
    uint64_t n = 0;
    if (p->out || !p->threads || tk_tracy_pass_drops(p, TK_TRACY_MESSAGES))
        return;
    for (size_t i = 0; i < p->texts.n; i++) {
        if (tk_map_get(&p->messages, p->texts.v[i].key) == GIVEN_UP)
            continue;
        tk_tracy_pass_put_message(p, &p->texts.v[i]);
        n++;
    }
    tk_tracy_pass_set(p, p->messages_place, n);
    p->kept[p->messages_section] = n;
}

/* A message of a thread that goes, or of one that stays. */
static void claim(struct tk_tracy_pass *p, uint64_t key, bool wanted)
{
    if (p->out || !p->threads)
        return;
    const uint32_t was = tk_map_get(&p->messages, key);
    if (was == UNCLAIMED || (was == GIVEN_UP && wanted))
        p->failed |= tk_map_put(&p->messages, key, wanted ? CLAIMED : GIVEN_UP) != 0;
}

static void pass_message(struct tk_tracy_pass *p, size_t place)
{
    struct tk_tracy_message m;
    if (!tk_tracy_read_message(p->in, &m) || !tk_tracy_window_has(&p->window, m.time) ||
        (p->out && p->threads && tk_map_get(&p->messages, m.key) == GIVEN_UP))
        return;
    if (!p->out && tk_tracy_pass_chooses_messages(p))
        p->failed |= tk_map_put(&p->messages, m.key, UNCLAIMED) != 0;
    tk_tracy_pass_keep(p, place);
    /* whose it is stands behind: then it is known whether its text is used */
    if (p->threads && !p->out)
        p->failed |= tk_vec_push(&p->texts, m) != 0;
    else
        tk_tracy_pass_put_message(p, &m);
}

void tk_tracy_pass_messages(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "messages");
    const size_t place = tk_tracy_pass_count(p, 8);
    p->messages_place = place;
    p->messages_section = p->section;
    tk_tracy_pass_start_times(p, 0);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        pass_message(p, place);
}

/* ---- what zones have alongside their times ---- */

static void learn_extras(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "zone extras");
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_extra extra;
        if (!tk_tracy_read_extra(p->in, &extra))
            return;
        p->failed |= tk_vec_push(&p->extras, extra) != 0;
    }
    p->failed |= tk_vec_reach(&p->extra, p->extras.n) != 0;
}

void tk_tracy_pass_number_extras(struct tk_tracy_pass *p)
{
    const bool all = !p->window.cut && !p->threads && !tk_tracy_pass_drops(p, TK_TRACY_CPU);
    uint32_t n = 1;
    mark_texts(p);
    for (size_t i = 0; i < p->extra.n; i++) {
        if (all)
            p->extra.v[i] = (uint32_t)i;
        else
            p->extra.v[i] = i && p->extra.v[i] ? n++ : 0;
        if (p->extra.v[i])
            tk_tracy_pass_put_extra(p, &p->extras.v[i]);
    }
}

/* The first one stands for none. */
void tk_tracy_pass_extras(struct tk_tracy_pass *p)
{
    uint64_t n = 0;
    if (!p->out) {
        learn_extras(p);
        return;
    }
    tk_tracy_skip(p->in, tk_tracy_u64(p->in, "zone extras") * tk_tracy_extra_size(&p->c->layout),
                  "zone extras");
    for (size_t i = 0; i < p->extra.n; i++)
        n += !i || p->extra.v[i];
    tk_tracy_put(p->out, n, 8);
    for (size_t i = 0; i < p->extra.n; i++)
        if (!i || p->extra.v[i])
            tk_tracy_pass_put_extra(p, &p->extras.v[i]);
}

/* ---- zones ---- */

/* In the first walk it is noted that a zone of the window uses it, or one that may be of the window. */
static uint32_t use_extra(struct tk_tracy_pass *p, uint32_t extra)
{
    if (!p->extra.n)
        return extra; /* they are copied as they are */
    if (extra >= p->extra.n)
        return 0;
    if (p->out)
        return p->extra.v[extra];
    p->extra.v[extra] = 1;
    return extra;
}

/* Of a source location that does not exist nothing is known. */
static int16_t location_of(struct tk_tracy_pass *p, const struct tk_tracy_zone_event *ev)
{
    const struct tk_tracy_locations *l = &p->c->locations;
    if (l->timers[(uint16_t)ev->location] != l->unknown)
        return ev->location;
    p->lost_places += !p->out;
    return 0;
}

static void begin_zone(struct tk_tracy_pass *p, const struct tk_tracy_zone_event *ev)
{
    uint64_t children = 0;
    const int16_t location = location_of(p, ev);
    const bool kept = tk_tracy_tree_begin(&p->tree, ev->time, ev->children, &children);
    if (!p->out) {
        struct tk_tracy_tree_level *level = tk_stack_top(&p->tree.levels);
        if (level) {
            level->location = location;
            level->extra = ev->extra;
        }
    } else if (kept) {
        tk_tracy_put(p->out, (uint16_t)location, 2);
        tk_tracy_put_time(p->out, tk_tracy_pass_clip(p, ev->time));
        tk_tracy_put(p->out, use_extra(p, ev->extra), 4);
        tk_tracy_put(p->out, children, 4);
    }
}

static void count_zone(struct tk_tracy_pass *p, const struct tk_tracy_tree_level *zone)
{
    p->zones_of[0][(uint16_t)zone->location]++;
    use_extra(p, zone->extra);
}

/* Zones without an end: those that nothing comes behind are open when the capture ends; the others are lost
 * at the last time that is known. */
struct ends {
    size_t open; /* place of how many ends come before the last open ones */
    uint64_t n;
};

static int64_t close_at(const struct tk_tracy_pass *p, const struct ends *ends)
{
    const bool last = ends->n >= tk_tracy_pass_noted(p, ends->open) && p->c->last_time > p->tree.latest;
    return tk_tracy_pass_clip(p, last ? p->c->last_time : p->tree.latest);
}

static void end_zone(struct tk_tracy_pass *p, struct ends *ends, int64_t end)
{
    const bool open = end < 0;
    const struct tk_tracy_tree_level level =
        p->tree.levels.n ? *tk_stack_top(&p->tree.levels) : (struct tk_tracy_tree_level){0};
    const bool kept = tk_tracy_tree_end(&p->tree, open ? p->tree.latest : end, open);
    if (kept && p->out)
        tk_tracy_put_time(p->out, !open ? tk_tracy_pass_clip(p, end) : p->closes ? close_at(p, ends) : end);
    else if (kept)
        count_zone(p, &level);
    p->open_zones += kept && open && !p->out;
    ends->n++;
    if (!open)
        tk_tracy_pass_set(p, ends->open, ends->n);
}

/* Times that cannot be make all behind them wrong: what is around them stays open, and the rest goes. */
static void pass_tree(struct tk_tracy_pass *p, uint64_t zones)
{
    struct tk_tracy_zone_event ev;
    struct ends ends = {.open = tk_tracy_pass_note(p)};
    const uint64_t end = tk_tracy_at(p->in) + 4 + ZONE * zones;
    tk_tracy_zones_begin(&p->zones, tk_tracy_u32(p->in, "zones of a thread"));
    tk_tracy_tree_open(&p->tree);
    tk_tracy_pass_start_times(p, 0);
    while (tk_tracy_zones_event(&p->zones, p->in, &ev) && tk_tracy_pass_going(p) &&
           tk_tracy_at(p->in) <= end) {
        if (ev.begin) {
            tk_tracy_pass_set(p, ends.open, ends.n);
            begin_zone(p, &ev);
        } else {
            end_zone(p, &ends, ev.time);
        }
    }
    if (tk_tracy_at(p->in) != end || p->tree.levels.n)
        p->lost_threads += !p->out;
    p->too_deep += !p->out && p->zones.too_deep;
    while (p->tree.levels.n)
        end_zone(p, &ends, -1);
    tk_tracy_tree_close(&p->tree);
    for (size_t i = 0; i < p->tree.waiting.n && !p->out; i++)
        count_zone(p, &p->tree.waiting.v[i]);
    p->open_zones += p->out ? 0 : p->tree.waiting.n;
    if (tk_tracy_at(p->in) > end)
        tk_tracy_fail(p->in, end, "zones of a thread");
    else
        tk_tracy_skip(p->in, end - tk_tracy_at(p->in), "zones of a thread");
}

static void leave_out_tree(struct tk_tracy_pass *p, uint64_t zones)
{
    tk_tracy_tree_open(&p->tree);
    tk_tracy_tree_close(&p->tree);
    tk_tracy_skip(p->in, 4 + ZONE * zones, "zones of a thread");
}

/* ---- threads ---- */

static void pass_keys(struct tk_tracy_pass *p, bool wanted)
{
    const uint64_t n = tk_tracy_u64(p->in, "messages of a thread");
    const size_t place = tk_tracy_pass_count(p, 8);
    const bool drops = tk_tracy_pass_drops(p, TK_TRACY_MESSAGES);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_thread_message v;
        if (!tk_tracy_read_thread_message(p->in, &v))
            return;
        claim(p, v.key, wanted);
        if (drops || !wanted ||
            (tk_tracy_pass_chooses_messages(p) && tk_map_get(&p->messages, v.key) == TK_MAP_NONE))
            continue;
        kept++;
        tk_tracy_pass_put_thread_message(p, &v);
    }
    tk_tracy_pass_set(p, place, kept);
}

/* How many stay. */
static uint64_t pass_samples(struct tk_tracy_pass *p, bool wanted)
{
    const uint64_t n = tk_tracy_u64(p->in, "samples");
    const size_t place = tk_tracy_pass_count(p, 8);
    const bool drops = tk_tracy_pass_drops(p, TK_TRACY_SAMPLES);
    tk_tracy_pass_start_times(p, 0);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_sample v;
        if (!tk_tracy_read_sample(p->in, &v))
            break;
        if (drops || !wanted || !tk_tracy_window_has(&p->window, v.time))
            continue;
        tk_tracy_pass_keep(p, place);
        tk_tracy_pass_put_sample(p, &v);
    }
    return tk_tracy_pass_noted(p, place);
}

/* How many of its zones stay. */
static uint64_t pass_thread(struct tk_tracy_pass *p)
{
    const size_t count = tk_tracy_pass_note(p), kernel_count = tk_tracy_pass_note(p);
    struct tk_tracy_thread v;
    if (!tk_tracy_read_thread(p->in, &v))
        return 0;
    const bool wanted = tk_tracy_pass_has_thread(p, v.tid);
    p->irregular |= p->ahead && tk_tracy_thread_number(&p->c->threads, v.tid) == TK_MAP_NONE;
    const uint64_t zones = v.zones, kernel = v.kernel_samples;
    v.zones = tk_tracy_pass_noted(p, count);
    v.kernel_samples = tk_tracy_pass_noted(p, kernel_count);
    tk_tracy_pass_put_thread(p, &v);
    const size_t roots = tk_tracy_pass_count(p, 4);
    if (p->keeps_trees)
        tk_tracy_pass_keep_tree(p, zones);
    else if (wanted && !tk_tracy_pass_drops(p, TK_TRACY_CPU))
        pass_tree(p, zones);
    else
        leave_out_tree(p, zones);
    tk_tracy_pass_note_continued(p, 0, &p->tree);
    tk_tracy_pass_set(p, count, p->tree.zones);
    tk_tracy_pass_set(p, roots, p->tree.roots);
    const uint64_t zones_kept = p->tree.zones;
    pass_keys(p, wanted);
    const uint64_t of_switches = p->c->layout.switch_samples ? pass_samples(p, wanted) : 0;
    const uint64_t samples = pass_samples(p, wanted) + of_switches;
    tk_tracy_pass_set(p, kernel_count,
                      (!p->window.cut && !p->threads) || kernel < samples ? kernel : samples);
    return zones_kept;
}

/* Tracy makes space for so many zones, and for those with children. */
void tk_tracy_pass_threads(struct tk_tracy_pass *p)
{
    tk_tracy_skip(p->in, 16, "numbers of zones");
    const size_t total = tk_tracy_pass_count(p, 8), parents = tk_tracy_pass_count(p, 8);
    uint64_t n = tk_tracy_u64(p->in, "threads"), zones = 0;
    if (!p->ahead && p->survey->whole <= tk_tracy_threads_section)
        n = p->survey->threads;
    tk_tracy_pass_put(p, n, 8);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        zones += pass_thread(p);
    tk_tracy_pass_set(p, total, zones);
    tk_tracy_pass_set(p, parents, p->tree.parents);
    p->items += zones;
    p->kept[p->section] += p->out ? 0 : zones;
}
