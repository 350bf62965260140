/*
 * The critical path of each frame: back from its end over links between threads, then timer by timer.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "judge/work.h"
#include "model/frames/critical_path.h"

#define MOST_STEPS 65536 /* of the path of a frame */
#define MOST_STILL 64    /* of them at one time: threads that seem to let each other go on */

struct walk {
    struct tk_path *c;
    uint32_t frame, who;
    int64_t from, at; /* it has come back to `at` */
    uint8_t via;
    unsigned steps, still;
};

static int put_stretch(struct walk *w, int64_t from, int64_t timer, uint8_t via)
{
    const struct tk_path_stretch s = {.from = from > w->from ? from : w->from,
                                      .to = w->at,
                                      .timer = timer,
                                      .frame = w->frame,
                                      .who = w->who,
                                      .via = via};
    if (s.from >= s.to)
        return 0;
    w->at = s.from;
    return tk_vec_push(&w->c->path, s);
}

static bool counts(struct tk_path *c, const struct tk_link *link)
{
    return !link->start || !tk_path_was_busy(c, link->who, link->begin, link->end);
}

/* The last link of the thread that the path is on, at or before where it is. A wait of which it is not
 * recorded what it was for gives way to a link inside that says so. */
static const struct tk_link *find_link(struct walk *w)
{
    const int64_t before = w->still > MOST_STILL ? w->at - 1 : w->at;
    size_t n, at;
    const struct tk_link *v = tk_links_of(&w->c->links, w->who, &n), *unknown = NULL;
    TK_SEARCH(at, n, v[at].end <= before);
    for (size_t i = at;
         i-- > 0 && at - i <= TK_PATH_LOOK_BACK && v[i].end > (unknown ? unknown->begin : w->from);) {
        if (v[i].via == TK_LINK_NOT_RECORDED)
            unknown = unknown ? unknown : &v[i];
        else if (counts(w->c, &v[i]))
            return &v[i];
    }
    return unknown;
}

/* Back over one link. 0, or -1 without memory. */
static int step_back(struct walk *w, const struct tk_link *link)
{
    const int64_t was = w->at;
    int rc = put_stretch(w, link->end, TK_PATH_OUTSIDE, w->via);
    if (rc == 0 && link->via == TK_LINK_NOT_RECORDED)
        return put_stretch(w, link->begin, link->no_core ? TK_PATH_NO_CORE : TK_PATH_OUTSIDE,
                           TK_LINK_NOT_RECORDED);
    if (rc == 0)
        rc = put_stretch(w, link->ready, TK_PATH_TO_RUN, w->via);
    w->who = link->target;
    w->via = link->via;
    w->still = w->at == was ? w->still + 1 : 0;
    return rc;
}

static int walk_back(struct tk_path *c, uint32_t frame, uint32_t thread)
{
    const struct tk_range *r = &c->view->frames->v[frame];
    struct walk w = {c, frame, thread, r->from, r->to, TK_LINK_END, 0, 0};
    int rc = 0;
    while (w.at > w.from && rc == 0) {
        const struct tk_link *link = w.steps++ < MOST_STEPS ? find_link(&w) : NULL;
        rc = link ? step_back(&w, link) : put_stretch(&w, w.from, TK_PATH_OUTSIDE, w.via);
    }
    return rc;
}

/* The thread that marks the frames, else the one with the name of a game thread. */
static uint32_t frame_thread_of(const struct tk_path *c)
{
    const struct tk_dict *dict = c->view->dict;
    for (size_t i = 0; i < dict->threads.n && c->frame_thread == TK_NO_THREAD; i++) {
        const struct tk_str *name = tk_dict_thread_name(dict, dict->threads.v[i].id);
        if (name && tk_role_of_name(name->p, name->n) == TK_ROLE_GAME)
            return dict->threads.v[i].id;
    }
    return c->frame_thread;
}

int tk_path_walk(struct tk_path *c)
{
    const struct tk_frames *frames = c->view->frames;
    const uint32_t thread = frame_thread_of(c);
    int rc = 0;
    for (uint32_t i = 0; i < frames->n && thread != TK_NO_THREAD && rc == 0; i++)
        if (c->selected[i] && tk_row_limit_for(&c->capacity, c->path.n))
            rc = walk_back(c, i, thread);
    return rc;
}

/* ---- timers of the path ---- */

/* Scopes of a thread that are open, the innermost last, and its stretches from the next one on. */
struct sweep {
    struct tk_path *c;
    TK_VEC(struct tk_path_piece) open;
    int64_t at;
    size_t next, end; /* in path */
    bool cores;       /* it is recorded when the thread ran: in a timer that waits it did, then */
};

/* What of a piece of time with one innermost timer is on the path. */
static int put_piece(struct sweep *s, int64_t to, int64_t timer)
{
    struct tk_path *c = s->c;
    for (; s->next < s->end && c->path.v[s->next].from < to; s->next++) {
        struct tk_path_stretch row = c->path.v[s->next];
        struct tk_path_stretch *last = c->rows.n ? &c->rows.v[c->rows.n - 1] : NULL;
        row.from = row.from > s->at ? row.from : s->at;
        row.to = row.to < to ? row.to : to;
        if (row.timer == TK_PATH_OUTSIDE) {
            row.timer = timer;
            row.via = !s->cores && tk_path_waits(c, timer) ? TK_LINK_NOT_RECORDED : row.via;
        }
        if (last && last->frame == row.frame && last->who == row.who && last->timer == row.timer &&
            last->via == row.via && last->to == row.from)
            last->to = row.to;
        else if (row.to > row.from && tk_vec_push(&c->rows, row))
            return -1;
        if (c->path.v[s->next].to > to)
            break;
    }
    s->at = to;
    return 0;
}

static int close_until(struct sweep *s, int64_t time)
{
    int rc = 0;
    while (s->open.n && s->open.v[s->open.n - 1].end <= time && rc == 0) {
        const struct tk_path_piece *top = &s->open.v[s->open.n - 1];
        if (top->end > s->at)
            rc = put_piece(s, top->end, top->timer);
        s->open.n--;
    }
    if (rc == 0 && time > s->at)
        rc = put_piece(s, time, s->open.n ? s->open.v[s->open.n - 1].timer : TK_PATH_OUTSIDE);
    return rc;
}

static int sweep_thread(struct tk_path *c, size_t first, size_t end)
{
    const uint32_t who = c->path.v[first].who;
    struct sweep s = {
        .c = c, .at = INT64_MIN, .next = first, .end = end, .cores = tk_links_knows_cores(&c->links, who)};
    size_t at;
    int rc = 0;
    TK_SEARCH(at, c->pieces.n, c->pieces.v[at].thread < who);
    for (; at < c->pieces.n && c->pieces.v[at].thread == who && rc == 0; at++) {
        rc = close_until(&s, c->pieces.v[at].begin);
        if (rc == 0)
            rc = tk_vec_push(&s.open, c->pieces.v[at]);
    }
    if (rc == 0)
        rc = close_until(&s, INT64_MAX);
    tk_vec_release(&s.open);
    return rc;
}

static int by_who(const void *a, const void *b)
{
    const struct tk_path_stretch *x = a, *y = b;
    if (x->who != y->who)
        return x->who < y->who ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static int by_frame(const void *a, const void *b)
{
    const struct tk_path_stretch *x = a, *y = b;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* The longest first; of equal ones the earlier. */
static int by_length(const void *a, const void *b)
{
    const struct tk_path_stretch *x = a, *y = b;
    const uint64_t p = (uint64_t)x->to - (uint64_t)x->from, q = (uint64_t)y->to - (uint64_t)y->from;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    return p != q ? (p > q ? -1 : 1) : (x->from > y->from) - (x->from < y->from);
}

static int rank_rows(struct tk_path *c)
{
    struct tk_path_stretch *v = c->rows.v;
    if (tk_sort(v, c->rows.n, sizeof *v, by_length))
        return -1;
    for (size_t i = 0; i < c->rows.n; i++)
        v[i].rank = i && v[i - 1].frame == v[i].frame ? v[i - 1].rank + 1 : 1;
    return tk_sort(v, c->rows.n, sizeof *v, by_frame);
}

int tk_path_find_timers(struct tk_path *c)
{
    size_t end;
    int rc = tk_sort(c->path.v, c->path.n, sizeof *c->path.v, by_who);
    for (size_t at = 0; at < c->path.n && rc == 0; at = end) {
        for (end = at + 1; end < c->path.n && c->path.v[end].who == c->path.v[at].who;)
            end++;
        rc = sweep_thread(c, at, end);
    }
    return rc ? rc : rank_rows(c);
}

/*
 * Scopes of threads for the critical path: those that are long enough for their frame, and short ones that no
 * other is around.
 */

#define LEAST_PART 1000 /* of a frame that a scope has to have to be a stretch */

/* Is a slice long enough for its frame? One over borders of frames always is. */
static bool is_long(const struct tk_path *c, const struct tk_slices *s, size_t i)
{
    const struct tk_frames *frames = c->view->frames;
    const int64_t length = tk_wrap_sub(s->end[i], s->begin[i]);
    if (s->frame[i] >= frames->n)
        return true;
    const struct tk_range *f = &frames->v[s->frame[i]];
    return length >= tk_wrap_sub(f->to, f->from) / LEAST_PART;
}

/* A short call that no other one is around goes with the one before. */
static int take_short(struct tk_path_lane *l, const struct tk_slices *s, size_t i, int64_t apart)
{
    struct tk_path_piece *last = l->last_short ? &l->v.v[l->last_short - 1] : NULL;
    const struct tk_path_piece piece = {s->begin[i], s->end[i], TK_PATH_SHORT, l->thread};
    if (last && l->last_short == l->v.n && tk_wrap_sub(s->begin[i], last->end) <= apart) {
        last->end = s->end[i];
        return 0;
    }
    if (tk_vec_push(&l->v, piece))
        return -1;
    l->last_short = l->v.n;
    return 0;
}

int tk_path_take_slice(const struct tk_path *c, struct tk_path_lane *l, const struct tk_slices *s, size_t i)
{
    const struct tk_path_piece piece = {s->begin[i], s->end[i], s->timer[i], l->thread};
    const bool inside = s->frame[i] < c->view->frames->n;
    if (s->frame[i] == TK_FRAME_NONE || s->end[i] <= s->begin[i] || (inside && !c->selected[s->frame[i]]))
        return 0;
    if (l->v.n >= c->capacity.rows) {
        l->cut = true;
        return 0;
    }
    if (is_long(c, s, i))
        return tk_vec_push(&l->v, piece);
    const struct tk_range *f = &c->view->frames->v[s->frame[i]];
    return s->depth[i] ? 0 : take_short(l, s, i, tk_wrap_sub(f->to, f->from) / LEAST_PART);
}

/* ---- scopes by thread ---- */

static int by_thread(const void *a, const void *b)
{
    const struct tk_path_piece *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

int tk_path_gather(struct tk_path *c)
{
    for (size_t i = 0; i < c->lanes.n; i++) {
        struct tk_path_lane *l = &c->lanes.v[i];
        if (l->cut)
            (void)tk_row_limit_for(&c->capacity, l->v.n);
        if (tk_vec_reserve(&c->pieces, c->pieces.n + l->v.n))
            return -1;
        for (size_t k = 0; k < l->v.n; k++)
            c->pieces.v[c->pieces.n++] = l->v.v[k];
        tk_vec_release(&l->v);
    }
    return tk_sort(c->pieces.v, c->pieces.n, sizeof *c->pieces.v, by_thread);
}

bool tk_path_waits(struct tk_path *c, int64_t timer)
{
    const struct tk_timer *t = timer < 0 ? NULL : tk_dict_timer(c->view->dict, (uint32_t)timer);
    return t && tk_work_waits(tk_work_of(&c->work, t));
}

bool tk_path_was_busy(struct tk_path *c, uint32_t who, int64_t from, int64_t to)
{
    size_t at;
    TK_SEARCH(at, c->pieces.n,
              c->pieces.v[at].thread < who || (c->pieces.v[at].thread == who && c->pieces.v[at].begin < to));
    for (size_t i = at; i-- > 0 && at - i <= TK_PATH_LOOK_BACK && c->pieces.v[i].thread == who;)
        if (c->pieces.v[i].end > from && c->pieces.v[i].end <= to && !tk_path_waits(c, c->pieces.v[i].timer))
            return true;
    return false;
}
