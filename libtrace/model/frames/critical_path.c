/*
 * Table `critical_path`: of each game frame what its length was made of, followed back from its end. Where
 * the thread had waited for a task or a lock, or was woken, the path goes on with the thread that ran the
 * task, gave the lock back or woke it, at the time when it did so; a worker that had nothing to do until a
 * task was launched leads to who launched it. What is not recorded ends no path: the wait stays with its
 * thread.
 *
 * Stretches are of the innermost scope that lasts at least a thousandth of the frame, so that they lie end to
 * end and add up to its length.
 */
#include "base/sort.h"
#include "base/wrap.h"
#include "judge/roles.h"
#include "model/frames/frames_in.h"
#include "model/marks/frame_list.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>

enum {
    FRAME,
    RANK,
    THREAD_ID,
    THREAD,
    TIMER = THREAD + TK_THREAD_COLUMNS,
    FROM,
    TO,
    DURATION,
    SHARE,
    VIA,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the game frame, from 0"},
    [RANK] = {"rank", TK_UINT, 0, NULL, "1: the longest stretch of the frame"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "its id; empty: of another process"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "thread that the frame depended on"),
    [TIMER] = {"timer", TK_TEXT, 0, NULL,
               "innermost timer of at least a thousandth of the frame; (short calls), (outside every scope), "
               "(on no core), (waiting to run): let go on and not running yet"},
    [FROM] = {"from", TK_TIME, TK_COL_OPTIONAL, NULL, "start of the stretch"},
    [TO] = {"to", TK_TIME, TK_COL_OPTIONAL, NULL, "end of the stretch, where the next one starts"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "its length; those of a frame add up to the frame's"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of the frame, 0 to 1"},
    [VIA] =
        {"via", TK_TEXT, 0, NULL,
         "how the path came to it, going back: wake-up, task, lock; not recorded: it waited, and for what is "
         "not recorded; empty: from the end of the frame"},
};

static const struct tk_table table = {
    .name = "critical_path",
    .help = "what each game frame depended on, back from its end: wake-ups, tasks and locks",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST | TK_TABLE_TIMES,
    .none = "no frame is selected as a whole, or it is not known which thread runs the frames",
};

static const char *const via_names[] = {[TK_LINK_WAKE_UP] = "wake-up",
                                        [TK_LINK_TASK] = "task",
                                        [TK_LINK_LOCK] = "lock",
                                        [TK_LINK_NOT_RECORDED] = "not recorded"};

#define LEAST_PART 1000  /* of a frame that a scope has to have to be a stretch */
#define MOST_STEPS 65536 /* of the path of a frame */
#define MOST_STILL 64    /* of them at one time: threads that seem to let each other go on */
#define LOOK_BACK  256u  /* scopes, or links, that are looked at from a time back */

/* In the place of a timer. */
enum { SHORT = -1, OUTSIDE = -2, NO_CORE = -3, TO_RUN = -4 };

/* A scope that is long enough. */
struct piece {
    int64_t begin, end;
    int64_t timer; /* or SHORT */
    uint32_t thread;
};

struct lane {
    uint32_t thread;
    bool is_thread, cut;
    TK_VEC(struct piece) v;
    size_t last_short; /* place in v, one more; 0: none */
};

/* A stretch of the path of a frame: of a thread, later of a timer of it. */
struct stretch {
    int64_t from, to;
    int64_t timer; /* or one of the above; OUTSIDE until scopes are looked at */
    uint32_t frame, who;
    uint32_t rank;
    uint8_t via; /* enum tk_link_via */
};

struct critical {
    const struct tk_query_context *view;
    struct tk_work_rules work;
    struct tk_links links;
    struct tk_row_limit capacity;
    TK_VEC(struct lane) lanes;   /* by number */
    TK_VEC(struct piece) pieces; /* when all is read: by thread, then begin, the longer one first */
    TK_VEC(struct stretch) path; /* by thread */
    TK_VEC(struct stretch) rows; /* by timer */
    bool *selected;              /* owned; by frame */
    uint32_t frame_thread;
};

static void close_critical(void *self)
{
    struct critical *c = self;
    for (size_t i = 0; i < c->lanes.n; i++)
        tk_vec_release(&c->lanes.v[i].v);
    tk_vec_release(&c->lanes);
    tk_vec_release(&c->pieces);
    tk_vec_release(&c->path);
    tk_vec_release(&c->rows);
    tk_links_release(&c->links);
    tk_work_rules_release(&c->work);
    free(c->selected);
    free(c);
}

/* Frames that are selected as a whole: of others it is not known what happened in the rest. */
static int select_frames(struct critical *c)
{
    const struct tk_frames *frames = c->view->frames;
    c->selected = calloc(frames->n + 1, sizeof *c->selected);
    for (size_t i = 0; c->selected && i < frames->n; i++) {
        const struct tk_range *r = &frames->v[i];
        c->selected[i] = r->to < TK_RUN_UNIT && r->to > r->from && tk_select_has(c->view->select, r->from) &&
                         tk_select_has(c->view->select, r->to - 1);
    }
    return c->selected ? 0 : -1;
}

static int open_critical(const struct tk_query_context *view, const struct tk_builder *builder,
                         uint64_t wanted, void **self, struct tk_err *err)
{
    struct critical *c = calloc(1, sizeof *c);
    (void)builder;
    (void)wanted;
    if (!c)
        return tk_err_nomem(err, "critical paths");
    *self = c;
    c->view = view;
    c->capacity = c->links.chains.capacity = tk_query_context_row_limit(view, table.name);
    c->frame_thread = TK_NO_THREAD;
    if (select_frames(c))
        return tk_err_nomem(err, "critical paths");
    return tk_work_rules_read(&c->work, view, err);
}

/* ---- reading ---- */

static int reach_lane(struct critical *c, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&c->lanes, (size_t)run->lane + 1))
        return -1;
    c->lanes.v[run->lane].thread = run->thread;
    c->lanes.v[run->lane].is_thread = run->kind == TK_LANE_THREAD;
    return 0;
}

static int feed_critical(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct critical *c = self;
    int rc = tk_work_learn(&c->work, c->view->dict);
    (void)emit;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = reach_lane(c, &batch->runs[i]);
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++) {
        const struct tk_fact *fact = &batch->facts[i];
        if (fact->kind == TK_FACT_FRAME && fact->u.frame.type == 0 && c->frame_thread == TK_NO_THREAD)
            c->frame_thread = fact->thread;
        else
            rc = tk_links_feed(&c->links, fact);
    }
    return rc ? tk_err_nomem(err, "critical paths") : TK_OK;
}

/* Is a slice long enough for its frame? One over borders of frames always is. */
static bool is_long(const struct critical *c, const struct tk_slices *s, size_t i)
{
    const struct tk_frames *frames = c->view->frames;
    const int64_t length = tk_wrap_sub(s->end[i], s->begin[i]);
    if (s->frame[i] >= frames->n)
        return true;
    const struct tk_range *f = &frames->v[s->frame[i]];
    return length >= tk_wrap_sub(f->to, f->from) / LEAST_PART;
}

/* A short call that no other one is around goes with the one before. */
static int take_short(struct lane *l, const struct tk_slices *s, size_t i, int64_t apart)
{
    struct piece *last = l->last_short ? &l->v.v[l->last_short - 1] : NULL;
    const struct piece piece = {s->begin[i], s->end[i], SHORT, l->thread};
    if (last && l->last_short == l->v.n && tk_wrap_sub(s->begin[i], last->end) <= apart) {
        last->end = s->end[i];
        return 0;
    }
    if (tk_vec_push(&l->v, piece))
        return -1;
    l->last_short = l->v.n;
    return 0;
}

static int take_slice(const struct critical *c, struct lane *l, const struct tk_slices *s, size_t i)
{
    const struct piece piece = {s->begin[i], s->end[i], s->timer[i], l->thread};
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

static int take_critical(void *self, const struct tk_slices *s, unsigned worker)
{
    struct critical *c = self;
    struct lane *l = &c->lanes.v[s->lane];
    int rc = 0;
    (void)worker;
    for (size_t i = 0; i < s->n && l->is_thread && rc == 0; i++)
        rc = take_slice(c, l, s, i);
    return rc ? TK_ENOMEM : TK_OK;
}

static int check_critical(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct critical *c = self;
    (void)emit;
    return c->view->frames->n ? TK_OK : tk_frames_missing(c->view->ctx, err);
}

/* ---- scopes by thread ---- */

static int by_thread(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

static int gather_pieces(struct critical *c)
{
    for (size_t i = 0; i < c->lanes.n; i++) {
        struct lane *l = &c->lanes.v[i];
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

static bool waits(struct critical *c, int64_t timer)
{
    const struct tk_timer *t = timer < 0 ? NULL : tk_dict_timer(c->view->dict, (uint32_t)timer);
    return t && tk_work_waits(tk_work_of(&c->work, t));
}

/* Did a thread do anything between two times? A scope that is no wait ended there. */
static bool was_busy(struct critical *c, uint32_t who, int64_t from, int64_t to)
{
    size_t at;
    TK_SEARCH(at, c->pieces.n,
              c->pieces.v[at].thread < who || (c->pieces.v[at].thread == who && c->pieces.v[at].begin < to));
    for (size_t i = at; i-- > 0 && at - i <= LOOK_BACK && c->pieces.v[i].thread == who;)
        if (c->pieces.v[i].end > from && c->pieces.v[i].end <= to && !waits(c, c->pieces.v[i].timer))
            return true;
    return false;
}

/* ---- the path ---- */

struct walk {
    struct critical *c;
    uint32_t frame, who;
    int64_t from, at; /* it has come back to `at` */
    uint8_t via;
    unsigned steps, still;
};

static int put_stretch(struct walk *w, int64_t from, int64_t timer, uint8_t via)
{
    const struct stretch s = {.from = from > w->from ? from : w->from,
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

static bool counts(struct critical *c, const struct tk_link *link)
{
    return !link->start || !was_busy(c, link->who, link->begin, link->end);
}

/* The last link of the thread that the path is on, at or before where it is. A wait of which it is not
 * recorded what it was for gives way to a link inside that says so. */
static const struct tk_link *find_link(struct walk *w)
{
    const int64_t before = w->still > MOST_STILL ? w->at - 1 : w->at;
    size_t n, at;
    const struct tk_link *v = tk_links_of(&w->c->links, w->who, &n), *unknown = NULL;
    TK_SEARCH(at, n, v[at].end <= before);
    for (size_t i = at; i-- > 0 && at - i <= LOOK_BACK && v[i].end > (unknown ? unknown->begin : w->from);) {
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
    int rc = put_stretch(w, link->end, OUTSIDE, w->via);
    if (rc == 0 && link->via == TK_LINK_NOT_RECORDED)
        return put_stretch(w, link->begin, link->no_core ? NO_CORE : OUTSIDE, TK_LINK_NOT_RECORDED);
    if (rc == 0)
        rc = put_stretch(w, link->ready, TO_RUN, w->via);
    w->who = link->target;
    w->via = link->via;
    w->still = w->at == was ? w->still + 1 : 0;
    return rc;
}

static int walk_back(struct critical *c, uint32_t frame, uint32_t thread)
{
    const struct tk_range *r = &c->view->frames->v[frame];
    struct walk w = {c, frame, thread, r->from, r->to, TK_LINK_END, 0, 0};
    int rc = 0;
    while (w.at > w.from && rc == 0) {
        const struct tk_link *link = w.steps++ < MOST_STEPS ? find_link(&w) : NULL;
        rc = link ? step_back(&w, link) : put_stretch(&w, w.from, OUTSIDE, w.via);
    }
    return rc;
}

/* The thread that marks the frames, else the one with the name of a game thread. */
static uint32_t frame_thread_of(const struct critical *c)
{
    const struct tk_dict *dict = c->view->dict;
    for (size_t i = 0; i < dict->threads.n && c->frame_thread == TK_NO_THREAD; i++) {
        const struct tk_str *name = tk_dict_thread_name(dict, dict->threads.v[i].id);
        if (name && tk_role_of_name(name->p, name->n) == TK_ROLE_GAME)
            return dict->threads.v[i].id;
    }
    return c->frame_thread;
}

static int walk_frames(struct critical *c)
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
    struct critical *c;
    TK_VEC(struct piece) open;
    int64_t at;
    size_t next, end; /* in path */
    bool cores;       /* it is recorded when the thread ran: in a timer that waits it did, then */
};

/* What of a piece of time with one innermost timer is on the path. */
static int put_piece(struct sweep *s, int64_t to, int64_t timer)
{
    struct critical *c = s->c;
    for (; s->next < s->end && c->path.v[s->next].from < to; s->next++) {
        struct stretch row = c->path.v[s->next];
        struct stretch *last = c->rows.n ? &c->rows.v[c->rows.n - 1] : NULL;
        row.from = row.from > s->at ? row.from : s->at;
        row.to = row.to < to ? row.to : to;
        if (row.timer == OUTSIDE) {
            row.timer = timer;
            row.via = !s->cores && waits(c, timer) ? TK_LINK_NOT_RECORDED : row.via;
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
        const struct piece *top = &s->open.v[s->open.n - 1];
        if (top->end > s->at)
            rc = put_piece(s, top->end, top->timer);
        s->open.n--;
    }
    if (rc == 0 && time > s->at)
        rc = put_piece(s, time, s->open.n ? s->open.v[s->open.n - 1].timer : OUTSIDE);
    return rc;
}

static int sweep_thread(struct critical *c, size_t first, size_t end)
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
    const struct stretch *x = a, *y = b;
    if (x->who != y->who)
        return x->who < y->who ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static int by_frame(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* The longest first; of equal ones the earlier. */
static int by_length(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    const uint64_t p = (uint64_t)x->to - (uint64_t)x->from, q = (uint64_t)y->to - (uint64_t)y->from;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    return p != q ? (p > q ? -1 : 1) : (x->from > y->from) - (x->from < y->from);
}

static int rank_rows(struct critical *c)
{
    struct stretch *v = c->rows.v;
    if (tk_sort(v, c->rows.n, sizeof *v, by_length))
        return -1;
    for (size_t i = 0; i < c->rows.n; i++)
        v[i].rank = i && v[i - 1].frame == v[i].frame ? v[i - 1].rank + 1 : 1;
    return tk_sort(v, c->rows.n, sizeof *v, by_frame);
}

static int find_timers(struct critical *c)
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

/* ---- rows ---- */

static struct tk_cell timer_cell(const struct critical *c, int64_t timer)
{
    static const char *const texts[] = {"", "(short calls)", "(outside every scope)", "(on no core)",
                                        "(waiting to run)"};
    if (timer < 0)
        return tk_cell_of_c(texts[-timer]);
    const struct tk_timer *t = tk_dict_timer(c->view->dict, (uint32_t)timer);
    return tk_cell_of_text(t ? t->info.name : NULL);
}

static void fill_row(const struct critical *c, const struct stretch *s, struct tk_cell *row)
{
    const struct tk_range *r = &c->view->frames->v[s->frame];
    row[FRAME] = tk_cell_of_uint(s->frame);
    row[RANK] = tk_cell_of_uint(s->rank);
    if (s->who < TK_LINK_OTHER) {
        row[THREAD_ID] = tk_query_context_thread_id(s->who);
        tk_thread_more_put(c->view, s->who, &row[THREAD + TK_THREAD_NAME + 1]);
    }
    row[THREAD] = tk_cell_of_text(tk_links_name(&c->links, c->view->dict, s->who));
    row[TIMER] = timer_cell(c, s->timer);
    row[FROM] = tk_query_context_time(c->view, s->from);
    row[TO] = tk_query_context_time(c->view, s->to);
    row[DURATION] = tk_query_context_between(c->view, s->from, s->to);
    row[SHARE] = tk_cell_of_real((double)tk_wrap_sub(s->to, s->from) / (double)tk_wrap_sub(r->to, r->from));
    if (s->via != TK_LINK_END)
        row[VIA] = tk_cell_of_c(via_names[s->via]);
}

static int finish_critical(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct critical *c = self;
    if (tk_links_settle(&c->links, c->view->dict) || gather_pieces(c) || walk_frames(c) || find_timers(c))
        return tk_err_nomem(err, "critical paths");
    for (size_t i = 0; i < c->rows.n; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_row(c, &c->rows.v[i], row);
    }
    return tk_emit_status(emit);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_critical};

const struct tk_builder tk_builder_critical_path = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES) | TK_FACT_MASK(FRAME) | TK_LINK_FACTS,
              .slices = TK_SLICE_BEGIN | TK_SLICE_PLACE | TK_SLICE_FRAME,
              .waits = true,
              .lists = {.frames = TK_NEEDS_GAME_FRAMES}},
    .scopes = &scope_hooks,
    .open = open_critical,
    .feed = feed_critical,
    .check = check_critical,
    .finish = finish_critical,
    .close = close_critical,
};
