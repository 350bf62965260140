/*
 * The sections of a merge in front of the locks: header, topology, crash, frames, sections of time, strings,
 * threads and source locations (tracy-file 4, 5.1 to 5.6).
 */
#include "edit/tracy/edit_tracy_merge.h"
#include "edit/tracy/merge_in.h"

#include <stdio.h>
#include <string.h>

enum { MOST_JOINED = 1000, LISTED = 1 };

/* ---- header ---- */

static bool same_text(struct tk_bytes a, struct tk_bytes b)
{
    return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

/* The different ones, with " + " between them. */
static struct tk_bytes join_texts(struct tk_tracy_merge *m, size_t member)
{
    char *joined = tk_arena_alloc(&m->arena, MOST_JOINED);
    size_t n = 0;
    if (!joined) {
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
        return (struct tk_bytes){NULL, 0};
    }
    for (size_t i = 0; i < m->n; i++) {
        const struct tk_bytes *text = (const void *)((const char *)&m->parts[i].head + member);
        bool known = !text->n || n + text->n + 3 > MOST_JOINED;
        for (size_t k = 0; k < i && !known; k++)
            known = same_text(
                *text, *(const struct tk_bytes *)(const void *)((const char *)&m->parts[k].head + member));
        if (known)
            continue;
        if (n) {
            memcpy(joined + n, " + ", 3);
            n += 3;
        }
        memcpy(joined + n, text->p, text->n);
        n += text->n;
    }
    return (struct tk_bytes){(const uint8_t *)joined, n};
}

/* What is of one program or machine is that of the first capture. */
void tk_tracy_merge_header(struct tk_tracy_merge *m)
{
    struct tk_tracy_head h = m->parts[m->joins ? tk_tracy_join_base(m) : 0].head;
    for (size_t i = 0; i < m->n; i++) {
        const struct tk_tracy_head *other = &m->parts[i].head;
        const int64_t last = tk_tracy_merge_time(&m->parts[i], other->h.last_time);
        if (last > h.h.last_time || i == 0)
            h.h.last_time = last;
        if (other->t.capture && other->t.capture < h.t.capture)
            h.t.capture = other->t.capture;
        if (!h.h.sampling)
            h.h.sampling = other->h.sampling;
    }
    if (m->main_frames < m->n) {
        h.h.on_demand = m->parts[m->main_frames].head.h.on_demand;
        h.h.frame_offset = m->parts[m->main_frames].head.h.frame_offset;
    }
    h.capture_name = join_texts(m, offsetof(struct tk_tracy_head, capture_name));
    h.program = join_texts(m, offsetof(struct tk_tracy_head, program));
    tk_tracy_put_head(m->out, &h);
}

/* ---- topology: that of the first capture that has one ---- */

static void put(struct tk_tracy_merge *m, bool puts, uint64_t value, unsigned bytes)
{
    if (puts)
        tk_tracy_put(m->out, value, bytes);
}

static uint64_t pass(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, bool puts)
{
    const uint64_t n = tk_tracy_u64(part->in, "a list");
    put(m, puts, n, 8);
    return n;
}

static void pass_id(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, bool puts)
{
    put(m, puts, tk_tracy_u32(part->in, "part of a CPU"), 4);
}

static void pass_cores(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, bool puts, uint64_t cores)
{
    for (uint64_t i = 0; i < cores && tk_tracy_merge_going(m); i++) {
        pass_id(m, part, puts);
        const uint64_t threads = pass(m, part, puts);
        for (uint64_t k = 0; k < threads && tk_tracy_merge_going(m); k++)
            pass_id(m, part, puts);
    }
}

static void pass_package(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, bool puts)
{
    pass_id(m, part, puts);
    const uint64_t n = tk_tracy_u64(part->in, "parts of a CPU");
    if (!part->c->layout.dies) {
        put(m, puts && m->out->layout.dies, 1, 8);
        put(m, puts && m->out->layout.dies, 0, 4);
        put(m, puts, n, 8);
        pass_cores(m, part, puts, n);
        return;
    }
    put(m, puts, n, 8);
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
        pass_id(m, part, puts);
        pass_cores(m, part, puts, pass(m, part, puts));
    }
}

void tk_tracy_merge_topology(struct tk_tracy_merge *m)
{
    bool done = false;
    for (size_t i = 0; i < m->n && tk_tracy_merge_going(m); i++) {
        const uint64_t packages = tk_tracy_u64(m->parts[i].in, "CPU packages");
        const bool puts = !done && packages;
        put(m, puts, packages, 8);
        for (uint64_t k = 0; k < packages && tk_tracy_merge_going(m); k++)
            pass_package(m, &m->parts[i], puts);
        done |= puts;
    }
    put(m, !done, 0, 8);
}

/* ---- crash: the first ---- */

void tk_tracy_merge_crash(struct tk_tracy_merge *m)
{
    bool done = false;
    for (size_t i = 0; i < m->n && tk_tracy_merge_going(m); i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        struct tk_tracy_crash crash;
        if (!tk_tracy_read_crash(part->in, &crash) || !crash.tid || done)
            continue;
        done = true;
        tk_tracy_merge_number_crash(m, part, &crash);
        tk_tracy_put_crash(m->out, &crash);
    }
    if (!done)
        tk_tracy_put_crash(m->out, &(struct tk_tracy_crash){0});
}

/* ---- frames ---- */

static void merge_set(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_frame_set set;
    (void)tk_tracy_read_frame_set(part->in, &set);
    const uint64_t n = tk_tracy_merge_list(part, "frames");
    /* frames that no mark began are of main sets only */
    const uint64_t startup = part->head.h.on_demand ? 3 : 2;
    const bool renamed = !set.name && part->number != m->main_frames;
    const uint64_t less = !renamed || !set.continuous ? 0 : n < startup ? n : startup;
    tk_tracy_merge_number_frame_set(m, part, &set);
    if (renamed)
        set.name = tk_tracy_merge_own_pointer(part, TK_TRACY_MERGED_FRAMES);
    tk_tracy_put_frame_set(m->out, &set);
    tk_tracy_put_list(m->out, n - less);
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
        struct tk_tracy_lone_frame frame;
        if (!tk_tracy_read_frame_of(part->in, set.continuous, &frame) || i < less)
            continue;
        tk_tracy_merge_number_lone_frame(m, part, &frame);
        tk_tracy_put_frame_of(m->out, set.continuous, &frame);
    }
}

void tk_tracy_merge_frames(struct tk_tracy_merge *m)
{
    tk_tracy_merge_records(m, merge_set);
}

/* ---- sections of time: few, so that they are gathered ---- */

struct time_section {
    struct tk_tracy_time_section v;
    uint16_t category;
};

struct time_sections {
    TK_VEC(struct time_section) v;
    TK_VEC(struct tk_tracy_description) descriptions;
    size_t most;
};

static void add_section(struct tk_tracy_merge *m, struct time_sections *s, const struct time_section *one)
{
    if (s->v.n >= s->most)
        tk_tracy_merge_fail(m, TK_ELIMIT, "the captures have more sections of time than the limit allows");
    else if (tk_vec_push(&s->v, *one))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
}

static void read_sections(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct time_sections *s,
                          uint16_t category)
{
    const uint64_t n = tk_tracy_u64(part->in, "sections of time");
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
        struct time_section one = {.category = category};
        if (tk_tracy_merge_read_time_section(m, part, &one.v))
            add_section(m, s, &one);
    }
}

static void read_category(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct time_sections *s)
{
    struct tk_tracy_category category;
    if (tk_tracy_merge_read_category(m, part, &category))
        read_sections(m, part, s, category.category);
}

static void read_description(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                             struct time_sections *s)
{
    struct tk_tracy_description one;
    if (!tk_tracy_merge_read_description(m, part, &one))
        return;
    for (size_t i = 0; i < s->descriptions.n; i++)
        if (s->descriptions.v[i].category == one.category)
            return;
    if (tk_vec_push(&s->descriptions, one))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
}

static void read_part(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct time_sections *s)
{
    if (part->c->layout.section_list)
        read_sections(m, part, s, 0);
    if (!part->c->layout.section_categories)
        return;
    const uint64_t categories = tk_tracy_u64(part->in, "categories");
    for (uint64_t i = 0; i < categories && tk_tracy_merge_going(m); i++)
        read_category(m, part, s);
    const uint64_t descriptions = tk_tracy_u64(part->in, "descriptions");
    for (uint64_t i = 0; i < descriptions && tk_tracy_merge_going(m); i++)
        read_description(m, part, s);
}

static void put_sections(struct tk_tracy_merge *m, const struct time_sections *s, int category)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->v.n; i++)
        n += category < 0 || s->v.v[i].category == category;
    tk_tracy_put(m->out, n, 8);
    for (size_t i = 0; i < s->v.n; i++)
        if (category < 0 || s->v.v[i].category == category)
            tk_tracy_put_time_section(m->out, &s->v.v[i].v);
}

/* Categories in the order in which they come first. */
static void put_categories(struct tk_tracy_merge *m, const struct time_sections *s)
{
    uint8_t *seen = calloc(UINT16_MAX + 1, 1);
    uint64_t n = 0;
    if (!seen) {
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
        return;
    }
    for (size_t i = 0; i < s->v.n; i++) {
        n += !seen[s->v.v[i].category];
        seen[s->v.v[i].category] = LISTED;
    }
    tk_tracy_put(m->out, n, 8);
    for (size_t i = 0; i < s->v.n; i++) {
        const uint16_t category = s->v.v[i].category;
        if (seen[category] != LISTED)
            continue;
        seen[category]++;
        tk_tracy_put_category(m->out, &(struct tk_tracy_category){category});
        put_sections(m, s, category);
    }
    free(seen);
    tk_tracy_put(m->out, s->descriptions.n, 8);
    for (size_t i = 0; i < s->descriptions.n; i++)
        tk_tracy_put_description(m->out, &s->descriptions.v[i]);
}

void tk_tracy_merge_time_sections(struct tk_tracy_merge *m)
{
    struct time_sections s = {.most = 1 << 20};
    for (size_t i = 0; i < m->n && tk_tracy_merge_going(m); i++)
        read_part(m, &m->parts[i], &s);
    if (m->out->layout.section_list)
        put_sections(m, &s, -1);
    if (m->out->layout.section_categories)
        put_categories(m, &s);
    tk_vec_release(&s.v);
    tk_vec_release(&s.descriptions);
}

/* ---- strings: their keys are their numbers + 1 ---- */

static void skip_strings(struct tk_tracy_merge_part *part)
{
    const uint64_t n = tk_tracy_u64(part->in, "strings");
    struct tk_tracy_string head;
    for (uint64_t i = 0; i < n && tk_tracy_read_string(part->in, &head); i++)
        tk_tracy_skip(part->in, head.n, "a string");
}

static void put_string(struct tk_tracy_merge *m, uint64_t number, const char *p, size_t n)
{
    tk_tracy_put_string(m->out, &(struct tk_tracy_string){number + 1, n});
    tk_tracy_put_bytes(m->out, p, n);
}

void tk_tracy_merge_strings(struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        skip_strings(&m->parts[i]);
    tk_tracy_put(m->out, m->strings.n + 1, 8);
    for (size_t i = 0; i < m->strings.n; i++)
        put_string(m, i, m->strings.v[i].p, m->strings.v[i].n);
    put_string(m, m->strings.n, m->record, m->n_record);
}

static void put_pointer(struct tk_tracy_merge *m, uint64_t pointer, uint32_t number)
{
    tk_tracy_put_pointer(m->out, &(struct tk_tracy_pointer){pointer, (uint64_t)number + 1});
}

void tk_tracy_merge_pointers(struct tk_tracy_merge *m)
{
    bool named = false; /* the text of no pointer, which main frames have as their name */
    tk_tracy_put(m->out, tk_tracy_merge_sum(m) + 2 * (m->n - 1), 8);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        if (i) {
            put_pointer(m, tk_tracy_merge_own_pointer(part, TK_TRACY_MERGED_FRAMES), part->frames);
            put_pointer(m, tk_tracy_merge_own_pointer(part, TK_TRACY_MERGED_POOL), part->pool);
        }
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            struct tk_tracy_pointer v;
            if (!tk_tracy_read_pointer(part->in, &v))
                return;
            /* there is one: the first */
            const uint64_t now = v.pointer || !named
                                     ? tk_tracy_merge_pointer(part, v.pointer)
                                     : tk_tracy_merge_own_pointer(part, TK_TRACY_MERGED_NOBODY);
            named |= !v.pointer;
            v = (struct tk_tracy_pointer){now, tk_tracy_merge_string_key(part, v.key)};
            tk_tracy_put_pointer(m->out, &v);
        }
    }
}

/* ---- threads ---- */

void tk_tracy_merge_thread_names(struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in,
                      tk_tracy_u64(m->parts[i].in, "names of threads") *
                          tk_tracy_thread_name_size(&m->parts[i].c->layout),
                      "names of threads");
    tk_tracy_put(m->out, m->names.n, 8);
    for (size_t i = 0; i < m->names.n; i++) {
        const struct tk_tracy_thread_name v = {m->names.v[i].tid, (uint64_t)m->names.v[i].name + 1};
        tk_tracy_put_thread_name(m->out, &v);
    }
    tk_tracy_merge_records(m, tk_tracy_merge_put_external_name);
}

static void put_ids(struct tk_tracy_merge *m, const uint64_t *ids, size_t n)
{
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in, tk_tracy_u64(m->parts[i].in, "threads") * 8, "threads");
    tk_tracy_put(m->out, n, 8);
    for (size_t i = 0; i < n; i++)
        tk_tracy_put(m->out, ids[i], 8);
}

void tk_tracy_merge_thread_tables(struct tk_tracy_merge *m)
{
    put_ids(m, m->local.v, m->local.n);
    put_ids(m, m->external.v, m->external.n);
}

/* ---- source locations ---- */

/* Addresses of static ones are needed inside of the file only. */
static uint64_t address_of_place(size_t place)
{
    return UINT64_C(0x10000) + place;
}

void tk_tracy_merge_locations(struct tk_tracy_merge *m)
{
    enum { ADDRESS = 8 };
    const uint64_t size = tk_tracy_location_size(&m->out->layout);
    const uint64_t sizes[] = {ADDRESS + size, ADDRESS, size};
    for (size_t i = 0; i < m->n; i++)
        for (unsigned k = 0; k < 3; k++)
            tk_tracy_skip(m->parts[i].in, tk_tracy_u64(m->parts[i].in, "source locations") * sizes[k],
                          "source locations");
    tk_tracy_put(m->out, m->statics.n, 8);
    for (size_t i = 0; i < m->statics.n; i++) {
        tk_tracy_put(m->out, address_of_place(i), 8);
        tk_tracy_put_location(m->out, &m->statics.v[i]);
    }
    tk_tracy_put(m->out, m->statics.n + 1, 8);
    tk_tracy_put(m->out, 0, 8);
    for (size_t i = 0; i < m->statics.n; i++)
        tk_tracy_put(m->out, address_of_place(i), 8);
    tk_tracy_put(m->out, m->dynamics.n, 8);
    for (size_t i = 0; i < m->dynamics.n; i++)
        tk_tracy_put_location(m->out, &m->dynamics.v[i]);
}

static bool has_place(const struct tk_tracy_merge *m, size_t location)
{
    const int16_t id = (int16_t)(uint16_t)location;
    return id < 0 ? (size_t)(-(id + 1)) < m->dynamics.n : id > 0 && (size_t)id <= m->statics.n;
}

/* ---- numbers of zones: of all locations, as Tracy looks them up ---- */

static void merge_counts(struct tk_tracy_merge *m, uint64_t *zones)
{
    uint64_t listed = 0;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        const uint64_t n = tk_tracy_u64(part->in, "zone counts");
        for (uint64_t k = 0; k < n && tk_tracy_merge_going(m); k++) {
            struct tk_tracy_zone_count count;
            if (tk_tracy_merge_read_zone_count(m, part, &count))
                /* of pieces they were counted one by one */
                zones[(uint16_t)count.location] += m->joins ? 0 : count.zones;
        }
    }
    for (size_t i = 0; i <= UINT16_MAX; i++)
        listed += zones[i] || has_place(m, i);
    tk_tracy_put(m->out, listed, 8);
    for (size_t i = 0; i <= UINT16_MAX; i++)
        if (zones[i] || has_place(m, i))
            tk_tracy_put_zone_count(m->out, &(struct tk_tracy_zone_count){(int16_t)(uint16_t)i, zones[i]});
}

void tk_tracy_merge_zone_counts(struct tk_tracy_merge *m)
{
    merge_counts(m, m->zones_of[0]);
    merge_counts(m, m->zones_of[1]);
}
