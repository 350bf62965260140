/*
 * Snapshots of clocks and conversions.
 */
#include "format/perfetto/perfetto_in.h"

static uint32_t clock_of(struct tk_pf_clocks *c, uint64_t key)
{
    uint32_t at = tk_map_get(&c->index, key);
    if (at != TK_MAP_NONE)
        return at;
    struct tk_pf_clock clock = {.key = key, .unit = 1};
    at = (uint32_t)c->clocks.n;
    return tk_vec_push(&c->clocks, clock) || tk_map_put(&c->index, key, at) ? TK_MAP_NONE : at;
}

/* The clock of a key, or TK_MAP_NONE. */
static inline uint32_t known_clock(struct tk_pf_clocks *c, uint64_t key)
{
    if (c->requested_clock && c->requested_key == key)
        return c->requested_clock - 1;
    const uint32_t at = tk_map_get(&c->index, key);
    c->requested_key = key;
    c->requested_clock = at == TK_MAP_NONE ? 0 : at + 1;
    return at;
}

struct reading {
    uint64_t id, value, unit;
    bool incremental;
};

static int read_clock(struct tk_bytes message, struct reading *r)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    *r = (struct reading){.unit = 1};
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1)
            r->id = f.value;
        else if (f.number == 2)
            r->value = f.value;
        else if (f.number == 3)
            r->incremental = f.value != 0;
        else if (f.number == 4)
            r->unit = f.value ? f.value : 1;
    }
    return rc;
}

/* MONOTONIC, MONOTONIC_RAW, BOOTTIME */
static bool is_steady(uint64_t id)
{
    return id == 3 || id == 5 || id == 6;
}

static int take_clock(struct tk_pf_clocks *c, const struct reading *r, uint32_t sequence, bool collect)
{
    uint64_t key = tk_pf_clock_key(r->id, sequence);
    uint32_t at = clock_of(c, key);
    if (at == TK_MAP_NONE)
        return -2;
    struct tk_pf_clock *clock = &c->clocks.v[at];
    struct tk_pf_reading reading = {at, c->snapshots, (int64_t)(r->value * r->unit)};
    c->went_back |= is_steady(r->id) && collect && reading.ns < clock->value;
    clock->unit = r->unit;
    clock->incremental = r->incremental;
    clock->value = reading.ns;
    clock->set = !collect;
    return collect && tk_vec_push(&c->readings, reading) ? -2 : 1;
}

/* A snapshot that is broken somewhere says nothing at all. */
static bool is_sound(struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct reading r;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1)
        if (f.number == 1 && f.wire == TK_PF_BYTES && read_clock(f.bytes, &r) < 0)
            return false;
    return rc == 0;
}

int tk_pf_clocks_snapshot(struct tk_pf_clocks *c, struct tk_bytes message, uint32_t sequence, bool collect)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct reading r;
    int rc;
    if (!is_sound(message))
        return -1;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 2 && f.wire == TK_PF_VARINT && f.value && collect)
            c->trace = f.value & UINT32_MAX;
        if (f.number != 1 || f.wire != TK_PF_BYTES)
            continue;
        if (read_clock(f.bytes, &r) < 0 || take_clock(c, &r, sequence, collect) < 0)
            return -2;
    }
    c->snapshots++;
    return rc < 0 ? -1 : 1;
}

int tk_pf_clocks_pair(struct tk_pf_clocks *c, uint64_t key, uint64_t value, uint64_t boot_time)
{
    const uint64_t keys[] = {key, TK_PF_BOOTTIME}, values[] = {value, boot_time};
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t at = clock_of(c, keys[i]);
        const struct tk_pf_reading reading = {at, c->snapshots, (int64_t)values[i]};
        if (at == TK_MAP_NONE || tk_vec_push(&c->readings, reading))
            return -2;
    }
    c->snapshots++;
    return 1;
}

/* The reading of a clock in a snapshot, or NULL. */
static const struct tk_pf_reading *reading_of(const struct tk_pf_clocks *c, size_t first, uint32_t clock)
{
    const uint32_t snapshot = c->readings.v[first].snapshot;
    const struct tk_pf_reading *found = NULL;
    for (size_t i = first; i < c->readings.n && c->readings.v[i].snapshot == snapshot; i++)
        if (c->readings.v[i].clock == clock)
            found = &c->readings.v[i];
    return found;
}

/* From when to when one snapshot holds, and what is to be added then. */
struct step {
    bool found, before; /* before: the snapshot is not later than the time */
    int64_t from, to, add;
};

static void see_pair(struct step *s, int64_t ns, int64_t source, int64_t target)
{
    if (source <= ns && source > s->from)
        s->from = source;
    if (source > ns && source < s->to)
        s->to = source;
    if (s->found && source > ns)
        return;
    s->found = true;
    s->add = (int64_t)((uint64_t)target - (uint64_t)source);
}

static struct step step_between(const struct tk_pf_clocks *c, int64_t ns, uint32_t source, uint32_t target)
{
    struct step s = {.from = INT64_MIN, .to = INT64_MAX};
    for (size_t i = 0; i < c->readings.n;) {
        const struct tk_pf_reading *a = reading_of(c, i, source), *b = a ? reading_of(c, i, target) : NULL;
        const uint32_t snapshot = c->readings.v[i].snapshot;
        if (b)
            see_pair(&s, ns, a->ns, b->ns);
        while (i < c->readings.n && c->readings.v[i].snapshot == snapshot)
            i++;
    }
    return s;
}

static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Over one more clock. */
static bool convert_over(const struct tk_pf_clocks *c, int64_t ns, uint32_t source, uint32_t target,
                         int64_t *out)
{
    for (uint32_t over = 0; over < c->clocks.n; over++) {
        struct step first = step_between(c, ns, source, over);
        if (!first.found || over == source)
            continue;
        struct step second = step_between(c, sum(ns, first.add), over, target);
        if (second.found) {
            *out = sum(sum(ns, first.add), second.add);
            return true;
        }
    }
    return false;
}

enum tk_pf_converted tk_pf_clocks_convert(struct tk_pf_clocks *c, int64_t ns, uint64_t key, int64_t *out)
{
    *out = ns;
    if (key == c->trace)
        return TK_PF_CONVERTED;
    if (c->known && c->known_key == key && ns >= c->from && ns < c->to) {
        *out = sum(ns, c->add);
        return TK_PF_CONVERTED;
    }
    uint32_t source = tk_map_get(&c->index, key), target = tk_map_get(&c->index, c->trace);
    if (source != TK_MAP_NONE && target != TK_MAP_NONE) {
        struct step s = step_between(c, ns, source, target);
        if (s.found) {
            c->known = true;
            c->known_key = key;
            c->from = s.from;
            c->to = s.to;
            c->add = s.add;
            *out = sum(ns, s.add);
            return TK_PF_CONVERTED;
        }
        if (convert_over(c, ns, source, target, out))
            return TK_PF_CONVERTED;
    }
    if (target == TK_MAP_NONE && key >> 32 == 0 && key < 64)
        return TK_PF_AS_IT_IS;
    return TK_PF_UNKNOWN_CLOCK;
}

enum tk_pf_converted tk_pf_clocks_time(struct tk_pf_clocks *c, uint64_t value, uint64_t key, int64_t *out)
{
    const uint32_t at = known_clock(c, key);
    int64_t ns = (int64_t)value;
    if (at != TK_MAP_NONE) {
        struct tk_pf_clock *clock = &c->clocks.v[at];
        ns = (int64_t)(value * clock->unit);
        if (clock->incremental && !clock->set)
            return TK_PF_UNKNOWN_CLOCK;
        if (clock->incremental)
            clock->value = ns = sum(ns, clock->value);
    }
    return tk_pf_clocks_convert(c, ns, key, out);
}

bool tk_pf_clocks_is_incremental(const struct tk_pf_clocks *c, uint64_t key)
{
    const uint32_t at = tk_map_get(&c->index, key);
    return at != TK_MAP_NONE && c->clocks.v[at].incremental;
}

void tk_pf_clocks_release(struct tk_pf_clocks *c)
{
    tk_vec_release(&c->clocks);
    tk_map_release(&c->index);
    tk_vec_release(&c->readings);
}
