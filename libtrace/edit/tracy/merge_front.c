/*
 * The sections of a merge in front of the locks: header, topology, crash, frames, sections of time, strings,
 * threads and source locations (tracy-file 4, 5.1 to 5.6).
 */
#include "edit/tracy/edit_tracy_merge.h"

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
    struct tk_tracy_head h = m->parts[0].head;
    for (size_t i = 0; i < m->n; i++) {
        const struct tk_tracy_head *other = &m->parts[i].head;
        const int64_t last = tk_tracy_merge_time(&m->parts[i], other->last_time);
        if (last > h.last_time || i == 0)
            h.last_time = last;
        if (other->capture_time && other->capture_time < h.capture_time)
            h.capture_time = other->capture_time;
        if (!h.sampling)
            h.sampling = other->sampling;
    }
    if (m->main_frames < m->n) {
        h.on_demand = m->parts[m->main_frames].head.on_demand;
        h.frame_offset = m->parts[m->main_frames].head.frame_offset;
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
        const uint64_t tid = tk_tracy_u64(part->in, "thread of the crash");
        const int64_t time = tk_tracy_i64(part->in, "time of the crash");
        const uint64_t message = tk_tracy_u64(part->in, "message of the crash");
        const uint32_t callstack = tk_tracy_u32(part->in, "callstack of the crash");
        if (!tid || done)
            continue;
        done = true;
        tk_tracy_put_crash(m->out, tk_tracy_merge_tid(m, part, tid), tk_tracy_merge_time(part, time),
                           tk_tracy_merge_pointer(part, message),
                           tk_tracy_merge_callstack(m, part, callstack));
    }
    if (!done)
        tk_tracy_put_crash(m->out, 0, 0, 0, 0);
}

/* ---- frames ---- */

static void merge_set(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const uint64_t name = tk_tracy_u64(part->in, "name of a frame set");
    const bool continuous = tk_tracy_u8(part->in, "kind of a frame set");
    const uint64_t n = tk_tracy_u64(part->in, "frames");
    /* frames that no mark began are of main sets only */
    const uint64_t startup = part->head.on_demand ? 3 : 2;
    const bool renamed = !name && part->number != m->main_frames;
    const uint64_t less = !renamed || !continuous ? 0 : n < startup ? n : startup;
    int64_t time = 0;
    tk_tracy_put_frame_set(m->out,
                           renamed ? tk_tracy_merge_own_pointer(part, TK_TRACY_MERGED_FRAMES)
                                   : tk_tracy_merge_pointer(part, name),
                           continuous, n - less);
    for (uint64_t i = 0; i < n && tk_tracy_merge_going(m); i++) {
        const int64_t start = tk_tracy_time(part->in, &time, "start of a frame");
        const int64_t end = continuous ? -1 : tk_tracy_time(part->in, &time, "end of a frame");
        const int32_t image = (int32_t)tk_tracy_u32(part->in, "image of a frame");
        const bool there = image >= 0 && (uint64_t)image < part->images;
        const uint64_t now = there ? (uint32_t)image + part->first_image : UINT32_MAX;
        if (i >= less)
            tk_tracy_put_frame(m->out, continuous, tk_tracy_merge_time(part, start),
                               tk_tracy_merge_end(part, end), now > INT32_MAX ? -1 : (int32_t)now);
    }
}

void tk_tracy_merge_frames(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++)
        for (uint64_t k = 0; k < m->parts[i].n && tk_tracy_merge_going(m); k++)
            merge_set(m, &m->parts[i]);
}

/* ---- sections of time: few, so that they are gathered ---- */

struct time_section {
    int64_t start, end;
    uint32_t text;
    uint16_t category;
};

struct time_sections {
    TK_VEC(struct time_section) v;
    TK_VEC(struct time_section) descriptions; /* category and text */
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
        one.start = tk_tracy_merge_time(part, tk_tracy_i48(part->in, "start of a section"));
        one.end = tk_tracy_merge_end(part, tk_tracy_i48(part->in, "end of a section"));
        one.text = tk_tracy_merge_read_index(part);
        add_section(m, s, &one);
    }
}

static void read_description(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                             struct time_sections *s)
{
    struct time_section one = {.category = tk_tracy_u16(part->in, "category")};
    one.text = tk_tracy_merge_read_index(part);
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
        read_sections(m, part, s, tk_tracy_u16(part->in, "category"));
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
            tk_tracy_put_time_section(m->out, s->v.v[i].start, s->v.v[i].end, s->v.v[i].text);
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
        tk_tracy_put(m->out, category, 2);
        put_sections(m, s, category);
    }
    free(seen);
    tk_tracy_put(m->out, s->descriptions.n, 8);
    for (size_t i = 0; i < s->descriptions.n; i++) {
        tk_tracy_put(m->out, s->descriptions.v[i].category, 2);
        tk_tracy_put_index(m->out, s->descriptions.v[i].text);
    }
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
    for (uint64_t i = 0; i < n && tk_tracy_ok(part->in); i++) {
        tk_tracy_skip(part->in, 8, "key of a string");
        tk_tracy_skip(part->in, tk_tracy_u64(part->in, "length"), "a string");
    }
}

void tk_tracy_merge_strings(struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        skip_strings(&m->parts[i]);
    tk_tracy_put(m->out, m->strings.n + 1, 8);
    for (size_t i = 0; i < m->strings.n; i++) {
        tk_tracy_put(m->out, i + 1, 8);
        tk_tracy_put_text(m->out, m->strings.v[i].p, m->strings.v[i].n);
    }
    tk_tracy_put(m->out, m->strings.n + 1, 8);
    tk_tracy_put_text(m->out, m->record, m->n_record);
}

static void put_pointer(struct tk_tracy_merge *m, uint64_t pointer, uint32_t number)
{
    tk_tracy_put(m->out, pointer, 8);
    tk_tracy_put(m->out, (uint64_t)number + 1, 8);
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
            const uint64_t pointer = tk_tracy_u64(part->in, "pointer of a string");
            const uint64_t key = tk_tracy_u64(part->in, "key of a string");
            const uint32_t number = tk_map_get(&part->c->strings.by_key, key);
            const uint32_t index = number == TK_MAP_NONE ? 0 : tk_tracy_merge_index(part, number + 1);
            /* there is one: the first */
            tk_tracy_put(m->out,
                         pointer || !named ? tk_tracy_merge_pointer(part, pointer)
                                           : tk_tracy_merge_own_pointer(part, TK_TRACY_MERGED_NOBODY),
                         8);
            named |= !pointer;
            tk_tracy_put(m->out, index, 8); /* 0: of a text that is gone */
        }
    }
}

/* ---- threads ---- */

void tk_tracy_merge_thread_names(struct tk_tracy_merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_skip(m->parts[i].in, tk_tracy_u64(m->parts[i].in, "names of threads") * 16,
                      "names of threads");
    tk_tracy_put(m->out, m->names.n, 8);
    for (size_t i = 0; i < m->names.n; i++) {
        tk_tracy_put(m->out, m->names.v[i].tid, 8);
        tk_tracy_put(m->out, (uint64_t)m->names.v[i].name + 1, 8);
    }
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const uint64_t tid = tk_tracy_u64(part->in, "thread of a name");
            tk_tracy_put(m->out, tk_tracy_merge_tid(m, part, tid), 8);
            for (unsigned which = 0; which < 2; which++) {
                const uint32_t number =
                    tk_map_get(&part->c->strings.by_key, tk_tracy_u64(part->in, "name of a thread"));
                tk_tracy_put(m->out, number == TK_MAP_NONE ? 0 : tk_tracy_merge_index(part, number + 1), 8);
            }
        }
    }
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
    const uint64_t sizes[] = {ADDRESS + TK_TRACY_LOCATION_BYTES, ADDRESS, TK_TRACY_LOCATION_BYTES};
    for (size_t i = 0; i < m->n; i++)
        for (unsigned k = 0; k < 3; k++)
            tk_tracy_skip(m->parts[i].in, tk_tracy_u64(m->parts[i].in, "source locations") * sizes[k],
                          "source locations");
    tk_tracy_put(m->out, m->statics.n, 8);
    for (size_t i = 0; i < m->statics.n; i++) {
        tk_tracy_put(m->out, address_of_place(i), 8);
        tk_tracy_put_place(m->out, &m->statics.v[i]);
    }
    tk_tracy_put(m->out, m->statics.n + 1, 8);
    tk_tracy_put(m->out, 0, 8);
    for (size_t i = 0; i < m->statics.n; i++)
        tk_tracy_put(m->out, address_of_place(i), 8);
    tk_tracy_put(m->out, m->dynamics.n, 8);
    for (size_t i = 0; i < m->dynamics.n; i++)
        tk_tracy_put_place(m->out, &m->dynamics.v[i]);
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
            const int16_t location = (int16_t)tk_tracy_u16(part->in, "source location of a zone count");
            const uint16_t now = (uint16_t)tk_tracy_merge_place(part, location);
            const uint64_t count = tk_tracy_u64(part->in, "zone count");
            zones[now] += m->joins ? 0 : count; /* of pieces they were counted one by one */
        }
    }
    for (size_t i = 0; i <= UINT16_MAX; i++)
        listed += zones[i] || has_place(m, i);
    tk_tracy_put(m->out, listed, 8);
    for (size_t i = 0; i <= UINT16_MAX; i++)
        if (zones[i] || has_place(m, i))
            tk_tracy_put_zone_count(m->out, (int16_t)(uint16_t)i, zones[i]);
}

void tk_tracy_merge_zone_counts(struct tk_tracy_merge *m)
{
    merge_counts(m, m->zones_of[0]);
    merge_counts(m, m->zones_of[1]);
}
