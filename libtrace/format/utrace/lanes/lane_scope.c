/*
 * Scope records of lanes and the events they belong to (wire 5.4), places and counts of events.
 */
#include "format/utrace/lanes/lanes_in.h"

#include <string.h>

/*
 * Records whose uid is not declared, as where a declaration was refused. Those of protocols 1 to 4 state the
 * size of their data, but not whether a serial number and array data are there: what follows proves that. Of
 * others nothing is known.
 */

enum { WAYS = 4, UIDS = 3 };

/* How records of an undeclared uid may look. */
struct guess {
    uint32_t uid;
    unsigned way;   /* below WAYS; bit 0: there is no serial number, bit 1: array data follows */
    unsigned tried; /* ways before it */
};

/* How those of several look, which may stand in one packet. */
struct guesses {
    const struct tk_ut_decoder *d;
    const struct tk_ut_lane *lane;
    tk_ut_length_fn *length; /* of others */
    struct guess v[UIDS];
    size_t n;
};

static size_t serial_of(const struct tk_ut_decoder *d, const struct guess *g)
{
    return tk_ut_old_serial(d, !(g->way & 1));
}

/* The length of such a record, 0 where not all of it is there. */
static size_t guessed_length(const struct tk_ut_decoder *d, const struct guess *g, const uint8_t *p,
                             const uint8_t *end, size_t code_size)
{
    size_t left = (size_t)(end - p), head = code_size + 2 + serial_of(d, g);
    size_t n = left < head ? 0 : head + tk_load16(p + code_size);
    if (!n || n > left || !(g->way & 2))
        return n > left ? 0 : n;
    size_t blobs = tk_ut_old_blobs(p + n, end);
    return blobs ? n + blobs : 0;
}

static const struct guess *guess_of(const struct guesses *all, uint32_t uid)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].uid == uid)
            return &all->v[i];
    return NULL;
}

/* The uid where it is one that nothing declares; else 0. */
static uint32_t undeclared_at(const struct guesses *all, const struct tk_ut_input *in, size_t code_size)
{
    struct tk_ut_event at;
    const uint32_t uid = tk_ut_old_uid(all->d, in->p, code_size);
    tk_ut_place(all->lane, in, in->p, &at);
    const bool reserved = all->d->protocol == 4 && uid < all->d->uid_bias;
    return reserved || tk_ut_schema_find(all->d->schema, uid, at.offset) ? 0 : uid;
}

/* What guesses make of a packet. Serial numbers of a thread rise, which is likely and no more: those of
 * protocol 1 begin anew soon. */
enum proof { NONE, A_FEW_RECORDS, RECORDS_TO_THE_END, RISING_TO_THE_END };

/* Is the serial number of a record, if it has one, above that of the one before? */
static bool rises(const struct guesses *all, const struct tk_ut_input *in, const struct guess *g,
                  size_t code_size, uint32_t *last, bool *any)
{
    struct tk_ut_event at;
    tk_ut_place(all->lane, in, in->p, &at);
    const struct tk_ut_type *t =
        g ? NULL : tk_ut_schema_find(all->d->schema, tk_ut_old_uid(all->d, in->p, code_size), at.offset);
    const size_t n =
        g ? serial_of(all->d, g) : tk_ut_old_serial(all->d, t && !(t->flags & TK_UT_FLAG_NOSYNC));
    if (!n || (!g && !t))
        return true;
    const uint32_t number = (uint32_t)tk_load_le(in->p + code_size + 2, n), half = UINT32_C(1) << (8 * n - 1);
    const bool rising = !*any || ((number - *last - 1) & (2 * half - 1)) < half;
    *last = number;
    *any = true;
    return rising;
}

/*
 * Do records follow each other from here to the end of the packet, or ENOUGH of them? A few prove something
 * where the packet ends inside of a record. No more than MOST are looked at: a packet may hold thousands of
 * one undeclared type. *other is another undeclared uid that ended it, or 0.
 */
static enum proof prove(const struct guesses *all, struct tk_ut_input in, uint32_t *other)
{
    enum { FEW = 4, ENOUGH = 16, MOST = 64 };
    int known = 0;
    uint32_t last = 0;
    bool any = false, rising = true;
    *other = 0;
    for (int i = 0; in.p < in.end && known < ENOUGH && i <= MOST; i++) {
        size_t code_size = all->d->protocol < 4 ? 2 : 1u + (*in.p & 1u), left = (size_t)(in.end - in.p);
        struct tk_ut_record_kind kind;
        const bool there = left >= code_size;
        const struct guess *g = there ? guess_of(all, tk_ut_old_uid(all->d, in.p, code_size)) : NULL;
        size_t n = g ? guessed_length(all->d, g, in.p, in.end, code_size)
                     : all->length(all->d, all->lane, &in, &kind);
        if ((!n || n > left) && there && !g)
            *other = undeclared_at(all, &in, code_size);
        if (!n || n > left)
            return known >= FEW ? A_FEW_RECORDS : NONE;
        known += !g;
        rising &= rises(all, &in, g, code_size, &last, &any);
        in.p += n;
    }
    return rising ? RISING_TO_THE_END : RECORDS_TO_THE_END;
}

/* ---- what was found before ---- */

static struct tk_ut_undeclared *place_of(struct tk_ut_lane *lane, uint32_t uid)
{
    return &lane->undeclared[uid % TK_UT_UNDECLARED];
}

/* Guesses begin with what nothing else explained in front of them. */
static struct guess first_guess(struct tk_ut_lane *lane, uint32_t uid)
{
    const struct tk_ut_undeclared *before = place_of(lane, uid);
    return (struct guess){.uid = uid, .way = before->uid == uid ? before->way : 0};
}

static void learn_way(struct tk_ut_lane *lane, const struct guess *g)
{
    *place_of(lane, g->uid) = (struct tk_ut_undeclared){g->uid, g->way};
}

static bool is_learned(struct tk_ut_lane *lane, const struct guess *g)
{
    const struct tk_ut_undeclared *before = place_of(lane, g->uid);
    return before->uid == g->uid && before->way == g->way;
}

/* ---- the search ---- */

/* The next of all ways, the last guess first. False when there is none. */
static bool next_way(struct guesses *all)
{
    while (all->n && ++all->v[all->n - 1].tried == WAYS)
        all->n--;
    if (all->n)
        all->v[all->n - 1].way = (all->v[all->n - 1].way + 1) % WAYS;
    return all->n > 0;
}

/* Looks for the best guess with so many undeclared uids in the packet at most. */
static enum proof search(struct guesses *all, struct tk_ut_lane *lane, const struct tk_ut_input *in,
                         size_t most, struct guesses *found)
{
    enum proof best = NONE;
    unsigned ways = 0; /* as good as the best */
    do {
        uint32_t other;
        enum proof proof = prove(all, *in, &other);
        lane->guesses += most > 1;
        ways = proof > best ? 1 : ways + (proof == best);
        if (proof > best)
            *found = *all;
        best = proof > best ? proof : best;
        if (best == RISING_TO_THE_END && is_learned(lane, &found->v[0]))
            return best;
        if (proof == NONE && other && all->n < most) {
            all->v[all->n++] = first_guess(lane, other);
            continue;
        }
        if (!next_way(all))
            break;
    } while (most == 1 || lane->guesses < TK_UT_MOST_GUESSES);
    for (size_t i = 0; best == RISING_TO_THE_END && ways == 1 && i < found->n; i++)
        learn_way(lane, &found->v[i]);
    return best;
}

size_t tk_ut_step_over(const struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_input *in,
                       uint32_t uid, size_t code_size, size_t *serial, tk_ut_length_fn *length)
{
    struct guesses found = {.n = 0};
    enum proof best = NONE;
    /* other undeclared uids are thought of only where one explains nothing: they explain too much */
    for (size_t most = 1; most <= UIDS && best == NONE; most++) {
        struct guesses all = {d, lane, length, {first_guess(lane, uid)}, 1};
        if (most == 1 || lane->guesses < TK_UT_MOST_GUESSES)
            best = search(&all, lane, in, most, &found);
    }
    if (best == NONE)
        return 0;
    *serial = serial_of(d, &found.v[0]);
    return guessed_length(d, &found.v[0], in->p, in->end, code_size);
}

int tk_ut_undeclared_stop(struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                          const struct tk_ut_input *in, uint32_t uid)
{
    struct tk_ut_event at;
    tk_ut_place(lane, in, in->p, &at);
    tk_health_note(d->health, TK_HEALTH_TYPE_UNDECLARED, at.offset, 1,
                   "events of the undeclared uid %u; what follows them in their packets was dropped", uid);
    return TK_UT_STOP;
}

void tk_ut_place(const struct tk_ut_lane *lane, const struct tk_ut_input *in, const uint8_t *p,
                 struct tk_ut_event *ev)
{
    size_t at = (size_t)(p - in->base);
    if (at < in->joint) {
        ev->offset = lane->carry_offset;
        ev->within = lane->carry_within + (uint32_t)at;
    } else {
        ev->offset = lane->packet;
        ev->within = (uint32_t)(at - in->joint);
    }
}

static bool is_cpu_scope(const struct tk_ut_type *t)
{
    return t->logger->n == 3 && memcmp(t->logger->p, "Cpu", 3) == 0;
}

static void take_base(struct tk_ut_lane *lane, const struct tk_ut_event *ev)
{
    lane->stamp = tk_ut_event_u64(ev, tk_ut_type_field(ev->type, "BaseTimestamp"));
    lane->timing = true;
}

/* An edit found bytes missing here, and wrote that down. */
static int take_gap(struct tk_ut_decoder *d, struct tk_ut_lane *lane)
{
    lane->marks.n = 0;
    lane->marks_over = 0;
    lane->at_gap = true;
    const int rc = d->handler->cut(d->handler->self, lane);
    lane->at_gap = false;
    return rc;
}

int tk_ut_begin_event(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev, size_t bytes)
{
    const struct tk_ut_type *t = ev->type;
    lane->events++;
    lane->begun = false;
    if (d->counts && t->id < d->n_want) {
        d->counts[t->id]++;
        d->bytes[t->id] += bytes;
    }
    if (t->role == TK_UT_ROLE_THREAD_TIMING)
        take_base(lane, ev);
    if (t->role == TK_UT_ROLE_GAP)
        return take_gap(d, lane);
    if (!tk_ut_scope_waits(lane))
        return TK_OK;
    struct tk_ut_mark *top = &lane->marks.v[lane->marks.n - 1];
    top->type = t;
    ev->scoped = true;
    ev->stamped = top->timed;
    ev->stamp = top->time;
    return top->timed && is_cpu_scope(t) ? d->handler->enter(d->handler->self, lane, t, top->time) : TK_OK;
}

/* A scope record as it stands, for who wants them all. */
static int tell_scope(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool begins, bool timed, int64_t time)
{
    const struct tk_ut_scope scope = {begins, timed, time};
    if (!d->handler->scope)
        return TK_OK;
    lane->begun = begins;
    if (lane->group.open.n)
        return tk_ut_keep_scope(d, lane, &scope);
    return d->handler->scope(d->handler->self, lane, &scope);
}

int tk_ut_enter(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool timed, int64_t time)
{
    struct tk_ut_mark mark = {.time = time, .timed = timed};
    int rc = tell_scope(d, lane, true, timed, time);
    if (!d->marks || rc != TK_OK)
        return rc;
    if (lane->marks.n >= d->limits->open_scopes) {
        lane->marks_over++;
        return TK_OK;
    }
    return tk_vec_push(&lane->marks, mark) ? TK_ENOMEM : TK_OK;
}

static int scope_end(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_type *type)
{
    if (!d->handler->scope_end || (type->id < d->n_want && !(d->want[type->id] & TK_UT_WANT_SCOPES)))
        return TK_OK;
    if (lane->group.open.n)
        return tk_ut_keep_scope_end(d, lane, type);
    return d->handler->scope_end(d->handler->self, lane, type);
}

int tk_ut_leave(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool timed, int64_t time)
{
    int rc = tell_scope(d, lane, false, timed, time);
    if (rc != TK_OK)
        return rc;
    if (lane->marks_over) {
        lane->marks_over--;
        return TK_OK;
    }
    if (!d->marks || !lane->marks.n)
        return TK_OK;
    struct tk_ut_mark mark = lane->marks.v[--lane->marks.n];
    rc = mark.type ? scope_end(d, lane, mark.type) : TK_OK;
    if (rc != TK_OK || !timed || !mark.timed || !mark.type || !is_cpu_scope(mark.type))
        return rc;
    return d->handler->leave(d->handler->self, lane, time);
}

int64_t tk_ut_stamp(struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint64_t delta)
{
    lane->stamp += delta;
    if (!lane->timing && !lane->untimed_noted) {
        lane->untimed_noted = true;
        tk_health_note(
            d->health, TK_HEALTH_TIME_UNRELIABLE, lane->packet, 1,
            "the beginning of thread %u is missing: times of its stamped scopes are off by a constant",
            lane->tid);
    }
    return (int64_t)lane->stamp;
}
