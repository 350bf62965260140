/*
 * Frame sets. Type numbers are in the order of the file, but the main set (name pointer 0) is always type 0;
 * where it is missing, the first set is.
 *
 *   u64 n, frame sets, each with u64 n, n frames                                               tracy-file 4
 *
 * A frame of a continuous set ends where the next one begins; the last one stays open. The main set begins
 * with the initialisation of the profiler and the time from then on, and of a recording on demand the time
 * from the connection on. No frame mark began these: they are sent as frames only where the
 * start-up is requested, too.
 */
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/section.h"

struct set {
    uint64_t name;
    const struct tk_str *text; /* NULL: not known */
    uint32_t type;
    uint32_t startup; /* frames that no mark began */
    bool continuous;
};

struct frame {
    uint64_t at, number;
    struct tk_tracy_lone_frame v; /* end: negative while open, or of a continuous set; image: -1 none */
};

struct state {
    struct tk_tracy_list sets, frames;
    struct set set;
    int64_t last;    /* start */
    uint32_t others; /* sets so far that are not the main one */
    bool inside;
};

/* Numbers begin with 1 there. */
static int say_mark(struct tk_tracy_walk *w, const struct set *set, uint64_t number, int64_t time, bool begin)
{
    const struct tk_fact_frame mark = {set->type, begin, number - set->startup + 1, set->text};
    if (w->ordering) {
        struct tk_tracy_held_fact held = {
            .time = time, .order = w->held.order++, .thread = TK_NO_THREAD, .kind = TK_FACT_FRAME};
        held.u.frame = mark;
        return tk_tracy_held_take(w, &held);
    }
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_FRAME, TK_NO_THREAD, time);
    if (!fact)
        return TK_ENOMEM;
    fact->u.frame = mark;
    return TK_OK;
}

/* As facts: the mark between two frames is the end of one and the begin of the other. */
static int say_fact_frames(struct tk_tracy_walk *w, const struct set *set, const struct frame *f)
{
    int rc = TK_OK;
    if (f->number < set->startup)
        return TK_OK;
    if (set->continuous && f->number > set->startup)
        rc = say_mark(w, set, f->number - 1, f->v.start, false);
    if (rc == TK_OK)
        rc = say_mark(w, set, f->number, f->v.start, true);
    if (rc == TK_OK && !set->continuous && f->v.end >= 0)
        rc = say_mark(w, set, f->number, f->v.end, false);
    return rc;
}

static int say_frame(struct tk_tracy_walk *w, const struct set *set, const struct frame *f)
{
    int rc = tk_tracy_wants_fact(w, TK_FACT_FRAME) ? say_fact_frames(w, set, f) : TK_OK;
    if (rc != TK_OK || !tk_tracy_wants(w, TK_TRACY_FRAME))
        return rc;
    struct tk_cell cells[] = {
        tk_cell_of_text(set->text),
        tk_cell_of_uint(f->number),
        tk_cell_of_int(f->v.start),
        set->continuous ? (struct tk_cell){.kind = TK_NONE} : tk_tracy_end_cell(f->v.end),
        f->v.image < 0 ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_uint((uint32_t)f->v.image),
    };
    return tk_tracy_say(w, TK_TRACY_FRAME, f->at, TK_NO_THREAD, f->v.start, cells);
}

static const struct tk_str *name_of_frames(struct tk_tracy_walk *w, uint64_t pointer)
{
    static const struct tk_str main_set = {"Frame", 5, TK_ENC_UTF8};
    const struct tk_str *found = tk_tracy_string_of_pointer(&w->c->strings, pointer);
    return tk_tracy_intern(w->c, pointer ? (found ? found : &tk_tracy_missing) : &main_set);
}

/*
 * While the front is defined it is not known yet which sets there are, but then nobody requests frames
 * either: readings know from then on whether there is a main set.
 */
static int begin_set(struct tk_tracy_walk *w, struct state *s)
{
    struct tk_tracy_frame_set v;
    const bool whole = tk_tracy_read_frame_set(&w->in, &v);
    s->set = (struct set){.name = v.name, .continuous = v.continuous};
    s->frames = (struct tk_tracy_list){0};
    s->last = INT64_MIN;
    w->in.time = 0;
    s->inside = true;
    if (w->defining) {
        w->c->main_frames |= !s->set.name && whole;
        return TK_OK;
    }
    s->set.type = s->set.name ? s->others + w->c->main_frames : 0;
    s->others += s->set.name != 0;
    if (!s->set.name && s->set.continuous && !(w->request && w->request->startup))
        s->set.startup = w->c->on_demand ? 3 : 2;
    s->set.text = name_of_frames(w, s->set.name);
    return s->set.text ? TK_OK : TK_ENOMEM;
}

static size_t size_of_frames(const struct tk_tracy_walk *w, const struct set *set)
{
    return set->continuous ? tk_tracy_frame_size(&w->c->layout) : tk_tracy_lone_frame_size(&w->c->layout);
}

/* An image belongs to the first frame that shows it. There are no more of them than frames. */
static int note_image(struct tk_tracy_walk *w, const struct set *set, const struct frame *f)
{
    const bool game = !set->type && f->number >= set->startup;
    if (!game || f->v.image < 0 || (uint64_t)f->v.image > f->number ||
        !tk_tracy_wants_rows(w, &tk_tracy_table_frame_images))
        return TK_OK;
    const size_t at = (size_t)f->v.image;
    if (tk_vec_reach(&w->displayed, at + 1))
        return TK_ENOMEM;
    if (!w->displayed.v[at].frame)
        w->displayed.v[at] = (struct tk_tracy_displayed){f->v.start, f->number - set->startup + 1};
    return TK_OK;
}

static int read_frame(struct tk_tracy_walk *w, struct state *s)
{
    struct frame f = {.at = tk_tracy_at(&w->in), .number = s->frames.n - s->frames.left - 1};
    if (!tk_tracy_read_frame_of(&w->in, s->set.continuous, &f.v))
        return TK_OK;
    w->most_image = f.v.image > w->most_image ? f.v.image : w->most_image;
    tk_tracy_use_kind(w, f.v.image < -1, 0);
    tk_tracy_use_order(w, f.v.start, &s->last);
    tk_tracy_count(w, TK_TRACY_FRAME, 1, size_of_frames(w, &s->set));
    const int rc = note_image(w, &s->set, &f);
    return rc == TK_OK ? say_frame(w, &s->set, &f) : rc;
}

static void skip_set(struct tk_tracy_walk *w, struct state *s)
{
    tk_tracy_skip_list(w, size_of_frames(w, &s->set), TK_TRACY_FRAME, "frames");
    s->inside = false;
}

static int step_frames(struct tk_tracy_walk *w, void *state)
{
    struct state *s = state;
    bool wanted = tk_tracy_wants_fact(w, TK_FACT_FRAME) || tk_tracy_wants(w, TK_TRACY_FRAME) ||
                  tk_tracy_wants_rows(w, &tk_tracy_table_frame_images);
    int rc = TK_OK;
    while (rc == TK_OK && !tk_tracy_batch_full(w->out)) {
        if (s->inside && !wanted)
            skip_set(w, s);
        else if (s->inside && tk_tracy_list_next(w, &s->frames, "frames"))
            rc = read_frame(w, s);
        else if (tk_tracy_list_next(w, &s->sets, "frame sets"))
            rc = begin_set(w, s);
        else
            return TK_OK;
    }
    return rc == TK_OK ? TK_ITEM : rc;
}

const struct tk_tracy_section tk_tracy_sec_frames = {.name = "frames",
                                                     .step = step_frames,
                                                     .size = sizeof(struct state),
                                                     .facts = TK_FACT_MASK(FRAME),
                                                     .skipped_at_first = true,
                                                     .records = TK_TRACY_RECORD_MASK(FRAME)};
