/*
 * Zones of threads: they begin, get texts, names and colours, and end (tracy-live 7.2).
 */
#include "base/wrap.h"
#include "live/tracy/state/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int begin_zone(struct tk_tl_state *s, int16_t place, int64_t time, struct tk_tl_thread **thread)
{
    struct tk_tl_thread *t;
    TK_TL_TRY(tk_tl_thread_current(s, &t));
    *thread = t;
    const uint64_t index = tk_spill_column_count(&t->zones);
    const int64_t start_place = (int64_t)((uint64_t)time << 16 | (uint16_t)place);
    const struct tk_tl_open_zone open = {.index = index, .start_place = start_place, .id = t->next_id};
    if (!s->sums) {
        struct tk_tl_zone *z = tk_spill_column_add(&t->zones);
        if (!z)
            return tk_tl_column_error(s);
        *z = (struct tk_tl_zone){start_place, -1, 0, 0};
    }
    t->zones_begun++;
    t->next_id = 0;
    s->zones++;
    if (t->open.n) {
        s->parents += t->open.v[t->open.n - 1].children++ == 0;
    } else {
        t->roots++;
        t->last_root = place;
    }
    if (t->open.n == t->open.cap) {
        const size_t cap = t->open.cap;
        if (tk_vec_reserve(&t->open, t->open.n + 1))
            return tk_tl_nomem(s);
        TK_TL_TRY(tk_tl_charge(s, (t->open.cap - cap) * sizeof open));
    }
    t->open.v[t->open.n++] = open;
    s->open_zones++;
    return TK_OK;
}

static int begin_static(struct tk_tl_state *s, int64_t by, uint64_t pointer, struct tk_tl_thread **t)
{
    int16_t place;
    TK_TL_TRY(tk_tl_place_of(s, pointer, &place));
    return begin_zone(s, place, tk_tl_move(s, &s->thread_time, by), t);
}

int tk_tl_on_zone_begin(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_thread *t;
    return begin_static(s, tk_tl_wide(s, p), tk_load64(p + 8), &t);
}

int tk_tl_on_zone_begin_32(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_thread *t;
    return begin_static(s, tk_tl_time32(p), tk_load64(p + 4), &t);
}

int tk_tl_on_zone_begin_16(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_thread *t;
    return begin_static(s, tk_load16(p), tk_load64(p + 2), &t);
}

/* The extra of an open zone, which gets a number at its first use. */
static int extra_of(struct tk_tl_state *s, struct tk_tl_open_zone *z, struct tk_tl_extra **extra)
{
    *extra = &z->extra;
    if (z->extra_index)
        return TK_OK;
    if (tk_spill_column_count(&s->extras) > UINT32_MAX)
        return tk_err_set(s->err, TK_ELIMIT, "more zones have texts than a .tracy can hold");
    z->extra_index = (uint32_t)tk_spill_column_count(&s->extras);
    struct tk_tl_extra *record = tk_spill_column_add(&s->extras);
    if (!record)
        return tk_tl_column_error(s);
    memset(record, 0, sizeof *record);
    return TK_OK;
}

static int take_zone_stack(struct tk_tl_state *s, struct tk_tl_thread *t)
{
    struct tk_tl_extra *extra;
    if (s->sums)
        return TK_OK;
    TK_TL_TRY(extra_of(s, &t->open.v[t->open.n - 1], &extra));
    extra->callstack = tk_tl_take_stack(t);
    return TK_OK;
}

static int begin_with_stack(struct tk_tl_state *s, int64_t by, uint64_t pointer)
{
    struct tk_tl_thread *t;
    TK_TL_TRY(begin_static(s, by, pointer, &t));
    return take_zone_stack(s, t);
}

int tk_tl_on_zone_begin_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_with_stack(s, tk_tl_wide(s, p), tk_load64(p + 8));
}

int tk_tl_on_zone_begin_callstack_32(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_with_stack(s, tk_tl_time32(p), tk_load64(p + 4));
}

int tk_tl_on_zone_begin_callstack_16(struct tk_tl_state *s, const uint8_t *p)
{
    return begin_with_stack(s, tk_load16(p), tk_load64(p + 2));
}

static int begin_dynamic(struct tk_tl_state *s, const uint8_t *p, struct tk_tl_thread **t)
{
    int16_t place;
    TK_TL_TRY(tk_tl_place_dynamic(s, &place));
    return begin_zone(s, place, tk_tl_move(s, &s->thread_time, (int64_t)tk_load64(p)), t);
}

int tk_tl_on_zone_begin_alloc_src_loc(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_thread *t;
    return begin_dynamic(s, p, &t);
}

int tk_tl_on_zone_begin_alloc_src_loc_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_thread *t;
    TK_TL_TRY(begin_dynamic(s, p, &t));
    return take_zone_stack(s, t);
}

/* ---- end ---- */

int tk_tl_zone_put(struct tk_tl_state *s, struct tk_tl_thread *t, const struct tk_tl_open_zone *z,
                   int64_t end)
{
    const struct tk_tl_zone zone = {z->start_place, end, z->extra_index, z->children};
    struct tk_tl_zone *held = tk_spill_column_held(&t->zones, z->index);
    if (held)
        *held = zone;
    else if (!tk_spill_column_change(&t->zones, z->index, &zone))
        return tk_tl_column_error(s);
    if (z->extra_index && !tk_spill_column_change(&s->extras, z->extra_index, &z->extra))
        return tk_tl_column_error(s);
    return TK_OK;
}

static int add_sum(struct tk_tl_sum *sum, int64_t time)
{
    sum->count++;
    sum->total = tk_wrap_add(sum->total, time);
    sum->max = time > sum->max ? time : sum->max;
    return TK_OK;
}

static int end_zone(struct tk_tl_state *s, int64_t by)
{
    struct tk_tl_thread *t;
    TK_TL_TRY(tk_tl_thread_current(s, &t));
    if (!t->open.n)
        return tk_tl_fail(s, "a zone was ended twice", t->tid, t->last_root, 0);
    struct tk_tl_open_zone *z = &t->open.v[t->open.n - 1];
    const int16_t place = (int16_t)(uint16_t)z->start_place;
    if (z->id != t->next_id)
        return tk_tl_fail(s, "zones were ended in the wrong order", t->tid, place, 0);
    t->next_id = 0;
    t->open.n--;
    s->open_zones--;
    s->zone_counts[place + 32768]++;
    const int64_t end = tk_tl_s48(tk_tl_move(s, &s->thread_time, by));
    if (s->sums)
        return add_sum(&s->sums[place + 32768], end - (z->start_place >> 16));
    return tk_tl_zone_put(s, t, z, end);
}

int tk_tl_on_zone_end(struct tk_tl_state *s, const uint8_t *p)
{
    return end_zone(s, tk_tl_wide(s, p));
}

int tk_tl_on_zone_end_32(struct tk_tl_state *s, const uint8_t *p)
{
    return end_zone(s, tk_tl_time32(p));
}

int tk_tl_on_zone_end_16(struct tk_tl_state *s, const uint8_t *p)
{
    return end_zone(s, tk_load16(p));
}

/* ---- texts ---- */

int tk_tl_on_zone_validation(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_thread *t;
    TK_TL_TRY(tk_tl_thread_current(s, &t));
    t->next_id = tk_load32(p);
    return TK_OK;
}

/* The extra of the zone that an event is for. */
static int zone_for(struct tk_tl_state *s, const char *what, struct tk_tl_extra **extra)
{
    struct tk_tl_thread *t = tk_tl_thread_find(s, s->thread_tid);
    if (!t)
        return tk_tl_fail(s, what, s->thread_tid, 0, 0);
    if (t->in_fiber)
        t = t->in_fiber;
    if (!t->open.n || t->open.v[t->open.n - 1].id != t->next_id)
        return tk_tl_fail(s, what, t->tid, 0, 0);
    t->next_id = 0;
    return extra_of(s, &t->open.v[t->open.n - 1], extra);
}

/* Appends a line to the text of a zone. */
static int add_line(struct tk_tl_state *s, struct tk_tl_extra *extra, const void *p, size_t n)
{
    uint32_t text;
    if (!extra->text) {
        TK_TL_TRY(tk_tl_store(s, p, n, &text));
    } else {
        const struct tk_tl_text before = tk_tl_text_of(s, extra->text - 1);
        const size_t size = (size_t)before.n + 1 + n;
        uint8_t *all = malloc(size);
        if (!all)
            return tk_tl_nomem(s);
        if (before.n)
            memcpy(all, before.p, before.n);
        all[before.n] = '\n';
        if (n)
            memcpy(all + before.n + 1, p, n);
        int rc = tk_tl_store(s, all, size, &text);
        free(all);
        TK_TL_TRY(rc);
    }
    extra->text = text + 1;
    return TK_OK;
}

int tk_tl_on_zone_text(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_extra *extra;
    (void)p;
    TK_TL_TRY(zone_for(s, "a text was given to the wrong zone", &extra));
    const uint32_t text = tk_tl_take_text(s);
    if (!extra->text) {
        extra->text = text + 1;
        return TK_OK;
    }
    const struct tk_tl_text t = tk_tl_text_of(s, text);
    return add_line(s, extra, t.p, t.n);
}

int tk_tl_on_zone_value(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_extra *extra;
    char text[64];
    const uint64_t v = tk_load64(p);
    TK_TL_TRY(zone_for(s, "a value was given to the wrong zone", &extra));
    const int n = s->protocol.hex_values ? snprintf(text, sizeof text, "%" PRIu64 " [0x%" PRIx64 "]", v, v)
                                         : snprintf(text, sizeof text, "%" PRIu64, v);
    return add_line(s, extra, text, (size_t)n);
}

int tk_tl_on_zone_name(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_extra *extra;
    (void)p;
    TK_TL_TRY(zone_for(s, "a name was given to the wrong zone", &extra));
    extra->name = tk_tl_take_text(s) + 1;
    return TK_OK;
}

int tk_tl_on_zone_color(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_extra *extra;
    TK_TL_TRY(zone_for(s, "a colour was given to the wrong zone", &extra));
    extra->colour = tk_tl_colour(p);
    return TK_OK;
}
