/*
 * Pages of bits for serial numbers.
 */
#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/utrace_in.h"
#include "format/utrace/write/packets.h"

#include <stdlib.h>
#include <string.h>

/*
 * Ends of scopes that have none.
 */

#define DEEPEST 1024       /* of what comes back with a coroutine; as the limit open_scopes has it */
#define MOST    (1u << 20) /* scopes of a thread that get an end */

/* What a type is to this stage. */
struct tk_edit_close_type {
    const struct tk_ut_field *data; /* of a batch */
    unsigned form;
    bool ends_thread;
    bool pattern; /* a batch that another one can be made of */
};

struct tk_edit_close_lane {
    uint64_t open;              /* scopes of batches */
    TK_VEC(bool) marks;         /* scope records: timed? */
    int64_t latest;             /* time of the last of both */
    struct tk_edit_held *batch; /* the last one, without its entries; owned */
    const struct tk_edit_close_type *type;
};

static struct tk_edit_close_lane *lane_of(struct tk_edit_closer *s, uint32_t tid)
{
    struct tk_edit_close_lane *lane = s->lanes[tid];
    if (!lane && (lane = calloc(1, sizeof *lane)) != NULL)
        s->lanes[tid] = lane;
    return lane;
}

/* ---- what is open ---- */

static void count_entries(struct tk_edit_closer *s, struct tk_edit_close_lane *l, unsigned form,
                          struct tk_bytes bytes)
{
    struct tk_cur c = tk_cur_of(bytes.p, bytes.n);
    struct tk_edit_entry e;
    uint64_t time = 0;
    for (bool first = true; tk_edit_batch_next(&c, form, &e); first = false) {
        const uint64_t n = 1 + (e.coroutine ? (e.depth < DEEPEST ? e.depth : DEEPEST) : 0);
        time = !first ? time + e.cycles : e.cycles < s->start ? e.cycles : e.cycles - s->start;
        l->open = e.begins ? l->open + n : l->open > n ? l->open - n : 0;
    }
    if ((int64_t)time > l->latest)
        l->latest = (int64_t)time;
}

static int see_batch(struct tk_edit_closer *s, struct tk_edit_close_lane *l,
                     const struct tk_edit_close_type *type, const struct tk_ut_event *ev)
{
    struct tk_ut_event bare = *ev;
    count_entries(s, l, type->form, tk_ut_event_bytes(ev, type->data));
    if (!type->pattern || (l->batch && l->batch->ev.type == ev->type))
        return TK_OK;
    bare.n_blobs = 0;
    free(l->batch);
    l->type = type;
    return (l->batch = tk_edit_hold(&bare, 0)) ? TK_OK : TK_ENOMEM;
}

static int see_scope(struct tk_edit_close_lane *l, const struct tk_ut_scope *scope)
{
    if (scope->timed && scope->time > l->latest)
        l->latest = scope->time;
    if (scope->begins)
        return tk_vec_push(&l->marks, scope->timed) ? TK_ENOMEM : TK_OK;
    l->marks.n -= l->marks.n > 0;
    return TK_OK;
}

/* ---- their ends ---- */

static int put_ends(struct tk_edit_closer *s, struct tk_edit_close_lane *l, struct tk_ut_lane *lane,
                    int64_t time)
{
    const struct tk_edit_close_type *type = l->type;
    struct tk_uw_bytes ends = {0};
    int rc = TK_OK;
    const uint64_t n = l->open < MOST ? l->open : MOST;
    l->open = 0;
    if (!n || !l->batch)
        return TK_OK;
    for (uint64_t i = 0; i < n; i++)
        tk_uw_varint(&ends, i ? 0 : ((uint64_t)time + s->start) << (type->form > 1 ? 2 : 1));
    if (ends.failed) {
        rc = TK_ENOMEM;
    } else {
        const struct tk_ut_blob blob = {ends.data, (uint32_t)ends.size,
                                        tk_ut_field_index(l->batch->ev.type, type->data)};
        struct tk_ut_event ev = l->batch->ev;
        ev.blobs = &blob;
        ev.n_blobs = 1;
        const struct tk_edit_item item = {.lane = lane, .ev = &ev, .changed = true};
        rc = tk_edit_take(s->stage.next, &item);
    }
    tk_uw_bytes_release(&ends);
    return rc;
}

/* All ends have one time, so that it is all the same which of both kinds comes first. */
static int close_all(struct tk_edit_closer *s, struct tk_edit_close_lane *l, struct tk_ut_lane *lane,
                     int64_t time)
{
    int rc = put_ends(s, l, lane, time);
    while (l->marks.n && rc == TK_OK) {
        const bool timed = l->marks.v[--l->marks.n];
        const struct tk_ut_scope scope = {false, timed, time};
        const struct tk_edit_item item = {.lane = lane, .scope = &scope, .changed = true};
        rc = tk_edit_take(s->stage.next, &item);
    }
    return rc;
}

/* ---- the stage ---- */

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_closer *s = (struct tk_edit_closer *)stage;
    struct tk_edit_close_lane *l = lane_of(s, item->lane->tid);
    int rc = TK_OK;
    if (!l)
        return TK_ENOMEM;
    if (item->scope) {
        rc = see_scope(l, item->scope);
    } else if (item->ev->type->id < s->n) {
        const struct tk_edit_close_type *type = &s->types[item->ev->type->id];
        if (type->data)
            rc = see_batch(s, l, type, item->ev);
        else if (type->ends_thread)
            rc = close_all(s, l, item->lane, l->latest);
    }
    return rc == TK_OK ? tk_edit_take(stage->next, item) : rc;
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_closer *s = (struct tk_edit_closer *)stage;
    struct tk_edit_close_lane *l = s->lanes[lane->tid];
    const int rc = l ? close_all(s, l, lane, l->latest) : TK_OK;
    return rc == TK_OK ? tk_edit_gap(stage->next, lane) : rc;
}

static int end(struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    struct tk_edit_closer *s = (struct tk_edit_closer *)stage;
    struct tk_edit_close_lane *l = s->lanes[lane->tid];
    const int rc = l ? close_all(s, l, lane, l->latest > s->last ? l->latest : s->last) : TK_OK;
    return rc == TK_OK ? tk_edit_end(stage->next, lane) : rc;
}

static const struct tk_edit_stage_ops ops = {.take = take, .gap = gap, .end = end};

int tk_edit_closer_init(struct tk_edit_closer *s, const struct tk_ut_capture *c, int64_t last,
                        struct tk_edit_stage *next)
{
    *s = (struct tk_edit_closer){.n = c->schema.types.n, .last = last, .start = c->clock.start};
    tk_edit_stage_init(&s->stage, &ops, next);
    s->types = calloc(s->n + 1, sizeof *s->types);
    s->lanes = calloc(TK_UT_TIDS, sizeof *s->lanes);
    if (!s->types || !s->lanes)
        return TK_ENOMEM;
    for (size_t i = 0; i < s->n; i++) {
        const struct tk_ut_type *t = c->schema.types.v[i];
        struct tk_edit_close_type *type = &s->types[i];
        type->form = tk_edit_batch_form(t);
        type->data = type->form ? tk_ut_type_field(t, "Data") : NULL;
        type->pattern = strcmp(tk_ut_type_event(t), "EndCapture") != 0;
        type->ends_thread = strcmp(t->name->p, "CpuProfiler.EndThread") == 0;
    }
    return TK_OK;
}

void tk_edit_closer_release(struct tk_edit_closer *s)
{
    for (size_t i = 0; s->lanes && i < TK_UT_TIDS; i++) {
        if (!s->lanes[i])
            continue;
        tk_vec_release(&s->lanes[i]->marks);
        free(s->lanes[i]->batch);
        free(s->lanes[i]);
    }
    free(s->lanes);
    free(s->types);
    *s = (struct tk_edit_closer){0};
}

#define PAGE_BITS  16
#define PAGE_WORDS TK_EDIT_SERIAL_WORDS
#define MOST_PAGES (UINT64_C(1) << 20)

static unsigned count_bits(uint64_t v)
{
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(v * UINT64_C(0x0101010101010101) >> 56);
}

/* Makes the list of pages reach one. False where it is too far from the others, or out of memory (*failed).
 */
static bool reach(struct tk_edit_serials *s, uint64_t page, bool *failed)
{
    if (s->n_pages && page >= s->first_page && page < s->first_page + s->n_pages)
        return true;
    uint64_t first = s->n_pages && s->first_page < page ? s->first_page : page;
    uint64_t end =
        s->n_pages && s->first_page + s->n_pages > page + 1 ? s->first_page + s->n_pages : page + 1;
    if (end - first > MOST_PAGES)
        return false;
    uint64_t n = end - first, spare = n / 2 + 8;
    /* space at the side on which it grew */
    if (s->n_pages && first < s->first_page)
        first -= first < spare ? first : spare;
    else
        end += spare;
    n = end - first;
    struct tk_edit_serial_page **pages = calloc((size_t)n, sizeof *pages);
    if (!pages) {
        *failed = true;
        return false;
    }
    if (s->n_pages)
        memcpy(pages + (s->first_page - first), s->pages, (size_t)s->n_pages * sizeof *pages);
    free(s->pages);
    s->pages = pages;
    s->first_page = first;
    s->n_pages = n;
    return true;
}

/* The word and bit of a number, whose page is made where it is not there. */
static uint64_t *word_of(struct tk_edit_serials *s, uint64_t number, bool *failed)
{
    uint64_t page = number >> PAGE_BITS;
    if (!reach(s, page, failed))
        return NULL;
    struct tk_edit_serial_page **p = &s->pages[page - s->first_page];
    if (!*p && !(*p = calloc(PAGE_WORDS, sizeof **p))) {
        *failed = true;
        return NULL;
    }
    return &(*p)->bits[number >> 6 & (PAGE_WORDS - 1)];
}

static bool put(struct tk_edit_serials *s, uint64_t number, bool *failed)
{
    uint64_t *word = word_of(s, number, failed), bit = UINT64_C(1) << (number & 63);
    if (!word || *word & bit)
        return false;
    *word |= bit;
    if (!s->highest || number < s->lowest)
        s->lowest = number;
    if (number > s->highest)
        s->highest = number;
    return true;
}

uint64_t tk_edit_serials_add(struct tk_edit_serials *s, uint64_t number)
{
    bool failed = false;
    const uint64_t event = s->events++;
    if (put(s, number, &failed))
        return number;
    /* behind all others: whoever numbered it did it wrong, so that its place is not known */
    const struct tk_edit_odd_serial odd = {event, s->highest + 1};
    if (failed || !put(s, odd.number, &failed) || tk_vec_push(&s->odd, odd))
        return 0;
    return odd.number;
}

/* The first number from `lowest` on that is not there. */
static uint64_t first_hole(const struct tk_edit_serials *s)
{
    uint64_t number = s->lowest;
    for (; number <= s->highest; number++) {
        const struct tk_edit_serial_page *page = s->pages[(number >> PAGE_BITS) - s->first_page];
        if (!page || !(page->bits[number >> 6 & (PAGE_WORDS - 1)] >> (number & 63) & 1))
            break;
    }
    return number;
}

void tk_edit_serials_close(struct tk_edit_serials *s, bool renumbered, uint64_t base, uint64_t mask)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < s->n_pages; i++) {
        struct tk_edit_serial_page *page = s->pages[i];
        if (!page)
            continue;
        page->before = total;
        for (size_t k = 0; k < PAGE_WORDS; k++) {
            page->in_page[k] = (uint16_t)(total - page->before);
            total += count_bits(page->bits[k]);
        }
    }
    s->events = 0;
    s->next_odd = 0;
    s->base = base;
    s->shifted = !renumbered || !s->n_pages    ? UINT64_MAX
                 : ((base ^ s->lowest) & mask) ? s->lowest
                                               : first_hole(s);
    /* odd ones have another number in the file even where there are no holes */
    if (renumbered && s->odd.n && s->odd.v[0].number < s->shifted)
        s->shifted = s->odd.v[0].number;
}

uint64_t tk_edit_serials_find(struct tk_edit_serials *s, uint64_t number)
{
    const uint64_t event = s->events++;
    if (s->next_odd < s->odd.n && s->odd.v[s->next_odd].event == event)
        return s->odd.v[s->next_odd++].number;
    return number;
}

uint64_t tk_edit_serials_new(const struct tk_edit_serials *s, uint64_t number)
{
    const uint64_t at = (number >> PAGE_BITS) - s->first_page;
    const struct tk_edit_serial_page *page = at < s->n_pages ? s->pages[at] : NULL;
    const size_t word = number >> 6 & (PAGE_WORDS - 1);
    if (!page)
        return number;
    const uint64_t below = page->bits[word] & ((UINT64_C(1) << (number & 63)) - 1);
    return s->base + page->before + page->in_page[word] + count_bits(below);
}

void tk_edit_serials_release(struct tk_edit_serials *s)
{
    for (uint64_t i = 0; i < s->n_pages; i++)
        free(s->pages[i]);
    free(s->pages);
    tk_vec_release(&s->odd);
    *s = (struct tk_edit_serials){0};
}
