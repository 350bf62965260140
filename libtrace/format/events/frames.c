/*
 * Frames out of instants, and out of exports of Tracekit.
 */
#include "format/events/events_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Pairing of asynchronous work. As scopes, but what is open inside stays open, as such work
 * may end before its parts.
 */

enum { FIRST_SLOTS = 256 };

/* ---- keys that have open regions ---- */

static size_t home_of(const struct tk_ev_regions *r, uint64_t key)
{
    return (size_t)(key ^ key >> 32) & r->mask;
}

/* The slot of a key, or the empty one where it belongs. */
static struct tk_ev_open_key *slot_of(const struct tk_ev_regions *r, uint64_t key)
{
    size_t i = home_of(r, key);
    while (r->slots[i].innermost && r->slots[i].key != key)
        i = (i + 1) & r->mask;
    return &r->slots[i];
}

static int make_slots(struct tk_ev_regions *r)
{
    const size_t before = r->slots ? r->mask + 1 : 0;
    struct tk_ev_open_key *old = r->slots;
    if (r->slots && r->keys < before / 2)
        return 0;
    struct tk_ev_open_key *slots = calloc(before ? before * 2 : FIRST_SLOTS, sizeof *slots);
    if (!slots)
        return -1;
    r->slots = slots;
    r->mask = (before ? before * 2 : FIRST_SLOTS) - 1;
    for (size_t i = 0; i < before; i++)
        if (old[i].innermost)
            *slot_of(r, old[i].key) = old[i];
    free(old);
    return 0;
}

/* Empties a slot; those behind it that do not stand at home move up. */
static void empty_slot(struct tk_ev_regions *r, struct tk_ev_open_key *slot)
{
    size_t hole = (size_t)(slot - r->slots);
    r->keys--;
    for (size_t i = (hole + 1) & r->mask; r->slots[i].innermost; i = (i + 1) & r->mask)
        if (((i - home_of(r, r->slots[i].key)) & r->mask) >= ((i - hole) & r->mask)) {
            r->slots[hole] = r->slots[i];
            hole = i;
        }
    r->slots[hole].innermost = 0;
}

/* ---- begins and ends ---- */

static void fill(const struct tk_ev_capture *c, const struct tk_ev_item *item, uint32_t id,
                 struct tk_fact *fact)
{
    static const struct tk_str no_name = {"[No name]", 9, TK_ENC_UTF8};
    const struct tk_ev_label label = c->names.labels.v[item->what];
    const struct tk_str *name = tk_ev_name_text(&c->names, label.name);
    bool begin = !(item->order & TK_EV_REGION_ENDS);
    *fact = (struct tk_fact){.kind = TK_FACT_REGION,
                             .size = sizeof *fact,
                             .thread = TK_NO_THREAD,
                             .time = tk_ev_since(c->first, item->time),
                             .seq = TK_NO_SEQ};
    fact->u.region = (struct tk_fact_region){begin, true, id, begin ? (name ? name : &no_name) : NULL,
                                             tk_ev_name_text(&c->names, label.category)};
}

static int begin(struct tk_ev_regions *r, uint64_t key, uint32_t name, uint32_t *id)
{
    if (make_slots(r) || r->begun == UINT32_MAX)
        return -1;
    uint32_t place = r->unused;
    if (place)
        r->unused = r->open.v[place - 1].outer;
    else if (r->open.n >= UINT32_MAX - 1 || tk_vec_reach(&r->open, r->open.n + 1))
        return -1;
    else
        place = (uint32_t)r->open.n;
    struct tk_ev_open_key *slot = slot_of(r, key);
    r->keys += !slot->innermost;
    r->open.v[place - 1] = (struct tk_ev_open_region){++r->begun, name, slot->innermost};
    *slot = (struct tk_ev_open_key){key, place};
    *id = r->begun;
    return 1;
}

enum { MOST_DEEP = 4096 }; /* open regions of a key that an end is compared with */

static int end(struct tk_ev_regions *r, uint64_t key, uint32_t name, uint32_t *id)
{
    struct tk_ev_open_key *slot = r->slots ? slot_of(r, key) : NULL;
    uint32_t *link = slot ? &slot->innermost : NULL;
    for (unsigned deep = 0; link && *link && deep < MOST_DEEP; deep++) {
        const uint32_t place = *link;
        struct tk_ev_open_region *open = &r->open.v[place - 1];
        if (name == TK_EV_NO_NAME || open->name == TK_EV_NO_NAME || open->name == name) {
            *id = open->id;
            r->matched++;
            *link = open->outer;
            open->outer = r->unused;
            r->unused = place;
            if (!slot->innermost)
                empty_slot(r, slot);
            return 1;
        }
        link = &open->outer;
    }
    r->without_begin++;
    return 0;
}

static bool is_begun_twice(const struct tk_ev_regions *r, const struct tk_ev_item *item)
{
    const uint64_t key = (uint64_t)item->value;
    return key & TK_EV_REGION_ALONE && !(item->order & TK_EV_REGION_ENDS) && r->slots &&
           slot_of(r, key)->innermost;
}

int tk_ev_regions_take(struct tk_ev_regions *r, const struct tk_ev_capture *c, const struct tk_ev_item *item,
                       struct tk_fact *fact)
{
    const uint64_t key = (uint64_t)item->value;
    const uint32_t name = c->names.labels.v[item->what].name;
    uint32_t id = 0;
    if (is_begun_twice(r, item)) {
        r->twice++;
        return 0;
    }
    int rc = item->order & TK_EV_REGION_ENDS ? end(r, key, name, &id) : begin(r, key, name, &id);
    if (rc == 1)
        fill(c, item, id, fact);
    else if (rc == 0 && !r->first_unmatched)
        r->first_unmatched = (uint64_t)(item->order >> 1) + 1;
    return rc;
}

void tk_ev_regions_release(struct tk_ev_regions *r)
{
    tk_vec_release(&r->open);
    free(r->slots);
    r->slots = NULL;
}

enum { FRAME_GAME, FRAME_RENDERING, FRAME_OTHERS };

/* ---- instants ---- */

static bool has_frame(const struct tk_str *s)
{
    static const char word[] = "frame";
    for (uint32_t i = 0; s && i + 5 <= s->n; i++) {
        uint32_t k = 0;
        while (k < 5 && (s->p[i + k] | 0x20) == word[k])
            k++;
        if (k == 5)
            return true;
    }
    return false;
}

static struct tk_ev_frame_set *set_of(struct tk_ev_frames *f, uint32_t name)
{
    for (size_t i = 0; i < f->sets.n; i++)
        if (f->sets.v[i].name == name)
            return &f->sets.v[i];
    return NULL;
}

enum { MOST_SETS = 64 };

static int count_mark(struct tk_ev_frames *f, const struct tk_ev_capture *c, uint32_t name)
{
    struct tk_ev_frame_set fresh = {.name = name};
    struct tk_ev_frame_set *set = set_of(f, name);
    if (!set) {
        if (f->sets.n >= MOST_SETS || !has_frame(tk_ev_name_text(&c->names, name)))
            return 0;
        if (tk_vec_push(&f->sets, fresh))
            return -1;
        set = &f->sets.v[f->sets.n - 1];
    }
    set->marks++;
    return 0;
}

/* The set with the most marks is that of the game; of several it is the first. */
static void number_sets(struct tk_ev_frames *f)
{
    size_t best = 0;
    uint32_t next = FRAME_OTHERS;
    for (size_t i = 1; i < f->sets.n; i++)
        best = f->sets.v[i].marks > f->sets.v[best].marks ? i : best;
    for (size_t i = 0; i < f->sets.n; i++)
        f->sets.v[i].type = i == best ? FRAME_GAME : next++;
}

int tk_ev_frames_find(struct tk_ev_frames *f, const struct tk_ev_capture *c, struct tk_err *err)
{
    struct tk_ev_track_reader reader = {.track = &c->marks, .spill = c->spill};
    const struct tk_ev_item *item;
    int rc;
    f->sets.n = 0;
    for (size_t i = 0; i < c->threads.n; i++)
        if (c->threads.v[i]->is_frames)
            return TK_OK;
    if (c->own_export)
        return TK_OK;
    while ((rc = tk_ev_track_next(&reader, &item, err)) == TK_ITEM) {
        if (count_mark(f, c, item->what) != 0) {
            rc = tk_err_nomem(err, "sets of frames");
            break;
        }
    }
    tk_ev_track_reader_release(&reader);
    number_sets(f);
    return rc;
}

static struct tk_fact frame_fact(const struct tk_ev_capture *c, const struct tk_ev_item *mark,
                                 const struct tk_ev_frame_set *set)
{
    struct tk_fact fact = {.kind = TK_FACT_FRAME,
                           .size = sizeof fact,
                           .thread = tk_ev_thread_number(c, (uint32_t)((uint64_t)mark->value >> 32)),
                           .time = tk_ev_since(c->first, mark->time),
                           .seq = TK_NO_SEQ};
    fact.u.frame =
        (struct tk_fact_frame){.type = set->type, .type_name = tk_ev_name_text(&c->names, set->name)};
    return fact;
}

unsigned tk_ev_frames_take(struct tk_ev_frames *f, const struct tk_ev_capture *c,
                           const struct tk_ev_item *mark, struct tk_fact facts[2])
{
    struct tk_ev_frame_set *set = set_of(f, mark->what);
    unsigned n = 0;
    if (!set)
        return 0;
    if (set->seen) {
        facts[n] = frame_fact(c, mark, set);
        facts[n++].u.frame.number = set->seen;
    }
    set->seen++;
    facts[n] = frame_fact(c, mark, set);
    facts[n].u.frame.begin = true;
    facts[n++].u.frame.number = set->seen;
    return n;
}

void tk_ev_frames_release(struct tk_ev_frames *f)
{
    tk_vec_release(&f->sets);
}
