/*
 * Batches around an edge between pieces.
 */
#include "edit/utrace/merge_utrace.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/utrace_in.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>

/*
 * Search for the first records of a thread in earlier ones, each of which is looked at once.
 */

int tk_merge_overlap_add(struct tk_merge_overlap *o, uint64_t content, bool sure)
{
    o->records++;
    if (o->first.n == TK_MERGE_REPEATED_MOST)
        return 0;
    if (sure && !o->sure)
        o->sure = (uint32_t)o->first.n + 1;
    return tk_vec_push(&o->first, content);
}

/* How many first records there are in a row, with this one behind the first `n`. */
static uint32_t go_on(const struct tk_merge_overlap *o, uint32_t n, uint64_t content)
{
    while (n && (n == o->first.n || o->first.v[n] != content))
        n = o->back.v[n - 1];
    return n + (o->first.v[n] == content);
}

int tk_merge_overlap_close(struct tk_merge_overlap *o)
{
    uint32_t n = 0;
    if (tk_vec_reserve(&o->back, o->first.n))
        return -1;
    for (size_t i = 0; i < o->first.n; i++)
        o->back.v[i] = n = i ? go_on(o, n, o->first.v[i]) : 0;
    o->back.n = o->first.n;
    return 0;
}

void tk_merge_overlap_earlier(struct tk_merge_overlap *o, uint64_t content)
{
    o->earlier = true;
    if (!o->first.n || o->within)
        return;
    o->matched = go_on(o, o->matched, content);
    o->within = o->matched == o->records;
    o->over |= o->matched == o->first.n && !o->within;
}

uint32_t tk_merge_overlap_repeated(const struct tk_merge_overlap *o)
{
    return o->sure && o->matched >= o->sure ? o->matched : 0;
}

void tk_merge_overlap_release(struct tk_merge_overlap *o)
{
    tk_vec_release(&o->first);
    tk_vec_release(&o->back);
}

#define RETURNED UINT64_MAX /* what came back with a coroutine, whose scopes have no numbers here */

/* A batch that is read. */
struct reading {
    struct tk_cur at;
    const uint8_t *from; /* the entry in hand */
    unsigned form;
    uint64_t start; /* of the clock */
    uint64_t first; /* cycles of the first entry, as they stand there */
    int64_t time;
    struct tk_edit_entry entry;
    bool any;
};

static bool read_entry(struct reading *r)
{
    r->from = r->at.p;
    if (!tk_edit_batch_next(&r->at, r->form, &r->entry))
        return false;
    const uint64_t cycles = r->entry.cycles;
    if (!r->any) {
        r->first = cycles;
        r->time = (int64_t)(cycles < r->start ? cycles : cycles - r->start);
    } else {
        r->time = (int64_t)((uint64_t)r->time + cycles);
    }
    return r->any = true;
}

static struct reading read_batch(const struct tk_merge_seam *s, const struct tk_bytes *bytes, unsigned form)
{
    return (struct reading){.at = tk_cur_of(bytes->p, bytes->n),
                            .from = bytes->p,
                            .form = form,
                            .start = s->piece->c->clock.start};
}

/* ---- what is open ---- */

static void end_scopes(struct tk_merge_row *o, uint64_t n, bool at_end)
{
    if (!at_end)
        o->numbers.n = o->live;
    o->live -= n < o->live ? (size_t)n : o->live;
    if (!at_end)
        o->numbers.n = o->live;
}

static uint64_t scopes_of(const struct tk_edit_entry *e)
{
    return 1 + (e->coroutine ? e->depth : 0);
}

/* Of a scope the number, of a coroutine one that no scope has. */
static uint64_t number_of(const struct tk_edit_entry *e)
{
    return e->coroutine ? tk_hash_pair(e->number, RETURNED) : e->number;
}

/* Follows an entry. What ends with the last cycle of the piece is remembered. */
static int follow(struct tk_merge_row *o, const struct tk_edit_entry *e, bool at_end, uint64_t most)
{
    const uint64_t scopes = scopes_of(e);
    if (!e->begins) {
        end_scopes(o, scopes, at_end);
        return TK_OK;
    }
    o->numbers.n = o->live;
    for (uint64_t i = 0; i < scopes && o->live < most; i++, o->live++)
        if (tk_vec_push(&o->numbers, i ? RETURNED : number_of(e)))
            return TK_ENOMEM;
    return TK_OK;
}

/* ---- what goes on ---- */

/* Does what an entry begins go on from the piece before, where so many scopes around it do? */
static bool goes_on(const struct tk_merge_row *before, uint64_t around, const struct tk_edit_entry *e)
{
    const uint64_t scopes = scopes_of(e), left = around < before->numbers.n ? before->numbers.n - around : 0;
    bool same = left && scopes <= left && before->numbers.v[around] == number_of(e);
    for (uint64_t i = 1; i < scopes && same; i++)
        same = before->numbers.v[around + i] == RETURNED;
    return same;
}

/* How many scopes of the first batch of a thread, which were open when the piece began, were open when the
 * one before it ended. What a coroutine ends is one entry, so coroutines go on only if all does. */
static uint32_t count_joined(const struct tk_merge_seam *s, const struct tk_merge_opens *ends,
                             const struct tk_bytes *bytes, unsigned form)
{
    struct reading r = read_batch(s, bytes, form);
    uint64_t n = 0, plain = 0;
    bool same = ends != NULL, scopes_only = true;
    while (read_entry(&r)) {
        if (!r.entry.begins || r.time != s->piece->from)
            return 0; /* not what an edit put there */
        same = same && goes_on(&ends->batched, n, &r.entry);
        scopes_only &= !r.entry.coroutine;
        n += same ? scopes_of(&r.entry) : 0;
        plain += same && scopes_only;
    }
    return (uint32_t)(same ? n : plain);
}

/* ---- batches ---- */

/* The part of a batch that stays: without the begins of so many scopes in front, and up to `end`. */
static struct tk_bytes part_of(struct tk_merge_seam *s, const struct tk_bytes *bytes, unsigned form,
                               uint32_t skipped, const uint8_t *end)
{
    const struct tk_bytes none = {NULL, 0};
    struct reading r = read_batch(s, bytes, form);
    const unsigned shift = form > 1 ? 2 : 1;
    uint64_t scopes = 0;
    do {
        scopes += r.any ? scopes_of(&r.entry) : 0;
        if (!read_entry(&r) || r.from >= end)
            return none;
    } while (scopes < skipped);
    if (!skipped)
        return (struct tk_bytes){bytes->p, (size_t)(end - bytes->p)};
    /* all of them begin at one time, which the first one that stays now states */
    struct tk_cur entry = tk_cur_of(r.from, (size_t)(end - r.from));
    const uint64_t bits = tk_varint(&entry, "time") & ((1u << shift) - 1);
    tk_uw_bytes_clear(&s->out);
    tk_uw_varint(&s->out, r.first << shift | bits);
    tk_uw_raw(&s->out, entry.p, tk_cur_left(&entry));
    return (struct tk_bytes){s->out.data, s->out.size};
}

static int hand_on(struct tk_merge_seam *s, const struct tk_edit_item *item, struct tk_bytes bytes)
{
    const struct tk_ut_field *data = s->piece->rules[item->ev->type->id].key;
    const struct tk_ut_blob blob = {bytes.p, (uint32_t)bytes.n, tk_ut_field_index(item->ev->type, data)};
    struct tk_ut_event ev = *item->ev;
    struct tk_edit_item changed = *item;
    if (s->out.failed)
        return TK_ENOMEM;
    if (!bytes.n)
        return TK_OK;
    ev.blobs = &blob;
    ev.n_blobs = 1;
    changed.ev = &ev;
    changed.changed = true;
    return tk_edit_take(s->stage.next, &changed);
}

/* Follows a batch. *end: the first of its ends that is left out, as the scope goes on in the next piece. */
static int follow_batch(const struct tk_merge_seam *s, struct tk_merge_opens *o, struct reading *r,
                        uint32_t behind, const uint8_t **end)
{
    const struct tk_merge_piece *p = s->piece;
    while (read_entry(r)) {
        const bool at_end = r->time == p->to;
        if (follow(&o->batched, &r->entry, at_end, p->c->ctx->limits.open_scopes) != TK_OK)
            return TK_ENOMEM;
        if (!*end && at_end && !r->entry.begins && o->batched.live < behind)
            *end = r->from;
    }
    return TK_OK;
}

static int take_batch(struct tk_merge_seam *s, struct tk_merge_opens *o, const struct tk_edit_item *item)
{
    const struct tk_edit_cut_rule *rule = &s->piece->rules[item->ev->type->id];
    const struct tk_bytes bytes = tk_ut_event_bytes(item->ev, rule->key);
    const uint32_t tid = item->lane->tid, behind = s->next && s->next->joined ? s->next->joined[tid] : 0;
    struct reading r = read_batch(s, &bytes, rule->form);
    const uint8_t *end = NULL;
    if (s->plans && !o->begun && !o->parted && s->seams && s->seams->ends)
        s->piece->joined[tid] = count_joined(s, s->seams->ends[tid], &bytes, rule->form);
    const uint32_t skipped = o->begun ? 0 : s->piece->joined[tid];
    o->begun = o->inside = true;
    if (follow_batch(s, o, &r, behind, &end) != TK_OK)
        return TK_ENOMEM;
    if (s->plans || (!skipped && !end))
        return tk_edit_take(s->stage.next, item);
    return hand_on(s, item, part_of(s, &bytes, rule->form, skipped, end ? end : bytes.p + bytes.n));
}

/* ---- stamped scopes ---- */

/* Does the scope whose event this is go on from the piece before? */
static bool is_joined(struct tk_merge_seam *s, struct tk_merge_opens *o, uint32_t tid, uint64_t content)
{
    uint32_t *joined = &s->piece->joined_stamped[tid];
    const struct tk_merge_opens *ends = s->seams && s->seams->ends ? s->seams->ends[tid] : NULL;
    if (o->inside || !s->seams || o->begin.time != s->piece->from)
        return false;
    if (s->plans && ends && *joined < ends->stamped.numbers.n && ends->stamped.numbers.v[*joined] == content)
        ++*joined;
    return o->joined < *joined;
}

static int let_begin_go(struct tk_merge_seam *s, struct tk_merge_opens *o, struct tk_ut_lane *lane)
{
    const struct tk_edit_item begin = {.lane = lane, .scope = &o->begin, .changed = true};
    if (!o->waits)
        return TK_OK;
    o->waits = false;
    o->inside = true;
    return tk_edit_take(s->stage.next, &begin);
}

/* The event of a scope that begins. *gone: both are left out. */
static int take_stamped(struct tk_merge_seam *s, struct tk_merge_opens *o, const struct tk_edit_item *item,
                        bool *gone)
{
    const uint64_t content = tk_merge_event_content(item->ev);
    const bool divided = s->seams && o->begin.time == s->piece->from;
    o->stamped.numbers.n = o->stamped.live;
    if (tk_vec_push(&o->stamped.numbers, content))
        return TK_ENOMEM;
    o->stamped.live++;
    *gone = is_joined(s, o, item->lane->tid, content);
    if (!*gone) {
        o->parted |= divided && !o->begun;
        return let_begin_go(s, o, item->lane);
    }
    o->joined++;
    o->waits = false;
    return TK_OK;
}

static int take_scope(struct tk_merge_seam *s, struct tk_merge_opens *o, const struct tk_edit_item *item)
{
    const struct tk_ut_scope *scope = item->scope;
    const bool at_end = scope->time == s->piece->to, any = o->stamped.live;
    const uint32_t behind = s->next && s->next->joined_stamped ? s->next->joined_stamped[item->lane->tid] : 0;
    const int rc = let_begin_go(s, o, item->lane);
    if (rc != TK_OK)
        return rc;
    if (!scope->timed) /* around steps of memory, which lie beyond the edge, too */
        return tk_edit_take(s->stage.next, item);
    if (scope->begins) {
        o->begin = *scope;
        o->waits = true;
        return TK_OK;
    }
    o->inside = true;
    end_scopes(&o->stamped, 1, at_end);
    const bool goes_on = any && at_end && o->stamped.live < behind && !s->plans;
    return goes_on ? TK_OK : tk_edit_take(s->stage.next, item);
}

static bool is_batch(const struct tk_merge_piece *p, const struct tk_ut_event *ev)
{
    return !ev->has_serial && !ev->incomplete && ev->type->id < p->n &&
           p->rules[ev->type->id].kind == TK_CUT_BATCH && p->rules[ev->type->id].key;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_merge_seam *s = (struct tk_merge_seam *)stage;
    const bool batch = item->ev && is_batch(s->piece, item->ev);
    struct tk_merge_opens **lane = &s->lanes[item->lane->tid];
    bool gone = false;
    int rc = TK_OK;
    if ((!s->next && !s->seams) || (!*lane && !item->scope && !batch))
        return tk_edit_take(stage->next, item);
    if (!*lane && !(*lane = calloc(1, sizeof **lane)))
        return TK_ENOMEM;
    if (item->scope)
        return take_scope(s, *lane, item);
    if ((*lane)->waits)
        rc = take_stamped(s, *lane, item, &gone);
    if (rc != TK_OK || gone)
        return rc;
    return batch ? take_batch(s, *lane, item) : tk_edit_take(stage->next, item);
}

static int end(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_merge_seam *s = (struct tk_merge_seam *)stage;
    struct tk_merge_opens *o = s->lanes[lane->tid];
    const int rc = o ? let_begin_go(s, o, lane) : TK_OK;
    return rc == TK_OK ? tk_edit_end(stage->next, lane) : rc;
}

/* What is open behind bytes that are missing nobody knows. */
static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_merge_seam *s = (struct tk_merge_seam *)stage;
    struct tk_merge_opens *o = s->lanes[lane->tid];
    const int rc = o ? let_begin_go(s, o, lane) : TK_OK;
    if (o) {
        o->batched.numbers.n = o->batched.live = o->stamped.numbers.n = o->stamped.live = 0;
        o->inside = true;
    }
    return rc == TK_OK ? tk_edit_gap(stage->next, lane) : rc;
}

static const struct tk_edit_stage_ops ops = {.take = take, .gap = gap, .end = end};

static bool meet(const struct tk_merge_piece *a, const struct tk_merge_piece *b)
{
    return a && b && a->cut && b->cut && a->to == b->from && a->to != INT64_MAX;
}

int tk_merge_seam_init(struct tk_merge_seam *s, struct tk_merge_piece *piece,
                       const struct tk_merge_piece *before, const struct tk_merge_piece *behind,
                       const struct tk_merge_seams *seams, struct tk_edit_stage *next)
{
    *s = (struct tk_merge_seam){.piece = piece,
                                .next = meet(piece, behind) ? behind : NULL,
                                .seams = meet(before, piece) ? seams : NULL};
    tk_edit_stage_init(&s->stage, &ops, next);
    s->lanes = calloc(TK_UT_TIDS, sizeof *s->lanes);
    if (!piece->joined)
        piece->joined = calloc(TK_UT_TIDS, sizeof *piece->joined);
    if (!piece->joined_stamped)
        piece->joined_stamped = calloc(TK_UT_TIDS, sizeof *piece->joined_stamped);
    return s->lanes && piece->joined && piece->joined_stamped ? TK_OK : TK_ENOMEM;
}

void tk_merge_seams_release(struct tk_merge_seams *s)
{
    for (size_t tid = 0; s->ends && tid < TK_UT_TIDS; tid++) {
        if (s->ends[tid]) {
            tk_vec_release(&s->ends[tid]->batched.numbers);
            tk_vec_release(&s->ends[tid]->stamped.numbers);
        }
        free(s->ends[tid]);
    }
    free(s->ends);
    s->ends = NULL;
}

void tk_merge_seam_close(struct tk_merge_seam *s, struct tk_merge_seams *seams)
{
    tk_merge_seams_release(seams);
    seams->ends = s->lanes;
    s->lanes = NULL;
    tk_uw_bytes_release(&s->out);
}
