/*
 * Values of counters in TrackEvents (import 5.5). See track_work.h.
 */
#include "format/perfetto/track_work.h"

#include <string.h>

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
    if (tk_pf_track_owner(&w->t->tracks, w->c, uuid, &own, &thread, &process) == TK_PF_NOT_ASKED)
        return TK_PF_NO_MEMORY;
    uint32_t counter = tk_ev_counter(w->c, process, name, uuid);
    if (counter == UINT32_MAX)
        return TK_PF_NO_MEMORY;
    w->c->counters.v[counter].unit = unit;
    return tk_pf_kept(tk_ev_value(w->c, counter, w->time, n));
}

/* Values beside the event's own: tracks of one field, or the defaults', and as many values of another. */
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

int tk_pf_take_values(struct tk_pf_work *w)
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
