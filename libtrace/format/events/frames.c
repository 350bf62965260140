/*
 * Frames out of instants, and out of exports of Tracekit; see frames.h.
 */
#include "format/events/frames.h"

#include <string.h>

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
                           .thread = (uint32_t)((uint64_t)mark->value >> 32),
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
