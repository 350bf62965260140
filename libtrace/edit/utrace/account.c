/*
 * Counting.
 */
#include "edit/utrace/edit_utrace.h"

#include <stdlib.h>

#define FEW 16 /* an event of that many may be left out with its place held: some 5 bytes for each */

uint64_t tk_edit_event_bytes(const struct tk_ut_event *ev)
{
    uint64_t n = 2u + (ev->type->flags & TK_UT_FLAG_NOSYNC ? 0 : 3) + ev->n_fixed + ev->n_attachment;
    for (uint32_t i = 0; i < ev->n_blobs; i++)
        n += 4 + (uint64_t)ev->blobs[i].n;
    return n + !!(ev->type->flags & TK_UT_FLAG_AUX);
}

static void make_dirty(struct tk_edit_account *a, uint32_t tid)
{
    struct tk_edit_chain *chain = tk_edit_chains_now(&a->chains, tid);
    if (chain)
        chain->dirty = true;
}

static void see_number(struct tk_edit_account *a, uint64_t number)
{
    if (!a->first || number < a->first)
        a->first = number;
}

static int count_serial(struct tk_edit_account *a, uint32_t tid, uint64_t old)
{
    struct tk_edit_chain *chain = tk_edit_chains_now(&a->chains, tid);
    const uint64_t number = tk_edit_serials_add(&a->serials, old);
    if (!number)
        return TK_ENOMEM;
    if (chain && number > chain->number)
        chain->number = number;
    if (number != old)
        make_dirty(a, tid);
    see_number(a, old);
    return TK_OK;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_account *a = (struct tk_edit_account *)stage;
    const uint32_t tid = item->lane->tid;
    if (item->changed)
        make_dirty(a, tid);
    if (item->scope) {
        if (item->scope->timed && a->shifted_stamps[tid])
            make_dirty(a, tid);
        a->shifted_stamps[tid] &= !item->scope->timed;
        return TK_OK;
    }
    if (item->ev->incomplete) {
        a->incomplete++;
        make_dirty(a, tid);
    }
    if (item->ev->type->id < a->n) {
        struct tk_edit_tally *t = &a->types[item->ev->type->id];
        const uint64_t bytes = tk_edit_event_bytes(item->ev);
        t->events++;
        t->kept++;
        t->bytes += bytes;
        t->kept_bytes += bytes;
        t->changed += item->changed;
    }
    return item->number ? count_serial(a, tid, item->number) : TK_OK;
}

static int drop(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_account *a = (struct tk_edit_account *)stage;
    make_dirty(a, item->lane->tid);
    if (item->scope) {
        a->left_scopes[item->lane->tid] = true;
        a->shifted_stamps[item->lane->tid] |= item->scope->timed;
        return TK_OK;
    }
    a->incomplete += item->ev->incomplete;
    if (item->ev->type->id < a->n) {
        a->types[item->ev->type->id].events++;
        a->types[item->ev->type->id].bytes += tk_edit_event_bytes(item->ev);
    }
    if (item->number) {
        a->lost++;
        see_number(a, item->number);
    }
    return TK_OK;
}

static void count_quiet(struct tk_edit_tally *t, const struct tk_ut_passed *event, bool stays)
{
    t->events++;
    t->bytes += event->n;
    t->kept += stays;
    t->kept_bytes += stays ? event->n : 0;
}

static int quiet(struct tk_edit_stage *stage, const struct tk_edit_quiet *q)
{
    struct tk_edit_account *a = (struct tk_edit_account *)stage;
    const uint32_t tid = q->lane->tid;
    int rc = TK_OK;
    for (size_t i = 0; i < q->n && rc == TK_OK; i++) {
        const struct tk_ut_passed *event = &q->events[i];
        const bool stays = !tk_edit_quiet_goes(q, event);
        count_quiet(&a->types[q->types[event->uid]->id], event, stays);
        if (!stays)
            make_dirty(a, tid);
        if (event->number && stays) {
            rc = count_serial(a, tid, event->number);
        } else if (event->number) {
            a->lost++;
            see_number(a, event->number);
        }
    }
    return rc;
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_account *a = (struct tk_edit_account *)stage;
    if (a->chains.open[lane->tid])
        make_dirty(a, lane->tid);
    a->chains.open[lane->tid] = false;
    a->gaps++;
    return TK_OK;
}

/* A record that the lane ends in is not written. */
static int end(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_account *a = (struct tk_edit_account *)stage;
    if (a->chains.open[lane->tid])
        make_dirty(a, lane->tid);
    return TK_OK;
}

static const struct tk_edit_stage_ops ops = {
    .take = take, .drop = drop, .gap = gap, .end = end, .quiet = quiet};

int tk_edit_account_init(struct tk_edit_account *a, struct tk_ut_capture *c)
{
    tk_edit_stage_init(&a->stage, &ops, NULL);
    a->c = c;
    a->n = c->schema.types.n;
    a->types = calloc(a->n + 1, sizeof *a->types);
    a->shifted_stamps = calloc(TK_UT_TIDS, sizeof *a->shifted_stamps);
    a->left_scopes = calloc(TK_UT_TIDS, sizeof *a->left_scopes);
    if (!a->types || !a->shifted_stamps || !a->left_scopes)
        return TK_ENOMEM;
    return tk_edit_chains_init(&a->chains, c->index.n);
}

int tk_edit_account_begin(void *self, const struct tk_edit_packet *packet)
{
    struct tk_edit_account *a = self;
    tk_edit_chains_begin(&a->chains, packet->index, packet->read->head.tid);
    return TK_OK;
}

/* Follows the frames of declarations: does the last one end? */
static void follow_declarations(struct tk_edit_account *a, const uint8_t *p, size_t n)
{
    while (n) {
        if (!a->frame_left) {
            a->frame[a->n_frame++] = *p++;
            n--;
            if (a->n_frame < sizeof a->frame)
                continue;
            a->frame_left = tk_load16(a->frame + 2);
            a->n_frame = 0;
        }
        const size_t part = n < a->frame_left ? n : a->frame_left;
        a->frame_left -= (uint32_t)part;
        p += part;
        n -= part;
    }
}

int tk_edit_account_packet(void *self, const struct tk_edit_packet *packet)
{
    struct tk_edit_account *a = self;
    const uint32_t tid = packet->read->head.tid;
    if (packet->copy) {
        a->copies++;
        return TK_OK; /* the lane goes on as if it were not there */
    }
    a->chains.open[tid] = packet->open;
    if (!packet->sound) {
        make_dirty(a, tid);
        a->damaged = true;
        a->declarations |= a->c->header.protocol >= 5 && tid == TK_UT_TID_DECLARATIONS;
    }
    if (a->c->header.protocol >= 5 && tid == TK_UT_TID_DECLARATIONS && packet->sound)
        follow_declarations(a, packet->read->p, packet->read->n);
    return TK_OK;
}

uint32_t tk_edit_account_place(void *self, uint32_t tid)
{
    const struct tk_edit_account *a = self;
    return a->chains.of_lane[tid];
}

/* Lanes of which all packets stay; up to protocol 6 each stamp adds to the one before. */
static bool *whole_lanes(const struct tk_edit_account *a)
{
    bool *whole = malloc(TK_UT_TIDS * sizeof *whole);
    for (size_t tid = 0; whole && tid < TK_UT_TIDS; tid++)
        whole[tid] = true;
    for (size_t i = 0; whole && i < a->chains.n; i++)
        whole[tk_ut_index_tid(&a->c->index, i)] &= !tk_edit_chains_dirty(&a->chains, i, a->serials.shifted);
    return whole;
}

bool *tk_edit_account_passed(const struct tk_edit_account *a)
{
    const bool absolute = a->c->header.protocol >= 7;
    bool *passed = malloc((a->chains.n + 1) * sizeof *passed), *whole = whole_lanes(a);
    for (size_t i = 0; passed && whole && i < a->chains.n; i++) {
        const uint32_t tid = tk_ut_index_tid(&a->c->index, i);
        const bool alone = absolute && tid > TK_UT_TID_IMPORTANT && !a->left_scopes[tid];
        passed[i] = whole[tid] || (alone && !tk_edit_chains_dirty(&a->chains, i, a->serials.shifted));
    }
    if (!whole) {
        free(passed);
        passed = NULL;
    }
    free(whole);
    return passed;
}

static bool any_dirty(const struct tk_edit_account *a)
{
    for (size_t i = 0; i < a->chains.n; i++)
        if (tk_edit_chains_dirty(&a->chains, i, a->serials.shifted))
            return true;
    return false;
}

/* Packets that are followed by a running number (wire 2.5) cannot be left out one by one. */
static void make_all_dirty(struct tk_edit_account *a)
{
    for (size_t i = 0; i < a->chains.n; i++)
        if (tk_ut_index_tid(&a->c->index, i) != TK_UT_TID_SYNC)
            a->chains.packets[i].dirty = true;
    a->declarations = true;
}

void tk_edit_account_close(struct tk_edit_account *a, const struct tk_health *health)
{
    const uint64_t mask = a->c->header.protocol == 1 ? 0xffff : 0xffffff;
    const struct tk_health *opened = &a->c->ctx->health;
    const bool holes = health->counts[TK_HEALTH_EVENTS_LOST] > 0;
    a->damaged |= tk_health_damaged(health) || tk_health_damaged(opened);
    a->declarations |= opened->counts[TK_HEALTH_DECLARATION_DAMAGED] > 0 || a->frame_left || a->n_frame;
    const bool other = holes || a->gaps || a->copies || a->serials.odd.n || a->c->index.truncated;
    a->holds_places = a->in_order && !other && a->lost && a->lost <= a->serials.events / FEW &&
                      a->c->header.protocol >= 5 && tk_edit_own_uids(&a->c->schema);
    tk_edit_serials_close(&a->serials, (a->lost && !a->holds_places) || other,
                          a->serials.lowest == a->first ? a->serials.lowest : 0, mask);
    a->changes = a->damaged || any_dirty(a) || a->copies || a->declarations || a->gaps ||
                 opened->ledger[TK_LEDGER_SKIPPED] || opened->ledger[TK_LEDGER_TRUNCATED];
    if (a->changes && a->c->index.counted)
        make_all_dirty(a);
}

void tk_edit_account_release(struct tk_edit_account *a)
{
    tk_edit_chains_release(&a->chains);
    tk_edit_serials_release(&a->serials);
    free(a->types);
    free(a->shifted_stamps);
    free(a->left_scopes);
    *a = (struct tk_edit_account){0};
}
