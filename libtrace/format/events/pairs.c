/*
 * Pairing of begins and ends.
 *
 * Ends of one time may come in any order. So a scope that has ended stays on the stack while time stands
 * still; when it goes on, what is open inside has lost its end.
 */
#include "format/events/pairs.h"

#include "format/events/events_in.h"
#include "format/events/track.h"

/*
 * Sorting of tracks on their way out.
 */

int tk_ev_ordered_open(struct tk_ev_ordered *o, const struct tk_ev_track *track, const struct tk_spill *spill,
                       const char *dir, struct tk_err *err)
{
    const struct tk_ev_item *item;
    int rc = TK_OK;
    *o = (struct tk_ev_ordered){.reader = {.track = track, .spill = spill},
                                .sorter = {.compare = tk_ev_by_time, .dir = dir, .most = TK_EV_SORT_MANY},
                                .sorts = track->unsorted && !tk_ev_merge_can(track),
                                .merges = track->unsorted && tk_ev_merge_can(track)};
    if (o->merges && tk_ev_merge_open(&o->merge, track))
        return tk_err_nomem(err, "events to merge");
    while (o->sorts && (rc = tk_ev_track_next(&o->reader, &item, err)) == TK_ITEM) {
        rc = tk_ev_sorter_add(&o->sorter, item, err);
        if (rc != TK_OK)
            return rc;
    }
    return rc == TK_OK && o->sorts ? tk_ev_sorter_start(&o->sorter, err) : rc;
}

void tk_ev_ordered_release(struct tk_ev_ordered *o)
{
    tk_ev_track_reader_release(&o->reader);
    tk_ev_sorter_clear(&o->sorter);
    tk_ev_merge_release(&o->merge);
}

/*
 * Keeping and reading items.
 */

int tk_ev_track_spill(struct tk_ev_track *t, struct tk_spill *spill, struct tk_err *err)
{
    if (!t->held.n)
        return TK_OK;
    int rc = tk_spill_write(spill, &t->spilled, t->held.v, t->held.n, err);
    tk_vec_release(&t->held);
    tk_vec_release(&t->runs);
    t->scattered = true;
    return rc;
}

void tk_ev_track_release(struct tk_ev_track *t)
{
    tk_vec_release(&t->held);
    tk_vec_release(&t->runs);
    tk_vec_release(&t->spilled.pieces);
}

static int load_piece(struct tk_ev_track_reader *r, struct tk_err *err)
{
    const struct tk_spill_piece *piece = &r->track->spilled.pieces.v[r->next_piece];
    if (tk_vec_reserve(&r->piece, piece->n + TK_EV_PACKED_SPACE))
        return tk_err_nomem(err, "events that were put aside");
    r->at = r->piece.v;
    r->end = r->at + piece->n;
    memset(r->piece.v + piece->n, 0, TK_EV_PACKED_SPACE); /* which is looked at, but means nothing */
    return tk_spill_read(r->spill, &r->track->spilled, r->next_piece, r->piece.v, err);
}

/* The next stretch of items: the pieces of the temporary file, then what is still in memory. TK_ITEM, TK_OK.
 */
static int next_stretch(struct tk_ev_track_reader *r, struct tk_err *err)
{
    const size_t pieces = r->track->spilled.pieces.n;
    r->before = (struct tk_ev_packing){0};
    if (r->next_piece > pieces)
        return TK_OK;
    if (r->next_piece < pieces) {
        int rc = load_piece(r, err);
        r->next_piece++;
        return rc == TK_OK ? TK_ITEM : rc;
    }
    tk_vec_release(&r->piece);
    r->next_piece++;
    r->at = r->track->held.v;
    r->end = r->track->held.n ? r->at + r->track->held.n : r->at;
    return TK_ITEM;
}

int tk_ev_track_fill(struct tk_ev_track_reader *r, struct tk_err *err)
{
    while (r->at >= r->end) {
        int rc = next_stretch(r, err);
        if (rc != TK_ITEM)
            return rc;
    }
    const uint8_t *at = r->at;
    size_t n = 0;
    for (; n < TK_EV_UNPACKED && at < r->end; n++)
        at = tk_ev_unpack(at, &r->before, &r->items[n]);
    r->at = at;
    r->next = 0;
    r->n = n;
    return TK_ITEM;
}

void tk_ev_track_reader_release(struct tk_ev_track_reader *r)
{
    tk_vec_release(&r->piece);
}

void tk_ev_pairs_begin(struct tk_ev_pairs *p)
{
    p->stack.n = 0;
    p->nameless = 0;
    p->first_ended = SIZE_MAX;
    p->first_unmatched = 0;
}

static void count_open(struct tk_ev_pairs *p, uint32_t name, uint32_t by)
{
    if (name == TK_EV_NONE)
        p->nameless += by;
    else
        p->open.v[name] += by;
}

static int lose(struct tk_ev_pairs *p, const struct tk_ev_open *scope)
{
    struct tk_ev_item item = {scope->begin, scope->begin, scope->timer | TK_EV_LOST, scope->order};
    count_open(p, scope->name, UINT32_MAX);
    p->slot = scope->slot;
    return p->put(p->ctx, &item);
}

/* Time goes on: takes away what has ended, and what is open inside of it. */
static int settle(struct tk_ev_pairs *p)
{
    int rc = 0;
    if (p->first_ended == SIZE_MAX)
        return 0;
    for (size_t i = p->first_ended + 1; i < p->stack.n && rc == 0; i++)
        if (!p->stack.v[i].ended)
            rc = lose(p, &p->stack.v[i]);
    p->stack.n = p->first_ended;
    p->first_ended = SIZE_MAX;
    return rc;
}

static int begin(struct tk_ev_pairs *p, const struct tk_ev_item *item)
{
    struct tk_ev_open scope = {item->time, 0, item->what, p->names[item->what], item->order, false};
    if (p->stack.n >= p->most) {
        p->too_deep++;
        return 0;
    }
    if (scope.name != TK_EV_NONE && tk_vec_reach(&p->open, (size_t)scope.name + 1))
        return -1;
    count_open(p, scope.name, 1);
    return tk_vec_push(&p->stack, scope) ? -1 : 1;
}

static bool is_any_open(const struct tk_ev_pairs *p, uint32_t name)
{
    if (name == TK_EV_NONE)
        return p->stack.n > 0;
    return p->nameless || (name < p->open.n && p->open.v[name]);
}

static struct tk_ev_open *innermost(struct tk_ev_pairs *p, uint32_t name)
{
    for (size_t i = is_any_open(p, name) ? p->stack.n : 0; i > 0; i--) {
        struct tk_ev_open *scope = &p->stack.v[i - 1];
        if (!scope->ended && (name == TK_EV_NONE || scope->name == TK_EV_NONE || scope->name == name))
            return scope;
    }
    return NULL;
}

static int end(struct tk_ev_pairs *p, const struct tk_ev_item *item)
{
    struct tk_ev_open *scope = innermost(p, item->what);
    if (!scope) {
        p->ends_without_begin++;
        if (!p->first_unmatched)
            p->first_unmatched = item->order + 1;
        return 0;
    }
    p->ends_of_nameless += scope->name == TK_EV_NONE && item->what != TK_EV_NONE;
    struct tk_ev_item whole = {scope->begin, item->time, scope->timer, scope->order};
    size_t at = (size_t)(scope - p->stack.v);
    scope->ended = true;
    p->slot = scope->slot;
    count_open(p, scope->name, UINT32_MAX);
    if (p->first_ended == SIZE_MAX || at < p->first_ended)
        p->first_ended = at;
    while (p->stack.n && p->stack.v[p->stack.n - 1].ended)
        p->stack.n--;
    if (p->first_ended >= p->stack.n)
        p->first_ended = SIZE_MAX;
    return p->put(p->ctx, &whole);
}

int tk_ev_pairs_take(struct tk_ev_pairs *p, const struct tk_ev_item *item)
{
    int rc = 0;
    if (item->time != p->now || item->value == TK_EV_BEGIN)
        rc = settle(p);
    p->now = item->time;
    if (rc)
        return rc;
    return item->value == TK_EV_BEGIN ? begin(p, item) : end(p, item);
}

int tk_ev_pairs_finish(struct tk_ev_pairs *p)
{
    int rc = settle(p);
    for (size_t i = 0; i < p->stack.n && rc == 0; i++) {
        const struct tk_ev_open *scope = &p->stack.v[i];
        struct tk_ev_item item = {scope->begin, TK_EV_OPEN, scope->timer, scope->order};
        count_open(p, scope->name, UINT32_MAX);
        p->slot = scope->slot;
        rc = p->put(p->ctx, &item);
    }
    p->stack.n = 0;
    return rc;
}

void tk_ev_pairs_release(struct tk_ev_pairs *p)
{
    tk_vec_release(&p->stack);
    tk_vec_release(&p->open);
}
