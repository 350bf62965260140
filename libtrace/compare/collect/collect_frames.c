/*
 * Selects the frames of a run being collected and assigns them to blocks. collect.c calls it with the frames
 * of the capture.
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/baseline/run_info.h"
#include "compare/baseline/segments.h"
#include "compare/collect/collect_in.h"
#include "judge/outcomes.h"
#include "tracekit/captures.h"

#include <stdlib.h>

/*
 * Frames of watched timers of a run being collected.
 *
 * Of a scope over borders of frames each frame has as much of its own time as it has of its time: exact for
 * scopes without others inside, an estimate for the rest.
 */

/* ---- who ---- */

void tk_collect_watch_init(struct tk_collect_watch *w, const struct tk_watch *of,
                           const struct tk_collect_frames *frames)
{
    w->of = of && of->v.n && of->v.n < TK_WATCH_SLOT ? of : NULL;
    w->frames = frames;
}

static bool is_timer(const struct tk_watched *watched)
{
    return watched->kind == TK_SERIES_TIMER || watched->kind == TK_SERIES_GPU;
}

uint32_t tk_collect_watch_mark(const struct tk_collect_watch *w, const struct tk_str *name)
{
    const uint32_t waits = w->of->waits(name) ? TK_WATCH_WAITS : 0;
    for (size_t i = 0; i < w->of->v.n; i++) {
        const struct tk_watched *watched = &w->of->v.v[i];
        if (is_timer(watched) && watched->name && tk_str_order(watched->name, name) == 0)
            return waits | (uint32_t)(i + 1);
    }
    return waits;
}

int tk_collect_watch_feed(struct tk_collect_watch *w, const struct tk_batch *batch)
{
    for (size_t i = 0; w->of && i < batch->n_facts; i++) {
        const struct tk_fact_timer *timer = &batch->facts[i].u.timer;
        if (batch->facts[i].kind != TK_FACT_TIMER || !timer->name)
            continue;
        if (tk_vec_reserve(&w->marks, (size_t)timer->id + 1))
            return -1;
        while (w->marks.n <= timer->id)
            w->marks.v[w->marks.n++] = 0;
        w->marks.v[timer->id] = tk_collect_watch_mark(w, timer->name);
    }
    return 0;
}

void tk_collect_watch_release(struct tk_collect_watch *w)
{
    tk_vec_release(&w->marks);
}

/* ---- their times ---- */

/* Are timers of a class watched together? */
static bool all_watched(const struct tk_watch *watch, uint8_t lane_kind, const struct tk_str *class)
{
    for (size_t i = 0; i < watch->v.n && lane_kind == TK_LANE_THREAD; i++)
        if (is_timer(&watch->v.v[i]) && !watch->v.v[i].name && tk_str_order(watch->v.v[i].group, class) == 0)
            return true;
    return false;
}

int tk_watched_sums_init(struct tk_watched_sums *s, const struct tk_collect_watch *watch, uint8_t lane_kind,
                         const struct tk_str *class)
{
    *s = (struct tk_watched_sums){0};
    if (!watch->of)
        return 0;
    s->watch = watch;
    s->all = all_watched(watch->of, lane_kind, class);
    s->v = calloc(watch->of->v.n + 1, sizeof *s->v);
    return s->v ? 0 : -1;
}

static int add_time(struct tk_watched_sums *s, size_t slot, size_t frame, uint64_t cycles)
{
    if (!s->v[slot] && !(s->v[slot] = calloc(s->watch->frames->frames->n + 1, sizeof **s->v)))
        return -1;
    s->v[slot][frame] = tk_wrap_add(s->v[slot][frame], (int64_t)cycles);
    return 0;
}

/* Adds own time to those that watch a timer. */
static int add_own(struct tk_watched_sums *s, uint32_t mark, size_t frame, uint64_t cycles)
{
    const bool works = s->all && !(mark & TK_WATCH_WAITS);
    const size_t slot = mark & TK_WATCH_SLOT;
    if (frame >= s->watch->frames->frames->n)
        return 0;
    return (works && add_time(s, 0, frame, cycles)) || (slot && add_time(s, slot, frame, cycles)) ? -1 : 0;
}

/* A part of a slice in n frames, which has so much of its own time. */
static int add_part(struct tk_watched_sums *s, uint32_t mark, const struct tk_slice_part *part, double own)
{
    const struct tk_frames *frames = s->watch->frames->frames;
    int rc = 0;
    for (uint32_t i = part->frame; i < part->frame + part->n && i < frames->n && rc == 0; i++) {
        const double length = (double)(uint64_t)(frames->v[i].to - frames->v[i].from);
        const double time = part->n == 1 || length > (double)part->total ? (double)part->total : length;
        rc = add_own(s, mark, i, tk_saturate_u64(time * own));
    }
    return rc;
}

int tk_watched_sums_take(struct tk_watched_sums *s, const struct tk_slices *slices)
{
    int rc = 0;
    for (size_t i = 0, part = 0; s->watch && i < slices->n && rc == 0; i++) {
        const uint32_t timer = slices->timer[i],
                       mark = timer < s->watch->marks.n ? s->watch->marks.v[timer] : 0;
        const int64_t excl = (int64_t)slices->excl[i];
        const double own = slices->total[i] && excl > 0 ? (double)excl / (double)slices->total[i] : 0;
        const bool watched = mark & TK_WATCH_SLOT || (s->all && !(mark & TK_WATCH_WAITS));
        for (; part < slices->n_parts && slices->parts[part].slice == i; part++)
            rc = rc || !watched ? rc : add_part(s, mark, &slices->parts[part], own);
        if (watched && rc == 0 && slices->frame[i] < TK_FRAME_PARTS)
            rc = add_own(s, mark, slices->frame[i], slices->excl[i]);
    }
    return rc;
}

int tk_watched_sums_merge(struct tk_watched_sums *into, const struct tk_watched_sums *from)
{
    for (size_t slot = 0; into->watch && slot <= into->watch->of->v.n; slot++)
        for (size_t i = 0; from->v[slot] && i < into->watch->frames->frames->n; i++)
            if (add_time(into, slot, i, (uint64_t)from->v[slot][i]))
                return -1;
    return 0;
}

static void drop(struct tk_watched_sums *s, size_t slot)
{
    free(s->v[slot]);
    s->v[slot] = NULL;
}

void tk_watched_sums_forget(struct tk_watched_sums *s, const struct tk_str *name)
{
    const uint32_t mark = s->watch ? tk_collect_watch_mark(s->watch, name) : TK_WATCH_WAITS;
    if (!(mark & TK_WATCH_WAITS))
        drop(s, 0);
    if (mark & TK_WATCH_SLOT)
        drop(s, mark & TK_WATCH_SLOT);
}

int tk_watched_sums_tell(const struct tk_watched_sums *s, struct tk_base_run *run, uint8_t kind,
                         const struct tk_str *group)
{
    for (size_t slot = 0; s->watch && slot <= s->watch->of->v.n; slot++) {
        const struct tk_str *name = slot ? s->watch->of->v.v[slot - 1].name : NULL;
        const size_t n = s->watch->frames->frames->n;
        if (!s->v[slot])
            continue;
        if (name && !(name = tk_intern(&run->names, name->p, name->n, (enum tk_encoding)name->enc)))
            return -1;
        struct tk_watched_frames *times = tk_watched_frames_add(run, kind, name, group, n, 0);
        if (!times)
            return -1;
        for (size_t i = 0; i < n; i++)
            times->v[i] += (double)s->v[slot][i];
    }
    return 0;
}

void tk_watched_sums_release(struct tk_watched_sums *s)
{
    for (size_t slot = 0; s->v && slot <= s->watch->of->v.n; slot++)
        free(s->v[slot]);
    free(s->v);
    *s = (struct tk_watched_sums){0};
}

/* Is the whole recording taken for a frame? */
static bool is_unit(const struct tk_frames *frames)
{
    return frames->n == 1 && frames->v[0].to == TK_RUN_UNIT;
}

static bool is_whole(const struct tk_range *frame)
{
    return frame->to != INT64_MAX;
}

/* All that is there of a run without a selection is known from its order. */
static int make_places(struct tk_collect_frames *f)
{
    size_t n = f->frames->n + 1;
    f->block = calloc(n, sizeof *f->block);
    if (!f->select->all_time) {
        f->run->numbers = malloc(n * sizeof *f->run->numbers);
        f->run->begins = malloc(n * sizeof *f->run->begins);
    }
    return f->block && (f->select->all_time || (f->run->numbers && f->run->begins)) ? 0 : -1;
}

/* The block of a frame is the number of the frame in the run, until there are blocks. */
static int add_frame(struct tk_collect_frames *f, size_t i, int64_t before)
{
    struct tk_base_run *run = f->run;
    const struct tk_range *r = &f->frames->v[i];
    f->block[i] = (uint32_t)run->frames.n;
    if (run->numbers) {
        run->numbers[run->frames.n] = (uint32_t)i;
        run->begins[run->frames.n] = tk_base_ms(run, (double)r->from);
    }
    if (tk_vec_push(&run->gaps, r->from > before ? (uint64_t)r->from - (uint64_t)before : 0) ||
        tk_vec_push(&run->frames, (uint64_t)r->to - (uint64_t)r->from))
        return -1;
    return 0;
}

/* The begins of the frames of the run, in *out (owned). */
static int find_frames(struct tk_collect_frames *f, int64_t **out, struct tk_err *err)
{
    const struct tk_frames *frames = f->frames;
    int64_t *begins = malloc((frames->n + 1) * sizeof *begins), last = 0;
    *out = begins;
    if (!begins || make_places(f))
        return tk_err_nomem(err, "the frames of a run");
    for (size_t i = 0; i < frames->n && (!is_unit(frames) || f->select->all_time); i++) {
        const struct tk_range *r = &frames->v[i];
        f->block[i] = TK_COLLECT_NO_BLOCK;
        if (!is_whole(r) || !tk_select_has(f->select, r->from))
            continue;
        begins[f->run->frames.n] = r->from;
        if (add_frame(f, i, last))
            return tk_err_nomem(err, "the frames of a run");
        last = r->to;
    }
    if (f->run->frames.n == 0 && !f->select->all_time)
        return tk_err_set(err, TK_EMATCH, "the selection contains no frame of a run");
    if (f->run->frames.n == 0)
        return tk_outcome_fail(err, TK_OUTCOME_NOTHING_RECORDED, "there are no frames to compare runs by");
    return TK_OK;
}

/* The part of the first block that is in the same segments. */
static uint8_t class_of(const struct tk_base_run *run, uint32_t block)
{
    for (uint32_t b = 0; b < block; b++) {
        size_t s = 0;
        while (s < run->segments.n && run->segments.v[s].has[b] == run->segments.v[s].has[block])
            s++;
        if (s == run->segments.n)
            return run->part[b];
    }
    return run->part[block];
}

/* Which block a frame is in. */
static int mark_blocks(struct tk_collect_frames *f)
{
    const struct tk_base_run *run = f->run;
    for (size_t i = 0; i < f->frames->n; i++)
        if (f->block[i] != TK_COLLECT_NO_BLOCK)
            f->block[i] = (uint32_t)tk_base_run_block(run, f->block[i]);
    f->class = calloc((size_t)run->n_blocks + 1, 1);
    for (uint32_t b = 0; f->class && b < run->n_blocks; b++)
        f->class[b] = class_of(run, b);
    return f->class ? 0 : -1;
}

/* The class that most frames are in. */
static uint8_t usual_class(const struct tk_collect_frames *f)
{
    uint64_t frames[TK_CALL_PATH_SUMS] = {0};
    uint8_t most = 0;
    for (uint32_t b = 0; b < f->run->n_blocks; b++)
        frames[f->class[b]] += tk_block_weight(f->run, b);
    for (uint8_t k = 1; k < TK_CALL_PATH_SUMS; k++)
        most = frames[k] > frames[most] ? k : most;
    return most;
}

int tk_collect_frames_init(struct tk_collect_frames *f, const struct tk_query_context *view,
                           struct tk_base_run *run, struct tk_err *err)
{
    int64_t *begins;
    *f = (struct tk_collect_frames){.frames = view->frames, .select = view->select, .run = run};
    int rc = find_frames(f, &begins, err);
    if (rc == TK_OK) {
        run->block_frames = tk_block_frames(run->frames.n);
        if (tk_collect_segments(run, begins, view->regions) || mark_blocks(f))
            rc = tk_err_nomem(err, "the frames of a run");
        else
            f->usual = usual_class(f);
    }
    free(begins);
    return rc;
}

/* Leaves of all judged frames those of the run. */
static int keep_judged(struct tk_collect_frames *f, const struct tk_judged_frames *all, const uint32_t *place)
{
    struct tk_judged_frames *j = &f->run->judged;
    const size_t n = f->run->frames.n;
    j->expected = calloc(n + 1, sizeof *j->expected);
    j->is = calloc(n + 1, sizeof *j->is);
    if (!j->expected || !j->is)
        return -1;
    for (size_t i = 0; i < f->frames->n && j->n < n; i++) {
        if (f->block[i] == TK_COLLECT_NO_BLOCK)
            continue;
        if (place[i] != UINT32_MAX) {
            j->expected[j->n] = all->expected[place[i]];
            j->is[j->n] = all->is[place[i]];
        }
        j->startup += j->is[j->n++] & TK_FRAME_IS_STARTUP ? 1 : 0;
    }
    return 0;
}

/* The lengths of the whole frames of the capture; their number. */
static size_t measure(const struct tk_collect_frames *f, double *ms, uint32_t *place)
{
    size_t n = 0;
    for (size_t i = 0; i < f->frames->n; i++) {
        const struct tk_range *r = &f->frames->v[i];
        const bool whole = is_whole(r) && r->to > r->from;
        place[i] = whole ? (uint32_t)n : UINT32_MAX;
        if (whole)
            ms[n++] = tk_base_ms(f->run, (double)((uint64_t)r->to - (uint64_t)r->from));
    }
    return n;
}

int tk_collect_frames_judge(struct tk_collect_frames *f, const struct tk_loading_frames *screens)
{
    const struct tk_hitch_rule local = {TK_HITCH_RULE_LOCAL, 0};
    const size_t most = f->frames->n + 1;
    struct tk_judged_frames all = {0};
    double *ms = malloc(most * sizeof *ms);
    uint32_t *place = malloc(most * sizeof *place);
    int rc = ms && place ? 0 : -1;
    const size_t n = rc == 0 && !is_unit(f->frames) ? measure(f, ms, place) : 0;
    if (n) {
        rc = tk_frames_judge(&all, ms, n, &local);
        if (rc == 0)
            rc = tk_loading_frames_mark(screens, place, (uint32_t)f->frames->n, ms, n, all.is);
        if (rc == 0)
            rc = keep_judged(f, &all, place);
        f->run->knows_loading = rc == 0;
    }
    tk_judged_frames_release(&all);
    free(ms);
    free(place);
    return rc;
}

int tk_collect_frames_end(struct tk_collect_frames *f, const struct tk_query_context *view)
{
    struct tk_base_run *run = f->run;
    const char *per = view->ctx->options->per;
    if (per)
        return tk_base_run_note_per(run, per);
    if (!is_unit(f->frames) || run->frames.n != 1)
        return 0;
    const int64_t first = view->first_time > 0 ? view->first_time : 0;
    run->frames.v[0] = view->last_time > first ? (uint64_t)(view->last_time - first) : 1;
    return tk_base_run_note(run, "unit", "run", 3, TK_ENC_UTF8);
}

void tk_collect_frames_release(struct tk_collect_frames *f)
{
    free(f->block);
    free(f->class);
    f->block = NULL;
    f->class = NULL;
}

size_t tk_collect_frame_at(const struct tk_collect_frames *f, int64_t time)
{
    const struct tk_frames *frames = f->frames;
    size_t at;
    TK_SEARCH(at, frames->n, frames->v[at].from <= time);
    return at && time < frames->v[at - 1].to ? at - 1 : SIZE_MAX;
}

size_t tk_collect_block_at(const struct tk_collect_frames *f, int64_t time)
{
    const size_t frame = tk_collect_frame_at(f, time);
    return frame == SIZE_MAX ? SIZE_MAX : tk_collect_block_of(f, frame);
}
